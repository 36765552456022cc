/* levelbake_changes.h: changes of levels, on top of levelbake.h.

       lb_changes changes;
       size_t size = lb_changes_size(&level, 64);            // capacity for 64 costs of single arcs
       lb_changes_open(&changes, &level, 64, malloc(size), size);
       lb_follow(&nav, &changes);                            // nav now queries the changed level
       lb_set_blocked(&changes, lb_node_at(&nav, 9, 4, 0));  // exact at once

   Queries use the baked tables while these are valid, and baked paths while they are still
   shortest; otherwise a search, cached until the next change. The caller owns the memory, about
   50 bytes per location. LEVELBAKE_EXTERN works as in levelbake.h. */
#ifndef LEVELBAKE_CHANGES_H
#define LEVELBAKE_CHANGES_H

#include "levelbake.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lbi_price { /* the cost of a single arc */
    int32_t from, to, ticks;
    double units;
} lbi_price;

/* The changes of a level. Use them, and every lb_nav that follows them, in one thread. */
typedef struct lb_changes {
    const lb_level *level;
    lb_nav *navs;        /* of each profile, baked */
    int64_t *cheaper;    /* of each profile, the number of arcs that cost less than in the bake */
    uint8_t *terrain;    /* of each location, current */
    uint8_t *flags;      /* of each location: obstacle, touched */
    int32_t *into_first; /* arcs of graphs, or of links, by head */
    int32_t *into_arc, *into_tail;
    lbi_price *prices;
    int32_t price_count, price_room;
    int64_t differs; /* number of locations and costs that differ from the bake */
    uint32_t version;
    int32_t *door_state; /* last known state of each door */
    /* The search tree toward one goal, and the valid baked paths toward another. */
    int64_t *ticks;
    double *key; /* heap keys, by location */
    int32_t *next, *place, *heap;
    uint32_t *seen, *holds;
    int32_t heap_count, aim, goal, goal_profile, held_goal, held_profile;
    uint32_t goal_version, held_version, seen_now, holds_now;
} lb_changes;

/* Return the bytes of memory for changes with a capacity for costs of single arcs; 0 if too many. */
LB_API size_t lb_changes_size(const lb_level *level, int32_t price_room);
/* Start from the baked level, in memory aligned to 8 that must outlive every lb_nav that follows. */
LB_API int lb_changes_open(lb_changes *changes, const lb_level *level, int32_t price_room, void *memory, size_t size);
/* Query the changed level from now on; NULL = the baked level. If the
   file has no next hops, queries search even if nothing has changed. */
LB_API int lb_follow(lb_nav *nav, lb_changes *changes_or_null);
/* Each of these returns LB_OK, or an error and leaves the level unchanged. LB_ERROR_CELLS: in this file
   cells are nodes, and the level cannot change. */
LB_API int lb_set_blocked(lb_changes *changes, int32_t node); /* adds an obstacle */
LB_API int lb_set_open(lb_changes *changes, int32_t node);    /* removes an obstacle or a wall */
LB_API int lb_set_terrain(lb_changes *changes, int32_t node, int32_t terrain);
/* Set the cost in units of all arcs between two nodes: INFINITY closes them, a negative one restores
   the usual cost. */
LB_API int lb_set_price(lb_changes *changes, int32_t from, int32_t to, double units);
LB_API int lb_set_door(lb_changes *changes, int32_t door, int32_t state);
LB_API int32_t lb_door_state(const lb_changes *changes, int32_t door); /* -1: no state matches */
LB_API void lb_set_baked(lb_changes *changes);                         /* restores the baked level */
/* Write the first `room` bytes of a patch with all changes, and return the size of the whole patch. */
LB_API size_t lb_patch_write(const lb_changes *changes, char *text, size_t room);
/* Restore the level that a patch describes; this replaces all other changes. */
LB_API int lb_patch_read(lb_changes *changes, const char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif /* LEVELBAKE_CHANGES_H */

/* ================================================================================================== */

#if (!defined(LEVELBAKE_EXTERN) || defined(LEVELBAKE_IMPLEMENTATION)) && !defined(LEVELBAKE_CHANGES_BODY)
#define LEVELBAKE_CHANGES_BODY

#include <stdio.h> /* snprintf and strtod: prices in patches alone */
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LBI_OBSTACLE = 1, LBI_TOUCHED = 2 };

/* -- prices --------------------------------------------------------------------------------------- */

/* Return the index of the current (or, with NULL, baked) cost of the arcs between two locations; if
   there is none, -1 - the index to insert it. */
static inline int64_t lbi_own(const lb_level *level, const lb_changes *now, int32_t from, int32_t to,
                              lbi_price *price) {
    const lbi_column *c = level->column;
    int64_t low = 0, high = now ? now->price_count : (int64_t)c[LBI_PRICE_FROM].count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int32_t a = now ? now->prices[middle].from : lbi_i32(&c[LBI_PRICE_FROM])[middle];
        int32_t b = now ? now->prices[middle].to : lbi_i32(&c[LBI_PRICE_TO])[middle];
        if (a == from && b == to) {
            price->from = a;
            price->to = b;
            price->ticks = now ? now->prices[middle].ticks : lbi_i32(&c[LBI_PRICE_TICKS])[middle];
            price->units = now ? now->prices[middle].units : lbi_f64(&c[LBI_PRICE_UNITS])[middle];
            return middle;
        }
        if (a < from || (a == from && b < to)) low = middle + 1;
        else high = middle;
    }
    return -low - 1;
}

LBI_INLINE uint8_t lbi_terrain(const lb_level *level, const lb_changes *now, int32_t location) {
    return now ? now->terrain[location] : lbi_bytes(&level->column[LBI_TERRAIN])[location];
}

LBI_INLINE uint32_t lbi_class_of(const lb_nav *nav, const lb_changes *now, int32_t location) {
    if (now && (now->flags[location] & LBI_OBSTACLE)) return LBI_NO_CLASS;
    return ((const uint16_t *)nav->column[LBI_P_CLASS].data)[lbi_terrain(nav->level, now, location)];
}

/* Return the highest class under the footprint; NO_CLASS if it does not fit. */
static inline uint32_t lbi_class_at(const lb_nav *nav, const lb_changes *now, int32_t location) {
    const lb_level *level = nav->level;
    uint32_t most = lbi_class_of(nav, now, location);
    int32_t row, x, y, right, down;
    if (nav->size == 1) return most;
    row = lbi_row_of(level, location);
    x = location - row * level->width;
    y = row % level->floor_rows;
    if (x + nav->size > level->width || y + nav->size > level->floor_rows) return LBI_NO_CLASS;
    for (down = 0; down < nav->size; down++)
        for (right = 0; right < nav->size; right++) {
            uint32_t each = lbi_class_of(nav, now, location + down * level->width + right);
            if (each > most) most = each;
        }
    return most;
}

