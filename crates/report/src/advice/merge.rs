//! One advice for pairs of one finding that different changes mend.

use super::{Position, Role, Spot, Step, Way};

/// Returns the way that does what both do. `swapped` tells that the second one calls (1) what the first one calls (2).
pub(crate) fn both(one: &Way, other: &Way, swapped: bool) -> Way {
    let mut steps = one.steps.clone();
    for step in &other.steps {
        let step = if swapped { swap(step.clone()) } else { step.clone() };
        let known = |old: &Step| match (old, &step) {
            (Step::InsertBarrier { group: a, at: x }, Step::InsertBarrier { group: b, at: y }) => {
                a == b && x == y
            }
            (old, new) => old == new,
        };
        if !steps.iter().any(known) {
            steps.push(step);
        }
    }
    Way { steps }
}

fn swap(mut step: Step) -> Step {
    match &mut step {
        Step::InsertBarrier { at, .. }
        | Step::InsertRoleBarrier { at, .. }
        | Step::HandOver { at, .. }
        | Step::InsertFence { at, .. }
        | Step::InsertProxyFence { at, .. }
        | Step::InsertProductFence { at }
        | Step::OrderTensorMemory { at, .. }
        | Step::OrderTasks { at, .. }
        | Step::SplitKernel { at }
        | Step::WaitFor { at, .. } => swap_position(at),
        Step::WidenScope { at, .. }
        | Step::MakeAtomic { at, .. }
        | Step::UseOneSize { at }
        | Step::SeparateElements { at, .. }
        | Step::MeetAtOne { at }
        | Step::TakeLock { at, .. } => at.iter_mut().for_each(swap_spot),
        Step::Order { at, .. }
        | Step::Discard { at }
        | Step::SplitStatement { at, .. }
        | Step::OneThread { at, .. }
        | Step::ArriveByAll { at }
        | Step::NameLanes { at }
        | Step::Initialize { at }
        | Step::ExpectBytes { at } => swap_spot(at),
        Step::Move { what, to } => {
            swap_spot(what);
            swap_position(to);
        }
    }
    step
}

fn swap_position(at: &mut Position) {
    match at {
        Position::Between(a, b) | Position::BetweenRounds(a, b) => {
            swap_spot(a);
            swap_spot(b);
            if a.role == Role::Second && b.role == Role::First {
                std::mem::swap(a, b);
            }
        }
        Position::Before(spot) | Position::After(spot) => swap_spot(spot),
    }
}

fn swap_spot(spot: &mut Spot) {
    spot.role = match spot.role {
        Role::First => Role::Second,
        Role::Second => Role::First,
        role => role,
    };
}
