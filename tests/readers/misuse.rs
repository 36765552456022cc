//! What the types of the Rust reader leave open, and what they promise to threads and to `?`.
use levelbake::{Bytes, Changes, Error, Kind, Level, LiveNav, Nav};

fn is_send<T: Send>() {}

/// Does not compile if both impls hold for a type: `T: Send`, or `T: Sync`, makes the second one.
macro_rules! never {
    ($type:ty, $trait:ident) => {{
        trait Ambiguous<A> {
            fn some() {}
        }
        impl<T: ?Sized> Ambiguous<()> for T {}
        impl<T: ?Sized + $trait> Ambiguous<u8> for T {}
        let _ = <$type as Ambiguous<_>>::some;
    }};
}

fn read(path: &str) -> Result<Bytes, Box<dyn std::error::Error>> {
    Ok(Bytes::from(&std::fs::read(path)?[..]))
}

fn try_all(bytes: &Bytes, wrong: &mut Vec<String>) -> Result<usize, Box<dyn std::error::Error>> {
    let level = Level::open(bytes)?;
    let mut changes = level.changes(2)?;
    let numbers = [i32::MIN, -1, 0, 1, 7, 1 << 20, i32::MAX];
    let mut calls = 0;
    for a in numbers {
        for b in numbers {
            for nav in [&level.profile(None)?, &*changes.profile(None)?] {
                calls += 1;
                nav.next_hop(a, b);
                nav.path(a, b);
                nav.distance(a, b);
                nav.reachable(a, b);
                nav.node_at(a, b, a);
                nav.cell_of(a);
                nav.stands(a);
                nav.nearest(f64::NAN, f64::from(a), b);
            }
            for kind in [Kind::Profiles, Kind::Terrains, Kind::Doors, Kind::Spots, Kind::Regions, Kind::Links, Kind::Nodes] {
                level.name_of(kind, a);
                level.id_of(kind, a);
                level.profiles_of(kind, a);
                level.cells(kind, a);
            }
            level.door_terrains(a, b);
            level.door_state_name(a, b);
            level.point_of(a);
            level.cell_at(f64::INFINITY, f64::from(a), b);
            level.number_of_node(a);
            let _ = changes.price(a, b, Some(f64::NAN)).map(|()| wrong.push("a price that is none".into()));
            let _ = (changes.terrain(a, b), changes.door(a, b), changes.block(a), changes.open(a));
        }
    }
    changes.reset();
    if level.find(Kind::Doors, "gate\0x").is_some() || level.profile(Some("default\0")).is_ok() {
        wrong.push("a name with a zero".into());
    }
    match Level::open(&Bytes::from(&b"version https://git-lfs.github.com/spec/v1\n"[..])) {
        Err(error) if error.to_string().contains("LFS") => {}
        _ => wrong.push("a Git LFS pointer".into()),
    }
    if level.changes(-1).is_ok() || changes.apply(b"nothing").is_ok() {
        wrong.push("what should be refused".into());
    }
    Ok(calls)
}

fn check(list: &str, wrong: &mut Vec<String>) -> Result<usize, Box<dyn std::error::Error>> {
    let mut calls = 0;
    let files: Vec<Bytes> = list.lines().map(read).collect::<Result<_, _>>()?;
    for bytes in &files {
        calls += try_all(bytes, wrong)?;
    }
    let (cells, bare) = (Level::open(&files[2])?, Level::open(&files[3])?);
    let mut changes = cells.changes(2)?;
    match changes.block(0) {
        Err(error) if error.to_string().contains("cells are nodes") => {}
        _ => wrong.push("changes of cells".into()),
    }
    let empty = changes.patch();
    changes.apply(&empty)?;
    let nav = bare.profile(None)?;
    // Another thread may search, and what changes may go there as well.
    let found = std::thread::scope(|scope| scope.spawn(move || (nav.next_hop(0, 1), nav.distance(0, 1))).join().unwrap());
    if found != (Some(1), 1.0) {
        wrong.push(format!("no next hops: {:?}", found));
    }
    Ok(calls)
}

fn main() {
    is_send::<Nav>();
    is_send::<Changes>();
    is_send::<Error>();
    never!(Nav<'static>, Sync);
    never!(Changes<'static>, Sync);
    never!(LiveNav<'static>, Send);
    let paths: Vec<String> = std::env::args().collect();
    let mut wrong = Vec::new();
    let calls = check(&std::fs::read_to_string(&paths[1]).unwrap(), &mut wrong).unwrap();
    wrong.push(calls.to_string());
    std::fs::write(&paths[2], wrong.join("\n") + "\n").unwrap();
}
