/* summand tune: measures which algorithm is the fastest, or what messages cost. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "comm/machine.h"
#include "setting.h"
#include "tune_file.h"

extern const struct command command_tune;

static void heading(const char *what, int ranks, char *text, size_t room)
{
    char machine[512], date[SETTING_ROOM] = "";
    summand__machine_text(machine, sizeof machine);
    for (const struct setting_row *row = setting_rows; row->name; row++)
        if (!strcmp(row->name, "date"))
            row->text(date, sizeof date);
    snprintf(text, room, "# %s, measured by summand tune on %d ranks, %s\n# %s\n", what, ranks,
             date, machine);
}

static int measure(const char *path)
{
    struct loggp loggp;
    int ranks, status = 0;
    char head[1024];
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2)
        return complain("tune", "--measure: needs at least two ranks (mpirun -np 2 ...)"), 2;
    if (!loggp_measure("tune", &loggp))
        return 1;
    heading("LogGP parameters", ranks, head, sizeof head);
    if (cli_rank() == 0)
        status = !tune_file_write_model("tune", path, head, &loggp);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return status;
}

static int run(int argc, char **argv)
{
    bool model_only = false, help;
    const char *path = NULL;
    const struct option_row rows[] = {
        {"output", 'o', OPTION_TEXT, &path, "FILE", "write here, adding to what is there", NULL},
        {"measure", 0, OPTION_FLAG, &model_only, NULL,
         "measure LogGP parameters instead: a file for `summand predict --model`", NULL},
        {0}};
    int first = parse_options(&command_tune, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (model_only)
        return measure(path);
    return 0;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "measures which algorithm is the fastest, for SUMMAND_TUNING, or what messages cost",
    .synopsis = "tune [options]",
    .examples = "  mpirun -np 8 summand tune -o tuning.txt\n"
                "  SUMMAND_TUNING=tuning.txt mpirun -np 8 ./program\n"
                "  mpirun -np 2 summand tune --measure -o here.model\n"
                "  summand predict --model here.model --ranks 64\n",
    .parallel = true,
    .run = run,
};
