/* SPDX-License-Identifier: MIT */
/*
 * From a tree and a sample to a value.  Types were checked when the tree was built; what is left to
 * fail is the raw data: too short, an index behind the end of an array, a divisor that is 0.  Branches
 * that are not taken are not computed.
 */
#include <string.h>

#include "tracepoint/print_tree.h"

static struct print_value number(const struct print_run *r, const struct print_node *n)
{
	struct print_value v = n->value;

	return tp_number(n->field, r->in->raw, r->in->size, &v.v) ? v : print_bad();
}

static struct print_value array(const struct print_run *r, const struct print_node *n)
{
	struct print_value v = n->value;
	const uint8_t *raw;

	if (!tp_bytes(n->field, r->in->raw, r->in->size, &raw, &v.len))
		return print_bad();
	v.s = (const char *)raw;
	if (v.kind == PRINT_TEXT)
		v.len = strnlen(v.s, v.len);
	return v;
}

static struct print_value element(struct print_run *r, const struct print_node *n)
{
	struct print_value at = print_eval(r, n->operand[0]), v = n->value;
	struct tp_field element = *n->field;

	if (at.kind != PRINT_NUMBER || at.v >= element.size / element.elem)
		return print_bad();
	element.flags &= (uint16_t) ~(TP_ARRAY | TP_STRING);
	element.size = element.elem;
	element.offset += (uint32_t)at.v * element.elem;
	return tp_number(&element, r->in->raw, r->in->size, &v.v) ? v : print_bad();
}

static struct print_value length(const struct print_run *r, const struct print_node *n)
{
	const uint8_t *bytes;
	size_t len;

	if (!tp_bytes(n->field, r->in->raw, r->in->size, &bytes, &len))
		return print_bad();
	return print_number(len, n->value.size, n->value.is_signed);
}

static struct print_value binary(struct print_run *r, const struct print_node *n)
{
	struct print_value a = print_eval(r, n->operand[0]), b;
	bool both = n->op == PRINT_BOTH;

	if (a.kind == PRINT_BAD || (!both && n->op != PRINT_ANY)) {
		b = a.kind == PRINT_BAD ? a : print_eval(r, n->operand[1]);
		return print_binary(n->op, a, b);
	}
	if (both ? !a.v : a.v != 0)
		return print_truth(!both);
	b = print_eval(r, n->operand[1]);
	return b.kind == PRINT_BAD ? b : print_truth(b.v);
}

static struct print_value cast(struct print_run *r, const struct print_node *n)
{
	struct print_value v = print_eval(r, n->operand[0]);

	if (v.kind == PRINT_TEXT || v.kind == PRINT_BYTES)
		return v; /* an array as a pointer to what it has */
	return v.kind == PRINT_NUMBER ? print_number(v.v, n->value.size, n->value.is_signed)
				      : print_bad();
}

static struct print_value either(struct print_run *r, const struct print_node *n)
{
	struct print_value v = print_eval(r, n->operand[0]);

	if (v.kind == PRINT_BAD)
		return v;
	v = print_eval(r, n->operand[v.v ? 1 : 2]);
	return v.kind == PRINT_NUMBER ? print_number(v.v, n->value.size, n->value.is_signed) : v;
}

static struct print_value call(struct print_run *r, const struct print_node *n)
{
	struct print_value v = { .kind = PRINT_TEXT, .scratch = r->scratch.n };

	if (!n->call->make(r, n->call))
		return print_bad();
	v.len = r->scratch.n - v.scratch;
	return v;
}

struct print_value print_eval(struct print_run *r, const struct print_node *n)
{
	switch (n->kind) {
	case NODE_CONSTANT:
		return n->value;
	case NODE_NUMBER:
		return number(r, n);
	case NODE_ARRAY:
		return array(r, n);
	case NODE_ELEMENT:
		return element(r, n);
	case NODE_LENGTH:
		return length(r, n);
	case NODE_UNARY:
		return print_unary(n->op, print_eval(r, n->operand[0]));
	case NODE_BINARY:
		return binary(r, n);
	case NODE_CAST:
		return cast(r, n);
	case NODE_EITHER:
		return either(r, n);
	case NODE_CALL:
		return call(r, n);
	}
	return print_bad();
}

const char *print_text_of(const struct print_run *r, const struct print_value *v)
{
	return v->s ? v->s : strbuf_str(&r->scratch) + v->scratch;
}
