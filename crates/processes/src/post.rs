//! How words reach the command line.
//!
//! Usually by files in the folder of results. Where no file can be written (the disk is full, `ulimit -f` forbids it) they go to a
//! socket on which the command line listens as long as the run lasts. It has an abstract name, made of the folder's, so that it
//! needs no room on a disk either.
//!
//! A message is a line `KIND LENGTH NAME` and so many bytes; one connection carries one message, and what does not arrive whole
//! did not arrive.

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

/// A message that says nothing: wakes the receiver.
const WAKE: u8 = b'q';
/// Lines of the journal.
const LINES: u8 = b'j';
/// A file of the folder of results.
const WHOLE_FILE: u8 = b'r';

/// Longer messages are not read.
const LONGEST: u64 = 1 << 30;
/// A sender that says nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where this process's words go.
struct Place {
    journal: CString,
    address: Address,
}

/// The name of a socket.
#[derive(Clone, Copy)]
struct Address {
    name: libc::sockaddr_un,
    length: libc::socklen_t,
}

static PLACE: AtomicPtr<Place> = AtomicPtr::new(std::ptr::null_mut());

/// Has this process write to the journal of the run with these results. Once for each process; the place is never freed, since a
/// signal handler may use it.
pub fn open(results: &Path) {
    static ONCE: OnceLock<()> = OnceLock::new();
    let Ok(journal) = CString::new(results.join(JOURNAL).into_os_string().as_bytes()) else { return };
    ONCE.get_or_init(|| {
        let place = Place { journal, address: Address::of(results) };
        PLACE.store(Box::into_raw(Box::new(place)), Ordering::Release);
    });
}

/// Whether this process writes a journal.
pub fn is_open() -> bool {
    place().is_some()
}

/// This process's number, which no library may have cached: in the child of a `vfork` it is another one.
pub fn pid() -> i32 {
    // SAFETY: has no preconditions.
    unsafe { libc::syscall(libc::SYS_getpid) as i32 }
}

fn place() -> Option<&'static Place> {
    // SAFETY: null, or what `open` has leaked.
    unsafe { PLACE.load(Ordering::Acquire).as_ref() }
}

impl Address {
    fn of(results: &Path) -> Address {
        // SAFETY: all-zero bytes are a value of this type.
        let mut name: libc::sockaddr_un = unsafe { std::mem::zeroed() };
        name.sun_family = libc::AF_UNIX as libc::sa_family_t;
        // Paths may be longer than names of sockets: a FNV-1a hash of it stands for it.
        let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        let hash = results.as_os_str().as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step);
        let text = format!("warprace-{hash:016x}");
        // The first byte stays zero: an abstract name.
        for (to, from) in name.sun_path[1..].iter_mut().zip(text.bytes()) {
            *to = from as libc::c_char;
        }
        let length = std::mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + text.len();
        Address { name, length: length as libc::socklen_t }
    }

    /// Connects, or listens. Allocates nothing.
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

/// Keeps `SIGXFSZ`, by which a write beyond `ulimit -f` ends a process, from the program: the write is an error then.
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
        // SAFETY: sets and the time are valid; a signal of ours is taken out of the queue before the mask is put back.
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

/// Writes to a file with `write`, of which `SIGXFSZ` cannot make an end of the program.
pub fn guarded<T>(write: impl FnOnce() -> T) -> T {
    let _guard = WithoutSignal::new();
    write()
}

/// Appends to the journal. Allocates nothing and takes no lock.
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
            // The run is over, or this process sees other files.
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

/// What came by the socket.
#[derive(Debug, Default)]
pub struct Received {
    pub journal: Vec<u8>,
    /// Names and contents, in the order in which they came.
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
    /// Listens. Where that is not allowed, nothing is heard.
    pub fn new(results: &Path) -> Receiver {
        let over = Arc::new(AtomicBool::new(false));
        let thread = Address::of(results).socket(true).ok().map(|socket| {
            let (listener, over) = (UnixListener::from(socket), over.clone());
            std::thread::spawn(move || receive(&listener, &over))
        });
        Receiver { over, thread, results: results.to_owned() }
    }

    /// All that was sent until now.
    pub fn finish(mut self) -> Received {
        self.over.store(true, Ordering::SeqCst);
        // Connections are accepted in their order: what came before is read before.
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

/// The process at the other end, if it is this user's or of root.
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

/// Kind, name and contents of a message that arrives whole.
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
