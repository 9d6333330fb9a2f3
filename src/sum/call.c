#include "sum/sums.h"

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
    hash = mix(hash, (uint32_t)call->method);
    hash = mix(hash, (uint32_t)call->root);
    hash = mix(hash, call->single);
    for (int i = 0; i < call->k; i++)
        hash = mix(hash, (uint32_t)call->terms[i].kind);
    return hash;
}

static bool good_term(const summand_term *term)
{
    if ((int)term->kind < 0 || term->kind > SUMMAND_NRM2 || term->count < 0)
        return false;
    return !term->count || (term->x && (term->kind != SUMMAND_DOT || term->y));
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
    if ((int)call->method < 0 || call->method > SUMMAND_STUDY)
        return summand_error_code(SUMMAND_ERR_METHOD);
    if (call->k < 0)
        return MPI_ERR_COUNT;
    if (call->k && (!call->terms || (receives && !call->results)))
        return MPI_ERR_BUFFER;
    if (call->k && receives && call->results == MPI_IN_PLACE)
        return MPI_ERR_BUFFER;
    for (int i = 0; i < call->k; i++) {
        int code = check_in_place(call, &call->terms[i], receives);
        if (code != MPI_SUCCESS)
            return code;
    }
    for (int i = 0; i < call->k; i++)
        if (!good_term(&call->terms[i]) ||
            (call->method != SUMMAND_EXACT && call->terms[i].displacement < SUMMAND_RANK_ORDER))
            return summand_error_code(SUMMAND_ERR_ARGUMENT);
    return MPI_SUCCESS;
}
