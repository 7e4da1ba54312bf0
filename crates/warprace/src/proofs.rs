//! Answers of the prover for the library on a real GPU ([`protocol::proofs`]).

use crate::exit;
use events::{AllocKind, Dim3, LaunchFacts, LaunchInfo, ObservedLaunch, ObservedMemory, task::Parameter};
use kernels::{Kernel, Source};
use protocol::proofs::{Answer, Arguments, AskedLaunch, Parts, Question};
use prove::Prover;
use prove::launches::InBody;
use ptx::ast::{ScalarType, Variable};
use std::cell::Cell;
use std::io::{Write, stdin, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The memory of this process, in bytes, that ends a proof.
const MOST_MEMORY: u64 = 1 << 30;

/// Reads a question from stdin, and writes its answers to stdout.
pub(crate) fn answer() -> u8 {
    let Ok(question) = serde_json::from_reader::<_, Question>(stdin().lock()) else { return exit::USAGE };
    let parsed: Vec<ptx::Parse> = question.texts.iter().map(|text| ptx::parse(text)).collect();
    let sources = Source::all(&parsed, &question.texts, "");
    let Ok(prover) = Prover::new(&sources) else { return exit::USAGE };
    let limit = Duration::from_millis(question.limit);
    for launch in &question.launches {
        let answer = match of_launch(&prover, launch, question.volatile_weak, limit) {
            Ok(constants) => {
                let is_general = is_general(&prover, &sources, launch);
                Answer { proved: true, constants, is_general, ..Answer::default() }
            }
            // That a launch is not proved costs time alone, where it would be.
            Err(Unproved { why, parts }) => {
                let is_general = parts == Parts::default() || is_general(&prover, &sources, launch);
                Answer { is_general, why: Some(why), parts, ..Answer::default() }
            }
        };
        let line = serde_json::to_string(&answer).unwrap_or_default();
        // The library has gone, and nobody reads further answers.
        if writeln!(stdout(), "{line}").and_then(|()| stdout().flush()).is_err() {
            return exit::OUTPUT;
        }
    }
    0
}

/// The answer about a launch that is not proved as a whole.
#[derive(Default)]
struct Unproved {
    why: String,
    parts: Parts,
}

impl From<&str> for Unproved {
    fn from(why: &str) -> Unproved {
        Unproved { why: why.to_owned(), ..Unproved::default() }
    }
}

/// Proves a launch, and returns the constants that it may read. The error says why it is not proved, and what is.
fn of_launch(
    prover: &Prover<'_>,
    asked: &AskedLaunch,
    volatile_weak: bool,
    limit: Duration,
) -> Result<Vec<String>, Unproved> {
    let kernel = position(prover, asked).ok_or("there is no such kernel")?;
    let launch =
        observed(&prover.kernels()[kernel], asked).ok_or("its arguments are not those of its parameters")?;
    let begin = Instant::now();
    let looked = Cell::new((begin, false));
    let stop = || {
        let (at, is_full) = looked.get();
        let now = Instant::now();
        if now - at > Duration::from_millis(20) {
            looked.set((now, resident() > MOST_MEMORY));
        }
        is_full || now - begin > limit
    };
    let launch = Arc::new(launch);
    prover.whole(kernel, &launch, volatile_weak, &stop).map_err(|why| {
        let InBody { shared, global } = prover.apart_in_body(kernel, &launch, volatile_weak, &stop);
        Unproved { why: why.to_string(), parts: Parts { shared, global } }
    })
}

fn position(prover: &Prover<'_>, asked: &AskedLaunch) -> Option<usize> {
    prover.kernels().iter().position(|kernel| kernel.name == asked.kernel)
}

/// Returns the launch in the prover's terms; `None` if it is not one of this kernel.
fn observed(kernel: &Kernel, asked: &AskedLaunch) -> Option<ObservedLaunch> {
    let mut bytes = vec![0; kernel.param_bytes as usize];
    match &asked.arguments {
        Arguments::Each(all) if all.len() == kernel.params.len() => {
            for (param, given) in kernel.params.iter().zip(all) {
                let into = bytes.get_mut(param.offset as usize..)?.get_mut(..given.len())?;
                if given.len() != param.size as usize {
                    return None;
                }
                into.copy_from_slice(given);
            }
        }
        Arguments::Packed(given) if given.len() >= bytes.len() => {
            let length = bytes.len();
            bytes.copy_from_slice(&given[..length]);
        }
        _ => return None,
    }
    let dim = |[x, y, z]: [u32; 3]| Dim3::new(x, y, z);
    let is_launch = asked.grid.iter().chain(&asked.block).all(|&extent| extent > 0);
    let is_sorted = asked.memory.windows(2).all(|two| two[0].0.saturating_add(two[0].1) <= two[1].0);
    if !is_launch || !is_sorted {
        return None;
    }
    let info = LaunchInfo {
        kernel: kernel.name.clone(),
        grid: dim(asked.grid),
        block: dim(asked.block),
        cluster: Dim3::ONE,
        cooperative: asked.cooperative,
        shared_bytes: kernel.static_shared.checked_add(asked.shared)?,
        uses: kernel.uses,
    };
    let parameters =
        kernel.params.iter().map(|param| Parameter { offset: param.offset, bytes: param.size }).collect();
    let facts = LaunchFacts { dynamic_shared: asked.shared, bytes, parameters, shared: Vec::new() };
    let memory = asked.memory.iter().map(|&(base, bytes)| ObservedMemory {
        base,
        bytes,
        kind: AllocKind::Device,
        name: None,
        contents: None,
    });
    Some(ObservedLaunch { info, facts, memory: memory.collect() })
}

/// Returns whether all arguments of eight bytes that are addresses of the launch's memory belong to parameters which
/// are one number: a part of it is never read by itself, so that the answer holds wherever that memory is.
fn is_general(prover: &Prover<'_>, sources: &[Source<'_>], asked: &AskedLaunch) -> bool {
    let Arguments::Each(all) = &asked.arguments else { return false };
    let Some(kernel) = position(prover, asked) else { return false };
    let name = &prover.kernels()[kernel].name;
    let functions = sources.iter().flat_map(|source| &source.tree.items).filter_map(|item| match item {
        ptx::ast::Item::Function(function) if function.name.text == name.as_str() => Some(function),
        _ => None,
    });
    let Some(function) = functions.max_by_key(|function| function.body.is_some()) else { return false };
    let is_number = |param: &Variable| {
        let whole = matches!(param.ty, ScalarType::U64 | ScalarType::S64 | ScalarType::B64);
        whole && param.dims.is_empty() && param.vector == 1
    };
    all.iter().zip(&function.params).all(|(given, param)| !asked.is_address(given) || is_number(param))
}

/// Returns the bytes of memory that this process has in use; 0 if that is not known.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
