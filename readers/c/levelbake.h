/* levelbake.h: reader of flat files (.bake) in C99 or C++.

   One header without dependencies, allocations or global state:

       lb_level level;                          // must not move, nor may the bytes
       lb_nav nav;
       int error = lb_open(&level, bytes, size);
       if (error == LB_OK) error = lb_profile(&level, "walker", &nav);
       if (error != LB_OK) { puts(lb_error_text(error)); return 1; }
       int32_t at = lb_node_at(&nav, 3, 4, 0), goal = lb_node_at(&nav, 30, 12, 0);
       while (at >= 0 && at != goal) at = lb_next_hop(&nav, at, goal);

   Functions are `static inline` by default. For one shared copy per program, define LEVELBAKE_EXTERN
   everywhere, and also LEVELBAKE_IMPLEMENTATION in one source file.

   The bytes may be untrusted: lb_open verifies everything that later queries rely on, and the bytes
   must not change afterwards. They must be aligned to 8 bytes, like memory from malloc and mmap. A
   node is the number of a cell in reading order over all floors, or of a node of a graph. Any number
   is valid as a node argument; a node that does not exist gives -1, 0 or INFINITY. Threads may share
   an lb_nav unless it follows changes. docs/format.md describes the file. License: that of the
   project. */
#ifndef LEVELBAKE_H
#define LEVELBAKE_H

#include <math.h> /* INFINITY; nothing of libm is called */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "levelbake.h reads files in place, which needs a little-endian machine"
#endif
#endif

#ifdef LEVELBAKE_EXTERN
#define LB_API extern
#else
#define LB_API static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LB_OK = 0,
    LB_ERROR_MEMORY = -1, /* the bytes or the memory are not aligned to 8, or too small */
    LB_ERROR_MAGIC = -2,
    LB_ERROR_VERSION = -3,
    LB_ERROR_SIZE = -4,
    LB_ERROR_CHECKSUM = -5,
    LB_ERROR_TABLE = -6,  /* the table of columns */
    LB_ERROR_COLUMN = -7, /* a column is missing, or has the wrong type or shape */
    LB_ERROR_VALUE = -8,  /* a number is out of range */
    LB_ERROR_ENDIAN = -9,
    LB_ERROR_PROFILE = -10,
    LB_ERROR_PLACE = -11,
    LB_ERROR_TERRAIN = -12,
    LB_ERROR_PRICE = -13,
    LB_ERROR_ARC = -14,
    LB_ERROR_ROOM = -15,
    LB_ERROR_DOOR = -16,
    LB_ERROR_PATCH = -17,
    LB_ERROR_PATCH_VERSION = -18,
    LB_ERROR_PATCH_LEVEL = -19,
    LB_ERROR_HOPS = -20, /* the file has no next hops, and the lb_nav follows no changes, which search */
    LB_ERROR_CELLS = -21, /* cells are nodes in the file, which has no movement rules then */
    LB_ERROR_LFS = -22 /* the bytes are a Git LFS pointer */
};

/* Kinds of named objects, for lb_count, lb_name and lb_find. */
enum { LB_PROFILES, LB_TERRAINS, LB_DOORS, LB_SPOTS, LB_REGIONS, LB_LINKS, LB_NODES };

/* clang-format off */
enum { /* columns of the level that this reader uses */
    LBI_NUMBERS, LBI_NAME, LBI_PROFILE_NAME, LBI_TERRAIN_NAME, LBI_TERRAIN, LBI_BARRED,
    LBI_FIRST_OUT, LBI_HEAD, LBI_LENGTH, LBI_POSITION, LBI_NODE_NAME, LBI_NODE_NUMBER, LBI_CENTRE,
    LBI_STEP, LBI_LINK_FROM, LBI_LINK_TO, LBI_LINK_TICKS, LBI_LINK_NUMBER, LBI_LINK_NAME,
    LBI_LINK_KIND, LBI_LINK_START, LBI_LINK_GOAL, LBI_LINK_COST, LBI_LINK_BOTH, LBI_PRICE_FROM,
    LBI_PRICE_TO, LBI_PRICE_TICKS, LBI_PRICE_UNITS, LBI_REGION_NAME, LBI_REGION_FIRST,
    LBI_REGION_CELL, LBI_SPOT_NAME, LBI_SPOT_KIND, LBI_SPOT_AT, LBI_DOOR_NAME, LBI_DOOR_FIRST_CELL,
    LBI_DOOR_CELL, LBI_DOOR_FIRST_STATE, LBI_DOOR_STATE_NAME, LBI_DOOR_STATE,
    LBI_DOOR_FIRST_TERRAIN, LBI_DOOR_TERRAIN, LBI_DOOR_ID, LBI_SPOT_ID, LBI_REGION_ID, LBI_LINK_ID,
    LBI_LINK_FIRST_PROFILE, LBI_LINK_PROFILE, LBI_SPOT_FIRST_PROFILE, LBI_SPOT_PROFILE, LBI_ELEVATION,
    LBI_CELL, LBI_LEVEL_COLUMNS
};
enum { /* columns of a profile that this reader uses */
    LBI_P_NUMBERS, LBI_P_COST, LBI_P_CLASS, LBI_P_STEP_TICKS, LBI_P_MAY_ENTER, LBI_P_ROW_AT,
    LBI_P_COMPONENT, LBI_P_REACH, LBI_P_FIRST_RUN, LBI_P_RUN_START, LBI_P_RUN_MOVE,
    LBI_P_GREEDY_KIND, LBI_P_GREEDY_MOVE, LBI_P_LINK_OPEN, LBI_P_WEIGHT, LBI_P_PARENT, LBI_P_TOP,
    LBI_P_FIRST_LABEL, LBI_P_AWAY, LBI_P_TOWARD, LBI_P_SLOPE, LBI_PROFILE_COLUMNS
};
/* clang-format on */

typedef struct lbi_column {
    const void *data; /* NULL = the column is absent */
    uint32_t count;   /* length of the first dimension */
    uint32_t width;   /* product of the other lengths; bytes of a text */
    int32_t bytes;    /* bytes of one element */
} lbi_column;

/* An open level. Fields are read-only. */
typedef struct lb_level {
    const uint8_t *bytes;
    size_t size;
    uint32_t entries, arcs, links;
    int32_t kind, width, height, floors, floor_rows, directions, hex_layout, corner_cutting;
    int32_t cost_rule, ticks_per_unit, locations, terrains, profiles, usual_terrain;
    double per_width;
    lbi_column column[LBI_LEVEL_COLUMNS];
} lb_level;

struct lb_changes;
struct lb_nav;

/* The queries of a changeable level: see levelbake_changes.h. */
typedef struct lbi_now {
    int (*stands)(const struct lb_nav *, int32_t);
    int32_t (*next_hop)(const struct lb_nav *, int32_t, int32_t);
    size_t (*path)(const struct lb_nav *, int32_t, int32_t, int32_t *, size_t);
    double (*distance)(const struct lb_nav *, int32_t, int32_t);
    int (*is_baked)(const struct lb_nav *);
} lbi_now;

typedef struct lb_nav {
    const lb_level *level;
    struct lb_changes *changes; /* NULL = the baked level */
    const lbi_now *now;
    int32_t profile, rows, components, says_none, size, classes;
    uint32_t none, greedy;      /* the moves for "no path" and "compass move" */
    int32_t offset[8];          /* on squares, the offset of the neighbor in each direction */
    int32_t straight, diagonal; /* lower bounds of the cost of a straight and a diagonal move */
    const int32_t *row_at;
    const uint32_t *first_run;
    lbi_column column[LBI_PROFILE_COLUMNS];
} lb_nav;

/* -- opening -------------------------------------------------------------------------------------- */

/* Verify the bytes and open the level: LB_OK or an error. Nothing is copied, so the level and the bytes
   must not move. */
LB_API int lb_open(lb_level *level, const void *bytes, size_t size);
/* Prepare the queries for a profile; NULL = the first. LB_ERROR_HOPS: the file has no next hops of the
   profile. The lb_nav can then follow changes (lb_follow), which search, even on an unchanged level. */
LB_API int lb_profile(const lb_level *level, const char *name_or_null, lb_nav *nav);
/* Return the message for an error, one line. */
LB_API const char *lb_error_text(int error);

/* -- places --------------------------------------------------------------------------------------- */

/* Return the node at a cell; -1 if the profile cannot stand there, or outside the level. */
LB_API int32_t lb_node_at(const lb_nav *nav, int32_t x, int32_t y, int32_t floor);
/* Write the cell of a node and return 1; 0 if the node does not exist, or on graphs. */
LB_API int lb_cell_of(const lb_nav *nav, int32_t node, int32_t *x, int32_t *y, int32_t *floor);
/* Return 1 if the profile can stand on a node. */
LB_API int lb_stands(const lb_nav *nav, int32_t node);
/* Return the node that contains a point if walkable, otherwise the nearest walkable node; -1: none. */
LB_API int32_t lb_nearest(const lb_nav *nav, double x, double y, int32_t floor);
/* Write the center of a node in the units of the level's source and return 1; 0 if unknown. */
LB_API int lb_point_of(const lb_level *level, int32_t node, double *x, double *y);
/* Write the cell that contains a point, inside or outside the level, and return 1; 0 on graphs, or if
   the point is not finite or too far away. */
LB_API int lb_cell_at(const lb_level *level, double x, double y, int32_t floor, int32_t *cell_x, int32_t *cell_y);

/* -- paths and distances -------------------------------------------------------------------------- */

/* Return the next node on a shortest path; `from` when already there; -1 if unreachable; LB_ERROR_HOPS:
   see lb_profile. */
LB_API int32_t lb_next_hop(const lb_nav *nav, int32_t from, int32_t to);
/* Write the next hops of `count` pairs; faster than single calls. */
LB_API void lb_next_hops(const lb_nav *nav, const int32_t *from, const int32_t *to, int32_t *out, size_t count);
/* Write the first `room` nodes of a shortest path, and return the number of nodes of the whole path, both
   ends included; 0 if unreachable. */
LB_API size_t lb_path(const lb_nav *nav, int32_t from, int32_t to, int32_t *nodes, size_t room);
/* Write the paths of `count` pairs: path i starts at nodes[i * room], and lengths[i] is the result of
   lb_path. With room 0, nodes may be NULL. */
LB_API void lb_paths(const lb_nav *nav, const int32_t *from, const int32_t *to, int32_t *nodes, size_t room,
                     size_t *lengths, size_t count);
/* Return the cost of a shortest path in units; INFINITY if unreachable; NAN if the file has neither next
   hops nor labels. */
LB_API double lb_distance(const lb_nav *nav, int32_t from, int32_t to);
LB_API int lb_reachable(const lb_nav *nav, int32_t from, int32_t to);

/* -- entities ------------------------------------------------------------------------------------- */

