//! Reads from the driver which nodes of a graph depend on which.

use crate::call::call;
use crate::driver;
use crate::hooks::SUCCESS;
use std::collections::HashMap;
use std::ffi::c_void;

/// `CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC`, `_LAUNCH_ORDER`
const PROGRAMMATIC: u8 = 1;
const LAUNCH_ORDER: u8 = 2;
/// `CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC`
const EARLY: u8 = 1;

/// An edge between two nodes of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// For a programmatic edge: whether it leaves the kernel when all its blocks have begun, or else when all have
    /// triggered or ended.
    pub(crate) begun: Option<bool>,
}

/// `CUgraphEdgeData`
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Data {
    from_port: u8,
    to_port: u8,
    kind: u8,
    reserved: [u8; 5],
}

impl Data {
    /// Returns [`Edge::begun`]; an error for edges that mean something else.
    fn begun(self) -> Result<Option<bool>, ()> {
        match (self.kind, self.from_port) {
            (0, 0) => Ok(None),
            (EARLY, PROGRAMMATIC) => Ok(Some(false)),
            (EARLY, LAUNCH_ORDER) => Ok(Some(true)),
            _ => Err(()),
        }
    }
}

/// Returns the edges of a graph with these nodes; `None` if the driver does not tell them.
pub(super) fn read(graph: *mut c_void, handles: &[usize]) -> Option<Vec<Edge>> {
    // The older function fails for edges with data.
    let with_data = !driver::function(c"cuGraphGetEdges_v2").is_null();
    let get = |from: *mut usize, to: *mut usize, data: *mut Data, number: &mut usize| {
        let code = match with_data {
            true => call!(c"cuGraphGetEdges_v2"(
                graph => *mut c_void, from => *mut usize, to => *mut usize, data => *mut Data, number => *mut usize,
            )),
            false => call!(c"cuGraphGetEdges"(
                graph => *mut c_void, from => *mut usize, to => *mut usize, number => *mut usize,
            )),
        };
        (code == SUCCESS).then_some(())
    };
    let (null, mut number) = (std::ptr::null_mut(), 0usize);
    get(null, null, null.cast(), &mut number)?;
    let (mut from, mut to, mut data) = (vec![0; number], vec![0; number], vec![Data::default(); number]);
    // The driver rejects a null array of length zero.
    if number > 0 {
        get(from.as_mut_ptr(), to.as_mut_ptr(), data.as_mut_ptr(), &mut number)?;
    }
    let places: HashMap<usize, usize> =
        handles.iter().enumerate().map(|(at, handle)| (*handle, at)).collect();
    let edges = from.iter().zip(&to).zip(&data).take(number).map(|((from, to), data)| {
        let begun = data.begun().ok()?;
        Some(Edge { from: *places.get(from)?, to: *places.get(to)?, begun })
    });
    edges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programmatic_edges_leave_by_their_port() {
        let data = |kind, from_port| Data { kind, from_port, ..Data::default() }.begun();
        assert_eq!((data(0, 0), data(1, 1), data(1, 2)), (Ok(None), Ok(Some(false)), Ok(Some(true))));
        assert!(data(2, 0).is_err() && data(0, 1).is_err());
    }
}
