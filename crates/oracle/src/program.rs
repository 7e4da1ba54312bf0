//! Litmus programs.

use crate::path::Path;
use events::{Scope, Sem};
use std::fmt;

/// The place at which a thread runs, which decides the scopes that include it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub gpu: u8,
    pub block: u8,
    pub warp: u8,
}

impl Place {
    /// Returns whether `scope`, named by an operation of `self`, includes a thread at `other`. Clusters are
    /// single blocks, the default of a launch; [`Program::scope`] names wider ones.
    pub fn includes(self, scope: Scope, other: Place) -> bool {
        match scope {
            Scope::Cta | Scope::Cluster => self.gpu == other.gpu && self.block == other.block,
            Scope::Gpu => self.gpu == other.gpu,
            Scope::Sys => true,
        }
    }
}

/// A memory location: an index into the program's variables, which have 4 bytes each and start at 0.
pub type Location = u8;

/// A thread-local register, written by reads.
pub type Register = u8;

/// The strength of an access: weak, or strong with semantics and scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    Weak,
    Strong(Sem, Scope),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Read {
        to: Register,
        from: Location,
        strength: Strength,
    },
    Write {
        to: Location,
        value: u32,
        strength: Strength,
    },
    /// `atom.exch`.
    Exchange {
        to: Register,
        at: Location,
        value: u32,
        sem: Sem,
        scope: Scope,
    },
    /// `atom.add`.
    Add {
        to: Register,
        at: Location,
        value: u32,
        sem: Sem,
        scope: Scope,
    },
    /// `atom.cas`: by the ISA's text it always stores; on failure, the old value.
    CompareSwap {
        to: Register,
        at: Location,
        expected: u32,
        value: u32,
        sem: Sem,
        scope: Scope,
    },
    Fence {
        sem: Sem,
        scope: Scope,
    },
    /// `fence.proxy` between the generic proxy and another one, or of virtual aliases.
    ProxyFence {
        of: Path,
    },
    /// `bar.sync 0`: never guarded; every thread of a block executes the same number of them.
    Barrier,
    /// `bar.sync id` or, if the thread does not wait, `bar.arrive id`. All threads of the block that contain
    /// it participate; it is never guarded, and a thread contains each `id` at most once.
    Named {
        id: u8,
        waits: bool,
    },
    /// `bar.warp.sync` of all threads of the warp that contain it with this number. It is never guarded, and
    /// a thread contains each number at most once.
    WarpSync {
        group: u8,
    },
    /// `barrier.cluster.arrive` and `.wait`, never guarded. All blocks of a program with these actions form
    /// one cluster.
    ClusterArrive,
    ClusterWait,
    /// An arrival at the mbarrier object `at`, never guarded. The phase ends when all arrivals of the program
    /// have happened.
    MbarrierArrive {
        at: u8,
        sem: Sem,
        scope: Scope,
    },
    /// A wait for the phase of the mbarrier object `at`, never guarded.
    MbarrierWait {
        at: u8,
        sem: Sem,
        scope: Scope,
    },
}

/// A barrier at which a set of threads synchronises once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// The `nth` barrier of a block.
    Block {
        gpu: u8,
        block: u8,
        nth: usize,
    },
    Named {
        gpu: u8,
        block: u8,
        id: u8,
    },
    Warp {
        gpu: u8,
        block: u8,
        warp: u8,
        group: u8,
    },
    /// The `nth` barrier of the cluster.
    Cluster {
        nth: usize,
    },
    Mbarrier {
        at: u8,
    },
}

/// The bytes of a location that an access concerns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Size {
    #[default]
    Word,
    Low,
    High,
}

impl Size {
    /// Returns the position of the first bit, and the mask of a value.
    pub fn bits(self) -> (u32, u32) {
        match self {
            Size::Word => (0, u32::MAX),
            Size::Low => (0, 0xffff),
            Size::High => (16, 0xffff),
        }
    }
}

/// An action, performed only if the guard's register has the guard's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    pub guard: Option<(Register, u32)>,
    pub action: Action,
    /// The method of a memory access.
    pub path: Path,
    pub size: Size,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    pub place: Place,
    pub code: Vec<Instruction>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    pub threads: Vec<Thread>,
}

impl From<Action> for Instruction {
    fn from(action: Action) -> Self {
        Instruction { guard: None, action, path: Path::Generic, size: Size::Word }
    }
}

impl Action {
    pub fn location(&self) -> Option<Location> {
        match *self {
            Action::Read { from, .. } => Some(from),
            Action::Write { to, .. } => Some(to),
            Action::Exchange { at, .. } | Action::Add { at, .. } | Action::CompareSwap { at, .. } => Some(at),
            _ => None,
        }
    }

    /// Returns whether the action synchronises threads at a barrier.
    pub fn meets(&self) -> bool {
        use Action::{Barrier, ClusterArrive, ClusterWait, MbarrierArrive, MbarrierWait, Named, WarpSync};
        matches!(
            self,
            Barrier
                | ClusterArrive
                | ClusterWait
                | Named { .. }
                | WarpSync { .. }
                | MbarrierArrive { .. }
                | MbarrierWait { .. }
        )
    }

    pub fn reads(&self) -> Option<Register> {
        match *self {
            Action::Read { to, .. }
            | Action::Exchange { to, .. }
            | Action::Add { to, .. }
            | Action::CompareSwap { to, .. } => Some(to),
            _ => None,
        }
    }

    pub fn is_atomic(&self) -> bool {
        matches!(self, Action::Exchange { .. } | Action::Add { .. } | Action::CompareSwap { .. })
    }

    pub fn writes(&self) -> bool {
        matches!(self, Action::Write { .. }) || self.is_atomic()
    }

