/* Sums of outer products as plans: what the caller gave, what the ranks tell each other of it, and
 * what runs. */
#ifndef SUMMAND_OUTER_OUTER_H
#define SUMMAND_OUTER_OUTER_H

#include <summand/outer.h>

#include "algorithm/outer/shape.h"
#include "comm/state.h"
#include "plan/signature.h"

/* As the caller gave it. */
struct summand__outer_arguments {
    enum summand_outer_type type;
    MPI_Count pairs;
    int n;
    const summand_outer_matrix *matrices;
    summand_outer_options options;
};

/* MPI_SUCCESS or an MPI error code of this rank's arguments. Local. */
int summand__outer_check(const struct summand__outer_arguments *arguments, int ranks);
/* The same of buffers and what depends on who gets what, for arguments that are right besides. */
int summand__outer_check_buffers(const struct summand__outer_arguments *arguments, int rank,
                                 int ranks);

/* All but the pairs, gaps between rows and this rank's own. */
void summand__outer_sign(const struct summand__outer_arguments *arguments,
                         struct summand__signature *signature, const char *call);

/* Whether they differ in nothing but buffers, functions, timeouts and room. */
bool summand__outer_same(const struct summand__outer_arguments *a,
                         const struct summand__outer_arguments *b);
/* The library's own copy of an algorithm's name, or NULL. */
const char *summand__outer_name_of(const char *name);
/* The caller's names may be gone by the next call. */
void summand__outer_keep_names(summand_outer_options *options);

/* "G of 3 matrices, 10 pairs", for who waits in vain; `what` are arguments. */
void summand__outer_describe(const void *what, char *text, size_t room);

/* Pairs of a matrix, of this rank. */
size_t summand__outer_pairs_of(const struct summand__outer_arguments *arguments, int matrix);

/* Whether it takes what no schedule of the table makes (factored.h). */
bool summand__outer_is_factored(const struct summand__outer_arguments *arguments);

/* The part of a matrix that is a rank's, with the caller's options. */
struct summand__outer_block summand__outer_part_of(const struct summand__outer_arguments *arguments,
                                                   int matrix, int rank, int ranks);

/* What the ranks know of one another: pairs of each, and whether rows lie apart on any of them; or
 * of each rank what summand__outer_tell says. */
struct summand__outer_known {
    uint64_t *words;
    size_t count;
};

/* Collective: exchanged with that tag (plan/join.h), with a word of all that must be alike: ranks
 * that differ there all get SUMMAND_ERR_MISMATCH. An MPI error code; to be forgotten in any case.
 * `call` names the public call. */
int summand__outer_meet(struct summand__state *state, int tag,
                        const struct summand__outer_arguments *arguments, const char *call,
                        struct summand__outer_known *known);
void summand__outer_forget(struct summand__outer_known *known);
bool summand__outer_known_alike(const struct summand__outer_known *a,
                                const struct summand__outer_known *b);

/* Makes a plan. Local; an MPI error code. */
int summand__outer_plan(struct summand__state *state,
                        const struct summand__outer_arguments *arguments,
                        const struct summand__outer_known *known, int tag, summand_plan **plan);

/* Other buffers and functions of a call that differs in these alone. */
void summand__outer_rebind(summand_plan *plan, const struct summand__outer_arguments *arguments);
/* Whether a plan serves such a call: but for buffers, functions and timeouts they are the same. */
bool summand__outer_serves(const summand_plan *plan,
                           const struct summand__outer_arguments *arguments);

#endif
