/* SPDX-License-Identifier: BSD-3-Clause */
/* Training and predicting: points of the plane of two classes, inside and outside of a circle.
 *     awk 'BEGIN { for (i = 0; i < 2000; i++) { x = i * 7 % 101 / 50 - 1; y = i * 13 % 97 / 48 - 1;
 *         print (x * x + y * y > 0.5) "," x "," y } }' >train.csv && cp train.csv test.csv
 *     mpirun -np 2 summand train -d . -l 2,16,2 --epochs 30 --rate 0.3 --model circle.model
 *     make predict && ./predict circle.model
 * Prints on 1 rank: inside, outside */
#include <stdio.h>
#include <summand/network.h>

int main(int argc, char **argv)
{
    const float points[2][2] = {{0.1F, -0.2F}, {0.9F, 0.7F}};
    char error[256] = "usage: predict MODEL";
    int32_t classes[2];
    summand_network *network = NULL;
    int failed = argc != 2 || summand_network_load(argv[1], &network, error, sizeof error) ||
                 summand_network_run(network, 2, points[0], NULL, classes, error, sizeof error);
    if (failed)
        fprintf(stderr, "%s\n", error);
    else
        printf("%s, %s\n", classes[0] ? "outside" : "inside", classes[1] ? "outside" : "inside");
    summand_network_free(&network);
    return failed;
}
