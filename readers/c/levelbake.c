/* The reader as one object or library, for programs that want one copy, and for other languages. */
#define LEVELBAKE_EXTERN
#define LEVELBAKE_IMPLEMENTATION
#include "levelbake_changes.h"

/* How much memory to have ready for each structure, where C does not count it. */
extern const size_t lb_size_of_level, lb_size_of_nav, lb_size_of_changes;
const size_t lb_size_of_level = sizeof(lb_level);
const size_t lb_size_of_nav = sizeof(lb_nav);
const size_t lb_size_of_changes = sizeof(lb_changes);