    /// Returns the semantics and scope of a strong operation, `None` for any other.
    pub fn strength(&self) -> Option<(Sem, Scope)> {
        match *self {
            Action::Read { strength, .. } | Action::Write { strength, .. } => match strength {
                Strength::Weak => None,
                Strength::Strong(sem, scope) => Some((sem, scope)),
            },
            Action::Exchange { sem, scope, .. }
            | Action::Add { sem, scope, .. }
            | Action::CompareSwap { sem, scope, .. }
            | Action::Fence { sem, scope }
            | Action::MbarrierArrive { sem, scope, .. }
            | Action::MbarrierWait { sem, scope, .. } => Some((sem, scope)),
            _ => None,
        }
    }

    /// Returns the stored value, given that `old` was read (`old` is irrelevant for plain writes).
    pub fn stored(&self, old: u32) -> Option<u32> {
        match *self {
            Action::Write { value, .. } | Action::Exchange { value, .. } => Some(value),
            Action::Add { value, .. } => Some(old.wrapping_add(value)),
            Action::CompareSwap { expected, value, .. } => Some(if old == expected { value } else { old }),
            _ => None,
        }
    }
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "cta",
        Scope::Cluster => "cluster",
        Scope::Gpu => "gpu",
        Scope::Sys => "sys",
    }
}

fn sem_name(sem: Sem) -> &'static str {
    match sem {
        Sem::Relaxed => "relaxed",
        Sem::Acquire => "acquire",
        Sem::Release => "release",
        Sem::AcqRel => "acq_rel",
        Sem::Sc => "sc",
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Strength::Weak => write!(f, "weak"),
            Strength::Strong(sem, scope) => write!(f, "{}.{}", sem_name(sem), scope_name(scope)),
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((register, value)) = self.guard {
            write!(f, "if r{register}=={value}: ")?;
        }
        if self.path != Path::Generic {
            write!(f, "{}: ", self.path)?;
        }
        if self.size != Size::Word {
            write!(f, "{:?}: ", self.size)?;
        }
        match self.action {
            Action::Read { to, from, strength } => write!(f, "r{to} = ld.{strength} [m{from}]"),
            Action::Write { to, value, strength } => write!(f, "st.{strength} [m{to}], {value}"),
            Action::Exchange { to, at, value, sem, scope } => {
                write!(f, "r{to} = atom.exch.{}.{} [m{at}], {value}", sem_name(sem), scope_name(scope))
            }
            Action::Add { to, at, value, sem, scope } => {
                write!(f, "r{to} = atom.add.{}.{} [m{at}], {value}", sem_name(sem), scope_name(scope))
            }
            Action::CompareSwap { to, at, expected, value, sem, scope } => {
                let (sem, scope) = (sem_name(sem), scope_name(scope));
                write!(f, "r{to} = atom.cas.{sem}.{scope} [m{at}], {expected}, {value}")
            }
            Action::Fence { sem, scope } => write!(f, "fence.{}.{}", sem_name(sem), scope_name(scope)),
            Action::ProxyFence { of } => write!(f, "fence.proxy.{of}"),
            Action::Barrier => write!(f, "bar.sync 0"),
            Action::Named { id, waits: true } => write!(f, "bar.sync {id}"),
            Action::Named { id, waits: false } => write!(f, "bar.arrive {id}"),
            Action::WarpSync { group } => write!(f, "bar.warp.sync (group {group})"),
            Action::ClusterArrive => write!(f, "barrier.cluster.arrive"),
            Action::ClusterWait => write!(f, "barrier.cluster.wait"),
            Action::MbarrierArrive { at, sem, scope } => {
                write!(f, "mbarrier.arrive.{}.{} [b{at}]", sem_name(sem), scope_name(scope))
            }
            Action::MbarrierWait { at, sem, scope } => {
                write!(f, "mbarrier.wait.{}.{} [b{at}]", sem_name(sem), scope_name(scope))
            }
        }
    }
}

impl Program {
    /// Returns whether the program's blocks form one cluster.
    pub fn has_cluster(&self) -> bool {
        let mut code = self.threads.iter().flat_map(|thread| &thread.code);
        code.any(|i| matches!(i.action, Action::ClusterArrive | Action::ClusterWait))
    }

    /// Returns the scope by which [`Place::includes`] finds the threads that `scope` includes in this
    /// program.
    pub fn scope(&self, scope: Scope) -> Scope {
        if scope == Scope::Cluster && self.has_cluster() { Scope::Gpu } else { scope }
    }

    /// Returns the barrier at which instruction `index` of `thread` synchronises, if any.
    pub fn meeting(&self, thread: usize, index: usize) -> Option<Meeting> {
        let Thread { place: Place { gpu, block, warp }, code } = &self.threads[thread];
        let (gpu, block, warp) = (*gpu, *block, *warp);
        let action = code.get(index)?.action;
        let nth = || code[..index].iter().filter(|earlier| earlier.action == action).count();
        Some(match action {
            Action::Barrier => Meeting::Block { gpu, block, nth: nth() },
            Action::Named { id, .. } => Meeting::Named { gpu, block, id },
            Action::WarpSync { group } => Meeting::Warp { gpu, block, warp, group },
            Action::ClusterArrive | Action::ClusterWait => Meeting::Cluster { nth: nth() },
            Action::MbarrierArrive { at, .. } | Action::MbarrierWait { at, .. } => Meeting::Mbarrier { at },
            _ => return None,
        })
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, thread) in self.threads.iter().enumerate() {
            let Place { gpu, block, warp } = thread.place;
            writeln!(f, "T{i} (gpu {gpu}, block {block}, warp {warp}):")?;
            for instruction in &thread.code {
                writeln!(f, "    {instruction}")?;
            }
        }
        Ok(())
    }
}
