//! The function that reports a race of a register, in a record of the sink.

use super::super::report::parameters;
use crate::PREFIX;
use crate::sink::{self, MOST, RECORD, field, register};

/// The fields of a record's second half: the number of the check plus 1, and properties of the access.
pub(super) const CHECK_BITS: u32 = 20;
/// The bit of a record for waits that says that the product reads the register as a part of A.
pub(super) const FACTOR_AT: u32 = 31;
/// The places in a record for fences of three properties: the access is a product's; it writes; its shape, from 1 on.
pub(super) const PRODUCT_AT: u32 = CHECK_BITS;
pub(super) const WRITES_AT: u32 = CHECK_BITS + 1;
pub(super) const SHAPE_AT: u32 = CHECK_BITS + 2;

const _: () = assert!(register::PRODUCT.trailing_zeros() + 1 == register::WRITES.trailing_zeros());

/// Returns the function's name.
pub(super) fn name() -> String {
    format!("{PREFIX}tell_register")
}

/// Its parameters by name: the number of the record, the earlier access (the second half of its record), properties of the
/// pair ([`register`]), and the thread.
pub(super) const PARAMETERS: [(&str, &str); 4] =
    [("record", "b32"), ("earlier", "b32"), ("how", "b32"), ("who", "b32")];

/// Returns the function's text: it fills in a record on the first call for it.
pub(in super::super) fn function(sink: u64) -> String {
    let name = name();
    let parameters = parameters(&name, &PARAMETERS);
    format!(
        "\
.func {name}({parameters})
{{
\t.reg .pred %p<2>;
\t.reg .b32 %r<9>;
\t.reg .b64 %rd<4>;
\tld.param.u32 %r1, [{name}_record];
\tld.param.u32 %r2, [{name}_earlier];
\tld.param.u32 %r3, [{name}_how];
\tld.param.u32 %r4, [{name}_who];
\tmov.u64 %rd2, {sink};
\tmad.wide.u32 %rd3, %r1, {RECORD}, %rd2;
\tld.volatile.global.u32 %r5, [%rd3+{COUNT}];
\tsetp.ge.u32 %p1, %r5, {MOST};
\t@%p1 ret;
\tatom.relaxed.sys.global.add.u32 %r5, [%rd3+{COUNT}], 1;
\tsetp.ne.u32 %p1, %r5, 0;
\t@%p1 ret;
\tcvt.u64.u32 %rd1, %r3;
\tst.volatile.global.u64 [%rd3+{ADDRESS}], %rd1;
\tst.volatile.global.u32 [%rd3+{SPACE}], {REGISTER};
\tand.b32 %r6, %r2, {check_mask};
\tsub.u32 %r6, %r6, 1;
\tst.volatile.global.u32 [%rd3+{OTHER_CHECK}], %r6;
\tshr.u32 %r6, %r4, 10;
\tst.volatile.global.u32 [%rd3+{OTHER_BLOCK}], %r6;
\tand.b32 %r6, %r4, 1023;
\tst.volatile.global.u32 [%rd3+{OTHER}], %r6;
\tst.volatile.global.u32 [%rd3+{OWN}], 0;
{place}\
\tfence.acq_rel.sys;
\tst.volatile.global.u32 [%rd3+{VALID}], {with_other};
\tret;
}}
",
        check_mask = (1 << CHECK_BITS) - 1,
        with_other = sink::WITH_OTHER,
        place = sink::place("%rd3", "%r7"),
        REGISTER = sink::REGISTER,
        COUNT = field::COUNT,
        VALID = field::VALID,
        ADDRESS = field::ADDRESS,
        SPACE = field::SPACE,
        OTHER_CHECK = field::OTHER_CHECK,
        OTHER_BLOCK = field::OTHER_BLOCK,
        OTHER = field::OTHER,
        OWN = field::OWN,
    )
}
