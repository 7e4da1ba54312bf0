//! Machine code from which the kernel lets system calls pass.
//!
//! A call that was dispatched is made again from here, with the registers and the stack that it had: by a *stub* for each place in the
//! program that calls, which goes back to behind that place. So calls that do not return, return twice or are restarted work as they do where
//! the program makes them.
//!
//! The region, from its beginning: how signal handlers return, stubs for calls that make threads, all other stubs, and the *watched call*, behind which a call
//! is dispatched again, so that its result is seen. Where stubs go back to is a table behind the code.

use crate::signals;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

const CLONES: usize = 64;
const CLONE_BYTES: usize = 128;
const CLONES_AT: usize = 0x100;
const PLAINS: usize = 2048;
const PLAIN_BYTES: usize = 8;
const PLAINS_AT: usize = CLONES_AT + CLONES * CLONE_BYTES;
const WATCHED_AT: usize = PLAINS_AT + PLAINS * PLAIN_BYTES;
const CODE: usize = (WATCHED_AT + 8).next_multiple_of(4096);
const BYTES: usize = CODE + (CLONES + PLAINS) * 8;

/// The option of `prctl` by which a thread has its calls dispatched.
pub(super) const PR_SET_SYSCALL_USER_DISPATCH: i32 = 59;

/// Bytes of the `syscall` instruction.
pub(super) const SYSCALL: u64 = 2;

/// The address of the region; 0 before it is made.
static REGION: AtomicU64 = AtomicU64::new(0);

/// Returns the arguments that threads give to `prctl`: the kernel compares the address behind a call's
/// instruction.
pub(super) fn allowed() -> (u64, u64) {
    (REGION.load(Ordering::Acquire), WATCHED_AT as u64 + SYSCALL + 1)
}

/// The instruction of the watched call.
pub(super) fn watched() -> u64 {
    REGION.load(Ordering::Acquire) + WATCHED_AT as u64
}

/// The address behind the second instruction of the watched call, where its result is seen.
pub(super) fn is_behind_watched(rip: u64) -> bool {
    rip == watched() + 2 * SYSCALL
}

/// The stub for a call that returns to `place`. Nothing if there are too many.
pub(super) fn plain(place: u64) -> Option<u64> {
    find(CLONES, PLAINS, place).map(|slot| address(PLAINS_AT, slot, PLAIN_BYTES))
}

/// The stub for a call that makes a thread, which is followed from its first instruction.
pub(super) fn clone(place: u64) -> Option<u64> {
    find(0, CLONES, place).map(|slot| address(CLONES_AT, slot, CLONE_BYTES))
}

fn address(first: usize, slot: usize, bytes: usize) -> u64 {
    REGION.load(Ordering::Acquire) + (first + slot * bytes) as u64
}

/// The slot of a place in a part of the table: open addressing, and no slot is given back.
fn find(first: usize, slots: usize, place: u64) -> Option<usize> {
    let begin = (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
    (0..slots).map(|step| (begin + step) % slots).find(|slot| {
        let entry = (REGION.load(Ordering::Acquire) + (CODE + (first + slot) * 8) as u64) as *const AtomicU64;
        // SAFETY: an entry of the table, which is mapped for good and aligned.
        let entry = unsafe { &*entry };
        match entry.compare_exchange(0, place, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => true,
            Err(known) => known == place,
        }
    })
}

/// Makes the region, once. `state` is how far behind the thread pointer two bytes of each thread are: the kernel's selector, and whether the
/// thread's calls are followed.
pub(super) fn make(state: i32) -> io::Result<()> {
    if REGION.load(Ordering::Acquire) != 0 {
        return Ok(());
    }
    // SAFETY: a new mapping, which only this function knows until it is published.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let region =
            libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if region == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let code = std::slice::from_raw_parts_mut(region.cast::<u8>(), CODE);
        write(code, region as u64, state);
        if libc::mprotect(region, CODE, libc::PROT_READ | libc::PROT_EXEC) != 0 {
            let error = io::Error::last_os_error();
            libc::munmap(region, BYTES);
            return Err(error);
        }
        REGION.store(region as u64, Ordering::Release);
        signals::return_by(region as u64);
    }
    Ok(())
}

fn write(code: &mut [u8], region: u64, state: i32) {
    code.fill(0xcc);
    // mov rax, 15; syscall
    code[..9].copy_from_slice(&[0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05]);
    for slot in 0..CLONES {
        let at = CLONES_AT + slot * CLONE_BYTES;
        let stub = clone_stub(region, state, at, slot);
        code[at..at + stub.len()].copy_from_slice(&stub);
    }
    for slot in 0..PLAINS {
        let at = PLAINS_AT + slot * PLAIN_BYTES;
        code[at..at + 2].copy_from_slice(&[0x0f, 0x05]);
        code[at + 2..at + 8].copy_from_slice(&back(at + 2, CLONES + slot));
    }
    code[WATCHED_AT..WATCHED_AT + 6].copy_from_slice(&[0x0f, 0x05, 0x0f, 0x05, 0x0f, 0x0b]);
}

/// `jmp [rip + …]` to where an entry of the table says.
fn back(at: usize, slot: usize) -> [u8; 6] {
    let distance = (CODE + slot * 8) as i32 - (at as i32 + 6);
    let mut out = [0xff, 0x25, 0, 0, 0, 0];
    out[2..].copy_from_slice(&distance.to_le_bytes());
    out
}

fn clone_stub(region: u64, state: i32, at: usize, slot: usize) -> Vec<u8> {
    const OPTION: i32 = PR_SET_SYSCALL_USER_DISPATCH;
    let length = WATCHED_AT as u32 + SYSCALL as u32 + 1;
    let mut child = vec![0x48, 0x8d, 0x64, 0x24, 0x80]; // lea rsp, [rsp - 128]
    child.extend([0x57, 0x56, 0x52, 0x41, 0x52, 0x41, 0x50]); // push rdi, rsi, rdx, r10, r8
    child.extend([0x64, 0x4c, 0x8b, 0x04, 0x25, 0, 0, 0, 0]); // mov r8, fs:[0]
    child.extend([0x49, 0x81, 0xc0]); // add r8, state
    child.extend(state.to_le_bytes());
    child.extend([0x66, 0x41, 0xc7, 0x00, 0x01, 0x01]); // mov word [r8], 0x101
    child.push(0xbf); // mov edi, option
    child.extend(OPTION.to_le_bytes());
    child.extend([0xbe, 1, 0, 0, 0]); // mov esi, 1
    child.extend([0x48, 0xba]); // mov rdx, region
    child.extend(region.to_le_bytes());
    child.extend([0x41, 0xba]); // mov r10d, length
    child.extend(length.to_le_bytes());
    child.extend([0xb8, 0x9d, 0, 0, 0]); // mov eax, prctl
    child.extend([0x0f, 0x05]);
    child.extend([0x41, 0x58, 0x41, 0x5a, 0x5a, 0x5e, 0x5f]); // pop r8, r10, rdx, rsi, rdi
    child.extend([0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0]); // lea rsp, [rsp + 128]
    child.extend([0x31, 0xc0]); // xor eax, eax
    let mut out = vec![0x0f, 0x05, 0x48, 0x85, 0xc0, 0x0f, 0x85]; // syscall; test rax, rax; jnz
    out.extend((child.len() as i32).to_le_bytes());
    out.extend(child);
    out.extend(back(at + out.len(), slot));
    assert!(out.len() <= CLONE_BYTES);
    out
}
