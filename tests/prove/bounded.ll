target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
module asm ".section .nv_fatbin, \22a\22"
module asm ".align 8"
module asm "fatbinData:"
module asm ".quad 0x00100001ba55ed50,0x00000000000014a0,0x0000004001010002,0x00000000000011e8"
module asm ".quad 0x0000000000000000,0x0000004b00010008,0x0000000000000000,0x0000000000000011"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x41010102464c457f,0x0000000000000008"
module asm ".quad 0x0000000100be0002,0x0000000000000000,0x0000000000001140,0x0000000000000d00"
module asm ".quad 0x0038004006004b04,0x0001001100400003,0x7472747368732e00,0x747274732e006261"
module asm ".quad 0x746d79732e006261,0x746d79732e006261,0x78646e68735f6261,0x6e2e65746f6e2e00"
module asm ".quad 0x6f666e696b742e76,0x6e2e65746f6e2e00,0x6f666e6975632e76,0x666e692e766e2e00"
module asm ".quad 0x2e747865742e006f,0x776f725f6c6c6966,0x6e692e766e2e0073,0x5f6c6c69662e6f66"
module asm ".quad 0x766e2e0073776f72,0x2e6465726168732e,0x776f725f6c6c6966,0x6f632e766e2e0073"
module asm ".quad 0x2e30746e6174736e,0x776f725f6c6c6966,0x6e2e6c65722e0073,0x6174736e6f632e76"
module asm ".quad 0x6c6c69662e30746e,0x742e0073776f725f,0x687461672e747865,0x692e766e2e007265"
module asm ".quad 0x687461672e6f666e,0x732e766e2e007265,0x61672e6465726168,0x766e2e0072656874"
module asm ".quad 0x6e6174736e6f632e,0x65687461672e3074,0x6e2e6c65722e0072,0x6174736e6f632e76"
module asm ".quad 0x687461672e30746e,0x756265642e007265,0x00656d6172665f67,0x6265642e6c65722e"
module asm ".quad 0x656d6172665f6775,0x642e616c65722e00,0x6172665f67756265,0x632e766e2e00656d"
module asm ".quad 0x68706172676c6c61,0x6f72702e766e2e00,0x2e00657079746f74,0x612e6c65722e766e"
module asm ".quad 0x2e00006e6f697463,0x6261747274736873,0x6261747274732e00,0x6261746d79732e00"
module asm ".quad 0x6261746d79732e00,0x2e0078646e68735f,0x2e766e2e65746f6e,0x2e006f666e696b74"
module asm ".quad 0x2e766e2e65746f6e,0x2e006f666e697563,0x006f666e692e766e,0x69662e747865742e"
module asm ".quad 0x0073776f725f6c6c,0x6f666e692e766e2e,0x6f725f6c6c69662e,0x732e766e2e007377"
module asm ".quad 0x69662e6465726168,0x0073776f725f6c6c,0x2e766e2e6c65722e,0x746e6174736e6f63"
module asm ".quad 0x725f6c6c69662e30,0x2e766e2e0073776f,0x746e6174736e6f63,0x725f6c6c69662e30"
module asm ".quad 0x7865742e0073776f,0x7265687461672e74,0x666e692e766e2e00,0x7265687461672e6f"
module asm ".quad 0x6168732e766e2e00,0x687461672e646572,0x2e6c65722e007265,0x74736e6f632e766e"
module asm ".quad 0x7461672e30746e61,0x2e766e2e00726568,0x746e6174736e6f63,0x7265687461672e30"
module asm ".quad 0x5f67756265642e00,0x722e00656d617266,0x67756265642e6c65,0x2e00656d6172665f"
module asm ".quad 0x6265642e616c6572,0x656d6172665f6775,0x6c61632e766e2e00,0x2e0068706172676c"
module asm ".quad 0x6f746f72702e766e,0x766e2e0065707974,0x7463612e6c65722e,0x6c6c6966006e6f69"
module asm ".quad 0x61670073776f725f,0x0000000072656874,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0005000300000029,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0006000300000039,0x0000000000000000,0x0000000000000000,0x000f000300000052"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000d0003000000a6,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00100003000000be,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000e000300000106,0x0000000000000000,0x0000000000000000,0x000400030000011b"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000a00030000014b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x000b000300000167,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000f101200000176,0x0000000000000000,0x0000000000000180,0x0010101200000180"
module asm ".quad 0x0000000000000000,0x0000000000000100,0x00000024ffffffff,0xffffffff00000000"
module asm ".quad 0x7c040003ffffffff,0x80810c0fffffffff,0x288081ff08002880,0x0000002880808108"
module asm ".quad 0x00000034ffffffff,0x0000000000000000,0x0000000000000000,0x0000018000000000"
module asm ".quad 0x0000040400000000,0x810c000000140400,0x0000380400288080,0x0000000000000000"
module asm ".quad 0x00000024ffffffff,0xffffffff00000000,0x7c040003ffffffff,0x80810c0fffffffff"
module asm ".quad 0x288081ff08002880,0x0000002880808108,0x00000034ffffffff,0x0000007000000000"
module asm ".quad 0x0000000000000000,0x0000010000000000,0x0000040400000000,0x810c000000140400"
module asm ".quad 0x0000200400288080,0x0000000000000000,0x0000008c0000000c,0x4449564e000007d0"
module asm ".quad 0x0070726f43204149,0x0000000000000002,0x0000000700000001,0x0000006000000036"
module asm ".quad 0x4300736178747000,0x706d6f6320616475,0x206e6f6974616c69,0x72202c736c6f6f74"
module asm ".quad 0x3120657361656c65,0x333156202c302e33,0x75420038382e302e,0x6164756320646c69"
module asm ".quad 0x31722e302e33315f,0x706d6f632f302e33,0x3436332e72656c69,0x00305f3431373432"
module asm ".quad 0x6d7320686372612d,0x36206d2d2035375f,0x0000000c00002034,0x000003e800000008"
module asm ".quad 0x432041494449564e,0x004b00020070726f,0x00082f0400000082,0x0000000a0000000b"
module asm ".quad 0x0000000b00081104,0x00082f0400000000,0x0000000a0000000a,0x0000000a00081104"
module asm ".quad 0x0008120400000000,0x000000000000000a,0x0000000b00081204,0x0004360400000000"
module asm ".quad 0x0004370400000001,0x00080a0400000082,0x0014016000000004,0x000c170400141903"
module asm ".quad 0x0010000200000000,0x000c17040011f000,0x0008000100000000,0x000c17040021f000"
module asm ".quad 0x0000000000000000,0x00ff1b030021f000,0x000c1c0400005f03,0x000000a000000050"
module asm ".quad 0x00041e0400000140,0x0004360400000000,0x0004370400000001,0x00080a0400000082"
module asm ".quad 0x0014016000000006,0x000c170400141903,0x0010000200000000,0x000c17040011f000"
module asm ".quad 0x0008000100000000,0x000c17040021f000,0x0000000000000000,0x00ff1b030021f000"
module asm ".quad 0x00081c0400005f03,0x000000e000000050,0xffffffff00000000,0xfffffffe00000000"
module asm ".quad 0xfffffffd00000000,0xfffffffc00000000,0x0000000000000073,0x3605002511000000"
module asm ".quad 0x00000000000000b4,0x0000000b00000002,0x0000000000000044,0x0000000a00000002"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000a00ff017624,0x000fe400078e00ff"
module asm ".quad 0x0000000000057919,0x000e280000002500,0x0000000000007919,0x000e240000002100"
module asm ".quad 0x0000000005057a24,0x001fca00078e0200,0x00005c0005007a0c,0x000fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x0000000400047802,0x000fca0000000f00"
module asm ".quad 0x0000580005027625,0x000fd000078e0204,0x0000000002007381,0x000ea400001ee900"
module asm ".quad 0x000000010000780c,0x004fd80003f06270,0x000000000000894d,0x000fea0003800000"
module asm ".quad 0x0000000805027824,0x000fe200078e00ff,0x000000ff00077202,0x000fc60000000f00"
module asm ".quad 0x00005a0002027625,0x000fce00078e0204,0x0000000107077810,0x000fe20007ffe0ff"
module asm ".quad 0x0000000502007386,0x0001e6000010e900,0x000000000700720c,0x000fe40003f06270"
module asm ".quad 0x0000000402027810,0x001fca0007f3e0ff,0x000000ffff037224,0x000fca00008e0603"
module asm ".quad 0xffffffa000008947,0x000fea000383ffff,0x000000000000794d,0x000fea0003800000"
module asm ".quad 0xfffffff000007947,0x000fc0000383ffff,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x00000a0000017a02,0x000fe40000000f00"
module asm ".quad 0x0000000000007919,0x000e280000002500,0x0000000000037919,0x000e240000002100"
module asm ".quad 0x0000000000007a24,0x001fca00078e0203,0x00005c0000007a0c,0x000fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x0000000400077802,0x000fca0000000f00"
module asm ".quad 0x0000580000027625,0x000fd000078e0207,0x0000000002027381,0x000ea200001ee900"
module asm ".quad 0x00005c0000067a10,0x000fe20007ffe0ff,0x00005a0002047625,0x004fd000078e0207"
module asm ".quad 0x0000000004057381,0x000ea200001ee900,0x00005a0006067625,0x000fd000078e0207"
module asm ".quad 0x0000000506007386,0x004fe2000010e900,0x000000000000794d,0x000fea0003800000"
module asm ".quad 0xfffffff000007947,0x000fc0000383ffff,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000300000001,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000040,0x0000000000000176,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x000000030000000b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00000000000001b6,0x0000000000000187,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x0000000200000013,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000340,0x0000000000000120,0x0000000a00000002"
module asm ".quad 0x0000000000000008,0x0000000000000018,0x000000010000011b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000460,0x00000000000000e0,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x0000000700000029,0x0000000002000000"
module asm ".quad 0x0000000000000000,0x0000000000000540,0x00000000000000a4,0x0000000000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000700000039,0x0000000001000000"
module asm ".quad 0x0000000000000000,0x00000000000005e4,0x0000000000000020,0x0000000000000005"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x7000000000000049,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000604,0x0000000000000048,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x7000000000000062,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x000000000000064c,0x0000000000000070,0x0000000f00000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x70000000000000cb,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x00000000000006bc,0x0000000000000064,0x0000001000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x700000010000014b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000720,0x0000000000000020,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000008,0x7000000b00000167,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000740,0x0000000000000010,0x0000000000000000"
module asm ".quad 0x0000000000000008,0x0000000000000008,0x0000000900000128,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000750,0x0000000000000020,0x0000000400000003"
module asm ".quad 0x0000000000000008,0x0000000000000010,0x000000010000008a,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x0000000000000770,0x0000000000000174,0x0000000f00000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x00000001000000ed,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x00000000000008e4,0x0000000000000174,0x0000001000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000100000052,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000a80,0x0000000000000180,0x0a00000a00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x00000001000000be,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000c00,0x0000000000000100,0x0a00000b00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x0000000500000006,0x0000000000001140"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000000000000a8,0x00000000000000a8"
module asm ".quad 0x0000000000000008,0x0000000500000001,0x0000000000000770,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000590,0x0000000000000590,0x0000000000000008"
module asm ".quad 0x0000000500000001,0x0000000000001140,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x00000000000000a8,0x00000000000000a8,0x0000000000000008,0x0000005001010001"
module asm ".quad 0x0000000000000228,0x0000004000000225,0x0000004b00090000,0x0000000000000000"
module asm ".quad 0x0000000000008011,0x0000000000000000,0x00000000000006c3,0x0000000000000048"
module asm ".quad 0x0000000000000000,0xdd05c360fd2fb528,0x4d30224a98060010,0x1ee8a0b632b52cf5"
module asm ".quad 0x9084051b52564dd8,0xe4518dbb6d1210d3,0x08e1851466455cb0,0x90cd00420040003e"
module asm ".quad 0x5f12c65825895efc,0x61f04b34696d7bc8,0x218842a192f03bd5,0xa344464e59b24ebe"
module asm ".quad 0x7e54a3e8888cb0b6,0x4ab9449e6157b08c,0x8a89e1da45ed61e8,0x575092acde86cbe8"
module asm ".quad 0xcd4da72fca75d255,0xf070aac0a5e0f08e,0x92bc1d3aa31d0f6a,0x59ee6730f75a4a06"
module asm ".quad 0x0cebbb9c47f8f2f0,0xf8a38b6e0ff115dc,0x1d514c0670c25983,0x8ebb05bf0157e51c"
module asm ".quad 0x9c6f1073ae951679,0x59e61669261869e6,0x5d708c7685945af0,0x5a4367a1c8c7e253"
module asm ".quad 0x509a832138b1cde7,0xec75d8506d61b553,0x7c300825ef080821,0x2d000bac1c757b06"
module asm ".quad 0x527301eeee249e79,0xc104a18029a8353f,0x8ee208e7920b7aaf,0x9940c9f2f0938a23"
module asm ".quad 0xda5b78b64eac62f3,0xc1651661a3f9a573,0xe6ff503a8de631ab,0x7401955d7626168c"
module asm ".quad 0x6a4930a4556d11a8,0xdab2110290039654,0xc82190e53440113c,0x0c6926ccd10c4310"
module asm ".quad 0xe26a36e013ed698c,0x9f94dbe44f8e27ba,0x0d04b3a057962a0e,0xa5d288e4406ee96f"
module asm ".quad 0xc4daff04e51f9acf,0xd1141496c337f6a9,0x59a6a94aa0d449a8,0x06a236e7effd0b1d"
module asm ".quad 0xa8b91bd193f5e272,0x672e2b735b8a319c,0x223b901890a3df24,0xeb85d9c55d0ece52"
module asm ".quad 0x70282a7770806953,0xb70878516d80feae,0xb0e01ac1d481e43e,0x661f1728e4cb3c1b"
module asm ".quad 0x15ecd2dfe402777a,0x752e71848c82d88c,0x78423443c561b939,0xe8692a1e449f151c"
module asm ".quad 0xebb573a5e475bd05,0x860db749d7c5e193,0x41bbc89a7bed1998,0x17fd1742c8a0aae0"
module asm ".quad 0xd591cc2b296fd179, 0x0000000c7870e3c9"
module asm ".text"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [662 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str = private unnamed_addr constant [10 x i8] c"fill_rows\00", align 1
@.str.1 = private unnamed_addr constant [7 x i8] c"gather\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local noundef i32 @same_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.i.i.i.i.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %.lr.ph.i.i.i.i.preheader
.lr.ph.i.i.i.i.preheader:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph.i.i.i.i
.lr.ph.i.i.i.i:
  %.06.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i ], [ %16, %.lr.ph.i.i.i.i.preheader ]
  store i32 8, ptr %.06.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i, i64 4
  %.not.i.i.i.i15 = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i15, label %_ZSt4fillIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_RKT0_.exit, label %.lr.ph.i.i.i.i
