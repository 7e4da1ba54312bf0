//! Checks of texture fetches and of accesses of surfaces.
//!
//! A check finds the object by its handle in the table's header ([`super::objects`]), and computes the
//! addresses that the instruction touches. Fetches and loads of surfaces go through caches that stores of the
//! same launch do not reach, so they race with each earlier write of their launch, ordered or not
//! ([`runtime::FETCH`]).
//!
//! Only what the instruction touches for sure is checked:
//!
//! * elements inside the extents, not those that clamping, wrapping or mirroring leads to;
//! * the texel of a coordinate that is a whole number, or at least [`MARGIN`] away from one: GPUs round
//!   coordinates to fixed point. Normalised coordinates are never taken as whole numbers;
//! * with filtering, the texels on both sides, if the point between them is as far from both.
//!
//! Fetches of cubes, and of objects that the host has not described, are not checked.

use super::Options;
use super::access::Elements;
use super::emit::{self, called};
use super::objects::{BYTES, HEIGHT, LINEAR, NORMALIZED, PLACES, ROW, SURFACE, WAYS};
use super::properties::Properties;
use super::runtime::{self, FETCH, LONG, OBJECTS, STRONG, WIDE, WRITES};
use super::table_address::place;
use super::thread::{Guard, unless};
use crate::collide::Unchecked;
use crate::collide::access::guard;
use crate::sample::GOLDEN;
use ptx::ast::{AddressBase, Operand, ScalarType};
use ptx::flat::{Arg, Base, Flat, FlatInstruction};
use ptx::op::{MemSpace, Op, Surface, TexGeometry};
use std::fmt::Write;

/// The smallest distance of a coordinate from a whole number, 1/16, and 1 minus it.
const MARGIN: [&str; 2] = ["0f3D800000", "0f3F700000"];

/// The kind of access that an instruction makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A fetch, with integer coordinates or floating-point ones.
    Fetch { integers: bool },
    /// An access of a surface. `reduces`: by an atomic reduction.
    Surface { bytes: u32, writes: bool, reduces: Option<Elements> },
}

/// A fetch or an access of a surface.
#[derive(Clone, Debug)]
pub(super) struct Fetch {
    kind: Kind,
    /// The register with the object's handle.
    handle: String,
    /// The operands with the coordinates of the dimensions, and with the layer, which is an integer.
    coordinates: Vec<String>,
    layer: Option<String>,
    guard: Guard,
}

/// Returns a coordinate as the instruction spells it.
fn spelled(operand: &Operand, text: &str) -> Option<String> {
    let slice = |span: ptx::ast::Span| text.get(span.start as usize..span.end as usize).map(str::to_owned);
    match operand {
        Operand::Name(name) => Some(name.text.to_string()),
        Operand::Int(_, span) | Operand::F32(_, span) => slice(*span),
        _ => None,
    }
}

impl Fetch {
    /// Returns the access of an instruction; `None` for other instructions.
    pub(super) fn of(
        flat: &Flat<'_>,
        inst: &FlatInstruction<'_>,
        text: &str,
    ) -> Result<Option<Fetch>, Unchecked> {
        let surface = |surface: &Surface, writes, reduces| {
            let bytes = surface.ty.bytes() * u32::from(surface.vector);
            (Kind::Surface { bytes, writes, reduces }, surface.geometry)
        };
        let (operand, (kind, geometry)) = match &inst.op {
            Ok(Op::Tex { geometry, coordinates, .. }) => {
                (1, (Kind::Fetch { integers: *coordinates != ScalarType::F32 }, *geometry))
            }
            Ok(Op::Suld(of)) => (1, surface(of, false, None)),
            Ok(Op::Sust(of)) => (0, surface(of, true, None)),
            Ok(Op::Sured { surface: of, .. }) => {
                let elements = if of.ty.bytes() == 8 { Elements::Long } else { Elements::Words };
                (0, surface(of, true, Some(elements)))
            }
            _ => return Ok(None),
        };
        let (dimensions, layered) = match geometry {
            TexGeometry::D1 => (1, false),
            TexGeometry::D2 => (2, false),
            TexGeometry::D3 => (3, false),
            TexGeometry::A1 => (1, true),
            TexGeometry::A2 => (2, true),
            TexGeometry::Cube => return Err(Unchecked::Image),
        };
        let object = match (inst.args.get(operand), inst.source.operands.get(operand)) {
            (
                Some(Arg::Address { base: Base::Reg(id), offset: 0, .. }),
                Some(Operand::Address { base: AddressBase::Name(name), rest, .. }),
            ) if flat.registers[id.0 as usize].ty.bits() == 64 => Some((name.text.to_string(), rest)),
            _ => None,
        };
        // References to textures and surfaces by name have no handle.
        let (handle, rest) = object.ok_or(Unchecked::Image)?;
        let all = match &rest[..] {
            [Operand::Vector(items, _)] => &items[..],
            one @ [_] => one,
            _ => return Err(Unchecked::Image),
        };
        let all: Option<Vec<String>> =
            all.iter().take(dimensions + usize::from(layered)).map(|one| spelled(one, text)).collect();
        let mut coordinates = all.ok_or(Unchecked::Image)?;
        if coordinates.len() != dimensions + usize::from(layered) {
            return Err(Unchecked::Image);
        }
        let layer = layered.then(|| coordinates.remove(0));
        Ok(Some(Fetch { kind, handle, coordinates, layer, guard: guard(inst) }))
    }

