target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
module asm ".section .nv_fatbin, \22a\22"
module asm ".align 8"
module asm "fatbinData:"
module asm ".quad 0x00100001ba55ed50,0x0000000000001518,0x0000004001010002,0x0000000000001268"
module asm ".quad 0x0000000000000000,0x0000004b00010008,0x0000000000000000,0x0000000000000011"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x41010102464c457f,0x0000000000000008"
module asm ".quad 0x0000000100be0002,0x0000000000000000,0x00000000000011c0,0x0000000000000d80"
module asm ".quad 0x0038004006004b04,0x0001001100400003,0x7472747368732e00,0x747274732e006261"
module asm ".quad 0x746d79732e006261,0x746d79732e006261,0x78646e68735f6261,0x6e2e65746f6e2e00"
module asm ".quad 0x6f666e696b742e76,0x6e2e65746f6e2e00,0x6f666e6975632e76,0x666e692e766e2e00"
module asm ".quad 0x2e747865742e006f,0x6e2e006563616c70,0x702e6f666e692e76,0x766e2e006563616c"
module asm ".quad 0x2e6465726168732e,0x6e2e006563616c70,0x6174736e6f632e76,0x63616c702e30746e"
module asm ".quad 0x6e2e6c65722e0065,0x6174736e6f632e76,0x63616c702e30746e,0x2e747865742e0065"
module asm ".quad 0x6f725f656c616373,0x692e766e2e007377,0x6c6163732e6f666e,0x2e0073776f725f65"
module asm ".quad 0x65726168732e766e,0x5f656c6163732e64,0x766e2e0073776f72,0x6e6174736e6f632e"
module asm ".quad 0x656c6163732e3074,0x722e0073776f725f,0x6f632e766e2e6c65,0x2e30746e6174736e"
module asm ".quad 0x6f725f656c616373,0x756265642e007377,0x00656d6172665f67,0x6265642e6c65722e"
module asm ".quad 0x656d6172665f6775,0x642e616c65722e00,0x6172665f67756265,0x632e766e2e00656d"
module asm ".quad 0x68706172676c6c61,0x6f72702e766e2e00,0x2e00657079746f74,0x612e6c65722e766e"
module asm ".quad 0x2e00006e6f697463,0x6261747274736873,0x6261747274732e00,0x6261746d79732e00"
module asm ".quad 0x6261746d79732e00,0x2e0078646e68735f,0x2e766e2e65746f6e,0x2e006f666e696b74"
module asm ".quad 0x2e766e2e65746f6e,0x2e006f666e697563,0x006f666e692e766e,0x6c702e747865742e"
module asm ".quad 0x2e766e2e00656361,0x616c702e6f666e69,0x732e766e2e006563,0x6c702e6465726168"
module asm ".quad 0x6c65722e00656361,0x736e6f632e766e2e,0x6c702e30746e6174,0x2e766e2e00656361"
module asm ".quad 0x746e6174736e6f63,0x006563616c702e30,0x63732e747865742e,0x73776f725f656c61"
module asm ".quad 0x666e692e766e2e00,0x5f656c6163732e6f,0x766e2e0073776f72,0x2e6465726168732e"
module asm ".quad 0x6f725f656c616373,0x2e6c65722e007377,0x74736e6f632e766e,0x6163732e30746e61"
module asm ".quad 0x0073776f725f656c,0x736e6f632e766e2e,0x63732e30746e6174,0x73776f725f656c61"
module asm ".quad 0x5f67756265642e00,0x722e00656d617266,0x67756265642e6c65,0x2e00656d6172665f"
module asm ".quad 0x6265642e616c6572,0x656d6172665f6775,0x6c61632e766e2e00,0x2e0068706172676c"
module asm ".quad 0x6f746f72702e766e,0x766e2e0065707974,0x7463612e6c65722e,0x63616c70006e6f69"
module asm ".quad 0x5f656c6163730065,0x0000000073776f72,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0005000300000029,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0006000300000039,0x0000000000000000,0x0000000000000000,0x000f000300000052"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000d000300000096,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00100003000000aa,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000e000300000102,0x0000000000000000,0x0000000000000000,0x000400030000011b"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000a00030000014b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x000b000300000167,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000f101200000176,0x0000000000000000,0x0000000000000100,0x001010120000017c"
module asm ".quad 0x0000000000000000,0x0000000000000200,0x00000024ffffffff,0xffffffff00000000"
module asm ".quad 0x7c040003ffffffff,0x80810c0fffffffff,0x288081ff08002880,0x0000002880808108"
module asm ".quad 0x00000034ffffffff,0x0000000000000000,0x0000000000000000,0x0000010000000000"
module asm ".quad 0x0000040400000000,0x810c000000140400,0x0000140400288080,0x0000000000000000"
module asm ".quad 0x00000024ffffffff,0xffffffff00000000,0x7c040003ffffffff,0x80810c0fffffffff"
module asm ".quad 0x288081ff08002880,0x0000002880808108,0x00000034ffffffff,0x0000007000000000"
module asm ".quad 0x0000000000000000,0x0000020000000000,0x0000040400000000,0x810c000000140400"
module asm ".quad 0x0000500400288080,0x0000000000000000,0x0000008c0000000c,0x4449564e000007d0"
module asm ".quad 0x0070726f43204149,0x0000000000000002,0x0000000700000001,0x0000006000000036"
module asm ".quad 0x4300736178747000,0x706d6f6320616475,0x206e6f6974616c69,0x72202c736c6f6f74"
module asm ".quad 0x3120657361656c65,0x333156202c302e33,0x75420038382e302e,0x6164756320646c69"
module asm ".quad 0x31722e302e33315f,0x706d6f632f302e33,0x3436332e72656c69,0x00305f3431373432"
module asm ".quad 0x6d7320686372612d,0x36206d2d2035375f,0x0000000c00002034,0x000003e800000008"
module asm ".quad 0x432041494449564e,0x004b00020070726f,0x00082f0400000082,0x0000000c0000000b"
module asm ".quad 0x0000000b00081104,0x00082f0400000000,0x0000000a0000000a,0x0000000a00081104"
module asm ".quad 0x0008120400000000,0x000000000000000a,0x0000000b00081204,0x0004360400000000"
module asm ".quad 0x0004370400000001,0x00080a0400000082,0x0014016000000004,0x000c170400141903"
module asm ".quad 0x0010000200000000,0x000c17040011f000,0x0008000100000000,0x000c17040021f000"
module asm ".quad 0x0000000000000000,0x00ff1b030021f000,0x00081c0400005f03,0x000000b000000050"
module asm ".quad 0x0000000100043604,0x0000008200043704,0x0000000600080a04,0x0014190300140160"
module asm ".quad 0x00000000000c1704,0x0011f00000100002,0x00000000000c1704,0x0021f00000080001"
module asm ".quad 0x00000000000c1704,0x0021f00000000000,0x00005f0300ff1b03,0x00000050000c1c04"
module asm ".quad 0x000001a0000000b0,0x0000000000041e04,0xffffffff00000000,0xfffffffe00000000"
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
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000a0000017a02,0x000fe40000000f00"
module asm ".quad 0x0000000000077919,0x000e280000002500,0x0000000000007919,0x000e240000002100"
module asm ".quad 0x0000000007077a24,0x001fca00078e0200,0x00005c0007007a0c,0x000fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x0000000400047802,0x000fca0000000f00"
module asm ".quad 0x0000580007027625,0x000fd000078e0204,0x0000000002027381,0x000ea400001ee900"
module asm ".quad 0x00005a0002047625,0x004fd000078e0204,0x0000000704007386,0x000fe2000010e900"
module asm ".quad 0x000000000000794d,0x000fea0003800000,0xfffffff000007947,0x000fc0000383ffff"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x00000a00ff017624,0x000fe400078e00ff"
module asm ".quad 0x0000000000027919,0x000e280000002500,0x0000000000037919,0x000e240000002100"
module asm ".quad 0x0000000002027a24,0x001fca00078e0203,0x00005c0002007a0c,0x000fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x0000000400077802,0x000fca0000000f00"
module asm ".quad 0x0000580002027625,0x000fd000078e0207,0x0000000002007381,0x000ea800001ee900"
module asm ".quad 0x0000040002057381,0x000ea400001ee900,0x000000050000720c,0x004fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x00005a0000047625,0x000fc800078e0207"
module asm ".quad 0x000000ffff067224,0x000fe200078e0004,0x0000000500097202,0x000fc60000000f00"
module asm ".quad 0x000000ffff047224,0x000fe200078e0006,0x0000000900057202,0x000fd00000000f00"
module asm ".quad 0x0000000004067381,0x000ea400001ee900,0x0000000606077221,0x004fd00000000000"
module asm ".quad 0x0000000704007386,0x0001e8000010e900,0x0000040002097381,0x000ea200001ee900"
module asm ".quad 0x0000000100007810,0x000fe40007ffe0ff,0x0000000404067810,0x000fe40007f3e0ff"
module asm ".quad 0x000000090000720c,0x004fc60003f06270,0x000000ffff097224,0x000fd200008e0605"
module asm ".quad 0xffffff5000008947,0x001fea000383ffff,0x000000000000794d,0x000fea0003800000"
module asm ".quad 0xfffffff000007947,0x000fc0000383ffff,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000000000,0x0000000000000000"
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
module asm ".quad 0x0000000000000004,0x0000000000000000,0x700000000000005e,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x000000000000064c,0x0000000000000064,0x0000000f00000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x70000000000000bb,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x00000000000006b0,0x0000000000000070,0x0000001000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x700000010000014b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000720,0x0000000000000020,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000008,0x7000000b00000167,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000740,0x0000000000000010,0x0000000000000000"
module asm ".quad 0x0000000000000008,0x0000000000000008,0x0000000900000128,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000750,0x0000000000000020,0x0000000400000003"
module asm ".quad 0x0000000000000008,0x0000000000000010,0x000000010000007e,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x0000000000000770,0x0000000000000174,0x0000000f00000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x00000001000000e5,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x00000000000008e4,0x0000000000000174,0x0000001000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000100000052,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000a80,0x0000000000000100,0x0a00000a00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x00000001000000aa,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000b80,0x0000000000000200,0x0c00000b00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x0000000500000006,0x00000000000011c0"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000000000000a8,0x00000000000000a8"
module asm ".quad 0x0000000000000008,0x0000000500000001,0x0000000000000770,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000610,0x0000000000000610,0x0000000000000008"
module asm ".quad 0x0000000500000001,0x00000000000011c0,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x00000000000000a8,0x00000000000000a8,0x0000000000000008,0x0000005001010001"
module asm ".quad 0x0000000000000220,0x0000004000000220,0x0000004b00090000,0x0000000000000000"
module asm ".quad 0x0000000000008011,0x0000000000000000,0x00000000000006a2,0x0000000000000048"
module asm ".quad 0x0000000000000000,0xb505a260fd2fb528,0x6b30224515f60010,0x26168044cb36d8f4"
module asm ".quad 0xcdc352f8eb40af7a,0xe59ff5d778157414,0x0590c28a322231b5,0xadac003c003b003a"
module asm ".quad 0xbcc5f784c1d29103,0xd595d20ac016fa73,0x5efa8ccdc33b074e,0x110daf41c8e1136d"
module asm ".quad 0x897efce94bd71896,0x237f33ba15cf605c,0xef8dadf08a4338bf,0x7e51d99943f2a74f"
module asm ".quad 0xc07e50cca34f0b24,0x832305b0c8e8b486,0xaf4ddb5157a3c7e0,0x1e25a6dc4ad90772"
module asm ".quad 0xe52625c0b13dace5,0xa1dbf7aa1de9deb4,0xfc1061608e059a07,0x14e8ece94fc2ca58"
module asm ".quad 0xf1d16136f0a4697a,0x9fe52f42c91b3b51,0x030311274774e1b9,0xa4d7c6de7c020f29"
module asm ".quad 0xc5729fa154df1d14,0x000d92fc2c7b951d,0x6460c2a049462e4c,0xec5c98d5b9ed741e"
module asm ".quad 0x33aac24b635cf6b9,0x708dbd731dd0f4ed,0xcb085db2d14a4dad,0xeb441e7ad47ae3b8"
module asm ".quad 0x30b61705905ac88e,0x5124455d61a07d26,0xaa9102801cb1ea41,0x99f540b1283079aa"
module asm ".quad 0x1cb9859bf8c52b21,0x46f56e42b5faef48,0xd2d9d0fa081b1dac,0x0c9a6574c0d1cf17"
module asm ".quad 0x3794d3054c81f9bd,0x93361751e266ac42,0xdb1f5b501d11732d,0x69ce6972242dbf9a"
module asm ".quad 0x25e314ba57276eae,0xc61baf97727c975c,0x6ae547602a4cfcda,0xf579d6bd44382e6c"
module asm ".quad 0xa6ebb9134f9cee78,0xc2d78c365b8c765f,0xc8215471c38ec964,0x445d69d1d19b54b5"
module asm ".quad 0x0b73b882cdd10d0c,0x0e065a37cf89410b,0x0da9d92a5dbccee5,0x43df8660be1023a4"
module asm ".quad 0x6d589a9a19aa7862,0x6870dc4809f1d780,0xd3d0dd7f2ae17e90,0xa59464f34fa46a1b"
module asm ".quad 0x336cdd303cb7fdfe,0xd91c4ca2d047c1c1,0x22fe2c47accbd487,0xba2d3890f4617a7b"
module asm ".quad 0x0770b246293a8dae"
module asm ".text"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [677 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str = private unnamed_addr constant [6 x i8] c"place\00", align 1
@.str.1 = private unnamed_addr constant [11 x i8] c"scale_rows\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local noundef i32 @pushed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = add i32 %12, 63
  %14 = lshr i32 %13, 6
  %.sroa.021.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.021.0.insert.insert = or disjoint i64 %.sroa.021.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.021.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %23, label %place.exit
.lr.ph:
  %.039 = phi i32 [ %20, %19 ], [ 0, %.lr.ph.preheader ]
  %.sroa.025.038 = phi ptr [ %.sroa.025.1, %19 ], [ null, %.lr.ph.preheader ]
  %.sroa.9.037 = phi ptr [ %.sink.i.i, %19 ], [ null, %.lr.ph.preheader ]
  %.sroa.12.036 = phi ptr [ %.sroa.12.1, %19 ], [ null, %.lr.ph.preheader ]
  %16 = xor i32 %.039, -1
  %17 = add nsw i32 %12, %16
  %.not.i.i = icmp eq ptr %.sroa.9.037, %.sroa.12.036
  br i1 %.not.i.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i, label %18
18:
  store i32 %17, ptr %.sroa.9.037, align 4
  br label %19
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i:
  %from.i.i.i = ptrtoint ptr %.sroa.025.038 to i64
  %to.i.i.i = ptrtoint ptr %.sroa.9.037 to i64
  %bytes.i.i.i = sub i64 %to.i.i.i, %from.i.i.i
  %twice.i.i.i = shl i64 %bytes.i.i.i, 1
  %none.i.i.i = icmp eq ptr %.sroa.025.038, %.sroa.9.037
  %size.i.i.i = select i1 %none.i.i.i, i64 4, i64 %twice.i.i.i
  %new.i.i.i17 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i)
          to label %new.i.i.i.noexc unwind label %21
