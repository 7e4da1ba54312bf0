//! ScoRD's figures 8 to 11: what its metadata cost, by a model of the paper's GPU.

use super::{Program, Tools, made, program};
use crate::scores;
use crate::shell::{self, Outcome};
use std::fmt::Write as _;

/// An application, and the paper's run time over that without detection, where its text says it in numbers.
struct Row {
    program: Program,
    slowdown: Option<f64>,
}

const fn row(name: &'static str, stdin: fn() -> String, slowdown: Option<f64>) -> Row {
    Row { program: Program { stdin, ..program(name, &[]) }, slowdown }
}

static ROWS: [Row; 7] = [
    row("matrix-multiplication", || scores::input("matrix-multiplication"), None),
    row("reduction", || scores::input("reduction"), None),
    row("rule-110", || scores::input("rule-110"), None),
    row("graph-coloring", || scores::input("graph-coloring"), None),
    row("graph-connectivity", || scores::input("graph-connectivity"), None),
    row("1dconv", || scores::input("1dconv"), Some(1.88)),
    row("uts", || scores::input("uts"), None),
];

/// The rows of the model's table, by the figure that they name.
const FIGURES: [&str; 5] = ["(Fig. 9)", "(Fig. 8)", "(Fig. 10)", "0.75 MiB", "3 MiB"];

/// Returns the last two columns of a figure's row, for the base design and with the metadata cache.
fn columns(table: &str, figure: &str) -> [String; 2] {
    let line = table.lines().find(|line| line.contains(figure)).unwrap_or_default();
    let mut cells = line.rsplit("  ").map(str::trim).filter(|cell| !cell.is_empty());
    let (cached, base) = (cells.next().unwrap_or("–"), cells.next().unwrap_or("–"));
    [base.to_owned(), cached.to_owned()]
}

/// Returns the page.
pub(super) fn tables(tools: &Tools, only: &str) -> Outcome<String> {
    let mut text = format!(
        "# ScoRD's figures\n\n{}\n\nThe paper: *ScoRD: A Scoped Race Detector for GPUs* (ISCA 2020). Its table VI is in \
         [scor-lenses](../scor-lenses.md), with table VII's granularities. FOLDER is `target/scores` after `cargo xtask scores DIR`, \
         which has the correct builds of the suite's applications (csl-iisc/ScoR, commit `6dc3507`).\n\nThe paper simulates cycles, and \
         `warprace predict --traffic` [counts accesses](../../lenses.md#memory-traffic-of-scord) and derives two extremes \
         of the run time from them: all resources overlap, or none. The paper's text has few of its figures' numbers: a mean of 1.35 \
         (Fig. 8), 1.88 for 1dconv, and 16.5, 36.2 and 47.3 % of the overhead for hits in the L1, the network and metadata in the mean \
         (Fig. 10). It does not say how its smaller and larger machines of Fig. 11 differ; the model's have half and twice the L2 and the \
         channels. Its inputs (Table II) are larger than these.\n\n\
         Each cell has the base design and, behind the stroke, the metadata cache. Run times are relative to no detection.\n\n\
         | application | DRAM accesses (Fig. 9) | run time (Fig. 8) | paper | hits/network/metadata, % (Fig. 10) | half the machine (Fig. 11) | \
         twice (Fig. 11) |\n|---|---|---|---|---|---|---|\n",
        made("scord")
    );
    for row in ROWS.iter().filter(|row| row.program.name.contains(only)) {
        let Some(file) = tools.file(&row.program) else {
            let _ = writeln!(text, "| {} |{} not run: FOLDER lacks it |", row.program.name, " – |".repeat(5));
            continue;
        };
        shell::step(row.program.name);
        let (trace, _) = tools.record(&row.program, &file)?;
        let table = tools.traffic(&trace)?;
        let _ = std::fs::remove_file(&trace);
        let [dram, time, causes, smaller, larger] =
            FIGURES.map(|figure| columns(&table, figure).join(" \\| "));
        let paper = row.slowdown.map_or("–".to_owned(), |x| format!("{x}"));
        let _ = writeln!(
            text,
            "| {} | {dram} | {time} | {paper} | {causes} | {smaller} | {larger} |",
            row.program.name
        );
    }
    text.push_str(
        "\n## Model and paper\n\n\
         * Fig. 9: as in the paper the base design triples the accesses, and the cache saves nearly all of it.\n\
         * Fig. 8: the estimates stay below the paper's mean. Counts do not have the congestion of a moment, which the \
         paper's Fig. 10 makes the second of its causes, and these inputs fit the L2.\n\
         * Fig. 10: the shares with the cache are 13, 35 and 52 % in the mean, the paper's 16.5, 36.2 and 47.3. Volatile data, which is \
         most of the suite's, misses the L1, so that hits cost nothing there; the paper says the same of UTS.\n\
         * Fig. 11: less L2 and fewer channels cost more in the base design, as in the paper, where 1dconv is the exception.\n",
    );
    Ok(text)
}