LB_API const char *lb_level_name(const lb_level *level);
LB_API int32_t lb_count(const lb_level *level, int kind);
/* Return the name of an object; NULL if it does not exist or has no name. */
LB_API const char *lb_name(const lb_level *level, int kind, int32_t number);
/* Return the number of the object with a name; -1 if none has it. */
LB_API int32_t lb_find(const lb_level *level, int kind, const char *name);
/* Return the id of a door, spot, region or link in the editor; NULL if it has none. */
LB_API const char *lb_id(const lb_level *level, int kind, int32_t number);
/* Return the name of the i-th profile of a spot or link; NULL after the last. None = all profiles. */
LB_API const char *lb_for_profile(const lb_level *level, int kind, int32_t number, int32_t i);
/* Convert between a node of a graph and its number in the level's source; -1 if no node has a number. */
LB_API int32_t lb_node_of_number(const lb_level *level, int64_t number);
LB_API int64_t lb_number_of_node(const lb_level *level, int32_t node);
/* Return the node and the kind of a spot; -1 and NULL if it does not exist. */
LB_API int32_t lb_spot_at(const lb_level *level, int32_t spot);
LB_API const char *lb_spot_kind(const lb_level *level, int32_t spot);
/* Return the number of cells, or nodes, of a region or door (LB_REGIONS, LB_DOORS), and a pointer to them. */
LB_API int32_t lb_cells(const lb_level *level, int kind, int32_t number, const int32_t **cells);
LB_API int32_t lb_door_states(const lb_level *level, int32_t door);
LB_API int32_t lb_door_baked(const lb_level *level, int32_t door); /* the baked state; -1: none matches */
LB_API const char *lb_door_state_name(const lb_level *level, int32_t door, int32_t state);
/* Return the terrains of a door's cells in a state; NULL if the state does not exist. */
LB_API const uint8_t *lb_door_terrains(const lb_level *level, int32_t door, int32_t state);
LB_API int32_t lb_find_door_state(const lb_level *level, int32_t door, const char *name);

typedef struct lb_link {
    const char *name, *kind;
    int32_t from, to, both_ways;
    double cost; /* units */
} lb_link;
/* Write a baked link and return 1; 0 if it does not exist. */
LB_API int lb_link_at(const lb_level *level, int32_t number, lb_link *link);

#ifdef __cplusplus
}
#endif
#endif /* LEVELBAKE_H */

/* ================================================================================================== */

#if (!defined(LEVELBAKE_EXTERN) || defined(LEVELBAKE_IMPLEMENTATION)) && !defined(LEVELBAKE_BODY)
#define LEVELBAKE_BODY

