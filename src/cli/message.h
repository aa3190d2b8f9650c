/* SPDX-License-Identifier: MIT */
/* What goes to stderr: whole sentences, "perfrep: " in front, escaped for a terminal. */
#ifndef PERFREP_CLI_MESSAGE_H
#define PERFREP_CLI_MESSAGE_H

#include <stddef.h>

void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same for sentences that a stage handed up. */
void message_all(char *const *sentences, size_t n);

#endif
