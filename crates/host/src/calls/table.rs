//! The system calls of x86-64 Linux: which of their arguments are buffers, and what the kernel does with them.
//!
//! Sources: the manual pages of section 2, and the kernel's `syscall_64.tbl` for numbers and names. A number that is not listed is
//! [`Served::Opaque`]: the call succeeds, and its accesses are named as not checked.
//!
//! **Size:** one line for each of 382 calls.

use super::masks::Mask;

/// The length of a buffer in bytes, from the values of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Fixed(u64),
    /// That argument.
    Arg(u8),
    /// That argument times a size.
    Times(u8, u64),
    /// That argument plus a size.
    Plus(u8, u64),
    /// A bit set of that many bits, in whole words.
    Bits(u8),
    /// One byte for each page of that argument's bytes.
    Pages(u8),
    /// The 32-bit word that this argument points to.
    Behind(u8),
}

/// How much of a buffer a call that succeeded has accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// All of it.
    All,
    /// As many elements of this size as the call returned, and these bytes more.
    Returned(u64, u64),
    /// The length that the argument points to, which the call has set.
    Behind(u8),
    /// All of it if the call returned a number other than 0.
    Found,
    /// All of it if a signal interrupted the call, and nothing otherwise.
    Interrupted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// The kernel reads it.
    In,
    /// The kernel writes it.
    Out,
    /// The kernel reads and writes it.
    Both,
}

/// The target of a pointer argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    Buffer {
        arg: u8,
        how: Use,
        length: Length,
        done: Done,
    },
    /// A string with its terminator.
    Text(u8),
    /// An array of strings that ends with null.
    Texts(u8),
    /// An array of `struct iovec`, with the argument that has its length.
    Vector {
        arg: u8,
        count: u8,
        how: Use,
    },
    /// The same of another process, which may be this one: the first argument has its number.
    Remote {
        arg: u8,
        count: u8,
        how: Use,
    },
    /// `struct msghdr`.
    Message {
        arg: u8,
        how: Use,
    },
    /// An array of `struct mmsghdr`, with the argument that has its length.
    Messages {
        arg: u8,
        count: u8,
        how: Use,
    },
    /// A place in a file: in `/proc/self/mem` it is an address. What is accessed there is not checked.
    Place(u8),
    /// An array of pointers to `struct iocb`.
    Blocks {
        arg: u8,
        count: u8,
    },
}

/// How a call is served while memory is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// Its buffers are known: their accesses are reported.
    Checked(&'static [Pointer]),
    /// The same, and a signal mask for the time of the call.
    Masked(&'static [Pointer], Mask),
    /// It changes the address space, or the kernel goes on to use the memory after the call: memory that is named by one of these
    /// arguments is no longer watched.
    Keeps(&'static [u8], &'static [Pointer]),
    /// The accessed memory depends on more than its arguments: the call succeeds, and its accesses are not
    /// checked.
    Opaque,
    /// Memory is accessed for it by other threads of the kernel: nothing is watched any more.
    Rings,
    /// Signals and threads: see [`masks`](super::masks) and [`dispatch`](super::dispatch).
    Control,
}

/// A system call by its number.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub number: i64,
    pub name: &'static str,
    pub served: Served,
}

/// Returns the entry of a call.
pub fn call(number: i64) -> Option<&'static Call> {
    TABLE.binary_search_by_key(&number, |call| call.number).ok().map(|at| &TABLE[at])
}

use Done::{All, Returned};
use Length::{Arg, Bits, Fixed, Pages, Plus, Times};
use Pointer::{Blocks, Message, Messages, Place, Remote, Text, Texts, Vector};
use Served::{Checked, Control, Keeps, Masked, Opaque, Rings};
use Use::{Both, In, Out};

const fn buffer(arg: u8, how: Use, length: Length) -> Pointer {
    Pointer::Buffer { arg, how, length, done: All }
}

/// As many bytes as the call returns.
const fn some(arg: u8, how: Use, length: Length) -> Pointer {
    Pointer::Buffer { arg, how, length, done: Returned(1, 0) }
}

/// As many elements as the call returns.
const fn elements(arg: u8, count: u8, size: u64) -> Pointer {
    Pointer::Buffer { arg, how: Out, length: Times(count, size), done: Returned(size, 0) }
}

