target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
module asm ".section .nv_fatbin, \22a\22"
module asm ".align 8"
module asm "fatbinData:"
module asm ".quad 0x00100001ba55ed50,0x0000000000001660,0x0000004001010002,0x0000000000001368"
module asm ".quad 0x0000000000000000,0x0000004b00010008,0x0000000000000000,0x0000000000000011"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x41010102464c457f,0x0000000000000008"
module asm ".quad 0x0000000100be0002,0x0000000000000000,0x00000000000012c0,0x0000000000000e80"
module asm ".quad 0x0038004006004b04,0x0001001100400003,0x7472747368732e00,0x747274732e006261"
module asm ".quad 0x746d79732e006261,0x746d79732e006261,0x78646e68735f6261,0x6e2e65746f6e2e00"
module asm ".quad 0x6f666e696b742e76,0x6e2e65746f6e2e00,0x6f666e6975632e76,0x666e692e766e2e00"
module asm ".quad 0x2e747865742e006f,0x6e2e00737473696c,0x6c2e6f666e692e76,0x766e2e0073747369"
module asm ".quad 0x2e6465726168732e,0x6e2e00737473696c,0x6174736e6f632e76,0x7473696c2e30746e"
module asm ".quad 0x6e2e6c65722e0073,0x6174736e6f632e76,0x7473696c2e30746e,0x2e747865742e0073"
module asm ".quad 0x73746e656d676573,0x666e692e766e2e00,0x6e656d6765732e6f,0x732e766e2e007374"
module asm ".quad 0x65732e6465726168,0x2e0073746e656d67,0x74736e6f632e766e,0x6765732e30746e61"
module asm ".quad 0x722e0073746e656d,0x6f632e766e2e6c65,0x2e30746e6174736e,0x73746e656d676573"
module asm ".quad 0x5f67756265642e00,0x722e00656d617266,0x67756265642e6c65,0x2e00656d6172665f"
module asm ".quad 0x6265642e616c6572,0x656d6172665f6775,0x6c61632e766e2e00,0x2e0068706172676c"
module asm ".quad 0x6f746f72702e766e,0x766e2e0065707974,0x7463612e6c65722e,0x68732e00006e6f69"
module asm ".quad 0x2e00626174727473,0x2e00626174727473,0x2e006261746d7973,0x735f6261746d7973"
module asm ".quad 0x6f6e2e0078646e68,0x6b742e766e2e6574,0x6f6e2e006f666e69,0x75632e766e2e6574"
module asm ".quad 0x766e2e006f666e69,0x742e006f666e692e,0x7473696c2e747865,0x6e692e766e2e0073"
module asm ".quad 0x737473696c2e6f66,0x6168732e766e2e00,0x7473696c2e646572,0x6e2e6c65722e0073"
module asm ".quad 0x6174736e6f632e76,0x7473696c2e30746e,0x6f632e766e2e0073,0x2e30746e6174736e"
module asm ".quad 0x742e00737473696c,0x6d6765732e747865,0x766e2e0073746e65,0x65732e6f666e692e"
module asm ".quad 0x2e0073746e656d67,0x65726168732e766e,0x6e656d6765732e64,0x2e6c65722e007374"
module asm ".quad 0x74736e6f632e766e,0x6765732e30746e61,0x6e2e0073746e656d,0x6174736e6f632e76"
module asm ".quad 0x6d6765732e30746e,0x65642e0073746e65,0x6d6172665f677562,0x642e6c65722e0065"
module asm ".quad 0x6172665f67756265,0x616c65722e00656d,0x665f67756265642e,0x766e2e00656d6172"
module asm ".quad 0x6172676c6c61632e,0x702e766e2e006870,0x657079746f746f72,0x6c65722e766e2e00"
module asm ".quad 0x006e6f697463612e,0x657300737473696c,0x000073746e656d67,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0005000300000029,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0006000300000039,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000f000300000052,0x0000000000000000,0x0000000000000000,0x000d000300000096"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00100003000000aa,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x000e0003000000fa,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0004000300000111,0x0000000000000000,0x0000000000000000,0x000a000300000141"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000b00030000015d,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x000f10120000016c,0x0000000000000000,0x0000000000000200"
module asm ".quad 0x0010101200000172,0x0000000000000000,0x0000000000000200,0x00000024ffffffff"
module asm ".quad 0xffffffff00000000,0x7c040003ffffffff,0x80810c0fffffffff,0x288081ff08002880"
module asm ".quad 0x0000002880808108,0x00000034ffffffff,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000020000000000,0x0000040400000000,0x810c0000002c0400,0x0000300400288080"
module asm ".quad 0x0000000000000000,0x00000024ffffffff,0xffffffff00000000,0x7c040003ffffffff"
module asm ".quad 0x80810c0fffffffff,0x288081ff08002880,0x0000002880808108,0x00000034ffffffff"
module asm ".quad 0x0000007000000000,0x0000000000000000,0x0000020000000000,0x0000040400000000"
module asm ".quad 0x810c000000140400,0x0000540400288080,0x0000000000000000,0x0000008c0000000c"
module asm ".quad 0x4449564e000007d0,0x0070726f43204149,0x0000000000000002,0x0000000700000001"
module asm ".quad 0x0000006000000036,0x4300736178747000,0x706d6f6320616475,0x206e6f6974616c69"
module asm ".quad 0x72202c736c6f6f74,0x3120657361656c65,0x333156202c302e33,0x75420038382e302e"
module asm ".quad 0x6164756320646c69,0x31722e302e33315f,0x706d6f632f302e33,0x3436332e72656c69"
module asm ".quad 0x00305f3431373432,0x6d7320686372612d,0x36206d2d2035375f,0x0000000c00002034"
module asm ".quad 0x000003e800000008,0x432041494449564e,0x004b00020070726f,0x00082f0400000082"
module asm ".quad 0x0000000c0000000b,0x0000000b00081104,0x00082f0400000000,0x000000100000000a"
module asm ".quad 0x0000000a00081104,0x0008120400000000,0x000000000000000a,0x0000000b00081204"
module asm ".quad 0x0004360400000000,0x0004370400000001,0x00080a0400000082,0x0010016000000004"
module asm ".quad 0x000c170400101903,0x0008000100000000,0x000c17040021f000,0x0000000000000000"
module asm ".quad 0x00ff1b030021f000,0x00081c0400005f03,0x00000180000000b0,0x0000000000041e04"
module asm ".quad 0x0000000100043604,0x0000008200043704,0x0000000600080a04,0x0014190300140160"
module asm ".quad 0x00000000000c1704,0x0011f00000100002,0x00000000000c1704,0x0021f00000080001"
module asm ".quad 0x00000000000c1704,0x0021f00000000000,0x00005f0300ff1b03,0x00000050000c1c04"
module asm ".quad 0x000001b0000000b0,0x0000000000041e04,0xffffffff00000000,0xfffffffe00000000"
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
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000a00ff017624,0x000fe400078e00ff"
module asm ".quad 0x0000000000097919,0x000e220000002500,0x00000008ff027424,0x000fc800078e00ff"
module asm ".quad 0x0000580009027625,0x001fd000078e0002,0x0000000002047381,0x000ea800001eeb00"
module asm ".quad 0x0000080002067381,0x000ee800001eeb00,0x00000000000b7919,0x000ea40000002100"
module asm ".quad 0x0000000b040b7210,0x004fca0007f1e0ff,0x000000ffff007224,0x000fe200000e0605"
module asm ".quad 0x000000060b00720c,0x008fc80003f06070,0x000000070000720c,0x000fd80003f06300"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x00005a000b027a11,0x040fe400078010ff"
module asm ".quad 0x00000000000d7a02,0x000fe40000000f00,0x00005b000b037a11,0x000fc600000f1400"
module asm ".quad 0x000000ffff047224,0x000fe200078e0002,0x000000000b0b7a10,0x000fe20007f1e0ff"
module asm ".quad 0x000000ffff057224,0x000fc600078e0003,0x00000000ff007210,0x000fe200007fe4ff"
module asm ".quad 0x000000040d027825,0x000fe200078e0004,0x000000060b00720c,0x000fc60003f06070"
module asm ".quad 0x0000000904007386,0x0001e2000010e900,0x000000070000720c,0x000fd80003f06300"
module asm ".quad 0xffffff7000008947,0x001fea000383ffff,0x000000000000794d,0x000fea0003800000"
module asm ".quad 0xfffffff000007947,0x000fc0000383ffff,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x00000a00ff017624,0x000fe400078e00ff"
module asm ".quad 0x0000000000057919,0x000e280000002500,0x0000000000007919,0x000e240000002100"
module asm ".quad 0x0000000005057a24,0x001fca00078e0200,0x00005c0005007a0c,0x000fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x00000004ff027424,0x000fc800078e00ff"
module asm ".quad 0x0000580005027625,0x000fd000078e0202,0x0000040002007381,0x000ea800001ee900"
module asm ".quad 0x0000000002077381,0x000ea400001ee900,0x000000000700720c,0x004fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x000000ffff097224,0x100fe200078e0007"
module asm ".quad 0x0000001fff087819,0x000fe40000011407,0x0000001fff047819,0x000fe40000011400"
module asm ".quad 0x00005a0009067a11,0x000fc800078010ff,0x00005b0009077a11,0x000fc600000f1408"
module asm ".quad 0x000000ffff027224,0x000fe200078e0006,0x0000000109097810,0x000fe20007f1e0ff"
module asm ".quad 0x000000ffff037224,0x000fe200078e0007,0x0000000406067810,0x000fc60007f3e0ff"
module asm ".quad 0x000000ffff087224,0x000fe200000e0608,0x000000000900720c,0x000fe20003f06070"
module asm ".quad 0x000000ffff077224,0x000fe400008e0607,0x0000000502007386,0x0001e2000010e900"
module asm ".quad 0x000000040800720c,0x000fd80003f06300,0xffffff6000008947,0x001fea000383ffff"
module asm ".quad 0x000000000000794d,0x000fea0003800000,0xfffffff000007947,0x000fc0000383ffff"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000300000001,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000040,0x000000000000016c,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x000000030000000b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00000000000001ac,0x000000000000017b,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x0000000200000013,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000328,0x0000000000000120,0x0000000a00000002"
module asm ".quad 0x0000000000000008,0x0000000000000018,0x0000000100000111,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000448,0x00000000000000e0,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x0000000700000029,0x0000000002000000"
module asm ".quad 0x0000000000000000,0x0000000000000528,0x00000000000000a4,0x0000000000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000700000039,0x0000000001000000"
module asm ".quad 0x0000000000000000,0x00000000000005cc,0x0000000000000020,0x0000000000000005"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x7000000000000049,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00000000000005ec,0x0000000000000048,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x700000000000005e,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000634,0x000000000000005c,0x0000000f00000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x70000000000000b9,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000690,0x0000000000000070,0x0000001000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x7000000100000141,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000700,0x0000000000000020,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000008,0x7000000b0000015d,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000720,0x0000000000000010,0x0000000000000000"
module asm ".quad 0x0000000000000008,0x0000000000000008,0x000000090000011e,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000730,0x0000000000000020,0x0000000400000003"
module asm ".quad 0x0000000000000008,0x0000000000000010,0x000000010000007e,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x0000000000000750,0x0000000000000170,0x0000000f00000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x00000001000000df,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x00000000000008c0,0x0000000000000174,0x0000001000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000100000052,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000a80,0x0000000000000200,0x1000000a00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x00000001000000aa,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000c80,0x0000000000000200,0x0c00000b00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x0000000500000006,0x00000000000012c0"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000000000000a8,0x00000000000000a8"
module asm ".quad 0x0000000000000008,0x0000000500000001,0x0000000000000750,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000730,0x0000000000000730,0x0000000000000008"
module asm ".quad 0x0000000500000001,0x00000000000012c0,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x00000000000000a8,0x00000000000000a8,0x0000000000000008,0x0000005001010001"
module asm ".quad 0x0000000000000268,0x0000004000000265,0x0000004b00090000,0x0000000000000000"
module asm ".quad 0x0000000000008011,0x0000000000000000,0x0000000000000740,0x0000000000000048"
module asm ".quad 0x0000000000000000,0xdd064060fd2fb528,0x4d30224c18a60012,0xb7ae0e5072b52cdd"
module asm ".quad 0xe4210147fe7ed8fa,0xb53d124fdf7c6434,0x023c644a928669f9,0x6f17004300430041"
module asm ".quad 0x37fba81284ab2304,0x8b94bc1a5b104092,0x045482b3901d62ee,0x31385e4159c442e5"
module asm ".quad 0x2124846165b12924,0x440c2ab1cf7c6129,0xec26b26e8a309dc9,0x08d606c23249656c"
module asm ".quad 0x6d4a135f1182feda,0xc773f135b25a444b,0x03ca22c70b9b8b22,0xa2c1ac22c756693f"
module asm ".quad 0x48b167b4edfe3db4,0x4c076d5526f1e2f3,0x1e228d2d963c5e2b,0xfb1d714c0768cfeb"
module asm ".quad 0xf67d783562f10c60,0x79cda90627ac238a,0x0ac3cc3da599c677,0x69cf7e4bb7788b16"
module asm ".quad 0x506a781c93e2fd63,0x14d618e4f4979ada,0xc6d50586cdd935b1,0xd6041482012124a0"
module asm ".quad 0x50ef000475f6c645,0x34e30dfae38e2bfb,0xe94c0534fedff309,0xf359dfc34b615dc4"
module asm ".quad 0x4d296fb3b45eef0d,0x1fec06a8c26daa13,0x5328fd28bd4e6bf9,0xab0d562b26980b6a"
module asm ".quad 0xa88c802e4547580a,0xa329053412566d21,0xba2ab1910260e192,0x28c5987171a01201"
module asm ".quad 0xa8526d198e3218e7,0x340a1a96695a73ec,0xa2d272c756a283a2,0xf5fd954457de3096"
module asm ".quad 0x6766a7aec16789fe,0x48f668a8254173f1,0x891d9bcfa1a0a204,0x5910dfe9dc2807bd"
module asm ".quad 0xa986e3e00602f7ea,0xe18acf3ac8fdee0d,0x96f9d66cb4c0f422,0x4dcd3cd84edd0b36"
module asm ".quad 0xa750833c12227e2b,0x7fa68283bdd3858e,0x4c589e37de454b63,0xe22476a451a0bbd6"
module asm ".quad 0x7acdbaec78edff8d,0xdfba3f66d1025b15,0xc072340ce2e30ec6,0x7f9c1ccba64ac4bb"
module asm ".quad 0xc2dbfbf9d160137a,0xae3076c955fcd0d0,0x7e65629183a82ddb,0x5a4935a5af9af6f0"
module asm ".quad 0xf05e9cc4430fd3fe,0xbe86a8b6fa04e84a,0x3e94cbf64a4cbad1,0xfb8253078b210ad7"
module asm ".quad 0xa515c3a3fd56c85d,0x7e774ec91724f04f,0xb81ed990146a9acc,0x2e4f0ba3a12954bc"
module asm ".quad 0xaa0970061fa07ce9, 0x000000314fd98f93"
module asm ".text"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
@.str = private unnamed_addr constant [3 x i8] c"%d\00", align 1
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [718 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str.1 = private unnamed_addr constant [6 x i8] c"lists\00", align 1
@.str.2 = private unnamed_addr constant [9 x i8] c"segments\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local range(i32 0, 2) i32 @summed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %43, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = icmp sgt i32 %0, 2
  br i1 %18, label %19, label %.lr.ph.preheader
19:
  %20 = getelementptr inbounds i8, ptr %1, i64 16
  %21 = load ptr, ptr %20, align 8
  %22 = tail call i32 @atoi(ptr nocapture noundef %21)
  %.fr = freeze i32 %22
  %23 = icmp slt i32 %.fr, 0
  br i1 %23, label %.lr.ph.preheader, label %24
24:
  %25 = tail call i32 @llvm.umin.i32(i32 %.fr, i32 50)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %26 = phi i32 [ 3, %.thread ], [ 0, %19 ], [ %25, %24 ]
  store i32 0, ptr %15, align 4
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %29 = load ptr, ptr %3, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc24 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc24:
  %31 = add nuw nsw i32 %11, 127
  %32 = lshr i32 %31, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %32 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %33 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %34, label %.noexc25
34:
  %35 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %29, ptr noundef %35, i32 noundef %11)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc25:
  %36 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.lr.ph:
  %37 = phi i32 [ 0, %.lr.ph.preheader ], [ %38, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %38 = add nuw nsw i32 %37, %26
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %39 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv.next
  store i32 %38, ptr %39, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %40 = icmp ne i32 %36, 0
  %41 = zext i1 %40 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %43
_ZNSt6vectorIiSaIiEED2Ev.exit28:
  %42 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %42
43:
  %.017 = phi i32 [ %41, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.017
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @atoi(ptr nocapture noundef) local_unnamed_addr
declare i32 @__gxx_personality_v0(...)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
define dso_local range(i32 0, 2) i32 @summed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %44, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = icmp sgt i32 %0, 2
  br i1 %18, label %19, label %.lr.ph.preheader
19:
  %20 = getelementptr inbounds i8, ptr %1, i64 16
  %21 = load ptr, ptr %20, align 8
  %22 = tail call i32 @atoi(ptr nocapture noundef %21)
  %.fr = freeze i32 %22
  %23 = icmp slt i32 %.fr, -2
  br i1 %23, label %.lr.ph.preheader, label %24
24:
  %spec.select = tail call i32 @llvm.smin.i32(i32 %.fr, i32 50)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %25 = phi i32 [ 3, %.thread ], [ -2, %19 ], [ %spec.select, %24 ]
  store i32 1048576, ptr %15, align 4
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %26 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %28 = load ptr, ptr %3, align 8
  %29 = invoke i32 @cudaMemcpy(ptr noundef %28, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc25:
  %30 = add nuw nsw i32 %11, 127
  %31 = lshr i32 %30, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %31 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %32 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %33, label %.noexc26
33:
  %34 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %28, ptr noundef %34, i32 noundef %11)
          to label %.noexc26 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc26:
  %35 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.lr.ph:
  %36 = phi i32 [ 1048576, %.lr.ph.preheader ], [ %39, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %37 = and i64 %indvars.iv, 1
  %.not = icmp eq i64 %37, 0
  %38 = select i1 %.not, i32 3, i32 %25
  %39 = add nsw i32 %36, %38
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %40 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv.next
  store i32 %39, ptr %40, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %41 = icmp ne i32 %35, 0
  %42 = zext i1 %41 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %44
_ZNSt6vectorIiSaIiEED2Ev.exit29:
  %43 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %43
44:
  %.018 = phi i32 [ %42, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.018
}
define dso_local range(i32 0, 2) i32 @exclusive_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %36, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %18 = getelementptr inbounds i32, ptr %15, i64 %wide.trip.count
  store i32 %32, ptr %18, align 4
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %21 = load ptr, ptr %3, align 8
  %22 = invoke i32 @cudaMemcpy(ptr noundef %21, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc24 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc24:
  %23 = add nuw nsw i32 %11, 127
  %24 = lshr i32 %23, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %24 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %25, 0
  br i1 %.not.i, label %26, label %.noexc25
26:
  %27 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %21, ptr noundef %27, i32 noundef %11)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc25:
  %28 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %.01837 = phi i32 [ 0, %.lr.ph.preheader ], [ %32, %.lr.ph ]
  %29 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %.01837, ptr %29, align 4
  %30 = trunc nuw nsw i64 %indvars.iv to i32
  %31 = urem i32 %30, 7
  %32 = add nuw nsw i32 %31, %.01837
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %33 = icmp ne i32 %28, 0
  %34 = zext i1 %33 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %36
_ZNSt6vectorIiSaIiEED2Ev.exit28:
  %35 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %35
36:
  %.021 = phi i32 [ %34, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.021
}
define dso_local range(i32 0, 2) i32 @exclusive_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %37, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %18 = getelementptr inbounds i32, ptr %15, i64 %wide.trip.count
  store i32 %33, ptr %18, align 4
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %21 = load ptr, ptr %3, align 8
  %22 = invoke i32 @cudaMemcpy(ptr noundef %21, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc24 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc24:
  %23 = add nuw nsw i32 %11, 127
  %24 = lshr i32 %23, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %24 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %25, 0
  br i1 %.not.i, label %26, label %.noexc25
26:
  %27 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %21, ptr noundef %27, i32 noundef %11)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc25:
  %28 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %.01837 = phi i32 [ 1048576, %.lr.ph.preheader ], [ %33, %.lr.ph ]
  %29 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %.01837, ptr %29, align 4
  %30 = trunc nuw nsw i64 %indvars.iv to i32
  %31 = urem i32 %30, 7
  %32 = add i32 %.01837, -1
  %33 = add i32 %32, %31
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %34 = icmp ne i32 %28, 0
  %35 = zext i1 %34 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %37
_ZNSt6vectorIiSaIiEED2Ev.exit28:
  %36 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %36
37:
  %.021 = phi i32 [ %35, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.021
}
define dso_local range(i32 0, 2) i32 @multiples_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %44, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = icmp sgt i32 %0, 2
  br i1 %18, label %19, label %.lr.ph.preheader
19:
  %20 = getelementptr inbounds i8, ptr %1, i64 16
  %21 = load ptr, ptr %20, align 8
  %22 = tail call i32 @atoi(ptr nocapture noundef %21)
  %.fr = freeze i32 %22
  %23 = icmp slt i32 %.fr, 0
  br i1 %23, label %.lr.ph.preheader, label %24
24:
  %25 = tail call i32 @llvm.umin.i32(i32 %.fr, i32 64)
  %26 = zext nneg i32 %25 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %27 = phi i64 [ 4, %.thread ], [ 0, %19 ], [ %26, %24 ]
  br label %.lr.ph
._crit_edge:
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %30 = load ptr, ptr %3, align 8
  %31 = invoke i32 @cudaMemcpy(ptr noundef %30, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc24 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc24:
  %32 = add nuw nsw i32 %11, 127
  %33 = lshr i32 %32, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %33 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %34 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %34, 0
  br i1 %.not.i, label %35, label %.noexc25
35:
  %36 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %30, ptr noundef %36, i32 noundef %11)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc25:
  %37 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %38 = mul nuw nsw i64 %indvars.iv, %27
  %39 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  %40 = trunc nuw i64 %38 to i32
  store i32 %40, ptr %39, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %13
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %41 = icmp ne i32 %37, 0
  %42 = zext i1 %41 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %44
_ZNSt6vectorIiSaIiEED2Ev.exit28:
  %43 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %43
44:
  %.017 = phi i32 [ %42, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.017
}
define dso_local range(i32 0, 2) i32 @multiples_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %45, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = icmp sgt i32 %0, 2
  br i1 %18, label %19, label %.lr.ph.preheader
19:
  %20 = getelementptr inbounds i8, ptr %1, i64 16
  %21 = load ptr, ptr %20, align 8
  %22 = tail call i32 @atoi(ptr nocapture noundef %21)
  %.fr = freeze i32 %22
  %23 = icmp slt i32 %.fr, 0
  br i1 %23, label %.lr.ph.preheader, label %24
24:
  %25 = tail call i32 @llvm.umin.i32(i32 %.fr, i32 64)
  %26 = zext nneg i32 %25 to i64
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %27 = phi i64 [ 4, %.thread ], [ 0, %19 ], [ %26, %24 ]
  br label %.lr.ph
._crit_edge:
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %30 = load ptr, ptr %3, align 8
  %31 = invoke i32 @cudaMemcpy(ptr noundef %30, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc24 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc24:
  %32 = add nuw nsw i32 %11, 127
  %33 = lshr i32 %32, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %33 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %34 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %34, 0
  br i1 %.not.i, label %35, label %.noexc25
35:
  %36 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %30, ptr noundef %36, i32 noundef %11)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.noexc25:
  %37 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit28
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %38 = mul nuw nsw i64 %indvars.iv, %27
  %39 = trunc nuw i64 %38 to i32
  %40 = urem i32 %39, 1000
  %41 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %40, ptr %41, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %13
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %42 = icmp ne i32 %37, 0
  %43 = zext i1 %42 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %45
_ZNSt6vectorIiSaIiEED2Ev.exit28:
  %44 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %44
45:
  %.017 = phi i32 [ %43, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.017
}
define dso_local range(i32 0, 2) i32 @drawn_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %48, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = zext nneg i32 %11 to i64
  %19 = shl nuw nsw i64 %18, 2
  %20 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %19)
          to label %.noexc30 unwind label %24
.noexc30:
  store i32 0, ptr %20, align 4
  %21 = icmp eq i32 %11, 1
  br i1 %21, label %.lr.ph.preheader, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i28
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i28:
  %22 = getelementptr i8, ptr %20, i64 4
  %23 = add nsw i64 %19, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %22, i8 0, i64 %23, i1 false)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  br label %.lr.ph
.lr.ph65.preheader:
  store i32 0, ptr %15, align 4
  br label %.lr.ph65
24:
  %25 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit40
.lr.ph:
  %indvars.iv = phi i64 [ %indvars.iv.next, %.lr.ph ], [ 0, %.lr.ph.preheader ]
  %26 = tail call i32 @rand()
  %27 = srem i32 %26, 8
  %28 = getelementptr inbounds i32, ptr %20, i64 %indvars.iv
  store i32 %27, ptr %28, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %18
  br i1 %exitcond.not, label %.lr.ph65.preheader, label %.lr.ph
._crit_edge66:
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %31 = load ptr, ptr %3, align 8
  %32 = invoke i32 @cudaMemcpy(ptr noundef %31, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc32 unwind label %46
.noexc32:
  %33 = add nuw nsw i32 %11, 127
  %34 = lshr i32 %33, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %34 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %35 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %35, 0
  br i1 %.not.i, label %36, label %.noexc33
36:
  %37 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %31, ptr noundef %37, i32 noundef %11)
          to label %.noexc33 unwind label %46
.noexc33:
  %38 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit36 unwind label %46
.lr.ph65:
  %39 = phi i32 [ 0, %.lr.ph65.preheader ], [ %42, %.lr.ph65 ]
  %indvars.iv68 = phi i64 [ 0, %.lr.ph65.preheader ], [ %indvars.iv.next69, %.lr.ph65 ]
  %40 = getelementptr inbounds i32, ptr %20, i64 %indvars.iv68
  %41 = load i32, ptr %40, align 4
  %42 = add nsw i32 %41, %39
  %indvars.iv.next69 = add nuw nsw i64 %indvars.iv68, 1
  %43 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv.next69
  store i32 %42, ptr %43, align 4
  %exitcond72.not = icmp eq i64 %indvars.iv.next69, %18
  br i1 %exitcond72.not, label %._crit_edge66, label %.lr.ph65
_ZNSt6vectorIiSaIiEED2Ev.exit36:
  %44 = icmp ne i32 %38, 0
  %45 = zext i1 %44 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %20, i64 noundef %19)
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %48
46:
  %47 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %20, i64 noundef %19)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit40
