/* SPDX-License-Identifier: BSD-3-Clause */
#include "learn/probe.h"

#include "base/extreme.h"
#include "wait/ballot.h"

/* ORDER: to a follower. WORD: measured messages. LATE: received after others. REPORT: results. */
enum { ORDER_TAG, WORD_TAG, LATE_TAG, REPORT_TAG };

enum what { STOP, ANSWER, EXCHANGE, GATHER, DRAIN, TAKE_LATE, HELP };

struct order {
    int what, peer, times, unused;
    long long there, back;
};

static void begin(struct summand__probe *probe, bool sends, void *data, size_t bytes, int peer,
                  int tag, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (probe->code != MPI_SUCCESS)
        return;
    int code = sends ? PMPI_Isend(data, (int)bytes, MPI_BYTE, peer, tag, probe->comm, request)
                     : PMPI_Irecv(data, (int)bytes, MPI_BYTE, peer, tag, probe->comm, request);
    probe->code = code;
}

static void end(struct summand__probe *probe, MPI_Request *request)
{
    if (*request == MPI_REQUEST_NULL)
        return;
    if (probe->code == MPI_SUCCESS)
        probe->code = summand__ballot_wait(probe->comm, request);
    if (*request != MPI_REQUEST_NULL)
        probe->left = true;
}

static void put(struct summand__probe *probe, void *data, size_t bytes, int peer, int tag)
{
    MPI_Request request;
    begin(probe, true, data, bytes, peer, tag, &request);
    end(probe, &request);
}

static void get(struct summand__probe *probe, void *data, size_t bytes, int peer, int tag)
{
    MPI_Request request;
    begin(probe, false, data, bytes, peer, tag, &request);
    end(probe, &request);
}

static char *out(const struct summand__probe *probe)
{
    return probe->memory;
}

static char *in(const struct summand__probe *probe)
{
    return probe->memory + probe->room;
}

/* The order's place, in the probe's memory after both halves, so that an aborted wait can leave it
 * to the MPI. */
static struct order *slip(const struct summand__probe *probe)
{
    return (struct order *)(void *)(probe->memory + 2 * probe->room);
}

static double *reported(const struct summand__probe *probe)
{
    return (double *)(void *)(slip(probe) + 1);
}

size_t summand__probe_memory(size_t room)
{
    return 2 * room + sizeof(struct order) + sizeof(double);
}

static void tell(struct summand__probe *probe, int peer, struct order order)
{
    *slip(probe) = order;
    put(probe, slip(probe), sizeof order, peer, ORDER_TAG);
}

/* Sends messages one after another, the last one with this tag. None need leave before the others
 * are in flight. */
static void put_many(struct summand__probe *probe, int count, int peer, int last_tag)
{
    MPI_Request requests[SUMMAND__PROBE_BURST + 1];
    for (int i = 0; i < count; i++)
        begin(probe, true, out(probe), 8, peer, i < count - 1 ? WORD_TAG : last_tag, &requests[i]);
    for (int i = 0; i < count; i++)
        end(probe, &requests[i]);
}

static void gather(struct summand__probe *probe, int times)
{
    MPI_Request requests[SUMMAND__PROBE_BURST];
    for (int i = 0; i < times; i++)
        begin(probe, false, in(probe) + 8 * (size_t)i, 8, 0, WORD_TAG, &requests[i]);
    for (int i = 0; i < times; i++)
        end(probe, &requests[i]);
    put(probe, out(probe), 8, 0, WORD_TAG);
}

/* Receives the last message first, so all the others have arrived. */
static void drain(struct summand__probe *probe, int times)
{
    get(probe, in(probe), 8, 0, LATE_TAG);
    double start = PMPI_Wtime();
    for (int i = 0; i < times; i++)
        get(probe, in(probe), 8, 0, WORD_TAG);
    *reported(probe) = (PMPI_Wtime() - start) / times;
    put(probe, reported(probe), sizeof(double), 0, REPORT_TAG);
}

