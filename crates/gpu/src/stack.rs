//! Enlarges the device stack for checks.
//!
//! The stack size of a kernel that recurses or calls through pointers is unknown to the driver, which uses
//! the limit that the program has set (`cudaLimitStackSize`). Checks enlarge each frame, so a kernel close to
//! the limit would overflow. This module raises a context's limit when the context is about to launch such a
//! kernel, and returns the program's own number to the program.
//!
//! The driver waits for running kernels when it changes the limit. The change happens when a module is
//! loaded, which waits too, or before a context's first launch of such a module.

use crate::driver;
use crate::hooks::{Code, SUCCESS};
use kernels::{GlobalVariable, Source};
use names::Engine;
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `CU_LIMIT_STACK_SIZE`
const STACK: c_int = 0;

/// The enlarged limit as a factor of the program's limit and a number of additional bytes. A frame of a
/// hundred bytes (a function with eight local words) was measured to double under `guard` and to grow by a
/// quarter under `collide`. Smaller frames grow by more, and the checking function has a frame of its own.
const GUARD: (usize, usize) = (3, 1024);
const COLLIDE: (usize, usize) = (2, 512);

/// Whether a loaded module needs a larger stack.
static WANTED: AtomicBool = AtomicBool::new(false);

#[derive(Debug, Default)]
struct Stacks {
    more: (usize, usize),
    /// The program's own limit, by context.
    own: HashMap<usize, usize>,
    /// Whether the device had no memory for a larger limit.
    full: bool,
}

static STACKS: Mutex<Option<Stacks>> = Mutex::new(None);

fn stacks() -> MutexGuard<'static, Option<Stacks>> {
    STACKS.lock().unwrap_or_else(PoisonError::into_inner)
}

type Get = unsafe extern "C" fn(*mut usize, c_int) -> Code;
type Set = unsafe extern "C" fn(c_int, usize) -> Code;

/// Returns whether a kernel's stack size depends on its execution (recursion or calls through pointers).
fn is_deep(texts: &[String]) -> bool {
    // Most modules define no function.
    if !texts.iter().any(|text| text.contains(".func")) {
        return false;
    }
    if texts.iter().any(|text| text.contains(".callprototype")) {
        return true;
    }
    let parsed: Vec<ptx::Parse> = texts.iter().map(|text| ptx::parse(text)).collect();
    let sources = Source::all(&parsed, texts, "module");
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(1 << 20);
    // A text that cannot be linked has no checks either.
    kernels::link(&sources, &mut nowhere).is_ok_and(|linked| linked.graph.recurses())
}

/// Notes that texts are loaded with an engine's checks.
pub(crate) fn loads(texts: &[String], engine: Engine) {
    if WANTED.load(Ordering::Relaxed) || !is_deep(texts) {
        return;
    }
    let more = if matches!(engine, Engine::Guard { .. }) { GUARD } else { COLLIDE };
    stacks().get_or_insert_default().more = more;
    WANTED.store(true, Ordering::Relaxed);
}

/// Returns the enlarged limit for a program's limit.
fn raised(own: usize, (times, more): (usize, usize)) -> usize {
    own.saturating_mul(times).saturating_add(more)
}

/// Raises the current context's limit if necessary. The caller must not hold the state's lock.
pub(crate) fn ready() {
    if !WANTED.load(Ordering::Relaxed) {
        return;
    }
    let Some(context) = driver::context() else { return };
    let more = match stacks().as_ref() {
        Some(stacks) if !stacks.full && !stacks.own.contains_key(&context) => stacks.more,
        _ => return,
    };
    let (get, set) = (driver::function(c"cuCtxGetLimit"), driver::function(c"cuCtxSetLimit"));
    if get.is_null() || set.is_null() {
        return;
    }
    // SAFETY: the driver's functions of these names have these types.
    let (get, set) = unsafe {
        (std::mem::transmute::<*mut c_void, Get>(get), std::mem::transmute::<*mut c_void, Set>(set))
    };
    let mut own = 0;
    // SAFETY: writes the number.
    if unsafe { get(&mut own, STACK) } != SUCCESS {
        return;
    }
    stacks().get_or_insert_default().own.insert(context, own);
    let wanted = raised(own, more);
    // SAFETY: takes numbers only. The limit stays unchanged if the device has no memory for it.
    let code = driver::beside_captures(|| unsafe { set(STACK, wanted) });
    crate::log::note(|| format!("a stack of {wanted} bytes in the place of {own}: {code}"));
}

