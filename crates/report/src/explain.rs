//! Why nothing orders two accesses, and what would.

use crate::attribute::user_frame;
use crate::source::Sources;
use events::access::Scope;
use events::{Class, Finding, Proxy, SiteId, SiteTable, SyncNote};

/// Writes the explanations of one process's findings.
#[derive(Clone, Copy, Debug)]
pub struct Explainer<'a> {
    pub sites: &'a SiteTable,
    pub sources: &'a Sources,
}

impl Explainer<'_> {
    /// What was found between the two accesses, and why it does not order them.
    pub fn why(&self, finding: &Finding) -> String {
        let mut sentences: Vec<String> = Vec::new();
        let neither = neither_side(&finding.notes);
        if let Some(flag) = neither {
            sentences.push(format!(
                "the two threads meet at a flag{}, but without fences: nothing releases (1) before the flag is set, \
                 and nothing acquires after it is read (PTX §8.8)",
                flag.map_or_else(String::new, |site| format!(", {}", self.place(site)))
            ));
        }
        let told = |n: &&SyncNote| matches!(n, SyncNote::NoRelease { .. } | SyncNote::NoAcquire { .. });
        for note in finding.notes.iter().filter(|n| neither.is_none() || !told(n)) {
            let sentence = self.note(note, finding.class);
            if !sentence.is_empty() && !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        if sentences.is_empty() {
            sentences.push(nothing(finding.class).into());
        }
        sentences.join("; ")
    }

    fn note(&self, note: &SyncNote, class: Class) -> String {
        match note {
            SyncNote::Nothing => nothing(class).into(),
            SyncNote::ScopeTooNarrow { site, scope, needed } => format!(
                "{} reaches only {}, but the two threads are {} (PTX §8.5)",
                self.place(*site),
                reach(*scope),
                apart(*needed)
            ),
            SyncNote::NoAcquire { flag } => format!(
                "(1) was released before the flag was set, but the thread of (2) read the flag{} without acquiring: \
                 there is no fence after that read (PTX §8.8)",
                self.optional_place(*flag)
            ),
            SyncNote::NoRelease { flag } => format!(
                "the thread of (2) acquired through the flag{}, but the thread of (1) set it without releasing: \
                 there is no fence between (1) and that store (PTX §8.8)",
                self.optional_place(*flag)
            ),
            SyncNote::FenceAlone { site, .. } => format!(
                "{} alone orders nothing: a fence works only together with a strong write (an atomic, a \
                 volatile or relaxed store) after it that a strong read of the other thread observes (PTX §8.8)",
                self.place(*site)
            ),
            SyncNote::LockstepOnly { site: Some(site) } => format!(
                "{} exchanges registers between the lanes but orders no memory, and neither does running in \
                 lockstep",
                self.place(*site)
            ),
            SyncNote::LockstepOnly { site: None } => {
                "the lanes ran in lockstep, which orders no memory: since \
                 sm_70 each thread may make progress on its own"
                    .into()
            }
            SyncNote::OtherBarrier { site } => format!(
                "{} is not a barrier between the two: only one of the threads waits there, or it waits with \
                 another barrier",
                self.place(*site)
            ),
            SyncNote::RelaxedArrive { site } => format!(
                "{} promises nothing for accesses before a relaxed arrive, or between an arrive and its wait \
                 (PTX §9.7.13, barrier.cluster)",
                self.place(*site)
            ),
            SyncNote::Locks { first, second } if first.is_empty() && second.is_empty() => {
                "no lock was held at either access".into()
            }
            SyncNote::Locks { first, second } => {
                format!("{} at (1) and {} at (2): none in common", held(first), held(second))
            }
            SyncNote::NotWaited => {
                "the asynchronous operation was still allowed to be under way: the thread of \
                 the other access did not wait for its completion"
                    .into()
            }
            SyncNote::ProxyFenceMissing { from, to } => format!(
                "one access is made through the {}, the other through the {}, and no proxy fence lies between \
                 (PTX §8.6)",
                proxy(*from),
                proxy(*to)
            ),
            SyncNote::UnorderedTasks => match class {
                Class::InterKernel => {
                    "no stream, event or synchronising call orders the two kernels: they may \
                     run at the same time, whenever this run happened to run them"
                        .into()
                }
                _ => "no stream, event or synchronising call orders the two operations".into(),
            },
            SyncNote::StrongScopes { first, second } => format!(
                "(1) has {} scope and (2) has {} scope: an atomic is atomic only towards threads that both scopes \
                 include (PTX §8.7)",
                scope_name(*first),
                scope_name(*second)
            ),
            SyncNote::PartialOverlap => {
                "both accesses are strong, but of different size or offset, so they are \
                 not atomic towards each other (PTX §8.7)"
                    .into()
            }
            SyncNote::Rule(text) => text.clone(),
        }
    }

    /// `` `__threadfence_block()` (main.cu:12) ``.
    fn place(&self, site: SiteId) -> String {
        let Some(found) = self.sites.get(site) else { return "an instruction".into() };
        let what = spelled(&found.text);
        match user_frame(found) {
            Some(frame) => format!("{what} ({}:{})", self.sources.display(&frame.file), frame.line),
            None if found.ptx_line != 0 => format!("{what} (PTX line {})", found.ptx_line),
            None => what,
        }
    }

    fn optional_place(&self, site: Option<SiteId>) -> String {
        match site {
            Some(site) => format!(" by {}", self.place(site)),
            None => String::new(),
        }
    }
}

