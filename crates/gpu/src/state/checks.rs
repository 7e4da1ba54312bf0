//! The inserted checks by number, and the sink in which kernels report those that fail.

use crate::sink::Sink;
use events::task::HostCall;
use events::{Allocation, SiteId, SiteTable};
use instrument::collide::Unchecked;
use instrument::guard::CHECKS;
use instrument::pass::Instrumented;
use instrument::prune::Pruned;
use protocol::Check;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

#[derive(Default)]
pub(super) struct Checks {
    pub(super) sink: Option<Sink>,
    all: Vec<Check>,
    /// The driver calls for which some of the checks stand.
    calls: Vec<HostCall>,
    /// The numbers of the checks in each kernel.
    by_kernel: HashMap<String, Vec<u32>>,
    /// Counts of instructions without a check, by reason.
    without: BTreeMap<Unchecked, u32>,
    /// Counts of instructions whose checks were proven unnecessary.
    pruned: Pruned,
}

impl Checks {
    /// Returns the number of the next check.
    pub(super) fn next(&self) -> u32 {
        self.all.len() as u32
    }

    /// Returns the first of so many numbers that are set aside for later.
    pub(super) fn set_aside(&mut self, number: u32) -> u32 {
        let first = self.next();
        let unused = Check::of_instruction(SiteId(0), false, 0, None);
        self.all.extend(std::iter::repeat_n(unused, number as usize));
        first
    }

    /// Returns the address of the sink, which the first call creates in the file of this name.
    pub(super) fn sink_at(&mut self, file: impl FnOnce() -> PathBuf) -> Result<u64, String> {
        if let Some(sink) = &self.sink {
            return Ok(sink.base());
        }
        let sink = Sink::new(&file()).map_err(|e| format!("there is no memory for what kernels see: {e}"))?;
        Ok(self.sink.insert(sink).base())
    }

    /// Makes room in the sink for the checks below a number; `reserved` is its size if all of it is to be reserved.
    pub(super) fn make_room(&mut self, all: u32, reserved: Option<u64>) -> Result<(), String> {
        let all = self.next().max(all);
        let Some(sink) = &mut self.sink else { return Ok(()) };
        let room = reserved.map_or(Ok(()), |bytes| sink.reserve(bytes));
        room.and_then(|()| sink.grow(all)).map_err(|e| format!("there is no room for what kernels see: {e}"))
    }

    /// Adds the checks of an instrumented image, with numbers from `first` on, which is the next one, or set aside.
    pub(super) fn instrumented(&mut self, first: u32, module: &Instrumented, sites: &SiteTable) {
        for (why, count) in &module.unchecked {
            *self.without.entry(*why).or_default() += count;
        }
        self.pruned.add(module.pruned);
        for (number, check) in (first..).zip(&module.checks) {
            if let Some(site) = sites.get(check.site) {
                self.by_kernel.entry(site.function.clone()).or_default().push(number);
            }
        }
        for (number, c) in (first as usize..).zip(&module.checks) {
            let check = Check::of_instruction(c.site, c.writes, c.size, c.asynchronous);
            match self.all.get_mut(number) {
                Some(place) => *place = check,
                None => self.all.push(check),
            }
        }
    }

    /// Adds a check for a call or an instruction of the host, which `by` describes; `None` if there is no room for more.
    pub(super) fn call(&mut self, writes: bool, size: u32, by: impl FnOnce() -> HostCall) -> Option<u32> {
        let number = self.next();
        let sink = self.sink.as_mut().filter(|_| number < CHECKS)?;
        sink.grow(number + 1).ok()?;
        let (by, call) = (by(), Some(self.calls.len() as u32));
        let site = by.site.unwrap_or(SiteId(0));
        self.all.push(Check { site, writes, size, asynchronous: None, call, maybe: false });
        self.calls.push(by);
        Some(number)
    }

    /// Adds a check for a possible access of a kernel of which there is machine code only; `None` if there is no room for more.
    pub(super) fn possible(&mut self, writes: bool, size: u32, by: impl FnOnce() -> HostCall) -> Option<u32> {
        let number = self.call(writes, size, by)?;
        if let Some(check) = self.all.last_mut() {
            check.maybe = true;
        }
        Some(number)
    }

    /// Returns whether some check of a kernel has failed. Records that running kernels write at this moment are found
    /// at the next launch.
    pub(super) fn has_failed(&self, kernel: &str) -> bool {
        let mut numbers = self.by_kernel.get(kernel).into_iter().flatten();
        self.sink.as_ref().is_some_and(|sink| numbers.any(|check| sink.is_written(*check)))
    }

    /// Describes the sink for the command line.
    pub(super) fn described(&self, allocations: &[Allocation]) -> Option<protocol::Sink> {
        Some(protocol::Sink {
            file: self.sink.as_ref()?.name(),
            checks: self.all.clone(),
            calls: self.calls.clone(),
            allocations: allocations.to_vec(),
        })
    }

    /// Returns notes about unchecked instructions in checked kernels.
    pub(super) fn limits(&self) -> impl Iterator<Item = String> {
        let named = |(why, count): (&Unchecked, &u32)| format!("{count} {}", why.name());
        let all: Vec<String> = self.without.iter().map(named).collect();
        let unchecked =
            (!all.is_empty()).then(|| format!("instructions without a check: {}", all.join(", ")));
        unchecked.into_iter().chain(self.pruned.describe())
    }
}
