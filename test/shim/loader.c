/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads a module for itself alone: the names of the module's MPI are not in the global scope. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = module ? (int (*)(void))(size_t)dlsym(module, "module_main") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    if (dlsym(RTLD_DEFAULT, "PMPI_Comm_rank")) {
        fputs("the MPI is visible to all: this is no test\n", stderr);
        return 1;
    }
    return run();
}
