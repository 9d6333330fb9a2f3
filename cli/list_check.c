/* What the choice by estimates loses: the play of what is chosen against the best that a search by
 * the play finds. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "contest.h"
#include "list_choose.h"
#include "table.h"

enum { ALGORITHMS = 64 };

/* Algorithms whose estimate is this many times the choice's are not played. */
static const double hopeless = 2;

static struct contest_setup setup_of(const struct summand__question *question)
{
    struct contest_setup setup = {.collective = question->collective,
                                  .element = question->element,
                                  .model = summand__question_model(question),
                                  .tune = true,
                                  .most_bytes = 4000000000,
                                  .patience = 60};
    setup.fixed[SUMMAND__NODE_SIZE] = question->node_size;
    return setup;
}

/* "algorithm parameters", for a cell. */
static void what_text(const struct summand__algorithm *algorithm,
                      const size_t parameter[SUMMAND__PARAMETERS], char *text, size_t room)
{
    char parameters[160];
    contest_parameters_text(algorithm, parameter, parameters, sizeof parameters);
    snprintf(text, room, "%s%s%s", algorithm->name, *parameters ? " " : "", parameters);
}

static bool check_one(const struct summand__question *question, struct table *table)
{
    struct summand__choice choices[ALGORITHMS];
    struct contest_setup setup = setup_of(question);
    struct summand__predict predict = {0};
    int count = summand__choices(question, choices, ALGORITHMS), best = -1;
    struct contest_entry least = {0};
    struct summand__call call = summand__question_call(question);
    if (count < 1)
        return !complain("list", "out of memory");
    if (!contest_predict(&setup, choices[0].algorithm, choices[0].parameter, call.ranks, call.count,
                         &predict))
        return !complain("list", "%s: %s", choices[0].algorithm->name, predict.fault);
    for (int i = 0; i < count && choices[i].seconds <= hopeless * choices[0].seconds; i++) {
        struct contest_entry entry =
            contest_best(&setup, choices[i].algorithm, call.ranks, call.count);
        if (entry.known && (best < 0 || entry.seconds < least.seconds)) {
            best = i;
            least = entry;
        }
    }
    char chosen[200], better[200];
    what_text(choices[0].algorithm, choices[0].parameter, chosen, sizeof chosen);
    what_text(choices[best < 0 ? 0 : best].algorithm, least.parameter, better, sizeof better);
    table_cell(table, "%zu", question->bytes);
    table_cell(table, "%.2f", choices[0].seconds * 1e6);
    table_cell(table, "%.2f", predict.time * 1e6);
    table_cell(table, "%.2f", least.seconds * 1e6);
    table_cell(table, "%.1f %%", 100 * (predict.time / least.seconds - 1));
    table_cell(table, "%s", chosen);
    table_cell(table, "%s", better);
    return true;
}

int list_check(struct summand__question *question, const struct numbers *bytes)
{
    struct table table;
    bool good = true;
    table_begin(&table, "bytes|estimate|play|best play|lost|<choice|<best");
    for (int i = 0; i < bytes->count && good; i++) {
        question->bytes = (size_t)bytes->value[i];
        good = check_one(question, &table);
    }
    table_end(&table, good ? stdout : NULL);
    return good ? 0 : 1;
}