_ZSt4fillIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_RKT0_.exit:
  %19 = add nuw nsw i32 %14, 63
  %20 = lshr i32 %19, 6
  %.sroa.020.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.020.0.insert.insert = or disjoint i64 %.sroa.020.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.020.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %fill_rows.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 5
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %fill_rows.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
fill_rows.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %34
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @__gxx_personality_v0(...)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg)
define hidden void @fill_rows(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local noundef i32 @same_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.i.i.i.i.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %.lr.ph.i.i.i.i.preheader
.lr.ph.i.i.i.i.preheader:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph.i.i.i.i
.lr.ph.i.i.i.i:
  %.06.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i ], [ %16, %.lr.ph.i.i.i.i.preheader ]
  store i32 9, ptr %.06.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i, i64 4
  %.not.i.i.i.i15 = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i15, label %_ZSt4fillIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_RKT0_.exit, label %.lr.ph.i.i.i.i
_ZSt4fillIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_RKT0_.exit:
  %19 = add nuw nsw i32 %14, 63
  %20 = lshr i32 %19, 6
  %.sroa.020.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.020.0.insert.insert = or disjoint i64 %.sroa.020.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.020.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %fill_rows.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 5
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %fill_rows.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
fill_rows.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @last_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %fill.i.i.i.i.i
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %fill.i.i.i.i.i
fill.i.i.i.i.i:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %17 = add nsw i32 %14, -1
  %18 = getelementptr inbounds i32, ptr %16, i64 %13
  br label %.lr.ph.i.i.i.i.i
