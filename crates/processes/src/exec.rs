//! Interposes the C library's functions that execute a program.
//!
//! [`stand_in`](crate::stand_in_for_exec) defines them in the preloaded library: each records the program
//! that it executes in the journal, then calls the C library's function. Before the process itself becomes
//! another program, a hook completes its result.

use crate::journal::{self, Kind};
use crate::{life, post};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

type Strings = *const *const c_char;

/// The process in which this program began; in the child of a `vfork` the current process is a different one.
static OWN: AtomicI32 = AtomicI32::new(0);
/// The hook before and the hook after an `exec`: a `fn()` as an address, or 0.
static BEFORE: AtomicUsize = AtomicUsize::new(0);
static AFTER: AtomicUsize = AtomicUsize::new(0);

/// Registers the start of a program. `before` is called before this process becomes another program, and
/// `after` if that failed.
pub fn begin(results: &Path, before: fn(), after: fn()) {
    post::open(results);
    OWN.store(post::pid(), Ordering::SeqCst);
    BEFORE.store(before as usize, Ordering::SeqCst);
    AFTER.store(after as usize, Ordering::SeqCst);
    // Symbols are resolved in advance, since between `fork` and `exec` the dynamic linker must not be called.
    for real in &REAL {
        real.address();
    }
    journal::write(Kind::Watched, post::pid(), b"");
}

/// Registers the child of a `fork` as a process of its own.
pub fn forked() {
    OWN.store(post::pid(), Ordering::SeqCst);
}

/// Returns whether the calling process is the program's own. The child of a `vfork`, or of a `clone` past the
/// C library, runs in its parent's memory or a copy of it, and is not.
pub fn is_own() -> bool {
    OWN.load(Ordering::SeqCst) == post::pid()
}

fn call(hook: &AtomicUsize) {
    let hook = hook.load(Ordering::SeqCst);
    if hook != 0 && is_own() {
        // SAFETY: `begin` stores functions of this type only.
        let hook: fn() = unsafe { std::mem::transmute(hook) };
        hook();
    }
}

/// A function of the C library, by name, with its address once resolved.
struct Real {
    name: &'static CStr,
    address: AtomicUsize,
}

const fn real(name: &'static CStr) -> Real {
    Real { name, address: AtomicUsize::new(0) }
}

static REAL: [Real; 9] = [
    real(c"execve"),
    real(c"execv"),
    real(c"execvp"),
    real(c"execvpe"),
    real(c"fexecve"),
    real(c"posix_spawn"),
    real(c"posix_spawnp"),
    real(c"system"),
    real(c"popen"),
];

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

impl Real {
    fn address(&self) -> usize {
        match self.address.load(Ordering::Relaxed) {
            0 => {
                // The C library's own `dlsym` is used, because the library may itself interpose `dlsym`.
                // SAFETY: the names are C strings; every C library for this architecture has this version of
                // `dlsym`, which has this signature.
                let found = unsafe {
                    let dlsym = dlvsym(libc::RTLD_NEXT, c"dlsym".as_ptr(), c"GLIBC_2.2.5".as_ptr());
                    if dlsym.is_null() {
                        return 0;
                    }
                    let dlsym: unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void =
                        std::mem::transmute(dlsym);
                    dlsym(libc::RTLD_NEXT, self.name.as_ptr()) as usize
                };
                self.address.store(found, Ordering::Relaxed);
                found
            }
            known => known,
        }
    }
}

thread_local! {
    /// Whether this thread starts a program of warprace's own.
    static STARTS_OWN: Cell<bool> = const { Cell::new(false) };
}

/// Calls `start`, which starts a program of warprace's own. The journal does not mention it.
pub fn starting_own<T>(start: impl FnOnce() -> T) -> T {
    STARTS_OWN.set(true);
    let done = start();
    STARTS_OWN.set(false);
    done
}

fn missing() -> c_int {
    // SAFETY: `errno` belongs to the calling thread.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    -1
}

/// Records the program that `execute` executes in this process; `execute` returns only on failure.
///
/// # Safety
/// `program` is null or a C string.
unsafe fn executes(program: *const c_char, execute: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the caller's promise.
    let name = if program.is_null() { b"" } else { unsafe { CStr::from_ptr(program) }.to_bytes() };
    executes_named(name, execute)
}

