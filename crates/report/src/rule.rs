//! The meaning of each class of finding: one table for every place that explains classes.

use events::Class;

/// A class of findings, explained for a first reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub class: Class,
    /// A sentence: what is wrong.
    pub summary: &'static str,
    /// The usual fix.
    pub help: &'static str,
}

/// Every class, in the order in which they are explained.
pub const CLASSES: [Class; 27] = [
    Class::MissingBarrier,
    Class::DivergentWarp,
    Class::VolatileWarp,
    Class::SameInstruction,
    Class::AtomicScope,
    Class::FenceScope,
    Class::LockScope,
    Class::MissingFence,
    Class::WeakVsAtomic,
    Class::MixedSize,
    Class::LockMissing,
    Class::LockWrong,
    Class::AsyncCopy,
    Class::Proxy,
    Class::ClusterDsmem,
    Class::InterBlock,
    Class::InterKernel,
    Class::HostDevice,
    Class::MemcpyAsync,
    Class::MultiGpu,
    Class::ClobberedRead,
    Class::LostUpdate,
    Class::DivergentBarrier,
    Class::MaskWithoutCaller,
    Class::UninitializedRead,
    Class::WgmmaRegisters,
    Class::TensorMemory,
];

/// Returns the meaning of a class. A class without a rule does not compile; [`CLASSES`] lists them.
pub const fn rule(class: Class) -> Rule {
    let (summary, help) = match class {
        Class::MissingBarrier => (
            "threads of one block access the same memory with no barrier between them, or another thread hands it over \
             without one",
            "put `__syncthreads()` (or a barrier of the threads concerned) between the two accesses, or between an access and \
             the flag, ticket or arrival by which another thread hands it over",
        ),
        Class::DivergentWarp => (
            "lanes of one warp access the same memory and rely on running in lockstep",
            "put `__syncwarp()` between the two accesses: lanes are scheduled independently, and reconvergence, \
               shuffles and votes order no memory",
        ),
        Class::VolatileWarp => (
            "lanes of one warp exchange values by `volatile` accesses alone, as if they ran in lockstep",
            "put `__syncwarp()` between the steps, or use shuffles: `volatile` does not make lanes wait for each other",
        ),
        Class::SameInstruction => (
            "lanes of one instruction write to the same location",
            "let one lane write, or use an atomic; equal values make it a hazard, defined by CUDA but not by PTX",
        ),
        Class::AtomicScope => (
            "two atomic operations whose scopes do not include each other's threads",
            "widen the scope: `atomicAdd` in place of `atomicAdd_block`, `cuda::thread_scope_device`",
        ),
        Class::FenceScope => (
            "a fence, release or acquire of too narrow a scope for the threads that meet",
            "widen the scope: `__threadfence()` in place of `__threadfence_block()`",
        ),
        Class::LockScope => (
            "a lock whose operations or fences are of too narrow a scope for its users",
            "use operations and fences of a scope that includes all threads that take the lock",
        ),
        Class::MissingFence => (
            "threads synchronise by a flag or a lock, but without a fence on one side",
            "release before the flag is set and acquire after it is read: `__threadfence()` on both sides, or a \
               `cuda::atomic_ref` with release and acquire",
        ),
        Class::WeakVsAtomic => (
            "an ordinary access meets an atomic one",
            "make the ordinary access atomic, too, or order the two",
        ),
        Class::MixedSize => (
            "strong accesses of different sizes, or that overlap in part, meet in a location",
            "access the location with one size everywhere: only strong accesses that overlap completely are atomic \
               towards each other",
        ),
        Class::LockMissing => (
            "one of the two accesses is made without the lock that guards the location elsewhere",
            "take the lock around both accesses",
        ),
        Class::LockWrong => (
            "both accesses are made under locks, but not under a common one",
            "guard the location by one and the same lock",
        ),
        Class::AsyncCopy => (
            "memory of an asynchronous copy is accessed before the copy is complete",
            "wait for the copy (and let others see that it is complete) before the access",
        ),
        Class::Proxy => (
            "memory is accessed through two proxies with no proxy fence between, or fetched after a store of the same kernel",
            "put `fence.proxy.async` between the two accesses; what a texture, a surface, the read-only or the constant cache is to \
               fetch, let an earlier kernel store",
        ),
        Class::ClusterDsmem => (
            "blocks of a cluster access distributed shared memory with no cluster barrier between",
            "put `cluster.sync()` between the two accesses",
        ),
        Class::InterBlock => (
            "different blocks access the same global memory, and nothing synchronises them",
            "give each block its own memory, use atomics, or split the kernel in two",
        ),
        Class::InterKernel => (
            "kernels that may run at the same time access the same memory",
            "put them into one stream, or let one wait for an event of the other",
        ),
        Class::HostDevice => (
            "the host and a kernel access the same memory at the same time",
            "synchronise with the kernel's stream before the host's access",
        ),
        Class::MemcpyAsync => (
            "a copy or memset accesses memory that something else uses at the same time",
            "order the copy: the same stream, an event, or a synchronising call",
        ),
        Class::MultiGpu => (
            "two devices access the same memory at the same time",
            "order the devices' streams by an event, and use operations of system scope",
        ),
        Class::ClobberedRead => (
            "memory changed right after a thread had read it: somebody wrote it at the same time",
            "find who else writes there (the exact detector on the virtual GPU shows both sides), and order the two",
        ),
        Class::LostUpdate => (
            "memory changed right after a thread had written it: somebody else wrote it at the same time",
            "find who else writes there (the exact detector on the virtual GPU shows both sides), and order the two",
        ),
        Class::DivergentBarrier => (
            "threads of one block meet at different `__syncthreads()`",
            "let all threads of the block reach one and the same `__syncthreads()`: move it out of the branch",
        ),
        Class::MaskWithoutCaller => (
            "a lane executes a warp-wide instruction whose mask does not name it",
            "name every lane that executes the instruction in its mask",
        ),
        Class::UninitializedRead => (
            "shared memory is read that no thread of the block has written",
            "write the element before it is read, or leave the read out",
        ),
        Class::WgmmaRegisters => (
            "a register of an asynchronous matrix product is accessed before the product is complete, or handed to it without \
             a fence",
            "put `wgmma.wait_group` behind the product before its registers are accessed, and `wgmma.fence` between accesses of \
             registers and the product that uses them",
        ),
        Class::TensorMemory => (
            "tensor memory is accessed by two operations of `tcgen05` that no wait, commit or fence orders",
            "wait for a load or store by `tcgen05.wait`, for other operations at an mbarrier to which `tcgen05.commit` arrives, \
             and fence what other threads synchronise by relaxed operations",
        ),
    };
    Rule { class, summary, help }
}

