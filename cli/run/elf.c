/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/input.h"

extern char **environ;

/* True if the program has a segment of this type. Words of 64 bits only, as this command. */
static bool has_interpreter(FILE *file, const Elf64_Ehdr *head)
{
    Elf64_Phdr segment;
    for (int i = 0; i < head->e_phnum; i++) {
        const long place = (long)(head->e_phoff + (Elf64_Off)i * head->e_phentsize);
        if (fseek(file, place, SEEK_SET) || fread(&segment, sizeof segment, 1, file) != 1)
            return false;
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

enum file_kind file_kind_of(const char *path)
{
    Elf64_Ehdr head = {{0}};
    uint64_t all;
    const char *why;
    FILE *file = summand__input_file(path, &all, &why);
    enum file_kind kind = FILE_OTHER;
    if (!file)
        return kind;
    const size_t bytes = fread(&head, 1, sizeof head, file);
    if (bytes >= 2 && !memcmp(&head, "#!", 2))
        kind = FILE_SCRIPT;
    else if (bytes == sizeof head && !memcmp(&head, ELFMAG, SELFMAG))
        kind = head.e_ident[EI_CLASS] != ELFCLASS64 ? FILE_OTHER
               : has_interpreter(file, &head)       ? FILE_DYNAMIC
                                                    : FILE_STATIC;
    fclose(file);
    return kind;
}

/* Names of libraries: libmpi_abi.so.1 has the standard ABI, whoever's it is. MPICH's own is
 * libmpi.so.12 (Debian: libmpich.so.12), Open MPI's libmpi.so.20 on. */
static enum mpi_kind kind_of_line(const char *line)
{
    const char *name = line + strspn(line, " \t");
    int number = 0;
    if (!strncmp(name, "libmpi_abi.", 11))
        return MPI_KIND_ABI;
    if (!strncmp(name, "libmpich", 8))
        return MPI_KIND_MPICH;
    if (sscanf(name, "libmpi.so.%d", &number) != 1)
        return MPI_KIND_NONE;
    return number < 20 ? MPI_KIND_MPICH : MPI_KIND_OPENMPI;
}

/* Starts `ldd PATH`; returns the end of its output, or NULL. */
static FILE *start_ldd(const char *path, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char *)"ldd", (char *)path, NULL};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *output = error ? NULL : fdopen(ends[0], "r");
    if (!output)
        close(ends[0]);
    return output;
}

/* gcc's and clang's. */
static bool is_address_sanitizer(const char *line)
{
    const char *name = line + strspn(line, " \t");
    return !strncmp(name, "libasan", 7) || !strncmp(name, "libclang_rt.asan", 16);
}

struct linked linked_with(const char *path)
{
    struct linked linked = {MPI_KIND_NONE, false};
    char line[4096];
    pid_t child;
    int status;
    FILE *output = start_ldd(path, &child);
    if (!output)
        return linked;
    while (fgets(line, sizeof line, output)) {
        if (linked.mpi == MPI_KIND_NONE)
            linked.mpi = kind_of_line(line);
        linked.checks_first = linked.checks_first || is_address_sanitizer(line);
    }
    fclose(output);
    waitpid(child, &status, 0);
    return linked;
}

static bool can_run(const char *path)
{
    struct stat about;
    return !stat(path, &about) && S_ISREG(about.st_mode) && !access(path, X_OK);
}

bool file_of_word(const char *word, char *path, size_t room)
{
    const char *folders = summand__environment_foreign("PATH");
    if (strchr(word, '/')) {
        snprintf(path, room, "%s", word);
        return can_run(path);
    }
    for (; folders && *word; folders = *folders ? folders + 1 : NULL) {
        const int length = (int)strcspn(folders, ":");
        snprintf(path, room, "%.*s/%s", length ? length : 1, length ? folders : ".", word);
        if (can_run(path))
            return true;
        folders += length;
    }
    return false;
}