#ifdef __cplusplus
extern "C" {
#endif

#ifdef LEVELBAKE_EXTERN
#define LBI_PUBLIC
#else
#define LBI_PUBLIC static inline
#endif
#if defined(__GNUC__)
#define LBI_INLINE static inline __attribute__((always_inline))
#define LBI_PREFETCH(address) __builtin_prefetch(address)
#else
#define LBI_INLINE static inline
#define LBI_PREFETCH(address) ((void)0)
#endif

enum {
    LBI_BLOCKED = 2147483647,
    LBI_NO_CLASS = 65535,
    LBI_MOST_TICKS = 1 << 29,
    LBI_NO_LABEL = 1 << 30,
    LBI_SECTORS = 18
};
enum { LBI_U8 = 1, LBI_U16 = 2, LBI_U32 = 4, LBI_I32 = 8, LBI_I64 = 16, LBI_F64 = 32, LBI_TEXT = 64 };
#define LBI_UINT (LBI_U8 | LBI_U16 | LBI_U32)

/* Names of dimensions: equal names have equal lengths. PLUS = one more. */
/* clang-format off */
enum {
    LBI_ANY, LBI_ONE, LBI_TWO, LBI_FOUR, LBI_SECTOR, LBI_D_LOCATION, LBI_D_PROFILE, LBI_D_TERRAIN, LBI_D_ARC,
    LBI_D_FLOORS, LBI_D_AXES, LBI_D_LINK_ARC, LBI_D_LINK, LBI_D_PRICE, LBI_D_REGION,
    LBI_D_REGION_CELL, LBI_D_SPOT, LBI_D_DOOR, LBI_D_DOOR_CELL, LBI_D_STATE, LBI_D_STATE_CELL,
    LBI_D_ROW, LBI_D_CLASS, LBI_D_COMPONENT, LBI_D_REACH, LBI_D_RUN, LBI_D_KIND, LBI_D_LABEL,
    LBI_DIMENSIONS, LBI_PLUS = 64
};
/* clang-format on */
enum { LBI_GRID = 1, LBI_GRAPH = 2, LBI_BOTH = 3 }; /* levels that must have the column */

typedef struct lbi_declared {
    const char *name;
    int types, needed, dimensions;
    uint8_t dimension[3];
} lbi_declared;

static const lbi_declared lbi_level_columns[LBI_LEVEL_COLUMNS] = {
    {"numbers", LBI_I32, LBI_BOTH, 1, {LBI_ANY, 0, 0}},
    {"name", LBI_TEXT, LBI_BOTH, 2, {LBI_ONE, LBI_ANY, 0}},
    {"profile_name", LBI_TEXT, LBI_BOTH, 2, {LBI_D_PROFILE, LBI_ANY, 0}},
    {"terrain_name", LBI_TEXT, LBI_BOTH, 2, {LBI_D_TERRAIN, LBI_ANY, 0}},
    {"terrain", LBI_U8, LBI_BOTH, 1, {LBI_D_LOCATION, 0, 0}},
    {"barred", LBI_U8, 0, 1, {LBI_D_LOCATION, 0, 0}},
    {"first_out", LBI_I32, LBI_GRAPH, 1, {LBI_D_LOCATION | LBI_PLUS, 0, 0}},
    {"head", LBI_I32, LBI_GRAPH, 1, {LBI_D_ARC, 0, 0}},
    {"length", LBI_F64, LBI_GRAPH, 1, {LBI_D_ARC, 0, 0}},
    {"position", LBI_F64, 0, 2, {LBI_D_LOCATION, LBI_TWO, 0}},
    {"node_name", LBI_TEXT, 0, 2, {LBI_D_LOCATION, LBI_ANY, 0}},
    {"node_number", LBI_I64, 0, 1, {LBI_D_LOCATION, 0, 0}},
    {"centre", LBI_F64, 0, 2, {LBI_D_FLOORS, LBI_TWO, 0}},
    {"step", LBI_F64, 0, 2, {LBI_D_AXES, LBI_TWO, 0}},
    {"link_from", LBI_I32, 0, 1, {LBI_D_LINK_ARC, 0, 0}},
    {"link_to", LBI_I32, 0, 1, {LBI_D_LINK_ARC, 0, 0}},
    {"link_ticks", LBI_I32, 0, 1, {LBI_D_LINK_ARC, 0, 0}},
    {"link_number", LBI_I32, 0, 1, {LBI_D_LINK_ARC, 0, 0}},
    {"link_name", LBI_TEXT, 0, 2, {LBI_D_LINK, LBI_ANY, 0}},
    {"link_kind", LBI_TEXT, 0, 2, {LBI_D_LINK, LBI_ANY, 0}},
    {"link_start", LBI_I32, 0, 1, {LBI_D_LINK, 0, 0}},
    {"link_goal", LBI_I32, 0, 1, {LBI_D_LINK, 0, 0}},
    {"link_cost", LBI_F64, 0, 1, {LBI_D_LINK, 0, 0}},
    {"link_both_ways", LBI_U8, 0, 1, {LBI_D_LINK, 0, 0}},
    {"price_from", LBI_I32, 0, 1, {LBI_D_PRICE, 0, 0}},
    {"price_to", LBI_I32, 0, 1, {LBI_D_PRICE, 0, 0}},
    {"price_ticks", LBI_I32, 0, 1, {LBI_D_PRICE, 0, 0}},
    {"price_units", LBI_F64, 0, 1, {LBI_D_PRICE, 0, 0}},
    {"region_name", LBI_TEXT, 0, 2, {LBI_D_REGION, LBI_ANY, 0}},
    {"region_first_cell", LBI_I32, 0, 1, {LBI_D_REGION | LBI_PLUS, 0, 0}},
    {"region_cell", LBI_I32, 0, 1, {LBI_D_REGION_CELL, 0, 0}},
    {"spot_name", LBI_TEXT, 0, 2, {LBI_D_SPOT, LBI_ANY, 0}},
    {"spot_kind", LBI_TEXT, 0, 2, {LBI_D_SPOT, LBI_ANY, 0}},
    {"spot_at", LBI_I32, 0, 1, {LBI_D_SPOT, 0, 0}},
    {"door_name", LBI_TEXT, 0, 2, {LBI_D_DOOR, LBI_ANY, 0}},
    {"door_first_cell", LBI_I32, 0, 1, {LBI_D_DOOR | LBI_PLUS, 0, 0}},
    {"door_cell", LBI_I32, 0, 1, {LBI_D_DOOR_CELL, 0, 0}},
    {"door_first_state", LBI_I32, 0, 1, {LBI_D_DOOR | LBI_PLUS, 0, 0}},
    {"door_state_name", LBI_TEXT, 0, 2, {LBI_D_STATE, LBI_ANY, 0}},
    {"door_state", LBI_I32, 0, 1, {LBI_D_DOOR, 0, 0}},
    {"door_first_terrain", LBI_I32, 0, 1, {LBI_D_STATE | LBI_PLUS, 0, 0}},
    {"door_terrain", LBI_U8, 0, 1, {LBI_D_STATE_CELL, 0, 0}},
    {"door_id", LBI_TEXT, 0, 2, {LBI_D_DOOR, LBI_ANY, 0}},
    {"spot_id", LBI_TEXT, 0, 2, {LBI_D_SPOT, LBI_ANY, 0}},
    {"region_id", LBI_TEXT, 0, 2, {LBI_D_REGION, LBI_ANY, 0}},
    {"link_id", LBI_TEXT, 0, 2, {LBI_D_LINK, LBI_ANY, 0}},
    {"link_first_profile", LBI_I32, 0, 1, {LBI_D_LINK | LBI_PLUS, 0, 0}},
    {"link_profile", LBI_TEXT, 0, 2, {LBI_ANY, LBI_ANY, 0}},
    {"spot_first_profile", LBI_I32, 0, 1, {LBI_D_SPOT | LBI_PLUS, 0, 0}},
    {"spot_profile", LBI_TEXT, 0, 2, {LBI_ANY, LBI_ANY, 0}},
    {"elevation", LBI_F64, 0, 1, {LBI_D_LOCATION, 0, 0}},
    {"cell", LBI_I32, 0, 2, {LBI_D_LOCATION, LBI_ANY, 0}},
};

static const lbi_declared lbi_profile_columns[LBI_PROFILE_COLUMNS] = {
    {"numbers", LBI_I32, LBI_BOTH, 1, {LBI_ANY, 0, 0}},
    {"cost", LBI_F64, LBI_BOTH, 1, {LBI_D_TERRAIN, 0, 0}},
    {"class", LBI_U16, LBI_BOTH, 1, {LBI_D_TERRAIN, 0, 0}},
    {"step_ticks", LBI_I32, LBI_GRID, 3, {LBI_TWO, LBI_D_CLASS, LBI_D_CLASS}},
    {"may_enter", LBI_U8, 0, 2, {LBI_D_TERRAIN, LBI_D_TERRAIN, 0}},
    {"row_at", LBI_I32, LBI_BOTH, 1, {LBI_D_LOCATION, 0, 0}},
    {"component", LBI_I32, 0, 1, {LBI_D_ROW, 0, 0}},
    {"reach", LBI_U8, 0, 2, {LBI_D_COMPONENT, LBI_D_REACH, 0}},
    {"first_run", LBI_U32, 0, 1, {LBI_D_ROW | LBI_PLUS, 0, 0}},
    {"run_start", LBI_U16 | LBI_U32, 0, 1, {LBI_D_RUN, 0, 0}},
    {"run_move", LBI_UINT, 0, 1, {LBI_D_RUN, 0, 0}},
    {"greedy_kind", LBI_UINT, 0, 1, {LBI_D_ROW, 0, 0}},
    {"greedy_move", LBI_UINT, 0, 2, {LBI_D_KIND, LBI_SECTOR, 0}},
    {"link_open", LBI_U8, 0, 1, {LBI_D_LINK_ARC, 0, 0}},
    {"weight", LBI_I32, LBI_GRAPH, 1, {LBI_D_ARC, 0, 0}},
    {"label_parent", LBI_I32, 0, 1, {LBI_D_ROW, 0, 0}},
    {"label_top", LBI_I32, 0, 1, {LBI_D_ROW, 0, 0}},
    {"first_label", LBI_U32, 0, 1, {LBI_D_ROW | LBI_PLUS, 0, 0}},
    {"label_away", LBI_I32, 0, 1, {LBI_D_LABEL, 0, 0}},
    {"label_toward", LBI_I32, 0, 1, {LBI_D_LABEL, 0, 0}},
    {"slope", LBI_F64, 0, 1, {LBI_FOUR, 0, 0}},
};

/* -- opening: parse ------------------------------------------------------------------------------- */

LBI_INLINE uint32_t lbi_u32(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

LBI_INLINE uint64_t lbi_u64(const uint8_t *at) { return lbi_u32(at) | (uint64_t)lbi_u32(at + 4) << 32; }

LBI_INLINE uint32_t lbi_u16(const uint8_t *at) { return at[0] | (uint32_t)at[1] << 8; }

LBI_INLINE int32_t lbi_least(int32_t a, int32_t b) { return a < b ? a : b; }

/* Return element i of a column of unsigned integers. */
LBI_INLINE uint32_t lbi_at(const lbi_column *column, size_t i) {
    if (column->bytes == 1) return ((const uint8_t *)column->data)[i];
    if (column->bytes == 2) return ((const uint16_t *)column->data)[i];
    return ((const uint32_t *)column->data)[i];
}

LBI_INLINE const int32_t *lbi_i32(const lbi_column *column) { return (const int32_t *)column->data; }
LBI_INLINE const uint8_t *lbi_bytes(const lbi_column *column) { return (const uint8_t *)column->data; }
LBI_INLINE const double *lbi_f64(const lbi_column *column) { return (const double *)column->data; }

static const uint8_t lbi_size_of[8] = {0, 1, 2, 4, 4, 8, 8, 1}; /* bytes of an element of each type */

static inline const char *lbi_text(const lbi_column *column, int64_t i) {
    if (!column->data || i < 0 || i >= (int64_t)column->count) return NULL;
    return (const char *)column->data + (size_t)i * column->width;
}

/* Find the columns of one profile, or of the level (-1), and verify their shapes. */
static inline int lbi_columns(const lb_level *level, int32_t profile, const lbi_declared *declared, int known,
                              int64_t *lengths, lbi_column *columns) {
    int i, d;
    uint32_t entry;
    memset(columns, 0, sizeof(lbi_column) * (size_t)known);
    for (entry = 0; entry < level->entries; entry++) {
        const uint8_t *at = level->bytes + 64 + 64 * (size_t)entry;
        uint32_t type = lbi_u16(at + 28), dimensions = lbi_u16(at + 30);
        uint64_t others = 1;
        if ((int32_t)lbi_u32(at + 24) != profile) continue;
        for (i = 0; i < known && strncmp((const char *)at, declared[i].name, 24) != 0; i++) {}
        if (i == known) continue;
        if (columns[i].data) return LB_ERROR_TABLE; /* twice */
        if (!(declared[i].types & (1 << (type - 1)))) return LB_ERROR_COLUMN;
        if ((int)dimensions != declared[i].dimensions) return LB_ERROR_COLUMN;
        for (d = 0; d < (int)dimensions; d++) {
            int which = declared[i].dimension[d] & ~LBI_PLUS;
            int64_t length = lbi_u32(at + 32 + 4 * d), plus = declared[i].dimension[d] & LBI_PLUS ? 1 : 0;
            if (d > 0) others *= (uint64_t)length;
            if (which == LBI_ANY) continue;
            if (length < plus) return LB_ERROR_COLUMN;
            if (lengths[which] < 0) lengths[which] = length - plus;
            if (lengths[which] != length - plus) return LB_ERROR_COLUMN;
        }
        columns[i].data = level->bytes + lbi_u64(at + 48);
        columns[i].count = lbi_u32(at + 32);
        columns[i].width = (uint32_t)others;
        columns[i].bytes = lbi_size_of[type];
        if (type == 7) { /* each text ends inside its width */
            const uint8_t *text = (const uint8_t *)columns[i].data;
            size_t t;
            if (others == 0) return LB_ERROR_COLUMN;
            for (t = 1; t <= columns[i].count; t++)
                if (text[t * columns[i].width - 1] != 0) return LB_ERROR_VALUE;
        }
    }
    for (i = 0; i < known; i++)
        if (!columns[i].data && (declared[i].needed & (level->kind == 0 ? LBI_GRAPH : LBI_GRID)))
            return LB_ERROR_COLUMN;
    return LB_OK;
}

/* Verify the header, the checksum and the table of columns. */
static inline int lbi_parse(lb_level *level, const uint8_t *bytes, size_t size) {
    static const uint8_t magic[8] = {0x8b, 0x42, 0x4b, 0x45, 0x0d, 0x0a, 0x1a, 0x0a};
    uint32_t entry, a = 1, b = 0;
    size_t i;
    memset(level, 0, sizeof *level);
    if (!bytes || ((uintptr_t)bytes & 7) != 0) return LB_ERROR_MEMORY;
    if (size >= 24 && memcmp(bytes, "version https://", 16) == 0 &&
        (memcmp(bytes + 16, "git-lfs.", 8) == 0 || memcmp(bytes + 16, "hawser.", 7) == 0))
        return LB_ERROR_LFS;
    if (size < 64 || memcmp(bytes, magic, 8) != 0) return LB_ERROR_MAGIC;
    if (lbi_u16(bytes + 8) != 3) return LB_ERROR_VERSION;
    level->bytes = bytes;
    level->size = size;
    level->entries = (uint32_t)lbi_u16(bytes + 10);
    if (lbi_u64(bytes + 16) != size || size % 64 != 0 || level->entries > (size - 64) / 64) return LB_ERROR_SIZE;
#ifndef LEVELBAKE_SKIP_CHECKSUM
    for (i = 0; i < 14; i++) a += lbi_u32(bytes + 4 * i), b += a;
    b += 2 * a; /* the checksum itself counts as zeros */
    for (i = 16; i < size / 4; i++) a += lbi_u32(bytes + 4 * i), b += a;
    if (a != lbi_u32(bytes + 56) || b != lbi_u32(bytes + 60)) return LB_ERROR_CHECKSUM;
#else
    (void)a, (void)b, (void)i;
#endif
    for (entry = 0; entry < level->entries; entry++) {
        const uint8_t *at = bytes + 64 + 64 * (size_t)entry;
        uint32_t type = lbi_u16(at + 28), dimensions = lbi_u16(at + 30), d;
        uint64_t offset = lbi_u64(at + 48), length = lbi_u64(at + 56), product;
        if (type < 1 || type > 7 || dimensions < 1 || dimensions > 4 || at[23] != 0) return LB_ERROR_TABLE;
        for (d = 0, product = lbi_size_of[type]; d < dimensions; d++) {
            uint64_t side = lbi_u32(at + 32 + 4 * d);
            if (side != 0 && product > UINT64_MAX / side) return LB_ERROR_TABLE;
            product *= side;
        }
        if (product != length || offset % 64 != 0 || offset < 64 * ((uint64_t)level->entries + 1))
            return LB_ERROR_TABLE;
        if (offset > size || length > size - offset) return LB_ERROR_TABLE;
    }
    return LB_OK;
}

/* -- opening: validate ---------------------------------------------------------------------------- */

/* Return whether all elements of an int32 column are between two bounds; true for an absent column. */
static inline int lbi_within(const lbi_column *column, int32_t least, int64_t most) {
    const int32_t *values = lbi_i32(column);
    size_t i, count = column->data ? (size_t)column->count * column->width : 0;
    int wrong = 0;
    for (i = 0; i < count; i++) wrong |= (values[i] < least) | (values[i] > most);
    return !wrong;
}

/* Return whether all elements of an unsigned column are below a bound. */
static inline int lbi_below(const lbi_column *column, uint64_t bound) {
    size_t i, count = column->data ? (size_t)column->count * column->width : 0;
    uint32_t most = 0;
    if (count && column->bytes == 1) {
        const uint8_t *values = (const uint8_t *)column->data;
        uint8_t top = 0;
        for (i = 0; i < count; i++) top = values[i] > top ? values[i] : top;
        most = top;
    } else if (count && column->bytes == 2) {
        const uint16_t *values = (const uint16_t *)column->data;
        uint16_t top = 0;
        for (i = 0; i < count; i++) top = values[i] > top ? values[i] : top;
        most = top;
    } else {
        const uint32_t *values = (const uint32_t *)column->data;
        for (i = 0; i < count; i++) most = values[i] > most ? values[i] : most;
    }
    return count == 0 || most < bound;
}

/* Return whether ticks are valid costs: 1 to 2^29, or BLOCKED. */
static inline int lbi_are_prices(const lbi_column *column) {
    const int32_t *values = lbi_i32(column);
    size_t i, count = column->data ? (size_t)column->count * column->width : 0;
    int wrong = 0;
    for (i = 0; i < count; i++)
        wrong |= (values[i] < 1) | ((values[i] > LBI_MOST_TICKS) & (values[i] != LBI_BLOCKED));
    return !wrong;
}

/* Whether offsets begin at 0, do not fall, and end where what they count ends. Both must be there, or
   neither. */
static inline int lbi_counts(const lbi_column *first, const lbi_column *things, int rises) {
    const uint32_t *values = (const uint32_t *)first->data;
    uint32_t i;
    int wrong = 0;
    if (!first->data || !things->data) return !first->data && !things->data;
    if (values[0] != 0 || values[first->count - 1] != things->count) return 0;
    for (i = 1; i < first->count; i++)
        wrong |= (values[i] < values[i - 1]) | ((values[i] == values[i - 1]) & (rises != 0));
    return !wrong;
}

static inline int lbi_check_things(const lb_level *level) {
    const lbi_column *c = level->column;
    const int64_t last = (int64_t)level->locations - 1;
    uint32_t i, s;
    static const uint8_t groups[][6] = {
        /* columns that are present together or not at all */
        {LBI_LINK_NAME, LBI_LINK_FROM, LBI_LINK_TO, LBI_LINK_TICKS, LBI_LINK_NUMBER, LBI_LINK_KIND},
        {LBI_LINK_NAME, LBI_LINK_START, LBI_LINK_GOAL, LBI_LINK_COST, LBI_LINK_BOTH, LBI_LINK_BOTH},
        {LBI_PRICE_FROM, LBI_PRICE_TO, LBI_PRICE_TICKS, LBI_PRICE_UNITS, LBI_PRICE_TO, LBI_PRICE_TO},
        {LBI_SPOT_NAME, LBI_SPOT_AT, LBI_SPOT_KIND, LBI_SPOT_AT, LBI_SPOT_AT, LBI_SPOT_AT},
        {LBI_REGION_NAME, LBI_REGION_FIRST, LBI_REGION_CELL, LBI_REGION_CELL, LBI_REGION_CELL, LBI_REGION_CELL},
        {LBI_DOOR_NAME, LBI_DOOR_FIRST_CELL, LBI_DOOR_CELL, LBI_DOOR_FIRST_STATE, LBI_DOOR_STATE,
         LBI_DOOR_FIRST_TERRAIN},
        {LBI_DOOR_NAME, LBI_DOOR_STATE_NAME, LBI_DOOR_TERRAIN, LBI_DOOR_TERRAIN, LBI_DOOR_TERRAIN, LBI_DOOR_TERRAIN},
        {LBI_CENTRE, LBI_STEP, LBI_STEP, LBI_STEP, LBI_STEP, LBI_STEP}};
    for (i = 0; i < sizeof groups / sizeof groups[0]; i++)
        for (s = 1; s < 6; s++)
            if (!c[groups[i][s]].data != !c[groups[i][0]].data) return LB_ERROR_COLUMN;
    if (!lbi_below(&c[LBI_TERRAIN], (uint64_t)level->terrains)) return LB_ERROR_VALUE;
    if (level->kind == 0) {
        if (!lbi_counts(&c[LBI_FIRST_OUT], &c[LBI_HEAD], 0)) return LB_ERROR_VALUE;
        if (!lbi_within(&c[LBI_HEAD], 0, last)) return LB_ERROR_VALUE;
    }
    if (!lbi_within(&c[LBI_LINK_FROM], 0, last) || !lbi_within(&c[LBI_LINK_TO], 0, last) ||
        !lbi_are_prices(&c[LBI_LINK_TICKS]) || !lbi_within(&c[LBI_LINK_START], 0, last) ||
        !lbi_within(&c[LBI_LINK_NUMBER], 0, (int64_t)c[LBI_LINK_NAME].count - 1) ||
        !lbi_within(&c[LBI_LINK_GOAL], 0, last))
        return LB_ERROR_VALUE;
    for (i = 1; i < level->links; i++)
        if (lbi_i32(&c[LBI_LINK_FROM])[i] < lbi_i32(&c[LBI_LINK_FROM])[i - 1]) return LB_ERROR_VALUE;
    if (!lbi_within(&c[LBI_PRICE_FROM], 0, last) || !lbi_within(&c[LBI_PRICE_TO], 0, last) ||
        !lbi_are_prices(&c[LBI_PRICE_TICKS]))
        return LB_ERROR_VALUE;
    for (i = 1; i < c[LBI_PRICE_FROM].count; i++) {
        const int32_t *from = lbi_i32(&c[LBI_PRICE_FROM]) + i, *to = lbi_i32(&c[LBI_PRICE_TO]) + i;
        if (from[0] < from[-1] || (from[0] == from[-1] && to[0] <= to[-1])) return LB_ERROR_VALUE;
    }
    for (i = 0; i < c[LBI_PRICE_UNITS].count; i++)
        if (!(lbi_f64(&c[LBI_PRICE_UNITS])[i] > 0.0)) return LB_ERROR_VALUE;
    if (!lbi_counts(&c[LBI_SPOT_FIRST_PROFILE], &c[LBI_SPOT_PROFILE], 0) ||
        !lbi_counts(&c[LBI_LINK_FIRST_PROFILE], &c[LBI_LINK_PROFILE], 0))
        return LB_ERROR_VALUE;
    if (!lbi_counts(&c[LBI_REGION_FIRST], &c[LBI_REGION_CELL], 0) || !lbi_within(&c[LBI_REGION_CELL], 0, last) ||
        !lbi_within(&c[LBI_SPOT_AT], 0, last))
        return LB_ERROR_VALUE;
    if (!lbi_counts(&c[LBI_DOOR_FIRST_CELL], &c[LBI_DOOR_CELL], 0) || !lbi_within(&c[LBI_DOOR_CELL], 0, last) ||
        !lbi_counts(&c[LBI_DOOR_FIRST_STATE], &c[LBI_DOOR_STATE_NAME], 0) ||
        !lbi_counts(&c[LBI_DOOR_FIRST_TERRAIN], &c[LBI_DOOR_TERRAIN], 0) ||
        !lbi_below(&c[LBI_DOOR_TERRAIN], (uint64_t)level->terrains) ||
        !lbi_within(&c[LBI_DOOR_STATE], -1, (int64_t)c[LBI_DOOR_STATE_NAME].count - 1))
        return LB_ERROR_VALUE;
    for (i = 0; i < c[LBI_DOOR_NAME].count; i++) {
        const int32_t *cell = lbi_i32(&c[LBI_DOOR_FIRST_CELL]), *terrain = lbi_i32(&c[LBI_DOOR_FIRST_TERRAIN]);
        const int32_t *state = lbi_i32(&c[LBI_DOOR_FIRST_STATE]);
        const int32_t now = lbi_i32(&c[LBI_DOOR_STATE])[i];
        if (now >= 0 && (now < state[i] || now >= state[i + 1])) return LB_ERROR_VALUE;
        for (s = (uint32_t)state[i]; s < (uint32_t)state[i + 1]; s++)
            if (terrain[s + 1] - terrain[s] != cell[i + 1] - cell[i]) return LB_ERROR_VALUE;
    }
    return LB_OK;
}

/* Return whether runs cover all rows: in each row the first starts at 0, and starts increase. */
static inline int lbi_check_runs(const lb_nav *nav) {
    const lbi_column *start = &nav->column[LBI_P_RUN_START];
    uint64_t falls = 0;
    uint32_t i, wrong = 0;
    for (i = 0; i < (uint32_t)nav->rows; i++) wrong |= lbi_at(start, nav->first_run[i]);
    if (start->bytes == 2) {
        const uint16_t *values = (const uint16_t *)start->data;
        for (i = 1; i < start->count; i++) falls += values[i] <= values[i - 1];
    } else {
        const uint32_t *values = (const uint32_t *)start->data;
        for (i = 1; i < start->count; i++) falls += values[i] <= values[i - 1];
    }
    /* Each start of a row is a decrease, so any further decrease is an error. */
    return !wrong && falls + 1 == (uint64_t)(nav->rows ? nav->rows : 1) && lbi_below(start, (uint64_t)nav->rows);
}

/* Return whether labels form a tree: a parent is one level higher, and the top of a chain not lower. */
static inline int lbi_check_labels(const lb_nav *nav) {
    const lbi_column *c = nav->column;
    const int32_t *parent = lbi_i32(&c[LBI_P_PARENT]), *top = lbi_i32(&c[LBI_P_TOP]);
    const uint32_t *first = (const uint32_t *)c[LBI_P_FIRST_LABEL].data;
    int32_t row;
    if (!lbi_counts(&c[LBI_P_FIRST_LABEL], &c[LBI_P_AWAY], 1) ||
        !lbi_within(&c[LBI_P_PARENT], -1, (int64_t)nav->rows - 1) ||
        !lbi_within(&c[LBI_P_TOP], 0, (int64_t)nav->rows - 1))
        return 0;
    for (row = 0; row < nav->rows; row++) {
        uint32_t depth = first[row + 1] - first[row];
        if (first[top[row] + 1] - first[top[row]] > depth) return 0;
        if (parent[row] < 0 ? depth != 1 : first[parent[row] + 1] - first[parent[row]] + 1 != depth) return 0;
    }
    return 1;
}

static inline int lbi_check_profile(lb_nav *nav) {
    const lb_level *level = nav->level;
    const lbi_column *c = nav->column;
    const uint16_t *classes = (const uint16_t *)c[LBI_P_CLASS].data;
    int64_t sum = 0, there = 0;
    int32_t i;
    for (i = 0; i < level->terrains; i++)
        if (classes[i] != LBI_NO_CLASS && classes[i] >= nav->classes) return LB_ERROR_VALUE;
    if (!lbi_are_prices(&c[LBI_P_STEP_TICKS]) || !lbi_are_prices(&c[LBI_P_WEIGHT])) return LB_ERROR_VALUE;
    if (!lbi_within(&c[LBI_P_ROW_AT], -1, (int64_t)nav->rows - 1)) return LB_ERROR_VALUE;
    for (i = 0; i < level->locations; i++) {
        there += nav->row_at[i] >= 0;
        sum += nav->row_at[i];
    }
    sum += level->locations - there; /* each -1 */
    if (there != nav->rows || sum != (int64_t)nav->rows * (nav->rows - 1) / 2) return LB_ERROR_VALUE;
    if (!lbi_within(&c[LBI_P_COMPONENT], 0, (int64_t)nav->components - 1)) return LB_ERROR_VALUE;
    if (c[LBI_P_REACH].data && !c[LBI_P_COMPONENT].data && nav->components != 1) return LB_ERROR_COLUMN;
    if (nav->first_run) {
        if (!c[LBI_P_RUN_START].data || !c[LBI_P_RUN_MOVE].data) return LB_ERROR_COLUMN;
        if (!lbi_counts(&c[LBI_P_FIRST_RUN], &c[LBI_P_RUN_START], 1)) return LB_ERROR_VALUE;
        if (!lbi_check_runs(nav)) return LB_ERROR_VALUE;
    }
    if (!c[LBI_P_GREEDY_KIND].data != !c[LBI_P_GREEDY_MOVE].data) return LB_ERROR_COLUMN;
    if (c[LBI_P_GREEDY_MOVE].data && c[LBI_P_RUN_MOVE].data && c[LBI_P_GREEDY_MOVE].bytes != c[LBI_P_RUN_MOVE].bytes)
        return LB_ERROR_COLUMN;
    if (!lbi_below(&c[LBI_P_GREEDY_KIND], c[LBI_P_GREEDY_MOVE].count)) return LB_ERROR_VALUE;
    if (c[LBI_P_SLOPE].data && !level->column[LBI_ELEVATION].data) return LB_ERROR_COLUMN;
    if (c[LBI_P_AWAY].data && (!c[LBI_P_PARENT].data || !c[LBI_P_TOP].data || !c[LBI_P_FIRST_LABEL].data))
        return LB_ERROR_COLUMN;
    if (c[LBI_P_AWAY].data && !lbi_check_labels(nav)) return LB_ERROR_VALUE;
    if (level->links && !c[LBI_P_LINK_OPEN].data) return LB_ERROR_COLUMN;
    return LB_OK;
}

static const int8_t lbi_square_step[8][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

/* Find the columns of a profile, and derive its constants. */
static inline int lbi_nav_of(const lb_level *level, int32_t profile, lb_nav *nav) {
    const int32_t *numbers;
    int64_t lengths[LBI_DIMENSIONS];
    uint32_t entry, found = 0;
    int i, error;
    memset(nav, 0, sizeof *nav);
    for (i = 0; i < LBI_DIMENSIONS; i++) lengths[i] = -1;
    lengths[LBI_TWO] = 2;
    lengths[LBI_FOUR] = 4;
    lengths[LBI_SECTOR] = LBI_SECTORS;
    lengths[LBI_D_LOCATION] = level->locations;
    lengths[LBI_D_TERRAIN] = level->terrains;
    lengths[LBI_D_ARC] = level->arcs;
    lengths[LBI_D_LINK_ARC] = level->links;
    for (entry = 0; entry < level->entries; entry++) { /* column numbers contains the lengths of the others */
        const uint8_t *at = level->bytes + 64 + 64 * (size_t)entry;
        if ((int32_t)lbi_u32(at + 24) != profile || strncmp((const char *)at, "numbers", 24) != 0) continue;
        if (found++ || lbi_u16(at + 28) != 4 || lbi_u16(at + 30) != 1 || lbi_u32(at + 32) < 8) return LB_ERROR_COLUMN;
        numbers = (const int32_t *)(const void *)(level->bytes + lbi_u64(at + 48));
        nav->rows = numbers[0];
        nav->components = numbers[1];
        nav->says_none = numbers[3];
        nav->size = numbers[4];
        nav->classes = numbers[5];
    }
    if (!found) return LB_ERROR_COLUMN;
    if (nav->rows < 0 || nav->rows > level->locations || nav->components < 0 || nav->components > nav->rows ||
        nav->size < 1 || nav->size > 16 || (nav->size > 1 && level->kind != 1) || nav->classes < 0 ||
        nav->classes > level->terrains)
        return LB_ERROR_VALUE;
    lengths[LBI_D_ROW] = nav->rows;
    lengths[LBI_D_CLASS] = nav->classes;
    lengths[LBI_D_COMPONENT] = nav->components;
    lengths[LBI_D_REACH] = (nav->components + 7) / 8;
    error = lbi_columns(level, profile, lbi_profile_columns, LBI_PROFILE_COLUMNS, lengths, nav->column);
    if (error != LB_OK) return error;
    nav->level = level;
    nav->profile = profile;
    nav->row_at = lbi_i32(&nav->column[LBI_P_ROW_AT]);
    nav->first_run = (const uint32_t *)nav->column[LBI_P_FIRST_RUN].data;
    i = nav->column[LBI_P_RUN_MOVE].bytes;
    nav->none = i == 1 ? 0xff : i == 2 ? 0xffff : 0xffffffff;
    nav->greedy = nav->none - 1;
    for (i = 0; i < 8; i++) nav->offset[i] = lbi_square_step[i][1] * level->width + lbi_square_step[i][0];
    nav->straight = nav->diagonal = LBI_MOST_TICKS;
    for (i = 0; level->kind != 0 && i < 2 * nav->classes * nav->classes; i++) {
        int32_t ticks = lbi_i32(&nav->column[LBI_P_STEP_TICKS])[i];
        int32_t *least = i < nav->classes * nav->classes ? &nav->straight : &nav->diagonal;
        *least = lbi_least(*least, ticks);
    }
    nav->diagonal = lbi_least(nav->diagonal, 2 * nav->straight);
    nav->straight = lbi_least(nav->straight, nav->diagonal);
    return LB_OK;
}

static inline int lbi_open(lb_level *level, const uint8_t *bytes, size_t size) {
    const uint16_t one = 1;
    const lbi_column *c = level->column;
    const int32_t *numbers;
    int64_t lengths[LBI_DIMENSIONS];
    int32_t i;
    int error;
    memset(level, 0, sizeof *level);
    if (*(const uint8_t *)&one != 1) return LB_ERROR_ENDIAN;
    error = lbi_parse(level, bytes, size);
    if (error != LB_OK) return error;
    for (i = 0; i < LBI_DIMENSIONS; i++) lengths[i] = -1;
    lengths[LBI_ONE] = 1;
    lengths[LBI_TWO] = 2;
    level->kind = 1; /* until column numbers is read */
    {
        uint32_t entry, found = 0;
        for (entry = 0; entry < level->entries && !found; entry++) {
            const uint8_t *at = bytes + 64 + 64 * (size_t)entry;
            if (lbi_u32(at + 24) != 0xffffffff || strncmp((const char *)at, "numbers", 24) != 0) continue;
            if (lbi_u16(at + 28) != 4 || lbi_u16(at + 30) != 1 || lbi_u32(at + 32) < 14) return LB_ERROR_COLUMN;
            found = 1;
            numbers = (const int32_t *)(const void *)(bytes + lbi_u64(at + 48));
            level->kind = numbers[0];
            level->width = numbers[1];
            level->height = numbers[2];
            level->floors = numbers[3];
            level->directions = numbers[4];
            level->hex_layout = numbers[5];
            level->corner_cutting = numbers[6];
            level->cost_rule = numbers[7];
            level->ticks_per_unit = numbers[8];
            level->locations = numbers[9];
            level->terrains = numbers[11];
            level->profiles = numbers[12];
            level->usual_terrain = numbers[13];
        }
        if (!found) return LB_ERROR_COLUMN;
    }
    if (level->kind < 0 || level->kind > 2 || level->width < 0 || level->width > 1 << 30 || level->height < 0 ||
        level->floors < 1 || level->height % level->floors != 0 || level->corner_cutting < 0 ||
        level->corner_cutting > 2 || level->cost_rule < 0 || level->cost_rule > 1 || level->ticks_per_unit < 1 ||
        level->locations < 0 || level->terrains < 1 || level->terrains > 256 || level->profiles < 1 ||
        level->usual_terrain < 0 || level->usual_terrain >= level->terrains)
        return LB_ERROR_VALUE;
    if (level->kind == 0 ? level->directions != 0 : (int64_t)level->width * level->height != level->locations)
        return LB_ERROR_VALUE;
    if (level->kind == 1 && level->directions != 4 && level->directions != 8) return LB_ERROR_VALUE;
    if (level->kind == 2 ? level->directions != 6 || level->hex_layout < 1 || level->hex_layout > 4
                         : level->hex_layout != 0)
        return LB_ERROR_VALUE;
    level->floor_rows = level->height / level->floors;
    level->per_width = level->width ? 1.0 / level->width : 0.0;
    lengths[LBI_D_LOCATION] = level->locations;
    lengths[LBI_D_PROFILE] = level->profiles;
    lengths[LBI_D_TERRAIN] = level->terrains;
    error = lbi_columns(level, -1, lbi_level_columns, LBI_LEVEL_COLUMNS, lengths, level->column);
    if (error != LB_OK) return error;
    level->arcs = c[LBI_HEAD].count;
    level->links = c[LBI_LINK_FROM].count;
    if (level->kind == 0 && (level->links || level->arcs > 0x7fffffff)) return LB_ERROR_COLUMN;
    if (c[LBI_CENTRE].data && ((c[LBI_CENTRE].count != 1 && c[LBI_CENTRE].count != (uint32_t)level->floors) ||
                               c[LBI_STEP].count != (level->kind == 2 ? 3 : 2)))
        return LB_ERROR_COLUMN;
    error = lbi_check_things(level);
    for (i = 0; i < level->profiles && error == LB_OK; i++) {
        lb_nav nav;
        error = lbi_nav_of(level, i, &nav);
        if (error == LB_OK) error = lbi_check_profile(&nav);
    }
    return error;
}

LBI_PUBLIC int lb_open(lb_level *level, const void *bytes, size_t size) {
    int error = lbi_open(level, (const uint8_t *)bytes, size);
    if (error != LB_OK) memset(level, 0, sizeof *level); /* an empty level */
    return error;
}

LBI_PUBLIC int lb_profile(const lb_level *level, const char *name_or_null, lb_nav *nav) {
    int32_t profile = name_or_null ? lb_find(level, LB_PROFILES, name_or_null) : 0;
    int error;
    memset(nav, 0, sizeof *nav);
    if (profile < 0 || profile >= level->profiles) return LB_ERROR_PROFILE;
    error = lbi_nav_of(level, profile, nav);
    return error == LB_OK && !nav->first_run ? LB_ERROR_HOPS : error;
}

LBI_PUBLIC const char *lb_error_text(int error) {
    static const char *const texts[] = {
        "no error",
        "the memory is not at a multiple of 8, or too small for the level and its prices",
        "this is no level of bake: export one with `bake export ASSET -o LEVEL.bake`",
        "another version of the format: export the level with the bake of this reader",
        "not as long as its header says: the file is cut off, or was taken for text",
        "damaged: the checksum does not fit; copy or export it again",
        "damaged: a column does not lie in the file",
        "damaged: a column is missing, or has another type or shape",
        "damaged: a number lies outside what it counts",
        "this machine is big-endian, and the file is not",
        "no such profile in this file",
        "no such node",
        "no such terrain",
        "a price is 1 to 2^29 ticks, infinite, or the usual one",
        "no arc leads from one to the other; this reader cannot add any",
        "no room for more prices: open the changes with more",
        "no such door, or it has no such state",
        "no patch, or a damaged one: save it again",
        "a patch with links or new arcs, which this reader does not know",
        "a patch of another level, or of another bake of it",
        "the file holds no next hops: follow changes, which search, or export next_hops as well",
        "cells are nodes in this file, which lacks the rules of their steps: change the asset instead",
        "this is a Git LFS pointer: run `git lfs pull`",
    };
    if (error > 0 || error < LB_ERROR_LFS) return "no such error";
    return texts[-error];
}

/* -- places --------------------------------------------------------------------------------------- */

/* Return the grid row of a location; adding 0.5 protects the product from rounding. */
LBI_INLINE int32_t lbi_row_of(const lb_level *level, int32_t location) {
    return (int32_t)(((double)location + 0.5) * level->per_width);
}

LBI_INLINE int lbi_is_location(const lb_level *level, int32_t location) {
    return (uint32_t)location < (uint32_t)level->locations;
}

LBI_PUBLIC int lb_stands(const lb_nav *nav, int32_t node) {
    if (!nav->level || !lbi_is_location(nav->level, node)) return 0;
    return nav->now ? nav->now->stands(nav, node) : nav->row_at[node] >= 0;
}

LBI_PUBLIC int32_t lb_node_at(const lb_nav *nav, int32_t x, int32_t y, int32_t floor) {
    const lb_level *level = nav->level;
    int32_t location;
    if (!level || x < 0 || x >= level->width || y < 0 || y >= level->floor_rows || floor < 0 ||
        floor >= level->floors)
        return -1;
    location = (floor * level->floor_rows + y) * level->width + x;
    return lb_stands(nav, location) ? location : -1;
}

LBI_PUBLIC int lb_cell_of(const lb_nav *nav, int32_t node, int32_t *x, int32_t *y, int32_t *floor) {
    const lb_level *level = nav->level;
    int32_t row;
    if (!level || level->kind == 0 || !lbi_is_location(level, node)) return 0;
    row = lbi_row_of(level, node);
    *x = node - row * level->width;
    *y = row % level->floor_rows;
    *floor = row / level->floor_rows;
    return 1;
}

/* Return chart coordinates, in which neighbors differ by at most one. */
LBI_INLINE void lbi_chart(const lb_level *level, int32_t location, int32_t *x, int32_t *y) {
    int32_t row = lbi_row_of(level, location), column = location - row * level->width;
    switch (level->hex_layout) { /* all numbers are nonnegative, so division rounds down */
    case 1: *x = column - (row - (row & 1)) / 2, *y = row; break;
    case 2: *x = column - (row + (row & 1)) / 2, *y = row; break;
    case 3: *x = column, *y = row - (column - (column & 1)) / 2; break;
    case 4: *x = column, *y = row - (column + (column & 1)) / 2; break;
    default: *x = column, *y = row;
    }
}

LBI_INLINE double lbi_clamped(double value) {
    return value > 1099511627776.0 ? 1099511627776.0 : value < -1099511627776.0 ? -1099511627776.0 : value;
}

/* Return the center of cell (0, 0), the steps east and south, and the shift of hexagonal lines. */
static inline void lbi_axes(const lb_level *level, int32_t floor, double *centre, double *east, double *south,
                            double *side) {
    const lbi_column *c = level->column;
    const double long_way = 2 / 1.7320508075688772; /* of a hexagon of width 1 */
    const int layout = level->hex_layout;
    *side = layout == 0 ? 0.0 : long_way / 2;
    if (c[LBI_CENTRE].data) {
        const double *from = lbi_f64(&c[LBI_CENTRE]) + (c[LBI_CENTRE].count > 1 ? 2 * floor : 0);
        memcpy(centre, from, 2 * sizeof *from);
        memcpy(east, lbi_f64(&c[LBI_STEP]), 2 * sizeof *east);
        memcpy(south, lbi_f64(&c[LBI_STEP]) + 2, 2 * sizeof *south);
        if (layout) *side = lbi_f64(&c[LBI_STEP])[4] + lbi_f64(&c[LBI_STEP])[5];
        return;
    }
    east[0] = layout > 2 ? 0.75 * long_way : 1.0;
    south[1] = layout == 1 || layout == 2 ? 0.75 * long_way : 1.0;
    east[1] = south[0] = 0.0;
    centre[0] = layout > 2 ? long_way / 2 : layout == 2 ? 1.0 : 0.5;
    centre[1] = layout == 1 || layout == 2 ? long_way / 2 : layout == 4 ? 1.0 : 0.5;
}

LBI_PUBLIC int lb_point_of(const lb_level *level, int32_t node, double *x, double *y) {
    double centre[2], east[2], south[2], side, step_x, step_y;
    int32_t row, layout = level->hex_layout;
    if (!lbi_is_location(level, node)) return 0;
    if (level->kind == 0) {
        const double *position = lbi_f64(&level->column[LBI_POSITION]);
        if (!position) return 0;
        *x = position[2 * (size_t)node];
        *y = position[2 * (size_t)node + 1];
        return 1;
    }
    row = lbi_row_of(level, node);
    lbi_axes(level, row / level->floor_rows, centre, east, south, &side);
    step_x = node - row * level->width;
    step_y = row % level->floor_rows;
    if (layout == 1 || layout == 2) step_x += (layout == 1 ? 0.5 : -0.5) * (row % level->floor_rows & 1);
    if (layout == 3 || layout == 4) step_y += (layout == 3 ? 0.5 : -0.5) * ((node - row * level->width) & 1);
    *x = centre[0] + step_x * east[0] + step_y * south[0];
    *y = centre[1] + step_x * east[1] + step_y * south[1];
    return 1;
}

/* Return the column and row of a point, as fractions. */
LBI_INLINE void lbi_square(double x, double y, const double *centre, const double *east, const double *south,
                           double *found) {
    double right = x - (centre[0] - (east[0] + south[0]) / 2);
    double down = y - (centre[1] - (east[1] + south[1]) / 2);
    double area = east[0] * south[1] - east[1] * south[0];
    int upright = east[1] == 0 && south[0] == 0;
    found[0] = upright ? right / east[0] : (right * south[1] - down * south[0]) / area;
    found[1] = upright ? down / south[1] : (down * east[0] - right * east[1]) / area;
}

/* Round down; the value must be within +-2^52. */
LBI_INLINE double lbi_floor(double value) {
    double whole = (double)(int64_t)value;
    return whole > value ? whole - 1 : whole;
}

LBI_PUBLIC int lb_cell_at(const lb_level *level, double x, double y, int32_t floor, int32_t *cell_x,
                          int32_t *cell_y) {
    double centre[2], east[2], south[2], side, found[2];
    if (level->kind == 0 || floor < 0 || floor >= level->floors) return 0;
    lbi_axes(level, floor, centre, east, south, &side);
    if (level->kind == 1) {
        lbi_square(x, y, centre, east, south, found);
        if (!(found[0] > -2147483647.0 && found[0] < 2147483647.0) ||
            !(found[1] > -2147483647.0 && found[1] < 2147483647.0))
            return 0;
        *cell_x = (int32_t)lbi_floor(found[0]);
        *cell_y = (int32_t)lbi_floor(found[1]);
        return 1;
    } else { /* the nearest of the hexagons next to the point's side */
        const int rows = level->hex_layout <= 2, plain = level->hex_layout % 2 == 0;
        const double across = rows ? y - centre[1] : x - centre[0];
        const double along = rows ? x - centre[0] : y - centre[1];
        const double pitch = rows ? south[1] : east[0], step = rows ? east[0] : south[1];
        double line = (across - plain * pitch + side / 2) / (2 * pitch), least = INFINITY;
        double place = along / step + 0.5 * plain + 0.5;
        static const double around[4][2] = {{0, 0}, {1, -1}, {1, 0}, {2, 0}};
        int i;
        if (!(line > -1e9 && line < 1e9) || !(place > -2147483645.0 && place < 2147483645.0)) return 0;
        line = 2 * lbi_floor(line) + plain;
        place = lbi_floor(place);
        for (i = 0; i < 4; i++) {
            double own = line + around[i][0], each = place + around[i][1];
            double shift = (plain ? -0.5 : 0.5) * (double)((int64_t)own & 1);
            double a = across - own * pitch, b = along - (each + shift) * step;
            if (!(a * a + b * b < least)) continue;
            least = a * a + b * b;
            *cell_x = (int32_t)(rows ? each : own);
            *cell_y = (int32_t)(rows ? own : each);
        }
        return least < INFINITY;
    }
}

LBI_PUBLIC int32_t lb_nearest(const lb_nav *nav, double x, double y, int32_t floor) {
    const lb_level *level = nav->level;
    double least = INFINITY, centre[2], east[2], south[2], side, cell[2], shift, wide, high;
    int32_t best = -1, i, row, column, way, start, hex;
    if (!level || !(x - x == 0) || !(y - y == 0)) return -1;
    x = lbi_clamped(x), y = lbi_clamped(y);
    if (level->kind == 0) {
        const double *position = lbi_f64(&level->column[LBI_POSITION]);
        for (i = 0; position && i < level->locations; i++) {
            double dx = position[2 * i] - x, dy = position[2 * i + 1] - y;
            if (dx * dx + dy * dy < least && lb_stands(nav, i)) least = dx * dx + dy * dy, best = i;
        }
        return best;
    }
    if (floor < 0 || floor >= level->floors || level->locations == 0) return -1;
    start = floor * level->floor_rows * level->width;
    if (lb_cell_at(level, x, y, floor, &column, &row) && column >= 0 && column < level->width && row >= 0 &&
        row < level->floor_rows && lb_stands(nav, start + row * level->width + column))
        return start + row * level->width + column;
    lbi_axes(level, floor, centre, east, south, &side);
    lbi_square(x, y, centre, east, south, cell);
    hex = level->hex_layout;
    shift = hex == 0 ? 0.0 : hex % 2 ? 0.5 : -0.5;
    wide = hex ? east[0] : 1.0, high = hex ? south[1] : 1.0;
    x = lbi_clamped(hex ? (x - centre[0]) / wide : cell[0] - 0.5);
    y = lbi_clamped(hex ? (y - centre[1]) / high : cell[1] - 0.5);
    i = y < 0 ? 0 : y >= level->floor_rows ? level->floor_rows - 1 : (int32_t)y;
    /* Scan rows up and down from the point's row; on squares, only while they may be nearer. */
    for (way = -1; way <= 1; way += 2)
        for (row = i; row >= 0 && row < level->floor_rows && (hex || (row - y) * (row - y) <= least); row += way)
            for (column = 0; column < level->width; column++) {
                double dx = (column + (hex <= 2 ? shift * (row & 1) : 0.0) - x) * wide;
                double dy = (row + (hex > 2 ? shift * (column & 1) : 0.0) - y) * high, far = dx * dx + dy * dy;
                int32_t at = start + row * level->width + column;
                if ((far < least || (far == least && at < best)) && lb_stands(nav, at)) least = far, best = at;
            }
    return best;
}

/* -- lookups in the tables ------------------------------------------------------------------------- */

/* Return the run of a row that contains a goal, by a branchless binary search. */
LBI_INLINE uint32_t lbi_run(const lbi_column *start, int wide, uint32_t first, uint32_t count, uint32_t goal) {
    uint32_t at = first;
    if (wide) {
        const uint32_t *values = (const uint32_t *)start->data;
        for (; count > 1; count -= count / 2) at += count / 2 & (0U - (uint32_t)(values[at + count / 2] <= goal));
    } else {
        const uint16_t *values = (const uint16_t *)start->data;
        for (; count > 1; count -= count / 2) at += count / 2 & (0U - (uint32_t)(values[at + count / 2] <= goal));
    }
    return at;
}

/* Return the sector of (dx, dy), of 18: by the signs of both, and by the longer one. */
LBI_INLINE uint32_t lbi_sector(int32_t dx, int32_t dy) {
    int32_t side = ((dx > 0) - (dx < 0) + 1) * 3 + (dy > 0) - (dy < 0) + 1;
    return (uint32_t)(side * 2 + ((dy < 0 ? -dy : dy) > (dx < 0 ? -dx : dx)));
}

LBI_INLINE uint32_t lbi_greedy(const lb_nav *nav, int32_t row, int32_t dx, int32_t dy) {
    if (!nav->column[LBI_P_GREEDY_KIND].data) return nav->none;
    return lbi_at(&nav->column[LBI_P_GREEDY_MOVE],
                  (size_t)lbi_at(&nav->column[LBI_P_GREEDY_KIND], (size_t)row) * LBI_SECTORS + lbi_sector(dx, dy));
}

/* Return the neighbor in a direction; -1 outside the floor. */
static inline int32_t lbi_step(const lb_level *level, int32_t at, int32_t direction) {
    static const int8_t lines[2][6][2] = {{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}},
                                          {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {0, -1}, {1, -1}}};
    static const int8_t columns[2][6][2] = {{{0, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}},
                                            {{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, 0}, {1, 1}}};
    int32_t row = lbi_row_of(level, at), x = at - row * level->width;
    int32_t y = level->floors == 1 ? row : row % level->floor_rows;
    const int8_t *step = level->hex_layout == 0   ? lbi_square_step[direction]
                         : level->hex_layout <= 2 ? lines[(row + level->hex_layout + 1) & 1][direction]
                                                  : columns[(x + level->hex_layout + 1) & 1][direction];
    int32_t to_x = x + step[0], to_y = y + step[1];
    if ((uint32_t)to_x >= (uint32_t)level->width || (uint32_t)to_y >= (uint32_t)level->floor_rows) return -1;
    return at + step[1] * level->width + step[0];
}

/* Return the first link arc whose tail is a location or a later one. */
static inline uint32_t lbi_first_link(const lb_level *level, int32_t at) {
    const int32_t *from = lbi_i32(&level->column[LBI_LINK_FROM]);
    uint32_t low = 0, high = level->links;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (from[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Return the head of a move; -1 if it does not exist. `arc` is set for links and arcs of graphs. */
static inline int32_t lbi_move(const lb_level *level, int32_t at, uint32_t move, uint32_t *arc) {
    if (level->kind == 0) {
        const int32_t *first = lbi_i32(&level->column[LBI_FIRST_OUT]) + at;
        if (move >= (uint32_t)(first[1] - first[0])) return -1;
        *arc = (uint32_t)first[0] + move;
        return lbi_i32(&level->column[LBI_HEAD])[*arc];
    }
    if (move < (uint32_t)level->directions) return lbi_step(level, at, (int32_t)move);
    move -= (uint32_t)level->directions;
    *arc = lbi_first_link(level, at);
    if (move >= level->links - *arc) return -1;
    *arc += move;
    return lbi_i32(&level->column[LBI_LINK_FROM])[*arc] == at ? lbi_i32(&level->column[LBI_LINK_TO])[*arc] : -1;
}

/* Return whether components are connected; 2 = unknown. */
LBI_INLINE int lbi_joined(const lb_nav *nav, int32_t row, int32_t goal) {
    const int32_t *component = lbi_i32(&nav->column[LBI_P_COMPONENT]);
    const lbi_column *reach = &nav->column[LBI_P_REACH];
    int32_t a, b;
    if (!component) return 1;
    a = component[row];
    b = component[goal];
    if (a == b) return 1;
    if (reach->data) return lbi_bytes(reach)[(size_t)a * reach->width + (uint32_t)b / 8] >> (7 - b % 8) & 1;
    return nav->says_none ? 2 : 0;
}

/* Return the move between two rows, or the number for "no path". */
LBI_INLINE uint32_t lbi_said(const lb_nav *nav, int32_t from, int32_t row, int32_t to, int32_t goal) {
    uint32_t move, first;
    if (!nav->first_run) return nav->none;
    first = nav->first_run[row];
    move = lbi_at(&nav->column[LBI_P_RUN_MOVE],
                  lbi_run(&nav->column[LBI_P_RUN_START], nav->column[LBI_P_RUN_START].bytes == 4, first,
                          nav->first_run[row + 1] - first, (uint32_t)goal));
    if (move == nav->greedy && nav->level->kind != 0) {
        int32_t x, y, to_x, to_y;
        lbi_chart(nav->level, from, &x, &y);
        lbi_chart(nav->level, to, &to_x, &to_y);
        move = lbi_greedy(nav, row, to_x - x, to_y - y);
    }
    return move;
}

/* Return the baked next hop, and its move. */
LBI_INLINE int32_t lbi_hop(const lb_nav *nav, int32_t from, int32_t to, uint32_t *move) {
    const lb_level *level = nav->level;
    int32_t row, goal, head;
    uint32_t arc;
    if (!level || !lbi_is_location(level, from) || !lbi_is_location(level, to)) return -1;
    row = nav->row_at[from];
    goal = nav->row_at[to];
    if (row < 0 || goal < 0) return -1;
    if (row == goal) return from;
    if (!nav->says_none && !lbi_joined(nav, row, goal)) return -1;
    *move = lbi_said(nav, from, row, to, goal);
    if (*move == nav->none) return -1;
    if (level->kind == 1 && *move < (uint32_t)level->directions) head = from + nav->offset[*move];
    else head = lbi_move(level, from, *move, &arc);
    /* A forged file may contain a move without a head. */
    return lbi_is_location(level, head) && nav->row_at[head] >= 0 ? head : -1;
}

LBI_PUBLIC int32_t lb_next_hop(const lb_nav *nav, int32_t from, int32_t to) {
    uint32_t move;
    if (nav->now) return nav->now->next_hop(nav, from, to);
    return nav->level && !nav->first_run ? LB_ERROR_HOPS : lbi_hop(nav, from, to, &move);
}

LBI_PUBLIC void lb_next_hops(const lb_nav *nav, const int32_t *from, const int32_t *to, int32_t *out, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        /* Prefetch the data of later pairs while earlier ones are answered. */
        if (nav->first_run && count - i > 24) {
            int32_t far_from = from[i + 24], far_to = to[i + 24], near = from[i + 12];
            if (lbi_is_location(nav->level, far_from)) LBI_PREFETCH(&nav->row_at[far_from]);
            if (lbi_is_location(nav->level, far_to)) LBI_PREFETCH(&nav->row_at[far_to]);
            if (lbi_is_location(nav->level, near) && nav->row_at[near] >= 0)
                LBI_PREFETCH(&nav->first_run[nav->row_at[near]]);
        }
        out[i] = lb_next_hop(nav, from[i], to[i]);
    }
}

/* -- paths ---------------------------------------------------------------------------------------- */

typedef struct lbi_walk {
    int32_t at, to, goal, dx, dy, left;
    size_t count;
} lbi_walk;

/* Return whether the fast path for walks applies: on squares, with moves of one byte. */
LBI_INLINE int lbi_is_plain(const lb_nav *nav) {
    return nav->level && nav->level->kind == 1 && nav->first_run && nav->column[LBI_P_RUN_MOVE].bytes == 1 &&
           (!nav->column[LBI_P_GREEDY_KIND].data || nav->column[LBI_P_GREEDY_KIND].bytes <= 2);
}

/* Start a walk; 0 without a path. */
LBI_INLINE int lbi_set_out(const lb_nav *nav, int32_t from, int32_t to, lbi_walk *walk) {
    const lb_level *level = nav->level;
    int32_t x, y;
    if (!lbi_is_location(level, from) || !lbi_is_location(level, to) || nav->row_at[from] < 0) return 0;
    walk->at = from;
    walk->to = to;
    walk->goal = nav->row_at[to];
    walk->count = 0;
    walk->left = nav->rows;
    if (walk->goal < 0 || !lbi_joined(nav, nav->row_at[from], walk->goal)) return 0;
    lbi_chart(level, from, &x, &y);
    lbi_chart(level, to, &walk->dx, &walk->dy);
    walk->dx -= x;
    walk->dy -= y;
    return 1;
}

/* Return the move from a row, for moves of one byte. */
LBI_INLINE uint32_t lbi_plain_move(const lb_nav *nav, int wide, int32_t row, const lbi_walk *walk) {
    uint32_t first = nav->first_run[row];
    uint32_t run =
        lbi_run(&nav->column[LBI_P_RUN_START], wide, first, nav->first_run[row + 1] - first, (uint32_t)walk->goal);
    uint32_t move = lbi_bytes(&nav->column[LBI_P_RUN_MOVE])[run];
    if (move == 254) { /* compass move */
        const lbi_column *kind = &nav->column[LBI_P_GREEDY_KIND];
        size_t which;
        if (!kind->data) return 255;
        which = kind->bytes == 1 ? lbi_bytes(kind)[row] : ((const uint16_t *)kind->data)[row];
        move = lbi_bytes(&nav->column[LBI_P_GREEDY_MOVE])[which * LBI_SECTORS + lbi_sector(walk->dx, walk->dy)];
    }
    return move;
}

/* Take a link; 0 for a move that does not exist. */
static inline int lbi_leap(const lb_nav *nav, lbi_walk *walk, uint32_t move) {
    int32_t x, y;
    uint32_t arc;
    int32_t head = move == nav->none ? -1 : lbi_move(nav->level, walk->at, move, &arc);
    if (head < 0) return 0;
    walk->at = head;
    lbi_chart(nav->level, head, &x, &y);
    lbi_chart(nav->level, walk->to, &walk->dx, &walk->dy);
    walk->dx -= x;
    walk->dy -= y;
    return 1;
}

/* Walk on squares. A step guesses that it goes on as the one before, so that the processor looks
   ahead while the table is still being asked. */
LBI_INLINE size_t lbi_walk_plain(const lb_nav *nav, int wide, lbi_walk *walk, int32_t *nodes, size_t room) {
    const uint32_t locations = (uint32_t)nav->level->locations, directions = (uint32_t)nav->level->directions;
    uint32_t last = 0;
    int32_t offset = nav->offset[0], step_x = 1, step_y = 0;
    for (;;) {
        int32_t row = nav->row_at[walk->at];
        uint32_t move;
        if (row < 0) return 0;
        if (walk->count < room) nodes[walk->count] = walk->at;
        walk->count++;
        if (walk->at == walk->to) return walk->count;
        if (walk->left-- == 0) return 0;
        move = lbi_plain_move(nav, wide, row, walk);
        if (move != last) {
            if (move >= directions) {
                if (!lbi_leap(nav, walk, move)) return 0;
                continue;
            }
            last = move;
            offset = nav->offset[move];
            step_x = lbi_square_step[move][0];
            step_y = lbi_square_step[move][1];
        }
        walk->at += offset;
        walk->dx -= step_x;
        walk->dy -= step_y;
        if ((uint32_t)walk->at >= locations) return 0;
    }
}

/* Return the baked path, step by step. */
static inline size_t lbi_path(const lb_nav *nav, int32_t from, int32_t to, int32_t *nodes, size_t room) {
    lbi_walk walk;
    size_t count;
    if (!nav->level || !lbi_set_out(nav, from, to, &walk)) return 0;
    if (lbi_is_plain(nav))
        return nav->column[LBI_P_RUN_START].bytes == 4 ? lbi_walk_plain(nav, 1, &walk, nodes, room)
                                                       : lbi_walk_plain(nav, 0, &walk, nodes, room);
    for (count = 1;; count++) {
        uint32_t move;
        if (count <= room) nodes[count - 1] = from;
        if (from == to) return count;
        from = lbi_hop(nav, from, to, &move);
        if (from < 0 || count > (size_t)nav->rows) return 0;
    }
}

LBI_PUBLIC size_t lb_path(const lb_nav *nav, int32_t from, int32_t to, int32_t *nodes, size_t room) {
    return nav->now ? nav->now->path(nav, from, to, nodes, room) : lbi_path(nav, from, to, nodes, room);
}

/* One path after the other: interleaved walks were half as fast, because of branch mispredictions. */
LBI_PUBLIC void lb_paths(const lb_nav *nav, const int32_t *from, const int32_t *to, int32_t *nodes, size_t room,
                         size_t *lengths, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) lengths[i] = lb_path(nav, from[i], to[i], room ? nodes + i * room : NULL, room);
}

/* -- distances ------------------------------------------------------------------------------------ */

/* Return the highest baked class under the footprint; it fits at walkable locations. */
static inline uint32_t lbi_baked_class(const lb_nav *nav, int32_t location) {
    const uint16_t *classes = (const uint16_t *)nav->column[LBI_P_CLASS].data;
    const uint8_t *terrain = lbi_bytes(&nav->level->column[LBI_TERRAIN]);
    uint32_t most = 0;
    int32_t right, down, at;
    for (down = 0; down < nav->size; down++)
        for (right = 0; right < nav->size; right++) {
            at = location + down * nav->level->width + right;
            if (!lbi_is_location(nav->level, at)) return LBI_NO_CLASS;
            if (classes[terrain[at]] > most) most = classes[terrain[at]];
        }
    return most;
}

/* Return the baked cost of a move of the next hops in ticks; BLOCKED only in forged files. */
static inline int32_t lbi_baked_price(const lb_nav *nav, int32_t from, uint32_t move, int32_t to) {
    const lb_level *level = nav->level;
    const lbi_column *c = level->column;
    uint32_t low = 0, high = c[LBI_PRICE_FROM].count, arc = 0, a, b;
    if (level->kind == 0) {
        lbi_move(level, from, move, &arc);
        return lbi_i32(&nav->column[LBI_P_WEIGHT])[arc];
    }
    while (low < high) { /* a cost of the single arc */
        uint32_t at = low + (high - low) / 2;
        int32_t tail = lbi_i32(&c[LBI_PRICE_FROM])[at], head = lbi_i32(&c[LBI_PRICE_TO])[at];
        if (tail == from && head == to) return lbi_i32(&c[LBI_PRICE_TICKS])[at];
        if (tail < from || (tail == from && head < to)) low = at + 1;
        else high = at;
    }
    if (move >= (uint32_t)level->directions) {
        lbi_move(level, from, move, &arc);
        return lbi_i32(&c[LBI_LINK_TICKS])[arc];
    }
    a = lbi_baked_class(nav, from);
    b = lbi_baked_class(nav, to);
    if (a == LBI_NO_CLASS || b == LBI_NO_CLASS) return LBI_BLOCKED;
    if (level->directions == 8 && move >= 4) a += (uint32_t)nav->classes;
    return lbi_i32(&nav->column[LBI_P_STEP_TICKS])[(size_t)a * (size_t)nav->classes + b];
}

static inline int64_t lbi_label_ticks(const lb_nav *nav, int32_t row, int32_t goal) {
    const lbi_column *c = nav->column;
    const uint32_t *first = (const uint32_t *)c[LBI_P_FIRST_LABEL].data;
    const int32_t *top = lbi_i32(&c[LBI_P_TOP]), *parent = lbi_i32(&c[LBI_P_PARENT]);
    const int32_t *away = lbi_i32(&c[LBI_P_AWAY]) + first[row];
    const int32_t *toward = lbi_i32(&c[c[LBI_P_TOWARD].data ? LBI_P_TOWARD : LBI_P_AWAY]) + first[goal];
    int64_t least = 2 * (int64_t)LBI_NO_LABEL;
    uint32_t k, shared, depth, other;
    while (top[row] != top[goal]) { /* climb the chain with the deeper top */
        depth = first[top[row] + 1] - first[top[row]];
        other = first[top[goal] + 1] - first[top[goal]];
        if (depth < other) goal = parent[top[goal]];
        else row = parent[top[row]];
        if (row < 0 || goal < 0) return LBI_NO_LABEL;
    }
    depth = first[row + 1] - first[row];
    other = first[goal + 1] - first[goal];
    shared = depth < other ? depth : other;
    for (k = 0; k < shared; k++)
        if ((int64_t)away[k] + toward[k] < least) least = (int64_t)away[k] + toward[k];
    return least;
}

/* Return the baked distance. */
static inline double lbi_distance(const lb_nav *nav, int32_t from, int32_t to) {
    const lb_level *level = nav->level;
    int64_t ticks = 0;
    int32_t row, goal, left;
    if (!level || !lbi_is_location(level, from) || !lbi_is_location(level, to)) return INFINITY;
    row = nav->row_at[from];
    goal = nav->row_at[to];
    if (row < 0 || goal < 0) return INFINITY;
    if (row == goal) return 0.0;
    if (nav->column[LBI_P_AWAY].data) {
        ticks = lbi_label_ticks(nav, row, goal);
        return ticks >= LBI_NO_LABEL ? INFINITY : (double)ticks / level->ticks_per_unit;
    }
    if (!nav->first_run) return NAN;
    for (left = nav->rows; from != to; left--) {
        uint32_t move = 0;
        int32_t head = lbi_hop(nav, from, to, &move), price;
        if (head < 0 || left == 0) return INFINITY;
        price = lbi_baked_price(nav, from, move, head);
        if (price == LBI_BLOCKED) return INFINITY; /* forged */
        ticks += price;
        from = head;
    }
    return (double)ticks / level->ticks_per_unit;
}

LBI_PUBLIC double lb_distance(const lb_nav *nav, int32_t from, int32_t to) {
    return nav->now ? nav->now->distance(nav, from, to) : lbi_distance(nav, from, to);
}

LBI_PUBLIC int lb_reachable(const lb_nav *nav, int32_t from, int32_t to) {
    int32_t row, goal;
    int joined;
    if (nav->now && !nav->now->is_baked(nav)) return nav->now->next_hop(nav, from, to) >= 0;
    if (!nav->level || !lbi_is_location(nav->level, from) || !lbi_is_location(nav->level, to)) return 0;
    row = nav->row_at[from];
    goal = nav->row_at[to];
    if (row < 0 || goal < 0) return 0;
    joined = lbi_joined(nav, row, goal);
    return joined == 2 ? lb_next_hop(nav, from, to) >= 0 : joined;
}

/* -- entities ------------------------------------------------------------------------------------- */

static inline const lbi_column *lbi_names(const lb_level *level, int kind) {
    static const uint8_t names[] = {LBI_PROFILE_NAME, LBI_TERRAIN_NAME, LBI_DOOR_NAME, LBI_SPOT_NAME,
                                    LBI_REGION_NAME,  LBI_LINK_NAME,    LBI_NODE_NAME};
    return kind < 0 || kind > LB_NODES ? NULL : &level->column[names[kind]];
}

LBI_PUBLIC const char *lb_level_name(const lb_level *level) { return lbi_text(&level->column[LBI_NAME], 0); }

LBI_PUBLIC int32_t lb_count(const lb_level *level, int kind) {
    const lbi_column *names = lbi_names(level, kind);
    return kind == LB_NODES ? level->locations : names ? (int32_t)names->count : 0;
}

LBI_PUBLIC const char *lb_name(const lb_level *level, int kind, int32_t number) {
    const lbi_column *names = lbi_names(level, kind);
    return names ? lbi_text(names, number) : NULL;
}

static inline int32_t lbi_find(const lbi_column *names, int64_t first, int64_t end, const char *name) {
    int64_t i;
    for (i = first; i < end; i++)
        if (strcmp(lbi_text(names, i), name) == 0) return (int32_t)i;
    return -1;
}

LBI_PUBLIC int32_t lb_find(const lb_level *level, int kind, const char *name) {
    const lbi_column *names = lbi_names(level, kind);
    return names && names->data && name ? lbi_find(names, 0, names->count, name) : -1;
}

LBI_PUBLIC const char *lb_id(const lb_level *level, int kind, int32_t number) {
    static const uint8_t ids[] = {LBI_DOOR_ID, LBI_SPOT_ID, LBI_REGION_ID, LBI_LINK_ID};
    const char *id =
        kind < LB_DOORS || kind > LB_LINKS ? NULL : lbi_text(&level->column[ids[kind - LB_DOORS]], number);
    return id && *id ? id : NULL;
}

LBI_PUBLIC const char *lb_for_profile(const lb_level *level, int kind, int32_t number, int32_t i) {
    const lbi_column *c = &level->column[kind == LB_SPOTS ? LBI_SPOT_FIRST_PROFILE : LBI_LINK_FIRST_PROFILE];
    const int32_t *first = lbi_i32(c);
    if ((kind != LB_SPOTS && kind != LB_LINKS) || !first || i < 0 || number < 0 || number >= lb_count(level, kind))
        return NULL;
    return i < first[number + 1] - first[number] ? lbi_text(c + 1, (int64_t)first[number] + i) : NULL;
}

LBI_PUBLIC int32_t lb_node_of_number(const lb_level *level, int64_t number) {
    const int64_t *numbers = (const int64_t *)level->column[LBI_NODE_NUMBER].data;
    int32_t i;
    for (i = 0; numbers && i < level->locations; i++)
        if (numbers[i] == number) return i;
    return -1;
}

LBI_PUBLIC int64_t lb_number_of_node(const lb_level *level, int32_t node) {
    const int64_t *numbers = (const int64_t *)level->column[LBI_NODE_NUMBER].data;
    return numbers && lbi_is_location(level, node) ? numbers[node] : -1;
}

LBI_PUBLIC int32_t lb_spot_at(const lb_level *level, int32_t spot) {
    const lbi_column *at = &level->column[LBI_SPOT_AT];
    return spot < 0 || (uint32_t)spot >= at->count ? -1 : lbi_i32(at)[spot];
}

LBI_PUBLIC const char *lb_spot_kind(const lb_level *level, int32_t spot) {
    return lbi_text(&level->column[LBI_SPOT_KIND], spot);
}

LBI_PUBLIC int32_t lb_cells(const lb_level *level, int kind, int32_t number, const int32_t **cells) {
    const lbi_column *c = level->column;
    const int32_t *first = lbi_i32(&c[kind == LB_DOORS ? LBI_DOOR_FIRST_CELL : LBI_REGION_FIRST]);
    *cells = NULL;
    if ((kind != LB_DOORS && kind != LB_REGIONS) || number < 0 || number >= lb_count(level, kind)) return 0;
    *cells = lbi_i32(&c[kind == LB_DOORS ? LBI_DOOR_CELL : LBI_REGION_CELL]) + first[number];
    return first[number + 1] - first[number];
}

LBI_PUBLIC int32_t lb_door_states(const lb_level *level, int32_t door) {
    const int32_t *first = lbi_i32(&level->column[LBI_DOOR_FIRST_STATE]);
    return door < 0 || door >= lb_count(level, LB_DOORS) ? 0 : first[door + 1] - first[door];
}

LBI_PUBLIC int32_t lb_door_baked(const lb_level *level, int32_t door) {
    int32_t state = lb_door_states(level, door) ? lbi_i32(&level->column[LBI_DOOR_STATE])[door] : -1;
    return state < 0 ? -1 : state - lbi_i32(&level->column[LBI_DOOR_FIRST_STATE])[door];
}

LBI_PUBLIC const char *lb_door_state_name(const lb_level *level, int32_t door, int32_t state) {
    if (state < 0 || state >= lb_door_states(level, door)) return NULL;
    return lbi_text(&level->column[LBI_DOOR_STATE_NAME], lbi_i32(&level->column[LBI_DOOR_FIRST_STATE])[door] + state);
}

LBI_PUBLIC const uint8_t *lb_door_terrains(const lb_level *level, int32_t door, int32_t state) {
    if (state < 0 || state >= lb_door_states(level, door)) return NULL;
    state += lbi_i32(&level->column[LBI_DOOR_FIRST_STATE])[door];
    return lbi_bytes(&level->column[LBI_DOOR_TERRAIN]) + lbi_i32(&level->column[LBI_DOOR_FIRST_TERRAIN])[state];
}

LBI_PUBLIC int32_t lb_find_door_state(const lb_level *level, int32_t door, const char *name) {
    int32_t states = lb_door_states(level, door), first, found;
    if (states == 0 || !name) return -1;
    first = lbi_i32(&level->column[LBI_DOOR_FIRST_STATE])[door];
    found = lbi_find(&level->column[LBI_DOOR_STATE_NAME], first, first + states, name);
    return found < 0 ? -1 : found - first;
}

LBI_PUBLIC int lb_link_at(const lb_level *level, int32_t number, lb_link *link) {
    const lbi_column *c = level->column;
    memset(link, 0, sizeof *link);
    if (number < 0 || number >= lb_count(level, LB_LINKS)) return 0;
    link->name = lb_name(level, LB_LINKS, number);
    link->kind = lbi_text(&c[LBI_LINK_KIND], number);
    link->from = lbi_i32(&c[LBI_LINK_START])[number];
    link->to = lbi_i32(&c[LBI_LINK_GOAL])[number];
    link->both_ways = lbi_bytes(&c[LBI_LINK_BOTH])[number] != 0;
    link->cost = lbi_f64(&c[LBI_LINK_COST])[number];
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif /* LEVELBAKE_BODY */
