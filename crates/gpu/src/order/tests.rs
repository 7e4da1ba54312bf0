//! Sequences of driver calls, and the launch parameters that result.

use super::*;
use instrument::guard::launches::Early;
use protocol::proofs::AskedLaunch;

const A: Stream = Stream::Made(1);
const B: Stream = Stream::Made(2);
const PLAIN: Launched = Launched {
    parameters: 0,
    at: 0,
    acquires: false,
    acquires_far: false,
    tells: false,
    publishes: false,
    early: Early::Throughout,
    gates: false,
};

/// Returns an order with two streams that do not wait for each other.
fn apart() -> Order {
    let mut order = Order::default();
    order.begun(A, Some(0), false);
    order.begun(B, Some(0), false);
    order
}

/// Returns the numbers in the first two lanes that a launch parameter says are ordered before the launch.
fn after(told: [u8; BYTES as usize]) -> [u32; 2] {
    let word = |at: usize| u32::from_le_bytes([told[at], told[at + 1], told[at + 2], told[at + 3]]);
    let first = BYTES as usize - 24 - 4 * LANES;
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
    // The event was never recorded.
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
    // The legacy stream of one device does not wait for streams of another device.
    assert_eq!(launch(&mut order, Stream::Legacy(0)), [1, 0]);
    assert_eq!(launch(&mut order, Stream::Legacy(1)), [0, 1]);
    order.waited_all(Some(1));
    assert_eq!(launch(&mut order, A), [1, 1]);
    order.recorded(7, A);
    order.waits(B, 7);
    assert_eq!(launch(&mut order, B), [2, 1]);
    // A kernel that acquires stays ordered after everything until its own device is waited for.
    order.launched(A, Launched { acquires: true, ..PLAIN }, false);
    order.waited_all(Some(1));
    assert_eq!(launch(&mut order, A), [3, u32::MAX]);
    order.waited_all(Some(0));
    assert_eq!(launch(&mut order, A), [4, 2]);
}

/// Returns the set of devices in a launch parameter.
fn within(told: [u8; BYTES as usize]) -> u16 {
    let at = BYTES as usize - 18;
    u16::from_le_bytes([told[at], told[at + 1]])
}

#[test]
fn an_acquire_with_the_scope_of_a_device_orders_launches_of_that_device() {
    let mut mark = 7u32;
    let near = Launched { acquires: true, ..PLAIN };
    let far = Launched { acquires: true, acquires_far: true, ..PLAIN };
    let mut order = Order::default();
    order.begun(A, Some(0), false);
    order.begun(B, Some(1), false);
    order.compares(&raw mut mark as u64);
    // SAFETY: a local variable.
    let marked = || unsafe { (&raw const mark).read_volatile() };
    assert_eq!(marked(), 0);
    launch(&mut order, A);
    // Kernels look up the devices of other launches in this set themselves.
    let told = order.launched(B, near, false);
    assert_eq!((after(told), within(told)), ([0, 0], 0b10));
    let told = order.launched(B, PLAIN, false);
    assert_eq!((after(told), within(told)), ([0, 1], 0b10));
    // The host has waited: it knows launches of that device, and none of the other.
    order.waited(B);
    let told = order.launched(B, PLAIN, false);
    assert_eq!((after(told), within(told)), ([0, 2], 0));
    // Such a kernel may learn of any launch from one that acquires from other devices.
    order.launched(B, near, false);
    let told = order.launched(B, far, false);
    assert_eq!((after(told), marked()), ([u32::MAX; 2], 0b10));
    order.waited(B);
    assert_eq!(launch(&mut order, B), [1, 5]);
    // Nor is it of a kernel without checks.
    order.passed(A);
    assert_eq!(marked(), 0b11);
}

#[test]
fn what_nothing_is_known_of_orders() {
    let everything = u32::MAX;
    let mut order = apart();
    launch(&mut order, A);
    // The kernel acquires: launches behind it are ordered after everything too.
    order.launched(B, Launched { acquires: true, ..PLAIN }, false);
    assert_eq!(launch(&mut order, B), [everything, 1]);
    // The host waits, so the bound is what was launched before.
    order.waited(B);
    assert_eq!(launch(&mut order, B), [1, 2]);
    assert_eq!(launch(&mut order, A), [1, 2]);
    // The host may learn of this kernel while it runs.
    order.launched(A, Launched { tells: true, ..PLAIN }, false);
    assert_eq!(launch(&mut order, B), [3, 3]);
    // The cases are a graph, a captured event, and an event of another process.
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
    // The launch is ordered after everything that has been launched.
    assert_eq!(launch(&mut order, A), [1, 1]);
    // The host has waited.
    order.waited(A);
    assert_eq!(early(&mut order), [2, 1]);
    // A copy lies between the two kernels.
    order.called(A);
    assert_eq!(early(&mut order), [4, 1]);
    // An event lies between the two kernels, and other work may wait for it.
    order.recorded(7, A);
    assert_eq!(early(&mut order), [5, 1]);
}

