/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/diff/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/lines.h"
#include "cli/diff/diff.h"

enum { PATH_ROOM = 4096 + 32 };

static void path_of(const struct run *run, int rank, char path[PATH_ROOM])
{
    snprintf(path, PATH_ROOM, "%.4000s/" RECORD_FILE, run->folder, rank);
}

static bool refuse(const char *path, int line, const char *why)
{
    if (line)
        complain(DIFF, "%s: line %d: %s", path, line, why);
    else
        complain(DIFF, "%s: %s", path, why);
    return false;
}

/* A file with its last line cut, as a killed program leaves it. */
static bool ends_within_line(FILE *file)
{
    int last = '\n';
    if (!fseek(file, -1, SEEK_END))
        last = getc(file);
    rewind(file);
    return last != '\n';
}

/* Reads the first two lines, of every record. Opens `lines` behind them. */
static bool read_head(const struct run *run, int rank, struct lines *lines, long long *ranks)
{
    char path[PATH_ROOM], *text;
    path_of(run, rank, path);
    if (!lines_open(lines, path))
        return refuse(path, 0, strerror(errno));
    struct record_line first = {.kind = RECORD_WRONG}, second = first;
    if ((text = lines_next(lines)))
        first = record_parse(text);
    if (first.kind == RECORD_FIRST && (text = lines_next(lines)))
        second = record_parse(text);
    if (second.kind == RECORD_RANK && second.rank.rank == rank) {
        *ranks = second.rank.ranks;
        return true;
    }
    lines_close(lines);
    if (first.kind != RECORD_FIRST)
        return refuse(path, 0, "is no record: its first line is not '" RECORD_FIRST_LINE "'");
    return refuse(path, 2,
                  second.kind == RECORD_RANK ? "the record of another rank"
                                             : "no rank of a number of ranks");
}

/* The rank in a file's name; -1: no record. */
static int rank_of_name(const char *name)
{
    char expected[32];
    int rank;
    if (sscanf(name, "rank-%9d", &rank) != 1 || rank < 0)
        return -1;
    snprintf(expected, sizeof expected, RECORD_FILE, rank);
    return strcmp(name, expected) ? -1 : rank;
}

/* Counts the files; returns the highest rank, -1 for none, or -2 after a complaint. */
static int scan_folder(const struct run *run, int *files)
{
    DIR *folder = opendir(run->folder);
    int highest = -1;
    *files = 0;
    if (!folder) {
        refuse(run->folder, 0, strerror(errno));
        return -2;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        int rank = rank_of_name(entry->d_name);
        *files += rank >= 0;
        highest = rank > highest ? rank : highest;
    }
    closedir(folder);
    return highest;
}

/* The file of each rank says the same number of ranks. */
static bool check_ranks(const struct run *run)
{
    for (int rank = 0; rank < run->ranks; rank++) {
        struct lines lines;
        long long ranks;
        if (!read_head(run, rank, &lines, &ranks))
            return false;
        lines_close(&lines);
        if (ranks != run->ranks) {
            complain(DIFF,
                     "%s: holds records of several runs: rank 0 is one of %d, rank %d one of %lld",
                     run->folder, run->ranks, rank, ranks);
            return false;
        }
    }
    return true;
}

/* Program, MPI and mode of rank 0. */
static void read_texts(struct run *run, struct lines *lines)
{
    char *text;
    while ((text = lines_next(lines))) {
        struct record_line line = record_parse(text);
        if (line.kind != RECORD_TEXT)
            return;
        const char **to = !strcmp(line.key, "mpi")    ? &run->mpi
                          : !strcmp(line.key, "mode") ? &run->mode
                                                      : &run->program;
        *to = texts_keep(run->texts, line.text);
    }
}

bool run_open(struct run *run, const char *folder, const char *ignore, struct texts *texts)
{
    struct lines lines;
    long long ranks;
    int files;
    *run = (struct run){folder, 0, "", "", "", texts, ignore};
    int highest = scan_folder(run, &files);
    if (highest == -1)
        refuse(folder, 0, "no records (rank-00000.txt, ...)");
    if (highest < 0 || !read_head(run, 0, &lines, &ranks))
        return false;
    read_texts(run, &lines);
    lines_close(&lines);
    if (ranks <= highest) {
        complain(DIFF,
                 "%s: holds records of several runs: rank 0 is one of %lld, but rank %d has a file",
                 folder, ranks, highest);
        return false;
    }
    if (ranks != files) {
        complain(DIFF, "%s: records of %lld of %lld ranks are missing", folder, ranks - files,
                 ranks);
        return false;
    }
    run->ranks = (int)ranks;
    return check_ranks(run);
}

static const char *add_communicator(struct rank_record *record,
                                    const struct record_communicator *communicator)
{
    int count = record->communicators;
    if (communicator->number != count)
        return "communicators are not numbered 0, 1, ...";
    if (!(count & (count - 1)))
        record->communicator = need(realloc(
            record->communicator, (count ? 2 * (size_t)count : 1) * sizeof *record->communicator));
    record->communicator[record->communicators++] = *communicator;
    return NULL;
}

static bool is_ignored(const struct run *run, const char *site)
{
    for (const char *word = run->ignore; word && site && *word;) {
        size_t length = strcspn(word, ",");
        if (length && memmem(site, strlen(site), word, length))
            return true;
        word += length + (word[length] == ',');
    }
    return false;
}

