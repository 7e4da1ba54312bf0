//! Saves launches in files when they begin; `replayed` performs them again.

use crate::backend::{KernelWork, Terms};
use crate::context::{Made, Runtime, State};
use events::Allocation;
use events::task::HostCall;
use snapshot::{Launch, Range, Writer};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Saves a launch that begins, if the run asks for one and none is saved yet. `alone` means that no other
/// kernel is in flight.
pub(crate) fn save(runtime: &Runtime, work: &KernelWork, terms: &Terms<'_>, alone: bool) {
    let Some(path) = &runtime.options.save_launch else { return };
    let mut state = runtime.lock();
    if !work.checked || !state.first_to_save() {
        return;
    }
    let which = format!("launch {} (`{}`)", terms.number, work.short_name());
    match write(runtime, &state, work, terms, path) {
        Ok(()) => {
            let shown = path.display();
            state.results.limit(format!("saved {which} in {shown}; `warprace replay {shown}` runs it again"));
            if !alone {
                let what =
                    format!("{which} was saved while other kernels ran: its memory may be of no one moment");
                state.results.limit(what);
            }
        }
        Err(error) => state.results.inconclusive(format!("{which} could not be saved: {error}")),
    }
}

fn write(
    runtime: &Runtime,
    state: &State,
    work: &KernelWork,
    terms: &Terms<'_>,
    path: &Path,
) -> io::Result<()> {
    let Some(Made { name, texts, variables }) = state.made(&work.module, terms.device) else {
        return Err(io::Error::other("its module is not known"));
    };
    let program = std::env::current_exe().unwrap_or_default();
    let launch = Launch {
        program: program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        module: name.clone(),
        texts: texts.clone(),
        variables: variables.clone(),
        kernel: work.name().to_owned(),
        grid: work.grid,
        block: work.block,
        cluster: work.cluster,
        dynamic_shared: work.dynamic_shared,
        cooperative: work.cooperative,
        params: work.params.clone(),
        number: terms.number,
        device: terms.device,
        devices: state.device_count(),
        heap: terms.heap.map(|heap| heap.base),
        stack_limit: terms.stack_limit,
        within: terms.task.call.within.clone(),
    };
    // The file gets its final name when it is complete, so that readers see whole files only.
    let mut beside = path.as_os_str().to_owned();
    beside.push(".partial");
    let mut writer = Writer::new(BufWriter::new(File::create(&beside)?), &launch)?;
    for memory in state.allocations() {
        let hosts = memory.kind.host_accessible();
        let described = memory.description();
        // Site numbers are specific to this process.
        let call = HostCall { site: None, ..described.call };
        let range = Range {
            allocation: Allocation { call, ..described },
            accessible_from: if hosts { u64::MAX } else { state.accessible_from(memory.device) },
        };
        writer.range(&range, |offset, into| {
            let there = runtime.backend.read(memory.base + offset, into);
            there.map_err(|_| io::Error::other("memory is gone"))
        })?;
    }
    writer.finish()?.flush()?;
    std::fs::rename(&beside, path)
}
