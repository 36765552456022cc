/* Time the C reader: readers FILE.bake PAIRS, where PAIRS holds x y goal_x goal_y a line.

   It prints a line of JSON: nanoseconds of processor time a step, a lookup, and a byte. The distances
   of all pairs come after it, one a line, so that the caller can look whether they are right. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "levelbake_changes.h"

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void *have(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) exit(3);
    return memory;
}

int main(int argc, char **argv) {
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    FILE *pairs = argc == 3 ? fopen(argv[2], "r") : NULL;
    static int32_t from[1 << 16], to[1 << 16];
    size_t size, count = 0, i, steps = 0, room = 0, opens = 0, asked = 1 << 20, in_step = 0;
    int32_t x, y, goal_x, goal_y, *nodes, *start, *goal, *out, *standing, places = 0;
    size_t *lengths;
    double begun, open_time, one_time, step_time = 0, hop_time, many_time;
    uint64_t seed = 88172645463325252u, sum = 0;
    uint8_t *bytes;
    lb_level level;
    lb_nav nav;
    int error = 0;
    if (!file || !pairs) return 2;
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    rewind(file);
    bytes = (uint8_t *)have(size);
    if (fread(bytes, 1, size, file) != size) return 2;
    for (begun = now(); now() - begun < 0.3; opens++) error |= lb_open(&level, bytes, size);
    open_time = (now() - begun) / (double)opens;
    if (error || lb_profile(&level, NULL, &nav)) {
        fprintf(stderr, "%s\n", lb_error_text(error));
        return 1;
    }
    while (count < 1 << 16 && fscanf(pairs, "%d %d %d %d", &x, &y, &goal_x, &goal_y) == 4) {
        from[count] = lb_node_at(&nav, x, y, 0);
        to[count++] = lb_node_at(&nav, goal_x, goal_y, 0);
    }
    for (i = 0; i < count; i++) {
        size_t length = lb_path(&nav, from[i], to[i], NULL, 0);
        steps += length ? length - 1 : 0;
        room = length > room ? length : room;
    }
    nodes = (int32_t *)have(room * 64 * sizeof *nodes);
    lengths = (size_t *)have(count * sizeof *lengths);
    for (opens = 0, begun = now(); now() - begun < 1; opens++)
        for (i = 0; i < count; i++) sum += lb_path(&nav, from[i], to[i], nodes, room);
    one_time = (now() - begun) / (double)opens;
    for (opens = 0, begun = now(); now() - begun < 1; opens++)
        for (i = 0; i < count; i += 64)
            lb_paths(&nav, from + i, to + i, nodes, room, lengths + i, count - i < 64 ? count - i : 64);
    step_time = (now() - begun) / (double)opens;
    for (i = 0; i < count; i++) in_step += lengths[i] ? lengths[i] - 1 : 0;
    if (in_step != steps) return 4;
    standing = (int32_t *)have((size_t)level.locations * sizeof *standing);
    for (x = 0; x < level.locations; x++)
        if (lb_stands(&nav, x)) standing[places++] = x;
    start = (int32_t *)have(asked * sizeof *start);
    goal = (int32_t *)have(asked * sizeof *goal);
    out = (int32_t *)have(asked * sizeof *out);
    for (i = 0; i < asked; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        start[i] = standing[seed % (uint64_t)places];
        goal[i] = standing[(seed >> 32) % (uint64_t)places];
    }
    for (opens = 0, begun = now(); now() - begun < 1; opens++)
        for (i = 0; i < asked; i++) sum += (uint64_t)lb_next_hop(&nav, start[i], goal[i]);
    hop_time = (now() - begun) / (double)opens;
    for (opens = 0, begun = now(); now() - begun < 1; opens++) lb_next_hops(&nav, start, goal, out, asked);
    many_time = (now() - begun) / (double)opens;
    printf("{\"bytes\": %lu, \"nodes\": %d, \"pairs\": %lu, \"steps\": %lu, ", (unsigned long)size, places,
           (unsigned long)count, (unsigned long)steps);
    printf("\"open_ms_a_mib\": %.3f, \"one_ns\": %.2f, ", open_time * 1e3 / ((double)size / 1048576.0),
           one_time * 1e9 / (double)steps);
    printf("\"in_step_ns\": %.2f, \"hop_ns\": %.2f, \"hops_ns\": %.2f, \"sum\": %lu}\n",
           step_time * 1e9 / (double)steps, hop_time * 1e9 / (double)asked, many_time * 1e9 / (double)asked,
           (unsigned long)(sum & 1));
    for (i = 0; i < count; i++) printf("%.9g\n", lb_distance(&nav, from[i], to[i]));
    return 0;
}
