//! The time of kernels, measured by pairs of events around some of their launches.
//!
//! Measuring begins with the first kernel without checks: only then a report has shares of the time. Events are recorded
//! by the driver's own functions, so that the order of launches does not change for the program.

use crate::call::call;
use crate::driver;
use crate::hooks::SUCCESS;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The first launches of a kernel are measured, then one of so many.
const FIRST: u64 = 16;
const ONE_OF: u64 = 16;
/// Limits how many pairs are under way.
const MOST: usize = 256;

static ON: AtomicBool = AtomicBool::new(false);
static TIMES: Mutex<Option<Times>> = Mutex::new(None);

/// A pair of events of a context.
#[derive(Clone, Copy)]
struct Pair {
    events: [usize; 2],
    context: usize,
}

/// The launches of a kernel since measuring began, and the time of those that were measured, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Time {
    launches: u64,
    measured: u64,
    sum: f64,
}

#[derive(Default)]
struct Times {
    kernels: HashMap<usize, Time>,
    under_way: VecDeque<(usize, Pair)>,
    free: Vec<Pair>,
}

fn lock() -> MutexGuard<'static, Option<Times>> {
    TIMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to measure.
pub(crate) fn begin() {
    ON.store(true, Ordering::Relaxed);
}

/// A launch that is measured. The second event is recorded when this value is dropped, behind the launch.
pub(crate) struct Measured {
    function: usize,
    pair: Pair,
    stream: *mut c_void,
}

/// Records the first event of a launch, if the launch is to be measured.
pub(crate) fn before(function: usize, stream: *mut c_void) -> Option<Measured> {
    if !ON.load(Ordering::Relaxed) {
        return None;
    }
    let context = driver::context()?;
    let mut times = lock();
    let times = times.get_or_insert_default();
    let time = times.kernels.entry(function).or_default();
    time.launches += 1;
    if time.launches > FIRST && !time.launches.is_multiple_of(ONE_OF) {
        return None;
    }
    times.collect();
    if times.under_way.len() >= MOST {
        return None;
    }
    let pair = times.pair(context)?;
    (record(pair.events[0], stream)).then_some(Measured { function, pair, stream })
}

fn record(event: usize, stream: *mut c_void) -> bool {
    call!(c"cuEventRecord"(event as *mut c_void => *mut c_void, stream => *mut c_void)) == SUCCESS
}

impl Drop for Measured {
    fn drop(&mut self) {
        let recorded = record(self.pair.events[1], self.stream);
        if let Some(times) = lock().as_mut() {
            match recorded {
                true => times.under_way.push_back((self.function, self.pair)),
                false => times.free.push(self.pair),
            }
        }
    }
}

impl Times {
    /// Returns a pair of events of a context that is not in use.
    fn pair(&mut self, context: usize) -> Option<Pair> {
        if let Some(at) = self.free.iter().position(|pair| pair.context == context) {
            return Some(self.free.swap_remove(at));
        }
        let mut events = [0; 2];
        for event in &mut events {
            let mut made: *mut c_void = std::ptr::null_mut();
            let code = driver::beside_captures(
                || call!(c"cuEventCreate"(&mut made => *mut *mut c_void, 0 => c_uint)),
            );
            if code != SUCCESS {
                return None;
            }
            *event = made as usize;
        }
        Some(Pair { events, context })
    }

    /// Takes the times of launches that have ended.
    fn collect(&mut self) {
        while let Some(&(function, pair)) = self.under_way.front() {
            let [first, last] = pair.events.map(|event| event as *mut c_void);
            // A stream that another thread captures must not see the query.
            let ended = || call!(c"cuEventQuery"(last => *mut c_void)) == SUCCESS;
            if !driver::beside_captures(ended) {
                return;
            }
            self.under_way.pop_front();
            let mut milliseconds = 0f32;
            let code = call!(c"cuEventElapsedTime"(
                &mut milliseconds => *mut f32, first => *mut c_void, last => *mut c_void,
            ));
            if code == SUCCESS {
                self.measured(function, milliseconds.into());
            }
            self.free.push(pair);
        }
    }

    fn measured(&mut self, function: usize, milliseconds: f64) {
        let time = self.kernels.entry(function).or_default();
        time.measured += 1;
        time.sum += milliseconds;
    }

    /// Returns the estimated time of each kernel's launches: their number times the mean of those that were measured.
    fn estimated(&self) -> HashMap<usize, f64> {
        let measured = self.kernels.iter().filter(|(_, time)| time.measured > 0);
        measured.map(|(kernel, t)| (*kernel, t.sum / t.measured as f64 * t.launches as f64)).collect()
    }
}

/// Returns the estimated time of all launches of each kernel since measuring began, in milliseconds, by the kernel's
/// handle.
pub(crate) fn estimated() -> HashMap<usize, f64> {
    let mut times = lock();
    let Some(times) = times.as_mut() else { return HashMap::new() };
    times.collect();
    times.estimated()
}

/// Forgets the events of contexts that are gone.
pub(crate) fn forget() {
    if let Some(times) = lock().as_mut() {
        times.under_way.clear();
        times.free.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_that_are_not_measured_take_as_long_as_those_that_are() {
        let mut times = Times::default();
        for (kernel, launches) in [(1, 100), (2, 3), (3, 5)] {
            times.kernels.insert(kernel, Time { launches, ..Time::default() });
        }
        times.measured(1, 2.0);
        times.measured(1, 4.0);
        times.measured(2, 10.0);
        let estimated = times.estimated();
        assert_eq!((estimated[&1], estimated[&2], estimated.get(&3)), (300.0, 30.0, None));
    }
}