fn nothing(class: Class) -> &'static str {
    match class {
        Class::MissingBarrier => "no barrier that both threads pass lies between the two accesses",
        Class::DivergentWarp => {
            "nothing synchronises the two lanes between the accesses: since sm_70 the threads of a warp need not \
             run in lockstep"
        }
        Class::SameInstruction => {
            "several threads execute the same store on the same address at once; which value stays is undefined, \
             and PTX makes no exception for equal values"
        }
        Class::WeakVsAtomic => {
            "one access is atomic, the other is an ordinary one, and nothing orders them: an atomic is atomic only \
             towards other strong accesses (PTX §8.7)"
        }
        Class::InterBlock => {
            "the threads are in different blocks, and nothing synchronises the two blocks: a barrier reaches only \
             its own block"
        }
        Class::ClusterDsmem => "no cluster barrier that both blocks pass lies between the two accesses",
        Class::InterKernel => "no stream, event or synchronising call orders the two kernels",
        Class::HostDevice => "the host does not wait for the kernel before it accesses the same memory",
        Class::MemcpyAsync => "no stream, event or synchronising call orders the copy with the other access",
        Class::AsyncCopy => "nothing waits for the asynchronous copy before the other access",
        Class::LockMissing => "the accesses are not both made while holding a lock",
        Class::LockWrong => "the accesses are made while holding different locks",
        _ => "nothing between the two accesses orders them",
    }
}

/// The flag through which two threads meet, if one neither releases nor the other acquires.
fn neither_side(notes: &[SyncNote]) -> Option<Option<SiteId>> {
    let set = notes.iter().find_map(|n| match n {
        SyncNote::NoRelease { flag } => Some(*flag),
        _ => None,
    })?;
    let read = notes.iter().find_map(|n| match n {
        SyncNote::NoAcquire { flag } => Some(*flag),
        _ => None,
    })?;
    Some(set.or(read))
}

