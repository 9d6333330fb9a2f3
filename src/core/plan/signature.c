/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/signature.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/quiet.h"
#include "op/predefined.h"
#include "op/type_signature.h"
#include "process/datatype.h"

static struct summand__argument *next(struct summand__signature *signature, const char *name,
                                      int64_t value)
{
    assert(signature->count < SUMMAND__AGREED);
    struct summand__argument *argument = &signature->argument[signature->count++];
    *argument = (struct summand__argument){.name = name, .value = value};
    return argument;
}

int64_t summand__sign_mix(int64_t hash, int64_t value)
{
    return (int64_t)summand__hash((uint64_t)hash, &value, sizeof value);
}

int64_t summand__sign_hash(const char *word)
{
    return word ? (int64_t)summand__hash_text(word) : 0;
}

static void say_word(const struct summand__argument *argument, char *text, size_t room)
{
    snprintf(text, room, "%s", argument->of ? (const char *)argument->of : "none");
}

static void say_real(const struct summand__argument *argument, char *text, size_t room)
{
    double value;
    memcpy(&value, &argument->value, sizeof value);
    summand__format(text, room, "%.17g", value);
}

static void say_op(const struct summand__argument *argument, char *text, size_t room)
{
    bool named = summand__op_predefined(argument->op);
    snprintf(text, room, "%s",
             named             ? summand__op_name(argument->op)
             : argument->value ? "user-defined, not commutative"
                               : "user-defined");
}

static void say_datatype(const struct summand__argument *argument, char *text, size_t room)
{
    summand__type_text(argument->datatype, text, room);
}

static void say_data(const struct summand__argument *argument, char *text, size_t room)
{
    int used = snprintf(text, room, "%lld x ", (long long)argument->count);
    summand__type_text(argument->datatype, text + used, room - (size_t)used);
}

void summand__sign_call(struct summand__signature *signature, const char *call)
{
    signature->count = 0;
    signature->failed = false;
    summand__sign_word(signature, "call", call);
}

struct summand__argument *summand__sign_number(struct summand__signature *signature,
                                               const char *name, int64_t value)
{
    return next(signature, name, value);
}

struct summand__argument *summand__sign_real(struct summand__signature *signature, const char *name,
                                             double value)
{
    struct summand__argument *argument = next(signature, name, 0);
    memcpy(&argument->value, &value, sizeof value);
    argument->say = say_real;
    return argument;
}

struct summand__argument *summand__sign_word(struct summand__signature *signature, const char *name,
                                             const char *word)
{
    struct summand__argument *argument = next(signature, name, summand__sign_hash(word));
    argument->say = say_word;
    argument->of = word;
    return argument;
}

struct summand__argument *summand__sign_op(struct summand__signature *signature, const char *name,
                                           MPI_Op op)
{
    int commutes = 1;
    if (!summand__op_predefined(op))
        PMPI_Op_commutative(op, &commutes);
    int64_t value =
        summand__op_predefined(op) ? summand__sign_hash(summand__op_name(op)) : !commutes;
    struct summand__argument *argument = next(signature, name, value);
    argument->say = say_op;
    argument->op = op;
    return argument;
}

static struct summand__argument *sign_type(struct summand__signature *signature, const char *name,
                                           MPI_Count count, MPI_Datatype datatype)
{
    struct summand__type_signature type = summand__type_signature(datatype, count);
    struct summand__argument *argument = next(signature, name, (int64_t)type.hash);
    signature->failed |= !type.known;
    argument->any = type.raw;
    argument->datatype = datatype;
    argument->count = count;
    return argument;
}

static bool is_half(MPI_Datatype datatype)
{
    const enum summand__combine_type kernel = summand__datatype_kernel(datatype);
    return kernel == SUMMAND__COMBINE_F16 || kernel == SUMMAND__COMBINE_BF16;
}

struct summand__argument *summand__sign_datatype(struct summand__signature *signature,
                                                 const char *name, MPI_Datatype datatype)
{
    struct summand__argument *argument = sign_type(signature, name, 1, datatype);
    argument->say = say_datatype;
    if (is_half(datatype)) /* to the MPI, ours are integers */
        argument->value = summand__datatype_basic(datatype);
    return argument;
}

void summand__sign_data(struct summand__signature *signature, const char *name, MPI_Count count,
                        MPI_Datatype datatype)
{
    MPI_Count bytes = 0;
    summand__type_size(datatype, &bytes);
    struct summand__argument *length = next(signature, name, bytes * count);
    *length = (struct summand__argument){.name = name,
                                         .value = bytes * count,
                                         .say = say_data,
                                         .datatype = datatype,
                                         .count = count};
    sign_type(signature, name, count, datatype)->say = say_data;
}

void summand__sign_any(struct summand__signature *signature, const char *name)
{
    next(signature, name, 0)->any = true;
}
