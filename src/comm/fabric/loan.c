/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/fabric/loan.h"

#include <string.h>

#include "comm/fabric/ballot.h"
#include "comm/fabric/closing.h"
#include "comm/fabric/list.h"

enum { WORDS = SUMMAND__NUMBER_WORDS, MOST_LENDERS = 8 };

/* What is offered to two communicators at once could become both's, so neither gets it. Each offers
 * the numbers of one class, and then those of another, all in an order of its own: threads that are
 * at it together keep in step, and would meet again and again in one order for all. */
enum { CLASSES = 32, SHUFFLES = 3 };

/* Each shuffle is one to one: classes are a power of two, and the factor is odd. */
static int class_of(const struct summand__fabric *fabric, int turn)
{
    uint64_t bits = fabric->id[1], class = (uint64_t)turn;
    for (int i = 0; i < SHUFFLES; i++, bits /= CLASSES * CLASSES)
        class = (class ^ bits) * (bits / CLASSES | 1) % CLASSES;
    return (int)class;
}

/* What the ranks tell one another, joined by MPI_BAND. */
struct vote {
    uint64_t knows; /* the lender, on all ranks */
    uint64_t free[WORDS];
};

/* Whom a communicator's ranks are looked up for. */
struct borrower {
    MPI_Group group;
    struct summand__members members;
    const int *all; /* 0, 1, ... */
    int *peers;
};

/* The lock is held. */
static bool covers(const struct summand__fabric *lender, const struct borrower *borrower)
{
    return lender->comm != MPI_COMM_NULL && !lender->lender &&
           summand__fabric_translate(lender, borrower->group, borrower->all, &borrower->members,
                                     borrower->peers);
}

/* Rank 0's, the newest first. */
static void list_lenders(const struct borrower *borrower, uint64_t ids[MOST_LENDERS][2])
{
    int n = 0;
    summand__fabrics_lock();
    for (const struct summand__fabric *f = summand__fabrics_first(); f && n < MOST_LENDERS;
         f = f->next)
        if (covers(f, borrower))
            memcpy(ids[n++], f->id, sizeof f->id);
    summand__fabrics_unlock();
}

/* With one user more; NULL where it is gone, or not there yet. */
static struct summand__fabric *look_up(const struct borrower *borrower, const uint64_t id[2])
{
    summand__fabrics_lock();
    struct summand__fabric *lender = summand__fabrics_first();
    while (lender && memcmp(lender->id, id, sizeof lender->id) != 0)
        lender = lender->next;
    if (lender && !covers(lender, borrower))
        lender = NULL;
    if (lender)
        lender->users++;
    summand__fabrics_unlock();
    return lender;
}

/* What was given back is free once all that has come for it is taken. */
static void offer(struct summand__fabric *lender, int class, uint64_t *words)
{
    struct summand__number_set *loans = &lender->loans;
    summand__fabrics_lock();
    if (summand__number_set_any_left(loans) && summand__fabric_drain(lender)) {
        summand__number_set_take_back(loans, loans->left, WORDS, -1);
        memset(loans->left, 0, sizeof loans->left);
    }
    summand__number_set_offer(loans, UINT64_C(0x0000000100000001) << class, WORDS, words);
    summand__fabrics_unlock();
}

static void take_back(struct summand__fabric *lender, const uint64_t *words, int taken)
{
    summand__fabrics_lock();
    summand__number_set_take_back(&lender->loans, words, WORDS, taken);
    summand__fabrics_unlock();
}

/* One vote; `number` is -1 where none is free on all ranks. */
static int try_class(MPI_Comm comm, struct summand__fabric *lender, int class, bool *known,
                     int *number)
{
    struct vote mine = {.knows = lender ? 1 : 0}, all;
    if (lender)
        offer(lender, class, mine.free);
    all = mine;
    int code = summand__ballot(comm, (uint64_t *)(void *)&all, (int)(sizeof all / 8), true);
    *known = code == MPI_SUCCESS && all.knows;
    *number = *known ? summand__number_set_lowest(all.free, WORDS) : -1;
    if (lender && code == MPI_SUCCESS) /* else others may have taken one */
        take_back(lender, mine.free, *number);
    return code;
}

static int try_lender(MPI_Comm comm, struct summand__fabric *fabric, struct summand__fabric *lender)
{
    bool known = true;
    int number = -1, code = MPI_SUCCESS;
    for (int t = 0; t < CLASSES && known && number < 0 && code == MPI_SUCCESS; t++)
        code = try_class(comm, lender, class_of(fabric, t), &known, &number);
    if (number < 0)
        return code;
    fabric->lender = lender;
    fabric->first = lender->contexts + number;
    return code;
}

int summand__loan_take(MPI_Comm comm, MPI_Group group, struct summand__fabric *fabric, int *scratch)
{
    uint64_t ids[MOST_LENDERS][2] = {{0}};
    struct borrower borrower = {.group = group,
                                .members = {NULL, fabric->ranks, fabric->rank},
                                .all = scratch,
                                .peers = fabric->peers};
    for (int r = 0; r < fabric->ranks; r++)
        scratch[r] = r;
    if (!fabric->rank)
        list_lenders(&borrower, ids);
    int code = summand__ballot_tell(comm, ids, (int)sizeof ids);
    for (int i = 0; i < MOST_LENDERS && code == MPI_SUCCESS && !fabric->lender && ids[i][1]; i++) {
        struct summand__fabric *lender = look_up(&borrower, ids[i]);
        code = try_lender(comm, fabric, lender);
        if (lender && !fabric->lender)
            summand__fabric_release(lender);
    }
    if (fabric->lender)
        fabric->comm = fabric->lender->comm;
    return code;
}
