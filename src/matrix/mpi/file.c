/* SPDX-License-Identifier: BSD-3-Clause */
/* A file is treated as a matrix of another distribution. By columns: its columns are distributed in
 * contiguous pieces over all processes of the group. By rows: the same for the transpose. So each
 * byte is read or written once, in one large piece per rank, and a redistribution moves it. If
 * there are fewer columns than processes, the rows are distributed instead, in a piece for each
 * column. */
#include "matrix/mpi/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/npy.h"
#include "base/output.h"
#include "base/quiet.h"
#include "matrix/mpi/copy.h"
#include "plan/join.h"
#include "process/error.h"

/* The layout of numbers in a file. */
struct layout {
    int64_t begin, bytes; /* offset of the first number; size of the whole file */
    int64_t width;        /* bytes of a number */
    bool by_rows;
    bool converts;            /* from another type than the matrix's */
    struct summand__npy type; /* of a .npy file that is read */
};

/* Reasons why a part could not be read, besides error numbers. */
enum { TOO_SHORT = -1, NO_DOUBLE = -2 };

static bool is_npy(enum summand_format format)
{
    return format == SUMMAND_FORMAT_NPY || format == SUMMAND_FORMAT_NPY_C;
}

static bool by_rows(enum summand_format format)
{
    return format == SUMMAND_FORMAT_NPY_C || format == SUMMAND_FORMAT_RAW_ROWS;
}

static int code_of(int reason)
{
    static const struct {
        int reason, code;
    } rows[] = {{ENOMEM, -1},
                {ENOENT, MPI_ERR_NO_SUCH_FILE},
                {EACCES, MPI_ERR_ACCESS},
                {EPERM, MPI_ERR_ACCESS},
                {EROFS, MPI_ERR_READ_ONLY},
                {ENOSPC, MPI_ERR_NO_SPACE},
                {ENAMETOOLONG, MPI_ERR_BAD_FILE},
                {EISDIR, MPI_ERR_BAD_FILE},
                {ENOTDIR, MPI_ERR_BAD_FILE},
                {ELOOP, MPI_ERR_BAD_FILE},
                {EINVAL, MPI_ERR_BAD_FILE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].reason == reason)
            return rows[i].code < 0 ? summand_error_code(SUMMAND_ERR_MEMORY) : rows[i].code;
    return MPI_ERR_IO;
}

/* The error if the system refuses, for this reason. */
static int refused(const char *path, int reason)
{
    return summand__refuse_as(code_of(reason), "path \"%s\": %s", path, summand__reason(reason));
}

/* The error if the content is not that of the matrix. */
static int refuse(const char *path, const char *what)
{
    return summand__refuse(SUMMAND_ERR_FILE, "path \"%s\": %s", path, what);
}

/* The error for a result `failed` of read_piece. */
static int refuse_piece(const char *path, int failed)
{
    return failed < 0 ? refuse(path, "the file became shorter meanwhile") : refused(path, failed);
}

