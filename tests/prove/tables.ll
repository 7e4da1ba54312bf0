target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
module asm ".section .nv_fatbin, \22a\22"
module asm ".align 8"
module asm "fatbinData:"
module asm ".quad 0x00100001ba55ed50,0x00000000000014f8,0x0000004001010002,0x0000000000001268"
module asm ".quad 0x0000000000000000,0x0000004b00010008,0x0000000000000000,0x0000000000000011"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x41010102464c457f,0x0000000000000008"
module asm ".quad 0x0000000100be0002,0x0000000000000000,0x00000000000011c0,0x0000000000000d80"
module asm ".quad 0x0038004006004b04,0x0001001100400003,0x7472747368732e00,0x747274732e006261"
module asm ".quad 0x746d79732e006261,0x746d79732e006261,0x78646e68735f6261,0x6e2e65746f6e2e00"
module asm ".quad 0x6f666e696b742e76,0x6e2e65746f6e2e00,0x6f666e6975632e76,0x666e692e766e2e00"
module asm ".quad 0x2e747865742e006f,0x0064657466696873,0x6f666e692e766e2e,0x646574666968732e"
module asm ".quad 0x6168732e766e2e00,0x666968732e646572,0x2e766e2e00646574,0x746e6174736e6f63"
module asm ".quad 0x6574666968732e30,0x6e2e6c65722e0064,0x6174736e6f632e76,0x666968732e30746e"
module asm ".quad 0x7865742e00646574,0x0073656e696c2e74,0x6f666e692e766e2e,0x2e0073656e696c2e"
module asm ".quad 0x65726168732e766e,0x0073656e696c2e64,0x736e6f632e766e2e,0x696c2e30746e6174"
module asm ".quad 0x6c65722e0073656e,0x736e6f632e766e2e,0x696c2e30746e6174,0x6265642e0073656e"
module asm ".quad 0x656d6172665f6775,0x65642e6c65722e00,0x6d6172665f677562,0x2e616c65722e0065"
module asm ".quad 0x72665f6775626564,0x2e766e2e00656d61,0x706172676c6c6163,0x72702e766e2e0068"
module asm ".quad 0x00657079746f746f,0x2e6c65722e766e2e,0x00006e6f69746361,0x617472747368732e"
module asm ".quad 0x61747274732e0062,0x61746d79732e0062,0x61746d79732e0062,0x0078646e68735f62"
module asm ".quad 0x766e2e65746f6e2e,0x006f666e696b742e,0x766e2e65746f6e2e,0x006f666e6975632e"
module asm ".quad 0x6f666e692e766e2e,0x732e747865742e00,0x2e00646574666968,0x2e6f666e692e766e"
module asm ".quad 0x0064657466696873,0x726168732e766e2e,0x74666968732e6465,0x2e6c65722e006465"
module asm ".quad 0x74736e6f632e766e,0x6968732e30746e61,0x766e2e0064657466,0x6e6174736e6f632e"
module asm ".quad 0x74666968732e3074,0x747865742e006465,0x2e0073656e696c2e,0x2e6f666e692e766e"
module asm ".quad 0x6e2e0073656e696c,0x6465726168732e76,0x2e0073656e696c2e,0x632e766e2e6c6572"
module asm ".quad 0x30746e6174736e6f,0x2e0073656e696c2e,0x74736e6f632e766e,0x6e696c2e30746e61"
module asm ".quad 0x756265642e007365,0x00656d6172665f67,0x6265642e6c65722e,0x656d6172665f6775"
module asm ".quad 0x642e616c65722e00,0x6172665f67756265,0x632e766e2e00656d,0x68706172676c6c61"
module asm ".quad 0x6f72702e766e2e00,0x2e00657079746f74,0x612e6c65722e766e,0x6873006e6f697463"
module asm ".quad 0x696c006465746669,0x000000000073656e,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0005000300000029,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0006000300000039,0x0000000000000000,0x0000000000000000,0x000f000300000052"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000d00030000009e,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00100003000000b4,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000e0003000000f8,0x0000000000000000,0x0000000000000000,0x000400030000010c"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x000a00030000013c,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x000b000300000158,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x000f101200000167,0x0000000000000000,0x0000000000000180,0x001010120000016f"
module asm ".quad 0x0000000000000000,0x0000000000000180,0x00000024ffffffff,0xffffffff00000000"
module asm ".quad 0x7c040003ffffffff,0x80810c0fffffffff,0x288081ff08002880,0x0000002880808108"
module asm ".quad 0x00000034ffffffff,0x0000000000000000,0x0000000000000000,0x0000018000000000"
module asm ".quad 0x0000040400000000,0x810c0000001c0400,0x0000280400288080,0x0000000000000000"
module asm ".quad 0x00000024ffffffff,0xffffffff00000000,0x7c040003ffffffff,0x80810c0fffffffff"
module asm ".quad 0x288081ff08002880,0x0000002880808108,0x00000034ffffffff,0x0000007000000000"
module asm ".quad 0x0000000000000000,0x0000018000000000,0x0000040400000000,0x810c000000140400"
module asm ".quad 0x0000240400288080,0x0000000000000000,0x0000008c0000000c,0x4449564e000007d0"
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
module asm ".quad 0x0000000000000000,0x00ff1b030021f000,0x00081c0400005f03,0x0000012000000070"
module asm ".quad 0x0000000100043604,0x0000008200043704,0x0000000600080a04,0x000c1903000c0160"
module asm ".quad 0x00000000000c1704,0x0011f00000080001,0x00000000000c1704,0x0021f00000000000"
module asm ".quad 0x00005f0300ff1b03,0x0000005000081c04,0x00000000000000f0,0x00000000ffffffff"
module asm ".quad 0x00000000fffffffe,0x00000000fffffffd,0x00000000fffffffc,0x0000000000000073"
module asm ".quad 0x3605002511000000,0x00000000000000b4,0x0000000b00000002,0x0000000000000044"
module asm ".quad 0x0000000a00000002,0x0000000000000000,0x0000000000000000,0x0000000000000000"
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
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000a0000017a02,0x000fe40000000f00"
module asm ".quad 0x0000000000077919,0x000e220000002500,0x00005c0000047ab9,0x000fe40000000800"
module asm ".quad 0xffffffff04047890,0x000fe2000fffe03f,0x0000000000007919,0x000e240000002100"
module asm ".quad 0x0000000007077a24,0x001fca00078e0200,0x0000000407007c0c,0x000fd8000bf06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x00000000000679c3,0x000e220000002600"
module asm ".quad 0x0000000800077882,0x000fe20000000000,0x0000000400027802,0x000fe20000000f00"
module asm ".quad 0x0000580000047ab9,0x000fc80000000a00,0x00005a0007027625,0x000fd000078e0202"
module asm ".quad 0x0000040002037381,0x000ea200001ee900,0x00000007060472a5,0x001fd2000f8e0004"
module asm ".quad 0x00000004ff047981,0x000ee4000c1eeb00,0x0000000407047825,0x008fd000078e0204"
module asm ".quad 0x0000000304007386,0x004fe2000010e900,0x000000000000794d,0x000fea0003800000"
module asm ".quad 0xfffffff000007947,0x000fc0000383ffff,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x00000a0000017a02,0x000fe40000000f00"
module asm ".quad 0x0000000000057919,0x000e280000002500,0x0000000000007919,0x000e240000002100"
module asm ".quad 0x0000000005057a24,0x001fca00078e0200,0x00005a0005007a0c,0x000fd80003f06270"
module asm ".quad 0x000000000000094d,0x000fea0003800000,0x00000000000779c3,0x000e220000002600"
module asm ".quad 0x0000000800067882,0x000fe40000000000,0x0000580000047ab9,0x000fe40000000a00"
module asm ".quad 0x00000006070472a5,0x001fd2000f8e0004,0x00000004ff027981,0x000ea2000c1eeb00"
module asm ".quad 0x0000000705007c10,0x000fcc000fffe0ff,0x0000000000077306,0x000e220000201000"
module asm ".quad 0x0000000405027825,0x004fd000078e0202,0x0000000702007386,0x001fe2000010e900"
module asm ".quad 0x000000000000794d,0x000fea0003800000,0xfffffff000007947,0x000fc0000383ffff"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000007918,0x000fc00000000000"
module asm ".quad 0x0000000000007918,0x000fc00000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x0000000300000001,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000040,0x0000000000000167,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x000000030000000b,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00000000000001a7,0x0000000000000175,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x0000000200000013,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000320,0x0000000000000120,0x0000000a00000002"
module asm ".quad 0x0000000000000008,0x0000000000000018,0x000000010000010c,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000440,0x00000000000000e0,0x0000000000000000"
module asm ".quad 0x0000000000000001,0x0000000000000000,0x0000000700000029,0x0000000002000000"
module asm ".quad 0x0000000000000000,0x0000000000000520,0x00000000000000a4,0x0000000000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000700000039,0x0000000001000000"
module asm ".quad 0x0000000000000000,0x00000000000005c4,0x0000000000000020,0x0000000000000005"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x7000000000000049,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00000000000005e4,0x0000000000000048,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x7000000000000060,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x000000000000062c,0x0000000000000064,0x0000000f00000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x70000000000000c0,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000690,0x0000000000000054,0x0000001000000003"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x700000010000013c,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x00000000000006e4,0x0000000000000020,0x0000000000000003"
module asm ".quad 0x0000000000000004,0x0000000000000008,0x7000000b00000158,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000708,0x0000000000000010,0x0000000000000000"
module asm ".quad 0x0000000000000008,0x0000000000000008,0x0000000900000119,0x0000000000000040"
module asm ".quad 0x0000000000000000,0x0000000000000718,0x0000000000000020,0x0000000400000003"
module asm ".quad 0x0000000000000008,0x0000000000000010,0x0000000100000084,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x0000000000000738,0x0000000000000174,0x0000000f00000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x00000001000000e0,0x0000000000000042"
module asm ".quad 0x0000000000000000,0x00000000000008ac,0x000000000000016c,0x0000001000000000"
module asm ".quad 0x0000000000000004,0x0000000000000000,0x0000000100000052,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000a80,0x0000000000000180,0x0a00000a00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x00000001000000b4,0x0000000000000006"
module asm ".quad 0x0000000000000000,0x0000000000000c00,0x0000000000000180,0x0a00000b00000003"
module asm ".quad 0x0000000000000080,0x0000000000000000,0x0000000500000006,0x00000000000011c0"
module asm ".quad 0x0000000000000000,0x0000000000000000,0x00000000000000a8,0x00000000000000a8"
module asm ".quad 0x0000000000000008,0x0000000500000001,0x0000000000000738,0x0000000000000000"
module asm ".quad 0x0000000000000000,0x0000000000000648,0x0000000000000648,0x0000000000000008"
module asm ".quad 0x0000000500000001,0x00000000000011c0,0x0000000000000000,0x0000000000000000"
module asm ".quad 0x00000000000000a8,0x00000000000000a8,0x0000000000000008,0x0000005001010001"
module asm ".quad 0x0000000000000200,0x00000040000001fa,0x0000004b00090000,0x0000000000000000"
module asm ".quad 0x0000000000008011,0x0000000000000000,0x000000000000061c,0x0000000000000048"
module asm ".quad 0x0000000000000000,0x85051c60fd2fb528,0x6b3023439566000f,0xe9d182451a6598f5"
module asm ".quad 0xc55411bd8cd3bb65,0x2918d2b2f8d10514,0x2185146444636dbb,0x3c003a003900390b"
module asm ".quad 0x0a83cf3c8692efc0,0x69602ce5e5590dde,0x94dea2b7a8fd5135,0xb261b4d83d3b2682"
module asm ".quad 0xe5959d29ceb4b58f,0x233af2aa54bed869,0x738752b64d6574de,0xdd62b729bac94f94"
module asm ".quad 0x96eb065e49cf831e,0x16745de74706ac38,0x898e662936567edd,0x85441907eb2b3106"
module asm ".quad 0x2e21c262892ed622,0xd9d5a25bcbd693d6,0x14a705a73a4e0d21,0x32e11eaaa8971c1a"
module asm ".quad 0x21251d3f80f8e4a7,0xc183af2ebadc928b,0x1083cf142883dd1c,0xe8e03b17fd42b2d0"
module asm ".quad 0xd4a8e5a975f92a2e,0x7fdaffff00add6f6,0x811e58ff2cd33c83,0x7417e1e4b9e512f2"
module asm ".quad 0x37a4fc973bddf073,0xb2b4bc7303ec129a,0x05c72d730e6c7301,0x4a6e8b3a302acf32"
module asm ".quad 0xa76111a0680e98f2,0x80396952c2828646,0x59e61c1d2aaa9102,0xfc5f33c6fbd1cef7"
module asm ".quad 0xc3a99dacec35585c,0xc1a004dc6bcd4eb8,0x5969bd1885304fc6,0x6d705bbfc0b36f16"
module asm ".quad 0xc969958890f9b21b,0x55f4777fd31f8130,0x743c6a62e0d3dd39,0xe8e86d140b5a59dd"
module asm ".quad 0x0b3c29ab2b3818d5,0x0bcd8fc957519358,0xf4810a20075a0a90,0x7387c454c7b9edf3"
module asm ".quad 0xa335854e54e81786,0x1fe6b84f7f0ba965,0x6c5dcf435b6a79c2,0x940e438f5f231611"
module asm ".quad 0x620c054cfca0a82e,0x76838126b0e22c6c,0x05af5dcdf6add087,0x41f735708d3b1342"
module asm ".quad 0x19b8a3e379fea319,0xad9720fadabb0a3b,0x373b8efd9d7e1ba4,0x648e12756230c5b1"
module asm ".quad 0x0000000000000e81"
module asm ".text"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [673 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str = private unnamed_addr constant [8 x i8] c"shifted\00", align 1
@.str.1 = private unnamed_addr constant [6 x i8] c"lines\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local range(i32 0, 2) i32 @each_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca [8 x ptr], align 16
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99999
  br i1 %or.cond, label %28, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = shl nuw nsw i32 %11, 2
  %13 = zext nneg i32 %12 to i64
  br label %25
14:
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 64)
  %16 = load ptr, ptr %3, align 8
  %17 = call i32 @cudaMemcpy(ptr noundef %16, ptr noundef nonnull %4, i64 noundef 64, i32 noundef 1)
  %18 = add nuw nsw i32 %11, 127
  %19 = lshr i32 %18, 7
  %.sroa.07.0.insert.ext.i = zext nneg i32 %19 to i64
  %.sroa.07.0.insert.insert.i = or disjoint i64 %.sroa.07.0.insert.ext.i, 34359738368
  %20 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %20, 0
  br i1 %.not.i, label %21, label %_ZL5linedPPfii.exit