.lr.ph.i.i.i.i.i:
  %.06.i.i.i.i.i = phi ptr [ %19, %.lr.ph.i.i.i.i.i ], [ %16, %fill.i.i.i.i.i ]
  store i32 %17, ptr %.06.i.i.i.i.i, align 4
  %19 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i = icmp eq ptr %19, %18
  br i1 %.not.i.i.i.i.i, label %_ZSt6fill_nIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiiET_S7_T0_RKT1_.exit, label %.lr.ph.i.i.i.i.i
_ZSt6fill_nIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiiET_S7_T0_RKT1_.exit:
  %20 = add nuw nsw i32 %14, 63
  %21 = lshr i32 %20, 6
  %.sroa.021.0.insert.ext = zext nneg i32 %21 to i64
  %.sroa.021.0.insert.insert = or disjoint i64 %.sroa.021.0.insert.ext, 4294967296
  %22 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.021.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %22, 0
  br i1 %.not, label %23, label %gather.exit
23:
  %24 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %24, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %25
25:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %26 = load ptr, ptr %4, align 8
  %27 = invoke i32 @cudaMemcpy(ptr noundef %26, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit20
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %28 = shl nuw nsw i32 %14, 3
  %29 = add nuw nsw i32 %28, 32
  %30 = zext nneg i32 %29 to i64
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %30)
  %.not.i = icmp eq i32 %31, 0
  br i1 %.not.i, label %33, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
