//! Memory of a session: at its recorded addresses, with pages of this process behind it.

use super::super::Pages;
use super::{Failed, unfit};
use crate::backend::Module;
use crate::backend::copy::Pitch;
use crate::call::Call;
use crate::context::{Memory, MemoryKind, State, restored};
use crate::submit::copy::End;
use snapshot::session;
use std::sync::Arc;

/// The kinds of memory that a session frees.
pub(super) const KINDS: [MemoryKind; 5] =
    [MemoryKind::Device, MemoryKind::Pool, MemoryKind::Managed, MemoryKind::Pinned, MemoryKind::Registered];

pub(super) fn kind(kind: session::MemoryKind) -> MemoryKind {
    match kind {
        session::MemoryKind::Device | session::MemoryKind::Array => MemoryKind::Device,
        session::MemoryKind::Pool | session::MemoryKind::Graph => MemoryKind::Pool,
        session::MemoryKind::Managed => MemoryKind::Managed,
        session::MemoryKind::Pinned => MemoryKind::Pinned,
        session::MemoryKind::Registered => MemoryKind::Registered,
    }
}

/// Memory to be allocated.
pub(super) struct New {
    pub(super) base: u64,
    pub(super) bytes: u64,
    pub(super) kind: MemoryKind,
    pub(super) name: Option<String>,
}

/// Maps memory at its recorded address.
pub(super) fn allocate(call: &Call, new: New) -> Result<(), Failed> {
    let New { base, bytes, kind, name } = new;
    let mut state = call.state()?;
    if state.find(base).is_some() {
        // A pool gives out memory whose free has not been reached here.
        state = call.runtime.wait_until(state, |state| state.find(base).is_none() || state.is_idle());
    }
    let pages = Pages::new(base, bytes).map_err(|why| unfit(format!("no room for {bytes} bytes: {why}")))?;
    let engine = pages.host() as usize;
    let site = call.site(&mut state);
    let memory =
        Memory { base, bytes, kind, device: call.device, flags: 0, engine, block: None, call: site, name };
    let mapped = call.runtime.publish(&mut state, memory);
    mapped.map_err(|_| unfit(format!("its memory at {base:#x} cannot be had")))?;
    // Kernels may access it as long as the process lives.
    std::mem::forget(pages);
    Ok(())
}

/// Loads a module, with memory for its variables.
pub(super) fn load(
    call: &Call,
    module: &session::Module,
    texts: &[String],
) -> Result<Arc<dyn Module>, Failed> {
    for variable in &module.variables {
        let kind = if variable.managed { MemoryKind::Managed } else { MemoryKind::Variable };
        let name = Some(variable.name.clone());
        allocate(call, New { base: variable.address, bytes: variable.bytes, kind, name })?;
    }
    let texts = module.texts.iter().map(|text| texts[*text as usize].clone()).collect();
    let places: Vec<_> = module.variables.iter().map(|v| (v.name.clone(), v.address)).collect();
    let mut state = call.state()?;
    let made = restored(call.runtime, &mut state, &module.name, texts, &places);
    let made = made.map_err(|errors| unfit(errors.join("; ")))?;
    state.registry.add_loaded(call.device, made.clone());
    Ok(made)
}

/// Writes what the host's own instructions have written, once nothing runs that could be changed by it too early.
/// The host is not ordered by this wait.
pub(super) fn contents(call: &Call, at: u64, bytes: &[u8]) -> Result<(), Failed> {
    let state = call.state()?;
    let mut state = call.runtime.wait_until(state, State::is_settled);
    state.unsettle();
    call.runtime.backend.write(at, bytes).map_err(|_| unfit(format!("there is no memory at {at:#x}")))
}

/// Returns the end of a copy in memory of the session.
pub(super) fn end(state: &State, at: u64, row: u64, slice: u64) -> Result<End, Failed> {
    // What is no memory of the session would be taken for this process's own.
    let Some(_) = state.find(at) else { return Err(unfit(format!("there is no memory at {at:#x}"))) };
    let size = |n: u64| usize::try_from(n).map_err(|_| unfit("it is too large"));
    Ok(End { pointer: at, pitch: Pitch { row: size(row)?, slice: size(slice)? } })
}

/// Pageable memory of the host.
pub(super) struct Buffer {
    pages: Pages,
    bytes: usize,
}

/// The number of places that are tried.
const PLACES: usize = 64;

impl Buffer {
    /// Allocates memory at an address at which the session has none.
    pub(super) fn new(state: &State, bytes: usize) -> Result<Buffer, Failed> {
        let mut tried = Vec::new();
        while tried.len() < PLACES {
            let pages = Pages::new(0, bytes as u64)
                .map_err(|why| unfit(format!("no room for {bytes} bytes: {why}")))?;
            let base = pages.host() as u64;
            let end = base.saturating_add(bytes as u64);
            let meets = |m: &Memory| m.base < end && base < m.base.saturating_add(m.bytes);
            if !state.allocations().any(meets) {
                return Ok(Buffer { pages, bytes });
            }
            // Pages that stay mapped are not offered again.
            tried.push(pages);
        }
        Err(unfit("the session has memory wherever this process has room"))
    }

    pub(super) fn address(&self) -> u64 {
        self.pages.host() as u64
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(self.bytes)];
        // The bytes fit.
        let _ = self.pages.fill(0, bytes);
    }
}
