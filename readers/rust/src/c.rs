//! The declarations of levelbake.h. Structures are opaque: C returns their sizes.
#![allow(non_camel_case_types)]
use core::ffi::c_void;

// core::ffi has these since 1.64. The signedness of characters does not matter behind a pointer.
type c_char = u8;
type c_int = i32;

#[repr(C)]
pub struct Level {
    hidden: [u8; 0],
}
#[repr(C)]
pub struct Nav {
    hidden: [u8; 0],
}
#[repr(C)]
pub struct Changes {
    hidden: [u8; 0],
}
#[repr(C)]
pub struct Link {
    pub name: *const c_char,
    pub kind: *const c_char,
    pub from: i32,
    pub to: i32,
    pub both_ways: i32,
    pub cost: f64,
}

extern "C" {
    pub static lb_size_of_level: usize;
    pub static lb_size_of_nav: usize;
    pub static lb_size_of_changes: usize;
    pub fn lb_open(level: *mut Level, bytes: *const c_void, size: usize) -> c_int;
    pub fn lb_profile(level: *const Level, name: *const c_char, nav: *mut Nav) -> c_int;
    pub fn lb_error_text(error: c_int) -> *const c_char;
    pub fn lb_numbers(level: *const Level, numbers: *mut i32);
    pub fn lb_node_at(nav: *const Nav, x: i32, y: i32, floor: i32) -> i32;
    pub fn lb_cell_of(nav: *const Nav, node: i32, x: *mut i32, y: *mut i32, floor: *mut i32) -> c_int;
    pub fn lb_stands(nav: *const Nav, node: i32) -> c_int;
    pub fn lb_nearest(nav: *const Nav, x: f64, y: f64, floor: i32) -> i32;
    pub fn lb_point_of(level: *const Level, node: i32, x: *mut f64, y: *mut f64) -> c_int;
    pub fn lb_cell_at(level: *const Level, x: f64, y: f64, floor: i32, column: *mut i32, row: *mut i32) -> c_int;
    pub fn lb_next_hop(nav: *const Nav, from: i32, to: i32) -> i32;
    pub fn lb_path(nav: *const Nav, from: i32, to: i32, nodes: *mut i32, room: usize) -> usize;
    pub fn lb_distance(nav: *const Nav, from: i32, to: i32) -> f64;
    pub fn lb_reachable(nav: *const Nav, from: i32, to: i32) -> c_int;
    pub fn lb_level_name(level: *const Level) -> *const c_char;
    pub fn lb_count(level: *const Level, kind: c_int) -> i32;
    pub fn lb_name(level: *const Level, kind: c_int, number: i32) -> *const c_char;
    pub fn lb_find(level: *const Level, kind: c_int, name: *const c_char) -> i32;
    pub fn lb_id(level: *const Level, kind: c_int, number: i32) -> *const c_char;
    pub fn lb_for_profile(level: *const Level, kind: c_int, number: i32, i: i32) -> *const c_char;
    pub fn lb_node_of_number(level: *const Level, number: i64) -> i32;
    pub fn lb_number_of_node(level: *const Level, node: i32) -> i64;
    pub fn lb_spot_at(level: *const Level, spot: i32) -> i32;
    pub fn lb_spot_kind(level: *const Level, spot: i32) -> *const c_char;
    pub fn lb_cells(level: *const Level, kind: c_int, number: i32, cells: *mut *const i32) -> i32;
    pub fn lb_door_states(level: *const Level, door: i32) -> i32;
    pub fn lb_door_baked(level: *const Level, door: i32) -> i32;
    pub fn lb_door_state_name(level: *const Level, door: i32, state: i32) -> *const c_char;
    pub fn lb_door_terrains(level: *const Level, door: i32, state: i32) -> *const u8;
    pub fn lb_link_at(level: *const Level, number: i32, link: *mut Link) -> c_int;
    pub fn lb_changes_size(level: *const Level, prices: i32) -> usize;
    pub fn lb_changes_open(
        changes: *mut Changes,
        level: *const Level,
        prices: i32,
        memory: *mut c_void,
        size: usize,
    ) -> c_int;
    pub fn lb_follow(nav: *mut Nav, changes: *mut Changes) -> c_int;
    pub fn lb_set_blocked(changes: *mut Changes, node: i32) -> c_int;
    pub fn lb_set_open(changes: *mut Changes, node: i32) -> c_int;
    pub fn lb_set_terrain(changes: *mut Changes, node: i32, terrain: i32) -> c_int;
    pub fn lb_set_price(changes: *mut Changes, from: i32, to: i32, units: f64) -> c_int;
    pub fn lb_set_door(changes: *mut Changes, door: i32, state: i32) -> c_int;
    pub fn lb_door_state(changes: *const Changes, door: i32) -> i32;
    pub fn lb_set_baked(changes: *mut Changes);
    pub fn lb_patch_write(changes: *const Changes, text: *mut c_char, room: usize) -> usize;
    pub fn lb_patch_read(changes: *mut Changes, text: *const c_char, size: usize) -> c_int;
}
