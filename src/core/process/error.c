/* SPDX-License-Identifier: BSD-3-Clause */
/* Summand's conditions as MPI error codes, made at first use; and the end of a public call with
 * one. */
#include "process/error.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/quiet.h"
#include "base/warning.h"
#include "kernel/fpenv_call.h"
#include "process/world_root.h"

static const char *const texts[] = {
    [SUMMAND_ERR_MEMORY] = "Summand: out of memory",
    [SUMMAND_ERR_DATATYPE] = "Summand: the call does not take this datatype",
    [SUMMAND_ERR_DISTRIBUTION] =
        "Summand: the ranks' element ranges do not tile the index range 0..N-1",
    [SUMMAND_ERR_ARGUMENT] = "Summand: an argument is out of range",
    [SUMMAND_ERR_BUSY] = "Summand: the plan is already started",
    [SUMMAND_ERR_ENVIRONMENT] =
        "Summand: an environment variable SUMMAND_* has a value that cannot be used",
    [SUMMAND_ERR_ALGORITHM] = "Summand: no such algorithm, or not applicable to this call",
    [SUMMAND_ERR_MISMATCH] =
        "Summand: the ranks disagree on an argument that must be the same on all",
    [SUMMAND_ERR_NOT_FINITE] = "Summand: an input is NaN or infinite",
    [SUMMAND_ERR_REMOTE] = "Summand: another rank reported an error in this collective call",
    [SUMMAND_ERR_TIMEOUT] =
        "Summand: waited longer than SUMMAND_TIMEOUT or the call's own timeout allows",
    [SUMMAND_ERR_NOT_STARTED] =
        "Summand: the plan has never been started: there is nothing to wait for",
    [SUMMAND_ERR_DAMAGED] = "Summand: damage was found that could not be repaired",
    [SUMMAND_ERR_FILE] = "Summand: the file does not have the expected content",
    [SUMMAND_ERR_COMMUNICATORS] = "Summand: the MPI has no communicators left: free some, or call "
                                  "Summand on MPI_COMM_WORLD before they run out",
    [SUMMAND_ERR_NOT_CONVERGED] = "Summand: a result is not as accurate as asked",
};
enum { CONDITIONS = sizeof texts / sizeof *texts };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int error_class = MPI_ERR_UNKNOWN;
static int codes[CONDITIONS];
static atomic_int made;            /* then the class and codes are fixed; read without the lock */
static bool explained[CONDITIONS]; /* the MPI's text says more than `texts` */

/* The words of the thread's call on codes that it may return. These are few: the oldest is lost. */
enum { EXPLANATIONS = 3, WORDS = 448 };
static _Thread_local struct explanation {
    int code;
    bool here; /* the condition is this rank's own: its words end with the rank */
    char words[WORDS];
} said[EXPLANATIONS];
static _Thread_local int oldest;
static _Thread_local struct explanation last; /* of the thread's last failed call */

bool summand__mpi_runs(void)
{
    int begun = 0, over = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&over);
    return begun && !over;
}

int summand__no_mpi(const char *call)
{
    int over = 0, size;
    char words[128];
    PMPI_Finalized(&over);
    snprintf(words, sizeof words, "%s: %s", call,
             over ? "called after MPI_Finalize" : "called before MPI_Init or MPI_Init_thread");
    summand__tell(words);
    PMPI_Comm_size(MPI_COMM_SELF, &size); /* the MPI ends the program, as for its own calls */
    return MPI_ERR_OTHER;
}

static void make_codes(const char *call)
{
    if (!made && !summand__mpi_runs())
        summand__no_mpi(call);
    pthread_mutex_lock(&lock);
    if (!made && PMPI_Add_error_class(&error_class) == MPI_SUCCESS) {
        PMPI_Add_error_string(error_class, "Summand: error");
        for (int i = SUMMAND_ERR_NONE + 1; i < CONDITIONS; i++) {
            codes[i] = MPI_ERR_UNKNOWN;
            if (PMPI_Add_error_code(error_class, &codes[i]) == MPI_SUCCESS)
                PMPI_Add_error_string(codes[i], (char *)texts[i]); /* not const in SimGrid's MPI */
        }
        atomic_store(&made, 1);
    }
    pthread_mutex_unlock(&lock);
}

