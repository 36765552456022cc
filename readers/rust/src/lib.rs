//! Reader of flat files (.bake): a thin and safe binding of the C reader, without `std`.
//!
//! ```no_run
//! let file = std::fs::read("keep.bake").unwrap();
//! let bytes = levelbake::Bytes::from(&file[..]);
//! let level = levelbake::Level::open(&bytes).unwrap();
//! let nav = level.profile(Some("walker")).unwrap();
//! let (mut at, goal) = (nav.node_at(3, 4, 0).unwrap(), nav.node_at(30, 12, 0).unwrap());
//! while let Some(next) = nav.next_hop(at, goal).filter(|&next| next != at) {
//!     at = next;
//! }
//! ```
//!
//! Nodes, profiles, doors and other objects are numbers from 0, as in the file. Any number is a valid argument;
//! the result for an object that does not exist is `None`. Untrusted files are safe to open and query.
#![no_std]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod c;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ops::Deref;
use core::{fmt, ptr, slice, str};

/// The error of a failed call. It prints as one line that says what to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(i32);

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = unsafe { bytes_at(c::lb_error_text(self.0)) };
        to.write_str(str::from_utf8(text).unwrap_or("unknown error"))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, to)
    }
}

#[cfg(feature = "std")]
impl std::error::Error for Error {}

/// The messages for a name with a zero byte, and for a file without next hops.
const NO_PROFILE: Error = Error(-10);
const NO_HOPS: i32 = -20;

fn done(error: i32) -> Result<(), Error> {
    if error == 0 {
        Ok(())
    } else {
        Err(Error(error))
    }
}

fn known(number: i32) -> Option<i32> {
    if number >= 0 {
        Some(number)
    } else {
        None
    }
}

/// Memory aligned to 8 bytes that only C reads and writes.
struct Room(*mut [u64]);

impl Room {
    fn new(size: usize) -> Room {
        Room(Box::into_raw(vec![0; size / 8 + 1].into_boxed_slice()))
    }

    fn at<T>(&self) -> *mut T {
        self.0 as *mut T
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        unsafe { drop(Box::from_raw(self.0)) }
    }
}

/// Returns the bytes of a zero-terminated text.
unsafe fn bytes_at<'a>(text: *const u8) -> &'a [u8] {
    let mut size = 0;
    while *text.add(size) != 0 {
        size += 1;
    }
    slice::from_raw_parts(text, size)
}

/// A zero-terminated copy of a text for C; None if the text contains a zero byte.
fn c_text(text: &str) -> Option<Vec<u8>> {
    if text.as_bytes().contains(&0) {
        return None;
    }
    let mut bytes = Vec::from(text);
    bytes.push(0);
    Some(bytes)
}

/// The bytes of a file, aligned for the reader.
pub struct Bytes {
    room: Room,
    size: usize,
}

// The bytes are never written.
unsafe impl Send for Bytes {}
unsafe impl Sync for Bytes {}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Bytes {
        let room = Room::new(bytes.len());
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), room.at::<u8>(), bytes.len()) };
        Bytes { room, size: bytes.len() }
    }
}

/// The kinds of named objects of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Kind {
    Profiles,
    Terrains,
    Doors,
    Spots,
    Regions,
    Links,
    Nodes,
}

/// The kind and size of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// 0 graph, 1 squares, 2 hexagons.
    pub kind: i32,
    /// Columns and rows of one floor; 0 on graphs.
    pub width: i32,
    pub height: i32,
    pub floors: i32,
    pub ticks_per_unit: i32,
    pub nodes: i32,
}

/// A baked link.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    pub from: i32,
    pub to: i32,
    pub both_ways: bool,
    /// Cost of taking the link, in units.
    pub cost: f64,
}

/// An open level.
pub struct Level<'a> {
    memory: Room,
    bytes: PhantomData<&'a Bytes>,
}

// A baked level is only read.
unsafe impl Send for Level<'_> {}
unsafe impl Sync for Level<'_> {}

