/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a fabric. All know rank 0's settings by the vote (fabric.c), or rank 0 broadcasts them. All
 * make a private communicator, and one of each node, which is freed at the end. They agree that
 * each has both, and memory. Then nodes share memory (fabric_node.h). All collectives use the
 * caller's communicator or the node's. */
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "fabric/closing.h"
#include "fabric/draw.h"
#include "fabric/fabric.h"
#include "fabric/fabric_node.h"
#include "fabric/node_split.h"
#include "fabric/reads.h"
#include "process/error.h"
#include "process/world_root.h"
#include "wait/ballot.h"
#include "wait/cause.h"

void summand__fabric_head_make(const struct summand__settings *settings, uint64_t newest,
                               struct summand__fabric_head *head)
{
    head->told = 1;
    head->settings = *settings;
    if (settings->network == SUMMAND__NETWORK_AUTO)
        head->network = summand__network_recall();
    summand__draw_id(newest, head->id);
}

/* Broadcasts by a vote, which does not end before all ranks have joined: the next calls make
 * communicators, and no rank could leave these. */
static int tell_head(MPI_Comm comm, uint64_t newest, struct summand__fabric_head *head)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    memset(head, 0, sizeof *head);
    if (!rank) {
        const struct summand__settings settings = summand__settings_read();
        summand__fabric_head_make(&settings, newest, head);
    }
    return summand__ballot_or(comm, (uint64_t *)(void *)head, (int)(sizeof *head / 8));
}

