/* SPDX-License-Identifier: BSD-3-Clause */
/* summand run: a program that does not know Summand, with the shim of its MPI. It becomes the
 * launcher, so signals and the exit status are the launcher's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/absolute.h"
#include "base/environment.h"
#include "cli/common/cli.h"
#include "cli/options/promises.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/text.h"
#include "cli/ranks/launched.h"
#include "cli/run/elf.h"
#include "shim/core/rules.h"

extern const struct command command_run_program;
extern char **environ;

enum { PATH_ROOM = 4096 };

static const char *const kind_names[] = {
    [MPI_KIND_OPENMPI] = "openmpi", [MPI_KIND_MPICH] = "mpich", [MPI_KIND_ABI] = "abi"};

/* What the words after -- say. */
struct started {
    char **words; /* the launcher, or the program itself */
    int count;
    int launcher; /* place of mpirun or the like, or -1 */
    bool takes_x; /* the launcher is Open MPI's: it passes on variables that -x names */
    enum mpi_kind kind;
    bool named;          /* `kind` is what --mpi says */
    enum mpi_kind other; /* of the launcher or the program, against what --mpi says */
    const char *witness; /* that one */
    enum file_kind file; /* of the program */
    bool checks_first;   /* a sanitizer of the program's refuses libraries before its own */
    const char *program;
};

struct wanted {
    const char *mode, *report, *record;
    int checked;      /* place in `checked_words` */
    long long values; /* negative: not given */
    bool strict, show, json;
};

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* True if the name is one of the words, perhaps with a suffix such as .openmpi. */
static bool has_word(const char *name, const char *const *words)
{
    for (int i = 0; words[i]; i++) {
        const size_t length = strlen(words[i]);
        if (!strncmp(name, words[i], length) && (!name[length] || name[length] == '.'))
            return true;
    }
    return false;
}

/* The launcher's MPI by the name of the file behind its links; NONE if it tells nothing (srun). */
static enum mpi_kind kind_of_launcher(const char *path)
{
    static const char *const open_mpi[] = {"orterun", "prterun", "mpirun.openmpi",
                                           "mpiexec.openmpi", NULL};
    static const char *const mpich[] = {"mpiexec.hydra", "mpiexec.mpich", "mpirun.mpich",
                                        "mpiexec.gforker", NULL};
    char real[PATH_ROOM];
    const char *name = base_of(realpath(path, real) ? real : path);
    return has_word(name, open_mpi) ? MPI_KIND_OPENMPI
           : has_word(name, mpich)  ? MPI_KIND_MPICH
                                    : MPI_KIND_NONE;
}

/* What a file tells of the MPI. --mpi is for files that tell nothing. */
static void learn(struct started *started, enum mpi_kind kind, const char *file)
{
    if (kind == MPI_KIND_NONE)
        return;
    if (!started->named) {
        started->kind = kind;
    } else if (kind != started->kind) {
        started->other = kind;
        started->witness = file;
    }
}

/* The launcher is the first program, or the first behind programs that start others. */
static void look_at_launcher(struct started *started)
{
    static const char *const starters[] = {"env",     "nice",   "ionice", "time",  "timeout",
                                           "nohup",   "stdbuf", "setsid", "chrt",  "taskset",
                                           "numactl", "strace", "ltrace", "xargs", NULL};
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun",
                                        "srun",   "aprun",   "jsrun",   NULL};
    char path[PATH_ROOM];
    started->launcher = -1;
    for (int i = 0; i < started->count && started->launcher < 0; i++) {
        const char *name = base_of(started->words[i]);
        if (*name == '-' || !file_of_word(started->words[i], path, sizeof path))
            continue;
        if (has_word(name, names)) {
            started->launcher = i;
            const enum mpi_kind kind = kind_of_launcher(path);
            started->takes_x = kind == MPI_KIND_OPENMPI;
            if (started->kind != MPI_KIND_ABI) /* its programs have any launcher */
                learn(started, kind, started->words[i]);
        } else if (!has_word(name, starters)) {
            return;
        }
    }
}

/* The first word behind the launcher that is a program. */
static void look_at_program(struct started *started)
{
    char path[PATH_ROOM];
    for (int i = started->launcher + 1; i < started->count; i++) {
        if (*started->words[i] == '-' || !file_of_word(started->words[i], path, sizeof path))
            continue;
        started->file = file_kind_of(path);
        if (started->file == FILE_OTHER)
            continue;
        started->program = started->words[i];
        if (started->file == FILE_DYNAMIC) {
            const struct linked linked = linked_with(path);
            started->checks_first = linked.checks_first;
            learn(started, linked.mpi, started->words[i]);
        }
        return;
    }
}