21:
  call void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %16, i32 noundef %11)
  br label %_ZL5linedPPfii.exit
_ZL5linedPPfii.exit:
  %22 = call i32 @cudaDeviceSynchronize()
  %23 = icmp ne i32 %22, 0
  %24 = zext i1 %23 to i32
  br label %28
25:
  %indvars.iv = phi i64 [ 0, %.thread ], [ %indvars.iv.next, %25 ]
  %26 = getelementptr inbounds [8 x ptr], ptr %4, i64 0, i64 %indvars.iv
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %26, i64 noundef %13)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 8
  br i1 %exitcond.not, label %14, label %25
28:
  %.010 = phi i32 [ %24, %_ZL5linedPPfii.exit ], [ 1, %6 ]
  ret i32 %.010
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @atoi(ptr nocapture noundef) local_unnamed_addr
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
define dso_local range(i32 0, 2) i32 @each_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca [8 x ptr], align 16
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99999
  br i1 %or.cond, label %37, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = shl nuw nsw i32 %11, 2
  %13 = zext nneg i32 %12 to i64
  br label %25
14:
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 64)
  %16 = load ptr, ptr %3, align 8
  %17 = call i32 @cudaMemcpy(ptr noundef %16, ptr noundef nonnull %4, i64 noundef 64, i32 noundef 1)
  %18 = add nuw nsw i32 %11, 127
  %19 = lshr i32 %18, 7
  %.sroa.07.0.insert.ext.i = zext nneg i32 %19 to i64
  %.sroa.07.0.insert.insert.i = or disjoint i64 %.sroa.07.0.insert.ext.i, 34359738368
  %20 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %20, 0
  br i1 %.not.i, label %21, label %_ZL5linedPPfii.exit
