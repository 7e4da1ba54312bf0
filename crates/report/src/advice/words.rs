//! Advice as the help of a report.

use super::{Awaited, Group, MemoryOrder, Owner, Position, Reach, Role, Scoped, Spot, Step, TaskOrder, Way};
use crate::tensor;

/// All ways, the best first: `do this, and that; or do something else`.
pub fn help(ways: &[Way]) -> String {
    ways.iter().map(way).collect::<Vec<_>>().join("; or ")
}

fn way(way: &Way) -> String {
    let mut text = String::new();
    let mut before: Option<&Step> = None;
    for step in &way.steps {
        let mut next = words(step);
        if let Some(before) = before {
            text.push_str(", and ");
            // `put X here, and put X there` is said once.
            if let (Step::InsertFence { reach: a, .. }, Step::InsertFence { reach: b, at }) = (before, step)
                && a == b
            {
                next = position(at);
            }
            // The barrier comes behind the wait.
            if let (Step::WaitFor { .. }, Step::InsertBarrier { group, .. }) = (before, step) {
                next = format!("then put a `{}`", call(*group));
            }
        }
        text.push_str(&next);
        before = Some(step);
    }
    text
}

fn words(step: &Step) -> String {
    match step {
        Step::InsertBarrier { group, at } => barrier(*group, at),
        Step::InsertRoleBarrier { branch, at } => format!(
            "put a barrier of the threads that take this way of the branch{} {} (`bar.sync 1, COUNT`, or a `cuda::barrier`): \
             `__syncthreads()` would wait for those that take the other way",
            at_line(*branch),
            position(at)
        ),
        Step::HandOver { branch, at } => format!(
            "hand over {} by an mbarrier (`cuda::barrier`), or by `bar.arrive` and `bar.sync` with one id: the threads of the \
             one access arrive after it, those of the other one wait before it. They take different ways of the branch{}, \
             and `__syncthreads()` on either would wait for the other",
            position(at),
            at_line(*branch)
        ),
        Step::ArriveByAll { .. } => {
            "let every thread that makes (1) arrive at the mbarrier, and initialise it with their number".into()
        }
        Step::InsertFence { reach, at } => format!("put `{}` {}", fence(*reach), position(at)),
        Step::WidenScope { what, reach, at } => widen(*what, *reach, at),
        Step::Order { order, at, .. } => ordered(*order, at),
        Step::MakeAtomic { reach, at } => atomic(*reach, at),
        Step::UseOneSize { .. } => {
            "access the location with one size and at one place everywhere, as a whole word or as its parts".into()
        }
        Step::Discard { .. } => {
            "discard only lines that no other thread uses any more: such as those that the block alone has written and read"
                .into()
        }
        Step::Move { what, to } if what.role == Role::FlagSet => {
            format!("move the store of the flag, and the fence before it, {}", position(to))
        }
        Step::Move { what, to } => format!("move {} {}", spot(what), position(to)),
        Step::SplitStatement { group, .. } => format!(
            "read into a variable first, then `{}`, then write (if the accesses are of one round)",
            call(*group)
        ),
        Step::OneThread { group: Group::Warp, .. } => "let one lane store (`if (threadIdx.x % 32 == 0)`)".into(),
        Step::OneThread { .. } => "let one thread store (`if (threadIdx.x == 0)`)".into(),
        Step::SeparateElements { owner, .. } => match owner {
            Owner::Thread => "give each thread its own element, if they are not meant to share one".into(),
            Owner::Block => "give each block its own elements".into(),
            Owner::Task => "let the two use different parts of the memory".into(),
        },
        Step::SplitKernel { .. } => "split the work into two kernels between the two accesses".into(),
        Step::WaitFor { what, at } => wait(*what, at),
        Step::ExpectBytes { .. } => "let the mbarrier expect all bytes of the copy (`mbarrier.arrive.expect_tx`, \
             `cuda::device::barrier_arrive_tx`) before its phase can end"
            .into(),
        Step::TakeLock { lock: Some(lock), .. } => format!("take the lock {lock} around both accesses"),
        Step::TakeLock { lock: None, .. } => {
            "protect the data by one lock: take the same one around both accesses, and give it back after them"
                .into()
        }
        Step::InsertProxyFence { proxy, at } => proxy_fence(proxy, at),
        Step::InsertProductFence { at } => {
            format!("put `wgmma.fence.sync.aligned` {}, in all warps of the warpgroup", position(at))
        }
        Step::OrderTensorMemory { gap, at } => tensor::remedy(*gap, &position(at)),
        Step::MeetAtOne { .. } => "let all threads of the block reach one and the same `__syncthreads()`: move it out of the \
             branch, or use a named barrier with a number of threads (`bar.sync 1, 64`) for a part of the block"
            .into(),
        Step::NameLanes { .. } => "name every lane that executes the instruction in its mask (`0xffffffff`, or \
             `__activemask()` taken before the branch)"
            .into(),
        Step::Initialize { .. } => "let a thread write the element before (2), with a barrier between the two".into(),
        Step::OrderTasks { by, .. } => tasks(*by),
    }
}

