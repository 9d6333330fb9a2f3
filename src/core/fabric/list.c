/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/list.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct summand__fabric *fabrics;

void summand__fabrics_lock(void)
{
    pthread_mutex_lock(&lock);
}

void summand__fabrics_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

struct summand__fabric *summand__fabrics_first(void)
{
    return fabrics;
}

void summand__fabric_enlist(struct summand__fabric *fabric)
{
    fabric->next = fabrics;
    fabric->link = &fabrics;
    if (fabrics)
        fabrics->link = &fabric->next;
    fabrics = fabric;
}

void summand__fabric_delist(struct summand__fabric *fabric)
{
    *fabric->link = fabric->next;
    if (fabric->next)
        fabric->next->link = fabric->link;
    fabric->link = NULL;
}

bool summand__fabric_translate(const struct summand__fabric *fabric, MPI_Group group,
                               const int *all, const struct summand__members *members, int *member)
{
    int own = MPI_UNDEFINED;
    if (members->count > fabric->ranks ||
        PMPI_Group_translate_ranks(group, 1, &members->rank, fabric->group, &own) != MPI_SUCCESS ||
        own == MPI_UNDEFINED ||
        PMPI_Group_translate_ranks(group, members->count, all, fabric->group, member) !=
            MPI_SUCCESS)
        return false;
    for (int i = 0; i < members->count; i++)
        if (member[i] == MPI_UNDEFINED)
            return false;
    return true;
}