_ZNSt6vectorIiSaIiEED2Ev.exit40:
  %.pn = phi { ptr, i32 } [ %25, %24 ], [ %47, %46 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %.pn
48:
  %.024 = phi i32 [ %45, %_ZNSt6vectorIiSaIiEED2Ev.exit36 ], [ 1, %6 ]
  ret i32 %.024
}
declare i32 @rand() local_unnamed_addr
define dso_local range(i32 0, 2) i32 @drawn_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %50, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = zext nneg i32 %11 to i64
  %19 = shl nuw nsw i64 %18, 2
  %20 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %19)
          to label %.noexc31 unwind label %24
.noexc31:
  store i32 0, ptr %20, align 4
  %21 = icmp eq i32 %11, 1
  br i1 %21, label %.lr.ph.preheader, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i29
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i29:
  %22 = getelementptr i8, ptr %20, i64 4
  %23 = add nsw i64 %19, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %22, i8 0, i64 %23, i1 false)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  br label %.lr.ph
.lr.ph66.preheader:
  store i32 1048576, ptr %15, align 4
  br label %.lr.ph66
24:
  %25 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit41
.lr.ph:
  %indvars.iv = phi i64 [ %indvars.iv.next, %.lr.ph ], [ 0, %.lr.ph.preheader ]
  %26 = trunc i64 %indvars.iv to i32
  %27 = mul i32 %26, 5
  %28 = and i32 %27, 7
  %29 = add nsw i32 %28, -1
  %30 = getelementptr inbounds i32, ptr %20, i64 %indvars.iv
  store i32 %29, ptr %30, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %18
  br i1 %exitcond.not, label %.lr.ph66.preheader, label %.lr.ph
