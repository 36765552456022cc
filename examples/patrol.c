/* A night in the harbour, in C: the loop of a game that draws letters in place of sprites.

       bake export baked/harbour.h5 -o harbour.bake
       cc -I../readers/c patrol.c -o patrol && ./patrol harbour.bake */
#include <stdio.h>
#include <stdlib.h>

#include "levelbake_changes.h"

enum { GUARDS = 6, FRAMES = 60 };
static uint64_t aligned[1 << 17]; /* a megabyte, at a multiple of 8 */

static int refuse(int error) {
    printf("%s\n", lb_error_text(error));
    return 1;
}

int main(int argc, char **argv) {
    FILE *from = fopen(argc > 1 ? argv[1] : "harbour.bake", "rb");
    size_t size = from ? fread(aligned, 1, sizeof aligned, from) : 0, room;
    int32_t at[GUARDS], goal[GUARDS], next[GUARDS], home[64], homes = 0, cart = -1, x, y, floor, i;
    int error, frame, guard, steps = 0, waits = 0;
    lb_level level;
    lb_nav nav;
    lb_changes changes;

    if ((error = lb_open(&level, aligned, size)) != LB_OK) return refuse(error);
    if ((error = lb_profile(&level, "guard", &nav)) != LB_OK) return refuse(error);
    room = lb_changes_size(&level, 16);
    if ((error = lb_changes_open(&changes, &level, 16, malloc(room), room)) != LB_OK) return refuse(error);
    lb_follow(&nav, &changes);

    for (i = 0; i < lb_count(&level, LB_SPOTS) && homes < 64; i++) /* where a guard can stand */
        if (lb_stands(&nav, lb_spot_at(&level, i))) home[homes++] = lb_spot_at(&level, i);
    if (homes == 0) return 1;
    for (guard = 0; guard < GUARDS; guard++) {
        at[guard] = home[guard % homes];
        goal[guard] = home[(guard + 3) % homes];
    }
    for (frame = 0; frame < FRAMES; frame++) { /* while (!WindowShouldClose()) */
        if (frame == 5) {                      /* a cart stops where the first guard is about to step */
            cart = lb_next_hop(&nav, at[0], goal[0]);
            lb_set_blocked(&changes, cart);
        } else if (frame == 40) {
            lb_set_open(&changes, cart);
        }
        lb_next_hops(&nav, at, goal, next, GUARDS); /* all of them in one call */
        for (guard = 0; guard < GUARDS; guard++) {
            if (next[guard] < 0 || next[guard] == at[guard]) waits++; /* no path, or at the goal */
            else at[guard] = next[guard], steps++;
            if (at[guard] == goal[guard]) goal[guard] = home[(guard * 7 + frame) % homes];
        }
    }
    lb_cell_of(&nav, cart, &x, &y, &floor);
    printf("%s: %d guards made %d steps in %d frames and waited %d times\n", lb_level_name(&level), GUARDS, steps,
           FRAMES, waits);
    printf("a cart stood at (%d, %d), and %s\n", (int)x, (int)y, changes.differs ? "still does" : "is gone");
    return 0;
}
