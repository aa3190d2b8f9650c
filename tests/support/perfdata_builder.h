/* SPDX-License-Identifier: MIT */
/*
 * A writer of perf.data in memory, for tests, fuzz seeds and benchmarks: file, pipe or directory,
 * either byte order, any attr size, compressed or not, every kind of record, and with one length
 * that lies, if asked.
 *
 *	struct builder b;
 *	builder_init(&b, &(struct builder_opts){ .be = true });
 *	uint32_t ev = builder_event(&b, &(struct builder_attr){ .name = "cycles" });
 *	builder_features(&b);                                   // host name, CPUs, event names …
 *	builder_comm(&b, 0, 42, 42, "prog");                    // time 0: written by perf itself
 *	builder_mmap2(&b, &(struct builder_mmap){ .pid = 42, .addr = 0x400000, .len = 0x1000,
 *						  .filename = "/bin/prog" });
 *	builder_sample(&b, ev, &(struct builder_sample){
 *		.time = 100, .pid = 42, .ip = 0x400010, .period = 1000,
 *		.chain = (uint64_t[]){ CONTEXT_USER, 0x400010, 0x400123 }, .nr_chain = 3 });
 *	struct builder_file f = builder_finish(&b);             // f.bytes, f.size
 *	reader_open_memory(&r, f.bytes, f.size, "test", &err);  // or f.size - 17: a cut file
 *	builder_release(&b);
 *
 * The arguments of all functions are borrowed for the call only.  What builder_finish() returns
 * belongs to the builder.  Zeros mean the usual thing: an attr of zeros is a cycles event that
 * samples IP, TID, TIME, CPU, PERIOD, CALLCHAIN and IDENTIFIER; a tid of 0 is the pid.
 *
 * Layouts: include/uapi/linux/perf_event.h of the kernel, and of perf
 * tools/perf/Documentation/perf.data-file-format.txt and tools/lib/perf/include/perf/event.h.
 */
#ifndef PERFREP_TESTS_BUILDER_H
#define PERFREP_TESTS_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/feature.h>
#include <perfrep/record.h>
#include <perfrep/sample.h>

/* ---- what kind of recording ------------------------------------------------------------- */

enum builder_container {
	BUILDER_FILE,
	BUILDER_PIPE,
	BUILDER_DIR, /* a file plus data.0, data.1 …: see builder_stream(), builder_write() */
};

enum builder_compress {
	BUILDER_PLAIN,
	BUILDER_COMPRESSED, /* kernel records go into records of type 81 */
	BUILDER_COMPRESSED2, /* type 83 */
};

struct builder_opts {
	enum builder_container container;
	bool be;
	uint32_t attr_size; /* of attrs that give none: 64, 72, 80, 96 … 200; 0: 136 */

	enum builder_compress compress;
	uint32_t chunk; /* plain bytes in each compressed record, 0: 200; records straddle */
	bool end_frames; /* a zstd frame for each; else one endless frame, as perf writes it */
	bool hold_tail; /* keep 4 bytes back when a user record comes: it then stands between
			   * the halves of a kernel record */

	bool v1; /* magic PERFFILE */
	bool unfinalised; /* file: the recorder was killed; data.size is 0, nothing follows */
	bool short_header; /* file: 72 bytes, no feature bitmap */
	bool attrs_last; /* file: data first, then features, ids, attrs, as perf inject does */
	bool bitmap32; /* big-endian file: the feature bitmap by 32-bit words */
	bool old_tracing_record; /* record 66 of 12 bytes */
	uint32_t gap; /* bytes of 0xee between the header and what follows: odd offsets */

	/*
	 * Lie in one length field: the LIE-th that is written (from 1; 0: none) gets the value
	 * LIE_VALUE, cut to its width.  A count of the fields is in builder.nr_fields when the
	 * file is finished.  Section offsets and sizes, record sizes, counts of arrays and
	 * lengths of strings and blobs are all length fields.
	 */
	uint32_t lie;
	uint64_t lie_value;
};

