/* Calls every function of the C reader with arguments that nobody should give it, under sanitizers. Writes
   a line for each wrong answer, and how many calls there were. */
#include <stdio.h>
#include <stdlib.h>

#include "levelbake_changes.h"

static FILE *out;
static int calls;

static void expect(int holds, const char *what) {
    calls++;
    if (!holds) fprintf(out, "%s\n", what);
}

static const int32_t numbers[] = {INT32_MIN, -1, 0, 1, 7, 1 << 20, INT32_MAX};
enum { COUNT = sizeof numbers / sizeof *numbers };

static void ask(const lb_level *level, const lb_nav *nav) {
    int i, k;
    int32_t x, y, floor;
    const int32_t *cells;
    lb_link link;
    double a, b;
    for (i = 0; i < COUNT; i++) {
        for (k = 0; k < COUNT; k++) {
            lb_next_hop(nav, numbers[i], numbers[k]);
            lb_path(nav, numbers[i], numbers[k], NULL, 0);
            lb_distance(nav, numbers[i], numbers[k]);
            lb_reachable(nav, numbers[i], numbers[k]);
            lb_node_at(nav, numbers[i], numbers[k], numbers[i]);
            lb_name(level, numbers[i], numbers[k]);
            lb_id(level, numbers[i], numbers[k]);
            lb_for_profile(level, numbers[i], numbers[k], numbers[i]);
            lb_cells(level, numbers[i], numbers[k], &cells);
            lb_door_state_name(level, numbers[i], numbers[k]);
            lb_door_terrains(level, numbers[i], numbers[k]);
            calls += 11;
        }
        lb_stands(nav, numbers[i]);
        lb_cell_of(nav, numbers[i], &x, &y, &floor);
        lb_nearest(nav, NAN, INFINITY, numbers[i]);
        lb_nearest(nav, -1e300, 1e300, numbers[i]);
        lb_point_of(level, numbers[i], &a, &b);
        lb_cell_at(level, NAN, -INFINITY, numbers[i], &x, &y);
        lb_count(level, numbers[i]);
        lb_spot_at(level, numbers[i]);
        lb_spot_kind(level, numbers[i]);
        lb_link_at(level, numbers[i], &link);
        lb_number_of_node(level, numbers[i]);
        expect(lb_find(level, numbers[i], NULL) == -1, "no name");
        expect(lb_find_door_state(level, numbers[i], NULL) == -1, "no name of a state");
    }
}

static void change(lb_changes *changes, int is_cells) {
    int i, k;
    for (i = 0; i < COUNT; i++)
        for (k = 0; k < COUNT; k++) {
            lb_set_terrain(changes, numbers[i], numbers[k]);
            lb_set_door(changes, numbers[i], numbers[k]);
            expect(lb_set_price(changes, numbers[i], numbers[k], NAN) != LB_OK, "a price that is none");
        }
    expect(lb_set_blocked(changes, -1) == LB_ERROR_PLACE, "no node");
    expect(lb_set_open(changes, INT32_MAX) == LB_ERROR_PLACE, "no node");
    expect(lb_set_blocked(changes, 0) == (is_cells ? LB_ERROR_CELLS : LB_OK), "an obstacle");
    expect(lb_patch_read(changes, "", 0) == LB_ERROR_PATCH, "no patch");
    lb_set_baked(changes);
    expect(changes->differs == 0, "as it was baked");
}

static uint64_t *bytes_of(char *path, size_t *size) {
    FILE *file;
    uint64_t *bytes;
    path[strcspn(path, "\n")] = 0;
    file = fopen(path, "rb");
    if (!file) exit(4);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = (uint64_t *)malloc(*size + 8);
    if (!bytes || fread(bytes, 1, *size, file) != *size) exit(4);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    static _Alignas(8) const char pointer[] = "version https://git-lfs.github.com/spec/v1\n";
    char path[4096];
    int i;
    FILE *list = argc == 3 ? fopen(argv[1], "rb") : NULL;
    out = argc == 3 ? fopen(argv[2], "wb") : NULL;
    if (!list || !out) return 2;
    for (i = 0; fgets(path, sizeof path, list); i++) {
        size_t size, room;
        uint64_t *bytes = bytes_of(path, &size);
        void *memory;
        lb_level level, none;
        lb_nav nav;
        lb_changes changes, unopened;
        const int is_bare = i == 3;
        expect(lb_open(&level, bytes, size) == LB_OK, "a level");
        expect(lb_open(&none, NULL, 0) == LB_ERROR_MEMORY, "no bytes");
        expect(lb_open(&none, pointer, strlen(pointer)) == LB_ERROR_LFS, "a Git LFS pointer");
        expect(lb_profile(&none, NULL, &nav) == LB_ERROR_PROFILE, "a level of nothing");
        ask(&none, &nav);
        expect(lb_profile(&level, "none\1", &nav) == LB_ERROR_PROFILE, "no such profile");
        ask(&level, &nav);
        expect(lb_profile(&level, NULL, &nav) == (is_bare ? LB_ERROR_HOPS : LB_OK), "a profile");
        ask(&level, &nav);
        if (is_bare) {
            expect(lb_next_hop(&nav, 0, 1) == LB_ERROR_HOPS, "no next hops");
            expect(lb_distance(&nav, 0, 1) != lb_distance(&nav, 0, 1), "no distance");
            expect(lb_reachable(&nav, 0, 1) == 1, "components");
        }
        room = lb_changes_size(&level, 2);
        memory = malloc(room);
        expect(lb_changes_size(&level, -1) == 0, "room for fewer than none");
        expect(lb_changes_open(&unopened, &none, 2, memory, room) == LB_ERROR_MEMORY, "changes of nothing");
        expect(lb_follow(&nav, &unopened) == LB_ERROR_PROFILE, "changes that are none");
        expect(lb_changes_open(&changes, &level, 2, memory, room) == LB_OK, "changes");
        expect(lb_follow(&nav, &changes) == LB_OK, "to follow");
        if (is_bare) expect(lb_next_hop(&nav, 0, 1) == 1 && lb_distance(&nav, 0, 1) == 1.0, "changes search");
        ask(&level, &nav);
        change(&changes, i == 2);
        ask(&level, &nav);
        expect(lb_error_text(1) != NULL && lb_error_text(INT32_MIN) != NULL, "errors there are not");
        free(memory);
        free(bytes);
    }
    fprintf(out, "%d\n", calls);
    return fclose(out) == 0 ? 0 : 2;
}
