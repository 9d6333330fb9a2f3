#include "sum/sums.h"

#include <stdio.h>

#include "base/extent.h"
#include "comm/error.h"

/* FNV-1a: any hash does, both sides use the same. */
static uint32_t mix(uint32_t hash, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        hash = (hash ^ (value >> (8 * i) & 0xff)) * 16777619u;
    return hash;
}

uint32_t summand__sums_signature(const struct summand__sums_call *call)
{
    uint32_t hash = 2166136261u;
    hash = mix(hash, (uint32_t)call->k);
    hash = mix(hash, call->method->number);
    hash = mix(hash, (uint32_t)call->root);
    hash = mix(hash, call->single);
    for (int i = 0; i < call->k; i++)
        hash = mix(hash, (uint32_t)call->terms[i].kind);
    return hash;
}

static void say_kinds(const struct summand__argument *argument, char *text, size_t room)
{
    static const char *const names[] = {[SUMMAND_SUM] = "SUMMAND_SUM",
                                        [SUMMAND_ASUM] = "SUMMAND_ASUM",
                                        [SUMMAND_DOT] = "SUMMAND_DOT",
                                        [SUMMAND_NRM2] = "SUMMAND_NRM2"};
    const summand_term *terms = argument->of;
    size_t used = 0;
    for (int i = 0; i < (int)argument->count; i++) {
        if (used + 20 > room) {
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
    summand__sign_word(signature, "method", call->method->name);
    summand__sign_number(signature, "root", call->root);
    summand__sign_word(signature, "datatype", call->single ? "MPI_FLOAT" : "MPI_DOUBLE");
}

static int check_term(const struct summand__sums_call *call, const summand_term *term)
{
    bool placed = term->displacement >= 0 || term->displacement == SUMMAND_RANK_ORDER;
    if ((int)term->kind < 0 || term->kind > SUMMAND_NRM2 || term->count < 0 ||
        (call->method->tree && !placed))
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    if (summand__span(1, 0, term->count, call->single ? sizeof(float) : sizeof(double)) < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "count is %lld, and no array has so many elements",
                               (long long)term->count);
    if (term->count && (!term->x || (term->kind == SUMMAND_DOT && !term->y)))
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
}

summand_term summand__sums_term(const struct summand__sums_call *call, int i)
{
    summand_term term = call->terms[i];
    if (term.x == MPI_IN_PLACE)
        term.x = (const char *)call->results +
                 (size_t)i * (call->single ? sizeof(float) : sizeof(double));
    return term;
}

/* MPI_IN_PLACE stands where MPI has it: in the place of the sendbuf, on ranks that have a result.
 * The elements of one of several terms must not be the results of others. */
static int check_in_place(const struct summand__sums_call *call, const summand_term *term,
                          bool receives)
{
    bool dot = term->kind == SUMMAND_DOT;
    if (dot && term->y == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    if (term->x != MPI_IN_PLACE)
        return MPI_SUCCESS;
    if (!receives)
        return MPI_ERR_BUFFER;
    return call->k > 1 && term->count > 1 ? summand_error_code(SUMMAND_ERR_ARGUMENT) : MPI_SUCCESS;
}

int summand__sums_check(const struct summand__sums_call *call, const struct summand__state *state)
{
    bool receives = call->root == SUMMAND_ALL_RANKS || call->root == state->rank;
    if (call->root < SUMMAND_ALL_RANKS || call->root >= state->ranks)
        return MPI_ERR_ROOT;
    if (!call->method)
        return summand_error_code(SUMMAND_ERR_METHOD);
    if (call->k < 0)
        return MPI_ERR_COUNT;
    if (call->k && (!call->terms || (receives && !call->results)))
        return MPI_ERR_BUFFER;
    if (call->k && receives && call->results == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    int code = MPI_SUCCESS;
    for (int i = 0; i < call->k && code == MPI_SUCCESS; i++)
        code = check_in_place(call, &call->terms[i], receives);
    for (int i = 0; i < call->k && code == MPI_SUCCESS; i++)
        code = check_term(call, &call->terms[i]);
    return code;
}
