/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-pages: what the build makes out of the command's own tables. It is not installed.
 *
 *   summand-pages manual -o DIR               the manual pages
 *   summand-pages completion -o DIR           completion of words in bash, zsh and fish
 *   summand-pages algorithms --pictures DIR   docs/algorithms.md on stdout, its pictures in DIR */
#include <string.h>
#include <summand/version.h>

#include "cli/common/cli.h"
#include "cli/output/stdout.h"

extern const struct command page_manual, page_completion, page_algorithms;

/* Visible like the command's main. */
SUMMAND_API int main(int argc, char **argv)
{
    static const struct command *const pages[] = {&page_manual, &page_completion, &page_algorithms,
                                                  NULL};
    stdout_begin();
    for (int i = 0; argc > 1 && pages[i]; i++)
        if (!strcmp(argv[1], pages[i]->name))
            return stdout_end(pages[i]->name, command_run(pages[i], false, argc - 1, argv + 1));
    return misuse("pages", "manual, completion or algorithms?");
}
