/* SPDX-License-Identifier: BSD-3-Clause */
/* summand sum: the sum of a file's numbers; each rank reads its part. */
#include "cli/output/json.h"
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/measure.h"
#include "cli/common/cli.h"
#include "cli/common/methods.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"
#include "cli/ranks/agree.h"
#include "cli/ranks/interrupt.h"
#include "cli/sum/columns.h"
#include "cli/sum/dataset.h"
#include "cli/sum/plain.h"
#include "cli/sum/source.h"
#include "cli/timing/timing.h"
#include "lab/index_tree/distribution.h"
#include "lab/index_tree/mpi/study.h"

extern const struct command command_sum, study_sum;

static const char *const method_choices[] = {"exact", "tree", "naive", "all", NULL};
enum { ALL = METHODS };

struct sum_options {
    struct dataset_options data;
    const char *command;
    int method, kind;
    bool columns;   /* of matrices and tables */
    long long axis; /* of arrays, or AXIS_NONE */
    bool study;     /* the thesis's messages for comparison, by this rule */
    long long buffer, flush;
    bool json, plain;
};

/* The destination of results: rows of a table, or of JSON. Only rank 0's is printed. */
struct output {
    struct table table;
    struct plain plain;
    json_t *results;
    int sums; /* rows of the table */
    int ranks;
    int per_node; /* ranks, the most of all nodes */
    const struct sum_options *options;
    bool told; /* Ctrl-C ended the command early */
};

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Seconds of one method on one file: medians of some calls after the first one, which also makes
 * the communicator's cached state, and of some starts of a plan; NAN: no plan. */
struct times {
    double call, plan;
    int calls; /* number of calls and of starts */
};

/* One call, or one start of `plan` if there is one, from a barrier to the end on the slowest rank.
 * `*fine`: on all ranks. */
static int timed(const struct method *method, const struct part *part, summand_plan *plan,
                 double *result, double *seconds, bool *fine)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    int code = plan ? summand_plan_start(plan) : method->run(part, result);
    if (plan && code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    double mine[] = {MPI_Wtime() - start, code != MPI_SUCCESS}, worst[2];
    MPI_Allreduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *seconds = worst[0];
    *fine = worst[1] == 0;
    return code;
}

/* All ranks have the same times and `*fine`, so they make the same number of calls. */
static int timed_often(const struct method *method, const struct part *part, summand_plan *plan,
                       double *result, double *median, int *calls, bool *fine)
{
    enum { MOST = 21 };
    const double budget = 0.1; /* seconds */
    double seconds[MOST], sum = 0;
    int n = 0, code = MPI_SUCCESS;
    while (n < MOST && (!n || sum < budget) && *fine) {
        code = timed(method, part, plan, result, &seconds[n], fine);
        sum += seconds[n++];
    }
    *median = measure_median(seconds, n).median;
    *calls = n;
    return code;
}

static int timed_run(const struct method *method, const struct part *part, double *result,
                     struct times *times)
{
    summand_plan *plan = NULL;
    double again;
    int calls, code = method->run(part, result);
    bool fine = agree_fine(code == MPI_SUCCESS); /* a rank may fail alone */
    times->plan = NAN;
    if (fine)
        code = timed_often(method, part, NULL, &again, &times->call, &times->calls, &fine);
    if (fine && method->plan) {
        code = method->plan(part, &again, &plan);
        fine = agree_fine(code == MPI_SUCCESS);
        if (fine)
            code = timed_often(method, part, plan, &again, &times->plan, &calls, &fine);
        summand_plan_free(&plan);
    }
    return code;
}

static void time_cell(struct table *table, double seconds)
{
    if (isnan(seconds))
        table_cell(table, "-");
    else
        table_cell(table, "%.2f", 1e6 * seconds);
}