static inline int lbi_stands_now(const lb_nav *nav, int32_t location) {
    if (nav->changes->differs == 0) return nav->row_at[location] >= 0;
    return lbi_class_at(nav, nav->changes, location) < LBI_NO_CLASS;
}

LBI_INLINE int lbi_may_enter(const lb_nav *nav, const lb_changes *now, int32_t tail, int32_t head) {
    const uint8_t *may = lbi_bytes(&nav->column[LBI_P_MAY_ENTER]);
    return !may ||
           may[lbi_terrain(nav->level, now, tail) * nav->level->terrains + lbi_terrain(nav->level, now, head)];
}

/* Return whether terrain and ledges allow the whole footprint to step; it must fit at both ends. */
static inline int lbi_may_step(const lb_nav *nav, const lb_changes *now, int32_t tail, int32_t head, int heading) {
    const uint8_t *barred = lbi_bytes(&nav->level->column[LBI_BARRED]);
    int32_t right, down;
    if (!barred && !nav->column[LBI_P_MAY_ENTER].data) return 1;
    for (down = 0; down < nav->size; down++)
        for (right = 0; right < nav->size; right++) {
            int32_t away = down * nav->level->width + right;
            if (!lbi_may_enter(nav, now, tail + away, head + away)) return 0;
            if (barred && ((barred[tail + away] | barred[head + away]) & heading)) return 0;
        }
    return 1;
}

static inline int lbi_heading(const lb_level *level, int32_t direction) {
    static const uint8_t headings[3][8] = {{2, 4, 8, 1, 6, 12, 9, 3},
                                           {2, 6, 12, 8, 9, 3, 0, 0},
                                           {4, 12, 9, 1, 3, 6, 0, 0}};
    return headings[level->hex_layout == 0 ? 0 : level->hex_layout <= 2 ? 1 : 2][direction];
}

/* Return the cost of a step by terrain and corners, in ticks. */
static inline int32_t lbi_step_price(const lb_nav *nav, const lb_changes *now, int32_t at, int32_t direction,
                                     int32_t head) {
    const lb_level *level = nav->level;
    const uint8_t *barred = lbi_bytes(&level->column[LBI_BARRED]);
    const int diagonal = level->directions == 8 && direction >= 4, heading = lbi_heading(level, direction);
    uint32_t a, b;
    if (head < 0) return LBI_BLOCKED;
    a = lbi_class_at(nav, now, at);
    b = lbi_class_at(nav, now, head);
    if (a == LBI_NO_CLASS || b == LBI_NO_CLASS || !lbi_may_step(nav, now, at, head, heading)) return LBI_BLOCKED;
    if (diagonal && level->corner_cutting != 2) {
        int flank, free = 0;
        for (flank = 0; flank < 2; flank++) {
            int32_t way =
                flank ? (direction == 4 || direction == 5 ? 1 : 3) : (direction == 4 || direction == 7 ? 0 : 2);
            int32_t side = at + nav->offset[way];
            int first = lbi_heading(level, way);
            free += lbi_class_at(nav, now, side) != LBI_NO_CLASS && lbi_may_step(nav, now, at, side, first) &&
                    lbi_may_step(nav, now, at, head, heading) &&
                    lbi_may_step(nav, now, side, head, heading & ~first) && !(barred && (barred[side] & heading));
        }
        if (free < 2 && !(free == 1 && level->corner_cutting == 1)) return LBI_BLOCKED;
    }
    return lbi_i32(
        &nav->column[LBI_P_STEP_TICKS])[((size_t)diagonal * (size_t)nav->classes + a) * (size_t)nav->classes + b];
}

/* Convert a cost in units to ticks, rounded half to even; 0 if out of range. */
static inline int32_t lbi_ticks(const lb_level *level, double units) {
    double ticks = units * level->ticks_per_unit, rest;
    int32_t whole;
    if (ticks == INFINITY) return LBI_BLOCKED;
    if (!(ticks > 0.0 && ticks < 536870913.0)) return 0;
    whole = (int32_t)ticks;
    rest = ticks - whole;
    if (rest > 0.5 || (rest == 0.5 && (whole & 1))) whole++;
    return whole <= LBI_MOST_TICKS ? whole : 0;
}

/* Return the additional cost of a graph arc's slope in units; INFINITY if too steep. */
static inline double lbi_slope(const lb_nav *nav, int32_t at, int32_t head) {
    const double *slope = lbi_f64(&nav->column[LBI_P_SLOPE]);
    const double *elevation = lbi_f64(&nav->level->column[LBI_ELEVATION]);
    double rise = slope ? elevation[head] - elevation[at] : 0.0;
    if (!slope || rise == 0.0) return 0.0;
    if (!(rise <= slope[2]) || !(-rise <= slope[3])) return INFINITY;
    return rise > 0.0 ? slope[0] * rise : slope[1] * -rise;
}

/* Return the current (or, with NULL, baked) cost of a move in ticks, and its head; BLOCKED = closed. */
static inline int32_t lbi_price_of(const lb_nav *nav, const lb_changes *now, int32_t at, uint32_t move,
                                   int32_t *head) {
    const lb_level *level = nav->level;
    lbi_price own;
    uint32_t arc = 0;
    int32_t ticks;
    *head = lbi_move(level, at, move, &arc);
    if (*head < 0) return LBI_BLOCKED;
    if (level->kind != 0) {
        if (move < (uint32_t)level->directions) ticks = lbi_step_price(nav, now, at, (int32_t)move, *head);
        else if (!lbi_bytes(&nav->column[LBI_P_LINK_OPEN])[arc] || lbi_class_at(nav, now, at) == LBI_NO_CLASS ||
                 lbi_class_at(nav, now, *head) == LBI_NO_CLASS)
            ticks = LBI_BLOCKED;
        else ticks = lbi_i32(&level->column[LBI_LINK_TICKS])[arc];
        if (ticks != LBI_BLOCKED && lbi_own(level, now, at, *head, &own) >= 0) ticks = own.ticks;
        return ticks;
    }
    ticks = lbi_i32(&nav->column[LBI_P_WEIGHT])[arc];
    if (!now || level->column[LBI_CELL].data) return ticks; /* such levels cannot change */
    if (lbi_class_of(nav, now, at) == LBI_NO_CLASS || lbi_class_of(nav, now, *head) == LBI_NO_CLASS ||
        !lbi_may_enter(nav, now, at, *head))
        return LBI_BLOCKED;
    if (lbi_terrain(level, now, at) != lbi_terrain(level, NULL, at) || lbi_own(level, NULL, at, *head, &own) >= 0 ||
        lbi_terrain(level, now, *head) != lbi_terrain(level, NULL, *head)) {
        const double *cost = lbi_f64(&nav->column[LBI_P_COST]);
        double a = cost[lbi_terrain(level, now, at)], b = cost[lbi_terrain(level, now, *head)];
        double units = level->cost_rule == 0 ? (a + b) / 2 : b;
        units *= lbi_f64(&level->column[LBI_LENGTH])[arc];
        units += lbi_slope(nav, at, *head);
        ticks = lbi_ticks(level, units);
        if (ticks == 0) return LBI_BLOCKED;
    }
    return ticks != LBI_BLOCKED && lbi_own(level, now, at, *head, &own) >= 0 ? own.ticks : ticks;
}

