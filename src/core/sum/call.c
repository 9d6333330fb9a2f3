/* SPDX-License-Identifier: BSD-3-Clause */
#include "sum/sums.h"

#include <stdio.h>

#include "base/extent.h"
#include "op/buffer.h"
#include "plan/options.h"
#include "process/error.h"
#include "sum/elements.h"

/* Uses one multiplication per number: a short sum takes as long as 80 of them. */
static uint32_t mix(uint32_t hash, uint32_t value)
{
    hash = (hash ^ value) * UINT32_C(0x9e3779b1);
    return hash ^ hash >> 15;
}

void summand__sums_choose(struct summand__sums_call *call, struct summand__choice *choice)
{
    *choice = summand__options_choice(call->options);
    bool named = choice->algorithm || choice->check;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        named |= choice->parameter[i] != 0;
    call->choice = named ? choice : NULL;
}

static uint32_t mix_choice(uint32_t hash, const struct summand__choice *choice)
{
    if (choice->algorithm)
        hash = mix(hash, (uint32_t)summand__sign_hash(choice->algorithm->name));
    for (uint32_t i = 0; i < SUMMAND__PARAMETERS; i++)
        if (choice->parameter[i])
            hash = mix(mix(hash, i), (uint32_t)choice->parameter[i]);
    return mix(hash, (uint32_t)choice->check);
}

uint32_t summand__sums_signature(const struct summand__sums_call *call)
{
    uint32_t hash = 2166136261u;
    hash = mix(hash, (uint32_t)call->k);
    hash = mix(hash, call->method->number);
    hash = mix(hash, (uint32_t)call->root);
    hash = mix(hash, (uint32_t)call->single | (uint32_t)call->complex << 1);
    if (call->choice)
        hash = mix_choice(hash, call->choice);
    for (int i = 0; i < call->k; i++)
        hash = mix(hash, (uint32_t)call->terms[i].kind);
    return hash;
}

static void say_kinds(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const names[] = {[SUMMAND_KIND_SUM] = "SUMMAND_KIND_SUM",
                                        [SUMMAND_KIND_ASUM] = "SUMMAND_KIND_ASUM",
                                        [SUMMAND_KIND_DOT] = "SUMMAND_KIND_DOT",
                                        [SUMMAND_KIND_NRM2] = "SUMMAND_KIND_NRM2",
                                        [SUMMAND_KIND_DOT_CONJUGATED] =
                                            "SUMMAND_KIND_DOT_CONJUGATED"};
    const summand_term *terms = argument->of;
    size_t used = 0;
    for (int i = 0; i < (int)argument->count; i++) {
        if (used + 32 > room) {
            snprintf(text + used, room - used, " ...");
            return;
        }
        used +=
            (size_t)snprintf(text + used, room - used, "%s%s", i ? " " : "", names[terms[i].kind]);
    }
}

void summand__sums_sign(const struct summand__sums_call *call, struct summand__signature *signature)
{
    int64_t kinds = 0;
    for (int i = 0; i < call->k; i++)
        kinds = summand__sign_mix(kinds, (int64_t)call->terms[i].kind);
    summand__sign_call(signature, call->init ? "summand_sums_init" : "summand_sums");
    summand__sign_number(signature, "k", call->k);
    struct summand__argument *argument = summand__sign_number(signature, "kind", kinds);
    argument->say = say_kinds;
    argument->of = call->terms;
    argument->count = call->k;
    summand__sign_number(signature, "root", call->root);
    summand__sign_word(signature, "datatype", summand__sums_type_name(call));
    summand__options_sign(signature, call->options, call->method->name);
}

summand_term summand__sums_term(const struct summand__sums_call *call, int i)
{
    summand_term term = call->terms[i];
    if (term.x == MPI_IN_PLACE)
        term.x = (const char *)call->results + (size_t)i * summand__sums_width(call);
    term.stride_x += !term.stride_x;
    term.stride_y += !term.stride_y;
    return term;
}

const char *summand__sums_type_name(const struct summand__sums_call *call)
{
    static const char *const names[2][2] = {{"MPI_DOUBLE", "MPI_FLOAT"},
                                            {"MPI_C_DOUBLE_COMPLEX", "MPI_C_FLOAT_COMPLEX"}};
    return names[call->complex][call->single];
}

static MPI_Datatype type_of(const struct summand__sums_call *call)
{
    if (call->complex)
        return call->single ? MPI_C_FLOAT_COMPLEX : MPI_C_DOUBLE_COMPLEX;
    return call->single ? MPI_FLOAT : MPI_DOUBLE;
}

/* The name of a field of term i in the public call. */
struct name {
    char text[32];
};

static struct name name_of(const struct summand__sums_call *call, int i, const char *field)
{
    struct name name;
    if (call->one)
        snprintf(name.text, sizeof name.text, "%s", field);
    else
        snprintf(name.text, sizeof name.text, "terms[%d].%s", i, field);
    return name;
}

/* MPI_IN_PLACE is allowed for the input, as in MPI, on ranks with a result. With several terms, a
 * term's elements must not be the results of others. */
