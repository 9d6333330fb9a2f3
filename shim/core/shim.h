/* SPDX-License-Identifier: BSD-3-Clause */
/* The part that serves: what the faces call, and what its files share. */
#pragma once

#include "core/request.h"
#include "core/rules.h"
#include "core/watch.h"

/* The table that the preloaded part shares, and the MPI's own function of a name in it. */
extern struct shim_slot *shim_slots;
#define SHIM_FUNCTION(mpi_name) shim_slots[AT_##mpi_name].real
#define SHIM_REAL(mpi_name) ((__typeof__(&mpi_name))SHIM_FUNCTION(mpi_name))

/* Around each intercepted collective (call.c). `shim_begin` returns true if the call has been
 * served, and `code` is its result. Otherwise the face calls the MPI. `shim_end` returns the
 * code. */
bool shim_begin(struct shim_call *call);
int shim_end(struct shim_call *call, int code);
/* The function's name: "MPI_Iallreduce_c". */
const char *shim_name(const struct shim_call *call);
/* Before a function of SHIM_ASIDES, which the MPI does. `combines`: it has elements and a target.
 */
void shim_aside(const char *name, bool combines, MPI_Op op, MPI_Datatype type, const void *caller);

/* life.c. What the settings ask for: collective calls, SHIM_ASIDES, SHIM_REQUESTS, SHIM_ALSO. */
struct shim_wanted {
    bool calls, asides, requests, also;
};
struct shim_wanted shim_wanted(void);
/* True if calls of this function come here. Without a mode, a report and a record MPI_Init alone
 * does, where ranks compare their settings. */
bool shim_takes(const struct shim_wanted *wanted, enum shim_at at);
/* agree.c: compares the settings of all ranks. False: they differ, and rank 0 has a complaint.
 * Collective over MPI_COMM_WORLD. */
bool shim_agree(char *complaint, size_t room);
/* After PMPI_Init, and before PMPI_Finalize. */
void shim_start(void);
void shim_finish(void);
/* What MPI_Init says and ends the program with, because settings are wrong; "": they are right. */
const char *shim_complaint(void);

/* session.c. A session was initialized (+1) or finalized (-1). */
void shim_session(int more);
/* A call outside of MPI_Init and MPI_Finalize; `rank` of its communicator, `rounds` as in struct
 * shim_call. */
void shim_session_passes(const char *name, bool rounds, const void *caller, int rank);

/* What SUMMAND_REQUESTS is by default. */
enum { SHIM_GATHERED = 1 << 28 };

/* What holds in this process, set by life.c. */
extern struct shim_state {
    bool runs;    /* between MPI_Init and MPI_Finalize */
    bool ends;    /* in MPI_Finalize: Summand ends in a callback, before others of the program's */
    bool watches; /* watch_start said so */
    bool serves;  /* some rule says so */
    bool strict;  /* SUMMAND_STRICT: the program ends where the mode's promise does not hold */
    MPI_Count requests;  /* what gathers (request.h) may gather so many bytes; -1: nothing */
    atomic_int sessions; /* that were not finalized */
    atomic_bool said;    /* of sessions outside of MPI_Init, all that there is to say */
    struct shim_rules rules;
} shim_state;

/* comm.c: the communicator of a call; NULL for MPI_COMM_NULL, or without memory. */
struct shim_comm *shim_comm_of(MPI_Comm comm);
bool shim_comms_begin(void);
/* Summand's state of it, made at the first use, which is collective; NULL after an error, which all
 * ranks have. */
struct summand__state *shim_state_of(struct shim_comm *comm, int *code);

/* caller.c: true if this return address lies in the MPI itself, such as its parallel I/O, or
 * in Summand, which also works in callbacks of the MPI. The MPI's Fortran functions do not
 * count. */
bool shim_is_inside(const void *caller);
/* The program's call site for this return address, which may be in the MPI's Fortran functions. */
const void *shim_site(const void *caller);

/* alias.c: the operand to give to Summand, for a call of so many bytes: sendbuf, MPI_IN_PLACE, or a
 * copy that the caller frees. */
const void *shim_operand(const struct shim_call *call, MPI_Count bytes, void **copy);

/* end_program.c: one line, and the program ends with 2. */
_Noreturn void shim_end_program(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* promise.c: true if the bits of this reduction may depend on the order of the operands. */
bool shim_may_round(MPI_Op op, MPI_Datatype type);
/* Ends the program, because the promise does not hold for a call: `rank` is this process's in it,
 * or -1. One line names the call, its site and the reason. */
void shim_end_strictly(const char *name, const char *reason, const void *site, int rank);

/* reject.c: true if the MPI is known to reject this call on this rank without a message. */
bool shim_is_rejected(const struct shim_call *call);

/* alias.c: true if a gather's own block is in its place, where MPI_IN_PLACE says so. */
bool shim_is_in_place(const struct shim_call *call);

/* serve.c: elements of the vector, or of all blocks; negative if an argument is wrong. */
MPI_Count shim_elements(const struct shim_call *call);

/* serve.c: lets Summand do a call of several ranks. True if it has: `code` is the result, and an
 * error of a blocking call is for the program's handler, unless the MPI has raised it, as it does
 * between groups. False: all ranks call the MPI, for `reason`. */
bool shim_serve(struct shim_call *call);
