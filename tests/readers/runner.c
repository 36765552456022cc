/* Answers the questions of a file with the C reader: see tests/support/readers.py. */
#include <stdio.h>
#include <stdlib.h>

#include "levelbake_changes.h"

static lb_level level;
static lb_nav nav;
static lb_changes changes;
static uint8_t *kept, *bytes;
static void *memory;
static size_t kept_size;
static int is_open;
static FILE *out;
static char *words[1 << 16];
static int count;

static void *have(size_t size) {
    void *found = calloc(size ? size : 1, 1);
    if (!found) exit(3);
    return found;
}

static int32_t number(int i) { return i < count ? (int32_t)strtol(words[i], NULL, 10) : -1; }
static double real(int i) { return i < count ? strtod(words[i], NULL) : 0.0; }

static void answer(int error) {
    if (error == LB_OK) fputs("ok\n", out);
    else fprintf(out, "error: %s\n", lb_error_text(error));
}

/* Ask a profile; without next hops it follows changes from the start. */
static int use(const char *name) {
    int error = lb_profile(&level, name, &nav);
    return error == LB_ERROR_HOPS ? lb_follow(&nav, &changes) : error;
}

static void load(void) {
    size_t size;
    int i, error;
    is_open = 0;
    free(bytes);
    free(memory);
    memory = NULL;
    if (strcmp(words[1], "=") != 0) {
        FILE *file = fopen(words[1], "rb");
        if (!file) exit(4);
        fseek(file, 0, SEEK_END);
        kept_size = (size_t)ftell(file);
        rewind(file);
        free(kept);
        kept = (uint8_t *)have(kept_size);
        if (fread(kept, 1, kept_size, file) != kept_size) exit(4);
        fclose(file);
    }
    size = count > 2 && strncmp(words[2], "size:", 5) == 0 ? (size_t)strtol(words[2] + 5, NULL, 10) : kept_size;
    bytes = (uint8_t *)have(size); /* not a byte more, so that sanitizers see what is read beyond */
    memcpy(bytes, kept, size < kept_size ? size : kept_size);
    for (i = 2; i < count; i++) {
        char *raw;
        size_t at = (size_t)strtoull(words[i], &raw, 10), length, times, k;
        if (strncmp(words[i], "size:", 5) == 0) continue;
        length = strcspn(++raw, ":") / 2;
        times = (size_t)strtoull(raw + 2 * length + 1, NULL, 10);
        for (k = 0; k < length * times; k++) {
            char digits[3] = {raw[2 * (k % length)], raw[2 * (k % length) + 1], 0};
            if (at + k < size) bytes[at + k] = (uint8_t)strtol(digits, NULL, 16);
        }
    }
    error = lb_open(&level, bytes, size);
    if (error == LB_OK) {
        memory = have(lb_changes_size(&level, 64));
        error = lb_changes_open(&changes, &level, 64, memory, lb_changes_size(&level, 64));
    }
    if (error == LB_OK) error = use(NULL);
    is_open = error == LB_OK;
    answer(error);
}

static void profile(void) {
    int had = nav.changes != NULL;
    int error = number(1) < 0 ? LB_ERROR_PROFILE : LB_OK;
    const char *name = lb_name(&level, LB_PROFILES, number(1));
    if (error == LB_OK) error = name ? use(name) : LB_ERROR_PROFILE;
    if (error != LB_OK) use(NULL);
    if (had) lb_follow(&nav, &changes);
    answer(error);
}

