//! Why nothing orders two accesses, and what would.
//!
//! **Size:** one sentence for each note of a finding.

use crate::attribute::{BarrierStep, barrier_step, user_frame};
use crate::pair::{is_one_store, one_function, swaps_the_word};
use crate::registers;
use crate::source::Sources;
use crate::tensor;
use crate::words;
use events::access::Scope;
use events::{Class, Finding, Frame, Location, Proxy, Site, SiteId, SiteTable, SyncNote};

/// Writes the explanations of one process's findings.
#[derive(Clone, Copy, Debug)]
pub struct Explainer<'a> {
    pub sites: &'a SiteTable,
    pub sources: &'a Sources,
}

impl Explainer<'_> {
    /// Returns the synchronisation that was found between the two accesses, and why it does not order them.
    /// `location` names places in memory.
    pub fn why(&self, finding: &Finding, location: &dyn Fn(Location) -> String) -> String {
        if finding.class == Class::WgmmaRegisters {
            return registers::why(finding);
        }
        let mut sentences: Vec<String> = Vec::new();
        let neither = neither_side(&finding.notes);
        if let Some(flag) = neither {
            sentences.push(format!(
                "the two threads meet at a flag{}, but without fences: nothing releases (1) before the flag is set, \
                 and nothing acquires after it is read (PTX §8.8)",
                flag.map_or_else(String::new, |site| format!(", {}", self.place(site)))
            ));
        }
        let neither = neither.filter(|flag| flag.is_none_or(|flag| barrier_step(self.sites, flag).is_none()));
        let told = |n: &&SyncNote| matches!(n, SyncNote::NoRelease { .. } | SyncNote::NoAcquire { .. });
        let counted = finding.sides.iter().any(|side| self.counts_bytes(side.site));
        let as_meant = |note: &SyncNote| match *note {
            // Other copies have no phase.
            SyncNote::PhaseTooEarly if !counted => SyncNote::NotWaited,
            // A library's barrier is no flag of the user's.
            SyncNote::NoAcquire { flag: Some(flag) }
            | SyncNote::NoRelease { flag: Some(flag) }
            | SyncNote::SetTooEarly { flag }
            | SyncNote::ReleasedTooEarly { flag }
            | SyncNote::SetByAnother { flag, mates: false, .. }
                if let Some(step) = barrier_step(self.sites, flag) =>
            {
                match step {
                    BarrierStep::Arrive => SyncNote::NotAwaited { site: flag },
                    BarrierStep::Other => SyncNote::OtherBarrier { site: flag },
                }
            }
            // Which comes first is not known of instructions of two functions.
            SyncNote::SetTooEarly { flag } if !one_function(self.sites, finding.sides[0].site, flag) => {
                SyncNote::NoRelease { flag: Some(flag) }
            }
            _ => note.clone(),
        };
        for note in finding.notes.iter().filter(|n| neither.is_none() || !told(n)).map(as_meant) {
            let sentence = match note {
                SyncNote::Nothing if is_one_store(finding) => ONE_STORE.into(),
                _ => self.note(&note, finding, location),
            };
            if !sentence.is_empty() && !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
        if sentences.is_empty() {
            let why = if is_one_store(finding) { ONE_STORE } else { nothing(finding.class) };
            sentences.push(why.into());
        }
        sentences.join("; ")
    }

    fn note(&self, note: &SyncNote, finding: &Finding, location: &dyn Fn(Location) -> String) -> String {
        let class = finding.class;
        match note {
            SyncNote::Nothing => nothing(class).into(),
            SyncNote::Tensor(gap) => tensor::why(*gap).into(),
            SyncNote::ScopeTooNarrow { site, scope, needed } => format!(
                "{} reaches only {}, but those that it should order are {} (PTX §8.5)",
                self.place(*site),
                reach(*scope),
                apart(*needed)
            ),
            SyncNote::SetTooEarly { flag } => format!(
                "the flag that the thread of (2) saw was set{} before (1), so it says nothing of (1): what comes \
                 after a release is not released by it (PTX §8.8)",
                self.optional_place(Some(*flag))
            ),
            SyncNote::SetByAnother { flag, mates, .. } => {
                let (who, barrier) = other(*mates);
                format!(
                    "the flag was set{} by another {who}, which did not wait for the thread of (1): no {barrier} lies \
                     between (1) and that store",
                    self.optional_place(Some(*flag))
                )
            }
            SyncNote::ReadByAnother { read, mates } => {
                let (who, barrier) = other(*mates);
                format!(
                    "(1) was released, and acquired through the flag by {}, but by another {who} than that of (2): no \
                     {barrier} lies between its acquire (that read, or the fence after it) and (2), and to pass on a \
                     value passes on no memory",
                    self.place(*read)
                )
            }
            SyncNote::ArrivedByAnother { arrive, mates } => {
                let (who, barrier) = other(*mates);
                format!(
                    "the thread of (2) waits for an mbarrier at which another {who} arrives, by {}, which did not wait for \
                     the thread of (1): no {barrier} lies between (1) and that arrival, and an arrival releases what its own \
                     thread knows of (PTX §8.8)",
                    self.place(*arrive)
                )
            }
            SyncNote::WaitedByAnother { wait, mates } => {
                let (who, barrier) = other(*mates);
                format!(
                    "the thread of (1) arrives at an mbarrier which another {who} than that of (2) waits for, by {}: no \
                     {barrier} lies between that wait and (2)",
                    self.place(*wait)
                )
            }
            SyncNote::MetApart { places } => {
                let places = places.iter().map(|(site, warps)| {
                    format!("{} at {}", words::counted("warp", warps), self.place(*site))
                });
                format!(
                    "the block's warps last met at different barriers, {}: a barrier counts threads, wherever in the code \
                     they wait, so that its warps are out of step from there on (PTX §9.7.13, barrier)",
                    words::list(places)
                )
            }
            SyncNote::BegunTooEarly => {
                "the asynchronous copy (2) was started while (1) could still be under way: nothing orders (1) before \
                 the start of the copy"
                    .into()
            }
            SyncNote::NotPassedOn { read, write } => format!(
                "(1) was released, but a third thread, which read that flag by {} and set the next one by {}, does \
                 not pass it on: there is no fence of theirs between the two that acquires and releases (PTX §8.8)",
                self.place(*read),
                self.place(*write)
            ),
            SyncNote::NotObserved { release } => format!(
                "{} releases (1), but the thread of (2) does not read what it wrote before (2): a release orders \
                 nothing until an acquire observes it (PTX §8.8)",
                self.place(*release)
            ),
            SyncNote::NotAwaited { site } => format!(
                "{} only arrives: between arriving and waiting nothing is ordered yet, and there one of the two \
                 accesses is made",
                self.place(*site)
            ),
            SyncNote::WaitedAlone => {
                "the thread that started the asynchronous operation has waited for it, but that \
                 thread only: nothing tells the thread of the other access"
                    .into()
            }
            SyncNote::PhaseTooEarly => {
                "the asynchronous operation was still allowed to be under way: a phase of an \
                 mbarrier was waited for, but it ended before the operation's bytes were counted"
                    .into()
            }
            SyncNote::NoAcquire { flag } => format!(
                "(1) was released before the flag was set, but the thread of (2) read the flag{} without acquiring: \
                 there is no fence after that read (PTX §8.8)",
                self.optional_place(*flag)
            ),
            SyncNote::NoRelease { flag } => format!(
                "the thread of (2) acquired through the flag{}, but (1) was not released before that was set: there \
                 is no fence between (1) and that store (PTX §8.8)",
                self.optional_place(*flag)
            ),
            SyncNote::ReleasedTooEarly { flag } => format!(
                "the flag was set{} by another thread, whose last fence or release comes before the barrier at which it \
                 met the thread of (1): a release covers what its own thread knows at that point, so the fence must \
                 stand between that barrier and the store (PTX §8.8)",
                self.optional_place(Some(*flag))
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
            SyncNote::OwnBlockOnly { site } => format!(
                "{} makes the threads of one block wait for each other, and these two are of different blocks",
                self.place(*site)
            ),
            SyncNote::OtherBarrier { site } => format!(
                "{} is not a barrier between the two: only one of the threads waits there, or it waits with \
                 another barrier",
                self.place(*site)
            ),
            SyncNote::RelaxedArrive { site } => format!(
                "{} waits for the other threads, but releases nothing of what came before it (PTX §9.7.13, \
                 barrier.cluster)",
                self.place(*site)
            ),
            SyncNote::Locks { first, second } if first.is_empty() && second.is_empty() => {
                "no lock was held at either access".into()
            }
            SyncNote::Locks { first, second } => {
                let [first, second] = [first, second].map(|locks| held(locks, location));
                format!("{first} at (1) and {second} at (2): none in common")
            }
            SyncNote::NotWaited => {
                "the asynchronous operation was still allowed to be under way: the thread of \
                 the other access did not wait for its completion"
                    .into()
            }
            SyncNote::ProxyFenceMissing { to: Proxy::Texture | Proxy::Surface, .. } => format!(
                "(2) reads through {}, which what this kernel itself has written does not reach: no barrier and no fence \
                 makes the value of (1) visible there before the next kernel, whichever thread wrote it; an ordinary load \
                 sees it (Programming Guide, \"Texture and Surface Memory\", read/write coherency)",
                self.cache(finding.sides[1].site)
            ),
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
            SyncNote::NotBeforeLaunch { site } => format!(
                "the launch{} orders the child behind what its thread did before, and behind what that thread knew of other \
                 threads; all else that the launching kernel does runs beside the child, for which it cannot wait \
                 (Programming Guide, \"CUDA Dynamic Parallelism\")",
                self.line(*site)
            ),
            SyncNote::BeforeGridWait => {
                "the launch of the second kernel lets it begin before the first has ended, and \
                 only what comes after `cudaGridDependencySynchronize()` is ordered after the first"
                    .into()
            }
            SyncNote::NotWaitedBetween => {
                "the kernel launched between the two did not itself wait for (1)'s, so that it may end before that one \
                 has: `cudaGridDependencySynchronize()` in (2)'s kernel waits for the one between only"
                    .into()
            }
            SyncNote::StrongScopes { first, second } if first == second => format!(
                "both have {} scope, which does not reach from the thread of the one to that of the other: an atomic is \
                 atomic only towards threads that both scopes include (PTX §8.7)",
                scope_name(*first)
            ),
            SyncNote::StrongScopes { first, second } => format!(
                "(1) has {} scope and (2) has {} scope: an atomic is atomic only towards threads that both scopes \
                 include (PTX §8.7)",
                scope_name(*first),
                scope_name(*second)
            ),
            SyncNote::PartialOverlap if swaps_the_word(self.sites, finding).is_some() => {
                "both accesses are strong, but libcu++ makes an atomic of 1 or 2 bytes of a compare-and-swap of the 4 \
                 bytes around it: of different size they are not atomic towards each other (PTX §8.7)"
                    .into()
            }
            SyncNote::PartialOverlap => {
                "both accesses are strong, but of different size or offset, so they are \
                 not atomic towards each other (PTX §8.7)"
                    .into()
            }
            SyncNote::EqualValues => {
                "several lanes execute the same store on the same address at once, with equal bytes: PTX makes no \
                 exception for equal values, but the CUDA Programming Guide defines that one of the writes of one \
                 instruction of a warp happens, so these bytes are what stays"
                    .into()
            }
            SyncNote::Pipeline(_) => String::new(),
            SyncNote::Rule(text) => text.clone(),
        }
    }

    /// The cache through which an instruction fetches.
    fn cache(&self, site: Option<SiteId>) -> &'static str {
        let text = site.and_then(|id| self.sites.get(id)).map_or("", |s| &s.text);
        match text {
            _ if text.starts_with("ld.const") => "the constant cache",
            _ if text.starts_with("ld") => "the read-only cache (`__ldg()`, `const __restrict__`)",
            _ if text.starts_with("suld") => "a surface",
            _ => "a texture",
        }
    }

    /// Returns whether the operation reports its bytes to an mbarrier.
    fn counts_bytes(&self, site: Option<SiteId>) -> bool {
        let text = site.and_then(|id| self.sites.get(id)).map_or("", |s| &s.text);
        text.contains("mbarrier") || text.starts_with("st.async") || text.starts_with("red.async")
    }

    /// `` `__threadfence_block()` (main.cu:12) ``, or `` `mbarrier.arrive.b64` (barrier.h:8, called at main.cu:12) ``.
    fn place(&self, site: SiteId) -> String {
        let Some(found) = self.sites.get(site) else { return "an instruction".into() };
        let what = spelled(&found.text);
        match user_frame(found) {
            Some(frame) => {
                let line = |frame: &Frame| format!("{}:{}", self.sources.display(&frame.file), frame.line);
                let callers: String =
                    callers(found, frame).map(|caller| format!(", called at {}", line(caller))).collect();
                format!("{what} ({}{callers})", line(frame))
            }
            None if found.ptx_line != 0 => format!("{what} (PTX line {})", found.ptx_line),
            None => what,
        }
    }

    /// Returns the line of a launch, if it is known.
    fn line(&self, site: SiteId) -> String {
        let frame = self.sites.get(site).and_then(user_frame);
        frame.map_or_else(String::new, |f| format!(" at {}:{}", self.sources.display(&f.file), f.line))
    }

    fn optional_place(&self, site: Option<SiteId>) -> String {
        match site {
            Some(site) => format!(" by {}", self.place(site)),
            None => String::new(),
        }
    }
}

