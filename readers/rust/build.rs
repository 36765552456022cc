//! Compiles the C reader with the compiler of the system: no crate is needed for one file.
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn run(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{:?}: {}", command, status),
        Err(error) => panic!("{:?}: {} (set CC and AR to a C compiler and its archiver)", command, error),
    }
}

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let sources = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../c");
    let tool = |name: &str, usual: &str| env::var(name).unwrap_or_else(|_| usual.to_string());
    let object = out.join("levelbake.o");
    run(Command::new(tool("CC", "cc"))
        .args(["-std=c99", "-O2", "-fPIC", "-c"])
        .arg(sources.join("levelbake.c"))
        .arg("-o")
        .arg(&object));
    run(Command::new(tool("AR", "ar")).arg("crs").arg(out.join("liblevelbake.a")).arg(&object));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=levelbake");
    for file in ["levelbake.c", "levelbake.h", "levelbake_changes.h"] {
        println!("cargo:rerun-if-changed={}", sources.join(file).display());
    }
}