/// The address of the book's page on a class; `book` is that of the book. What is published at these addresses stays there.
pub fn address(book: &str, class: Class) -> String {
    format!("{}/classes/{}.html", book.trim_end_matches('/'), class.name())
}

/// The page of the book on a class: Markdown that begins with its name.
pub const fn page(class: Class) -> &'static str {
    macro_rules! page {
        ($name:literal) => {
            include_str!(concat!("../../../docs/classes/", $name, ".md"))
        };
    }
    match class {
        Class::MissingBarrier => page!("missing-barrier"),
        Class::DivergentWarp => page!("divergent-warp"),
        Class::VolatileWarp => page!("volatile-warp"),
        Class::SameInstruction => page!("same-instruction"),
        Class::AtomicScope => page!("atomic-scope"),
        Class::FenceScope => page!("fence-scope"),
        Class::LockScope => page!("lock-scope"),
        Class::MissingFence => page!("missing-fence"),
        Class::WeakVsAtomic => page!("weak-vs-atomic"),
        Class::MixedSize => page!("mixed-size"),
        Class::LockMissing => page!("lock-missing"),
        Class::LockWrong => page!("lock-wrong"),
        Class::AsyncCopy => page!("async-copy"),
        Class::Proxy => page!("proxy"),
        Class::ClusterDsmem => page!("cluster-dsmem"),
        Class::InterBlock => page!("inter-block"),
        Class::InterKernel => page!("inter-kernel"),
        Class::HostDevice => page!("host-device"),
        Class::MemcpyAsync => page!("memcpy-async"),
        Class::MultiGpu => page!("multi-gpu"),
        Class::ClobberedRead => page!("clobbered-read"),
        Class::LostUpdate => page!("lost-update"),
        Class::DivergentBarrier => page!("divergent-barrier"),
        Class::MaskWithoutCaller => page!("mask-without-caller"),
        Class::UninitializedRead => page!("uninitialized-read"),
        Class::WgmmaRegisters => page!("wgmma-registers"),
        Class::TensorMemory => page!("tensor-memory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_listed_once_each() {
        let names: std::collections::BTreeSet<&str> = CLASSES.iter().map(|c| c.name()).collect();
        assert_eq!(names.len(), CLASSES.len());
        // The last one of the enumeration tells how many there are.
        assert_eq!(CLASSES.iter().map(|&c| c as usize).max(), Some(CLASSES.len() - 1));
    }

    #[test]
    fn every_class_has_a_page_that_says_what_a_page_says() {
        for class in CLASSES {
            let page = page(class);
            assert!(page.starts_with(&format!("# {}\n", class.name())), "{page}");
            for part in ["\n```cuda\n", "\n## Why it is a ", "\n## How to mend it\n", "§"] {
                assert!(page.contains(part), "the page of {} has no {part:?}", class.name());
            }
            assert!(page.lines().all(|line| line.chars().count() <= 110), "{} has long lines", class.name());
        }
    }
}
