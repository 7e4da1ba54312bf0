//! The driver's descriptions of a graph's nodes other than kernels.

use super::{Find, Made};
use crate::call::call;
use crate::graphs::Memset;
use crate::graphs::{self, Graph as Read};
use crate::hooks::{Code, SUCCESS};
use crate::images::Copy3d;
use crate::session::Recorder;
use crate::session::functions::number;
use snapshot::session::{Condition, Conditional, Fill, MemoryKind, NodeKind, Side};
use std::ffi::{c_int, c_void};
use std::io;

type Handle = *mut c_void;

/// Numbers of `CUgraphNodeType`.
const COPY: c_int = 1;
const SET: c_int = 2;
const HOST: c_int = 3;
const CHILD: c_int = 4;
const EMPTY: c_int = 5;
const EVENT_WAIT: c_int = 6;
const EVENT_RECORD: c_int = 7;
const ALLOCATION: c_int = 10;
const FREE: c_int = 11;
pub(crate) const CONDITIONAL: c_int = 13;

/// A conditional node as the driver was asked for it: `CUDA_CONDITIONAL_NODE_PARAMS` without its context.
#[derive(Clone)]
pub(crate) struct Branches {
    pub(crate) handle: u64,
    /// `CUgraphConditionalNodeType`
    pub(crate) kind: c_int,
    /// The graphs of its bodies.
    pub(crate) bodies: Vec<u64>,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`, which begins with the properties of a pool.
#[repr(C)]
struct Allocation {
    pool: [u64; 11],
    access: Handle,
    accesses: usize,
    bytes: usize,
    at: u64,
}

fn told(code: Code) -> Result<(), String> {
    match code {
        SUCCESS => Ok(()),
        _ => Err("the driver does not tell what is in its graph".into()),
    }
}

fn copy(node: Handle) -> Result<Copy3d, String> {
    let mut how = Copy3d::EMPTY;
    told(call!(c"cuGraphMemcpyNodeGetParams"(node => Handle, &mut how => *mut Copy3d))).map(|()| how)
}

fn fill(node: Handle) -> Result<Fill, String> {
    let mut how = Memset::default();
    told(call!(c"cuGraphMemsetNodeGetParams"(node => Handle, &mut how => *mut Memset)))?;
    let width = how.width as u64 * u64::from(how.element);
    let (row, height) = ((how.pitch as u64).max(width), (how.height as u64).max(1));
    Ok(Fill { at: how.at, row, width, height, value: how.value, element: how.element })
}

fn function(node: Handle) -> Result<u64, String> {
    let mut how: [Handle; 2] = [std::ptr::null_mut(); 2];
    told(call!(c"cuGraphHostNodeGetParams"(node => Handle, &mut how => *mut [Handle; 2])))?;
    number(how[0], how[1]).ok_or_else(|| "a function of its graph is not followed".into())
}

fn child(node: Handle) -> Result<Read, String> {
    let mut inner: Handle = std::ptr::null_mut();
    told(call!(c"cuGraphChildGraphNodeGetGraph"(node => Handle, &mut inner => *mut Handle)))?;
    Read::read(inner).map_err(str::to_owned)
}

fn recorded(node: Handle) -> Result<u64, String> {
    let mut event: Handle = std::ptr::null_mut();
    told(call!(c"cuGraphEventRecordNodeGetEvent"(node => Handle, &mut event => *mut Handle)))?;
    Ok(event as u64)
}

fn waited(node: Handle) -> Result<u64, String> {
    let mut event: Handle = std::ptr::null_mut();
    told(call!(c"cuGraphEventWaitNodeGetEvent"(node => Handle, &mut event => *mut Handle)))?;
    Ok(event as u64)
}

/// Returns the address and the bytes that a node allocates.
fn allocation(node: Handle) -> Result<(u64, u64), String> {
    let access = std::ptr::null_mut();
    let mut how = Allocation { pool: [0; 11], access, accesses: 0, bytes: 0, at: 0 };
    told(call!(c"cuGraphMemAllocNodeGetParams"(node => Handle, &mut how => *mut Allocation)))?;
    Ok((how.at, how.bytes.max(1) as u64))
}

fn freed(node: Handle) -> Result<u64, String> {
    let mut at = 0u64;
    told(call!(c"cuGraphMemFreeNodeGetParams"(node => Handle, &mut at => *mut u64))).map(|()| at)
}

impl Recorder {
    /// Returns the session's form of a node that is no kernel. The error is a sentence fragment.
    pub(super) fn node(
        &mut self,
        node: &graphs::Node,
        find: &Find<'_>,
        out: &mut Made,
    ) -> io::Result<Result<NodeKind, String>> {
        let handle = node.handle as Handle;
        Ok(match node.kind() {
            EMPTY => Ok(NodeKind::Empty),
            COPY => match copy(handle) {
                Ok(how) => self.copy_3d(&how)?.map_err(str::to_owned).map(|copy| {
                    if copy.from.side == Side::Host {
                        out.copies.push(copy);
                    }
                    NodeKind::Copy { to: copy.to.side, from: copy.from.side, shape: copy.shape }
                }),
                Err(why) => Err(why),
            },
            SET => fill(handle).map(NodeKind::Fill),
            HOST => function(handle).map(NodeKind::HostFunction),
            CHILD => match child(handle) {
                Ok(read) => self.graph(&read, find, out)?.map(NodeKind::Child),
                Err(why) => Err(why),
            },
            EVENT_RECORD => recorded(handle).map(|event| NodeKind::EventRecord { event }),
            EVENT_WAIT => waited(handle).map(|event| NodeKind::EventWait { event }),
            ALLOCATION => match allocation(handle) {
                Ok((at, bytes)) => self.graph_memory(at, bytes)?.map_err(str::to_owned),
                Err(why) => Err(why),
            },
            FREE => freed(handle).and_then(|at| match self.memory.at(at) {
                Some((base, _, MemoryKind::Graph)) if base == at => Ok(NodeKind::Free { at }),
                _ => Err("it frees memory that no graph has allocated".into()),
            }),
            CONDITIONAL => self.branches(node.handle as u64, find, out)?.map(NodeKind::Conditional),
            _ => Err("it is part of a graph with semaphores or operations on values in memory".into()),
        })
    }

    /// Returns the node that allocates memory of a graph. The error is a sentence fragment.
    fn graph_memory(&mut self, at: u64, bytes: u64) -> io::Result<Result<NodeKind, &'static str>> {
        let node = Ok(NodeKind::Allocate { at, bytes });
        let (base, kind) = (at, MemoryKind::Graph);
        match self.memory.at(at) {
            // Each executable graph of one graph has the same memory, and so have allocations one after the other.
            Some((base, held, MemoryKind::Graph)) if base == at && held >= bytes => return Ok(node),
            Some((_, _, MemoryKind::Graph)) => return Ok(Err("its allocations share memory in parts")),
            _ => {}
        }
        self.allocated("cuGraphAddMemAllocNode", (base, bytes), kind, None)?;
        Ok(node)
    }

    /// Returns the session's form of a conditional node. The error is a sentence fragment.
    fn branches(
        &mut self,
        node: u64,
        find: &Find<'_>,
        out: &mut Made,
    ) -> io::Result<Result<Conditional, String>> {
        let Some(Branches { handle, kind, bodies }) = self.graphs.conditional.get(&node).cloned() else {
            return Ok(Err("nobody saw its conditional node being made".into()));
        };
        let condition = match kind {
            0 => Condition::If,
            1 => Condition::While,
            2 => Condition::Switch,
            _ => return Ok(Err("its conditional node is of a kind that is not known".into())),
        };
        let mut of = Conditional { handle, condition, bodies: Vec::new() };
        for body in bodies {
            let nodes = match Read::read(body as Handle) {
                Ok(read) => self.graph(&read, find, out)?,
                Err(why) => Err(why.to_owned()),
            };
            match nodes {
                Ok(nodes) => of.bodies.push(nodes),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(Ok(of))
    }
}
