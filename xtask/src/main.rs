//! The repository's chores. `cargo xtask help` lists them.
//!
//! A fresh machine needs Rust, gcc and Python with pip, nothing else: the CUDA compiler
//! comes as pinned Python wheels and is unpacked under `target/cuda`.

mod assemble;
mod bench;
mod book;
mod browser;
mod consumers;
mod corpus;
mod cuda;
mod cutlass;
mod deep_test;
mod demo;
mod editor;
mod frameworks;
mod gpu;
mod install;
mod measure;
mod package;
mod page;
mod papers;
mod prose;
mod same;
mod scores;
mod shell;
mod slurm;
mod surroundings;
mod test;
mod threads;

use std::process::ExitCode;

const HELP: &str = "\
The repository's chores

Usage: cargo xtask <CHORE> [ARGS]

Chores:
  demo              build warprace, find the bug in examples/ and show that its fix is clean
  test [FILTER]     every test: crates, then tests/ui (only fixtures whose path contains FILTER)
  test --arch ARCH [FILTER]
                    the fixtures built for `default`, what nvcc chooses, or `compute_75` and so on
  arches [FILTER]   the same for each of five architectures, which takes hours
  bless [FILTER]    run tests/ui and rewrite the expected reports
  prune [FILTER]    compare runs that skip what proofs cover with runs that check everything: fixtures, and random kernels
                    (PROVE_KERNELS of them from PROVE_SEED on)
  advice [FILTER]   change each racy fixture as its report advises, and see whether that mends it
  fixes [WORD]      mend each racy fixture and real bug (whose name contains WORD, or `unmended`), try each offer, and write
                    docs/results/fix.csv and fix.md
  slim [WORD]       slim seeded programs, show that mutants without what they need race, and write docs/results/slim.md
  shrink [WORD]     shrink each finding of the racy fixtures, try each stand-alone program, and write docs/results/shrink.md
  bugs              ask every engine about the corpus of real bugs in tests/bugs, and write docs/bugs.md
  bugs gpu          ask the engines of this machine's GPU about it, and write tests/bugs/gpu.json
  deep-test [PART]  tests that need other tools or more time; every part but the last, or the one that is named:
                    `tests [FILTER]` (every check of fixtures, all seeds), `models` (the biased lock under loom),
                    `miri [CRATE...]`, `threads` (ThreadSanitizer), `fuzz [SECONDS]`, `coverage [CRATE...]` (cargo-llvm-cov),
                    `mutants [CRATE GLOB]` (cargo-mutants)
  browser-test      the HTML report in headless Chromium; `browser-test shots` leaves screenshots under target/browser
  book              the book under target/book, with all of its links followed
  consumers         the book's first page followed to the letter; then ctest, GitHub's action, GitLab's job and
                    VS Code's problem matcher read what warprace writes, and schemas validate it
  editor [test]     the extension for VS Code under target/packages; `test` uses it in a real editor: VS Code's own server (from
                    npm, 300 MB) with headless Chromium
  surroundings      programs with NVTX ranges and with tests of GoogleTest and pytest: what reports name, what ranges choose
  bench [WHAT]      how fast the virtual GPU and the detectors are on this machine: `engine` (or one
                    program of xtask/bench), `lenses`, or both; `traces` is the last part of
                    `lenses` alone; `native` is beside a real GPU; `kinds [NAME...] [--beside WARPRACE]`
                    is one small kernel for each kind of work, beside another build if one is named;
                    `curve [LARGEST [MEGABYTES]]` is the analysis of traces of up to so many events;
                    `programs FOLDER [--beside WARPRACE]` runs real programs, which you have built
  assemble [PASSES [FOLDER...]]
                    does ptxas take the fixtures' kernels with checks (by `all` passes), a third of them with `some` for
                    FOLDER, or those of other programs?
  gpu-test [ARGS]   every fixture on this machine's GPU; tests/ui/gpu_test.py says what ARGS may be
  gpu-bench [ARGS]  what `warprace run --gpu` costs on this machine's GPU; see xtask/bench/gpu_bench.py
  gpu-suites DIR    the same on public programs, which you have built in DIR; see xtask/bench/gpu_suites.py
  prose             what comments and documents have of the habits that style forbids, for each crate;
                    `--list CRATE` prints each such comment, `--crate NAME` judges one crate alone
  frameworks [NAME...]
                    programs of NVRTC, Numba, CuPy and Triton, with their races and without, on the virtual GPU; the wheels
                    are installed under target/frameworks; `torch`, which has 3 GB, only if it is named
  frameworks jupyter
                    the cell magic in JupyterLab, with headless Chromium
  frameworks bench  what warprace adds to a program of Triton: its start, and four kernels of tutorials' sizes
  frameworks llama PROGRAM [OPERATOR...]
                    operators of a built `test-backend-ops` of llama.cpp (docs/results/inference.md says how) on the virtual GPU
  frameworks flashinfer SOURCES
                    kernels of FlashInfer's headers on PyTorch's tensors; SOURCES is a copy of its repository
  frameworks suites numba [PIECE...] | cupy SOURCES [PIECE...] | triton SOURCES [PIECE...] | table
                    the frameworks' own tests under `warprace run`, in pieces; SOURCES is a copy of the framework's repository;
                    `table` writes docs/results/frameworks.md from what all pieces so far have left
  cutlass FOLDER [PROGRAM...]
                    built programs of CUTLASS, DeepGEMM and ThunderKittens on the virtual GPU, each with its own check;
                    docs/results/cutlass.md says how they are built
  corpus DIR        run every CUDA program under DIR; arguments come from DIR/corpus.args
  scores DIR        what the papers' detectors report of the ScoR suite in DIR, beside the papers' numbers
  papers PAPER DIR  the tables of `predatar`, `iguard` or `scord`, with the paper's numbers beside ours; DIR has builds of the programs
                    that docs/results/papers names; --write writes that page
  slurm-test [RUNS] a campaign over a Slurm of this machine, with tasks and daemons killed, equals one without (root; Debian's
                    slurm-wlm and munge)
  install PREFIX    put warprace into PREFIX/bin and its libraries into PREFIX/lib/warprace
  install test      is what `cargo install` puts into an empty folder enough?
  wheel [test]      a wheel for pip under target/packages; `test` installs it into an empty environment
  deb               a Debian package, with manual pages and completions
  release           the wheel, the Debian package, an archive, and their checksums
  cuda              only install the CUDA compiler under target/cuda, and print where it is
  help              this text

