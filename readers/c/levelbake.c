/* The reader as one object or library, for programs that want one copy, and for other languages. */
#define LEVELBAKE_EXTERN
#define LEVELBAKE_IMPLEMENTATION
#include "levelbake_changes.h"

/* How much memory to have ready for each structure, where C does not count it. */
extern const size_t lb_size_of_level, lb_size_of_nav, lb_size_of_changes;
const size_t lb_size_of_level = sizeof(lb_level);
const size_t lb_size_of_nav = sizeof(lb_nav);
const size_t lb_size_of_changes = sizeof(lb_changes);

/* Numbers of a level, for those who cannot read the structure: kind, width, rows of a floor, floors,
   directions, ticks in a unit, locations. */
extern void lb_numbers(const lb_level *level, int32_t numbers[7]);
void lb_numbers(const lb_level *level, int32_t numbers[7]) {
    const int32_t found[7] = {level->kind,       level->width,          level->floor_rows, level->floors,
                              level->directions, level->ticks_per_unit, level->locations};
    memcpy(numbers, found, sizeof found);
}
