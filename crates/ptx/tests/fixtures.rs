//! Checks that the project's own PTX files parse, decode, flatten and survive printing.

use crate::common;

use common::{FIXTURES, meaning, module};
use ptx::ast::{
    Init, Item, Linkage, Operand, ScalarType, SectionLine, SectionValue, Space, Statement, VarAttribute,
};
use ptx::op::Op;

#[test]
fn fixtures_decode_and_flatten() {
    for (name, text) in FIXTURES {
        let module = module(text);
        let mut instructions = 0;
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            let flat = ptx::flatten(function);
            assert_eq!(flat.errors, [], "{name}");
            for instruction in &flat.instructions {
                instructions += 1;
                let text = ptx::print_instruction(instruction.source);
                assert!(instruction.op.is_ok(), "{name}: {text}: {:?}", instruction.op);
                let beyond = ["wgmma.mma_async.sp"];
                let unknown = instruction.op == Ok(Op::Unknown);
                assert_eq!(unknown, beyond.iter().any(|b| text.starts_with(b)), "{name}: {text}");
            }
        }
        assert!(instructions > 5, "{name}");
    }
}

#[test]
fn fixtures_survive_printing() {
    for (name, text) in FIXTURES {
        let before = module(text);
        let printed = ptx::print(&before);
        let after = module(&printed);
        assert_eq!(meaning(&before), meaning(&after), "{name}");
        assert_eq!(printed, ptx::print(&after), "{name}");
    }
}