/* The library beside this command, where it was installed, or in a build beside it. */
static bool find_library(enum mpi_kind kind, char *path, size_t room)
{
    static const char *const folders[] = {"", SUMMAND_LIBRARIES "/summand/", "../%s/"};
    char self[PATH_ROOM], folder[64], found[PATH_ROOM + 256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return false;
    self[length] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const char *name = kind_names[kind];
        snprintf(folder, sizeof folder, folders[i], name);
        snprintf(found, sizeof found, "%s%slibsummand-mpi-%s.so", self, folder, name);
        if (!access(found, R_OK) && strlen(found) < room && realpath(found, path))
            return true;
    }
    return false;
}

static bool has(char **words, int count, const char *name)
{
    while (count && strcmp(words[count - 1], name) != 0)
        count--;
    return count;
}

/* Prints a word so that a shell reads the same one. Control characters, which could write on the
 * terminal, go between $'...'. */
static void print_quoted(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_@%+=:,./-";
    bool control = false;
    for (const char *at = word; *at; at++)
        control = control || (unsigned char)*at < ' ' || *at == 0x7f;
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, stdout);
        return;
    }
    fputs(control ? "$'" : "'", stdout);
    for (const char *at = word; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            printf("\\%03o", (unsigned)*at);
        else if (control && (*at == '\'' || *at == '\\'))
            printf("\\%c", *at);
        else if (*at == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*at);
    putchar('\'');
}

/* Adds a variable, and tells Open MPI's launcher to pass it on to other nodes. */
static void set(const struct wanted *wanted, const char *name, const char *value, char **words,
                int *count, bool takes_x)
{
    if (wanted->show && !wanted->json) {
        printf("%s=", name);
        print_quoted(value);
        putchar(' ');
    }
    setenv(name, value, 1);
    if (takes_x && !has(words, *count, name)) {
        words[(*count)++] = (char *)"-x";
        words[(*count)++] = (char *)name;
    }
}

/* Variables that the user has set reach other nodes too. Names stay those of the environment. */
static void pass_variables(char **words, int *count, char (*names)[64], int most)
{
    for (int i = 0, used = 0; environ[i] && used < most; i++) {
        const size_t length = strcspn(environ[i], "=");
        if (strncmp(environ[i], "SUMMAND_", 8) != 0 || length >= sizeof *names)
            continue;
        snprintf(names[used], sizeof *names, "%.*s", (int)length, environ[i]);
        words[(*count)++] = (char *)"-x";
        words[(*count)++] = names[used++];
    }
}

/* AddressSanitizer's runtime refuses to start behind a library that replaces nothing of its own, as
 * ours does. In LD_PRELOAD it would find leaks of the launcher. */
static const char *without_check(char *options, size_t room)
{
    const char *before = summand__environment_foreign("ASAN_OPTIONS");
    snprintf(options, room, "%s%sverify_asan_link_order=0", before ? before : "",
             before ? ":" : "");
    return options;
}

/* Sets a variable that names a file or a folder. Its path becomes absolute: the program may leave
 * its working directory, and ranks on other nodes may start in another one. */
static void set_path(const struct wanted *wanted, const char *name, const char *value, char **words,
                     int *count, bool takes_x)
{
    char whole[PATH_ROOM];
    set(wanted, name, summand__absolute(value, whole, sizeof whole) ? whole : value, words, count,
        takes_x);
}

/* Those that the user has set by hand, with the values that are no paths. */
static void set_paths(const struct wanted *wanted, char **words, int *count, bool takes_x)
{
    static const struct {
        const char *name, *other[2];
    } paths[] = {{"SUMMAND_REPORT", {"1", ""}},
                 {"SUMMAND_RECORD", {"", ""}},
                 {"SUMMAND_TUNING", {"", ""}},
                 {"SUMMAND_CALIBRATION", {"auto", "off"}}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const char *value = summand__environment_foreign(paths[i].name);
        if (value && *value != '/' && strcmp(value, paths[i].other[0]) != 0 &&
            strcmp(value, paths[i].other[1]) != 0)
            set_path(wanted, paths[i].name, value, words, count, takes_x);
    }
}

/* Prints what would be run. */
static int show(char **words, bool json)
{
    if (!json) {
        for (int i = 0; words[i]; i++) {
            fputs(i ? " " : "", stdout);
            print_quoted(words[i]);
        }
        puts("");
        return 0;
    }
    json_t *list = json_array(), *variables = json_object();
    for (int i = 0; words[i]; i++)
        json_array_append_new(list, json_text(words[i]));
    for (int i = 0; environ[i]; i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(environ[i], "="), environ[i]);
        if (!strcmp(name, "LD_PRELOAD") || !strncmp(name, "SUMMAND_", 8))
            json_object_set_new(variables, name, json_text(environ[i] + strlen(name) + 1));
    }
    json_t *object = json_head(command_run_program.name);
    json_object_update_new(object, json_make("oo", "words", list, "environment", variables));
    return write_json(command_run_program.name, object, NULL);
}

