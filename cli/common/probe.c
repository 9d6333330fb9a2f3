#include "cli/common/probe.h"

#include <mpi.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "cli/common/timing.h"
#include "op/vector.h"
#include "plan/plan.h"

enum { LEAST = 7, MOST = 400, WARM = 3 };
#define SECONDS 0.01 /* for one schedule, if that gives enough repetitions */

bool probe_begin(struct probe *probe, const char *command, size_t elements)
{
    *probe = (struct probe){.elements = elements};
    int code = summand__state_of(MPI_COMM_WORLD, &probe->state);
    trouble_note_mpi(&probe->trouble, "communicator", code);
    probe->sendbuf = malloc(elements * sizeof(double));
    probe->recvbuf = malloc(elements * sizeof(double));
    if (!probe->sendbuf || !probe->recvbuf)
        trouble_note(&probe->trouble, "out of memory");
    else
        for (size_t i = 0; i < elements; i++) /* untouched pages are all the same one */
            probe->sendbuf[i] = probe->recvbuf[i] = 1e-3 * (double)i;
    if (!agree(command, &probe->trouble))
        return false;
    if (timing_crowded())
        counter_barrier_open(&probe->barrier);
    return true;
}

void probe_end(struct probe *probe)
{
    counter_barrier_close(&probe->barrier);
    free(probe->sendbuf);
    free(probe->recvbuf);
}

static void before(void *work)
{
    (void)work;
}

static int after(void *work)
{
    struct summand__vector *vector = work;
    return vector->code;
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = free};

static summand_plan *make(struct probe *probe, struct summand__schedule *schedule)
{
    summand_plan *plan = NULL;
    int tag = summand__tags_call(&probe->state->tags);
    struct summand__vector *vector = calloc(1, sizeof *vector);
    if (!vector || schedule->failed) {
        trouble_note(&probe->trouble, "out of memory");
        summand__schedule_free(schedule);
        free(vector);
        return NULL;
    }
    int code = summand__datatype_read(MPI_DOUBLE, &vector->datatype);
    vector->layout = (struct summand__datatype_layout){MPI_DOUBLE, sizeof(double), 1};
    summand__vector_set_operator(vector, MPI_SUM);
    vector->code = MPI_SUCCESS;
    struct summand__plan_parts parts = {.tag = tag,
                                        .operator= summand__vector_operator(vector),
                                        .datatype = MPI_DOUBLE,
                                        .schedule = schedule,
                                        .sendbuf = probe->sendbuf,
                                        .recvbuf = probe->recvbuf,
                                        .hooks = &hooks,
                                        .work = vector};
    trouble_note_mpi(&probe->trouble, "datatype", code);
    trouble_note_mpi(&probe->trouble, "plan", summand__plan_make(probe->state, &parts, &plan));
    return plan;
}

static double run_once(struct probe *probe, summand_plan *plan)
{
    counter_barrier_pass(&probe->barrier);
    double start = MPI_Wtime();
    int code = summand_plan_start(plan);
    if (code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    trouble_note_mpi(&probe->trouble, "messages", code);
    return MPI_Wtime() - start;
}

static double run(struct probe *probe, summand_plan *plan, int whose)
{
    double seconds[MOST], once = 0;
    for (int i = 0; i < WARM; i++)
        once = run_once(probe, plan);
    int count = once * MOST < SECONDS ? MOST : (int)(SECONDS / once);
    count = count < LEAST ? LEAST : count;
    MPI_Bcast(&count, 1, MPI_INT, whose, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        seconds[i] = run_once(probe, plan);
    double median = measure_median(seconds, count).median;
    MPI_Bcast(&median, 1, MPI_DOUBLE, whose, MPI_COMM_WORLD);
    return median;
}

double probe_time(struct probe *probe, struct summand__schedule *schedule, int whose)
{
    summand_plan *plan = make(probe, schedule);
    double seconds = 0;
    if (agree_fine(!probe->trouble.text[0]))
        seconds = run(probe, plan, whose);
    if (plan)
        summand_plan_free(&plan);
    return seconds;
}