static int check_in_place(const struct summand__sums_call *call, int i, bool receives)
{
    const MPI_Count count = call->terms[i].count;
    if (!receives)
        return summand__refuse_as(MPI_ERR_BUFFER,
                                  "%s is MPI_IN_PLACE, which is allowed on the root, rank %d, only",
                                  name_of(call, i, "x").text, call->root);
    return call->k > 1 && count > 1
               ? summand__refuse(SUMMAND_ERR_ARGUMENT,
                                 "%s is MPI_IN_PLACE with a count of %lld: at most 1 is allowed in "
                                 "a call of %d sums",
                                 name_of(call, i, "x").text, (long long)count, call->k)
               : MPI_SUCCESS;
}

/* Makes the name only for an error: a short sum takes less time than that. */
static int check_buffer(const struct summand__sums_call *call, int i, const char *field,
                        const void *buffer)
{
    return buffer && buffer != MPI_IN_PLACE
               ? MPI_SUCCESS
               : summand__buffer_check(name_of(call, i, field).text, buffer, call->terms[i].count,
                                       type_of(call));
}

/* Most strides are 0. */
static int check_stride(const struct summand__sums_call *call, int i, const char *field,
                        MPI_Count stride)
{
    const MPI_Count count = call->terms[i].count;
    if (!stride || count < 2)
        return MPI_SUCCESS;
    if (call->method->plain && stride != 1)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "%s is %lld, which this method does not take",
                               name_of(call, i, field).text, (long long)stride);
    return stride != INT64_MIN && summand__span(count, stride < 0 ? -stride : stride, 1,
                                                summand__sums_width(call)) >= 0
               ? MPI_SUCCESS
               : summand__refuse(SUMMAND_ERR_ARGUMENT,
                                 "%s is %lld: %lld elements so far apart reach beyond memory",
                                 name_of(call, i, field).text, (long long)stride, (long long)count);
}

static int check_strides(const struct summand__sums_call *call, int i)
{
    const summand_term *term = &call->terms[i];
    int code = check_stride(call, i, "stride_x", term->stride_x);
    return code == MPI_SUCCESS && summand__sums_two(term)
               ? check_stride(call, i, "stride_y", term->stride_y)
               : code;
}

static int check_buffers(const struct summand__sums_call *call, int i, bool receives)
{
    const summand_term *term = &call->terms[i];
    if (summand__span(1, 0, term->count, summand__sums_width(call)) < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "%s is %lld, and no array has so many elements",
                                  name_of(call, i, "count").text, (long long)term->count);
    int code = check_strides(call, i);
    if (code == MPI_SUCCESS)
        code = term->x == MPI_IN_PLACE ? check_in_place(call, i, receives)
                                       : check_buffer(call, i, "x", term->x);
    if (code == MPI_SUCCESS && summand__sums_two(term))
        code = check_buffer(call, i, "y", term->y);
    return code;
}

static int check_term(const struct summand__sums_call *call, int i, bool receives)
{
    const summand_term *term = &call->terms[i];
    if ((int)term->kind < 0 || term->kind > SUMMAND_KIND_DOT_CONJUGATED)
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT, "%s is %d, not one of enum summand_kind (0 to %d)",
            name_of(call, i, "kind").text, (int)term->kind, SUMMAND_KIND_DOT_CONJUGATED);
    if (term->count < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "%s is %lld, not 0 or more",
                                  name_of(call, i, "count").text, (long long)term->count);
    if (call->method->tree && term->displacement < 0 &&
        term->displacement != SUMMAND_DISPLACEMENT_APPEND)
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT, "%s is %lld, neither 0 or more nor SUMMAND_DISPLACEMENT_APPEND",
            name_of(call, i, "displacement").text, (long long)term->displacement);
    return check_buffers(call, i, receives);
}

int summand__sums_check(const struct summand__sums_call *call, const struct summand__state *state)
{
    bool receives = call->root == SUMMAND_ROOT_ALL || call->root == state->rank;
    if (call->root < SUMMAND_ROOT_ALL || call->root >= state->ranks)
        return summand__refuse_as(MPI_ERR_ROOT,
                                  "root is %d, neither a rank from 0 to %d nor SUMMAND_ROOT_ALL",
                                  call->root, state->ranks - 1);
    int code = call->options
                   ? summand__options_check("options", call->options, SUMMAND_PROMISE_EXACT)
                   : MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        return code;
    if (call->k < 0)
        return summand__refuse_as(MPI_ERR_COUNT, "k is %d, not 0 or more", call->k);
    if (call->k && !call->terms)
        return summand__refuse_as(MPI_ERR_BUFFER, "terms is NULL, with %d of them", call->k);
    code = receives ? summand__buffer_check(call->one ? "result" : "results", call->results,
                                            call->k, type_of(call))
                    : MPI_SUCCESS;
    for (int i = 0; i < call->k && code == MPI_SUCCESS; i++)
        code = check_term(call, i, receives);
    return code;
}
