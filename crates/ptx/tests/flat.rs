//! Checks name resolution: scopes, shadowing, registers created on first use.

use crate::common;

use common::{kernel, module, only_function};
use ptx::ast::{ScalarType, Space};
use ptx::flat::{Arg, Base, Binding, RegId, VarRole};
use ptx::{Flat, flatten};

fn register<'a>(flat: &'a Flat, arg: &Arg) -> (&'a str, ScalarType) {
    match arg {
        Arg::Reg(RegId(n)) => {
            let register = &flat.registers[*n as usize];
            (&register.name, register.ty)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn inner_scopes_shadow_registers_and_variables() {
    let module = kernel(
        ".reg .b32 %r<4>; .reg .pred p; .param .b32 x;\n\
         mov.b32 %r1, 1;\n\
         { .reg .b64 %r1; .param .b64 x; mov.b64 %r1, x; mov.b32 %r2, 0;\n\
           { .reg .f32 %r<2>; mov.f32 %r1, 0f00000000; mov.b32 %r2, 1; } }\n\
         mov.b32 %r1, x;",
    );
    let flat = flatten(only_function(&module));
    assert_eq!(flat.errors, []);
    let first = |i: usize| register(&flat, &flat.instructions[i].args[0]);
    assert_eq!(first(0), ("%r1", ScalarType::B32));
    assert_eq!(first(1), ("%r1", ScalarType::B64));
    assert_eq!(first(2), ("%r2", ScalarType::B32));
    assert_eq!(first(3), ("%r1", ScalarType::F32));
    assert_eq!(first(4), ("%r2", ScalarType::B32));
    assert_eq!(flat.instructions[0].args[0], flat.instructions[5].args[0]);
    assert_eq!(flat.instructions[2].args[0], flat.instructions[4].args[0]);
    let (Arg::Variable(inner, 0), Arg::Variable(outer, 0)) =
        (&flat.instructions[1].args[1], &flat.instructions[5].args[1])
    else {
        panic!("{:?}", flat.instructions);
    };
    assert_eq!(flat.variable_size(*inner), Some(8));
    assert_eq!(flat.variable_size(*outer), Some(4));
    // Only the named registers of `%r<4>` and `%r<2>` exist.
    assert_eq!(flat.registers.len(), 5);
}

#[test]
fn a_register_range_has_exactly_its_names() {
    let module = kernel(
        ".reg .b32 %r<10>; .reg .b32 %a1<3>;\n mov.b32 %r9, %r0; mov.b32 %a12, 0; mov.b32 %r10, %r01;",
    );
    let flat = flatten(only_function(&module));
    let messages: Vec<_> = flat.errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(messages, ["`%r10` is no register in this scope", "`%r01` is no register in this scope"]);
    assert_eq!(register(&flat, &flat.instructions[1].args[0]).0, "%a12");
    assert_eq!(flat.instructions[2].args, [Arg::Unresolved, Arg::Unresolved]);
}

#[test]
fn parameters_and_results_are_bound() {
    let module = module(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .func (.param .b32 out) f(.reg .u32 a, .param .align 16 .b8 b[16]) {\n\
         st.param.b32 [out+0], a; ld.param.b64 a, [b+8]; ret; }",
    );
    let flat = flatten(only_function(&module));
    assert_eq!(flat.errors, []);
    let [Binding::Reg(a), Binding::Memory(b)] = flat.params[..] else { panic!("{:?}", flat.params) };
    let [Binding::Memory(out)] = flat.returns[..] else { panic!("{:?}", flat.returns) };
    assert_eq!(flat.registers[a.0 as usize].ty, ScalarType::U32);
    assert_eq!(flat.variables[b.0 as usize].role, VarRole::Param(1));
    assert_eq!(flat.variables[out.0 as usize].role, VarRole::Return(0));
    assert_eq!(
        flat.instructions[0].args[0],
        Arg::Address { base: Base::Variable(out), offset: 0, rest: vec![] }
    );
    assert_eq!(
        flat.instructions[1].args[1],
        Arg::Address { base: Base::Variable(b), offset: 8, rest: vec![] }
    );
}

#[test]
fn variables_have_roles_and_module_names_stay_names() {
    let module = kernel(
        ".reg .b64 %d<4>; .local .b8 l[8]; .shared .b8 s[8]; .global .u32 g = 1; .param .b32 p;\n\
         mov.u64 %d1, l; mov.u64 %d1, s+4; mov.u64 %d1, g; st.param.b32 [p], 0; mov.u64 %d1, elsewhere-8;\n\
         ld.global.u32 %d1, [elsewhere+4]; ld.global.u32 %d1, [16]; mov.u32 %d2, %tid.x; mov.u32 %d2, %nope;",
    );
    let flat = flatten(only_function(&module));
    let roles: Vec<_> = flat.variables.iter().map(|v| (v.decl.space, v.role)).collect();
    assert_eq!(
        roles,
        [
            (Space::Local, VarRole::Local),
            (Space::Shared, VarRole::Shared),
            (Space::Global, VarRole::Static),
            (Space::Param, VarRole::CallParam),
        ]
    );
    let arg = |i: usize| &flat.instructions[i].args[1];
    assert!(matches!(arg(1), Arg::Variable(_, 4)));
    assert_eq!(*arg(4), Arg::Symbol("elsewhere", -8));
    assert!(matches!(arg(5), Arg::Address { base: Base::Symbol("elsewhere"), offset: 4, .. }));
    assert!(matches!(arg(6), Arg::Address { base: Base::Absolute, offset: 16, .. }));
    assert_eq!(*arg(7), Arg::Special(ptx::sreg::SpecialReg::TidX));
    assert_eq!(*arg(8), Arg::Unresolved);
    assert_eq!(flat.errors.len(), 1);
}

#[test]
fn labels_are_visible_in_their_scope_before_and_after() {
    let module = kernel(
        "bra END; { bra END; bra L; L: ret; } L: ret; END: \n\
         T: .branchtargets L, END; C: .calltargets f, g; P: .callprototype (.param .b32 _) _ (.param .b64 _);\n\
         brx.idx 0, T; call 1, (), C; call (x), 1, (y), P;",
    );
    let flat = flatten(only_function(&module));
    assert_eq!(flat.errors, []);
    let target = |arg: &Arg| match arg {
        Arg::Label(id) => flat.labels[id.0 as usize].target,
        other => panic!("{other:?}"),
    };
    let targets: Vec<_> = flat.instructions[..3].iter().map(|i| target(&i.args[0])).collect();
    assert_eq!(targets, [5, 5, 3]);
    assert_eq!(flat.instructions[5].args[1], Arg::BranchTargets(0));
    let table: Vec<_> = flat.branch_targets[0].iter().map(|id| flat.labels[id.0 as usize].target).collect();
    assert_eq!(table, [4, 5]);
    assert_eq!(flat.instructions[6].args[2], Arg::CallTargets(0));
    assert_eq!(flat.call_targets, [["f", "g"]]);
    assert_eq!(flat.instructions[7].args[3], Arg::Prototype(0));
    assert_eq!((flat.prototypes[0].returns.len(), flat.prototypes[0].params.len()), (1, 1));
}

#[test]
fn labels_out_of_scope_and_doubled_are_errors() {
    let module = kernel("{ IN: ret; } bra IN; A: ret; A: ret; T: .branchtargets A, NOWHERE; @NOWHERE ret;");
    let flat = flatten(only_function(&module));
    let messages: Vec<_> = flat.errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "label `A` is declared twice",
            "`NOWHERE` is no label in this scope",
            "the guard `NOWHERE` is no register in this scope",
        ]
    );
    // The `IN` of `bra IN` is undeclared here; a consumer may resolve it as a function of the module.
    assert_eq!(flat.instructions[1].args[0], Arg::Symbol("IN", 0));
}

#[test]
fn a_vector_of_one_is_a_scalar_for_loads_and_stores_only() {
    let module = kernel(
        ".reg .b32 %r<4>; .reg .b64 %d<2>; .reg .f64 %f<4>;\n\
         ld.global.b32 {%r1}, [%d1]; st.global.b32 [%d1], {%r1}; ld.global.v2.b32 {%r1, %r2}, [%d1];\n\
         mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%f1, %f2}, {%f3}, {%f3}, {%f1, %f2};",
    );
    let flat = flatten(only_function(&module));
    assert_eq!(flat.errors, []);
    assert!(matches!(flat.instructions[0].args[0], Arg::Reg(_)));
    assert!(matches!(flat.instructions[1].args[1], Arg::Reg(_)));
    assert!(matches!(&flat.instructions[2].args[0], Arg::Vector(items) if items.len() == 2));
    assert!(matches!(&flat.instructions[3].args[1], Arg::Vector(items) if items.len() == 1));
}

#[test]
fn instructions_carry_the_location_in_force() {
    let module = kernel("ret; .loc 1 2 3\n ret; { .loc 1 4 5\n ret; } ret;");
    let flat = flatten(only_function(&module));
    let lines: Vec<_> =
        flat.instructions.iter().map(|i| i.loc.map(|id| flat.locs[id.0 as usize].line)).collect();
    assert_eq!(lines, [None, Some(2), Some(4), Some(4)]);
}