struct builder_attr {
	const char *name; /* for EVENT_DESC; NULL: "event0", "event1" … */
	uint32_t type;
	uint32_t size; /* 0: that of the options */
	uint64_t config, sample_period;
	uint64_t sample_type; /* 0: BUILDER_SAMPLE_TYPE, unless bare */
	uint64_t read_format;
	uint64_t flags; /* 1ull << ATTR_…; 0: BUILDER_FLAGS, unless bare */
	bool bare; /* zeros above mean zero */
	uint32_t wakeup_events, bp_type;
	uint64_t config1, config2, branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;
	uint8_t tail; /* value of each byte beyond the 144 that are known */
	const uint64_t *ids; /* NULL: one id, 1000 + index */
	uint32_t nr_ids;
	bool no_ids;
};

#define BUILDER_SAMPLE_TYPE                                                                     \
	(SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU | SAMPLE_PERIOD | SAMPLE_CALLCHAIN | \
	 SAMPLE_IDENTIFIER)
#define BUILDER_FLAGS                                                                             \
	(1ull << ATTR_SAMPLE_ID_ALL | 1ull << ATTR_MMAP | 1ull << ATTR_COMM | 1ull << ATTR_TASK | \
	 1ull << ATTR_MMAP2 | 1ull << ATTR_COMM_EXEC)

/* ---- the builder ------------------------------------------------------------------------ */

struct builder_buf {
	uint8_t *v;
	size_t n, cap;
};

/* A record as it must be read back; see builder.marks. */
struct builder_mark {
	uint32_t type;
	uint32_t size;
	const uint8_t *bytes; /* of the plain record */
	uint64_t file_offset; /* of the record, or of the compressed one that its start is in */
	uint64_t last_offset; /* of the compressed one that its end is in; else the same */
	uint64_t end; /* the file must have this many bytes for the record to be whole */
	uint64_t payload_end; /* and for the bytes behind records 66 and 71; else the same */
	bool compressed; /* was in a compressed record */
	uint64_t plain; /* private: offset of its bytes */
};

struct builder_file {
	uint8_t *bytes;
	size_t size;
};

struct builder_stream; /* private */
struct builder_section; /* private */
struct builder_evsel; /* private */

struct builder {
	struct builder_opts opts;
	/*
	 * The trailer of the kernel records that follow: whose event, and what is not in the
	 * record itself.  pid, tid and id of 0 are those of the record, and the event's first.
	 */
	struct {
		uint32_t ev, cpu, pid, tid;
		uint64_t id, stream_id;
		bool none; /* leave the trailer out, though the attr promises it */
	} trailer;
	bool compress_all; /* user records go into compressed ones too, which perf never does */

	/* After builder_finish(), of the main stream: its records in order of delivery. */
	struct builder_mark *marks;
	size_t nr_marks;
	uint64_t data_offset, data_size, table_offset; /* table_offset: of the feature table */
	uint32_t nr_fields; /* length fields that were written */
	const char *lie_what; /* name of the field that lies, NULL: none */
	int lie_width; /* its bytes */
	bool lie_in_record; /* it was in a record of a stream, the main one's mark is: */
	size_t lie_mark;

	/* private */
	struct builder_buf *w; /* what is being written */
	struct builder_stream *streams;
	size_t nr_streams, stream;
	struct builder_evsel *evsels;
	size_t nr_evsels;
	struct builder_section *features;
	size_t nr_features;
	struct builder_buf out, rec;
	uint32_t lie_seq;
	size_t lie_stream;
};

void builder_init(struct builder *b, const struct builder_opts *opts); /* NULL: zeros */
void builder_release(struct builder *b);
/* Add an event; its index.  In a pipe its HEADER_ATTR record is written here. */
uint32_t builder_event(struct builder *b, const struct builder_attr *attr);
/* Where the next records go: 0 is the main stream, N is data.N-1 of a directory. */
void builder_stream(struct builder *b, size_t n);
/* Put what is waiting for compression into a compressed record. */
void builder_flush(struct builder *b);
/* The file (of a directory: its main file), valid until builder_release(). */
struct builder_file builder_finish(struct builder *b);
/* Finish, and write the file PATH, or the folder PATH with its files; 0, or -1 and errno. */
int builder_write(struct builder *b, const char *path);
/* The id of the I-th feature of the finished file's table; there are nr_features. */
unsigned builder_feature_at(const struct builder *b, size_t i);
/* Remove what builder_write() wrote. */
void builder_unlink(const struct builder *b, const char *path);

/* ---- samples ---------------------------------------------------------------------------- */

