/* SPDX-License-Identifier: MIT */
#include <perfrep/err.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -(int)code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -(int)code;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	char tail[sizeof(err->text)];
	va_list ap;
	int n;

	if (!err)
		return;
	memcpy(tail, err->text, sizeof(tail));
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(err->text))
		snprintf(err->text + n, sizeof(err->text) - (size_t)n, "%s", tail);
}
