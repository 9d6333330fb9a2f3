/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutated files for every reader of files. Each reader ends with a value or a reason, takes little
 * memory, and accepts only the file's content; files with a checksum are refused. In one process,
 * under an MPI of one rank.
 *
 *     fuzz-files [FILES [SEED [READER]]]      FILES of each reader (10,000) */
#include "fuzz/files/reader.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t state;

static size_t below(size_t n)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return n ? (size_t)((z ^ (z >> 31)) % n) : 0;
}

void need_fine(bool fine, const char *what)
{
    if (fine)
        return;
    printf("fuzz-files: %s\n", what);
    fflush(stdout);
    _exit(1);
}

void put_file(const char *name, const void *bytes, size_t count)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    need_fine(file >= 0 && write(file, bytes, count) == (ssize_t)count && !close(file),
              "a file cannot be written");
}

size_t npy_bytes(char *bytes, const char *descr, const char *order, const char *shape,
                 const void *numbers, size_t count)
{
    enum { HEAD = 10, BEGIN = 128 };
    memcpy(bytes, "\x93NUMPY\1\0\x76\0", HEAD);
    int length =
        snprintf(bytes + HEAD, BEGIN - HEAD, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }",
                 descr, order, shape);
    memset(bytes + HEAD + length, ' ', (size_t)(BEGIN - HEAD - length));
    bytes[BEGIN - 1] = '\n';
    memcpy(bytes + BEGIN, numbers, count);
    return BEGIN + count;
}

static size_t get_file(const char *name, char *bytes)
{
    int file = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, bytes, LONGEST / 2);
    need_fine(count > 0 && count < LONGEST / 2 && !close(file), "a valid file cannot be read");
    return (size_t)count;
}

/* Inputs that are hard for a reader of text. */
static const char *const words[] = {"0",
                                    "-1",
                                    "1",
                                    "9",
                                    "4294967296",
                                    "9223372036854775807",
                                    "1e999",
                                    "nan",
                                    "-inf",
                                    "0x1p3",
                                    "18446744073709551616",
                                    "99999999999999999999",
                                    "\n",
                                    "\r",
                                    "\t",
                                    " ",
                                    ",",
                                    ";",
                                    "'",
                                    "(",
                                    ")",
                                    "=",
                                    "#",
                                    "*",
                                    "1e-400",
                                    "1e39",
                                    "-0",
                                    "1,1",
                                    "2 3\n",
                                    "{}"};

static void insert(struct bytes *b, char *at, size_t place, const char *what, size_t count)
{
    if (b->count + count >= LONGEST)
        return;
    memmove(at + place + count, at + place, b->count - place);
    memmove(at + place, what, count);
    b->count += count;
}

static void mutate_once(struct bytes *b, char *at)
{
    char piece[64];
    size_t place = below(b->count + 1), left = b->count - place;
    size_t count = left ? 1 + below(left < 64 ? left : 64) : 0, what = below(9);
    const char *word = words[below(sizeof words / sizeof *words)];
    memcpy(piece, at + place, count);
    if (what == 0 && left)
        at[place] = (char)(at[place] ^ 1 << below(8));
    else if (what == 1 && left)
        at[place] = (char)below(256);
    else if (what == 2)
        b->count = place;
    else if (what == 3) {
        memmove(at + place, at + place + count, left - count);
        b->count -= count;
    } else if (what == 4)
        insert(b, at, below(b->count + 1), piece, count);
    else if (what == 5)
        insert(b, at, place, word, strlen(word));
    else if (what == 6)
        insert(b, at, place, "\0\0\0\0\0\0\0", 1 + below(8 - 1));
    else if (what == 7 && strlen(word) <= left)
        memcpy(at + place, word, strlen(word));
    else if (left)
        memmove(at + below(b->count - count + 1), piece, count);
    at[b->count] = 0;
}

/* Reasons go to stderr, which is redirected to a file. */
static int own_stderr, reasons;

static size_t reason(char text[160])
{
    struct stat status;
    fflush(stderr);
    need_fine(!fstat(reasons, &status), "stderr is lost");
    ssize_t got = pread(reasons, text, 159, 0);
    text[got > 0 ? got : 0] = 0;
    need_fine(!ftruncate(reasons, 0) && !lseek(reasons, 0, SEEK_SET), "stderr is lost");
    return (size_t)status.st_size;
}