._crit_edge67:
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %32 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %33 = load ptr, ptr %3, align 8
  %34 = invoke i32 @cudaMemcpy(ptr noundef %33, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc33 unwind label %48
.noexc33:
  %35 = add nuw nsw i32 %11, 127
  %36 = lshr i32 %35, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %36 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %37 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %37, 0
  br i1 %.not.i, label %38, label %.noexc34
38:
  %39 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %33, ptr noundef %39, i32 noundef %11)
          to label %.noexc34 unwind label %48
.noexc34:
  %40 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit37 unwind label %48
.lr.ph66:
  %41 = phi i32 [ 1048576, %.lr.ph66.preheader ], [ %44, %.lr.ph66 ]
  %indvars.iv69 = phi i64 [ 0, %.lr.ph66.preheader ], [ %indvars.iv.next70, %.lr.ph66 ]
  %42 = getelementptr inbounds i32, ptr %20, i64 %indvars.iv69
  %43 = load i32, ptr %42, align 4
  %44 = add nsw i32 %43, %41
  %indvars.iv.next70 = add nuw nsw i64 %indvars.iv69, 1
  %45 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv.next70
  store i32 %44, ptr %45, align 4
  %exitcond73.not = icmp eq i64 %indvars.iv.next70, %18
  br i1 %exitcond73.not, label %._crit_edge67, label %.lr.ph66