#[test]
fn spans_point_at_what_they_name() {
    for (name, text) in FIXTURES {
        for item in module(text).items {
            let Item::Function(function) = item else { continue };
            let name_span = function.name.span;
            assert_eq!(&text[name_span.start as usize..name_span.end as usize], function.name.text, "{name}");
            for instruction in ptx::flatten(&function).instructions {
                let source = instruction.source;
                let slice = |span: ptx::ast::Span| &text[span.start as usize..span.end as usize];
                assert!(slice(source.span).ends_with(';'), "{name}: {}", slice(source.span));
                assert_eq!(slice(source.opcode.span), source.opcode.text);
                for modifier in &source.modifiers {
                    assert_eq!(slice(modifier.span), modifier.text);
                }
                for operand in &source.operands {
                    match operand {
                        Operand::Name(n) => assert_eq!(slice(n.span), n.text),
                        Operand::Address { span, .. } => {
                            assert!(slice(*span).starts_with('[') && slice(*span).ends_with(']'));
                        }
                        Operand::Vector(_, span) => {
                            assert!(slice(*span).starts_with('{') && slice(*span).ends_with('}'));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// Checks each declaration of the declarations fixture.
#[test]
fn declarations_mean_what_they_say() {
    let module = module(FIXTURES[2].1);
    assert_eq!(module.version, (7, 8));
    assert_eq!(module.target, ["sm_90", "texmode_independent"]);
    let variable = |name: &str| {
        module
            .items
            .iter()
            .find_map(|item| match item {
                Item::Variable(v) if v.name.text == name => Some(v),
                _ => None,
            })
            .unwrap_or_else(|| panic!("{name}"))
    };
    let ints = |values: &[i128]| Init::List(values.iter().map(|v| Init::Int(*v)).collect());
    assert_eq!(variable("zero").size(), Some(1));
    let matrix = variable("matrix");
    assert_eq!(
        (matrix.dims.as_slice(), matrix.size(), matrix.alignment()),
        (&[Some(2), Some(3)][..], Some(24), 8)
    );
    assert_eq!(matrix.init, Some(Init::List(vec![ints(&[1, 2, 3]), ints(&[16, 3, 15])])));
    let other = variable("other");
    assert_eq!((other.vector, other.size(), other.alignment()), (4, Some(16), 16));
    assert_eq!(
        other.init,
        Some(Init::List(vec![
            Init::F64(1f64.to_bits()),
            Init::F64(2.5e-3f64.to_bits()),
            Init::F64(0.5f64.to_bits()),
            Init::F32(1f32.to_bits()),
        ]))
    );
    let banked = variable("banked");
    assert_eq!((banked.space, banked.bank, banked.dims.as_slice()), (Space::Const, Some(2), &[None][..]));
    assert_eq!(banked.init, Some(ints(&[32, 64, 49, -3, -1, 0, 2, i128::from(u64::MAX)])));
    assert_eq!(variable("window").size(), Some(18));
    assert_eq!(variable("old_texture").ty, ScalarType::Texref);
    assert!(matches!(&variable("sampler").init, Some(Init::Other(text)) if text.contains("linear")));
    assert_eq!(variable("common_symbol").linkage, Linkage::Common);
    assert_eq!(variable("unified").attributes, [VarAttribute::Unified(19, 95)]);
    assert_eq!(variable("both").attributes, [VarAttribute::Managed, VarAttribute::Unified(1, 2)]);

    let Some(Item::Function(cluster)) =
        module.items.iter().find(|item| matches!(item, Item::Function(f) if f.name.text == "cluster"))
    else {
        panic!("cluster");
    };
    use ptx::ast::FunctionDirective::*;
    assert_eq!(
        cluster.directives,
        [
            ExplicitCluster,
            ReqNCtaPerCluster([2, 1, 1]),
            MaxClusterRank(8),
            MaxNTid([32, 4, 1]),
            ReqNTid([32, 4, 1]),
            MaxNCtaPerSm(4),
            Pragma(vec!["nounroll".to_string()]),
            BlocksAreClusters,
        ]
    );
    let body = &cluster.body.as_ref().expect("a body").statements;
    assert!(matches!(body.last(), Some(Statement::Label(label)) if label.text == "last"));
}

#[test]
fn masked_and_generic_initialisers_are_kept() {
    let module = module(FIXTURES[1].1);
    let vtable = module.items.iter().find_map(|item| match item {
        Item::Variable(v) if v.name.text == "vtable" => v.init.as_ref(),
        _ => None,
    });
    let Some(Init::List(items)) = vtable else { panic!("{vtable:?}") };
    assert!(matches!(&items[9], Init::MaskedSymbol { mask: 0xFF00, name, generic: false, offset: 0 }
        if name.text == "callee"));
    assert!(matches!(&items[11], Init::MaskedSymbol { mask: 0xFF, name, generic: true, offset: 8 }
        if name.text == "vtable"));
}

/// Output of rustc with debug information: a label between sections, and a fill without its blank.
#[test]
fn fills_and_labels_of_llvm_debug_sections() {
    let module = module(FIXTURES[1].1);
    assert!(
        module.items.iter().any(|item| matches!(item, Item::Other { text, .. } if text == "$L__sec_end0:"))
    );
    let aranges = module.items.iter().find_map(|item| match item {
        Item::Section(section) if section.name == ".debug_aranges" => Some(section),
        _ => None,
    });
    let lines = &aranges.expect("the section").lines;
    assert_eq!(lines[1], SectionLine::Data { width: 1, values: vec![SectionValue::Int(255); 4] });
}

/// Indices in the text count elements; offsets in the tree count bytes.
#[test]
fn array_elements_are_addresses() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
        .global .u32 a[10]; .const .f64 m[3][4]; .global .u32 scalar;\n\
        .visible .entry k() {\n\
        ld.global.u32 %r1, a[2]; mov.u64 %d1, a[3]; ld.const.f64 %f1, m[1][2]; ld.const.f64 %f1, m[2];\n\
        { .shared .v2 .f32 a[4]; st.shared.v2.f32 a[1], {%f1, %f2}; }\n\
        st.global.u32 a[1], 0; ld.global.u32 %r1, [%d1+4*2-1]; }";
    let module = module(text);
    let flat = module.items.iter().find_map(|item| match item {
        Item::Function(function) => Some(ptx::flatten(function)),
        _ => None,
    });
    let printed: Vec<_> =
        flat.expect("a function").instructions.iter().map(|i| ptx::print_instruction(i.source)).collect();
    assert_eq!(
        printed,
        [
            "ld.global.u32 %r1, [a+8]",
            "mov.u64 %d1, a+12",
            "ld.const.f64 %f1, [m+48]",
            "ld.const.f64 %f1, [m+64]",
            "st.shared.v2.f32 [a+8], {%f1, %f2}",
            "st.global.u32 [a+4], 0",
            "ld.global.u32 %r1, [%d1+7]",
        ]
    );
    for body in ["ld.global.u32 %r1, scalar[2];", "mov.u64 %d1, a[1][2];", "mov.u64 %d1, nowhere[1];"] {
        let text = format!(".global .u32 a[10]; .global .u32 scalar; .entry k() {{ {body} }}");
        assert_eq!(ptx::parse(&text).errors.len(), 1, "{body}");
    }
}
