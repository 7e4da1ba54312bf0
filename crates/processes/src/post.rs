//! The transport of messages from the processes of a run to the command line.
//!
//! Messages are usually files in the folder of results. If no file can be written (the disk is full, `ulimit
//! -f` forbids it), they go to a socket on which the command line listens for the duration of the run. The
//! socket has an abstract name, derived from the folder's, so that it needs no disk space either.
//!
//! A message is a line `KIND LENGTH NAME` followed by that many bytes. One connection carries one message; an
//! incomplete message is discarded.

use std::ffi::{CString, OsStr};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

/// The journal's name in the folder of results.
pub const JOURNAL: &str = "journal";

/// The kind of an empty message, which wakes the receiver.
const WAKE: u8 = b'q';
/// The kind of a message with lines of the journal.
const LINES: u8 = b'j';
/// The kind of a message with a file for the folder of results.
const WHOLE_FILE: u8 = b'r';

/// The longest accepted message in bytes.
const LONGEST: u64 = 1 << 30;
/// The read timeout, after which a connection is dropped.
const PATIENCE: Duration = Duration::from_secs(10);

/// The destinations of this process's messages.
struct Place {
    journal: CString,
    address: Address,
}

/// The address of a socket.
#[derive(Clone, Copy)]
struct Address {
    name: libc::sockaddr_un,
    length: libc::socklen_t,
}

static PLACE: AtomicPtr<Place> = AtomicPtr::new(std::ptr::null_mut());

/// Directs this process's messages to the run with these results. Only the first call has an effect; the
/// place is never freed, since a signal handler may use it.
pub fn open(results: &Path) {
    static ONCE: OnceLock<()> = OnceLock::new();
    let Ok(journal) = CString::new(results.join(JOURNAL).into_os_string().as_bytes()) else { return };
    ONCE.get_or_init(|| {
        let place = Place { journal, address: Address::of(results) };
        PLACE.store(Box::into_raw(Box::new(place)), Ordering::Release);
    });
}

/// Returns whether this process writes a journal.
pub fn is_open() -> bool {
    place().is_some()
}

/// Returns this process's id by the system call: a cached id would be wrong in the child of a `vfork`.
pub fn pid() -> i32 {
    // SAFETY: has no preconditions.
    unsafe { libc::syscall(libc::SYS_getpid) as i32 }
}

fn place() -> Option<&'static Place> {
    // SAFETY: the pointer is null or a box that `open` leaked.
    unsafe { PLACE.load(Ordering::Acquire).as_ref() }
}

impl Address {
    fn of(results: &Path) -> Address {
        // SAFETY: all-zero bytes are a value of this type.
        let mut name: libc::sockaddr_un = unsafe { std::mem::zeroed() };
        name.sun_family = libc::AF_UNIX as libc::sa_family_t;
        // Paths may exceed the limit of socket names, so the name contains the path's FNV-1a hash.
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = results.as_os_str().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
        let text = format!("warprace-{hash:016x}");
        // A first byte of zero makes the name abstract.
        for (to, from) in name.sun_path[1..].iter_mut().zip(text.bytes()) {
            *to = from as libc::c_char;
        }
        let length = std::mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + text.len();
        Address { name, length: length as libc::socklen_t }
    }

    /// Connects to the address, or listens on it. Allocates nothing.
    fn socket(&self, listens: bool) -> io::Result<OwnedFd> {
        let address = (&raw const self.name).cast::<libc::sockaddr>();
        // SAFETY: the address is valid for its length, and the descriptor is owned from its first moment.
        unsafe {
            let socket = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
            if socket < 0 {
                return Err(io::Error::last_os_error());
            }
            let socket = OwnedFd::from_raw_fd(socket);
            let done = match listens {
                true => match libc::bind(socket.as_raw_fd(), address, self.length) {
                    0 => libc::listen(socket.as_raw_fd(), 128),
                    failed => failed,
                },
                false => libc::connect(socket.as_raw_fd(), address, self.length),
            };
            if done == 0 { Ok(socket) } else { Err(io::Error::last_os_error()) }
        }
    }
}

