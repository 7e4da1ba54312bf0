//! Streams that the program has made.

use crate::order::StreamKey;

#[derive(Debug)]
pub(crate) struct StreamRecord {
    pub(crate) key: StreamKey,
    pub(crate) device: u32,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    pub(crate) id: u64,
}
