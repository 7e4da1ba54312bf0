//! Executable graphs of a session.

use super::memory::{self, Buffer};
use super::{Failed, Player, fill_of, packed, shape_of, unfit};
use crate::abi::types::copy_kind;
use crate::call::Call;
use crate::context::graphs::Kind;
use crate::context::{State, Work};
use crate::submit::copy::{self, End};
use crate::submit::{fill, graph};
use snapshot::session::{self, NodeKind, Side};

/// An executable graph, and the pageable memory that its copies read or write.
pub(super) struct Made {
    exec: usize,
    /// The buffers in the order of the copies; those that are read get new bytes at each launch.
    buffers: Vec<(Buffer, bool)>,
}

impl Made {
    /// Destroys the executable graph, whose launches are ordered before those of the one that it was changed to be.
    pub(super) fn replaced(self, by: &Made, state: &mut State) {
        let last = state.graphs.exec(self.exec).map(|exec| exec.last.clone());
        if let (Ok(last), Ok(exec)) = (last, state.graphs.exec_mut(by.exec)) {
            exec.last = last;
        }
        self.destroy(state);
    }

    /// Destroys the executable graph. Its buffers stay, since launches of it may still run.
    pub(super) fn destroy(self, state: &mut State) {
        // A graph that does not exist any more needs no destruction.
        let _ = state.graphs.destroy_exec(self.exec);
        std::mem::forget(self.buffers);
    }
}

impl Player {
    /// Makes an executable graph.
    pub(super) fn graph(&self, call: &Call, nodes: &session::Graph) -> Result<Made, Failed> {
        let mut buffers = Vec::new();
        let (graph, disabled) = self.fill(call, nodes, &mut buffers)?;
        let mut state = call.state()?;
        let exec = state.instantiate(graph, 0)?;
        for node in disabled {
            state.graphs.exec_mut(exec)?.step_mut(node)?.enabled = false;
        }
        state.graphs.destroy(graph)?;
        Ok(Made { exec, buffers })
    }

    /// Returns a graph of nodes, and which of these are switched off.
    fn fill(
        &self,
        call: &Call,
        nodes: &session::Graph,
        buffers: &mut Vec<(Buffer, bool)>,
    ) -> Result<(usize, Vec<usize>), Failed> {
        let graph = call.state()?.graphs.create();
        let (mut made, mut disabled) = (Vec::new(), Vec::new());
        for node in nodes {
            let kind = self.node(call, &node.kind, buffers)?;
            let after: Vec<usize> = node.after.iter().map(|before| made[*before as usize]).collect();
            let handle = call.state()?.graphs.add(graph, &after, kind, call.device)?;
            made.push(handle);
            disabled.extend((!node.enabled).then_some(handle));
        }
        Ok((graph, disabled))
    }

    fn node(&self, call: &Call, kind: &NodeKind, buffers: &mut Vec<(Buffer, bool)>) -> Result<Kind, Failed> {
        Ok(match kind {
            NodeKind::Empty => Kind::Empty,
            NodeKind::Kernel(kernel) => Kind::Work(Work::Kernel(Box::new(self.kernel(kernel, false)?))),
            NodeKind::Copy { to, from, shape } => {
                let shape = shape_of(*shape)?;
                let mut end = |side, read| {
                    let state = call.state()?;
                    Ok::<End, Failed>(match side {
                        Side::Memory { at, row, slice } => memory::end(&state, at, row, slice)?,
                        Side::Host => {
                            let own = Buffer::new(&state, packed(shape)?)?;
                            let pointer = own.address();
                            buffers.push((own, read));
                            End { pointer, pitch: shape.packed() }
                        }
                    })
                };
                let (to, from) = (end(*to, false)?, end(*from, true)?);
                let work = copy::prepare(&*call.state()?, to, from, shape, copy_kind::DEFAULT)?;
                Kind::Work(Work::Copy(Box::new(work)))
            }
            NodeKind::Fill(recorded) => {
                let (at, pitch, shape, element) = fill_of(recorded)?;
                let state = call.state()?;
                let (value, size) = (element.value, element.size);
                Kind::Work(Work::Fill(fill::prepare(&state, at as *mut _, pitch, shape, value, size)?))
            }
            NodeKind::HostFunction(number) => Kind::Work(Work::HostFunction(self.functions.work(*number))),
            NodeKind::EventRecord { event } => match self.events.get(event) {
                Some(made) => Kind::EventRecord(*made),
                None => return Err(unfit("an event of its graph was not recorded")),
            },
            NodeKind::EventWait { event } => match self.events.get(event) {
                Some(made) => Kind::EventWait(*made),
                None => Kind::Empty,
            },
            NodeKind::Child(nodes) => {
                let (child, disabled) = self.fill(call, nodes, buffers)?;
                if !disabled.is_empty() {
                    return Err(unfit("a node of a graph within its graph is switched off"));
                }
                let mut state = call.state()?;
                let inner = state.graphs.graph(child)?.clone();
                state.graphs.destroy(child)?;
                Kind::Child(Box::new(inner))
            }
        })
    }

    /// Launches an executable graph, whose copies read `bytes` of the host.
    pub(super) fn launch_graph(
        &mut self,
        call: &Call,
        graph: u64,
        stream: u64,
        bytes: &[u8],
    ) -> Result<(), Failed> {
        let stream = self.stream(stream)?;
        let made = self.graphs.get_mut(&graph).ok_or_else(|| unfit("its graph was not recorded"))?;
        let mut state = call.state()?;
        if !bytes.is_empty() {
            // An earlier launch may still read the buffers.
            state = call.runtime.wait_until(state, State::is_settled);
            let mut left = bytes;
            for (buffer, _) in made.buffers.iter_mut().filter(|(_, read)| *read) {
                let (own, rest) = left.split_at(left.len().min(buffer.bytes()));
                buffer.write(own);
                left = rest;
            }
        }
        let (stream, _) = call.stream(&mut state, stream)?;
        Ok(graph::launch(call, state, made.exec, stream)?)
    }
}
