/* SPDX-License-Identifier: BSD-3-Clause */
/* What the runs are, as text and as JSON. */
#include "cli/common/cli.h"
#include "cli/diff/diff.h"
#include "cli/output/text.h"

static const char *shown(const char *text)
{
    return *text ? text : "not recorded";
}

void print_runs(const struct run *a, const struct run *b)
{
    const struct run *const runs[] = {a, b};
    printf("\n");
    for (int i = 0; i < 2; i++)
        print_line("%c: %s, %d rank%s, mode %s, %s", 'A' + i, runs[i]->folder, runs[i]->ranks,
                   text_plural(runs[i]->ranks), shown(runs[i]->mode), shown(runs[i]->mpi));
}

json_t *run_json(const struct run *run)
{
    return json_make("sisss", "folder", run->folder, "ranks", run->ranks, "program", run->program,
                     "mpi", run->mpi, "mode", run->mode);
}
