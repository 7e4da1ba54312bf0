//! Constants that kernels may read while the host writes them (`cudaMemcpyToSymbolAsync`).
//!
//! A stand-in before a launch checks the variables that the kernel's code names, as a copy is checked
//! ([`super::ranges`]). These are *possible* accesses ([`protocol::Check::maybe`]): the kernel may not come to them.

use super::State;
use super::modules::ImageId;
use super::ranges::Looks;
use crate::{callers, capture, streams};
use events::task::HostCall;
use instrument::constants::Constant;
use names::symbol;
use std::collections::HashMap;
use std::ffi::c_void;

/// A variable of a kernel's module: its address, its bytes, and the check of the kernel's reads.
type Known = (u64, u64, u32);

#[derive(Debug, Default)]
pub(super) struct Constants {
    /// The constants that kernels of an image may read, by the kernel's name.
    by_kernel: HashMap<(ImageId, String), Vec<Constant>>,
    /// Those of a kernel, by its handle.
    known: HashMap<usize, Vec<Known>>,
}

impl Constants {
    /// Forgets a handle, which the driver has given to another kernel.
    pub(super) fn forget(&mut self, handle: usize) {
        self.known.remove(&handle);
    }
}

impl State {
    /// Records which constants the kernels of an image may read.
    pub(super) fn has_constants(&mut self, image: ImageId, all: Vec<(String, Vec<Constant>)>) {
        for (kernel, constants) in all {
            self.constants.by_kernel.insert((image, kernel), constants);
        }
    }

    /// Returns what stands for a kernel's reads of constants, before its launch in a stream.
    pub(crate) fn constant_reads(&mut self, function: usize, stream: *mut c_void) -> Vec<Looks> {
        if self.constants.by_kernel.is_empty() || !self.order.has_streams() {
            return Vec::new();
        }
        let known = self.constants_of(function);
        let key = streams::seen(&mut self.order, stream);
        let Some(range) = self.range_kernel(key).filter(|_| !known.is_empty()) else { return Vec::new() };
        let Some(told) = self.order.called(key).filter(|_| self.has_table(key)) else { return Vec::new() };
        let told = self.with_table(told, key);
        let look = |&(address, bytes, check): &Known| Looks::at(range, (address, bytes, false), check, &told);
        known.iter().map(look).collect()
    }

    /// Returns the constants of a kernel. The checks have the line of its first launch.
    fn constants_of(&mut self, function: usize) -> Vec<Known> {
        if let Some(known) = self.constants.known.get(&function) {
            return known.clone();
        }
        let known = self.modules.functions.get(&function);
        let of = known.and_then(|known| Some((known.image?, known.name.clone())));
        let constants = of.as_ref().and_then(|of| self.constants.by_kernel.get(of)).cloned();
        let kernel = of.map(|(_, name)| symbol::short(&name)).unwrap_or_default();
        let module = capture::module(function as *mut c_void);
        let mut out = Vec::new();
        for constant in constants.into_iter().flatten() {
            let Some(address) = capture::variable(module, &constant.name) else { continue };
            let sites = &mut self.report.result.sites;
            let check = self.checks.possible(false, 4, || {
                let site = callers::site(&callers::callers()).map(|site| sites.push(site));
                let variable = symbol::variable(&constant.name);
                HostCall { api: format!("{kernel} reading constant {variable}"), site, within: None }
            });
            out.extend(check.map(|check| (address, constant.bytes, check)));
        }
        self.report.dirty |= !out.is_empty();
        self.constants.known.insert(function, out.clone());
        out
    }
}
