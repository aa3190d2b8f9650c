/* SPDX-License-Identifier: MIT */
#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "view/escape.h"

void message(const char *fmt, ...)
{
	struct strbuf safe = STRBUF_INIT;
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	escape_terminal(&safe, text);
	fprintf(stderr, "perfrep: %s\n", strbuf_str(&safe));
	strbuf_release(&safe);
	free(text);
}

void message_all(char *const *sentences, size_t n)
{
	for (size_t i = 0; i < n; i++)
		message("%s", sentences[i]);
}