/* -- memory --------------------------------------------------------------------------------------- */

/* Lay out the memory of changes; with NULL, only return its size in bytes. */
static inline uint64_t lbi_lay_out(lb_changes *changes, const lb_level *level, int32_t price_room, uint8_t *memory) {
    const uint64_t locations = (uint64_t)level->locations, profiles = (uint64_t)level->profiles;
    const uint64_t into = level->kind == 0 ? level->arcs : level->links;
    const uint64_t prices = (uint64_t)price_room + level->column[LBI_PRICE_FROM].count;
    const uint64_t counts[15] = {profiles,  profiles,      locations, locations, prices,
                                 locations, locations,     locations, locations, locations,
                                 locations, locations + 2, into,      into,      level->column[LBI_DOOR_NAME].count};
    static const size_t sizes[15] = {sizeof(lb_nav), 8, 8, 8, sizeof(lbi_price), 4, 4, 4, 4, 4, 1, 4, 4, 4, 4};
    uint64_t at[16] = {0};
    int i;
    for (i = 0; i < 15; i++) at[i + 1] = (at[i] + counts[i] * sizes[i] + 7) / 8 * 8;
    at[15] += (locations + 7) / 8 * 8; /* terrain is last */
    if (memory) {
        changes->navs = (lb_nav *)(void *)(memory + at[0]);
        changes->cheaper = (int64_t *)(void *)(memory + at[1]);
        changes->ticks = (int64_t *)(void *)(memory + at[2]);
        changes->key = (double *)(void *)(memory + at[3]);
        changes->prices = (lbi_price *)(void *)(memory + at[4]);
        changes->next = (int32_t *)(void *)(memory + at[5]);
        changes->place = (int32_t *)(void *)(memory + at[6]);
        changes->heap = (int32_t *)(void *)(memory + at[7]);
        changes->seen = (uint32_t *)(void *)(memory + at[8]);
        changes->holds = (uint32_t *)(void *)(memory + at[9]);
        changes->flags = memory + at[10];
        changes->into_first = (int32_t *)(void *)(memory + at[11]);
        changes->into_arc = (int32_t *)(void *)(memory + at[12]);
        changes->into_tail = (int32_t *)(void *)(memory + at[13]);
        changes->door_state = (int32_t *)(void *)(memory + at[14]);
        changes->terrain = memory + at[15] - (locations + 7) / 8 * 8;
        changes->price_room = (int32_t)prices;
    }
    return at[15];
}

LBI_PUBLIC size_t lb_changes_size(const lb_level *level, int32_t price_room) {
    uint64_t size = price_room < 0 || price_room > 1 << 24 ? 0 : lbi_lay_out(NULL, level, price_room, NULL);
    return size == (size_t)size ? (size_t)size : 0;
}

static inline int32_t lbi_arc_head(const lb_level *level, uint32_t arc) {
    return lbi_i32(&level->column[level->kind == 0 ? LBI_HEAD : LBI_LINK_TO])[arc];
}

LBI_PUBLIC int lb_changes_open(lb_changes *changes, const lb_level *level, int32_t price_room, void *memory,
                               size_t size) {
    const lbi_column *c = level->column;
    const uint32_t arcs = level->kind == 0 ? level->arcs : level->links;
    size_t needed = lb_changes_size(level, price_room);
    uint32_t arc;
    int32_t i;
    memset(changes, 0, sizeof *changes);
    if (!level->bytes || !memory || ((uintptr_t)memory & 7) != 0 || needed == 0 || size < needed)
        return LB_ERROR_MEMORY;
    memset(memory, 0, needed);
    lbi_lay_out(changes, level, price_room, (uint8_t *)memory);
    changes->level = level;
    changes->goal = changes->held_goal = -1;
    for (i = 0; i < level->profiles; i++) {
        int error = lbi_nav_of(level, i, &changes->navs[i]);
        if (error != LB_OK) return error;
    }
    if (level->locations) memcpy(changes->terrain, c[LBI_TERRAIN].data, (size_t)level->locations);
    for (i = 0; i < (int32_t)c[LBI_PRICE_FROM].count; i++) {
        lbi_price *price = &changes->prices[changes->price_count++];
        price->from = lbi_i32(&c[LBI_PRICE_FROM])[i];
        price->to = lbi_i32(&c[LBI_PRICE_TO])[i];
        price->ticks = lbi_i32(&c[LBI_PRICE_TICKS])[i];
        price->units = lbi_f64(&c[LBI_PRICE_UNITS])[i];
    }
    for (i = 0; i < lb_count(level, LB_DOORS); i++) changes->door_state[i] = lbi_i32(&c[LBI_DOOR_STATE])[i];
    /* Group arcs by head, with a counting sort. */
    for (arc = 0; arc < arcs; arc++) changes->into_first[lbi_arc_head(level, arc) + 2]++;
    for (i = 2; i < level->locations + 2; i++) changes->into_first[i] += changes->into_first[i - 1];
    for (i = 0, arc = 0; arc < arcs; arc++) {
        int32_t at = changes->into_first[lbi_arc_head(level, arc) + 1]++;
        if (level->kind == 0)
            while (lbi_i32(&c[LBI_FIRST_OUT])[i + 1] <= (int32_t)arc) i++;
        changes->into_arc[at] = (int32_t)arc;
        changes->into_tail[at] = level->kind == 0 ? i : lbi_i32(&c[LBI_LINK_FROM])[arc];
    }
    return LB_OK;
}

LBI_INLINE int lbi_changed(const lb_nav *nav) {
    return nav->changes->differs != 0 || !nav->first_run;
}

/* Return the move of an arc into a location. */
static inline uint32_t lbi_move_of(const lb_level *level, int32_t tail, int32_t arc) {
    if (level->kind == 0) return (uint32_t)(arc - lbi_i32(&level->column[LBI_FIRST_OUT])[tail]);
    return (uint32_t)level->directions + (uint32_t)arc - lbi_first_link(level, tail);
}