/// An unchecked kernel precedes two checked ones, the second of which may begin early. The two must be
/// compared, although everything may be ordered before the unchecked kernel's end.
#[test]
fn an_unchecked_kernel_does_not_order_what_is_early_behind_it() {
    let everything = u32::MAX;
    let mut order = apart();
    let early = |order: &mut Order, kernel| after(order.launched(A, kernel, true));
    launch(&mut order, A);
    // After the first iteration the host may be ordered after everything too. No launch is ordered after its
    // successors.
    for (n, beside) in [everything, 1, 2].into_iter().enumerate() {
        order.passed(A);
        order.passed(B);
        let n = n as u32;
        assert_eq!(launch(&mut order, A), [1 + n, beside]);
        assert_eq!(early(&mut order, PLAIN), [1 + n, n]);
    }
    // The kernel may synchronise with its predecessor while it runs.
    launch(&mut order, A);
    assert_eq!(early(&mut order, Launched { acquires: true, ..PLAIN }), [everything; 2]);
    // The direct predecessor is an unchecked kernel, or no kernel.
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

#[test]
fn a_kernel_of_a_library_is_compared_with_what_no_stream_orders() {
    for trusted in [false, true] {
        let mut order = apart();
        launch(&mut order, A);
        // The stand-in for its accesses is ordered neither after the other stream nor before it.
        assert_eq!(order.machine_code(B, trusted).map(after), Some([0, 0]));
        assert_eq!(launch(&mut order, A), [1, 0]);
        // A second one is compared, too, although the first may have synchronised with anything.
        assert_eq!(order.machine_code(B, trusted).map(after), Some([0, 1]));
        // The host may know of other work through what libraries may have synchronised, and not of the libraries' own.
        assert_eq!(launch(&mut order, A), [2, 0]);
        // Only a trusted library is known to have synchronised with nothing.
        assert_eq!(launch(&mut order, B), [if trusted { 0 } else { u32::MAX }, 2]);
        order.waited(B);
        assert_eq!(launch(&mut order, A), [3, 2]);
    }
}

#[test]
fn what_acquires_beside_libraries_orders_their_kernels_too() {
    let mut order = apart();
    launch(&mut order, A);
    order.passed(B);
    assert_eq!(order.machine_code(B, true).map(after), Some([u32::MAX; 2]));
}

#[test]
fn memory_that_is_mapped_for_the_first_time_orders_nothing() {
    let mut order = apart();
    launch(&mut order, A);
    order.allocated(0x4000, 0x2000);
    order.allocated(0x6000, 0x1000);
    assert_eq!(launch(&mut order, B), [0, 0]);
    // Both are unmapped at once, and their addresses are used again.
    order.unmapped(0x4000, 0x3000);
    order.allocated(0x8000, 0x1000);
    assert_eq!(launch(&mut order, B), [0, 1]);
    order.allocated(0x6800, 0x100);
    assert_eq!(launch(&mut order, B), [1, 2]);
}

/// Reads of another stream replace those of a run's first launch in the table, and race with none of them.
#[test]
fn work_of_another_stream_at_the_same_memory_ends_a_run() {
    let mut order = apart();
    let asked =
        AskedLaunch { grid: [1; 3], block: [32, 1, 1], memory: vec![(64, 32)], ..AskedLaunch::default() };
    let repeated = Repeated { function: 1, launch: asked };
    let check = |order: &mut Order| {
        launch(order, A);
        order.leaves(A, Some(&[64]));
        order.checked(A, repeated.clone());
    };
    launch(&mut order, B);
    assert!(!order.is_repeat(A, &repeated));
    check(&mut order);
    assert!(order.is_repeat(A, &repeated));
    order.leaves(B, Some(&[128]));
    order.leaves(A, Some(&[64]));
    assert!(order.is_repeat(A, &repeated), "other memory, and the own stream");
    order.leaves(B, Some(&[64]));
    assert!(!order.is_repeat(A, &repeated));
    check(&mut order);
    assert!(order.is_repeat(A, &repeated));
    order.leaves(B, None);
    assert!(!order.is_repeat(A, &repeated), "any memory");
}
