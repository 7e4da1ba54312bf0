//! Tensors of Python programs: the variables of the calling code that hold memory of the device.
//!
//! A framework takes much of the device's memory by one call and divides it, so a report that names the call names no tensor. Where a
//! Python thread launches a kernel or copies, `tensors.py` lists the tensors that its code has names for; [`History`] keeps the lists,
//! and a finding is given the tensor that its access was in when its task was submitted.

use crate::python;
use crate::python::embedded::Interpreter;
use events::TaskId;
use protocol::Tensor;
use std::cell::Cell;
use std::collections::{HashSet, VecDeque};
use std::ffi::{CStr, c_void};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

const SOURCE: &CStr = match CStr::from_bytes_with_nul(
    concat!(include_str!("../../../python/warprace/tensors.py"), "\0").as_bytes(),
) {
    Ok(source) => source,
    Err(_) => panic!("tensors.py has a zero byte"),
};

/// A name in angle brackets is of no file: `python::here` passes over its frames.
const NAME: &CStr = c"<warprace tensors>";

/// The module's function once the module has run, [`FAILED`] if it could not.
static FUNCTION: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// An address that is no object's.
const FAILED: *mut c_void = std::ptr::without_provenance_mut(1);

thread_local! {
    /// An object's method that is asked for its address may call CUDA.
    static ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether a call submits work whose findings name memory.
fn submits(api: &str) -> bool {
    let work = ["Launch", "Memcpy", "Memset", "_operator"];
    work.iter().any(|part| api.contains(part)) && !api.contains("Get") && !api.contains("_operator_")
}

/// Returns the list of the tensors that this thread's Python code has names for, where it makes a call that submits work.
pub(crate) fn here(api: &str) -> Option<String> {
    if !submits(api) || ASKING.replace(true) {
        return None;
    }
    let list = python::with_lock(|| {
        let python = Interpreter::get()?;
        let mut function = FUNCTION.load(Ordering::Relaxed);
        // SAFETY: this thread holds the interpreter's lock, and the function lives as long as its module, which is never given back.
        unsafe {
            if function.is_null() {
                let variables = python.run(SOURCE, NAME);
                let found = variables.and_then(|variables| python.variable(variables, c"tensors"));
                function = found.unwrap_or(FAILED);
                FUNCTION.store(function, Ordering::Relaxed);
            }
            if function == FAILED { None } else { python.text_of(function) }
        }
    });
    ASKING.set(false);
    list.flatten()
}

/// Number of latest lists that are kept.
const LISTS: usize = 1 << 16;

/// The lists, each with the first task that it counts for.
#[derive(Default)]
pub(crate) struct History {
    lists: VecDeque<(TaskId, Arc<str>)>,
    known: HashSet<Arc<str>>,
}

impl History {
    /// Records the list of the tensors that have names when a task is submitted.
    pub(crate) fn add(&mut self, task: TaskId, list: &str) {
        if self.lists.back().is_some_and(|(_, last)| **last == *list) {
            return;
        }
        let list = match self.known.get(list) {
            Some(known) => known.clone(),
            None => Arc::from(list),
        };
        self.known.insert(list.clone());
        if self.lists.len() == LISTS {
            self.lists.pop_front();
            self.known.retain(|list| Arc::strong_count(list) > 1);
        }
        self.lists.push_back((task, list));
    }

    /// Returns the tensor that an address of an allocation was in when a task was submitted.
    pub(crate) fn at(&self, task: TaskId, address: u64, held: Range<u64>) -> Option<Tensor> {
        let after = self.lists.partition_point(|(first, _)| *first <= task);
        let (_, list) = self.lists.get(after.checked_sub(1)?)?;
        let mut tensors = list.lines().filter_map(|line| parse(line, &held));
        tensors.find(|tensor| tensor.base <= address && address - tensor.base < tensor.bytes)
    }
}

/// Reads a line of a list: address, bytes, name, type and shape.
///
/// A tensor whose length is not known goes to the end of the allocation. One that is not inside is of another allocation.
fn parse(line: &str, held: &Range<u64>) -> Option<Tensor> {
    let mut parts = line.splitn(4, '\t');
    let (base, bytes): (u64, u64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let (name, form) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let room = held.end.checked_sub(base).filter(|_| held.contains(&base))?;
    let bytes = if bytes == 0 { room } else { bytes };
    (bytes <= room).then_some(Tensor { name, form, base, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_counts_from_its_task_on() {
        let mut history = History::default();
        history.add(TaskId(3), "4096\t64\ta\tfloat32[16]\n8192\t0\tb\ti32");
        history.add(TaskId(5), "4096\t64\tc\tfloat32[16]");
        let name = |task, address| history.at(TaskId(task), address, 4096..9000).map(|tensor| tensor.name);
        assert_eq!(name(2, 4096), None);
        assert_eq!(name(4, 4159).as_deref(), Some("a"));
        assert_eq!((name(4, 4160), name(4, 8999).as_deref(), name(4, 9000)), (None, Some("b"), None));
        assert_eq!(name(6, 4096).as_deref(), Some("c"));
        let again = history.at(TaskId(4), 8192, 8192..9000).unwrap();
        assert_eq!((again.base, again.bytes, again.form.as_str()), (8192, 808, "i32"));
        assert_eq!(history.at(TaskId(4), 8200, 8196..9000), None);
    }

    #[test]
    fn only_calls_that_submit_work_list_tensors() {
        assert!(submits("cuLaunchKernelEx") && submits("cudaMemcpyAsync") && submits("warprace_operator"));
        assert!(!submits("cuMemAlloc_v2") && !submits("warprace_operator_memory"));
        assert_eq!(here("cuLaunchKernel"), None);
    }
}
