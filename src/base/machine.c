#include "base/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void summand__processor_name(char *text, size_t room)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, room, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (value && !strncmp(line, "model name", 10)) {
            value += 1 + strspn(value + 1, " ");
            value[strcspn(value, "\n")] = '\0';
            snprintf(text, room, "%s", value);
            break;
        }
    }
    if (file)
        fclose(file);
}

int summand__processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (int)n;
}
