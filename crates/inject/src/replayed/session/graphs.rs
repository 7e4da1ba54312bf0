//! Executable graphs of a session.

use super::memory::{self, Buffer};
use super::{Failed, Player, fill_of, packed, shape_of, unfit};
use crate::abi::types::copy_kind;
use crate::call::Call;
use crate::context::graphs::{Condition, Conditional, Kind, Port};
use crate::context::{MemoryKind, Request, Runtime, State, Work};
use crate::replayed::Error;
use crate::submit::copy::{self, End};
use crate::submit::{fill, graph};
use events::task::HostCall;
use snapshot::session::{self, NodeKind, Side};

/// The cell of a handle for conditional nodes.
pub(super) struct Cell {
    pub(super) at: u64,
    /// The first value, and whether each launch sets it again.
    pub(super) of: (u32, bool),
}

impl Cell {
    /// Makes a cell with a value, and with whether each launch sets it again.
    pub(super) fn new(
        runtime: &Runtime,
        state: &mut State,
        device: u32,
        of: (u32, bool),
    ) -> Result<Cell, Error> {
        let bytes = runtime.backend.condition(of.0);
        let request = Request::new(bytes.len() as u64, MemoryKind::Device, device, HostCall::default());
        let at = runtime.allocate(state, request).map_err(Error::Cuda)?;
        runtime.backend.write(at, &bytes).map_err(|_| Error::Memory(at))?;
        Ok(Cell { at, of })
    }
}

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
        let mut disabled = Vec::new();
        self.add(call, (graph, nodes), buffers, &mut disabled)?;
        Ok((graph, disabled))
    }

    /// Adds nodes to an empty graph, and those that are switched off to a list.
    fn add(
        &self,
        call: &Call,
        (graph, nodes): (usize, &session::Graph),
        buffers: &mut Vec<(Buffer, bool)>,
        disabled: &mut Vec<usize>,
    ) -> Result<(), Failed> {
        let mut made: Vec<usize> = Vec::new();
        for node in nodes {
            let kind = match &node.kind {
                NodeKind::Conditional(of) => self.conditional(call, (graph, of), buffers, disabled)?,
                kind => self.node(call, kind, buffers)?,
            };
            let is_early = |before: &&u32| node.early.iter().any(|early| early.from == **before);
            let full = node.after.iter().filter(|before| !is_early(before));
            let after: Vec<usize> = full.map(|before| made[*before as usize]).collect();
            let mut state = call.state()?;
            let handle = state.graphs.add(graph, &after, kind, call.device)?;
            for early in &node.early {
                let port = if early.begun { Port::Begun } else { Port::Triggered };
                state.graphs.connect(graph, made[early.from as usize], handle, Some(port))?;
            }
            made.push(handle);
            disabled.extend((!node.enabled).then_some(handle));
        }
        Ok(())
    }

    /// Makes a conditional node of a graph, with its bodies.
    fn conditional(
        &self,
        call: &Call,
        (graph, of): (usize, &session::Conditional),
        buffers: &mut Vec<(Buffer, bool)>,
        disabled: &mut Vec<usize>,
    ) -> Result<Kind, Failed> {
        let cell = self.conditions.get(&of.handle).ok_or_else(|| unfit("its condition was not recorded"))?;
        let mut state = call.state()?;
        let (value, resets) = cell.of;
        state.graphs.add_cell(graph, cell.at, resets.then_some(value));
        let (bodies, _) = state.graphs.bodies(of.bodies.len());
        drop(state);
        for (body, nodes) in bodies.iter().zip(&of.bodies) {
            self.add(call, (*body, nodes), buffers, disabled)?;
        }
        let condition = match of.condition {
            session::Condition::If => Condition::If,
            session::Condition::While => Condition::While,
            session::Condition::Switch => Condition::Switch,
        };
        Ok(Kind::Conditional(Conditional { cell: cell.at, condition, bodies }))
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
            &NodeKind::Allocate { at, bytes } => Kind::Work(Work::Allocate { address: at, bytes }),
            &NodeKind::Free { at } => Kind::Work(Work::Free { address: at }),
            NodeKind::Conditional(_) => return Err(unfit("a conditional node is where none may be")),
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
