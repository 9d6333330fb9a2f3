/* Summand's conditions as MPI error codes, made at first use. */
#include "comm/error.h"

#include <pthread.h>
#include <stdio.h>

static const char *const texts[SUMMAND_ERR_COUNT] = {
#define TEXT(name, text) "Summand: " text,
    SUMMAND_ERRORS(TEXT)
#undef TEXT
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int error_class = MPI_ERR_UNKNOWN;
static int codes[SUMMAND_ERR_COUNT];
static int made;

static void make_codes(void)
{
    pthread_mutex_lock(&lock);
    if (!made && MPI_Add_error_class(&error_class) == MPI_SUCCESS) {
        MPI_Add_error_string(error_class, "Summand: error");
        for (int i = 0; i < SUMMAND_ERR_COUNT; i++) {
            codes[i] = MPI_ERR_UNKNOWN;
            if (MPI_Add_error_code(error_class, &codes[i]) == MPI_SUCCESS)
                MPI_Add_error_string(codes[i], (char *)texts[i]); /* not const in SimGrid's MPI */
        }
        made = 1;
    }
    pthread_mutex_unlock(&lock);
}

int summand_error_class(void)
{
    make_codes();
    return error_class;
}

int summand_error_code(enum summand_error error)
{
    make_codes();
    if ((int)error < 0 || error >= SUMMAND_ERR_COUNT || !made)
        return MPI_ERR_UNKNOWN;
    return codes[error];
}

void summand__error_explain(enum summand_error error, const char *what)
{
    char text[MPI_MAX_ERROR_STRING];
    int code = summand_error_code(error);
    snprintf(text, sizeof text, "%s: %s", texts[error], what);
    pthread_mutex_lock(&lock);
    if (code != MPI_ERR_UNKNOWN)
        MPI_Add_error_string(code, text);
    pthread_mutex_unlock(&lock);
}

int summand__raise(MPI_Comm comm, int code)
{
    MPI_Errhandler handler;
    if (code == MPI_SUCCESS || MPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS)
        return code;
    if (handler != MPI_ERRORS_RETURN) /* which SimGrid's MPI cannot call */
        MPI_Comm_call_errhandler(comm, code);
    MPI_Errhandler_free(&handler);
    return code;
}
