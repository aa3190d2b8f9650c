/* SPDX-License-Identifier: MIT */
/*
 * The walk over all headers is one thread's, and most of its time on a large file goes into page
 * faults and waiting for memory, while other CPUs have nothing to do yet.  So the file is looked
 * at in parts: the walk goes on from the front, and other threads take the parts from the back,
 * until they meet.  What they find in a part (the pieces, how many samples, where the other
 * records are) the walk only has to take over.
 *
 * Where the first record of a part begins has to be guessed: at a place from which several sound
 * headers follow each other.  A wrong guess is no error: a part counts only if the walk comes to
 * exactly where it begins, and what follows from there does not depend on how one got there.  A
 * part ends early where the walk has to do more than to count: at damage, and at records that
 * mean something to the reader.  The threads read the file's bytes and nothing of the reader's.
 *
 * Only parts that are in memory: reading a disk from both ends would slow it.
 */
#include "perfdata/parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "perfdata/reader_priv.h"
#include "perfdata/step.h"

enum {
	BELIEVED = 8, /* so many sound headers */
	SEARCHED = 128 << 10, /* two of the longest records */
	OTHERS_SHARE = 256, /* bytes of a part for each record that is no sample, on average */
	MAX_THREADS = 64,
	PROBES = 8, /* pages of a part that are asked for */
};

struct parts {
	struct parts_of of;
	struct part *v;
	bool *done;
	size_t nr;
	pthread_t *threads;
	unsigned nr_threads;
	pthread_mutex_t lock; /* of done, walked and taken */
	pthread_cond_t finished;
	size_t walked; /* the walk is in this part, and has done those before it */
	size_t taken; /* threads have done or are doing this one and those behind it */
};

static const uint8_t *part_begin(const struct parts *ps, size_t i)
{
	return i < ps->nr ? ps->of.begin + i * ps->of.size : ps->of.end;
}

/* --- in a thread --- */

/* Something that the walk only has to count and deliver. */
static bool plain(const struct parts_of *of, const uint8_t *p, struct record *rec)
{
	if (!header_sound(p, (uint64_t)(of->end - p), of->be))
		return false;
	record_header(rec, p, of->be);
	return rec->type < RECORD_USER_FIRST || !pass_wants(rec->type);
}

static bool records_follow(const struct parts_of *of, const uint8_t *p)
{
	struct record rec;

	for (int i = 0; i < BELIEVED && p != of->end; i++) {
		if (!plain(of, p, &rec))
			return false;
		p += rec.size;
	}
	return true;
}

/* Records' sizes are multiples of 8, but for few that the walk has to look at. */
static const uint8_t *guess(const struct parts_of *of, const uint8_t *p, const uint8_t *stop)
{
	for (unsigned at = 0; at < SEARCHED && stop - p > 8; at += 8, p += 8)
		if (records_follow(of, p))
			return p;
	return NULL;
}

/* Walk from PART's first record to the first one at or behind STOP. */
static void walk_part(const struct parts_of *of, struct part *part, const uint8_t *stop)
{
	size_t room = of->size / OTHERS_SHARE;
	const uint8_t *p = part->from, *cell = p;

	while (p < stop) {
		const uint8_t *at = p;
		struct record rec;

		if (p >= cell) {
			cell = cell_end(of->src, p, of->grain);
			vec_push(&part->pieces, (struct chunk){ .data = p });
		}
		p = step_samples(p, cell < stop ? cell : stop, of->end, of->be, &part->samples);
		if (p == at) {
			if (!plain(of, p, &rec) || part->others.n >= room)
				break;
			vec_push(&part->others, (uint32_t)(p - part->from));
			p += rec.size;
		}
		part->pieces.v[part->pieces.n - 1].size += (uint64_t)(p - at);
	}
	part->to = p;
	if (part->to == part->from)
		part->from = NULL;
	else if (!part->pieces.v[part->pieces.n - 1].size)
		part->pieces.n--;
}

/*
 * Whether the N bytes from P on, where a page begins, are in memory, but for what the kernel took
 * now and then.  A few of the pages tell: to ask for all takes a tenth of the time of the walk.
 */
