/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands of `summand`. */
#include "cli/commands.h"

#define COMMANDS(X)                                                                                \
    X(run_program)                                                                                 \
    X(sum)                                                                                         \
    X(bench)                                                                                       \
    X(tune)                                                                                        \
    X(list)                                                                                        \
    X(predict)                                                                                     \
    X(draw)                                                                                        \
    X(record)                                                                                      \
    X(report)                                                                                      \
    X(diff)                                                                                        \
    X(verify)                                                                                      \
    X(inject)                                                                                      \
    X(generate)                                                                                    \
    X(spread)                                                                                      \
    X(judge)                                                                                       \
    X(train)                                                                                       \
    X(gossip)                                                                                      \
    X(info)                                                                                        \
    X(help)                                                                                        \
    X(version)

#define DECLARE(name) extern const struct command command_##name;
COMMANDS(DECLARE)
#undef DECLARE

static const struct command *const commands[] = {
#define ENTRY(name) &command_##name,
    COMMANDS(ENTRY)
#undef ENTRY
        NULL};

const struct program program_summand = {"summand", "adding things up across processes", commands};