_ZNSt6vectorIiSaIiEED2Ev.exit37:
  %46 = icmp ne i32 %40, 0
  %47 = zext i1 %46 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %20, i64 noundef %19)
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %50
48:
  %49 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %20, i64 noundef %19)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit41
_ZNSt6vectorIiSaIiEED2Ev.exit41:
  %.pn = phi { ptr, i32 } [ %25, %24 ], [ %49, %48 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %.pn
50:
  %.025 = phi i32 [ %47, %_ZNSt6vectorIiSaIiEED2Ev.exit37 ], [ 1, %6 ]
  ret i32 %.025
}
define dso_local i32 @checked_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = icmp sgt i32 %0, 1
  br i1 %6, label %7, label %.lr.ph.preheader
7:
  %8 = getelementptr inbounds i8, ptr %1, i64 8
  %9 = load ptr, ptr %8, align 8
  %10 = tail call i32 @atoi(ptr nocapture noundef %9)
  %11 = add i32 %10, -20001
  %or.cond = icmp ult i32 %11, -20000
  br i1 %or.cond, label %40, label %.lr.ph.preheader
.lr.ph.preheader:
  %12 = phi i32 [ %10, %7 ], [ 1000, %2 ]
  %13 = add nuw nsw i32 %12, 1
  %14 = zext nneg i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = getelementptr i8, ptr %16, i64 4
  %18 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %17, i8 0, i64 %18, i1 false)
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %23 ]
  %.02455 = phi i32 [ 0, %.lr.ph.preheader ], [ %25, %23 ]
  %19 = call i32 (ptr, ...) @__isoc99_scanf(ptr noundef nonnull @.str, ptr noundef nonnull %5)
  %20 = icmp eq i32 %19, 1
  %21 = load i32, ptr %5, align 4
  %22 = icmp ult i32 %21, 101
  %or.cond6.not = select i1 %20, i1 %22, i1 false
  br i1 %or.cond6.not, label %23, label %.thread50
