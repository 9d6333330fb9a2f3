/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's algorithms and settings: the tables that `summand list` and `summand info --env`
 * print. No call here needs a communicator, and all are local. They may be made before MPI_Init and
 * after MPI_Finalize. Several threads may call at once under MPI_THREAD_MULTIPLE. */
#ifndef SUMMAND_INFO_H
#define SUMMAND_INFO_H

#include <stddef.h>
#include <stdint.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A parameter of an algorithm: a field of summand_options. */
typedef struct summand_parameter {
    const char *name;   /**< segment, radix, node (options.node_size), leaders, or between
                             (options.radix_between); NULL after the last one */
    size_t least, most; /**< the range, to which a call moves other values; SIZE_MAX: no limit. A
                             segment is in elements, of which a vector has 16384 at most */
    size_t standard;    /**< value for 0 in the options; SIZE_MAX: the whole vector */
} summand_parameter;

/** An algorithm of collectives, of sums of outer products or of products of matrices. */
typedef struct summand_algorithm {
    const char *name;        /**< for summand_options.algorithm and the like */
    const char *description; /**< one sentence */
    const char *source;      /**< whose algorithm it is */
    const char *const
        *collectives; /**< the collectives that it does, such as "allreduce"; NULL after the last */
    const char *const
        *promises; /**< its promises on bits, as `summand list` names them: "rank order", "same
                      bits" (on all ranks), "canonical", "pair order"; NULL after the last */
    const summand_parameter *parameters; /**< a row without name after the last */
} summand_algorithm;

/** The algorithms, one after the other.
 *  @param index from 0 on
 *  @return the algorithm, static data of the library; NULL after the last one and below 0 */
SUMMAND_API const summand_algorithm *summand_algorithm_at(int index);

/** What values a setting takes. */
enum summand_setting_kind {
    SUMMAND_SETTING_CHOICE = 0, /**< one of the words of `allowed` */
    SUMMAND_SETTING_NUMBER =
        1, /**< an integer from `least` to `most`; a suffix k, m or g multiplies it
            by a power of 1024; or the word that `allowed` has after a '|' */
    SUMMAND_SETTING_SECONDS = 2, /**< from `least` to `most`; fractions too */
    SUMMAND_SETTING_TEXT = 3 /**< a word of `allowed`, the name of a file, or text in the form that
                              `allowed` shows */
};

/** When the library reads a setting. A value that is set later does not affect earlier readers. */
enum summand_setting_when {
    SUMMAND_SETTING_PROCESS =
        0, /**< once in a process, at its first use; a later value is refused */
    SUMMAND_SETTING_COMMUNICATOR =
        1, /**< at a communicator's first call; communicators in use keep their value. If `meaning`
              says that rank 0's value counts, it is the communicator's rank 0 */
    SUMMAND_SETTING_PLAN = 2, /**< when a plan is made; blocking calls also make a plan, and cache
                                 it for calls of the same shape */
    SUMMAND_SETTING_CALL = 3  /**< at each call */
};

/** Source of a value. */
enum summand_setting_from {
    SUMMAND_SETTING_DEFAULT = 0,     /**< nobody set it: `standard` holds */
    SUMMAND_SETTING_ENVIRONMENT = 1, /**< a variable of the environment */
    SUMMAND_SETTING_PROGRAM = 2      /**< summand_setting_set */
};

/** A setting: a variable of the environment that a program can also set by itself. */
typedef struct summand_setting {
    const char *name; /**< such as "SUMMAND_TIMEOUT" */
    enum summand_setting_kind kind;
    enum summand_setting_when when;
    const char *allowed;  /**< such as "auto|p2p|shm|gpi2", "number|never", "seconds" */
    const char *standard; /**< default; may be empty */
    const char *meaning;  /**< one sentence */
    int64_t least, most;  /**< bounds of numbers and seconds */
} summand_setting;

/** The settings, one after the other.
 *  @param index from 0 on
 *  @return the setting, static data of the library; NULL after the last one and below 0 */
SUMMAND_API const summand_setting *summand_setting_at(int index);

/** The value of a setting in this process: the program's, else the environment's. If a setting is
 * read once in a process, and has been read, it is the value that was read.
 *  @param name [in] a setting's
 *  @param from [out] or NULL: where the value is from
 *  @return the value, valid until the program changes the variable in its environment; NULL if the
 *          setting is not set or empty, or there is no such setting */
SUMMAND_API const char *summand_setting_value(const char *name, enum summand_setting_from *from);

/** Sets a setting of this process, for all later reads (`when`). The program's value wins over the
 * environment's, which stays as it is. Each process sets its own. If rank 0's value counts, those
 * of other ranks have no effect.
 *  @param name [in] a setting's
 *  @param value [in] as the variable would have it; "": the default holds, whatever the environment
 *         says; NULL: the program's value is taken back, and the environment holds again
 *  @return MPI_SUCCESS or an error, which is returned and not raised, as there is no communicator
 *          whose error handler could be called. summand_error_text names the setting, the value and
 *          the allowed values. After an error nothing has changed.
 *  Errors: SUMMAND_ERR_ARGUMENT (name or value), _ENVIRONMENT (too late: the setting is read once
 *  in a process, and another value was read), _MEMORY. Before MPI_Init and after MPI_Finalize
 *  there are no codes of Summand's: each is then MPI_ERR_ARG. */
SUMMAND_API int summand_setting_set(const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
