//! Launches that are proved run the program's own kernels, and only where nothing runs beside them: with a fake driver
//! that says which kernel it was given, and with the prover of the command line.

mod place;

use place::Place;
use protocol::options::Prune;
use protocol::{OPTIONS_VARIABLE, PROTOCOL_VERSION, RunOptions, RunResult};
use std::path::{Path, PathBuf};
use std::process::Command;

fn build(test: &str) -> Place {
    place::of(test, &[("proofs_driver.c", &["-shared", "-fPIC"], "libcuda.so.1"), ("proofs.c", &[], "app")])
}

/// Returns a kernel whose threads below `n` write a word each, `words` apart, in `p`. `more` is added to the module.
fn kernel(words: u32, more: &str) -> String {
    format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n{more}.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n\
         .reg .pred %q<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<5>;\nld.param.u64 %rd1, [p];\nld.param.u32 %r5, [n];\n\
         mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n\
         setp.ge.u32 %q1, %r4, %r5;\n@%q1 bra DONE;\nmul.wide.u32 %rd2, %r4, {};\nadd.s64 %rd3, %rd1, %rd2;\n\
         st.global.u32 [%rd3], %r4;\nDONE:\nret;\n}}\n",
        4 * words
    )
}

/// Returns [`kernel`] with a store to shared memory in front of the other one: of a word of each thread's own, or of one word.
fn with_shared(words: u32, is_own: bool) -> String {
    let by = if is_own { 4 } else { 0 };
    let store = format!(
        "mov.u32 %r6, s;\nmad.lo.u32 %r7, %r3, {by}, %r6;\nst.shared.u32 [%r7], %r4;\nmul.wide.u32 %rd2"
    );
    kernel(words, ".shared .align 4 .b8 s[4096];\n").replace("mul.wide.u32 %rd2", &store)
}

struct Ran {
    /// `original` or `checks` for each launch.
    launched: Vec<String>,
    result: RunResult,
}

impl Place {
    fn run(&self, (library, warprace): (&Path, &Path), engine: &str, text: &str, words: &str) -> Ran {
        let results = self.0.join("results");
        let _ = std::fs::remove_dir_all(&results);
        std::fs::create_dir_all(&results).unwrap();
        let options = RunOptions {
            version: PROTOCOL_VERSION,
            results: results.clone(),
            engine: engine.parse().unwrap(),
            prune: Prune::Beside { after: 0 },
            proof_cache: Some(self.0.join("home/.cache/warprace/proofs")),
            prover: Some(warprace.to_owned()),
            ..RunOptions::default()
        };
        let mut command = Command::new(self.0.join("app"));
        command.arg(text).args(words.split(' ')).env("PATH", "/nowhere");
        command.env_remove("CUDA_HOME").env_remove("CUDA_PATH").env_remove("XDG_CACHE_HOME");
        command.env("HOME", self.0.join("home")).env("LD_LIBRARY_PATH", &self.0);
        command.env("LD_PRELOAD", library).env(OPTIONS_VARIABLE, options.to_variable());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut read = RunResult::read_all(&results).unwrap().processes;
        let result = read.pop().unwrap();
        assert!(result.finished && read.is_empty(), "{said}");
        Ran { launched: said.lines().map(str::to_owned).collect(), result }
    }
}

/// Returns the library and the command line, which `cargo xtask test` builds beside each other.
fn built() -> Option<(PathBuf, PathBuf)> {
    let debug = std::env::current_exe().unwrap().parent().unwrap().join("..").join("warprace");
    let warprace = std::env::var_os("WARPRACE_BIN").map_or(debug, PathBuf::from).canonicalize().ok()?;
    let library = warprace.with_file_name("libwarprace_gpu.so");
    library.exists().then_some((library, warprace))
}

/// Returns whether a line of PTX is of its module rather than of a kernel.
fn is_of_module(line: &str) -> bool {
    [".version", ".target", ".address_size"].iter().any(|directive| line.starts_with(directive))
}