static int become(char **words, const struct wanted *wanted)
{
    if (wanted->show || wanted->json)
        return show(words, wanted->json);
    execvp(words[0], words);
    complain(command_run_program.name, "%s: %s", words[0], strerror(errno));
    return errno == ENOENT ? 127 : 126; /* as a shell */
}

/* Sets the environment and becomes the launcher. */
static int start(const struct started *started, const struct wanted *wanted, const char *library)
{
    enum { VARIABLES = 32, OWN = 12 };
    char *words[started->count + 2 * (VARIABLES + OWN) + 1], names[VARIABLES][64];
    const char *before = summand__environment_foreign("LD_PRELOAD");
    char preload[strlen(library) + (before ? strlen(before) : 0) + 2], values[24];
    char checks[PATH_ROOM];
    const int head = started->launcher + 1;
    const bool takes_x = started->takes_x;
    int count = head;
    memcpy(words, started->words, (size_t)head * sizeof *words);
    /* What the user preloads stays in front, such as a sanitizer's runtime. */
    snprintf(preload, sizeof preload, "%s%s%s", before ? before : "", before ? ":" : "", library);
    if (takes_x)
        pass_variables(words, &count, names, VARIABLES);
    set(wanted, "LD_PRELOAD", preload, words, &count, takes_x);
    if (wanted->report && *wanted->report)
        set_path(wanted, "SUMMAND_REPORT", wanted->report, words, &count, takes_x);
    else if (wanted->report)
        set(wanted, "SUMMAND_REPORT", "1", words, &count, takes_x);
    if (wanted->record)
        set_path(wanted, "SUMMAND_RECORD", wanted->record, words, &count, takes_x);
    set_paths(wanted, words, &count, takes_x);
    if (started->checks_first)
        set(wanted, "ASAN_OPTIONS", without_check(checks, sizeof checks), words, &count, takes_x);
    if (wanted->mode)
        set(wanted, "SUMMAND_MODE", wanted->mode, words, &count, takes_x);
    if (wanted->checked)
        set(wanted, "SUMMAND_CHECKED", checked_words[wanted->checked], words, &count, takes_x);
    if (wanted->strict)
        set(wanted, "SUMMAND_STRICT", "on", words, &count, takes_x);
    snprintf(values, sizeof values, "%lld", wanted->values);
    if (wanted->values >= 0)
        set(wanted, "SUMMAND_RECORD_VALUES", values, words, &count, takes_x);
    memcpy(words + count, started->words + head,
           (size_t)(started->count - head + 1) * sizeof *words);
    return become(words, wanted);
}

static int find_and_start(struct started *started, const struct wanted *wanted)
{
    char library[PATH_ROOM];
    look_at_launcher(started);
    look_at_program(started);
    if (started->file == FILE_STATIC && wanted->strict)
        return misuse(command_run_program.name,
                      "--strict: %s is linked statically: nothing can be preloaded",
                      started->program);
    if (started->file == FILE_STATIC)
        advise(command_run_program.name,
               "%s is linked statically: nothing can be preloaded, so it runs as without summand",
               started->program);
    if (started->witness)
        return misuse(command_run_program.name, "--mpi: %s, but %s belongs to %s",
                      kind_names[started->kind], started->witness, kind_names[started->other]);
    if (started->kind == MPI_KIND_NONE && started->file == FILE_STATIC)
        return become(started->words, wanted);
    if (started->kind == MPI_KIND_NONE)
        return complain(command_run_program.name,
                        "%s: cannot tell its MPI; give --mpi openmpi, mpich or abi",
                        started->program ? started->program : started->words[0]);
    if (!find_library(started->kind, library, sizeof library))
        return complain(command_run_program.name,
                        "there is no libsummand-mpi-%s.so beside this command, which was built for "
                        "another MPI; build Summand with the program's MPI",
                        kind_names[started->kind]);
    if (strpbrk(library, " :"))
        return complain(command_run_program.name,
                        "%s: a path with a space or a colon cannot be preloaded", library);
    return start(started, wanted, library);
}

/* The words behind the dashes; -1 without dashes. */
static int words_behind(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return argc - i - 1;
    return -1;
}

/* What is wrong with the words, if all options are right: misuse's status, else 0. `behind`: of
 * words_behind. */