/* Return an upper bound of the moves from a location; some of them may not exist. */
static inline uint32_t lbi_moves(const lb_level *level, int32_t at) {
    uint32_t first, end;
    if (level->kind == 0)
        return (uint32_t)(lbi_i32(&level->column[LBI_FIRST_OUT])[at + 1] -
                          lbi_i32(&level->column[LBI_FIRST_OUT])[at]);
    if (level->links == 0) return (uint32_t)level->directions;
    first = lbi_first_link(level, at);
    for (end = first; end < level->links && lbi_i32(&level->column[LBI_LINK_FROM])[end] == at;) end++;
    return (uint32_t)level->directions + end - first;
}

/* Count an arc if it costs less than in the bake, or subtract it from the count. */
static inline void lbi_tally(lb_changes *changes, int32_t profile, int32_t tail, uint32_t move, int sign) {
    const lb_nav *nav = &changes->navs[profile];
    int32_t head, now = lbi_price_of(nav, changes, tail, move, &head);
    changes->flags[tail] |= LBI_TOUCHED;
    if (now < LBI_BLOCKED && now < lbi_price_of(nav, NULL, tail, move, &head)) changes->cheaper[profile] += sign;
}

/* Count all arcs that a change at a location may affect. */
static inline void lbi_tally_around(lb_changes *changes, int32_t location, int sign) {
    const lb_level *level = changes->level;
    int32_t profile, x = 0, y = 0, floor = 0, dx, dy, size, i;
    uint32_t move, moves;
    if (level->kind != 0) lb_cell_of(&changes->navs[0], location, &x, &y, &floor);
    for (profile = 0; profile < level->profiles; profile++) {
        size = changes->navs[profile].size;
        for (dy = level->kind == 0 ? 0 : -size; dy <= (level->kind == 0 ? 0 : 1); dy++)
            for (dx = level->kind == 0 ? 0 : -size; dx <= (level->kind == 0 ? 0 : 1); dx++) {
                int32_t at = level->kind == 0 ? location : location + dy * level->width + dx;
                if (level->kind != 0 && ((uint32_t)(x + dx) >= (uint32_t)level->width ||
                                         (uint32_t)(y + dy) >= (uint32_t)level->floor_rows))
                    continue;
                for (move = 0, moves = lbi_moves(level, at); move < moves; move++)
                    lbi_tally(changes, profile, at, move, sign);
                for (i = changes->into_first[at]; i < changes->into_first[at + 1]; i++) {
                    int32_t tail = changes->into_tail[i], tail_x, tail_y, tail_floor;
                    if (level->kind == 0 ? tail == at
                                         : lb_cell_of(&changes->navs[0], tail, &tail_x, &tail_y, &tail_floor) &&
                                               tail_floor == floor && tail_x - x >= -size && tail_x - x <= 1 &&
                                               tail_y - y >= -size && tail_y - y <= 1)
                        continue; /* counted as a leaving arc */
                    lbi_tally(changes, profile, tail, lbi_move_of(level, tail, changes->into_arc[i]), sign);
                }
            }
    }
}

/* Count all arcs from one location to another; 0 if there is none. */
static inline int lbi_tally_between(lb_changes *changes, int32_t from, int32_t to, int sign) {
    uint32_t move, moves = lbi_moves(changes->level, from), arc;
    int32_t profile;
    int found = 0;
    for (move = 0; move < moves; move++) {
        if (lbi_move(changes->level, from, move, &arc) != to) continue;
        found = 1;
        for (profile = 0; sign && profile < changes->level->profiles; profile++)
            lbi_tally(changes, profile, from, move, sign);
    }
    return found;
}

static inline int lbi_differs_at(const lb_changes *changes, int32_t location) {
    return (changes->flags[location] & LBI_OBSTACLE) ||
           changes->terrain[location] != lbi_terrain(changes->level, NULL, location);
}

/* Set the terrain and the obstacle flag of a location. */
static inline void lbi_put(lb_changes *changes, int32_t location, int32_t terrain, int obstacle) {
    if (changes->terrain[location] == terrain && (changes->flags[location] & LBI_OBSTACLE) == obstacle) return;
    lbi_tally_around(changes, location, -1);
    changes->differs -= lbi_differs_at(changes, location);
    changes->terrain[location] = (uint8_t)terrain;
    changes->flags[location] = (uint8_t)((changes->flags[location] & ~LBI_OBSTACLE) | obstacle);
    changes->differs += lbi_differs_at(changes, location);
    lbi_tally_around(changes, location, 1);
    changes->version++;
}

static inline int lbi_is_price_baked(const lb_changes *changes, int32_t from, int32_t to) {
    lbi_price now = {0, 0, 0, 0.0}, baked = now;
    int is_now = lbi_own(changes->level, changes, from, to, &now) >= 0;
    int was = lbi_own(changes->level, NULL, from, to, &baked) >= 0;
    return is_now == was && (!was || (now.units == baked.units && now.ticks == baked.ticks));
}

/* Set the cost of arcs; ticks 0 = the usual cost. The capacity must suffice. */
static inline void lbi_put_price(lb_changes *changes, int32_t from, int32_t to, int32_t ticks, double units) {
    lbi_price known;
    int64_t at = lbi_own(changes->level, changes, from, to, &known);
    if (at < 0 ? ticks == 0 : known.units == units && known.ticks == ticks) return;
    lbi_tally_between(changes, from, to, -1);
    changes->differs -= !lbi_is_price_baked(changes, from, to);
    if (at < 0) {
        at = -at - 1;
        memmove(changes->prices + at + 1, changes->prices + at,
                (size_t)(changes->price_count++ - at) * sizeof(lbi_price));
    }
    if (ticks == 0) {
        memmove(changes->prices + at, changes->prices + at + 1,
                (size_t)(--changes->price_count - at) * sizeof(lbi_price));
    } else {
        changes->prices[at].from = from;
        changes->prices[at].to = to;
        changes->prices[at].ticks = ticks;
        changes->prices[at].units = units;
    }
    changes->differs += !lbi_is_price_baked(changes, from, to);
    lbi_tally_between(changes, from, to, 1);
    changes->version++;
}

/* Return LB_OK if a node can change, otherwise the error. */
static inline int lbi_may_change(const lb_changes *changes, int32_t node) {
    if (!changes->level || !lbi_is_location(changes->level, node)) return LB_ERROR_PLACE;
    return changes->level->column[LBI_CELL].data ? LB_ERROR_CELLS : LB_OK;
}

LBI_PUBLIC int lb_set_blocked(lb_changes *changes, int32_t node) {
    int error = lbi_may_change(changes, node);
    if (error != LB_OK) return error;
    lbi_put(changes, node, changes->terrain[node], LBI_OBSTACLE);
    return LB_OK;
}

LBI_PUBLIC int lb_set_open(lb_changes *changes, int32_t node) {
    int32_t profile, terrain;
    int error = lbi_may_change(changes, node);
    if (error != LB_OK) return error;
    terrain = changes->terrain[node];
    for (profile = 0; profile < changes->level->profiles; profile++)
        if (((const uint16_t *)changes->navs[profile].column[LBI_P_CLASS].data)[terrain] != LBI_NO_CLASS) break;
    if (profile == changes->level->profiles) terrain = changes->level->usual_terrain;
    lbi_put(changes, node, terrain, 0);
    return LB_OK;
}