/// Blocks `SIGXFSZ`, by which a write beyond `ulimit -f` would end the process; the write returns an error
/// instead.
struct WithoutSignal {
    set: libc::sigset_t,
    old: libc::sigset_t,
    was_pending: bool,
}

impl WithoutSignal {
    fn new() -> WithoutSignal {
        // SAFETY: the sets are initialised before use.
        unsafe {
            let (mut set, mut old, mut pending) =
                (std::mem::zeroed(), std::mem::zeroed(), std::mem::zeroed());
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, libc::SIGXFSZ);
            libc::sigpending(&mut pending);
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, &mut old);
            WithoutSignal { set, old, was_pending: libc::sigismember(&pending, libc::SIGXFSZ) == 1 }
        }
    }
}

impl Drop for WithoutSignal {
    fn drop(&mut self) {
        // SAFETY: sets and the time are valid; a signal raised by our write is consumed before the mask is
        // restored.
        unsafe {
            let errno = *libc::__errno_location();
            let mut pending = std::mem::zeroed();
            libc::sigpending(&mut pending);
            if !self.was_pending && libc::sigismember(&pending, libc::SIGXFSZ) == 1 {
                let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                libc::sigtimedwait(&self.set, std::ptr::null_mut(), &now);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.old, std::ptr::null_mut());
            *libc::__errno_location() = errno;
        }
    }
}

/// Runs `write` with `SIGXFSZ` blocked, so that a write beyond `ulimit -f` returns an error.
pub fn guarded<T>(write: impl FnOnce() -> T) -> T {
    let _guard = WithoutSignal::new();
    write()
}

/// Appends lines to the journal. Allocates nothing and takes no lock.
pub(crate) fn append(lines: &[u8]) {
    let Some(place) = place() else { return };
    let guard = WithoutSignal::new();
    // SAFETY: a C string and a buffer with its length; the descriptor is closed again.
    let written = unsafe {
        let file = libc::open(
            place.journal.as_ptr(),
            libc::O_WRONLY | libc::O_APPEND | libc::O_CLOEXEC | libc::O_NOCTTY,
        );
        if file < 0 {
            // The run has ended, or this process sees another file system.
            io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT)
        } else {
            let written = libc::write(file, lines.as_ptr().cast(), lines.len());
            libc::close(file);
            written == lines.len() as isize
        }
    };
    drop(guard);
    if !written {
        let _ = send_to(&place.address, LINES, b"", lines);
    }
}

/// Sends the contents of a file of the folder of results to the command line.
pub fn send(name: &OsStr, contents: &[u8]) -> io::Result<()> {
    let place = place().ok_or(io::ErrorKind::NotConnected)?;
    send_to(&place.address, WHOLE_FILE, name.as_bytes(), contents)
}

fn send_to(address: &Address, kind: u8, name: &[u8], contents: &[u8]) -> io::Result<()> {
    let socket = address.socket(false)?;
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut left = contents.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    for part in [&[kind, b' '], &digits[at..], b" ", name, b"\n", contents] {
        let mut part = part;
        while !part.is_empty() {
            // SAFETY: a buffer with its length.
            let sent = unsafe {
                libc::send(socket.as_raw_fd(), part.as_ptr().cast(), part.len(), libc::MSG_NOSIGNAL)
            };
            match sent {
                0.. => part = &part[sent as usize..],
                _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                _ => return Err(io::Error::last_os_error()),
            }
        }
    }
    Ok(())
}

/// The messages that arrived by the socket.
#[derive(Debug, Default)]
pub struct Received {
    pub journal: Vec<u8>,
    /// Names and contents of files, in order of arrival.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The command line's end of the socket.
#[derive(Debug)]
pub struct Receiver {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Received>>,
    results: std::path::PathBuf,
}

impl Receiver {
    /// Listens on the socket of a run. If the system forbids it, the receiver stays empty.
    pub fn new(results: &Path) -> Receiver {
        let over = Arc::new(AtomicBool::new(false));
        let thread = Address::of(results).socket(true).ok().map(|socket| {
            let (listener, over) = (UnixListener::from(socket), over.clone());
            std::thread::spawn(move || receive(&listener, &over))
        });
        Receiver { over, thread, results: results.to_owned() }
    }

