//! Commands on traces: `predict` and `compare`.

mod analyse;
mod compare;
mod divided;
mod export;
mod notes;
mod part;
mod passes;
mod spread;
mod traffic;

pub(crate) use compare::compare;
pub(crate) use export::export;

use crate::options::{Outputs, PredictArgs};
use crate::{exit, publish, story, terminal};
use detect::named::ptx_options;
use events::Finding;
use names::lens::Choice;
use names::{Laws, Replay};
use report::model::interleaving::Interleaving;
use report::source::Sources;
use report::{Checking, Document, Ending, Run, Style, Text, Verdict, describe};
use std::collections::HashMap;

/// Runs `warprace predict FILE`, which runs the chosen detectors on a trace.
pub(crate) fn predict(args: &PredictArgs) -> u8 {
    let sources = Sources::new(std::env::current_dir().ok());
    let chosen = if args.detector.is_empty() { vec![Choice::default()] } else { args.detector.clone() };
    let kept = match publish::prepare(&args.outputs) {
        Ok(kept) => kept,
        Err(refusal) => {
            refusal.show(&sources);
            return refusal.code;
        }
    };
    let mut code = 0;
    let mut documents = Vec::new();
    for lens in &chosen {
        let laws = ptx_options(Laws {
            volatile: args.volatile.into(),
            equal_values: args.equal_values.into(),
            ..Laws::default()
        });
        let analysed = match spread::analyse(args, lens, &laws) {
            Ok(Some(analysed)) => analysed,
            Ok(None) => continue,
            Err(refusal) => {
                refusal.show(&sources);
                return refusal.code;
            }
        };
        let mut document = document(&analysed, &sources, args);
        kept.apply(&mut document, &sources);
        let Outputs { print_limit, quiet, .. } = args.outputs;
        let limit = (print_limit != 0).then_some(print_limit);
        let style = Style { color: terminal::color(), width: terminal::width(), limit, quiet };
        let text = Text { style, sources: &sources };
        if chosen.len() > 1 {
            publish::print(&args.outputs, text.heading(&document));
        }
        publish::print(&args.outputs, text.document(&document));
        if let Some(error) = &analysed.damage {
            terminal::error(error);
        }
        code = match document.verdict {
            Verdict::Race => exit::RACES,
            Verdict::Inconclusive if code == 0 => exit::INCONCLUSIVE,
            _ => code,
        };
        documents.push(document);
    }
    if args.traffic {
        match traffic::model(&args.file) {
            Ok(report) => publish::print(&args.outputs, traffic::Table(&report)),
            Err(message) => {
                terminal::error(&message);
                return exit::USAGE;
            }
        }
    }
    if !publish::write(&args.outputs, &documents, &sources, std::process::id()) && code == 0 {
        return exit::OUTPUT;
    }
    code
}

fn document(analysed: &analyse::Analysed, sources: &Sources, args: &PredictArgs) -> Document {
    let interleavings = match args.outputs.html {
        Some(_) => interleavings(analysed, args),
        None => HashMap::new(),
    };
    let mut document = describe(&Run {
        results: std::slice::from_ref(&analysed.result),
        program: args.file.to_string_lossy().into_owned(),
        command: &[],
        ending: Ending::Exit(0),
        checking: Checking::Detect,
        replay: &|_, _| format!("warprace predict --detector {} {}", analysed.lens, args.file.display()),
        inconclusive: Vec::new(),
        sources,
        interleavings,
    });
    document.summary.lens = analysed.lens.to_string();
    document
}

/// Returns the interleavings of the findings' threads.
fn interleavings(analysed: &analyse::Analysed, args: &PredictArgs) -> HashMap<(u32, usize), Interleaving> {
    let findings: Vec<&Finding> = analysed.result.findings.iter().map(|r| &r.finding).collect();
    let (volatile, equal_values) = (args.volatile.into(), args.equal_values.into());
    let replay = Replay { lens: analysed.lens.clone(), volatile, equal_values, ..Replay::default() };
    let drawn = story::interleavings(&args.file, &findings, &replay).unwrap_or_default();
    drawn.into_iter().map(|(i, drawn)| ((analysed.result.pid, i), drawn)).collect()
}