const fn call(group: Group) -> &'static str {
    match group {
        Group::Warp => "__syncwarp()",
        Group::Block => "__syncthreads()",
        Group::Cluster => "cluster.sync()",
        Group::Grid => "grid.sync()",
    }
}

fn barrier(group: Group, at: &Position) -> String {
    let call = call(group);
    if let Position::BetweenRounds(..) = at {
        return format!(
            "if the accesses are of different rounds of a loop, put a `{call}` between the rounds"
        );
    }
    if let Position::Before(copy) = at {
        let who = if group == Group::Warp { "all lanes" } else { "all" };
        let other = if copy.role == Role::First { "(2)" } else { "(1)" };
        return format!(
            "put a `{call}` before {}, so that {who} have made {other} before the copy starts (in a loop, at the end of a \
             round)",
            spot(copy)
        );
    }
    let at = position(at);
    match group {
        Group::Warp => format!("put a `{call}` {at}, with a mask that names both lanes"),
        Group::Block => format!(
            "put a `{call}` {at}, where all threads of the block reach it (in a loop, also between the end of one \
             round and the start of the next)"
        ),
        Group::Cluster => format!(
            "put `{call}` {at} (before a block exits, too, while others may still access its shared memory)"
        ),
        Group::Grid => format!("synchronise all blocks {at}, with a cooperative launch and `{call}`"),
    }
}

/// `` at line 12``.
fn at_line(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" at line {line}") }
}

const fn fence(reach: Reach) -> &'static str {
    match reach {
        Reach::Block => "__threadfence_block()",
        Reach::Cluster => "fence.acq_rel.cluster",
        Reach::Device => "__threadfence()",
        Reach::System => "__threadfence_system()",
    }
}

const fn reach_name(reach: Reach) -> &'static str {
    match reach {
        Reach::Block => "block",
        Reach::Cluster => "cluster",
        Reach::Device => "device",
        Reach::System => "system",
    }
}

fn widen(what: Scoped, reach: Reach, at: &[Spot]) -> String {
    let (name, them) = (reach_name(reach), if at.len() == 1 { "it" } else { "them" });
    let of_mbarrier = |spot: &Spot| spot.instruction.starts_with("mbarrier.");
    match what {
        Scoped::Flag if reach == Reach::Cluster && !at.is_empty() && at.iter().all(of_mbarrier) => {
            "arrive by `mbarrier.arrive.release.cluster`, and wait by `mbarrier.try_wait.acquire.cluster`: with no scope \
             written, each reaches the threads of its own block only"
                .into()
        }
        Scoped::Fence if at.is_empty() => format!("widen the fences to {name} scope: `{}`", fence(reach)),
        Scoped::Fence => format!("widen {them} to {name} scope: `{}`", fence(reach)),
        Scoped::Flag => format!(
            "widen {them} to {name} scope: `{}`, {}",
            thread_scope(reach),
            match reach {
                Reach::Cluster => "or `.cluster` in PTX",
                Reach::System => "a function such as `atomicExch_system`, or `.sys` in PTX",
                _ => "or `.gpu` in PTX",
            }
        ),
        Scoped::Lock => {
            format!("take and release the lock with {name} scope, and fence with `{}`", fence(reach))
        }
        Scoped::Atomic => {
            let functions = match reach {
                Reach::Block => "the `_block` functions, such as `atomicAdd_block`",
                Reach::Cluster => "`cuda::thread_scope_device`, or PTX with `.cluster`",
                Reach::Device => "the plain functions, such as `atomicAdd`, or `cuda::thread_scope_device`",
                Reach::System => {
                    "the `_system` functions, such as `atomicAdd_system`, or `cuda::thread_scope_system`"
                }
            };
            format!("give both atomics {name} scope: {functions}")
        }
    }
}

const fn thread_scope(reach: Reach) -> &'static str {
    match reach {
        Reach::Block => "cuda::thread_scope_block",
        Reach::Cluster | Reach::Device => "cuda::thread_scope_device",
        Reach::System => "cuda::thread_scope_system",
    }
}

fn ordered(order: MemoryOrder, at: &Spot) -> String {
    match (order, at.role) {
        (_, Role::Arrive) => "arrive with `.release` instead of `.relaxed`".into(),
        (MemoryOrder::Release, _) => "set the flag with `cuda::memory_order_release`".into(),
        (MemoryOrder::Acquire, _) => "read the flag with `cuda::memory_order_acquire`".into(),
    }
}

fn atomic(reach: Reach, at: &[Spot]) -> String {
    let which = match at {
        [one] if one.role == Role::First => "(1)",
        [one] if one.role == Role::Second => "(2)",
        _ => "both accesses",
    };
    let suffix = if reach == Reach::System { "_system" } else { "" };
    format!(
        "make {which} atomic (`atomicAdd{suffix}`, `atomicExch{suffix}`, or a relaxed `cuda::atomic_ref`)"
    )
}

