//! The resources of a device of compute capability 9.0 (CUDA C++ Programming Guide, technical
//! specifications), and how many blocks of a kernel they allow.

use crate::Kernel;

/// Bytes of shared memory of a block without opting in for more.
pub const SHARED_PER_BLOCK: u32 = 48 << 10;
/// Bytes of shared memory of a block that opts in.
pub const SHARED_PER_BLOCK_OPTIN: u32 = 227 << 10;
pub const SHARED_PER_PROCESSOR: u32 = 228 << 10;
/// Bytes of each block's shared memory that the system reserves.
pub const SHARED_RESERVED: u32 = 1 << 10;
pub const MAX_THREADS_PER_BLOCK: u32 = 1024;
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
pub const PROCESSORS: u32 = 132;
pub const THREADS_PER_PROCESSOR: u32 = 2048;
pub const BLOCKS_PER_PROCESSOR: u32 = 32;
pub const REGISTERS_PER_PROCESSOR: u32 = 65536;
pub const BLOCKS_PER_CLUSTER: u64 = 16;

/// Returns how many blocks of `threads` threads fit on one multiprocessor; 0 if not even one does.
///
/// `registers` are 32-bit registers per thread, `dynamic_shared` bytes per block.
pub fn resident_blocks(kernel: &Kernel, registers: u32, threads: u32, dynamic_shared: u32) -> u32 {
    if threads == 0 || threads > MAX_THREADS_PER_BLOCK {
        return 0;
    }
    let warps = threads.div_ceil(32);
    let by_threads = THREADS_PER_PROCESSOR / 32 / warps;
    // Registers are allocated to warps in units of 256.
    let per_warp = (registers.clamp(16, 255) * 32).next_multiple_of(256);
    let by_registers = REGISTERS_PER_PROCESSOR / (per_warp * warps);
    let shared = kernel.static_shared.saturating_add(dynamic_shared);
    if shared > SHARED_PER_BLOCK_OPTIN {
        return 0;
    }
    let by_shared = SHARED_PER_PROCESSOR / (shared + SHARED_RESERVED).next_multiple_of(128);
    BLOCKS_PER_PROCESSOR.min(by_threads).min(by_registers).min(by_shared)
}
