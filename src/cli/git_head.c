/* SPDX-License-Identifier: MIT */
/*
 * A repository's HEAD without git, by gitrepository-layout(5): .git is a directory, or (in a work
 * tree, in a submodule) a file that says where it is.  HEAD holds a commit, or "ref: refs/heads/x";
 * the ref is a file below the repository, or a line of packed-refs.  A linked work tree has a HEAD
 * of its own and shares refs with the directory that its commondir names.
 */
#include "cli/git_head.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

#define MAX_LINE 4096
#define MAX_REFS 5 /* a ref may name another */

static char *join(const char *dir, const char *name)
{
	struct strbuf sb = STRBUF_INIT;

	if (name[0] == '/')
		return xstrdup(name);
	strbuf_addf(&sb, "%s/%s", dir, name);
	return strbuf_detach(&sb);
}

static void cut_end(char *s)
{
	size_t n = strlen(s);

	while (n && (s[n - 1] == '\n' || s[n - 1] == '\r' || s[n - 1] == ' '))
		s[--n] = '\0';
}

/* The first line of a regular file; NULL when there is none. */
static char *first_line(const char *dir, const char *name)
{
	char *path = join(dir, name), buf[MAX_LINE];
	struct stat st;
	FILE *f = stat(path, &st) || !S_ISREG(st.st_mode) ? NULL : fopen(path, "re");
	char *line = f ? fgets(buf, sizeof(buf), f) : NULL;

	if (f)
		fclose(f);
	free(path);
	if (!line)
		return NULL;
	cut_end(line);
	return xstrdup(line);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The repository of the work tree ROOT; NULL when it is none. */
static char *repository_of(const char *root)
{
	static const char word[] = "gitdir: ";
	char *path = join(root, ".git"), *line, *dir = NULL;

	if (is_directory(path))
		return path;
	free(path);
	line = first_line(root, ".git");
	if (line && !strncmp(line, word, sizeof(word) - 1))
		dir = join(root, line + sizeof(word) - 1);
	free(line);
	return dir;
}

/* Upwards from DIR; *ROOT and the repository, or NULL. */
static char *find(const char *dir, char **root)
{
	char *at = realpath(dir, NULL), *repository = NULL;

	while (at) {
		char *slash;

		repository = repository_of(*at ? at : "/");
		if (repository || !*at)
			break;
		slash = strrchr(at, '/');
		*slash = '\0';
	}
	*root = repository ? xstrdup(*at ? at : "/") : NULL;
	free(at);
	return repository;
}

static bool is_commit(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return !s[n] && (n == 40 || n == 64);
}

/* "refs/heads/x" and nothing that leads out of the repository. */
static bool is_ref(const char *s)
{
	return !strncmp(s, "refs/", 5) && !strstr(s, "..") && s[strlen(s) - 1] != '/';
}

static char *packed_ref(const char *common, const char *ref)
{
	char *path = join(common, "packed-refs"), *line = NULL, *found = NULL;
	FILE *f = fopen(path, "re");
	size_t cap = 0;

	free(path);
	while (f && !found && getline(&line, &cap, f) > 0) {
		char *blank = strchr(line, ' ');

		cut_end(line);
		if (!blank || line[0] == '#' || line[0] == '^' || strcmp(blank + 1, ref))
			continue;
		*blank = '\0';
		if (is_commit(line))
			found = xstrdup(line);
	}
	if (f)
		fclose(f);
	free(line);
	return found;
}

/* What stands at REF: a commit or "ref: …"; NULL: it does not exist. */
static char *look_up(const char *repository, const char *common, const char *ref)
{
	char *line = first_line(repository, ref);

	if (!line)
		line = first_line(common, ref);
	return line ? line : packed_ref(common, ref);
}

static int resolve(struct git_head *head, const char *repository, const char *common,
		   struct err *err)
{
	static const char word[] = "ref: ";
	char *line = first_line(repository, "HEAD");

	for (int depth = 0; line && !strncmp(line, word, sizeof(word) - 1); depth++) {
		char *ref = xstrdup(line + sizeof(word) - 1);

		free(line);
		if (!is_ref(ref) || !strcmp(ref, "refs/heads/.invalid") || depth == MAX_REFS) {
			err_set(err, ERR_UNSUPPORTED,
				"%s/HEAD leads to \"%s\", which this program cannot follow; give "
				"--commit.",
				repository, ref);
			free(ref);
			return -ERR_UNSUPPORTED;
		}
		if (!depth && !strncmp(ref, "refs/heads/", 11))
			head->branch = xstrdup(ref + 11);
		line = look_up(repository, common, ref);
		free(ref);
		if (!line)
			return 0; /* nothing was committed on it */
	}
	if (!line || !is_commit(line)) {
		free(line);
		return err_set(err, ERR_FORMAT,
			       "%s/HEAD names neither a commit nor a branch; give --commit.",
			       repository);
	}
	head->commit = line;
	return 0;
}

int git_head_read(struct git_head *head, const char *dir, struct err *err)
{
	char *repository, *line, *common;
	int r;

	*head = (struct git_head){ 0 };
	repository = find(dir, &head->root);
	if (!repository)
		return 0;
	line = first_line(repository, "commondir");
	common = line ? join(repository, line) : xstrdup(repository);
	r = resolve(head, repository, common, err);
	if (r < 0)
		git_head_release(head);
	free(line);
	free(common);
	free(repository);
	return r;
}

void git_head_release(struct git_head *head)
{
	free(head->root);
	free(head->commit);
	free(head->branch);
	*head = (struct git_head){ 0 };
}