LBI_PUBLIC int lb_set_terrain(lb_changes *changes, int32_t node, int32_t terrain) {
    int error = lbi_may_change(changes, node);
    if (error != LB_OK) return error;
    if (terrain < 0 || terrain >= changes->level->terrains) return LB_ERROR_TERRAIN;
    lbi_put(changes, node, terrain, changes->flags[node] & LBI_OBSTACLE);
    return LB_OK;
}

LBI_PUBLIC int lb_set_price(lb_changes *changes, int32_t from, int32_t to, double units) {
    lbi_price known;
    int32_t ticks;
    int error = lbi_may_change(changes, from);
    if (error == LB_OK) error = lbi_may_change(changes, to);
    if (error != LB_OK) return error;
    ticks = units < 0 ? 0 : lbi_ticks(changes->level, units);
    if (ticks == 0 && !(units < 0)) return LB_ERROR_PRICE;
    if (!lbi_tally_between(changes, from, to, 0)) return LB_ERROR_ARC;
    if (ticks && changes->price_count == changes->price_room &&
        lbi_own(changes->level, changes, from, to, &known) < 0)
        return LB_ERROR_ROOM;
    lbi_put_price(changes, from, to, ticks, units);
    return LB_OK;
}

LBI_PUBLIC int lb_set_door(lb_changes *changes, int32_t door, int32_t state) {
    const int32_t *cells;
    int32_t count, i, first;
    if (!changes->level || state < 0 || state >= lb_door_states(changes->level, door)) return LB_ERROR_DOOR;
    count = lb_cells(changes->level, LB_DOORS, door, &cells);
    state += lbi_i32(&changes->level->column[LBI_DOOR_FIRST_STATE])[door];
    first = lbi_i32(&changes->level->column[LBI_DOOR_FIRST_TERRAIN])[state];
    for (i = 0; i < count; i++)
        lb_set_terrain(changes, cells[i], lbi_bytes(&changes->level->column[LBI_DOOR_TERRAIN])[first + i]);
    changes->door_state[door] = state;
    return LB_OK;
}

LBI_PUBLIC int32_t lb_door_state(const lb_changes *changes, int32_t door) {
    const int32_t *cells;
    const uint8_t *terrain;
    int32_t count, i, first, state, try_at, states;
    if (!changes->level) return -1;
    states = lb_door_states(changes->level, door);
    count = lb_cells(changes->level, LB_DOORS, door, &cells);
    if (states == 0) return -1;
    first = lbi_i32(&changes->level->column[LBI_DOOR_FIRST_STATE])[door];
    for (try_at = -1; try_at < states; try_at++) { /* the last known one, then from the first on */
        state = try_at < 0 ? changes->door_state[door] : first + try_at;
        if (state < 0) continue;
        terrain = lbi_bytes(&changes->level->column[LBI_DOOR_TERRAIN]);
        terrain += lbi_i32(&changes->level->column[LBI_DOOR_FIRST_TERRAIN])[state];
        for (i = 0; i < count && terrain[i] == changes->terrain[cells[i]];) i++;
        if (i == count) return state - first;
    }
    return -1;
}

LBI_PUBLIC void lb_set_baked(lb_changes *changes) {
    const lb_level *level = changes->level;
    lbi_price known;
    int32_t i;
    if (!level) return;
    for (i = 0; i < level->locations; i++) lbi_put(changes, i, lbi_terrain(level, NULL, i), 0);
    for (i = changes->price_count - 1; i >= 0; i--) {
        known = changes->prices[i];
        if (!lbi_is_price_baked(changes, known.from, known.to)) lbi_put_price(changes, known.from, known.to, 0, 0.0);
    }
    for (i = 0; i < (int32_t)level->column[LBI_PRICE_FROM].count; i++)
        lbi_put_price(changes, lbi_i32(&level->column[LBI_PRICE_FROM])[i], lbi_i32(&level->column[LBI_PRICE_TO])[i],
                      lbi_i32(&level->column[LBI_PRICE_TICKS])[i], lbi_f64(&level->column[LBI_PRICE_UNITS])[i]);
    for (i = 0; i < lb_count(level, LB_DOORS); i++)
        changes->door_state[i] = lbi_i32(&level->column[LBI_DOOR_STATE])[i];
}

/* Return 1 if the baked path is still shortest, 0 if unknown, -1 without a path. */
static inline int lbi_holds(const lb_nav *nav, int32_t from, int32_t to) {
    lb_changes *changes = nav->changes;
    int32_t at = from, head, hop, left;
    uint32_t move = 0;
    if (changes->cheaper[nav->profile] != 0 || nav->row_at[from] < 0 || nav->row_at[to] < 0 ||
        !nav->first_run)
        return 0;
    if (changes->held_goal != to || changes->held_profile != nav->profile ||
        changes->held_version != changes->version) {
        changes->held_goal = to;
        changes->held_profile = nav->profile;
        changes->held_version = changes->version;
        if (++changes->holds_now == 0) { /* on overflow */
            memset(changes->holds, 0, (size_t)nav->level->locations * sizeof *changes->holds);
            changes->holds_now = 1;
        }
    }
    for (left = nav->rows; at != to && changes->holds[at] != changes->holds_now; at = hop) {
        hop = lbi_hop(nav, at, to, &move);
        if (hop < 0) return at == from ? -1 : 0;
        if (left-- == 0) return 0;
        if ((changes->flags[at] & LBI_TOUCHED) &&
            lbi_price_of(nav, changes, at, move, &head) != lbi_price_of(nav, NULL, at, move, &head))
            return 0;
    }
    for (at = from; at != to && changes->holds[at] != changes->holds_now; at = lbi_hop(nav, at, to, &move))
        changes->holds[at] = changes->holds_now;
    return 1;
}

static inline void lbi_sink(lb_changes *changes, int32_t at) {
    const int32_t node = changes->heap[at];
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= changes->heap_count) break;
        if (child + 1 < changes->heap_count &&
            changes->key[changes->heap[child + 1]] < changes->key[changes->heap[child]])
            child++;
        if (changes->key[changes->heap[child]] >= changes->key[node]) break;
        changes->heap[at] = changes->heap[child];
        changes->place[changes->heap[at]] = at;
        at = child;
    }
    changes->heap[at] = node;
    changes->place[node] = at;
}

