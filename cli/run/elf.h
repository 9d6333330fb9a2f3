/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file is that somebody wants to run with the shim. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* ABI: the standard ABI of MPI 5, which MPIs of all brands may have. */
enum mpi_kind { MPI_KIND_NONE, MPI_KIND_OPENMPI, MPI_KIND_MPICH, MPI_KIND_ABI };

enum file_kind {
    FILE_OTHER,   /* no program that this machine runs */
    FILE_SCRIPT,  /* begins with #! */
    FILE_STATIC,  /* an ELF program without a dynamic linker: nothing can be preloaded */
    FILE_DYNAMIC, /* any other ELF program */
};

enum file_kind file_kind_of(const char *path);

/* What a dynamic program is linked with, as `ldd` lists it. */
struct linked {
    enum mpi_kind mpi; /* NONE: it may load one later */
    bool checks_first; /* AddressSanitizer's runtime, which wants to come before all others */
};
struct linked linked_with(const char *path);

/* The file that a shell would run for this word: false if there is none. */
bool file_of_word(const char *word, char *path, size_t room);
