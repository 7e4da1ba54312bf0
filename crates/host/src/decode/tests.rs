use super::*;

fn registers() -> Registers {
    let mut r = Registers { rip: 0x40_0000, ..Registers::default() };
    for (i, value) in r.general.iter_mut().enumerate() {
        *value = 0x1000 * (i as u64 + 1);
    }
    r
}

/// Bytes as an assembler prints them for the instruction in the comment.
#[track_caller]
fn check(code: &[u8], address: u64, bytes: u64, reads: bool, writes: bool) {
    let got = decode(code, &registers());
    assert_eq!(got, Some(Instruction::Access(Operand { address, bytes, reads, writes })), "{code:02x?}");
}

#[test]
fn integer_moves() {
    check(&[0x8b, 0x07], 0x8000, 4, true, false); // mov eax, [rdi]
    check(&[0x48, 0x8b, 0x44, 0xd8, 0xf8], 0x1000 + 8 * 0x4000 - 8, 8, true, false); // mov rax, [rax+rbx*8-8]
    check(&[0x89, 0x14, 0x24], 0x5000, 4, false, true); // mov [rsp], edx
    check(&[0x66, 0x41, 0x89, 0x45, 0x02], 0xe002, 2, false, true); // mov [r13+2], ax
    check(&[0xc7, 0x00, 1, 0, 0, 0], 0x1000, 4, false, true); // mov dword [rax], 1
    check(&[0xc6, 0x80, 0, 1, 0, 0, 9], 0x1100, 1, false, true); // mov byte [rax+256], 9
    check(&[0x0f, 0xb6, 0x06], 0x7000, 1, true, false); // movzx eax, byte [rsi]
    check(&[0x48, 0x63, 0x06], 0x7000, 4, true, false); // movsxd rax, [rsi]
    check(&[0x43, 0x8b, 0x04, 0xa0], 0x9000 + 4 * 0xd000, 4, true, false); // mov eax, [r8+r12*4]
    check(&[0x8b, 0x05, 0x10, 0, 0, 0], 0x40_0016, 4, true, false); // mov eax, [rip+16]
    check(&[0xc7, 0x05, 0x10, 0, 0, 0, 1, 0, 0, 0], 0x40_001a, 4, false, true); // mov dword [rip+16], 1
}

#[test]
fn read_modify_write() {
    check(&[0x83, 0x00, 0x01], 0x1000, 4, true, true); // add dword [rax], 1
    check(&[0x83, 0x38, 0x01], 0x1000, 4, true, false); // cmp dword [rax], 1
    check(&[0xf0, 0x48, 0x0f, 0xc1, 0x0f], 0x8000, 8, true, true); // lock xadd [rdi], rcx
    check(&[0xf0, 0x0f, 0xb1, 0x17], 0x8000, 4, true, true); // lock cmpxchg [rdi], edx
    check(&[0x87, 0x07], 0x8000, 4, true, true); // xchg [rdi], eax
    check(&[0xff, 0x07], 0x8000, 4, true, true); // inc dword [rdi]
    check(&[0x3b, 0x07], 0x8000, 4, true, false); // cmp eax, [rdi]
    check(&[0x01, 0x07], 0x8000, 4, true, true); // add [rdi], eax
}

#[test]
fn vectors() {
    check(&[0xf3, 0x0f, 0x10, 0x07], 0x8000, 4, true, false); // movss xmm0, [rdi]
    check(&[0xf2, 0x0f, 0x11, 0x07], 0x8000, 8, false, true); // movsd [rdi], xmm0
    check(&[0x0f, 0x11, 0x07], 0x8000, 16, false, true); // movups [rdi], xmm0
    check(&[0xf3, 0x0f, 0x6f, 0x07], 0x8000, 16, true, false); // movdqu xmm0, [rdi]
    check(&[0xf3, 0x0f, 0x58, 0x07], 0x8000, 4, true, false); // addss xmm0, [rdi]
    check(&[0xf3, 0x0f, 0x2a, 0x07], 0x8000, 4, true, false); // cvtsi2ss xmm0, [rdi]
    check(&[0xc5, 0xfe, 0x6f, 0x46, 0x20], 0x7020, 32, true, false); // vmovdqu ymm0, [rsi+32]
    check(&[0xc4, 0xc1, 0x7e, 0x7f, 0x00], 0x9000, 32, false, true); // vmovdqu [r8], ymm0
    check(&[0x62, 0xf1, 0xfe, 0x28, 0x6f, 0x46, 0x01], 0x7020, 32, true, false); // vmovdqu64 ymm16, [rsi+32]
    check(&[0x62, 0xe1, 0xfe, 0x48, 0x7f, 0x07], 0x8000, 64, false, true); // vmovdqu64 [rdi], zmm16
}

#[test]
fn strings() {
    let copy = StringOp { size: 1, copies: true, repeated: true, length: 2 };
    assert_eq!(decode(&[0xf3, 0xa4], &registers()), Some(Instruction::String(copy)));
    let fill = StringOp { size: 8, copies: false, repeated: true, length: 3 };
    assert_eq!(decode(&[0xf3, 0x48, 0xab], &registers()), Some(Instruction::String(fill)));
}

#[test]
fn whatever_is_not_known_is_not_guessed() {
    for code in [&[0x0f, 0xae, 0x00][..], &[0x8b, 0xc0], &[0x62, 0xf1, 0x7d, 0x49, 0x6f, 0x00], &[0x8b], &[]]
    {
        assert_eq!(decode(code, &registers()), None, "{code:02x?}");
    }
}

/// A masked instruction accesses the lanes of its mask: the C library's short copies and fills are made so.
#[test]
fn masked_vectors() {
    let masked = |code: &[u8], mask: u64| {
        let mut r = registers();
        r.masks[1] = mask;
        match decode(code, &r) {
            Some(Instruction::Access(o)) => Some((o.address, o.bytes, o.reads, o.writes)),
            _ => None,
        }
    };
    let store = [0x62, 0xe1, 0x7f, 0x49, 0x7f, 0x00]; // vmovdqu8 [rax]{k1}, zmm16
    assert_eq!(masked(&store, 0xff), Some((0x1000, 8, false, true)));
    assert_eq!(masked(&store, u64::MAX), Some((0x1000, 64, false, true)));
    assert_eq!(masked(&store, 0xf0), Some((0x1004, 4, false, true)));
    assert_eq!(masked(&store, 0x5), None, "with a gap");
    assert_eq!(masked(&store, 0), None, "nothing");
    check(&[0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x47, 0x01, 0x00], 0x8020, 32, true, false); // vpcmpub k0, ymm16, [rdi+32], 0
    check(&[0x62, 0xf3, 0x75, 0x20, 0x3e, 0x0f, 0x04], 0x8000, 32, true, false); // vpcmpub k1, ymm17, [rdi], 4
    check(&[0x62, 0xf1, 0x7c, 0x58, 0x58, 0x47, 0x02], 0x8008, 4, true, false); // vaddps zmm0, zmm0, dword [rdi+8]{1to16}
}