static inline void lbi_rise(lb_changes *changes, int32_t at) {
    const int32_t node = changes->heap[at];
    while (at > 0 && changes->key[changes->heap[(at - 1) / 2]] > changes->key[node]) {
        changes->heap[at] = changes->heap[(at - 1) / 2];
        changes->place[changes->heap[at]] = at;
        at = (at - 1) / 2;
    }
    changes->heap[at] = node;
    changes->place[node] = at;
}

/* Return a lower bound of the distance to the target on any changed level. */
static inline int64_t lbi_estimate(const lb_nav *nav, int32_t at, int32_t target) {
    const lb_level *level = nav->level;
    int32_t x, y, to_x, to_y, dx, dy, least;
    if (level->kind == 0 || level->links || nav->changes->price_count) return 0;
    lbi_chart(level, at, &x, &y);
    lbi_chart(level, target, &to_x, &to_y);
    dx = to_x - x;
    dy = to_y - y;
    if (level->kind == 2 && (dx < 0) == (dy < 0)) return (int64_t)nav->straight * (dx < 0 ? -dx - dy : dx + dy);
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (level->kind == 2) return (int64_t)nav->straight * (dx > dy ? dx : dy);
    if (level->directions == 4) return (int64_t)nav->straight * (dx + dy);
    least = lbi_least(dx, dy);
    return (int64_t)nav->straight * (dx + dy - 2 * least) + (int64_t)nav->diagonal * least;
}

/* Set the key of an open location; ties go to the location farthest from the goal. */
static inline void lbi_set_key(const lb_nav *nav, int32_t at) {
    lb_changes *c = nav->changes;
    double ticks = (double)c->ticks[at];
    c->key[at] = ticks + (double)lbi_estimate(nav, at, c->aim) - (ticks < 2147483648.0 ? ticks / 4294967296.0 : 0.5);
}

/* Return whether a location is settled, or at most some ticks away; -1 = settled only. */
static inline int lbi_is_known(const lb_changes *changes, int32_t at, int64_t enough) {
    return changes->seen[at] == changes->seen_now && (changes->place[at] < 0 || changes->ticks[at] <= enough);
}

/* Search until a location is settled, or until no path from `from` through open ones can take `most` ticks.
   Keys stay valid while `from` may be on a shortest path from the location they were computed for. */
static inline void lbi_go_on(const lb_nav *nav, int32_t from, int64_t most, int32_t until, int64_t enough) {
    static const uint8_t opposite[2][8] = {{2, 3, 0, 1, 6, 7, 4, 5}, {3, 4, 5, 0, 1, 2, 0, 0}};
    lb_changes *c = nav->changes;
    const lb_level *level = nav->level;
    int64_t bound = most + (c->aim < 0 ? 0 : lbi_estimate(nav, from, c->aim));
    int32_t i, node, tail, price, head;
    uint32_t move;
    if (lbi_is_known(c, until, enough) || c->heap_count == 0 || c->key[c->heap[0]] > (double)bound) return;
    if (c->aim < 0 || c->seen[from] != c->seen_now || c->ticks[from] + bound - most > c->ticks[c->aim]) {
        c->aim = from;
        for (i = 0; i < c->heap_count; i++) lbi_set_key(nav, c->heap[i]);
        for (i = c->heap_count / 2 - 1; i >= 0; i--) lbi_sink(c, i);
        bound = most;
    }
    while (c->heap_count > 0 && c->key[c->heap[0]] <= (double)bound && !lbi_is_known(c, until, enough)) {
        node = c->heap[0];
        c->heap[0] = c->heap[--c->heap_count];
        if (c->heap_count > 0) lbi_sink(c, 0);
        c->place[node] = -1;
        for (i = 0; i < level->directions + c->into_first[node + 1] - c->into_first[node]; i++) {
            int32_t entered = c->into_first[node] + i - level->directions, is_step = i < level->directions;
            tail = is_step ? lbi_step(level, node, i) : c->into_tail[entered];
            if (tail < 0 || lbi_is_known(c, tail, -1)) continue;
            move = is_step ? opposite[level->kind == 2][i] : lbi_move_of(level, tail, c->into_arc[entered]);
            price = lbi_price_of(nav, c, tail, move, &head);
            if (price == LBI_BLOCKED || lbi_is_known(c, tail, c->ticks[node] + price)) continue;
            if (c->seen[tail] != c->seen_now) {
                c->seen[tail] = c->seen_now;
                c->next[tail] = -1;
                c->heap[c->heap_count] = tail;
                c->place[tail] = c->heap_count++;
            }
            c->ticks[tail] = c->ticks[node] + price;
            lbi_set_key(nav, tail);
            lbi_rise(c, c->place[tail]);
        }
    }
}

/* Return the source of the answer: 1 = tables, 2 = search tree with `from` settled, 0 = no path.
   The tree is cached for its goal until the next change. */
static inline int lbi_who(const lb_nav *nav, int32_t from, int32_t to) {
    lb_changes *c = nav->changes;
    int is_kept = c->goal == to && c->goal_profile == nav->profile && c->goal_version == c->version, holds;
    if (!lbi_changed(nav)) return 1;
    if (!lb_stands(nav, from) || !lb_stands(nav, to)) return 0;
    holds = is_kept && lbi_is_known(c, from, -1) ? 0 : lbi_holds(nav, from, to);
    if (holds != 0) return holds > 0;
    if (!is_kept) {
        c->goal = to;
        c->goal_profile = nav->profile;
        c->goal_version = c->version;
        if (++c->seen_now == 0) {
            memset(c->seen, 0, (size_t)nav->level->locations * sizeof *c->seen);
            c->seen_now = 1;
        }
        c->aim = -1;
        c->heap_count = 1;
        c->heap[0] = c->next[to] = to;
        c->seen[to] = c->seen_now;
        c->ticks[to] = c->place[to] = 0, c->key[to] = 0.0;
    }
    lbi_go_on(nav, from, INT64_MAX / 2, from, -1);
    return lbi_is_known(c, from, -1) ? 2 : 0;
}

/* Return the next location from a settled one on a shortest path: the baked one if possible. */
static inline int32_t lbi_settled_hop(const lb_nav *nav, int32_t from) {
    lb_changes *c = nav->changes;
    const int64_t ticks = c->ticks[from];
    uint32_t move, moves = lbi_moves(nav->level, from), arc;
    int32_t any, head, price, baked = c->next[from] < 0 ? lbi_hop(nav, from, c->goal, &move) : -1;
    for (any = baked < 0; any < 2; any++)
        for (move = 0; move < moves && c->next[from] < 0; move++) {
            if (!any && lbi_move(nav->level, from, move, &arc) != baked) continue;
            price = lbi_price_of(nav, c, from, move, &head);
            if (price == LBI_BLOCKED) continue;
            lbi_go_on(nav, from, ticks, head, ticks - price);
            if (c->seen[head] == c->seen_now && c->ticks[head] + price == ticks) c->next[from] = head;
        }
    return c->next[from];
}