static int check_words(const struct parsing *parsing, const struct wanted *wanted, int behind,
                       int count, char **words)
{
    static const char *const of_record[] = {"values", NULL};
    const bool records = wanted->record || summand__environment_foreign("SUMMAND_RECORD");
    struct shim_rules rules;
    char complaint[320];
    if (behind >= 0 && count > behind && wanted->report && !*wanted->report)
        return misuse(command_run_program.name,
                      "%s: only options go before --; a report in this file is --report=%s",
                      words[0], words[0]);
    if (behind >= 0 && count > behind)
        return misuse(command_run_program.name, "%s: only options go before --", words[0]);
    if (!count)
        return misuse(command_run_program.name, "what to run? Write it after --, as in the help");
    if (behind < 0)
        return misuse(command_run_program.name, "%s: write -- before the launcher", words[0]);
    if (!options_only_with(parsing, command_run_program.name, "--record", records, of_record))
        return 2;
    if (wanted->mode && !shim_rules_read(wanted->mode, &rules, complaint, sizeof complaint))
        return misuse(command_run_program.name, "--mode: %s", strchr(complaint, ' ') + 1);
    if (wanted->strict && !(wanted->mode ? shim_rules_promise(&rules)
                                         : summand__environment_foreign("SUMMAND_MODE") != NULL))
        return misuse(command_run_program.name,
                      "--strict: needs a mode that promises bits: ordered, canonical or exact");
    return 0;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    static const char *const kinds[] = {"auto", "openmpi", "mpich", "abi", NULL};
    struct wanted wanted = {.values = -1};
    const int behind = words_behind(argc, argv);
    int kind = 0;
    bool help;
    const struct option_row rows[] = {
        {"mode", 'm', OPTION_TEXT, &wanted.mode, "MODE",
         "fast, ordered, canonical, exact or off; or rules, such as exact:allreduce<=1k,canonical "
         "(default: SUMMAND_MODE, else fast)",
         NULL},
        {"strict", 0, OPTION_FLAG, &wanted.strict, NULL,
         "end the program at the first reduction that may round and that the mode does not cover",
         NULL},
        {"checked", 0, OPTION_CHOICE, &wanted.checked, "CHECK",
         "what is sent has check words: damage ends the program, or is repaired, and a line says "
         "where (default: "
         "SUMMAND_CHECKED, else off)",
         checked_words},
        {"report", 0, OPTION_MAYBE, &wanted.report, "FILE",
         "at the end, say on stderr or in FILE what was done, and how long it took", NULL},
        {"record", 'R', OPTION_TEXT, &wanted.record, "DIR",
         "write a line per call and rank to DIR, for `summand diff`", NULL},
        {"values", 0, OPTION_INT, &wanted.values, "N",
         "records have the values of vectors of up to N elements, too; 0: none", NULL, 0, 4096},
        {"mpi", 0, OPTION_CHOICE, &kind, "MPI",
         "the program's MPI; abi: any one, by the standard ABI of MPI 5; auto: as the program and "
         "the "
         "launcher tell",
         kinds},
        {"show", 0, OPTION_FLAG, &wanted.show, NULL, "print what would be run, and stop", NULL},
        {"json", 'j', OPTION_FLAG, &wanted.json, NULL, "the same as JSON", NULL},
        {0}};
    if (behind < 0 && argc > 1 && *argv[1] != '-') /* else its options are taken for ours */
        return misuse(command_run_program.name, "%s: write -- before the launcher", argv[1]);
    int first = parse_options(parsing, &command_run_program, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first < 0)
        return 2;
    const int status = check_words(parsing, &wanted, behind, argc - first, argv + first);
    if (status || ((wanted.show || wanted.json) && launched_idle()))
        return status;
    struct started started = {.words = argv + first, .count = argc - first};
    started.kind = (enum mpi_kind)kind;
    started.named = kind != 0;
    return find_and_start(&started, &wanted);
}

const struct command command_run_program = {
    "run",
    "an MPI program, unchanged, with Summand's reductions",
    "run [options] -- LAUNCHER [its words] PROGRAM [its words]",
    "  summand run --mode canonical -- mpirun -np 4 ./program\n"
    "  summand run --mode 'exact:allreduce<=1k,fast' --report -- mpirun -np 4 python3 "
    "./program.py\n"
    "  summand run --show -- mpirun -np 4 ./program\n",
    IN_EACH_PROCESS,
    run,
    NULL,
    "That of the launcher; 126 or 127: it cannot be started. 1: the program's MPI, or the library "
    "for it, "
    "is not known. 2: the call was wrong."};