/* Only the fields that the event's sample_type has are written. */
struct builder_sample {
	uint16_t misc; /* 0: CPUMODE_USER */
	bool misc_zero; /* but 0 means 0 */
	uint64_t id; /* for IDENTIFIER and ID; 0: the event's first */
	bool id_zero; /* but 0 means 0 */
	uint64_t ip, time, addr, stream_id, period;
	uint32_t pid, tid, cpu;
	const struct record_read_value *values; /* READ; without GROUP the first */
	uint64_t nr_values;
	uint64_t time_enabled, time_running;
	const uint64_t *chain;
	uint64_t nr_chain;
	const void *raw; /* NULL: four zero bytes, as the kernel does */
	uint32_t raw_size;
	const struct branch_entry *branches;
	uint64_t nr_branches, hw_idx;
	bool no_hw_idx; /* left out though branch_sample_type has it */
	const uint64_t *branch_counters; /* with BRANCH_COUNTERS */
	uint64_t user_abi; /* 0: no registers follow */
	const uint64_t *user_regs; /* one for each bit of the mask; NULL: 1, 2, 3 … */
	uint64_t intr_abi;
	const uint64_t *intr_regs;
	const void *stack; /* stack_size bytes; NULL: 0x5a */
	uint64_t stack_size, dyn_size;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	const void *aux;
	uint64_t aux_size;
	const void *extra; /* behind the last field: for sample_type bits nobody knows */
	size_t extra_size;
};

void builder_sample(struct builder *b, uint32_t ev, const struct builder_sample *s);

/* ---- records of the kernel -------------------------------------------------------------- */

/* TIME 0 stands for a record that perf synthesized: the trailer is there, and all zero. */
struct builder_mmap {
	uint64_t time;
	uint16_t misc; /* 0: CPUMODE_USER; MISC_MMAP_BUILD_ID comes by itself */
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	const char *filename;
	/* of MMAP2 */
	uint32_t prot, flags; /* prot 0: 5 (read, execute); flags 0: 2 (private) */
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	const uint8_t *build_id; /* not NULL: the build-id form */
	uint8_t build_id_size; /* 0: 20 */
};

void builder_mmap(struct builder *b, const struct builder_mmap *m);
void builder_mmap2(struct builder *b, const struct builder_mmap *m);
void builder_comm(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid, const char *comm);
void builder_exec(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid, const char *comm);
void builder_fork(struct builder *b, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t tid,
		  uint32_t ptid);
/* A FORK that perf wrote for a task that was there before: time 0, maps are not to be cloned. */
void builder_fork_synthesized(struct builder *b, uint32_t pid, uint32_t ppid, uint32_t tid,
			      uint32_t ptid);
void builder_exit(struct builder *b, uint64_t time, uint32_t pid, uint32_t ppid, uint32_t tid,
		  uint32_t ptid);
void builder_lost(struct builder *b, uint64_t time, uint64_t id, uint64_t lost);
void builder_lost_samples(struct builder *b, uint64_t time, uint16_t misc, uint64_t lost);
void builder_throttle(struct builder *b, uint64_t time, bool unthrottle, uint64_t id,
		      uint64_t stream_id);
/* READ, in the read_format of the event EV. */
void builder_read(struct builder *b, uint32_t ev, uint32_t pid, uint32_t tid,
		  const struct builder_sample *values);
void builder_aux(struct builder *b, uint64_t time, uint64_t offset, uint64_t size, uint64_t flags);
void builder_itrace_start(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid);
void builder_switch(struct builder *b, uint64_t time, uint16_t misc, uint32_t pid, uint32_t tid);
void builder_switch_cpu_wide(struct builder *b, uint64_t time, uint16_t misc,
			     uint32_t next_prev_pid, uint32_t next_prev_tid);
/* The same of a thread of its own. */
void builder_switch_of(struct builder *b, uint64_t time, uint16_t misc, uint32_t pid, uint32_t tid,
		       uint32_t next_prev_pid, uint32_t next_prev_tid);
/* NR pairs of u64 dev, u64 ino. */
void builder_namespaces(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid,
			const uint64_t *entries, uint64_t nr);
void builder_ksymbol(struct builder *b, uint64_t time, uint64_t addr, uint32_t len, uint16_t type,
		     uint16_t flags, const char *name);
void builder_bpf_event(struct builder *b, uint64_t time, uint16_t type, uint16_t flags, uint32_t id,
		       const uint8_t tag[8]);