/// Returns the next two frames outside of one of a site's, each in another file than the one before: a header's wait or arrival says by
/// them which barrier is meant.
fn callers<'a>(site: &'a Site, frame: &'a Frame) -> impl Iterator<Item = &'a Frame> {
    let outward = site.frames.iter().skip_while(move |f| !std::ptr::eq(*f, frame));
    let pairs = outward.clone().zip(outward.skip(1));
    pairs.filter(|(inner, outer)| inner.file != outer.file).map(|(_, outer)| outer).take(2)
}

/// Names another thread, and the barrier that both would have to pass.
const fn other(mates: bool) -> (&'static str, &'static str) {
    if mates { ("lane of the warp", "`__syncwarp()`") } else { ("thread of the block", "barrier") }
}

const ONE_STORE: &str = "several threads of the block execute the same store on the same address, and no barrier lies \
                         between: which value stays is undefined, and PTX makes no exception for equal values";

fn nothing(class: Class) -> &'static str {
    match class {
        Class::MissingBarrier => "no barrier that both threads pass lies between the two accesses",
        Class::DivergentWarp => {
            "nothing synchronises the two lanes between the accesses: since sm_70 the threads of a warp need not \
             run in lockstep"
        }
        Class::VolatileWarp => {
            "both accesses are `volatile`, which PTX takes for relaxed operations, so that this is no race (PTX §8.4.2); but \
             nothing makes the lanes wait for each other: since sm_70 the lanes of a warp need not run in lockstep, and one \
             may read before the other has written. With `--volatile weak` it is a race"
        }
        Class::SameInstruction => {
            "several threads execute the same store on the same address at once; which value stays is undefined, \
             and PTX makes no exception for equal values"
        }
        Class::WeakVsAtomic => {
            "one access is atomic, the other is an ordinary one, and nothing orders them: an atomic is atomic only \
             towards other strong accesses (PTX §8.7)"
        }
        Class::MixedSize => {
            "both accesses are strong, but of different size or offset, so they are not atomic towards each \
             other (PTX §8.7)"
        }
        Class::InterBlock => {
            "the threads are in different blocks, and nothing between the two accesses synchronises these: a barrier \
             reaches only its own block"
        }
        Class::ClusterDsmem => "no cluster barrier that both blocks pass lies between the two accesses",
        Class::InterKernel => "no stream, event or synchronising call orders the two kernels",
        Class::HostDevice => "the host does not wait for the kernel before it accesses the same memory",
        Class::MemcpyAsync => "no stream, event or synchronising call orders the copy with the other access",
        Class::AsyncCopy => "nothing waits for the asynchronous copy before the other access",
        Class::LockMissing => "the accesses are not both made while holding a lock",
        Class::LockWrong => "the accesses are made while holding different locks",
        Class::DivergentBarrier => {
            "`__syncthreads()` may stand in a branch only if all threads of the block take it (CUDA Programming Guide): \
             PTX takes the two for one barrier, at which the threads of (1) and (2) have met, so that neither separates \
             what the code around it expects"
        }
        Class::MaskWithoutCaller => {
            "the mask of a warp-wide instruction must name each lane that executes it: otherwise the behaviour is \
             undefined (PTX §9.7.9.6)"
        }
        Class::UninitializedRead => {
            "shared memory begins undefined, and no thread, atomic or copy has written these bytes before the read"
        }
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

/// Says how far apart threads are that need a scope as wide as this.
const fn apart(scope: Scope) -> &'static str {
    match scope {
        Scope::Cta => "different threads of one block",
        Scope::Cluster => "in different blocks of one cluster",
        Scope::Gpu => "in different blocks",
        Scope::Sys => "not all on one GPU",
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

fn held(locks: &[Location], location: &dyn Fn(Location) -> String) -> String {
    match locks {
        [] => "no lock is held".into(),
        [one] => format!("the lock in {} is held", location(*one)),
        many => {
            let list: Vec<_> = many.iter().map(|lock| location(*lock)).collect();
            format!("the locks in {} are held", list.join(" and "))
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