fn executes_named(name: &[u8], execute: impl FnOnce() -> c_int) -> c_int {
    if !post::is_open() || STARTS_OWN.get() {
        return execute();
    }
    call(&BEFORE);
    journal::write(Kind::Executes, post::pid(), name);
    let answer = execute();
    // SAFETY: `errno` belongs to the calling thread; it is restored because the calls here may change it.
    unsafe {
        let errno = *libc::__errno_location();
        journal::write(Kind::Stayed, post::pid(), b"");
        call(&AFTER);
        *libc::__errno_location() = errno;
    }
    answer
}

/// Records and calls `execve`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn execve(path: *const c_char, arguments: Strings, environment: Strings) -> c_int {
    let real = REAL[0].address();
    // SAFETY: the caller's promise; the function's own signature.
    unsafe {
        executes(path, || match real {
            0 => missing(),
            real => std::mem::transmute::<
                usize,
                unsafe extern "C" fn(*const c_char, Strings, Strings) -> c_int,
            >(real)(path, arguments, environment),
        })
    }
}

/// Records and calls `execvpe`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn execvpe(file: *const c_char, arguments: Strings, environment: Strings) -> c_int {
    let real = REAL[3].address();
    // SAFETY: the caller's promise; the function's own signature.
    unsafe {
        executes(file, || match real {
            0 => missing(),
            real => std::mem::transmute::<
                usize,
                unsafe extern "C" fn(*const c_char, Strings, Strings) -> c_int,
            >(real)(file, arguments, environment),
        })
    }
}

/// Records and calls `execvp` if `searches`, else `execv`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn execv(file: *const c_char, arguments: Strings, searches: bool) -> c_int {
    let real = REAL[if searches { 2 } else { 1 }].address();
    // SAFETY: the caller's promise; the function's own signature.
    unsafe {
        executes(file, || match real {
            0 => missing(),
            real => {
                std::mem::transmute::<usize, unsafe extern "C" fn(*const c_char, Strings) -> c_int>(real)(
                    file, arguments,
                )
            }
        })
    }
}

/// Implements `execle`: the environment follows the terminator of the arguments.
///
/// # Safety
/// `arguments` is a null-terminated array, followed by a pointer to an environment.
pub unsafe fn execle(path: *const c_char, arguments: Strings) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let mut end = arguments;
        while !(*end).is_null() {
            end = end.add(1);
        }
        execve(path, arguments, (*end.add(1)).cast())
    }
}

/// Records and calls `fexecve`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn fexecve(file: c_int, arguments: Strings, environment: Strings) -> c_int {
    let real = REAL[4].address();
    let mut link = *b"/proc/self/fd/0000000000\0";
    let (mut left, mut at) = (file.max(0), link.len() - 1);
    while left > 0 {
        at -= 1;
        link[at] = b'0' + (left % 10) as u8;
        left /= 10;
    }
    // Descriptors are named without leading zeros.
    let digits = link.len() - 1 - at;
    link.copy_within(at..at + digits + 1, 14);
    let mut name = [0u8; 4096];
    // SAFETY: a C string and a buffer with its length.
    let length = unsafe { libc::readlink(link.as_ptr().cast(), name.as_mut_ptr().cast(), name.len()) };
    executes_named(&name[..length.max(0) as usize], || match real {
        0 => missing(),
        // SAFETY: the caller's promise; the function's own signature.
        real => unsafe {
            std::mem::transmute::<usize, unsafe extern "C" fn(c_int, Strings, Strings) -> c_int>(real)(
                file,
                arguments,
                environment,
            )
        },
    })
}

/// Records and calls `posix_spawnp` if `searches`, else `posix_spawn`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn spawn(
    pid: *mut libc::pid_t,
    file: *const c_char,
    how: (*const c_void, *const c_void),
    arguments: Strings,
    environment: Strings,
    searches: bool,
) -> c_int {
    type Spawn = unsafe extern "C" fn(
        *mut libc::pid_t,
        *const c_char,
        *const c_void,
        *const c_void,
        Strings,
        Strings,
    ) -> c_int;
    let real = REAL[if searches { 6 } else { 5 }].address();
    if real == 0 {
        return libc::ENOSYS;
    }
    let mut child = 0;
    // SAFETY: the caller's promise; the function's own signature.
    unsafe {
        let answer =
            std::mem::transmute::<usize, Spawn>(real)(&mut child, file, how.0, how.1, arguments, environment);
        if answer == 0 {
            if !pid.is_null() {
                *pid = child;
            }
            if !file.is_null() && !STARTS_OWN.get() {
                let errno = *libc::__errno_location();
                journal::write(Kind::Spawned, child, CStr::from_ptr(file).to_bytes());
                *libc::__errno_location() = errno;
            }
        }
        answer
    }
}

