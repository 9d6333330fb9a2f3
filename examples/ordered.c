/* SPDX-License-Identifier: BSD-3-Clause */
/* The product of matrices in the order of their index, by an operator and a datatype of one's own.
 * The tree is the same on any number of ranks, so the bits are.
 *     make ordered && mpirun -np 3 ./ordered
 * Prints on 3 ranks: 832040 */
#include <stdio.h>
#include <summand.h>

typedef struct matrix {
    double a, b, c, d;
} matrix;

/* right = left * right, as MPI has it. */
static void multiply(void *left, void *right, int *count, MPI_Datatype *datatype)
{
    const matrix *l = left;
    matrix *r = right;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        r[i] = (matrix){l[i].a * r[i].a + l[i].b * r[i].c, l[i].a * r[i].b + l[i].b * r[i].d,
                        l[i].c * r[i].a + l[i].d * r[i].c, l[i].c * r[i].b + l[i].d * r[i].d};
}

int main(int argc, char **argv)
{
    enum { ALL = 30 };
    matrix mine[ALL], product;
    MPI_Datatype type;
    MPI_Op op;
    int rank, ranks, count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(4, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op); /* it does not commute */
    /* 30 matrices over the ranks, in their order. */
    for (int i = ALL * rank / ranks; i < ALL * (rank + 1) / ranks; i++)
        mine[count++] = (matrix){1, 1, 1, 0};
    summand_ordered_reduce(mine, &product, count, SUMMAND_DISPLACEMENT_APPEND, type, op, 0,
                           MPI_COMM_WORLD, NULL);
    if (rank == 0)
        printf("%.17g\n", product.b); /* Fibonacci's number 30 */
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Finalize();
}
