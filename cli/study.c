/* summand study: experiments of papers, which nobody needs to add things up. */
#include "cli.h"

extern const struct command command_study;

#define STUDIES(X)                                                                                 \
    X(study_sum)                                                                                   \
    X(study_spread)                                                                                \
    X(study_distribution) X(study_plot) X(gossip_figure) X(gossip_table) X(gossip_root)            \
        X(gossip_rounds)

#define DECLARE(name) extern const struct command name;
STUDIES(DECLARE)
#undef DECLARE

static const struct command *const members[] = {
#define ENTRY(name) &name,
    STUDIES(ENTRY)
#undef ENTRY
        NULL};

const struct command command_study = {
    .name = "study",
    .summary = "experiments of papers: the index tree of Stelz, gossip that heals",
    .synopsis = "study COMMAND [options]",
    .examples = "  summand study distribution --ranks 256 --n 504850\n"
                "  summand study figure 1 --quick\n",
    .members = members,
};