/* Reads all of a piece; returns 0, an error number or TOO_SHORT. */
static int read_piece(int file, char *data, int64_t bytes, int64_t at)
{
    while (bytes) {
        ssize_t n = pread(file, data, (size_t)bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : TOO_SHORT;
        data += n;
        at += n;
        bytes -= n;
    }
    return 0;
}

static int write_piece(int file, const char *data, int64_t bytes, int64_t at)
{
    while (bytes) {
        ssize_t n = pwrite(file, data, (size_t)bytes, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        data += n;
        at += n;
        bytes -= n;
    }
    return 0;
}

/* Bytes of all numbers; false if no file has so many. */
static bool bytes_of(const struct summand_matrix *matrix, int64_t width, int64_t *bytes)
{
    return !__builtin_mul_overflow(matrix->grid.rows.extent, matrix->grid.columns.extent, bytes) &&
           !__builtin_mul_overflow(*bytes, width, bytes) && *bytes <= INT64_MAX - SUMMAND__NPY_MOST;
}

/* The length of each part if a dimension is cut into contiguous parts. */
static MPI_Count piece_of(MPI_Count extent, int parts)
{
    return extent ? (extent - 1) / parts + 1 : 1;
}

/* Makes a matrix with the distribution of the file. */
static int make_staged(const struct summand_matrix *matrix, bool transposed,
                       struct summand_matrix **staged)
{
    const struct summand__grid *grid = &matrix->grid;
    int processes = summand__grid_processes(grid);
    summand_matrix_shape shape = {.rows = transposed ? grid->columns.extent : grid->rows.extent,
                                  .columns = transposed ? grid->rows.extent : grid->columns.extent,
                                  .grid_rows = 1,
                                  .grid_columns = 1,
                                  .group = grid->group};
    *(shape.columns < processes ? &shape.grid_rows : &shape.grid_columns) = processes;
    shape.block_rows = piece_of(shape.rows, shape.grid_rows);
    shape.block_columns = piece_of(shape.columns, shape.grid_columns);
    return summand__matrix_make(matrix->state, &shape, matrix->datatype, NULL, 0, staged);
}

/* This rank's part of the file: `pieces` of `bytes` bytes each, at this distance from each other.
 */
struct part {
    int64_t begin, pieces, bytes, apart;
};

static struct part part_of(const struct summand_matrix *staged, const struct layout *layout)
{
    const struct summand__grid *grid = &staged->grid;
    int64_t unit = layout->width, row, column;
    if (!staged->rows || !staged->columns)
        return (struct part){.pieces = 0};
    summand__grid_global(grid, staged->process, 0, 0, &row, &column);
    struct part part = {.begin = layout->begin + (column * grid->rows.extent + row) * unit,
                        .pieces = grid->rows.parts > 1 ? staged->columns : 1,
                        .apart = grid->rows.extent * unit};
    part.bytes = staged->rows * staged->columns / part.pieces * unit;
    return part;
}

/* Reads `count` contiguous numbers of another type than the matrix's. */
static int read_converted(int file, const struct layout *layout, size_t unit, char *to,
                          int64_t count, int64_t at)
{
    enum { PIECE = 512 };
    char raw[PIECE * 16]; /* the widest type is a long double */
    double values[PIECE];
    int failed = 0;
    while (count && !failed) {
        const int64_t n = count < PIECE ? count : PIECE;
        failed = read_piece(file, raw, n * layout->width, at);
        if (!failed && summand__npy_values(&layout->type, raw, (size_t)n, values) < (size_t)n)
            failed = NO_DOUBLE;
        for (int64_t i = 0; i < n && !failed; i++, to += unit) {
            const float narrow = unit == sizeof narrow ? (float)values[i] : 0;
            memcpy(to, unit == sizeof narrow ? (const void *)&narrow : &values[i], unit);
        }
        at += n * layout->width;
        count -= n;
    }
    return failed;
}

/* 0, an error number, TOO_SHORT or NO_DOUBLE. */
static int read_part(int file, const struct summand_matrix *staged, const struct layout *layout)
{
    struct part part = part_of(staged, layout);
    int failed = 0;
    for (int64_t k = 0; k < part.pieces && !failed; k++) {
        const int64_t at = part.begin + k * part.apart, count = part.bytes / layout->width;
        char *to = (char *)staged->data + k * count * (int64_t)staged->unit;
        failed = layout->converts ? read_converted(file, layout, staged->unit, to, count, at)
                                  : read_piece(file, to, part.bytes, at);
    }
    return failed;
}

static void swap_bytes(const struct summand_matrix *staged)
{
    int64_t count = staged->rows * staged->columns;
    for (int64_t i = 0; i < count; i++) {
        unsigned char *number = staged->data + (size_t)i * staged->unit;
        for (size_t a = 0, b = staged->unit - 1; a < b; a++, b--) {
            unsigned char byte = number[a];
            number[a] = number[b];
            number[b] = byte;
        }
    }
}

/* Doubles hold all numbers (read_part reports exceptions), floats those of their own type and of up
 * to 2 bytes. */
static bool takes_type(const struct summand_matrix *matrix, const struct summand__npy *npy)
{
    return npy->kind != 'c' && (matrix->unit == sizeof(double) || npy->width <= 2 ||
                                (npy->kind == 'f' && npy->width == matrix->unit));
}

static int check_npy(const struct summand_matrix *matrix, const char *path,
                     const struct summand__npy *npy)
{
    const struct summand__grid *grid = &matrix->grid;
    const long long rows = grid->rows.extent, columns = grid->columns.extent;
    if (!takes_type(matrix, npy))
        return summand__refuse(
            SUMMAND_ERR_FILE,
            "path \"%s\": the file has numbers of kind '%c' and %zu bytes, which "
            "the elements of the matrix, %s, need not hold; f4, f2, i1, i2, u1, "
            "u2 or b1 expected",
            path, npy->kind, npy->width, summand__matrix_type(matrix));
    if (npy->dimensions != 2)
        return summand__refuse(SUMMAND_ERR_FILE,
                               "path \"%s\": the array in the file has %d dimensions, not 2", path,
                               (int)npy->dimensions);
    if (npy->extent[0] != (uint64_t)rows || npy->extent[1] != (uint64_t)columns)
        return summand__refuse(SUMMAND_ERR_FILE,
                               "path \"%s\": the file has %llu x %llu elements, the matrix %lld x "
                               "%lld",
                               path, (unsigned long long)npy->extent[0],
                               (unsigned long long)npy->extent[1], rows, columns);
    return MPI_SUCCESS;
}

static int read_npy(const struct summand_matrix *matrix, const char *path, int file, int64_t size,
                    struct layout *layout)
{
    struct summand__npy npy;
    char start[SUMMAND__NPY_START], *bytes;
    int64_t count = size < SUMMAND__NPY_START ? size : SUMMAND__NPY_START;
    int failed = read_piece(file, start, count, 0);
    if (failed)
        return refuse_piece(path, failed);
    if (!summand__npy_start(start, (size_t)count, &npy))
        return refuse(path, npy.wrong);
    bytes = calloc(npy.begin + 1, 1);
    if (!bytes)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    failed = read_piece(file, bytes, (int64_t)npy.begin, 0);
    bool good = !failed && summand__npy_read(bytes, &npy);
    free(bytes);
    if (failed)
        return failed < 0 ? refuse(path, "the file ends within its .npy header")
                          : refused(path, failed);
    layout->begin = (int64_t)npy.begin;
    layout->by_rows = !npy.columns;
    layout->width = (int64_t)npy.width;
    layout->converts = npy.kind != 'f' || npy.width != matrix->unit;
    layout->type = npy;
    return good ? check_npy(matrix, path, &npy) : refuse(path, npy.wrong);
}

/* Checks that the file has the bytes of the header and of the matrix. */
static int check_size(const struct summand_matrix *matrix, const char *path, int64_t size,
                      const struct layout *layout)
{
    int64_t bytes;
    if (!bytes_of(matrix, layout->width, &bytes))
        return refuse(path, "no file has as many bytes as the matrix");
    if (size == layout->begin + bytes)
        return MPI_SUCCESS;
    return summand__refuse(SUMMAND_ERR_FILE,
                           "path \"%s\": the file is too %s: %lld bytes, not %lld", path,
                           size < layout->begin + bytes ? "short" : "long", (long long)size,
                           (long long)(layout->begin + bytes));
}

/* Finds the layout; `*file` is open unless there is an error. */
static int examine(const struct summand_matrix *matrix, const char *path,
                   enum summand_format format, struct layout *layout, int *file)
{
    uint64_t bytes;
    const char *why;
    *layout = (struct layout){.by_rows = by_rows(format), .width = (int64_t)matrix->unit};
    *file = summand__input_open(path, &bytes, &why);
    if (*file < 0)
        return errno ? refused(path, errno) : refuse(path, why);
    int code = is_npy(format) ? read_npy(matrix, path, *file, (off_t)bytes, layout) : MPI_SUCCESS;
    return code == MPI_SUCCESS ? check_size(matrix, path, (off_t)bytes, layout) : code;
}

static int check(const char *path, enum summand_format format)
{
    if (!path)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "path is NULL");
    if ((unsigned)format > SUMMAND_FORMAT_RAW_ROWS)
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT,
            "format is %d, not %d (SUMMAND_FORMAT_NPY) to %d (SUMMAND_FORMAT_RAW_ROWS)",
            (int)format, SUMMAND_FORMAT_NPY, SUMMAND_FORMAT_RAW_ROWS);
    return MPI_SUCCESS;
}

