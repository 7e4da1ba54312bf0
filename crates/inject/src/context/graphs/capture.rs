//! Stream capture into graphs.

use super::{Graphs, Kind, Port, Work, merge};
use crate::abi::error::{CudaError, CudaResult};
use crate::order::StreamKey;
use std::collections::HashMap;

/// A stream's part in a capture.
#[derive(Clone, Debug)]
struct StreamCapture {
    session: usize,
    /// The dependencies of the next node that is captured from this stream.
    tips: Vec<usize>,
    /// Those of `tips` whose edge to the next node is programmatic.
    early: Vec<(usize, Port)>,
}

struct Session {
    graph: usize,
    origin: StreamKey,
}

/// Identifies a capture in progress.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    session: usize,
}

/// Captures in progress.
#[derive(Default)]
pub(super) struct Captures {
    sessions: HashMap<usize, Session>,
    streams: HashMap<StreamKey, StreamCapture>,
    /// Events that were recorded in captures.
    events: HashMap<usize, StreamCapture>,
}

impl Graphs {
    pub(crate) fn begin_capture(&mut self, stream: StreamKey, graph: usize, tips: Vec<usize>) -> CudaResult {
        if self.captures.streams.contains_key(&stream) {
            return Err(CudaError::ILLEGAL_STATE);
        }
        let session = self.handle();
        self.captures.sessions.insert(session, Session { graph, origin: stream });
        self.captures.streams.insert(stream, StreamCapture { session, tips, early: Vec::new() });
        Ok(())
    }

    /// Ends a capture and returns its graph.
    pub(crate) fn end_capture(&mut self, stream: StreamKey) -> CudaResult<usize> {
        let capture = self.captures.streams.get(&stream).cloned().ok_or(CudaError::ILLEGAL_STATE)?;
        let session = self.captures.sessions.get(&capture.session).ok_or(CudaError::ILLEGAL_STATE)?;
        if session.origin != stream {
            return Err(CudaError::STREAM_CAPTURE_UNMATCHED);
        }
        let graph = session.graph;
        let joined = self.ancestors(graph, &capture.tips);
        let unjoined = self
            .captures
            .streams
            .values()
            .any(|c| c.session == capture.session && c.tips.iter().any(|tip| !joined[*tip]));
        self.captures.sessions.remove(&capture.session);
        self.captures.streams.retain(|_, c| c.session != capture.session);
        self.captures.events.retain(|_, c| c.session != capture.session);
        if unjoined {
            // The graph is lost, as with CUDA.
            self.destroy(graph)?;
            return Err(CudaError::STREAM_CAPTURE_UNJOINED);
        }
        Ok(graph)
    }

