/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/environment.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nearest.h"
#include "base/number.h"

extern char **environ;

static const char prefix[] = "SUMMAND_";

/* clang-format off */
const summand_setting summand__environment[] = {
    {"SUMMAND_ARCH", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_PROCESS,
     "generic|avx2|avx512|neon", "the best that the processor has",
     "instruction set of the kernels; changes the speed, never a result", 0, 0},
    {"SUMMAND_BLAS", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_PROCESS,
     "auto|off|file",
     "the program's own BLAS, else the one that was found when Summand was built",
     "library with cblas_dgemm for local products of matrices; off: Summand's own kernel", 0, 0},
    {"SUMMAND_CHECK", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_COMMUNICATOR,
     "off|on", "off",
     "blocking calls first compare the arguments of all ranks: a difference or a failure is an error on "
     "all ranks, and its text says what and where; rank 0's value counts",
     0, 0},
    {"SUMMAND_CHECKED", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_COMMUNICATOR,
     "off|detect|correct", "off",
     "detect: messages, sums of integers and exact sums of vectors have check words, and damage is an error; one line on "
     "stderr says where; correct: damaged messages are sent again; rank 0's value counts",
     0, 0},
    {"SUMMAND_NODE_SIZE", SUMMAND_SETTING_NUMBER, SUMMAND_SETTING_COMMUNICATOR,
     "number", "ranks that share memory",
     "consecutive ranks per node, for simulators and tests; rank 0's value counts", 1, INT_MAX},
    {"SUMMAND_STREAM", SUMMAND_SETTING_NUMBER, SUMMAND_SETTING_PLAN,
     "bytes", "what the rank's share of the last cache cannot hold",
     "results of vectors of this size bypass the caches; changes the speed, never a result", 0,
     LLONG_MAX},
    {"SUMMAND_STALL", SUMMAND_SETTING_SECONDS, SUMMAND_SETTING_COMMUNICATOR,
     "seconds", "60",
     "a rank that has waited for so long (fractions too: 0.5) says once on stderr in which call it waits, and for "
     "which ranks; 0: never", 0,
     1000000000},
    {"SUMMAND_TIMEOUT", SUMMAND_SETTING_SECONDS, SUMMAND_SETTING_COMMUNICATOR,
     "seconds", "0",
     "a rank that has waited for so long (fractions too: 0.5), while no message moved, aborts its call with an error; "
     "0: never", 0,
     1000000000},
    {"SUMMAND_TRANSPORT", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_COMMUNICATOR,
     "auto|p2p|shm|gpi2", "auto",
     "auto: shared memory between ranks of a node, if possible; shm: the same, or an error; p2p: "
     "only messages of the MPI; gpi2: as auto, but GPI-2 carries one-sided data between nodes, or it is an error; "
     "rank 0's value counts",
     0, 0},
    {"SUMMAND_DIRECT_READ", SUMMAND_SETTING_NUMBER, SUMMAND_SETTING_COMMUNICATOR,
     "number|never", "never",
     "messages of this size within a node are read out of the sender's memory, if the kernel "
     "allows it, and not copied through shared memory; rank 0's value counts",
     1, LLONG_MAX},
    {"SUMMAND_CALIBRATION", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_COMMUNICATOR,
     "auto|off|file", "auto",
     "quantities that depend on the machine's memory and cores; auto: as stored in ~/.cache/summand, where the end of a "
     "program that lasted two seconds measures what is missing, in at most 50 ms; off: the defaults; changes the speed and which algorithms run; rank 0's value counts",
     0, 0},
    {"SUMMAND_NETWORK", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_COMMUNICATOR,
     "auto|off", "auto",
     "costs of messages between nodes, if no file has them; auto: measured by the first communicator "
     "that spans nodes, in about 5 ms; off: the defaults, which are the same in every run; rank 0's value counts",
     0, 0},
    {"SUMMAND_TUNING", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_COMMUNICATOR,
     "file", "no file",
     "measured choices of algorithms, written by `summand tune`; rank 0's value counts", 0, 0},
    {"SUMMAND_MODE", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_PROCESS,
     "fast|ordered|canonical|exact|off, or rules", "fast",
     "how the preloaded library does the reductions of a program that does not know Summand; "
     "exact:allreduce<=1k,canonical: the first rule that fits a call",
     0, 0},
    {"SUMMAND_STRICT", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_PROCESS,
     "off|on", "off",
     "the preloaded library ends the program at the first reduction that may round and that SUMMAND_MODE does not "
     "cover; one line names the call",
     0, 0},
    {"SUMMAND_REQUESTS", SUMMAND_SETTING_NUMBER, SUMMAND_SETTING_PROCESS,
     "number|off", "268435456",
     "the preloaded library serves a non-blocking or persistent reduction, or one between two groups, as SUMMAND_MODE "
     "promises if a rank gathers at most so many bytes of operands for it; off: none; must be equal on all ranks",
     0, INT_MAX},
    {"SUMMAND_REPORT", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_PROCESS,
     "1|file", "no report",
     "the preloaded library writes a table of the collective calls and their times at MPI_Finalize; 1: to stderr; a "
     "file whose name ends in .json: for `summand report`", 0, 0},
    {"SUMMAND_REPORT_SAMPLE", SUMMAND_SETTING_NUMBER, SUMMAND_SETTING_PROCESS,
     "number", "64",
     "a report measures how long ranks wait, and the MPI's own function, in one of so many calls; 0: never; must be "
     "equal on all ranks", 0, INT_MAX},
    {"SUMMAND_RECORD", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_PROCESS,
     "folder", "no record",
     "the preloaded library writes a record of each rank's collective calls there, for `summand diff`", 0, 0},
    {"SUMMAND_RECORD_VALUES", SUMMAND_SETTING_NUMBER, SUMMAND_SETTING_PROCESS,
     "number", "0",
     "records have the values of inputs and results of at most so many elements", 0, 4096},
    {"SUMMAND_WARNINGS", SUMMAND_SETTING_CHOICE, SUMMAND_SETTING_CALL,
     "on|off", "on",
     "warnings of rank 0 on stderr, once: unknown variables, another MPI's launcher, a tuning file "
     "or reads of memory that the kernel refuses",
     0, 0},
    {"SUMMAND_FAULT", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_CALL,
      "rank=R,variable=V,component=C,bit=B,round=T,word=W;...", "no fault",
     "flips a bit in summand_gossip_allreduce; V: input, flow, message, kept, received; C: value, weight, checksum",
     0, 0},
    {"SUMMAND_INJECT", SUMMAND_SETTING_TEXT, SUMMAND_SETTING_PROCESS,
      "kind@rank:message[:number]", "no fault",
     "damages one message of that rank of the world on purpose, to try SUMMAND_CHECKED: flip, burst, stale, zero, swap or "
     "torn; messages are counted from 0",
     0, 0},
    {NULL, SUMMAND_SETTING_TEXT, SUMMAND_SETTING_CALL, NULL, NULL, NULL, 0, 0}};
