/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/options.h"

#include <stdio.h>

#include "algorithm/nearest.h"
#include "process/error.h"

int summand__algorithm_check(const char *argument, const char *algorithm)
{
    return !algorithm || summand__algorithm_named(algorithm)
               ? MPI_SUCCESS
               : summand__refuse(SUMMAND_ERR_ALGORITHM,
                                 "%s is '%.60s', which 'summand list' does not have%s", argument,
                                 algorithm, summand__nearest_algorithm(algorithm).text);
}

const char *summand__promise_name(enum summand_promise promise)
{
    static const char *const names[] = {[SUMMAND_PROMISE_DEFAULT] = "SUMMAND_PROMISE_DEFAULT",
                                        [SUMMAND_PROMISE_NONE] = "SUMMAND_PROMISE_NONE",
                                        [SUMMAND_PROMISE_SAME] = "SUMMAND_PROMISE_SAME",
                                        [SUMMAND_PROMISE_RANK_ORDER] = "SUMMAND_PROMISE_RANK_ORDER",
                                        [SUMMAND_PROMISE_CANONICAL] = "SUMMAND_PROMISE_CANONICAL",
                                        [SUMMAND_PROMISE_INDEX] = "SUMMAND_PROMISE_INDEX",
                                        [SUMMAND_PROMISE_EXACT] = "SUMMAND_PROMISE_EXACT"};
    return (size_t)promise < sizeof names / sizeof *names ? names[promise] : NULL;
}

unsigned summand__promises_for(enum summand_promise promise)
{
    return promise >= SUMMAND_PROMISE_CANONICAL    ? SUMMAND__RANK_ORDER | SUMMAND__CANONICAL
           : promise == SUMMAND_PROMISE_RANK_ORDER ? SUMMAND__RANK_ORDER
                                                   : 0;
}

int summand__promise_check(const char *name, enum summand_promise promise,
                           enum summand_promise most)
{
    const char *word = summand__promise_name(promise);
    if (!word)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "%s.promise is %d, not one of enum summand_promise (0 to %d)", name,
                               (int)promise, SUMMAND_PROMISE_EXACT);
    if (promise > most)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s.promise is %s; this call keeps at most %s",
                               name, word, summand__promise_name(most));
    return MPI_SUCCESS;
}

int summand__timeout_check(const char *name, double timeout)
{
    return timeout >= 0 ? MPI_SUCCESS
                        : summand__refuse(SUMMAND_ERR_ARGUMENT, "%s.timeout is %g s, not 0 or more",
                                          name, timeout);
}

static int check_check(const char *name, enum summand_checked check)
{
    return (unsigned)check <= SUMMAND_CHECKED_CORRECT
               ? MPI_SUCCESS
               : summand__refuse(SUMMAND_ERR_ARGUMENT,
                                 "%s.check is %d, not one of enum summand_checked (0 to %d)", name,
                                 (int)check, SUMMAND_CHECKED_CORRECT);
}

/* The fields of summand_options that are parameters of an algorithm. */
static const char *const fields[SUMMAND__PARAMETERS] = {[SUMMAND__SEGMENT] = "segment",
                                                        [SUMMAND__RADIX] = "radix",
                                                        [SUMMAND__NODE_SIZE] = "node_size",
                                                        [SUMMAND__LEADERS] = "leaders",
                                                        [SUMMAND__INTER_NODE_RADIX] =
                                                            "radix_between"};

/* "segment, radix", those that the algorithm has; or "none". */
static const char *fields_of(const struct summand__algorithm *algorithm, char *text, size_t room)
{
    size_t used = 0;
    snprintf(text, room, "none");
    for (int i = 0; i < SUMMAND__PARAMETERS && used < room; i++)
        if (algorithm->limits[i].most)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", fields[i]);
    return text;
}

/* A parameter that the named algorithm does not have would change nothing. */
static int refuse_unused(const char *name, const char *field, long long value,
                         const struct summand__algorithm *algorithm)
{
    char has[80];
    return summand__refuse(
        SUMMAND_ERR_ARGUMENT, "%s.%s is %lld, which '%s' does not use; of these fields it uses: %s",
        name, field, value, algorithm->name, fields_of(algorithm, has, sizeof has));
}

