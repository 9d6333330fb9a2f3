#include "plan/options.h"

#include <stdio.h>

#include "algorithm/nearest.h"
#include "comm/error.h"

int summand__algorithm_check(const char *argument, const char *algorithm)
{
    return !algorithm || summand__algorithm_named(algorithm)
               ? MPI_SUCCESS
               : summand__refuse(SUMMAND_ERR_ALGORITHM,
                                 "%s is '%.60s', which 'summand list' does not have%s", argument,
                                 algorithm, summand__nearest_algorithm(algorithm).text);
}

int summand__options_check(const char *name, const summand_options *options)
{
    const struct {
        const char *field;
        long long value;
    } numbers[] = {{"segment", options->segment},
                   {"radix", options->radix},
                   {"node_size", options->node_size},
                   {"leaders", options->leaders},
                   {"radix_between", options->radix_between}};
    char argument[64];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].value < 0)
            return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s.%s is %lld, not 0 or more", name,
                                   numbers[i].field, numbers[i].value);
    if ((int)options->promise < 0 || options->promise > SUMMAND_CANONICAL_BITS)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "%s.promise is %d, not one of enum summand_promise (0 to %d)", name,
                               (int)options->promise, SUMMAND_CANONICAL_BITS);
    if (!(options->timeout >= 0))
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s.timeout is %g s, not 0 or more", name,
                               options->timeout);
    snprintf(argument, sizeof argument, "%s.algorithm", name);
    return summand__algorithm_check(argument, options->algorithm);
}

int summand__algorithm_refuse(const char *argument, const struct summand__algorithm *given,
                              const struct summand__call *call, unsigned promises)
{
    const struct summand__collective_row *row = &summand__collectives[call->collective];
    const unsigned lacks = given ? promises & ~given->promises : 0;
    if (!given)
        return summand__refuse(SUMMAND_ERR_ALGORITHM, "no algorithm does %s on %d ranks so",
                               row->name, call->ranks);
    if (!given->build[call->collective])
        return summand__refuse(SUMMAND_ERR_ALGORITHM, "%s is '%s', which does not do %s", argument,
                               given->name, row->name);
    if (row->combines && (lacks & SUMMAND__RANK_ORDER))
        return summand__refuse(SUMMAND_ERR_ALGORITHM,
                               "%s is '%s', which does not combine in rank order, as an operator "
                               "that does not commute or options.promise asks for",
                               argument, given->name);
    if (row->combines && (lacks & SUMMAND__CANONICAL))
        return summand__refuse(SUMMAND_ERR_ALGORITHM,
                               "%s is '%s', which has no canonical bits: options.promise is "
                               "SUMMAND_CANONICAL_BITS",
                               argument, given->name);
    return summand__refuse(SUMMAND_ERR_ALGORITHM,
                           "%s is '%s', which does not do this %s on %d ranks", argument,
                           given->name, row->name, call->ranks);
}
