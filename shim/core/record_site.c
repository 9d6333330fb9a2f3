/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record_site.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

enum { SITE_ROOM = 120, SLOTS = 1 << 12 };

static struct slot {
    const void *address;
    char *text;
} slots[SLOTS];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A file in memory, read only. */
struct image {
    const char *bytes;
    size_t size;
};

static bool map_file(const char *path, struct image *image)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (!fstat(file, &status) && status.st_size > 0) {
        image->size = (size_t)status.st_size;
        bytes = mmap(NULL, image->size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    image->bytes = bytes;
    return bytes != MAP_FAILED;
}

/* True if the file has `count` objects of `size` bytes there. */
static bool holds(const struct image *image, uint64_t at, uint64_t count, uint64_t size)
{
    return at <= image->size && count <= (image->size - at) / size;
}

/* The function that holds `place`, an address of the file, in a table of symbols. */
static const char *find_symbol(const struct image *image, const ElfW(Shdr) * table,
                               const ElfW(Shdr) * strings, uint64_t place, uint64_t *start)
{
    const ElfW(Sym) *symbols = (const void *)(image->bytes + table->sh_offset);
    const char *found = NULL;
    for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *s = &symbols[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_value || s->st_value > place ||
            place > s->st_value + s->st_size || s->st_name >= strings->sh_size)
            continue;
        found = image->bytes + strings->sh_offset + s->st_name;
        *start = s->st_value;
    }
    return found;
}

/* Writes "symbol+0x1a4" from the table for debuggers; false: the file has none. */
static bool symbol_of_file(const struct image *image, uint64_t place, char *text)
{
    const ElfW(Ehdr) *head = (const void *)image->bytes;
    if (!holds(image, 0, 1, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)) ||
        !holds(image, head->e_shoff, head->e_shnum, sizeof(ElfW(Shdr))))
        return false;
    const ElfW(Shdr) *sections = (const void *)(image->bytes + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        uint64_t start = 0;
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) *strings = &sections[table->sh_link];
        if (!holds(image, table->sh_offset, table->sh_size, 1) || !strings->sh_size ||
            !holds(image, strings->sh_offset, strings->sh_size, 1) ||
            image->bytes[strings->sh_offset + strings->sh_size - 1])
            return false;
        const char *name = find_symbol(image, table, strings, place, &start);
        if (name)
            snprintf(text, SITE_ROOM, "%.*s+0x%llx", SITE_ROOM - 24, name,
                     (unsigned long long)(place - start));
        return name;
    }
    return false;
}

static void describe(const void *address, char *text)
{
    Dl_info info;
    struct link_map *map = NULL;
    struct image image;
    bool found = false;
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) {
        snprintf(text, SITE_ROOM, "unknown");
        return;
    }
    const uint64_t place = (uint64_t)((uintptr_t)address - (uintptr_t)map->l_addr);
    const char *path = *map->l_name ? map->l_name : "/proc/self/exe";
    if (map_file(path, &image)) {
        found = symbol_of_file(&image, place, text);
        munmap((void *)image.bytes, image.size);
    }
    if (!found && info.dli_sname) {
        snprintf(text, SITE_ROOM, "%.*s+0x%llx", SITE_ROOM - 24, info.dli_sname,
                 (unsigned long long)((uintptr_t)address - (uintptr_t)info.dli_saddr));
    } else if (!found) {
        const char *name = strrchr(info.dli_fname, '/');
        snprintf(text, SITE_ROOM, "%.*s+0x%llx", SITE_ROOM - 24, name ? name + 1 : info.dli_fname,
                 (unsigned long long)place);
    }
}

static struct slot *slot_of(const void *address)
{
    size_t at = (size_t)((uintptr_t)address * SUMMAND__GOLDEN >> 52) % SLOTS;
    while (slots[at].address && slots[at].address != address)
        at = (at + 1) % SLOTS;
    return &slots[at];
}

const char *record_site(const void *address)
{
    char text[SITE_ROOM];
    if (!address)
        return NULL;
    pthread_mutex_lock(&lock);
    struct slot *slot = slot_of(address);
    const char *result = slot->text;
    if (!slot->address && used < SLOTS / 2) {
        describe(address, text);
        slot->text = strdup(text);
        if (slot->text) {
            slot->address = address;
            used++;
        }
        result = slot->text;
    }
    pthread_mutex_unlock(&lock);
    return result;
}