new.i.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i17, ptr align 4 %.sroa.025.038, i64 %bytes.i.i.i, i1 false)
  %there.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %bytes.i.i.i
  store i32 %17, ptr %there.i.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.025.038, i64 %bytes.i.i.i)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %size.i.i.i
  br label %19
19:
  %.sroa.12.1 = phi ptr [ %limit.i.i.i, %new.i.i.i.noexc ], [ %.sroa.12.036, %18 ]
  %.sroa.025.1 = phi ptr [ %new.i.i.i17, %new.i.i.i.noexc ], [ %.sroa.025.038, %18 ]
  %there.i.pn.i.i = phi ptr [ %there.i.i.i, %new.i.i.i.noexc ], [ %.sroa.9.037, %18 ]
  %.sink.i.i = getelementptr inbounds i8, ptr %there.i.pn.i.i, i64 4
  %20 = add nuw i32 %.039, 1
  %exitcond.not = icmp eq i32 %20, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
21:
  %22 = landingpad { ptr, i32 }
          cleanup
  br label %45
23:
  %24 = ptrtoint ptr %.sink.i.i to i64
  %25 = ptrtoint ptr %.sroa.025.1 to i64
  %26 = sub i64 %24, %25
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %26)
  %.not.i.i18 = icmp eq i32 %27, 0
  br i1 %.not.i.i18, label %_ZL6deviceIiEPT_m.exit.i, label %28
28:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %29 = load ptr, ptr %4, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef %.sroa.025.1, i64 noundef %26, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %43
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %31 = shl nuw nsw i32 %12, 2
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
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %29, ptr noundef %38, i32 noundef %12)
          to label %place.exit unwind label %43
place.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.025.1, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %39
39:
  %40 = ptrtoint ptr %.sroa.12.1 to i64
  %41 = ptrtoint ptr %.sroa.025.1 to i64
  %42 = sub i64 %40, %41
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.025.1, i64 noundef %42)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
43:
  %44 = landingpad { ptr, i32 }
          cleanup
  br label %45
45:
  %.sroa.12.035 = phi ptr [ %.sroa.9.037, %21 ], [ %.sroa.12.1, %43 ]
  %.sroa.025.032 = phi ptr [ %.sroa.025.038, %21 ], [ %.sroa.025.1, %43 ]
  %.pn = phi { ptr, i32 } [ %22, %21 ], [ %44, %43 ]
  %.not.i.i.i19 = icmp eq ptr %.sroa.025.032, null
  br i1 %.not.i.i.i19, label %_ZNSt6vectorIiSaIiEED2Ev.exit20, label %46
