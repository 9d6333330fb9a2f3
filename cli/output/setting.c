/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/setting.h"

#include <stdlib.h>
#include <string.h>
#include <summand/version.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/machine.h"
#include "build_id.h"
#include "cli/common/cli.h"
#include "cli/output/text.h"
#include "kernel/arch.h"
#include "process/machine.h"

extern char **environ;

int processors(void)
{
    return summand__processors();
}

static void summand_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%s", summand_version());
}

/* The commit of the build, with + if files differed from it; "unknown" outside of git. */
static void build_text(char *buffer, size_t room)
{
    snprintf(buffer, room, "%s", SUMMAND_BUILD);
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
    snprintf(buffer, room, "%s", summand__processor().name);
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

const struct setting_row setting_rows[] = {{"summand", summand_text, false},
                                           {"build", build_text, false},
                                           {"mpi", mpi_text, false},
                                           {"arch", arch_text, false},
                                           {"machine", processor_text, false},
                                           {"processors", processors_text, true},
                                           {"host", host_text, false},
                                           {"system", system_text, false},
                                           {"compiler", compiler_text, false},
                                           {"date", date_text, false},
                                           {NULL, NULL, false}};

/* True for variables that change measurements: Summand's and the MPIs'. False for those by which a
 * launcher identifies its processes. */
static bool matters(const char *variable)
{
    static const char *const taken[] = {"SUMMAND_", "OMPI_MCA_", "MPIR_CVAR_",
                                        "MPICH_",   "UCX_",      NULL};
    static const char *const left[] = {"OMPI_MCA_orte_",
                                       "OMPI_MCA_ess",
                                       "OMPI_MCA_pmix",
                                       "OMPI_MCA_initial_wdir",
                                       "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
                                       "OMPI_MCA_mpi_oversubscribe",
                                       "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
                                       NULL};
    bool some = false;
    for (int i = 0; taken[i]; i++)
        some = some || !strncmp(variable, taken[i], strlen(taken[i]));
    for (int i = 0; left[i]; i++)
        some = some && strncmp(variable, left[i], strlen(left[i]));
    return some && strchr(variable, '=');
}

json_t *setting_json(void)
{
    json_t *object = json_object(), *variables = json_object();
    char text[SETTING_ROOM];
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        row->text(text, sizeof text);
        json_object_set_new(object, row->name,
                            row->number ? json_integer(atoll(text)) : json_text(text));
    }
    for (char **v = environ; *v; v++)
        if (matters(*v)) {
            char *name = text_valid(*v);
            name[strcspn(name, "=")] = 0;
            json_object_set_new(variables, name, json_text(strchr(*v, '=') + 1));
            free(name);
        }
    json_object_set_new(object, "environment", variables);
    return object;
}

void setting_line(const json_t *setting, char *text, size_t room)
{
    static const struct {
        const char *name, *form; /* a date without the time of day */
    } parts[] = {{"mpi", "%s"}, {"machine", ", %s"}, {"date", ", %.10s"}};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < room; i++) {
        const char *known = json_string_value(json_object_get(setting, parts[i].name));
        char own[SETTING_ROOM];
        for (const struct setting_row *row = setting_rows; !known && row->name; row++)
            if (!strcmp(row->name, parts[i].name)) {
                row->text(own, sizeof own);
                known = own;
            }
        used += (size_t)snprintf(text + used, room - used, parts[i].form, known ? known : "");
    }
}

void csv_text(FILE *out, const char *text)
{
    char *valid = text_valid(text);
    bool quoted = strpbrk(valid, ",\"\r\n");
    fputs(quoted ? "\"" : "", out);
    for (const char *at = valid; *at; at++) {
        if (*at == '"')
            fputc('"', out);
        fputc(*at, out);
    }
    fputs(quoted ? "\"" : "", out);
    free(valid);
}

void setting_csv_heads(FILE *out)
{
    for (const struct setting_row *row = setting_rows; row->name; row++)
        fprintf(out, "%s,", row->name);
    fputs("environment,", out);
}

void setting_csv_values(FILE *out, const json_t *setting)
{
    char text[2 * SETTING_ROOM] = "";
    const char *name;
    json_t *value, *variables = json_object_get(setting, "environment");
    size_t used = 0;
    for (const struct setting_row *row = setting_rows; row->name; row++) {
        const json_t *fact = json_object_get(setting, row->name);
        if (json_is_integer(fact))
            fprintf(out, "%lld", (long long)json_integer_value(fact));
        else
            csv_text(out, json_is_string(fact) ? json_string_value(fact) : "");
        fputc(',', out);
    }
    json_object_foreach(variables, name, value)
    {
        if (used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", used ? ";" : "",
                                     name, json_string_value(value));
    }
    csv_text(out, text);
    fputc(',', out);
}
