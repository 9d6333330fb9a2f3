/* SPDX-License-Identifier: BSD-3-Clause */
/* summand diff: the first collective call in which two recorded runs differ. Exit status as that of
 * diff(1). */
#include "cli/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/text.h"

extern const struct command command_diff;

enum { EXIT_SAME, EXIT_DIFFER, EXIT_TROUBLE };

/* Sums over the ranks. */
struct totals {
    long long compared, inputs, calls[2], beyond[2];
    long long results, follow; /* other results of equal inputs of all ranks; of others */
    int cut[2];                /* the first rank whose record has no end, or -1 */
    struct unmatched unmatched;
};

static void count_results(const struct named_calls *calls, struct totals *totals)
{
    for (size_t i = 0; i < calls->slots; i++)
        *(calls->slot[i].parted ? &totals->follow : &totals->results) += calls->slot[i].results;
}

static bool compare_all(const struct run runs[2], struct rank_difference *differences,
                        struct totals *totals)
{
    struct named_calls calls = {0};
    bool good = true;
    *totals = (struct totals){.cut = {-1, -1}};
    for (int rank = 0; rank < runs[0].ranks && good; rank++) {
        struct rank_record a, b;
        struct rank_difference *d = &differences[rank];
        if (!(good = run_load(&runs[0], rank, &a)))
            break;
        good = run_load(&runs[1], rank, &b);
        if (good) {
            compare_rank(&a, &b, d, &calls, &totals->unmatched);
            rank_record_free(&b);
        }
        rank_record_free(&a);
        totals->compared += d->compared;
        totals->inputs += d->inputs;
        for (int run = 0; run < 2 && good; run++) {
            totals->calls[run] += d->calls[run];
            totals->beyond[run] += d->beyond[run];
            if (!d->whole[run] && totals->cut[run] < 0)
                totals->cut[run] = rank;
        }
    }
    count_results(&calls, totals);
    named_calls_free(&calls);
    return good;
}

static void print_totals(struct totals *totals)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "%lld calls are in both runs (of all ranks): %lld have other inputs, %lld other results "
        "where the input of another rank differs, and %lld other results of inputs that are "
        "equal on all ranks.",
        totals->compared, totals->inputs, totals->follow, totals->results);
    printf("\n");
    print_wrapped(text, 0, stdout);
    for (int run = 0; run < 2; run++)
        if (totals->beyond[run])
            print_line("%lld calls of %c stand where records of %c have ended already (rank %d).",
                       totals->beyond[run], 'A' + run, 'B' - run, totals->cut[1 - run]);
    unmatched_print(&totals->unmatched);
}

static int write_same(const struct run runs[2], const struct totals *totals,
                      const struct verdict *verdict, int status)
{
    json_t *object = json_head(DIFF), *list = json_array();
    for (int i = 0; i < 2; i++) {
        json_t *run = run_json(&runs[i]);
        json_object_update_new(run, json_make("Ib", "calls", (json_int_t)totals->calls[i], "whole",
                                              totals->cut[i] < 0));
        json_array_append_new(list, run);
    }
    json_object_update_new(object, json_make("boIIIIooo", "same", status == EXIT_SAME, "runs", list,
                                             "compared", (json_int_t)totals->compared,
                                             "inputs_differ", (json_int_t)totals->inputs,
                                             "results_follow", (json_int_t)totals->follow,
                                             "results_differ", (json_int_t)totals->results,
                                             "unmatched", unmatched_json(&totals->unmatched),
                                             "not_compared", counts_json(totals->beyond), "first",
                                             verdict ? verdict_json(verdict) : json_null()));
    return write_json(DIFF, object, NULL) ? EXIT_TROUBLE : status;
}

/* Records without their end tell nothing of what came after. */
static bool are_whole(const struct run runs[2], const struct totals *totals)
{
    for (int run = 0; run < 2; run++)
        if (totals->cut[run] >= 0)
            complain(DIFF,
                     "%s: the record of rank %d has no end: the run was killed, or records were "
                     "lost; no difference up to there",
                     runs[run].folder, totals->cut[run]);
    return totals->cut[0] < 0 && totals->cut[1] < 0;
}

static int report_same(const struct run runs[2], const struct totals *totals, bool json)
{
    int status = are_whole(runs, totals) ? EXIT_SAME : EXIT_TROUBLE;
    if (json)
        return write_same(runs, totals, NULL, status);
    if (status == EXIT_SAME)
        print_line("no difference: %lld call%s of %d rank%s %s the same inputs and results",
                   totals->compared, text_plural(totals->compared), runs[0].ranks,
                   text_plural(runs[0].ranks), totals->compared == 1 ? "has" : "have");
    return status;
}

static int report_first(const struct run runs[2], struct totals *totals,
                        const struct call_name *name, bool json)
{
    struct verdict verdict;
    int status = EXIT_DIFFER;
    if (!verdict_make(&runs[0], &runs[1], name, &verdict))
        return EXIT_TROUBLE;
    if (json) {
        status = write_same(runs, totals, &verdict, status);
    } else {
        verdict_print(&verdict);
        print_totals(totals);
        print_runs(&runs[0], &runs[1]);
    }
    verdict_free(&verdict);
    return status;
}

/* Runs on the same number of ranks. */
static int compare_runs(const struct run runs[2], bool json)
{
    struct rank_difference *differences = need(calloc((size_t)runs[0].ranks, sizeof *differences));
    struct totals totals;
    int status = EXIT_TROUBLE;
    if (compare_all(runs, differences, &totals)) {
        int first = first_of_all(&runs[0], differences);
        if (first >= 0)
            status = report_first(runs, &totals, &differences[first].first, json);
        else if (first == -1)
            status = report_same(runs, &totals, json);
    }
    unmatched_free(&totals.unmatched);
    free(differences);
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *ignore = NULL;
    bool help, json = false;
    const struct option_row rows[] = {
        {"ignore", 0, OPTION_TEXT, &ignore, "LIST",
         "leave out calls whose caller has one of these words in its name, such as timer,Finish",
         NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON instead of a table", NULL},
        {0}};
    int first = parse_options(parsing, &command_diff, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first >= 0 && argc - first != 2)
        return misuse(DIFF,
                      "two folders of records are compared, %d given; 'summand diff --help' "
                      "shows how",
                      argc - first);
    if (first < 0)
        return EXIT_TROUBLE;
    struct texts texts = {0};
    struct run runs[2];
    int status = EXIT_TROUBLE;
    if (run_open(&runs[0], argv[first], ignore, &texts) &&
        run_open(&runs[1], argv[first + 1], ignore, &texts))
        status =
            runs[0].ranks == runs[1].ranks ? compare_runs(runs, json) : compare_results(runs, json);
    texts_free(&texts);
    return status;
}

const struct command command_diff = {
    DIFF,
    "the first collective call in which two recorded runs of a program differ",
    "diff [options] RECORD RECORD",
    "  summand run --record A -- mpirun -np 4 ./app\n"
    "  summand run --record B --mode canonical -- mpirun -np 4 ./app\n"
    "  summand diff A B\n",
    false,
    run,
    NULL,
    "0 without a difference, 1 with one, 2 if the records cannot be compared."};
