#include "setting.h"

#include <errno.h>
#include <string.h>
#include <summand/version.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/machine.h"
#include "cli.h"
#include "comm/machine.h"
#include "kernel/arch.h"

extern char **environ;

int processors(void)
{
    return summand__processors();
}

static void summand_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%s", summand_version());
}

static void mpi_text(char *buffer, size_t room)
{
    summand__mpi_name(buffer, room);
}

static void arch_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%s", summand__arch_name(summand__arch()));
}

static void processor_text(char *buffer, size_t room)
{
    summand__processor_name(buffer, room);
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
