//! Finds the places that launch kernels, and the chains of calls that lead there.

use super::control_flow::Holds;
use super::ir::{Op, symbols};
use super::program::{At, Frame, LAUNCHES, Program};
use std::collections::BTreeMap;

/// The form of a launch.
#[derive(Clone, Debug)]
pub(super) enum How {
    /// A call of a stub after this configuration has succeeded.
    Stub { configuration: (usize, usize) },
    /// A call of a function of [`LAUNCHES`].
    Call { cooperative: bool },
}

#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) frame: Frame,
    pub(super) how: How,
    /// The host's name of the kernel, if it is launched by an address that may also be that of other kernels.
    pub(super) kernel: Option<String>,
}

/// Returns the launch sites by kernel (mangled, as in PTX); `None` if not all sites are known.
pub(super) fn sites(program: &Program<'_>) -> BTreeMap<String, Option<Vec<Site>>> {
    let mut found = BTreeMap::new();
    for module in &program.modules {
        for f in &module.functions {
            for inst in f.blocks.iter().flat_map(|b| &b.insts) {
                let Op::Call { callee: Some("__cudaRegisterFunction"), arguments, .. } = &inst.op else {
                    continue;
                };
                let (Some(host), Some(text)) = (arguments.get(1), arguments.get(2)) else { continue };
                let host = host.value.trim_start_matches('@');
                let device = symbols(text.value).first().and_then(|s| module.string(s));
                if let Some(device) = device {
                    found.insert(device, of_kernel(program, host));
                }
            }
        }
    }
    found
}

/// Kernels that are looked up by name.
pub(super) struct Named {
    names: Vec<String>,
    /// Some of the names are unknown.
    any: bool,
}

impl Named {
    pub(super) fn holds(&self, kernel: &str) -> bool {
        self.any || self.names.iter().any(|n| n == kernel)
    }
}

pub(super) fn named(program: &Program<'_>) -> Named {
    let mut named = Named { names: Vec::new(), any: false };
    for at in program.all() {
        for inst in program.function(at).blocks.iter().flat_map(|b| &b.insts) {
            let Op::Call { callee: Some(callee), arguments, .. } = &inst.op else { continue };
            match *callee {
                "cuModuleGetFunction" | "cuLibraryGetKernel" | "cudaLibraryGetKernel" => {
                    let symbol = arguments.get(2).and_then(|a| a.value.strip_prefix('@'));
                    match symbol.and_then(|s| program.modules[at.module].string(s)) {
                        Some(name) => named.names.push(name),
                        None => named.any = true,
                    }
                }
                "cuModuleEnumerateFunctions"
                | "cuLibraryEnumerateKernels"
                | "cudaLibraryEnumerateKernels" => {
                    named.any = true;
                }
                _ => {}
            }
        }
    }
    named
}