impl<'a> Level<'a> {
    /// Verifies and opens a file.
    pub fn open(bytes: &'a Bytes) -> Result<Level<'a>, Error> {
        let level = Level { memory: Room::new(unsafe { c::lb_size_of_level }), bytes: PhantomData };
        done(unsafe { c::lb_open(level.memory.at(), bytes.room.at::<c_void>(), bytes.size) })?;
        Ok(level)
    }

    fn c(&self) -> *const c::Level {
        self.memory.at()
    }

    /// Returns the queries for a profile; `None` = the first. If the file has no next hops, queries search.
    pub fn profile(&self, name: Option<&str>) -> Result<Nav<'_>, Error> {
        let (mut nav, has_hops) = self.tables(name)?;
        if !has_hops {
            let followed = Followed::open(self, 0)?;
            done(unsafe { c::lb_follow(nav.memory.at(), followed.c()) })?;
            nav.searched = Some(followed);
        }
        Ok(nav)
    }

    /// Returns the tables of a profile, and whether they have next hops.
    fn tables(&self, name: Option<&str>) -> Result<(Nav<'_>, bool), Error> {
        let nav = Nav { memory: Room::new(unsafe { c::lb_size_of_nav }), searched: None, lives: PhantomData };
        let text = name.map(|name| c_text(name).ok_or(NO_PROFILE)).transpose()?;
        let name = text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        match unsafe { c::lb_profile(self.c(), name, nav.memory.at()) } {
            NO_HOPS => Ok((nav, false)),
            error => done(error).map(|()| (nav, true)),
        }
    }

    /// Returns changes of the level, with a capacity for costs of single arcs.
    pub fn changes(&self, prices: i32) -> Result<Changes<'_>, Error> {
        Ok(Changes { level: self, followed: Followed::open(self, prices)? })
    }

    pub fn size(&self) -> Size {
        let mut found = [0; 7];
        unsafe { c::lb_numbers(self.c(), found.as_mut_ptr()) };
        let [kind, width, height, floors, _, ticks_per_unit, nodes] = found;
        Size { kind, width, height, floors, ticks_per_unit, nodes }
    }

    /// Returns the text at a pointer into the file, or None for NULL. Invalid UTF-8 is replaced.
    unsafe fn text(&self, at: *const u8) -> Option<String> {
        if at.is_null() {
            return None;
        }
        Some(String::from_utf8_lossy(bytes_at(at)).into_owned())
    }

    pub fn name(&self) -> Option<String> {
        unsafe { self.text(c::lb_level_name(self.c())) }
    }

    pub fn count(&self, kind: Kind) -> i32 {
        unsafe { c::lb_count(self.c(), kind as i32) }
    }

    pub fn name_of(&self, kind: Kind, number: i32) -> Option<String> {
        unsafe { self.text(c::lb_name(self.c(), kind as i32, number)) }
    }

    pub fn find(&self, kind: Kind, name: &str) -> Option<i32> {
        let name = c_text(name)?;
        known(unsafe { c::lb_find(self.c(), kind as i32, name.as_ptr()) })
    }

    /// Returns the id of a door, spot, region or link in the editor.
    pub fn id_of(&self, kind: Kind, number: i32) -> Option<String> {
        unsafe { self.text(c::lb_id(self.c(), kind as i32, number)) }
    }

    /// Returns the names of the profiles that a spot or link is for; empty = all.
    pub fn profiles_of(&self, kind: Kind, number: i32) -> Vec<String> {
        (0..).map_while(|i| unsafe { self.text(c::lb_for_profile(self.c(), kind as i32, number, i)) }).collect()
    }

    /// Returns the number of a graph's node in the level's source, if nodes have numbers.
    pub fn number_of_node(&self, node: i32) -> i64 {
        unsafe { c::lb_number_of_node(self.c(), node) }
    }

    pub fn node_of_number(&self, number: i64) -> Option<i32> {
        known(unsafe { c::lb_node_of_number(self.c(), number) })
    }

    /// Returns the nodes of a door or region.
    pub fn cells(&self, kind: Kind, number: i32) -> &[i32] {
        let mut cells = ptr::null();
        match unsafe { c::lb_cells(self.c(), kind as i32, number, &mut cells) } {
            count if count > 0 => unsafe { slice::from_raw_parts(cells, count as usize) },
            _ => &[],
        }
    }

    /// Returns the node and the kind of a spot.
    pub fn spot(&self, number: i32) -> Option<(i32, String)> {
        let at = known(unsafe { c::lb_spot_at(self.c(), number) })?;
        unsafe { self.text(c::lb_spot_kind(self.c(), number)) }.map(|kind| (at, kind))
    }

    pub fn link(&self, number: i32) -> Option<(Link, String)> {
        let mut link = c::Link { name: ptr::null(), kind: ptr::null(), from: 0, to: 0, both_ways: 0, cost: 0.0 };
        if unsafe { c::lb_link_at(self.c(), number, &mut link) } == 0 {
            return None;
        }
        let kind = unsafe { self.text(link.kind) }?;
        let (from, to, both_ways, cost) = (link.from, link.to, link.both_ways != 0, link.cost);
        Some((Link { from, to, both_ways, cost }, kind))
    }

    pub fn door_states(&self, door: i32) -> i32 {
        unsafe { c::lb_door_states(self.c(), door) }
    }

    /// Returns the baked state of a door; None if its nodes match no state.
    pub fn door_baked(&self, door: i32) -> Option<i32> {
        known(unsafe { c::lb_door_baked(self.c(), door) })
    }

    pub fn door_state_name(&self, door: i32, state: i32) -> Option<String> {
        unsafe { self.text(c::lb_door_state_name(self.c(), door, state)) }
    }

    /// Returns the terrains of a door's nodes in a state.
    pub fn door_terrains(&self, door: i32, state: i32) -> &[u8] {
        let at = unsafe { c::lb_door_terrains(self.c(), door, state) };
        if at.is_null() {
            return &[];
        }
        unsafe { slice::from_raw_parts(at, self.cells(Kind::Doors, door).len()) }
    }

    /// Returns the center of a node in the units of the level's source.
    pub fn point_of(&self, node: i32) -> Option<(f64, f64)> {
        let (mut x, mut y) = (0.0, 0.0);
        match unsafe { c::lb_point_of(self.c(), node, &mut x, &mut y) } {
            0 => None,
            _ => Some((x, y)),
        }
    }

    /// Returns the cell that contains a point, inside or outside the level.
    pub fn cell_at(&self, x: f64, y: f64, floor: i32) -> Option<(i32, i32)> {
        let (mut column, mut row) = (0, 0);
        match unsafe { c::lb_cell_at(self.c(), x, y, floor, &mut column, &mut row) } {
            0 => None,
            _ => Some((column, row)),
        }
    }
}