/* `code`: result of the call that makes `*comm`. */
static void settle_new(MPI_Comm *comm, int code)
{
    if (code == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    else
        *comm = MPI_COMM_NULL;
}

/* Makes a communicator of the node's ranks, or MPI_COMM_NULL. A declared node can only divide ranks
 * that share memory, because simulators declare nodes that do not. So these are split once more, if
 * all ranks have their communicator. Returns the code of this vote, or SUMMAND_ERR_TIMEOUT of an
 * earlier one. */
static int split(MPI_Comm comm, int64_t node_size, MPI_Comm *node)
{
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    *node = comm;
    if (ranks == 1)
        return MPI_SUCCESS;
    int code = summand__node_split(comm, node);
    settle_new(node, code);
    if (summand_error_of(code) == SUMMAND_ERR_TIMEOUT)
        return code;
    if (!node_size)
        return MPI_SUCCESS;
    MPI_Comm sharing = *node;
    int complete = sharing != MPI_COMM_NULL;
    *node = MPI_COMM_NULL;
    code = summand__ballot_least(comm, &complete, 1);
    if (code == MPI_SUCCESS && complete)
        settle_new(node, PMPI_Comm_split(sharing, rank / (int)node_size, rank, node));
    if (code == MPI_SUCCESS && sharing != MPI_COMM_NULL)
        PMPI_Comm_free(&sharing);
    return code;
}

/* Does not use MPI_Comm_dup, which copies the caller's attributes. All ranks make both, even if one
 * fails: other ranks may get theirs. */
static int make_communicators(MPI_Comm comm, MPI_Group group, int64_t node_size,
                              struct summand__making *making)
{
    settle_new(&making->private, PMPI_Comm_create(comm, group, &making->private));
    return split(comm, node_size, &making->node);
}

/* Each context has as many tags as the smallest MPI. */
static int most_contexts(void)
{
    int64_t contexts = ((int64_t)summand__most_tag() + 1) / SUMMAND__TAGS_PER_CONTEXT;
    return contexts < SUMMAND__MOST_CONTEXTS ? (int)contexts : SUMMAND__MOST_CONTEXTS;
}

static int refuse_lack(void)
{
    summand__error_explain(SUMMAND_ERR_COMMUNICATORS,
                           "after a call on MPI_COMM_WORLD %d communicators of its ranks at once "
                           "need none of their own",
                           most_contexts());
    return summand_error_code(SUMMAND_ERR_COMMUNICATORS);
}

/* Checks that all ranks have memory for the next steps, and both communicators. */
static int agree_on_means(MPI_Comm comm, struct summand__making *making)
{
    struct summand__fabric *fabric = making->fabric;
    bool complete = making->private != MPI_COMM_NULL && making->node != MPI_COMM_NULL;
    int here = 1;
    if (complete)
        PMPI_Comm_size(making->node, &here);
    making->notes = malloc((size_t)here * sizeof *making->notes);
    if (fabric)
        fabric->map.here = malloc((size_t)here * sizeof *fabric->map.here);
    bool room = fabric && fabric->map.leader && fabric->map.local && fabric->map.here &&
                fabric->ends && making->notes && making->scratch;
    int rank, all[2] = {0, complete};
    PMPI_Comm_rank(comm, &rank);
    if (!room)
        all[0] = summand__cause_number(rank, summand_error_code(SUMMAND_ERR_MEMORY));
    int code = summand__ballot_least(comm, all, 2);
    if (code != MPI_SUCCESS)
        return code;
    if (all[0])
        return room ? summand__cause_told(all[0]) : summand_error_code(SUMMAND_ERR_MEMORY);
    return all[1] ? MPI_SUCCESS : refuse_lack();
}

static int make(MPI_Comm comm, MPI_Group group, uint64_t newest, struct summand__fabric_head *head,
                struct summand__making *making)
{
    int code = head->told ? MPI_SUCCESS : tell_head(comm, newest, head);
    if (code == MPI_SUCCESS)
        code = make_communicators(comm, group, head->settings.node_size, making);
    if (code == MPI_SUCCESS)
        code = agree_on_means(comm, making);
    if (code != MPI_SUCCESS)
        return code;
    struct summand__fabric *fabric = making->fabric;
    fabric->settings = head->settings;
    fabric->network = head->network;
    memcpy(fabric->id, head->id, sizeof head->id);
    if (head->settings.tuning[0])
        code = summand__tuning_text_get(comm, &fabric->tuning);
    if (code == MPI_SUCCESS)
        code = summand__fabric_settle(comm, making);
    if (code != MPI_SUCCESS || fabric->settings.network == SUMMAND__NETWORK_OFF)
        return code;
    return summand__network_learn(making->private, fabric->map.leader,
                                  fabric->shares ? &fabric->calibration : NULL, &fabric->tuning,
                                  &fabric->network);
}

/* Fails if the requested transport is not available. */
static int check_transport(const struct summand__fabric *fabric)
{
    const char *missing = NULL;
    if (fabric->settings.transport == SUMMAND__SHM && fabric->ranks > 1 && !fabric->shares)
        missing = "SUMMAND_TRANSPORT is 'shm': the ranks cannot share memory";
#ifndef SUMMAND_GPI2_FILE
    if (fabric->settings.transport == SUMMAND__GPI2)
        missing = "SUMMAND_TRANSPORT is 'gpi2': Summand was built without GPI-2";
#endif
    if (!missing)
        return MPI_SUCCESS;
    summand__error_explain(SUMMAND_ERR_ENVIRONMENT, "%s", missing);
    return summand_error_code(SUMMAND_ERR_ENVIRONMENT);
}

static void begin(MPI_Comm comm, struct summand__making *making)
{
    struct summand__fabric *fabric = making->fabric = calloc(1, sizeof *fabric);
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    making->scratch = malloc((size_t)ranks * sizeof *making->scratch);
    if (!fabric)
        return;
    fabric->comm = MPI_COMM_NULL;
    fabric->group = MPI_GROUP_NULL;
    fabric->ranks = ranks;
    PMPI_Comm_rank(comm, &fabric->rank);
    fabric->contexts = most_contexts();
    fabric->ends = calloc((size_t)fabric->contexts, sizeof *fabric->ends);
    summand__node_map_make(&fabric->map, ranks);
}

/* Freeing may be collective, so a rank that has left a collective does not free the
 * communicators. */
static void free_communicators(MPI_Comm comm, int code, struct summand__making *making)
{
    if (code == summand_error_code(SUMMAND_ERR_TIMEOUT))
        return;
    if (making->node != MPI_COMM_NULL && making->node != comm)
        PMPI_Comm_free(&making->node);
    if (code != MPI_SUCCESS && making->private != MPI_COMM_NULL)
        PMPI_Comm_free(&making->private);
}

int summand__fabric_make(MPI_Comm comm, bool stays, uint64_t newest,
                         struct summand__fabric_head *head, struct summand__fabric **made)
{
    struct summand__making making = {
        .private = MPI_COMM_NULL, .node = MPI_COMM_NULL, .stays = stays};
    MPI_Group group;
    MPI_Errhandler handler;
    *made = NULL;
    int code = PMPI_Comm_group(comm, &group);
    if (code == MPI_SUCCESS)
        code = PMPI_Comm_get_errhandler(comm, &handler);
    if (code != MPI_SUCCESS)
        return code;
    /* A lack of communicators must not raise an error on the caller's. */
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    begin(comm, &making);
    code = make(comm, group, newest, head, &making);
    struct summand__fabric *fabric = making.fabric;
    if (code == MPI_SUCCESS)
        code = check_transport(fabric);
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    free_communicators(comm, code, &making);
    free(making.notes);
    free(making.scratch);
    if (code != MPI_SUCCESS) {
        PMPI_Group_free(&group);
        if (fabric)
            summand__fabric_drop(fabric);
        return code;
    }
    fabric->comm = making.private;
    fabric->group = group;
    for (int c = 0; c < fabric->contexts; c++)
        fabric->sets.free[c / 64] |= UINT64_C(1) << c % 64;
    summand__calibrated_use(&fabric->calibration);
    summand__network_keep(&fabric->network);
    summand__reads_warn(fabric);
    *made = fabric;
    return MPI_SUCCESS;
}