Environment:
  WARPRACE_BIN      a built warprace (with its library beside it) to use in place of building one
  WARPRACE_CUDA     an existing CUDA toolkit (with bin/nvcc) to use in place of target/cuda
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
    let done = match args.first().map(String::as_str) {
        Some("demo") => demo::run(),
        Some("test") => test::run(&rest),
        Some("arches") => test::architectures(rest.first().copied()),
        Some("bless") => test::bless(rest.first().copied()),
        Some("advice") => test::advice(rest.first().copied()),
        Some("prune") => test::prune(rest.first().copied()),
        Some("fixes") => test::fixes(rest.first().copied()),
        Some("slim") => test::slim(rest.first().copied()),
        Some("shrink") => test::shrink(rest.first().copied()),
        Some("bugs") => test::bugs(rest.first() == Some(&"gpu")),
        Some("consumers") => consumers::run(),
        Some("editor") => editor::run(&rest),
        Some("surroundings") => surroundings::run(),
        Some("book") => book::run(),
        Some("deep-test") => deep_test::run(&rest),
        Some("browser-test") => browser::run(&rest),
        Some("bench") => bench::run(&rest),
        Some("assemble") => assemble::run(&rest),
        Some("gpu-test") => gpu::script("tests/ui/gpu_test.py", &rest),
        Some("gpu-suites") => gpu::script("xtask/bench/gpu_suites.py", &rest),
        Some("gpu-bench") => gpu::script("xtask/bench/gpu_bench.py", &rest),
        Some("prose") => prose::run(&rest),
        Some("frameworks") => frameworks::run(&rest),
        Some("cutlass") => cutlass::run(&rest),
        Some("corpus") => corpus::run(&rest),
        Some("scores") => scores::run(&rest),
        Some("papers") => papers::run(&rest),
        Some("slurm-test") => slurm::run(&rest),
        Some("install") => install::run(&rest),
        Some("wheel") => package::wheel(&rest),
        Some("deb") => package::deb(),
        Some("release") => package::release(),
        Some("cuda") => cuda::ensure().map(|toolkit| println!("{}", toolkit.root.display())),
        Some("help" | "--help" | "-h") | None => {
            print!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("there is no chore `{other}`; `cargo xtask help` lists them")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