33:
  %34 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %26, ptr noundef %34, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit20
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit20:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %35
}
define hidden void @gather(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local noundef i32 @last_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %fill.i.i.i.i.i
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %fill.i.i.i.i.i
fill.i.i.i.i.i:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  br label %.lr.ph.i.i.i.i.i
.lr.ph.i.i.i.i.i:
  %.06.i.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i.i ], [ %16, %fill.i.i.i.i.i ]
  store i32 %14, ptr %.06.i.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i.i, label %_ZSt6fill_nIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiiET_S7_T0_RKT1_.exit, label %.lr.ph.i.i.i.i.i
_ZSt6fill_nIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiiET_S7_T0_RKT1_.exit:
  %19 = add nuw nsw i32 %14, 63
  %20 = lshr i32 %19, 6
  %.sroa.013.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.013.0.insert.insert = or disjoint i64 %.sroa.013.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.013.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %gather.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit12
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 3
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit12
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit12:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @constructed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %_ZL6numberiPPciiii.exit.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %_ZL6numberiPPciiii.exit.thread
_ZL6numberiPPciiii.exit.thread:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  br label %.lr.ph.i.i.i.i.i.i.i.i.i
.lr.ph.i.i.i.i.i.i.i.i.i:
  %.06.i.i.i.i.i.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i.i.i.i.i.i ], [ %16, %_ZL6numberiPPciiii.exit.thread ]
  store i32 8, ptr %.06.i.i.i.i.i.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i.i.i.i.i = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i.i.i.i.i.i, label %_ZNSt6vectorIiSaIiEEC2EmRKiRKS0_.exit, label %.lr.ph.i.i.i.i.i.i.i.i.i
_ZNSt6vectorIiSaIiEEC2EmRKiRKS0_.exit:
  %19 = add nuw nsw i32 %14, 63
  %20 = lshr i32 %19, 6
  %.sroa.015.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.015.0.insert.insert = or disjoint i64 %.sroa.015.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.015.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %fill_rows.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit14
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 5
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %fill_rows.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit14
fill_rows.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit14:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @constructed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %_ZL6numberiPPciiii.exit.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %_ZL6numberiPPciiii.exit.thread
_ZL6numberiPPciiii.exit.thread:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  br label %.lr.ph.i.i.i.i.i.i.i.i.i
.lr.ph.i.i.i.i.i.i.i.i.i:
  %.06.i.i.i.i.i.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i.i.i.i.i.i ], [ %16, %_ZL6numberiPPciiii.exit.thread ]
  store i32 9, ptr %.06.i.i.i.i.i.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i.i.i.i.i = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i.i.i.i.i.i, label %_ZNSt6vectorIiSaIiEEC2EmRKiRKS0_.exit, label %.lr.ph.i.i.i.i.i.i.i.i.i
_ZNSt6vectorIiSaIiEEC2EmRKiRKS0_.exit:
  %19 = add nuw nsw i32 %14, 63
  %20 = lshr i32 %19, 6
  %.sroa.015.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.015.0.insert.insert = or disjoint i64 %.sroa.015.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.015.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %fill_rows.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit14
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 5
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %fill_rows.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit14
fill_rows.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit14:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @assigned_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %_ZL6numberiPPciiii.exit
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = phi i32 [ %9, %6 ], [ 100, %2 ]
  %13 = zext nneg i32 %12 to i64
  %14 = add nsw i32 %12, -1
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  br label %.lr.ph.i.i.i.i.i.i.i.i.i.i.i
.lr.ph.i.i.i.i.i.i.i.i.i.i.i:
  %.06.i.i.i.i.i.i.i.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i.i.i.i.i.i.i.i ], [ %16, %_ZL6numberiPPciiii.exit ]
  store i32 %14, ptr %.06.i.i.i.i.i.i.i.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i.i.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i.i.i.i.i.i.i = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i.i.i.i.i.i.i.i, label %_ZNSt6vectorIiSaIiEE6assignEmRKi.exit, label %.lr.ph.i.i.i.i.i.i.i.i.i.i.i
_ZNSt6vectorIiSaIiEE6assignEmRKi.exit:
  %19 = add nsw i32 %12, 63
  %20 = sdiv i32 %19, 64
  %.sroa.017.0.insert.ext = zext i32 %20 to i64
  %.sroa.017.0.insert.insert = or disjoint i64 %.sroa.017.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.017.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %gather.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %12, 1
  %28 = add nuw nsw i32 %27, 8
  %29 = zext nneg i32 %28 to i64
  %30 = shl nuw nsw i64 %29, 2
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %30)
  %.not.i = icmp eq i32 %31, 0
  br i1 %.not.i, label %33, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
33:
  %34 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %25, ptr noundef %34, i32 noundef %12)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit16:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %35
}
define dso_local noundef i32 @assigned_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %_ZL6numberiPPciiii.exit
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = phi i32 [ %9, %6 ], [ 100, %2 ]
  %13 = zext nneg i32 %12 to i64
  %14 = add nuw nsw i32 %12, 1
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  br label %.lr.ph.i.i.i.i.i.i.i.i.i.i.i
.lr.ph.i.i.i.i.i.i.i.i.i.i.i:
  %.06.i.i.i.i.i.i.i.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i.i.i.i.i.i.i.i ], [ %16, %_ZL6numberiPPciiii.exit ]
  store i32 %14, ptr %.06.i.i.i.i.i.i.i.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i.i.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i.i.i.i.i.i.i = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i.i.i.i.i.i.i.i, label %_ZNSt6vectorIiSaIiEE6assignEmRKi.exit, label %.lr.ph.i.i.i.i.i.i.i.i.i.i.i
_ZNSt6vectorIiSaIiEE6assignEmRKi.exit:
  %19 = add nsw i32 %12, 63
  %20 = sdiv i32 %19, 64
  %.sroa.017.0.insert.ext = zext i32 %20 to i64
  %.sroa.017.0.insert.insert = or disjoint i64 %.sroa.017.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.017.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %gather.exit
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %12, 1
  %28 = add nuw nsw i32 %27, 8
  %29 = zext nneg i32 %28 to i64
  %30 = shl nuw nsw i64 %29, 2
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %30)
  %.not.i = icmp eq i32 %31, 0
  br i1 %.not.i, label %33, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
