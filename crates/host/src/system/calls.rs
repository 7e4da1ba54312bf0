//! Functions that pass pointers on to the system: which memory each names, from its integer arguments alone.

use std::ffi::c_long;

/// The arguments of a function, as registers hold them. Functions with fewer leave the rest undefined.
pub type Arguments = [usize; 7];

/// A buffer may be no longer than the kernel's limit of vectors (`UIO_MAXIOV`).
const MOST_VECTORS: usize = 1024;

/// Passes each argument that may be an address: functions with plain pointers.
pub fn pointers(arguments: &Arguments, expose: &mut dyn FnMut(u64, u64)) {
    arguments.iter().for_each(|&argument| expose(argument as u64, 1));
}

/// Passes the buffers of `(descriptor, vectors, count, …)`, and the vectors themselves.
pub fn vectors(arguments: &Arguments, expose: &mut dyn FnMut(u64, u64)) {
    all_vectors(arguments[1], arguments[2], expose);
}

/// Passes what `(socket, message, …)` names.
pub fn message(arguments: &Arguments, expose: &mut dyn FnMut(u64, u64)) {
    one_message(arguments[1], expose);
}

/// Passes what each message of `(socket, messages, count, …)` names.
pub fn messages(arguments: &Arguments, expose: &mut dyn FnMut(u64, u64)) {
    pointers(arguments, expose);
    let count = arguments[2].min(MOST_VECTORS);
    (0..count).for_each(|n| one_message(arguments[1] + n * size_of::<libc::mmsghdr>(), expose));
}

/// Passes what `syscall(number, …)` names.
pub fn call(arguments: &Arguments, expose: &mut dyn FnMut(u64, u64)) {
    let mut own: Arguments = [0; 7];
    own[..6].copy_from_slice(&arguments[1..]);
    match arguments[0] as c_long {
        libc::SYS_readv
        | libc::SYS_writev
        | libc::SYS_preadv
        | libc::SYS_pwritev
        | libc::SYS_preadv2
        | libc::SYS_pwritev2
        | libc::SYS_vmsplice
        | libc::SYS_process_vm_readv
        | libc::SYS_process_vm_writev => vectors(&own, expose),
        libc::SYS_recvmsg | libc::SYS_sendmsg => message(&own, expose),
        libc::SYS_recvmmsg | libc::SYS_sendmmsg => messages(&own, expose),
        _ => pointers(&own, expose),
    }
}

/// Passes what a call has transferred of its buffers, `bytes` in all: the address, the bytes, and whether the system has
/// written them. Calls of which that is not known pass nothing.
pub fn transferred(name: &str, arguments: &Arguments, bytes: u64, accessed: &mut dyn FnMut(u64, u64, bool)) {
    let (at, count, writes) = match name {
        "readv" | "preadv" | "preadv64" | "preadv2" | "preadv64v2" => (arguments[1], arguments[2], true),
        "writev" | "pwritev" | "pwritev64" | "pwritev2" | "pwritev64v2" => {
            (arguments[1], arguments[2], false)
        }
        "recvfrom" => return accessed(arguments[1] as u64, bytes, true),
        "sendto" => return accessed(arguments[1] as u64, bytes, false),
        _ => return,
    };
    let mut left = bytes;
    for n in 0..count.min(MOST_VECTORS) {
        // SAFETY: the program has passed this array to the system, which has read it.
        let vector = unsafe { (at as *const libc::iovec).add(n).read_unaligned() };
        let own = left.min(vector.iov_len as u64);
        if own > 0 {
            accessed(vector.iov_base as u64, own, writes);
        }
        left -= own;
    }
}

fn all_vectors(at: usize, count: usize, expose: &mut dyn FnMut(u64, u64)) {
    if at == 0 || count == 0 || count > MOST_VECTORS {
        return;
    }
    expose(at as u64, (count * size_of::<libc::iovec>()) as u64);
    for n in 0..count {
        // SAFETY: the program passes this array to the system, which reads it, too; it is accessible since `expose`.
        let vector = unsafe { (at as *const libc::iovec).add(n).read_unaligned() };
        expose(vector.iov_base as u64, vector.iov_len as u64);
    }
}

