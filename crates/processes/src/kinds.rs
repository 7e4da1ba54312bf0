//! The ways in which a process of a run begins and ends, and how warprace treats each.
//!
//! Both tables are exhaustive, and `crates/warprace/tests/processes.rs` has a program for each row.

/// The way in which a process begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The program that warprace starts.
    First,
    /// `fork`, with or without another process between it and the program (`daemon`, `setsid`).
    Fork,
    /// `vfork`: the child shares its parent's memory until it executes a program or ends.
    Vfork,
    /// `posix_spawn`, `system`, `popen`.
    Spawn,
    /// A program replaces another one and inherits its process id.
    Exec,
    /// A program that does not load the library.
    Unwatched,
}

/// The way in which a process ends, or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// `exit` in any thread, or the return of `main`.
    Exit,
    /// `quick_exit`.
    QuickExit,
    /// `_exit`, `_Exit`.
    ExitNow,
    /// Another program replaces this one.
    Exec,
    /// A signal, `SIGKILL` included.
    Signal,
    /// The first process has ended, and this one continues.
    GoesOn,
    /// The run was killed.
    RunKilled,
}

impl Origin {
    pub const ALL: [Origin; 6] =
        [Origin::First, Origin::Fork, Origin::Vfork, Origin::Spawn, Origin::Exec, Origin::Unwatched];

    /// Returns how warprace treats such a process.
    pub const fn treatment(self) -> &'static str {
        match self {
            Origin::First => "is started with the library; if it does not load it, nothing was checked",
            Origin::Fork => {
                "has a result of its own; CUDA of the parent does not work in it, as without warprace"
            }
            Origin::Vfork => "writes nothing of its parent's; the program that it executes counts",
            Origin::Spawn | Origin::Exec => "has a result of its own, if it loads the library",
            Origin::Unwatched => {
                "is named: inconclusive if it is a CUDA program, clean of what was checked if not"
            }
        }
    }
}

impl End {
    pub const ALL: [End; 7] =
        [End::Exit, End::QuickExit, End::ExitNow, End::Exec, End::Signal, End::GoesOn, End::RunKilled];

    /// Returns how warprace treats such an end.
    pub const fn treatment(self) -> &'static str {
        match self {
            End::Exit | End::QuickExit | End::ExitNow => {
                "submitted work is completed, and the result is whole"
            }
            End::Exec => {
                "submitted work is completed before; the result stands beside that of the next program"
            }
            End::Signal => "the result is what was on disk, and names what had not ended",
            End::GoesOn => "is waited for while it works; if it still runs then, the report names it",
            End::RunKilled => "ends, too: nobody is left to hear of it",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_in_its_table_once() {
        for (at, origin) in Origin::ALL.iter().enumerate() {
            assert_eq!(*origin as usize, at);
            assert!(!origin.treatment().is_empty());
        }
        for (at, end) in End::ALL.iter().enumerate() {
            assert_eq!(*end as usize, at);
            assert!(!end.treatment().is_empty());
        }
    }
}
