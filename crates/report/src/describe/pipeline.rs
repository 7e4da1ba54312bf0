//! Pipelines in words: the stage of a race, its producer and consumer, phases and transaction counts, and what is missing.

use super::Context;
use super::ring::Ring;
use super::words::coordinates;
use crate::model::Access;
use crate::model::pipeline::{Gate, Groups, Pipeline, Role, Stage};
use crate::registers;
use crate::tensor;
use events::finding::Actor;
use events::pipeline::{Barrier, Handover, Party, Pipeline as State};
use events::sync::NO_PHASE;
use events::{Class, Finding, Location, Proxy, Space, SyncNote, TaskId};
use names::symbol;
use std::ops::Range;

/// Bytes of an mbarrier object.
const OBJECT: u64 = 8;

/// A finding in a pipeline.
struct Scene<'a> {
    context: &'a Context<'a>,
    finding: &'a Finding,
    state: &'a State,
    accesses: &'a [Access; 2],
}

impl Context<'_> {
    /// Returns the pipeline of a finding, if its detector knew one.
    pub(super) fn pipeline(&self, finding: &Finding, accesses: &[Access; 2]) -> Option<Pipeline> {
        let state = finding.notes.iter().find_map(|note| match note {
            SyncNote::Pipeline(state) => Some(&**state),
            _ => None,
        })?;
        Scene { context: self, finding, state, accesses }.describe()
    }

    /// Returns the name and the extent of the shared variable that consists of mbarriers and holds this one.
    fn array(&self, task: TaskId, barriers: &[Barrier], at: Location) -> Option<(String, Range<u64>)> {
        let variable = self.shared_variable(task, at.address, None)?;
        let extent = variable.offset..variable.offset + variable.bytes?;
        let objects = barriers.iter().filter(|b| b.at.space == at.space && extent.contains(&b.at.address));
        let whole = objects.count() as u64 == (extent.end - extent.start) / OBJECT;
        whole.then(|| (symbol::variable(&variable.name), extent))
    }
}

