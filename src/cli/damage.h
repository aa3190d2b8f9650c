/* SPDX-License-Identifier: MIT */
/* What commands that read records themselves say of a damaged recording. */
#ifndef PERFREP_CLI_DAMAGE_H
#define PERFREP_CLI_DAMAGE_H

#include <perfrep/reader.h>

/* Each place that could not be read; several features of the header in one sentence. */
void damage_tell(const struct reader *r);

#endif
