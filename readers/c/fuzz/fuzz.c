/* Open whatever comes as a level, and ask it everything.

   libFuzzer:  clang -g -O1 -fsanitize=fuzzer,address,undefined -DLEVELBAKE_SKIP_CHECKSUM -I.. fuzz.c
   AFL++:      afl-clang-fast -g -O1 -DLEVELBAKE_SKIP_CHECKSUM -DFUZZ_MAIN -I.. fuzz.c; afl-fuzz ... @@
   one file:   cc -g -fsanitize=address,undefined -DFUZZ_MAIN -I.. fuzz.c; ./a.out FILE...

   With FUZZ_MAIN it prints for each file 0 or the error. Start from small exports, such as those of
   tests/vectors. */
#include <stdio.h>
#include <stdlib.h>

#include "levelbake_changes.h"

static uint64_t seed;

static int32_t any(int32_t below) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    if (below <= 0 || seed % 61 == 0) return (int32_t)(seed >> 33) - (1 << 20); /* mostly no place */
    return (int32_t)(seed % (uint64_t)below);
}

static void need(int holds) {
    if (!holds) abort();
}

/* Whether a profile is there; without next hops it is, too, and answers once it follows changes. */
static int has_profile(const lb_level *level, int i, lb_nav *nav) {
    int error = lb_profile(level, i < 0 ? NULL : lb_name(level, LB_PROFILES, i), nav);
    return error == LB_OK || error == LB_ERROR_HOPS;
}

/* What answers have to be, whatever the file says. */
static void ask(const lb_nav *nav, int times) {
    const lb_level *level = nav->level;
    int32_t nodes[64], from[8], to[8], out[8], x, y, floor;
    size_t lengths[8], count, i;
    while (times-- > 0) {
        double distance;
        for (i = 0; i < 8; i++) from[i] = any(level->locations), to[i] = any(level->locations);
        lb_next_hops(nav, from, to, out, 8);
        for (i = 0; i < 8; i++) need((out[i] >= -1 || out[i] == LB_ERROR_HOPS) && out[i] < level->locations);
        lb_paths(nav, from, to, nodes, 8, lengths, 8);
        count = lb_path(nav, from[0], to[0], nodes, 64);
        need(count == lengths[0]);
        for (i = 0; i < count && i < 64; i++) need(nodes[i] >= 0 && nodes[i] < level->locations);
        if (count) need(nodes[0] == from[0] && (count > 64 || nodes[count - 1] == to[0]));
        distance = lb_distance(nav, from[1], to[1]);
        need(distance == distance || (!nav->first_run && !nav->changes));
        lb_reachable(nav, from[2], to[2]);
        if (lb_cell_of(nav, from[3], &x, &y, &floor))
            need(lb_node_at(nav, x, y, floor) == (lb_stands(nav, from[3]) ? from[3] : -1));
        x = lb_nearest(nav, any(40) / 2.0, any(40) / 3.0, any(2));
        need(x == -1 || lb_stands(nav, x));
    }
}

static void ask_things(const lb_level *level) {
    const int32_t *cells;
    int32_t kind, number, i, count, x, y;
    double a, b;
    lb_link link;
    size_t letters = 0;
    for (kind = -1; kind < 8; kind++) {
        count = lb_count(level, kind);
        for (number = -1; number <= count && number < 40; number++) {
            const char *name = lb_name(level, kind, number);
            if (name) need(lb_find(level, kind, name) >= 0);
            for (i = 0, count = lb_cells(level, kind, number, &cells); i < count; i++)
                need(cells[i] >= 0 && cells[i] < level->locations);
            count = lb_count(level, kind);
        }
    }
    for (number = -1; number < 20; number++) {
        if (lb_spot_kind(level, number)) letters += strlen(lb_spot_kind(level, number));
        need(lb_spot_at(level, number) >= -1 && lb_spot_at(level, number) < level->locations);
        if (lb_link_at(level, number, &link)) letters += strlen(link.name) + strlen(link.kind);
        for (i = -1; i <= lb_door_states(level, number) && i < 20; i++)
            if (lb_door_state_name(level, number, i))
                need(lb_find_door_state(level, number, lb_door_state_name(level, number, i)) >= 0);
        lb_point_of(level, any(level->locations), &a, &b);
        lb_cell_at(level, any(100) / 3.0, any(100) / 3.0, any(2), &x, &y);
    }
    need(letters < level->size);
    lb_node_of_number(level, any(100));
}