.thread50:
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit39
23:
  %24 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %.02455, ptr %24, align 4
  %25 = add nuw nsw i32 %21, %.02455
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
._crit_edge:
  %26 = getelementptr inbounds i32, ptr %16, i64 %wide.trip.count
  store i32 %25, ptr %26, align 4
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %15)
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %29 = load ptr, ptr %3, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %.noexc35 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit
.noexc35:
  %31 = add nuw nsw i32 %12, 127
  %32 = lshr i32 %31, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %32 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %33 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %34, label %.noexc36
34:
  %35 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %29, ptr noundef %35, i32 noundef %12)
          to label %.noexc36 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit
.noexc36:
  %36 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZL9segmentedPKii.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZL9segmentedPKii.exit:
  %37 = icmp ne i32 %36, 0
  %38 = zext i1 %37 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit39
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %39 = landingpad { ptr, i32 }
          cleanup
  call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %39
_ZNSt6vectorIiSaIiEED2Ev.exit39:
  %.3 = phi i32 [ %38, %_ZL9segmentedPKii.exit ], [ 2, %.thread50 ]
  call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  br label %40
40:
  %.4 = phi i32 [ %.3, %_ZNSt6vectorIiSaIiEED2Ev.exit39 ], [ 1, %7 ]
  ret i32 %.4
}
declare noundef i32 @__isoc99_scanf(ptr nocapture noundef readonly, ...) local_unnamed_addr
define dso_local range(i32 0, 2) i32 @counted_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %35, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %18 = getelementptr inbounds i32, ptr %15, i64 %wide.trip.count
  store i32 %spec.select, ptr %18, align 4
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %21 = load ptr, ptr %3, align 8
  %22 = invoke i32 @cudaMemcpy(ptr noundef %21, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc23 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
.noexc23:
  %23 = add nuw nsw i32 %11, 127
  %24 = lshr i32 %23, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %24 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %25, 0
  br i1 %.not.i, label %26, label %.noexc24
26:
  %27 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %21, ptr noundef %27, i32 noundef %11)
          to label %.noexc24 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