fn wait(what: Awaited, at: &Position) -> String {
    let place = at;
    let at = position(at);
    match what {
        Awaited::Copy => {
            format!("wait for the copy {at} (`__pipeline_wait_prior(0)`, `cp.async.wait_group`, `cg::wait`)")
        }
        Awaited::Transaction => format!("wait {at} for the phase of the mbarrier that the copy completes"),
        Awaited::BulkGroup => {
            format!("wait {at} until the copy is complete (`cp.async.bulk.wait_group`, without `.read`)")
        }
        Awaited::ProductGroup => {
            format!("wait {at} for the group of the product (`wgmma.commit_group`, `wgmma.wait_group`)")
        }
        Awaited::Commit => format!(
            "wait {at} for the phase of an mbarrier at which a `tcgen05.commit` of the issuing thread arrives"
        ),
        Awaited::BulkGroupRead => {
            format!("wait {at} until the copy has read its source (`cp.async.bulk.wait_group.read`)")
        }
        Awaited::Barrier if matches!(place, Position::After(_)) => {
            "make the access after the wait at that barrier (`wait`, `barrier_wait`, `arrive_and_wait`, \
             `barrier.cluster.wait`)"
                .into()
        }
        Awaited::Users => format!(
            "let the thread that starts the copy wait {at} for all who use the buffer, at an mbarrier at which they arrive \
             when they are done with it (`empty`, `consumer_release` and `producer_acquire`)"
        ),
        Awaited::Barrier => format!(
            "let its thread wait {at} for what that operation sets (the flag, or the `wait` of the barrier or latch)"
        ),
        Awaited::PreviousKernel => format!("call `cudaGridDependencySynchronize()` {at}"),
        Awaited::KernelBeforeTheOneBetween => {
            "call `cudaGridDependencySynchronize()` in the kernel launched between the two, too: before it ends is enough"
                .into()
        }
    }
}

fn proxy_fence(proxy: &str, at: &Position) -> String {
    match (proxy, at) {
        ("async", Position::After(_)) => {
            "put `fence.proxy.async` after the reads (1), before the barrier or arrival by \
             which the memory is given back to be overwritten (`cuda::ptx::fence_proxy_async`)"
                .into()
        }
        ("async", Position::Before(_)) => {
            "put `fence.proxy.async` before (2), after the wait for the asynchronous read \
             (`cuda::ptx::fence_proxy_async`)"
                .into()
        }
        _ => proxy_fence_between(proxy),
    }
}

fn proxy_fence_between(proxy: &str) -> String {
    match proxy {
        "async" => "put `fence.proxy.async` between the generic and the asynchronous access \
             (`cuda::ptx::fence_proxy_async`), before the barrier that hands the data over"
            .into(),
        "tensormap" => "put `fence.proxy.tensormap` between the write of the tensor map and its use".into(),
        _ => format!("end the kernel between the generic access and the one by {proxy}"),
    }
}

fn tasks(by: TaskOrder) -> String {
    match by {
        TaskOrder::SameStream => "put both into one stream".into(),
        TaskOrder::Event => "make the second stream wait: `cudaEventRecord` after the first, `cudaStreamWaitEvent` \
             before the second"
            .into(),
        TaskOrder::Synchronise => "call `cudaStreamSynchronize` or `cudaDeviceSynchronize` between the two".into(),
        TaskOrder::GraphEdge => "add a dependency between the two nodes of the graph (an edge by \
             `cudaGraphAddDependencies`; when capturing, an event recorded after the first and waited for before the \
             second)"
            .into(),
        TaskOrder::BeforeLaunch => "make the launching kernel's access before the launch: in the launching thread, or in front \
             of a `__syncthreads()` that this thread passes before it launches"
            .into(),
        TaskOrder::TailLaunch => "make the launching kernel's access in a kernel that is launched into \
             `cudaStreamTailLaunch`, which begins when all else is complete"
            .into(),
    }
}

fn position(at: &Position) -> String {
    match at {
        Position::Between(a, b) => match (a.role, b.role) {
            (Role::First, Role::Second) | (Role::FirstCall, _) => "between the two accesses".into(),
            _ => format!("between {} and {}", spot(a), spot(b)),
        },
        Position::BetweenRounds(..) => "between the rounds of the loop".into(),
        Position::Before(a) => format!("before {}", spot(a)),
        Position::After(a) => format!("after {}", spot(a)),
    }
}

fn spot(spot: &Spot) -> &'static str {
    match spot.role {
        Role::First => "(1)",
        Role::Second => "(2)",
        Role::FlagSet => "the store of the flag",
        Role::FlagRead => "the read of the flag",
        Role::Fence => "the fence",
        Role::Arrive => "the arrival",
        Role::Wait => "the wait",
        Role::Barrier => "the barrier",
        Role::FirstCall => "the first call",
        Role::SecondCall => "the second call",
    }
}
