//! The thread and the site of an access, as a report needs them, in sixteen bytes.
//!
//! The papers' metadata keep no site of the earlier access. A finding must name
//! both sides, so a witness lies beside each metadata entry; no rule reads it.

use events::finding::Actor;
use events::{Access, AccessKind, AsyncOpId, BlockId, Proxy, Side, SiteId, Strength, TaskId, ThreadId};
use rustc_hash::FxHashMap;

/// The facts that all accesses of one instruction share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    pub site: SiteId,
    pub kind: AccessKind,
    pub strength: Strength,
    pub proxy: Proxy,
    pub bytes: u32,
    /// For which time the thread executes the instruction, from 1, if the lens counts; else 0.
    pub nth: u32,
}

/// An index into [`Operations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperationId(u32);

/// The operations seen so far, each once.
#[derive(Default)]
pub struct Operations {
    list: Vec<Operation>,
    index: FxHashMap<Operation, OperationId>,
    last: Option<OperationId>,
}

impl Operations {
    pub fn intern(&mut self, access: &Access<'_>) -> OperationId {
        self.intern_nth(access, 0)
    }

    /// The same, told apart by how often the thread has made it.
    pub fn intern_nth(&mut self, access: &Access<'_>, nth: u32) -> OperationId {
        let kind = match access.kind {
            AccessKind::AsyncRead { .. } => AccessKind::AsyncRead { op: AsyncOpId(0) },
            AccessKind::AsyncWrite { .. } => AccessKind::AsyncWrite { op: AsyncOpId(0) },
            kind => kind,
        };
        let operation = Operation {
            site: access.site,
            kind,
            strength: access.strength,
            proxy: access.proxy,
            bytes: access.size,
            nth,
        };
        if let Some(id) = self.last
            && self.list[id.0 as usize] == operation
        {
            return id;
        }
        let next = OperationId(self.list.len() as u32);
        let id = *self.index.entry(operation).or_insert(next);
        if id == next {
            self.list.push(operation);
        }
        self.last = Some(id);
        id
    }

    pub fn get(&self, id: OperationId) -> &Operation {
        &self.list[id.0 as usize]
    }

    /// The finding's side for a witness of the granule that starts at `base`.
    pub fn side(&self, task: TaskId, base: u64, witness: &Witness) -> Side {
        let operation = self.get(witness.operation);
        Side {
            site: Some(operation.site),
            task,
            who: Actor::Thread { block: witness.block, thread: witness.thread },
            kind: operation.kind,
            strength: operation.strength,
            proxy: operation.proxy,
            address: base.wrapping_add_signed(i64::from(witness.delta)),
            size: operation.bytes,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Witness {
    operation: OperationId,
    block: BlockId,
    /// The element's address, from the granule's.
    delta: i32,
    thread: ThreadId,
}

const _: () = assert!(size_of::<Witness>() == 16);

impl Witness {
    /// Fills cells without accesses; never shown.
    pub const NOBODY: Witness =
        Witness { operation: OperationId(u32::MAX), block: BlockId(0), delta: 0, thread: ThreadId(0) };

    pub fn new(operation: OperationId, block: BlockId, thread: ThreadId, address: u64, base: u64) -> Self {
        Witness { operation, block, delta: address.wrapping_sub(base) as i32, thread }
    }

    pub fn is_somebody(&self) -> bool {
        self.operation.0 != u32::MAX
    }

    pub fn operation(&self) -> OperationId {
        self.operation
    }

    pub fn block(&self) -> BlockId {
        self.block
    }

    pub fn thread(&self) -> ThreadId {
        self.thread
    }
}