static void sign(struct summand__signature *signature, const char *call,
                 const struct summand_matrix *matrix, const char *path, enum summand_format format,
                 bool rows)
{
    summand__sign_call(signature, call);
    summand__matrix_sign_as(signature, "matrix", matrix);
    summand__sign_word(signature, "path", path);
    summand__sign_number(signature, "format", format);
    summand__sign_number(signature, "order by rows", rows);
}

int summand__matrix_read(struct summand_matrix *matrix, const char *path,
                         enum summand_format format, const char *call, int tag)
{
    struct summand__signature signature;
    struct summand_matrix *staged = NULL;
    struct layout layout = {0};
    summand_plan *plan = NULL;
    int file = -1, code = check(path, format);
    if (code == MPI_SUCCESS)
        code = examine(matrix, path, format, &layout, &file);
    if (code == MPI_SUCCESS)
        code = make_staged(matrix, layout.by_rows, &staged);
    sign(&signature, call, matrix, path, format, layout.by_rows);
    code = summand__matrix_agree(matrix->state, code, &signature, tag);
    if (code == MPI_SUCCESS) {
        int failed = read_part(file, staged, &layout);
        if (failed)
            code = failed == NO_DOUBLE ? refuse(path, "an integer in the file is no double, or a "
                                                      "boolean neither 0 nor 1")
                                       : refuse_piece(path, failed);
        if (!failed && !layout.converts && layout.type.swapped)
            swap_bytes(staged);
        summand__enter_step(matrix->state);
        code = summand__matrix_copy_plan(staged, matrix, layout.by_rows, call, code, tag, &plan);
    }
    if (code == MPI_SUCCESS)
        code = summand__plan_run(plan);
    summand_plan_free(&plan);
    summand__matrix_release(staged);
    if (file >= 0)
        close(file);
    return code;
}

