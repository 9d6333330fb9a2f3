/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuning files from random words and bytes: parsing ends with rules or a fault, a written file
 * reads back the same, and a lookup returns a usable algorithm.
 * Usage: fuzz-tuning SECONDS [SEED]; with SUMMAND_LIBFUZZER under libFuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithm/call.h"
#include "fuzz/tuning.h"
#include "lab/tuning/tuning.h"

static void need(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz-tuning: %s\n", what);
        abort();
    }
}

static void check_lookup(const struct summand__tuning *tuning, size_t bytes)
{
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++) {
        struct summand__query query = {.collective = (enum summand__collective)c,
                                       .ranks = 8,
                                       .node_size = 8,
                                       .bytes = bytes,
                                       .element = 4,
                                       .promises = SUMMAND__RANK_ORDER};
        struct summand__call call = {.collective = query.collective, .ranks = 8};
        struct summand__choice choice;
        if (summand__tuning_lookup(tuning, &query, &call, &choice))
            need(choice.algorithm->build[c] &&
                     summand__promises_kept(choice.algorithm, query.collective, query.promises),
                 "a choice that cannot hold");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct summand__tuning tuning, merged = {.rules = 0};
    char fault[256] = "";
    if (!summand__tuning_parse(&tuning, (const char *)data, size, fault, sizeof fault)) {
        need(fault[0] && !tuning.rule, "refused without a reason");
        return 0;
    }
    check_lookup(&tuning, size ? data[0] * 64u : 0);
    const char *wrong = tuning_reads_back(&tuning);
    need(!wrong, wrong);
    for (size_t i = 0; i < tuning.rules; i++)
        need(summand__tuning_put(&merged, &tuning.rule[i]), "out of memory");
    summand__tuning_tidy(&merged);
    summand__tuning_free(&tuning);
    summand__tuning_free(&merged);
    return 0;
}

#ifndef SUMMAND_LIBFUZZER
static uint64_t bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Mostly valid words, so that complete lines occur. */
static size_t make_text(uint64_t *seed, char *text, size_t room)
{
    static const char *const words[] = {
        "allreduce", "reduce",   "8",     "8/4",       "*",        "0-",      "64k-1m",
        "1k-4k",     "0-3g",     "ring",  "chain",     "binomial", "radix=3", "segment=8k",
        "node=2",    "k-nomial", "model", "machine X", "=",        "1e-6",    "network",
        "# comment", "\r\n",     "4k-1k", "segment=0", "-",        "/",       "promise=ordered"};
    size_t used = 0;
    for (size_t n = bits(seed) % 40; n && used + 24 < room; n--) {
        uint64_t what = bits(seed) % 64;
        if (what == 0)
            text[used++] = (char)bits(seed);
        else
            used += (size_t)snprintf(text + used, room - used, "%s",
                                     words[bits(seed) % (sizeof words / sizeof *words)]);
        text[used++] = bits(seed) % 5 ? ' ' : '\n';
    }
    for (size_t lines = bits(seed) % 6; lines && used + 80 < room; lines--)
        used += (size_t)snprintf(text + used, room - used, "%s 8 %u-%u %s\n",
                                 bits(seed) % 2 ? "reduce" : "bcast", (unsigned)(bits(seed) % 50),
                                 (unsigned)(bits(seed) % 70),
                                 bits(seed) % 2 ? "binomial" : "linear segment=5 radix=2");
    return used;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 88172645463325252u;
    time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);
    unsigned long runs = 0;
    do {
        static char text[4096];
        size_t length = make_text(&seed, text, sizeof text);
        LLVMFuzzerTestOneInput((const uint8_t *)text, length);
        runs++;
    } while (time(NULL) < end);
    printf("%lu inputs\n", runs);
    return 0;
}
#endif
