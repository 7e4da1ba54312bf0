//! Checks of calls that need no virtual GPU: numbers that name something, memory that exists, sizes that fit.

use super::error::{Error, damaged};
use super::{
    Arguments, Call, Early, Fill, Header, Kernel, MemoryKind, Module, Node, NodeKind, Shape, Side, Step,
};
use crate::{HIGHEST, MOST_DEVICES};
use std::collections::{BTreeMap, BTreeSet};

/// Limits how deep graphs lie within graphs.
const DEEPEST: u32 = 16;
/// The largest parameter space.
const MOST_PARAMETERS: usize = 1 << 16;

/// What the calls so far have made.
pub(super) struct Checked {
    devices: u32,
    /// The ends of the memory that exists, by its beginning.
    memory: BTreeMap<u64, u64>,
    /// The memory of graphs, which stays when it is freed in a stream's order.
    of_graphs: BTreeSet<u64>,
    /// The handles for conditional nodes.
    conditions: BTreeSet<u64>,
    modules: BTreeSet<u32>,
    addresses: u64,
    most_addresses: u64,
}

impl Checked {
    pub(super) fn new(header: &Header, most_addresses: u64) -> Result<Checked, Error> {
        if header.devices == 0 || header.devices > MOST_DEVICES {
            return Err(damaged(format!("{} devices", header.devices)));
        }
        let (memory, of_graphs, conditions, modules) = Default::default();
        let (devices, addresses) = (header.devices, 0);
        Ok(Checked { devices, memory, of_graphs, conditions, modules, addresses, most_addresses })
    }

    /// Checks the next call. `texts` and `sites` are the numbers of those that precede it.
    pub(super) fn call(&mut self, call: &Call, texts: usize, sites: usize) -> Result<(), Error> {
        if call.device >= self.devices {
            return Err(damaged(format!("device {} of {}", call.device, self.devices)));
        }
        if call.site.is_some_and(|site| site as usize >= sites) {
            return Err(damaged("a call has no source position"));
        }
        let bytes = call.bytes.len() as u64;
        match &call.step {
            Step::Allocated { base, bytes, kind, .. } => {
                match kind {
                    MemoryKind::Graph => self.of_graphs.insert(*base),
                    _ => self.of_graphs.remove(base),
                };
                self.allocated(*base, *bytes)
            }
            Step::Freed { base, stream: Some(_) } if self.of_graphs.contains(base) => Ok(()),
            Step::Freed { base, .. } => self.freed(*base),
            Step::Condition { handle, .. } => {
                self.conditions.insert(*handle);
                Ok(())
            }
            Step::Peer { peer, .. } if *peer >= self.devices => Err(damaged(format!("device {peer}"))),
            Step::Module(module) => self.module(module, texts),
            Step::Launched { kernel, .. } => self.kernel(kernel),
            Step::Copied { to, from, shape, .. } => copy(*to, *from, *shape, Some(bytes)),
            Step::Filled { fill, .. } => fills(fill),
            Step::Graph { nodes, .. } => self.graph(nodes, 0),
            Step::Image(object) => match object.memory() {
                Some((base, bytes)) if self.holds(base, bytes) => Ok(()),
                _ => {
                    Err(damaged(format!("the texture or surface {:#x} is not in its memory", object.handle)))
                }
            },
            Step::Contents { at, .. } if !self.holds(*at, bytes) => {
                Err(damaged(format!("contents at {at:#x} are not in their memory")))
            }
            _ => Ok(()),
        }
    }

    fn holds(&self, base: u64, bytes: u64) -> bool {
        let last = self.memory.range(..=base).next_back();
        last.is_some_and(|(_, end)| base < *end && bytes <= end - base)
    }

    fn allocated(&mut self, base: u64, bytes: u64) -> Result<(), Error> {
        let end = base.checked_add(bytes).filter(|&end| base > 0 && bytes > 0 && end <= HIGHEST);
        let free = |end: &u64| self.memory.range(..end).next_back().is_none_or(|(_, last)| *last <= base);
        let Some(end) = end.filter(free) else {
            return Err(damaged(format!("{bytes} bytes of memory at {base:#x} cannot be there")));
        };
        self.addresses += bytes;
        if self.addresses > self.most_addresses {
            return Err(Error::TooLarge(format!("more than {} bytes of memory", self.most_addresses)));
        }
        self.memory.insert(base, end);
        Ok(())
    }

    fn freed(&mut self, base: u64) -> Result<(), Error> {
        let Some(end) = self.memory.remove(&base) else {
            return Err(damaged(format!("there is no memory to be freed at {base:#x}")));
        };
        self.addresses -= end - base;
        Ok(())
    }

    fn module(&mut self, module: &Module, texts: usize) -> Result<(), Error> {
        if module.texts.iter().any(|text| *text as usize >= texts) {
            return Err(damaged("a module has no text"));
        }
        for variable in &module.variables {
            self.allocated(variable.address, variable.bytes)?;
        }
        self.modules.insert(module.module);
        Ok(())
    }

