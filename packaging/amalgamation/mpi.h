/* SPDX-License-Identifier: BSD-3-Clause */
#if defined(MPI_VERSION)
/* An accumulator as an operand of MPI. Both functions are called once, by each process; the results
 * are freed with MPI_Type_free and MPI_Op_free:
 *     MPI_Allreduce(MPI_IN_PLACE, &a, 1, type, op, comm);
 * The accumulators' unused limbs travel, too: 544 bytes each. All processes must have one byte
 * order. */
static inline void summand_exact_combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        summand_exact_merge((summand_exact *)inout + i, (const summand_exact *)in + i);
}

/** The datatype of one accumulator, committed. Local.
 *  @return an MPI error code */
static inline int summand_exact_type(MPI_Datatype *type)
{
    const int error = MPI_Type_contiguous((int)sizeof(summand_exact), MPI_BYTE, type);
    return error ? error : MPI_Type_commit(type);
}

/** The operator that adds accumulators; commutative. Local.
 *  @return an MPI error code */
static inline int summand_exact_op(MPI_Op *op)
{
    return MPI_Op_create(summand_exact_combine, 1, op);
}
#endif
