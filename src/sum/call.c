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

static int check_term(const struct summand__sums_call *call, const summand_term *term)
{
    bool placed = term->displacement >= 0 || term->displacement == SUMMAND_RANK_ORDER;
    if ((int)term->kind < 0 || term->kind > SUMMAND_NRM2 || term->count < 0 ||
        (call->method != SUMMAND_EXACT && !placed))
        return summand_error_code(SUMMAND_ERR_ARGUMENT);
    if (term->count && (!term->x || (term->kind == SUMMAND_DOT && !term->y)))
        return MPI_ERR_BUFFER;
    return MPI_SUCCESS;
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
    int code = MPI_SUCCESS;
    for (int i = 0; i < call->k && code == MPI_SUCCESS; i++)
        code = check_term(call, &call->terms[i]);
    return code;
}
