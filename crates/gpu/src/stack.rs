//! Room on the stack for checks.
//!
//! Of a kernel that recurses, or calls by pointers, nobody knows how much of the stack it needs: it gets what the program asked for
//! (`cudaLimitStackSize`). With checks each frame is larger, and what runs close to the limit alone would overflow it. So a context gets more
//! than the program asked for, once such a kernel is to be launched there, and the program is answered its own number.
//!
//! The driver waits for what runs while it makes room. That happens when a module is loaded, which waits, too, or before a context's first
//! launch of such a module.

use crate::driver;
use crate::hooks::{Code, SUCCESS};
use events::Engine;
use kernels::{GlobalVariable, Source};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `CU_LIMIT_STACK_SIZE`
const STACK: c_int = 0;

/// How much more: so many times what the program asked for, and so many bytes. Measured of a frame of a hundred bytes (a function with
/// eight local words): twice as much under `guard`, a quarter more under `collide`; smaller frames grow by more, and what looks at
/// accesses has a frame of its own.
const GUARD: (usize, usize) = (3, 1024);
const COLLIDE: (usize, usize) = (2, 512);

/// Is there a module that needs it?
static WANTED: AtomicBool = AtomicBool::new(false);

#[derive(Debug, Default)]
struct Stacks {
    more: (usize, usize),
    /// What the program has asked for, by context.
    own: HashMap<usize, usize>,
    /// Was there no memory for more?
    full: bool,
}

static STACKS: Mutex<Option<Stacks>> = Mutex::new(None);

fn stacks() -> MutexGuard<'static, Option<Stacks>> {
    STACKS.lock().unwrap_or_else(PoisonError::into_inner)
}

type Get = unsafe extern "C" fn(*mut usize, c_int) -> Code;
type Set = unsafe extern "C" fn(c_int, usize) -> Code;

/// Does the size of its stack depend on what a kernel does?
fn is_deep(texts: &[String]) -> bool {
    // Most modules call nothing.
    if !texts.iter().any(|text| text.contains(".func")) {
        return false;
    }
    if texts.iter().any(|text| text.contains(".callprototype")) {
        return true;
    }
    let parsed: Vec<ptx::Parse> = texts.iter().map(|text| ptx::parse(text)).collect();
    let sources: Vec<Source<'_>> = parsed
        .iter()
        .zip(texts)
        .map(|(parse, text)| Source { tree: &parse.module, text, name: "module" })
        .collect();
    let mut nowhere = |_: &GlobalVariable<'_>| Ok(1 << 20);
    // What cannot be understood has no checks either.
    kernels::link(&sources, &mut nowhere).is_ok_and(|linked| linked.graph.recurses())
}

/// These texts are loaded with checks of an engine.
pub(crate) fn loads(texts: &[String], engine: Engine) {
    if WANTED.load(Ordering::Relaxed) || !is_deep(texts) {
        return;
    }
    let more = if matches!(engine, Engine::Guard { .. }) { GUARD } else { COLLIDE };
    stacks().get_or_insert_default().more = more;
    WANTED.store(true, Ordering::Relaxed);
}

/// What a program gets that asks for so much.
fn raised(own: usize, (times, more): (usize, usize)) -> usize {
    own.saturating_mul(times).saturating_add(more)
}

/// Has the current context enough, if there is one: not while the state is locked.
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
    // Where there is no memory for it, it stays as it is.
    // SAFETY: takes numbers.
    let code = driver::beside_captures(|| unsafe { set(STACK, wanted) });
    crate::log::note(|| format!("a stack of {wanted} bytes in the place of {own}: {code}"));
}

/// The program asks for a limit.
pub(crate) unsafe fn set(real: Set, limit: c_int, value: usize) -> Code {
    // SAFETY: the caller's arguments.
    let code = unsafe { real(limit, value) };
    if code != SUCCESS || limit != STACK || !WANTED.load(Ordering::Relaxed) {
        return code;
    }
    let Some(context) = driver::context() else { return code };
    let more = stacks().as_mut().and_then(|stacks| {
        // The driver rounds it.
        stacks.own.insert(context, value.next_multiple_of(16));
        (!stacks.full).then_some(stacks.more)
    });
    if let Some(more) = more {
        // The program has what it asked for if there is no memory for more.
        // SAFETY: as above.
        let _ = unsafe { real(limit, raised(value, more)) };
    }
    code
}

/// The program asks what it has asked for.
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

/// The program's own limit in the current context, if that has another one.
pub(crate) fn own() -> Option<usize> {
    if !WANTED.load(Ordering::Relaxed) {
        return None;
    }
    let context = driver::context()?;
    stacks().as_ref()?.own.get(&context).copied()
}

/// The program needs the memory: gives back what it has not asked for, for good. False if there is nothing.
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

/// May memory be given back?
pub(crate) fn may_give_back() -> bool {
    own().is_some() && stacks().as_ref().is_some_and(|stacks| !stacks.full)
}

/// Contexts are gone.
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