/* clang-format on */

enum { ROWS = sizeof summand__environment / sizeof *summand__environment };

/* Values that the program has set, or that are fixed; by row. */
static struct held {
    const char *text; /* never freed; "": the default; NULL: the environment's value */
    enum summand_setting_from from;
    bool taken; /* `text` is fixed */
} held[ROWS];

/* Texts that readers may still use: each is kept, once. */
struct text {
    struct text *next;
    char text[];
};
static struct text *texts;
static uint64_t changes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards these three */

static const summand_setting *row_named(const char *name, size_t length)
{
    const summand_setting *row = summand__environment;
    while (row->name && (strlen(row->name) != length || strncmp(row->name, name, length) != 0))
        row++;
    return row->name ? row : NULL;
}

/* Keeps a copy of a text. The lock is held. NULL when out of memory. */
static const char *kept_text(const char *text)
{
    struct text *kept = texts;
    while (kept && strcmp(kept->text, text) != 0)
        kept = kept->next;
    if (!kept) {
        size_t bytes = strlen(text) + 1;
        kept = malloc(sizeof *kept + bytes);
        if (!kept)
            return NULL;
        memcpy(kept->text, text, bytes);
        kept->next = texts;
        texts = kept;
    }
    return kept->text;
}

/* The value of a row. The lock is held. NULL: unset or empty. */
static const char *value_of(const summand_setting *row, enum summand_setting_from *from)
{
    const struct held *own = &held[row - summand__environment];
    const char *text = own->text;
    *from = own->from;
    if (!text) {
        text = getenv(row->name);
        *from = SUMMAND_SETTING_ENVIRONMENT;
    }
    if (text && *text)
        return text;
    *from = SUMMAND_SETTING_DEFAULT;
    return NULL;
}

