/* SPDX-License-Identifier: BSD-3-Clause */
/* What every subcommand of `summand` is made of: an entry in the table of main.c, a table of
 * options that is parsed and printed as help alike, and errors in one sentence. */
#ifndef SUMMAND_CLI_COMMON_CLI_H
#define SUMMAND_CLI_COMMON_CLI_H

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct parsing;

/* Whether a command runs on all ranks, between MPI_Init and MPI_Finalize: a bool, or with an option
 * of its own alone. */
enum { WITH_NETWORK = 2 };

struct command {
    const char *name;
    const char *summary;  /* one line, for the list of commands */
    const char *synopsis; /* "sum [options] FILE..." */
    const char *examples; /* lines, shown first in the help */
    int parallel;         /* as above */
    /* argv[0] is the subcommand's name; returns the exit status. */
    int (*run)(struct parsing *parsing, int argc, char **argv);
    /* Of a family: its members, named "FAMILY WORD", ended by NULL. It does not run itself. */
    const struct command *const *members;
};

enum option_kind {
    OPTION_FLAG,   /* bool: set to true */
    OPTION_INT,    /* long long, decimal, with suffixes k, m, g (powers of 1024) */
    OPTION_REAL,   /* double, finite */
    OPTION_TEXT,   /* const char * */
    OPTION_CHOICE, /* int: index in `choices` */
    OPTION_OUTPUT, /* const char *: a file that the command writes; asked for before its work */
    OPTION_FOLDER, /* const char *: the same of a folder that it writes files to, or makes */
};

struct option_row {
    const char *name; /* long name without dashes */
    char letter;      /* or 0 */
    enum option_kind kind;
    void *target;        /* bool, long long, double, const char * or int; holds the default */
    const char *metavar; /* "N", "FILE"; NULL for a flag */
    const char *help;    /* one line */
    const char *const *choices; /* NULL-terminated, for OPTION_CHOICE */
    /* What a number that is given must lie between, ends included; every OPTION_INT and OPTION_REAL
     * has it. A default outside of it means "not given", and is not shown. */
    double least, most;
};

/* As `least`: any number above 0. As both: seeds. */
#define ABOVE_ZERO DBL_TRUE_MIN
#define ANY_SEED 0, LLONG_MAX

/* Whether a number is one that the option takes. */
bool option_takes(const struct option_row *row, double value);

/* How a command's words are parsed, and what was found; the caller of `run` makes it, {0} as a
 * rule. */
enum { OPTIONS_MOST = 64 };
struct parsing {
    /* What --help does in place of print_help on stdout: pages of the manual, JSON; may be NULL. */
    void (*help)(const struct command *command, const struct option_row *rows, void *context);
    void *context;
    /* All ranks of MPI_COMM_WORLD parse, and learn that one of them must not go on. */
    bool on_ranks;
    bool unwritable; /* all words are right, but what they name cannot be written */
    struct {
        const char *name;
        bool given;
    } seen[OPTIONS_MOST + 1];
};

/* Parses argv by `rows` (ended by a row without name). Every command has --help: prints the
 * command's help and sets *help. Returns the index of the first operand, or -1 after saying what is
 * wrong, be it a word or a file that cannot be written. On a parallel command only rank 0 speaks.
 * Collective over MPI_COMM_WORLD with `on_ranks`, else local. */
int parse_options(struct parsing *parsing, const struct command *command,
                  const struct option_row *rows, int argc, char **argv, bool *help);

/* Runs a command that is no family, on this process or on all ranks of MPI_COMM_WORLD. The exit
 * status. */
int command_run(const struct command *command, bool on_ranks, int argc, char **argv);

/* A whole number with an optional suffix k, m or g; false if it is none. */
bool parse_integer(const char *text, long long *value);

void print_help(const struct command *command, const struct option_row *rows, FILE *out);

/* After parse_options: whether the option of this long name was given. */
bool option_given(const struct parsing *parsing, const char *name);
/* Whether none of `names` (ended by NULL) was given while `there` is false; complains that the
 * first one goes with `with` only. */
bool options_only_with(const struct parsing *parsing, const char *command, const char *with,
                       bool there, const char *const *names);

/* The program that runs, "summand" or "summand-study": what its messages begin with. */
extern const char *program_name;

/* "summand sum: FILE: text" on stderr. Returns 1, to be used as exit status. */
int complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same from rank 0 alone. Returns 2, the exit status of wrong usage. */
int misuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of what is no error. */
void advise(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* JSON that there is no memory for ends the command from now on (need.h); jansson would leave it
 * out. */
void memory_begin(void);

/* Words on the screen, in lines of at most 100 columns; those after the first begin at `column`,
 * which is where the first one stands. Ends the line. */
enum { SCREEN_COLUMNS = 100 };
void print_wrapped(const char *words, int column, FILE *out);
/* The same on stdout, each line behind "# ": what a table of numbers is about. */
void print_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line on stdout in which a text of the user's stands, for any bytes of that (text.h). */
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Rank in MPI_COMM_WORLD, 0 outside of MPI. Rank 0 prints. */
int cli_rank(void);

#endif
