//! `repeat TRACE OUT TIMES`: writes a trace in which all tasks of a recorded one happen so many times, one repetition behind the
//! other. For measurements of traces larger than what is quickly recorded.

use events::{
    Access, Account, Finding, HostEvent, Listener, Monitor, Observer, StreamId, Sync, TaskId, Tell,
};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use trace::{Recorder, RecorderObserver};

/// Records what it receives, with other numbers of tasks.
struct Repeated<'r> {
    recorder: &'r Recorder,
    /// What is added to the numbers of tasks.
    shift: u32,
    /// The last tasks of the repetition before.
    before: Vec<TaskId>,
    /// The last task of each stream, and the highest number.
    last: &'r Mutex<(BTreeMap<StreamId, TaskId>, u32)>,
}

struct Ear {
    recorder: RecorderObserver,
    shift: u32,
}

impl Listener for Repeated<'_> {
    fn host(&self, event: &HostEvent<'_>) {
        let shifted = |task: TaskId| TaskId(task.0 + self.shift);
        let first = self.shift == 0;
        match event {
            HostEvent::TaskStart(task) => {
                let mut task = task.clone().into_owned();
                (task.id, task.overlap, task.launcher) = (shifted(task.id), None, None);
                task.after.iter_mut().for_each(|after| *after = shifted(*after));
                task.after.extend(&self.before);
                let mut last = self.last.lock().unwrap();
                last.0.insert(task.stream, task.id);
                last.1 = last.1.max(task.id.0);
                drop(last);
                self.recorder.task_start(&task);
            }
            HostEvent::TaskEnd(task) => self.recorder.task_end(shifted(*task)),
            HostEvent::TaskAfter(task, after) => {
                let after: Vec<TaskId> = after.iter().map(|task| shifted(*task)).collect();
                self.recorder.task_after(shifted(*task), &after);
            }
            HostEvent::Range(range) => {
                self.recorder.range(&events::RangeAccess { task: shifted(range.task), ..*range });
            }
            HostEvent::Launched(task, facts) => {
                self.recorder.launched(shifted(*task), facts);
            }
            HostEvent::Alloc(_) | HostEvent::Site(..) if first => self.recorder.host(event),
            _ => {}
        }
    }

    fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<Finding> {
        Vec::new()
    }

    fn account(&self) -> Account {
        Account::default()
    }
}

impl Monitor for Repeated<'_> {
    type Observer = Ear;

    fn observer(&self, worker: usize) -> Ear {
        Ear { recorder: self.recorder.observer(worker), shift: self.shift }
    }
}

impl Observer for Ear {
    fn access(&mut self, access: &Access<'_>) {
        let warp = events::access::Warp { task: TaskId(access.warp.task.0 + self.shift), ..access.warp };
        self.recorder.access(&Access { warp, ..*access });
    }

    fn sync(&mut self, sync: &Sync<'_>) {
        let mut sync = *sync;
        match &mut sync {
            Sync::BarrierComplete { task, .. }
            | Sync::BlockStart { task, .. }
            | Sync::BlockEnd { task, .. } => {
                task.0 += self.shift;
            }
            Sync::BarrierArrive { warp, .. }
            | Sync::WarpSync { warp, .. }
            | Sync::Fence { warp, .. }
            | Sync::Rendezvous { warp, .. }
            | Sync::Converge { warp, .. }
            | Sync::Exit { warp, .. } => warp.task.0 += self.shift,
            _ => panic!("only barriers, fences and the ends of threads are repeated"),
        }
        self.recorder.sync(&sync);
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, times] = &words[..] else {
        eprintln!("usage: repeat TRACE OUT TIMES");
        return ExitCode::from(64);
    };
    let times: u32 = times.parse().expect("a number of times");
    let recorder = Recorder::create(Path::new(to), names::Engine::Virtual).expect("a file to write");
    let last: Mutex<(BTreeMap<StreamId, TaskId>, u32)> = Mutex::default();
    let mut shift = 0;
    for _ in 0..times {
        let before = if shift == 0 { Vec::new() } else { last.lock().unwrap().0.values().copied().collect() };
        let repeated = Repeated { recorder: &recorder, shift, before, last: &last };
        let (_, outcome) = trace::play(BufReader::new(File::open(from).expect("a trace")), &repeated);
        outcome.expect("a whole trace");
        shift = last.lock().unwrap().1;
    }
    let recorded = recorder.close().expect("room for the trace");
    println!("{} accesses of threads, {} bytes", recorded.accesses, recorded.bytes);
    ExitCode::SUCCESS
}