static bool in_memory(const uint8_t *p, size_t n, size_t page)
{
	size_t step = (n / page / PROBES + 1) * page;
	unsigned missing = 0;

	for (size_t at = 0; at < n; at += step) {
		unsigned char there;

		if (mincore((void *)(p + at), 1, &there) != 0)
			return false;
		missing += !(there & 1);
	}
	return missing <= 1;
}

static void do_part(const struct parts *ps, size_t i)
{
	const uint8_t *begin = part_begin(ps, i), *stop = part_begin(ps, i + 1);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uint8_t *first = begin - (uintptr_t)begin % page;

	if (!in_memory(first, (size_t)(stop - first), page))
		return;
	if (ps->of.map_only) {
		madvise((void *)first, (size_t)(stop - first), MADV_POPULATE_READ);
		return;
	}
	ps->v[i].from = guess(&ps->of, begin, stop);
	if (ps->v[i].from)
		walk_part(&ps->of, &ps->v[i], stop);
}

static bool take(struct parts *ps, size_t *i)
{
	bool any;

	pthread_mutex_lock(&ps->lock);
	any = ps->taken > ps->walked + 1;
	if (any)
		*i = --ps->taken;
	pthread_mutex_unlock(&ps->lock);
	return any;
}

static void *work(void *arg)
{
	struct parts *ps = arg;
	size_t i;

	while (take(ps, &i)) {
		do_part(ps, i);
		pthread_mutex_lock(&ps->lock);
		ps->done[i] = true;
		pthread_cond_broadcast(&ps->finished);
		pthread_mutex_unlock(&ps->lock);
	}
	return NULL;
}

/* --- in the walk's thread --- */

struct parts *parts_start(const struct parts_of *of, unsigned threads)
{
	uint64_t size = (uint64_t)(of->end - of->begin);
	struct parts *ps;

	if (!threads || size <= of->size)
		return NULL;
	ps = xcalloc(1, sizeof(*ps));
	ps->of = *of;
	ps->nr = ps->taken = (size + of->size - 1) / of->size;
	ps->v = xcalloc(ps->nr, sizeof(*ps->v));
	ps->done = xcalloc(ps->nr, sizeof(*ps->done));
	ps->threads = xcalloc(MAX_THREADS, sizeof(*ps->threads));
	pthread_mutex_init(&ps->lock, NULL);
	pthread_cond_init(&ps->finished, NULL);
	for (unsigned i = 0; i < threads && i < MAX_THREADS && i + 1 < ps->nr; i++) {
		if (pthread_create(&ps->threads[i], NULL, work, ps) != 0)
			break;
		ps->nr_threads++;
	}
	return ps;
}

/* Wait for part I if a thread has it; else it is the walk's, as are those before it. */
static struct part *claim(struct parts *ps, size_t i)
{
	bool theirs;

	pthread_mutex_lock(&ps->lock);
	theirs = i >= ps->taken && !ps->of.map_only;
	ps->walked = i;
	while (theirs && !ps->done[i])
		pthread_cond_wait(&ps->finished, &ps->lock);
	pthread_mutex_unlock(&ps->lock);
	return theirs ? &ps->v[i] : NULL;
}

const uint8_t *parts_look(struct parts *ps, const uint8_t *p, struct part **part)
{
	size_t i = (size_t)(p - ps->of.begin) / ps->of.size;
	struct part *there = claim(ps, i);

	*part = NULL;
	if (there && there->from && there->from > p)
		return there->from;
	if (there && there->from == p)
		*part = there;
	return part_begin(ps, i + 1);
}

uint64_t parts_grain(const struct parts *ps)
{
	return ps->of.grain;
}

void parts_settle(struct parts *ps)
{
	for (unsigned i = 0; i < ps->nr_threads; i++)
		pthread_join(ps->threads[i], NULL);
	ps->nr_threads = 0;
}

void parts_stop(struct parts *ps)
{
	if (!ps)
		return;
	pthread_mutex_lock(&ps->lock);
	ps->walked = ps->nr;
	pthread_mutex_unlock(&ps->lock);
	parts_settle(ps);
	for (size_t i = 0; i < ps->nr; i++) {
		vec_release(&ps->v[i].pieces);
		vec_release(&ps->v[i].others);
	}
	pthread_mutex_destroy(&ps->lock);
	pthread_cond_destroy(&ps->finished);
	free(ps->threads);
	free(ps->done);
	free(ps->v);
	free(ps);
}
