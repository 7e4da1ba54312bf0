//! What launches are told, call by call.

use super::*;
use instrument::guard::launches::Early;

const A: Stream = Stream::Made(1);
const B: Stream = Stream::Made(2);
const PLAIN: Launched = Launched {
    parameters: 0,
    at: 0,
    acquires: false,
    tells: false,
    publishes: false,
    early: Early::Throughout,
    gates: false,
};

/// Two streams that wait for nobody.
fn apart() -> Order {
    let mut order = Order::default();
    order.begun(A, Some(0), false);
    order.begun(B, Some(0), false);
    order
}

/// Numbers of the launches in the first two lanes that one is told to be after.
fn after(told: [u8; BYTES as usize]) -> [u32; 2] {
    let word = |at: usize| u32::from_le_bytes([told[at], told[at + 1], told[at + 2], told[at + 3]]);
    let first = BYTES as usize - 16 - 4 * LANES;
    [word(first), word(first + 4)]
}

fn launch(order: &mut Order, stream: Stream) -> [u32; 2] {
    after(order.launched(stream, PLAIN, false))
}

#[test]
fn streams_are_ordered_by_events_alone() {
    let mut order = apart();
    assert_eq!(launch(&mut order, A), [0, 0]);
    order.recorded(7, A);
    assert_eq!(launch(&mut order, A), [1, 0]);
    assert_eq!(launch(&mut order, B), [0, 0]);
    order.waits(B, 7);
    assert_eq!(launch(&mut order, B), [1, 1]);
    // One that was never recorded.
    order.waits(B, 8);
    assert_eq!(launch(&mut order, B), [1, 2]);
}

#[test]
fn the_legacy_stream_and_blocking_ones_wait_for_each_other() {
    let mut order = Order::default();
    order.begun(A, Some(0), true);
    launch(&mut order, A);
    assert_eq!(launch(&mut order, Stream::Legacy(0)), [1, 0]);
    assert_eq!(launch(&mut order, A), [1, 1]);
    order.begun(B, Some(0), false);
    assert_eq!(launch(&mut order, B), [0, 0]);
}

#[test]
fn what_the_host_waits_for_is_before_all_that_comes() {
    let mut order = apart();
    launch(&mut order, A);
    order.waited(A);
    assert_eq!(launch(&mut order, B), [1, 0]);
    launch(&mut order, A);
    order.waited_all(Some(0));
    assert_eq!(launch(&mut order, B), [2, 1]);
    order.destroyed(A);
    order.recorded(3, B);
    launch(&mut order, B);
    order.reached(3);
    assert_eq!(launch(&mut order, Stream::Legacy(0))[..2], [2, 2]);
}

#[test]
fn devices_wait_for_each_other_by_events_and_the_host_alone() {
    let mut order = Order::default();
    order.begun(A, Some(0), true);
    order.begun(B, Some(1), true);
    launch(&mut order, A);
    launch(&mut order, B);
    // The legacy stream of one does not wait for streams of the other.
    assert_eq!(launch(&mut order, Stream::Legacy(0)), [1, 0]);
    assert_eq!(launch(&mut order, Stream::Legacy(1)), [0, 1]);
    order.waited_all(Some(1));
    assert_eq!(launch(&mut order, A), [1, 1]);
    order.recorded(7, A);
    order.waits(B, 7);
    assert_eq!(launch(&mut order, B), [2, 1]);
    // One that learns of others stays so until its own device is waited for.
    order.launched(A, Launched { acquires: true, ..PLAIN }, false);
    order.waited_all(Some(1));
    assert_eq!(launch(&mut order, A), [3, u32::MAX]);
    order.waited_all(Some(0));
    assert_eq!(launch(&mut order, A), [4, 2]);
}

#[test]
fn what_nothing_is_known_of_orders() {
    let everything = u32::MAX;
    let mut order = apart();
    launch(&mut order, A);
    // A kernel that reads flags: what it has learned those behind it know, too.
    order.launched(B, Launched { acquires: true, ..PLAIN }, false);
    assert_eq!(launch(&mut order, B), [everything, 1]);
    // The host waits: no more was launched before.
    order.waited(B);
    assert_eq!(launch(&mut order, B), [1, 2]);
    assert_eq!(launch(&mut order, A), [1, 2]);
    // One that the host may hear of while it runs.
    order.launched(A, Launched { tells: true, ..PLAIN }, false);
    assert_eq!(launch(&mut order, B), [3, 3]);
    // A graph, a captured event, one of another process.
    order.passed(A);
    assert_eq!(launch(&mut order, A), [3, everything]);
    let mut order = apart();
    order.foreign(1);
    order.waits(B, 1);
    assert_eq!(launch(&mut order, B), [0, everything]);
}

#[test]
fn memory_that_was_given_back_is_new() {
    let mut order = apart();
    launch(&mut order, A);
    order.allocated(4096, 512);
    order.freed(4096);
    order.allocated(8192, 64);
    assert_eq!(launch(&mut order, B), [0, 0]);
    order.allocated(4352, 64);
    assert_eq!(launch(&mut order, B), [1, 1]);
}

#[test]
fn launches_that_overlap_have_lanes_of_their_own() {
    let mut order = apart();
    let early = |order: &mut Order| after(order.launched(A, PLAIN, true));
    launch(&mut order, A);
    assert_eq!(early(&mut order), [0, 0]);
    // Behind all there was.
    assert_eq!(launch(&mut order, A), [1, 1]);
    // The host has waited.
    order.waited(A);
    assert_eq!(early(&mut order), [2, 1]);
    // A copy came between.
    order.called(A);
    assert_eq!(early(&mut order), [4, 1]);
    // An event: who knows.
    order.recorded(7, A);
    assert_eq!(early(&mut order), [5, 1]);
}

/// A kernel without PTX in front of two that were checked, one of them early: nothing was compared, as the first may know everything.
#[test]
fn an_unchecked_kernel_does_not_order_what_is_early_behind_it() {
    let everything = u32::MAX;
    let mut order = apart();
    let early = |order: &mut Order, kernel| after(order.launched(A, kernel, true));
    launch(&mut order, A);
    // The host may know of everything, too, after the first time; no launch knows those behind it.
    for (n, beside) in [everything, 1, 2].into_iter().enumerate() {
        order.passed(A);
        order.passed(B);
        let n = n as u32;
        assert_eq!(launch(&mut order, A), [1 + n, beside]);
        assert_eq!(early(&mut order, PLAIN), [1 + n, n]);
    }
    // It may learn of the other one while it runs.
    launch(&mut order, A);
    assert_eq!(early(&mut order, Launched { acquires: true, ..PLAIN }), [everything; 2]);
    // The unchecked one is directly before it, or something else.
    launch(&mut order, A);
    order.passed(A);
    assert_eq!(early(&mut order, PLAIN), [everything; 2]);
    let others: [fn(&mut Order, Stream); 2] = [Order::came, |order, _| order.recorded_all(7)];
    for other in others {
        launch(&mut order, A);
        other(&mut order, A);
        assert_eq!(early(&mut order, PLAIN), [everything; 2]);
    }
}