33:
  %34 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %25, ptr noundef %34, i32 noundef %12)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit16:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %35
}
define dso_local noundef i32 @below_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph
._crit_edge:
  %18 = add nuw nsw i32 %14, 63
  %19 = lshr i32 %18, 6
  %.sroa.019.0.insert.ext = zext nneg i32 %19 to i64
  %.sroa.019.0.insert.insert = or disjoint i64 %.sroa.019.0.insert.ext, 4294967296
  %20 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.019.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %20, 0
  br i1 %.not, label %24, label %gather.exit
.lr.ph:
  %.sroa.023.039 = phi ptr [ %23, %.lr.ph ], [ %16, %.lr.ph.preheader ]
  %21 = tail call i32 @rand()
  %22 = srem i32 %21, %14
  store i32 %22, ptr %.sroa.023.039, align 4
  %23 = getelementptr inbounds i8, ptr %.sroa.023.039, i64 4
  %.not36 = icmp eq ptr %23, %17
  br i1 %.not36, label %._crit_edge, label %.lr.ph
24:
  %25 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %25, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %26
26:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %27 = load ptr, ptr %4, align 8
  %28 = invoke i32 @cudaMemcpy(ptr noundef %27, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit18
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = shl nuw nsw i32 %14, 3
  %30 = add nuw nsw i32 %29, 32
  %31 = zext nneg i32 %30 to i64
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %31)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %34, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
34:
  %35 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit18
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit18:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
declare i32 @rand() local_unnamed_addr
define dso_local noundef i32 @below_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph
.lr.ph:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %16 = add nsw i32 %14, -1
  %17 = add nuw nsw i32 %14, 1
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %21
._crit_edge:
  %18 = add nuw nsw i32 %14, 63
  %19 = lshr i32 %18, 6
  %.sroa.024.0.insert.ext = zext nneg i32 %19 to i64
  %.sroa.024.0.insert.insert = or disjoint i64 %.sroa.024.0.insert.ext, 4294967296
  %20 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.024.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %20, 0
  br i1 %.not, label %26, label %gather.exit
21:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %21 ]
  %22 = trunc nuw nsw i64 %indvars.iv to i32
  %23 = add i32 %16, %22
  %24 = srem i32 %23, %17
  %25 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %24, ptr %25, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %21
26:
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %27, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %28
28:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %29 = load ptr, ptr %4, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %31 = shl nuw nsw i32 %14, 3
  %32 = add nuw nsw i32 %31, 32
  %33 = zext nneg i32 %32 to i64
  %34 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %33)
  %.not.i = icmp eq i32 %34, 0
  br i1 %.not.i, label %36, label %35
35:
  tail call void @exit(i32 noundef 9)
  unreachable
36:
  %37 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %29, ptr noundef %37, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit23:
  %38 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %38
}
define dso_local noundef i32 @few_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  %16 = add nuw nsw i32 %14, 63
  %17 = lshr i32 %16, 6
  %.sroa.022.0.insert.ext = zext nneg i32 %17 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %23, label %fill_rows.exit
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %19 = trunc nuw nsw i64 %indvars.iv to i32
  %20 = urem i32 %19, 9
  %21 = sub nuw nsw i32 8, %20
  %22 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %21, ptr %22, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
23:
  %24 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %24, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %25
25:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %26 = load ptr, ptr %4, align 8
  %27 = invoke i32 @cudaMemcpy(ptr noundef %26, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %28 = shl nuw nsw i32 %14, 5
  %29 = add nuw nsw i32 %28, 32
  %30 = zext nneg i32 %29 to i64
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %30)
  %.not.i = icmp eq i32 %31, 0
  br i1 %.not.i, label %33, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
33:
  %34 = load ptr, ptr %3, align 8
  invoke void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %26, ptr noundef %34, i32 noundef %14)
          to label %fill_rows.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
fill_rows.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit21:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %35
}
define dso_local noundef i32 @few_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  %16 = add nuw nsw i32 %14, 63
  %17 = lshr i32 %16, 6
  %.sroa.022.0.insert.ext = zext nneg i32 %17 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %23, label %fill_rows.exit
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %19 = trunc nuw nsw i64 %indvars.iv to i32
  %20 = urem i32 %19, 10
  %21 = sub nuw nsw i32 9, %20
  %22 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %21, ptr %22, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
23:
  %24 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %24, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %25
25:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %26 = load ptr, ptr %4, align 8
  %27 = invoke i32 @cudaMemcpy(ptr noundef %26, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %28 = shl nuw nsw i32 %14, 5
  %29 = add nuw nsw i32 %28, 32
  %30 = zext nneg i32 %29 to i64
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %30)
  %.not.i = icmp eq i32 %31, 0
  br i1 %.not.i, label %33, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
33:
  %34 = load ptr, ptr %3, align 8
  invoke void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef %26, ptr noundef %34, i32 noundef %14)
          to label %fill_rows.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
fill_rows.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit21:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %35
}
define dso_local noundef i32 @in_order_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph
.lr.ph:
  %.sroa.025.043 = phi ptr [ %20, %.lr.ph ], [ %16, %.lr.ph.preheader ]
  %18 = tail call i32 @rand()
  %19 = srem i32 %18, %14
  store i32 %19, ptr %.sroa.025.043, align 4
  %20 = getelementptr inbounds i8, ptr %.sroa.025.043, i64 4
  %.not40 = icmp eq ptr %20, %17
  br i1 %.not40, label %._crit_edge, label %.lr.ph
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %17)
  %21 = add nuw nsw i32 %14, 63
  %22 = lshr i32 %21, 6
  %.sroa.021.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.021.0.insert.insert = or disjoint i64 %.sroa.021.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.021.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %gather.exit
24:
  %25 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %25, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %26
26:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %27 = load ptr, ptr %4, align 8
  %28 = invoke i32 @cudaMemcpy(ptr noundef %27, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit20
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = shl nuw nsw i32 %14, 3
  %30 = add nuw nsw i32 %29, 32
  %31 = zext nneg i32 %30 to i64
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %31)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %34, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
34:
  %35 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit20
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit20:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
define dso_local noundef i32 @in_order_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = zext nneg i32 %9 to i64
  br label %.lr.ph
.lr.ph:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %18 = add nuw nsw i32 %14, 1
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %19
19:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %19 ]
  %20 = trunc i64 %indvars.iv to i32
  %21 = add i32 %20, 2
  %22 = urem i32 %21, %18
  %23 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %22, ptr %23, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %19
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %17)
  %24 = add nuw nsw i32 %14, 63
  %25 = lshr i32 %24, 6
  %.sroa.025.0.insert.ext = zext nneg i32 %25 to i64
  %.sroa.025.0.insert.insert = or disjoint i64 %.sroa.025.0.insert.ext, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.025.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %26, 0
  br i1 %.not, label %27, label %gather.exit
27:
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %28, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %29
29:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %30 = load ptr, ptr %4, align 8
  %31 = invoke i32 @cudaMemcpy(ptr noundef %30, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %32 = shl nuw nsw i32 %14, 3
  %33 = add nuw nsw i32 %32, 32
  %34 = zext nneg i32 %33 to i64
  %35 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %34)
  %.not.i = icmp eq i32 %35, 0
  br i1 %.not.i, label %37, label %36
36:
  tail call void @exit(i32 noundef 9)
  unreachable
37:
  %38 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %30, ptr noundef %38, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit24:
  %39 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %39
}
define dso_local noundef i32 @pushed_below_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %.lr.ph.preheader
11:
  tail call void @exit(i32 noundef 1)
  unreachable
.lr.ph.preheader:
  %12 = phi i32 [ %9, %6 ], [ 100, %2 ]
  br label %.lr.ph
._crit_edge:
  %13 = add nsw i32 %12, 63
  %14 = sdiv i32 %13, 64
  %.sroa.020.0.insert.ext = zext i32 %14 to i64
  %.sroa.020.0.insert.insert = or disjoint i64 %.sroa.020.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.020.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %23, label %gather.exit
.lr.ph:
  %.038 = phi i32 [ %20, %19 ], [ 0, %.lr.ph.preheader ]
  %.sroa.024.037 = phi ptr [ %.sroa.024.1, %19 ], [ null, %.lr.ph.preheader ]
  %.sroa.9.036 = phi ptr [ %.sink.i.i, %19 ], [ null, %.lr.ph.preheader ]
  %.sroa.12.035 = phi ptr [ %.sroa.12.1, %19 ], [ null, %.lr.ph.preheader ]
  %16 = tail call i32 @rand()
  %17 = srem i32 %16, %12
  %.not.i.i = icmp eq ptr %.sroa.9.036, %.sroa.12.035
  br i1 %.not.i.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i, label %18
18:
  store i32 %17, ptr %.sroa.9.036, align 4
  br label %19
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i:
  %from.i.i.i = ptrtoint ptr %.sroa.024.037 to i64
  %to.i.i.i = ptrtoint ptr %.sroa.9.036 to i64
  %bytes.i.i.i = sub i64 %to.i.i.i, %from.i.i.i
  %twice.i.i.i = shl i64 %bytes.i.i.i, 1
  %none.i.i.i = icmp eq ptr %.sroa.024.037, %.sroa.9.036
  %size.i.i.i = select i1 %none.i.i.i, i64 4, i64 %twice.i.i.i
  %new.i.i.i16 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i)
          to label %new.i.i.i.noexc unwind label %21
new.i.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i16, ptr align 4 %.sroa.024.037, i64 %bytes.i.i.i, i1 false)
  %there.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i16, i64 %bytes.i.i.i
  store i32 %17, ptr %there.i.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.024.037, i64 %bytes.i.i.i)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i16, i64 %size.i.i.i
  br label %19
19:
  %.sroa.12.1 = phi ptr [ %limit.i.i.i, %new.i.i.i.noexc ], [ %.sroa.12.035, %18 ]
  %.sroa.024.1 = phi ptr [ %new.i.i.i16, %new.i.i.i.noexc ], [ %.sroa.024.037, %18 ]
  %there.i.pn.i.i = phi ptr [ %there.i.i.i, %new.i.i.i.noexc ], [ %.sroa.9.036, %18 ]
  %.sink.i.i = getelementptr inbounds i8, ptr %there.i.pn.i.i, i64 4
  %20 = add nuw i32 %.038, 1
  %exitcond.not = icmp eq i32 %20, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
21:
  %22 = landingpad { ptr, i32 }
          cleanup
  br label %45
23:
  %24 = ptrtoint ptr %.sink.i.i to i64
  %25 = ptrtoint ptr %.sroa.024.1 to i64
  %26 = sub i64 %24, %25
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %26)
  %.not.i.i17 = icmp eq i32 %27, 0
  br i1 %.not.i.i17, label %_ZL6deviceIiEPT_m.exit.i, label %28
28:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %29 = load ptr, ptr %4, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef %.sroa.024.1, i64 noundef %26, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %43
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %31 = shl nuw nsw i32 %12, 1
  %32 = add nuw nsw i32 %31, 8
  %33 = zext nneg i32 %32 to i64
  %34 = shl nuw nsw i64 %33, 2
  %35 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %34)
  %.not.i = icmp eq i32 %35, 0
  br i1 %.not.i, label %37, label %36
36:
  tail call void @exit(i32 noundef 9)
  unreachable
37:
  %38 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %29, ptr noundef %38, i32 noundef %12)
          to label %gather.exit unwind label %43
gather.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.024.1, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %39
39:
  %40 = ptrtoint ptr %.sroa.12.1 to i64
  %41 = ptrtoint ptr %.sroa.024.1 to i64
  %42 = sub i64 %40, %41
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.024.1, i64 noundef %42)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
43:
  %44 = landingpad { ptr, i32 }
          cleanup
  br label %45
