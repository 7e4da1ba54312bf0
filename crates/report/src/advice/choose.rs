//! From a finding to what would mend it.
//!
//! **Size:** one choice for each class of bug, and the few questions about a finding that they ask.

use super::{Awaited, Group, MemoryOrder, Owner, Position, Reach, Role, Scoped, Spot, Step, TaskOrder, Way};
use crate::attribute::{BarrierStep, barrier_step, user_frame};
use crate::pair::{is_discard, one_function, swaps_the_word};
use crate::registers::is_unwaited;
use crate::tensor;
use events::access::{AccessKind, Proxy, Scope, Space, Strength};
use events::finding::Actor;
use events::task::TaskKind;
use events::{Class, Finding, Side, SiteId, SiteTable, SyncNote, TaskInfo};

/// Chooses the advice for one finding.
#[derive(Clone, Copy, Debug)]
pub struct Chooser<'a> {
    pub finding: &'a Finding,
    pub sites: &'a SiteTable,
    /// The tasks of the two sides, if known.
    pub tasks: [Option<&'a TaskInfo>; 2],
    /// Several threads are seen to write one element by the store of this finding.
    pub contended: bool,
}

impl Chooser<'_> {
    /// Ways to mend it, the best first; never none.
    pub fn ways(&self) -> Vec<Way> {
        self.reachable(self.by_class())
    }

    fn by_class(&self) -> Vec<Way> {
        match self.finding.class {
            Class::MissingBarrier => self.barrier(Group::Block),
            Class::DivergentWarp | Class::VolatileWarp => self.barrier(Group::Warp),
            Class::SameInstruction => self.one_store(Group::Block),
            Class::AtomicScope => self.atomic_scope(),
            Class::FenceScope => self.narrow(Scoped::Fence),
            Class::LockScope => self.narrow(Scoped::Lock),
            Class::MissingFence => self.flag(),
            Class::WeakVsAtomic | Class::MixedSize => self.weak(),
            Class::LockMissing | Class::LockWrong => self.lock(),
            Class::AsyncCopy => self.copy(),
            Class::Proxy => self.proxy(),
            Class::ClusterDsmem => self.barrier(Group::Cluster),
            Class::InterBlock => self.blocks(),
            Class::DivergentBarrier => {
                vec![self.way(Step::MeetAtOne { at: vec![self.spot(Role::First), self.spot(Role::Second)] })]
            }
            Class::MaskWithoutCaller => vec![self.way(Step::NameLanes { at: self.spot(Role::Second) })],
            Class::WgmmaRegisters => self.product_register(),
            Class::TensorMemory if self.is_narrow() => self.narrow(Scoped::Flag),
            Class::TensorMemory => {
                vec![self.way(Step::OrderTensorMemory { gap: tensor::gap(self.finding), at: self.between() })]
            }
            Class::UninitializedRead => vec![self.way(Step::Initialize { at: self.spot(Role::Second) })],
            Class::ClobberedRead | Class::LostUpdate if self.is_no_threads() => self.tasks(),
            Class::ClobberedRead | Class::LostUpdate => match self.finding.space {
                Space::Shared(_) | Space::Tensor(_) => self.barrier(Group::Block),
                Space::Global => self.blocks(),
            },
            Class::InterKernel | Class::MemcpyAsync | Class::HostDevice | Class::MultiGpu => self.tasks(),
        }
    }

    fn way(&self, step: Step) -> Way {
        Way::new([step])
    }

    fn side(&self, role: Role) -> &Side {
        &self.finding.sides[usize::from(role == Role::Second)]
    }

    fn spot(&self, role: Role) -> Spot {
        self.at(role, self.side(role).site)
    }

    fn at(&self, role: Role, site: Option<SiteId>) -> Spot {
        let site = site.and_then(|id| self.sites.get(id));
        let frame = site.and_then(user_frame);
        Spot {
            role,
            file: frame.map_or_else(String::new, |f| f.file.clone()),
            line: frame.map_or(0, |f| f.line),
            // The branch is in the function of the outermost frame.
            branch: site
                .filter(|site| frame == site.frames.last())
                .and_then(|site| site.role)
                .map_or(0, |role| role.line),
            instruction: site.map_or_else(String::new, |s| s.text.clone()),
        }
    }

    fn both(&self) -> Vec<Spot> {
        let (first, second) = (self.spot(Role::First), self.spot(Role::Second));
        // One statement is one place.
        if first.line == second.line && first.file == second.file && first.instruction == second.instruction {
            vec![first]
        } else {
            vec![first, second]
        }
    }

    fn between(&self) -> Position {
        Position::Between(self.spot(Role::First), self.spot(Role::Second))
    }

    fn rounds(&self) -> Position {
        Position::BetweenRounds(self.spot(Role::First), self.spot(Role::Second))
    }

    fn note<T>(&self, of: impl FnMut(&SyncNote) -> Option<T>) -> Option<T> {
        self.finding.notes.iter().find_map(of)
    }

    /// Returns whether both sides belong to one statement, which reads and then writes.
    fn one_statement(&self) -> bool {
        self.one_line() && self.reads_before_it_writes()
    }

    /// Returns whether one line reads and writes.
    fn one_line(&self) -> bool {
        let (first, second) = (self.spot(Role::First), self.spot(Role::Second));
        let [a, b] = self.finding.sides.each_ref().map(|s| s.kind);
        let plain = |kind| matches!(kind, AccessKind::Read | AccessKind::Write);
        first.line != 0
            && (first.line, &first.file) == (second.line, &second.file)
            && plain(a)
            && plain(b)
            && a.writes() != b.writes()
    }

    /// Compares the order of the text within one function of the source: calls may come in any order.
    fn reads_before_it_writes(&self) -> bool {
        let [a, b] = self.finding.sides.each_ref().map(|side| side.site.and_then(|id| self.sites.get(id)));
        let (Some(a), Some(b)) = (a, b) else { return false };
        let named = |site| user_frame(site).map(|frame| &frame.function);
        let (reads, writes) = if self.finding.sides[0].kind.writes() { (b, a) } else { (a, b) };
        a.function == b.function && named(a) == named(b) && reads.ptx_line <= writes.ptx_line
    }

    fn both_write(&self) -> bool {
        self.finding.sides.iter().all(|s| s.kind.writes())
    }

    /// Ways to let a thread meet the one that signals or waits in its place, or warps meet that met apart.
    fn third_thread(&self) -> Option<Vec<Way>> {
        let [one, two] = [0, 1].map(|n: usize| self.finding.sides[n].site);
        let (first, second) = (self.spot(Role::First), self.spot(Role::Second));
        self.note(|note| match *note {
            SyncNote::SetByAnother { flag, mates, .. } => {
                if barrier_step(self.sites, flag).is_some() && !mates {
                    return self.toolkit_barrier();
                }
                let at = Position::Between(first.clone(), self.at(Role::FlagSet, Some(flag)));
                Some(vec![self.way(self.meet(met(mates), at, (one, Some(flag))))])
            }
            SyncNote::ReadByAnother { read, mates } => {
                let at = Position::Between(self.at(Role::FlagRead, Some(read)), second.clone());
                Some(vec![self.way(self.meet(met(mates), at, (Some(read), two)))])
            }
            SyncNote::ArrivedByAnother { arrive, mates } => {
                let spot = self.at(Role::Arrive, Some(arrive));
                let at = Position::Between(first.clone(), spot.clone());
                let meet = self.meet(met(mates), at, (one, Some(arrive)));
                Some(vec![self.way(meet), self.way(Step::ArriveByAll { at: spot })])
            }
            SyncNote::WaitedByAnother { wait, mates } => {
                let at = Position::Between(self.at(Role::Wait, Some(wait)), second.clone());
                let own = Step::WaitFor { what: Awaited::Barrier, at: Position::Before(second.clone()) };
                let meet = self.meet(met(mates), at, (Some(wait), two));
                Some(vec![self.way(meet), self.way(own)])
            }
            SyncNote::MetApart { ref places } => {
                let at = places.iter().map(|(site, _)| self.at(Role::Barrier, Some(*site))).collect();
                Some(vec![self.way(Step::MeetAtOne { at })])
            }
            _ => None,
        })
    }

    fn barrier(&self, group: Group) -> Vec<Way> {
        if let Some(ways) = self.third_thread() {
            return ways;
        }
        let between = self.way(Step::InsertBarrier { group, at: self.between() });
        if let Some(site) = self.note(|n| match n {
            SyncNote::NotAwaited { site } => Some(*site),
            _ => None,
        }) {
            let wait = Step::WaitFor {
                what: Awaited::Barrier,
                at: Position::After(self.at(Role::Arrive, Some(site))),
            };
            return vec![self.way(wait), between];
        }
        if let Some(site) = self.note(|n| match n {
            SyncNote::RelaxedArrive { site } => Some(*site),
            _ => None,
        }) {
            let arrive = self.at(Role::Arrive, Some(site));
            let order = Step::Order { order: MemoryOrder::Release, reach: Reach::Cluster, at: arrive };
            return vec![self.way(order), between];
        }
        if self.is_narrow() {
            return self.narrow(Scoped::Flag);
        }
        let [first, second] = &self.finding.sides;
        let rounds = self.way(Step::InsertBarrier { group, at: self.rounds() });
        let mine = self.way(Step::SeparateElements { owner: Owner::Thread, at: self.both() });
        if self.both_write() && first.site == second.site {
            let mut ways = self.one_store(group);
            ways.push(rounds);
            return ways;
        }
        if self.one_statement() && self.contended {
            // `x[i] += y` of one element by several threads: a barrier would leave all of them writing.
            return vec![self.way(self.atomic_here()), mine];
        }
        if self.one_statement() {
            let split = self.way(Step::SplitStatement { group, at: self.spot(Role::First) });
            return vec![split, rounds];
        }
        let mut ways = vec![between];
        if self.cooperative() && group == Group::Block && self.finding.space == Space::Global {
            ways.push(self.way(Step::InsertBarrier { group: Group::Grid, at: self.between() }));
        }
        if self.both_write() {
            ways.push(mine);
        }
        // One round of an unrolled loop writes before the next one reads.
        if self.one_line() {
            ways.push(rounds);
        }
        ways
    }

    fn atomic_here(&self) -> Step {
        Step::MakeAtomic { reach: Reach::Block, at: self.both() }
    }

    /// Returns whether both accesses are of one cooperative launch, whose blocks can meet.
    fn cooperative(&self) -> bool {
        let launched = self.tasks[0].map(|task| &task.kind);
        !self.tasks_differ() && matches!(launched, Some(TaskKind::Launch(launch)) if launch.cooperative)
    }

    /// One store that several threads make.
    fn one_store(&self, group: Group) -> Vec<Way> {
        let at = self.both();
        let reach = if group == Group::Warp || group == Group::Block { Reach::Block } else { Reach::Device };
        vec![
            self.way(Step::OneThread { group, at: self.spot(Role::First) }),
            self.way(Step::SeparateElements { owner: Owner::Thread, at: at.clone() }),
            self.way(Step::MakeAtomic { reach, at }),
        ]
    }

    fn atomic_scope(&self) -> Vec<Way> {
        let scopes = self.note(|n| match n {
            SyncNote::StrongScopes { first, second } => Some((*first, *second)),
            _ => None,
        });
        let needed = match scopes {
            // Two scopes that fail although they are the same are both too narrow.
            Some((first, second)) if first == second => wider_than(first),
            Some((first, second)) => first.max(second),
            None => Scope::Gpu,
        };
        let narrow = |role| match self.side(role).strength {
            Strength::Strong { scope, .. } => scope < needed,
            Strength::Volatile => false,
            Strength::Weak => true,
        };
        let mut at: Vec<Spot> = self.both();
        at.retain(|spot| narrow(spot.role));
        if at.is_empty() {
            at = self.both();
        }
        let owner = if needed == Scope::Sys { Owner::Task } else { Owner::Block };
        vec![
            self.way(Step::WidenScope { what: Scoped::Atomic, reach: needed.into(), at }),
            self.way(Step::SeparateElements { owner, at: self.both() }),
        ]
    }

    /// Returns whether what should order the two sides has too narrow a scope.
    fn is_narrow(&self) -> bool {
        self.finding.notes.iter().any(|note| matches!(note, SyncNote::ScopeTooNarrow { .. }))
    }

    /// Fences, or operations that release or acquire, of too narrow a scope.
    fn narrow(&self, what: Scoped) -> Vec<Way> {
        let mut needed = None;
        let mut at = Vec::new();
        for note in &self.finding.notes {
            if let SyncNote::ScopeTooNarrow { site, needed: scope, .. } = note {
                needed = needed.max(Some(*scope));
                let spot = self.at(Role::Fence, Some(*site));
                if !at.contains(&spot) {
                    at.push(spot);
                }
            }
        }
        let reach = needed.unwrap_or(Scope::Gpu).into();
        let fences = at.iter().all(|spot| is_fence(&spot.instruction));
        let what = if what == Scoped::Fence && !fences { Scoped::Flag } else { what };
        vec![self.way(Step::WidenScope { what, reach, at })]
    }

    /// A lock around the accesses that are made without one; around both, if they hold different ones.
    fn lock(&self) -> Vec<Way> {
        let holds = self.note(|n| match n {
            SyncNote::Locks { first, second } => Some((!first.is_empty(), !second.is_empty())),
            _ => None,
        });
        let mut at = self.both();
        if let Some((first, second)) = holds.filter(|(first, second)| first != second) {
            at.retain(|spot| if spot.role == Role::First { !first } else { !second });
        }
        vec![self.way(Step::TakeLock { lock: None, at })]
    }

    /// Threads that meet at flags, and fences that are missing or at the wrong place.
    fn flag(&self) -> Vec<Way> {
        let reach = if self.tasks_differ() { Reach::System } else { Reach::Device };
        let first = || self.spot(Role::First);
        let set = |flag: Option<SiteId>| self.at(Role::FlagSet, flag);
        let read = |flag: Option<SiteId>| self.at(Role::FlagRead, flag);
        let fence = |at| Step::InsertFence { reach, at };
        if let Some(ways) = self.toolkit_barrier().or_else(|| self.third_thread()) {
            return ways;
        }
        for note in &self.finding.notes {
            match *note {
                SyncNote::SetTooEarly { flag } if self.one_function(flag) => {
                    return vec![
                        self.way(Step::Move { what: set(Some(flag)), to: Position::After(first()) }),
                        self.way(Step::MakeAtomic { reach, at: self.both() }),
                    ];
                }
                SyncNote::NotPassedOn { read: from, write } => {
                    let at = Position::Between(read(Some(from)), set(Some(write)));
                    return vec![
                        self.way(fence(at)),
                        Way::new([
                            Step::Order { order: MemoryOrder::Acquire, reach, at: read(Some(from)) },
                            Step::Order { order: MemoryOrder::Release, reach, at: set(Some(write)) },
                        ]),
                    ];
                }
                _ => {}
            }
        }
        let released = self.note(|n| match n {
            SyncNote::NoRelease { flag } => Some(*flag),
            SyncNote::SetTooEarly { flag } | SyncNote::ReleasedTooEarly { flag } => Some(Some(*flag)),
            _ => None,
        });
        let acquired = self.note(|n| match n {
            SyncNote::NoAcquire { flag } => Some(*flag),
            _ => None,
        });
        let (mut fences, mut orders) = (Vec::new(), Vec::new());
        // Without a note nothing is known but that both are needed.
        let neither = released.is_none() && acquired.is_none();
        if let Some(flag) = released.or(neither.then_some(None)) {
            fences.push(fence(Position::Between(first(), set(flag))));
            orders.push(Step::Order { order: MemoryOrder::Release, reach, at: set(flag) });
        }
        if let Some(flag) = acquired.or(neither.then_some(None)) {
            fences.push(fence(Position::After(read(flag))));
            orders.push(Step::Order { order: MemoryOrder::Acquire, reach, at: read(flag) });
        }
        let mut ways = vec![Way::new(fences), Way::new(orders)];
        let [earlier, later] = &self.finding.sides;
        if let Some(way) = self.one_strong(reach, &[released, acquired]) {
            ways.insert(0, way);
        } else if !earlier.kind.writes() && later.kind.writes() && !self.tasks_differ() {
            // A reader that may come too early and tries again needs no order.
            ways.push(self.way(Step::MakeAtomic { reach, at: self.both() }));
        }
        ways
    }

    /// One side is strong, the other one is not, and the memory itself is what threads meet at, or it is read before it is
    /// written: then the weak one should be strong, too. `flags` are those that the notes name.
    fn one_strong(&self, reach: Reach, flags: &[Option<Option<SiteId>>]) -> Option<Way> {
        let [earlier, later] = &self.finding.sides;
        let weak = match (earlier.strength, later.strength) {
            (Strength::Weak, Strength::Weak) => return None,
            (Strength::Weak, _) => Role::First,
            (_, Strength::Weak) => Role::Second,
            _ => return None,
        };
        let own = flags
            .iter()
            .flatten()
            .flatten()
            .any(|flag| self.finding.sides.iter().any(|s| s.site == Some(*flag)));
        let early = !earlier.kind.writes() && later.kind.writes();
        (own || early).then(|| self.way(Step::MakeAtomic { reach, at: vec![self.spot(weak)] }))
    }

    /// Returns the advice if the threads met at a word of a library's barrier, not at a flag of the program.
    fn toolkit_barrier(&self) -> Option<Vec<Way>> {
        let flag = self.note(|n| match n {
            SyncNote::NoAcquire { flag } | SyncNote::NoRelease { flag } => *flag,
            SyncNote::SetTooEarly { flag }
            | SyncNote::ReleasedTooEarly { flag }
            | SyncNote::SetByAnother { flag, mates: false, .. } => Some(*flag),
            _ => None,
        })?;
        let step = barrier_step(self.sites, flag)?;
        let group = self.near().unwrap_or(Group::Grid);
        let barrier = self.way(Step::InsertBarrier { group, at: self.between() });
        Some(match step {
            BarrierStep::Arrive => {
                let at = Position::After(self.at(Role::Arrive, Some(flag)));
                vec![self.way(Step::WaitFor { what: Awaited::Barrier, at }), barrier]
            }
            BarrierStep::Other => vec![barrier],
        })
    }

    /// Returns whether the flag is set in the function of (1). The order of calls is not known.
    fn one_function(&self, flag: SiteId) -> bool {
        one_function(self.sites, self.finding.sides[0].site, flag)
    }

    /// Returns whether the known access is a copy's or the host's.
    fn is_no_threads(&self) -> bool {
        matches!(self.finding.sides[0].who, Actor::Engine | Actor::HostThread(_))
    }

    fn tasks_differ(&self) -> bool {
        self.finding.sides[0].task != self.finding.sides[1].task
    }

    /// An ordinary access against an atomic one.
    fn weak(&self) -> Vec<Way> {
        let reach = if self.tasks_differ() { Reach::System } else { Reach::Device };
        if self.note(|n| matches!(n, SyncNote::PartialOverlap).then_some(())).is_some() {
            let other = match swaps_the_word(self.sites, self.finding) {
                Some(0) => Role::Second,
                Some(_) => Role::First,
                None => return vec![self.way(Step::UseOneSize { at: self.both() })],
            };
            // It is of the same object, and by libcu++'s atomic of the same size.
            return vec![self.way(Step::MakeAtomic { reach, at: vec![self.spot(other)] })];
        }
        let mut at = self.both();
        at.retain(|spot| self.side(spot.role).strength == Strength::Weak);
        if at.is_empty() {
            at = self.both();
        }
        let atomic = self.way(Step::MakeAtomic { reach, at });
        let apart = match self.near() {
            Some(group) => self.way(Step::InsertBarrier { group, at: self.between() }),
            None => self.way(Step::SplitKernel { at: self.between() }),
        };
        let mut ways = vec![atomic, apart];
        ways.extend(self.not_observed());
        ways
    }

    /// The barrier that both threads could pass; none if they are in different blocks of a grid.
    fn near(&self) -> Option<Group> {
        let [a, b] = &self.finding.sides;
        let (Actor::Thread { block, thread }, Actor::Thread { block: other, thread: mate }) = (a.who, b.who)
        else {
            return None;
        };
        match self.finding.space {
            _ if block == other && thread.0 / 32 == mate.0 / 32 => Some(Group::Warp),
            _ if block == other => Some(Group::Block),
            Space::Shared(_) | Space::Tensor(_) => Some(Group::Cluster),
            Space::Global => None,
        }
    }

    /// Something that was released, and that the second thread should wait for.
    fn not_observed(&self) -> Option<Way> {
        self.note(|n| match n {
            SyncNote::NotObserved { .. } | SyncNote::NotAwaited { .. } => Some(()),
            _ => None,
        })?;
        Some(
            self.way(Step::WaitFor { what: Awaited::Barrier, at: Position::Before(self.spot(Role::Second)) }),
        )
    }

    fn copy(&self) -> Vec<Way> {
        if self.is_narrow() {
            return self.narrow(Scoped::Flag);
        }
        let asynchronous = |role| {
            let kind = self.side(role).kind;
            matches!(kind, AccessKind::AsyncRead { .. } | AccessKind::AsyncWrite { .. })
        };
        let role = if asynchronous(Role::First) { Role::First } else { Role::Second };
        let copy = self.spot(role);
        let text = copy.instruction.as_str();
        let reads = matches!(self.side(role).kind, AccessKind::AsyncRead { .. });
        let what = match () {
            () if text.starts_with("wgmma") => Awaited::ProductGroup,
            () if text.starts_with("tcgen05") => Awaited::Commit,
            () if text.contains("bulk_group") && reads => Awaited::BulkGroupRead,
            () if text.contains("bulk_group") => Awaited::BulkGroup,
            () if text.contains("mbarrier")
                || text.starts_with("st.async")
                || text.starts_with("red.async") =>
            {
                Awaited::Transaction
            }
            () => Awaited::Copy,
        };
        let wait = |what| Step::WaitFor { what, at: self.between() };
        let early = self.note(|n| match n {
            SyncNote::PhaseTooEarly | SyncNote::WaitedAlone | SyncNote::BegunTooEarly => Some(n.clone()),
            _ => None,
        });
        let group = self.near().unwrap_or(Group::Block);
        let barrier = |at| Step::InsertBarrier { group, at };
        if early == Some(SyncNote::BegunTooEarly) {
            let before = || Position::Before(self.spot(role));
            let meet = self.way(barrier(before()));
            let done = self.way(Step::WaitFor { what: Awaited::Users, at: before() });
            return if what == Awaited::Transaction { vec![done, meet] } else { vec![meet, done] };
        }
        // An mbarrier releases every thread that waits for it, other waits only their own thread.
        if what == Awaited::Transaction {
            let mut ways = vec![self.way(wait(what))];
            if early == Some(SyncNote::PhaseTooEarly) {
                ways.insert(0, self.way(Step::ExpectBytes { at: copy }));
            }
            return ways;
        }
        if self.finding.sides[0].who == self.finding.sides[1].who {
            return vec![self.way(wait(what))];
        }
        if early == Some(SyncNote::WaitedAlone) {
            return vec![self.way(barrier(self.between()))];
        }
        if what == Awaited::Commit {
            // Any thread may wait for the mbarrier.
            return vec![self.way(wait(what))];
        }
        let both = Way::new([wait(what), barrier(self.between())]);
        if what == Awaited::ProductGroup {
            // All warps of a warpgroup wait for its products.
            return if self.one_warpgroup() { vec![self.way(wait(what))] } else { vec![both] };
        }
        vec![both, self.way(wait(Awaited::Transaction)), self.way(barrier(self.rounds()))]
    }

    /// Returns whether both sides are threads of one warpgroup, which executes the same waits.
    fn one_warpgroup(&self) -> bool {
        let group = |side: &Side| match side.who {
            Actor::Thread { block, thread } => Some((block, thread.0 / 128)),
            _ => None,
        };
        let [first, second] = &self.finding.sides;
        group(first).is_some() && group(first) == group(second)
    }

    /// A register of a matrix product.
    fn product_register(&self) -> Vec<Way> {
        let before = Position::Before(self.spot(Role::Second));
        let [first, _] = &self.finding.sides;
        match is_unwaited(self.finding) {
            true => vec![self.way(Step::WaitFor { what: Awaited::ProductGroup, at: self.between() })],
            false if first.who == Actor::Unseen => vec![self.way(Step::InsertProductFence { at: before })],
            false => vec![self.way(Step::InsertProductFence { at: self.between() })],
        }
    }

    fn proxy(&self) -> Vec<Way> {
        if self.fetches_what_was_written() {
            let own = Step::SeparateElements { owner: Owner::Task, at: self.both() };
            return vec![self.way(Step::SplitKernel { at: self.between() }), self.way(own)];
        }
        let other = self.finding.sides.iter().map(|s| s.proxy).find(|p| *p != Proxy::Generic);
        let proxy = match other {
            Some(Proxy::Tensormap) => "tensormap",
            Some(Proxy::Texture) => "texture",
            Some(Proxy::Surface) => "surface",
            _ => "async",
        };
        let [earlier, later] = &self.finding.sides;
        // Memory that is given back to be written anew.
        let at = match (earlier.kind.writes(), earlier.proxy) {
            (false, Proxy::Generic) if later.kind.writes() => Position::After(self.spot(Role::First)),
            (false, _) if later.kind.writes() => Position::Before(self.spot(Role::Second)),
            _ => self.between(),
        };
        vec![self.way(Step::InsertProxyFence { proxy: proxy.into(), at })]
    }

    /// Returns whether the later side reads through a cache that stores of its own kernel do not reach.
    fn fetches_what_was_written(&self) -> bool {
        matches!(self.finding.sides[1].proxy, Proxy::Texture | Proxy::Surface)
    }

    /// Different blocks without synchronisation.
    fn blocks(&self) -> Vec<Way> {
        if self.is_narrow() {
            return self.narrow(Scoped::Flag);
        }
        let [first, second] = &self.finding.sides;
        let own = self.way(Step::SeparateElements { owner: Owner::Block, at: self.both() });
        let atomic = self.way(Step::MakeAtomic { reach: Reach::Device, at: self.both() });
        let kernels = self.way(Step::SplitKernel { at: self.between() });
        let grid = self.way(Step::InsertBarrier { group: Group::Grid, at: self.between() });
        let mut ways: Vec<Way> = self.not_observed().into_iter().collect();
        if let Some(role) = self.discards() {
            ways.extend([self.way(Step::Discard { at: self.spot(role) }), kernels, grid]);
            return ways;
        }
        let one_store = first.site == second.site && self.both_write();
        if self.one_statement() || one_store {
            // `x += y` and `x = y`: there is no between.
            ways.extend([atomic, own]);
            if !one_store {
                ways.extend([kernels]);
            }
        } else if self.both_write() {
            ways.extend([own, atomic, kernels, grid]);
        } else if self.cooperative() {
            ways.extend([grid, own, kernels, atomic]);
        } else {
            ways.extend([own, kernels, grid, atomic]);
        }
        ways
    }

    /// The side that gives up what a cache line holds, if one does.
    fn discards(&self) -> Option<Role> {
        [Role::First, Role::Second].into_iter().find(|role| is_discard(&self.spot(*role).instruction))
    }

    /// Kernels, copies and the host.
    fn tasks(&self) -> Vec<Way> {
        let at = Position::Between(self.call(Role::FirstCall), self.call(Role::SecondCall));
        let order = |by| self.way(Step::OrderTasks { by, at: at.clone() });
        let is = |n: usize, test: fn(&TaskInfo) -> bool| self.tasks[n].is_some_and(test);
        let in_graph = |n| is(n, |t| t.call.api.starts_with("cudaGraphLaunch"));
        let called = |n: usize| self.tasks[n].and_then(|t| t.call.site);
        // One graph is launched by one call. (One that is launched again waits for itself.)
        if in_graph(0) && in_graph(1) && called(0) == called(1) {
            return vec![order(TaskOrder::GraphEdge)];
        }
        if self.finding.notes.iter().any(|note| matches!(note, SyncNote::NotBeforeLaunch { .. })) {
            return self.beside_a_child().into_iter().map(order).collect();
        }
        if is(0, |t| t.launcher.is_some()) && is(1, |t| t.launcher.is_some()) {
            // No thread can wait for a child.
            return vec![order(TaskOrder::SameStream), order(TaskOrder::Event)];
        }
        let host = |role| matches!(self.side(role).who, Actor::HostThread(_));
        if host(Role::First) || host(Role::Second) {
            return vec![order(TaskOrder::Synchronise)];
        }
        let mut ways = Vec::new();
        if self.tasks.iter().all(|t| t.is_some_and(|t| t.device == self.tasks[0].map_or(0, |f| f.device))) {
            ways.push(order(TaskOrder::SameStream));
        }
        ways.push(order(TaskOrder::Event));
        ways.push(order(TaskOrder::Synchronise));
        if self.finding.class == Class::MultiGpu
            && self.finding.sides.iter().all(|s| s.strength != Strength::Weak)
        {
            let widen = Step::WidenScope { what: Scoped::Atomic, reach: Reach::System, at: self.both() };
            ways.insert(0, self.way(widen));
        }
        let pool =
            |n| is(n, |t| t.call.api.starts_with("cudaMalloc") || t.call.api.starts_with("cudaFreeAsync"));
        if self.finding.class == Class::MemcpyAsync && !pool(0) && !pool(1) {
            ways.push(self.way(Step::SeparateElements { owner: Owner::Task, at: self.both() }));
        }
        if self.finding.notes.contains(&SyncNote::BeforeGridWait) {
            let at = Position::Before(self.spot(Role::Second));
            ways = vec![self.way(Step::WaitFor { what: Awaited::PreviousKernel, at })];
        }
        if self.finding.notes.contains(&SyncNote::NotWaitedBetween) {
            let at = Position::Before(self.spot(Role::Second));
            ways = vec![self.way(Step::WaitFor { what: Awaited::KernelBeforeTheOneBetween, at })];
        }
        ways
    }

    /// A kernel and what it launched: what the kernel reads may be its child's result, or the child's input.
    fn beside_a_child(&self) -> [TaskOrder; 2] {
        let [first, second] = self.tasks.map(|task| task.and_then(|t| t.launcher).is_some());
        let own = if first && !second { Role::Second } else { Role::First };
        match self.side(own).kind.writes() {
            true => [TaskOrder::BeforeLaunch, TaskOrder::TailLaunch],
            false => [TaskOrder::TailLaunch, TaskOrder::BeforeLaunch],
        }
    }

    fn call(&self, role: Role) -> Spot {
        let second = role == Role::SecondCall;
        let host = self.side(if second { Role::Second } else { Role::First });
        let site = match host.who {
            Actor::HostThread(_) => host.site,
            _ => self.tasks[usize::from(second)].and_then(|t| t.call.site),
        };
        self.at(role, site)
    }
}

/// Returns the group that has to meet: lanes of one warp, or threads of the block.
const fn met(mates: bool) -> Group {
    if mates { Group::Warp } else { Group::Block }
}

fn is_fence(instruction: &str) -> bool {
    instruction.starts_with("membar") || instruction.starts_with("fence")
}

const fn wider_than(scope: Scope) -> Scope {
    match scope {
        Scope::Cta | Scope::Cluster => Scope::Gpu,
        Scope::Gpu | Scope::Sys => Scope::Sys,
    }
}
