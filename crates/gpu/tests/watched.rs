//! Engine `collide` with a fake driver whose kernels run beside the host: accesses of copies and of the host
//! are checked by a second read.

mod place;

use instrument::collide::KINDS;
use instrument::sink::{RECORD, Record};
use place::Place;
use protocol::{OPTIONS_VARIABLE, PROTOCOL_VERSION, RunOptions, RunResult};
use std::path::Path;
use std::process::Command;

fn build() -> Place {
    let driver = ("busy_driver.c", &["-shared", "-fPIC", "-lpthread"][..], "libcuda.so.1");
    place::of("watched", &[driver, ("host.c", &["-g", "-O1", "-lpthread"], "app")])
}

/// Returns a kernel that runs `body` on the memory that its argument points to.
fn kernel(body: &str) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n.reg .b32 %r<2>;\n\
         .reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
    )
}

struct Ran {
    said: String,
    code: Option<i32>,
    /// The findings on calls and the host: the function, whether it writes, the site's function, and the
    /// line.
    seen: Vec<(String, bool, String, u32)>,
}

fn run(place: &Place, library: &Path, engine: &str, text: &str, what: &str) -> Ran {
    let results = place.0.join("results");
    let _ = std::fs::remove_dir_all(&results);
    std::fs::create_dir_all(&results).unwrap();
    let options = RunOptions {
        version: PROTOCOL_VERSION,
        results: results.clone(),
        engine: engine.parse().unwrap(),
        ..RunOptions::default()
    };
    let mut command = Command::new(place.0.join("app"));
    command.args([text, what]).env("PATH", "/nowhere").env_remove("CUDA_HOME").env_remove("CUDA_PATH");
    command.env("HOME", place.0.join("home")).env("LD_LIBRARY_PATH", &place.0);
    command.env("LD_PRELOAD", library).env(OPTIONS_VARIABLE, options.to_variable());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut read = RunResult::read_all(&results).unwrap();
    let result = read.processes.pop().unwrap_or_else(|| panic!("{said}"));
    let sink = result.sink.as_ref().unwrap();
    let bytes = std::fs::read(results.join(&sink.file)).unwrap();
    let mut seen = Vec::new();
    for (i, check) in sink.checks.iter().enumerate() {
        let at = i * KINDS as usize * RECORD as usize;
        let record = Record::read(bytes[at..at + RECORD as usize].try_into().unwrap());
        let (Some(first), Some(call)) = (record.and_then(|record| record.first), check.call) else {
            continue;
        };
        assert_ne!(first.expected, first.found);
        let call = &sink.calls[call as usize];
        let site = call.site.and_then(|site| result.sites.get(site));
        let line = site.and_then(|site| site.frames.first()).map_or(0, |frame| frame.line);
        let function = site.map(|site| site.function.clone()).unwrap_or_default();
        seen.push((call.api.clone(), check.writes, function, line));
    }
    Ran { said, code: output.status.code(), seen }
}

#[test]
fn what_copies_and_the_host_access_is_looked_at_twice() {
    let name = "libwarprace_gpu.so";
    let built = std::env::var_os("WARPRACE_BIN").map(|warprace| Path::new(&warprace).with_file_name(name));
    let debug = std::env::current_exe().unwrap().parent().unwrap().join("..").join(name);
    let Some(library) = built.into_iter().chain([debug]).find(|p| p.exists()) else {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no library");
        return println!("left out: no library; `cargo build -p gpu` makes it");
    };
    let library = library.canonicalize().unwrap();
    let place = build();
    let run = |engine: &str, text: &str, what: &str| run(&place, &library, engine, text, what);
    let weak = kernel("st.global.u32 [%rd1], 1;");
    let balanced = "gpu:collide:balanced";

    // The host's access and the kernel, whose end the host has not waited for, overlap at the latest when the
    // thread that stands for a GPU gets a processor.
    let met = |what: &str| {
        let tried = || Some(run(balanced, &weak, what)).filter(|ran| !ran.seen.is_empty());
        (0..50).find_map(|_| tried()).unwrap_or_else(|| panic!("{what}: never"))
    };
    let reads = met("reads");
    assert_eq!((reads.said.as_str(), reads.code), ("app: runs\n", Some(3)));
    let [(api, false, function, line)] = &reads.seen[..] else { panic!("{:?}", reads.seen) };
    assert!(api.is_empty() && function == "main" && *line > 0, "{:?}", reads.seen);
    let writes = met("writes");
    assert!(matches!(&writes.seen[..], [(_, true, _, _)]), "{:?}", writes.seen);
    // In these cases the host has waited, or accesses other memory, or the kernel's accesses may synchronise
    // with it, or another thread may have changed the memory.
    for (text, what) in [
        (&weak, "waits"),
        (&weak, "apart"),
        (&kernel("st.volatile.global.u32 [%rd1], 1;"), "reads"),
        (&kernel("st.release.sys.global.u32 [%rd1], 1;"), "reads"),
        (&weak, "helped"),
    ] {
        let clean = run(balanced, text, what);
        assert_eq!((clean.seen, clean.code), (vec![], Some(3)), "{what} {text}");
    }
    assert_eq!(run("gpu:collide:sampled", &weak, "reads").seen, []);

    // Copies of a program with streams are checked in their streams, before they are made, as far as a kernel
    // may read their ranges.
    let copies = run(balanced, &weak, "copies");
    let said: Vec<&str> = copies.said.lines().collect();
    assert_eq!(
        said,
        [
            "driver: copied 64 bytes",
            "driver: looked at 64 bytes from 0x70000064, stream 1",
            "driver: copied 64 bytes",
            "driver: copied 200 bytes",
        ]
    );
    let beside = run(balanced, &weak, "beside").seen;
    let of_copies: Vec<_> = beside.iter().filter(|(api, ..)| !api.is_empty()).collect();
    assert!(
        matches!(&of_copies[..], [(api, false, of, 1..)] if api == "cuMemcpyDtoHAsync" && of == "main"),
        "the read, and not the write to memory that cannot be read: {beside:?}"
    );
    assert!(!run("gpu:collide:sampled", &weak, "copies").said.contains("looked"));
}