21:
  call void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %16, i32 noundef %11)
  br label %_ZL5linedPPfii.exit
_ZL5linedPPfii.exit:
  %22 = call i32 @cudaDeviceSynchronize()
  %23 = icmp ne i32 %22, 0
  %24 = zext i1 %23 to i32
  br label %37
25:
  %indvars.iv = phi i64 [ 0, %.thread ], [ %indvars.iv.next, %36 ]
  %26 = and i64 %indvars.iv, 1
  %27 = icmp eq i64 %26, 0
  br i1 %27, label %28, label %31
28:
  %29 = getelementptr inbounds [8 x ptr], ptr %4, i64 0, i64 %indvars.iv
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %29, i64 noundef %13)
  br label %36
31:
  %32 = add nsw i64 %indvars.iv, -1
  %33 = getelementptr inbounds [8 x ptr], ptr %4, i64 0, i64 %32
  %34 = load ptr, ptr %33, align 8
  %35 = getelementptr inbounds [8 x ptr], ptr %4, i64 0, i64 %indvars.iv
  store ptr %34, ptr %35, align 8
  br label %36
36:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 8
  br i1 %exitcond.not, label %14, label %25
37:
  %.013 = phi i32 [ %24, %_ZL5linedPPfii.exit ], [ 1, %6 ]
  ret i32 %.013
}
define dso_local range(i32 0, 2) i32 @many_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.lr.ph
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -100001
  %or.cond = icmp ult i32 %9, -99999
  br i1 %or.cond, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %10
