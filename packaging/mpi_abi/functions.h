/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of the MPI that Summand, its commands and its tests call: MPI_ABI_FUNCTION(type, name,
 * arguments) for each. No include guard: the header declares them, and library.c defines them. */
/* clang-format off */
#ifndef MPI_ABI_STATE /* what a library without an MPI can answer: no */
#define MPI_ABI_STATE(name) MPI_ABI_FUNCTION(int, name, (int *flag))
#endif
MPI_ABI_STATE(Initialized)
MPI_ABI_STATE(Finalized)
#undef MPI_ABI_STATE

#define F(name, ...) MPI_ABI_FUNCTION(int, name, (__VA_ARGS__))

/* Beginning, end, errors, the MPI itself. */
F(Init, int *argc, char ***argv)
F(Init_thread, int *argc, char ***argv, int required, int *provided)
F(Finalize, void)
F(Query_thread, int *provided)
F(Abort, MPI_Comm comm, int code)
F(Session_init, MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
F(Session_finalize, MPI_Session *session)
F(Group_from_session_pset, MPI_Session session, const char *pset, MPI_Group *group)
F(Comm_create_from_group, MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *comm)
F(Abi_get_version, int *major, int *minor)
F(Get_library_version, char *version, int *length)
F(Get_processor_name, char *name, int *length)
MPI_ABI_FUNCTION(double, Wtime, (void))
F(Error_class, int code, int *class_of_code)
F(Error_string, int code, char *text, int *length)
F(Add_error_class, int *error_class)
F(Add_error_code, int error_class, int *code)
F(Add_error_string, int code, const char *text)
F(Errhandler_free, MPI_Errhandler *errhandler)
F(Comm_create_errhandler, MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
F(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler errhandler)
F(Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *errhandler)
F(Comm_call_errhandler, MPI_Comm comm, int code)
F(Info_create, MPI_Info *info)
F(Info_set, MPI_Info info, const char *key, const char *value)
F(Info_free, MPI_Info *info)

/* Communicators and groups. */
F(Comm_rank, MPI_Comm comm, int *rank)
F(Comm_size, MPI_Comm comm, int *size)
F(Comm_remote_size, MPI_Comm comm, int *size)
F(Comm_remote_group, MPI_Comm comm, MPI_Group *group)
F(Comm_test_inter, MPI_Comm comm, int *flag)
F(Comm_get_name, MPI_Comm comm, char *name, int *length)
F(Comm_set_name, MPI_Comm comm, const char *name)
F(Comm_get_parent, MPI_Comm *parent)
F(Comm_dup, MPI_Comm comm, MPI_Comm *newcomm)
F(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
F(Comm_split_type, MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *newcomm)
F(Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
F(Comm_free, MPI_Comm *comm)
F(Comm_disconnect, MPI_Comm *comm)
F(Comm_spawn, const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm, int codes[])
F(Intercomm_create, MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm *newcomm)
F(Intercomm_merge, MPI_Comm intercomm, int high, MPI_Comm *newcomm)
F(Comm_group, MPI_Comm comm, MPI_Group *group)
F(Group_size, MPI_Group group, int *size)
F(Group_intersection, MPI_Group one, MPI_Group other, MPI_Group *newgroup)
F(Group_translate_ranks, MPI_Group group, int n, const int ranks[], MPI_Group other, int other_ranks[])
F(Group_free, MPI_Group *group)
F(Comm_create_keyval, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove, int *keyval, void *extra)
F(Comm_free_keyval, int *keyval)
F(Comm_set_attr, MPI_Comm comm, int keyval, void *value)
F(Comm_get_attr, MPI_Comm comm, int keyval, void *value, int *flag)
F(Dims_create, int nodes, int ndims, int dims[])

/* Datatypes and operators. */
F(Type_size, MPI_Datatype datatype, int *size)
F(Type_size_x, MPI_Datatype datatype, MPI_Count *size)
F(Type_get_extent, MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
F(Type_get_extent_c, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
F(Type_get_true_extent, MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
F(Type_get_true_extent_c, MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
F(Type_get_name, MPI_Datatype datatype, char *name, int *length)
F(Type_set_name, MPI_Datatype datatype, const char *name)
F(Type_get_envelope, MPI_Datatype datatype, int *integers, int *addresses, int *datatypes, int *combiner)
F(Type_get_contents, MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes, int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])
F(Type_contiguous, int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
F(Type_vector, int count, int length, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
F(Type_indexed, int count, const int lengths[], const int displs[], MPI_Datatype oldtype, MPI_Datatype *newtype)
F(Type_create_hindexed, int count, const int lengths[], const MPI_Aint displs[], MPI_Datatype oldtype, MPI_Datatype *newtype)
F(Type_create_hindexed_block, int count, int length, const MPI_Aint displs[], MPI_Datatype oldtype, MPI_Datatype *newtype)
F(Type_create_struct, int count, const int lengths[], const MPI_Aint displs[], const MPI_Datatype types[], MPI_Datatype *newtype)
F(Type_create_resized, MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)
F(Type_create_f90_real, int precision, int range, MPI_Datatype *newtype)
F(Type_create_f90_complex, int precision, int range, MPI_Datatype *newtype)
F(Type_create_f90_integer, int range, MPI_Datatype *newtype)
F(Type_dup, MPI_Datatype oldtype, MPI_Datatype *newtype)
F(Type_commit, MPI_Datatype *datatype)
F(Type_free, MPI_Datatype *datatype)
F(Get_address, const void *location, MPI_Aint *address)
F(Pack, const void *in, int count, MPI_Datatype datatype, void *out, int size, int *position, MPI_Comm comm)
F(Pack_size, int count, MPI_Datatype datatype, MPI_Comm comm, int *size)
F(Unpack, const void *in, int size, int *position, void *out, int count, MPI_Datatype datatype, MPI_Comm comm)
F(Op_create, MPI_User_function *function, int commute, MPI_Op *op)
F(Op_commutative, MPI_Op op, int *commute)
F(Op_free, MPI_Op *op)

/* Messages and requests. */
F(Send, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
F(Recv, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status *status)
F(Sendrecv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
F(Isend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
F(Issend, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
F(Irecv, void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request *request)
F(Send_init, const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request *request)
F(Iprobe, int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
F(Improbe, int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
F(Mrecv, void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
F(Get_count, const MPI_Status *status, MPI_Datatype datatype, int *count)
F(Cancel, MPI_Request *request)
F(Start, MPI_Request *request)
F(Startall, int count, MPI_Request requests[])
F(Wait, MPI_Request *request, MPI_Status *status)
F(Waitany, int count, MPI_Request requests[], int *index, MPI_Status *status)
F(Waitall, int count, MPI_Request requests[], MPI_Status statuses[])
F(Waitsome, int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
F(Test, MPI_Request *request, int *flag, MPI_Status *status)
F(Testany, int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
F(Testall, int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
F(Testsome, int count, MPI_Request requests[], int *done, int indices[], MPI_Status statuses[])
F(Request_free, MPI_Request *request)
F(Request_get_status, MPI_Request request, int *flag, MPI_Status *status)

/* Collectives: blocking, non-blocking, persistent; those with large counts end in _c. */
#define COLLECTIVE(name, iname, suffix, ...) \
    F(name##suffix, __VA_ARGS__, MPI_Comm comm) \
    F(iname##suffix, __VA_ARGS__, MPI_Comm comm, MPI_Request *request) \
    F(name##_init##suffix, __VA_ARGS__, MPI_Comm comm, MPI_Info info, MPI_Request *request)
#define COLLECTIVES(suffix, count_type, displ_type) \
    COLLECTIVE(Bcast, Ibcast, suffix, void *buf, count_type count, MPI_Datatype datatype, int root) \
    COLLECTIVE(Reduce, Ireduce, suffix, const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op, int root) \
    COLLECTIVE(Allreduce, Iallreduce, suffix, const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op) \
    COLLECTIVE(Reduce_scatter, Ireduce_scatter, suffix, const void *sendbuf, void *recvbuf, const count_type recvcounts[], MPI_Datatype datatype, MPI_Op op) \
    COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, suffix, const void *sendbuf, void *recvbuf, count_type recvcount, MPI_Datatype datatype, MPI_Op op) \
    COLLECTIVE(Allgather, Iallgather, suffix, const void *sendbuf, count_type sendcount, MPI_Datatype sendtype, void *recvbuf, count_type recvcount, MPI_Datatype recvtype) \
    COLLECTIVE(Allgatherv, Iallgatherv, suffix, const void *sendbuf, count_type sendcount, MPI_Datatype sendtype, void *recvbuf, const count_type recvcounts[], const displ_type displs[], MPI_Datatype recvtype) \
    COLLECTIVE(Scan, Iscan, suffix, const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op) \
    COLLECTIVE(Exscan, Iexscan, suffix, const void *sendbuf, void *recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op)
COLLECTIVES(, int, int)
COLLECTIVES(_c, MPI_Count, MPI_Aint)
F(Barrier, MPI_Comm comm)
F(Ibarrier, MPI_Comm comm, MPI_Request *request)
F(Gather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
F(Gatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
F(Igatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
F(Alltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
F(Ialltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
F(Reduce_local, const void *in, void *inout, int count, MPI_Datatype datatype, MPI_Op op)

/* One-sided communication, and files. */
F(Win_allocate, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
F(Win_allocate_shared, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
F(Win_shared_query, MPI_Win win, int rank, MPI_Aint *size, int *unit, void *base)
F(Win_get_attr, MPI_Win win, int keyval, void *value, int *flag)
F(Win_set_errhandler, MPI_Win win, MPI_Errhandler errhandler)
F(Win_lock_all, int assertion, MPI_Win win)
F(Win_unlock_all, MPI_Win win)
F(Win_flush, int rank, MPI_Win win)
F(Win_flush_local, int rank, MPI_Win win)
F(Win_flush_local_all, MPI_Win win)
F(Win_sync, MPI_Win win)
F(Win_free, MPI_Win *win)
F(Put, const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint displ, int count, MPI_Datatype datatype, MPI_Win win)
F(Get, void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint displ, int count, MPI_Datatype datatype, MPI_Win win)
F(Rget, void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint displ, int count, MPI_Datatype datatype, MPI_Win win, MPI_Request *request)
F(Accumulate, const void *origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint displ, int count, MPI_Datatype datatype, MPI_Op op, MPI_Win win)
F(Fetch_and_op, const void *origin, void *result, MPI_Datatype datatype, int rank, MPI_Aint displ, MPI_Op op, MPI_Win win)
F(File_open, MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file)
F(File_close, MPI_File *file)
F(File_sync, MPI_File file)
F(File_read_at_all, MPI_File file, MPI_Offset offset, void *buf, int count, MPI_Datatype datatype, MPI_Status *status)
F(File_write_at_all, MPI_File file, MPI_Offset offset, const void *buf, int count, MPI_Datatype datatype, MPI_Status *status)

#undef F
#undef COLLECTIVE
#undef COLLECTIVES