struct tally {
    long taken, refused, wrong, same;
};

static void say(const struct reader *reader, const struct bytes *b, const char *why)
{
    char name[64];
    static int said;
    if (++said > 10)
        return;
    snprintf(name, sizeof name, "/tmp/fuzz-files-%s-%d", reader->name, said);
    put_file(name, b->at, b->count);
    printf("%s: %s; the file: %s\n", reader->name, why, name);
}

static void one(const struct reader *reader, const struct bytes *b, struct tally *tally)
{
    char text[160];
    const char *why = NULL;
    put_file(reader->file, b->at, b->count);
    enum outcome outcome = reader->take(b, &why);
    size_t told = reason(text);
    if (outcome == TAKEN && reader->sealed) {
        outcome = WRONG;
        why = "taken in spite of its check sum";
    } else if (outcome == REFUSED && !told && !(why && *why)) {
        outcome = WRONG;
        why = "refused without a reason";
    } else if (outcome == REFUSED && (strstr(text, "memory") || (why && strstr(why, "memory")))) {
        outcome = WRONG;
        why = "wants more memory than a gigabyte";
    }
    tally->taken += outcome == TAKEN;
    tally->refused += outcome == REFUSED;
    tally->wrong += outcome == WRONG;
    if (outcome == WRONG)
        say(reader, b, why ? why : "no reason");
}

static bool run(const struct reader *reader, long files)
{
    static char seed[SEEDS][LONGEST], at[LONGEST + 64];
    size_t length[SEEDS];
    int seeds = 0;
    struct tally tally = {0};
    char text[160];
    const char *why = NULL;
    for (; seeds < SEEDS && reader->make(seeds); seeds++) {
        length[seeds] = get_file(reader->file, seed[seeds]);
        struct bytes b = {seed[seeds], length[seeds]};
        enum outcome outcome = reader->take(&b, &why);
        reason(text);
        if (outcome != TAKEN)
            printf("%s: valid file %d is not taken: %s%s\n", reader->name, seeds, text,
                   why ? why : "");
        need_fine(outcome == TAKEN, "the reader takes nothing");
    }
    for (long k = 0; k < files; k++) {
        size_t s = below((size_t)seeds);
        struct bytes b = {at, length[s]};
        memcpy(at, seed[s], length[s] + 1);
        for (size_t n = 1 + below(3); n; n--)
            mutate_once(&b, at);
        if (b.count == length[s] && !memcmp(at, seed[s], b.count))
            tally.same++;
        else
            one(reader, &b, &tally);
    }
    if (reader->end)
        reader->end();
    unlink(reader->file);
    printf("%-12s %7ld refused, %6ld taken for what they say, %ld wrong (%ld not changed)\n",
           reader->name, tally.refused, tally.taken, tally.wrong, tally.same);
    return !tally.wrong;
}

int main(int argc, char **argv)
{
    static const struct reader *const *const all[] = {readers_of_numbers, readers_of_training,
                                                      readers_of_gossip, readers_of_models,
                                                      readers_of_records};
    char folder[] = "/dev/shm/fuzz-files-XXXXXX", other[] = "/tmp/fuzz-files-XXXXXX";
    char *home = access("/dev/shm", W_OK) ? mkdtemp(other) : mkdtemp(folder);
    const struct rlimit most = {(rlim_t)1 << 30, RLIM_INFINITY};
    long files = argc > 1 ? atol(argv[1]) : 10000;
    bool good = true;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    MPI_Init(&argc, &argv);
    need_fine(home && !chdir(home), "no folder");
    own_stderr = dup(STDERR_FILENO);
    reasons = memfd_create("reasons", MFD_CLOEXEC);
    need_fine(own_stderr >= 0 && reasons >= 0 && dup2(reasons, STDERR_FILENO) >= 0, "no stderr");
    need_fine(!setrlimit(RLIMIT_DATA, &most), "no limit");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (const struct reader *const *reader = all[k]; *reader; reader++) {
            state = seed;
            if (argc < 4 || !strcmp(argv[3], (*reader)->name))
                good = run(*reader, files) && good;
        }
    dup2(own_stderr, STDERR_FILENO);
    need_fine(!chdir("/") && !rmdir(home), "files are left");
    MPI_Finalize();
    return good ? 0 : 1;
}