10:
  %.not = icmp eq i32 %0, 2
  br i1 %.not, label %.lr.ph, label %11
11:
  %12 = getelementptr inbounds i8, ptr %1, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = add i32 %14, -101
  %or.cond3 = icmp ult i32 %15, -99
  br i1 %or.cond3, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %16
16:
  %17 = zext nneg i32 %14 to i64
  %18 = zext nneg i32 %14 to i64
  br label %.lr.ph
.lr.ph:
  %19 = phi i64 [ %17, %16 ], [ 6, %2 ], [ 6, %10 ]
  %20 = phi i32 [ %8, %16 ], [ 1000, %2 ], [ %8, %10 ]
  %wide.trip.count = phi i64 [ %18, %16 ], [ 6, %2 ], [ 6, %10 ]
  %21 = shl nuw nsw i64 %19, 3
  %22 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %21)
  store ptr null, ptr %22, align 8
  %23 = getelementptr i8, ptr %22, i64 8
  %24 = add nsw i64 %21, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %23, i8 0, i64 %24, i1 false)
  %25 = shl nuw nsw i32 %20, 2
  %26 = zext nneg i32 %25 to i64
  br label %35
._crit_edge:
  %27 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %21)
  %28 = load ptr, ptr %3, align 8
  %29 = invoke i32 @cudaMemcpy(ptr noundef %28, ptr noundef nonnull %22, i64 noundef %21, i32 noundef 1)
          to label %.noexc30 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