void builder_cgroup(struct builder *b, uint64_t time, uint64_t id, const char *path);
void builder_text_poke(struct builder *b, uint64_t time, uint64_t addr, const void *old_bytes,
		       uint16_t old_len, const void *new_bytes, uint16_t new_len);
void builder_hw_id(struct builder *b, uint64_t time, uint64_t hw_id);
void builder_deferred(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid, uint64_t cookie,
		      const uint64_t *ips, uint64_t nr);

/* ---- records of perf -------------------------------------------------------------------- */

/* HEADER_ATTR of the event; in a pipe builder_event() did it. */
void builder_header_attr(struct builder *b, uint32_t ev);
void builder_header_event_type(struct builder *b, uint64_t id, const char *name);
/* The record and SIZE bytes behind it, padded to 8. */
void builder_tracing_data(struct builder *b, const void *data, uint32_t size);
void builder_build_id(struct builder *b, int32_t pid, enum cpumode mode, const uint8_t *id,
		      uint8_t id_size, const char *filename);
void builder_finished_round(struct builder *b);
void builder_finished_init(struct builder *b);
/* One entry for each id of each event, cpu and tid -1; MACHINE: with the second array. */
void builder_id_index(struct builder *b, bool machine);
void builder_auxtrace_info(struct builder *b, uint32_t type, const uint64_t *priv, size_t nr);
/* The record and SIZE bytes behind it, padded to 8. */
void builder_auxtrace(struct builder *b, uint64_t offset, uint64_t reference, uint32_t idx,
		      uint32_t tid, uint32_t cpu, const void *data, uint64_t size);
void builder_auxtrace_error(struct builder *b, uint32_t fmt, uint64_t ip, const char *msg);
void builder_thread_map(struct builder *b, const uint64_t *pids, const char *const *comms,
			uint64_t nr);
enum builder_cpu_map {
	BUILDER_CPUS_LIST,
	BUILDER_CPUS_MASK4,
	BUILDER_CPUS_MASK8,
	BUILDER_CPUS_RANGE,
};
/* A map of the CPUs FIRST … LAST in one of its forms. */
void builder_cpu_map(struct builder *b, enum builder_cpu_map form, uint16_t first, uint16_t last);
void builder_stat_config(struct builder *b, const uint64_t *tags_and_values, uint64_t nr);
void builder_stat(struct builder *b, uint64_t id, uint32_t cpu, uint32_t thread, uint64_t val,
		  uint64_t ena, uint64_t run);
void builder_stat_round(struct builder *b, uint64_t type, uint64_t time);
void builder_update_unit(struct builder *b, uint64_t id, const char *unit);
void builder_update_scale(struct builder *b, uint64_t id, double scale);
void builder_update_name(struct builder *b, uint64_t id, const char *name);
void builder_update_cpus(struct builder *b, uint64_t id, uint16_t first, uint16_t last);
/* LONG_FORM: with cycles, mask and the two flags. */
void builder_time_conv(struct builder *b, const struct record_time_conv *tc, bool long_form);
void builder_bpf_metadata(struct builder *b, const char *prog, const char *key, const char *value);
void builder_schedstat_cpu(struct builder *b, uint64_t time, uint32_t cpu, uint16_t version);
void builder_schedstat_domain(struct builder *b, uint64_t time, uint32_t cpu, uint16_t version,
			      uint16_t domain);
/* A pipe's HEADER_FEATURE that says where the features end. */
void builder_feature_end_mark(struct builder *b);

/* ---- any record, by hand ---------------------------------------------------------------- */

/* A record of any type with this body, no trailer.  Types from 32768: simpleperf's header. */
void builder_record(struct builder *b, uint32_t type, uint16_t misc, const void *body, size_t len);
/* Bytes that are no record. */
void builder_stray(struct builder *b, const void *data, size_t len);

/* begin; builder_u32() … ; builder_trailer() if it has one; end. */
void builder_begin(struct builder *b, uint32_t type, uint16_t misc);
void builder_trailer(struct builder *b, uint64_t time, uint32_t pid, uint32_t tid);
void builder_end(struct builder *b);
/* End of record 66 or 71: LEN bytes that the record's size does not cover, padded to 8. */
void builder_end_payload(struct builder *b, const void *data, size_t len);

