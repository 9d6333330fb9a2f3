/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabrics of this process. One lock guards the list and, of each fabric, `sets`, `goodbyes` and
 * `users`. No thread waits for other ranks while it holds the lock. */
#pragma once

#include "fabric/fabric.h"

void summand__fabrics_lock(void);
void summand__fabrics_unlock(void);

/* The caller must hold the lock. */
struct summand__fabric *summand__fabrics_first(void);
void summand__fabric_enlist(struct summand__fabric *fabric);
void summand__fabric_delist(struct summand__fabric *fabric);

/* Translates the communicator's ranks, `all` = 0, 1, ..., to the fabric's; false if the fabric
 * lacks one. `member` has room for them; `members` gives their number and this rank. */
bool summand__fabric_translate(const struct summand__fabric *fabric, MPI_Group group,
                               const int *all, const struct summand__members *members, int *member);