46:
  %47 = ptrtoint ptr %.sroa.12.035 to i64
  %48 = ptrtoint ptr %.sroa.025.032 to i64
  %49 = sub i64 %47, %48
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.025.032, i64 noundef %49)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit20
_ZNSt6vectorIiSaIiEED2Ev.exit20:
  resume { ptr, i32 } %.pn
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @__gxx_personality_v0(...)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg)
define hidden void @place(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local noundef i32 @pushed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = add i32 %12, 63
  %14 = lshr i32 %13, 6
  %.sroa.021.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.021.0.insert.insert = or disjoint i64 %.sroa.021.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.021.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %24, label %place.exit
.lr.ph:
  %.039 = phi i32 [ %21, %20 ], [ 0, %.lr.ph.preheader ]
  %.sroa.025.038 = phi ptr [ %.sroa.025.1, %20 ], [ null, %.lr.ph.preheader ]
  %.sroa.9.037 = phi ptr [ %.sink.i.i, %20 ], [ null, %.lr.ph.preheader ]
  %.sroa.12.036 = phi ptr [ %.sroa.12.1, %20 ], [ null, %.lr.ph.preheader ]
  %16 = xor i32 %.039, -1
  %17 = add nsw i32 %12, %16
  %18 = sdiv i32 %17, 2
  %.not.i.i = icmp eq ptr %.sroa.9.037, %.sroa.12.036
  br i1 %.not.i.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i, label %19
19:
  store i32 %18, ptr %.sroa.9.037, align 4
  br label %20
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i:
  %from.i.i.i = ptrtoint ptr %.sroa.025.038 to i64
  %to.i.i.i = ptrtoint ptr %.sroa.9.037 to i64
  %bytes.i.i.i = sub i64 %to.i.i.i, %from.i.i.i
  %twice.i.i.i = shl i64 %bytes.i.i.i, 1
  %none.i.i.i = icmp eq ptr %.sroa.025.038, %.sroa.9.037
  %size.i.i.i = select i1 %none.i.i.i, i64 4, i64 %twice.i.i.i
  %new.i.i.i17 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i)
          to label %new.i.i.i.noexc unwind label %22
new.i.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i17, ptr align 4 %.sroa.025.038, i64 %bytes.i.i.i, i1 false)
  %there.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %bytes.i.i.i
  store i32 %18, ptr %there.i.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.025.038, i64 %bytes.i.i.i)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %size.i.i.i
  br label %20
20:
  %.sroa.12.1 = phi ptr [ %limit.i.i.i, %new.i.i.i.noexc ], [ %.sroa.12.036, %19 ]
  %.sroa.025.1 = phi ptr [ %new.i.i.i17, %new.i.i.i.noexc ], [ %.sroa.025.038, %19 ]
  %there.i.pn.i.i = phi ptr [ %there.i.i.i, %new.i.i.i.noexc ], [ %.sroa.9.037, %19 ]
  %.sink.i.i = getelementptr inbounds i8, ptr %there.i.pn.i.i, i64 4
  %21 = add nuw i32 %.039, 1
  %exitcond.not = icmp eq i32 %21, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
22:
  %23 = landingpad { ptr, i32 }
          cleanup
  br label %46
24:
  %25 = ptrtoint ptr %.sink.i.i to i64
  %26 = ptrtoint ptr %.sroa.025.1 to i64
  %27 = sub i64 %25, %26
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %27)
  %.not.i.i18 = icmp eq i32 %28, 0
  br i1 %.not.i.i18, label %_ZL6deviceIiEPT_m.exit.i, label %29
29:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %30 = load ptr, ptr %4, align 8
  %31 = invoke i32 @cudaMemcpy(ptr noundef %30, ptr noundef %.sroa.025.1, i64 noundef %27, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %44
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %32 = shl nuw nsw i32 %12, 2
  %33 = add nuw nsw i32 %32, 8
  %34 = zext nneg i32 %33 to i64
  %35 = shl nuw nsw i64 %34, 2
  %36 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %35)
  %.not.i = icmp eq i32 %36, 0
  br i1 %.not.i, label %38, label %37
37:
  tail call void @exit(i32 noundef 9)
  unreachable
38:
  %39 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %30, ptr noundef %39, i32 noundef %12)
          to label %place.exit unwind label %44
place.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.025.1, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %40
40:
  %41 = ptrtoint ptr %.sroa.12.1 to i64
  %42 = ptrtoint ptr %.sroa.025.1 to i64
  %43 = sub i64 %41, %42
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.025.1, i64 noundef %43)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
44:
  %45 = landingpad { ptr, i32 }
          cleanup
  br label %46
46:
  %.sroa.12.035 = phi ptr [ %.sroa.9.037, %22 ], [ %.sroa.12.1, %44 ]
  %.sroa.025.032 = phi ptr [ %.sroa.025.038, %22 ], [ %.sroa.025.1, %44 ]
  %.pn = phi { ptr, i32 } [ %23, %22 ], [ %45, %44 ]
  %.not.i.i.i19 = icmp eq ptr %.sroa.025.032, null
  br i1 %.not.i.i.i19, label %_ZNSt6vectorIiSaIiEED2Ev.exit20, label %47
47:
  %48 = ptrtoint ptr %.sroa.12.035 to i64
  %49 = ptrtoint ptr %.sroa.025.032 to i64
  %50 = sub i64 %48, %49
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.025.032, i64 noundef %50)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit20
_ZNSt6vectorIiSaIiEED2Ev.exit20:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @reserved_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %14 = shl nuw nsw i64 %13, 2
  %15 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
          to label %.lr.ph.preheader unwind label %20
.lr.ph.preheader:
  %16 = getelementptr inbounds i32, ptr %15, i64 %13
  br label %.lr.ph
._crit_edge:
  %17 = add i32 %12, 63
  %18 = lshr i32 %17, 6
  %.sroa.023.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.023.0.insert.insert = or disjoint i64 %.sroa.023.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.023.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %28, label %place.exit
20:
  %.sroa.16.2 = phi ptr [ %.sroa.16.3, %42 ], [ %.sroa.16.3, %_ZL6deviceIiEPT_m.exit.i ], [ null, %_ZL6numberiPPciiii.exit ]
  %.sroa.027.2 = phi ptr [ %.sroa.027.3, %42 ], [ %.sroa.027.3, %_ZL6deviceIiEPT_m.exit.i ], [ null, %_ZL6numberiPPciiii.exit ]
  %21 = landingpad { ptr, i32 }
          cleanup
  br label %48
.lr.ph:
  %.01442 = phi i32 [ %25, %24 ], [ 0, %.lr.ph.preheader ]
  %.sroa.027.141 = phi ptr [ %.sroa.027.3, %24 ], [ %15, %.lr.ph.preheader ]
  %.sroa.11.140 = phi ptr [ %.sink.i.i, %24 ], [ %15, %.lr.ph.preheader ]
  %.sroa.16.139 = phi ptr [ %.sroa.16.3, %24 ], [ %16, %.lr.ph.preheader ]
  %22 = xor i32 %.01442, 1
  %.not.i.i = icmp eq ptr %.sroa.11.140, %.sroa.16.139
  br i1 %.not.i.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i, label %23
23:
  store i32 %22, ptr %.sroa.11.140, align 4
  br label %24
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i:
  %from.i.i.i = ptrtoint ptr %.sroa.027.141 to i64
  %to.i.i.i = ptrtoint ptr %.sroa.11.140 to i64
  %bytes.i.i.i = sub i64 %to.i.i.i, %from.i.i.i
  %twice.i.i.i = shl i64 %bytes.i.i.i, 1
  %none.i.i.i = icmp eq ptr %.sroa.027.141, %.sroa.11.140
  %size.i.i.i = select i1 %none.i.i.i, i64 4, i64 %twice.i.i.i
  %new.i.i.i17 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i)
          to label %new.i.i.i.noexc unwind label %26
new.i.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i17, ptr align 4 %.sroa.027.141, i64 %bytes.i.i.i, i1 false)
  %there.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %bytes.i.i.i
  store i32 %22, ptr %there.i.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.027.141, i64 %bytes.i.i.i)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %size.i.i.i
  br label %24
24:
  %.sroa.16.3 = phi ptr [ %limit.i.i.i, %new.i.i.i.noexc ], [ %.sroa.16.139, %23 ]
  %.sroa.027.3 = phi ptr [ %new.i.i.i17, %new.i.i.i.noexc ], [ %.sroa.027.141, %23 ]
  %there.i.pn.i.i = phi ptr [ %there.i.i.i, %new.i.i.i.noexc ], [ %.sroa.11.140, %23 ]
  %.sink.i.i = getelementptr inbounds i8, ptr %there.i.pn.i.i, i64 4
  %25 = add nuw i32 %.01442, 1
  %exitcond.not = icmp eq i32 %25, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
26:
  %27 = landingpad { ptr, i32 }
          cleanup
  br label %48
28:
  %29 = ptrtoint ptr %.sink.i.i to i64
  %30 = ptrtoint ptr %.sroa.027.3 to i64
  %31 = sub i64 %29, %30
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %31)
  %.not.i.i18 = icmp eq i32 %32, 0
  br i1 %.not.i.i18, label %_ZL6deviceIiEPT_m.exit.i, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %34 = load ptr, ptr %4, align 8
  %35 = invoke i32 @cudaMemcpy(ptr noundef %34, ptr noundef %.sroa.027.3, i64 noundef %31, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %20
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %36 = shl nuw nsw i32 %12, 2
  %37 = add nuw nsw i32 %36, 8
  %38 = zext nneg i32 %37 to i64
  %39 = shl nuw nsw i64 %38, 2
  %40 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %39)
  %.not.i = icmp eq i32 %40, 0
  br i1 %.not.i, label %42, label %41
