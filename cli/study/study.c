/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study: experiments of papers, which are not needed to use the library. */
#include "cli/commands.h"
#include "cli/study/experiment.h"

extern const struct command study_sum, study_distribution, study_plot;

static const struct command *const commands[] = {
    &study_sum,    &study_distribution, &study_figure, &study_table,     &study_root,
    &study_rounds, &study_plot,         &command_help, &command_version, NULL};

const struct program program_study = {
    "summand-study", "experiments of papers: the index tree of Stelz, gossip that heals", commands};