/* The index of a word in "one|two|three", or -1. */
static int place_of(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (int place = 0;; place++) {
        size_t here = strcspn(words, "|");
        if (here == length && !strncmp(words, word, length))
            return place;
        if (!words[here])
            return -1;
        words += here + 1;
    }
}

static bool refuse(struct summand__complaint *complaint, const summand_setting *row,
                   const char *text)
{
    int used =
        snprintf(complaint->text, sizeof complaint->text, "%s: '%.60s' is ", row->name, text);
    size_t room = sizeof complaint->text - (size_t)used;
    const char *word = strchr(row->allowed, '|');
    if (row->kind == SUMMAND_SETTING_CHOICE)
        snprintf(complaint->text + used, room, "none of %s", row->allowed);
    else if (row->kind == SUMMAND_SETTING_SECONDS)
        snprintf(complaint->text + used, room, "no number of seconds from %" PRId64 " to %" PRId64,
                 row->least, row->most);
    else
        snprintf(complaint->text + used, room,
                 "not an integer from %" PRId64 " to %" PRId64 "%s%s%s", row->least, row->most,
                 word ? " and not '" : "", word ? word + 1 : "", word ? "'" : "");
    return false;
}

/* Reads a number, or the word that its row allows instead. */
static bool read_number(const summand_setting *row, const char *text, long long *number)
{
    const char *word = strchr(row->allowed, '|');
    *number = -1;
    if (word && !strcmp(text, word + 1))
        return true;
    return summand__parse_integer(text, number) && *number >= row->least && *number <= row->most;
}

static bool read_seconds(const summand_setting *row, const char *text, double *seconds)
{
    return summand__parse_decimal(text, seconds) && *seconds >= (double)row->least &&
           *seconds <= (double)row->most;
}

/* Suggests a name. All have the same prefix, so only the rest counts. */
static struct summand__nearest_text meant(const char *variable, size_t length)
{
    char name[64];
    const size_t before = sizeof prefix - 1;
    struct summand__nearest_text words = {""};
    if (length < before || strncmp(variable, prefix, before) != 0)
        return words;
    snprintf(name, sizeof name, "%.*s", (int)(length - before), variable + before);
    struct summand__nearest nearest = summand__nearest_to(name);
    for (const summand_setting *row = summand__environment; row->name; row++)
        summand__nearest_try(&nearest, row->name + before);
    if (*nearest.name)
        snprintf(words.text, sizeof words.text, " (did you mean '%s%s'?)", prefix, nearest.name);
    return words;
}

/* Parses a value by its row. */
static bool read_text(const summand_setting *row, const char *text,
                      struct summand__setting *setting, struct summand__complaint *complaint)
{
    *setting = (struct summand__setting){NULL, 0, 0};
    if (!text)
        return true;
    if (row->kind == SUMMAND_SETTING_CHOICE && (setting->number = place_of(text, row->allowed)) < 0)
        return refuse(complaint, row, text);
    if (row->kind == SUMMAND_SETTING_NUMBER && !read_number(row, text, &setting->number))
        return refuse(complaint, row, text);
    if (row->kind == SUMMAND_SETTING_SECONDS && !read_seconds(row, text, &setting->seconds))
        return refuse(complaint, row, text);
    setting->text = text;
    return true;
}

static const char *value_now(const summand_setting *row, enum summand_setting_from *from)
{
    pthread_mutex_lock(&lock);
    const char *text = value_of(row, from);
    pthread_mutex_unlock(&lock);
    return text;
}

bool summand__environment_read(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint)
{
    const summand_setting *row = row_named(name, strlen(name));
    enum summand_setting_from from;
    return read_text(row, value_now(row, &from), setting, complaint);
}

bool summand__environment_take(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint)
{
    const summand_setting *row = row_named(name, strlen(name));
    struct held *own = &held[row - summand__environment];
    enum summand_setting_from from;
    pthread_mutex_lock(&lock);
    const char *text = value_of(row, &from);
    bool good = read_text(row, text, setting, complaint);
    const char *kept = kept_text(text ? text : "");
    if (good && kept) { /* when out of memory, the fixed value is only not reported */
        own->text = kept;
        own->from = from;
        setting->text = text ? kept : NULL;
    }
    own->taken = true;
    pthread_mutex_unlock(&lock);
    return good;
}