.noexc30:
  %30 = add nuw nsw i32 %20, 127
  %31 = lshr i32 %30, 7
  %.sroa.28.0.insert.shift.i = shl nuw nsw i64 %19, 32
  %.sroa.07.0.insert.ext.i = zext nneg i32 %31 to i64
  %.sroa.07.0.insert.insert.i = or disjoint i64 %.sroa.28.0.insert.shift.i, %.sroa.07.0.insert.ext.i
  %32 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %32, 0
  br i1 %.not.i, label %33, label %.noexc31
33:
  invoke void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %28, i32 noundef %20)
          to label %.noexc31 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
.noexc31:
  %34 = invoke i32 @cudaDeviceSynchronize()
          to label %38 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
35:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %35 ]
  %36 = getelementptr inbounds ptr, ptr %22, i64 %indvars.iv
  %37 = tail call noundef i32 @cudaMalloc(ptr noundef nonnull %36, i64 noundef %26)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %35
38:
  %39 = icmp ne i32 %34, 0
  %40 = zext i1 %39 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %22, i64 noundef %21)
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
_ZNSt6vectorIPfSaIS0_EED2Ev.exit34:
  %41 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %22, i64 noundef %21)
  resume { ptr, i32 } %41
_ZNSt6vectorIPfSaIS0_EED2Ev.exit:
  %.125 = phi i32 [ 1, %5 ], [ 1, %11 ], [ %40, %38 ]
  ret i32 %.125
}
declare i32 @__gxx_personality_v0(...)
define dso_local range(i32 0, 2) i32 @many_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99999
  br i1 %or.cond, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34, label %11
11:
  %.not = icmp eq i32 %0, 2
  br i1 %.not, label %.lr.ph, label %12
12:
  %13 = getelementptr inbounds i8, ptr %1, i64 16
  %14 = load ptr, ptr %13, align 8
  %15 = tail call i32 @atoi(ptr nocapture noundef %14)
  %16 = add i32 %15, -101
  %or.cond3 = icmp ult i32 %16, -99
  br i1 %or.cond3, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34, label %17
17:
  %18 = zext nneg i32 %15 to i64
  br label %.lr.ph
.lr.ph:
  %19 = phi i64 [ %18, %17 ], [ 6, %2 ], [ 6, %11 ]
  %20 = phi i32 [ %9, %17 ], [ 1000, %2 ], [ %9, %11 ]
  %21 = phi i32 [ %15, %17 ], [ 6, %2 ], [ 6, %11 ]
  %22 = shl nuw nsw i64 %19, 3
  %23 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %22)
  store ptr null, ptr %23, align 8
  %24 = getelementptr i8, ptr %23, i64 8
  %25 = add nsw i64 %22, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %24, i8 0, i64 %25, i1 false)
  %26 = shl nuw nsw i32 %20, 2
  %27 = mul nuw nsw i32 %26, %21
  %28 = zext nneg i32 %27 to i64
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %28)
  %30 = load ptr, ptr %4, align 8
  %31 = add nsw i32 %20, -1
  %32 = zext nneg i32 %31 to i64
  %wide.trip.count = zext nneg i32 %21 to i64
  br label %42
._crit_edge:
  %33 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  %34 = load ptr, ptr %3, align 8
  %35 = invoke i32 @cudaMemcpy(ptr noundef %34, ptr noundef nonnull %23, i64 noundef %22, i32 noundef 1)
          to label %.noexc30 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
.noexc30:
  %36 = add nuw nsw i32 %20, 127
  %37 = lshr i32 %36, 7
  %.sroa.28.0.insert.shift.i = shl nuw nsw i64 %19, 32
  %.sroa.07.0.insert.ext.i = zext nneg i32 %37 to i64
  %.sroa.07.0.insert.insert.i = or disjoint i64 %.sroa.28.0.insert.shift.i, %.sroa.07.0.insert.ext.i
  %38 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %38, 0
  br i1 %.not.i, label %39, label %.noexc31
39:
  invoke void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %34, i32 noundef %20)
          to label %.noexc31 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
.noexc31:
  %40 = invoke i32 @cudaDeviceSynchronize()
          to label %46 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
_ZNSt6vectorIPfSaIS0_EED2Ev.exit:
  %41 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  resume { ptr, i32 } %41
42:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %42 ]
  %43 = mul nuw nsw i64 %indvars.iv, %32
  %44 = getelementptr inbounds float, ptr %30, i64 %43
  %45 = getelementptr inbounds ptr, ptr %23, i64 %indvars.iv
  store ptr %44, ptr %45, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %42
