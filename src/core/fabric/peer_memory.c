/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/peer_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <summand/error.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "wait/ballot.h"

/* A process number may mean another process here (containers), so the word is compared. */
struct note {
    int64_t process;
    uint64_t address; /* of `word` in that process */
    uint64_t word;    /* very unlikely to be there by chance */
};

int summand__peer_memory_read(pid_t process, uint64_t address, void *to, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        struct iovec here = {(char *)to + done, bytes - done};
        struct iovec there = {(void *)(uintptr_t)(address + done), bytes - done};
        ssize_t got = process_vm_readv(process, &here, 1, &there, 1, 0);
        if (got < 0)
            return errno;
        if (got == 0)
            return EFAULT;
        done += (size_t)got;
    }
    return 0;
}

static struct note note_of(const uint64_t *word)
{
    struct timespec time;
    struct note note = {.process = getpid(), .address = (uint64_t)(uintptr_t)word};
    clock_gettime(CLOCK_MONOTONIC, &time);
    note.word = (uint64_t)time.tv_sec * 1000000007 + (uint64_t)time.tv_nsec;
    note.word = (note.word ^ note.address) * SUMMAND__GOLDEN ^ (uint64_t)note.process;
    return note;
}

static bool reads_all(const struct note *notes, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        uint64_t word = ~notes[r].word;
        if (summand__peer_memory_read((pid_t)notes[r].process, notes[r].address, &word,
                                      sizeof word) ||
            word != notes[r].word)
            return false;
    }
    return true;
}

int summand__peer_memory_try(MPI_Comm node, pid_t **processes)
{
    int ranks, all = 0;
    uint64_t word = 0;
    struct note mine = note_of(&word);
    word = mine.word;
    PMPI_Comm_size(node, &ranks);
    struct note *notes = malloc((size_t)ranks * sizeof *notes);
    pid_t *found = malloc((size_t)ranks * sizeof *found);
    bool lacks = !notes || !found;
    all = !lacks;
    int code = summand__ballot_least(node, &all, 1);
    if (code == MPI_SUCCESS && all)
        code = summand__ballot_gather(node, &mine, notes, (int)sizeof mine);
    int good = all && code == MPI_SUCCESS && reads_all(notes, ranks);
    for (int r = 0; good && r < ranks; r++)
        found[r] = (pid_t)notes[r].process;
    free(notes);
    if (code == MPI_SUCCESS && all) { /* also: `word` is read no more */
        all = good;
        code = summand__ballot_least(node, &all, 1);
    }
    *processes = code == MPI_SUCCESS && all ? found : NULL;
    if (!*processes)
        free(found);
    return code == MPI_SUCCESS && lacks ? summand_error_code(SUMMAND_ERR_MEMORY) : code;
}