/// What would order the two accesses.
pub fn fix(finding: &Finding) -> String {
    let needed = finding.notes.iter().find_map(|n| match n {
        SyncNote::ScopeTooNarrow { needed, .. } => Some(*needed),
        _ => None,
    });
    let both = neither_side(&finding.notes).is_some();
    let one_sided = finding.notes.iter().filter(|_| !both).find_map(|n| match n {
        SyncNote::NoAcquire { .. } => Some(
            "add `__threadfence()` after the read of the flag (or read it with `cuda::memory_order_acquire`)",
        ),
        SyncNote::NoRelease { .. } => Some(
            "add `__threadfence()` between (1) and the store of the flag (or store it with \
             `cuda::memory_order_release`)",
        ),
        _ => None,
    });
    let [first, second] = &finding.sides;
    let same_store = first.site == second.site && first.kind.writes() && second.kind.writes();
    match finding.class {
        Class::MissingBarrier if same_store => "let one thread of the block store (`if (threadIdx.x == 0)`), give \
             each its own element, or use an atomic; if the stores are of different rounds of a loop, put a \
             `__syncthreads()` between the rounds"
            .into(),
        Class::MissingBarrier => "put a `__syncthreads()` between the two accesses, where all threads of the block \
             reach it (in a loop, also between the end of one round and the start of the next)"
            .into(),
        Class::DivergentWarp => {
            "put a `__syncwarp()` between the two accesses, with a mask that names both lanes".into()
        }
        Class::SameInstruction => {
            "let one thread store (`if (threadIdx.x == 0)`), give each its own element, or use an atomic".into()
        }
        Class::AtomicScope => match needed_by_strong(finding) {
            Some(scope) => format!("give both atomics {} scope: {}", scope_name(scope), atomic_of(scope)),
            None => "give both atomics a scope that includes both threads: `atomicAdd` for one GPU, \
                 `atomicAdd_system` for several"
                .into(),
        },
        Class::FenceScope => match needed {
            Some(scope) => format!("widen it to {} scope: `{}`", scope_name(scope), fence_of(scope)),
            None => "widen the fence to a scope that includes both threads: `__threadfence()`".into(),
        },
        Class::LockScope => match needed {
            Some(scope) => format!(
                "take and release the lock with {} scope, and fence with `{}`",
                scope_name(scope),
                fence_of(scope)
            ),
            None => "widen the lock's atomics and fences to a scope that includes both threads".into(),
        },
        Class::MissingFence => one_sided.map_or_else(
            || {
                "put `__threadfence()` between (1) and the store that sets the flag, and after the read that sees \
                 it; or use a `cuda::atomic_ref` with release and acquire"
                    .into()
            },
            str::to_owned,
        ),
        Class::WeakVsAtomic => "make the ordinary access atomic too (`atomicExch`, `atomicAdd(p, 0)`, or a relaxed \
             `cuda::atomic_ref`), or separate the two with a barrier"
            .into(),
        Class::LockMissing => "take the same lock around both accesses".into(),
        Class::LockWrong => "protect the data by one lock, the same at every access".into(),
        Class::AsyncCopy => "wait for the copy (`__pipeline_wait_prior(0)`, `cp.async.wait_group`, or its mbarrier), \
             then synchronise the block, before using the data"
            .into(),
        Class::Proxy => "put `fence.proxy.async` between the generic and the asynchronous access \
             (`cuda::ptx::fence_proxy_async`), before the barrier that hands the data over"
            .into(),
        Class::ClusterDsmem => "put `cluster.sync()` between the two accesses; before a block exits, too, while \
             others may still access its shared memory"
            .into(),
        Class::InterBlock => "give each block its own elements, use atomics, split the work into two kernels, or \
             synchronise all blocks with a cooperative launch and `grid.sync()`"
            .into(),
        Class::InterKernel => "launch both into one stream, or make the second stream wait: `cudaEventRecord` after \
             the first, `cudaStreamWaitEvent` before the second"
            .into(),
        Class::HostDevice => {
            "call `cudaStreamSynchronize` or `cudaDeviceSynchronize` before the host touches the memory".into()
        }
        Class::MemcpyAsync => "put the copy into the same stream, or synchronise the streams with an event".into(),
        Class::MultiGpu => "synchronise the devices: an event of one waited for by a stream of the other, and \
             `_system` scope for atomics and fences"
            .into(),
    }
}

fn needed_by_strong(finding: &Finding) -> Option<Scope> {
    finding.notes.iter().find_map(|n| match n {
        SyncNote::StrongScopes { first, second } => {
            let wider = (*first).max(*second);
            // Two scopes that fail although they are the same are both too narrow.
            Some(if first == second { wider_than(wider) } else { wider })
        }
        _ => None,
    })
}

const fn wider_than(scope: Scope) -> Scope {
    match scope {
        Scope::Cta | Scope::Cluster => Scope::Gpu,
        Scope::Gpu | Scope::Sys => Scope::Sys,
    }
}

pub(crate) const fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "block",
        Scope::Cluster => "cluster",
        Scope::Gpu => "device",
        Scope::Sys => "system",
    }
}

