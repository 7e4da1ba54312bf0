use super::*;
use events::access::Warp;
use events::{SiteId, Space};

#[test]
fn packing_keeps_kind_and_strength() {
    let kinds = [
        AccessKind::Read,
        AccessKind::Write,
        AccessKind::Atomic { op: AtomicOp::Max, returns: true },
        AccessKind::Atomic { op: AtomicOp::And, returns: false },
        AccessKind::AsyncWrite { op: AsyncOpId(7) },
    ];
    let mut strengths = vec![Strength::Weak, Strength::Volatile];
    for sem in [Sem::Relaxed, Sem::Acquire, Sem::Release, Sem::AcqRel] {
        for scope in [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys] {
            strengths.push(Strength::Strong { sem, scope });
        }
    }
    for kind in kinds {
        for &strength in &strengths {
            let access = Access {
                warp: Warp { task: Default::default(), block: Default::default(), warp: Default::default() },
                site: SiteId(0),
                space: Space::Global,
                kind,
                strength,
                proxy: Proxy::Generic,
                size: 4,
                elements: 1,
                mask: 1,
                addresses: &[0; 32],
                stride: None,
                stored: 0,
                values: None,
                written: Default::default(),
            };
            let class = AccessClass::of(&access, true);
            assert_eq!((class.kind(7), class.strength()), (kind, strength));
            assert_eq!((class.reads(), class.writes()), (kind.reads(), kind.writes()));
            assert_eq!(class.strong(), strength != Strength::Weak);
            if class.copies() {
                let after = class.waited();
                assert!(class.asynchronous() && !after.asynchronous() && after.copies());
                assert_eq!((after.kind(7), after.rank()), (kind, class.rank()));
            }
        }
    }
}
