//! Lowers `clusterlaunchcontrol` and `st.bulk`.

use super::body::{Body, Lowered};
use crate::program::{AsyncInst, RareInst, Signals};
use ptx::ast::ScalarType;
use ptx::flat::Arg;
use ptx::op::{CancelQuery, Op};

impl<'a> Body<'a, '_> {
    pub(super) fn launch_control(&mut self, op: &Op, args: &[Arg<'a>]) -> Lowered<AsyncInst> {
        match (op, args) {
            (Op::StBulk { space }, [dst, size, Arg::Int(0)]) => {
                let wide = matches!(size, Arg::Reg(id) if self.bits(*id) == 64);
                let ty = if wide { ScalarType::U64 } else { ScalarType::U32 };
                Ok(AsyncInst::Fill { dst: self.address(dst, *space)?, size: self.source(size, ty)?, wide })
            }
            (Op::TryCancel { space, multicast }, [dst, mbar]) => Ok(AsyncInst::TryCancel {
                dst: self.address(dst, *space)?,
                mbar: self.address(mbar, *space)?,
                signals: if *multicast { Signals::Cluster } else { Signals::Destination },
            }),
            _ => Err("operands missing".to_owned()),
        }
    }

    pub(super) fn query_cancel(
        &mut self,
        query: CancelQuery,
        d: &Arg<'a>,
        response: &Arg<'a>,
    ) -> Lowered<RareInst> {
        let [low, high] = self.value_rows(response, ScalarType::B128, false)?[..] else {
            return Err("a response that is no 128-bit register".to_owned());
        };
        let items = match d {
            Arg::Vector(items) => &items[..items.len().min(3)],
            d => std::slice::from_ref(d),
        };
        let d = items.iter().map(|item| self.destination(item)).collect::<Lowered<_>>()?;
        Ok(RareInst::QueryCancel { query, d, a: [low, high] })
    }
}
