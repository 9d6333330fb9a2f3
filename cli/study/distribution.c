/* SPDX-License-Identifier: BSD-3-Clause */
/* summand distribution: what the index tree costs for each way to spread elements over ranks. */
#include "cli/study/distribution.h"

#include "cli/output/json.h"
#include <math.h>
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/common/methods.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"
#include "cli/ranks/interrupt.h"
#include "lab/index_tree/messages.h"
#include "lab/index_tree/outbound.h"

extern const struct command study_distribution;

enum { MOST_RANKS = 1 << 24 };

struct measure {
    uint64_t fewest, most, messages, buffered;
    double score; /* seconds */
};

static struct measure measure(const struct distribution_request *r, int kind, uint64_t *starts)
{
    summand__distribution((enum summand__distribution_kind)kind, r->alpha, r->n, r->ranks, starts);
    return (struct measure){
        summand__fewest_elements(starts, r->ranks), summand__most_elements(starts, r->ranks),
        summand__messages(starts, r->ranks), summand__messages_buffered(starts, r->ranks, r->rule),
        summand__score(starts, r->ranks, r->t_send, r->t_add)};
}

static uint64_t lower_bound(const struct distribution_request *r)
{
    return (r->n < (uint64_t)r->ranks ? r->n + !r->n : (uint64_t)r->ranks) - 1;
}

static void print_text(const struct distribution_request *r, const struct measure *measures)
{
    struct table table;
    print_line("N = %llu element%s on %d rank%s, alpha = %g", (unsigned long long)r->n,
               text_plural((long long)r->n), r->ranks, text_plural(r->ranks), r->alpha);
    putchar('\n');
    table_begin(&table, "<distribution|fewest|most elements|messages|buffered|score [us]");
    for (int i = 0; i < SUMMAND__DISTRIBUTIONS; i++) {
        const struct measure *m = &measures[i];
        table_cell(&table, "%s", summand__distributions[i].name);
        table_cell(&table, "%llu", (unsigned long long)m->fewest);
        table_cell(&table, "%llu", (unsigned long long)m->most);
        table_cell(&table, "%llu", (unsigned long long)m->messages);
        table_cell(&table, "%llu", (unsigned long long)m->buffered);
        table_cell(&table, "%.1f", m->score * 1e6);
    }
    table_end(&table, stdout);
    char text[256];
    snprintf(text, sizeof text,
             "With elements on %llu rank%s no distribution needs fewer than %llu message%s; "
             "even-lower never more than %.0f.",
             (unsigned long long)lower_bound(r) + !!r->n,
             text_plural((long long)lower_bound(r) + !!r->n), (unsigned long long)lower_bound(r),
             text_plural((long long)lower_bound(r)),
             floor(summand__messages_bound(r->n, r->ranks)));
    printf("\n");
    print_wrapped(text, 0, stdout);
}

static int print_json(const struct distribution_request *r, const struct measure *measures)
{
    json_t *list = json_array();
    for (int i = 0; i < SUMMAND__DISTRIBUTIONS; i++) {
        const struct measure *m = &measures[i];
        json_array_append_new(list,
                              json_make("sIIIIf", "name", summand__distributions[i].name, "fewest",
                                        (json_int_t)m->fewest, "most", (json_int_t)m->most,
                                        "messages", (json_int_t)m->messages, "buffered",
                                        (json_int_t)m->buffered, "score", m->score));
    }
    json_t *object = json_make(
        "siIfffiIIfo", "command", "distribution", "ranks", r->ranks, "n", (json_int_t)r->n, "alpha",
        r->alpha, "t_send", r->t_send, "t_add", r->t_add, "buffer", r->rule.values, "flush",
        (json_int_t)r->rule.summands, "lower_bound", (json_int_t)lower_bound(r), "even_lower_bound",
        summand__messages_bound(r->n, r->ranks), "distributions", list);
    return write_json(study_distribution.name, object, NULL);
}

