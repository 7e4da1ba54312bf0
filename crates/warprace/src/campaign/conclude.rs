//! The report of a campaign: documents, tables, a summary and the exit code.

use super::Context;
use super::words::{count, grouped};
use crate::options::Outputs;
use crate::output::replace;
use crate::publish::{self, Kept};
use crate::refusal::Refusal;
use crate::slurm::refused;
use crate::{exit, terminal};
use campaign::documents::documents;
use campaign::merge::Merged;
use campaign::plan::Plan;
use campaign::tables::Tables;
use columnar::Format;
use report::render::{Html, Json, Renderer};
use report::source::Sources;
use report::{Document, Style, Text, Verdict};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

/// The options and files that decide about the report.
pub(super) struct Ways<'a> {
    pub(super) outputs: &'a Outputs,
    pub(super) kept: &'a Kept,
    pub(super) sources: &'a Sources,
}

/// Reports all results, and returns the exit code.
pub(super) fn conclude(context: &Context<'_>, merged: &Merged<'_>, ways: &Ways<'_>) -> Result<u8, Refusal> {
    let Ways { outputs, kept, sources } = *ways;
    let mut documents = documents(merged, context.store);
    for document in &mut documents {
        at_home(document, context.plan);
        kept.apply(document, sources);
    }
    crate::check::unite(&mut documents);
    tables(context, merged)?;
    let root = context.store.root();
    let own: [(&str, &dyn Renderer); 2] = [("report.json", &Json), ("report.html", &Html { sources })];
    for (name, renderer) in own {
        let path = root.join(name);
        replace(&path, renderer.render(&documents).as_bytes())
            .map_err(|error| refused(campaign::store::Error::Write { path: path.clone(), error }))?;
    }
    let limit = (outputs.print_limit != 0).then_some(outputs.print_limit);
    let style = Style { color: terminal::color(), width: terminal::width(), limit, quiet: true };
    let text = Text { style, sources };
    for document in &documents {
        let mut report = text.document(document);
        for reason in &document.inconclusive {
            let _ = writeln!(report, "inconclusive: {reason}");
        }
        if !report.is_empty() {
            let line = "─".repeat(60);
            terminal::complain(format_args!("── {} {line}\n{report}\n", document.program.name));
        }
    }
    let is_written = publish::write(outputs, &documents, sources, std::process::id());
    if !outputs.quiet {
        terminal::complain(summary(merged, &documents, root));
    }
    Ok(match code(merged, &documents) {
        0 if !is_written => exit::OUTPUT,
        code => code,
    })
}

/// Completes the replay commands of a program that runs in another folder, or with variables or an input.
fn at_home(document: &mut Document, plan: &Plan) {
    let campaign = plan.campaign();
    let Some(program) = campaign.programs.iter().find(|program| program.name == document.program.name) else {
        return;
    };
    let quote = |path: &Path| crate::run::quote(path.as_os_str());
    let directory = campaign.folder().join(&program.directory);
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    let mut before = String::new();
    if same(&directory) != same(Path::new(".")) {
        let plain: std::path::PathBuf = directory.components().collect();
        let _ = write!(before, "cd {} && ", quote(&plain));
    }
    for (name, value) in &program.env {
        let _ = write!(before, "{name}={} ", crate::run::quote(OsStr::new(value)));
    }
    let after = program.stdin.as_ref().map(|path| format!(" < {}", quote(path))).unwrap_or_default();
    for finding in document.races.iter_mut().chain(&mut document.hazards) {
        finding.replay = format!("{before}{}{after}", finding.replay);
    }
}

/// Writes the tables of runs and findings beside the results.
fn tables(context: &Context<'_>, merged: &Merged<'_>) -> Result<(), Refusal> {
    let root = context.store.root();
    let format = *Format::ALL.last().unwrap_or(&Format::Csv);
    let folder = root.join("writing").join(format!("tables-{}-{}", crate::slurm::host(), std::process::id()));
    let failed = |error| refused(campaign::store::Error::Write { path: root.join("runs"), error });
    let mut written = vec![false; context.plan.len() as usize];
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut tables = Tables::create(&folder, format).map_err(failed)?;
    let mut outcome = Ok(());
    let read = context.store.read(|record| {
        let number = context.plan.number(record.run).filter(|number| merged.is_done(*number));
        if let Some(number) = number.filter(|number| !std::mem::replace(&mut written[*number as usize], true))
            && outcome.is_ok()
        {
            outcome = tables.add(context.plan, number, &record);
        }
    });
    read.map_err(refused)?;
    outcome.and_then(|()| tables.finish()).map_err(failed)?;
    for name in ["runs", "findings"] {
        let file = format!("{name}.{}", format.name());
        std::fs::rename(folder.join(&file), root.join(&file)).map_err(failed)?;
    }
    let _ = std::fs::remove_dir(&folder);
    Ok(())
}

/// Returns a table with a line for each program, and where everything is.
fn summary(merged: &Merged<'_>, documents: &[Document], root: &Path) -> String {
    let width = documents.iter().map(|d| d.program.name.chars().count()).max().unwrap_or(0).max(7);
    let mut out = format!(
        "{:<width$}  {:<14} {:>9} {:>9} {:>7} {:>8} {:>9} {:>8}\n",
        "program", "verdict", "runs", "of", "races", "hazards", "not ended", "time"
    );
    for document in documents {
        let Some(campaign) = &document.campaign else { continue };
        let ended = campaign.outcomes.get("ended").copied().unwrap_or(0);
        let _ = writeln!(
            out,
            "{:<width$}  {:<14} {:>9} {:>9} {:>7} {:>8} {:>9} {:>7.1}s",
            document.program.name,
            document.verdict.name(),
            grouped(campaign.runs),
            grouped(campaign.of),
            document.races.len(),
            document.hazards.len(),
            grouped(campaign.runs - ended),
            campaign.milliseconds as f64 / 1000.0
        );
    }
    let all = merged.plan().len();
    let sum = |of: fn(&Document) -> usize| documents.iter().map(of).sum::<usize>() as u64;
    let _ = writeln!(
        out,
        "warprace: {} of {}, {}, {}; report.html, report.json and tables in {}",
        grouped(all - merged.left()),
        count(all, "run"),
        count(sum(|d| d.races.len()), "race"),
        count(sum(|d| d.hazards.len()), "hazard"),
        root.display()
    );
    out
}

/// Returns the exit code: races take precedence over failures, and failures over what is missing.
fn code(merged: &Merged<'_>, documents: &[Document]) -> u8 {
    if documents.iter().any(|document| document.verdict == Verdict::Race) {
        return exit::RACES;
    }
    let failed = documents.iter().find_map(|document| match document.program {
        report::model::Program { signal: Some(signal), .. } => Some(128u8.wrapping_add(signal as u8)),
        report::model::Program { exit_code: Some(code), .. } if code != 0 => Some((code as u8).max(1)),
        _ => None,
    });
    let unchecked = merged.left() > 0 || documents.iter().any(|document| !document.inconclusive.is_empty());
    failed.unwrap_or(if unchecked { exit::INCONCLUSIVE } else { 0 })
}