/* The draft: one rank makes it and all write to it. */
struct draft {
    bool leads;
    struct summand__output output; /* of the leading rank */
    char path[PATH_MAX];           /* words of a message */
};
_Static_assert(PATH_MAX % sizeof(uint64_t) == 0, "paths are whole words");

static int open_draft(struct draft *draft, const struct summand_matrix *matrix, const char *path,
                      enum summand_format format, struct layout *layout)
{
    struct summand__npy npy = {
        .width = matrix->unit,
        .columns = !layout->by_rows,
        .dimensions = 2,
        .extent = {(uint64_t)matrix->grid.rows.extent, (uint64_t)matrix->grid.columns.extent}};
    char header[SUMMAND__NPY_HEADER];
    int64_t bytes;
    if (!bytes_of(matrix, layout->width, &bytes))
        return summand__refuse(
            SUMMAND_ERR_ARGUMENT,
            "matrix has more bytes than a file can have: %lld x %lld elements of "
            "%zu bytes",
            (long long)matrix->grid.rows.extent, (long long)matrix->grid.columns.extent,
            matrix->unit);
    if (is_npy(format))
        summand__npy_write(header, &npy);
    layout->begin = is_npy(format) ? (int64_t)npy.begin : 0;
    layout->bytes = layout->begin + bytes;
    if (!draft->leads)
        return MPI_SUCCESS;
    if (!summand__output_open(&draft->output, path))
        return refused(path, errno);
    size_t head = (size_t)layout->begin;
    if (fwrite(header, 1, head, draft->output.file) != head ||
        !summand__output_share(&draft->output, layout->bytes))
        return refused(path, errno);
    strcpy(draft->path, draft->output.draft);
    return MPI_SUCCESS;
}

