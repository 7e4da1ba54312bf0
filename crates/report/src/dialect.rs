//! Advice in the words of the framework that a kernel is written in.
//!
//! Help texts name functions of CUDA C++. A kernel whose lines are of a Python file was compiled by Numba or by Triton; its author
//! writes other names for the same.

use crate::advice::{Group, Reach, Step};
use crate::model::Access;
use serde_json::Value;

/// A language of kernels, or of the calls that start them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Cuda,
    Numba,
    Triton,
    /// Calls of Python code, of any framework.
    PythonHost,
}

/// Names of CUDA C++, each with the dialect's. An earlier pair goes before a later one that is a part of it.
type Names = [(&'static str, &'static str)];

const NUMBA: &Names = &[
    ("`__syncthreads()`", "`cuda.syncthreads()`"),
    ("`__syncwarp()`", "`cuda.syncwarp()`"),
    ("`__threadfence_block()`", "`cuda.threadfence_block()`"),
    ("`__threadfence_system()`", "`cuda.threadfence_system()`"),
    ("`__threadfence()`", "`cuda.threadfence()`"),
    ("`grid.sync()`", "`cuda.cg.this_grid().sync()`"),
    (
        "(`atomicAdd_system`, `atomicExch_system`, or a relaxed `cuda::atomic_ref`)",
        "(`cuda.atomic.add`, `cuda.atomic.exch`)",
    ),
    (
        "(`atomicAdd`, `atomicExch`, or a relaxed `cuda::atomic_ref`)",
        "(`cuda.atomic.add`, `cuda.atomic.exch`)",
    ),
    ("(`if (threadIdx.x == 0)`)", "(`if cuda.threadIdx.x == 0:`)"),
    ("(`if (threadIdx.x % 32 == 0)`)", "(`if cuda.laneid == 0:`)"),
];

const TRITON: &Names = &[
    (
        "`__syncwarp()` between the two accesses, with a mask that names both lanes",
        "`tl.debug_barrier()` between the two accesses",
    ),
    ("`__syncwarp()`", "`tl.debug_barrier()`"),
    ("`__syncthreads()`", "`tl.debug_barrier()`"),
    ("`__threadfence_block()`", "`tl.atomic_*` with `sem=\"acq_rel\", scope=\"cta\"`"),
    ("`__threadfence_system()`", "`tl.atomic_*` with `sem=\"acq_rel\", scope=\"sys\"`"),
    ("`__threadfence()`", "`tl.atomic_*` with `sem=\"acq_rel\", scope=\"gpu\"`"),
    (
        "(`atomicAdd_system`, `atomicExch_system`, or a relaxed `cuda::atomic_ref`)",
        "(`tl.atomic_add`, `tl.atomic_xchg`, with `scope=\"sys\"`)",
    ),
    ("(`atomicAdd`, `atomicExch`, or a relaxed `cuda::atomic_ref`)", "(`tl.atomic_add`, `tl.atomic_xchg`)"),
    (
        "the plain functions, such as `atomicAdd`, or `cuda::thread_scope_device`",
        "`tl.atomic_*` with `scope=\"gpu\"`",
    ),
    (
        "the `_system` functions, such as `atomicAdd_system`, or `cuda::thread_scope_system`",
        "`tl.atomic_*` with `scope=\"sys\"`",
    ),
    ("`cuda::memory_order_release`", "`tl.atomic_xchg` and `sem=\"release\"`"),
    ("`cuda::memory_order_acquire`", "`tl.atomic_add` of 0 and `sem=\"acquire\"`"),
    ("`cudaGridDependencySynchronize()`", "`gdc_wait()`"),
    ("give each block its own elements", "give each program its own elements"),
    (
        "with a cooperative launch and `grid.sync()`",
        "with `launch_cooperative_grid=True` and a barrier of `tl.atomic_add`",
    ),
];

const HOST: &Names = &[
    (
        "`cudaEventRecord` after the first, `cudaStreamWaitEvent` before the second",
        "record an event after the first, and wait for it before the second (PyTorch: `stream.wait_stream`)",
    ),
    (
        "`cudaStreamSynchronize` or `cudaDeviceSynchronize`",
        "the stream's or the device's `synchronize` (PyTorch: `torch.cuda.synchronize()`)",
    ),
];

impl Dialect {
    /// The dialect of a finding's accesses.
    pub(crate) fn of(accesses: &[Access; 2]) -> Dialect {
        let python = |access: &&Access| access.file.ends_with(".py");
        match accesses.iter().find(|access| python(access) && access.block.is_some()) {
            // Numba's names carry types; Triton's are those of the functions.
            Some(access) if access.kernel.contains('(') => Dialect::Numba,
            Some(_) => Dialect::Triton,
            None if accesses.iter().any(|access| python(&access)) => Dialect::PythonHost,
            None => Dialect::Cuda,
        }
    }

    /// Returns whether Triton's compiler made accesses of this kind of memory: it moves operations through shared memory, of which
    /// only kernels of Gluon have their own.
    fn is_compiler_s(self, space: &str) -> bool {
        self == Dialect::Triton && space == "shared"
    }

