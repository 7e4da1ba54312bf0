//! GoogleTest in this process.

use memmap2::Mmap;
use object::read::elf::{ElfFile64, FileHeader};
use object::{LittleEndian, Object, ObjectSymbol, elf};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::sync::{Mutex, OnceLock, PoisonError};

/// `testing::UnitTest::GetInstance()`.
const INSTANCE: &CStr = c"_ZN7testing8UnitTest11GetInstanceEv";
/// `testing::UnitTest::current_test_info() const`.
const INFO: &CStr = c"_ZNK7testing8UnitTest17current_test_infoEv";

/// The longest name that is believed.
const LONGEST: usize = 4096;

/// The functions of the linked framework.
#[derive(Clone, Copy)]
struct Framework {
    instance: unsafe extern "C" fn() -> *const c_void,
    info: unsafe extern "C" fn(*const c_void) -> *const c_void,
}

/// `std::string` of libstdc++.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    bytes: *const u8,
    length: usize,
    inside: [u8; 16],
}

thread_local! {
    /// The test that ran when this thread asked, as its object's address; 0 if none ran.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The names of tests by their objects' addresses: the framework keeps these objects to the end.
static NAMES: Mutex<BTreeMap<usize, Option<String>>> = Mutex::new(BTreeMap::new());

/// Asks which test runs, for the calls of this thread. The caller holds no lock that a call of CUDA's may wait for.
pub fn ask() {
    static FRAMEWORK: OnceLock<Option<Framework>> = OnceLock::new();
    if let Some(framework) = FRAMEWORK.get_or_init(find) {
        // SAFETY: these are the framework's functions, which any thread may call.
        let info = unsafe {
            let instance = (framework.instance)();
            match instance.is_null() || is_locked(instance) {
                true => std::ptr::null(),
                false => (framework.info)(instance),
            }
        };
        ASKED.set(info.expose_provenance());
    }
}

/// Returns the test that ran when this thread asked, as `Suite.Name`.
pub(super) fn current() -> Option<String> {
    let info = ASKED.get();
    if info == 0 {
        return None;
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.entry(info).or_insert_with(|| name(std::ptr::with_exposed_provenance(info))).clone()
}

/// Reads the name of a test.
fn name(info: *const [Text; 2]) -> Option<String> {
    let [suite, name] = read(info)?;
    Some(format!("{}.{}", text(suite)?, text(name)?))
}

/// Returns whether this thread holds the lock of the framework's state, which asking for the test would take a second time:
/// it does while it reports a result to listeners of the program. The lock is a `pthread_mutex_t` behind the object's table of
/// functions, and the id of its owner is glibc's third word of that.
fn is_locked(instance: *const c_void) -> bool {
    // SAFETY: asks for the thread's id.
    let own = unsafe { libc::syscall(libc::SYS_gettid) } as c_int;
    read::<[c_int; 5]>(instance.cast()).is_some_and(|words| words[4] == own)
}

fn text(text: Text) -> Option<String> {
    if text.length == 0 || text.length > LONGEST {
        return None;
    }
    let mut bytes = vec![0; text.length];
    copy(text.bytes, &mut bytes)?;
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains(char::is_control)).then_some(text)
}

/// Reads a value of plain data that may not be there.
fn read<T: Copy>(from: *const T) -> Option<T> {
    let mut value = std::mem::MaybeUninit::<T>::uninit();
    // SAFETY: the slice covers the value's bytes, and only what `copy` has written is used.
    unsafe {
        let bytes = std::slice::from_raw_parts_mut(value.as_mut_ptr().cast(), size_of::<T>());
        copy(from.cast(), bytes)?;
        Some(value.assume_init())
    }
}

/// Copies memory of this process that may not be there.
fn copy(from: *const u8, into: &mut [u8]) -> Option<()> {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: from.cast_mut().cast(), iov_len: into.len() };
    // SAFETY: the kernel writes to the slice, and checks the other address.
    let done =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    (usize::try_from(done) == Ok(into.len())).then_some(())
}

fn find() -> Option<Framework> {
    let [instance, info] = shared().or_else(linked)?;
    // SAFETY: the functions with these mangled names have these parameters and results.
    Some(unsafe {
        Framework {
            instance: std::mem::transmute::<usize, unsafe extern "C" fn() -> *const c_void>(instance),
            info: std::mem::transmute::<usize, unsafe extern "C" fn(*const c_void) -> *const c_void>(info),
        }
    })
}

/// Returns the functions of a shared library.
fn shared() -> Option<[usize; 2]> {
    let found = [INSTANCE, INFO].map(|name| {
        // SAFETY: the name is a C string.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }.addr()
    });
    found.iter().all(|address| *address != 0).then_some(found)
}

/// Returns the functions that the executable's own symbol table has.
fn linked() -> Option<[usize; 2]> {
    let file = File::open("/proc/self/exe").ok()?;
    // SAFETY: the loader has mapped the same file; truncating it ends the process by that mapping too.
    let bytes = unsafe { Mmap::map(&file) }.ok()?;
    let file = ElfFile64::<LittleEndian>::parse(&*bytes).ok()?;
    let base = match file.elf_header().e_type(LittleEndian) {
        elf::ET_DYN => executable_base()?,
        _ => 0,
    };
    let mut found = [0; 2];
    for symbol in file.symbols().filter(|symbol| symbol.is_definition()) {
        let Ok(name) = symbol.name_bytes() else { continue };
        for (place, wanted) in found.iter_mut().zip([INSTANCE, INFO]) {
            if name == wanted.to_bytes() {
                *place = base + symbol.address() as usize;
            }
        }
    }
    found.iter().all(|address| *address != 0).then_some(found)
}

/// Returns the difference between addresses of the executable in memory and in its file.
fn executable_base() -> Option<usize> {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _: libc::size_t, out: *mut c_void) -> c_int {
        // SAFETY: `out` is the number below; the loader passes a valid description, the executable's first.
        unsafe { *out.cast::<usize>() = (*info).dlpi_addr as usize };
        1
    }
    let mut base = 0usize;
    // SAFETY: `first` has the expected signature and uses the number only during the call.
    let called = unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut base).cast()) };
    (called != 0).then_some(base)
}
