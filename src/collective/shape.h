/* The shape of a call: all that its schedule and its memory depend on, and not the buffers. Calls
 * of one shape can share a plan. */
#ifndef SUMMAND_COLLECTIVE_SHAPE_H
#define SUMMAND_COLLECTIVE_SHAPE_H

#include "collective/request.h"
#include "op/datatype_layout.h"

/* The schedule's elements are the datatype's where there is an operator. Elsewhere they are bytes,
 * as MPI lets ranks describe the same data by different datatypes and counts. */
struct summand__shape {
    enum summand__collective collective;
    int root;
    bool in_place;
    /* What the caller asked for: NULL and 0 where it is left open. */
    const struct summand__algorithm *asked;
    size_t asked_parameter[SUMMAND__PARAMETERS];
    unsigned promises; /* of enum summand__promise */
    /* What is run. */
    const struct summand__algorithm *algorithm;
    size_t parameter[SUMMAND__PARAMETERS];
    size_t count; /* schedule elements of the vector or of each block */
    /* Staged: the caller's buffer is copied to and from memory of ours. */
    bool send_staged, recv_staged;
    MPI_Aint extent, true_lb, true_extent; /* of an operator's elements; else 0 */
    MPI_Count size;                        /* of their data, which the choice depends on */
    const size_t *offsets;                 /* as in summand__call; owned by whoever made them */
};

/* The datatypes of a request; `send` is that of `recv` but for gatherings. */
struct summand__datatypes {
    struct summand__datatype send, recv;
    size_t unit; /* schedule elements per element of `recv` */
};

/* Reads datatypes and what is asked for. `offsets` is left NULL, and so is what is run. An MPI
 * error code. */
int summand__shape_read(const struct summand__request *request, const struct summand__state *state,
                        struct summand__datatypes *types, struct summand__shape *shape);

/* Fills in what is run. An MPI error code. Cost: select/choose.h. */
int summand__shape_choose(const struct summand__request *request, struct summand__state *state,
                          const struct summand__datatypes *types, struct summand__shape *shape);

/* Whether a plan of shape `made` serves a request of shape `asked`, which may not have been chosen
 * for yet. */
bool summand__shape_serves(const struct summand__shape *made, const struct summand__shape *asked,
                           const struct summand__request *request, size_t unit, int ranks);

struct summand__call summand__shape_call(const struct summand__shape *shape,
                                         const struct summand__state *state);

#endif