    pub(super) fn writes(&self) -> bool {
        matches!(self.kind, Kind::Surface { writes: true, .. })
    }

    /// Returns the bytes of an access of a surface. Those of a texel are known to the object alone; most have four.
    pub(super) fn bytes(&self) -> u32 {
        match self.kind {
            Kind::Surface { bytes, .. } => bytes,
            Kind::Fetch { .. } => 4,
        }
    }

    /// Returns the text to insert before the instruction.
    pub(super) fn check(&self, number: u32, known: Properties, options: &Options) -> String {
        let mut out = String::from(
            "{\n\t.reg .pred %wr_p<5>;\n\t.reg .b32 %wr_r<2>, %wr_i<3>, %wr_s<3>, %wr_c, %wr_w, %wr_e, %wr_m, %wr_n, %wr_t, %wr_u, %wr_l<3>;\n\t.reg .b64 %wr_a<2>, %wr_k<2>, %wr_b, %wr_f;\n",
        );
        out += &unless(&self.guard);
        out += &found(&self.handle, matches!(self.kind, Kind::Surface { .. }), options);
        out += &match self.kind {
            Kind::Surface { bytes, .. } => self.on_surface(bytes, number, known, options),
            Kind::Fetch { integers } => self.texels(integers, number, known, options),
        };
        out + "$wr_end:\n\t}\n"
    }

    /// Returns the coordinate of the third dimension or of the layers.
    fn third(&self) -> Option<&str> {
        self.layer.as_deref().or(self.coordinates.get(2).map(String::as_str))
    }

    /// Returns the check of an access of a surface: the first coordinate is in bytes.
    fn on_surface(&self, bytes: u32, number: u32, known: Properties, options: &Options) -> String {
        let mut out = format!("\tmov.b32 %wr_i0, {};\n", self.coordinates[0]);
        for (n, coordinate) in [(1, self.coordinates.get(1).map(String::as_str)), (2, self.third())] {
            let _ = writeln!(out, "\tmov.b32 %wr_i{n}, {};", coordinate.unwrap_or("0"));
        }
        let _ = write!(
            out,
            "\
\tmul.lo.u32 %wr_s0, %wr_s0, %wr_e;
\tsetp.lt.u32 %wr_p0, %wr_s0, {bytes};
\t@%wr_p0 bra $wr_end;
\tsub.u32 %wr_s0, %wr_s0, {bytes};
\tsetp.gt.u32 %wr_p0, %wr_i0, %wr_s0;
\tsetp.ge.or.u32 %wr_p0, %wr_i1, %wr_s1, %wr_p0;
\tsetp.ge.or.u32 %wr_p0, %wr_i2, %wr_s2, %wr_p0;
\t@%wr_p0 bra $wr_end;
\tcvt.u64.u32 %wr_a0, %wr_i0;
{}\
\tmov.u32 %wr_w, {};
{}\
$wr_left:
",
            placed(),
            self.what(known) | bytes,
            self.looked(number, known, options),
        );
        out
    }

