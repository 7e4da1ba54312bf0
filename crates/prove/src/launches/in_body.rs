//! Accesses of one launch that take part in no race, named by their lines in the kernel's body.
//!
//! Kernels with checks leave these checks out on a GPU, where nothing sees whether an access leaves its array: accesses of
//! global memory count only if all of the launch's are proved to stay in their arrays.

use crate::answer::Prover;
use crate::facts::spread::Spread;
use events::ObservedLaunch;
use std::sync::Arc;

/// Lines of loads and stores, counted from the line in which the kernel's body begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InBody {
    /// Accesses of shared memory.
    pub shared: Vec<u32>,
    /// Accesses of global memory, with which only other launches and the host can race.
    pub global: Vec<u32>,
}

impl Prover<'_> {
    /// Returns the weak loads and stores that race with nothing in this launch, for all contents of memory
    /// ([`Prover::apart`]).
    pub fn apart_in_body(
        &self,
        kernel: usize,
        launch: &Arc<ObservedLaunch>,
        volatile_weak: bool,
        stop: &dyn Fn() -> bool,
    ) -> InBody {
        let free = self.apart(kernel, launch, &Spread::default(), volatile_weak, stop);
        let function = &self.linked.functions[self.linked.kernels[kernel].function];
        let Some(body) = &function.flat.function.body else { return InBody::default() };
        let first = self.line(kernel, body.span.start);
        let behind = |line: u32| line.checked_sub(first);
        let is_inside = free.global.values().all(|access| access.is_inside);
        let global = free.global.iter().filter(|(_, access)| is_inside && access.proved);
        InBody {
            shared: free.shared.iter().filter_map(|&line| behind(line)).collect(),
            global: global.filter_map(|(&line, _)| behind(line)).collect(),
        }
    }
}
