//! Waits of streams for values in memory, and writes of values.

use super::{Call, CudaError, CudaResult};
use crate::abi::types::Stream;
use crate::submit::memory_operation::{Kind, MemoryOperation, perform};
use std::ffi::c_uint;

/// `CU_STREAM_WAIT_VALUE_FLUSH`: there is no remote memory whose writes are late.
const FLUSH: c_uint = 1 << 30;

/// `CUstreamBatchMemOpType`
const WAIT_32: c_uint = 1;
const WRITE_32: c_uint = 2;
const FLUSH_REMOTE_WRITES: c_uint = 3;
const WAIT_64: c_uint = 4;
const WRITE_64: c_uint = 5;
const BARRIER: c_uint = 6;

/// The most operations of one batch.
const MOST: c_uint = 256;

/// `CUstreamBatchMemOpParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Parameters {
    operation: c_uint,
    address: u64,
    value: u64,
    flags: c_uint,
    alias: u64,
    padding: u64,
}

const _: () = assert!(size_of::<Parameters>() == 48);

/// An operation; `is_wide` says whether its word has 64 bits.
fn operation(kind: Kind, is_wide: bool, (address, value): (u64, u64), flags: c_uint) -> MemoryOperation {
    let how = if kind == Kind::Wait { flags & !FLUSH } else { flags };
    MemoryOperation { kind, is_wide, address, value, how }
}

fn one(
    call: &Call,
    stream: Stream,
    kind: Kind,
    is_wide: bool,
    word: (u64, u64),
    flags: c_uint,
) -> CudaResult {
    perform(call, stream, &[operation(kind, is_wide, word, flags)])
}

/// # Safety
/// `all` is null or has `count` operations.
unsafe fn batch(
    call: &Call,
    stream: Stream,
    count: c_uint,
    all: *const Parameters,
    flags: c_uint,
) -> CudaResult {
    if all.is_null() || count == 0 || count > MOST || flags != 0 {
        return Err(CudaError::INVALID_VALUE);
    }
    let mut operations = Vec::new();
    for i in 0..count as usize {
        // SAFETY: the caller's promise.
        let Parameters { operation: kind, address, value, flags, .. } = unsafe { all.add(i).read() };
        let (kind, is_wide) = match kind {
            WAIT_32 => (Kind::Wait, false),
            WAIT_64 => (Kind::Wait, true),
            WRITE_32 => (Kind::Write, false),
            WRITE_64 => (Kind::Write, true),
            // Each write has a fence of its own.
            FLUSH_REMOTE_WRITES | BARRIER => continue,
            _ => return Err(CudaError::INVALID_VALUE),
        };
        operations.push(operation(kind, is_wide, (address, value), flags));
    }
    perform(call, stream, &operations)
}

driver! {
    fn cuStreamWaitValue32 | cuStreamWaitValue32_ptsz (stream: Stream, address: u64, value: u32, flags: c_uint) = |call| {
        one(call, stream, Kind::Wait, false, (address, value.into()), flags)
    };
    fn cuStreamWaitValue32_v2 | cuStreamWaitValue32_v2_ptsz (stream: Stream, address: u64, value: u32, flags: c_uint) = |call| {
        one(call, stream, Kind::Wait, false, (address, value.into()), flags)
    };
    fn cuStreamWaitValue64 | cuStreamWaitValue64_ptsz (stream: Stream, address: u64, value: u64, flags: c_uint) = |call| {
        one(call, stream, Kind::Wait, true, (address, value), flags)
    };
    fn cuStreamWaitValue64_v2 | cuStreamWaitValue64_v2_ptsz (stream: Stream, address: u64, value: u64, flags: c_uint) = |call| {
        one(call, stream, Kind::Wait, true, (address, value), flags)
    };
    fn cuStreamWriteValue32 | cuStreamWriteValue32_ptsz (stream: Stream, address: u64, value: u32, flags: c_uint) = |call| {
        one(call, stream, Kind::Write, false, (address, value.into()), flags)
    };
    fn cuStreamWriteValue32_v2 | cuStreamWriteValue32_v2_ptsz (stream: Stream, address: u64, value: u32, flags: c_uint) = |call| {
        one(call, stream, Kind::Write, false, (address, value.into()), flags)
    };
    fn cuStreamWriteValue64 | cuStreamWriteValue64_ptsz (stream: Stream, address: u64, value: u64, flags: c_uint) = |call| {
        one(call, stream, Kind::Write, true, (address, value), flags)
    };
    fn cuStreamWriteValue64_v2 | cuStreamWriteValue64_v2_ptsz (stream: Stream, address: u64, value: u64, flags: c_uint) = |call| {
        one(call, stream, Kind::Write, true, (address, value), flags)
    };
    fn cuStreamBatchMemOp | cuStreamBatchMemOp_ptsz (stream: Stream, count: c_uint, all: *const Parameters, flags: c_uint) = |call| {
        // SAFETY: the program's operations.
        unsafe { batch(call, stream, count, all, flags) }
    };
    fn cuStreamBatchMemOp_v2 | cuStreamBatchMemOp_v2_ptsz (stream: Stream, count: c_uint, all: *const Parameters, flags: c_uint) = |call| {
        // SAFETY: the program's operations.
        unsafe { batch(call, stream, count, all, flags) }
    };
}