    /// Returns the check of the texels of a fetch.
    fn texels(&self, integers: bool, number: u32, known: Properties, options: &Options) -> String {
        let mut out = String::from("\tmov.u32 %wr_m, 0;\n\tmov.u32 %wr_n, 1;\n\tmov.u32 %wr_i1, 0;\n");
        let _ = writeln!(out, "\tmov.b32 %wr_i2, {};", self.layer.as_deref().unwrap_or("0"));
        if !integers {
            let _ = write!(
                out,
                "\
\tand.b32 %wr_r0, %wr_l0, {LINEAR};
\tsetp.ne.u32 %wr_p2, %wr_r0, 0;
\tand.b32 %wr_r0, %wr_l0, {NORMALIZED};
\tsetp.ne.u32 %wr_p1, %wr_r0, 0;
\tselp.u32 %wr_n, {}, 1, %wr_p2;
",
                1 << self.coordinates.len()
            );
        }
        for (n, coordinate) in self.coordinates.iter().enumerate() {
            out += &match integers {
                true => format!("\tmov.b32 %wr_i{n}, {coordinate};\n"),
                false => along(n, coordinate),
            };
        }
        let _ = write!(
            out,
            "\
\tmov.u32 %wr_t, 0;
$wr_more:
\tsetp.ge.u32 %wr_p0, %wr_t, %wr_n;
\t@%wr_p0 bra $wr_end;
\tmov.u32 %wr_u, %wr_t;
\tadd.u32 %wr_t, %wr_t, 1;
\tnot.b32 %wr_r0, %wr_m;
\tand.b32 %wr_r0, %wr_r0, %wr_u;
\tsetp.ne.u32 %wr_p0, %wr_r0, 0;
\t@%wr_p0 bra $wr_left;
"
        );
        for n in 0..3 {
            let _ = write!(
                out,
                "\
\tshr.u32 %wr_r0, %wr_u, {n};
\tand.b32 %wr_r0, %wr_r0, 1;
\tadd.u32 %wr_l{n}, %wr_i{n}, %wr_r0;
\tsetp.ge.u32 %wr_p0, %wr_l{n}, %wr_s{n};
\t@%wr_p0 bra $wr_left;
"
            );
        }
        let _ = write!(
            out,
            "\
\tmul.wide.u32 %wr_a0, %wr_l0, %wr_e;
{}\
\tor.b32 %wr_w, %wr_e, {};
{}\
$wr_left:
\tbra $wr_more;
",
            placed().replace("%wr_i", "%wr_l"),
            self.what(known),
            self.looked(number, known, options),
        );
        out
    }

    /// Returns the attributes of the access, without its bytes.
    fn what(&self, known: Properties) -> u32 {
        let bit = |is: bool, at: u32| u32::from(is) << at;
        let strong = match self.kind {
            Kind::Surface { reduces, .. } => reduces,
            Kind::Fetch { .. } => None,
        };
        bit(self.writes(), WRITES)
            | bit(strong.is_some(), STRONG)
            | bit(strong.is_some(), WIDE)
            | bit(strong == Some(Elements::Long), LONG)
            | bit(!self.writes(), FETCH)
            | bit(known.clock, runtime::CLOCK)
            | bit(known.far, runtime::FAR)
            | bit(known.fine, runtime::FINE)
            | runtime::GLOBAL << runtime::SPACE
    }

    /// Returns the call of the check function for the address in `%wr_a0`, with the attributes in `%wr_w`.
    fn looked(&self, number: u32, known: Properties, options: &Options) -> String {
        let sampled = match options.prune {
            true => emit::sampled(MemSpace::Global),
            false => String::new(),
        };
        let [who, when, seen, observed, begun] = emit::KNOWS.map(super::register);
        sampled
            + &called(
                &["%wr_a0", "%wr_w", &number.to_string(), &who, &when, &seen, &observed, &begun],
                known,
                options,
            )
    }
}