int summand_error_class(void)
{
    make_codes("summand_error_class");
    return error_class;
}

int summand_error_code(enum summand_error error)
{
    make_codes("summand_error_code");
    if ((int)error <= SUMMAND_ERR_NONE || (int)error >= CONDITIONS || !made)
        return MPI_ERR_UNKNOWN;
    return codes[error];
}

/* The MPI had no room for some codes: these are MPI_ERR_UNKNOWN, and count as the MPI's own. */
enum summand_error summand_error_of(int code)
{
    for (int error = SUMMAND_ERR_NONE + 1; made && error < CONDITIONS; error++)
        if (codes[error] == code && code != MPI_ERR_UNKNOWN)
            return (enum summand_error)error;
    return SUMMAND_ERR_NONE;
}

const char *summand__error_text(enum summand_error error)
{
    return texts[error] + strlen("Summand: ");
}

static void say(int code, bool here, const char *format, va_list words)
{
    int place = 0;
    while (place < EXPLANATIONS && said[place].code != code)
        place++;
    if (place == EXPLANATIONS) {
        place = oldest;
        oldest = (oldest + 1) % EXPLANATIONS;
    }
    said[place].code = code;
    said[place].here = here;
    summand__vformat(said[place].words, WORDS, format, words);
    for (char *letter = said[place].words; *letter; letter++)
        if ((unsigned char)*letter < ' ' || *letter == 0x7f) /* one line, with any name */
            *letter = '?';
}

void summand__error_explain(enum summand_error error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(summand_error_code(error), false, format, words);
    va_end(words);
}

int summand__refuse(enum summand_error error, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(summand_error_code(error), true, format, words);
    va_end(words);
    return summand_error_code(error);
}

int summand__refuse_as(int code, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    say(code, true, format, words);
    va_end(words);
    return code;
}

const char *summand__error_words(int code)
{
    int place = 0;
    while (place < EXPLANATIONS && said[place].code != code)
        place++;
    return place < EXPLANATIONS ? said[place].words : "";
}

/* Takes the words on this code; those of other conditions are dropped. MPI_COMM_NULL: MPI does not
 * run. */
