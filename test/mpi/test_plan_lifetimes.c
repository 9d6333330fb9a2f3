/* np: 1 2 3; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan outlives the handle of its datatype, its communicator, and MPI itself, after which it can
 * be freed. (test_reduce.c also frees the datatypes of all plans that it makes.) */
#include <summand.h>

#include "mpi/pairs.h"

enum { N = 5, RECREATED = 20 };

static MPI_Datatype others[RECREATED];

/* Makes handles that were freed come back for other datatypes. */
static void make_others(void)
{
    for (int i = 0; i < RECREATED; i++) {
        MPI_Type_contiguous(i + 3, MPI_SHORT, &others[i]);
        MPI_Type_commit(&others[i]);
    }
}

static void free_others(void)
{
    for (int i = 0; i < RECREATED; i++)
        MPI_Type_free(&others[i]);
}

static struct buffer contributions(const struct subject *s)
{
    struct buffer buffer = make_buffer(s, N);
    for (size_t i = 0; i < N; i++)
        set_pair(s, element_of(s, &buffer, i), contribution(s, harness_rank, i));
    return buffer;
}

/* The ordered reduction's tree over the elements of all ranks; the operator is associative, so any
 * tree gives the result. */
static struct pair over_all(const struct subject *s)
{
    struct pair all = {1, 0};
    for (int r = 0; r < harness_ranks; r++)
        for (size_t i = 0; i < N; i++)
            all = s->combine(all, contribution(s, r, i));
    return all;
}

static void check_run(const struct subject *s, summand_plan *reduction, summand_plan *ordered,
                      const struct buffer *sum, const struct buffer *total)
{
    summand_plan *plans[] = {reduction, ordered};
    for (int i = 0; i < 2; i++) {
        int code = summand_plan_start(plans[i]);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plans[i]);
        CHECK(code == MPI_SUCCESS, "%s, plan %d: code %d", s->name, i, code);
    }
    for (size_t i = 0; i < N; i++) {
        struct pair got = get_pair(s, element_of(s, sum, i));
        struct pair want = in_rank_order(s, harness_ranks, i);
        CHECK(got.a == want.a && got.b == want.b, "%s: element %zu", s->name, i);
    }
    struct pair got = get_pair(s, total->origin), want = over_all(s);
    CHECK(got.a == want.a && got.b == want.b, "%s: ordered", s->name);
}

int main(int argc, char **argv)
{
    summand_plan *plans[USERS][2];
    struct buffer send[USERS], sum[USERS], total[USERS];
    struct subject s;
    int left = 0;
    harness_begin(&argc, &argv);
    MPI_Op ops[USERS];
    for (int i = 0; i < USERS; i++) {
        s = make_user(i);
        ops[i] = s.op;
        send[i] = contributions(&s);
        sum[i] = make_buffer(&s, N);
        total[i] = make_buffer(&s, 1);
        summand_allreduce_init(send[i].origin, sum[i].origin, N, s.datatype, s.op, MPI_COMM_WORLD,
                               NULL, &plans[i][0]);
        summand_ordered_reduce_init(send[i].origin, total[i].origin, N, SUMMAND_DISPLACEMENT_APPEND,
                                    s.datatype, s.op, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL,
                                    &plans[i][1]);
        MPI_Type_free(&s.datatype);
    }
    make_others();
    for (int i = 0; i < USERS; i++)
        check_run(&layouts[i], plans[i][0], plans[i][1], &sum[i], &total[i]);
    free_others();
    for (int i = 0; i < USERS; i++)
        MPI_Op_free(&ops[i]);
    int failed = harness_end();
    for (int i = 0; i < USERS; i++) {
        for (int k = 0; k < 2; k++)
            left += summand_plan_free(&plans[i][k]) != MPI_SUCCESS || plans[i][k];
        free(send[i].memory);
        free(sum[i].memory);
        free(total[i].memory);
    }
    return failed || left;
}