static void put(struct output *output, const struct dataset *data, const char *other,
                const char *kind, const char *method, double value, const struct times *times)
{
    char bits[24];
    interrupt_hold();
    if (output->told) {
        interrupt_release();
        return;
    }
    output->sums++;
    plain_add(&output->plain, value);
    snprintf(bits, sizeof bits, "0x%016" PRIx64, bits_of(value));
    table_cell(&output->table, "%s%s%s", data->name, other ? " " : "", other ? other : "");
    table_cell(&output->table, "%s", kind);
    table_cell(&output->table, "%s", method);
    table_cell(&output->table, "%" PRIu64, data->n);
    table_cell(&output->table, "%d", output->ranks);
    table_cell(&output->table, "%.17g", value);
    table_cell(&output->table, "%s", bits);
    time_cell(&output->table, times->call);
    time_cell(&output->table, times->plan);
    json_array_append_new(output->results,
                          json_make("ssssIiosfoi", "file", data->name, "other", other, "op", kind,
                                    "method", method, "n", (json_int_t)data->n, "ranks",
                                    output->ranks, "value", json_finite(value), "bits", bits,
                                    "seconds", times->call, "plan_seconds",
                                    json_finite(times->plan), "calls", times->calls));
    interrupt_release();
}

/* Of values with two doubles each. */
static void make_absolute(const struct dataset *x)
{
    for (uint64_t i = 0; i < 2 * x->count; i += 2)
        if (signbit(x->values[i])) {
            x->values[i] = -x->values[i];
            x->values[i + 1] = -x->values[i + 1];
        }
}

/* Returns false on all ranks after a complaint; after Ctrl-C keeps the methods so far. */
static bool run_methods(const struct sum_options *options, const struct dataset *x,
                        const struct dataset *y, const char *kind, struct output *output)
{
    struct part part = {(enum summand_kind)options->kind, x->count * (uint64_t)x->terms, x->values,
                        y->values};
    if (x->terms == 2 && part.kind == SUMMAND_KIND_ASUM) {
        make_absolute(x);
        part.kind = SUMMAND_KIND_SUM;
    }
    for (int m = 0; m < METHODS_NAMED; m++) {
        bool wanted = options->study
                          ? methods[m].plan != NULL
                          : m < METHODS && (options->method == ALL || options->method == m);
        if (!wanted || interrupt_agreed())
            continue;
        double value = 0;
        struct times times;
        struct trouble trouble = {""};
        trouble_note_mpi(&trouble, x->name, timed_run(&methods[m], &part, &value, &times));
        if (!agree(options->command, &trouble))
            return false;
        put(output, x, y->name, kind, methods[m].name, value, &times);
        interrupt_agreed_seconds(0);
    }
    return true;
}

/* The real and imaginary parts of complex numbers are summed one after the other. Their absolute
 * values and squares are those of the parts, as in the BLAS (dzasum, dznrm2). */
static bool sum_file(const struct sum_options *options, const char *path, struct output *output)
{
    static const char *const names[] = {"sum.re", "sum.im"};
    const bool sum = options->kind == SUMMAND_KIND_SUM;
    const struct dataset none = {0};
    struct dataset x;
    bool fine = true, more = true;
    for (int part = 0; part < 2 && more && fine; part++) {
        fine = dataset_read(&x, options->command, &options->data, path,
                            (struct dataset_how){.part = sum ? part : -1,
                                                 .pairs = options->kind != SUMMAND_KIND_NRM2});
        if (!fine)
            return false;
        more = sum && x.complex;
        fine =
            run_methods(options, &x, &none, more ? names[part] : kind_names[options->kind], output);
        dataset_free(&x);
    }
    return fine;
}

static bool sum_products(const struct sum_options *options, char **paths, struct output *output)
{
    const struct dataset_how how = {.part = -1};
    struct dataset x, y = {0};
    struct trouble trouble = {""};
    if (!dataset_read(&x, options->command, &options->data, paths[0], how))
        return false;
    bool fine = dataset_read(&y, options->command, &options->data, paths[1], how);
    if (fine && x.n != y.n)
        trouble_note(&trouble, "%s holds %" PRIu64 " values, but %s holds %" PRIu64, paths[0], x.n,
                     paths[1], y.n);
    if (fine && (x.complex || y.complex))
        trouble_note(&trouble,
                     "%s: complex numbers; dot takes real ones (numpy.save their real and "
                     "imaginary parts)",
                     paths[!x.complex]);
    fine = fine && agree(options->command, &trouble) &&
           run_methods(options, &x, &y, kind_names[SUMMAND_KIND_DOT], output);
    dataset_free(&x);
    dataset_free(&y);
    return fine;
}

/* One file, or two for a dot product. */
static bool sum_files(const struct sum_options *options, char **paths, struct output *output)
{
    return options->kind == SUMMAND_KIND_DOT ? sum_products(options, paths, output)
                                             : sum_file(options, paths[0], output);
}

