/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written whole or not at all: the content under the target's name, and other files
 * left in the folder, after all possible faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output.h"

static char home[] = "/tmp/summand-output-XXXXXX";
static bool named;   /* files without a name are not supported */
static bool no_sync; /* the disk fails to sync */
static bool no_name; /* nothing takes another name */
static int opened;   /* drafts with a name */

/* In place of the system's. */
int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    int mode = flags & O_CREAT || nameless ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (named && nameless) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (strstr(path, ".summand-")) {
        assert_int_equal(flags & (O_CREAT | O_EXCL | O_NOFOLLOW), O_CREAT | O_EXCL | O_NOFOLLOW);
        opened++;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fsync(int file)
{
    if (no_sync)
        errno = EIO;
    return no_sync ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    if (no_name)
        errno = EXDEV;
    return no_name ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int files(void)
{
    DIR *folder = opendir(".");
    int count = 0;
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

static void fill(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static bool write_to(const char *path, const char *text)
{
    struct summand__output output;
    if (!summand__output_open(&output, path))
        return false;
    fputs(text, output.file);
    return summand__output_close(&output, true);
}

static int begin(void **state)
{
    (void)state;
    strcpy(home + strlen(home) - 6, "XXXXXX");
    named = no_sync = no_name = false;
    return !mkdtemp(home) || chdir(home);
}

static int begin_named(void **state)
{
    int code = begin(state);
    named = true;
    opened = 0;
    return code;
}

static int end(void **state)
{
    char words[64];
    (void)state;
    snprintf(words, sizeof words, "rm -rf %s", home);
    return chdir("/") || system(words);
}

static void the_old_file_stays_until_the_end(void **state)
{
    struct summand__output output;
    struct stat status;
    (void)state;
    fill("x", "old");
    assert_int_equal(chmod("x", 0640), 0);
    assert_true(summand__output_open(&output, "x"));
    fputs("new", output.file);
    fflush(output.file);
    assert_holds("x", "old");
    assert_int_equal(files(), 1 + named);
    assert_true(summand__output_close(&output, true));
    assert_holds("x", "new");
    assert_int_equal(files(), 1);
    assert_int_equal(stat("x", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_true(write_to("./y", "first"));
    assert_holds("y", "first");
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat("y", &status), 0);
    assert_int_equal(status.st_mode & 07777, 0666 & ~mask);
    assert_int_equal(opened > 0, named);
}

static void what_is_dropped_leaves_nothing(void **state)
{
    struct summand__output output;
    (void)state;
    fill("x", "old");
    for (int i = 0; i < 2; i++) {
        assert_true(summand__output_open(&output, i ? "x" : "y"));
        fputs("new", output.file);
        assert_false(summand__output_close(&output, false));
    }
    assert_holds("x", "old");
    assert_int_equal(files(), 1);
}

/* Acts like a disk that is full after this many bytes. */
static void limit(rlim_t bytes)
{
    struct rlimit limits;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limits), 0);
    limits.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limits), 0);
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    struct summand__output output;
    (void)state;
    fill("x", "old");
    signal(SIGXFSZ, SIG_IGN);
    for (int late = 0; late < 2; late++) { /* noticed during the write, or only at the end */
        static char buffer[8192];
        limit(4096);
        assert_true(summand__output_open(&output, "x"));
        setvbuf(output.file, buffer, _IOFBF, late ? sizeof buffer : 1024);
        for (int i = 0; i < 6000; i++)
            fputc('.', output.file);
        assert_int_equal(ferror(output.file) != 0, !late);
        errno = 0;
        assert_false(summand__output_close(&output, true));
        limit(RLIM_INFINITY);
        assert_int_equal(errno, EFBIG);
        assert_holds("x", "old");
        assert_int_equal(files(), 1);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void a_failing_disk_leaves_the_old_file(void **state)
{
    (void)state;
    fill("x", "old");
    no_sync = true;
    assert_false(write_to("x", "new"));
    assert_int_equal(errno, EIO);
    no_sync = false;
    no_name = true;
    assert_false(write_to("x", "new"));
    assert_int_equal(errno, EXDEV);
    assert_holds("x", "old");
    assert_int_equal(files(), 1);
}

static void a_signal_leaves_the_old_file(void **state)
{
    (void)state;
    fill("x", "old");
    static const int signals[] = {SIGTERM, SIGINT, SIGKILL};
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (!child) {
            struct summand__output output;
            if (!summand__output_open(&output, "x"))
                _exit(1);
            fputs("new", output.file);
            fflush(output.file);
            signal(signals[i], SIG_DFL); /* nohup ignores it; this fails for SIGKILL */
            raise(signals[i]);
            _exit(1);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_holds("x", "old");
        /* If the draft has a name, it stays, but nobody takes it for the result. */
        assert_int_equal(files(), 1 + named * (i + 1));
    }
}

static void links_are_followed(void **state)
{
    struct stat status;
    (void)state;
    assert_int_equal(mkdir("in", 0777), 0);
    fill("in/x", "old");
    assert_int_equal(symlink("in/y", "one"), 0);
    assert_int_equal(symlink("one", "two"), 0);
    assert_int_equal(symlink("x", "in/y"), 0);
    assert_true(write_to("two", "new"));
    assert_holds("in/x", "new");
    assert_int_equal(lstat("two", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(unlink("in/x"), 0); /* a link to a missing file */
    assert_true(write_to("two", "newer"));
    assert_holds("in/x", "newer");
    assert_int_equal(unlink("in/y"), 0);
    assert_int_equal(symlink("../two", "in/y"), 0);
    assert_false(write_to("two", "newest"));
    assert_int_equal(errno, ELOOP);
    assert_int_equal(files(), 3);
}

static void what_is_no_file_is_written_to(void **state)
{
    struct stat status;
    (void)state;
    assert_true(write_to("/dev/null", "x"));
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
    assert_false(write_to("/dev/full", "x"));
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_true(write_to("pipe", "through"));
    char text[16] = "";
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
    assert_int_equal(files(), 1);
}

static void a_descriptor_is_written_to_where_it_stands(void **state)
{
    (void)state;
    char path[32];
    int ends[2], file = open("log", O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "before ", 7), 7);
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    assert_true(write_to(path, "this "));
    assert_int_equal(write(file, "after", 5), 5);
    close(file);
    assert_holds("log", "before this after");
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[1]);
    assert_true(write_to(path, "x"));
    close(ends[0]), close(ends[1]);
    assert_int_equal(files(), 1);
}

static void what_cannot_be_is_told(void **state)
{
    char path[PATH_MAX + 2];
    static const struct {
        const char *path;
        int error;
    } rows[] = {{"", ENOENT}, {"no/x", ENOENT}, {".", EISDIR}, {"x/", ENOTDIR}, {"x/y", ENOTDIR}};
    (void)state;
    fill("x", "old");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(write_to(rows[i].path, "new"));
        assert_int_equal(errno, rows[i].error);
    }
    for (int length = PATH_MAX - 3; length < PATH_MAX + 2; length++) {
        memset(path, '/', (size_t)length);
        path[length - 1] = 'x';
        path[length] = '\0';
        path[0] = '.';
        errno = 0;
        assert_false(write_to(path, "new"));
        assert_int_equal(errno, ENAMETOOLONG);
    }
    assert_int_equal(files(), 1);
    assert_holds("x", "old");
}

static void what_has_its_name_can_be_appended_to(void **state)
{
    struct summand__output output;
    (void)state;
    fill("x", "old");
    assert_true(summand__output_open(&output, "x"));
    fputs("one ", output.file);
    assert_true(summand__output_place(&output));
    assert_holds("x", "one ");
    fputs("two ", output.file);
    assert_true(summand__output_place(&output));
    assert_holds("x", "one two ");
    fputs("three", output.file);
    assert_true(summand__output_close(&output, true));
    assert_holds("x", "one two three");
    assert_int_equal(files(), 1);
    assert_true(summand__output_open(&output, "x"));
    no_name = true;
    assert_false(summand__output_place(&output));
    assert_false(summand__output_close(&output, false));
    assert_holds("x", "one two three");
    assert_int_equal(files(), 1);
}

#define BOTH(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, begin, end),                                             \
        cmocka_unit_test_setup_teardown(test, begin_named, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(the_old_file_stays_until_the_end), BOTH(what_is_dropped_leaves_nothing),
        BOTH(a_full_disk_leaves_the_old_file),  BOTH(a_failing_disk_leaves_the_old_file),
        BOTH(a_signal_leaves_the_old_file),     BOTH(links_are_followed),
        BOTH(what_is_no_file_is_written_to),    BOTH(a_descriptor_is_written_to_where_it_stands),
        BOTH(what_cannot_be_is_told),           BOTH(what_has_its_name_can_be_appended_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