41:
  tail call void @exit(i32 noundef 9)
  unreachable
42:
  %43 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %34, ptr noundef %43, i32 noundef %12)
          to label %place.exit unwind label %20
place.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.027.3, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %44
44:
  %45 = ptrtoint ptr %.sroa.16.3 to i64
  %46 = ptrtoint ptr %.sroa.027.3 to i64
  %47 = sub i64 %45, %46
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.027.3, i64 noundef %47)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
48:
  %.sroa.16.4 = phi ptr [ %.sroa.11.140, %26 ], [ %.sroa.16.2, %20 ]
  %.sroa.027.4 = phi ptr [ %.sroa.027.141, %26 ], [ %.sroa.027.2, %20 ]
  %.pn = phi { ptr, i32 } [ %27, %26 ], [ %21, %20 ]
  %.not.i.i.i21 = icmp eq ptr %.sroa.027.4, null
  br i1 %.not.i.i.i21, label %_ZNSt6vectorIiSaIiEED2Ev.exit22, label %49
49:
  %50 = ptrtoint ptr %.sroa.16.4 to i64
  %51 = ptrtoint ptr %.sroa.027.4 to i64
  %52 = sub i64 %50, %51
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.027.4, i64 noundef %52)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit22
_ZNSt6vectorIiSaIiEED2Ev.exit22:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @reserved_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %14 = shl nuw nsw i64 %13, 2
  %15 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
          to label %.lr.ph.preheader unwind label %20
.lr.ph.preheader:
  %16 = getelementptr inbounds i32, ptr %15, i64 %13
  br label %.lr.ph
._crit_edge:
  %17 = add i32 %12, 63
  %18 = lshr i32 %17, 6
  %.sroa.023.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.023.0.insert.insert = or disjoint i64 %.sroa.023.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.023.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %28, label %place.exit
20:
  %.sroa.16.2 = phi ptr [ %.sroa.16.3, %42 ], [ %.sroa.16.3, %_ZL6deviceIiEPT_m.exit.i ], [ null, %_ZL6numberiPPciiii.exit ]
  %.sroa.027.2 = phi ptr [ %.sroa.027.3, %42 ], [ %.sroa.027.3, %_ZL6deviceIiEPT_m.exit.i ], [ null, %_ZL6numberiPPciiii.exit ]
  %21 = landingpad { ptr, i32 }
          cleanup
  br label %48
.lr.ph:
  %.01442 = phi i32 [ %25, %24 ], [ 0, %.lr.ph.preheader ]
  %.sroa.027.141 = phi ptr [ %.sroa.027.3, %24 ], [ %15, %.lr.ph.preheader ]
  %.sroa.11.140 = phi ptr [ %.sink.i.i, %24 ], [ %15, %.lr.ph.preheader ]
  %.sroa.16.139 = phi ptr [ %.sroa.16.3, %24 ], [ %16, %.lr.ph.preheader ]
  %22 = or i32 %.01442, 1
  %.not.i.i = icmp eq ptr %.sroa.11.140, %.sroa.16.139
  br i1 %.not.i.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i, label %23
23:
  store i32 %22, ptr %.sroa.11.140, align 4
  br label %24
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i:
  %from.i.i.i = ptrtoint ptr %.sroa.027.141 to i64
  %to.i.i.i = ptrtoint ptr %.sroa.11.140 to i64
  %bytes.i.i.i = sub i64 %to.i.i.i, %from.i.i.i
  %twice.i.i.i = shl i64 %bytes.i.i.i, 1
  %none.i.i.i = icmp eq ptr %.sroa.027.141, %.sroa.11.140
  %size.i.i.i = select i1 %none.i.i.i, i64 4, i64 %twice.i.i.i
  %new.i.i.i17 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i)
          to label %new.i.i.i.noexc unwind label %26
new.i.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i17, ptr align 4 %.sroa.027.141, i64 %bytes.i.i.i, i1 false)
  %there.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %bytes.i.i.i
  store i32 %22, ptr %there.i.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.027.141, i64 %bytes.i.i.i)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i17, i64 %size.i.i.i
  br label %24
24:
  %.sroa.16.3 = phi ptr [ %limit.i.i.i, %new.i.i.i.noexc ], [ %.sroa.16.139, %23 ]
  %.sroa.027.3 = phi ptr [ %new.i.i.i17, %new.i.i.i.noexc ], [ %.sroa.027.141, %23 ]
  %there.i.pn.i.i = phi ptr [ %there.i.i.i, %new.i.i.i.noexc ], [ %.sroa.11.140, %23 ]
  %.sink.i.i = getelementptr inbounds i8, ptr %there.i.pn.i.i, i64 4
  %25 = add nuw i32 %.01442, 1
  %exitcond.not = icmp eq i32 %25, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
26:
  %27 = landingpad { ptr, i32 }
          cleanup
  br label %48
28:
  %29 = ptrtoint ptr %.sink.i.i to i64
  %30 = ptrtoint ptr %.sroa.027.3 to i64
  %31 = sub i64 %29, %30
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %31)
  %.not.i.i18 = icmp eq i32 %32, 0
  br i1 %.not.i.i18, label %_ZL6deviceIiEPT_m.exit.i, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %34 = load ptr, ptr %4, align 8
  %35 = invoke i32 @cudaMemcpy(ptr noundef %34, ptr noundef %.sroa.027.3, i64 noundef %31, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %20
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %36 = shl nuw nsw i32 %12, 2
  %37 = add nuw nsw i32 %36, 8
  %38 = zext nneg i32 %37 to i64
  %39 = shl nuw nsw i64 %38, 2
  %40 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %39)
  %.not.i = icmp eq i32 %40, 0
  br i1 %.not.i, label %42, label %41
41:
  tail call void @exit(i32 noundef 9)
  unreachable
42:
  %43 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %34, ptr noundef %43, i32 noundef %12)
          to label %place.exit unwind label %20
place.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.027.3, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %44
44:
  %45 = ptrtoint ptr %.sroa.16.3 to i64
  %46 = ptrtoint ptr %.sroa.027.3 to i64
  %47 = sub i64 %45, %46
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.027.3, i64 noundef %47)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
48:
  %.sroa.16.4 = phi ptr [ %.sroa.11.140, %26 ], [ %.sroa.16.2, %20 ]
  %.sroa.027.4 = phi ptr [ %.sroa.027.141, %26 ], [ %.sroa.027.2, %20 ]
  %.pn = phi { ptr, i32 } [ %27, %26 ], [ %21, %20 ]
  %.not.i.i.i21 = icmp eq ptr %.sroa.027.4, null
  br i1 %.not.i.i.i21, label %_ZNSt6vectorIiSaIiEED2Ev.exit22, label %49
49:
  %50 = ptrtoint ptr %.sroa.16.4 to i64
  %51 = ptrtoint ptr %.sroa.027.4 to i64
  %52 = sub i64 %50, %51
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.027.4, i64 noundef %52)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit22
_ZNSt6vectorIiSaIiEED2Ev.exit22:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @starts_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %new.i.i.i15 = tail call noalias nonnull dereferenceable(4) ptr @_Znwm(i64 4)
  store i32 0, ptr %new.i.i.i15, align 4
  tail call void @_ZdlPvm(ptr null, i64 0)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i15, i64 4
  br label %.lr.ph
._crit_edge:
  %13 = add i32 %12, 127
  %14 = lshr i32 %13, 7
  %.sroa.036.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.036.0.insert.insert = or disjoint i64 %.sroa.036.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.036.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %24, label %scale_rows.exit
.lr.ph:
  %.sroa.11.066 = phi ptr [ %.sroa.11.0, %20 ], [ %limit.i.i.i, %.lr.ph.preheader ]
  %.01265 = phi i32 [ %21, %20 ], [ 0, %.lr.ph.preheader ]
  %.sroa.042.164 = phi ptr [ %.sroa.042.2, %20 ], [ %new.i.i.i15, %.lr.ph.preheader ]
  %new.i.i.i15.pn63 = phi ptr [ %there.i.pn.i.i17, %20 ], [ %new.i.i.i15, %.lr.ph.preheader ]
  %.sroa.17.162 = phi ptr [ %.sroa.17.2, %20 ], [ %limit.i.i.i, %.lr.ph.preheader ]
  %16 = load i32, ptr %new.i.i.i15.pn63, align 4
  %17 = urem i32 %.01265, 5
  %18 = add nsw i32 %16, %17
  %.not.i.i16 = icmp eq ptr %.sroa.11.066, %.sroa.17.162
  br i1 %.not.i.i16, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i19, label %19
19:
  store i32 %18, ptr %.sroa.11.066, align 4
  br label %20
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i19:
  %from.i.i.i21 = ptrtoint ptr %.sroa.042.164 to i64
  %to.i.i.i22 = ptrtoint ptr %.sroa.11.066 to i64
  %bytes.i.i.i23 = sub i64 %to.i.i.i22, %from.i.i.i21
  %twice.i.i.i24 = shl i64 %bytes.i.i.i23, 1
  %none.i.i.i25 = icmp eq ptr %.sroa.042.164, %.sroa.11.066
  %size.i.i.i26 = select i1 %none.i.i.i25, i64 4, i64 %twice.i.i.i24
  %new.i.i.i31 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i26)
          to label %new.i.i.i.noexc30 unwind label %22
