/* summand sum: the sum of a file's numbers, each rank reading its part. */
#include "json.h"
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <string.h>

#include "cli.h"
#include "dataset.h"
#include "methods.h"
#include "setting.h"
#include "shape/distribution.h"
#include "source.h"
#include "table.h"

extern const struct command command_sum;

static const char *const method_choices[] = {"exact", "tree", "naive", "study", "all", NULL};
enum { ALL = METHODS_NAMED };

struct sum_options {
    struct dataset_options data;
    int method, kind;
    bool json;
};

/* Where results go: rows of a table, or of JSON. Only rank 0's is printed. */
struct output {
    struct table table;
    json_t *results;
    int sums; /* rows of the table */
    int ranks;
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The second of two calls, from a barrier to the end on the slowest rank: the first one also makes
 * the state that a communicator keeps. */
static int timed_run(const struct method *method, const struct part *part, double *result,
                     double *seconds)
{
    int code = method->run(part, result);
    if (code != MPI_SUCCESS)
        return code;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    code = method->run(part, result);
    double mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return code;
}

static void put(struct output *output, const struct dataset *data, const char *kind,
                const char *method, double value, double seconds)
{
    char bits[24];
    output->sums++;
    snprintf(bits, sizeof bits, "0x%016" PRIx64, bits_of(value));
    table_cell(&output->table, "%s", data->name);
    table_cell(&output->table, "%s", kind);
    table_cell(&output->table, "%s", method);
    table_cell(&output->table, "%" PRIu64, data->n);
    table_cell(&output->table, "%d", output->ranks);
    table_cell(&output->table, "%.17g", value);
    table_cell(&output->table, "%s", bits);
    table_cell(&output->table, "%.2f", 1e6 * seconds);
    json_t *number = isfinite(value) ? json_real(value) : json_null();
    json_array_append_new(output->results,
                          json_pack("{s:s, s:s, s:s, s:I, s:i, s:o, s:s, s:f}", "file", data->name,
                                    "op", kind, "method", method, "n", (json_int_t)data->n, "ranks",
                                    output->ranks, "value", number, "bits", bits, "seconds",
                                    seconds));
}

static bool run_methods(const struct sum_options *options, const struct dataset *x,
                        const struct dataset *y, struct output *output)
{
    struct part part = {(enum summand_kind)options->kind, x->count, x->values, y->values};
    for (int m = 0; m < METHODS_NAMED; m++) {
        if (options->method == ALL ? m >= METHODS : options->method != m)
            continue;
        double value = 0, seconds = 0;
        struct trouble trouble = {""};
        trouble_note_mpi(&trouble, x->name, timed_run(&methods[m], &part, &value, &seconds));
        if (!agree(command_sum.name, &trouble))
            return false;
        put(output, x, kind_names[part.kind], methods[m].name, value, seconds);
    }
    return true;
}

/* One file, or two for a dot product. */
static bool sum_files(const struct sum_options *options, char **paths, struct output *output)
{
    struct dataset x, y = {0};
    struct trouble trouble = {""};
    if (!dataset_read(&x, command_sum.name, &options->data, paths[0]))
        return false;
    bool fine = true;
    if (options->kind == SUMMAND_DOT) {
        fine = dataset_read(&y, command_sum.name, &options->data, paths[1]);
        if (fine && x.n != y.n)
            trouble_note(&trouble, "%s holds %" PRIu64 " values, but %s holds %" PRIu64, paths[0],
                         x.n, paths[1], y.n);
        fine = fine && agree(command_sum.name, &trouble);
    }
    fine = fine && run_methods(options, &x, &y, output);
    dataset_free(&x);
    dataset_free(&y);
    return fine;
}

static int print(const struct sum_options *options, struct output *output)
{
    int status = 0;
    if (cli_rank() == 0 && options->json) {
        json_t *json = json_pack("{s:s, s:o, s:i, s:s, s:O}", "command", "sum", "setting",
                                 setting_json(), "ranks", output->ranks, "distribution",
                                 summand__distribution_names[options->data.distribution], "results",
                                 output->results);
        status = write_json(command_sum.name, json, NULL);
    }
    bool show = cli_rank() == 0 && !options->json && output->sums;
    table_end(&output->table, show ? stdout : NULL);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    json_decref(output->results);
    return status;
}

static int sum_all(const struct sum_options *options, int files, char **paths)
{
    struct output output = {.results = json_array()};
    int step = options->kind == SUMMAND_DOT ? 2 : 1;
    MPI_Comm_size(MPI_COMM_WORLD, &output.ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    table_begin(&output.table, "<file|<op|<method|N|ranks|value|<bits|time/us");
    int done = 0;
    while (done < files && sum_files(options, paths + done, &output))
        done += step;
    int status = print(options, &output);
    return done < files ? 1 : status;
}

static int run(int argc, char **argv)
{
    struct sum_options o = {.data.alpha = SUMMAND__ALPHA, .method = 0};
    const struct option_row rows[] = {
        {"method", 'm', OPTION_CHOICE, &o.method, "M", "how to sum", method_choices},
        {"op", 'o', OPTION_CHOICE, &o.kind, "OP", "what to sum (dot: files in pairs)", kind_names},
        DATASET_OPTIONS(o.data),
        {"json", 'j', OPTION_FLAG, &o.json, NULL, "print JSON instead of a table", NULL},
        {0}};
    bool help;
    int first = parse_options(&command_sum, rows, argc, argv, &help);
    if (help)
        return 0;
    struct trouble trouble = {""};
    if (first >= 0 && first == argc)
        trouble_note(&trouble, "no file given; 'summand sum --help' shows how");
    else if (first >= 0 && o.kind == SUMMAND_DOT && (argc - first) % 2)
        trouble_note(&trouble, "a dot product needs files in pairs");
    dataset_options_check(&o.data, &trouble);
    if (first < 0 || !agree(command_sum.name, &trouble))
        return 2;
    return sum_all(&o, argc - first, argv + first);
}

const struct command command_sum = {
    "sum",
    "sums of the numbers in files, the same bits on any number of processes",
    "sum [options] FILE...",
    "  mpirun -np 4 summand sum data.npy\n"
    "  mpirun -np 4 summand sum --method all --op asum *.binpsllh\n"
    "  mpirun -np 2 summand sum --op dot x.f64 y.f64\n",
    true,
    run};
