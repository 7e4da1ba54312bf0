//! Every function of the Runtime API is heard as its row of `host::api` says, or refused by name.

use super::{compile, folder, run, toolkit};
use events::{HostEvent, Monitor, NoMonitor, TaskKind};
use host::api::{Heard, RUNTIME, Served, find};
use protocol::RunOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

#[test]
fn each_refused_function_answers_with_the_named_error() {
    let (folder, names) = (folder(), RUNTIME.iter().filter(|function| !function.served.is_served()));
    let names: Vec<&str> = names.map(|function| function.name).collect();
    let program = folder.join("program");
    if compile("refused.c", &["-ldl"], &program).is_none() {
        return;
    }
    let ran = run(&program, &names, RunOptions::default());
    let result = ran.ok().result();
    let named: BTreeMap<&str, bool> =
        result.unsupported_calls.iter().map(|call| (call.call.api.as_str(), call.matters)).collect();
    for name in names {
        let matters = find(RUNTIME, name) == Some(Served::Refused);
        assert_eq!(named.get(name), Some(&matters), "{name}");
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// The functions of the driver's table that are refused, with whether the call matters.
fn refused_by_the_driver() -> Vec<(String, bool)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api/driver/table.rs");
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let matters = match words.next()? {
            "effect" => true,
            "query" => false,
            _ => return None,
        };
        Some((words.next().filter(|name| name.starts_with("cu"))?.to_owned(), matters))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn each_refused_function_of_the_driver_answers_with_the_named_error() {
    let (folder, refused) = (folder(), refused_by_the_driver());
    assert!(refused.len() > 100, "the table has moved");
    let names: Vec<&str> = refused.iter().map(|(name, _)| name.as_str()).collect();
    let program = folder.join("program");
    if compile("refused.c", &["-ldl"], &program).is_none() {
        return;
    }
    let ran = run(&program, &names, RunOptions::default());
    let named: BTreeMap<&str, bool> =
        ran.ok().result().unsupported_calls.iter().map(|call| (call.call.api.as_str(), call.matters)).collect();
    for (name, matters) in &refused {
        assert_eq!(named.get(name.as_str()), Some(matters), "{name}");
    }
    let _ = std::fs::remove_dir_all(folder);
}

#[test]
fn arguments_that_are_not_served_are_named() {
    let Some(ran) = super::build_and_run("refused.cu", &[], RunOptions::default()) else { return };
    let calls = &ran.ok().result().unsupported_calls;
    let named: Vec<&str> =
        calls.iter().filter(|call| call.matters).map(|call| call.call.api.as_str()).collect();
    let expected = [
        "cudaMallocArray",
        "cudaMemPoolCreate",
        "cudaStreamSetAttribute: cudaLaunchAttributeMemSyncDomain",
        "cudaGraphAddNode: cudaGraphNodeTypeExtSemaphoreSignal",
        "cudaLaunchKernelExC: cudaLaunchAttributeMemSyncDomain",
        "cudaLaunchKernelExC: cudaLaunchAttributeProgrammaticEvent",
        "cudaLaunchKernelExC: cudaLaunchAttributeLaunchCompletionEvent",
        "cudaLaunchKernelExC: cudaLaunchAttributeDeviceUpdatableKernelNode",
    ];
    assert_eq!(named, expected);
}

/// What a detector heard, by the call that it came of.
#[derive(Default)]
struct Calls(Mutex<BTreeMap<String, BTreeSet<&'static str>>>);

impl Calls {
    fn add(&self, api: &str, what: &'static str) {
        self.0.lock().unwrap().entry(api.to_owned()).or_default().insert(what);
    }
}

impl events::Listener for Calls {
    fn host(&self, event: &HostEvent<'_>) {
        match event {
            HostEvent::TaskStart(task) => match task.kind {
                TaskKind::Launch(_) => self.add(&task.call.api, "launch"),
                TaskKind::Copy => self.add(&task.call.api, "copy"),
                TaskKind::Memset => self.add(&task.call.api, "memset"),
                TaskKind::HostFunction => self.add(&task.call.api, "host function"),
                TaskKind::HostSegment { .. } => {}
            },
            HostEvent::Alloc(allocation) => self.add(&allocation.call.api, "memory"),
            _ => {}
        }
    }

    fn findings(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn so_far(&self) -> Vec<events::Finding> {
        Vec::new()
    }

    fn account(&self) -> events::Account {
        events::Account::default()
    }
}

impl Monitor for Calls {
    type Observer = NoMonitor;

    fn observer(&self, _: usize) -> NoMonitor {
        NoMonitor
    }
}

/// What may be heard of a call.
fn may_be_heard(what: Heard) -> &'static [&'static str] {
    match what {
        Heard::Launch => &["launch"],
        Heard::Copy => &["copy"],
        Heard::Fill => &["memset"],
        Heard::HostFunction => &["host function"],
        // Memory of a pool comes and goes by a task.
        Heard::Memory => &["memory", "memset"],
        Heard::Graph => &["launch", "copy", "memset", "host function", "memory"],
        Heard::Order | Heard::Nothing => &[],
    }
}

/// Programs that call every function, with the number of devices.
const PROGRAMS: [(&str, u32); 8] = [
    ("queries.cu", 2),
    ("graph_nodes.cu", 1),
    ("more_copies.cu", 2),
    ("copies.cu", 1),
    ("streams.cu", 1),
    ("graphs.cu", 1),
    ("surfaces.cu", 1),
    ("devices.cu", 2),
];

#[test]
fn each_call_is_heard_as_its_table_says() {
    if toolkit().is_none() {
        return;
    }
    let (folder, calls) = (folder(), Calls::default());
    for (source, devices) in PROGRAMS {
        let (program, trace) = (folder.join("program"), folder.join(format!("{source}.trace")));
        compile(source, &[], &program).unwrap();
        let options = RunOptions { devices, trace: Some(trace.clone()), ..RunOptions::default() };
        run(&program, &[], options).ok();
        trace::play(std::fs::File::open(&trace).unwrap(), &calls).1.unwrap();
    }
    let heard = calls.0.into_inner().unwrap();
    for (api, found) in &heard {
        // The program's own variables are memory of no call.
        let Some(served) = find(RUNTIME, api) else { continue };
        let (Served::Heard(what) | Served::Limited(what, _)) = served else { panic!("{api} is refused") };
        let more: Vec<_> = found.iter().filter(|f| !may_be_heard(what).contains(f)).collect();
        assert!(more.is_empty(), "{api}: {what:?}, and heard of as {more:?}");
    }
    let silent: Vec<&str> =
        RUNTIME.iter().filter(|f| is_silent(f.served, heard.get(f.name))).map(|f| f.name).collect();
    assert_eq!(silent, SEEN_OTHERWISE);
    let _ = std::fs::remove_dir_all(folder);
}

/// Returns whether a call that makes a task, or memory, was not heard of.
fn is_silent(served: Served, heard: Option<&BTreeSet<&'static str>>) -> bool {
    let (Served::Heard(what) | Served::Limited(what, _)) = served else { return false };
    match what {
        Heard::Launch | Heard::Copy | Heard::Fill | Heard::HostFunction | Heard::Memory => heard.is_none(),
        Heard::Graph | Heard::Order | Heard::Nothing => false,
    }
}

/// Calls that are heard of without their name: the start-up code's, the end of memory, access of devices to each other's memory,
/// and memory of another process (`ipc.cu`).
const SEEN_OTHERWISE: &[&str] = &[
    "__cudaInitModule",
    "__cudaRegisterHostVar",
    "__cudaRegisterManagedVar",
    "__cudaRegisterVar",
    "__cudaUnregisterFatBinary",
    "cudaDeviceDisablePeerAccess",
    "cudaDeviceEnablePeerAccess",
    "cudaDeviceReset",
    "cudaFree",
    "cudaFreeArray",
    "cudaFreeHost",
    "cudaHostUnregister",
    "cudaIpcCloseMemHandle",
    "cudaIpcOpenMemHandle",
    "cudaMemPoolDestroy",
    "cudaMemPoolSetAccess",
];
