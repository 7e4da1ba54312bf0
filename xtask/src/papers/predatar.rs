//! The tables 2, 3 and 4 of PreDataR (GWCP): unique races, time and memory of four detectors on ten programs, and
//! streamcluster, which only tables 3 and 4 have.

use super::{Answer, Input, Program, Tools, made, program};
use crate::cuda;
use crate::scores;
use crate::shell::{self, Outcome};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// A row of the paper's tables.
struct Row {
    program: Program,
    source: &'static str,
    /// Table 2, by Barracuda+, ScoRD, iGUARD and PreDataR; streamcluster is not in it.
    races: Option<[u32; 4]>,
    /// Table 3, over the run with empty callbacks (BLK): Barracuda+, ScoRD, PreDataR.
    slowdown: [f64; 3],
    /// Table 4, in MB: Barracuda+ and PreDataR, compressed, and ScoRD.
    memory: [u32; 3],
    /// Why it was not run, or why the numbers differ.
    note: &'static str,
}

/// The lenses that are built after Barracuda, ScoRD, iGUARD and PreDataR, in the order of the paper's table.
const LENSES: [&str; 4] = ["hb", "scord", "iguard", "gwcp"];

const SCOR: &str = "csl-iisc/ScoR, `benchmarks`, with `RACEY`";
const BARRACUDA: &str = "upenn-acg/barracuda, `benchmarks`";

/// Rodinia's hotspot, on a square of 64 cells.
pub(super) const HOTSPOT: Program = Program {
    files: &[
        Input { name: "temperature", text: || grid(64, 320) },
        Input { name: "power", text: || grid(64, 1) },
    ],
    ..program("hotspot", &["64", "2", "4", "temperature", "power", "hotspot.out"])
};

static ROWS: [Row; 11] = [
    Row {
        program: Program { stdin: || scores::input("1dconv"), ..program("1dconv", &[]) },
        source: SCOR,
        races: Some([5, 5, 5, 5]),
        slowdown: [10.6 / 1.18, 6.53 / 1.18, 14.7 / 1.18],
        memory: [742, 1052, 494],
        note: "The configured race is one pair of lines; the paper seems to count machine instructions.",
    },
    Row {
        program: Program { stdin: || scores::input("reduction"), ..program("reduction", &[]) },
        source: SCOR,
        races: Some([19, 2, 12, 19]),
        slowdown: [21.93 / 3.42, 18.01 / 3.42, 42.42 / 3.42],
        memory: [6626, 10218, 5016],
        note: "The kernel is a template whose loops the compiler unrolls, so that a pair of lines is many pairs of instructions.",
    },
    Row {
        program: Program { stdin: || scores::input("rule-110"), ..program("rule-110", &[]) },
        source: SCOR,
        races: Some([30, 24, 5, 30]),
        slowdown: [24.48 / 1.58, 26.7 / 1.58, 48.76 / 1.58],
        memory: [2092, 3570, 1065],
        note: "All data is volatile. The paper seems to count machine instructions, of which the unrolled loops have many for a pair of \
               lines.",
    },
    Row {
        program: HOTSPOT,
        source: BARRACUDA,
        races: Some([0; 4]),
        slowdown: [126.84 / 0.62, 3.2 / 0.62, 232.28 / 0.62],
        memory: [861, 1338, 505],
        note: "",
    },
    Row {
        program: program("kmeans", &[]),
        source: BARRACUDA,
        races: Some([0; 4]),
        slowdown: [64.46 / 11.82, 41.03 / 11.82, 210.48 / 11.82],
        memory: [6360, 11004, 6580],
        note: "Not run: its kernel reads texture references, which CUDA 12 and later have no longer.",
    },
    Row {
        program: program("needle", &["256", "10"]),
        source: BARRACUDA,
        races: Some([0; 4]),
        slowdown: [110.77 / 67.95, 79.05 / 67.95, 152.48 / 67.95],
        memory: [1829, 3074, 1747],
        note: "",
    },
    Row {
        program: program("threadFenceReduction", &["--n=65536"]),
        source: BARRACUDA,
        races: Some([31, 6, 0, 34]),
        slowdown: [51.37 / 25.99, 39.41 / 25.99, 88.74 / 25.99],
        memory: [287, 378, 238],
        note: "Most pairs are of one warp in shared memory (the last rounds of the reduction have no `__syncwarp()`), in each of the \
               kernel's instances. `gwcp` did not end within the limit of 120 s.",
    },
    Row {
        program: program("pathfinder", &["10000", "40", "20"]),
        source: BARRACUDA,
        races: Some([2, 2, 0, 5]),
        slowdown: [32.63 / 1.55, 3.18 / 1.55, 95.41 / 1.55],
        memory: [397, 546, 305],
        note: "Barriers stand at each hand-over between threads of the block, and `warprace prove --facts` proves the launch free of \
               races: what the paper counts are no races of this source.",
    },
    Row {
        program: program("shocbfs", &[]),
        source: BARRACUDA,
        races: Some([4, 3, 2, 4]),
        slowdown: [26.85 / 26.08, 25.77 / 26.08, 26.34 / 26.08],
        memory: [120, 120, 120],
        note: "Levels and the flag, by several threads of one launch.",
    },
    Row {
        program: program(
            "streamcluster",
            &["10", "20", "16", "1024", "1024", "100", "none", "streamcluster.out", "1"],
        ),
        source: BARRACUDA,
        races: None,
        slowdown: [398.93 / 373.74, 393.74 / 373.74, 420.52 / 373.74],
        memory: [477, 496, 138],
        note: "",
    },
    Row {
        program: program("stencil", &[]),
        source: "`xtask/papers/stencil.cu`, after the paper's Figure 11",
        races: Some([1, 0, 0, 2]),
        slowdown: [1.0, 1.0, 1.0],
        memory: [119, 119, 119],
        note: "The paper's program is not public; ours is smaller and may differ in its statements.",
    },
];