static const char *add_call(const struct run *run, struct rank_record *record,
                            const struct record_call *call)
{
    long long count = record->count;
    if (call->communicator >= record->communicators)
        return "a communicator that no line before describes";
    record->skips = is_ignored(run, call->site);
    record->ignored += record->skips;
    if (record->skips)
        return NULL;
    if (count >= INT_MAX)
        return "more than 2147483647 calls";
    if (!(count & (count - 1)))
        record->call =
            need(realloc(record->call, (count ? 2 * (size_t)count : 1) * sizeof *record->call));
    struct kept_call *kept = &record->call[record->count++];
    *kept = (struct kept_call){*call, (int)call->communicator, NULL, NULL};
    kept->call.name = texts_keep(run->texts, call->name);
    kept->call.type = texts_keep(run->texts, call->type);
    kept->call.op = texts_keep(run->texts, call->op);
    kept->call.how = texts_keep(run->texts, call->how);
    kept->call.site = texts_keep(run->texts, call->site);
    return NULL;
}

static const char *add_values(struct rank_record *record, const struct record_line *line)
{
    if (record->skips)
        return NULL;
    if (!record->count)
        return "values without a call";
    struct kept_call *call = &record->call[record->count - 1];
    char **to = !strcmp(line->key, "in") ? &call->in : &call->out;
    if (*to)
        return "values twice";
    *to = need(strdup(line->text));
    return NULL;
}

/* Adds a line to the record; returns why it cannot be one, or NULL. */
static const char *add_line(const struct run *run, struct rank_record *record,
                            const struct record_line *line)
{
    if (record->whole)
        return "more after the last line";
    switch (line->kind) {
    case RECORD_TEXT:
        return record->communicators ? "a line of the head among the calls" : NULL;
    case RECORD_COMMUNICATOR:
        return add_communicator(record, &line->communicator);
    case RECORD_CALL:
        return add_call(run, record, &line->call);
    case RECORD_VALUES:
        return add_values(record, line);
    case RECORD_END:
        record->whole = true;
        return line->calls == record->count + record->ignored
                   ? NULL
                   : "another number of calls than above";
    default:
        return line->wrong ? line->wrong : "a second head";
    }
}

static int by_number(const void *a, const void *b, void *calls)
{
    const struct kept_call *p = (const struct kept_call *)calls + *(const int *)a;
    const struct kept_call *q = (const struct kept_call *)calls + *(const int *)b;
    if (p->communicator != q->communicator)
        return p->communicator < q->communicator ? -1 : 1;
    return (p->call.number > q->call.number) - (p->call.number < q->call.number);
}

static const char *sort_calls(struct rank_record *record)
{
    record->order = need(malloc((size_t)(record->count + 1) * sizeof *record->order));
    for (int i = 0; i < record->count; i++)
        record->order[i] = i;
    qsort_r(record->order, (size_t)record->count, sizeof *record->order, by_number, record->call);
    for (int i = 1; i < record->count; i++)
        if (!by_number(&record->order[i - 1], &record->order[i], record->call))
            return "a call of this communicator and number stands twice";
    return NULL;
}

bool run_load(const struct run *run, int rank, struct rank_record *record)
{
    char path[PATH_ROOM], *text;
    const char *why = NULL;
    struct lines lines;
    long long ranks;
    *record = (struct rank_record){0};
    path_of(run, rank, path);
    if (!read_head(run, rank, &lines, &ranks))
        return false;
    long at = ftell(lines.file);
    bool cut = ends_within_line(lines.file);
    if (at < 0 || fseek(lines.file, at, SEEK_SET))
        why = strerror(errno);
    char *next = why ? NULL : lines_next(&lines);
    while (next && !why) {
        char *line = need(strdup(next));
        next = lines_next(&lines);
        struct record_line parsed = record_parse(line);
        if (next || !cut)
            why = add_line(run, record, &parsed);
        free(line);
    }
    int number = lines.wrong ? lines.number : lines.number - 1;
    text = lines.wrong ? need(strdup(lines.wrong)) : NULL;
    lines_close(&lines);
    if (!why && !text && (why = sort_calls(record)))
        number = 0;
    bool good = !why && !text;
    if (!good) {
        refuse(path, number, why ? why : text);
        rank_record_free(record);
    }
    free(text);
    return good;
}

void rank_record_free(struct rank_record *record)
{
    for (long long i = 0; i < record->count; i++) {
        free(record->call[i].in);
        free(record->call[i].out);
    }
    free(record->call);
    free(record->communicator);
    free(record->order);
    *record = (struct rank_record){0};
}

struct kept_call *rank_record_find(const struct rank_record *record, int communicator,
                                   long long number)
{
    long long low = 0, high = record->count;
    while (low < high) {
        long long middle = low + (high - low) / 2;
        struct kept_call *call = &record->call[record->order[middle]];
        if (call->communicator == communicator && call->call.number == number)
            return call;
        if (call->communicator < communicator ||
            (call->communicator == communicator && call->call.number < number))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int rank_record_communicator(const struct rank_record *record,
                             const struct record_communicator *like)
{
    for (int i = 0; i < record->communicators; i++) {
        const struct record_communicator *c = &record->communicator[i];
        if (c->group == like->group && c->nth == like->nth && c->size == like->size)
            return i;
    }
    return -1;
}
