/* SPDX-License-Identifier: BSD-3-Clause */
/* summand study: experiments of papers, which nobody needs to add things up. */
#include "cli/gossip/gossip.h"

extern const struct command command_study, study_sum, study_spread, study_distribution, study_plot;

static const struct command *const members[] = {&study_sum,     &study_spread, &study_distribution,
                                                &gossip_figure, &gossip_table, &gossip_root,
                                                &gossip_rounds, &study_plot,   NULL};

const struct command command_study = {
    .name = "study",
    .summary = "experiments of papers: the index tree of Stelz, gossip that heals",
    .synopsis = "study COMMAND [options]",
    .examples = "  summand study distribution --ranks 256 --n 504850\n"
                "  summand study figure 1 --quick\n",
    .members = members,
};
