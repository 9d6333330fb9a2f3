/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the command with many command lines in one process per rank, because launches are slow. The
 * command's main() runs once for each line, between one start of the MPI and one end. It keeps no
 * state in its files (install/state).
 *
 * many FILE: for each command line, FILE has the number of its words and the words, each ended by a
 * byte 0. For line N (from 1), all ranks append their output to N.out and N.err, and their exit
 * statuses, a line per rank, to N.status. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_main(int argc, char **argv);
#define main command_main
#include "cli/main.c"
#undef main

int __wrap_MPI_Init_thread(int *argc, char ***argv, int asked, int *level);
int __wrap_MPI_Init(int *argc, char ***argv);
int __wrap_MPI_Finalize(void);

/* The MPI starts once, below, and ends once. */
int __wrap_MPI_Init_thread(int *argc, char ***argv, int asked, int *level)
{
    (void)argc;
    (void)argv;
    (void)asked;
    return MPI_Query_thread(level);
}

int __wrap_MPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return MPI_SUCCESS;
}

int __wrap_MPI_Finalize(void)
{
    return MPI_SUCCESS;
}

int __real_MPI_Init_thread(int *argc, char ***argv, int asked, int *level);
int __real_MPI_Finalize(void);

static int open_of(int line, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "%d.%s", line, what);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) {
        perror(path);
        abort();
    }
    return file;
}

static void lead(int stream, int line, const char *what)
{
    int file = open_of(line, what);
    if (dup2(file, stream) < 0)
        abort();
    close(file);
}

static void run_line(int line, int argc, char **argv)
{
    char status[16];
    lead(STDOUT_FILENO, line, "out");
    lead(STDERR_FILENO, line, "err");
    int length = snprintf(status, sizeof status, "%d\n", command_main(argc, argv));
    fflush(stdout);
    fflush(stderr);
    int file = open_of(line, "status");
    if (write(file, status, (size_t)length) != length)
        abort();
    close(file);
}

/* A word of the file; NULL at its end. */
static char *word(FILE *file)
{
    char *text = NULL;
    size_t room = 0;
    return getdelim(&text, &room, '\0', file) < 0 ? NULL : text;
}

int main(int argc, char **argv)
{
    char name[] = "summand", *count;
    int level, rank, line = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return 2;
    __real_MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while ((count = word(file))) {
        char *words[64] = {name};
        int number = atoi(count);
        if (number < 0 || number > 62)
            return 2;
        for (int i = 0; i < number; i++)
            words[i + 1] = word(file);
        run_line(++line, number + 1, words);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 1; i <= number; i++)
            free(words[i]);
        free(count);
    }
    fclose(file);
    return __real_MPI_Finalize();
}
