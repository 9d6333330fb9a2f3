/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without MPI: says what it finds at its start. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    printf("errno %d, %s\n", errno, strerror(errno));
    return 3;
}