/// Records the start of a shell if the environment does not preload the library.
fn starts_shell() {
    if !post::is_open() {
        return;
    }
    unsafe extern "C" {
        static environ: Strings;
    }
    let has_library = |name: &[u8]| name.strip_prefix(b"LD_PRELOAD=").is_some_and(life::names_library);
    let mut found = false;
    // SAFETY: the C library's environment: null, or a null-terminated array of C strings.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            found |= has_library(CStr::from_ptr(*at).to_bytes());
            at = at.add(1);
        }
    }
    if !found {
        journal::write(Kind::Bare, 0, b"/bin/sh");
    }
}

/// Records and calls `system`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn system(command: *const c_char) -> c_int {
    if !command.is_null() {
        starts_shell();
    }
    match REAL[7].address() {
        0 => missing(),
        // SAFETY: the caller's promise; the function's own signature.
        real => unsafe {
            std::mem::transmute::<usize, unsafe extern "C" fn(*const c_char) -> c_int>(real)(command)
        },
    }
}

/// Records and calls `popen`.
///
/// # Safety
/// The contract of the C library's function.
pub unsafe fn popen(command: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    starts_shell();
    match REAL[8].address() {
        0 => std::ptr::null_mut(),
        // SAFETY: the caller's promise; the function's own signature.
        real => unsafe {
            std::mem::transmute::<usize, unsafe extern "C" fn(*const c_char, *const c_char) -> *mut libc::FILE>(
                real,
            )(command, mode)
        },
    }
}

/// Defines the interposing functions. Only the root of the preloaded library may expand it, since an ordinary
/// program must not define them.
#[macro_export]
macro_rules! stand_in_for_exec {
    () => {
        /// The C library's functions that execute programs, by way of [`$crate::exec`].
        #[cfg(target_arch = "x86_64")]
        mod stand_in_for_exec {
            use std::ffi::{c_char, c_int, c_void};
            type Strings = *const *const c_char;

            #[unsafe(no_mangle)]
            unsafe extern "C" fn execve(path: *const c_char, a: Strings, e: Strings) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::execve(path, a, e) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn execvpe(file: *const c_char, a: Strings, e: Strings) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::execvpe(file, a, e) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn execv(path: *const c_char, a: Strings) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::execv(path, a, false) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn execvp(file: *const c_char, a: Strings) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::execv(file, a, true) }
            }

            unsafe extern "C" fn execle_of_array(path: *const c_char, a: Strings) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::execle(path, a) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn fexecve(file: c_int, a: Strings, e: Strings) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::fexecve(file, a, e) }
            }

            /// Defines a variadic function: pushes the register arguments below the stack arguments, so that
            /// all form one array, and passes that array to `$of_array`.
            macro_rules! of_arguments {
                        ($name:ident, $of_array:ident) => {
                            #[unsafe(naked)]
                            #[unsafe(no_mangle)]
                            unsafe extern "C" fn $name(path: *const c_char, first: *const c_char) -> c_int {
                                std::arch::naked_asm!(
                                    "pop rax",
                                    "push r9",
                                    "push r8",
                                    "push rcx",
                                    "push rdx",
                                    "push rsi",
                                    "mov rsi, rsp",
                                    // The return address; with it the stack is aligned.
                                    "push rax",
                                    "call {all}",
                                    "pop rcx",
                                    "add rsp, 40",
                                    "push rcx",
                                    "ret",
                                    all = sym $of_array,
                                )
                            }
                        };
                    }
            of_arguments!(execl, execv);
            of_arguments!(execlp, execvp);
            of_arguments!(execle, execle_of_array);

            #[unsafe(no_mangle)]
            unsafe extern "C" fn posix_spawn(
                pid: *mut c_int,
                path: *const c_char,
                actions: *const c_void,
                attributes: *const c_void,
                a: Strings,
                e: Strings,
            ) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::spawn(pid, path, (actions, attributes), a, e, false) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn posix_spawnp(
                pid: *mut c_int,
                file: *const c_char,
                actions: *const c_void,
                attributes: *const c_void,
                a: Strings,
                e: Strings,
            ) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::spawn(pid, file, (actions, attributes), a, e, true) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn system(command: *const c_char) -> c_int {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::system(command) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut c_void {
                // SAFETY: the caller's contract is that of the callee.
                unsafe { $crate::exec::popen(command, mode).cast() }
            }
        }
    };
}
