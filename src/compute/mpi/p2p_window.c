/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts as messages, for MPIs whose one-sided calls cannot be used. A put is a message that names
 * the place of its data; short data travel with it, long ones in later messages. The target
 * receives them in its window calls (p2p_inbox.h). Nothing waits for the target: data that may not
 * stay the caller's are copied.
 *
 * The messages use the fabric's communicator, with a tag that no living window of the communicator
 * has. So every call that is made can end by polls. A rank sends a head, then its data, so one tag
 * is enough for both. A window may be closed while puts to it are in transit: heads name their
 * window, and a later window with the tag drops them. */
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "base/backoff.h"
#include "compute/mpi/p2p_inbox.h"
#include "compute/mpi/window.h"
#include "kernel/stream.h"
#include "process/error.h"

enum { LINE = 64, SHORT = SUMMAND__P2P_SHORT, PIECE = SUMMAND__P2P_PIECE };

/* Failed polls of puts in one turn. */
enum { LOOKS = 8 };

/* Nanoseconds to wait for messages in transit when the window is closed. */
enum { ENDING = 20000000 };

/* A put in transit. */
struct sent {
    struct sent *next;
    int rank;
    bool borrowed; /* its data are the caller's */
    int requests, through;
    MPI_Request *request;
    struct summand__p2p_head head; /* and data, if they are short or copied */
    unsigned char data[];
};

struct p2p_window {
    struct summand__window_base base; /* first */
    struct summand__p2p_inbox inbox;
    int tag;     /* of the context */
    bool copies; /* if waits have a deadline: a slow target may read after the caller has freed the
                    data */
    struct sent *first, **last;
    struct sent *reserve; /* for a counter alone when out of memory: other ranks may wait for it */
    bool reserve_used;
};

static bool is_over(MPI_Request *request, int *code)
{
    int done = 0;
    *code = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    return *code == MPI_SUCCESS && done;
}

/* NULL: out of memory. */
static struct sent *new_sent(size_t kept, size_t requests)
{
    struct sent *sent = calloc(1, sizeof *sent + kept);
    if (sent && !(sent->request = malloc(requests * sizeof *sent->request))) {
        free(sent);
        sent = NULL;
    }
    return sent;
}

static void free_sent(struct sent *sent)
{
    if (sent)
        free(sent->request);
    free(sent);
}

static void drop_sent(struct p2p_window *own, struct sent *sent)
{
    if (sent == own->reserve)
        own->reserve_used = false;
    else
        free_sent(sent);
}

/* NULL: out of memory. */
static struct sent *take_sent(struct p2p_window *own, size_t bytes, bool borrowed)
{
    struct sent *sent = new_sent(borrowed ? 0 : bytes, 2 + bytes / PIECE);
    if (sent || bytes || own->reserve_used)
        return sent;
    own->reserve_used = true;
    own->reserve->requests = own->reserve->through = 0;
    own->reserve->next = NULL;
    return own->reserve;
}

/* Frees completed puts. Each poll is an MPI call, and a rank may have hundreds of puts in flight.
 * So after some failed polls, the next turn begins with the others. */
static int move_sends(struct p2p_window *own)
{
    int code = MPI_SUCCESS, vain = 0;
    struct sent **link = &own->first;
    for (struct sent *sent; (sent = *link) && vain < LOOKS && code == MPI_SUCCESS;) {
        while (sent->through < sent->requests && is_over(&sent->request[sent->through], &code))
            sent->through++;
        if (sent->through < sent->requests) {
            link = &sent->next;
            vain++;
            continue;
        }
        *link = sent->next;
        if (own->last == &sent->next)
            own->last = link;
        drop_sent(own, sent);
    }
    if (*link && vain) { /* those that were polled go after the others */
        struct sent *others = *link;
        *own->last = own->first;
        *link = NULL;
        own->last = link;
        own->first = others;
    }
    return code;
}

static int move(struct p2p_window *own)
{
    int code = summand__p2p_inbox_move(&own->inbox);
    return code == MPI_SUCCESS ? move_sends(own) : code;
}