    /// A reason, with what this dialect's authors do not see.
    pub(crate) fn reason(self, why: String, space: &str) -> String {
        match self.is_compiler_s(space) {
            true => format!("{why}; Triton's compiler made the accesses, for what the lines compute"),
            false => why,
        }
    }

    /// A help text in this dialect, for accesses of a kind of memory.
    pub(crate) fn advice(self, text: String, space: &str) -> String {
        let spoken = self.spoken(text);
        match self.is_compiler_s(space) {
            true => format!(
                "nothing in the lines themselves, whose accesses are the compiler's: report it to Triton, or suppress it; \
                 in a kernel of Gluon, {spoken}"
            ),
            false => spoken,
        }
    }

    /// Returns the code that a step inserts, as this dialect writes it; `None` for CUDA C++.
    fn inserted(self, step: &Step) -> Option<String> {
        let cuda = match step {
            Step::InsertBarrier { group: Group::Warp, .. } => "`__syncwarp()`",
            Step::InsertBarrier { group: Group::Block, .. } => "`__syncthreads()`",
            Step::InsertBarrier { group: Group::Grid, .. } => "`grid.sync()`",
            Step::InsertFence { reach: Reach::Block, .. } => "`__threadfence_block()`",
            Step::InsertFence { reach: Reach::Device, .. } => "`__threadfence()`",
            Step::InsertFence { reach: Reach::System, .. } => "`__threadfence_system()`",
            _ => return None,
        };
        let here = self.spoken(cuda.to_owned());
        (here != cuda).then(|| here.replace('`', ""))
    }

    /// Adds to each step of a way, as JSON, the code that it inserts, if that is not CUDA C++.
    pub(crate) fn write(self, steps: &[Step], way: &mut Value) {
        for (step, value) in steps.iter().zip(way.as_array_mut().into_iter().flatten()) {
            if let Some(code) = self.inserted(step) {
                value["text"] = code.into();
            }
        }
    }

    /// A help text in this dialect.
    pub(crate) fn spoken(self, text: String) -> String {
        let own: &Names = match self {
            Dialect::Cuda => return text,
            Dialect::Numba => NUMBA,
            Dialect::Triton => TRITON,
            Dialect::PythonHost => &[],
        };
        own.iter().chain(HOST).fold(text, |text, (cuda, here)| text.replace(cuda, here))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{Position, Role, Spot, TaskOrder, Way, help};

    fn said(step: Step, dialect: Dialect) -> String {
        dialect.spoken(help(&[Way { steps: vec![step] }]))
    }

    fn between() -> Position {
        let spot = |role| Spot { role, file: String::new(), line: 0, branch: 0, instruction: String::new() };
        Position::Between(spot(Role::First), spot(Role::Second))
    }

    #[test]
    fn triton_s_compiler_makes_what_is_in_shared_memory() {
        let why = |dialect: Dialect, space| dialect.reason("no barrier".into(), space);
        assert!(why(Dialect::Triton, "shared").starts_with("no barrier; Triton's compiler made"));
        assert_eq!([why(Dialect::Triton, "global"), why(Dialect::Numba, "shared")], ["no barrier"; 2]);
        let advice = |dialect: Dialect, space| dialect.advice("put a `__syncthreads()`".into(), space);
        assert!(advice(Dialect::Triton, "shared").starts_with("nothing in the lines themselves"));
        assert_eq!(advice(Dialect::Triton, "global"), "put a `tl.debug_barrier()`");
    }

    #[test]
    fn no_name_of_cuda_is_left_of_what_python_can_say() {
        let atomic = |reach| Step::MakeAtomic { reach, at: Vec::new() };
        let barrier = Step::InsertBarrier { group: Group::Block, at: between() };
        assert_eq!(Dialect::Numba.inserted(&barrier).as_deref(), Some("cuda.syncthreads()"));
        assert_eq!([Dialect::Cuda, Dialect::PythonHost].map(|other| other.inserted(&barrier)), [None, None]);
        assert!(said(barrier.clone(), Dialect::Triton).contains("put a `tl.debug_barrier()`"));
        assert!(said(barrier.clone(), Dialect::Numba).contains("put a `cuda.syncthreads()`"));
        assert!(said(barrier, Dialect::Cuda).contains("`__syncthreads()`"));
        for reach in [Reach::Device, Reach::System] {
            assert!(said(atomic(reach), Dialect::Triton).contains("`tl.atomic_add`"));
            assert!(said(atomic(reach), Dialect::Numba).contains("`cuda.atomic.add`"));
            for dialect in [Dialect::Triton, Dialect::Numba] {
                let fence = said(Step::InsertFence { reach, at: between() }, dialect);
                assert!(!fence.contains("__") && !said(atomic(reach), dialect).contains("::"), "{fence}");
            }
        }
        let event = said(Step::OrderTasks { by: TaskOrder::Event, at: between() }, Dialect::PythonHost);
        assert!(event.contains("wait_stream") && !event.contains("cudaEvent"), "{event}");
    }
}
