/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of every subcommand of `summand`: an entry in the table of main.c, a table of options
 * that serves the parser and the help, and errors in one sentence. */
#pragma once

#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct parsing;

/* Values of `parallel`: whether a command runs on all ranks, between MPI_Init and MPI_Finalize. A
 * bool; or only with --network. Of several launched processes, only the first one runs a command
 * without ranks, unless each of them starts an MPI by itself or becomes another program. */
enum { WITH_NETWORK = 2, IN_EACH_PROCESS = 3 };

struct command {
    const char *name;
    const char *summary;  /* one line, for the list of commands */
    const char *synopsis; /* "sum [options] FILE..." */
    const char *examples; /* lines, shown first in the help */
    int parallel;         /* as above */
    /* argv[0] is the subcommand's name; returns the exit status. */
    int (*run)(struct parsing *parsing, int argc, char **argv);
    /* For a family: its members, named "FAMILY WORD"; the last is NULL. A family does not run
     * itself. */
    const struct command *const *members;
    /* The exit status, if it is not that of most commands (manual.c): shown in help and manual. */
    const char *exits;
};

enum option_kind {
    OPTION_FLAG,   /* bool: set to true */
    OPTION_INT,    /* long long, decimal, with suffixes k, m, g (powers of 1024), or as 1e6 */
    OPTION_REAL,   /* double, finite */
    OPTION_TEXT,   /* const char * */
    OPTION_MAYBE,  /* const char *: what follows --name=, "" for --name alone */
    OPTION_CHOICE, /* int: index in `choices` */
    OPTION_OUTPUT, /* const char *: a file that the command writes; checked before the work */
    OPTION_FOLDER, /* const char *: a folder for output files, which may be made; checked before the
                      work */
};

struct option_row {
    const char *name; /* long name without dashes */
    char letter;      /* or 0 */
    enum option_kind kind;
    void *target;        /* bool, long long, double, const char * or int; holds the default */
    const char *metavar; /* "N", "FILE"; NULL for a flag */
    const char *help;    /* one line */
    const char *const *choices; /* NULL-terminated, for OPTION_CHOICE */
    /* The bounds of a given number, both included; every OPTION_INT and OPTION_REAL has them. A
     * default outside of them means "not given", and is not shown. */
    double least, most;
};

/* As `least`: any number above 0. As `most`: as an integer can be. As both bounds: seeds. */
#define ABOVE_ZERO DBL_TRUE_MIN
#define NO_MOST ((double)LLONG_MAX)
#define ANY_SEED 0, NO_MOST

/* True if the option takes the number. */
bool option_takes(const struct option_row *row, double value);

/* The default of a row as text; empty for a flag, for a text without a default, or for a number
 * that means "not given". */
void option_default(const struct option_row *row, char *text, size_t room);

/* How a command's words are parsed, and the result; the caller of `run` makes it, usually {0}. */
enum { OPTIONS_MOST = 64 };
struct parsing {
    /* Replaces print_help on stdout for --help: manual pages, JSON; may be NULL. */
    void (*help)(const struct command *command, const struct option_row *rows, void *context);
    void *context;
    /* All ranks of MPI_COMM_WORLD parse, and learn if one of them must stop. */
    bool on_ranks;
    /* Another process runs the command: right words are answered as --help is, without help. */
    bool idle;
    bool unwritable; /* all words are right, but a named file cannot be written */
    struct {
        const char *name;
        bool given;
    } seen[OPTIONS_MOST + 1];
};

/* Parses argv by `rows` (the last has no name). Every command has --help: prints the command's help
 * and sets *help. Returns the index of the first operand, or -1 after a complaint about a word or
 * an unwritable file. On a parallel command only rank 0 prints. Collective over MPI_COMM_WORLD with
 * `on_ranks`, else local. */
int parse_options(struct parsing *parsing, const struct command *command,
                  const struct option_row *rows, int argc, char **argv, bool *help);

/* Runs a command, not a family, on this process or on all ranks of MPI_COMM_WORLD. Returns the exit
 * status. */
int command_run(const struct command *command, bool on_ranks, int argc, char **argv);

/* An integer as of OPTION_INT; false if the text is none. */
bool parse_integer(const char *text, long long *value);

/* After parse_options: true if the option of this long name was given. */
bool option_given(const struct parsing *parsing, const char *name);
/* The first given option of the rows that is none of `taken` (the last is NULL); NULL: none. */
const char *option_beyond(const struct parsing *parsing, const struct option_row *rows,
                          const char *const *taken);
/* True if `there`, or if none of `names` (the last is NULL) was given; else complains that the
 * first one needs `with`. */
bool options_only_with(const struct parsing *parsing, const char *command, const char *with,
                       bool there, const char *const *names);

/* The running program's name in its messages, "summand" or "summand-study". */
extern const char *program_name;

/* "summand sum: FILE: text" on stderr. Returns 1, to be used as exit status. */
int complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same from rank 0 alone. Returns 2, the exit status of wrong usage. */
int misuse(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for remarks that are not errors. */
void advise(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From now on, JSON that cannot be allocated ends the command (need.h); jansson would leave it
 * out. */
void memory_begin(void);

/* Columns of lines on `out`: the environment variable COLUMNS, or else what a terminal there tells,
 * or else 80. At least 20. */
int screen_columns(FILE *out);
/* True if the first or the second of these told the columns: then no line is longer. Else a table's
 * row stays in one line, because a program may read it. */
bool screen_is_known(FILE *out);

/* Prints words on the screen, in lines of screen_columns; lines after the first begin at
 * `column`, the first word's column. Ends the line. */
void print_wrapped(const char *words, int column, FILE *out);
/* The same on stdout, each line behind "# ": the description of a table of numbers. */
void print_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints a line on stdout that may contain text of the user's, which may hold any bytes (text.h). A
 * line that is too long for a known screen goes on below. */
void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for each line of a text, which may end with one. */
void print_lines(const char *text);

/* Rank in MPI_COMM_WORLD, 0 outside of MPI. Rank 0 prints. */
int cli_rank(void);