/* How many bytes the UTF-8 sign takes that begins here; 0: it is none. */
static int sign(const unsigned char *at) {
    int size = *at < 128 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe1 && *at < 0xed ? 3 : 0, i;
    for (i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return size;
}

/* Text as JSON; bytes that are no UTF-8, as damaged files have them, become question marks. */
static void text(const char *said) {
    putc('"', out);
    while (said && *said) {
        int size = sign((const unsigned char *)said);
        if (size == 0) putc('?', out), size = 1;
        else if ((unsigned char)*said < 32) fprintf(out, "\\u%04x", *said);
        else if (*said == '"' || *said == '\\') fprintf(out, "\\%c", *said);
        else fprintf(out, "%.*s", size, said);
        said += size;
    }
    putc('"', out);
}

static void names(const char *key, int kind) {
    int32_t i;
    fprintf(out, ",\"%s\":[", key);
    for (i = 0; i < lb_count(&level, kind); i++) {
        if (i) putc(',', out);
        text(lb_name(&level, kind, i));
    }
    fputs("]", out);
}

static void profiles(int kind, int32_t i) {
    int32_t k;
    fputs(",[", out);
    for (k = 0; lb_for_profile(&level, kind, i, k); k++) {
        if (k) putc(',', out);
        text(lb_for_profile(&level, kind, i, k));
    }
    fputs("],", out);
}

static void cells(int kind, int32_t i) {
    const int32_t *cell;
    int32_t k, some = lb_cells(&level, kind, i, &cell);
    fputs(",[", out);
    for (k = 0; k < some; k++) fprintf(out, k ? ",%d" : "%d", (int)cell[k]);
    putc(']', out);
}

static void about(void) {
    static const char *const kinds[] = {"graph", "squares", "hexagons"};
    int32_t i, s, k;
    fprintf(out, "{\"kind\":\"%s\",\"width\":%d,\"height\":%d,\"floors\":%d,\"name\":", kinds[level.kind],
            (int)level.width, (int)level.floor_rows, (int)level.floors);
    text(lb_level_name(&level));
    names("profiles", LB_PROFILES);
    names("terrains", LB_TERRAINS);
    fputs(",\"spots\":[", out);
    for (i = 0; i < lb_count(&level, LB_SPOTS); i++) {
        fputs(i ? ",[" : "[", out);
        text(lb_name(&level, LB_SPOTS, i));
        putc(',', out);
        text(lb_spot_kind(&level, i));
        fprintf(out, ",%d", (int)lb_spot_at(&level, i));
        profiles(LB_SPOTS, i);
        text(lb_id(&level, LB_SPOTS, i));
        putc(']', out);
    }
    fputs("],\"regions\":[", out);
    for (i = 0; i < lb_count(&level, LB_REGIONS); i++) {
        fputs(i ? ",[" : "[", out);
        text(lb_name(&level, LB_REGIONS, i));
        cells(LB_REGIONS, i);
        putc(',', out);
        text(lb_id(&level, LB_REGIONS, i));
        putc(']', out);
    }
    fputs("],\"doors\":[", out);
    for (i = 0; i < lb_count(&level, LB_DOORS); i++) {
        const int32_t *cell;
        int32_t some = lb_cells(&level, LB_DOORS, i, &cell), baked = lb_door_baked(&level, i);
        fputs(i ? ",[" : "[", out);
        text(lb_name(&level, LB_DOORS, i));
        cells(LB_DOORS, i);
        putc(',', out);
        if (baked < 0) fputs("null", out);
        else text(lb_door_state_name(&level, i, baked));
        fputs(",[", out);
        for (s = 0; s < lb_door_states(&level, i); s++) {
            fputs(s ? ",[" : "[", out);
            text(lb_door_state_name(&level, i, s));
            fputs(",[", out);
            for (k = 0; k < some; k++) fprintf(out, k ? ",%d" : "%d", lb_door_terrains(&level, i, s)[k]);
            fputs("]]", out);
        }
        fputs("],", out);
        text(lb_id(&level, LB_DOORS, i));
        putc(']', out);
    }
    fputs("],\"links\":[", out);
    for (i = 0; i < lb_count(&level, LB_LINKS); i++) {
        lb_link link;
        lb_link_at(&level, i, &link);
        fputs(i ? ",[" : "[", out);
        text(link.name);
        putc(',', out);
        text(link.kind);
        fprintf(out, ",%d,%d,%.17g,%s", (int)link.from, (int)link.to, link.cost, link.both_ways ? "true" : "false");
        profiles(LB_LINKS, i);
        text(lb_id(&level, LB_LINKS, i));
        putc(']', out);
    }
    fputs("]", out);
    fputs(",\"names\":[", out);
    for (i = 0; level.kind == 0 && i < level.locations; i++) {
        if (i) putc(',', out);
        if (lb_name(&level, LB_NODES, i)) text(lb_name(&level, LB_NODES, i));
        else fprintf(out, "\"%lld\"", (long long)lb_number_of_node(&level, i));
    }
    fputs("]}\n", out);
}

static void path(void) {
    size_t length = lb_path(&nav, number(1), number(2), NULL, 0), i;
    int32_t *nodes = (int32_t *)have(length * sizeof *nodes);
    if (lb_path(&nav, number(1), number(2), nodes, length) != length) exit(5);
    for (i = 0; i < length; i++) fprintf(out, i ? " %d" : "%d", (int)nodes[i]);
    fputs(length ? "\n" : "none\n", out);
    free(nodes);
}

static void all_hops(int from_one) {
    int32_t i;
    for (i = 0; i < level.locations; i++) {
        int32_t hop = from_one ? lb_next_hop(&nav, number(1), i) : lb_next_hop(&nav, i, number(1));
        fprintf(out, i ? " %d" : "%d", (int)hop);
    }
    putc('\n', out);
}

static int changed(const char *word) {
    int i, error = LB_OK;
    if (!nav.changes) lb_follow(&nav, &changes);
    for (i = 1; i < count && error == LB_OK && (*word == 'b' || *word == 'o'); i++)
        error = *word == 'b' ? lb_set_blocked(&changes, number(i)) : lb_set_open(&changes, number(i));
    if (*word == 't') error = lb_set_terrain(&changes, number(1), number(2));
    if (*word == 'd') error = lb_set_door(&changes, number(1), number(2));
    if (*word == 'f') lb_set_baked(&changes);
    if (*word == 'p')
        error = lb_set_price(&changes, number(1), number(2),
                             strcmp(words[3], "closed") == 0  ? INFINITY
                             : strcmp(words[3], "usual") == 0 ? -1.0
                                                              : real(3));
    return error;
}

static void patch(void) {
    size_t size = lb_patch_write(&changes, NULL, 0), i;
    char *said = (char *)have(size);
    if (lb_patch_write(&changes, said, size) != size) exit(5);
    for (i = 0; i < size; i++) putc(said[i] == '\n' ? '|' : said[i], out);
    putc('\n', out);
    free(said);
}

static void apply(void) {
    char *said = words[1];
    int i;
    for (i = 2; i < count; i++) words[i][-1] = ' ';
    if (!nav.changes) lb_follow(&nav, &changes);
    for (i = 0; said[i]; i++)
        if (said[i] == '|') said[i] = '\n';
    answer(lb_patch_read(&changes, said, strlen(said)));
}

static void ask(const char *word) {
    int32_t x, y, floor;
    double a, b;
    if (strcmp(word, "profile") == 0) profile();
    else if (strcmp(word, "about") == 0) about();
    else if (strcmp(word, "hop") == 0) fprintf(out, "%d\n", (int)lb_next_hop(&nav, number(1), number(2)));
    else if (strcmp(word, "ticks") == 0) {
        a = lb_distance(&nav, number(1), number(2));
        fprintf(out, "%.0f\n", a == INFINITY ? -1.0 : a * level.ticks_per_unit);
    } else if (strcmp(word, "reach") == 0) fprintf(out, "%d\n", lb_reachable(&nav, number(1), number(2)));
    else if (strcmp(word, "path") == 0) path();
    else if (strcmp(word, "stands") == 0) fprintf(out, "%d\n", lb_stands(&nav, number(1)));
    else if (strcmp(word, "cell") == 0) {
        if (lb_cell_of(&nav, number(1), &x, &y, &floor)) fprintf(out, "%d %d %d\n", (int)x, (int)y, (int)floor);
        else fputs("none\n", out);
    } else if (strcmp(word, "point") == 0) {
        if (lb_point_of(&level, number(1), &a, &b)) fprintf(out, "%.17g %.17g\n", a, b);
        else fputs("none\n", out);
    } else if (strcmp(word, "node_at") == 0) {
        fprintf(out, "%d\n", (int)lb_node_at(&nav, number(1), number(2), number(3)));
    } else if (strcmp(word, "nearest") == 0) {
        fprintf(out, "%d\n", (int)lb_nearest(&nav, real(1), real(2), number(3)));
    } else if (strcmp(word, "to_node") == 0) {
        int there = lb_cell_at(&level, real(1), real(2), number(3), &x, &y) && x >= 0 && y >= 0 && x < level.width &&
                    y < level.floor_rows;
        fprintf(out, "%d\n", there ? (int)((number(3) * level.floor_rows + y) * level.width + x) : -1);
    } else if (strcmp(word, "hops_to") == 0) all_hops(0);
    else if (strcmp(word, "hops_from") == 0) all_hops(1);
    else if (strcmp(word, "door_state") == 0) {
        const char *name = lb_door_state_name(&level, number(1), lb_door_state(&changes, number(1)));
        for (; name && *name; name++) putc(*name > 0 && *name != '\n' ? *name : '?', out);
        fputs(lb_door_state(&changes, number(1)) < 0 ? "none\n" : "\n", out);
    } else if (strcmp(word, "patch") == 0) patch();
    else if (strcmp(word, "apply") == 0) apply();
    else answer(changed(word));
}

int main(int argc, char **argv) {
    static char line[1 << 24];
    FILE *questions = argc == 3 ? fopen(argv[1], "rb") : NULL;
    out = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!questions || !out) return 2;
    while (fgets(line, sizeof line, questions)) {
        char *at;
        line[strcspn(line, "\n")] = 0;
        for (count = 0, at = line; at && count < (1 << 16); count++) {
            words[count] = at;
            at = strchr(at, ' ');
            if (at) *at++ = 0;
        }
        if (strcmp(words[0], "load") == 0) load();
        else if (!is_open) fputs("error: no level\n", out);
        else ask(words[0]);
    }
    free(bytes);
    free(kept);
    free(memory);
    return fclose(out) == 0 ? 0 : 2;
}