45:
  %.sroa.12.034 = phi ptr [ %.sroa.9.036, %21 ], [ %.sroa.12.1, %43 ]
  %.sroa.024.031 = phi ptr [ %.sroa.024.037, %21 ], [ %.sroa.024.1, %43 ]
  %.pn = phi { ptr, i32 } [ %22, %21 ], [ %44, %43 ]
  %.not.i.i.i18 = icmp eq ptr %.sroa.024.031, null
  br i1 %.not.i.i.i18, label %_ZNSt6vectorIiSaIiEED2Ev.exit19, label %46
46:
  %47 = ptrtoint ptr %.sroa.12.034 to i64
  %48 = ptrtoint ptr %.sroa.024.031 to i64
  %49 = sub i64 %47, %48
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.024.031, i64 noundef %49)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @pushed_below_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %.lr.ph
11:
  tail call void @exit(i32 noundef 1)
  unreachable
.lr.ph:
  %12 = phi i32 [ %9, %6 ], [ 100, %2 ]
  %13 = add nsw i32 %12, -1
  %14 = add nuw nsw i32 %12, 1
  br label %18
._crit_edge:
  %15 = add nsw i32 %12, 63
  %16 = sdiv i32 %15, 64
  %.sroa.022.0.insert.ext = zext i32 %16 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %26, label %gather.exit
18:
  %.040 = phi i32 [ 0, %.lr.ph ], [ %23, %22 ]
  %.sroa.026.039 = phi ptr [ null, %.lr.ph ], [ %.sroa.026.1, %22 ]
  %.sroa.9.038 = phi ptr [ null, %.lr.ph ], [ %.sink.i.i, %22 ]
  %.sroa.12.037 = phi ptr [ null, %.lr.ph ], [ %.sroa.12.1, %22 ]
  %19 = add i32 %13, %.040
  %20 = srem i32 %19, %14
  %.not.i.i = icmp eq ptr %.sroa.9.038, %.sroa.12.037
  br i1 %.not.i.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i, label %21
21:
  store i32 %20, ptr %.sroa.9.038, align 4
  br label %22
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i:
  %from.i.i.i = ptrtoint ptr %.sroa.026.039 to i64
  %to.i.i.i = ptrtoint ptr %.sroa.9.038 to i64
  %bytes.i.i.i = sub i64 %to.i.i.i, %from.i.i.i
  %twice.i.i.i = shl i64 %bytes.i.i.i, 1
  %none.i.i.i = icmp eq ptr %.sroa.026.039, %.sroa.9.038
  %size.i.i.i = select i1 %none.i.i.i, i64 4, i64 %twice.i.i.i
  %new.i.i.i18 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i)
          to label %new.i.i.i.noexc unwind label %24
new.i.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i18, ptr align 4 %.sroa.026.039, i64 %bytes.i.i.i, i1 false)
  %there.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i18, i64 %bytes.i.i.i
  store i32 %20, ptr %there.i.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.026.039, i64 %bytes.i.i.i)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i18, i64 %size.i.i.i
  br label %22
22:
  %.sroa.12.1 = phi ptr [ %limit.i.i.i, %new.i.i.i.noexc ], [ %.sroa.12.037, %21 ]
  %.sroa.026.1 = phi ptr [ %new.i.i.i18, %new.i.i.i.noexc ], [ %.sroa.026.039, %21 ]
  %there.i.pn.i.i = phi ptr [ %there.i.i.i, %new.i.i.i.noexc ], [ %.sroa.9.038, %21 ]
  %.sink.i.i = getelementptr inbounds i8, ptr %there.i.pn.i.i, i64 4
  %23 = add nuw i32 %.040, 1
  %exitcond.not = icmp eq i32 %23, %12
  br i1 %exitcond.not, label %._crit_edge, label %18
24:
  %25 = landingpad { ptr, i32 }
          cleanup
  br label %48
26:
  %27 = ptrtoint ptr %.sink.i.i to i64
  %28 = ptrtoint ptr %.sroa.026.1 to i64
  %29 = sub i64 %27, %28
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %29)
  %.not.i.i19 = icmp eq i32 %30, 0
  br i1 %.not.i.i19, label %_ZL6deviceIiEPT_m.exit.i, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %32 = load ptr, ptr %4, align 8
  %33 = invoke i32 @cudaMemcpy(ptr noundef %32, ptr noundef %.sroa.026.1, i64 noundef %29, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %46
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %34 = shl nuw nsw i32 %12, 1
  %35 = add nuw nsw i32 %34, 8
  %36 = zext nneg i32 %35 to i64
  %37 = shl nuw nsw i64 %36, 2
  %38 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %37)
  %.not.i = icmp eq i32 %38, 0
  br i1 %.not.i, label %40, label %39
39:
  tail call void @exit(i32 noundef 9)
  unreachable
40:
  %41 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %32, ptr noundef %41, i32 noundef %12)
          to label %gather.exit unwind label %46
gather.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.026.1, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %42
42:
  %43 = ptrtoint ptr %.sroa.12.1 to i64
  %44 = ptrtoint ptr %.sroa.026.1 to i64
  %45 = sub i64 %43, %44
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.026.1, i64 noundef %45)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
46:
  %47 = landingpad { ptr, i32 }
          cleanup
  br label %48
48:
  %.sroa.12.036 = phi ptr [ %.sroa.9.038, %24 ], [ %.sroa.12.1, %46 ]
  %.sroa.026.033 = phi ptr [ %.sroa.026.039, %24 ], [ %.sroa.026.1, %46 ]
  %.pn = phi { ptr, i32 } [ %25, %24 ], [ %47, %46 ]
  %.not.i.i.i20 = icmp eq ptr %.sroa.026.033, null
  br i1 %.not.i.i.i20, label %_ZNSt6vectorIiSaIiEED2Ev.exit21, label %49
