/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of the standard ABI (MPI 5.0, appendix A) that Summand uses, so that its build for this
 * ABI needs no MPI. The values are the standard's: what is built with this header runs on any MPI
 * that has libmpi_abi.so.1. Not installed: programs have the header of their MPI. */
#ifndef SUMMAND_MPI_ABI_H
#define SUMMAND_MPI_ABI_H

#include <stdint.h>

#define MPI_VERSION 5
#define MPI_SUBVERSION 0
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count;
typedef int64_t MPI_Offset;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Win *MPI_Win;

typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

typedef void MPI_User_function(void *in, void *inout, int *len, MPI_Datatype *datatype);
typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int keyval, void *extra, void *in, void *out,
                                        int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *value, void *extra);
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);

enum { /* error classes */
       MPI_SUCCESS = 0,
       MPI_ERR_BUFFER = 1,
       MPI_ERR_COUNT = 2,
       MPI_ERR_TYPE = 3,
       MPI_ERR_TAG = 4,
       MPI_ERR_COMM = 5,
       MPI_ERR_RANK = 6,
       MPI_ERR_REQUEST = 7,
       MPI_ERR_ROOT = 8,
       MPI_ERR_GROUP = 9,
       MPI_ERR_OP = 10,
       MPI_ERR_ARG = 13,
       MPI_ERR_UNKNOWN = 14,
       MPI_ERR_TRUNCATE = 15,
       MPI_ERR_OTHER = 16,
       MPI_ERR_INTERN = 17,
       MPI_ERR_PENDING = 18,
       MPI_ERR_IN_STATUS = 19,
       MPI_ERR_ACCESS = 20,
       MPI_ERR_BAD_FILE = 23,
       MPI_ERR_IO = 35,
       MPI_ERR_NO_MEM = 39,
       MPI_ERR_NO_SPACE = 41,
       MPI_ERR_NO_SUCH_FILE = 42,
       MPI_ERR_READ_ONLY = 45,
       MPI_ERR_RMA_RANGE = 48,
       MPI_ERR_UNSUPPORTED_OPERATION = 55,
       MPI_ERR_WIN = 56,
       MPI_ERR_LASTCODE = 0x3fff
};

enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_ROOT = -4 };
enum { MPI_UNDEFINED = -32766 };
enum { MPI_KEYVAL_INVALID = 0, MPI_TAG_UB = 501, MPI_LASTUSEDCODE = 506, MPI_WIN_MODEL = 605 };
enum { MPI_WIN_UNIFIED = 321, MPI_WIN_SEPARATE = 322 };
enum { MPI_MODE_CREATE = 2, MPI_MODE_RDWR = 32, MPI_MODE_NOCHECK = 1024 };
enum { MPI_COMM_TYPE_SHARED = 221 };
enum {
    MPI_THREAD_SINGLE = 0,
    MPI_THREAD_FUNNELED = 1024,
    MPI_THREAD_SERIALIZED = 2048,
    MPI_THREAD_MULTIPLE = 4096
};
enum {
    MPI_COMBINER_NAMED = 101,
    MPI_COMBINER_DUP = 102,
    MPI_COMBINER_CONTIGUOUS = 103,
    MPI_COMBINER_VECTOR = 104,
    MPI_COMBINER_HVECTOR = 105,
    MPI_COMBINER_INDEXED = 106,
    MPI_COMBINER_HINDEXED = 107,
    MPI_COMBINER_INDEXED_BLOCK = 108,
    MPI_COMBINER_HINDEXED_BLOCK = 109,
    MPI_COMBINER_STRUCT = 110,
    MPI_COMBINER_SUBARRAY = 111,
    MPI_COMBINER_DARRAY = 112,
    MPI_COMBINER_F90_REAL = 113,
    MPI_COMBINER_F90_COMPLEX = 114,
    MPI_COMBINER_F90_INTEGER = 115,
    MPI_COMBINER_RESIZED = 116,
    MPI_COMBINER_VALUE_INDEX = 117
};

/* Lengths of texts. */
#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_PROCESSOR_NAME 256

