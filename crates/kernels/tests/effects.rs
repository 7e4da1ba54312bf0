//! Checks `effects` against every instruction form in `tests/ptx` of the workspace.

use kernels::effects;
use kernels::effects::{Extent, Place, TouchKind};
use ptx::ast::{Item, Module};
use ptx::flat::{Arg, flatten};
use ptx::op::{MemSpace, Op};
use std::path::{Path, PathBuf};

fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx");
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ptx") {
                let text = std::fs::read_to_string(&path).expect("a fixture is text");
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 20, "the fixtures have moved");
    found
}

fn each(module: &Module, mut f: impl FnMut(&Op, &[Arg<'_>], &str)) {
    for item in &module.items {
        let Item::Function(function) = item else { continue };
        for inst in &flatten(function).instructions {
            if let Ok(op) = &inst.op {
                f(op, &inst.args, &inst.source.opcode.text);
            }
        }
    }
}

#[test]
fn operands_are_what_effects_take_them_for() {
    let mut touches = 0;
    for (path, text) in texts() {
        each(&ptx::parse(&text).module, |op, args, name| {
            let place = || format!("{}: {name} {op:?}", path.display());
            let effects = effects(op, args);
            assert!(effects.results <= args.len(), "{}", place());
            for touch in &effects.touches {
                touches += 1;
                assert!(matches!(args.get(touch.operand), Some(Arg::Address { .. })), "{}", place());
                assert!(touch.operand >= effects.results, "{}", place());
                if let Extent::Operand(size) = touch.extent {
                    assert!(matches!(args.get(size), Some(Arg::Int(_) | Arg::Reg(_))), "{}", place());
                }
            }
        });
    }
    assert!(touches > 500, "only {touches} accesses");
}

/// Every form with an address operand has an access, or is one of the listed forms without one.
#[test]
fn whoever_has_an_address_touches_memory_or_says_why_not() {
    for (path, text) in texts() {
        each(&ptx::parse(&text).module, |op, args, name| {
            let addressed = args.iter().any(|a| matches!(a, Arg::Address { .. }));
            let silent = match op {
                // Hints access nothing, queries read descriptors, and mbarriers are synchronisation.
                Op::Hint | Op::CpAsyncBulkPrefetch | Op::Suq { .. } => true,
                Op::Mbarrier { .. } | Op::CpAsyncMbarrierArrive { .. } => true,
                Op::Unknown => true,
                _ => false,
            };
            let touches = !effects(op, args).touches.is_empty();
            assert_eq!(addressed && !silent, touches, "{}: {name} {op:?}", path.display());
        });
    }
}

#[test]
fn a_copy_reads_its_source_and_writes_its_destination() {
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() { .reg .b64 %rd<4>;\n\
                cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2], 64, [%rd3]; }";
    let parsed = ptx::parse(text);
    each(&parsed.module, |op, args, _| {
        let touches = effects(op, args).touches;
        let what: Vec<_> = touches.iter().map(|t| (t.kind, t.place)).collect();
        assert_eq!(
            what,
            [
                (TouchKind::AsyncWrite, Place::Memory(MemSpace::SharedCluster)),
                (TouchKind::AsyncRead, Place::Memory(MemSpace::Global)),
            ]
        );
    });
}