static void take_words(int code, MPI_Comm comm)
{
    int rank = 0, size = 0, place = 0;
    while (place < EXPLANATIONS && said[place].code != code)
        place++;
    last = place < EXPLANATIONS ? said[place] : (struct explanation){.code = code};
    memset(said, 0, sizeof said); /* MPI_SUCCESS is 0, and no error */
    if (!last.here || comm == MPI_COMM_NULL || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
        PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return;
    size_t length = strlen(last.words);
    char place_of[48];
    int more =
        comm == MPI_COMM_SELF
            ? snprintf(place_of, sizeof place_of, " (rank %d of the world)", summand__world_rank())
            : snprintf(place_of, sizeof place_of, " (rank %d of %d)", rank, size);
    if (length + (size_t)more >= WORDS)
        length = WORDS - 1 - (size_t)more;
    memcpy(last.words + length, place_of, (size_t)more + 1);
}

/* Sets MPI_Error_string of one of Summand's conditions, which describes the last error with this
 * code. Its room is MPI_MAX_ERROR_STRING, which is 256 in Open MPI. */
static void settle_text(int code)
{
    enum summand_error error = summand_error_of(code);
    char text[MPI_MAX_ERROR_STRING];
    if (error == SUMMAND_ERR_NONE)
        return;
    snprintf(text, sizeof text, *last.words ? "%s: %s" : "%s", texts[error], last.words);
    pthread_mutex_lock(&lock);
    if (*last.words || explained[error])
        PMPI_Add_error_string(code, text);
    explained[error] = *last.words;
    pthread_mutex_unlock(&lock);
}

int summand__keep_words(int code)
{
    bool runs = summand__mpi_runs();
    take_words(code, runs ? MPI_COMM_SELF : MPI_COMM_NULL);
    if (runs)
        settle_text(code);
    return code;
}

/* Any other number could end the program in MPI_Error_string. MPICH crashes for one from 2^30 on
 * that is no class of a program. These are at most 127 numbers in sequence; the first one follows
 * 2^30 or, from MPICH 5 on, 2^30 + 128, and the last one is what the MPI says. Codes of these
 * classes lie beyond: they have a text here if this thread's last call returned them. */
static bool is_code(int code)
{
    enum { OF_PROGRAMS = 1 << 30, CLASSES = 128 };
    const int last_class = summand__last_code();
    return code >= 0 && (code == last.code ||
                         (code <= last_class &&
                          (code < OF_PROGRAMS || code > last_class - last_class % CLASSES)));
}

const char *summand_error_text(int code)
{
    static _Thread_local char text[WORDS + MPI_MAX_ERROR_STRING];
    enum summand_error error = summand_error_of(code);
    int length = 0;
    if (!summand__mpi_runs())
        return code == last.code && *last.words ? last.words : "MPI is not initialised";
    if (error != SUMMAND_ERR_NONE)
        snprintf(text, sizeof text, "%s", texts[error]);
    else if (!is_code(code) || PMPI_Error_string(code, text, &length) != MPI_SUCCESS)
        return "not an error code";
    if (code == last.code && *last.words)
        snprintf(text + strlen(text), sizeof text - strlen(text), ": %s", last.words);
    return text;
}

/* Open MPI 4 lacks it, and a shim of a later one serves its programs: then it has no address. */
#ifdef OPEN_MPI
#pragma weak ompi_mpi_errors_abort
#endif

static bool is_fatal(MPI_Errhandler handler)
{
#ifdef MPI_ERRORS_ABORT
    if (handler == MPI_ERRORS_ABORT)
        return true;
#endif
    return handler == MPI_ERRORS_ARE_FATAL;
}

/* Prints the call's name: the MPI's own message names MPI_Comm_call_errhandler. */
static void tell(const char *call, MPI_Comm comm, int code)
{
    char name[MPI_MAX_OBJECT_NAME] = "", world[48] = "", text[WORDS + MPI_MAX_ERROR_STRING];
    char words[sizeof text + MPI_MAX_OBJECT_NAME + 160];
    int length = 0, rank = 0, size = 0, of_world = summand__world_rank();
    snprintf(text, sizeof text, "%s", summand_error_text(code));
    PMPI_Comm_get_name(comm, name, &length);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    for (char *end = text; (end = strchr(end, '\n'));)
        *end = ' ';
    if (strcmp(name, "MPI_COMM_WORLD") != 0)
        snprintf(world, sizeof world, ", rank %d of MPI_COMM_WORLD", of_world);
    snprintf(words, sizeof words, "%s failed on rank %d of %d (%s%s): %s", call, rank, size,
             *name ? name : "communicator without name", world, text);
    summand__tell(words);
}

int summand__raise_error(const char *call, MPI_Comm comm, int code)
{
    MPI_Errhandler handler;
    if (code == SUMMAND__NO_MPI || !summand__mpi_runs())
        return summand__no_mpi(call);
    if (comm == MPI_COMM_NULL) /* raises the error on this process */
        comm = MPI_COMM_SELF;
    take_words(code, comm);
    settle_text(code);
    if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS)
        return code;
    if (is_fatal(handler))
        tell(call, comm, code);
    struct summand__fpenv *lent = summand__fpenv_lend();
    if (handler != MPI_ERRORS_RETURN) /* SimGrid's MPI cannot call it */
        PMPI_Comm_call_errhandler(comm, code);
    summand__fpenv_take_back(lent);
    PMPI_Errhandler_free(&handler);
    return code;
}