/// Returns numbers of a square, one a line.
fn grid(side: u32, base: u32) -> String {
    (0..side * side).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}.{:03}", base + i % 5, i * 37 % 1000);
        text
    })
}

/// What was measured of a program.
struct Measured {
    instructions: u64,
    /// Without detection, and with a record.
    alone: Duration,
    recorded: Duration,
    /// By `LENSES`.
    answers: Vec<Option<Answer>>,
    /// The pairs that `ptx`, the same with ordinary volatile accesses, and prediction report of a run; `None` if it did
    /// not end in time.
    runs: [Option<usize>; 3],
    checked: Duration,
}

fn measured(tools: &Tools, row: &Row, file: &Path) -> Outcome<Measured> {
    shell::step(row.program.name);
    let alone = tools.run(&row.program, file, &["--no-detect"])?;
    let (trace, recorded) = tools.record(&row.program, file)?;
    let answers = LENSES.iter().map(|lens| tools.ask(&trace, lens)).collect::<Outcome<_>>()?;
    let _ = std::fs::remove_file(&trace);
    let mut checked = Duration::ZERO;
    let mut runs = [None; 3];
    for (options, found) in [&[][..], &["--volatile", "weak"], &["--predict"]].into_iter().zip(&mut runs) {
        let run = tools.run(&row.program, file, options)?;
        *found = (!run.timed_out).then(|| super::pairs(&run.report).len());
        if options.is_empty() {
            checked = run.wall;
        }
    }
    let instructions = alone.number("thread_instructions");
    Ok(Measured { instructions, alone: alone.wall, recorded, answers, runs, checked })
}

/// Returns the page.
pub(super) fn tables(tools: &Tools, only: &str) -> Outcome<String> {
    let stencil = tools.work.join("stencil");
    shell::run(
        cuda::ensure()?
            .nvcc()
            .args(["-std=c++17", "-lineinfo", "-gencode", "arch=compute_90,code=compute_90", "-o"])
            .arg(&stencil)
            .arg(shell::root().join("xtask/papers/stencil.cu")),
    )?;
    let mut all = Vec::new();
    for row in ROWS.iter().filter(|row| row.program.name.contains(only)) {
        let file = match row.program.name {
            "stencil" => Some(stencil.clone()),
            _ => tools.file(&row.program),
        };
        all.push((row, file.map(|file| measured(tools, row, &file)).transpose()?));
    }
    let mut text = head();
    races(&all, &mut text);
    times(&all, &mut text);
    memory(&all, &mut text);
    notes(&all, &mut text);
    Ok(text)
}

fn head() -> String {
    format!(
        "# PreDataR's tables\n\n{}\n\nThe paper: *Predictive data race detection for GPUs* (GWCP), tables 2 to 4: ten programs, and \
         streamcluster, traced on a GPU through NVBit. Here FOLDER holds the user's builds of the same programs, \
         each under its name in the tables, by `nvcc` 13.0 with `-std=c++17 -O2 -lineinfo -gencode \
         arch=compute_90,code=compute_90`: from csl-iisc/ScoR, commit `6dc3507` (`-DRACEY`, `-DNBLOCKS` and `-DNTHREADS` as in its \
         Makefiles), and upenn-acg/barracuda, commit `db2549b` (`-DcudaThreadSynchronize=cudaDeviceSynchronize \
         -DcudaThreadExit=cudaDeviceReset -DclockRate=warpSize`, and the `helper_cuda.h` of today's samples). Sizes are such that a CPU \
         can run them; the arguments are in `xtask/src/papers/predatar.rs`. `stencil` is compiled by the command.\n\nThe lenses: \
         `hb` stands for Barracuda+ (BC+), `scord` for ScoRD (SRD), `iguard` for iGUARD (IG) and `gwcp` for PreDataR (PD); all four \
         analyse one record of the default schedule. A cell `–` has its reason below.\n",
        made("predatar")
    )
}

