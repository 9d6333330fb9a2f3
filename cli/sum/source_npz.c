/* SPDX-License-Identifier: BSD-3-Clause */
/* NumPy's .npz: an archive of .npy files, stored or deflated. Stored arrays are read like files. A
 * deflated one each rank inflates up to its own slice's end, in little memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sum/inflate.h"
#include "cli/sum/zip.h"

struct search {
    struct zip_entry found;
    int arrays, matches; /* in the archive; of the wanted name */
    char names[400];     /* of the arrays; without any, of other files */
};

static void list_name(struct search *search, int known, const char *name, size_t length)
{
    const size_t used = strlen(search->names), room = sizeof search->names - used;
    if (room > length + 8)
        snprintf(search->names + used, room, "%s%.*s", known ? ", " : "", (int)length, name);
    else if (room > 8 && strcmp(search->names + used - 3, "..."))
        snprintf(search->names + used, room, ", ...");
}

/* The name of an array, which its file has without the ending. */
static bool is_array(const struct zip_entry *entry, size_t *length)
{
    *length = entry->length < 4 ? 0 : entry->length - 4;
    return entry->length >= 4 && !memcmp(entry->name + *length, ".npy", 4);
}

static void search_list(const struct source *source, struct zip *zip, struct search *search,
                        struct trouble *trouble)
{
    const char *wanted = source->choice.array;
    struct zip_entry entry;
    size_t length;
    while (zip_next(zip, source, &entry, trouble)) {
        if (!is_array(&entry, &length))
            continue;
        list_name(search, search->arrays++, entry.name, length);
        if (wanted && (strlen(wanted) != length || memcmp(wanted, entry.name, length) != 0))
            continue;
        search->matches++;
        search->found = entry;
    }
}

static void check_search(const struct source *source, const struct search *search,
                         struct trouble *trouble)
{
    if (!search->arrays)
        trouble_note(trouble, "%s: an archive (zip) without arrays (names that end in .npy)",
                     source->path);
    else if (!source->choice.array && search->arrays > 1)
        trouble_note(trouble, "%s: it holds %d arrays: %s; --array NAME or 'FILE:NAME' chooses one",
                     source->path, search->arrays, search->names);
    else if (!search->matches)
        trouble_note(trouble, "%s: no array '%s'; it holds %s", source->path, source->choice.array,
                     search->names);
    else if (search->matches > 1)
        trouble_note(trouble, "%s: it holds %d arrays of this name", source->path, search->matches);
}

/* From now on the source is the array. */
static void take(struct source *source, const struct zip_entry *entry, struct trouble *trouble)
{
    const uint64_t place = zip_place(source, entry, trouble);
    if (place == UINT64_MAX)
        return;
    if (entry->encrypted || (entry->method != 0 && entry->method != 8))
        trouble_note(trouble, "%s: the array is %s; numpy.savez or savez_compressed expected",
                     source->path, entry->encrypted ? "encrypted" : "compressed in another way");
    else if (entry->method == 0 ? entry->packed != entry->bytes
                                : entry->bytes / 1032 > entry->packed) /* deflate's best */
        trouble_note(trouble, "%s: the array announces more bytes than it can hold", source->path);
    else if (entry->method == 8 && !inflater_there())
        trouble_note(trouble,
                     "%s: the array is compressed, and this command was built without zlib; "
                     "numpy.savez writes arrays that it reads",
                     source->path);
    else if (entry->method == 8 &&
             !(source->inflater =
                   inflater_new(source->fd, place, entry->packed, entry->bytes, entry->crc)))
        trouble_note(trouble, "out of memory");
    source->base = place;
    source->bytes = entry->bytes;
}

static void open_npz(struct source *source, struct trouble *trouble)
{
    struct search search = {.arrays = 0};
    struct zip zip;
    if (zip_open(&zip, source, trouble)) {
        search_list(source, &zip, &search, trouble);
        check_search(source, &search, trouble);
        if (!trouble->text[0])
            take(source, &search.found, trouble);
    }
    free(zip.list);
    if (!trouble->text[0])
        source_open_npy(source, trouble);
}

const struct data_format format_npz = {.name = "npz",
                                       .summary = "an archive of arrays of NumPy",
                                       .ending = ".npz",
                                       .archive = true,
                                       .open = open_npz,
                                       .read = source_read_binary};