.noexc24:
  %28 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %.01736 = phi i32 [ 0, %.lr.ph.preheader ], [ %spec.select, %.lr.ph ]
  %29 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %.01736, ptr %29, align 4
  %30 = tail call i32 @rand()
  %31 = and i32 %30, 1
  %spec.select = add i32 %31, %.01736
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %32 = icmp ne i32 %28, 0
  %33 = zext i1 %32 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %35
_ZNSt6vectorIiSaIiEED2Ev.exit27:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %34
35:
  %.020 = phi i32 [ %33, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.020
}
define dso_local range(i32 0, 2) i32 @counted_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %34, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %18 = getelementptr inbounds i32, ptr %15, i64 %wide.trip.count
  store i32 %.1, ptr %18, align 4
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %21 = load ptr, ptr %3, align 8
  %22 = invoke i32 @cudaMemcpy(ptr noundef %21, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc25:
  %23 = add nuw nsw i32 %11, 127
  %24 = lshr i32 %23, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %24 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %25, 0
  br i1 %.not.i, label %26, label %.noexc26
26:
  %27 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %21, ptr noundef %27, i32 noundef %11)
          to label %.noexc26 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc26:
  %28 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %.01938 = phi i32 [ 1000, %.lr.ph.preheader ], [ %.1, %.lr.ph ]
  %29 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  store i32 %.01938, ptr %29, align 4
  %30 = and i64 %indvars.iv, 1
  %.not = icmp eq i64 %30, 0
  %.1.v = select i1 %.not, i32 -1, i32 3
  %.1 = add nsw i32 %.1.v, %.01938
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %31 = icmp ne i32 %28, 0
  %32 = zext i1 %31 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %34
_ZNSt6vectorIiSaIiEED2Ev.exit29:
  %33 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %33
34:
  %.022 = phi i32 [ %32, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.022
}
define dso_local range(i32 0, 2) i32 @iota_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %34, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  %16 = getelementptr i32, ptr %15, i64 %13
  store i32 0, ptr %15, align 4
  %17 = getelementptr i8, ptr %15, i64 4
  %18 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %17, i8 0, i64 %18, i1 false)
  br label %.lr.ph.i
.lr.ph.i:
  %.07.i = phi i32 [ %19, %.lr.ph.i ], [ 5, %.thread ]
  %.sroa.02.06.i = phi ptr [ %20, %.lr.ph.i ], [ %15, %.thread ]
  store i32 %.07.i, ptr %.sroa.02.06.i, align 4
  %19 = add nuw nsw i32 %.07.i, 1
  %20 = getelementptr inbounds i8, ptr %.sroa.02.06.i, i64 4
  %.not.i = icmp eq ptr %20, %16
  br i1 %.not.i, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit, label %.lr.ph.i
_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit:
  %21 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %22 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %23 = load ptr, ptr %3, align 8
  %24 = invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc15 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
.noexc15:
  %25 = add nuw nsw i32 %11, 127
  %26 = lshr i32 %25, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %26 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i14 = icmp eq i32 %27, 0
  br i1 %.not.i14, label %28, label %.noexc16
28:
  %29 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %23, ptr noundef %29, i32 noundef %11)
          to label %.noexc16 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
.noexc16:
  %30 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %31 = icmp ne i32 %30, 0
  %32 = zext i1 %31 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %34
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  %33 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %33
34:
  %.0 = phi i32 [ %32, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @iota_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %39, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  %16 = getelementptr i8, ptr %15, i64 %14
  store i32 0, ptr %15, align 4
  %17 = getelementptr i8, ptr %15, i64 4
  %18 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %17, i8 0, i64 %18, i1 false)
  %19 = lshr i32 %11, 1
  %20 = zext nneg i32 %19 to i64
  %.idx = shl nuw nsw i64 %20, 2
  %21 = getelementptr inbounds i8, ptr %15, i64 %.idx
  %.not5.i = icmp ult i32 %11, 2
  br i1 %.not5.i, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit, label %.lr.ph.i
.lr.ph.i:
  %.07.i = phi i32 [ %22, %.lr.ph.i ], [ 5, %.thread ]
  %.sroa.02.06.i = phi ptr [ %23, %.lr.ph.i ], [ %15, %.thread ]
  store i32 %.07.i, ptr %.sroa.02.06.i, align 4
  %22 = add nuw nsw i32 %.07.i, 1
  %23 = getelementptr inbounds i8, ptr %.sroa.02.06.i, i64 4
  %.not.i = icmp eq ptr %23, %21
  br i1 %.not.i, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit, label %.lr.ph.i
_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit:
  %.not5.i18 = icmp eq i64 %.idx, %14
  br i1 %.not5.i18, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit23, label %.lr.ph.i19
.lr.ph.i19:
  %.07.i20 = phi i32 [ %24, %.lr.ph.i19 ], [ 5, %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit ]
  %.sroa.02.06.i21 = phi ptr [ %25, %.lr.ph.i19 ], [ %21, %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit ]
  store i32 %.07.i20, ptr %.sroa.02.06.i21, align 4
  %24 = add nuw nsw i32 %.07.i20, 1
  %25 = getelementptr inbounds i8, ptr %.sroa.02.06.i21, i64 4
  %.not.i22 = icmp eq ptr %25, %16
  br i1 %.not.i22, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit23, label %.lr.ph.i19
_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit23:
  %26 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %28 = load ptr, ptr %3, align 8
  %29 = invoke i32 @cudaMemcpy(ptr noundef %28, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc25:
  %30 = add nuw nsw i32 %11, 127
  %31 = lshr i32 %30, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %31 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %32 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i24 = icmp eq i32 %32, 0
  br i1 %.not.i24, label %33, label %.noexc26
33:
  %34 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %28, ptr noundef %34, i32 noundef %11)
          to label %.noexc26 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc26:
  %35 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %36 = icmp ne i32 %35, 0
  %37 = zext i1 %36 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %39