static int print(const struct distribution_request *r, bool json)
{
    struct measure measures[SUMMAND__DISTRIBUTIONS];
    uint64_t *starts = malloc(((size_t)r->ranks + 1) * sizeof *starts);
    if (!starts)
        return complain(study_distribution.name, "out of memory for %d ranks", r->ranks);
    for (int i = 0; i < SUMMAND__DISTRIBUTIONS; i++)
        measures[i] = measure(r, i, starts);
    free(starts);
    if (json)
        return print_json(r, measures);
    print_text(r, measures);
    return 0;
}

static int draw(const struct distribution_request *r, const char *svg, const char *csv)
{
    struct distribution_sample *list;
    int count = distribution_sweep(r, &list);
    if (!count)
        return complain(study_distribution.name, "out of memory for the picture");
    bool good = true;
    if (csv)
        good = distribution_csv(csv, list, count);
    if (svg && good)
        good = distribution_svg(svg, r, list, count);
    free(list);
    return !good;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct distribution_request r = {.alpha = SUMMAND__ALPHA};
    double t_send = SUMMAND__T_SEND * 1e9, t_add = SUMMAND__T_ADD * 1e9;
    long long ranks = 256, n = 504850, max_n = 1 << 16, samples = 1 << 16;
    long long buffer = SUMMAND__OUTBOUND_VALUES, flush = SUMMAND__OUTBOUND_SUMMANDS;
    const char *svg = NULL, *csv = NULL, *shares = NULL;
    bool json = false, help;
    const struct option_row rows[] = {
        {"ranks", 'p', OPTION_INT, &ranks, "P", "number of ranks", NULL, 1, 1 << 24},
        {"n", 'n', OPTION_INT, &n, "N", "number of elements of all ranks together", NULL, 0,
         NO_MOST},
        {"alpha", 0, OPTION_REAL, &r.alpha, "A",
         "optimized: starts move by at most A N/P; balanced: shares differ by that", NULL, 0, 1},
        {"t-send", 0, OPTION_REAL, &t_send, "NS", "score: nanoseconds per message", NULL, 0, 1e12},
        {"t-add", 0, OPTION_REAL, &t_add, "NS", "score: nanoseconds per addition", NULL, 0, 1e12},
        OUTBOUND_OPTIONS(buffer, flush),
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON instead of a table", NULL},
        {"plot", 0, OPTION_OUTPUT, &svg, "FILE", "draw the message counts over N", NULL},
        {"csv", 0, OPTION_OUTPUT, &csv, "FILE", "write the message counts over N", NULL},
        {"shares", 0, OPTION_OUTPUT, &shares, "FILE",
         "draw how many elements the ranks have that have any", NULL},
        {"max-n", 0, OPTION_INT, &max_n, "N", "largest N of the picture", NULL, 1, NO_MOST},
        {"samples", 0, OPTION_INT, &samples, "S", "most values of N in the picture", NULL, 1,
         1 << 24},
        {0}};
    int first = parse_options(parsing, &study_distribution, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first < 0)
        return 2;
    static const char *const of_pictures[] = {"max-n", "samples", NULL};
    if (!options_only_with(parsing, study_distribution.name, "--plot or --csv", svg || csv,
                           of_pictures))
        return 2;
    r.t_send = t_send * 1e-9;
    r.t_add = t_add * 1e-9;
    if (first < argc)
        return misuse(study_distribution.name, "%s: no operand expected", argv[first]);
    r.ranks = (int)ranks;
    r.rule = (struct summand__outbound_rule){(int)buffer, (uint64_t)flush};
    r.n = (uint64_t)n;
    r.max_n = (uint64_t)max_n;
    r.samples = (uint64_t)samples;
    interrupt_listen();
    int status = svg || csv ? draw(&r, svg, csv) : 0;
    if (!status && shares)
        status = !distribution_shares(shares, &r);
    if (!status)
        status = print(&r, json);
    return interrupted() && !status ? interrupt_say(study_distribution.name) : status;
}

const struct command study_distribution = {
    "distribution",
    "messages of the index tree for each way to spread elements over ranks",
    "distribution [--ranks P] [--n N] [options]",
    "  summand-study distribution --ranks 256 --n 504850\n"
    "  summand-study distribution --ranks 256 --plot messages.svg --max-n 64k\n"
    "  summand-study distribution --ranks 256 --n 504850 --shares shares.svg\n",
    false,
    run,
    NULL};
