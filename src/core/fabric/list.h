/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabrics of this process. One lock guards the list and, of each fabric, `sets`, `goodbyes` and
 * `users`. Which rank of a communicator holds it when does not matter: nobody waits for others
 * meanwhile. */
#ifndef SUMMAND_FABRIC_LIST_H
#define SUMMAND_FABRIC_LIST_H

#include "fabric/fabric.h"

void summand__fabrics_lock(void);
void summand__fabrics_unlock(void);

/* Of these the lock must be held. */
struct summand__fabric *summand__fabrics_first(void);
void summand__fabric_enlist(struct summand__fabric *fabric);
void summand__fabric_delist(struct summand__fabric *fabric);

/* The communicator's ranks, `all` of them 0, 1, ..., in the fabric; false if that has not all of
 * them. `member` has room for as many; `members` says how many, and which is this one. */
bool summand__fabric_translate(const struct summand__fabric *fabric, MPI_Group group,
                               const int *all, const struct summand__members *members, int *member);

#endif