46:
  %47 = icmp ne i32 %40, 0
  %48 = zext i1 %47 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
_ZNSt6vectorIPfSaIS0_EED2Ev.exit34:
  %.1 = phi i32 [ 1, %6 ], [ 1, %12 ], [ %48, %46 ]
  ret i32 %.1
}
define dso_local range(i32 0, 2) i32 @turn_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99999
  br i1 %or.cond, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %11
11:
  %.not = icmp eq i32 %0, 2
  br i1 %.not, label %.lr.ph, label %12
12:
  %13 = getelementptr inbounds i8, ptr %1, i64 16
  %14 = load ptr, ptr %13, align 8
  %15 = tail call i32 @atoi(ptr nocapture noundef %14)
  %16 = add i32 %15, -101
  %or.cond3 = icmp ult i32 %16, -99
  br i1 %or.cond3, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %17
17:
  %18 = zext nneg i32 %15 to i64
  %19 = zext nneg i32 %15 to i64
  br label %.lr.ph
.lr.ph:
  %20 = phi i64 [ %18, %17 ], [ 6, %2 ], [ 6, %11 ]
  %21 = phi i32 [ %9, %17 ], [ 1000, %2 ], [ %9, %11 ]
  %wide.trip.count = phi i64 [ %19, %17 ], [ 6, %2 ], [ 6, %11 ]
  %22 = shl nuw nsw i64 %20, 3
  %23 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %22)
  store ptr null, ptr %23, align 8
  %24 = getelementptr i8, ptr %23, i64 8
  %25 = add nsw i64 %22, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %24, i8 0, i64 %25, i1 false)
  %26 = shl nuw nsw i32 %21, 2
  %27 = zext nneg i32 %26 to i64
  br label %36
._crit_edge:
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  %29 = load ptr, ptr %3, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef nonnull %23, i64 noundef %22, i32 noundef 1)
          to label %.noexc31 unwind label %47
.noexc31:
  %31 = add nuw nsw i32 %21, 127
  %32 = lshr i32 %31, 7
  %.sroa.28.0.insert.shift.i = shl nuw nsw i64 %20, 32
  %.sroa.07.0.insert.ext.i = zext nneg i32 %32 to i64
  %.sroa.07.0.insert.insert.i = or disjoint i64 %.sroa.28.0.insert.shift.i, %.sroa.07.0.insert.ext.i
  %33 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %34, label %.noexc32
34:
  invoke void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %29, i32 noundef %21)
          to label %.noexc32 unwind label %47
.noexc32:
  %35 = invoke i32 @cudaDeviceSynchronize()
          to label %44 unwind label %47
36:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %40 ]
  %37 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %27)
  %38 = load ptr, ptr %4, align 8
  %39 = invoke i32 @cudaMemset(ptr noundef %38, i32 noundef 0, i64 noundef %27)
          to label %40 unwind label %42
40:
  %41 = getelementptr inbounds ptr, ptr %23, i64 %indvars.iv
  store ptr %38, ptr %41, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %36
42:
  %43 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
44:
  %45 = icmp ne i32 %35, 0
  %46 = zext i1 %45 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
47:
  %48 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
_ZNSt6vectorIPfSaIS0_EED2Ev.exit35:
  %.pn = phi { ptr, i32 } [ %43, %42 ], [ %48, %47 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  resume { ptr, i32 } %.pn
_ZNSt6vectorIPfSaIS0_EED2Ev.exit:
  %.126 = phi i32 [ 1, %6 ], [ 1, %12 ], [ %46, %44 ]
  ret i32 %.126
}
declare i32 @cudaMemset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr
define dso_local range(i32 0, 2) i32 @turn_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99999
  br i1 %or.cond, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %11
11:
  %.not = icmp eq i32 %0, 2
  br i1 %.not, label %.lr.ph, label %12
12:
  %13 = getelementptr inbounds i8, ptr %1, i64 16
  %14 = load ptr, ptr %13, align 8
  %15 = tail call i32 @atoi(ptr nocapture noundef %14)
  %16 = add i32 %15, -101
  %or.cond3 = icmp ult i32 %16, -99
  br i1 %or.cond3, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %17
17:
  %18 = zext nneg i32 %15 to i64
  %19 = zext nneg i32 %15 to i64
  br label %.lr.ph
.lr.ph:
  %20 = phi i64 [ %18, %17 ], [ 6, %2 ], [ 6, %11 ]
  %21 = phi i32 [ %9, %17 ], [ 1000, %2 ], [ %9, %11 ]
  %wide.trip.count = phi i64 [ %19, %17 ], [ 6, %2 ], [ 6, %11 ]
  %22 = shl nuw nsw i64 %20, 3
  %23 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %22)
  store ptr null, ptr %23, align 8
  %24 = getelementptr i8, ptr %23, i64 8
  %25 = add nsw i64 %22, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %24, i8 0, i64 %25, i1 false)
  %26 = shl nuw nsw i32 %21, 2
  %27 = zext nneg i32 %26 to i64
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %27)
  %29 = load ptr, ptr %4, align 8
  br label %40
