//! Saves kernels of graphs.

use super::{Function, ImageId, Launch, State};
use crate::graphs::{self, Graph, Graphs, Kernel};
use names::symbol;
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::Arc;

/// A kernel of a graph that is being launched, which is to be saved.
pub(crate) struct PickedNode {
    /// The index of its node in the graph.
    pub(crate) at: usize,
    kernel: Kernel,
    name: String,
    image: ImageId,
    path: PathBuf,
}

impl State {
    pub(crate) fn graphs(&mut self) -> &mut Graphs {
        &mut self.graphs
    }

    /// Records that a kernel became part of a graph.
    pub(super) fn in_graph(&mut self, name: &str) {
        if self.saves() && !self.graphs.kernels.contains(name) {
            self.graphs.kernels.insert(name.to_owned());
        }
    }

    /// Records a reason for all kernels of graphs, since it is unknown which of them a graph launches.
    pub(crate) fn graphs_not_saved(&mut self, why: &str) {
        if self.only_saves() {
            for kernel in self.graphs.kernels.clone() {
                self.not_saved(&kernel, why);
            }
        }
    }

    /// Returns a graph that is being launched and those of its kernels that are to be saved, in the order in
    /// which they begin.
    pub(crate) fn graph_launched(&mut self, made: usize) -> Option<(Arc<Graph>, Vec<PickedNode>)> {
        let (graph, counts) = match self.graphs.launched(made) {
            Ok(known) => known,
            Err(why) => {
                self.graphs_not_saved(why);
                return None;
            }
        };
        if graph.has_inner() {
            self.graphs_not_saved(graphs::INNER);
        }
        let mut picked = Vec::new();
        for at in 0..graph.nodes.len() {
            let Some(known) = graph.kernel(at) else { continue };
            let (kernel, name, image) = match known.and_then(|kernel| Ok((kernel, self.node_of(kernel)?))) {
                Ok((kernel, (name, image))) => (kernel, name, image),
                Err(why) => {
                    let name =
                        graph.nodes[at].kernel.as_ref().and_then(|kernel| kernel.as_ref().ok()?.name.clone());
                    match name {
                        Some(name) if self.only_saves() && self.is_wanted(&name) => {
                            self.not_saved(&name, why)
                        }
                        Some(_) => {}
                        None => self.graphs_not_saved(why),
                    }
                    continue;
                }
            };
            let is_saved = self.is_saved(&name, image);
            if counts {
                let blocks: u64 = kernel.grid.iter().map(|&n| u64::from(n)).product();
                let threads = kernel.block.iter().fold(blocks, |all, &n| all.saturating_mul(n.into()));
                self.count(
                    &name,
                    &Launch { function: kernel.function, blocks, threads, call: None },
                    is_saved,
                );
            }
            if !is_saved {
                continue;
            }
            let label = format!("{}-{}", self.report.result.counters.launches, self.graphs.picked + 1);
            if let Some(path) = self.picked(&name, (kernel.grid, kernel.block), &label) {
                self.graphs.picked += 1;
                picked.push(PickedNode { at, kernel: kernel.clone(), name, image, path });
            }
        }
        (!picked.is_empty()).then_some((graph, picked))
    }

    /// Returns the name and image of a node's kernel, and remembers them by its handle.
    fn node_of(&mut self, kernel: &Kernel) -> Result<(String, ImageId), &'static str> {
        let (name, image) = self.kernel_of(kernel)?;
        let known = Function { name: name.clone(), image: Some(image), launched: None };
        self.modules.functions.entry(kernel.function).and_modify(|old| *old = known.clone()).or_insert(known);
        Ok((name, image))
    }

    /// Returns the name and image of a node's kernel.
    pub(super) fn kernel_of(&self, kernel: &Kernel) -> Result<(String, ImageId), &'static str> {
        let is_it = |known: &&Function| kernel.name.as_ref().is_none_or(|name| known.name == *name);
        if let Some(Function { name, image: Some(image), .. }) =
            self.modules.functions.get(&kernel.function).filter(is_it)
        {
            return Ok((name.clone(), *image));
        }
        // Graph nodes may have function handles that the program never saw.
        const UNKNOWN: &str = "which kernel its graph launches is not known";
        let name = kernel.name.as_ref().ok_or(UNKNOWN)?;
        let mut images = self.modules.functions.values().filter(|f| f.name == *name).filter_map(|f| f.image);
        let image = images.next().ok_or(UNKNOWN)?;
        if images.any(|other| other != image) {
            return Err("its graph launches one of several kernels with its name");
        }
        Ok((name.clone(), image))
    }

    /// Saves a kernel of a graph that is about to begin.
    pub(crate) fn save_node(&mut self, node: &PickedNode, stream: *mut c_void) {
        let mut pointers = node.kernel.pointers();
        let call = node.kernel.call(stream, &mut pointers);
        let which = format!("a launch of `{}` in a graph", symbol::short(&node.name));
        self.save(node.kernel.function, (&node.name, &which), node.image, call, node.path.clone());
    }

    /// Records why a kernel of a graph is not saved.
    pub(crate) fn node_not_saved(&mut self, node: &PickedNode, why: &str) {
        let which = format!("a launch of `{}` in a graph", symbol::short(&node.name));
        self.unsaved(&node.name, &which, why);
    }
}
