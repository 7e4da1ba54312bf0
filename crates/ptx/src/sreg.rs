//! Special registers (PTX §10).

use crate::ast::ScalarType;

macro_rules! special_registers {
    ($($name:literal $variant:ident $ty:ident),* $(,)?) => {
        /// A predefined read-only register, one per component.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SpecialReg {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
            /// `%envreg0` to `%envreg31`.
            EnvReg(u8),
            /// `%pm0` to `%pm7`: performance counters of 32 bits.
            Pm(u8),
            /// `%pm0_64` to `%pm7_64`.
            Pm64(u8),
            /// `%reserved_smem_offset_0` and `_1`.
            ReservedSmemOffset(u8),
        }

        impl SpecialReg {
            /// Every special register without a number in its name.
            pub const NAMED: &'static [SpecialReg] = &[$(SpecialReg::$variant),*];

            /// Returns the register of that name, `%` included.
            pub fn from_name(name: &str) -> Option<SpecialReg> {
                match name {
                    $($name => Some(SpecialReg::$variant),)*
                    _ => numbered(name),
                }
            }

            /// Returns the register's spelling.
            pub fn name(self) -> String {
                match self {
                    $(SpecialReg::$variant => $name.to_string(),)*
                    SpecialReg::EnvReg(n) => format!("%envreg{n}"),
                    SpecialReg::Pm(n) => format!("%pm{n}"),
                    SpecialReg::Pm64(n) => format!("%pm{n}_64"),
                    SpecialReg::ReservedSmemOffset(n) => format!("%reserved_smem_offset_{n}"),
                }
            }

            /// Returns the register's own type; `mov` may read it as bits of that width.
            pub fn ty(self) -> ScalarType {
                match self {
                    $(SpecialReg::$variant => ScalarType::$ty,)*
                    SpecialReg::Pm64(_) => ScalarType::U64,
                    SpecialReg::EnvReg(_) | SpecialReg::Pm(_) | SpecialReg::ReservedSmemOffset(_) => ScalarType::B32,
                }
            }
        }
    };
}

special_registers! {
    "%tid.x" TidX U32,
    "%tid.y" TidY U32,
    "%tid.z" TidZ U32,
    "%ntid.x" NtidX U32,
    "%ntid.y" NtidY U32,
    "%ntid.z" NtidZ U32,
    "%laneid" Laneid U32,
    "%warpid" Warpid U32,
    "%nwarpid" Nwarpid U32,
    "%ctaid.x" CtaidX U32,
    "%ctaid.y" CtaidY U32,
    "%ctaid.z" CtaidZ U32,
    "%nctaid.x" NctaidX U32,
    "%nctaid.y" NctaidY U32,
    "%nctaid.z" NctaidZ U32,
    "%smid" Smid U32,
    "%nsmid" Nsmid U32,
    "%gridid" Gridid U64,
    "%is_explicit_cluster" IsExplicitCluster Pred,
    "%clusterid.x" ClusteridX U32,
    "%clusterid.y" ClusteridY U32,
    "%clusterid.z" ClusteridZ U32,
    "%nclusterid.x" NclusteridX U32,
    "%nclusterid.y" NclusteridY U32,
    "%nclusterid.z" NclusteridZ U32,
    "%cluster_ctaid.x" ClusterCtaidX U32,
    "%cluster_ctaid.y" ClusterCtaidY U32,
    "%cluster_ctaid.z" ClusterCtaidZ U32,
    "%cluster_nctaid.x" ClusterNctaidX U32,
    "%cluster_nctaid.y" ClusterNctaidY U32,
    "%cluster_nctaid.z" ClusterNctaidZ U32,
    "%cluster_ctarank" ClusterCtarank U32,
    "%cluster_nctarank" ClusterNctarank U32,
    "%lanemask_eq" LanemaskEq U32,
    "%lanemask_le" LanemaskLe U32,
    "%lanemask_lt" LanemaskLt U32,
    "%lanemask_ge" LanemaskGe U32,
    "%lanemask_gt" LanemaskGt U32,
    "%clock" Clock U32,
    "%clock_hi" ClockHi U32,
    "%clock64" Clock64 U64,
    "%globaltimer" Globaltimer U64,
    "%globaltimer_lo" GlobaltimerLo U32,
    "%globaltimer_hi" GlobaltimerHi U32,
    "%total_smem_size" TotalSmemSize U32,
    "%aggr_smem_size" AggrSmemSize U32,
    "%dynamic_smem_size" DynamicSmemSize U32,
    "%reserved_smem_offset_begin" ReservedSmemOffsetBegin B32,
    "%reserved_smem_offset_end" ReservedSmemOffsetEnd B32,
    "%reserved_smem_offset_cap" ReservedSmemOffsetCap B32,
    "%current_graph_exec" CurrentGraphExec U64,
}

fn numbered(name: &str) -> Option<SpecialReg> {
    let digit = |text: &str, below: u8| {
        let canonical = !text.starts_with('0') || text == "0";
        text.parse::<u8>()
            .ok()
            .filter(|&n| n < below && canonical && text.bytes().all(|c| c.is_ascii_digit()))
    };
    if let Some(n) = name.strip_prefix("%envreg") {
        return digit(n, 32).map(SpecialReg::EnvReg);
    }
    if let Some(n) = name.strip_prefix("%reserved_smem_offset_") {
        return digit(n, 2).map(SpecialReg::ReservedSmemOffset);
    }
    let n = name.strip_prefix("%pm")?;
    match n.strip_suffix("_64") {
        Some(n) => digit(n, 8).map(SpecialReg::Pm64),
        None => digit(n, 8).map(SpecialReg::Pm),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let numbered = (0..32).map(SpecialReg::EnvReg).chain((0..8).map(SpecialReg::Pm));
        let numbered = numbered.chain((0..8).map(SpecialReg::Pm64));
        for register in SpecialReg::NAMED.iter().copied().chain(numbered) {
            assert_eq!(SpecialReg::from_name(&register.name()), Some(register));
        }
        for name in ["%tid", "%envreg32", "%pm8", "%envreg01", "%envreg+1", "tid.x", "%r1"] {
            assert_eq!(SpecialReg::from_name(name), None, "{name}");
        }
    }
}