new.i.i.i.noexc30:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i31, ptr align 4 %.sroa.042.164, i64 %bytes.i.i.i23, i1 false)
  %there.i.i.i28 = getelementptr inbounds i8, ptr %new.i.i.i31, i64 %bytes.i.i.i23
  store i32 %18, ptr %there.i.i.i28, align 4
  tail call void @_ZdlPvm(ptr %.sroa.042.164, i64 %bytes.i.i.i23)
  %limit.i.i.i29 = getelementptr inbounds i8, ptr %new.i.i.i31, i64 %size.i.i.i26
  br label %20
20:
  %.sroa.17.2 = phi ptr [ %limit.i.i.i29, %new.i.i.i.noexc30 ], [ %.sroa.17.162, %19 ]
  %.sroa.042.2 = phi ptr [ %new.i.i.i31, %new.i.i.i.noexc30 ], [ %.sroa.042.164, %19 ]
  %there.i.pn.i.i17 = phi ptr [ %there.i.i.i28, %new.i.i.i.noexc30 ], [ %.sroa.11.066, %19 ]
  %21 = add nuw i32 %.01265, 1
  %.sroa.11.0 = getelementptr inbounds i8, ptr %there.i.pn.i.i17, i64 4
  %exitcond.not = icmp eq i32 %21, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
22:
  %23 = landingpad { ptr, i32 }
          cleanup
  br label %42
24:
  %25 = ptrtoint ptr %.sroa.11.0 to i64
  %26 = ptrtoint ptr %.sroa.042.2 to i64
  %27 = sub i64 %25, %26
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %27)
  %.not.i.i33 = icmp eq i32 %28, 0
  br i1 %.not.i.i33, label %_ZL6deviceIiEPT_m.exit.i, label %29
29:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %30 = load ptr, ptr %4, align 8
  %31 = invoke i32 @cudaMemcpy(ptr noundef %30, ptr noundef %.sroa.042.2, i64 noundef %27, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %40
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %34, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
34:
  %35 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %30, ptr noundef %35, i32 noundef %12)
          to label %scale_rows.exit unwind label %40
scale_rows.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.042.2, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %36
36:
  %37 = ptrtoint ptr %.sroa.17.2 to i64
  %38 = ptrtoint ptr %.sroa.042.2 to i64
  %39 = sub i64 %37, %38
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.042.2, i64 noundef %39)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
40:
  %41 = landingpad { ptr, i32 }
          cleanup
  br label %42
42:
  %.sroa.17.160 = phi ptr [ %.sroa.11.066, %22 ], [ %.sroa.17.2, %40 ]
  %.sroa.042.158 = phi ptr [ %.sroa.042.164, %22 ], [ %.sroa.042.2, %40 ]
  %.pn = phi { ptr, i32 } [ %23, %22 ], [ %41, %40 ]
  %.not.i.i.i34 = icmp eq ptr %.sroa.042.158, null
  br i1 %.not.i.i.i34, label %_ZNSt6vectorIiSaIiEED2Ev.exit35, label %43
43:
  %44 = ptrtoint ptr %.sroa.17.160 to i64
  %45 = ptrtoint ptr %.sroa.042.158 to i64
  %46 = sub i64 %44, %45
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.042.158, i64 noundef %46)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit35
_ZNSt6vectorIiSaIiEED2Ev.exit35:
  resume { ptr, i32 } %.pn
}
define hidden void @scale_rows(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local noundef i32 @starts_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %new.i.i.i15 = tail call noalias nonnull dereferenceable(4) ptr @_Znwm(i64 4)
  store i32 4, ptr %new.i.i.i15, align 4
  tail call void @_ZdlPvm(ptr null, i64 0)
  %limit.i.i.i = getelementptr inbounds i8, ptr %new.i.i.i15, i64 4
  br label %.lr.ph
._crit_edge:
  %13 = add i32 %12, 127
  %14 = lshr i32 %13, 7
  %.sroa.036.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.036.0.insert.insert = or disjoint i64 %.sroa.036.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.036.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %25, label %scale_rows.exit
.lr.ph:
  %.sroa.11.066 = phi ptr [ %.sroa.11.0, %21 ], [ %limit.i.i.i, %.lr.ph.preheader ]
  %.01265 = phi i32 [ %22, %21 ], [ 0, %.lr.ph.preheader ]
  %.sroa.042.164 = phi ptr [ %.sroa.042.2, %21 ], [ %new.i.i.i15, %.lr.ph.preheader ]
  %new.i.i.i15.pn63 = phi ptr [ %there.i.pn.i.i17, %21 ], [ %new.i.i.i15, %.lr.ph.preheader ]
  %.sroa.17.162 = phi ptr [ %.sroa.17.2, %21 ], [ %limit.i.i.i, %.lr.ph.preheader ]
  %16 = load i32, ptr %new.i.i.i15.pn63, align 4
  %17 = urem i32 %.01265, 5
  %18 = add nsw i32 %17, -1
  %19 = add i32 %18, %16
  %.not.i.i16 = icmp eq ptr %.sroa.11.066, %.sroa.17.162
  br i1 %.not.i.i16, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i19, label %20
20:
  store i32 %19, ptr %.sroa.11.066, align 4
  br label %21
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i.i19:
  %from.i.i.i21 = ptrtoint ptr %.sroa.042.164 to i64
  %to.i.i.i22 = ptrtoint ptr %.sroa.11.066 to i64
  %bytes.i.i.i23 = sub i64 %to.i.i.i22, %from.i.i.i21
  %twice.i.i.i24 = shl i64 %bytes.i.i.i23, 1
  %none.i.i.i25 = icmp eq ptr %.sroa.042.164, %.sroa.11.066
  %size.i.i.i26 = select i1 %none.i.i.i25, i64 4, i64 %twice.i.i.i24
  %new.i.i.i31 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i.i26)
          to label %new.i.i.i.noexc30 unwind label %23
new.i.i.i.noexc30:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i.i31, ptr align 4 %.sroa.042.164, i64 %bytes.i.i.i23, i1 false)
  %there.i.i.i28 = getelementptr inbounds i8, ptr %new.i.i.i31, i64 %bytes.i.i.i23
  store i32 %19, ptr %there.i.i.i28, align 4
  tail call void @_ZdlPvm(ptr %.sroa.042.164, i64 %bytes.i.i.i23)
  %limit.i.i.i29 = getelementptr inbounds i8, ptr %new.i.i.i31, i64 %size.i.i.i26
  br label %21
21:
  %.sroa.17.2 = phi ptr [ %limit.i.i.i29, %new.i.i.i.noexc30 ], [ %.sroa.17.162, %20 ]
  %.sroa.042.2 = phi ptr [ %new.i.i.i31, %new.i.i.i.noexc30 ], [ %.sroa.042.164, %20 ]
  %there.i.pn.i.i17 = phi ptr [ %there.i.i.i28, %new.i.i.i.noexc30 ], [ %.sroa.11.066, %20 ]
  %22 = add nuw i32 %.01265, 1
  %.sroa.11.0 = getelementptr inbounds i8, ptr %there.i.pn.i.i17, i64 4
  %exitcond.not = icmp eq i32 %22, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
23:
  %24 = landingpad { ptr, i32 }
          cleanup
  br label %43
25:
  %26 = ptrtoint ptr %.sroa.11.0 to i64
  %27 = ptrtoint ptr %.sroa.042.2 to i64
  %28 = sub i64 %26, %27
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %28)
  %.not.i.i33 = icmp eq i32 %29, 0
  br i1 %.not.i.i33, label %_ZL6deviceIiEPT_m.exit.i, label %30
30:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %31 = load ptr, ptr %4, align 8
  %32 = invoke i32 @cudaMemcpy(ptr noundef %31, ptr noundef %.sroa.042.2, i64 noundef %28, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %41
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %33 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %35, label %34
34:
  tail call void @exit(i32 noundef 9)
  unreachable
35:
  %36 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %31, ptr noundef %36, i32 noundef %12)
          to label %scale_rows.exit unwind label %41
scale_rows.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.042.2, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %37
37:
  %38 = ptrtoint ptr %.sroa.17.2 to i64
  %39 = ptrtoint ptr %.sroa.042.2 to i64
  %40 = sub i64 %38, %39
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.042.2, i64 noundef %40)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
41:
  %42 = landingpad { ptr, i32 }
          cleanup
  br label %43
43:
  %.sroa.17.160 = phi ptr [ %.sroa.11.066, %23 ], [ %.sroa.17.2, %41 ]
  %.sroa.042.158 = phi ptr [ %.sroa.042.164, %23 ], [ %.sroa.042.2, %41 ]
  %.pn = phi { ptr, i32 } [ %24, %23 ], [ %42, %41 ]
  %.not.i.i.i34 = icmp eq ptr %.sroa.042.158, null
  br i1 %.not.i.i.i34, label %_ZNSt6vectorIiSaIiEED2Ev.exit35, label %44