void summand__probe_swap(struct summand__probe *probe, int peer, size_t bytes)
{
    MPI_Request requests[2];
    begin(probe, false, in(probe), bytes, peer, WORD_TAG, &requests[0]);
    begin(probe, true, out(probe), bytes, peer, WORD_TAG, &requests[1]);
    end(probe, &requests[0]);
    end(probe, &requests[1]);
}

/* Answers on another tag a number of times, and waits for a word before it receives the late
 * message. */
static void take_late(struct summand__probe *probe, const struct order *order)
{
    for (int i = 0; i < order->times; i++) {
        get(probe, in(probe), 8, 0, WORD_TAG);
        put(probe, out(probe), 8, 0, WORD_TAG);
    }
    get(probe, in(probe), 8, 0, WORD_TAG);
    get(probe, in(probe), (size_t)order->there, 0, LATE_TAG);
}

static void help(struct summand__probe *probe, const struct order *order)
{
    put(probe, out(probe), 8, 0, REPORT_TAG);
    get(probe, in(probe), 8, 0, WORD_TAG);
    double start = PMPI_Wtime();
    put(probe, out(probe), (size_t)order->there, order->peer, WORD_TAG);
    get(probe, in(probe), 8, order->peer, WORD_TAG);
    *reported(probe) = PMPI_Wtime() - start;
    put(probe, reported(probe), sizeof(double), 0, REPORT_TAG);
}

static void answer(struct summand__probe *probe, const struct order *order)
{
    for (int i = 0; i < order->times; i++) {
        get(probe, in(probe), (size_t)order->there, order->peer, WORD_TAG);
        put(probe, out(probe), (size_t)order->back, order->peer, WORD_TAG);
    }
}

void summand__probe_follow(struct summand__probe *probe)
{
    while (probe->code == MPI_SUCCESS) {
        get(probe, slip(probe), sizeof(struct order), 0, ORDER_TAG);
        const struct order order = *slip(probe);
        if (probe->code != MPI_SUCCESS || order.what == STOP)
            return;
        if (order.what == ANSWER)
            answer(probe, &order);
        else if (order.what == EXCHANGE)
            summand__probe_swap(probe, 0, (size_t)order.there);
        else if (order.what == GATHER)
            gather(probe, order.times);
        else if (order.what == DRAIN)
            drain(probe, order.times);
        else if (order.what == TAKE_LATE)
            take_late(probe, &order);
        else
            help(probe, &order);
    }
}

void summand__probe_stop(struct summand__probe *probe, const int *followers, int count)
{
    for (int i = 0; i < count; i++)
        tell(probe, followers[i], (struct order){.what = STOP});
}

/* Wakes a follower: it receives its next order as soon as it has answered this one. That order is
 * in flight meanwhile: no message need leave before its receiver is ready. */
static void rouse(struct summand__probe *probe, int peer, struct order next)
{
    MPI_Request request;
    tell(probe, peer, (struct order){.what = ANSWER, .times = 1, .there = 8, .back = 8});
    if (probe->code != MPI_SUCCESS)
        return; /* the MPI may still read the first order */
    *slip(probe) = next;
    begin(probe, true, slip(probe), sizeof next, peer, ORDER_TAG, &request);
    put(probe, out(probe), 8, peer, WORD_TAG);
    get(probe, in(probe), 8, peer, WORD_TAG);
    end(probe, &request);
}

double summand__probe_trip(struct summand__probe *probe, int peer, size_t there, size_t back,
                           int times)
{
    double least = 0;
    rouse(probe, peer,
          (struct order){
              .what = ANSWER, .times = times, .there = (long long)there, .back = (long long)back});
    for (int i = 0; i < times; i++) {
        double start = PMPI_Wtime();
        put(probe, out(probe), there, peer, WORD_TAG);
        get(probe, in(probe), back, peer, WORD_TAG);
        double seconds = PMPI_Wtime() - start;
        least = i == 0 || seconds < least ? seconds : least;
    }
    return probe->code == MPI_SUCCESS ? least : 0;
}

double summand__probe_exchange(struct summand__probe *probe, int peer, size_t bytes)
{
    rouse(probe, peer, (struct order){.what = EXCHANGE, .there = (long long)bytes});
    double start = PMPI_Wtime();
    summand__probe_swap(probe, peer, bytes);
    return probe->code == MPI_SUCCESS ? PMPI_Wtime() - start : 0;
}

