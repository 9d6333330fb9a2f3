/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/outer_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/nearest.h"
#include "bench/need.h"
#include "cli/output/text.h"

const char *const outer_result_names[] = {"whole", "rows", "blocks", "root", "factored", NULL};
const char *const outer_type_names[] = {"double", "float", "bfloat16", "float16", NULL};

const char *const outer_result_ends[] = {"", ", in rows", ", in blocks", ", for a root",
                                         ", as factors"};

enum { MOST_SIDE = 1 << 24, MOST_PAIRS = 1 << 20 };

/* "784,512" or, as in `bench outer`, "784x512" */
static bool read_shape(const char *text, struct summand__outer_form *form)
{
    char *copy = need(strdup(text)), *second = copy + strcspn(copy, ",x");
    long long rows = 0, columns = 0;
    bool good = *second;
    *second = 0;
    good = good && parse_integer(copy, &rows) && parse_integer(second + 1, &columns) && rows >= 1 &&
           columns >= 1 && rows <= MOST_SIDE && columns <= MOST_SIDE;
    free(copy);
    form->rows = (size_t)rows;
    form->columns = (size_t)columns;
    return good;
}

bool outer_form_read(const char *command, const struct parsing *parsing, bool outer,
                     const struct outer_form_options *options, struct summand__outer_form *form,
                     struct numbers *pairs)
{
    static const char *const names[] = {"shape", "pairs", "result", "type", NULL};
    if (!options_only_with(parsing, command, "sums of outer products (outer)", outer, names))
        return false;
    *form = (struct summand__outer_form){.result = (enum summand__outer_result)options->result,
                                         .type = (enum summand__outer_type)options->type,
                                         .pairs = 1};
    *pairs = (struct numbers){1, {1}};
    if (options->shape && !read_shape(options->shape, form))
        return !misuse(command, "--shape: '%s' is not N,M from 1,1 to %d,%d", options->shape,
                       MOST_SIDE, MOST_SIDE);
    if (options->pairs && !read_numbers(options->pairs, 0, MOST_PAIRS, pairs))
        return !misuse(command, "--pairs: '%s' is not a list of at most %d numbers from 0 to %d",
                       options->pairs, NUMBERS_MOST, MOST_PAIRS);
    if (!options->shape && pairs->count > 1)
        return !misuse(command, "--pairs: a list goes with --shape");
    form->pairs = (size_t)pairs->value[0];
    return true;
}

const char *outer_name_cut(const char *word, char name[OUTER_NAME_MOST])
{
    const char *colon = strchr(word, ':');
    snprintf(name, OUTER_NAME_MOST, "%.*s", colon ? (int)(colon - word) : (int)strlen(word), word);
    return colon ? colon + 1 : NULL;
}

const struct summand__algorithm *outer_inside_named(const char *word, const char *inside,
                                                    char fault[256])
{
    const struct summand__algorithm *named = summand__algorithm_named(inside);
    for (int c = 0; named && c < SUMMAND__MPI_COLLECTIVES; c++)
        if (named->build[c])
            return named;
    snprintf(fault, 256, "%s: '%s' is not an algorithm of a collective inside%s", word, inside,
             summand__nearest_algorithm(inside).text);
    return NULL;
}

void outer_form_text(const struct summand__outer_form *form, char *text, size_t room)
{
    snprintf(text, room, "%zu x %zu %ss, %zu pair%s of each rank%s%s%s", form->rows, form->columns,
             outer_type_names[form->type], form->pairs, text_plural((long long)form->pairs),
             outer_result_ends[form->result], form->inside ? ", inside " : "",
             form->inside ? form->inside->name : "");
}