44:
  %45 = ptrtoint ptr %.sroa.17.160 to i64
  %46 = ptrtoint ptr %.sroa.042.158 to i64
  %47 = sub i64 %45, %46
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.042.158, i64 noundef %47)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit35
_ZNSt6vectorIiSaIiEED2Ev.exit35:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @emplaced_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %.not.i = icmp eq ptr %.sink.i18, %.sroa.16.2
  br i1 %.not.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i, label %13
13:
  store i32 %17, ptr %.sink.i18, align 4
  br label %21
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i:
  %from.i.i = ptrtoint ptr %.sroa.043.2 to i64
  %to.i.i = ptrtoint ptr %.sroa.16.2 to i64
  %bytes.i.i = sub i64 %to.i.i, %from.i.i
  %twice.i.i = shl i64 %bytes.i.i, 1
  %none.i.i = icmp eq ptr %.sroa.043.2, %.sroa.16.2
  %size.i.i = select i1 %none.i.i, i64 4, i64 %twice.i.i
  %new.i.i15 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i)
          to label %new.i.i.noexc unwind label %41
new.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i15, ptr align 4 %.sroa.043.2, i64 %bytes.i.i, i1 false)
  %there.i.i = getelementptr inbounds i8, ptr %new.i.i15, i64 %bytes.i.i
  store i32 %17, ptr %there.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.043.2, i64 %bytes.i.i)
  %limit.i.i = getelementptr inbounds i8, ptr %new.i.i15, i64 %size.i.i
  br label %21
.lr.ph:
  %.060 = phi i32 [ %18, %15 ], [ 0, %.lr.ph.preheader ]
  %.sroa.043.059 = phi ptr [ %.sroa.043.2, %15 ], [ null, %.lr.ph.preheader ]
  %.sroa.11.058 = phi ptr [ %.sink.i18, %15 ], [ null, %.lr.ph.preheader ]
  %.sroa.16.057 = phi ptr [ %.sroa.16.2, %15 ], [ null, %.lr.ph.preheader ]
  %.05156 = phi i32 [ %17, %15 ], [ 0, %.lr.ph.preheader ]
  %.not.i16 = icmp eq ptr %.sroa.11.058, %.sroa.16.057
  br i1 %.not.i16, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i19, label %14
14:
  store i32 %.05156, ptr %.sroa.11.058, align 4
  br label %15
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i19:
  %from.i.i21 = ptrtoint ptr %.sroa.043.059 to i64
  %to.i.i22 = ptrtoint ptr %.sroa.11.058 to i64
  %bytes.i.i23 = sub i64 %to.i.i22, %from.i.i21
  %twice.i.i24 = shl i64 %bytes.i.i23, 1
  %none.i.i25 = icmp eq ptr %.sroa.043.059, %.sroa.11.058
  %size.i.i26 = select i1 %none.i.i25, i64 4, i64 %twice.i.i24
  %new.i.i31 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i26)
          to label %new.i.i.noexc30 unwind label %19
new.i.i.noexc30:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i31, ptr align 4 %.sroa.043.059, i64 %bytes.i.i23, i1 false)
  %there.i.i28 = getelementptr inbounds i8, ptr %new.i.i31, i64 %bytes.i.i23
  store i32 %.05156, ptr %there.i.i28, align 4
  tail call void @_ZdlPvm(ptr %.sroa.043.059, i64 %bytes.i.i23)
  %limit.i.i29 = getelementptr inbounds i8, ptr %new.i.i31, i64 %size.i.i26
  br label %15
15:
  %.sroa.16.2 = phi ptr [ %limit.i.i29, %new.i.i.noexc30 ], [ %.sroa.16.057, %14 ]
  %.sroa.043.2 = phi ptr [ %new.i.i31, %new.i.i.noexc30 ], [ %.sroa.043.059, %14 ]
  %there.i.pn.i17 = phi ptr [ %there.i.i28, %new.i.i.noexc30 ], [ %.sroa.11.058, %14 ]
  %.sink.i18 = getelementptr inbounds i8, ptr %there.i.pn.i17, i64 4
  %16 = and i32 %.060, 7
  %17 = add nuw nsw i32 %16, %.05156
  %18 = add nuw i32 %.060, 1
  %exitcond.not = icmp eq i32 %18, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
19:
  %20 = landingpad { ptr, i32 }
          cleanup
  br label %43
21:
  %.sroa.16.1 = phi ptr [ %limit.i.i, %new.i.i.noexc ], [ %.sroa.16.2, %13 ]
  %.sroa.043.1 = phi ptr [ %new.i.i15, %new.i.i.noexc ], [ %.sroa.043.2, %13 ]
  %there.i.pn.i = phi ptr [ %there.i.i, %new.i.i.noexc ], [ %.sink.i18, %13 ]
  %22 = add i32 %12, 127
  %23 = lshr i32 %22, 7
  %.sroa.036.0.insert.ext = zext nneg i32 %23 to i64
  %.sroa.036.0.insert.insert = or disjoint i64 %.sroa.036.0.insert.ext, 4294967296
  %24 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.036.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %24, 0
  br i1 %.not, label %25, label %scale_rows.exit
25:
  %.sink.i = getelementptr inbounds i8, ptr %there.i.pn.i, i64 4
  %26 = ptrtoint ptr %.sink.i to i64
  %27 = ptrtoint ptr %.sroa.043.1 to i64
  %28 = sub i64 %26, %27
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %28)
  %.not.i.i = icmp eq i32 %29, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %30
30:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %31 = load ptr, ptr %4, align 8
  %32 = invoke i32 @cudaMemcpy(ptr noundef %31, ptr noundef %.sroa.043.1, i64 noundef %28, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %41
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %33 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i33 = icmp eq i32 %33, 0
  br i1 %.not.i33, label %35, label %34
34:
  tail call void @exit(i32 noundef 9)
  unreachable
35:
  %36 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %31, ptr noundef %36, i32 noundef %12)
          to label %scale_rows.exit unwind label %41
scale_rows.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.043.1, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %37
37:
  %38 = ptrtoint ptr %.sroa.16.1 to i64
  %39 = ptrtoint ptr %.sroa.043.1 to i64
  %40 = sub i64 %38, %39
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.043.1, i64 noundef %40)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
41:
  %.sroa.16.3 = phi ptr [ %.sroa.16.1, %35 ], [ %.sroa.16.1, %_ZL6deviceIiEPT_m.exit.i ], [ %.sroa.16.2, %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i ]
  %.sroa.043.3 = phi ptr [ %.sroa.043.1, %35 ], [ %.sroa.043.1, %_ZL6deviceIiEPT_m.exit.i ], [ %.sroa.043.2, %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i ]
  %42 = landingpad { ptr, i32 }
          cleanup
  br label %43
43:
  %.sroa.16.4 = phi ptr [ %.sroa.11.058, %19 ], [ %.sroa.16.3, %41 ]
  %.sroa.043.4 = phi ptr [ %.sroa.043.059, %19 ], [ %.sroa.043.3, %41 ]
  %.pn = phi { ptr, i32 } [ %20, %19 ], [ %42, %41 ]
  %.not.i.i.i34 = icmp eq ptr %.sroa.043.4, null
  br i1 %.not.i.i.i34, label %_ZNSt6vectorIiSaIiEED2Ev.exit35, label %44
44:
  %45 = ptrtoint ptr %.sroa.16.4 to i64
  %46 = ptrtoint ptr %.sroa.043.4 to i64
  %47 = sub i64 %45, %46
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.043.4, i64 noundef %47)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit35
_ZNSt6vectorIiSaIiEED2Ev.exit35:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @emplaced_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %.not.i = icmp eq ptr %.sink.i18, %.sroa.16.2
  br i1 %.not.i, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i, label %13
13:
  store i32 %18, ptr %.sink.i18, align 4
  br label %22
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i:
  %from.i.i = ptrtoint ptr %.sroa.043.2 to i64
  %to.i.i = ptrtoint ptr %.sroa.16.2 to i64
  %bytes.i.i = sub i64 %to.i.i, %from.i.i
  %twice.i.i = shl i64 %bytes.i.i, 1
  %none.i.i = icmp eq ptr %.sroa.043.2, %.sroa.16.2
  %size.i.i = select i1 %none.i.i, i64 4, i64 %twice.i.i
  %new.i.i15 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i)
          to label %new.i.i.noexc unwind label %42
new.i.i.noexc:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i15, ptr align 4 %.sroa.043.2, i64 %bytes.i.i, i1 false)
  %there.i.i = getelementptr inbounds i8, ptr %new.i.i15, i64 %bytes.i.i
  store i32 %18, ptr %there.i.i, align 4
  tail call void @_ZdlPvm(ptr %.sroa.043.2, i64 %bytes.i.i)
  %limit.i.i = getelementptr inbounds i8, ptr %new.i.i15, i64 %size.i.i
  br label %22
