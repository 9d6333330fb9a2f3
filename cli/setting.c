#include "setting.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <summand/version.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "kernel/arch.h"

extern char **environ;

int processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}

static void summand_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%s", summand_version());
}

static void mpi_text(char *buffer, size_t room)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(text, &length);
    /* MPICH has "MPICH Version:\t4.0.2\nMPICH Release date: ...", Open MPI one long line. */
    text[strcspn(text, ",\n")] = '\0';
    char *word = strstr(text, " Version:");
    if (word) {
        const char *number = word + 9 + strspn(word + 9, " \t");
        memmove(word + 1, number, strlen(number) + 1);
    }
    snprintf(buffer, room, "%s", text);
}

static void arch_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%s", summand__arch_name(summand__arch()));
}

static void processor_text(char *buffer, size_t room)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(buffer, room, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (value && !strncmp(line, "model name", 10)) {
            value += 1 + strspn(value + 1, " ");
            value[strcspn(value, "\n")] = '\0';
            snprintf(buffer, room, "%s", value);
            break;
        }
    }
    if (file)
        fclose(file);
}

static void processors_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%d", processors());
}

static void host_text(char *buffer, size_t room)
{
    struct utsname name;
    snprintf(buffer, room, "%s", uname(&name) ? "unknown" : name.nodename);
}

static void system_text(char *buffer, size_t room)
{
    struct utsname name;
    if (uname(&name))
        snprintf(buffer, room, "unknown");
    else
        snprintf(buffer, room, "%s %s %s", name.sysname, name.release, name.machine);
}

static void compiler_text(char *buffer, size_t room)
{
#ifdef __clang__
    snprintf(buffer, room, "%s", __VERSION__);
#else
    snprintf(buffer, room, "gcc %s", __VERSION__);
#endif
}

static void date_text(char *buffer, size_t room)
{
    time_t now = time(NULL);
    struct tm parts;
    strftime(buffer, room, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

const struct setting_row setting_rows[] = {{"summand", summand_text},
                                           {"mpi", mpi_text},
                                           {"arch", arch_text},
                                           {"machine", processor_text},
                                           {"processors", processors_text},
                                           {"host", host_text},
                                           {"system", system_text},
                                           {"compiler", compiler_text},
                                           {"date", date_text},
                                           {NULL, NULL}};

static bool is_ours(const char *variable)
{
    return !strncmp(variable, "SUMMAND_", 8) && strchr(variable, '=');
}

json_t *setting_json(void)
{
    json_t *object = json_object(), *variables = json_object();
    char text[SETTING_ROOM];
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        row->text(text, sizeof text);
        json_object_set_new(object, row->name, json_string(text));
    }
    for (char **v = environ; *v; v++)
        if (is_ours(*v)) {
            snprintf(text, sizeof text, "%.*s", (int)strcspn(*v, "="), *v);
            json_object_set_new(variables, text, json_string(strchr(*v, '=') + 1));
        }
    json_object_set_new(object, "environment", variables);
    return object;
}

void csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void setting_csv_heads(FILE *out)
{
    for (const struct setting_row *row = setting_rows; row->name; row++)
        fprintf(out, "%s,", row->name);
    fputs("environment,", out);
}

void setting_csv_values(FILE *out)
{
    char text[SETTING_ROOM] = "";
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        row->text(text, sizeof text);
        csv_text(out, text);
        fputc(',', out);
    }
    size_t used = 0;
    text[0] = '\0';
    for (char **v = environ; *v; v++)
        if (is_ours(*v) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ";" : "", *v);
    csv_text(out, text);
    fputc(',', out);
}

int write_json(const char *command, json_t *json, const char *path)
{
    bool screen = !path || !strcmp(path, "-");
    FILE *out = screen ? stdout : fopen(path, "w");
    int failed = !out || json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    if (out)
        failed |= fputc('\n', out) == EOF || (screen ? fflush(out) : fclose(out));
    if (failed)
        complain(command, "%s: %s", screen ? "standard output" : path, strerror(errno));
    json_decref(json);
    return failed ? 1 : 0;
}
