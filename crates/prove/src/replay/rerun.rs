//! Repeats a launch of an observed run, at the same addresses and with the recorded contents of memory.

use crate::replay::bench::{ARRAY_BYTES, Bench, Buffer, Contents, Outcome, RunLimits, map, write};
use crate::replay::contents::fill;
use events::task::{AllocKind, HostCall};
use events::{Allocation, Finding, Monitor, ObservedLaunch, StreamId, TaskId, TaskInfo, TaskKind};
use std::ops::Range;
use std::sync::Arc;

/// The memory limit of a repeated launch, in bytes; memory that is mapped and never touched costs nothing.
const MOST_BYTES: u64 = 1 << 31;

impl Bench {
    /// Describes the launch as a task, and lists the memory that it may touch.
    pub(crate) fn describe(&mut self, launch: &ObservedLaunch) -> (TaskInfo, Vec<Allocation>) {
        self.task += 1;
        let info = TaskInfo {
            id: TaskId(self.task),
            kind: TaskKind::Launch(launch.info.clone()),
            stream: StreamId(1),
            after: Vec::new(),
            overlap: None,
            launcher: None,
            call: HostCall::default(),
            device: 0,
        };
        let allocation = |base, bytes, kind, name: &Option<String>| Allocation {
            base,
            bytes,
            kind,
            name: name.clone(),
            call: HostCall::default(),
            device: 0,
        };
        let own = |base| self.variables.iter().any(|v| v.base == base);
        let others = launch.memory.iter().filter(|m| !own(m.base));
        let mut all: Vec<Allocation> = others.map(|m| allocation(m.base, m.bytes, m.kind, &m.name)).collect();
        all.extend(
            self.variables
                .iter()
                .map(|v| allocation(v.base, 8 * v.words.len() as u64, AllocKind::Variable, &v.name)),
        );
        (info, all)
    }

    /// Returns the memory whose contents before the launch are known; variables that the launch does not name
    /// have their initial values.
    pub(crate) fn known(&self, launch: &ObservedLaunch) -> Vec<Range<u64>> {
        let told = launch.memory.iter().filter(|m| m.contents.is_some()).map(|m| m.base..m.base + m.bytes);
        let named = |base| launch.memory.iter().any(|m| m.base == base);
        let own = self.variables.iter().filter(|v| !named(v.base));
        told.chain(own.map(|v| v.base..v.base + 8 * v.words.len() as u64)).collect()
    }

    /// Returns the races of the launch under one schedule; `None` if the launch does not end.
    pub fn races(
        &mut self,
        launch: &ObservedLaunch,
        schedule: simt::Schedule,
        seed: u64,
    ) -> Option<Vec<Finding>> {
        let kernel = self.kernel(&launch.info.kernel)?;
        let about = self.describe(launch);
        let monitor = Arc::new(self.detector());
        let limits = RunLimits { fuel: 1 << 24, schedule, seed };
        match self.rerun(kernel, launch, (&about.0, &about.1), &monitor, limits, &|| false) {
            Outcome::Ended(findings) => Some(findings),
            Outcome::TooLong(_) | Outcome::Stuck(_) | Outcome::Failed(_) => None,
        }
    }

