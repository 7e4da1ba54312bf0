//! Runs the library between a program and a fake driver, since CI has no GPU.

mod place;

use place::{Place, build};
use protocol::{OPTIONS_VARIABLE, PROTOCOL_VERSION, RunOptions, RunResult};
use std::convert::Infallible;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PTX: &str = ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\
    .reg .b32 %r<2>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\n\
    st.global.u32 [%rd1+4], %r1;\nret;\n}\n";

/// Returns the library's path. Cargo does not build it for tests, but `cargo xtask test` does, beside the
/// program.
fn library() -> Option<PathBuf> {
    let name = "libwarprace_gpu.so";
    let built = std::env::var_os("WARPRACE_BIN").map(|warprace| Path::new(&warprace).with_file_name(name));
    let debug = std::env::current_exe().unwrap().parent().unwrap().join("..").join(name);
    let found = built.into_iter().chain([debug]).find(|p| p.exists())?;
    Some(found.canonicalize().unwrap())
}

/// A saved launch.
#[derive(Default)]
struct Read {
    launch: Option<snapshot::Launch>,
    ranges: Vec<(u64, u64)>,
    bytes: Vec<u8>,
}

impl snapshot::Target for Read {
    type Error = Infallible;

    fn launch(&mut self, launch: snapshot::Launch) -> Result<(), Infallible> {
        self.launch = Some(launch);
        Ok(())
    }

    fn range(&mut self, range: snapshot::Range) -> Result<(), Infallible> {
        self.ranges.push((range.allocation.base, range.allocation.bytes));
        Ok(())
    }

    fn bytes(&mut self, _: u64, bytes: &[u8]) -> Result<(), Infallible> {
        self.bytes.extend(bytes);
        Ok(())
    }

    fn object(&mut self, _: snapshot::Object) -> Result<(), Infallible> {
        Ok(())
    }
}

struct Ran {
    output: Output,
    results: Vec<RunResult>,
}

impl Ran {
    fn said(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }
}

/// Runs the program without a toolkit, so that PTX reaches the driver as text, and with the library if
/// `library` is given.
fn run(place: &Place, driver: bool, library: Option<&Path>, args: &[&str]) -> Ran {
    run_with(place, driver, library, args, RunOptions::default())
}

fn run_with(place: &Place, driver: bool, library: Option<&Path>, args: &[&str], options: RunOptions) -> Ran {
    let results = place.0.join("results");
    let _ = std::fs::remove_dir_all(&results);
    std::fs::create_dir_all(&results).unwrap();
    let mut command = Command::new(place.0.join("app"));
    command.args(args).env("PATH", "/nowhere").env_remove("CUDA_HOME").env_remove("CUDA_PATH");
    command.env("HOME", place.0.join("home"));
    if driver {
        command.env("LD_LIBRARY_PATH", place.0.join("driver"));
    }
    if let Some(library) = library {
        let options = RunOptions {
            version: PROTOCOL_VERSION,
            results: results.clone(),
            engine: "gpu:collide:fastest".parse().unwrap(),
            ..options
        };
        command.env("LD_PRELOAD", library).env(OPTIONS_VARIABLE, options.to_variable());
    }
    let output = command.output().unwrap();
    let read = RunResult::read_all(&results).unwrap();
    assert!(read.unreadable.is_empty(), "{:?}", read.unreadable);
    Ran { output, results: read.processes }
}