._crit_edge:
  %30 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  %31 = load ptr, ptr %3, align 8
  %32 = invoke i32 @cudaMemcpy(ptr noundef %31, ptr noundef nonnull %23, i64 noundef %22, i32 noundef 1)
          to label %.noexc31 unwind label %38
.noexc31:
  %33 = add nuw nsw i32 %21, 127
  %34 = lshr i32 %33, 7
  %.sroa.28.0.insert.shift.i = shl nuw nsw i64 %20, 32
  %.sroa.07.0.insert.ext.i = zext nneg i32 %34 to i64
  %.sroa.07.0.insert.insert.i = or disjoint i64 %.sroa.28.0.insert.shift.i, %.sroa.07.0.insert.ext.i
  %35 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %35, 0
  br i1 %.not.i, label %36, label %.noexc32
36:
  invoke void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %31, i32 noundef %21)
          to label %.noexc32 unwind label %38
.noexc32:
  %37 = invoke i32 @cudaDeviceSynchronize()
          to label %46 unwind label %38
38:
  %39 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
40:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %42 ]
  %41 = invoke i32 @cudaMemset(ptr noundef %29, i32 noundef 0, i64 noundef %27)
          to label %42 unwind label %44
42:
  %43 = getelementptr inbounds ptr, ptr %23, i64 %indvars.iv
  store ptr %29, ptr %43, align 8
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %40
44:
  %45 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
46:
  %47 = icmp ne i32 %37, 0
  %48 = zext i1 %47 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
_ZNSt6vectorIPfSaIS0_EED2Ev.exit35:
  %.pn = phi { ptr, i32 } [ %45, %44 ], [ %39, %38 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  resume { ptr, i32 } %.pn
_ZNSt6vectorIPfSaIS0_EED2Ev.exit:
  %.126 = phi i32 [ 1, %6 ], [ 1, %12 ], [ %48, %46 ]
  ret i32 %.126
}
define dso_local range(i32 0, 2) i32 @other_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99999
  br i1 %or.cond, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %11
11:
  %.not = icmp eq i32 %0, 2
  br i1 %.not, label %.lr.ph, label %12
12:
  %13 = getelementptr inbounds i8, ptr %1, i64 16
  %14 = load ptr, ptr %13, align 8
  %15 = tail call i32 @atoi(ptr nocapture noundef %14)
  %16 = add i32 %15, -101
  %or.cond3 = icmp ult i32 %16, -99
  br i1 %or.cond3, label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit, label %17
17:
  %18 = zext nneg i32 %15 to i64
  %19 = zext nneg i32 %15 to i64
  br label %.lr.ph
.lr.ph:
  %20 = phi i64 [ %18, %17 ], [ 6, %2 ], [ 6, %11 ]
  %21 = phi i32 [ %9, %17 ], [ 1000, %2 ], [ %9, %11 ]
  %wide.trip.count = phi i64 [ %19, %17 ], [ 6, %2 ], [ 6, %11 ]
  %22 = shl nuw nsw i64 %20, 3
  %23 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %22)
  store ptr null, ptr %23, align 8
  %24 = getelementptr i8, ptr %23, i64 8
  %25 = add nsw i64 %22, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %24, i8 0, i64 %25, i1 false)
  %26 = shl nuw nsw i32 %21, 2
  %27 = zext nneg i32 %26 to i64
  br label %28
28:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %28 ]
  %29 = getelementptr inbounds ptr, ptr %23, i64 %indvars.iv
  %30 = tail call noundef i32 @cudaMalloc(ptr noundef nonnull %29, i64 noundef %27)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %28
._crit_edge:
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %27)
  %32 = load ptr, ptr %4, align 8
  %33 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  %34 = load ptr, ptr %3, align 8
  %35 = invoke i32 @cudaMemcpy(ptr noundef %34, ptr noundef nonnull %23, i64 noundef %22, i32 noundef 1)
          to label %.noexc31 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
.noexc31:
  %36 = add nuw nsw i32 %21, 127
  %37 = lshr i32 %36, 7
  %.sroa.29.0.insert.shift.i = shl nuw nsw i64 %20, 32
  %.sroa.08.0.insert.ext.i = zext nneg i32 %37 to i64
  %.sroa.08.0.insert.insert.i = or disjoint i64 %.sroa.29.0.insert.shift.i, %.sroa.08.0.insert.ext.i
  %38 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.08.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %38, 0
  br i1 %.not.i, label %39, label %.noexc32
