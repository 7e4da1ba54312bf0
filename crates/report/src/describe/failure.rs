//! Kernels that failed and device code that could not be run.

use super::words::coordinates;
use super::{Context, located};
use crate::attribute::is_of_grid;
use crate::model::{Access, Failure};
use events::Dim3;
use events::task::TaskKind;
use names::symbol;
use protocol::{DeviceFailure, FailureKind, Obstacle, WaitsAt};

impl Context<'_> {
    pub(super) fn failure(&self, f: &DeviceFailure) -> Failure {
        let kernel = symbol::full(&f.kernel);
        let at = f.site.map(|site| {
            let mut at = located(self.site(Some(site)));
            at.kernel = kernel.clone();
            at.block = f.block.map(|d| [d.x, d.y, d.z]);
            at.thread = f.thread.map(|d| [d.x, d.y, d.z]);
            at.who = match (f.thread, f.block) {
                (Some(t), Some(b)) => format!("thread {} of block {}", coordinates(t), coordinates(b)),
                (None, Some(b)) => format!("block {}", coordinates(b)),
                _ => String::new(),
            };
            at
        });
        let mut notes = Vec::new();
        if let Some(address) = f.address {
            notes.push(match &f.allocation {
                Some(a) if address >= a.base && address < a.base.saturating_add(a.bytes) => format!(
                    "address {address:#x} is at byte {} of {} bytes of {}",
                    address - a.base,
                    a.bytes,
                    self.owner(a)
                ),
                Some(a) if address >= a.base => format!(
                    "address {address:#x} is {} bytes past the end of {} bytes of {}",
                    address - a.base - a.bytes,
                    a.bytes,
                    self.owner(a)
                ),
                Some(a) => format!(
                    "address {address:#x} is {} bytes before {} bytes of {}",
                    a.base - address,
                    a.bytes,
                    self.owner(a)
                ),
                None => format!("address {address:#x} is in no allocation"),
            });
        }
        // The waiting groups say all there is to say of a deadlock.
        if !f.text.is_empty() && f.what != FailureKind::Deadlock {
            notes.push(f.text.clone());
        }
        if !f.error.is_empty() {
            notes.push(format!("the program saw `{}`", f.error));
        }
        Failure {
            class: class(f.what).into(),
            title: format!("kernel `{}` {}", symbol::abridged(&symbol::short(&f.kernel)), brief(f)),
            error: f.error.clone(),
            kernel,
            at,
            waiting: f.waiting.iter().map(|w| self.waiting(f, w)).collect(),
            notes,
            help: if f.what == FailureKind::Deadlock { self.released(f) } else { help(f.what).into() },
        }
    }

    /// Says how to release threads that wait, by the kind of their wait.
    fn released(&self, f: &DeviceFailure) -> String {
        let mut helps: Vec<&str> = Vec::new();
        for w in &f.waiting {
            let grid = w.site.is_some_and(|site| is_of_grid(&self.result.sites, site));
            let new = if grid { GRID_HELP } else { release(w.at) };
            if !new.is_empty() && !helps.contains(&new) {
                helps.push(new);
            }
        }
        if helps.is_empty() { release(WaitsAt::Block).into() } else { helps.join("; ") }
    }

    fn waiting(&self, f: &DeviceFailure, w: &protocol::Waiting) -> Access {
        let mut at = located(self.site(w.site));
        let extent = self.tasks.get(&f.task).map_or(Dim3::ONE, |t| match &t.kind {
            TaskKind::Launch(l) => l.block,
            _ => Dim3::ONE,
        });
        let first = extent.coordinates(w.first_thread.0.into());
        at.kernel = symbol::full(&f.kernel);
        at.block = Some([w.block.x, w.block.y, w.block.z]);
        at.thread = Some([first.x, first.y, first.z]);
        at.who = match w.threads {
            0 | 1 => format!("thread {} of block {}", coordinates(first), coordinates(w.block)),
            n => format!("{n} threads of block {}, from {} on", coordinates(w.block), coordinates(first)),
        };
        at.what = w.what.clone();
        at
    }

    pub(super) fn owner(&self, a: &events::Allocation) -> String {
        match &a.name {
            Some(name) => format!("`{}`", symbol::variable(name)),
            None => format!("memory{}", self.from(a)),
        }
    }
}

const fn class(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::IllegalAddress => "illegal-address",
        FailureKind::Misaligned => "misaligned-address",
        FailureKind::Trap => "trap",
        FailureKind::Assert => "assert",
        FailureKind::Unsupported => "unsupported",
        FailureKind::IllegalInstruction => "illegal-instruction",
        FailureKind::Deadlock => "deadlock",
        FailureKind::Membermask => "membermask",
        FailureKind::NoEnd => "no-end-in-sight",
        FailureKind::Launch => "launch",
        FailureKind::Other => "kernel",
    }
}

/// Names the kernel's failure, as the end of a sentence about it.
pub(super) fn brief(f: &DeviceFailure) -> &'static str {
    match f.what {
        FailureKind::IllegalAddress => "accessed memory that is not its own",
        FailureKind::Misaligned => "accessed memory at an address that is not a multiple of the size",
        FailureKind::Trap => "executed a trap",
        FailureKind::Assert => "failed an assertion",
        FailureKind::Unsupported => "uses an instruction that the virtual GPU does not have",
        FailureKind::IllegalInstruction => "executed an illegal instruction",
        FailureKind::Deadlock => "cannot go on: the threads that are left wait, and nobody can release them",
        FailureKind::Membermask => "has lanes whose membermask does not name them",
        FailureKind::NoEnd => "was ended: it ran on without an end in sight",
        FailureKind::Launch => "could not be launched",
        FailureKind::Other => "failed",
    }
}