#[test]
fn programs_without_a_driver_see_none() {
    let Some(library) = library() else {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no library");
        return println!("left out: no library; `cargo build -p gpu` makes it");
    };
    let (with, place) = (Some(library.as_path()), build("gpu"));
    let alone = run(&place, false, None, &[]);
    let checked = run(&place, false, with, &[]);
    // A machine with a real driver cannot run this part.
    assert_eq!((alone.said(), alone.output.status), (checked.said(), checked.output.status));
    if alone.output.status.code() == Some(4) {
        assert!(checked.said().contains("default none"), "our own functions must not look like a driver's");
        assert_eq!(checked.results, []);
    }

    // With a driver, its functions are interposed, and the program behaves as it does alone.
    let alone = run(&place, true, None, &[PTX]);
    let checked = run(&place, true, with, &[PTX]);
    assert_eq!(alone.output.status.code(), Some(3), "{}", alone.said());
    assert_eq!(checked.output.status.code(), Some(3), "{}", checked.said());
    let own = |ran: &Ran| {
        ran.said().lines().filter(|l| l.starts_with("app")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(own(&alone), own(&checked));
    assert!(alone.said().contains("module without checks"));
    let said = checked.said();
    let (module, registered) = (said.find("module with checks"), said.find("registered 0x300000000000"));
    let launch = said.find("launch of 7 blocks");
    assert!(module.is_some() && module < registered && registered < launch, "{said}");
    let [result] = &checked.results[..] else { panic!("{:?}", checked.results) };
    assert!(result.finished);
    assert_eq!((result.counters.launches, result.counters.checked, result.counters.threads), (1, 1, 224));
    assert_eq!(result.inconclusive, Vec::<String>::new());
    let sink = result.sink.as_ref().unwrap();
    let lines: Vec<u32> = sink.checks.iter().map(|c| result.sites.get(c.site).unwrap().ptx_line).collect();
    assert_eq!(lines, [9, 10]);
    assert_eq!(
        sink.allocations.iter().map(|a| (a.base, a.bytes)).collect::<Vec<_>>(),
        [(0x70_0000_0000, 4096)]
    );
    assert!(place.0.join("results").join(&sink.file).metadata().unwrap().len() >= 4 * 128);

    // A launch is saved before it begins, with the memory that it may touch, and runs unchanged.
    let file = place.0.join("one.launch");
    let saving = RunOptions { save_launch: Some(file.clone()), ..RunOptions::default() };
    let saved = run_with(&place, true, with, &[PTX], saving);
    assert_eq!(own(&saved), own(&alone));
    assert!(
        saved.results[0].limits.iter().any(|l| l.starts_with("saved launch 1 (`k`)")),
        "{:?}",
        saved.results[0]
    );
    let mut read = Read::default();
    snapshot::read(std::fs::File::open(&file).unwrap(), snapshot::Limits::default(), &mut read).unwrap();
    let launch = read.launch.unwrap();
    assert_eq!((launch.kernel.as_str(), launch.grid.x, launch.block.x), ("k", 7, 32));
    assert_eq!(
        (launch.texts, launch.params),
        (vec![PTX.to_owned()], 0x70_0000_0000u64.to_le_bytes().to_vec())
    );
    assert_eq!(read.ranges, [(0x70_0000_0000, 4096)]);
    assert!(read.bytes.len() == 4096 && read.bytes.iter().all(|&b| b == 7));

    // A killed process has left its result, and an unchecked kernel is named in the result.
    let killed = run(&place, true, with, &[PTX, "kill"]);
    assert_eq!(killed.output.status.signal(), Some(9));
    assert_eq!(
        killed.results.iter().map(|r| (r.finished, r.counters.launches)).collect::<Vec<_>>(),
        [(false, 1)]
    );
    let left = run(&place, true, with, &[PTX, "_exit"]);
    assert_eq!(left.results.iter().map(|r| r.finished).collect::<Vec<_>>(), [true]);
    for (image, why) in [
        ("\x7fELF is machine code", "machine code without PTX"),
        (".version 9.9 bad text", "malformed PTX"),
        (&PTX.replace(".version 7.0\n", ".version 7.0\n// refuse with checks\n"), "the driver refused it"),
    ] {
        let ran = run(&place, true, with, &[image]);
        assert_eq!(ran.output.status.code(), Some(3));
        assert!(
            ran.said().contains("app: load 0") && ran.said().contains("without checks"),
            "{}",
            ran.said()
        );
        let reasons = &ran.results[0].inconclusive;
        assert!(reasons.iter().any(|r| r.contains("kernel `k`") && r.contains(why)), "{why}: {reasons:?}");
        assert_eq!(ran.results[0].counters.checked, 0);
    }

    // Machine code of a library is told in one sentence, which a trusted one makes a limit.
    let sentence = "cuBLAS: 1 of 1 launches had no checks: 1 kernel of machine code only";
    let brought = |trust: &[&str]| {
        let trust = trust.iter().map(|name| (*name).to_owned()).collect();
        let options = RunOptions { trust, ..RunOptions::default() };
        let ran = run_with(&place, true, with, &[PTX, "brought"], options);
        assert!(ran.said().contains("module without checks"), "{}", ran.said());
        (ran.results[0].inconclusive.clone(), ran.results[0].limits.clone())
    };
    let (inconclusive, limits) = brought(&["cudnn"]);
    assert_eq!(inconclusive, [format!("{sentence} (`--trust cublas` accepts them)")]);
    assert_eq!(limits.last().unwrap(), "`--trust cudnn`: no kernel of such a library ran without checks");
    assert!(!limits.iter().any(|limit| limit.contains("cuBLAS")), "{limits:?}");
    let (inconclusive, limits) = brought(&["cudnn", "cublas"]);
    assert_eq!(inconclusive, Vec::<String>::new());
    assert!(limits.contains(&format!("{sentence}, as asked for")), "{limits:?}");

    // Kernels of unknown stack size get a larger stack, and the program sees its own number.
    let deep = format!("{PTX}.func f()\n{{\ncall.uni f;\nret;\n}}\n");
    let stacks = |ran: &Ran| {
        let of = |line: &str| {
            line.split_once("a stack of ").map(|(who, bytes)| (who.to_owned(), bytes.to_owned()))
        };
        ran.said().lines().filter_map(of).collect::<Vec<_>>()
    };
    let said = |all: &[(&str, u32)]| -> Vec<(String, String)> {
        all.iter().map(|(who, bytes)| ((*who).to_owned(), bytes.to_string())).collect()
    };
    let (ok, bad, driver) = ("app: 0, ", "app: 1, ", "driver: ");
    let alone = [(ok, 1024), (driver, 2048), (ok, 2048), (bad, 2048), (driver, 200_000), (ok, 200_000)];
    assert_eq!(stacks(&run(&place, true, None, &[&deep, "stack"])), said(&alone));
    assert_eq!(stacks(&run(&place, true, with, &[PTX, "stack"])), said(&alone));
    let mut more = alone.to_vec();
    // Engine `collide` asks for twice the limit plus 512 bytes. The device has no room for that after the
    // last request, so that limit stays.
    more.insert(2, (driver, 2 * 2048 + 512));
    let mut checked = stacks(&run(&place, true, with, &[&deep, "stack"]));
    let launched = checked.pop_if(|(who, _)| who == driver);
    assert_eq!((checked, launched), (said(&more), None));

    // Machine code of compilers at run time is recognised by its bytes: NVRTC's, with the program linked to
    // it or not, in this and in a later process, and that of a `ptxas` process that runs with the library.
    for how in ["linked", "found"] {
        let ran = run(&place, true, with, &[PTX, how]);
        assert!(ran.said().contains("app: compiled 0"), "{}", ran.said());
        assert!(ran.said().contains("module with checks"), "{how}: {}", ran.said());
        assert_eq!(ran.results[0].counters.checked, 1);
    }
    let file = place.0.join("k.cubin");
    let elf = [b"\x7fELF\x02".as_slice(), &[0; 53], &[64, 0], &[0; 4]].concat();
    std::fs::write(&file, &elf).unwrap();
    let named = format!("@{}", file.display());
    assert!(run(&place, true, with, &[&named]).said().contains("module with checks"));
    let Some(ptxas) = ptxas() else { return println!("left out: no ptxas") };
    std::fs::remove_file(&file).unwrap();
    std::fs::write(place.0.join("k.ptx"), PTX).unwrap();
    let compiled = |library: Option<&Path>| {
        let mut command = Command::new(&ptxas);
        command.args(["-arch=sm_90", "k.ptx", "-o", "k.cubin"]).current_dir(&place.0);
        command.env("HOME", place.0.join("home")).env_remove("XDG_CACHE_HOME");
        if let Some(library) = library {
            let options = RunOptions { version: PROTOCOL_VERSION, ..RunOptions::default() };
            command.env("LD_PRELOAD", library).env(OPTIONS_VARIABLE, options.to_variable());
        }
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        run(&place, true, with, &[&named])
    };
    assert!(compiled(None).said().contains("module without checks"));
    assert!(compiled(with).said().contains("module with checks"));
}

/// A module with many kernels is loaded as it is, and each kernel with its checks when it is first used.
#[test]
fn kernels_of_large_modules_get_their_checks_when_they_are_first_used() {
    let Some(library) = library() else {
        assert!(std::env::var_os("WARPRACE_REQUIRE_CUDA").is_none(), "there is no library");
        return println!("left out: no library; `cargo build -p gpu` makes it");
    };
    let (with, place) = (Some(library.as_path()), build("gpu-parts"));
    let (head, kernel) = PTX.split_at(PTX.find(".visible").unwrap());
    let number = std::thread::available_parallelism().map_or(8, |processors| 8.max(2 * processors.get()));
    let others: String = (0..number).map(|n| kernel.replace(".entry k(", &format!(".entry k{n}("))).collect();
    let large = format!("{head}{others}{kernel}");
    let driver = |ran: &Ran| -> Vec<String> {
        let said = ran.said();
        let lines = said.lines().filter_map(|line| line.strip_prefix("driver: "));
        lines.filter(|line| !line.starts_with("registered")).map(str::to_owned).collect()
    };
    let ran = run(&place, true, with, &[&large, "again"]);
    assert_eq!(
        driver(&ran),
        [
            "module without checks",
            "library with checks, 1 kernels",
            "launch of 7 blocks of a library",
            "attribute of the library's kernel",
            "launch of 7 blocks of a library"
        ]
    );
    let result = &ran.results[0];
    assert_eq!(
        (result.counters.launches, result.counters.checked, &result.inconclusive[..]),
        (2, 2, &[][..])
    );
    assert_eq!(result.kernels.len(), 1);
    let file = &result.sites.iter().next().unwrap().1;
    assert_eq!((file.function.as_str(), file.ptx_line), ("k", large.lines().count() as u32 - 3));

    // A kernel that names memory of its module stays there, and gets its checks when the module is loaded.
    let total =
        format!("{head}.visible .global .u32 total;\n{others}{}", kernel.replace("[%rd1+4]", "[total]"));
    let ran = run(&place, true, with, &[&total]);
    assert_eq!(driver(&ran), ["module with checks", "launch of 7 blocks"]);
    assert_eq!(ran.results[0].counters.checked, 1);

    // What is refused runs as it is, and is named.
    let refused = run(&place, true, with, &[&format!("// refuse with checks\n{large}")]);
    assert_eq!(driver(&refused), ["module without checks", "launch of 7 blocks"]);
    let [reason] = &refused.results[0].inconclusive[..] else { panic!("{:?}", refused.results[0]) };
    assert!(
        reason.contains("kernel `k`") && reason.contains("the driver refused it with checks"),
        "{reason}"
    );
    assert_eq!(refused.results[0].counters.checked, 0);

    // A kernel that is not to be checked keeps its module.
    let kernel_names = vec![names::Filter::parse("k0").unwrap()];
    let ran = run_with(&place, true, with, &[&large], RunOptions { kernel_names, ..RunOptions::default() });
    assert_eq!(driver(&ran), ["module without checks", "launch of 7 blocks"]);
    let result = &ran.results[0];
    assert_eq!((result.counters.checked, &result.inconclusive[..]), (0, &[][..]));
}

fn ptxas() -> Option<PathBuf> {
    let installed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/cuda/nvidia/cu13");
    let found = std::env::var_os("WARPRACE_CUDA").map_or_else(installed, PathBuf::from).join("bin/ptxas");
    found.exists().then_some(found)
}
