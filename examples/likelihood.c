/* SPDX-License-Identifier: BSD-3-Clause */
/* The log-likelihood of a tree: ((A,B),(C,D)) under the model of Jukes and Cantor, by Felsenstein's
 * pruning. Each rank has a part of the sites. The sum over sites, and so the tree that a search
 * prefers, has the same bits on any number of ranks; a plain loop differs.
 *     make likelihood && mpirun -np 3 ./likelihood
 * Prints on any number of ranks: -31962.71, with the bits of one rank */
#include <math.h>
#include <stdio.h>
#include <summand.h>

enum { SITES = 10000 };

static unsigned base(int site, int species) /* drawn: species that are relatives mostly agree */
{
    unsigned s = (unsigned)site * 2654435761u + 12345u, other = s ^ (s >> 15);
    unsigned change = (other * 2246822519u >> (4 * species)) % 8;
    return change ? (s >> 9) % 4 : (other >> (3 * species)) % 4;
}

/* The probability of base `to` at the end of a branch that begins with `from`. */
static double change(unsigned from, unsigned to, double length)
{
    const double e = exp(-4 * length / 3);
    return from == to ? 0.25 + 0.75 * e : 0.25 - 0.25 * e;
}

static double site_log_likelihood(int site)
{
    double likelihood = 0, below[2][4];
    for (int node = 0; node < 2; node++) /* the ancestors of A, B and of C, D */
        for (unsigned x = 0; x < 4; x++)
            below[node][x] =
                change(x, base(site, 2 * node), 0.1) * change(x, base(site, 2 * node + 1), 0.2);
    for (unsigned root = 0; root < 4; root++) {
        double left = 0, right = 0;
        for (unsigned x = 0; x < 4; x++) {
            left += change(root, x, 0.05) * below[0][x];
            right += change(root, x, 0.15) * below[1][x];
        }
        likelihood += 0.25 * left * right;
    }
    return log(likelihood);
}

int main(int argc, char **argv)
{
    static double site[SITES];
    double all, one;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int first = SITES * rank / ranks, end = SITES * (rank + 1) / ranks;
    for (int i = 0; i < SITES; i++) /* a program has those of its part alone */
        site[i] = site_log_likelihood(i);
    summand_sum(site + first, &all, end - first, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD,
                NULL);
    summand_sum(site, &one, SITES, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_SELF, NULL);
    if (rank == 0)
        printf("%.2f, %s the bits of one rank\n", all, all == one ? "with" : "without");
    MPI_Finalize();
}