_ZNSt6vectorIiSaIiEED2Ev.exit29:
  %38 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %38
39:
  %.0 = phi i32 [ %37, %_ZNSt6vectorIiSaIiEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @long_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %35, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 3
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i64 0, ptr %15, align 8
  %16 = getelementptr i8, ptr %15, i64 8
  %17 = add nsw i64 %14, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %16, i8 0, i64 %17, i1 false)
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %18 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %20 = load ptr, ptr %3, align 8
  %21 = invoke i32 @cudaMemcpy(ptr noundef %20, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc20 unwind label %_ZNSt6vectorIlSaIlEED2Ev.exit24
.noexc20:
  %.sroa.05.0.insert.ext.i = zext i32 %11 to i64
  %.sroa.05.0.insert.insert.i = or disjoint i64 %.sroa.05.0.insert.ext.i, 4294967296
  %22 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.05.0.insert.insert.i, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %22, 0
  br i1 %.not.i, label %23, label %.noexc21
23:
  %24 = load ptr, ptr %4, align 8
  invoke void @_Z27__device_stub__Z5listsPKlPiPKlPi(ptr noundef %20, ptr noundef %24)
          to label %.noexc21 unwind label %_ZNSt6vectorIlSaIlEED2Ev.exit24
.noexc21:
  %25 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIlSaIlEED2Ev.exit unwind label %_ZNSt6vectorIlSaIlEED2Ev.exit24
.lr.ph:
  %26 = phi i64 [ 0, %.lr.ph.preheader ], [ %30, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %27 = trunc nuw nsw i64 %indvars.iv to i32
  %28 = urem i32 %27, 3
  %narrow = add nuw nsw i32 %28, 1
  %29 = zext nneg i32 %narrow to i64
  %30 = add i64 %26, %29
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %31 = getelementptr inbounds i64, ptr %15, i64 %indvars.iv.next
  store i64 %30, ptr %31, align 8
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIlSaIlEED2Ev.exit:
  %32 = icmp ne i32 %25, 0
  %33 = zext i1 %32 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %35
_ZNSt6vectorIlSaIlEED2Ev.exit24:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %34
35:
  %.017 = phi i32 [ %33, %_ZNSt6vectorIlSaIlEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.017
}
define dso_local range(i32 0, 2) i32 @long_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %35, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 3
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  %16 = getelementptr i8, ptr %15, i64 8
  %17 = add nsw i64 %14, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %16, i8 0, i64 %17, i1 false)
  store i64 100, ptr %15, align 8
  %wide.trip.count = zext nneg i32 %11 to i64
  br label %.lr.ph
._crit_edge:
  %18 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %20 = load ptr, ptr %3, align 8
  %21 = invoke i32 @cudaMemcpy(ptr noundef %20, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc20 unwind label %_ZNSt6vectorIlSaIlEED2Ev.exit24
.noexc20:
  %.sroa.05.0.insert.ext.i = zext i32 %11 to i64
  %.sroa.05.0.insert.insert.i = or disjoint i64 %.sroa.05.0.insert.ext.i, 4294967296
  %22 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.05.0.insert.insert.i, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %22, 0
  br i1 %.not.i, label %23, label %.noexc21
23:
  %24 = load ptr, ptr %4, align 8
  invoke void @_Z27__device_stub__Z5listsPKlPiPKlPi(ptr noundef %20, ptr noundef %24)
          to label %.noexc21 unwind label %_ZNSt6vectorIlSaIlEED2Ev.exit24
.noexc21:
  %25 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIlSaIlEED2Ev.exit unwind label %_ZNSt6vectorIlSaIlEED2Ev.exit24
.lr.ph:
  %26 = phi i64 [ 100, %.lr.ph.preheader ], [ %30, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %27 = trunc nuw nsw i64 %indvars.iv to i32
  %28 = urem i32 %27, 3
  %29 = zext nneg i32 %28 to i64
  %reass.sub = sub i64 %26, %29
  %30 = add i64 %reass.sub, 1
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %31 = getelementptr inbounds i64, ptr %15, i64 %indvars.iv.next
  store i64 %30, ptr %31, align 8
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
_ZNSt6vectorIlSaIlEED2Ev.exit:
  %32 = icmp ne i32 %25, 0
  %33 = zext i1 %32 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %35
_ZNSt6vectorIlSaIlEED2Ev.exit24:
  %34 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %34
35:
  %.017 = phi i32 [ %33, %_ZNSt6vectorIlSaIlEED2Ev.exit ], [ 1, %6 ]
  ret i32 %.017
}
define dso_local range(i32 0, 2) i32 @plain_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %34, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = shl nuw nsw i32 %11, 2
  %13 = add nuw nsw i32 %12, 4
  %14 = zext nneg i32 %13 to i64
  %15 = tail call noalias ptr @malloc(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = add nuw nsw i32 %11, 1
  %wide.trip.count = zext nneg i32 %16 to i64
  br label %.lr.ph
._crit_edge:
  %17 = shl nuw nsw i64 %wide.trip.count, 2
  %18 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %17)
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %20 = load ptr, ptr %3, align 8
  %21 = tail call i32 @cudaMemcpy(ptr noundef %20, ptr noundef nonnull %15, i64 noundef %17, i32 noundef 1)
  %22 = add nuw nsw i32 %11, 127
  %23 = lshr i32 %22, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %23 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %24 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %24, 0
  br i1 %.not.i, label %25, label %_ZL9segmentedPKii.exit
25:
  %26 = load ptr, ptr %4, align 8
  tail call void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %20, ptr noundef %26, i32 noundef %11)
  br label %_ZL9segmentedPKii.exit
_ZL9segmentedPKii.exit:
  %27 = tail call i32 @cudaDeviceSynchronize()
  %28 = icmp ne i32 %27, 0
  %29 = zext i1 %28 to i32
  tail call void @free(ptr noundef nonnull %15)
  br label %34
.lr.ph:
  %store_forwarded = phi i32 [ 0, %.lr.ph.preheader ], [ %33, %.lr.ph ]
  %indvars.iv = phi i64 [ 1, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %30 = getelementptr i32, ptr %15, i64 %indvars.iv
  %31 = trunc nuw nsw i64 %indvars.iv to i32
  %32 = udiv i32 %31, 100
  %33 = add nuw nsw i32 %store_forwarded, %32
  store i32 %33, ptr %30, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
34:
  %.0 = phi i32 [ %29, %_ZL9segmentedPKii.exit ], [ 1, %6 ]
  ret i32 %.0
}
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr
declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr
define dso_local range(i32 0, 2) i32 @plain_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %34, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = shl nuw nsw i32 %11, 2
  %13 = add nuw nsw i32 %12, 4
  %14 = zext nneg i32 %13 to i64
  %15 = tail call noalias ptr @malloc(i64 noundef %14)
  store i32 1048576, ptr %15, align 4
  %16 = add nuw nsw i32 %11, 1
  %wide.trip.count = zext nneg i32 %16 to i64
  br label %.lr.ph
._crit_edge:
  %17 = shl nuw nsw i64 %wide.trip.count, 2
  %18 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %17)
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %20 = load ptr, ptr %3, align 8
  %21 = tail call i32 @cudaMemcpy(ptr noundef %20, ptr noundef nonnull %15, i64 noundef %17, i32 noundef 1)
  %22 = add nuw nsw i32 %11, 127
  %23 = lshr i32 %22, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %23 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %24 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %24, 0
  br i1 %.not.i, label %25, label %_ZL9segmentedPKii.exit