/// The C state of changes.
struct Followed {
    memory: Room,
    // C keeps pointers to this.
    _room: Room,
}

impl Followed {
    fn open(level: &Level<'_>, prices: i32) -> Result<Followed, Error> {
        let size = unsafe { c::lb_changes_size(level.c(), prices) };
        let (memory, room) = (Room::new(unsafe { c::lb_size_of_changes }), Room::new(size));
        done(unsafe { c::lb_changes_open(memory.at(), level.c(), prices, room.at::<c_void>(), size) })?;
        Ok(Followed { memory, _room: room })
    }

    fn c(&self) -> *mut c::Changes {
        self.memory.at()
    }
}

/// The queries for one agent profile. `Send`, but not `Sync`, because queries may search.
pub struct Nav<'a> {
    memory: Room,
    // Search state for files without next hops.
    searched: Option<Followed>,
    lives: PhantomData<&'a ()>,
}

// It reads the level, which is Sync, and writes only its own memory. A Nav that follows `Changes` writes
// into these, but cannot leave its `LiveNav`, which is not Send.
unsafe impl Send for Nav<'_> {}

impl Nav<'_> {
    fn c(&self) -> *const c::Nav {
        self.memory.at()
    }

    pub fn node_at(&self, x: i32, y: i32, floor: i32) -> Option<i32> {
        known(unsafe { c::lb_node_at(self.c(), x, y, floor) })
    }

    pub fn cell_of(&self, node: i32) -> Option<(i32, i32, i32)> {
        let (mut x, mut y, mut floor) = (0, 0, 0);
        match unsafe { c::lb_cell_of(self.c(), node, &mut x, &mut y, &mut floor) } {
            0 => None,
            _ => Some((x, y, floor)),
        }
    }

    pub fn stands(&self, node: i32) -> bool {
        unsafe { c::lb_stands(self.c(), node) != 0 }
    }

    pub fn nearest(&self, x: f64, y: f64, floor: i32) -> Option<i32> {
        known(unsafe { c::lb_nearest(self.c(), x, y, floor) })
    }

    /// Returns the next node on a shortest path; `from` when already there; None if unreachable.
    pub fn next_hop(&self, from: i32, to: i32) -> Option<i32> {
        known(unsafe { c::lb_next_hop(self.c(), from, to) })
    }

    pub fn reachable(&self, from: i32, to: i32) -> bool {
        unsafe { c::lb_reachable(self.c(), from, to) != 0 }
    }

    /// Returns the cost of a shortest path in units; infinite if unreachable.
    pub fn distance(&self, from: i32, to: i32) -> f64 {
        unsafe { c::lb_distance(self.c(), from, to) }
    }

    /// Returns the nodes of a shortest path, both ends included; empty if unreachable.
    pub fn path(&self, from: i32, to: i32) -> Vec<i32> {
        let count = unsafe { c::lb_path(self.c(), from, to, ptr::null_mut(), 0) };
        let mut nodes = vec![0; count];
        unsafe { c::lb_path(self.c(), from, to, nodes.as_mut_ptr(), count) };
        nodes
    }
}

