/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor time of the automatic choice, which delays the first call of each shape.
 *     bench-local-choose [ROUNDS [RANKS]]
 * For each machine, or those of so many ranks: microseconds of a choice, as the least of so many
 * rounds (default 7) for each query; shown are the mean and the worst of all queries. First reduce
 * and all-reduce, then all collectives; 4 B to 64 MiB in steps of 4, with and without rank order.
 * Last the mean of a call one element shorter than one that had a choice. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "select/select.h"

static const struct {
    const char *words;
    int ranks;
    size_t node;
    int processors;
} machines[] = {
    {"2, one node", 2, 2, 0},          {"8, one node", 8, 8, 0},
    {"8 on 2 processors", 8, 8, 2},    {"64, one node", 64, 64, 0},
    {"64 on 2 processors", 64, 64, 2}, {"128 on 16 processors", 128, 128, 16},
    {"2, one on a node", 2, 1, 0},     {"8, 4 on a node", 8, 4, 0},
    {"64, 16 on a node", 64, 16, 0},   {"64, one on a node", 64, 1, 0},
    {"512, 16 on a node", 512, 16, 0}, {"576, 16 on a node", 576, 16, 0},
    {"576, one on a node", 576, 1, 0}, {"4096, 16 on a node", 4096, 16, 0},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double least_of(const struct summand__query *query, int rounds)
{
    double least = 1;
    for (int round = 0; round < rounds; round++) {
        struct summand__choice choice;
        double begin = now();
        summand__choose(query, &choice);
        double seconds = now() - begin;
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* After a choice for the same call with one more element. */
static double after(struct summand__query query)
{
    struct summand__choice choice = {.algorithm = NULL};
    struct summand__call call = summand__query_call(&query);
    summand__select(&query, NULL, &call, &choice);
    query.bytes -= query.element;
    call = summand__query_call(&query);
    choice = (struct summand__choice){.algorithm = NULL};
    double begin = now();
    summand__select(&query, NULL, &call, &choice);
    return now() - begin;
}

struct tally {
    int count;
    double sum, worst;
};

static void add(struct tally *tally, double seconds)
{
    tally->count++;
    tally->sum += seconds;
    tally->worst = seconds > tally->worst ? seconds : tally->worst;
}

static void measure(int machine, int rounds)
{
    struct tally all = {0}, reductions = {0}, known = {0};
    for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
        for (size_t bytes = 4; bytes <= (size_t)64 << 20; bytes *= 4)
            for (unsigned ordered = 0; ordered < 2; ordered++) {
                struct summand__query query = {.collective = (enum summand__collective)collective,
                                               .ranks = machines[machine].ranks,
                                               .node_size = machines[machine].node,
                                               .processors = machines[machine].processors,
                                               .bytes = bytes,
                                               .element = 4,
                                               .promises = ordered ? SUMMAND__RANK_ORDER : 0};
                double seconds = least_of(&query, rounds);
                add(&all, seconds);
                add(&known, after(query));
                if (collective == SUMMAND__COLL_REDUCE || collective == SUMMAND__COLL_ALLREDUCE)
                    add(&reductions, seconds);
            }
    printf("%-22s %8.1f %8.1f %8.1f %8.1f %8.1f\n", machines[machine].words,
           1e6 * reductions.sum / reductions.count, 1e6 * reductions.worst,
           1e6 * all.sum / all.count, 1e6 * all.worst, 1e6 * known.sum / known.count);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 7, ranks = argc > 2 ? atoi(argv[2]) : 0;
    if (rounds < 1)
        return fprintf(stderr, "bench-local-choose [ROUNDS [RANKS]]\n"), 2;
    printf("%-22s %17s %17s\n%-22s %8s %8s %8s %8s %8s\n", "", "reduce, all-reduce",
           "all collectives", "ranks", "mean", "worst", "mean", "worst", "shorter");
    for (int machine = 0; machine < MACHINES; machine++)
        if (!ranks || machines[machine].ranks == ranks)
            measure(machine, rounds);
    return 0;
}
