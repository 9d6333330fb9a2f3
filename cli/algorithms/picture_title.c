#include "algorithm/call.h"
#include "cli/algorithms/picture.h"

void picture_title(const struct comparison_setup *setup, const struct summand__algorithm *algorithm,
                   char *title, size_t room)
{
    char parameters[128];
    comparison_parameters_text(algorithm, setup->fixed, parameters, sizeof parameters);
    int used = snprintf(title, room, "%s %s, %lld ranks", algorithm->name,
                        summand__collective_name(setup->collective), setup->ranks.value[0]);
    if (summand__has_root(setup->collective) && (size_t)used < room)
        used += snprintf(title + used, room - (size_t)used, ", root %lld", setup->root);
    if (*parameters && (size_t)used < room)
        snprintf(title + used, room - (size_t)used, ", %s", parameters);
}

long long picture_time_count(enum summand__collective collective)
{
    return collective >= SUMMAND__MPI_COLLECTIVES ? 32 : 1000;
}