25:
  %26 = load ptr, ptr %4, align 8
  tail call void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %20, ptr noundef %26, i32 noundef %11)
  br label %_ZL9segmentedPKii.exit
_ZL9segmentedPKii.exit:
  %27 = tail call i32 @cudaDeviceSynchronize()
  %28 = icmp ne i32 %27, 0
  %29 = zext i1 %28 to i32
  tail call void @free(ptr noundef nonnull %15)
  br label %34
.lr.ph:
  %store_forwarded = phi i32 [ 1048576, %.lr.ph.preheader ], [ %33, %.lr.ph ]
  %indvars.iv = phi i64 [ 1, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %30 = getelementptr i32, ptr %15, i64 %indvars.iv
  %31 = trunc nuw nsw i64 %indvars.iv to i32
  %32 = and i32 %31, 3
  %reass.sub = sub i32 %store_forwarded, %32
  %33 = add i32 %reass.sub, 2
  store i32 %33, ptr %30, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
34:
  %.0 = phi i32 [ %29, %_ZL9segmentedPKii.exit ], [ 1, %6 ]
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @scan_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %43, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = add nuw nsw i32 %11, 1
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  %18 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
          to label %.lr.ph.preheader unwind label %25
.lr.ph.preheader:
  %19 = getelementptr i32, ptr %18, i64 %13
  store i32 0, ptr %18, align 4
  %20 = getelementptr i8, ptr %18, i64 4
  tail call void @llvm.memset.p0.i64(ptr align 4 %20, i8 0, i64 %17, i1 false)
  br label %.lr.ph
.lr.ph.i.i:
  %.sroa.04.010.i.i = phi ptr [ %23, %.lr.ph.i.i ], [ %18, %.lr.ph ]
  %.09.i.i = phi i32 [ %22, %.lr.ph.i.i ], [ 0, %.lr.ph ]
  %.sroa.02.08.i.i = phi ptr [ %24, %.lr.ph.i.i ], [ %15, %.lr.ph ]
  %21 = load i32, ptr %.sroa.04.010.i.i, align 4
  %22 = add nsw i32 %21, %.09.i.i
  %23 = getelementptr inbounds i8, ptr %.sroa.04.010.i.i, i64 4
  %24 = getelementptr inbounds i8, ptr %.sroa.02.08.i.i, i64 4
  store i32 %.09.i.i, ptr %.sroa.02.08.i.i, align 4
  %.not.i.i = icmp eq ptr %23, %19
  br i1 %.not.i.i, label %_ZSt14exclusive_scanIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_iET0_T_S8_S7_T1_.exit, label %.lr.ph.i.i
25:
  %26 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit37
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %27 = trunc nuw nsw i64 %indvars.iv to i32
  %28 = and i32 %27, 3
  %29 = getelementptr inbounds i32, ptr %18, i64 %indvars.iv
  store i32 %28, ptr %29, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %13
  br i1 %exitcond.not, label %.lr.ph.i.i, label %.lr.ph
_ZSt14exclusive_scanIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_iET0_T_S8_S7_T1_.exit:
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %32 = load ptr, ptr %3, align 8
  %33 = invoke i32 @cudaMemcpy(ptr noundef %32, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %.noexc29 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit35
.noexc29:
  %34 = add nuw nsw i32 %11, 127
  %35 = lshr i32 %34, 7
  %.sroa.06.0.insert.ext.i = zext nneg i32 %35 to i64
  %.sroa.06.0.insert.insert.i = or disjoint i64 %.sroa.06.0.insert.ext.i, 4294967296
  %36 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %36, 0
  br i1 %.not.i, label %37, label %.noexc30
37:
  %38 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %32, ptr noundef %38, i32 noundef %11)
          to label %.noexc30 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit35
.noexc30:
  %39 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit33 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit35
_ZNSt6vectorIiSaIiEED2Ev.exit33:
  %40 = icmp ne i32 %39, 0
  %41 = zext i1 %40 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %18, i64 noundef %14)
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  br label %43
_ZNSt6vectorIiSaIiEED2Ev.exit35:
  %42 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %18, i64 noundef %14)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit37
_ZNSt6vectorIiSaIiEED2Ev.exit37:
  %.pn = phi { ptr, i32 } [ %42, %_ZNSt6vectorIiSaIiEED2Ev.exit35 ], [ %26, %25 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %.pn
43:
  %.0 = phi i32 [ %41, %_ZNSt6vectorIiSaIiEED2Ev.exit33 ], [ 1, %6 ]
  ret i32 %.0
}
declare void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
define hidden void @segments(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z31__device_stub__Z8segmentsPKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
declare void @_Z27__device_stub__Z5listsPKlPiPKlPi(ptr noundef, ptr noundef) local_unnamed_addr
define hidden void @lists(ptr noundef %0, ptr noundef %1) {
  tail call void @_Z27__device_stub__Z5listsPKlPiPKlPi(ptr noundef %0, ptr noundef %1)
  ret void
}
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @lists, ptr noundef nonnull @.str.1, ptr noundef nonnull @.str.1, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @segments, ptr noundef nonnull @.str.2, ptr noundef nonnull @.str.2, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
declare i32 @cudaMemcpy(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
declare i32 @cudaDeviceSynchronize() local_unnamed_addr
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) local_unnamed_addr
declare void @__cudaRegisterFunction(ptr noundef, ptr noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr
declare void @__cudaUnregisterFatBinary(ptr noundef) local_unnamed_addr
declare noundef nonnull ptr @_Znwm(i64 noundef) local_unnamed_addr
declare void @_ZdlPvm(ptr noundef, i64 noundef) local_unnamed_addr
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