static void change(lb_nav *nav, lb_changes *changes) {
    const lb_level *level = nav->level;
    int i;
    char *text;
    size_t size;
    for (i = 0; i < 3; i++) {
        int32_t node = any(level->locations);
        uint32_t arc;
        lb_set_blocked(changes, any(level->locations));
        lb_set_open(changes, node);
        lb_set_terrain(changes, any(level->locations), any(level->terrains));
        if (lbi_is_location(level, node))
            lb_set_price(changes, node, lbi_move(level, node, (uint32_t)any(9), &arc), any(9) / 2.0);
        lb_set_door(changes, any(3), any(3));
        need(lb_door_state(changes, any(3)) >= -1);
        ask(nav, 1);
    }
    size = lb_patch_write(changes, NULL, 0);
    text = (char *)malloc(size);
    need(text && lb_patch_write(changes, text, size) == size);
    if (any(2)) lb_set_baked(changes);
    i = lb_patch_read(changes, text, size);
    need(i == LB_OK || i == LB_ERROR_ARC || i == LB_ERROR_PRICE || i == LB_ERROR_CELLS); /* prices may be forged */
    text[(size_t)any(1 << 20) % size] ^= 1;
    lb_patch_read(changes, text, size);
    free(text);
    for (i = 0; i < level->profiles; i++) {
        if (has_profile(level, i, nav) == 0) continue; /* one name twice */
        need(lb_follow(nav, changes) == LB_OK);
        ask(nav, 1);
    }
    lb_set_baked(changes);
    need(changes->differs == 0);
    for (i = 0; i < level->profiles; i++) need(changes->cheaper[i] == 0);
    ask(nav, 1);
}

static int open_and_ask(const uint8_t *data, size_t size) {
    void *bytes = malloc(size ? size : 1), *memory = NULL;
    lb_level level;
    lb_nav nav;
    lb_changes changes;
    int error, i;
    need(bytes != NULL);
    if (size) memcpy(bytes, data, size);
    seed = 88172645463325252u ^ size;
    for (i = 0; (size_t)i + 8 <= size && i < 4096; i += 8) seed = seed * 31 + lbi_u64(data + i);
    seed |= 1;
    error = lb_open(&level, bytes, size);
    if (error != LB_OK) need(lb_profile(&level, NULL, &nav) == LB_ERROR_PROFILE);
    for (i = 0; i < level.profiles && i < 9; i++) {
        if (has_profile(&level, i, &nav)) ask(&nav, 2);
    }
    if (error == LB_OK) ask_things(&level);
    if (error == LB_OK && has_profile(&level, -1, &nav) && lb_changes_size(&level, 4) < 1 << 22) {
        size_t room = lb_changes_size(&level, 4);
        memory = malloc(room);
        need(memory && lb_changes_open(&changes, &level, 4, memory, room) == LB_OK);
        need(lb_follow(&nav, &changes) == LB_OK);
        change(&nav, &changes);
    }
    free(memory);
    free(bytes);
    return error;
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv) {
    static uint8_t data[1 << 25];
    int i;
    for (i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size = file ? fread(data, 1, sizeof data, file) : 0;
        if (!file) return 2;
        fclose(file);
        printf("%d\n", open_and_ask(data, size));
    }
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    open_and_ask(data, size);
    return 0;
}
#endif