static inline int32_t lbi_hop_now(const lb_nav *nav, int32_t from, int32_t to) {
    uint32_t move;
    int who = lbi_who(nav, from, to);
    return who == 1 ? lbi_hop(nav, from, to, &move) : who ? lbi_settled_hop(nav, from) : -1;
}

static inline size_t lbi_path_now(const lb_nav *nav, int32_t from, int32_t to, int32_t *nodes, size_t room) {
    size_t count;
    int who = lbi_who(nav, from, to);
    if (who == 1) return lbi_path(nav, from, to, nodes, room);
    for (count = 1; who && from >= 0; count++) {
        if (count <= room) nodes[count - 1] = from;
        if (from == to) return count;
        lbi_go_on(nav, from, INT64_MAX / 2, from, -1);
        from = lbi_settled_hop(nav, from);
    }
    return 0;
}

static inline double lbi_distance_now(const lb_nav *nav, int32_t from, int32_t to) {
    int who;
    if (nav->changes->differs == 0 && nav->column[LBI_P_AWAY].data) return lbi_distance(nav, from, to);
    who = lbi_who(nav, from, to);
    if (who == 1) return lbi_distance(nav, from, to);
    return who ? (double)nav->changes->ticks[from] / nav->level->ticks_per_unit : INFINITY;
}

static inline int lbi_is_baked_now(const lb_nav *nav) { return nav->changes->differs == 0; }

LBI_PUBLIC int lb_follow(lb_nav *nav, lb_changes *changes_or_null) {
    if (changes_or_null && (!nav->level || changes_or_null->level != nav->level)) return LB_ERROR_PROFILE;
    static const lbi_now now = {lbi_stands_now, lbi_hop_now, lbi_path_now, lbi_distance_now, lbi_is_baked_now};
    nav->changes = changes_or_null;
    nav->now = changes_or_null ? &now : NULL;
    return LB_OK;
}

/* -- patches -------------------------------------------------------------------------------------- */

typedef struct lbi_sha {
    uint32_t state[8];
    uint64_t bytes;
    uint8_t block[64];
} lbi_sha;