    /// Returns all messages that were sent before the call.
    pub fn finish(mut self) -> Received {
        self.over.store(true, Ordering::SeqCst);
        // Connections are accepted in order, so all earlier messages are read before this one.
        match send_to(&Address::of(&self.results), WAKE, b"", b"") {
            Ok(()) => self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default(),
            Err(_) => Received::default(),
        }
    }
}

fn receive(listener: &UnixListener, over: &AtomicBool) -> Received {
    let mut received = Received::default();
    for connection in listener.incoming() {
        let Ok(connection) = connection else { continue };
        let Some(sender) = sender(&connection) else { continue };
        match message(connection) {
            Some((LINES, _, mut lines)) => received.journal.append(&mut lines),
            Some((WHOLE_FILE, name, contents)) => {
                received.files.retain(|(known, _)| *known != name);
                received.files.push((name, contents));
            }
            Some((WAKE, ..)) if sender == pid() && over.load(Ordering::SeqCst) => break,
            _ => {}
        }
    }
    received
}

/// Returns the process id of the peer, if it belongs to the same user or to root.
fn sender(connection: &UnixStream) -> Option<i32> {
    // SAFETY: all-zero bytes are a value of this type, and the call fills it.
    unsafe {
        let mut other: libc::ucred = std::mem::zeroed();
        let mut length = size_of::<libc::ucred>() as libc::socklen_t;
        let asked = libc::getsockopt(
            connection.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut other).cast(),
            &mut length,
        );
        (asked == 0 && (other.uid == libc::geteuid() || other.uid == 0)).then_some(other.pid)
    }
}

/// Reads a complete message: kind, name and contents.
fn message(connection: UnixStream) -> Option<(u8, Vec<u8>, Vec<u8>)> {
    const LONGEST_LINE: usize = 4096;
    connection.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut reader = io::BufReader::new(connection);
    let mut line = Vec::new();
    loop {
        let mut byte = [0];
        reader.read_exact(&mut byte).ok()?;
        if byte[0] == b'\n' {
            break;
        }
        line.push(byte[0]);
        if line.len() > LONGEST_LINE {
            return None;
        }
    }
    let mut words = line.splitn(3, |&byte| byte == b' ');
    let &[kind] = words.next()? else { return None };
    let length: u64 = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    let name = words.next()?.to_vec();
    if length > LONGEST {
        return None;
    }
    let mut contents = Vec::new();
    reader.take(length).read_to_end(&mut contents).ok()?;
    (contents.len() as u64 == length).then_some((kind, name, contents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_whole_or_not_at_all() {
        let results = Path::new("/no/such/folder/of-this-test");
        let receiver = Receiver::new(results);
        let address = Address::of(results);
        send_to(&address, WHOLE_FILE, b"7.json", b"old").unwrap();
        send_to(&address, LINES, b"", b"\ne 1 a.\n").unwrap();
        let large = vec![b'x'; 1 << 20];
        send_to(&address, WHOLE_FILE, b"8.json", &large).unwrap();
        send_to(&address, WHOLE_FILE, b"7.json", b"new").unwrap();
        drop(address.socket(false).unwrap());
        for cut in [&b"r 100 9.json\nshort"[..], b"r x 9.json\n", b"r 99999999999999 9.json\n", b"\n"] {
            let socket = UnixStream::from(address.socket(false).unwrap());
            io::Write::write_all(&mut &socket, cut).unwrap();
        }
        send_to(&address, LINES, b"", b"\ne 2 b.\n").unwrap();
        let received = receiver.finish();
        assert_eq!(received.journal, b"\ne 1 a.\n\ne 2 b.\n");
        let names: Vec<&[u8]> = received.files.iter().map(|(name, _)| name.as_slice()).collect();
        assert_eq!(names, [&b"8.json"[..], b"7.json"]);
        assert_eq!(received.files[0].1, large);
        assert_eq!(received.files[1].1, b"new");
    }

    #[test]
    fn without_a_receiver_sending_is_an_error() {
        assert!(send_to(&Address::of(Path::new("/no/such/receiver")), LINES, b"", b"x").is_err());
    }
}