fn one_message(at: usize, expose: &mut dyn FnMut(u64, u64)) {
    if at == 0 {
        return;
    }
    expose(at as u64, size_of::<libc::msghdr>() as u64);
    // SAFETY: the program passes this structure to the system, which reads it, too; it is accessible since `expose`.
    let message = unsafe { (at as *const libc::msghdr).read_unaligned() };
    expose(message.msg_name as u64, u64::from(message.msg_namelen));
    expose(message.msg_control as u64, message.msg_controllen as u64);
    all_vectors(message.msg_iov as usize, message.msg_iovlen, expose);
}

/// Exports functions that pass pointers on to the system. `$active()` says whether any memory is inaccessible; then
/// `$expose(function, address, bytes, writes)` is called for all that the arguments name. `$dlsym()` is the C library's.
#[macro_export]
macro_rules! stand_before_calls {
    ($active:path, $expose:path, $accessed:path, $dlsym:expr) => {
        $crate::stand_before_calls! { @all $active, $expose, $accessed, $dlsym;
            vectors: readv writev preadv preadv64 pwritev pwritev64 preadv2 preadv64v2 pwritev2 pwritev64v2 vmsplice
                process_vm_readv process_vm_writev,
            message: recvmsg sendmsg,
            messages: recvmmsg sendmmsg,
            call: syscall,
            pointers: recvfrom sendto getrandom getentropy getsockopt setsockopt getsockname getpeername accept accept4
                bind connect socketpair pipe pipe2 stat stat64 lstat lstat64 fstat fstat64 fstatat fstatat64 statx statfs
                statfs64 fstatfs fstatfs64 open open64 openat openat64 creat creat64 access faccessat readlink readlinkat
                getcwd chdir mkdir mkdirat rmdir unlink unlinkat rename renameat link symlink truncate truncate64 chmod
                getxattr lgetxattr fgetxattr setxattr fsetxattr listxattr flistxattr getdents64 poll ppoll select pselect
                epoll_wait epoll_pwait epoll_ctl nanosleep clock_nanosleep clock_getres getitimer setitimer getrlimit
                getrlimit64 setrlimit prlimit prlimit64 getrusage times uname sysinfo getgroups gethostname waitpid wait4
                sched_getaffinity sched_setaffinity timerfd_settime timerfd_gettime sendfile sendfile64 splice
                copy_file_range memfd_create ioctl mincore,
        }
    };
    (@all $active:path, $expose:path, $accessed:path, $dlsym:expr; $($look:ident: $($name:ident)*,)*) => {$($(
        /// As the C library's, on memory that is inaccessible, too.
        ///
        /// # Safety
        /// As the C library's.
        #[cfg(not(test))]
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name(
            a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, g: usize,
        ) -> isize {
            type Real = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize) -> isize;
            static REAL: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
            const NAME: &std::ffi::CStr =
                match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => c"",
                };
            let real = $crate::system::behind(&REAL, NAME, || $dlsym);
            if real == 0 {
                // SAFETY: this thread's own errno.
                unsafe { *libc::__errno_location() = libc::ENOSYS };
                return -1;
            }
            let (active, arguments) = ($active(), [a, b, c, d, e, f, g]);
            if active {
                $crate::system::$look(&arguments, &mut |address: u64, bytes: u64| $expose(address, bytes));
            }
            // SAFETY: integer arguments are passed in the same registers whatever the function's own types are, and more
            // than it takes are ignored; a seventh lies on the stack, where every caller has some word.
            let out = unsafe { std::mem::transmute::<usize, Real>(real)(a, b, c, d, e, f, g) };
            if active && out > 0 {
                $crate::system::transferred(stringify!($name), &arguments, out as u64, &mut $accessed);
            }
            out
        }
    )*)*};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_has_transferred_lies_in_its_first_vectors() {
        let vectors: [libc::iovec; 3] = [(0x1000, 100), (0x2000, 100), (0x3000, 100)]
            .map(|(base, iov_len)| libc::iovec { iov_base: base as *mut _, iov_len });
        let arguments: Arguments = [5, vectors.as_ptr() as usize, 3, 0, 0, 0, 0];
        let of = |name: &str, bytes: u64| {
            let mut all = Vec::new();
            transferred(name, &arguments, bytes, &mut |at, bytes, writes| all.push((at, bytes, writes)));
            all
        };
        assert_eq!(of("readv", 130), [(0x1000, 100, true), (0x2000, 30, true)]);
        assert_eq!(of("pwritev", 100), [(0x1000, 100, false)]);
        assert_eq!(of("ioctl", 4), []);
    }
}
