#include "base/environment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nearest.h"
#include "base/number.h"

extern char **environ;

static const char prefix[] = "SUMMAND_";

/* clang-format off */
const struct summand__environment_row summand__environment[] = {
    {"SUMMAND_ARCH", SUMMAND__CHOICE, "generic|avx2|avx512|neon", "the best that the processor has",
     "instruction set of the kernels; changes the speed, never a result", 0, 0},
    {"SUMMAND_BLAS", SUMMAND__TEXT, "auto|off|file",
     "the program's own BLAS, else the one that was found when Summand was built",
     "library with cblas_dgemm for local products of matrices; off: Summand's own kernel", 0, 0},
    {"SUMMAND_CHECK", SUMMAND__CHOICE, "off|on", "off",
     "blocking calls first compare the arguments of all ranks: a difference or a failure is an error on "
     "all ranks, and its text says what and where; rank 0's value counts",
     0, 0},
    {"SUMMAND_NODE_SIZE", SUMMAND__NUMBER, "number", "ranks that share memory",
     "consecutive ranks per node, for simulators and tests; rank 0's value counts", 1, INT_MAX},
    {"SUMMAND_STREAM", SUMMAND__NUMBER, "bytes", "what the rank's share of the last cache cannot hold",
     "results of vectors of this size bypass the caches; changes the speed, never a result", 0,
     LLONG_MAX},
    {"SUMMAND_STALL", SUMMAND__SECONDS, "seconds", "60",
     "a rank that has waited for so long (fractions too: 0.5) says once on stderr in which call it waits, and for "
     "which ranks; 0: never", 0,
     1000000000},
    {"SUMMAND_TIMEOUT", SUMMAND__SECONDS, "seconds", "0",
     "a rank that has waited for so long (fractions too: 0.5), while no message moved, aborts its call with an error; "
     "0: never", 0,
     1000000000},
    {"SUMMAND_TRANSPORT", SUMMAND__CHOICE, "auto|p2p|shm|gpi2", "auto",
     "auto: shared memory between ranks of a node, if possible; shm: the same, or an error; p2p: "
     "only messages of the MPI; gpi2: as auto, but GPI-2 carries one-sided data between nodes, or it is an error; "
     "rank 0's value counts",
     0, 0},
    {"SUMMAND_DIRECT_READ", SUMMAND__NUMBER, "number|never", "as calibrated",
     "messages of this size within a node are read out of the sender's memory, if the kernel "
     "allows it, and not copied through shared memory; rank 0's value counts",
     1, LLONG_MAX},
    {"SUMMAND_CALIBRATION", SUMMAND__TEXT, "auto|off|file", "auto",
     "quantities that depend on the machine's memory and cores; auto: measured once, in at most 50 ms, and stored in "
     "~/.cache/summand (without such a folder: once per job); off: the defaults; changes the speed and which algorithms run; rank 0's value counts",
     0, 0},
    {"SUMMAND_NETWORK", SUMMAND__CHOICE, "auto|off", "auto",
     "costs of messages between nodes, if no file has them; auto: measured by the first communicator "
     "that spans nodes, in about 5 ms; off: the defaults, so every run has the same algorithms; rank 0's value counts",
     0, 0},
    {"SUMMAND_TUNING", SUMMAND__TEXT, "file", "no file",
     "measured choices of algorithms, written by `summand tune`; rank 0's value counts", 0, 0},
    {"SUMMAND_WARNINGS", SUMMAND__CHOICE, "on|off", "on",
     "warnings of rank 0 on stderr, once: unknown variables, another MPI's launcher, a tuning file "
     "or reads of memory that the kernel refuses",
     0, 0},
    {"SUMMAND_FAULT", SUMMAND__TEXT, "rank=R,variable=V,component=C,bit=B,round=T,word=W;...", "no fault",
     "flips a bit in summand_gossip_allreduce; V: input, flow, message, kept, received; C: value, weight, checksum",
     0, 0},
    {NULL, SUMMAND__TEXT, NULL, NULL, NULL, 0, 0}};