impl Scene<'_> {
    fn describe(&self) -> Option<Pipeline> {
        let at = match self.state.handover {
            Handover::Phase { barrier, .. } if self.completes() || !self.is_asynchronous() => Some(barrier),
            _ => None,
        };
        let extent = |b: &Barrier| Some(self.context.array(self.task(), &self.state.barriers, b.at)?.1);
        let ring = Ring::of(&self.state.barriers, at, extent);
        let groups = match self.state.handover {
            Handover::Group { group, committed, waited } => Some(Groups { group, committed, waited }),
            _ => None,
        };
        if ring.len() == 0 && groups.is_none() {
            return None;
        }
        let stages: Vec<Stage> = (0..ring.len()).map(|i| self.stage(&ring, i)).collect();
        let roles = [self.role(0), self.role(1)];
        let missing = self.missing();
        let text = self.text(&ring, &roles, &missing)?;
        Some(Pipeline { text, roles, missing, stages, raced: ring.raced, groups })
    }

    fn task(&self) -> TaskId {
        self.finding.sides[0].task
    }

    fn stage(&self, ring: &Ring, index: usize) -> Stage {
        let gate = |array: &Option<Range<usize>>| {
            Some(self.gate(&self.state.barriers[array.as_ref()?.start + index]))
        };
        Stage { full: gate(&ring.full), empty: gate(&ring.empty) }
    }

    fn gate(&self, of: &Barrier) -> Gate {
        let last = of.phases.iter().max_by_key(|phase| phase.number);
        let with = |party: &Party| match party.phase {
            NO_PHASE => format!("{}: before the first phase", self.party(party)),
            phase => format!("{}: phase {phase}", self.party(party)),
        };
        Gate {
            name: self.name(of.at),
            phase: last.map(|phase| phase.number),
            expected: last.map_or(0, |phase| phase.expected),
            received: last.map_or(0, |phase| phase.received),
            arrivals: of.arrivals.iter().map(with).collect(),
            waits: of.waits.iter().map(with).collect(),
        }
    }

    /// Returns `` `full[1]` ``, or where the mbarrier is.
    fn name(&self, at: Location) -> String {
        match self.context.array(self.task(), &self.state.barriers, at) {
            Some((name, extent)) if extent.end - extent.start == OBJECT => format!("`{name}`"),
            Some((name, extent)) => format!("`{name}[{}]`", (at.address - extent.start) / OBJECT),
            None => match at.space {
                Space::Shared(block) if !self.state.barriers.iter().any(|b| b.at.space == at.space) => {
                    let owner = self.context.owner_of(block, self.task());
                    format!("the mbarrier at byte {} of the shared memory{owner}", at.address)
                }
                _ => format!("the mbarrier at byte {} of shared memory", at.address),
            },
        }
    }

    /// Returns `warp 3`; of another block than the first side's, with that.
    fn warp(&self, block: u32, warp: u32) -> String {
        let own = self.finding.sides.iter().all(|side| match side.who {
            Actor::Thread { block: of, .. } => of.0 == block,
            _ => true,
        });
        match self.context.grid_of(self.task()).filter(|_| !own) {
            Some((grid, _)) => {
                format!("warp {warp} of block {}", coordinates(grid.coordinates(block.into())))
            }
            None => format!("warp {warp}"),
        }
    }

    fn party(&self, party: &Party) -> String {
        self.warp(party.block.0, party.warp.0.into())
    }

    fn role(&self, side: usize) -> Role {
        let of = &self.finding.sides[side];
        let warp = match of.who {
            Actor::Thread { block, thread } => self.warp(block.0, (thread.0 / 32).into()),
            _ => self.accesses[side].who.clone(),
        };
        Role { producer: of.kind.writes(), warp }
    }

    /// Returns the line of the report; `None` if it would name nothing but the two sides.
    fn text(&self, ring: &Ring, roles: &[Role; 2], missing: &str) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(raced) = ring.raced.filter(|_| ring.len() > 1) {
            parts.push(format!("stage {raced} of {}", ring.len()));
        }
        let [a, b] = [0, 1].map(|side| {
            let name = if roles[side].producer { "producer" } else { "consumer" };
            format!("{name} {} ({})", roles[side].warp, side + 1)
        });
        parts.push(format!("{a}, {b}"));
        parts.extend(self.progress(roles));
        if !missing.is_empty() {
            parts.push(format!("missing: {missing}"));
        }
        (parts.len() > 1).then(|| parts.join("; "))
    }

    /// Returns how far the handover from the first side to the second had come.
    fn progress(&self, [first, second]: &[Role; 2]) -> Option<String> {
        match self.state.handover {
            Handover::Phase { .. } if self.is_asynchronous() && !self.completes() => None,
            // Behind a proxy fence that is missing, the threads are in order: by this mbarrier if they met there.
            Handover::Phase { phase, waited, .. }
                if self.finding.class == Class::Proxy
                    && (phase.is_none() || waited.is_none_or(|waited| waited == NO_PHASE)) =>
            {
                None
            }
            Handover::Phase { barrier, phase, waited } => {
                let name = self.name(barrier);
                let signal = match phase {
                    Some(phase) if self.completes() => {
                        format!(
                            "(1) completes in phase {phase} of {name}{}",
                            self.transaction(barrier, phase)
                        )
                    }
                    Some(phase) => format!("{} arrived at {name} in phase {phase}", first.warp),
                    None => format!("{} had not arrived at {name}", first.warp),
                };
                let waited = match waited {
                    None => format!("{} had waited for no phase of it", second.warp),
                    Some(NO_PHASE) => {
                        format!("{} had waited for the phase before its first only", second.warp)
                    }
                    Some(waited) => format!("{} had waited for phase {waited} last", second.warp),
                };
                Some(format!("{signal}; {waited}"))
            }
            Handover::Group { group, committed, waited } => {
                let which =
                    group.map_or_else(String::new, |group| format!("the product is in group {group}; "));
                let s = if committed == 1 { "" } else { "s" };
                let waited = if waited == 0 { "none".to_owned() } else { waited.to_string() };
                let warp = &first.warp;
                Some(format!(
                    "{which}{warp} had committed {committed} group{s}, and {waited} had been waited for"
                ))
            }
            Handover::Unknown => None,
        }
    }

    /// Returns whether the first side is an asynchronous operation.
    fn is_asynchronous(&self) -> bool {
        self.finding.sides[0].kind.operation().is_some()
    }

    /// Returns whether the first side's operation itself completes at the handover's mbarrier. Loads and stores of tensor memory
    /// and groups of copies complete at none.
    fn completes(&self) -> bool {
        let Handover::Phase { barrier, .. } = self.state.handover else { return false };
        let instruction = self.instruction(0);
        let none = ["tcgen05.ld", "tcgen05.st", "bulk_group", "wgmma"];
        if !self.is_asynchronous() || none.iter().any(|name| instruction.contains(name)) {
            return false;
        }
        let Actor::Thread { block, thread } = self.finding.sides[0].who else { return false };
        match self.barrier(barrier) {
            Some(of) => of.issuers.iter().any(|by| by.block == block && by.warp == thread.warp()),
            None => self.counts_bytes(0) || instruction.contains("tcgen05"),
        }
    }

    fn barrier(&self, at: Location) -> Option<&Barrier> {
        self.state.barriers.iter().find(|barrier| barrier.at == at)
    }

    /// Returns the transaction count of a phase: `` (128 bytes expected, 0 received)``.
    fn transaction(&self, at: Location, phase: u64) -> String {
        match self.barrier(at).map(|barrier| barrier.phase(phase)) {
            Some(counts) if self.counts_bytes(0) => {
                format!(" ({} bytes expected, {} received)", counts.expected, counts.received)
            }
            _ => String::new(),
        }
    }

    fn instruction(&self, side: usize) -> &str {
        &self.accesses[side].instruction
    }

    fn counts_bytes(&self, side: usize) -> bool {
        self.instruction(side).contains("complete_tx")
    }

    /// Returns what would order the two accesses, briefly.
    fn missing(&self) -> String {
        let finding = self.finding;
        let proxies = finding.sides.each_ref().map(|side| side.proxy);
        match finding.class {
            Class::Proxy if proxies.contains(&Proxy::Async) => "`fence.proxy.async`".into(),
            Class::Proxy if proxies.contains(&Proxy::Tensormap) => "`fence.proxy.tensormap`".into(),
            Class::WgmmaRegisters if registers::is_unwaited(finding) => "`wgmma.wait_group`".into(),
            Class::WgmmaRegisters => "`wgmma.fence`".into(),
            Class::TensorMemory if self.is_scoped() => "a wider scope".into(),
            Class::TensorMemory => match tensor::instruction(tensor::gap(finding)) {
                "wait" => self.wait(),
                "commit" => "`tcgen05.commit` and a wait for it".into(),
                wait if wait.starts_with("wait") => format!("`tcgen05.{wait}`"),
                fence => format!("`tcgen05.fence::{fence}`"),
            },
            Class::AsyncCopy => self.missing_of_copy(),
            _ => String::new(),
        }
    }

    /// Returns whether a scope that is too narrow explains the race.
    fn is_scoped(&self) -> bool {
        self.finding.notes.iter().any(|note| matches!(note, SyncNote::ScopeTooNarrow { .. }))
    }

    fn missing_of_copy(&self) -> String {
        let noted = |note: &SyncNote| self.finding.notes.contains(note);
        match self.state.handover {
            _ if self.is_scoped() => "a wider scope".into(),
            _ if noted(&SyncNote::WaitedAlone) => "a barrier behind the wait".into(),
            Handover::Phase { barrier, phase, waited } if self.completes() => {
                let counts = self.barrier(barrier).zip(phase).map(|(of, phase)| of.phase(phase));
                let short = counts.is_some_and(|c| self.counts_bytes(0) && c.expected < c.received.max(1));
                match waited {
                    Some(_) if short => format!("`expect_tx` of the copy's bytes, or {}", self.wait()),
                    _ => self.wait(),
                }
            }
            _ if self.is_asynchronous() && self.instruction(0).contains("bulk_group") => {
                "`cp.async.bulk.wait_group`".into()
            }
            Handover::Phase { .. } if self.is_asynchronous() => self.wait_for_group(),
            Handover::Phase { barrier, phase: Some(arrived), waited: Some(waited) }
                if waited != NO_PHASE && waited >= arrived =>
            {
                format!("arrival at {} behind (1)", self.name(barrier))
            }
            Handover::Phase { .. } => self.wait(),
            Handover::Group { group: Some(group), .. } => format!("`wgmma.wait_group` for group {group}"),
            _ => self.wait_for_group(),
        }
    }

    /// Returns what would make the completion of the first side's operation known, which no mbarrier and no group tracks.
    fn wait_for_group(&self) -> String {
        let known = [
            ("wgmma", "`wgmma.commit_group` and `wgmma.wait_group`"),
            ("tcgen05", "`tcgen05.commit` and a wait for it"),
            ("cp.async", "`cp.async.wait_group`"),
        ];
        let found = known.iter().find(|(name, _)| self.instruction(0).contains(name));
        found.map_or_else(String::new, |(_, missing)| (*missing).to_owned())
    }

    /// Returns the wait for the handover's phase.
    fn wait(&self) -> String {
        match self.state.handover {
            Handover::Phase { barrier, phase: Some(phase), .. } => {
                format!("wait for phase {phase} of {}", self.name(barrier))
            }
            Handover::Phase { barrier, .. } => format!("wait for {}", self.name(barrier)),
            _ => "a wait".into(),
        }
    }
}