static int check_parameters(const char *name, const summand_options *options)
{
    const long long values[SUMMAND__PARAMETERS] = {[SUMMAND__SEGMENT] = options->segment,
                                                   [SUMMAND__RADIX] = options->radix,
                                                   [SUMMAND__NODE_SIZE] = options->node_size,
                                                   [SUMMAND__LEADERS] = options->leaders,
                                                   [SUMMAND__INTER_NODE_RADIX] =
                                                       options->radix_between};
    const struct summand__algorithm *algorithm =
        options->algorithm ? summand__algorithm_named(options->algorithm) : NULL;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        if (values[i] < 0)
            return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s.%s is %lld, not 0 or more", name,
                                   fields[i], values[i]);
        if (values[i] && algorithm && !algorithm->limits[i].most)
            return refuse_unused(name, fields[i], values[i], algorithm);
    }
    return MPI_SUCCESS;
}

int summand__options_check(const char *name, const summand_options *options,
                           enum summand_promise most)
{
    char argument[64];
    int code = check_parameters(name, options);
    if (code != MPI_SUCCESS)
        return code;
    code = summand__promise_check(name, options->promise, most);
    if (code == MPI_SUCCESS)
        code = summand__timeout_check(name, options->timeout);
    if (code == MPI_SUCCESS)
        code = check_check(name, options->check);
    if (code != MPI_SUCCESS)
        return code;
    snprintf(argument, sizeof argument, "%s.algorithm", name);
    return summand__algorithm_check(argument, options->algorithm);
}

static size_t at_least_0(MPI_Count value)
{
    return value > 0 ? (size_t)value : 0;
}

struct summand__choice summand__options_choice(const summand_options *options)
{
    struct summand__choice choice = {.algorithm = NULL};
    if (!options)
        return choice;
    choice.algorithm = options->algorithm ? summand__algorithm_named(options->algorithm) : NULL;
    choice.parameter[SUMMAND__SEGMENT] = at_least_0(options->segment);
    choice.parameter[SUMMAND__RADIX] = at_least_0(options->radix);
    choice.parameter[SUMMAND__NODE_SIZE] = at_least_0(options->node_size);
    choice.parameter[SUMMAND__LEADERS] = at_least_0(options->leaders);
    choice.parameter[SUMMAND__INTER_NODE_RADIX] = at_least_0(options->radix_between);
    if ((unsigned)options->check <= SUMMAND_CHECKED_CORRECT)
        choice.check = (int)options->check;
    return choice;
}

void summand__options_sign(struct summand__signature *signature, const summand_options *options,
                           const char *promise)
{
    static const summand_options defaults;
    const summand_options *o = options ? options : &defaults;
    summand__sign_word(signature, "options.algorithm", o->algorithm);
    summand__sign_word(signature, "options.promise", promise);
    summand__sign_number(signature, "options.segment", o->segment);
    summand__sign_number(signature, "options.radix", o->radix);
    summand__sign_number(signature, "options.node_size", o->node_size);
    summand__sign_number(signature, "options.leaders", o->leaders);
    summand__sign_number(signature, "options.radix_between", o->radix_between);
    summand__sign_number(signature, "options.check", o->check);
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
                               "SUMMAND_PROMISE_CANONICAL",
                               argument, given->name);
    return summand__refuse(SUMMAND_ERR_ALGORITHM,
                           "%s is '%s', which does not do this %s on %d ranks", argument,
                           given->name, row->name, call->ranks);
}

/* Lists the collective's algorithms, as far as there is room: "'outer-gather', 'outer-grid'". */
static void list_algorithms(enum summand__collective collective, char *text, size_t room)
{
    size_t used = 0;
    *text = 0;
    for (int i = 0; summand__algorithms[i] && used < room; i++)
        if (summand__algorithms[i]->build[collective])
            used += (size_t)snprintf(text + used, room - used, "%s'%s'", used ? ", " : "",
                                     summand__algorithms[i]->name);
}

int summand__algorithm_check_for(const char *argument, const char *algorithm,
                                 enum summand__collective collective)
{
    char names[300];
    int code = summand__algorithm_check(argument, algorithm);
    if (code != MPI_SUCCESS || !algorithm || summand__algorithm_named(algorithm)->build[collective])
        return code;
    list_algorithms(collective, names, sizeof names);
    return summand__refuse(SUMMAND_ERR_ALGORITHM, "%s is '%s', which does not do %s; these do: %s",
                           argument, algorithm, summand__collectives[collective].name, names);
}
