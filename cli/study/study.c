/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study: experiments of papers, which are not needed to use the library. */
#include "cli/commands.h"
#include "cli/study/experiment.h"

extern const struct command study_sum, study_distribution, study_plot, study_outer, study_gemm,
    study_scaling;
/* Those of `summand`, here with the algorithms of papers (lab/papers). */
extern const struct command command_draw, command_predict, command_verify, benchmark_outer;

static const struct command *const benchmarks[] = {&benchmark_outer, NULL};
static const struct command study_bench = {
    .name = "bench",
    .summary = "measures algorithms of papers beside those of the library and the MPI",
    .synopsis = "bench COMMAND [options]",
    .examples = "  mpirun -np 2 summand-study bench outer --sizes 500 --algorithms all\n",
    .members = benchmarks};

static const struct command study_help = {
    .name = "help",
    .summary = "the commands, or examples and options of one",
    .synopsis = "help [COMMAND]",
    .examples = "  summand-study help figure\n  summand-study help --json\n",
    .run = help_run};
static const struct command study_version = {.name = "version",
                                             .summary = "the version; 'summand info' says more",
                                             .synopsis = "version",
                                             .examples = "  summand-study version\n",
                                             .run = version_run};

static const struct command *const commands[] = {
    &study_sum,       &study_distribution, &study_scaling,
    &study_figure,    &study_table,        &study_root,
    &study_rounds,    &study_one_sided,    &study_outer,
    &study_gemm,      &study_plot,         &command_draw,
    &command_predict, &command_verify,     &study_bench,
    &study_help,      &study_version,      NULL};

const struct program program_study = {
    "summand-study",
    "experiments of papers: the index tree of Stelz, gossip that heals, sums of outer products, "
    "products of matrices; and four commands of summand with algorithms of papers",
    commands};
