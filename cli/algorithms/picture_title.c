/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "algorithm/call.h"
#include "cli/algorithms/picture.h"
#include "cli/options/outer_options.h"
#include "cli/output/text.h"
#include "cli/tune/comparison_outer.h"

void picture_title(const struct comparison_setup *setup, const struct summand__algorithm *algorithm,
                   char *title, size_t room)
{
    char parameters[128];
    comparison_parameters_text(algorithm, setup->fixed, parameters, sizeof parameters);
    const char *collective = summand__collective_name(setup->collective);
    bool named = !strncmp(algorithm->name, collective, strlen(collective)); /* outer-gather */
    int used = snprintf(title, room, "%s%s%s, %lld rank%s", algorithm->name, named ? "" : " ",
                        named ? "" : collective, setup->ranks.value[0],
                        text_plural(setup->ranks.value[0]));
    if (summand__has_root(setup->collective) && (size_t)used < room)
        used += snprintf(title + used, room - (size_t)used, ", root %lld", setup->root);
    if (*parameters && (size_t)used < room)
        snprintf(title + used, room - (size_t)used, ", %s", parameters);
}

void picture_count_text(const struct comparison_setup *setup, char *text, size_t room)
{
    long long count = setup->counts.value[0];
    const struct summand__outer_form form = comparison_form(setup, (size_t)count);
    if (setup->collective == SUMMAND__COLL_OUTER)
        outer_form_text(&form, text, room);
    else if (setup->collective >= SUMMAND__MPI_COLLECTIVES)
        snprintf(text, room, "matrices of %lld x %lld elements", count, count);
    else
        snprintf(text, room, "vectors of %lld element%s%s", count, text_plural(count),
                 summand__has_blocks(setup->collective) ? " per block" : "");
}

const char *picture_unit(enum summand__collective collective)
{
    return collective >= SUMMAND__MPI_COLLECTIVES ? "byte" : "element";
}

long long picture_time_count(enum summand__collective collective)
{
    return collective >= SUMMAND__MPI_COLLECTIVES ? 32 : 1000;
}
