//! The prologue and epilogue of every API call.

use super::current;
use super::needs::Needs;
use crate::abi::driver_error;
use crate::abi::error::{CudaError, CudaResult};
use crate::call::Call;
use crate::caller::{Caller, OUTER, host_function, set_inside, set_named};
use crate::{context, operators, python, tensors};
use host::api::{RUNTIME, find};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static LAST_ERROR: Cell<i32> = const { Cell::new(0) };
}

/// Whether this process has called the runtime or the driver. A process that only queries devices counts as one that
/// uses CUDA.
static CALLED: AtomicBool = AtomicBool::new(false);

/// Resets the record of calls in the child of a fork, since the parent's calls are not the child's.
pub(crate) fn forget_calls() {
    CALLED.store(false, Ordering::Relaxed);
}

/// Returns and resets the value of `cudaGetLastError`.
pub(crate) fn take_last_error() -> i32 {
    LAST_ERROR.replace(0)
}

pub(crate) fn last_error() -> i32 {
    LAST_ERROR.get()
}

pub(crate) fn set_last_error(error: CudaError) {
    LAST_ERROR.set(error.0);
}

/// Runs the body of an entry point of the runtime.
pub(crate) fn enter(
    api: &'static str,
    per_thread: bool,
    caller: Caller,
    body: impl FnOnce(&Call) -> CudaResult,
) -> i32 {
    operators::install();
    let device = || {
        if !needs_no_device(api) {
            current::bind();
        }
        Ok(current::device())
    };
    match run(api, per_thread, caller, needs_no_device(api), device, body) {
        Ok(()) => 0,
        Err(error) => {
            set_last_error(error);
            error.0
        }
    }
}

/// Runs the body of an entry point of the driver, which keeps no last error.
pub(crate) fn enter_driver(
    api: &'static str,
    per_thread: bool,
    caller: Caller,
    body: impl FnOnce(&Call) -> CudaResult,
) -> i32 {
    let device = || driver_device(api);
    match run(api, per_thread, caller, Needs::of(api) == Needs::Nothing, device, body) {
        Ok(()) => 0,
        Err(error) => driver_error::code(error),
    }
}

fn run(
    api: &'static str,
    per_thread: bool,
    caller: Caller,
    in_callbacks: bool,
    device: impl FnOnce() -> CudaResult<u32>,
    body: impl FnOnce(&Call) -> CudaResult,
) -> CudaResult {
    let outer = set_inside(true);
    set_named(false);
    let result = catch_unwind(AssertUnwindSafe(|| {
        if host_function().is_some() && !in_callbacks {
            return Err(CudaError::NOT_PERMITTED);
        }
        let caller = caller.of_python(python::here(api));
        let call = Call { api, caller, per_thread, runtime: context::get(), device: device()? };
        if !CALLED.swap(true, Ordering::Relaxed) {
            call.runtime.lock().results.uses_cuda();
        }
        if let Some(list) = tensors::here(api) {
            call.runtime.lock().results.tensors(&list);
        }
        body(&call)
    }));
    set_inside(outer);
    let result = result.unwrap_or_else(|_| {
        context::get().lock().results.inconclusive(format!("internal error in {api}"));
        Err(CudaError::UNKNOWN)
    });
    if result == Err(CudaError::NOT_SUPPORTED) {
        name_unserved(api, caller);
    }
    result
}

/// Calls that are answered with `cudaErrorNotSupported` by CUDA, too, or that name themselves otherwise.
const NOT_SUPPORTED_BY_CUDA: [&str; 3] = ["cudaGraphClone", "cuGraphClone", "cuGetExportTable"];

/// Has the result name a call that was answered with `cudaErrorNotSupported`, unless its body has done so, a kernel failed with that
/// error, or CUDA answers the same.
fn name_unserved(api: &'static str, caller: Caller) {
    let mut state = context::get().lock();
    if !set_named(true) && !state.is_lost(current::device()) && !NOT_SUPPORTED_BY_CUDA.contains(&api) {
        state.results.unsupported(api, caller, true);
    }
}