static inline void lbi_sha_block(lbi_sha *sha) {
    static const uint32_t round[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
                                       0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
                                       0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
                                       0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
                                       0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
                                       0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
                                       0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
                                       0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
                                       0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
                                       0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
                                       0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define LBI_TURN(x, n) ((x) >> (n) | (x) << (32 - (n)))
    uint32_t w[64], s[8], t, u;
    int i;
    for (i = 0; i < 16; i++)
        w[i] = (uint32_t)sha->block[4 * i] << 24 | (uint32_t)sha->block[4 * i + 1] << 16 |
               (uint32_t)sha->block[4 * i + 2] << 8 | sha->block[4 * i + 3];
    for (i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (LBI_TURN(w[i - 15], 7) ^ LBI_TURN(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (LBI_TURN(w[i - 2], 17) ^ LBI_TURN(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, sha->state, sizeof s);
    for (i = 0; i < 64; i++) {
        t = s[7] + (LBI_TURN(s[4], 6) ^ LBI_TURN(s[4], 11) ^ LBI_TURN(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
            round[i] + w[i];
        u = (LBI_TURN(s[0], 2) ^ LBI_TURN(s[0], 13) ^ LBI_TURN(s[0], 22)) +
            ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t;
        s[0] = t + u;
    }
    for (i = 0; i < 8; i++) sha->state[i] += s[i];
#undef LBI_TURN
}

static inline void lbi_sha_add(lbi_sha *sha, const char *text, size_t size) {
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    size_t i;
    if (sha->bytes == 0) memcpy(sha->state, start, sizeof start);
    for (i = 0; i < size; i++) {
        sha->block[sha->bytes++ % 64] = (uint8_t)text[i];
        if (sha->bytes % 64 == 0) lbi_sha_block(sha);
    }
}

/* Finish the digest, and write 64 hexadecimal digits. */
static inline void lbi_sha_hex(lbi_sha *sha, char *digits) {
    const uint64_t bits = sha->bytes * 8;
    char end = (char)0x80;
    int i;
    for (lbi_sha_add(sha, &end, 1), end = 0; sha->bytes % 64 != 56;) lbi_sha_add(sha, &end, 1);
    for (i = 56; i >= 0; i -= 8) end = (char)(bits >> i & 0xff), lbi_sha_add(sha, &end, 1);
    for (i = 0; i < 64; i++) digits[i] = "0123456789abcdef"[sha->state[i / 8] >> (28 - i % 8 * 4) & 15];
}

static inline void lbi_fingerprint(const lb_level *level, char *digits) {
    int i;
    for (i = 0; i < 64; i++) digits[i] = "0123456789abcdef"[level->bytes[24 + i / 2] >> (i % 2 ? 0 : 4) & 15];
}

typedef struct lbi_out {
    char *text;
    size_t room, used;
    lbi_sha sha;
} lbi_out;

static inline void lbi_say(lbi_out *out, const char *text, size_t size) {
    lbi_sha_add(&out->sha, text, size);
    if (out->used < out->room)
        memcpy(out->text + out->used, text, size < out->room - out->used ? size : out->room - out->used);
    out->used += size;
}

static inline void lbi_say_changes(const lb_changes *changes, lbi_out *out) {
    char line[96];
    int32_t i, any;
    int size;
    lbi_say(out, "{\"terrain\":[", 12);
    for (i = any = 0; i < changes->level->locations; i++)
        if (changes->terrain[i] != lbi_terrain(changes->level, NULL, i)) {
            size = snprintf(line, sizeof line, "%s[%d,%d]", any++ ? "," : "", (int)i, (int)changes->terrain[i]);
            lbi_say(out, line, (size_t)size);
        }
    lbi_say(out, "],\"obstacles\":[", 15);
    for (i = any = 0; i < changes->level->locations; i++)
        if (changes->flags[i] & LBI_OBSTACLE) {
            size = snprintf(line, sizeof line, "%s%d", any++ ? "," : "", (int)i);
            lbi_say(out, line, (size_t)size);
        }
    lbi_say(out, "],\"arcs\":[", 10);
    for (i = 0; i < changes->price_count; i++) {
        const lbi_price *price = &changes->prices[i];
        size = snprintf(line, sizeof line, "%s[%d,%d", i ? "," : "", (int)price->from, (int)price->to);
        lbi_say(out, line, (size_t)size);
        if (price->units == INFINITY) {
            lbi_say(out, ",\"closed\"]", 10);
            continue;
        }
        size = snprintf(line, sizeof line, ",%.17g]", price->units);
        while (size-- > 1)
            if (line[size] == ',') line[size] = '.'; /* for locales with decimal commas */
        lbi_say(out, line, strlen(line));
    }
    lbi_say(out, "]}\n", 3);
}

LBI_PUBLIC size_t lb_patch_write(const lb_changes *changes, char *text, size_t room) {
    lbi_out out;
    char digest[64], fingerprint[64];
    memset(&out, 0, sizeof out);
    if (!changes->level) return 0;
    lbi_say_changes(changes, &out);
    lbi_sha_hex(&out.sha, digest);
    out.text = text;
    out.room = room;
    out.used = 0;
    lbi_fingerprint(changes->level, fingerprint);
    lbi_say(&out, "levelbake-patch 1 ", 18);
    lbi_say(&out, fingerprint, 64);
    lbi_say(&out, " ", 1);
    lbi_say(&out, digest, 64);
    lbi_say(&out, "\n", 1);
    lbi_say_changes(changes, &out);
    return out.used;
}

typedef struct lbi_in {
    const char *at, *end;
    int wrong;
} lbi_in;

/* Consume the next character if it is the given one, and return whether it was. */
static inline int lbi_takes(lbi_in *in, char sign) {
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' || *in->at == '\r' || *in->at == '\n')) in->at++;
    if (in->at == in->end || *in->at != sign) return 0;
    in->at++;
    return 1;
}

static inline void lbi_needs(lbi_in *in, char sign) { in->wrong |= !lbi_takes(in, sign); }

static inline int lbi_takes_word(lbi_in *in, const char *word) {
    size_t size = strlen(word);
    lbi_takes(in, 0); /* blanks */
    if ((size_t)(in->end - in->at) < size || memcmp(in->at, word, size) != 0) return 0;
    in->at += size;
    return 1;
}

/* Parse an integer from 0 to below a bound. */
static inline int32_t lbi_whole(lbi_in *in, int32_t bound) {
    int64_t value = 0;
    int digits = 0;
    lbi_takes(in, 0);
    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9' && value < bound; in->at++, digits++)
        value = value * 10 + (*in->at - '0');
    if (digits == 0 || value >= bound) {
        in->wrong = 1;
        return 0;
    }
    return (int32_t)value;
}

/* Parse a cost in units: a number, or "closed". */
static inline double lbi_units(lbi_in *in) {
    char text[64], point[8], *end;
    size_t size = 0;
    double value;
    if (lbi_takes_word(in, "\"closed\"")) return INFINITY;
    snprintf(point, sizeof point, "%.1f", 0.5);
    for (; in->at < in->end && *in->at && strchr("0123456789+-.eE", *in->at) && size < 63; in->at++)
        text[size++] = (char)(*in->at == '.' ? point[1] : *in->at);
    text[size] = 0;
    value = strtod(text, &end);
    in->wrong |= size == 0 || *end != 0 || !(value > 0.0 && value < INFINITY);
    return value;
}

/* Parse the second line: validate it, or, with `apply`, apply it. */
static inline int lbi_read_changes(lb_changes *changes, const char *text, size_t size, int apply) {
    static const char *const keys[3] = {"\"terrain\"", "\"obstacles\"", "\"arcs\""};
    const int32_t locations = changes->level->locations;
    int64_t prices = 0;
    int seen = 0, key;
    lbi_in in;
    in.at = text;
    in.end = text + size;
    in.wrong = 0;
    lbi_needs(&in, '{');
    do {
        for (key = 0; key < 3 && !lbi_takes_word(&in, keys[key]); key++) {}
        if (key == 3 || (seen & 1 << key))
            return lbi_takes_word(&in, "\"links\"") ? LB_ERROR_PATCH_VERSION : LB_ERROR_PATCH;
        seen |= 1 << key;
        lbi_needs(&in, ':');
        lbi_needs(&in, '[');
        if (lbi_takes(&in, ']')) continue;
        do {
            int32_t a, b, ticks;
            if (changes->level->column[LBI_CELL].data) return LB_ERROR_CELLS;
            if (key != 1) lbi_needs(&in, '[');
            a = lbi_whole(&in, locations);
            if (key == 1) {
                if (apply) lbi_put(changes, a, changes->terrain[a], LBI_OBSTACLE);
                continue;
            }
            lbi_needs(&in, ',');
            b = lbi_whole(&in, key == 0 ? changes->level->terrains : locations);
            if (key == 0) {
                if (apply) lbi_put(changes, a, b, changes->flags[a] & LBI_OBSTACLE);
            } else {
                double units;
                lbi_needs(&in, ',');
                units = lbi_units(&in);
                if (in.wrong) return LB_ERROR_PATCH;
                ticks = lbi_ticks(changes->level, units);
                if (ticks == 0) return LB_ERROR_PRICE;
                if (!lbi_tally_between(changes, a, b, 0)) return LB_ERROR_ARC;
                if (++prices > changes->price_room) return LB_ERROR_ROOM;
                if (apply) lbi_put_price(changes, a, b, ticks, units);
            }
            lbi_needs(&in, ']');
        } while (!in.wrong && lbi_takes(&in, ','));
        lbi_needs(&in, ']');
    } while (!in.wrong && lbi_takes(&in, ','));
    lbi_needs(&in, '}');
    lbi_takes(&in, 0);
    return in.wrong || in.at != in.end || seen != 7 ? LB_ERROR_PATCH : LB_OK;
}

LBI_PUBLIC int lb_patch_read(lb_changes *changes, const char *text, size_t size) {
    static const char start[] = "levelbake-patch ";
    char digits[64];
    lbi_sha sha;
    size_t head = sizeof start - 1 + 2 + 64 + 1 + 64 + 1;
    int error;
    memset(&sha, 0, sizeof sha);
    if (!changes->level || size < sizeof start + 1 || memcmp(text, start, sizeof start - 1) != 0)
        return LB_ERROR_PATCH;
    text += sizeof start - 1;
    if (memcmp(text, "1 ", 2) != 0) return LB_ERROR_PATCH_VERSION;
    if (size < head || text[66] != ' ' || text[131] != '\n') return LB_ERROR_PATCH;
    lbi_fingerprint(changes->level, digits);
    if (memcmp(text + 2, digits, 64) != 0) return LB_ERROR_PATCH_LEVEL;
    lbi_sha_add(&sha, text + 132, size - head);
    lbi_sha_hex(&sha, digits);
    if (memcmp(text + 67, digits, 64) != 0) return LB_ERROR_PATCH;
    error = lbi_read_changes(changes, text + 132, size - head, 0);
    if (error != LB_OK) return error;
    lb_set_baked(changes);
    while (changes->price_count > 0) /* the patch contains all costs */
        lbi_put_price(changes, changes->prices[changes->price_count - 1].from,
                      changes->prices[changes->price_count - 1].to, 0, 0.0);
    return lbi_read_changes(changes, text + 132, size - head, 1);
}

#ifdef __cplusplus
}
#endif
#endif /* LEVELBAKE_CHANGES_BODY */