49:
  %50 = ptrtoint ptr %.sroa.12.036 to i64
  %51 = ptrtoint ptr %.sroa.026.033 to i64
  %52 = sub i64 %50, %51
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.026.033, i64 noundef %52)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit21
_ZNSt6vectorIiSaIiEED2Ev.exit21:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @least_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph
.lr.ph:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %16 = add nsw i32 %14, -1
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %20
._crit_edge:
  %17 = add nuw nsw i32 %14, 63
  %18 = lshr i32 %17, 6
  %.sroa.023.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.023.0.insert.insert = or disjoint i64 %.sroa.023.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.023.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %24, label %gather.exit
20:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %20 ]
  %21 = trunc i64 %indvars.iv to i32
  %22 = mul i32 %21, 3
  %.sroa.speculated = tail call i32 @llvm.smin.i32(i32 %16, i32 %22)
  %23 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %.sroa.speculated, ptr %23, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %20
24:
  %25 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %25, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %26
26:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %27 = load ptr, ptr %4, align 8
  %28 = invoke i32 @cudaMemcpy(ptr noundef %27, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit22
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = shl nuw nsw i32 %14, 3
  %30 = add nuw nsw i32 %29, 32
  %31 = zext nneg i32 %30 to i64
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %31)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %34, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
34:
  %35 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit22
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit22:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %36
}
define dso_local noundef i32 @least_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  %16 = add nuw nsw i32 %14, 63
  %17 = lshr i32 %16, 6
  %.sroa.017.0.insert.ext = zext nneg i32 %17 to i64
  %.sroa.017.0.insert.insert = or disjoint i64 %.sroa.017.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.017.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %22, label %gather.exit
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %19 = trunc i64 %indvars.iv to i32
  %20 = mul i32 %19, 3
  %.sroa.speculated = tail call i32 @llvm.smin.i32(i32 %14, i32 %20)
  %21 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %.sroa.speculated, ptr %21, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 3
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit16:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @half_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  %16 = add nuw nsw i32 %14, 63
  %17 = lshr i32 %16, 6
  %.sroa.022.0.insert.ext = zext nneg i32 %17 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %22, label %gather.exit
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %19 = trunc nuw nsw i64 %indvars.iv to i32
  %20 = lshr i32 %19, 1
  %21 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %20, ptr %21, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
22:
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %23, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %24
24:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %25 = load ptr, ptr %4, align 8
  %26 = invoke i32 @cudaMemcpy(ptr noundef %25, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %27 = shl nuw nsw i32 %14, 3
  %28 = add nuw nsw i32 %27, 32
  %29 = zext nneg i32 %28 to i64
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %29)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %25, ptr noundef %33, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit21:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @half_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -5001
  %or.cond.i = icmp ult i32 %10, -5000
  br i1 %or.cond.i, label %11, label %_ZL6numberiPPciiii.exit
11:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %12 = shl nuw nsw i32 %9, 2
  %13 = zext nneg i32 %12 to i64
  br label %.lr.ph
.lr.ph:
  %.idx = phi i64 [ %13, %_ZL6numberiPPciiii.exit ], [ 400, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %.idx)
  store i32 0, ptr %15, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %15, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %.idx, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %16 = add nuw nsw i32 %14, 1
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %20
._crit_edge:
  %17 = add nuw nsw i32 %14, 63
  %18 = lshr i32 %17, 6
  %.sroa.023.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.023.0.insert.insert = or disjoint i64 %.sroa.023.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.023.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %25, label %gather.exit
20:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %20 ]
  %21 = trunc i64 %indvars.iv to i32
  %22 = add i32 %16, %21
  %23 = lshr i32 %22, 1
  %24 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %23, ptr %24, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %20
25:
  %26 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %.idx)
  %.not.i.i = icmp eq i32 %26, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %27
27:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %28 = load ptr, ptr %4, align 8
  %29 = invoke i32 @cudaMemcpy(ptr noundef %28, ptr noundef nonnull %15, i64 noundef %.idx, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit22
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %30 = shl nuw nsw i32 %14, 3
  %31 = add nuw nsw i32 %30, 32
  %32 = zext nneg i32 %31 to i64
  %33 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %32)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %35, label %34
34:
  tail call void @exit(i32 noundef 9)
  unreachable
35:
  %36 = load ptr, ptr %3, align 8
  invoke void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef %28, ptr noundef %36, i32 noundef %14)
          to label %gather.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit22
gather.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit22:
  %37 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %.idx)
  resume { ptr, i32 } %37
}
declare void @_Z29__device_stub__Z6gatherPKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z32__device_stub__Z9fill_rowsPKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @fill_rows, ptr noundef nonnull @.str, ptr noundef nonnull @.str, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @gather, ptr noundef nonnull @.str.1, ptr noundef nonnull @.str.1, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  %2 = load ptr, ptr @_ZL20__cudaFatCubinHandle, align 8
  tail call void @__cudaRegisterFatBinaryEnd(ptr noundef %2)
  %3 = tail call i32 @atexit(ptr noundef nonnull @_ZL26__cudaUnregisterBinaryUtilv)
  ret void
}
declare ptr @__cudaRegisterFatBinary(ptr noundef) local_unnamed_addr
declare void @__cudaRegisterFatBinaryEnd(ptr noundef) local_unnamed_addr
declare i32 @atexit(ptr noundef) local_unnamed_addr
define internal void @_ZL26__cudaUnregisterBinaryUtilv() {
  %1 = load ptr, ptr @_ZL20__cudaFatCubinHandle, align 8
  tail call void @__cudaUnregisterFatBinary(ptr noundef %1)
  ret void
}
declare i32 @atoi(ptr nocapture noundef) local_unnamed_addr
declare void @exit(i32 noundef) local_unnamed_addr
declare void @__cudaRegisterFunction(ptr noundef, ptr noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr
declare void @__cudaUnregisterFatBinary(ptr noundef) local_unnamed_addr
declare noundef nonnull ptr @_Znwm(i64 noundef) local_unnamed_addr
declare void @_ZdlPvm(ptr noundef, i64 noundef) local_unnamed_addr
declare i32 @cudaMemcpy(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) local_unnamed_addr
declare void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nocapture, ptr nocapture) local_unnamed_addr
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
declare i32 @llvm.smin.i32(i32, i32)
