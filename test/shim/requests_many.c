/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with many requests in flight, in arrays, threads, and with scarce memory; it knows
 * nothing of Summand. */
#include <pthread.h>
#include <stdatomic.h>

#include "shim/requests.h"

/* Many in flight, some of them messages and persistent; ranks complete them in other orders. */
enum { MANY = 24 };
static double x[MANY][200], y[MANY][200], z[MANY][200];

/* MPICH 4 never returns from inactive ones. */
static int is_persistent(int i)
{
#ifdef OPEN_MPI
    return i < MANY - 2 && i % 5 == 4;
#else
    return i < 0;
#endif
}

static void start_many(MPI_Request *requests, int *message)
{
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    static double got;
    for (int i = 0; i < MANY - 2; i++) {
        fill(x[i], 200, i);
        if (is_persistent(i)) {
            MPI_Allreduce_init(x[i], y[i], 1 + i * 7, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL,
                               &requests[i]);
            MPI_Start(&requests[i]);
        } else {
            MPI_Iallreduce(x[i], y[i], 1 + i * 7, MPI_DOUBLE, MPI_SUM, world, &requests[i]);
        }
    }
    MPI_Irecv(&got, 1, MPI_DOUBLE, before, 3, world, &requests[MANY - 2]);
    MPI_Isend(x[0], 1, MPI_DOUBLE, next, 3, world, &requests[MANY - 1]);
    *message = 0;
}

static void check_many(const char *what)
{
    for (int i = 0; i < MANY - 2; i++) {
        MPI_Allreduce(x[i], z[i], 1 + i * 7, MPI_DOUBLE, MPI_SUM, world);
        check(!memcmp(y[i], z[i], (1 + (size_t)i * 7) * sizeof(double)), what, i);
    }
}

static void free_many(MPI_Request *requests)
{
    for (int i = 0; i < MANY; i++) {
        check((requests[i] != MPI_REQUEST_NULL) == is_persistent(i), "a handle", i);
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    }
}

static int wait_all(MPI_Request *r)
{
    MPI_Status statuses[MANY];
    MPI_Waitall(MANY, r, statuses);
    return MANY;
}

static int wait_any(MPI_Request *r)
{
    int at, seen = 0;
    for (MPI_Waitany(MANY, r, &at, MPI_STATUS_IGNORE); at != MPI_UNDEFINED; seen++)
        MPI_Waitany(MANY, r, &at, MPI_STATUS_IGNORE);
    return seen;
}

static int wait_some(MPI_Request *r)
{
    int done, at[MANY], seen = 0;
    for (MPI_Waitsome(MANY, r, &done, at, MPI_STATUSES_IGNORE); done != MPI_UNDEFINED;) {
        seen += done;
        MPI_Waitsome(MANY, r, &done, at, MPI_STATUSES_IGNORE);
    }
    return seen;
}

static int test_all(MPI_Request *r)
{
    for (int done = 0; !done;)
        MPI_Testall(MANY, r, &done, MPI_STATUSES_IGNORE);
    return MANY;
}

static int test_any(MPI_Request *r)
{
    int seen = 0;
    for (;;) {
        int at, done;
        MPI_Testany(MANY, r, &at, &done, MPI_STATUS_IGNORE);
        if (done && at == MPI_UNDEFINED)
            return seen;
        seen += done;
    }
}

static int test_some(MPI_Request *r)
{
    int seen = 0;
    for (;;) {
        int done, at[MANY];
        MPI_Testsome(MANY, r, &done, at, MPI_STATUSES_IGNORE);
        if (done == MPI_UNDEFINED)
            return seen;
        seen += done;
    }
}

static int each_back(MPI_Request *r)
{
    for (int i = MANY - 1; i >= 0; i--)
        MPI_Wait(&r[i], MPI_STATUS_IGNORE);
    return MANY;
}

static int look_first(MPI_Request *r)
{
    for (int i = 0; i < MANY; i++)
        for (int done = 0; !done;)
            MPI_Request_get_status(r[i], &done, MPI_STATUS_IGNORE);
    return wait_all(r);
}

static void arrays(void)
{
    static int (*const ways[])(MPI_Request *) = {wait_all, wait_any,  wait_some, test_all,
                                                 test_any, test_some, each_back, look_first};
    const int count = sizeof ways / sizeof *ways;
    for (int i = 0; i < count; i++) {
        MPI_Request requests[MANY];
        int message;
        start_many(requests, &message);
        check(ways[(i + rank) % count](requests) == MANY, "requests that completed", i);
        check_many("an array");
        free_many(requests);
    }
}