/* Addresses and functions. */
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)

/* Operators. */
#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_PROD ((MPI_Op)0x24)
#define MPI_BAND ((MPI_Op)0x28)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_BXOR ((MPI_Op)0x2a)
#define MPI_LAND ((MPI_Op)0x30)
#define MPI_LOR ((MPI_Op)0x31)
#define MPI_LXOR ((MPI_Op)0x32)
#define MPI_MINLOC ((MPI_Op)0x38)
#define MPI_MAXLOC ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP ((MPI_Op)0x3d)

/* Objects. */
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_GROUP_EMPTY ((MPI_Group)0x109)
#define MPI_WIN_NULL ((MPI_Win)0x110)
#define MPI_FILE_NULL ((MPI_File)0x118)
#define MPI_SESSION_NULL ((MPI_Session)0x120)
#define MPI_MESSAGE_NULL ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_INFO_ENV ((MPI_Info)0x131)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_ABORT ((MPI_Errhandler)0x142)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)

/* Datatypes of C and C++. */
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_AINT ((MPI_Datatype)0x201)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_OFFSET ((MPI_Datatype)0x203)
#define MPI_PACKED ((MPI_Datatype)0x207)
#define MPI_SHORT ((MPI_Datatype)0x208)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x212)
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x213)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x216)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x217)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x225)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_CXX_BOOL ((MPI_Datatype)0x239)
#define MPI_WCHAR ((MPI_Datatype)0x23c)
#define MPI_INT8_T ((MPI_Datatype)0x240)
#define MPI_UINT8_T ((MPI_Datatype)0x241)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x245)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT16_T ((MPI_Datatype)0x248)
#define MPI_UINT16_T ((MPI_Datatype)0x249)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)
#define MPI_FLOAT_INT ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x229)
#define MPI_LONG_INT ((MPI_Datatype)0x22a)
#define MPI_2INT ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)

/* Datatypes of Fortran. */
#define MPI_LOGICAL ((MPI_Datatype)0x218)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_REAL ((MPI_Datatype)0x21a)
#define MPI_COMPLEX ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x21d)
#define MPI_CHARACTER ((MPI_Datatype)0x21e)
#define MPI_2REAL ((MPI_Datatype)0x230)
#define MPI_2DOUBLE_PRECISION ((MPI_Datatype)0x231)
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_LOGICAL1 ((MPI_Datatype)0x2c0)
#define MPI_LOGICAL2 ((MPI_Datatype)0x2c8)
#define MPI_LOGICAL4 ((MPI_Datatype)0x2d0)
#define MPI_LOGICAL8 ((MPI_Datatype)0x2d8)
#define MPI_LOGICAL16 ((MPI_Datatype)0x2e0)
#define MPI_INTEGER1 ((MPI_Datatype)0x2c1)
#define MPI_INTEGER2 ((MPI_Datatype)0x2c9)
#define MPI_INTEGER4 ((MPI_Datatype)0x2d1)
#define MPI_INTEGER8 ((MPI_Datatype)0x2d9)
#define MPI_INTEGER16 ((MPI_Datatype)0x2e1)
#define MPI_REAL2 ((MPI_Datatype)0x2ca)
#define MPI_REAL4 ((MPI_Datatype)0x2d2)
#define MPI_REAL8 ((MPI_Datatype)0x2da)
#define MPI_REAL16 ((MPI_Datatype)0x2e2)
#define MPI_COMPLEX4 ((MPI_Datatype)0x2d3)
#define MPI_COMPLEX8 ((MPI_Datatype)0x2db)
#define MPI_COMPLEX16 ((MPI_Datatype)0x2e3)
#define MPI_COMPLEX32 ((MPI_Datatype)0x2eb)

#ifdef __cplusplus
extern "C" {
#endif
/* MPI_X and PMPI_X. */
#define MPI_ABI_FUNCTION(type, name, arguments)                                                    \
    type MPI_##name arguments;                                                                     \
    type PMPI_##name arguments;
#include "functions.h"
#undef MPI_ABI_FUNCTION
#ifdef __cplusplus
}
#endif
#endif