const char *summand__environment_value(const char *name, enum summand_setting_from *from)
{
    const summand_setting *row = row_named(name, strlen(name));
    enum summand_setting_from source = SUMMAND_SETTING_DEFAULT;
    const char *text = row ? value_now(row, &source) : NULL;
    if (from)
        *from = source;
    return text;
}

/* True if a row is fixed and `value` differs. The lock is held. */
static bool is_late(const summand_setting *row, const char *value,
                    struct summand__complaint *complaint)
{
    enum summand_setting_from from;
    const char *text = value_of(row, &from);
    bool same = value ? !strcmp(value, text ? text : "") : from != SUMMAND_SETTING_PROGRAM;
    if (!held[row - summand__environment].taken || same)
        return false;
    snprintf(complaint->text, sizeof complaint->text,
             "%s: '%.60s' comes too late: it is read once in a process, and %s%.60s%s", row->name,
             value ? value : "", text ? "was '" : "was not set", text ? text : "", text ? "'" : "");
    return true;
}

/* True if the environment differs from a fixed value. */
static bool is_changed(const summand_setting *row, struct summand__complaint *complaint)
{
    const struct held own = held[row - summand__environment];
    const char *now = getenv(row->name);
    struct summand__setting setting;
    now = now && *now ? now : NULL;
    if (!own.taken || !own.text || own.from == SUMMAND_SETTING_PROGRAM)
        return false;
    return now && strcmp(now, own.text) != 0 &&
           (!read_text(row, now, &setting, complaint) || is_late(row, now, complaint));
}

bool summand__environment_check(struct summand__complaint *complaint)
{
    struct summand__setting setting;
    bool good = true;
    for (const summand_setting *row = summand__environment; row->name && good; row++) {
        good = summand__environment_read(row->name, &setting, complaint);
        pthread_mutex_lock(&lock);
        good = good && !is_changed(row, complaint);
        pthread_mutex_unlock(&lock);
    }
    return good;
}

enum summand__set summand__environment_set(const char *name, const char *value,
                                           struct summand__complaint *complaint)
{
    const summand_setting *row = name ? row_named(name, strlen(name)) : NULL;
    struct summand__setting setting;
    const char *kept = NULL;
    if (!row) {
        snprintf(complaint->text, sizeof complaint->text, "name is %s%.60s%s, no setting%s",
                 name ? "'" : "", name ? name : "NULL", name ? "'" : "",
                 name ? meant(name, strlen(name)).text : "");
        return SUMMAND__SET_BAD;
    }
    if (value && *value && !read_text(row, value, &setting, complaint))
        return SUMMAND__SET_BAD;
    pthread_mutex_lock(&lock);
    enum summand__set outcome = SUMMAND__SET_DONE;
    if (is_late(row, value, complaint))
        outcome = SUMMAND__SET_LATE;
    else if (value && !(kept = kept_text(value)))
        outcome = SUMMAND__SET_NO_MEMORY;
    else if (!held[row - summand__environment].taken) {
        held[row - summand__environment] = (struct held){kept, SUMMAND_SETTING_PROGRAM, false};
        changes++;
    }
    pthread_mutex_unlock(&lock);
    return outcome;
}

const char *summand__environment_foreign(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

uint64_t summand__environment_hash(void)
{
    pthread_mutex_lock(&lock);
    uint64_t hash = summand__hash(SUMMAND__HASH_BEGIN, &changes, sizeof changes);
    pthread_mutex_unlock(&lock);
    for (char **v = environ; v && *v; v++)
        if (!strncmp(*v, prefix, sizeof prefix - 1))
            hash = summand__hash(hash, *v, strlen(*v) + 1);
    return hash;
}

bool summand__environment_unknown(struct summand__complaint *complaint)
{
    size_t used = 0, room = sizeof complaint->text;
    for (char **v = environ; v && *v; v++) {
        size_t length = strcspn(*v, "=");
        if (strncmp(*v, prefix, sizeof prefix - 1) != 0 || row_named(*v, length))
            continue;
        if (used < room)
            used += (size_t)snprintf(complaint->text + used, room - used, "%s%.*s%s",
                                     used ? ", " : "", (int)length, *v, meant(*v, length).text);
    }
    if (used && used < room)
        snprintf(complaint->text + used, room - used,
                 ": no such variable; 'summand info --env' lists all");
    return used;
}