/// The device that a call of the driver is for, unless what the call needs is missing.
fn driver_device(api: &str) -> CudaResult<u32> {
    let needs = Needs::of(api);
    if needs > Needs::Nothing && !CALLED.load(Ordering::Relaxed) {
        return Err(CudaError::INITIALIZATION_ERROR);
    }
    if needs == Needs::Context {
        match current::context() {
            0 => return Err(CudaError::DEVICE_UNINITIALIZED),
            context => return context::get().lock().device_of_context(context),
        }
    }
    Ok(current::device())
}

/// Returns whether a call needs no device, and so is allowed in callbacks.
fn needs_no_device(api: &str) -> bool {
    matches!(api, "cudaGetDevice" | "cudaGetDeviceCount" | "cudaRuntimeGetVersion" | "cudaDriverGetVersion")
}

/// Upper bound for the size of a stack frame.
#[cfg(target_arch = "x86_64")]
const FRAME_LIMIT: usize = 1 << 20;

/// Returns the call site of the running entry point.
#[cfg(target_arch = "x86_64")]
pub(crate) fn caller() -> Caller {
    let (address, stack, frame): (usize, usize, usize);
    // SAFETY: reads this thread's own variables, which every entry point writes.
    unsafe {
        std::arch::asm!(
            "mov {2}, qword ptr [rip + warprace_caller@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{2}]",
            "mov {1}, qword ptr fs:[{2} + 8]",
            "mov {2}, qword ptr fs:[{2} + 16]",
            out(reg) address,
            out(reg) stack,
            out(reg) frame,
            options(nostack, readonly, preserves_flags)
        );
    }
    // With frame pointers, the caller's frame begins just above its stack pointer, and holds the address of
    // the next frame and its own return address. Without them the register may hold any value.
    let mut outer = [0; OUTER];
    let (mut below, mut frame) = (stack, frame);
    for address in &mut outer {
        let plausible = frame > below && frame - below < FRAME_LIMIT && frame.is_multiple_of(16);
        if !plausible || top_of_stack() <= frame + 16 {
            break;
        }
        // SAFETY: the address lies inside this thread's stack, above the current frame.
        (below, frame, *address) =
            unsafe { (frame, *(frame as *const usize), *((frame + 8) as *const usize)) };
    }
    Caller { address, outer, python: 0 }
}

/// Returns the upper end of this thread's stack.
#[cfg(target_arch = "x86_64")]
fn top_of_stack() -> usize {
    thread_local! {
        static TOP: Cell<usize> = const { Cell::new(0) };
    }
    if TOP.get() == 0 {
        // SAFETY: reads this thread's own attributes and destroys them.
        let top = unsafe {
            let mut attributes = std::mem::zeroed();
            if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) != 0 {
                return 0;
            }
            let (mut low, mut bytes) = (std::ptr::null_mut(), 0);
            libc::pthread_attr_getstack(&attributes, &mut low, &mut bytes);
            libc::pthread_attr_destroy(&mut attributes);
            low as usize + bytes
        };
        TOP.set(top);
    }
    TOP.get()
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn caller() -> Caller {
    Caller::default()
}

// A thread-local variable that an entry point can write before it has a stack frame.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".section .tbss.warprace_caller,\"awT\",@nobits",
    ".globl warprace_caller",
    ".hidden warprace_caller",
    ".type warprace_caller, @tls_object",
    ".size warprace_caller, 24",
    ".p2align 3",
    "warprace_caller:",
    ".zero 24",
    ".text",
);

/// Returns whether `host::api` has a function as served. What `warprace replay` calls is not CUDA's.
pub(crate) const fn is_served(name: &str) -> bool {
    match find(RUNTIME, name) {
        Some(served) => served.is_served(),
        None => matches!(name.as_bytes(), [b'w', b'a', b'r', b'p', b'r', b'a', b'c', b'e', ..]),
    }
}

/// Returns whether `host::api` has a function as refused.
pub(crate) const fn is_refused(name: &str) -> bool {
    match find(RUNTIME, name) {
        Some(served) => !served.is_served(),
        None => false,
    }
}