#[test]
fn a_proved_launch_runs_without_checks_where_nothing_runs_beside_it() {
    let Some((library, warprace)) = built() else {
        assert!(
            std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(),
            "there is no library or no command line"
        );
        return println!("left out: no library; `cargo build -p gpu -p warprace` makes both");
    };
    let (with, place) = ((library.as_path(), warprace.as_path()), build("proofs"));
    let clean = kernel(1, "");
    let launched = |text: &str, words: &str| place.run(with, "gpu:collide:fastest", text, words).launched;

    let ran = place.run(with, "gpu:collide:fastest", &clean, "launch launch wait launch");
    assert_eq!(ran.launched, ["original"; 3]);
    let counters = ran.result.counters;
    assert_eq!((counters.launches, counters.checked, counters.proved), (3, 3, 3));
    assert!(ran.result.proved_whole);
    let note = "3 of 3 launches were proved free of races, and ran without checks";
    assert!(ran.result.limits.iter().any(|limit| limit == note), "{:?}", ran.result.limits);
    // The answer is kept for later runs.
    assert_ne!(place.0.join("home/.cache/warprace/proofs").read_dir().unwrap().count(), 0);
    assert_eq!(launched(&clean, "launch"), ["original"]);

    // A stream that the legacy stream waits for is ordered with it; two such streams are not ordered, nor is another
    // one with any.
    assert_eq!(launched(&clean, "blocking launch own launch"), ["original"; 3]);
    assert_eq!(launched(&clean, "launch blocking blocking own launch"), ["original", "checks", "original"]);
    assert_eq!(launched(&clean, "launch nonblocking own launch"), ["original", "checks", "checks"]);

    // Racy kernels, launches that leave the allocation, memory that the host accesses, variables whose contents the
    // original module does not have.
    assert_eq!(launched(&kernel(0, ""), "launch launch"), ["checks"; 2]);
    assert_eq!(launched(&kernel(1000, ""), "launch"), ["checks"]);
    assert_eq!(launched(&clean, "grown"), ["original"], "as many threads, each in the allocation");
    assert_eq!(launched(&clean, "managed wait launch"), ["checks", "original"]);
    // Constants are copied from the module with checks.
    let constant = clean.replace("ret;", "ld.const.u64 %rd4, [v];\nret;");
    let more = ".visible .const .align 8 .u64 v;\n.visible .entry";
    let ran = launched(&constant.replacen(".visible .entry", more, 1), "launch wait launch");
    assert_eq!(ran, ["copy of 8 bytes", "original", "copy of 8 bytes", "original"]);
    let variable = clean.replace("ret;", "ld.global.u64 %rd4, [v];\nret;");
    let more = ".visible .global .align 8 .u64 v;\n.visible .entry";
    assert_eq!(launched(&variable.replacen(".visible .entry", more, 1), "launch"), ["checks"]);
    assert_eq!(launched(&kernel(1, ".visible .global .align 8 .u64 v;\n"), "launch"), ["original"]);

    // Where kernels get their checks when they are first used, the original is the program's own.
    let others: String = (0..99).map(|n| kernel(1, "").replace(" k(", &format!(" k{n}("))).collect();
    let others: String = others.split_inclusive("\n").filter(|line| !is_of_module(line)).collect();
    let many = format!("{clean}{others}");
    assert_eq!(launched(&many, "launch wait launch"), ["original"; 2]);
    assert_eq!(launched(&many, "nonblocking own launch"), ["checks"; 2]);

    // The driver gives the handle of an unloaded kernel to another one.
    let one = clean.replace(", .param .u32 n", "").replace("ld.param.u32 %r5, [n]", "mov.u32 %r5, 224");
    let ran = launched(&format!("{clean}\u{c}{one}"), "launch wait other launch");
    assert_eq!(ran, ["original", "original of one"]);

    // Other streams and memory of the host may race with proved launches.
    let is_whole = |words: &str| place.run(with, "gpu:collide:fastest", &clean, words).result.proved_whole;
    assert!(is_whole("blocking launch own launch"));
    for words in ["launch nonblocking", "launch blocking blocking", "register launch", "managed wait launch"]
    {
        assert!(!is_whole(words), "{words}");
    }

    let unpruned = place.run(with, "gpu:collide:fastest:unpruned", &clean, "launch");
    assert_eq!((&unpruned.launched[..], unpruned.result.counters.proved), (&["checks".to_owned()][..], 0));
    assert!(!unpruned.result.proved_whole);
}

