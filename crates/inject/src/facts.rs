//! `--facts`: writes the inputs of launches for the prover.

use crate::backend::KernelWork;
use crate::context::Runtime;
use events::observed::Bytes;
use events::{AllocKind, ObservedLaunch, ObservedMemory, TaskInfo, TaskKind};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::{Mutex, PoisonError};

/// Allocations up to this size are written with their contents.
const MOST_OF_ONE: u64 = 1 << 20;
/// Limits the contents of one launch.
const MOST_OF_LAUNCH: u64 = 16 << 20;
/// Limits the contents that one process writes; later launches are written without.
const MOST: u64 = 256 << 20;

/// The lines and contents written so far.
#[derive(Default)]
struct Written {
    /// Hashes of lines: a repeated launch is written once.
    lines: HashSet<u64>,
    bytes: u64,
}

static WRITTEN: Mutex<Option<Written>> = Mutex::new(None);

/// Writes a launch's inputs if the options ask for it. Callers do so before the launch runs.
pub(crate) fn note(runtime: &Runtime, task: &TaskInfo, work: &KernelWork) {
    let (Some(path), TaskKind::Launch(info)) = (&runtime.options.facts, &task.kind) else { return };
    if !work.checked && runtime.options.detect {
        return;
    }
    let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    let written = written.get_or_insert_default();
    let launch = ObservedLaunch {
        info: info.clone(),
        facts: work.facts(),
        memory: memory(runtime, MOST.saturating_sub(written.bytes).min(MOST_OF_LAUNCH)),
    };
    let problem = |why: String| {
        runtime.lock().results.inconclusive(format!("the facts of a launch could not be written: {why}"));
    };
    let mut line = match serde_json::to_string(&launch) {
        Ok(line) => line,
        Err(e) => return problem(e.to_string()),
    };
    line.push('\n');
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    if !written.lines.insert(hasher.finish()) {
        return;
    }
    written.bytes += launch.memory.iter().filter(|m| m.contents.is_some()).map(|m| m.bytes).sum::<u64>();
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Err(e) = file.and_then(|mut file| file.write_all(line.as_bytes())) {
        problem(e.to_string());
    }
}

/// Returns all memory that kernels may access, without contents.
pub(crate) fn allocations(runtime: &Runtime) -> Vec<ObservedMemory> {
    runtime.lock().observed_memory()
}

/// Returns all memory that kernels may access, with at most `left` bytes of contents.
fn memory(runtime: &Runtime, mut left: u64) -> Vec<ObservedMemory> {
    let mut found = allocations(runtime);
    for memory in &mut found {
        if memory.bytes > MOST_OF_ONE.min(left) || memory.kind == AllocKind::DeviceHeap {
            continue;
        }
        let mut bytes = vec![0; memory.bytes as usize];
        if runtime.backend.read(memory.base, &mut bytes).is_ok() {
            left -= memory.bytes;
            memory.contents = Some(Bytes(bytes));
        }
    }
    found
}