/* Writes every rank's part, and syncs it to the disk. */
static int write_part(const char *draft, const char *path, const struct summand_matrix *staged,
                      const struct layout *layout)
{
    struct part part = part_of(staged, layout);
    if (!part.pieces)
        return MPI_SUCCESS;
    int file = open(draft, O_WRONLY | O_CLOEXEC | O_NOFOLLOW), failed = 0;
    if (file < 0)
        return refused(path, errno);
    for (int64_t k = 0; k < part.pieces && !failed; k++)
        failed = write_piece(file, (const char *)staged->data + k * part.bytes, part.bytes,
                             part.begin + k * part.apart);
    if (!failed && fsync(file) && errno != EINVAL)
        failed = errno;
    if (close(file) && !failed)
        failed = errno;
    return failed ? refused(path, failed) : MPI_SUCCESS;
}

/* Collective: writes the file from the staged elements. `code`: this rank's error so far; after an
 * error on any rank there is no new file. */
static int write_staged(struct draft *draft, const struct summand_matrix *matrix,
                        const struct summand_matrix *staged, const char *path,
                        enum summand_format format, int code, int tag)
{
    struct summand__state *state = matrix->state;
    struct layout layout = {.by_rows = by_rows(format), .width = (int64_t)matrix->unit};
    struct summand__quiet quiet;
    summand__enter_step(state);
    summand__quiet_begin(&quiet);
    if (code == MPI_SUCCESS)
        code = open_draft(draft, matrix, path, format, &layout);
    summand__quiet_end(&quiet);
    code = summand__matrix_agree(state, code, NULL, tag);
    if (code == MPI_SUCCESS) {
        summand__enter_step(state);
        code = summand__join(state, tag, draft->path, sizeof draft->path);
        summand__enter_step(state);
        summand__quiet_begin(&quiet);
        if (code == MPI_SUCCESS)
            code = write_part(draft->path, path, staged, &layout);
        summand__quiet_end(&quiet);
        code = summand__matrix_agree(state, code, NULL, tag);
    }
    bool good = code == MPI_SUCCESS;
    summand__quiet_begin(&quiet);
    if (draft->leads && draft->output.file && !summand__output_close(&draft->output, good) && good)
        code = refused(path, errno);
    summand__quiet_end(&quiet);
    return good ? summand__matrix_agree(state, code, NULL, tag) : code;
}

int summand__matrix_write(const struct summand_matrix *matrix, const char *path,
                          enum summand_format format, const char *call, int tag)
{
    struct summand__signature signature;
    struct summand_matrix *staged = NULL;
    summand_plan *plan = NULL;
    int code = check(path, format);
    struct draft *draft = calloc(1, sizeof *draft);
    if (code == MPI_SUCCESS && !draft)
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    if (code == MPI_SUCCESS)
        code = make_staged(matrix, by_rows(format), &staged);
    sign(&signature, call, matrix, path, format, by_rows(format));
    code = summand__matrix_agree(matrix->state, code, &signature, tag);
    if (code == MPI_SUCCESS) {
        summand__enter_step(matrix->state);
        code = summand__matrix_copy_plan(matrix, staged, by_rows(format), call, code, tag, &plan);
    }
    if (code == MPI_SUCCESS) {
        draft->leads = matrix->process == 0;
        code = summand__plan_run(plan);
        code = write_staged(draft, matrix, staged, path, format, code, tag);
    }
    summand_plan_free(&plan);
    summand__matrix_release(staged);
    free(draft);
    return code;
}
