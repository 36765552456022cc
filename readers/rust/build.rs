//! Compiles the C reader with the system's compiler, without the crate `cc`.
use std::env;
use std::path::PathBuf;
use std::process::Command;

fn run(command: &mut Command, hint: &str) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{:?}: {} ({})", command, status, hint),
        Err(error) => panic!("{:?}: {} ({})", command, error, hint),
    }
}

/// Returns the compiler for a target, from the usual variables: CC_TARGET with - or _, TARGET_CC, CC.
fn given(name: &str, target: &str, is_cross: bool) -> Option<String> {
    let mut names = vec![format!("{}_{}", name, target), format!("{}_{}", name, target.replace('-', "_"))];
    if is_cross {
        names.push(format!("TARGET_{}", name));
    }
    names.push(name.to_string());
    names.iter().find_map(|name| {
        println!("cargo:rerun-if-env-changed={}", name);
        env::var(name).ok().filter(|said| !said.is_empty())
    })
}

/// Returns the prefix of GNU tools for a target, such as `aarch64-linux-gnu-`.
fn prefix(target: &str) -> Option<String> {
    let parts: Vec<&str> = target.split('-').collect();
    match parts[..] {
        [arch, _, "linux", system] => {
            let arch = if arch.starts_with("armv7") { "arm" } else { arch };
            Some(format!("{}-linux-{}-", arch, system))
        }
        [arch, _, "windows", "gnu"] => Some(format!("{}-w64-mingw32-", arch)),
        _ => None,
    }
}

fn main() {
    let said = |name: &str| env::var(name).expect("cargo sets it");
    let (out, target) = (PathBuf::from(said("OUT_DIR")), said("TARGET"));
    let sources = PathBuf::from(said("CARGO_MANIFEST_DIR")).join("../c");
    let is_cross = target != said("HOST");
    let hint = format!("set CC_{0} and AR_{0} to a C compiler and an archiver for it", target.replace('-', "_"));
    let tool = |name: &str, native: &str, gnu: &str| {
        given(name, &target, is_cross).unwrap_or_else(|| match prefix(&target) {
            _ if !is_cross => native.to_string(),
            Some(prefix) => prefix + gnu,
            None => panic!("no C compiler is known for {}: {}", target, hint),
        })
    };
    let object = out.join("levelbake.o");
    let mut compile = Command::new(tool("CC", "cc", "gcc"));
    compile.args(["-std=c99", "-O2", "-c"]);
    if !target.contains("windows") {
        compile.arg("-fPIC");
    }
    run(compile.arg(sources.join("levelbake.c")).arg("-o").arg(&object), &hint);
    run(Command::new(tool("AR", "ar", "ar")).arg("crs").arg(out.join("liblevelbake.a")).arg(&object), &hint);
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=levelbake");
    for file in ["levelbake.c", "levelbake.h", "levelbake_changes.h"] {
        println!("cargo:rerun-if-changed={}", sources.join(file).display());
    }
}