/* clang-format on */

static const struct summand__environment_row *row_named(const char *name, size_t length)
{
    const struct summand__environment_row *row = summand__environment;
    while (row->name && (strlen(row->name) != length || strncmp(row->name, name, length) != 0))
        row++;
    return row->name ? row : NULL;
}

/* The place of a word in "one|two|three", or -1. */
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

static bool refuse(struct summand__complaint *complaint, const struct summand__environment_row *row,
                   const char *text)
{
    int used =
        snprintf(complaint->text, sizeof complaint->text, "%s: '%.60s' is ", row->name, text);
    size_t room = sizeof complaint->text - (size_t)used;
    const char *word = strchr(row->type, '|');
    if (row->kind == SUMMAND__CHOICE)
        snprintf(complaint->text + used, room, "none of %s", row->type);
    else if (row->kind == SUMMAND__SECONDS)
        snprintf(complaint->text + used, room, "no number of seconds from %lld to %lld", row->least,
                 row->most);
    else
        snprintf(complaint->text + used, room, "not an integer from %lld to %lld%s%s%s", row->least,
                 row->most, word ? " and not '" : "", word ? word + 1 : "", word ? "'" : "");
    return false;
}

/* A number, or the word that its row allows instead. */
static bool read_number(const struct summand__environment_row *row, const char *text,
                        long long *number)
{
    const char *word = strchr(row->type, '|');
    *number = -1;
    if (word && !strcmp(text, word + 1))
        return true;
    return summand__parse_integer(text, number) && *number >= row->least && *number <= row->most;
}

static bool read_seconds(const struct summand__environment_row *row, const char *text,
                         double *seconds)
{
    return summand__parse_decimal(text, seconds) && *seconds >= (double)row->least &&
           *seconds <= (double)row->most;
}

bool summand__environment_read(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint)
{
    const struct summand__environment_row *row = row_named(name, strlen(name));
    const char *text = row ? getenv(name) : NULL;
    *setting = (struct summand__setting){NULL, 0, 0};
    if (!text || !*text)
        return true;
    if (row->kind == SUMMAND__CHOICE && (setting->number = place_of(text, row->type)) < 0)
        return refuse(complaint, row, text);
    if (row->kind == SUMMAND__NUMBER && !read_number(row, text, &setting->number))
        return refuse(complaint, row, text);
    if (row->kind == SUMMAND__SECONDS && !read_seconds(row, text, &setting->seconds))
        return refuse(complaint, row, text);
    setting->text = text;
    return true;
}

const char *summand__environment_foreign(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

bool summand__environment_check(struct summand__complaint *complaint)
{
    struct summand__setting setting;
    for (const struct summand__environment_row *row = summand__environment; row->name; row++)
        if (!summand__environment_read(row->name, &setting, complaint))
            return false;
    return true;
}

uint64_t summand__environment_hash(void)
{
    uint64_t hash = SUMMAND__HASH_BEGIN;
    for (char **v = environ; v && *v; v++)
        if (!strncmp(*v, prefix, sizeof prefix - 1))
            hash = summand__hash(hash, *v, strlen(*v) + 1);
    return hash;
}

/* All begin alike: what is behind that counts. */
static struct summand__nearest_text meant(const char *variable, size_t length)
{
    char name[64];
    const size_t before = sizeof prefix - 1;
    struct summand__nearest_text words = {""};
    snprintf(name, sizeof name, "%.*s", (int)(length - before), variable + before);
    struct summand__nearest nearest = summand__nearest_to(name);
    for (const struct summand__environment_row *row = summand__environment; row->name; row++)
        summand__nearest_try(&nearest, row->name + before);
    if (*nearest.name)
        snprintf(words.text, sizeof words.text, " (did you mean '%s%s'?)", prefix, nearest.name);
    return words;
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
