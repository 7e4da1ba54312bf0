//! Names of memory: a variable, or an element of what a host call allocated.

use super::Context;
use super::words::coordinates;
use crate::attribute::user_frame;
use crate::model::{Memory, Place};
use events::SharedVariable;
use events::task::{HostCall, TaskKind};
use events::{AllocKind, Allocation, BlockId, Finding, Location, Space, TaskId};
use names::symbol;
use protocol::Tensor;

/// Elements of locks are described in units of so many bytes.
const WORD: u64 = 4;

/// Frameworks round what they ask for up to a multiple of so many bytes.
const GRANULE: u64 = 512;

impl Context<'_> {
    pub(super) fn memory(&self, f: &Finding, allocation: Option<&Allocation>) -> Memory {
        // The second side's start may be before what both touch.
        let address = f.sides[1].address.max(f.sides[0].address);
        let named = f.sides.iter().find_map(|s| self.site(s.site)?.variable.as_deref());
        match (f.space, allocation) {
            (Space::Shared(block), _) => self.shared_memory(block, f.sides[0].task, address, named),
            (Space::Tensor(block), _) => Memory {
                offset: address,
                text: self.tensor_memory(Location { space: f.space, address }, (block, f.sides[0].task)),
                ..Memory::default()
            },
            (Space::Global, Some(a)) => Memory {
                variable: a.name.as_deref().map(symbol::variable),
                allocated_by: self.call_place(&a.call),
                base: Some(a.base),
                offset: address.saturating_sub(a.base),
                bytes: Some(a.bytes),
                text: self.allocation(a),
            },
            (Space::Global, None) => Memory {
                variable: named.map(symbol::variable),
                allocated_by: None,
                base: None,
                offset: address,
                bytes: None,
                text: named.map_or_else(
                    || format!("global memory at {address:#x}"),
                    |v| format!("global variable `{}`", symbol::variable(v)),
                ),
            },
        }
    }

    /// Names a tensor of a Python program: `` global memory of `out` (float32[64, 1000]) ``. The call that allocated it is named if
    /// it allocated nothing else.
    pub(super) fn tensor(&self, f: &Finding, held: &Allocation, tensor: &Tensor) -> Memory {
        let whole = tensor.base == held.base && held.bytes - tensor.bytes.min(held.bytes) < GRANULE;
        let kind = match held.kind {
            AllocKind::Managed => "managed memory",
            AllocKind::HostMapped => "mapped host memory",
            _ => "global memory",
        };
        let form = if tensor.form.is_empty() { String::new() } else { format!(" ({})", tensor.form) };
        let from = if whole { self.from(held) } else { String::new() };
        Memory {
            variable: Some(tensor.name.clone()),
            allocated_by: self.call_place(&held.call).filter(|_| whole),
            base: Some(tensor.base),
            offset: f.sides[1].address.max(f.sides[0].address).saturating_sub(tensor.base),
            bytes: Some(tensor.bytes),
            text: format!("{kind} of `{}`{form}{from}", tensor.name),
        }
    }

    /// Names a cell of a block's tensor memory.
    fn tensor_memory(&self, at: Location, (block, task): (BlockId, TaskId)) -> String {
        let (lane, column) = (at.address >> 16, at.address & 0xffff);
        format!("tensor memory{}, lane {lane}, column {column}", self.owner_of(block, task))
    }

    fn shared_memory(&self, block: BlockId, task: TaskId, address: u64, named: Option<&str>) -> Memory {
        if let Some(v) = self.shared_variable(task, address, named) {
            let name = symbol::variable(&v.name);
            return Memory {
                text: format!("shared memory `{name}`"),
                variable: Some(name),
                allocated_by: None,
                base: None,
                offset: address - v.offset,
                // `extern __shared__` has all that the launch asked for.
                bytes: v.bytes.or_else(|| self.shared_bytes(task)?.checked_sub(v.offset)),
            };
        }
        let variable = named.map(symbol::variable);
        let owner = self.owner_of(block, task);
        Memory {
            text: match &variable {
                Some(v) => format!("shared memory `{v}`"),
                None => format!("shared memory{owner}"),
            },
            variable,
            allocated_by: None,
            base: None,
            offset: address,
            bytes: None,
        }
    }

    /// Bytes of shared memory that each block of a launch has.
    fn shared_bytes(&self, task: TaskId) -> Option<u64> {
        match &self.tasks.get(&task)?.kind {
            TaskKind::Launch(launch) => Some(launch.shared_bytes.into()),
            _ => None,
        }
    }

    /// `` of block (1, 0, 0)``.
    pub(super) fn owner_of(&self, block: BlockId, task: TaskId) -> String {
        self.grid_of(task).map_or_else(String::new, |(grid, _)| {
            format!(" of block {}", coordinates(grid.coordinates(block.0.into())))
        })
    }

    /// The variable of a launch's shared memory that an address is in. `named` is the one that an instruction
    /// names: it decides between two names of the dynamic part.
    pub(super) fn shared_variable(
        &self,
        task: TaskId,
        address: u64,
        named: Option<&str>,
    ) -> Option<&SharedVariable> {
        let TaskKind::Launch(launch) = &self.tasks.get(&task)?.kind else { return None };
        let kernel = self.result.kernels.iter().find(|k| k.name == launch.kernel)?;
        let end = |v: &SharedVariable| v.bytes.map_or(u64::MAX, |bytes| v.offset + bytes);
        let mut holds = kernel.shared.iter().filter(|v| v.offset <= address && address < end(v));
        let first = holds.clone().next()?;
        match named.and_then(|name| holds.clone().find(|v| v.name == name)) {
            Some(named) => Some(named),
            None => holds.all(|v| v.name == first.name).then_some(first),
        }
    }

    /// ``global memory from `cudaMalloc` at main.cu:12``, ``managed variable `flag` ``.
    fn allocation(&self, a: &Allocation) -> String {
        let variable = a.name.as_deref().map(symbol::variable);
        match (&variable, a.kind) {
            (Some(v), AllocKind::Managed) => format!("managed variable `{v}`"),
            (Some(v), _) => format!("global variable `{v}`"),
            (None, AllocKind::Managed) => format!("managed memory{}", self.from(a)),
            (None, AllocKind::HostMapped) => format!("mapped host memory{}", self.from(a)),
            (None, AllocKind::DeviceHeap) => "memory from `malloc` in a kernel".into(),
            (None, _) => format!("global memory{}", self.from(a)),
        }
    }

    /// A lock or flag by its name: `` `lock` ``, `` element 3 of 4 bytes of global memory from `cudaMalloc` at
    /// main.cu:12 ``.
    pub(super) fn location(&self, at: Location, task: TaskId, allocations: &[Allocation]) -> String {
        let element = |offset: u64, bytes: Option<u64>| match offset {
            _ if bytes.is_some_and(|bytes| bytes <= 2 * WORD) && offset == 0 => String::new(),
            _ if offset.is_multiple_of(WORD) => format!("element {} of {WORD} bytes of ", offset / WORD),
            _ => format!("byte {offset} of "),
        };
        match at.space {
            Space::Tensor(block) => self.tensor_memory(at, (block, task)),
            Space::Shared(block) => {
                let owner = self.owner_of(block, task);
                match self.shared_variable(task, at.address, None) {
                    Some(v) => {
                        let which = element(at.address - v.offset, v.bytes);
                        format!("{which}shared memory `{}`{owner}", symbol::variable(&v.name))
                    }
                    None => format!("byte {} of the shared memory{owner}", at.address),
                }
            }
            Space::Global => {
                let holds = |a: &&Allocation| a.base <= at.address && at.address - a.base < a.bytes;
                match allocations.iter().find(holds) {
                    Some(a) => {
                        format!("{}{}", element(at.address - a.base, Some(a.bytes)), self.allocation(a))
                    }
                    None => format!("global memory at {:#x}", at.address),
                }
            }
        }
    }

    /// `` from `cudaMalloc` at main.cu:12``.
    pub(super) fn from(&self, a: &Allocation) -> String {
        if a.call.api.is_empty() {
            return String::new();
        }
        match self.call_place(&a.call) {
            Some(p) if p.line != 0 => {
                format!(" from `{}` at {}:{}", a.call.api, self.run.sources.display(&p.file), p.line)
            }
            _ => format!(" from `{}`", a.call.api),
        }
    }

    pub(super) fn call_place(&self, call: &HostCall) -> Option<Place> {
        if call.api.is_empty() {
            return None;
        }
        let frame = self.site(call.site).and_then(user_frame);
        Some(Place {
            file: frame.map_or_else(String::new, |f| f.file.clone()),
            line: frame.map_or(0, |f| f.line),
            function: call.api.clone(),
        })
    }
}
