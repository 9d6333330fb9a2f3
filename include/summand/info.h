/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library has and how it is set: the tables that `summand list` and `summand info --env`
 * print. No call here needs a communicator, and all are local. They may be made before MPI_Init and
 * after MPI_Finalize. Threads as in MPI: several at once under MPI_THREAD_MULTIPLE. */
#ifndef SUMMAND_INFO_H
#define SUMMAND_INFO_H

#include <stddef.h>
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
    size_t standard;    /**< what 0 in the options stands for; SIZE_MAX: the whole vector */
} summand_parameter;

/** An algorithm of collectives, of sums of outer products or of products of matrices. */
typedef struct summand_algorithm {
    const char *name;               /**< for summand_options.algorithm and the like */
    const char *description;        /**< one sentence */
    const char *source;             /**< whose algorithm it is */
    const char *const *collectives; /**< what it does, such as "allreduce"; NULL after the last */
    const char *const *promises;    /**< what it promises of the bits, as `summand list` names it:
                                         "rank order", "same bits" (on all ranks), "canonical", "pair
                                         order"; NULL after the last */
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

/** When the library reads a setting: a value that is set later has no effect on what has read it.
 */
enum summand_setting_when {
    SUMMAND_SETTING_PROCESS = 0, /**< once in a process, when it is first needed; a value that comes
                                  later is refused */
    SUMMAND_SETTING_COMMUNICATOR = 1, /**< at a communicator's first call; communicators in use keep
                                       what they have. If `meaning` says that rank 0's value counts,
                                       it is the communicator's rank 0 */
    SUMMAND_SETTING_PLAN = 2, /**< when a plan is made, also that of a blocking call, which keeps
                               its plan for calls of the same shape */
    SUMMAND_SETTING_CALL = 3  /**< at each call */
};

/** Where a value is from. */
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
    const char *allowed;   /**< such as "auto|p2p|shm|gpi2", "number|never", "seconds" */
    const char *standard;  /**< what holds while it is not set, or empty */
    const char *meaning;   /**< one sentence */
    long long least, most; /**< of numbers and seconds */
} summand_setting;

/** The settings, one after the other.
 *  @param index from 0 on
 *  @return the setting, static data of the library; NULL after the last one and below 0 */
SUMMAND_API const summand_setting *summand_setting_at(int index);

/** The value of a setting in this process: the program's, else the environment's. Of a setting that
 *  is read once in a process, and has been, it is the value that was read.
 *  @param name [in] a setting's
 *  @param from [out] or NULL: where the value is from
 *  @return the value, valid until the program changes the variable in its environment; NULL if the
 *          setting is not set or empty, or there is no such setting */
SUMMAND_API const char *summand_setting_value(const char *name, enum summand_setting_from *from);

/** Sets a setting of this process, for all that reads it from now on (`when`). The program's value
 *  wins over the environment's, which stays as it is. Each process sets its own; where rank 0's
 *  value counts, those of other ranks have no effect.
 *  @param name [in] a setting's
 *  @param value [in] as the variable would have it; "": the default holds, whatever the environment
 *         says; NULL: the program's value is taken back, and the environment holds again
 *  @return MPI_SUCCESS or an error, which is returned and not raised, as there is no communicator
 *          whose error handler could be called. summand_error_text names the setting, the value and
 *          what is allowed. Nothing has changed then.
 *  Errors: SUMMAND_ERR_ARGUMENT (name or value), _ENVIRONMENT (it comes too late: the value is read
 *  once in a process, and was another one), _MEMORY; MPI_ERR_ARG in place of each before MPI_Init
 *  and after MPI_Finalize, when there are no codes of Summand's. */
SUMMAND_API int summand_setting_set(const char *name, const char *value);

#ifdef __cplusplus
}
#endif
#endif