/* A rank may have no memory. */
static void scarce(void)
{
    MPI_Request request;
    prepare(0);
    MPI_Iallreduce(in, out, 1000, MPI_DOUBLE, MPI_SUM, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    puts("goes on");
}

/* Each thread has a communicator; then threads complete what others have started. */
enum { THREADS = 3, TURNS = 150 };
static struct thread {
    MPI_Comm comm;
    MPI_Request request[2];
    double in[2][500], out[2][500], wanted[500];
    int number;
} threads[THREADS];
static pthread_barrier_t together;

static void *use(void *context)
{
    struct thread *own = context, *next = &threads[(own->number + 1) % THREADS];
    for (int i = 0; i < TURNS; i++) {
        const int n = 1 + i * 37 % 500;
        for (int k = 0; k < 2; k++) {
            fill(own->in[k], n, own->number + i + k);
            MPI_Iallreduce(own->in[k], own->out[k], n, MPI_DOUBLE, MPI_SUM, own->comm,
                           &own->request[k]);
        }
        pthread_barrier_wait(&together);
        if (i % 2) /* while the other thread makes a blocking call */
            MPI_Waitall(2, next->request, MPI_STATUSES_IGNORE);
        MPI_Allreduce(own->in[0], own->wanted, n, MPI_DOUBLE, MPI_SUM, own->comm);
        if (i % 2 == 0)
            MPI_Waitall(2, next->request, MPI_STATUSES_IGNORE);
        pthread_barrier_wait(&together);
        check(!memcmp(own->out[0], own->wanted, (size_t)n * sizeof(double)), "threads", i);
    }
    return NULL;
}

/* Requests on another communicator, until all ranks have stopped. */
static atomic_int stop;
static void *start_beside(void *comm)
{
    double one = 1, sum;
    MPI_Request request;
    for (int n = 0, mine, all = 0; !all; n++) {
        MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, *(MPI_Comm *)comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(sum == ranks, "beside", n);
        mine = stop;
        if (n % 64 == 0)
            MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, *(MPI_Comm *)comm);
    }
    return NULL;
}

/* Blocking calls of many lengths and types, whose plans replace those of requests that are over,
 * while another thread's requests make these give theirs back. */
static void of_plans(void)
{
    enum { STARTS = 1500, STEP = 300, LENGTHS = 13, LONGEST = STEP * LENGTHS };
    static double numbers[LONGEST], sums[LONGEST], other[LONGEST];
    static int counts[LONGEST], total[LONGEST], least[LONGEST];
    MPI_Comm comm[2];
    MPI_Request request[2];
    pthread_t thread;
    for (int i = 0; i < LONGEST; i++)
        numbers[i] = counts[i] = 1;
    for (int c = 0; c < 2; c++)
        MPI_Comm_dup(world, &comm[c]);
    pthread_create(&thread, NULL, start_beside, &comm[1]);
    for (int i = 0; i < STARTS; i++) {
        const int n = 1 + i % LENGTHS * STEP;
        MPI_Iallreduce(numbers, sums, n, MPI_DOUBLE, MPI_SUM, comm[0], &request[0]);
        MPI_Iallreduce(counts, total, n, MPI_INT, MPI_SUM, comm[0], &request[1]);
        for (int k = 0; k < 7; k++) {
            MPI_Allreduce(numbers, other, 1 + (i + 4 * k) * 5 % LENGTHS * STEP, MPI_DOUBLE, MPI_SUM,
                          comm[0]);
            MPI_Allreduce(counts, least, 1 + k, MPI_INT, MPI_MIN, comm[0]);
        }
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        check(sums[n - 1] == ranks && total[n - 1] == ranks && other[0] == ranks, "plans", i);
    }
    stop = 1;
    pthread_join(thread, NULL);
    for (int c = 0; c < 2; c++)
        MPI_Comm_free(&comm[c]);
}

/* A thread is in a receive before another one starts what the sender first waits for. */
static void *receive(void *got)
{
    MPI_Recv(got, 1, MPI_DOUBLE, 1, 4, world, MPI_STATUS_IGNORE);
    return NULL;
}

