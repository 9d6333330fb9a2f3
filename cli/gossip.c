/* summand gossip: the gossip all-reduce, simulated and real. */
#include "gossip.h"

#include "gossip/events.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const struct command *const gossip_commands[] = {&gossip_list,   &gossip_topology,  &gossip_run,
                                                 &gossip_rounds, &gossip_root,      &gossip_figure,
                                                 &gossip_table,  &gossip_allreduce, NULL};

static void print_subcommands(FILE *out)
{
    fprintf(out, "summand gossip: all-reduce by gossip, simulated and over MPI\n\nExamples:\n"
                 "  summand gossip figure 2 --quick\n"
                 "  summand gossip rounds --nodes 1m --eps 1e-6\n"
                 "  mpirun -np 4 summand gossip allreduce\n\n"
                 "Usage: summand gossip SUBCOMMAND [options]\n\nSubcommands:\n");
    for (int i = 0; gossip_commands[i]; i++)
        fprintf(out, "  %-10s %s\n", gossip_commands[i]->name + strlen("gossip "),
                gossip_commands[i]->summary);
    fprintf(out, "\n'summand gossip SUBCOMMAND --help' shows examples and options.\n");
}

static int run(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_subcommands(argc < 2 ? stderr : stdout);
        return argc < 2 ? 2 : 0;
    }
    for (int i = 0; gossip_commands[i]; i++)
        if (!strcmp(argv[1], gossip_commands[i]->name + strlen("gossip ")))
            return gossip_commands[i]->run(argc - 1, argv + 1);
    complain("gossip", "no subcommand '%s'; 'summand gossip --help' lists them", argv[1]);
    return 2;
}

const struct command command_gossip = {
    .name = "gossip",
    .summary = "all-reduce by gossip: simulate, draw the paper's figures, run over MPI",
    .synopsis = "gossip SUBCOMMAND [options]",
    .examples = "  summand gossip --help\n",
    .run = run,
};

double gossip_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void gossip_progress(const char *what, double done, double total)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static double started = -1, shown = -1;
    if (!isatty(STDERR_FILENO))
        return;
    pthread_mutex_lock(&lock);
    double now = gossip_clock();
    if (started < 0)
        started = now;
    if (now - started > 1 && (now - shown > 0.2 || done >= total)) {
        shown = now;
        int filled = (int)(30 * done / total);
        fprintf(stderr, "\r%s [%.*s%*s] %3.0f %%", what, filled, "##############################",
                30 - filled, "", 100 * done / total);
        if (done >= total)
            fputc('\n', stderr);
        fflush(stderr);
    }
    if (done >= total)
        started = shown = -1;
    pthread_mutex_unlock(&lock);
}

bool gossip_duration(const char *command, const char *text, struct summand__duration *duration)
{
    char *end;
    bool exponential = !strncmp(text, "exp:", 4);
    double low = strtod(exponential ? text + 4 : text, &end), high = low;
    if (!exponential && !strncmp(end, "..", 2))
        high = strtod(end + 2, &end);
    if (*end || end == text || !(low >= 0) || !(high >= low)) {
        complain(command, "'%s' is not a duration: T, LOW..HIGH or exp:MEAN", text);
        return false;
    }
    double mean = (low + high) / 2;
    *duration = (struct summand__duration){mean, mean > 0 ? (high - low) / mean : 0, exponential};
    return true;
}