/// Returns whether a function queries or configures a kernel without launching it.
fn only_asks(callee: &str) -> bool {
    ["cudaFuncGetAttributes", "cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "__cudaRegisterFunction"]
        .contains(&callee)
        || callee.starts_with("cudaOccupancy")
        || callee == "cudaFuncSetSharedMemConfig"
}

/// Returns indirect calls of kernels, with their configurations.
fn indirect(program: &Program<'_>) -> Vec<Site> {
    let mut found = Vec::new();
    for at in program.all() {
        for (block, b) in program.function(at).blocks.iter().enumerate() {
            for (inst, i) in b.insts.iter().enumerate() {
                if let Op::Call { callee: None, through: Some(_), .. } = i.op {
                    let frame = Frame { at, block, inst };
                    let configuration = configuration(program, frame);
                    found.extend(configuration.map(|c| Site {
                        frame,
                        how: How::Stub { configuration: c },
                        kernel: None,
                    }));
                }
            }
        }
    }
    found
}

/// Returns whether an address is only selected among others and called.
fn only_called(program: &Program<'_>, at: At, result: &str, deep: u32) -> bool {
    let f = program.function(at);
    let uses = f.uses.get(result).into_iter().flatten();
    deep < 12
        && uses.map(|&(block, inst)| &f.blocks[block].insts[inst]).all(|i| match (&i.op, i.result) {
            (Op::Phi { .. } | Op::Select { .. }, Some(r)) => {
                r == result || only_called(program, at, r, deep + 1)
            }
            (Op::Compare { .. }, _) => true,
            (Op::Call { callee: None, through: Some(t), arguments, .. }, _) => {
                *t == result && arguments.iter().all(|a| a.value != result)
            }
            _ => false,
        })
}

fn of_kernel(program: &Program<'_>, host: &str) -> Option<Vec<Site>> {
    let own = program.all().map(|at| program.function(at)).find(|f| f.name == host);
    let texts = own.into_iter().flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts)).map(|i| i.text);
    let stub = texts.flat_map(symbols).find(|s| s.contains("__device_stub_"));
    let is_it = |s: &str| s == host || Some(s) == stub;
    let mut found = Vec::new();
    let mut by_address = false;
    for at in program.all() {
        let f = program.function(at);
        if is_it(f.name) {
            continue;
        }
        for (block, b) in f.blocks.iter().enumerate() {
            for (inst, i) in b.insts.iter().enumerate() {
                if !symbols(i.text).iter().any(|s| is_it(s)) {
                    continue;
                }
                let frame = Frame { at, block, inst };
                if let (Op::Phi { .. } | Op::Select { .. }, Some(result)) = (&i.op, i.result)
                    && only_called(program, at, result, 0)
                {
                    by_address = true;
                    continue;
                }
                let Op::Call { callee: Some(callee), arguments, .. } = &i.op else { return None };
                let passed = arguments.iter().any(|a| symbols(a.value).iter().any(|s| is_it(s)));
                match passed {
                    false if is_it(callee) => {
                        let configuration = configuration(program, frame)?;
                        found.push(Site { frame, how: How::Stub { configuration }, kernel: None });
                    }
                    true if only_asks(callee) => {}
                    true if LAUNCHES.contains(callee) && arguments.len() == 8 => {
                        let cooperative = callee.contains("Cooperative");
                        found.push(Site { frame, how: How::Call { cooperative }, kernel: None });
                    }
                    _ => return None,
                }
            }
        }
    }
    // Tables may contain the address of the function.
    let tables = program.modules.iter().flat_map(|m| m.globals.iter());
    let in_table = tables
        .filter(|(name, _)| !name.starts_with("llvm."))
        .any(|(_, text)| symbols(text).iter().any(|s| is_it(s)));
    if by_address {
        found.extend(indirect(program).into_iter().map(|s| Site { kernel: Some(host.to_owned()), ..s }));
    }
    (!in_table).then_some(found)
}

/// Returns the configuration that must have succeeded where a stub is called.
fn configuration(program: &Program<'_>, frame: Frame) -> Option<(usize, usize)> {
    let (f, flow) = (program.function(frame.at), program.flow(frame.at));
    // The nearest condition comes first.
    for (condition, holds) in flow.conditions(f, frame.block) {
        let Holds::Is(is) = holds else { continue };
        let Some(Op::Compare { test, a, b: "0", .. }) = f.definition(condition) else { continue };
        let Some(&(block, inst)) = f.defs.get(a) else { continue };
        if let Op::Call { callee: Some("__cudaPushCallConfiguration"), .. } = f.blocks[block].insts[inst].op {
            return ((*test == "eq") == is && matches!(*test, "eq" | "ne")).then_some((block, inst));
        }
    }
    None
}

/// Limits the number of call chains to one launch, and their length.
const MOST_CHAINS: usize = 64;
const MOST_DEEP: usize = 6;

/// Returns the call chains to a launch, the outermost call first. A chain that does not begin in `main` may
/// get any arguments.
pub(super) fn chains(program: &Program<'_>, site: Frame) -> Vec<Vec<Frame>> {
    let mut done = Vec::new();
    let mut work = vec![vec![site]];
    while let Some(chain) = work.pop() {
        let first: At = chain[0].at;
        let main = program.function(first).name == "main";
        let again = chain[1..].iter().any(|f| f.at == first);
        let many = done.len() + work.len() > MOST_CHAINS || chain.len() > MOST_DEEP || again;
        match program.callers(first).filter(|_| !main && !many) {
            Some(callers) if callers.is_empty() && program.whole => {}
            Some(callers) if !callers.is_empty() && (program.whole || program.function(first).internal) => {
                work.extend(callers.into_iter().map(|c| [vec![c], chain.clone()].concat()));
            }
            _ => done.push(chain),
        }
    }
    done
}
