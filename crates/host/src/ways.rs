//! The ways by which a program's host side reaches memory that is watched, and what becomes of each.
//!
//! `docs/host-memory.md` is this table; a test holds it. System calls have one of their own ([`calls::table`](crate::calls::table)).

/// The treatment of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is reported, with its line.
    Checked,
    /// It succeeds, and the result names what was not checked.
    Named,
    /// It fails as it does under CUDA.
    Fails,
    /// It is not seen, and no result says so.
    Unseen,
}

impl Answer {
    /// The word for it in the document.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Checked => "checked",
            Answer::Named => "named limit",
            Answer::Fails => "fails",
            Answer::Unseen => "not seen",
        }
    }
}

use Answer::{Checked, Fails, Named, Unseen};

/// Each way, what becomes of it, and how.
pub const WAYS: &[(&str, Answer, &str)] = &[
    ("loads, stores and atomics of general registers", Checked, "the fault of the instruction"),
    (
        "SSE, AVX, and AVX-512 with a mask without gaps",
        Checked,
        "the fault of the instruction; unaligned ones of two pages, too",
    ),
    ("`rep movs`, `rep stos`", Checked, "carried out as a whole"),
    (
        "gathers, scatters, masks with gaps, and other instructions that are not decoded",
        Named,
        "inconclusive; nothing is watched until the host has waited",
    ),
    (
        "functions of the C library (`memcpy`, `fread`, `printf`)",
        Checked,
        "at the line that calls the library",
    ),
    ("the vDSO (`clock_gettime` into such memory)", Checked, "its instructions fault like others"),
    (
        "system calls whose buffers are known",
        Checked,
        "made with the second view of the memory, whoever makes them",
    ),
    (
        "system calls whose buffers are not known (`ioctl`, `fcntl`, `prctl`, unknown numbers)",
        Named,
        "made with the second view",
    ),
    ("`io_submit`", Named, "nothing is watched until the host has waited"),
    ("`io_uring`", Named, "nothing is watched from then on"),
    ("POSIX asynchronous I/O", Checked, "the C library's threads make system calls"),
    (
        "futexes, mutexes and condition variables in such memory",
        Checked,
        "their words fault; waiting is a read",
    ),
    (
        "`mprotect`, `munmap`, `mremap`, `madvise`, `mlock` of such memory",
        Named,
        "that allocation is no longer watched",
    ),
    (
        "thread stacks and alternate signal stacks in such memory",
        Named,
        "that allocation is no longer watched",
    ),
    ("`process_vm_readv`, `process_vm_writev` of the process itself", Checked, "both lists"),
    ("`/proc/self/mem` at a place of such memory", Named, "the call that has the place"),
    (
        "other processes: debuggers, `ptrace`, `process_vm_readv` from outside",
        Unseen,
        "they see inaccessible pages while work is in flight",
    ),
    ("children of `fork`", Fails, "the memory is not theirs, as under CUDA"),
    (
        "children of `vfork` and `posix_spawn` before they execute a program",
        Unseen,
        "system calls on such memory fail there while work is in flight",
    ),
    ("memory of `cudaHostRegister`", Named, "it has no second view; the verdict is of what was checked"),
    ("threads that block SIGSYS, SIGSEGV or SIGTRAP before the first launch", Named, "nothing is watched"),
    (
        "kernels before Linux 5.11, sandboxes without `prctl(PR_SET_SYSCALL_USER_DISPATCH)`",
        Named,
        "nothing is watched",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_the_table() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/host-memory.md");
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
        let wanted: Vec<String> =
            WAYS.iter().map(|(way, answer, how)| format!("| {way} | {} | {how} |", answer.word())).collect();
        assert_eq!(rows, wanted, "docs/host-memory.md is to have these rows");
    }
}
