//! Models the memory traffic of ScoRD's metadata on a GPU (its paper's Figs. 8 to 11).

use detect::scord::Granularity;
use detect::scord::traffic::{Counts, Estimate, Machine, Report, Traffic};
use events::{Access, Account, Finding, HostEvent, Listener, Monitor, Observer, Space, Sync, TaskKind};
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The models of one trace, by `Machine::SWEEP`.
type Models = [Traffic; Machine::SWEEP.len()];

/// The reports of them.
pub(super) type Reports = [Report; Machine::SWEEP.len()];

/// Plays the trace to the models and returns their counts, up to the end or the damage of the trace.
pub(super) fn model(path: &Path) -> Result<Reports, String> {
    let file = File::open(path).map_err(|e| format!("cannot open `{}`: {e}", path.display()))?;
    let models = Machine::SWEEP.map(|machine| Traffic::new(Granularity::Bytes4.shift(), machine));
    let model = Model(Arc::new(Mutex::new(models)));
    // The detectors that played the same file have reported the damage.
    let _ = trace::play(BufReader::new(file), &model);
    let models = model.lock();
    Ok(std::array::from_fn(|at| models[at].report()))
}

struct Model(Arc<Mutex<Models>>);
struct ModelObserver(Arc<Mutex<Models>>);

impl Model {
    fn lock(&self) -> MutexGuard<'_, Models> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for ModelObserver {
    fn access(&mut self, access: &Access<'_>) {
        if access.space == Space::Global {
            let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            models.iter_mut().for_each(|model| model.access(access));
        }
    }

    fn sync(&mut self, _: &Sync<'_>) {}
}

impl Listener for Model {
    fn host(&self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) if matches!(task.kind, TaskKind::Launch(_)) => {
                self.lock().iter_mut().for_each(Traffic::launch);
            }
            // The paper simulates kernels only.
            HostEvent::TaskStart(_)
            | HostEvent::TaskEnd(_)
            | HostEvent::TaskAfter(..)
            | HostEvent::Range(_)
            | HostEvent::Alloc(_)
            | HostEvent::Free { .. }
            | HostEvent::Launched(..)
            | HostEvent::Apart(..)
            | HostEvent::Site(..)
            | HostEvent::End => {}
        }
    }

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        Account::default()
    }
}

impl Monitor for Model {
    type Observer = ModelObserver;

    fn observer(&self, _: usize) -> ModelObserver {
        ModelObserver(Arc::clone(&self.0))
    }
}

/// Prints a report.
pub(super) struct Table<'a>(pub(super) &'a Reports);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [smaller, r, larger] = self.0;
        writeln!(
            f,
            "memory traffic of ScoRD, modelled (15 SMs, 16 KiB L1 each, 1.5 MiB L2, 128-byte lines):"
        )?;
        writeln!(
            f,
            "  {} warp accesses to global memory; L1: {} accesses, {} hits",
            r.instructions, r.l1_accesses, r.l1_hits
        )?;
        writeln!(f, "  {:<34}{:>14}{:>14}{:>14}", "", "no detection", "base design", "cached")?;
        let row = |f: &mut fmt::Formatter<'_>, name: &str, of: fn(&Counts) -> u64| {
            writeln!(f, "  {name:<34}{:>14}{:>14}{:>14}", of(&r.without), of(&r.base), of(&r.cached))
        };
        row(f, "L2 accesses for data", |c| c.l2_data)?;
        row(f, "L2 accesses for metadata", |c| c.l2_metadata)?;
        row(f, "DRAM accesses for data", |c| c.dram_data)?;
        row(f, "DRAM accesses for metadata", |c| c.dram_metadata)?;
        let relative = |c: &Counts| {
            let (data, metadata) = r.dram_relative(c);
            format!("{:.2}", data + metadata)
        };
        let name = "DRAM accesses, relative (Fig. 9)";
        writeln!(f, "  {name:<34}{:>14}{:>14}{:>14}", "1.00", relative(&r.base), relative(&r.cached))?;
        let slowdown = |c: &Counts| {
            let estimate = r.slowdown(c);
            let (a, b) = (estimate.overlapped, estimate.serial);
            format!("{:.2} to {:.2}", a.min(b), a.max(b))
        };
        let name = "run time, ESTIMATED (Fig. 8)";
        writeln!(f, "  {name:<34}{:>14}{:>14}{:>14}", "1.00", slowdown(&r.base), slowdown(&r.cached))?;
        let causes = |c: &Counts| r.causes(c).map(|share| format!("{:.0}", share * 100.0)).join("/");
        let name = "hits, network, metadata % (Fig. 10)";
        writeln!(f, "  {name:<35}{:>13}{:>14}{:>14}", "", causes(&r.base), causes(&r.cached))?;
        for (name, r) in [("0.75 MiB L2, 6 channels", smaller), ("3 MiB L2, 24 channels", larger)] {
            let name = format!("{name} (Fig. 11)");
            let slowdown = |c: &Counts| {
                let Estimate { overlapped: a, serial: b } = r.slowdown(c);
                format!("{:.2} to {:.2}", a.min(b), a.max(b))
            };
            writeln!(f, "  {name:<35}{:>13}{:>14}{:>14}", "1.00", slowdown(&r.base), slowdown(&r.cached))?;
        }
        Ok(())
    }
}
