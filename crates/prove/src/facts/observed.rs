//! Launches that a run has made (`warprace run --facts`), and the facts they provide.

use crate::facts::Facts;
use crate::facts::assume::Part;
use events::task::LaunchFacts;
use events::{Dim3, ObservedLaunch};
use std::sync::Arc;

/// The reason why a file was not written by `run --facts`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("line {line}: {why}")]
    Form { line: usize, why: serde_json::Error },
    /// Allocations overlap, contents have another length, or an extent is zero.
    #[error("line {line}: no launch that a run has written")]
    NotALaunch { line: usize },
}

/// Reads launches, one in each line, as `run --facts` writes them.
pub fn read(text: &str) -> Result<Vec<ObservedLaunch>, Error> {
    let mut launches = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let launch: ObservedLaunch =
            serde_json::from_str(line).map_err(|why| Error::Form { line: n + 1, why })?;
        let disjoint = launch
            .memory
            .windows(2)
            .all(|m| m[0].base.checked_add(m[0].bytes).is_some_and(|end| end <= m[1].base));
        let whole = launch.memory.iter().all(|m| {
            m.base.checked_add(m.bytes).is_some()
                && m.contents.as_ref().is_none_or(|c| c.0.len() as u64 == m.bytes)
        });
        let parameters = (0..launch.facts.parameters.len()).all(|i| launch.facts.parameter(i).is_some());
        let extents = [launch.info.grid, launch.info.block, launch.info.cluster];
        if !(disjoint && whole && parameters && extents.iter().all(|d| d.x > 0 && d.y > 0 && d.z > 0)) {
            return Err(Error::NotALaunch { line: n + 1 });
        }
        launches.push(launch);
    }
    Ok(launches)
}

/// Returns the facts for an analysis of this launch.
pub fn facts(launch: &Arc<ObservedLaunch>) -> Facts {
    let dim = |d: Dim3| [d.x, d.y, d.z];
    Facts {
        block: Some(dim(launch.info.block)),
        grid: Some(dim(launch.info.grid)),
        dynamic_shared: Some(launch.facts.dynamic_shared),
        observed: Some(Arc::clone(launch)),
        ..Facts::default()
    }
}

/// Returns the integer in a part of a parameter; `None` if the parameter does not have that part.
pub(crate) fn number(facts: &LaunchFacts, part: Part) -> Option<i64> {
    let at = part.offset as usize;
    let held = facts.parameter(part.index as usize)?.get(at..at.checked_add(part.bytes as usize)?)?;
    let mut word = [0; 8];
    word.get_mut(..held.len())?.copy_from_slice(held);
    let unused = 64 - 8 * part.bytes.clamp(1, 8);
    Some((u64::from_le_bytes(word) << unused) as i64 >> unused)
}

/// Returns a name for memory: a variable's own, or that of the first parameter that points there.
pub(crate) fn name(launch: &ObservedLaunch, array: usize) -> String {
    let memory = &launch.memory[array];
    if let Some(name) = &memory.name {
        return name.clone();
    }
    for index in 0..launch.facts.parameters.len() {
        let bytes = launch.facts.parameter(index).unwrap_or_default();
        for (n, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
            if launch.holder(u64::from_le_bytes(*word)) == Some(array) {
                let place = if n == 0 { String::new() } else { format!("+{}", 8 * n) };
                return format!("the array of arg{index}{place}");
            }
        }
    }
    format!("the allocation at {:#x}", memory.base)
}