static void of_receives(void)
{
    pthread_t thread;
    MPI_Request request;
    double got = 0;
    MPI_Comm own;
    MPI_Comm_dup(world, &own);
    prepare(1);
    if (rank == 0)
        pthread_create(&thread, NULL, receive, &got);
    MPI_Iallreduce(in, out, 1000, MPI_DOUBLE, MPI_SUM, own, &request);
    if (rank == 0)
        pthread_join(thread, NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(in, 1, MPI_DOUBLE, 0, 4, world);
    MPI_Allreduce(in, wanted, 1000, MPI_DOUBLE, MPI_SUM, own);
    check(!memcmp(out, wanted, 1000 * sizeof *out), "a receive", 0);
    MPI_Comm_free(&own);
}

static void of_threads(void)
{
    int provided;
    MPI_Query_thread(&provided);
    if (provided != MPI_THREAD_MULTIPLE)
        return;
    pthread_t thread[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (int t = 0; t < THREADS; t++) {
        threads[t].number = t;
        MPI_Comm_dup(world, &threads[t].comm);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, use, &threads[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_free(&threads[t].comm);
    pthread_barrier_destroy(&together);
    of_plans();
    of_receives();
    puts("threads ended");
}

/* An operator that takes one datatype of the program's, and asks for it. */
static MPI_Datatype mine;

static void add_pairs(void *from, void *inout, int *count, MPI_Datatype *type)
{
    check(*type == mine, "the operator's datatype is the program's", *count);
    for (int i = 0; i < 2 * *count; i++)
        ((double *)inout)[i] += ((double *)from)[i];
}

/* Columns of a matrix of 4 x 4, each beside the one before. */
static void add_columns(void *from, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < 4; k++)
            ((double *)inout)[i + 4 * k] += ((double *)from)[i + 4 * k];
}

static void types(void)
{
    MPI_Datatype column, columns, pair;
    MPI_Op pairs, sums;
    MPI_Request request;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_create_resized(column, 0, sizeof(double), &columns);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&columns);
    MPI_Op_create(add_pairs, 1, &pairs);
    MPI_Op_create(add_columns, 1, &sums);
    for (int i = 0; i < 16; i++)
        in[i] = rank + i;
    const double each = ranks * (ranks - 1) / 2.0;
    mine = pair;
    MPI_Iallreduce(in, out, 8, pair, pairs, world, &request);
    MPI_Type_free(&pair);
    MPI_Op_free(&pairs);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; i++)
        check(out[i] == each + i * ranks, "pairs", i);
    memset(out, 0, sizeof out);
    MPI_Iallreduce(in, out, 4, columns, sums, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 16; i++)
        check(out[i] == each + i * ranks, "columns", i);
    MPI_Op_free(&sums);
    MPI_Type_free(&column);
    MPI_Type_free(&columns);
}

/* A message that is too long fails in the same array: what is complete has its result. */
static void beside_a_failure(void)
{
    static const double pair[2] = {1, 2};
    double one = rank, two[2] = {0}, sum = -1, again = -1;
    const double each = ranks * (ranks - 1) / 2.0;
    MPI_Request requests[4], made;
    MPI_Status statuses[4];
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Allreduce_init(&one, &again, 1, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &made);
    for (int ignores = 0; ignores < 2; ignores++) {
        sum = again = -1;
        MPI_Start(&made);
        MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, world, &requests[0]);
        MPI_Irecv(two, 1, MPI_DOUBLE, (rank + 1) % ranks, 5, world, &requests[1]);
        MPI_Isend(pair, 2, MPI_DOUBLE, (rank + ranks - 1) % ranks, 5, world, &requests[2]);
        requests[3] = made;
        const int code = MPI_Waitall(4, requests, ignores ? MPI_STATUSES_IGNORE : statuses);
        check(code != MPI_SUCCESS, "the message fails", ignores);
        check(requests[0] != MPI_REQUEST_NULL || sum == each, "a sum beside a failure", ignores);
        int over = 0;
        MPI_Request_get_status(made, &over, MPI_STATUS_IGNORE);
        check(!over || again == each, "a persistent sum beside a failure", ignores);
        MPI_Wait(&made, MPI_STATUS_IGNORE);
        check(again == each, "a persistent sum after a failure", ignores);
        if (requests[0] != MPI_REQUEST_NULL)
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        check(sum == each, "a sum after a failure", ignores);
    }
    MPI_Request_free(&made);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    static const struct row rows[] = {{"arrays", arrays},
                                      {"scarce", scarce},
                                      {"threads", of_threads},
                                      {"types", types},
                                      {"failure", beside_a_failure}};
    const int threaded = argc > 1 && !strcmp(argv[1], "threads");
    return run_rows(argc, argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, rows,
                    sizeof rows / sizeof *rows);
}