void builder_u8(struct builder *b, uint8_t v);
void builder_u16(struct builder *b, uint16_t v);
void builder_u32(struct builder *b, uint32_t v);
void builder_u64(struct builder *b, uint64_t v);
/* V at P, for raw data: WIDTH bytes in the byte order of the recording. */
void builder_encode(const struct builder *b, uint8_t *p, uint64_t v, int width);
void builder_bytes(struct builder *b, const void *data, size_t len); /* NULL: zeros */
void builder_cstr(struct builder *b, const char *s, unsigned align); /* NUL, zeros to ALIGN */
/* A length field of WIDTH bytes, which may be the one that lies. */
void builder_len(struct builder *b, int width, uint64_t v, const char *what);

/* ---- features --------------------------------------------------------------------------- */

/* What builder_features() and builder_all_features() write. */
#define BUILDER_HOSTNAME  "vm"
#define BUILDER_OSRELEASE "6.18.0-test"
#define BUILDER_VERSION   "7.2.13"
#define BUILDER_ARCH      "x86_64"
#define BUILDER_CPUDESC   "A CPU @ 2 GHz"
#define BUILDER_CPUID     "AuthenticAMD,25,17,1"

/* HOSTNAME, OSRELEASE, VERSION, ARCH, NRCPUS (8, 4 online), CMDLINE (perf record ./prog),
 * EVENT_DESC of the events so far. */
void builder_features(struct builder *b);
/* Every feature from 2 to 34 with contents (not CLOCK_DATA's zeros nor STAT, not 1 and 18). */
void builder_all_features(struct builder *b);

/* begin; builder_u32() …; end.  In a pipe this is a HEADER_FEATURE record. */
void builder_feature_begin(struct builder *b, unsigned id);
void builder_feature_end(struct builder *b);
void builder_feature_blob(struct builder *b, unsigned id, const void *data, size_t len);
void builder_feature_string(struct builder *b, unsigned id, const char *s);
void builder_feature_u64(struct builder *b, unsigned id, uint64_t v); /* TOTAL_MEM, CLOCKID … */
void builder_feature_nrcpus(struct builder *b, uint32_t available, uint32_t online);
void builder_feature_cmdline(struct builder *b, const char *const *argv, uint32_t nr);
void builder_feature_event_desc(struct builder *b); /* the events so far */
struct builder_feature_id {
	int32_t pid; /* -1: host kernel */
	enum cpumode mode;
	const uint8_t *id;
	uint8_t size; /* 0: 20, and the size byte is not marked valid */
	const char *filename;
};
void builder_feature_build_ids(struct builder *b, const struct builder_feature_id *ids, size_t nr);
void builder_feature_pmus(struct builder *b, const struct feature_pmu *pmus, uint32_t nr);
void builder_feature_groups(struct builder *b, const struct feature_group *groups, uint32_t nr);
/* NR must be what builder_feature_nrcpus() said is available. */
void builder_feature_cpu_topology(struct builder *b, const struct feature_cpu *cpus, uint32_t nr);
void builder_feature_nodes(struct builder *b, const struct feature_node *nodes, uint32_t nr);
/* TYPE: "Data", "Instruction", "Unified" */
void builder_feature_caches(struct builder *b, const struct feature_cache *caches, uint32_t nr,
			    const char *type);
void builder_feature_sample_time(struct builder *b, uint64_t first, uint64_t last);
void builder_feature_compressed(struct builder *b, uint32_t type, uint32_t level, uint32_t ratio,
				uint32_t mmap_len);
void builder_feature_clock_data(struct builder *b, uint32_t clockid, uint64_t wall, uint64_t mono);
void builder_feature_e_machine(struct builder *b, uint32_t machine, uint32_t flags);
void builder_feature_meta_info(struct builder *b, const struct feature_pair *pairs, size_t nr);
/* FILE2 */
void builder_feature_sp_files(struct builder *b, const struct sp_file *files, size_t nr);
/* The string of a feature: u32 length, bytes, padded to 64. */
void builder_string(struct builder *b, const char *s);

/* A small, valid blob of tracing data with the one event sched:sched_switch, id 372 (or the id
 * given); to be freed.  For builder_tracing_data() or builder_feature_blob(). */
uint8_t *builder_tracing_blob(bool be, uint32_t id, size_t *size);
/* The same with N formats of one system. */
uint8_t *builder_tracing(bool be, const char *system, const char *const *formats, uint32_t n,
			 size_t *size);
/* With sched:sched_waking too. */
uint8_t *builder_tracing_sched(bool be, uint32_t switch_id, uint32_t waking_id, size_t *size);

#endif