    /// Runs the launch under one schedule. Unknown memory is zero.
    pub(crate) fn rerun<M: Monitor + 'static>(
        &mut self,
        kernel: usize,
        launch: &ObservedLaunch,
        about: (&TaskInfo, &[Allocation]),
        monitor: &Arc<M>,
        limits: RunLimits,
        stop: &dyn Fn() -> bool,
    ) -> Outcome {
        self.rerun_with(kernel, launch, Contents::Zeros, about, monitor, limits, stop)
    }

    /// Runs the launch with the given contents of unknown memory, in its first [`ARRAY_BYTES`] and around the
    /// places that arguments point to.
    #[expect(clippy::too_many_arguments, reason = "all that a launch consists of")]
    pub(crate) fn rerun_with<M: Monitor + 'static>(
        &mut self,
        kernel: usize,
        launch: &ObservedLaunch,
        contents: Contents,
        about: (&TaskInfo, &[Allocation]),
        monitor: &Arc<M>,
        limits: RunLimits,
        stop: &dyn Fn() -> bool,
    ) -> Outcome {
        self.make(kernel, launch, contents, about, monitor, limits, stop, None)
    }

    /// Runs the launch and copies the memory at `left` afterwards.
    #[expect(clippy::too_many_arguments, reason = "all that a launch consists of")]
    pub(crate) fn rerun_for<M: Monitor + 'static>(
        &mut self,
        kernel: usize,
        launch: &ObservedLaunch,
        about: (&TaskInfo, &[Allocation]),
        monitor: &Arc<M>,
        limits: RunLimits,
        stop: &dyn Fn() -> bool,
        left: (u64, &mut [u8]),
    ) -> Outcome {
        self.make(kernel, launch, Contents::Zeros, about, monitor, limits, stop, Some(left))
    }

    #[expect(clippy::too_many_arguments, reason = "all that a launch consists of")]
    fn make<M: Monitor + 'static>(
        &mut self,
        kernel: usize,
        launch: &ObservedLaunch,
        contents: Contents,
        (info, allocations): (&TaskInfo, &[Allocation]),
        monitor: &Arc<M>,
        limits: RunLimits,
        stop: &dyn Fn() -> bool,
        left: Option<(u64, &mut [u8])>,
    ) -> Outcome {
        if launch.memory.iter().map(|m| m.bytes).fold(0, u64::saturating_add) > MOST_BYTES {
            return Outcome::Failed("its memory is too large to be laid out again".into());
        }
        let mut mapped: Vec<Buffer> = Vec::new();
        let laid = self.lay_out(launch, contents, &mut mapped);
        let mut outcome = match laid {
            Ok(()) => {
                let shared = launch.facts.dynamic_shared;
                let params = launch.facts.bytes.clone();
                self.execute(kernel, info, shared, params, allocations, monitor, limits, stop)
            }
            Err(why) => Outcome::Failed(why),
        };
        if let Some((base, bytes)) = left
            && let Err(why) = self.memory.read(base, bytes)
        {
            outcome = Outcome::Failed(format!("{why:?}"));
        }
        for buffer in &mapped {
            self.memory.unmap(buffer.base);
        }
        outcome
    }

    fn lay_out(
        &self,
        launch: &ObservedLaunch,
        contents: Contents,
        mapped: &mut Vec<Buffer>,
    ) -> Result<(), String> {
        for v in &self.variables {
            write(&self.memory, v.base, &v.initial).map_err(|e| e.to_string())?;
        }
        for (n, memory) in launch.memory.iter().enumerate() {
            let own = self.variables.iter().any(|v| v.base == memory.base);
            if !own {
                let mut words = vec![0u64; memory.bytes.div_ceil(8) as usize];
                // Bytes after the allocation's end do not belong to it.
                let held = map(&self.memory, memory.base, memory.bytes, &mut words, memory.kind);
                held.map_err(|e| e.to_string())?;
                mapped.push(Buffer {
                    base: memory.base,
                    words,
                    initial: Vec::new(),
                    name: None,
                    wanted: None,
                });
            }
            if let Some(contents) = &memory.contents {
                self.memory.write(memory.base, &contents.0).map_err(|e| format!("{e:?}"))?;
            } else if contents != Contents::Zeros {
                let pointed = launch.facts.bytes.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w));
                let end = memory.base + memory.bytes;
                let mut starts: Vec<u64> = pointed.filter(|p| (memory.base..end).contains(p)).collect();
                starts.push(memory.base);
                let words = fill(contents, n as u64);
                for start in starts {
                    let most = ((end - start) / 8).min(ARRAY_BYTES / 8) as usize;
                    write(&self.memory, start, &words[..most.min(words.len())]).map_err(|e| e.to_string())?;
                }
            }
        }
        Ok(())
    }
}