/// A buffer whose length another argument points to: the room before the call, and what there is after it.
const fn sized(arg: u8, length: u8) -> Pointer {
    Pointer::Buffer { arg, how: Out, length: Length::Behind(length), done: Done::Behind(length) }
}

const NONE: Served = Checked(&[]);
/// Sizes of the kernel's structures.
const STAT: u64 = 144;
const TIME: Length = Fixed(16);
const RUSAGE: Length = Fixed(144);
const SIGINFO: Length = Fixed(128);
const EPOLL_EVENT: u64 = 12;
const MESSAGE_TYPE: u64 = 8;

macro_rules! table {
    ($($number:literal $name:ident $served:expr;)*) => {
        /// All of them, by number.
        pub static TABLE: &[Call] = &[$(Call { number: $number, name: stringify!($name), served: $served }),*];
    };
}

table! {
    0 read Checked(&[some(1, Out, Arg(2))]);
    1 write Checked(&[some(1, In, Arg(2))]);
    2 open Checked(&[Text(0)]);
    3 close NONE;
    4 stat Checked(&[Text(0), buffer(1, Out, Fixed(STAT))]);
    5 fstat Checked(&[buffer(1, Out, Fixed(STAT))]);
    6 lstat Checked(&[Text(0), buffer(1, Out, Fixed(STAT))]);
    7 poll Checked(&[buffer(0, Both, Times(1, 8))]);
    8 lseek Checked(&[Place(1)]);
    9 mmap Keeps(&[0], &[]);
    10 mprotect Keeps(&[0], &[]);
    11 munmap Keeps(&[0], &[]);
    12 brk NONE;
    13 rt_sigaction Control;
    14 rt_sigprocmask Control;
    15 rt_sigreturn Control;
    16 ioctl Opaque;
    17 pread64 Checked(&[some(1, Out, Arg(2)), Place(3)]);
    18 pwrite64 Checked(&[some(1, In, Arg(2)), Place(3)]);
    19 readv Checked(&[Vector { arg: 1, count: 2, how: Out }]);
    20 writev Checked(&[Vector { arg: 1, count: 2, how: In }]);
    21 access Checked(&[Text(0)]);
    22 pipe Checked(&[buffer(0, Out, Fixed(8))]);
    23 select Checked(&[buffer(1, Both, Bits(0)), buffer(2, Both, Bits(0)), buffer(3, Both, Bits(0)), buffer(4, Both, TIME)]);
    24 sched_yield NONE;
    25 mremap Keeps(&[0, 4], &[]);
    26 msync Keeps(&[0], &[]);
    27 mincore Keeps(&[0], &[buffer(2, Out, Pages(1))]);
    28 madvise Keeps(&[0], &[]);
    29 shmget NONE;
    30 shmat Keeps(&[1], &[]);
    31 shmctl Opaque;
    32 dup NONE;
    33 dup2 NONE;
    34 pause NONE;
    35 nanosleep Checked(&[buffer(0, In, TIME), Pointer::Buffer { arg: 1, how: Out, length: TIME, done: Done::Interrupted }]);
    36 getitimer Checked(&[buffer(1, Out, Fixed(32))]);
    37 alarm NONE;
    38 setitimer Checked(&[buffer(1, In, Fixed(32)), buffer(2, Out, Fixed(32))]);
    39 getpid NONE;
    40 sendfile Checked(&[buffer(2, Both, Fixed(8))]);
    41 socket NONE;
    42 connect Checked(&[buffer(1, In, Arg(2))]);
    43 accept Checked(&[sized(1, 2), buffer(2, Both, Fixed(4))]);
    44 sendto Checked(&[some(1, In, Arg(2)), buffer(4, In, Arg(5))]);
    45 recvfrom Checked(&[some(1, Out, Arg(2)), sized(4, 5), buffer(5, Both, Fixed(4))]);
    46 sendmsg Checked(&[Message { arg: 1, how: In }]);
    47 recvmsg Checked(&[Message { arg: 1, how: Out }]);
    48 shutdown NONE;
    49 bind Checked(&[buffer(1, In, Arg(2))]);
    50 listen NONE;
    51 getsockname Checked(&[sized(1, 2), buffer(2, Both, Fixed(4))]);
    52 getpeername Checked(&[sized(1, 2), buffer(2, Both, Fixed(4))]);
    53 socketpair Checked(&[buffer(3, Out, Fixed(8))]);
    54 setsockopt Checked(&[buffer(3, In, Arg(4))]);
    55 getsockopt Checked(&[sized(3, 4), buffer(4, Both, Fixed(4))]);
    56 clone Control;
    57 fork Control;
    58 vfork Control;
    59 execve Checked(&[Text(0), Texts(1), Texts(2)]);
    60 exit NONE;
    61 wait4 Checked(&[Pointer::Buffer { arg: 1, how: Out, length: Fixed(4), done: Done::Found }, Pointer::Buffer { arg: 3, how: Out, length: RUSAGE, done: Done::Found }]);
    62 kill NONE;
    63 uname Checked(&[buffer(0, Out, Fixed(390))]);
    64 semget NONE;
    65 semop Checked(&[buffer(1, In, Times(2, 6))]);
    66 semctl Opaque;
    67 shmdt Keeps(&[0], &[]);
    68 msgget NONE;
    69 msgsnd Checked(&[buffer(1, In, Plus(2, MESSAGE_TYPE))]);
    70 msgrcv Checked(&[Pointer::Buffer { arg: 1, how: Out, length: Plus(2, MESSAGE_TYPE), done: Returned(1, MESSAGE_TYPE) }]);
    71 msgctl Opaque;
    72 fcntl Opaque;
    73 flock NONE;
    74 fsync NONE;
    75 fdatasync NONE;
    76 truncate Checked(&[Text(0)]);
    77 ftruncate NONE;
    78 getdents Checked(&[some(1, Out, Arg(2))]);
    79 getcwd Checked(&[some(0, Out, Arg(1))]);
    80 chdir Checked(&[Text(0)]);
    81 fchdir NONE;
    82 rename Checked(&[Text(0), Text(1)]);
    83 mkdir Checked(&[Text(0)]);
    84 rmdir Checked(&[Text(0)]);
    85 creat Checked(&[Text(0)]);
    86 link Checked(&[Text(0), Text(1)]);
    87 unlink Checked(&[Text(0)]);
    88 symlink Checked(&[Text(0), Text(1)]);
    89 readlink Checked(&[Text(0), some(1, Out, Arg(2))]);
    90 chmod Checked(&[Text(0)]);
    91 fchmod NONE;
    92 chown Checked(&[Text(0)]);
    93 fchown NONE;
    94 lchown Checked(&[Text(0)]);
    95 umask NONE;
    96 gettimeofday Checked(&[buffer(0, Out, TIME), buffer(1, Out, Fixed(8))]);
    97 getrlimit Checked(&[buffer(1, Out, TIME)]);
    98 getrusage Checked(&[buffer(1, Out, RUSAGE)]);
    99 sysinfo Checked(&[buffer(0, Out, Fixed(112))]);
    100 times Checked(&[buffer(0, Out, Fixed(32))]);
    101 ptrace Opaque;
    102 getuid NONE;
    103 syslog Checked(&[some(1, Out, Arg(2))]);
    104 getgid NONE;
    105 setuid NONE;
    106 setgid NONE;
    107 geteuid NONE;
    108 getegid NONE;
    109 setpgid NONE;
    110 getppid NONE;
    111 getpgrp NONE;
    112 setsid NONE;
    113 setreuid NONE;
    114 setregid NONE;
    115 getgroups Checked(&[elements(1, 0, 4)]);
    116 setgroups Checked(&[buffer(1, In, Times(0, 4))]);
    117 setresuid NONE;
    118 getresuid Checked(&[buffer(0, Out, Fixed(4)), buffer(1, Out, Fixed(4)), buffer(2, Out, Fixed(4))]);
    119 setresgid NONE;
    120 getresgid Checked(&[buffer(0, Out, Fixed(4)), buffer(1, Out, Fixed(4)), buffer(2, Out, Fixed(4))]);
    121 getpgid NONE;
    122 setfsuid NONE;
    123 setfsgid NONE;
    124 getsid NONE;
    125 capget Checked(&[buffer(0, Both, Fixed(8)), buffer(1, Out, Fixed(24))]);
    126 capset Checked(&[buffer(0, In, Fixed(8)), buffer(1, In, Fixed(24))]);
    127 rt_sigpending Checked(&[buffer(0, Out, Arg(1))]);
    128 rt_sigtimedwait Checked(&[buffer(0, In, Arg(3)), buffer(1, Out, SIGINFO), buffer(2, In, TIME)]);
    129 rt_sigqueueinfo Checked(&[buffer(2, In, SIGINFO)]);
    130 rt_sigsuspend Masked(&[], Mask::Direct(0));
    131 sigaltstack Keeps(&[0], &[buffer(0, In, Fixed(24)), buffer(1, Out, Fixed(24))]);
    132 utime Checked(&[Text(0), buffer(1, In, TIME)]);
    133 mknod Checked(&[Text(0)]);
    134 uselib Checked(&[Text(0)]);
    135 personality NONE;
    136 ustat Checked(&[buffer(1, Out, Fixed(32))]);
    137 statfs Checked(&[Text(0), buffer(1, Out, Fixed(120))]);
    138 fstatfs Checked(&[buffer(1, Out, Fixed(120))]);
    139 sysfs Opaque;
    140 getpriority NONE;
    141 setpriority NONE;
    142 sched_setparam Checked(&[buffer(1, In, Fixed(4))]);
    143 sched_getparam Checked(&[buffer(1, Out, Fixed(4))]);
    144 sched_setscheduler Checked(&[buffer(2, In, Fixed(4))]);
    145 sched_getscheduler NONE;
    146 sched_get_priority_max NONE;
    147 sched_get_priority_min NONE;
    148 sched_rr_get_interval Checked(&[buffer(1, Out, TIME)]);
    149 mlock Keeps(&[0], &[]);
    150 munlock Keeps(&[0], &[]);
    151 mlockall NONE;
    152 munlockall NONE;
    153 vhangup NONE;
    154 modify_ldt Opaque;
    155 pivot_root Checked(&[Text(0), Text(1)]);
    156 _sysctl Opaque;
    157 prctl Opaque;
    158 arch_prctl Keeps(&[1], &[]);
    159 adjtimex Checked(&[buffer(0, Both, Fixed(208))]);
    160 setrlimit Checked(&[buffer(1, In, TIME)]);
    161 chroot Checked(&[Text(0)]);
    162 sync NONE;
    163 acct Checked(&[Text(0)]);
    164 settimeofday Checked(&[buffer(0, In, TIME), buffer(1, In, Fixed(8))]);
    165 mount Opaque;
    166 umount2 Checked(&[Text(0)]);
    167 swapon Checked(&[Text(0)]);
    168 swapoff Checked(&[Text(0)]);
    169 reboot Opaque;
    170 sethostname Checked(&[buffer(0, In, Arg(1))]);
    171 setdomainname Checked(&[buffer(0, In, Arg(1))]);
    172 iopl NONE;
    173 ioperm NONE;
    174 create_module Opaque;
    175 init_module Checked(&[buffer(0, In, Arg(1)), Text(2)]);
    176 delete_module Checked(&[Text(0)]);
    177 get_kernel_syms Opaque;
    178 query_module Opaque;
    179 quotactl Opaque;
    180 nfsservctl Opaque;
    181 getpmsg Opaque;
    182 putpmsg Opaque;
    183 afs_syscall Opaque;
    184 tuxcall Opaque;
    185 security Opaque;
    186 gettid NONE;
    187 readahead NONE;
    188 setxattr Checked(&[Text(0), Text(1), buffer(2, In, Arg(3))]);
    189 lsetxattr Checked(&[Text(0), Text(1), buffer(2, In, Arg(3))]);
    190 fsetxattr Checked(&[Text(1), buffer(2, In, Arg(3))]);
    191 getxattr Checked(&[Text(0), Text(1), some(2, Out, Arg(3))]);
    192 lgetxattr Checked(&[Text(0), Text(1), some(2, Out, Arg(3))]);
    193 fgetxattr Checked(&[Text(1), some(2, Out, Arg(3))]);
    194 listxattr Checked(&[Text(0), some(1, Out, Arg(2))]);
    195 llistxattr Checked(&[Text(0), some(1, Out, Arg(2))]);
    196 flistxattr Checked(&[some(1, Out, Arg(2))]);
    197 removexattr Checked(&[Text(0), Text(1)]);
    198 lremovexattr Checked(&[Text(0), Text(1)]);
    199 fremovexattr Checked(&[Text(1)]);
    200 tkill NONE;
    201 time Checked(&[buffer(0, Out, Fixed(8))]);
    202 futex Opaque;
    203 sched_setaffinity Checked(&[buffer(2, In, Arg(1))]);
    204 sched_getaffinity Checked(&[some(2, Out, Arg(1))]);
    205 set_thread_area Opaque;
    206 io_setup Checked(&[buffer(1, Both, Fixed(8))]);
    207 io_destroy NONE;
    208 io_getevents Checked(&[elements(3, 2, 32), buffer(4, In, TIME)]);
    209 io_submit Checked(&[Blocks { arg: 2, count: 1 }]);
    210 io_cancel Opaque;
    211 get_thread_area Opaque;
    212 lookup_dcookie Checked(&[some(1, Out, Arg(2))]);
    213 epoll_create NONE;
    214 epoll_ctl_old Opaque;
    215 epoll_wait_old Opaque;
    216 remap_file_pages Keeps(&[0], &[]);
    217 getdents64 Checked(&[some(1, Out, Arg(2))]);
    218 set_tid_address Keeps(&[0], &[]);
    219 restart_syscall NONE;
    220 semtimedop Checked(&[buffer(1, In, Times(2, 6)), buffer(3, In, TIME)]);
    221 fadvise64 NONE;
    222 timer_create Checked(&[buffer(1, In, Fixed(64)), buffer(2, Out, Fixed(4))]);
    223 timer_settime Checked(&[buffer(2, In, Fixed(32)), buffer(3, Out, Fixed(32))]);
    224 timer_gettime Checked(&[buffer(1, Out, Fixed(32))]);
    225 timer_getoverrun NONE;
    226 timer_delete NONE;
    227 clock_settime Checked(&[buffer(1, In, TIME)]);
    228 clock_gettime Checked(&[buffer(1, Out, TIME)]);
    229 clock_getres Checked(&[buffer(1, Out, TIME)]);
    230 clock_nanosleep Checked(&[buffer(2, In, TIME), Pointer::Buffer { arg: 3, how: Out, length: TIME, done: Done::Interrupted }]);
    231 exit_group NONE;
    232 epoll_wait Checked(&[elements(1, 2, EPOLL_EVENT)]);
    233 epoll_ctl Checked(&[buffer(3, In, Fixed(EPOLL_EVENT))]);
    234 tgkill NONE;
    235 utimes Checked(&[Text(0), buffer(1, In, Fixed(32))]);
    236 vserver Opaque;
    237 mbind Keeps(&[0], &[]);
    238 set_mempolicy Opaque;
    239 get_mempolicy Opaque;
    240 mq_open Checked(&[Text(0), buffer(3, In, Fixed(64))]);
    241 mq_unlink Checked(&[Text(0)]);
    242 mq_timedsend Checked(&[buffer(1, In, Arg(2)), buffer(4, In, TIME)]);
    243 mq_timedreceive Checked(&[some(1, Out, Arg(2)), buffer(3, Out, Fixed(4)), buffer(4, In, TIME)]);
    244 mq_notify Checked(&[buffer(1, In, Fixed(64))]);
    245 mq_getsetattr Checked(&[buffer(1, In, Fixed(64)), buffer(2, Out, Fixed(64))]);
    246 kexec_load Opaque;
    247 waitid Checked(&[buffer(2, Out, SIGINFO), buffer(4, Out, RUSAGE)]);
    248 add_key Checked(&[Text(0), Text(1), buffer(2, In, Arg(3))]);
    249 request_key Checked(&[Text(0), Text(1), Text(2)]);
    250 keyctl Opaque;
    251 ioprio_set NONE;
    252 ioprio_get NONE;
    253 inotify_init NONE;
    254 inotify_add_watch Checked(&[Text(1)]);
    255 inotify_rm_watch NONE;
    256 migrate_pages Opaque;
    257 openat Checked(&[Text(1)]);
    258 mkdirat Checked(&[Text(1)]);
    259 mknodat Checked(&[Text(1)]);
    260 fchownat Checked(&[Text(1)]);
    261 futimesat Checked(&[Text(1), buffer(2, In, Fixed(32))]);
    262 newfstatat Checked(&[Text(1), buffer(2, Out, Fixed(STAT))]);
    263 unlinkat Checked(&[Text(1)]);
    264 renameat Checked(&[Text(1), Text(3)]);
    265 linkat Checked(&[Text(1), Text(3)]);
    266 symlinkat Checked(&[Text(0), Text(2)]);
    267 readlinkat Checked(&[Text(1), some(2, Out, Arg(3))]);
    268 fchmodat Checked(&[Text(1)]);
    269 faccessat Checked(&[Text(1)]);
    270 pselect6 Masked(&[buffer(1, Both, Bits(0)), buffer(2, Both, Bits(0)), buffer(3, Both, Bits(0)), buffer(4, Both, TIME)], Mask::Behind(5));
    271 ppoll Masked(&[buffer(0, Both, Times(1, 8)), buffer(2, Both, TIME)], Mask::Direct(3));
    272 unshare NONE;
    273 set_robust_list Keeps(&[0], &[]);
    274 get_robust_list Checked(&[buffer(1, Out, Fixed(8)), buffer(2, Out, Fixed(8))]);
    275 splice Checked(&[buffer(1, Both, Fixed(8)), buffer(3, Both, Fixed(8))]);
    276 tee NONE;
    277 sync_file_range NONE;
    278 vmsplice Checked(&[Vector { arg: 1, count: 2, how: In }]);
    279 move_pages Opaque;
    280 utimensat Checked(&[Text(1), buffer(2, In, Fixed(32))]);
    281 epoll_pwait Masked(&[elements(1, 2, EPOLL_EVENT)], Mask::Direct(4));
    282 signalfd Checked(&[buffer(1, In, Arg(2))]);
    283 timerfd_create NONE;
    284 eventfd NONE;
    285 fallocate NONE;
    286 timerfd_settime Checked(&[buffer(2, In, Fixed(32)), buffer(3, Out, Fixed(32))]);
    287 timerfd_gettime Checked(&[buffer(1, Out, Fixed(32))]);
    288 accept4 Checked(&[sized(1, 2), buffer(2, Both, Fixed(4))]);
    289 signalfd4 Checked(&[buffer(1, In, Arg(2))]);
    290 eventfd2 NONE;
    291 epoll_create1 NONE;
    292 dup3 NONE;
    293 pipe2 Checked(&[buffer(0, Out, Fixed(8))]);
    294 inotify_init1 NONE;
    295 preadv Checked(&[Vector { arg: 1, count: 2, how: Out }, Place(3)]);
    296 pwritev Checked(&[Vector { arg: 1, count: 2, how: In }, Place(3)]);
    297 rt_tgsigqueueinfo Checked(&[buffer(3, In, SIGINFO)]);
    298 perf_event_open Opaque;
    299 recvmmsg Checked(&[Messages { arg: 1, count: 2, how: Out }, buffer(4, Both, TIME)]);
    300 fanotify_init NONE;
    301 fanotify_mark Checked(&[Text(4)]);
    302 prlimit64 Checked(&[buffer(2, In, TIME), buffer(3, Out, TIME)]);
    303 name_to_handle_at Opaque;
    304 open_by_handle_at Opaque;
    305 clock_adjtime Checked(&[buffer(1, Both, Fixed(208))]);
    306 syncfs NONE;
    307 sendmmsg Checked(&[Messages { arg: 1, count: 2, how: In }]);
    308 setns NONE;
    309 getcpu Checked(&[buffer(0, Out, Fixed(4)), buffer(1, Out, Fixed(4))]);
    310 process_vm_readv Checked(&[Vector { arg: 1, count: 2, how: Out }, Remote { arg: 3, count: 4, how: In }]);
    311 process_vm_writev Checked(&[Vector { arg: 1, count: 2, how: In }, Remote { arg: 3, count: 4, how: Out }]);
    312 kcmp NONE;
    313 finit_module Checked(&[Text(1)]);
    314 sched_setattr Checked(&[buffer(1, In, Fixed(48))]);
    315 sched_getattr Checked(&[buffer(1, Out, Arg(2))]);
    316 renameat2 Checked(&[Text(1), Text(3)]);
    317 seccomp Opaque;
    318 getrandom Checked(&[some(0, Out, Arg(1))]);
    319 memfd_create Checked(&[Text(0)]);
    320 kexec_file_load Opaque;
    321 bpf Opaque;
    322 execveat Checked(&[Text(1), Texts(2), Texts(3)]);
    323 userfaultfd NONE;
    324 membarrier NONE;
    325 mlock2 Keeps(&[0], &[]);
    326 copy_file_range Checked(&[buffer(1, Both, Fixed(8)), buffer(3, Both, Fixed(8))]);
    327 preadv2 Checked(&[Vector { arg: 1, count: 2, how: Out }, Place(3)]);
    328 pwritev2 Checked(&[Vector { arg: 1, count: 2, how: In }, Place(3)]);
    329 pkey_mprotect Keeps(&[0], &[]);
    330 pkey_alloc NONE;
    331 pkey_free NONE;
    332 statx Checked(&[Text(1), buffer(4, Out, Fixed(256))]);
    333 io_pgetevents Masked(&[elements(3, 2, 32), buffer(4, In, TIME)], Mask::Behind(5));
    334 rseq Keeps(&[0], &[]);
    335 uretprobe NONE;
    424 pidfd_send_signal Checked(&[buffer(2, In, SIGINFO)]);
    425 io_uring_setup Rings;
    426 io_uring_enter Rings;
    427 io_uring_register Rings;
    428 open_tree Checked(&[Text(1)]);
    429 move_mount Checked(&[Text(1), Text(3)]);
    430 fsopen Checked(&[Text(0)]);
    431 fsconfig Opaque;
    432 fsmount NONE;
    433 fspick Checked(&[Text(1)]);
    434 pidfd_open NONE;
    435 clone3 Control;
    436 close_range NONE;
    437 openat2 Checked(&[Text(1), buffer(2, In, Arg(3))]);
    438 pidfd_getfd NONE;
    439 faccessat2 Checked(&[Text(1)]);
    440 process_madvise Opaque;
    441 epoll_pwait2 Masked(&[elements(1, 2, EPOLL_EVENT), buffer(3, In, TIME)], Mask::Direct(4));
    442 mount_setattr Checked(&[Text(1), buffer(3, In, Arg(4))]);
    443 quotactl_fd Opaque;
    444 landlock_create_ruleset Checked(&[buffer(0, In, Arg(1))]);
    445 landlock_add_rule Opaque;
    446 landlock_restrict_self NONE;
    447 memfd_secret NONE;
    448 process_mrelease NONE;
    449 futex_waitv Opaque;
    450 set_mempolicy_home_node Keeps(&[0], &[]);
    451 cachestat Checked(&[buffer(1, In, Fixed(16)), buffer(2, Out, Fixed(40))]);
    452 fchmodat2 Checked(&[Text(1)]);
    453 map_shadow_stack Keeps(&[0], &[]);
    454 futex_wake Opaque;
    455 futex_wait Opaque;
    456 futex_requeue Opaque;
    457 statmount Opaque;
    458 listmount Opaque;
    459 lsm_get_self_attr Opaque;
    460 lsm_set_self_attr Opaque;
    461 lsm_list_modules Opaque;
    462 mseal Keeps(&[0], &[]);
    463 setxattrat Opaque;
    464 getxattrat Opaque;
    465 listxattrat Opaque;
    466 removexattrat Opaque;
    467 open_tree_attr Opaque;
    468 file_getattr Opaque;
    469 file_setattr Opaque;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_names_are_those_of_the_c_library() {
        assert!(TABLE.windows(2).all(|two| two[0].number < two[1].number));
        for (number, name) in [
            (libc::SYS_read, "read"),
            (libc::SYS_process_vm_readv, "process_vm_readv"),
            (libc::SYS_getrandom, "getrandom"),
            (libc::SYS_statx, "statx"),
            (libc::SYS_newfstatat, "newfstatat"),
            (libc::SYS_clone3, "clone3"),
            (libc::SYS_epoll_pwait2, "epoll_pwait2"),
            (libc::SYS_recvmmsg, "recvmmsg"),
            (libc::SYS_mq_timedreceive, "mq_timedreceive"),
            (libc::SYS_io_uring_setup, "io_uring_setup"),
        ] {
            assert_eq!(call(number).map(|c| c.name), Some(name));
        }
        assert!(call(400).is_none() && call(-1).is_none());
    }

    /// Every call of the system's own header is in the table by its name.
    #[test]
    fn no_call_of_this_system_is_missing() {
        let header = ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"];
        let Some(text) = header.iter().find_map(|path| std::fs::read_to_string(path).ok()) else {
            eprintln!("skipped: no asm/unistd_64.h");
            return;
        };
        let mut seen = 0;
        for line in text.lines() {
            let Some(rest) = line.strip_prefix("#define __NR_") else { continue };
            let Some((name, number)) = rest.split_once(' ') else { continue };
            let Ok(number) = number.trim().parse() else { continue };
            assert_eq!(call(number).map(|c| c.name), Some(name), "system call {number}");
            seen += 1;
        }
        assert!(seen > 300);
    }
}