/* On rank 0. Must not call MPI: see interrupt_answer. */
static int print(struct output *output)
{
    const struct sum_options *options = output->options;
    if (options->json) {
        json_t *json = json_head(options->command);
        json_object_update_new(
            json, json_make("oisO", "setting", setting_json(), "ranks", output->ranks,
                            "distribution", summand__distribution_names[options->data.distribution],
                            "results", output->results));
        return write_json(options->command, json, NULL);
    }
    if (options->plain) {
        plain_print(&output->plain);
    } else if (output->sums) {
        if (output->per_node > processors())
            print_remark("Warning: %d ranks share %d processor%s, so these times show the "
                         "scheduler.",
                         output->per_node, processors(), text_plural(processors()));
        print_remark("call/us: blocking calls, plan/us: starts of a plan; medians of a few, after "
                     "the first. 'summand bench sum' measures with intervals.");
        table_end(&output->table, stdout);
    }
    return 0;
}

static bool any_so_far(const void *context)
{
    return ((const struct output *)context)->sums > 0;
}

static void print_so_far(void *context)
{
    struct output *output = context;
    output->told = true;
    print(output);
}

static int sum_all(const struct sum_options *options, int files, char **paths)
{
    struct output output = {
        .results = json_array(), .options = options, .per_node = timing_ranks_per_node()};
    int step = options->kind == SUMMAND_KIND_DOT ? 2 : 1;
    MPI_Comm_size(MPI_COMM_WORLD, &output.ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    table_begin(&output.table, "<file|<op|<method|N|ranks|value|<bits|call/us|plan/us");
    interrupt_answer(options->command,
                     (struct interrupt_answer){any_so_far, print_so_far, &output});
    int done = 0, status = 0;
    while (done < files && !interrupt_agreed() && sum_files(options, paths + done, &output))
        done += step;
    if (!interrupt_answered() && cli_rank() == 0)
        status = print(&output);
    table_end(&output.table, NULL);
    plain_free(&output.plain);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    json_decref(output.results);
    return interrupt_agreed() ? interrupt_say(options->command) : done < files ? 1 : status;
}

/* Sums along an axis are exact, or of a plain loop. */
static void check_columns(const struct sum_options *o, const struct parsing *parsing,
                          const char *option, struct trouble *trouble)
{
    static const char *const others[] = {"op", "distribution", "no-nan", "column"};
    if (o->method != ALL && strcmp(methods[o->method].name, "exact") &&
        strcmp(methods[o->method].name, "naive"))
        trouble_note(trouble, "--method: with --%s exact, naive or all, not %s", option,
                     methods[o->method].name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_given(parsing, others[i]))
            trouble_note(trouble, "--%s: does not go with --%s", others[i], option);
}

/* True if standard input of rank 0 is a pipe or a file, so that it need not be named. */
static bool input_waits(void)
{
    struct stat status;
    int waits = cli_rank() == 0 && !fstat(STDIN_FILENO, &status) &&
                (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || S_ISREG(status.st_mode));
    MPI_Bcast(&waits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (waits && cli_rank() == 0)
        advise("sum", "no file given: standard input is read");
    return waits;
}

/* Standard input can be read once. */
static void check_files(int files, char **paths, struct trouble *trouble)
{
    int standard = 0;
    for (int i = 0; i < files; i++)
        standard += !strcmp(paths[i], "-");
    if (standard > 1)
        trouble_note(trouble, "'-': standard input is named %d times, and can be read once",
                     standard);
}

static int parse_and_sum(struct parsing *parsing, const struct command *command,
                         struct sum_options *o, const struct option_row *rows, int argc,
                         char **argv)
{
    bool help;
    int first = parse_options(parsing, command, rows, argc, argv, &help);
    if (help)
        return 0;
    struct trouble trouble = {""};
    o->command = command->name;
    char *input[] = {"-"};
    if (first >= 0 && first == argc && input_waits()) {
        argv = input;
        argc = 1;
        first = 0;
    }
    if (first >= 0 && first == argc)
        trouble_note(&trouble, "no file given; '%s %s --help' shows how", program_name,
                     command->name);
    else if (first >= 0 && o->kind == SUMMAND_KIND_DOT && (argc - first) % 2)
        trouble_note(&trouble, "a dot product needs files in pairs");
    dataset_options_check(&o->data, parsing, &trouble);
    if (o->plain && o->json)
        trouble_note(&trouble, "--plain and --json exclude each other");
    if (o->columns)
        check_columns(o, parsing, "columns", &trouble);
    if (o->axis != AXIS_NONE)
        check_columns(o, parsing, "axis", &trouble);
    if (o->axis != AXIS_NONE && o->columns)
        trouble_note(&trouble, "--axis: does not go with --columns, which is axis 0 of a matrix");
    if (first >= 0)
        check_files(argc - first, argv + first, &trouble);
    if (first < 0 || !agree(command->name, &trouble))
        return 2;
    if (o->study)
        summand__study_rule = (struct summand__outbound_rule){(int)o->buffer, (uint64_t)o->flush};
    if (!o->columns && o->axis == AXIS_NONE)
        return sum_all(o, argc - first, argv + first);
    const char *method = o->method == ALL ? "" : methods[o->method].name;
    const struct columns_options columns = {.command = command->name,
                                            .choice = &o->data.choice,
                                            .axis = (int)o->axis,
                                            .json = o->json,
                                            .plain = o->plain,
                                            .exact = strcmp(method, "naive"),
                                            .naive = strcmp(method, "exact"),
                                            .named = option_given(parsing, "method")};
    return sum_columns(&columns, argc - first, argv + first);
}

#define COMMON_OPTIONS(o)                                                                          \
    {"op", 0, OPTION_CHOICE, &(o).kind, "OP", "what to sum (dot: files in pairs)", kind_names},    \
        DATASET_OPTIONS((o).data),                                                                 \
        {"json", 'j', OPTION_FLAG, &(o).json, NULL, "print JSON instead of a table", NULL},        \
    {                                                                                              \
        "plain", 0, OPTION_FLAG, &(o).plain, NULL, "print the sums alone, one on each line", NULL  \
    }

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct sum_options o = {.data.alpha = SUMMAND__ALPHA, .method = 0, .axis = AXIS_NONE};
    const struct option_row rows[] = {
        {"method", 0, OPTION_CHOICE, &o.method, "M", "how to sum", method_choices},
        {"columns", 0, OPTION_FLAG, &o.columns, NULL,
         "sums of the columns of tables and matrices, exact or naive", NULL},
        {"axis", 0, OPTION_INT, &o.axis, "K", "sums along axis K of arrays, from 0; -1: the last",
         NULL, -SUMMAND__NPY_DIMENSIONS, SUMMAND__NPY_DIMENSIONS - 1},
        COMMON_OPTIONS(o),
        {0}};
    return parse_and_sum(parsing, &command_sum, &o, rows, argc, argv);
}

static int run_study(struct parsing *parsing, int argc, char **argv)
{
    struct sum_options o = {.data.alpha = SUMMAND__ALPHA, .study = true, .axis = AXIS_NONE};
    o.buffer = SUMMAND__OUTBOUND_VALUES;
    o.flush = SUMMAND__OUTBOUND_SUMMANDS;
    const struct option_row rows[] = {OUTBOUND_OPTIONS(o.buffer, o.flush), COMMON_OPTIONS(o), {0}};
    return parse_and_sum(parsing, &study_sum, &o, rows, argc, argv);
}

const struct command command_sum = {
    .name = "sum",
    .summary = "sums of the numbers in files, the same bits on any number of processes",
    .synopsis = "sum [options] FILE...",
    .examples = "  mpirun -np 4 summand sum data.npy            # an array of any shape\n"
                "  summand sum --column price table.csv\n"
                "  mpirun -np 4 summand sum --columns table.csv # each column\n"
                "  mpirun -np 4 summand sum --axis 0 cube.npy   # sums along an axis\n"
                "  summand sum results.npz:energy               # an array of an archive\n"
                "  zcat numbers.txt.gz | summand sum            # standard input, also as -\n"
                "  total=$(summand sum --plain data.npy)        # the number alone\n"
                "  mpirun -np 4 summand sum --method all --op asum *.binpsllh\n"
                "  mpirun -np 2 summand sum --op dot x.f64 y.f64\n",
    .parallel = true,
    .run = run};

const struct command study_sum = {
    .name = "sum",
    .summary = "the index tree with one message per subtree, as in Stelz's thesis, beside ours",
    .synopsis = "sum [options] FILE...",
    .examples = "  mpirun -np 4 summand-study sum data.npy\n"
                "  mpirun -np 4 summand-study sum --buffer 16 --flush 1k data.npy\n",
    .parallel = true,
    .run = run_study};