type All<'a> = [(&'a Row, Option<Measured>)];

fn cell<T>(value: Option<T>, shown: impl Fn(T) -> String) -> String {
    value.map_or("–".to_owned(), shown)
}

fn races(all: &All<'_>, text: &mut String) {
    text.push_str(
        "\n## Table 2: unique races\n\nThe paper counts \"unique\" races and does not say what makes one; its numbers look like pairs of machine \
         instructions. warprace counts pairs of lines. `ptx` and the columns \
         behind it are runs: the PTX model, the same with `--volatile weak`, and with `--predict`.\n\n| program | paper: BC+ | SRD | IG \
         | PD | `hb` | `scord` | `iguard` | `gwcp` | `ptx` | weak | `--predict` |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (row, measured) in all.iter().filter(|(row, _)| row.races.is_some()) {
        let _ = write!(text, "| {} |", row.program.name);
        row.races.iter().flatten().for_each(|n| *text += &format!(" {n} |"));
        for lens in 0..LENSES.len() {
            let answer = measured.as_ref().and_then(|m| m.answers[lens].as_ref());
            *text += &format!(" {} |", cell(answer, |a| a.pairs.to_string()));
        }
        for run in 0..3 {
            let found = measured.as_ref().and_then(|m| m.runs[run]);
            *text += &format!(" {} |", cell(found, |n| n.to_string()));
        }
        text.push('\n');
    }
}

fn times(all: &All<'_>, text: &mut String) {
    text.push_str(
        "\n## Table 3: time\n\nIn seconds: the program on the virtual GPU without detection, with a record, each lens over the record, and \
         checked by `ptx`. The ratios are those of the analysis to the run that it analyses: in the paper over the run with empty \
         callbacks (BLK), here (without detection + lens) over without detection. The paper's times on a GPU have no counterpart here.\n\n\
         | program | instructions | alone | record | `hb` | `scord` | `iguard` | `gwcp` | `ptx` | paper: BC+, SRD, PD | here: `hb`, \
         `scord`, `gwcp` |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (row, measured) in all {
        let paper = row.slowdown.map(|x| format!("{x:.1}")).join(", ");
        let Some(m) = measured else {
            let _ = writeln!(text, "| {} |{} {paper} | – |", row.program.name, " – |".repeat(8));
            continue;
        };
        let seconds = |time: Duration| format!("{:.2}", time.as_secs_f64());
        let ratio = |lens: usize| {
            let time = m.answers[lens].as_ref().map(|a| 1.0 + a.wall.as_secs_f64() / m.alone.as_secs_f64());
            cell(time, |x| format!("{x:.1}"))
        };
        let lenses: String =
            m.answers.iter().map(|a| format!(" {} |", cell(a.as_ref(), |a| seconds(a.wall)))).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |{lenses} {} | {paper} | {}, {}, {} |",
            row.program.name,
            m.instructions,
            seconds(m.alone),
            seconds(m.recorded),
            seconds(m.checked),
            ratio(0),
            ratio(1),
            ratio(3)
        );
    }
}

fn memory(all: &All<'_>, text: &mut String) {
    text.push_str(
        "\n## Table 4: peak memory\n\nIn MB: the paper's detectors with compressed clocks (and ScoRD's), and the whole process of `warprace \
         predict`. The programs are smaller here. Clocks are always compressed in warprace, so that the columns without \
         have no counterpart.\n\n| program | paper: BC+ | PD | SRD | `hb` | `gwcp` | `scord` | `iguard` |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for (row, measured) in all {
        let _ = write!(text, "| {} |", row.program.name);
        row.memory.iter().for_each(|n| *text += &format!(" {n} |"));
        for lens in [0, 3, 1, 2] {
            let answer = measured.as_ref().and_then(|m| m.answers[lens].as_ref());
            *text += &format!(" {} |", cell(answer, |a| format!("{:.0}", a.peak as f64 / 1000.0)));
        }
        text.push('\n');
    }
}

fn notes(all: &All<'_>, text: &mut String) {
    text.push_str("\n## The programs\n\n| program | from | arguments | |\n|---|---|---|---|\n");
    for (row, measured) in all {
        let arguments = row.program.arguments.join(" ");
        let missing = match (measured, row.note) {
            (None, "") => "Not run: FOLDER lacks it.",
            (_, note) => note,
        };
        let _ = writeln!(text, "| {} | {} | `{arguments}` | {missing} |", row.program.name, row.source);
    }
}