/// Defines entry points. `fn a | b (…)` defines `a`, and `b` with the per-thread default stream. `fn a, driver c | d (…)`
/// also defines `c`, a function of the driver that means the same and has the same parameters, and its variant `d`.
///
/// An entry point saves its return address and jumps to its body, which has the same signature, so arguments
/// stay where they are.
///
/// A function that the table `host::api` lacks, or has as refused, does not compile; after `@refused`, one that it has as served.
macro_rules! api {
    ($(
        $(#[doc = $doc:expr])*
        fn $name:ident $(| $per_thread:ident)* $(, driver $driver:ident $(| $driver_thread:ident)*)*
        ($($arg:ident : $ty:ty),* $(,)?) = $body:expr;
    )*) => {
        $(
            const _: () = assert!(
                $crate::api::entry::is_served(stringify!($name)),
                concat!(stringify!($name), " is to be in `host::api` as served")
            );
            api!(@one enter $(#[doc = $doc])* $name false ($($arg : $ty),*) $body);
            api!(@each enter $($per_thread)* ; ($($arg : $ty),*) $body);
            api!(@driver $([$driver $($driver_thread)*])* ; ($($arg : $ty),*) $body);
        )*
    };
    (@refused $( fn $name:ident() = $body:expr; )*) => {
        $(
            const _: () = assert!(
                $crate::api::entry::is_refused(stringify!($name)),
                concat!(stringify!($name), " is to be in `host::api` as refused")
            );
            api!(@one enter $name false () $body);
        )*
    };
    (@each $enter:ident $per_thread:ident ; $args:tt $body:expr) => {
        api!(@one $enter $per_thread true $args $body);
    };
    (@each $enter:ident ; $args:tt $body:expr) => {};
    (@driver [$name:ident $($per_thread:ident)*] $($rest:tt)*) => {
        api!(@driver_one [$name $($per_thread)*] $($rest)*);
    };
    (@driver ; $args:tt $body:expr) => {};
    (@driver_one [$name:ident $($per_thread:ident)*] $([$($more:tt)*])* ; $args:tt $body:expr) => {
        api!(@one enter_driver $name false $args $body);
        api!(@each enter_driver $($per_thread)* ; $args $body);
        api!(@driver $([$($more)*])* ; $args $body);
    };
    (@one $enter:ident $(#[doc = $doc:expr])* $name:ident $per_thread:literal ($($arg:ident : $ty:ty),*) $body:expr) => {
        $(#[doc = $doc])*
        ///
        /// # Safety
        /// As the CUDA API references say of this function's arguments.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, private_interfaces)]
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> i32 {
            #[allow(non_snake_case, clippy::too_many_arguments)]
            unsafe extern "C-unwind" fn body($($arg: $ty),*) -> i32 {
                let caller = $crate::api::entry::caller();
                $crate::api::entry::$enter(stringify!($name), $per_thread, caller, $body)
            }
            std::arch::naked_asm!(
                "mov rax, qword ptr [rip + warprace_caller@GOTTPOFF]",
                "mov r11, qword ptr [rsp]",
                "mov qword ptr fs:[rax], r11",
                "mov qword ptr fs:[rax + 8], rsp",
                "mov qword ptr fs:[rax + 16], rbp",
                "jmp {body}",
                body = sym body,
            )
        }

        #[unsafe(no_mangle)]
        #[allow(non_snake_case, private_interfaces, missing_docs, clippy::missing_safety_doc, clippy::too_many_arguments)]
        #[cfg(not(target_arch = "x86_64"))]
        pub unsafe extern "C-unwind" fn $name($($arg: $ty),*) -> i32 {
            $crate::api::entry::$enter(stringify!($name), $per_thread, $crate::caller::Caller::default(), $body)
        }
    };
}

/// Defines entry points of the driver, in the way of `api!`.
macro_rules! driver {
    ($(
        fn $name:ident $(| $per_thread:ident)* ($($arg:ident : $ty:ty),* $(,)?) = $body:expr;
    )*) => {
        $( api!(@driver_one [$name $($per_thread)*] ; ($($arg : $ty),*) $body); )*
    };
}