/// Wraps `cuCtxSetLimit`.
pub(crate) unsafe fn set(real: Set, limit: c_int, value: usize) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(limit, value) };
    if code != SUCCESS || limit != STACK || !WANTED.load(Ordering::Relaxed) {
        return code;
    }
    let Some(context) = driver::context() else { return code };
    let more = stacks().as_mut().and_then(|stacks| {
        // The driver rounds the limit up.
        stacks.own.insert(context, value.next_multiple_of(16));
        (!stacks.full).then_some(stacks.more)
    });
    if let Some(more) = more {
        // SAFETY: takes numbers only. The program keeps its own limit if the device has no memory for more.
        let _ = unsafe { real(limit, raised(value, more)) };
    }
    code
}

/// Wraps `cuCtxGetLimit` and returns the program's own limit.
pub(crate) unsafe fn get(real: Get, value: *mut usize, limit: c_int) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(value, limit) };
    if code == SUCCESS
        && limit == STACK
        && let Some(own) = own()
    {
        // SAFETY: the driver has written it.
        unsafe { value.write(own) };
    }
    code
}

/// Returns the program's own limit in the current context, if the context has a raised one.
pub(crate) fn own() -> Option<usize> {
    if !WANTED.load(Ordering::Relaxed) {
        return None;
    }
    let context = driver::context()?;
    stacks().as_ref()?.own.get(&context).copied()
}

/// Restores the program's own limit for good, since the program needs the memory. Returns false if there is
/// nothing to restore.
pub(crate) fn give_back() -> bool {
    let Some(own) = own() else { return false };
    let set = driver::function(c"cuCtxSetLimit");
    if set.is_null() || std::mem::replace(&mut stacks().get_or_insert_default().full, true) {
        return false;
    }
    // SAFETY: the driver's function of this name has this type, and takes numbers.
    let code = unsafe { std::mem::transmute::<*mut c_void, Set>(set)(STACK, own) };
    code == SUCCESS
}

/// Returns whether a raised limit can be restored.
pub(crate) fn may_give_back() -> bool {
    own().is_some() && stacks().as_ref().is_some_and(|stacks| !stacks.full)
}

/// Forgets the limits of destroyed contexts.
pub(crate) fn forget() {
    if let Some(stacks) = stacks().as_mut() {
        stacks.own.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str) -> Vec<String> {
        let head = ".version 8.0\n.target sm_75\n.address_size 64\n.func f(.param .b32 n);\n";
        let kernel =
            ".visible .entry k()\n{\n{ .param .b32 n; st.param.b32 [n], 1; call.uni f, (n); }\nret;\n}\n";
        vec![format!("{head}.func f(.param .b32 n)\n{{\n{body}ret;\n}}\n{kernel}")]
    }

    #[test]
    fn kernels_that_recurse_or_call_by_pointers_are_deep() {
        assert!(!is_deep(&text("")));
        assert!(is_deep(&text("{ .param .b32 n; st.param.b32 [n], 1; call.uni f, (n); }\n")));
        assert!(is_deep(&text("prototype: .callprototype _ (.param .b32 n);\n")));
        let plain = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{ ret; }\n";
        assert!(!is_deep(&[plain.to_owned()]));
    }

    #[test]
    fn checks_get_more_than_the_program_asked_for() {
        assert_eq!([raised(1024, GUARD), raised(1024, COLLIDE)], [4096, 2560]);
        assert_eq!(raised(usize::MAX, GUARD), usize::MAX);
    }
}