    /// Returns which nodes the tips depend on, including the tips.
    fn ancestors(&self, graph: usize, tips: &[usize]) -> Vec<bool> {
        let nodes = self.graphs.get(&graph).map(|g| g.nodes.as_slice()).unwrap_or_default();
        let mut seen = vec![false; nodes.len()];
        let mut stack = tips.to_vec();
        while let Some(at) = stack.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                stack.extend(&nodes[at].after);
            }
        }
        seen
    }

    pub(crate) fn capture_of(&self, stream: StreamKey) -> CudaResult<Option<Capture>> {
        Ok(self.captures.streams.get(&stream).map(|c| Capture { session: c.session }))
    }

    pub(crate) fn is_capturing(&self, stream: StreamKey) -> bool {
        self.captures.streams.contains_key(&stream)
    }

    pub(crate) fn any_capture(&self) -> bool {
        !self.captures.streams.is_empty()
    }

    /// Returns the number of the capture, the graph's handle and the handles of the tips.
    pub(crate) fn capture_info(&self, stream: StreamKey) -> Option<(usize, usize, Vec<usize>)> {
        let capture = self.captures.streams.get(&stream)?;
        let graph = self.captures.sessions.get(&capture.session)?.graph;
        let nodes = &self.graphs.get(&graph)?.nodes;
        let tips = capture.tips.iter().map(|&tip| nodes[tip].handle).collect();
        Some((capture.session, graph, tips))
    }

    /// Sets the dependencies of the next captured node, and the kinds of their edges.
    pub(crate) fn set_tips(
        &mut self,
        stream: StreamKey,
        nodes: &[(usize, Option<Port>)],
        replace: bool,
    ) -> CudaResult {
        let (mut tips, mut early) = (Vec::new(), Vec::new());
        for &(node, port) in nodes {
            let tip = self.locate(node)?.1;
            if port.is_some() && !self.is_kernel(node)? {
                return Err(CudaError::INVALID_VALUE);
            }
            tips.push(tip);
            early.extend(port.map(|port| (tip, port)));
        }
        let capture = self.captures.streams.get_mut(&stream).ok_or(CudaError::ILLEGAL_STATE)?;
        if replace {
            capture.tips.clear();
            capture.early.clear();
        }
        early.retain(|(tip, _)| !capture.tips.contains(tip));
        merge(&mut capture.tips, &tips);
        capture.early.extend(early);
        Ok(())
    }

    /// Adds a node for work that was submitted to a capturing stream.
    pub(crate) fn captured(
        &mut self,
        capture: Capture,
        stream: StreamKey,
        device: u32,
        work: Work,
    ) -> CudaResult {
        let graph = self.captures.sessions.get(&capture.session).ok_or(CudaError::ILLEGAL_STATE)?.graph;
        self.append(graph, stream, Kind::Work(work), device)
    }

    /// Adds a node after a capturing stream's tips. The edge to a kernel with programmatic stream
    /// serialisation is programmatic if only a kernel precedes it in the stream (Programming Guide, "Use in
    /// CUDA Graphs").
    pub(crate) fn append(&mut self, graph: usize, stream: StreamKey, kind: Kind, device: u32) -> CudaResult {
        let capture = self.captures.streams.get(&stream);
        let (tips, mut early) = capture.map(|c| (c.tips.clone(), c.early.clone())).unwrap_or_default();
        let handle = self.add(graph, &[], kind, device)?;
        let nodes = &mut self.graphs.get_mut(&graph).ok_or(CudaError::INVALID_VALUE)?.nodes;
        let index = nodes.len() - 1;
        debug_assert_eq!(nodes[index].handle, handle);
        let kernel = |node: usize| match &nodes[node].kind {
            Kind::Work(Work::Kernel(work)) => Some(work),
            _ => None,
        };
        match (kernel(index), tips.as_slice()) {
            (None, _) => early.clear(),
            (Some(work), &[tip]) if work.overlaps && early.is_empty() && kernel(tip).is_some() => {
                early.push((tip, Port::Triggered));
            }
            _ => {}
        }
        (nodes[index].after, nodes[index].early) = (tips, early);
        if let Some(capture) = self.captures.streams.get_mut(&stream) {
            capture.tips = vec![index];
            capture.early.clear();
        }
        Ok(())
    }

    pub(crate) fn record(&mut self, capture: Capture, stream: StreamKey, event: usize) -> CudaResult {
        let tips = self.captures.streams.get(&stream).map(|c| c.tips.clone()).unwrap_or_default();
        self.captures
            .events
            .insert(event, StreamCapture { session: capture.session, tips, early: Vec::new() });
        Ok(())
    }

    pub(crate) fn forget_event(&mut self, event: usize) {
        self.captures.events.remove(&event);
    }

    pub(crate) fn event_is_captured(&self, event: usize) -> bool {
        self.captures.events.contains_key(&event)
    }

    /// Makes a stream wait for an event; returns true if that was captured.
    pub(crate) fn wait_in_capture(&mut self, stream: StreamKey, event: usize) -> CudaResult<bool> {
        let Some(recorded) = self.captures.events.get(&event).cloned() else {
            return if self.is_capturing(stream) {
                Err(CudaError::STREAM_CAPTURE_ISOLATION)
            } else {
                Ok(false)
            };
        };
        let capture = self.captures.streams.entry(stream).or_insert_with(|| StreamCapture {
            session: recorded.session,
            tips: Vec::new(),
            early: Vec::new(),
        });
        if capture.session != recorded.session {
            return Err(CudaError::STREAM_CAPTURE_MERGE);
        }
        merge(&mut capture.tips, &recorded.tips);
        Ok(true)
    }

    pub(crate) fn stream_destroyed(&mut self, stream: StreamKey) {
        self.captures.streams.remove(&stream);
    }
}
