/* SPDX-License-Identifier: BSD-3-Clause */
/* SUMMAND_MODE: which calls Summand serves, and with which promise. Needs no MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, what it means) */
#define SHIM_MODES(X)                                                                              \
    X(fast, FAST, "as MPI promises, by the algorithm that Summand chooses")                        \
    X(ordered, ORDERED, "operands are combined in rank order")                                     \
    X(canonical, CANONICAL,                                                                        \
      "one bracketing for each number of ranks: the same bits for every placement, algorithm, "    \
      "count and MPI")                                                                             \
    X(exact, EXACT,                                                                                \
      "MPI_SUM of floating types is the exact sum of what the ranks pass in, rounded once; all "   \
      "else is canonical")                                                                         \
    X(off, OFF, "the MPI does it")

enum shim_mode {
#define SHIM_ID(name, id, meaning) SHIM_MODE_##id,
    SHIM_MODES(SHIM_ID)
#undef SHIM_ID
        SHIM_MODE_COUNT
};

enum { SHIM_RULES_MOST = 16 };

/* The first rule that fits a call holds; without one it is off. */
struct shim_rule {
    enum shim_mode mode;
    int collective;      /* of enum shim_collective, or -1: any */
    int64_t least, most; /* bytes of the vector, or of all blocks together */
};

struct shim_rules {
    int count;
    struct shim_rule rule[SHIM_RULES_MOST];
};

/* Reads "fast", or "exact:allreduce<=1k,canonical". False with a complaint of one sentence. */
bool shim_rules_read(const char *text, struct shim_rules *rules, char *complaint, size_t room);

/* The mode for a call. */
static inline enum shim_mode shim_rules_mode(const struct shim_rules *rules, int collective,
                                             int64_t bytes)
{
    for (int i = 0; i < rules->count; i++) {
        const struct shim_rule *rule = &rules->rule[i];
        if ((rule->collective < 0 || rule->collective == collective) && bytes >= rule->least &&
            bytes <= rule->most)
            return rule->mode;
    }
    return SHIM_MODE_OFF;
}

/* True if a mode promises more of the bits than MPI does. */
static inline bool shim_mode_promises(enum shim_mode mode)
{
    return mode != SHIM_MODE_FAST && mode != SHIM_MODE_OFF;
}

/* The same of any rule. */
bool shim_rules_promise(const struct shim_rules *rules);

/* True if no call is served. */
bool shim_rules_off(const struct shim_rules *rules);