/// Returns text that finds the entry of an object, and leaves the scope if there is none. It sets `%wr_b` to the
/// base, `%wr_w` to the bytes of a row, `%wr_f` to those of a slice, `%wr_s0` to `%wr_s2` to the extents,
/// `%wr_e` to the bytes of an element and `%wr_l0` to the flags.
fn found(handle: &str, surface: bool, options: &Options) -> String {
    let (table, none) = (place(options, OBJECTS, "%wr_a1"), no_table(options));
    let mask = (1 << PLACES) - 1;
    let key = match surface {
        true => format!("\tor.b64 %wr_k0, {handle}, {};\n", SURFACE as i64),
        false => format!("\tmov.b64 %wr_k0, {handle};\n"),
    };
    format!(
        "\
{key}\
\tcvt.u32.u64 %wr_r0, %wr_k0;
\tshr.u64 %wr_k1, %wr_k0, 32;
\tcvt.u32.u64 %wr_r1, %wr_k1;
\txor.b32 %wr_r0, %wr_r0, %wr_r1;
\tmul.lo.u32 %wr_r0, %wr_r0, {GOLDEN};
\tshr.u32 %wr_r0, %wr_r0, {rest};
{none}{table}\
\tmov.u32 %wr_t, 0;
$wr_probe:
\tsetp.ge.u32 %wr_p0, %wr_t, {WAYS};
\t@%wr_p0 bra $wr_end;
\tadd.u32 %wr_r1, %wr_r0, %wr_t;
\tand.b32 %wr_r1, %wr_r1, {mask};
\tmul.wide.u32 %wr_a0, %wr_r1, {BYTES};
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
\tld.global.v2.u64 {{%wr_k1, %wr_b}}, [%wr_a0];
\tadd.u32 %wr_t, %wr_t, 1;
\tsetp.ne.u64 %wr_p1, %wr_k1, %wr_k0;
\t@%wr_p1 bra $wr_probe;
\tld.global.v4.u32 {{%wr_w, %wr_s0, %wr_l0, %wr_l1}}, [%wr_a0+{ROW}];
\tmov.b64 %wr_f, {{%wr_l0, %wr_l1}};
\tld.global.v4.u32 {{%wr_s1, %wr_s2, %wr_e, %wr_l0}}, [%wr_a0+{HEIGHT}];
",
        rest = 32 - PLACES,
    )
}

/// Returns text that leaves the scope if the launch has no table.
fn no_table(options: &Options) -> String {
    match options.table {
        Some(_) => String::new(),
        None => place(options, 0, "%wr_a1") + "\tsetp.eq.u64 %wr_p0, %wr_a1, 0;\n\t@%wr_p0 bra $wr_end;\n",
    }
}

/// Returns text that adds to `%wr_a0`, an offset in a row, the base and the offsets of the row and the slice.
fn placed() -> String {
    "\
\tadd.u64 %wr_a0, %wr_a0, %wr_b;
\tmul.wide.u32 %wr_a1, %wr_i1, %wr_w;
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
\tcvt.u64.u32 %wr_a1, %wr_i2;
\tmul.lo.u64 %wr_a1, %wr_a1, %wr_f;
\tadd.u64 %wr_a0, %wr_a0, %wr_a1;
"
    .to_owned()
}

/// Returns text that sets `%wr_iN` to the first texel of a floating-point coordinate, and a bit of `%wr_m` if the
/// next one is touched, too. It leaves the scope if the texel is not certain.
fn along(n: usize, coordinate: &str) -> String {
    let [least, most] = MARGIN;
    format!(
        "\
\tmov.b32 %wr_c, {coordinate};
\tcvt.rn.f32.u32 %wr_r0, %wr_s{n};
\t@%wr_p1 mul.rn.f32 %wr_c, %wr_c, %wr_r0;
\t@%wr_p2 add.rn.f32 %wr_c, %wr_c, 0fBF000000;
\tcvt.rmi.s32.f32 %wr_i{n}, %wr_c;
\tcvt.rn.f32.s32 %wr_r0, %wr_i{n};
\tsub.rn.f32 %wr_r0, %wr_c, %wr_r0;
\tsetp.ge.f32 %wr_p3, %wr_r0, {least};
\tsetp.le.and.f32 %wr_p3, %wr_r0, {most}, %wr_p3;
\tselp.u32 %wr_r1, {bit}, 0, %wr_p3;
\t@%wr_p2 or.b32 %wr_m, %wr_m, %wr_r1;
\tsetp.eq.f32 %wr_p4, %wr_r0, 0f00000000;
\tselp.u32 %wr_r0, 1, 0, %wr_p4;
\tselp.u32 %wr_r0, 0, %wr_r0, %wr_p1;
\tselp.u32 %wr_r0, 1, %wr_r0, %wr_p3;
\tsetp.eq.u32 %wr_p0, %wr_r0, 0;
\t@%wr_p0 bra $wr_end;
",
        bit = 1 << n,
    )
}