.lr.ph:
  %.060 = phi i32 [ %19, %15 ], [ 0, %.lr.ph.preheader ]
  %.sroa.043.059 = phi ptr [ %.sroa.043.2, %15 ], [ null, %.lr.ph.preheader ]
  %.sroa.11.058 = phi ptr [ %.sink.i18, %15 ], [ null, %.lr.ph.preheader ]
  %.sroa.16.057 = phi ptr [ %.sroa.16.2, %15 ], [ null, %.lr.ph.preheader ]
  %.05156 = phi i32 [ %18, %15 ], [ 4, %.lr.ph.preheader ]
  %.not.i16 = icmp eq ptr %.sroa.11.058, %.sroa.16.057
  br i1 %.not.i16, label %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i19, label %14
14:
  store i32 %.05156, ptr %.sroa.11.058, align 4
  br label %15
_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i19:
  %from.i.i21 = ptrtoint ptr %.sroa.043.059 to i64
  %to.i.i22 = ptrtoint ptr %.sroa.11.058 to i64
  %bytes.i.i23 = sub i64 %to.i.i22, %from.i.i21
  %twice.i.i24 = shl i64 %bytes.i.i23, 1
  %none.i.i25 = icmp eq ptr %.sroa.043.059, %.sroa.11.058
  %size.i.i26 = select i1 %none.i.i25, i64 4, i64 %twice.i.i24
  %new.i.i31 = invoke noalias nonnull ptr @_Znwm(i64 %size.i.i26)
          to label %new.i.i.noexc30 unwind label %20
new.i.i.noexc30:
  tail call void @llvm.memcpy.p0.p0.i64(ptr nonnull align 4 %new.i.i31, ptr align 4 %.sroa.043.059, i64 %bytes.i.i23, i1 false)
  %there.i.i28 = getelementptr inbounds i8, ptr %new.i.i31, i64 %bytes.i.i23
  store i32 %.05156, ptr %there.i.i28, align 4
  tail call void @_ZdlPvm(ptr %.sroa.043.059, i64 %bytes.i.i23)
  %limit.i.i29 = getelementptr inbounds i8, ptr %new.i.i31, i64 %size.i.i26
  br label %15
15:
  %.sroa.16.2 = phi ptr [ %limit.i.i29, %new.i.i.noexc30 ], [ %.sroa.16.057, %14 ]
  %.sroa.043.2 = phi ptr [ %new.i.i31, %new.i.i.noexc30 ], [ %.sroa.043.059, %14 ]
  %there.i.pn.i17 = phi ptr [ %there.i.i28, %new.i.i.noexc30 ], [ %.sroa.11.058, %14 ]
  %.sink.i18 = getelementptr inbounds i8, ptr %there.i.pn.i17, i64 4
  %16 = and i32 %.060, 7
  %17 = add i32 %.05156, -1
  %18 = add i32 %17, %16
  %19 = add nuw i32 %.060, 1
  %exitcond.not = icmp eq i32 %19, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
20:
  %21 = landingpad { ptr, i32 }
          cleanup
  br label %44
22:
  %.sroa.16.1 = phi ptr [ %limit.i.i, %new.i.i.noexc ], [ %.sroa.16.2, %13 ]
  %.sroa.043.1 = phi ptr [ %new.i.i15, %new.i.i.noexc ], [ %.sroa.043.2, %13 ]
  %there.i.pn.i = phi ptr [ %there.i.i, %new.i.i.noexc ], [ %.sink.i18, %13 ]
  %23 = add i32 %12, 127
  %24 = lshr i32 %23, 7
  %.sroa.036.0.insert.ext = zext nneg i32 %24 to i64
  %.sroa.036.0.insert.insert = or disjoint i64 %.sroa.036.0.insert.ext, 4294967296
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.036.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %25, 0
  br i1 %.not, label %26, label %scale_rows.exit
26:
  %.sink.i = getelementptr inbounds i8, ptr %there.i.pn.i, i64 4
  %27 = ptrtoint ptr %.sink.i to i64
  %28 = ptrtoint ptr %.sroa.043.1 to i64
  %29 = sub i64 %27, %28
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %29)
  %.not.i.i = icmp eq i32 %30, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %32 = load ptr, ptr %4, align 8
  %33 = invoke i32 @cudaMemcpy(ptr noundef %32, ptr noundef %.sroa.043.1, i64 noundef %29, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %42
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %34 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i33 = icmp eq i32 %34, 0
  br i1 %.not.i33, label %36, label %35
35:
  tail call void @exit(i32 noundef 9)
  unreachable
36:
  %37 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %32, ptr noundef %37, i32 noundef %12)
          to label %scale_rows.exit unwind label %42
scale_rows.exit:
  %.not.i.i.i = icmp eq ptr %.sroa.043.1, null
  br i1 %.not.i.i.i, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %38
38:
  %39 = ptrtoint ptr %.sroa.16.1 to i64
  %40 = ptrtoint ptr %.sroa.043.1 to i64
  %41 = sub i64 %39, %40
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.043.1, i64 noundef %41)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit:
  ret i32 0
42:
  %.sroa.16.3 = phi ptr [ %.sroa.16.1, %36 ], [ %.sroa.16.1, %_ZL6deviceIiEPT_m.exit.i ], [ %.sroa.16.2, %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i ]
  %.sroa.043.3 = phi ptr [ %.sroa.043.1, %36 ], [ %.sroa.043.1, %_ZL6deviceIiEPT_m.exit.i ], [ %.sroa.043.2, %_ZNSt6vectorIiSaIiEE17_M_realloc_insertIJRiEEEvN9__gnu_cxx17__normal_iteratorIPiS1_EEDpOT_.exit.i ]
  %43 = landingpad { ptr, i32 }
          cleanup
  br label %44
44:
  %.sroa.16.4 = phi ptr [ %.sroa.11.058, %20 ], [ %.sroa.16.3, %42 ]
  %.sroa.043.4 = phi ptr [ %.sroa.043.059, %20 ], [ %.sroa.043.3, %42 ]
  %.pn = phi { ptr, i32 } [ %21, %20 ], [ %43, %42 ]
  %.not.i.i.i34 = icmp eq ptr %.sroa.043.4, null
  br i1 %.not.i.i.i34, label %_ZNSt6vectorIiSaIiEED2Ev.exit35, label %45
45:
  %46 = ptrtoint ptr %.sroa.16.4 to i64
  %47 = ptrtoint ptr %.sroa.043.4 to i64
  %48 = sub i64 %46, %47
  tail call void @_ZdlPvm(ptr noundef nonnull %.sroa.043.4, i64 noundef %48)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit35
_ZNSt6vectorIiSaIiEED2Ev.exit35:
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @sorted_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = add nuw nsw i32 %12, 1
  %14 = zext nneg i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %14
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph
.lr.ph:
  %.sroa.021.036 = phi ptr [ %20, %.lr.ph ], [ %16, %.lr.ph.preheader ]
  %18 = tail call i32 @rand()
  %19 = srem i32 %18, 50000
  store i32 %19, ptr %.sroa.021.036, align 4
  %20 = getelementptr inbounds i8, ptr %.sroa.021.036, i64 4
  %.not33 = icmp eq ptr %20, %17
  br i1 %.not33, label %._crit_edge, label %.lr.ph
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %17)
  %21 = add i32 %12, 127
  %22 = lshr i32 %21, 7
  %.sroa.017.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.017.0.insert.insert = or disjoint i64 %.sroa.017.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.017.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %_ZNSt6vectorIiSaIiEED2Ev.exit
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i = icmp eq i32 %29, 0
  br i1 %.not.i, label %31, label %30
30:
  tail call void @exit(i32 noundef 9)
  unreachable
31:
  %32 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %27, ptr noundef %32, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit16
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit16:
  %33 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %33
}
declare i32 @rand() local_unnamed_addr
define dso_local noundef i32 @sorted_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = add nuw nsw i32 %12, 1
  %14 = zext nneg i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %17
17:
  %indvars.iv = phi i64 [ 0, %_ZL6numberiPPciiii.exit ], [ %indvars.iv.next, %17 ]
  %18 = trunc i64 %indvars.iv to i32
  %19 = mul i32 %18, 37
  %20 = urem i32 %19, 1000
  %21 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %20, ptr %21, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %14
  br i1 %exitcond.not, label %22, label %17
22:
  %23 = lshr i32 %13, 1
  %24 = zext nneg i32 %23 to i64
  %25 = getelementptr inbounds i32, ptr %16, i64 %24
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %25)
  %26 = add i32 %12, 127
  %27 = lshr i32 %26, 7
  %.sroa.025.0.insert.ext = zext nneg i32 %27 to i64
  %.sroa.025.0.insert.insert = or disjoint i64 %.sroa.025.0.insert.ext, 4294967296
  %28 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.025.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not20 = icmp eq i32 %28, 0
  br i1 %.not20, label %29, label %_ZNSt6vectorIiSaIiEED2Ev.exit