39:
  invoke void @_Z31__device_stub__Z7shiftedPPfPKfiPPfPKfi(ptr noundef %34, ptr noundef %32, i32 noundef %21)
          to label %.noexc32 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
.noexc32:
  %40 = invoke i32 @cudaDeviceSynchronize()
          to label %41 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit35
41:
  %42 = icmp ne i32 %40, 0
  %43 = zext i1 %42 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  br label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit
_ZNSt6vectorIPfSaIS0_EED2Ev.exit35:
  %44 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %23, i64 noundef %22)
  resume { ptr, i32 } %44
_ZNSt6vectorIPfSaIS0_EED2Ev.exit:
  %.126 = phi i32 [ 1, %6 ], [ 1, %12 ], [ %43, %41 ]
  ret i32 %.126
}
define dso_local range(i32 0, 2) i32 @other_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.lr.ph
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -100001
  %or.cond = icmp ult i32 %9, -99999
  br i1 %or.cond, label %42, label %10
10:
  %.not = icmp eq i32 %0, 2
  br i1 %.not, label %.lr.ph, label %11
11:
  %12 = getelementptr inbounds i8, ptr %1, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = add i32 %14, -101
  %or.cond3 = icmp ult i32 %15, -99
  br i1 %or.cond3, label %42, label %16
16:
  %17 = zext nneg i32 %14 to i64
  %18 = zext nneg i32 %14 to i64
  br label %.lr.ph
.lr.ph:
  %19 = phi i64 [ %17, %16 ], [ 6, %2 ], [ 6, %10 ]
  %20 = phi i32 [ %8, %16 ], [ 1000, %2 ], [ %8, %10 ]
  %wide.trip.count = phi i64 [ %18, %16 ], [ 6, %2 ], [ 6, %10 ]
  %21 = shl nuw nsw i64 %19, 3
  %22 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %21)
  store ptr null, ptr %22, align 8
  %23 = getelementptr i8, ptr %22, i64 8
  %24 = add nsw i64 %21, -8
  tail call void @llvm.memset.p0.i64(ptr align 8 %23, i8 0, i64 %24, i1 false)
  %25 = shl nuw nsw i32 %20, 2
  %26 = zext nneg i32 %25 to i64
  br label %36
._crit_edge:
  %27 = load ptr, ptr %23, align 8
  %28 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %21)
  %29 = load ptr, ptr %3, align 8
  %30 = invoke i32 @cudaMemcpy(ptr noundef %29, ptr noundef nonnull %22, i64 noundef %21, i32 noundef 1)
          to label %.noexc30 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
.noexc30:
  %31 = add nuw nsw i32 %20, 127
  %32 = lshr i32 %31, 7
  %.sroa.29.0.insert.shift.i = shl nuw nsw i64 %19, 32
  %.sroa.08.0.insert.ext.i = zext nneg i32 %32 to i64
  %.sroa.08.0.insert.insert.i = or disjoint i64 %.sroa.29.0.insert.shift.i, %.sroa.08.0.insert.ext.i
  %33 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.08.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %34, label %.noexc31
34:
  invoke void @_Z31__device_stub__Z7shiftedPPfPKfiPPfPKfi(ptr noundef %29, ptr noundef %27, i32 noundef %20)
          to label %.noexc31 unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
.noexc31:
  %35 = invoke i32 @cudaDeviceSynchronize()
          to label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit unwind label %_ZNSt6vectorIPfSaIS0_EED2Ev.exit34
36:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %36 ]
  %37 = getelementptr inbounds ptr, ptr %22, i64 %indvars.iv
  %38 = tail call noundef i32 @cudaMalloc(ptr noundef nonnull %37, i64 noundef %26)
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %36
_ZNSt6vectorIPfSaIS0_EED2Ev.exit:
  %39 = icmp ne i32 %35, 0
  %40 = zext i1 %39 to i32
  tail call void @_ZdlPvm(ptr noundef nonnull %22, i64 noundef %21)
  br label %42
_ZNSt6vectorIPfSaIS0_EED2Ev.exit34:
  %41 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %22, i64 noundef %21)
  resume { ptr, i32 } %41
42:
  %.125 = phi i32 [ 1, %5 ], [ %40, %_ZNSt6vectorIPfSaIS0_EED2Ev.exit ], [ 1, %11 ]
  ret i32 %.125
}
declare void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef, i32 noundef) local_unnamed_addr
define hidden void @lines(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z26__device_stub__Z5linesPPfiPPfi(ptr noundef %0, i32 noundef %1)
  ret void
}
declare void @_Z31__device_stub__Z7shiftedPPfPKfiPPfPKfi(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
define hidden void @shifted(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z31__device_stub__Z7shiftedPPfPKfiPPfPKfi(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @shifted, ptr noundef nonnull @.str, ptr noundef nonnull @.str, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @lines, ptr noundef nonnull @.str.1, ptr noundef nonnull @.str.1, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