#[test]
fn a_launch_that_is_proved_in_part_leaves_out_the_checks_of_that_part() {
    let Some((library, warprace)) = built() else { return println!("left out: no library") };
    let (with, place) = ((library.as_path(), warprace.as_path()), build("proofs-in-part"));
    let launched = |text: &str, words: &str| place.run(with, "gpu:guard", text, words).launched;

    // The first group is the store to shared memory, the second one that to global memory.
    let global = place.run(with, "gpu:guard", &with_shared(1, false), "launch wait launch");
    assert_eq!(global.launched, ["checks without 2"; 2]);
    let counters = global.result.counters;
    assert_eq!((counters.checked, counters.proved, counters.proved_in_part), (2, 0, 2));
    let note =
        "2 launches were proved in part, and left out the checks of 1 of 2 loads and stores of their kernels";
    assert!(global.result.limits.iter().any(|limit| limit == note), "{:?}", global.result.limits);
    assert!(!global.result.proved_whole);
    let shared = with_shared(0, true);
    assert_eq!(launched(&shared, "launch"), ["checks without 1"]);
    assert_eq!(launched(&with_shared(1, true), "launch"), ["original"]);
    assert_eq!(launched(&with_shared(0, false), "launch"), ["checks"]);
    // A store that may leave its array.
    assert_eq!(launched(&with_shared(1000, false), "launch"), ["checks"]);

    // Beside other streams, nothing but the launch accesses its shared memory.
    let beside = "launch nonblocking own launch";
    assert_eq!(launched(&with_shared(1, false), beside), ["checks without 2", "checks", "checks"]);
    assert_eq!(launched(&shared, beside), ["checks without 1"; 3]);
    let whole = place.run(with, "gpu:guard", &with_shared(1, true), beside);
    assert_eq!(whole.launched, ["original", "checks without 1", "checks without 1"]);
    let why = "launches that proofs are not about: 2 beside streams that are not ordered with theirs";
    assert!(whole.result.limits.iter().any(|limit| limit == why), "{:?}", whole.result.limits);

    let data_decides = |text: &str| {
        let guard = "ld.global.u32 %r6, [%rd1];\nsetp.ne.u32 %q1, %r6, 0;\n@%q1 bra DONE;\nmul.wide.u32 %rd2";
        text.replacen("mul.wide.u32 %rd2", guard, 1)
    };
    let own = |words: &str| format!("launch wait nonblocking {words}");
    // A launch that repeats others leaves no accesses of its own. The first four make their checks, which are samples.
    let repeated = place.run(with, "gpu:guard", &kernel(1, ""), "nonblocking own own own own own own");
    assert_eq!(repeated.launched, ["checks", "checks", "checks", "checks", "original", "original"]);
    let why = "launches that proofs are not about: 4 beside streams that are not ordered with theirs";
    assert!(repeated.result.limits.iter().any(|limit| limit == why), "{:?}", repeated.result.limits);
    assert!(!repeated.result.proved_whole);
    // With launches in two streams, many in a row have one sample.
    let last = |text: &str, words: &str| launched(text, &own(words)).pop().unwrap();
    let clean = kernel(1, "");
    assert_eq!(last(&clean, "launch own own"), "original");
    assert_eq!(last(&with_shared(1, false), "launch own own"), "checks without 2");
    assert_eq!(
        last(&with_shared(1, true), "launch own grown"),
        "checks without 1",
        "in the other stream, and larger"
    );
    for words in ["launch own wait own", "launch own event own", "launch own nonblocking own"] {
        assert_eq!(
            last(&clean, words),
            "checks",
            "{words}: what is ordered after the first need not be after the last"
        );
    }
    assert_eq!(last(&data_decides(&clean), "launch own own"), "checks", "memory decides what it accesses");

    // So it does in a graph.
    let captured = place.run(with, "gpu:guard", &with_shared(1, true), "blocking capture own");
    assert_eq!(captured.launched, ["checks without 1"]);
    let why = "launches that proofs are not about: 1 of graphs";
    assert!(captured.result.limits.iter().any(|limit| limit == why), "{:?}", captured.result.limits);

    // Nodes are proved by what they are given, each time.
    let up_to = |threads: u32| {
        let wide = format!("setp.ge.u32 %q1, %r3, {threads};\n@%q1 mov.u32 %r7, s;\nst.shared.u32");
        with_shared(1, true).replace("st.shared.u32", &wide)
    };
    assert_eq!(launched(&shared, "node changed"), ["node: checks without 1", "changed: checks without 1"]);
    assert_eq!(launched(&up_to(34), "node changed"), ["node: checks without 1", "changed: checks"]);
    let shaped = shared.replace("ret;", "mov.u32 %r6, %cluster_nctaid.x;\nret;");
    assert_eq!(launched(&shaped, "node"), ["node: checks"], "its cluster is not known");

    assert_eq!(launched(&shared, "launch"), ["checks without 1"], "what is kept says the same");
    assert_eq!(place.run(with, "gpu:guard:unpruned", &shared, "launch").launched, ["checks"]);
}