/// The queries for a changeable level: a [`Nav`] that stays in the thread of its [`Changes`].
pub struct LiveNav<'a> {
    nav: Nav<'a>,
    // Several LiveNavs share the search state of their changes.
    stays: PhantomData<*mut ()>,
}

impl<'a> Deref for LiveNav<'a> {
    type Target = Nav<'a>;

    fn deref(&self) -> &Nav<'a> {
        &self.nav
    }
}

/// The changes of a level. A [`LiveNav`] borrows them, so the level cannot change during a query.
pub struct Changes<'a> {
    level: &'a Level<'a>,
    followed: Followed,
}

// It owns what it writes, and reads the level, which is Sync. It is not Sync, so all its LiveNavs are in
// one thread.
unsafe impl Send for Changes<'_> {}

impl<'a> Changes<'a> {
    fn c(&self) -> *mut c::Changes {
        self.followed.c()
    }

    /// Returns the queries for a profile on the current level.
    pub fn profile(&self, name: Option<&str>) -> Result<LiveNav<'_>, Error> {
        let (nav, _) = self.level.tables(name)?;
        done(unsafe { c::lb_follow(nav.memory.at(), self.c()) })?;
        Ok(LiveNav { nav, stays: PhantomData })
    }

    pub fn block(&mut self, node: i32) -> Result<(), Error> {
        done(unsafe { c::lb_set_blocked(self.c(), node) })
    }

    pub fn open(&mut self, node: i32) -> Result<(), Error> {
        done(unsafe { c::lb_set_open(self.c(), node) })
    }

    pub fn terrain(&mut self, node: i32, terrain: i32) -> Result<(), Error> {
        done(unsafe { c::lb_set_terrain(self.c(), node, terrain) })
    }

    /// Sets the cost of all arcs between two nodes in units: infinite closes them, None restores the usual.
    pub fn price(&mut self, from: i32, to: i32, units: Option<f64>) -> Result<(), Error> {
        let units = units.map_or(-1.0, |units| if units > 0.0 { units } else { f64::NAN });
        done(unsafe { c::lb_set_price(self.c(), from, to, units) })
    }

    pub fn door(&mut self, door: i32, state: i32) -> Result<(), Error> {
        done(unsafe { c::lb_set_door(self.c(), door, state) })
    }

    pub fn door_state(&self, door: i32) -> Option<i32> {
        known(unsafe { c::lb_door_state(self.c(), door) })
    }

    /// Restores the baked level.
    pub fn reset(&mut self) {
        unsafe { c::lb_set_baked(self.c()) }
    }

    pub fn patch(&self) -> Vec<u8> {
        let size = unsafe { c::lb_patch_write(self.c(), ptr::null_mut(), 0) };
        let mut text = vec![0; size];
        unsafe { c::lb_patch_write(self.c(), text.as_mut_ptr(), size) };
        text
    }

    pub fn apply(&mut self, patch: &[u8]) -> Result<(), Error> {
        done(unsafe { c::lb_patch_read(self.c(), patch.as_ptr(), patch.len()) })
    }
}
