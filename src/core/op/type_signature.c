/* SPDX-License-Identifier: BSD-3-Clause */
/* The hash is a polynomial in the sequence, modulo the prime 2^61 - 1: the hash of two concatenated
 * sequences follows from theirs, and n repetitions cost log n steps. */
#include "op/type_signature.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "op/predefined.h"
#include "process/datatype.h"
#include "process/process_datatypes.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t prime = (UINT64_C(1) << 61) - 1, base = UINT64_C(0x0f3b5d2c17e94a61);

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((wide)a * b % prime);
}

static struct summand__type_signature empty(void)
{
    return (struct summand__type_signature){.weight = 1, .first = MPI_DATATYPE_NULL, .known = true};
}

static struct summand__type_signature joined(const struct summand__type_signature *a,
                                             const struct summand__type_signature *b)
{
    bool kinds = a->length && b->length &&
                 summand__datatype_basic(a->first) != summand__datatype_basic(b->first);
    return (struct summand__type_signature){
        .hash = (times(a->hash, b->weight) + b->hash) % prime,
        .weight = times(a->weight, b->weight),
        .length = a->length + b->length,
        .first = a->length ? a->first : b->first,
        .mixed = a->mixed || b->mixed || kinds,
        .raw = a->raw || b->raw,
        .known = a->known && b->known,
    };
}

static struct summand__type_signature repeated(struct summand__type_signature unit, uint64_t count)
{
    struct summand__type_signature all = empty();
    all.known = unit.known;
    for (; count; count /= 2) {
        if (count % 2)
            all = joined(&all, &unit);
        unit = joined(&unit, &unit);
    }
    return all;
}

static uint64_t spread(uint64_t z)
{
    return summand__spread(z) % prime;
}

static struct summand__type_signature basic(MPI_Datatype datatype)
{
    struct summand__type_signature one = empty();
    one.hash = spread((uint64_t)summand__datatype_basic(datatype) + 1);
    one.weight = base;
    one.length = 1;
    one.first = datatype;
    one.raw = datatype == MPI_BYTE || datatype == MPI_PACKED;
    return one;
}

/* True for pairs of a value and its index. */
static bool is_pair(MPI_Datatype datatype, MPI_Datatype *value)
{
    const struct {
        MPI_Datatype pair, value;
    } rows[] = {{MPI_DOUBLE_INT, MPI_DOUBLE}, {MPI_FLOAT_INT, MPI_FLOAT},
                {MPI_LONG_INT, MPI_LONG},     {MPI_2INT, MPI_INT},
                {MPI_SHORT_INT, MPI_SHORT},   {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].pair == datatype) {
            *value = rows[i].value;
            return true;
        }
    return false;
}

static struct summand__type_signature of_one(MPI_Datatype datatype);

/* Frees a handle from MPI_Type_get_contents, unless the datatype is MPI's own. */
static void drop(MPI_Datatype *datatype)
{
    int integers, addresses, datatypes, combiner;
    PMPI_Type_get_envelope(*datatype, &integers, &addresses, &datatypes, &combiner);
    if (!summand__combiner_lasts(combiner))
        PMPI_Type_free(datatype);
}

/* A datatype made of one other datatype holds it as often as the sizes say. */
static struct summand__type_signature copies(MPI_Datatype whole, MPI_Datatype part)
{
    MPI_Count bytes = 0, each = 0;
    summand__type_size(whole, &bytes);
    summand__type_size(part, &each);
    return each > 0 ? repeated(of_one(part), (uint64_t)(bytes / each)) : empty();
}

static struct summand__type_signature derived(MPI_Datatype datatype, int combiner, int n_integers,
                                              int n_addresses, int n_datatypes)
{
    struct summand__type_signature all = empty();
    int *integers = malloc(((size_t)n_integers + 1) * sizeof *integers);
    MPI_Aint *addresses = malloc(((size_t)n_addresses + 1) * sizeof *addresses);
    MPI_Datatype *parts = malloc(((size_t)n_datatypes + 1) * sizeof *parts);
    all.known = integers && addresses && parts &&
                PMPI_Type_get_contents(datatype, n_integers, n_addresses, n_datatypes, integers,
                                       addresses, parts) == MPI_SUCCESS;
    for (int i = 0; all.known && i < n_datatypes; i++) {
        bool counted = combiner == MPI_COMBINER_STRUCT && n_integers > i + 1;
        struct summand__type_signature part =
            counted ? repeated(of_one(parts[i]), (uint64_t)integers[i + 1])
                    : copies(datatype, parts[i]);
        all = joined(&all, &part);
        drop(&parts[i]);
    }
    free(integers);
    free(addresses);
    free(parts);
    return all;
}

static struct summand__type_signature of_one(MPI_Datatype datatype)
{
    int integers = 0, addresses = 0, datatypes = 0, combiner = MPI_COMBINER_NAMED;
    MPI_Datatype value;
    if (is_pair(datatype, &value)) {
        struct summand__type_signature first = basic(value), index = basic(MPI_INT);
        return joined(&first, &index);
    }
    const bool ours = summand__process_datatype_of(datatype) != SUMMAND__PROCESS_DATATYPES;
    if (ours || !summand__datatype_predefined(datatype))
        PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
    return summand__combiner_lasts(combiner)
               ? basic(datatype)
               : derived(datatype, combiner, integers, addresses, datatypes);
}

struct summand__type_signature summand__type_signature(MPI_Datatype datatype, MPI_Count count)
{
    return repeated(of_one(datatype), (uint64_t)count);
}

void summand__type_text(MPI_Datatype datatype, char *text, size_t room)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length;
    PMPI_Type_get_name(datatype, name, &length);
    struct summand__type_signature all = of_one(datatype);
    if (*name || !all.length) {
        snprintf(text, room, "%.*s", (int)room - 1, *name ? name : "a datatype of no elements");
        return;
    }
    PMPI_Type_get_name(all.first, name, &length);
    if (all.mixed)
        snprintf(text, room, "%llu elements, first %.24s", (unsigned long long)all.length, name);
    else
        snprintf(text, room, "%llu x %.24s", (unsigned long long)all.length, name);
}
