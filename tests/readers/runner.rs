//! Answers the questions of a file with the Rust reader: see tests/support/readers.py.
use levelbake::{Bytes, Changes, Error, Kind, Level, Nav};
use std::io::Write;

fn int(words: &[&str], i: usize) -> i32 {
    words.get(i).and_then(|word| word.parse().ok()).unwrap_or(-1)
}

fn real(words: &[&str], i: usize) -> f64 {
    words.get(i).and_then(|word| word.parse().ok()).unwrap_or(0.0)
}

fn said(done: Result<(), Error>) -> String {
    done.map_or_else(|error| format!("error: {}", error), |()| "ok".to_string())
}

fn text(said: Option<String>) -> String {
    let mut out = String::from("\"");
    for sign in said.unwrap_or_default().chars() {
        match sign {
            '"' | '\\' => out.extend(['\\', sign]),
            sign if (sign as u32) < 32 => out += &format!("\\u{:04x}", sign as u32),
            sign => out.push(sign),
        }
    }
    out + "\""
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn about(level: &Level) -> String {
    let size = level.size();
    let each = |kind: Kind| 0..level.count(kind);
    let names = |kind: Kind| list(each(kind).map(|i| text(level.name_of(kind, i))));
    let id = |kind: Kind, i: i32| text(level.id_of(kind, i));
    let profiles = |kind, i| list(level.profiles_of(kind, i).into_iter().map(|name| text(Some(name))));
    let cells = |kind, i| list(level.cells(kind, i).iter().map(i32::to_string));
    let spots = list(each(Kind::Spots).map(|i| {
        let (at, kind) = level.spot(i).unwrap();
        let (name, own) = (text(level.name_of(Kind::Spots, i)), id(Kind::Spots, i));
        format!("[{},{},{},{},{}]", name, text(Some(kind)), at, profiles(Kind::Spots, i), own)
    }));
    let regions = list(each(Kind::Regions).map(|i| {
        let name = text(level.name_of(Kind::Regions, i));
        format!("[{},{},{}]", name, cells(Kind::Regions, i), id(Kind::Regions, i))
    }));
    let doors = list(each(Kind::Doors).map(|i| {
        let baked = level.door_baked(i).map_or("null".into(), |state| text(level.door_state_name(i, state)));
        let states = list((0..level.door_states(i)).map(|state| {
            let terrains = list(level.door_terrains(i, state).iter().map(u8::to_string));
            format!("[{},{}]", text(level.door_state_name(i, state)), terrains)
        }));
        let name = text(level.name_of(Kind::Doors, i));
        format!("[{},{},{},{},{}]", name, cells(Kind::Doors, i), baked, states, id(Kind::Doors, i))
    }));
    let links = list(each(Kind::Links).map(|i| {
        let (link, kind) = level.link(i).unwrap();
        let (name, own) = (text(level.name_of(Kind::Links, i)), id(Kind::Links, i));
        let kind = text(Some(kind));
        let cost = if link.cost.is_finite() { link.cost.to_string() } else { "null".into() };
        let (whose, both) = (profiles(Kind::Links, i), link.both_ways);
        format!("[{},{},{},{},{},{},{},{}]", name, kind, link.from, link.to, cost, both, whose, own)
    }));
    let nodes = list((0..if size.kind == 0 { size.nodes } else { 0 }).map(|i| {
        text(level.name_of(Kind::Nodes, i).or_else(|| Some(level.number_of_node(i).to_string())))
    }));
    let kind = ["graph", "squares", "hexagons"][size.kind as usize];
    let (width, height, floors) = (size.width, size.height, size.floors);
    let begins = format!("\"kind\":\"{}\",\"width\":{},\"height\":{},\"floors\":{}", kind, width, height, floors);
    let (name, whose, ground) = (text(level.name()), names(Kind::Profiles), names(Kind::Terrains));
    let begins = format!("{},\"name\":{},\"profiles\":{},\"terrains\":{}", begins, name, whose, ground);
    let things = format!("\"spots\":{},\"regions\":{},\"doors\":{}", spots, regions, doors);
    format!("{{{},{},\"links\":{},\"names\":{}}}", begins, things, links, nodes)
}

fn all(level: &Level, hop: impl Fn(i32) -> Option<i32>) -> String {
    let hops: Vec<String> = (0..level.size().nodes).map(|i| hop(i).unwrap_or(-1).to_string()).collect();
    hops.join(" ")
}

fn ask(level: &Level, nav: &Nav, words: &[&str]) -> String {
    let (a, b) = (int(words, 1), int(words, 2));
    let size = level.size();
    match words[0] {
        "hop" => nav.next_hop(a, b).unwrap_or(-1).to_string(),
        "ticks" => match nav.distance(a, b) {
            units if units.is_infinite() => "-1".to_string(),
            units => format!("{:.0}", units * f64::from(size.ticks_per_unit)),
        },
        "reach" => u8::from(nav.reachable(a, b)).to_string(),
        "path" => match nav.path(a, b) {
            nodes if nodes.is_empty() => "none".to_string(),
            nodes => nodes.iter().map(i32::to_string).collect::<Vec<_>>().join(" "),
        },
        "stands" => u8::from(nav.stands(a)).to_string(),
        "cell" => nav.cell_of(a).map_or("none".into(), |(x, y, floor)| format!("{} {} {}", x, y, floor)),
        "point" => level.point_of(a).map_or("none".into(), |(x, y)| format!("{} {}", x, y)),
        "node_at" => nav.node_at(a, b, int(words, 3)).unwrap_or(-1).to_string(),
        "nearest" => nav.nearest(real(words, 1), real(words, 2), int(words, 3)).unwrap_or(-1).to_string(),
        "to_node" => match level.cell_at(real(words, 1), real(words, 2), int(words, 3)) {
            Some((x, y)) if x >= 0 && y >= 0 && x < size.width && y < size.height => {
                ((int(words, 3) * size.height + y) * size.width + x).to_string()
            }
            _ => "-1".to_string(),
        },
        "hops_to" => all(level, |i| nav.next_hop(i, a)),
        "hops_from" => all(level, |i| nav.next_hop(a, i)),
        other => panic!("no command {}", other),
    }
}

fn change(changes: &mut Changes, words: &[&str]) -> Result<(), Error> {
    let (a, b) = (int(words, 1), int(words, 2));
    match words[0] {
        "block" => (1..words.len()).try_for_each(|i| changes.block(int(words, i))),
        "open" => (1..words.len()).try_for_each(|i| changes.open(int(words, i))),
        "terrain" => changes.terrain(a, b),
        "price" => {
            let units = if words[3] == "closed" { Some(f64::INFINITY) } else { words[3].parse().ok() };
            changes.price(a, b, units)
        }
        "door" => changes.door(a, b),
        "fresh" => Ok(changes.reset()),
        _ => changes.apply(words[1..].join(" ").replace('|', "\n").as_bytes()),
    }
}

fn answers(level: &Level, questions: &mut dyn Iterator<Item = String>, out: &mut dyn Write) -> Option<String> {
    let mut changes = level.changes(64).unwrap();
    let mut baked = level.profile(None).unwrap();
    let mut name = level.name_of(Kind::Profiles, 0);
    let mut changed = false;
    for line in questions {
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[0] {
            "load" => return Some(line),
            "about" => about(level),
            "profile" => match level.name_of(Kind::Profiles, int(&words, 1)) {
                None => "error: no such profile".to_string(),
                found => {
                    name = found;
                    baked = level.profile(name.as_deref()).unwrap();
                    "ok".to_string()
                }
            },
            "door_state" => {
                let door = int(&words, 1);
                let state = changes.door_state(door).and_then(|state| level.door_state_name(door, state));
                state.unwrap_or_else(|| "none".into()).replace('\n', "?")
            }
            "patch" => String::from_utf8(changes.patch()).unwrap().replace('\n', "|"),
            "block" | "open" | "terrain" | "price" | "door" | "fresh" | "apply" => {
                changed = true;
                said(change(&mut changes, &words))
            }
            _ if changed => ask(level, &changes.profile(name.as_deref()).unwrap(), &words),
            _ => ask(level, &baked, &words),
        };
        writeln!(out, "{}", answer).unwrap();
    }
    None
}

fn changed_bytes(words: &[&str], kept: &mut Vec<u8>) -> Vec<u8> {
    if words[1] != "=" {
        *kept = std::fs::read(words[1]).unwrap();
    }
    let mut data = kept.clone();
    for word in &words[2..] {
        let parts: Vec<&str> = word.split(':').collect();
        if parts[0] == "size" {
            data.resize(parts[1].parse().unwrap(), 0);
            continue;
        }
        let at: usize = parts[0].parse().unwrap();
        let raw: Vec<u8> =
            (0..parts[1].len() / 2).map(|i| u8::from_str_radix(&parts[1][2 * i..2 * i + 2], 16).unwrap()).collect();
        let raw = raw.repeat(parts[2].parse().unwrap());
        data[at..at + raw.len()].copy_from_slice(&raw);
    }
    data
}

fn main() {
    let paths: Vec<String> = std::env::args().collect();
    let asked = std::fs::read_to_string(&paths[1]).unwrap();
    let mut out = std::io::BufWriter::new(std::fs::File::create(&paths[2]).unwrap());
    let mut questions = asked.lines().map(str::to_string);
    let mut kept = Vec::new();
    let mut next = questions.next();
    while let Some(line) = next {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] != "load" {
            writeln!(out, "error: no level").unwrap();
            next = questions.next();
            continue;
        }
        let bytes = Bytes::from(&changed_bytes(&words, &mut kept)[..]);
        let opened = Level::open(&bytes);
        writeln!(out, "{}", opened.as_ref().map_or_else(|error| format!("error: {}", error), |_| "ok".into())).unwrap();
        next = match opened {
            Ok(level) => answers(&level, &mut questions, &mut out),
            Err(_) => questions.next(),
        };
    }
    out.flush().unwrap();
}
