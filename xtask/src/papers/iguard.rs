//! The tables 4 and 5 of iGUARD: races in 21 programs, and 21 programs without.

use super::{Input, Program, Tools, made, program};
use crate::scores;
use crate::shell::{self, Outcome};
use std::fmt::Write as _;
use std::path::Path;

/// A row of table 4.
struct Racy {
    suite: &'static str,
    /// The program, or why there is none.
    program: Result<Program, &'static str>,
    /// Its name in the paper, if that differs.
    name: &'static str,
    /// What Barracuda reports (`None`: it could not run the program), what iGUARD reports, and the kinds of that.
    barracuda: Option<&'static str>,
    iguard: u32,
    kinds: &'static str,
    note: &'static str,
}

const fn scor(name: &'static str, stdin: fn() -> String) -> Result<Program, &'static str> {
    Ok(Program { stdin, ..program(name, &[]) })
}

const fn racy(
    suite: &'static str,
    name: &'static str,
    program: Result<Program, &'static str>,
    iguard: u32,
    kinds: &'static str,
) -> Racy {
    Racy { suite, program, name, barracuda: None, iguard, kinds, note: "" }
}

const OLD_GUNROCK: &str =
    "the applications of Gunrock's release 1, which the repository of today has no longer";
const BY_HAND: &str = "not by this command, but by hand ([gpu](gpu.md#programs-run-by-hand))";
const CHANGED: &str = "the paper's program was changed to misuse the barrier; this is the sample as it is";

static TABLE_4: [Racy; 22] = [
    racy(
        "ScoR",
        "matrix-mult",
        scor("matrix-mult", || scores::input("matrix-multiplication")),
        4,
        "IL, AS, BR",
    ),
    racy("ScoR", "1dconv", scor("1dconv", || scores::input("1dconv")), 1, "AS"),
    racy("ScoR", "graph-con", scor("graph-con", || scores::input("graph-connectivity")), 5, "AS, BR, DR"),
    racy("ScoR", "reduction", scor("reduction", || scores::input("reduction")), 7, "ITS, BR, DR"),
    racy("ScoR", "rule-110", scor("rule-110", || scores::input("rule-110")), 2, "AS, DR"),
    racy("ScoR", "uts", scor("uts", || scores::input("uts")), 6, "IL, AS"),
    Racy {
        note: "under `--schedule random --seed 1`: the host's loop does not end under the default",
        ..racy(
            "ScoR",
            "graph-color",
            Ok(Program {
                stdin: || scores::input("graph-coloring"),
                schedule: &["--schedule", "random", "--seed", "1"],
                ..program("graph-color", &[])
            }),
            6,
            "AS, BR, DR",
        )
    },
    racy("CG", "conjugGMB", Err("its matrix has 2^20 rows, which a CPU does not end in time"), 1, "CG (DR)"),
    Racy {
        note: CHANGED,
        ..racy("CG", "reduceMB", Ok(program("reduceMB", &["--n=65536", "--maxblocks=8"])), 1, "CG (DR)")
    },
    racy(
        "NVlib_CG",
        "grid_sync",
        Err(
            "the grid barrier of CUDA 11's library; that of CUDA 13, which reduceMB and conjugGMB run, is another",
        ),
        1,
        "DR",
    ),
    racy("Gunrock", "louvain", Err(OLD_GUNROCK), 3, "ITS"),
    racy("Gunrock", "pr_nibble", Err(OLD_GUNROCK), 1, "BR"),
    racy("Gunrock", "sm", Err(OLD_GUNROCK), 1, "BR"),
    racy("Gunrock", "color", Err(OLD_GUNROCK), 2, "BR"),
    racy("Lonestar", "mis", Err(BY_HAND), 2, "BR, DR"),
    racy("Lonestar", "cc", Err(BY_HAND), 3, "BR, DR"),
    racy("SlabHash", "test_slab_hash", Err(BY_HAND), 1, "DR"),
    racy(
        "cuML",
        "prims",
        Err(
            "a test of the library's grid barrier, which needs the library's build ([gpu](gpu.md#not-to-be-had))",
        ),
        1,
        "DR",
    ),
    Racy {
        barracuda: Some("3"),
        note: "Barracuda did not end",
        ..racy("Kilo-TM", "interac", Ok(program("interac", &[])), 4, "BR, DR")
    },
    Racy {
        barracuda: Some("2"),
        ..racy(
            "Kilo-TM",
            "hashtable",
            Ok(program("hashtable", &["-noprompt", "-numThreads=8", "-numBlocks=8", "-quiet"])),
            2,
            "DR",
        )
    },
    Racy { barracuda: Some("2"), ..racy("SHoC", "shoc_bfs", Ok(program("shocbfs", &[])), 2, "BR") },
    Racy { barracuda: Some("1"), ..racy("CUB", "grid_barrier", Err(BY_HAND), 1, "DR") },
];

/// Returns a database of places as nn reads it: lines of 48 characters, with the latitude from the 29th on and the
/// longitude behind it.
fn hurricanes() -> String {
    (0..2000).fold(String::new(), |mut text, i| {
        let (latitude, longitude) = (f64::from(i * 7 % 900) / 10.0, f64::from(i * 13 % 3600) / 10.0);
        let _ = writeln!(text, "{:<28}{latitude:>5.1}{longitude:>5.1}{:<10}", "1982 8 24", "");
        text
    })
}

/// Table 5: programs that iGUARD and Barracuda report nothing of.
static TABLE_5: [(&str, Result<Program, &str>); 21] = [
    ("Rodinia dwt2d", Err(BY_HAND)),
    ("Rodinia hotspot", Ok(super::predatar::HOTSPOT)),
    ("Rodinia hybridsort", Err("reads texture references, which CUDA 12 and later have no longer")),
    ("Rodinia kmeans", Err("reads texture references, which CUDA 12 and later have no longer")),
    ("Rodinia needle", Ok(program("needle", &["256", "10"]))),
    (
        "Rodinia nn",
        Ok(Program {
            files: &[
                Input { name: "hurricanes", text: || "hurricanes.db\n".to_owned() },
                Input { name: "hurricanes.db", text: hurricanes },
            ],
            ..program("nn", &["hurricanes", "-r", "5", "-lat", "30", "-lng", "90", "-q"])
        }),
    ),
    ("Rodinia pathfinder", Ok(program("pathfinder", &["10000", "40", "20"]))),
    ("Rodinia srad", Ok(program("srad", &["128", "128", "0", "31", "0", "31", "0.5", "2"]))),
    ("CG warpAA", Ok(program("warpAA", &[]))),
    ("CUB block_radix_sort", Err(CUB)),
    ("CUB block_reduce", Err(CUB)),
    ("CUB block_scan", Err(CUB)),
    ("CUB device_partition_flagged", Err(CUB)),
    ("CUB device_partition_if", Err(CUB)),
    ("CUB device_radix_sort", Err(CUB)),
    ("CUB device_reduce", Err(CUB)),
    ("CUB device_scan", Err(CUB)),
    ("CUB device_select_flagged", Err(CUB)),
    ("CUB device_select_if", Err(CUB)),
    ("CUB device_select_unique", Err(CUB)),
    ("CUB device_sort_find_non_trivial_runs", Err(CUB)),
];

const CUB: &str =
    "not by this command; all of CCCL 3.0.1's examples of CUB are clean ([suites](../../suites.md#others))";

/// What was measured of a program: pairs that the lens `iguard` reports of a record, and that runs by the PTX model
/// report, the second with ordinary volatile accesses.
struct Found {
    lens: Option<usize>,
    runs: [Option<usize>; 2],
    seconds: f64,
}

fn found(tools: &Tools, program: &Program, file: &Path) -> Outcome<Found> {
    shell::step(program.name);
    let (trace, _) = tools.record(program, file)?;
    let lens = tools.ask(&trace, "iguard")?.map(|answer| answer.pairs);
    let _ = std::fs::remove_file(&trace);
    let (mut runs, mut seconds) = ([None; 2], 0.0);
    for (options, found) in [&[][..], &["--volatile", "weak"]].into_iter().zip(&mut runs) {
        let run = tools.run(program, file, options)?;
        *found = (!run.timed_out).then(|| super::pairs(&run.report).len());
        seconds = run.wall.as_secs_f64();
    }
    Ok(Found { lens, runs, seconds })
}

/// Measures a program, unless FOLDER lacks it.
fn cells(tools: &Tools, program: &Result<Program, &'static str>) -> Outcome<(String, String)> {
    let program = match program {
        Err(reason) => return Ok((" – | – | – | – |".to_owned(), format!("not run: {reason}"))),
        Ok(program) => program,
    };
    let Some(file) = tools.file(program) else {
        return Ok((" – | – | – | – |".to_owned(), "not run: FOLDER lacks it".to_owned()));
    };
    let found = found(tools, program, &file)?;
    let cell = |n: Option<usize>| n.map_or("> limit".to_owned(), |n| n.to_string());
    let text = format!(
        " {} | {} | {} | {:.1} |",
        cell(found.lens),
        cell(found.runs[0]),
        cell(found.runs[1]),
        found.seconds
    );
    Ok((text, String::new()))
}

/// Returns the page.
pub(super) fn tables(tools: &Tools, only: &str) -> Outcome<String> {
    let mut text = format!(
        "# iGUARD's tables\n\n{}\n\nThe paper: *iGUARD: In-GPU Advanced Race Detection* (SOSP 2021), on a Titan RTX. FOLDER has \
         the user's builds, as for [PreDataR's tables](predatar.md), under the names of the tables: ScoR's applications (with `-DRACEY`), \
         Rodinia, Kilo-TM and SHoC from upenn-acg/barracuda, commit `db2549b`, and conjugGMB, reduceMB and warpAA from \
         NVIDIA/cuda-samples, commit `c94ff36` (`conjugateGradientMultiBlockCG`, `reductionMultiBlockCG`, \
         `warpAggregatedAtomicsCG`). Arguments are in `xtask/src/papers/iguard.rs`.\n\nThe paper counts races as iGUARD reports \
         them, and warprace pairs of lines. `iguard` is the lens that is built after the paper, over a record of the default \
         schedule; `ptx` is a run by the PTX model, `weak` the same with `--volatile weak`, whose seconds are given. This is one execution; \
         [scor-lenses](../scor-lenses.md) has what is found of ScoR's applications over four. A cell with a limit did not end in the \
         time that `--limit` gives.\n\n\
         IL: improper locking, AS: insufficient scope of an atomic, ITS: lanes of one warp, BR: within a block, DR: within the \
         device, CG: through cooperative groups.\n\n## Table 4: racy programs\n\n| suite | program | paper: Barracuda | iGUARD | kinds \
         | `iguard` | `ptx` | weak | s | |\n|---|---|---|---|---|---|---|---|---|---|\n",
        made("iguard")
    );
    for row in TABLE_4.iter().filter(|row| row.name.contains(only)) {
        let (cells, reason) = cells(tools, &row.program)?;
        let barracuda = row.barracuda.unwrap_or("–");
        let notes: Vec<&str> = [row.note, &reason].into_iter().filter(|note| !note.is_empty()).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {barracuda} | {} | {} |{cells} {} |",
            row.suite,
            row.name,
            row.iguard,
            row.kinds,
            notes.join("; ")
        );
    }
    text.push_str(
        "\n## Table 5: programs without races\n\nThe paper reports nothing of them.\n\n| program | `iguard` | `ptx` | weak | s | |\n\
         |---|---|---|---|---|---|\n",
    );
    for (name, program) in TABLE_5.iter().filter(|(name, _)| name.contains(only)) {
        let (cells, reason) = cells(tools, program)?;
        let _ = writeln!(text, "| {name} |{cells} {reason} |");
    }
    Ok(text)
}
