//! Every form that the virtual GPU refuses, executed: the kernel fails with an error that names the instruction.

use events::task::AllocKind;
use events::{Dim3, NoMonitor, SiteTable, TaskId};
use kernels::Source;
use simt::{AddressSpace, FailureKind, Grid, Host, Launch, Module, Options, Progress, Region};
use std::sync::Arc;

struct Silent;

impl Host for Silent {
    fn print(&self, _: &[u8]) {}

    fn global_timer_ns(&self) -> u64 {
        0
    }
}

/// How a launch of a module's first kernel with one thread ends.
fn launched(text: &str) -> Progress {
    let tree = ptx::parse(text).module;
    let memory = Arc::new(AddressSpace::new());
    let mut pages: Vec<Box<[u64]>> = Vec::new();
    let source = Source { tree: &tree, text, name: "form" };
    let mut sites = SiteTable::default();
    let module = Module::load(&[source], &mut sites, &memory, &mut |variable| {
        let mut page = vec![0u64; variable.bytes.div_ceil(8).max(1) as usize].into_boxed_slice();
        let base = 0x7000_0000_0000 + pages.len() as u64 * 0x1000_0000;
        let region = Region {
            base,
            bytes: variable.bytes,
            host: page.as_mut_ptr().cast(),
            kind: AllocKind::Device,
            device: 0,
            accessible_from: 1,
            read_only: false,
        };
        pages.push(page);
        memory.map(region).expect("a place of its own");
        Ok(base)
    });
    let launch = Launch {
        module: Arc::new(module.expect("the module is loaded")),
        kernel: 0,
        grid: Dim3::ONE,
        block: Dim3::ONE,
        cluster: Dim3::ONE,
        dynamic_shared: 0,
        cooperative: false,
        params: vec![0; 8],
        task: TaskId(1),
        device: 0,
    };
    let host: Arc<dyn Host> = Arc::new(Silent);
    let grid = Grid::new(launch, Options::default(), memory, host, Arc::new(NoMonitor));
    grid.expect("the launch is possible").run(1 << 16)
}

#[test]
fn each_refused_form_is_named_where_it_is_executed() {
    let forms = super::instructions::refused();
    assert!(forms.len() > 10, "{} forms are refused", forms.len());
    for (name, text) in forms {
        let opcode = name.split('.').next().unwrap();
        match launched(&text) {
            Progress::Failed(failure) => match &failure.kind {
                FailureKind::Unsupported { .. } => {
                    let said = failure.kind.to_string();
                    assert!(said.contains(opcode), "{name}: {said}");
                }
                other => panic!("{name}: {other:?}"),
            },
            other => panic!("{name}: {other:?}"),
        }
    }
}