static int post(struct p2p_window *own, struct sent *sent, const void *data)
{
    bool with_head = sent->head.bytes <= SHORT;
    size_t first = with_head ? sent->head.bytes : 0;
    int to = summand__channel_peer(&own->base.state->channel, sent->rank);
    int code =
        PMPI_Isend(&sent->head, (int)(offsetof(struct summand__p2p_message, data) + first),
                   MPI_BYTE, to, own->inbox.tag, own->inbox.comm, &sent->request[sent->requests]);
    sent->requests += code == MPI_SUCCESS;
    for (size_t done = first; done < sent->head.bytes && code == MPI_SUCCESS; done += PIECE) {
        size_t rest = sent->head.bytes - done;
        code = PMPI_Isend((const char *)data + done, (int)(rest < PIECE ? rest : PIECE), MPI_BYTE,
                          to, own->inbox.tag, own->inbox.comm, &sent->request[sent->requests]);
        sent->requests += code == MPI_SUCCESS;
    }
    return code;
}

static int send_put(struct p2p_window *own, int rank, struct summand__p2p_head head,
                    const void *data, bool borrowed)
{
    struct sent *sent = take_sent(own, head.bytes, borrowed);
    if (!sent)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    sent->rank = rank;
    sent->borrowed = borrowed;
    sent->head = head;
    memcpy(sent->head.window, own->inbox.id, sizeof own->inbox.id);
    if (!borrowed && head.bytes)
        summand__copy_bytes(sent->data, data, head.bytes);
    *own->last = sent;
    own->last = &sent->next;
    int code = post(own, sent, borrowed ? data : sent->data);
    return code == MPI_SUCCESS ? move(own) : code;
}

static int p2p_put(struct summand__window *window, const struct summand__put *put)
{
    struct p2p_window *own = (struct p2p_window *)window;
    int code = summand__window_check_put(window, put);
    if (code != MPI_SUCCESS)
        return code;
    struct summand__p2p_head head = {.place = summand__window_place(&own->base, put),
                                     .bytes = put->bytes,
                                     .more = put->more,
                                     .counter = put->counter};
    if (put->rank != own->base.state->rank)
        return send_put(own, put->rank, head, put->data,
                        put->flags & SUMMAND__PUT_NO_WAIT && put->bytes > SHORT && !own->copies);
    if (put->bytes)
        summand__copy_bytes(own->inbox.memory + head.place, put->data, put->bytes);
    if (put->counter != SUMMAND__NO_COUNTER)
        own->inbox.counter[put->counter] += 1 + put->more;
    return MPI_SUCCESS;
}

static int p2p_notify(struct summand__window *window, int rank, int counter)
{
    struct p2p_window *own = (struct p2p_window *)window;
    int code = summand__window_check_notify(window, rank, counter);
    if (code != MPI_SUCCESS)
        return code;
    if (rank != own->base.state->rank)
        return send_put(own, rank, (struct summand__p2p_head){.counter = counter}, NULL, false);
    own->inbox.counter[counter]++;
    return MPI_SUCCESS;
}

static int p2p_test(struct summand__window *window, int counter, uint64_t value, bool *done)
{
    struct p2p_window *own = (struct p2p_window *)window;
    int code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS && own->inbox.counter[counter] < value)
        code = move(own);
    *done = code == MPI_SUCCESS && own->inbox.counter[counter] >= value;
    return code;
}

static int p2p_read(struct summand__window *window, int counter, uint64_t *value)
{
    struct p2p_window *own = (struct p2p_window *)window;
    int code = summand__window_check_counter(window, counter);
    if (code == MPI_SUCCESS)
        code = move(own);
    if (code == MPI_SUCCESS)
        *value = own->inbox.counter[counter];
    return code;
}

/* Puts to a rank, or to all, that borrow the caller's data. */
struct borrowed {
    struct p2p_window *own;
    int rank;
};

static bool holds(const struct borrowed *borrowed, const struct sent *sent)
{
    return sent->borrowed &&
           (borrowed->rank == SUMMAND__EVERY_RANK || sent->rank == borrowed->rank);
}

static void each_holder(const void *of, summand__each_rank *each, void *to)
{
    const struct borrowed *borrowed = of;
    for (const struct sent *sent = borrowed->own->first; sent; sent = sent->next)
        if (holds(borrowed, sent))
            each(to, sent->rank);
}

static bool given_back(void *context, int *code)
{
    const struct borrowed *borrowed = context;
    *code = move(borrowed->own);
    for (const struct sent *sent = borrowed->own->first; sent; sent = sent->next)
        if (holds(borrowed, sent))
            return false;
    return true;
}