29:
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %30, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %32 = load ptr, ptr %4, align 8
  %33 = invoke i32 @cudaMemcpy(ptr noundef %32, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %34 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i = icmp eq i32 %34, 0
  br i1 %.not.i, label %36, label %35
35:
  tail call void @exit(i32 noundef 9)
  unreachable
36:
  %37 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %32, ptr noundef %37, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit24:
  %38 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %38
}
define dso_local noundef i32 @order_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %18 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  %19 = trunc i64 %indvars.iv to i32
  %20 = sub i32 %14, %19
  store i32 %20, ptr %18, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %17)
  %21 = add nuw nsw i32 %14, 63
  %22 = lshr i32 %21, 6
  %.sroa.025.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.025.0.insert.insert = or disjoint i64 %.sroa.025.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.025.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %place.exit
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = shl nuw nsw i32 %14, 4
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
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %place.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
place.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit24:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
define dso_local noundef i32 @order_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %18 = trunc i64 %indvars.iv to i32
  %19 = sub i32 %14, %18
  %20 = sdiv i32 %19, 2
  %21 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %20, ptr %21, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nonnull %16, ptr nonnull %17)
  %22 = add nuw nsw i32 %14, 63
  %23 = lshr i32 %22, 6
  %.sroa.025.0.insert.ext = zext nneg i32 %23 to i64
  %.sroa.025.0.insert.insert = or disjoint i64 %.sroa.025.0.insert.ext, 4294967296
  %24 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.025.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %24, 0
  br i1 %.not, label %25, label %place.exit
25:
  %26 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %26, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %27
27:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %28 = load ptr, ptr %4, align 8
  %29 = invoke i32 @cudaMemcpy(ptr noundef %28, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %30 = shl nuw nsw i32 %14, 4
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
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %28, ptr noundef %36, i32 noundef %14)
          to label %place.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
place.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit24:
  %37 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %37
}
define dso_local noundef i32 @falling_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %18 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  %19 = trunc i64 %indvars.iv to i32
  %20 = mul i32 %19, 3
  store i32 %20, ptr %18, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_comp_iterISt7greaterIiEEEEvT_SC_T0_(ptr nonnull %16, ptr nonnull %17)
  %21 = add nuw nsw i32 %14, 63
  %22 = lshr i32 %21, 6
  %.sroa.024.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.024.0.insert.insert = or disjoint i64 %.sroa.024.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.024.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %place.exit
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = shl nuw nsw i32 %14, 4
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
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %place.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
place.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit23:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
define dso_local noundef i32 @falling_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %wide.trip.count = zext nneg i32 %14 to i64
  br label %.lr.ph
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %18 = trunc nuw nsw i64 %indvars.iv to i32
  %19 = udiv i32 %18, 3
  %20 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %19, ptr %20, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
._crit_edge:
  tail call void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_comp_iterISt7greaterIiEEEEvT_SC_T0_(ptr nonnull %16, ptr nonnull %17)
  %21 = add nuw nsw i32 %14, 63
  %22 = lshr i32 %21, 6
  %.sroa.024.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.024.0.insert.insert = or disjoint i64 %.sroa.024.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.024.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %place.exit
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %29 = shl nuw nsw i32 %14, 4
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
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %place.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
place.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit23:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
define dso_local noundef i32 @generated_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.i.preheader
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
  br label %.lr.ph.i.preheader
.lr.ph.i.preheader:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph.i
.lr.ph.i:
  %.0 = phi i32 [ %18, %.lr.ph.i ], [ 5, %.lr.ph.i.preheader ]
  %.sroa.02.06.i = phi ptr [ %19, %.lr.ph.i ], [ %16, %.lr.ph.i.preheader ]
  %18 = add nuw nsw i32 %.0, 3
  store i32 %18, ptr %.sroa.02.06.i, align 4
  %19 = getelementptr inbounds i8, ptr %.sroa.02.06.i, i64 4
  %.not.i = icmp eq ptr %19, %17
  br i1 %.not.i, label %"_ZSt8generateIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEZ15generated_cleanE3$_0EvT_S8_T0_.exit", label %.lr.ph.i
"_ZSt8generateIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEZ15generated_cleanE3$_0EvT_S8_T0_.exit":
  %20 = add nuw nsw i32 %14, 63
  %21 = lshr i32 %20, 6
  %.sroa.019.0.insert.ext = zext nneg i32 %21 to i64
  %.sroa.019.0.insert.insert = or disjoint i64 %.sroa.019.0.insert.ext, 4294967296
  %22 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.019.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %22, 0
  br i1 %.not, label %23, label %place.exit
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit18
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %28 = shl nuw nsw i32 %14, 4
  %29 = add nuw nsw i32 %28, 32
  %30 = zext nneg i32 %29 to i64
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %30)
  %.not.i15 = icmp eq i32 %31, 0
  br i1 %.not.i15, label %33, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
33:
  %34 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %26, ptr noundef %34, i32 noundef %14)
          to label %place.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit18
place.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit18:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %35
}
define dso_local noundef i32 @generated_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.i.preheader
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
  br label %.lr.ph.i.preheader
.lr.ph.i.preheader:
  %13 = phi i64 [ %12, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %14 = phi i32 [ %9, %_ZL6numberiPPciiii.exit ], [ 100, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr inbounds i32, ptr %16, i64 %13
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  br label %.lr.ph.i
.lr.ph.i:
  %.0 = phi i32 [ %18, %.lr.ph.i ], [ 5, %.lr.ph.i.preheader ]
  %.sroa.02.06.i = phi ptr [ %20, %.lr.ph.i ], [ %16, %.lr.ph.i.preheader ]
  %18 = add nuw nsw i32 %.0, 3
  %19 = lshr i32 %18, 2
  store i32 %19, ptr %.sroa.02.06.i, align 4
  %20 = getelementptr inbounds i8, ptr %.sroa.02.06.i, i64 4
  %.not.i = icmp eq ptr %20, %17
  br i1 %.not.i, label %"_ZSt8generateIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEZ14generated_raceE3$_0EvT_S8_T0_.exit", label %.lr.ph.i
"_ZSt8generateIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEZ14generated_raceE3$_0EvT_S8_T0_.exit":
  %21 = add nuw nsw i32 %14, 63
  %22 = lshr i32 %21, 6
  %.sroa.019.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.019.0.insert.insert = or disjoint i64 %.sroa.019.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.019.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %place.exit
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
  %29 = shl nuw nsw i32 %14, 4
  %30 = add nuw nsw i32 %29, 32
  %31 = zext nneg i32 %30 to i64
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %31)
  %.not.i15 = icmp eq i32 %32, 0
  br i1 %.not.i15, label %34, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
34:
  %35 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %27, ptr noundef %35, i32 noundef %14)
          to label %place.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit18
place.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit18:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
define dso_local noundef i32 @zeroed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = add nuw nsw i32 %12, 1
  %14 = zext nneg i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
._crit_edge:
  %17 = add i32 %12, 127
  %18 = lshr i32 %17, 7
  %.sroa.020.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.020.0.insert.insert = or disjoint i64 %.sroa.020.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.020.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %25, label %_ZNSt6vectorIiSaIiEED2Ev.exit
.lr.ph:
  %20 = phi i32 [ 0, %.lr.ph.preheader ], [ %23, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %21 = trunc nuw nsw i64 %indvars.iv to i32
  %22 = urem i32 %21, 5
  %23 = add nuw nsw i32 %20, %22
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %24 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv.next
  store i32 %23, ptr %24, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
25:
  %26 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %26, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %27
27:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %28 = load ptr, ptr %4, align 8
  %29 = invoke i32 @cudaMemcpy(ptr noundef %28, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i = icmp eq i32 %30, 0
  br i1 %.not.i, label %32, label %31
31:
  tail call void @exit(i32 noundef 9)
  unreachable
32:
  %33 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %28, ptr noundef %33, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %34
}
define dso_local noundef i32 @zeroed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = add nuw nsw i32 %12, 1
  %14 = zext nneg i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %rest.i.i.i.i.i = getelementptr inbounds i8, ptr %16, i64 4
  %bytes.i.i.i.i.i = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr nonnull align 4 %rest.i.i.i.i.i, i8 0, i64 %bytes.i.i.i.i.i, i1 false)
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
._crit_edge:
  %17 = add i32 %12, 127
  %18 = lshr i32 %17, 7
  %.sroa.020.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.020.0.insert.insert = or disjoint i64 %.sroa.020.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.020.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %27, label %_ZNSt6vectorIiSaIiEED2Ev.exit
.lr.ph:
  %20 = phi i32 [ 0, %.lr.ph.preheader ], [ %25, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %21 = trunc i64 %indvars.iv to i32
  %22 = add i32 %21, 4
  %23 = urem i32 %22, 5
  %24 = add nsw i32 %23, -1
  %25 = add i32 %24, %20
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %26 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv.next
  store i32 %25, ptr %26, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 240000)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %34, label %33
33:
  tail call void @exit(i32 noundef 9)
  unreachable
34:
  %35 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %30, ptr noundef %35, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %36
}
declare void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @place, ptr noundef nonnull @.str, ptr noundef nonnull @.str, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @scale_rows, ptr noundef nonnull @.str.1, ptr noundef nonnull @.str.1, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
declare void @_ZdlPvm(ptr noundef, i64 noundef) local_unnamed_addr
declare noundef nonnull ptr @_Znwm(i64 noundef) local_unnamed_addr
declare i32 @cudaMemcpy(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) local_unnamed_addr
declare void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_(ptr nocapture, ptr nocapture) local_unnamed_addr
declare void @_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_comp_iterISt7greaterIiEEEEvT_SC_T0_(ptr nocapture, ptr nocapture) local_unnamed_addr
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