const fn reach(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "the threads of one block",
        Scope::Cluster => "the threads of one cluster",
        Scope::Gpu => "the threads of one GPU",
        Scope::Sys => "the whole system",
    }
}

/// Where two threads are that need a scope as wide as this.
const fn apart(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "different threads of one block",
        Scope::Cluster => "in different blocks of one cluster",
        Scope::Gpu => "in different blocks",
        Scope::Sys => "on different devices",
    }
}

const fn fence_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "__threadfence_block()",
        Scope::Cluster => "fence.acq_rel.cluster",
        Scope::Gpu => "__threadfence()",
        Scope::Sys => "__threadfence_system()",
    }
}

const fn atomic_of(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "the `_block` functions, such as `atomicAdd_block`",
        Scope::Cluster => "`cuda::thread_scope_device`, or PTX with `.cluster`",
        Scope::Gpu => "the plain functions, such as `atomicAdd`",
        Scope::Sys => "the `_system` functions, such as `atomicAdd_system`",
    }
}

const fn proxy(proxy: Proxy) -> &'static str {
    match proxy {
        Proxy::Generic => "generic proxy",
        Proxy::Async => "async proxy",
        Proxy::Tensormap => "tensormap proxy",
        Proxy::Texture => "texture proxy",
        Proxy::Surface => "surface proxy",
    }
}

fn held(locks: &[u64]) -> String {
    match locks {
        [] => "no lock is held".into(),
        [one] => format!("the lock at {one:#x} is held"),
        many => {
            let list: Vec<_> = many.iter().map(|l| format!("{l:#x}")).collect();
            format!("the locks at {} are held", list.join(" and "))
        }
    }
}

/// A PTX instruction as the CUDA C++ that usually makes it, and itself.
pub(crate) fn spelled(text: &str) -> String {
    let mnemonic = text.split([' ', '\t', ';']).next().unwrap_or("");
    let cuda = match mnemonic {
        "membar.cta" => "__threadfence_block()",
        "membar.gl" => "__threadfence()",
        "membar.sys" => "__threadfence_system()",
        "bar.warp.sync" => "__syncwarp()",
        "bar.sync" | "barrier.sync" | "barrier.sync.aligned" => "__syncthreads()",
        m if m.starts_with("atom.") || m.starts_with("red.") => return atomic(m),
        m if m.starts_with("shfl.sync") => "__shfl_sync()",
        m if m.starts_with("vote.sync.ballot") => "__ballot_sync()",
        m if m.starts_with("vote.sync.any") => "__any_sync()",
        m if m.starts_with("vote.sync.all") => "__all_sync()",
        m if m.starts_with("match.any") => "__match_any_sync()",
        m if m.starts_with("activemask") => "__activemask()",
        _ => "",
    };
    match (cuda, mnemonic) {
        ("", "") => "the host call".into(),
        ("", mnemonic) => format!("`{mnemonic}`"),
        (cuda, _) => format!("`{cuda}`"),
    }
}

/// `atom.global.cta.add.u32` as `` `atomicAdd_block()` ``.
fn atomic(mnemonic: &str) -> String {
    const NAMES: [(&str, &str); 10] = [
        ("add", "atomicAdd"),
        ("exch", "atomicExch"),
        ("cas", "atomicCAS"),
        ("min", "atomicMin"),
        ("max", "atomicMax"),
        ("and", "atomicAnd"),
        ("or", "atomicOr"),
        ("xor", "atomicXor"),
        ("inc", "atomicInc"),
        ("dec", "atomicDec"),
    ];
    // Those with an ordering come from `cuda::atomic`, which has other names.
    let has = |part: &str| mnemonic.split('.').any(|m| m == part);
    let plain = !["acquire", "release", "acq_rel", "relaxed", "cluster"].iter().any(|m| has(m));
    let suffix = match (has("cta"), has("sys")) {
        (true, _) => "_block",
        (_, true) => "_system",
        _ => "",
    };
    match NAMES.iter().find(|(op, _)| has(op)) {
        Some((_, name)) if plain => format!("`{name}{suffix}()`"),
        _ => format!("`{mnemonic}`"),
    }
}