static double burst_once(struct summand__probe *probe, int peer, int messages)
{
    tell(probe, peer, (struct order){.what = GATHER, .times = messages});
    double start = PMPI_Wtime();
    put_many(probe, messages, peer, WORD_TAG);
    get(probe, in(probe), 8, peer, WORD_TAG);
    return PMPI_Wtime() - start;
}

static double drained(struct summand__probe *probe, int peer, double *send)
{
    tell(probe, peer, (struct order){.what = DRAIN, .times = SUMMAND__PROBE_BURST});
    double start = PMPI_Wtime();
    put_many(probe, SUMMAND__PROBE_BURST + 1, peer, LATE_TAG);
    *send = (PMPI_Wtime() - start) / (SUMMAND__PROBE_BURST + 1);
    get(probe, reported(probe), sizeof(double), peer, REPORT_TAG);
    return *reported(probe);
}

struct summand__probe_overheads summand__probe_burst(struct summand__probe *probe, int peer,
                                                     int times)
{
    struct summand__probe_overheads least = {0};
    double many = 0, one = 0;
    for (int i = 0; i < times; i++) {
        double send, recv = drained(probe, peer, &send);
        double all = burst_once(probe, peer, SUMMAND__PROBE_BURST);
        double single = burst_once(probe, peer, 1);
        least.send = i ? summand__lesser(least.send, send) : send;
        least.recv = i ? summand__lesser(least.recv, recv) : recv;
        many = i ? summand__lesser(many, all) : all;
        one = i ? summand__lesser(one, single) : single;
    }
    if (probe->code != MPI_SUCCESS)
        return (struct summand__probe_overheads){0};
    least.pace = many > one ? (many - one) / (SUMMAND__PROBE_BURST - 1) : 0;
    return least;
}

bool summand__probe_is_eager(struct summand__probe *probe, int peer, size_t bytes, double trip,
                             double flight)
{
    enum { MOST = 3 };
    MPI_Request request;
    int times = trip > 0 ? 2 + (int)(1.5 * flight / trip) : MOST, done = 0;
    times = times < MOST ? times : MOST;
    tell(probe, peer, (struct order){.what = TAKE_LATE, .times = times, .there = (long long)bytes});
    begin(probe, true, out(probe), bytes, peer, LATE_TAG, &request);
    for (int i = 0; i < times; i++) {
        put(probe, out(probe) + bytes, 8, peer, WORD_TAG);
        get(probe, in(probe), 8, peer, WORD_TAG);
    }
    if (probe->code == MPI_SUCCESS)
        probe->code = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    put(probe, out(probe) + bytes, 8, peer, WORD_TAG);
    end(probe, &request);
    return done;
}

double summand__probe_beside(struct summand__probe *probe, int peer, size_t bytes, int helper,
                             int partner, size_t helper_bytes, double *helped)
{
    MPI_Request request;
    tell(probe, partner,
         (struct order){.what = ANSWER,
                        .peer = helper,
                        .times = 1,
                        .there = (long long)helper_bytes,
                        .back = 8});
    tell(probe, helper,
         (struct order){.what = HELP, .peer = partner, .there = (long long)helper_bytes});
    tell(probe, peer,
         (struct order){.what = ANSWER, .times = 1, .there = (long long)bytes, .back = 8});
    get(probe, in(probe), 8, helper, REPORT_TAG);
    /* Both receivers have their orders: the helper's word was sent after them. */
    double start = PMPI_Wtime();
    begin(probe, true, out(probe), bytes, peer, WORD_TAG, &request);
    put(probe, out(probe), 8, helper, WORD_TAG);
    end(probe, &request);
    get(probe, in(probe), 8, peer, WORD_TAG);
    get(probe, reported(probe), sizeof(double), helper, REPORT_TAG);
    double seconds = PMPI_Wtime() - start;
    *helped = probe->code == MPI_SUCCESS ? *reported(probe) : 0;
    return probe->code == MPI_SUCCESS ? seconds : 0;
}