const GRID_HELP: &str = "every thread of every block must reach `grid.sync()`: none in code that only some enter, no early \
                         `return` before it";

const fn release(at: WaitsAt) -> &'static str {
    match at {
        WaitsAt::Block => {
            "every thread that a barrier counts must reach it: no `__syncthreads()` in code that only some threads \
             enter, no early `return` before a barrier with a count"
        }
        WaitsAt::Named => {
            "as many threads as a named barrier counts must come to it, by `bar.sync` or `bar.arrive`: all with the same id \
             and the same count"
        }
        WaitsAt::Cluster => {
            "every thread of all blocks of the cluster must reach `cluster.sync()`: none in code that only some enter"
        }
        WaitsAt::Lanes => {
            "every lane that the mask of a `_sync` intrinsic names must come to it: none in code that only some of them \
             enter"
        }
        WaitsAt::Mbarrier => {
            "a phase of an mbarrier ends when as many threads have arrived as it was initialised for, and all bytes that it \
             expects have come: check that count, the bytes (`expect_tx`), and the parity of the phase that is waited for"
        }
        WaitsAt::Spin => {
            "somebody must write what the loop waits for; blocks that wait for each other must all run at once, which a \
             cooperative launch ensures"
        }
        WaitsAt::Other => "",
    }
}

const fn help(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::IllegalAddress => {
            "check the index against the size; `if (i < n)` around it is often missing"
        }
        FailureKind::Misaligned => {
            "vector types (`float4`) and casts need addresses that are multiples of their size"
        }
        FailureKind::Membermask => {
            "every lane that executes a `_sync` intrinsic must be in the mask it passes, and all lanes of the mask \
             must pass the same one"
        }
        FailureKind::NoEnd => {
            "if the kernel is only slow, let it run on: `--max-instructions N`; if it waits, somebody must write \
             what it waits for"
        }
        FailureKind::Unsupported => "the verdict holds for all that ran before; the rest was not checked",
        _ => "",
    }
}

/// Device code that could not be run at all.
pub fn obstacle(o: &Obstacle) -> Failure {
    let failure = |class: &str, title: String, notes: Vec<String>, help: &str| Failure {
        class: class.into(),
        title,
        notes,
        help: help.into(),
        ..Failure::default()
    };
    match o {
        Obstacle::StrippedStatic { object } => failure(
            "stripped",
            format!("`{}` is stripped and holds the CUDA runtime inside", object.display()),
            vec![
                "warprace takes the runtime's place, and cannot find its functions without their names"
                    .into(),
            ],
            STRIPPED_HELP,
        ),
        Obstacle::NoPtx { object, images } => failure(
            "no-ptx",
            format!("`{}` has device code without PTX", object.display()),
            if images.is_empty() { vec![] } else { vec![format!("it holds only {}", images.join(", "))] },
            &no_ptx_help(images),
        ),
        Obstacle::BadFatbin { object, error } => failure(
            "bad-fatbin",
            format!("the device code of `{}` cannot be read", object.display()),
            vec![error.clone()],
            "the file is damaged or was made by something that is not nvcc; build it again",
        ),
        Obstacle::BadPtx { object, module, errors } => failure(
            "bad-ptx",
            match module.as_str() {
                "" => format!("PTX of `{}` cannot be read", object.display()),
                m => format!("PTX of `{}` (module {m}) cannot be read", object.display()),
            },
            errors.clone(),
            "if `ptxas` accepts this PTX, this is a bug of warprace",
        ),
        Obstacle::Unsupported { what } => failure("unsupported", what.clone(), vec![], ""),
    }
}

/// How to build with PTX.
pub const NO_PTX_HELP: &str = "build with PTX: nvcc's default has it; with -gencode, add \
                               `-gencode arch=compute_90,code=compute_90`";

/// [`NO_PTX_HELP`] for images such as `sm_90a cubin`. Code for an architecture's own instructions, such as
/// `sm_90a`, does not compile for the plain one.
pub fn no_ptx_help(images: &[String]) -> String {
    let own = |image: &String| {
        let target = image.split(' ').next()?.strip_prefix("sm_")?;
        target.ends_with(['a', 'f']).then(|| target.to_owned())
    };
    // PTX of which the chosen device can run none.
    let ptx = images.iter().rev().find_map(|image| image.strip_suffix(" PTX")?.strip_prefix("sm_"));
    if let Some(target) = ptx {
        let device = target.trim_end_matches(['a', 'f']);
        return format!(
            "the program has PTX for other devices only: run it with `--arch sm_{device}`, or build with \
             `-gencode arch=compute_N,code=compute_N` for the device that `--arch` names"
        );
    }
    let all: Vec<String> = images.iter().filter_map(own).collect();
    // The virtual GPU's own architecture comes first.
    let target = all.iter().find(|target| target.starts_with("90")).or(all.first());
    let target = target.map_or("90", String::as_str);
    NO_PTX_HELP.replace("compute_90", &format!("compute_{target}"))
}

pub const STRIPPED_HELP: &str =
    "do not strip the program (no `-s`, no `strip`), or link the runtime as a library: `nvcc -cudart shared`";
