//! Memory and events that are shared with other processes.

use super::events::Recorded;
use super::{Memory, MemoryKind, Runtime, State};
use crate::abi::error::{CudaError, CudaResult};
use crate::arena::Block;
use crate::ipc::{Cell, Gate, Handle};
use crate::order::Known;
use events::task::HostCall;
use std::collections::HashMap;

/// The reason why a program that shares memory with other processes is never called free of races.
const SHARED: &str = "memory or events are shared with other processes (`cudaIpc…`): accesses of other processes are not checked against these";

/// An event that other processes may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedEvent {
    pub(crate) cell: &'static Cell,
    /// The cell's address, if it is in this process's memory.
    pub(crate) address: Option<u64>,
    /// The number of this process's latest record.
    own: u64,
}

impl SharedEvent {
    pub(crate) fn new(cell: &'static Cell, address: Option<u64>) -> SharedEvent {
        SharedEvent { cell, address, own: 0 }
    }

    /// Returns the latest record, if another process made it.
    pub(crate) fn foreign(&self) -> Option<Gate> {
        let latest = self.cell.latest();
        (latest.number != self.own && latest.number != 0).then_some(latest)
    }

    /// Stores the record that this process has made.
    pub(super) fn recorded(&mut self, gate: Gate) {
        self.own = gate.number;
    }
}

/// The objects shared with other processes.
#[derive(Default)]
pub(crate) struct Shared {
    /// Memory of other processes by its address here, with the number of times that it was opened.
    imports: HashMap<u64, Import>,
    /// Records of interprocess events that have not been reached, by serial number.
    signals: HashMap<u64, (Gate, Known)>,
    /// The joined clocks of all records of interprocess events so far.
    published: Known,
    /// Whether this process and others may access each other's memory or events.
    used: bool,
}

impl Shared {
    /// Returns the joined clocks of all records of interprocess events so far.
    pub(crate) fn published(&self) -> &Known {
        &self.published
    }

    /// Returns whether this process and others may access each other's memory or events.
    pub(crate) fn is_used(&self) -> bool {
        self.used
    }

    /// Joins a record's clock into the published one, since a process that sees the record is ordered after
    /// it.
    pub(super) fn publish(&mut self, known: &Known) {
        self.published.join(known);
    }

    /// Returns whether memory belongs to another process.
    pub(crate) fn is_import(&self, base: u64) -> bool {
        self.imports.contains_key(&base)
    }

    /// Opens memory once more if it is open, and returns its address.
    pub(crate) fn reopen(&mut self, handle: Handle) -> Option<u64> {
        let (&base, import) = self.imports.iter_mut().find(|(_, import)| import.handle == handle)?;
        import.opened += 1;
        Some(base)
    }

    /// Closes memory once; returns true if it was the last time, after which the caller uses
    /// [`Runtime::close_import`].
    pub(crate) fn closes(&mut self, base: u64) -> CudaResult<bool> {
        let import = self.imports.get_mut(&base).ok_or(CudaError::INVALID_VALUE)?;
        if import.opened > 1 {
            import.opened -= 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// Stores a record of an interprocess event, which is signalled when it is reached.
    pub(super) fn await_signal(&mut self, serial: u64, gate: Gate, known: Known) {
        self.signals.insert(serial, (gate, known));
    }

    pub(super) fn reached(&mut self, serial: u64) -> Option<(Gate, Known)> {
        self.signals.remove(&serial)
    }
}

struct Import {
    handle: Handle,
    block: Block,
    opened: usize,
}

impl Runtime {
    /// Returns the location of memory or of an event's cell, for other processes.
    pub(crate) fn export(&self, state: &mut State, address: u64) -> Option<(i32, u64)> {
        state.shares();
        state.memory.arena().map(|arena| arena.locate(address))
    }

    /// Maps another process's memory for kernels and the detector.
    pub(crate) fn import(
        &self,
        state: &mut State,
        handle: Handle,
        device: u32,
        call: HostCall,
    ) -> CudaResult<u64> {
        let file = handle.open().ok_or(CudaError::MAP_BUFFER_OBJECT_FAILED)?;
        let reserved = state.memory.reserve();
        reserved.map_err(|why| state.no_room(&why.to_string()))?;
        let arena = state.memory.arena().ok_or(CudaError::MEMORY_ALLOCATION)?;
        let block =
            arena.import(file.0, handle.offset, handle.bytes).ok_or(CudaError::MAP_BUFFER_OBJECT_FAILED)?;
        let engine = arena.engine_view(block.base) as usize;
        let memory = Memory {
            base: block.base,
            bytes: handle.bytes,
            kind: MemoryKind::Device,
            device: if handle.device < state.device_count() { handle.device } else { device },
            flags: 0,
            engine,
            block: None,
            call,
            name: None,
        };
        let owner = memory.device;
        if let Err(error) = self.publish(state, memory) {
            if let Some(arena) = state.memory.arena() {
                arena.release(block);
            }
            return Err(error);
        }
        // Opening memory of a peer enables access to it.
        self.backend.set_access(block.base, state.accessible_from(owner) | 1 << device);
        state.uses_more(owner, handle.bytes);
        state.shared.imports.insert(block.base, Import { handle, block, opened: 1 });
        state.shares();
        Ok(block.base)
    }

    /// Undoes [`Runtime::import`]. The caller has waited for all work that may access the memory.
    pub(crate) fn close_import(&self, state: &mut State, base: u64) -> CudaResult {
        let import = state.shared.imports.remove(&base).ok_or(CudaError::INVALID_VALUE)?;
        self.withdraw(state, base)?;
        if let Some(arena) = state.memory.arena() {
            arena.release(import.block);
        }
        Ok(())
    }
}

impl State {
    /// Notes that other processes may order this one's work from now on, which is not observed here.
    pub(crate) fn shares(&mut self) {
        if std::mem::replace(&mut self.shared.used, true) {
            return;
        }
        self.results.inconclusive(SHARED.into());
        let events = self.events.values().filter(|event| event.shared.is_some());
        let recorded: Vec<Recorded> = events.filter_map(|event| event.recorded.clone()).collect();
        for Recorded { known, at, .. } in recorded {
            self.shared.published.join(&known);
            if at.is_some() {
                self.host_learns(&known);
            }
        }
    }
}
