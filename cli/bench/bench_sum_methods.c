/* SPDX-License-Identifier: BSD-3-Clause */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/sum.h>

#include "base/nearest.h"
#include "bench/baseline.h"
#include "cli/bench/bench_sum.h"

struct sum_method {
    const char *name;
    int (*run)(void *context);
    enum summand_promise promise; /* for the library's methods only */
    bool plan;
};

static int run_plan(void *context)
{
    return bench_plan_run(((struct sum_subject *)context)->plan);
}

static int run_call(void *context)
{
    struct sum_subject *s = context;
    const summand_options options = {.promise = s->method->promise};
    if (s->c->terms == 1)
        return summand_sum(s->c->term->x, s->results, s->c->term->count, MPI_DOUBLE,
                           SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &options);
    return summand_sums(s->c->terms, s->c->term, s->results, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                        MPI_COMM_WORLD, &options);
}

static int run_loop(struct sum_subject *s, double (*sum)(const double *x, size_t n))
{
    struct sum_case *c = s->c;
    for (int i = 0; i < c->terms; i++)
        c->local[i] = sum(c->term[i].x, (size_t)c->term[i].count);
    return MPI_Allreduce(c->local, s->results, c->terms, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static int run_naive(void *context)
{
    return run_loop(context, baseline_plain_sum_f64);
}

static int run_fast(void *context)
{
    return run_loop(context, baseline_fast_sum_f64);
}

/* In the order of the report. */
static const struct sum_method sum_methods[] = {
    {"exact", run_plan, SUMMAND_PROMISE_EXACT, true},
    {"exact-call", run_call, SUMMAND_PROMISE_EXACT, false},
    {"tree", run_plan, SUMMAND_PROMISE_INDEX, true},
    {"tree-call", run_call, SUMMAND_PROMISE_INDEX, false},
    {"naive", run_naive, SUMMAND_PROMISE_EXACT, false},
    {"fast", run_fast, SUMMAND_PROMISE_EXACT, false},
    {NULL, NULL, SUMMAND_PROMISE_EXACT, false}};

static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (; *list; list += strspn(list, ",")) {
        size_t word = strcspn(list, ",");
        if (word == length && !strncmp(list, name, length))
            return true;
        list += word;
    }
    return false;
}

void sum_methods_check(const char *list, struct trouble *trouble)
{
    const char *all = SUM_METHODS_ALL;
    if (!*list)
        trouble_note(trouble, "--methods: the list is empty; known: %s", all);
    for (; *list; list += strspn(list, ",")) {
        char word[32];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        if (!listed(all, word))
            trouble_note(trouble, "--methods: '%s' is not one of %s%s", word, all,
                         summand__nearest_in(word, all).text);
        list += length;
    }
}

static void make_subject(struct sum_case *c, int m, struct trouble *trouble)
{
    struct sum_subject *s = &c->subject[m];
    const summand_options options = {.promise = sum_methods[m].promise};
    s->c = c;
    s->method = &sum_methods[m];
    s->results = calloc((size_t)c->terms, sizeof *s->results);
    if (!s->results)
        trouble_note(trouble, "out of memory");
    if (s->method->plan)
        trouble_note_mpi(trouble, s->method->name,
                         summand_sums_init(c->terms, c->term, s->results, MPI_DOUBLE,
                                           SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &options, &s->plan));
}

static void make(void *context, struct trouble *trouble)
{
    struct sum_case *c = context;
    c->term = calloc((size_t)c->terms, sizeof *c->term);
    c->local = calloc((size_t)c->terms, sizeof *c->local);
    if (!c->term || !c->local) {
        trouble_note(trouble, "out of memory");
        return;
    }
    for (int i = 0; i < c->terms; i++)
        c->term[i] = (summand_term){.kind = SUMMAND_KIND_SUM,
                                    .count = (MPI_Count)c->slice[i].count,
                                    .displacement = SUMMAND_DISPLACEMENT_APPEND,
                                    .x = c->slice[i].values};
    for (int m = 0; sum_methods[m].name; m++)
        make_subject(c, m, trouble);
}

static void drop(void *context)
{
    struct sum_case *c = context;
    for (int m = 0; sum_methods[m].name; m++) {
        summand_plan_free(&c->subject[m].plan);
        free(c->subject[m].results);
    }
    free(c->term);
    free(c->local);
}

static int list_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    struct sum_case *c = context;
    (void)trouble;
    int count = 0;
    for (int m = 0; sum_methods[m].name; m++)
        if (listed(c->methods, sum_methods[m].name))
            subjects[count++] =
                (struct timing_subject){sum_methods[m].name, sum_methods[m].run, &c->subject[m]};
    return count;
}

static void note_values(void *context, const struct timing_subject *subjects, int count,
                        double *values, struct trouble *trouble)
{
    const struct sum_case *c = context;
    const double *first[SUMMAND_PROMISE_EXACT + 1] = {NULL};
    for (int i = 0; i < count; i++) {
        const struct sum_subject *s = subjects[i].context;
        bool ours = s->method->run == run_plan || s->method->run == run_call;
        values[i] = s->results[0];
        if (!ours)
            continue;
        if (!first[s->method->promise])
            first[s->method->promise] = s->results;
        else if (memcmp(first[s->method->promise], s->results, (size_t)c->terms * sizeof(double)))
            trouble_note(trouble, "%s: its bits differ from those of the plan", s->method->name);
    }
}

const struct bench_kind sum_kind = {
    .make = make, .subjects = list_subjects, .values = note_values, .drop = drop};