    fn kernel(&self, kernel: &Kernel) -> Result<(), Error> {
        let extents = [Some(kernel.grid), Some(kernel.block), kernel.cluster];
        if extents.iter().flatten().any(|d| d.x == 0 || d.y == 0 || d.z == 0) {
            return Err(damaged("an extent of a launch is zero"));
        }
        let parameters = match &kernel.arguments {
            Arguments::Each(each) => each.iter().map(Vec::len).sum(),
            Arguments::Packed(all) => all.len(),
        };
        if parameters > MOST_PARAMETERS {
            return Err(damaged("the parameters of a launch are too long"));
        }
        match self.modules.contains(&kernel.module) {
            true => Ok(()),
            false => Err(damaged(format!("there is no module {}", kernel.module))),
        }
    }

    fn graph(&self, nodes: &[Node], depth: u32) -> Result<(), Error> {
        if depth > DEEPEST {
            return Err(Error::TooLarge("graphs within graphs".into()));
        }
        for (at, node) in nodes.iter().enumerate() {
            if node.after.iter().any(|before| *before as usize >= at) {
                return Err(damaged("a node is before one that it depends on"));
            }
            let kernel =
                |at: u32| nodes.get(at as usize).is_some_and(|n| matches!(n.kind, NodeKind::Kernel(_)));
            let is_one = |early: &Early| node.after.contains(&early.from) && kernel(early.from);
            if !node.early.iter().all(is_one) || (!node.early.is_empty() && !kernel(at as u32)) {
                return Err(damaged("a programmatic edge is not between kernels"));
            }
            match &node.kind {
                NodeKind::Kernel(kernel) => self.kernel(kernel)?,
                NodeKind::Copy { to, from, shape } => copy(*to, *from, *shape, None)?,
                NodeKind::Fill(fill) => fills(fill)?,
                NodeKind::Child(nodes) => self.graph(nodes, depth + 1)?,
                NodeKind::Allocate { at, bytes }
                    if !self.of_graphs.contains(at) || !self.holds(*at, *bytes) =>
                {
                    return Err(damaged(format!("a graph has no memory at {at:#x}")));
                }
                NodeKind::Free { at } if !self.of_graphs.contains(at) => {
                    return Err(damaged(format!("a graph frees no memory at {at:#x}")));
                }
                NodeKind::Conditional(of) => {
                    if !self.conditions.contains(&of.handle) {
                        return Err(damaged("a conditional node has no handle"));
                    }
                    of.bodies.iter().try_for_each(|body| self.graph(body, depth + 1))?;
                }
                NodeKind::Empty
                | NodeKind::Allocate { .. }
                | NodeKind::Free { .. }
                | NodeKind::HostFunction(_)
                | NodeKind::EventRecord { .. }
                | NodeKind::EventWait { .. } => {}
            }
        }
        Ok(())
    }
}

/// Checks a copy. `bytes` are those that come with it, if they are known.
fn copy(to: Side, from: Side, shape: Shape, bytes: Option<u64>) -> Result<(), Error> {
    let span = |side: Side| match side {
        Side::Host => Some(0),
        Side::Memory { at, row, slice } => {
            let rows = shape.height.checked_sub(1)?.checked_mul(row)?;
            let slices = shape.depth.checked_sub(1)?.checked_mul(slice)?;
            at.checked_add(slices)?.checked_add(rows)?.checked_add(shape.width)
        }
    };
    let hosts = to == Side::Host && from == Side::Host;
    let all = shape.bytes().filter(|bytes| (1..=HIGHEST).contains(bytes) && !hosts);
    let (Some(all), Some(_), Some(_)) = (all, span(to), span(from)) else {
        return Err(damaged("a copy of no shape"));
    };
    let given = if from == Side::Host { all } else { 0 };
    match bytes.is_none_or(|bytes| bytes == given) {
        true => Ok(()),
        false => Err(damaged(format!("a copy of {given} bytes comes with others"))),
    }
}

fn fills(fill: &Fill) -> Result<(), Error> {
    let all = fill.width.checked_mul(fill.height).filter(|bytes| (1..=HIGHEST).contains(bytes));
    let last = fill.height.checked_sub(1).and_then(|rows| rows.checked_mul(fill.row));
    let whole = matches!(fill.element, 1 | 2 | 4) && fill.width.is_multiple_of(fill.element.into());
    match all.is_some() && last.is_some_and(|last| last <= HIGHEST) && whole {
        true => Ok(()),
        false => Err(damaged("a memset of no shape")),
    }
}

impl MemoryKind {
    /// Returns whether host and device share the memory.
    pub fn is_shared(self) -> bool {
        matches!(self, MemoryKind::Managed | MemoryKind::Pinned | MemoryKind::Registered)
    }
}