static int p2p_progress(struct summand__window *window)
{
    return move((struct p2p_window *)window);
}

static int p2p_flush(struct summand__window *window, int rank, bool block, bool *done)
{
    struct borrowed borrowed = {(struct p2p_window *)window, rank};
    if (rank != SUMMAND__EVERY_RANK && summand__window_check_rank(window, rank) != MPI_SUCCESS)
        return MPI_ERR_RANK;
    int code = MPI_SUCCESS;
    if (block)
        code = summand__window_wait_until(window, given_back, &borrowed, each_holder, 0);
    *done = block ? code == MPI_SUCCESS : given_back(&borrowed, &code);
    return code;
}

static bool p2p_available(const struct summand__state *state)
{
    (void)state;
    return true;
}

static void free_all(struct p2p_window *own)
{
    summand__p2p_inbox_free(&own->inbox);
    free(own->inbox.memory);
    free(own->inbox.counter);
    if (!own->reserve_used) /* else the MPI may read it */
        free_sent(own->reserve);
    summand__window_base_free(&own->base);
}

/* Frees the requests of puts that the target has not received by then, because it needs none or has
 * failed. They complete without the window; their memory stays, because the MPI may read it. */
static void end_messages(struct p2p_window *own)
{
    uint64_t begin = summand__clock();
    while (move(own) == MPI_SUCCESS && own->first && summand__clock() - begin < ENDING)
        continue;
    for (struct sent *sent = own->first; sent; sent = sent->next)
        for (int i = sent->through; i < sent->requests; i++)
            PMPI_Request_free(&sent->request[i]);
}

static void p2p_close(struct summand__window *window)
{
    struct p2p_window *own = (struct p2p_window *)window;
    int over = 0;
    if (!own)
        return;
    PMPI_Finalized(&over);
    if (!over)
        end_messages(own);
    bool idle = summand__p2p_inbox_close(&own->inbox, over);
    struct summand__state *state = own->base.state;
    if (idle) {
        summand__tags_window_end(&state->tags, own->tag);
        free_all(own);
        return;
    }
    /* Data without their head may still arrive: no other window or communicator may use the tag.
     * Also the MPI may write to the memory. */
    state->spoiled = true;
}

static int p2p_open(struct summand__state *state, const struct summand__window_spec *spec,
                    struct summand__window **window)
{
    struct p2p_window *own = (struct p2p_window *)summand__window_base_make(
        state, spec, &summand__p2p_window, sizeof *own);
    *window = NULL;
    if (own) {
        own->last = &own->first;
        own->inbox.memory = aligned_alloc(LINE, own->base.bytes + LINE);
        own->inbox.counter = calloc((size_t)spec->counters + 1, sizeof *own->inbox.counter);
        own->reserve = new_sent(0, 1);
    }
    struct summand__window_terms terms;
    bool good = own && own->inbox.memory && own->inbox.counter && own->reserve &&
                summand__p2p_inbox_make(&own->inbox);
    int code = summand__window_agree(state, spec, good, &terms);
    if (code == MPI_SUCCESS && !summand__tags_window(&state->tags, terms.living, &own->tag)) {
        summand__error_explain(SUMMAND_ERR_MEMORY, "too many windows of one communicator");
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    }
    if (code != MPI_SUCCESS) {
        if (own)
            free_all(own);
        return code;
    }
    memset(own->inbox.memory, 0, own->base.bytes + LINE);
    own->inbox.comm = state->channel.comm;
    own->inbox.tag = summand__channel_tag(&state->channel, own->tag);
    own->copies = terms.deadline;
    own->inbox.id[0] = state->context.id;
    own->inbox.id[1] = state->tags.windows;
    summand__window_base_expose(&own->base, own->inbox.memory);
    *window = &own->base.window;
    return MPI_SUCCESS;
}

const struct summand__window_transport summand__p2p_window = {.name = "p2p",
                                                              .available = p2p_available,
                                                              .open = p2p_open,
                                                              .close = p2p_close,
                                                              .put = p2p_put,
                                                              .notify = p2p_notify,
                                                              .flush = p2p_flush,
                                                              .progress = p2p_progress,
                                                              .test = p2p_test,
                                                              .read = p2p_read,
                                                              .wait_any = summand__window_wait_any};
