target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
%class.Buffer = type { ptr, i64 }
%class.Buffer.0 = type { ptr, i64 }
%struct.Parameters = type { i32, i32, i32 }
%"class.std::__cxx11::basic_string" = type { %"struct.std::__cxx11::basic_string<char>::_Alloc_hider", i64, %union.anon }
%"struct.std::__cxx11::basic_string<char>::_Alloc_hider" = type { ptr }
%union.anon = type { i64, [8 x i8] }
$__clang_call_terminate = comdat any
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@.str = private unnamed_addr constant [8 x i8] c"THREADS\00", align 1
@.str.1 = private unnamed_addr constant [3 x i8] c"-w\00", align 1
@.str.2 = private unnamed_addr constant [3 x i8] c"-h\00", align 1
@.str.3 = private unnamed_addr constant [3 x i8] c"up\00", align 1
@.str.4 = private unnamed_addr constant [5 x i8] c"fold\00", align 1
@.str.5 = private unnamed_addr constant [50 x i8] c"basic_string: construction from null is not valid\00", align 1
@fatbinData = external constant [4245 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str.6 = private unnamed_addr constant [7 x i8] c"folded\00", align 1
@.str.7 = private unnamed_addr constant [10 x i8] c"ascending\00", align 1
@.str.8 = private unnamed_addr constant [25 x i8] c"_Z8instanceILi256EEvPiii\00", align 1
@.str.9 = private unnamed_addr constant [25 x i8] c"_Z8instanceILi128EEvPiii\00", align 1
@.str.10 = private unnamed_addr constant [24 x i8] c"_Z8instanceILi64EEvPiii\00", align 1
@.str.11 = private unnamed_addr constant [7 x i8] c"spread\00", align 1
@.str.12 = private unnamed_addr constant [7 x i8] c"turned\00", align 1
@.str.13 = private unnamed_addr constant [5 x i8] c"part\00", align 1
@.str.14 = private unnamed_addr constant [8 x i8] c"reverse\00", align 1
@.str.15 = private unnamed_addr constant [8 x i8] c"pitched\00", align 1
@.str.16 = private unnamed_addr constant [7 x i8] c"mirror\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local i32 @mirrored_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread15.i
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.fr.i = freeze i32 %8
  %9 = icmp slt i32 %.fr.i, 4
  br i1 %9, label %_ZL8mirroredILi1EEiiPPc.exit, label %10
10:
  %spec.select.i = tail call i32 @llvm.umin.i32(i32 %.fr.i, i32 1048576)
  br label %.thread15.i
.thread15.i:
  %11 = phi i32 [ 256, %2 ], [ %spec.select.i, %10 ]
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %12 = zext i32 %11 to i64
  %13 = shl nuw nsw i64 %12, 1
  store ptr null, ptr %3, align 8
  %14 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 %13, ptr %14, align 8
  %15 = shl nuw nsw i64 %12, 3
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %15)
  %17 = load ptr, ptr %3, align 8
  %18 = load i64, ptr %14, align 8
  %19 = shl i64 %18, 2
  %20 = invoke i32 @cudaMemset(ptr noundef %17, i32 noundef 0, i64 noundef %19)
          to label %_ZN6BufferIiE5clearEv.exit.i unwind label %35
_ZN6BufferIiE5clearEv.exit.i:
  %21 = add nuw nsw i32 %11, 127
  %22 = lshr i32 %21, 7
  %.sroa.07.0.insert.ext.i = zext i32 %22 to i64
  %.sroa.07.0.insert.insert.i = or i64 %.sroa.07.0.insert.ext.i, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %23, 0
  br i1 %.not.i, label %24, label %mirror.exit.i
24:
  %25 = shl nuw nsw i32 %11, 1
  %26 = add nsw i32 %25, -1
  invoke void @_Z27__device_stub__Z6mirrorPiiiPiii(ptr noundef %17, i32 noundef %11, i32 noundef %26)
          to label %mirror.exit.i unwind label %35
mirror.exit.i:
  %27 = invoke i32 @cudaDeviceSynchronize()
          to label %28 unwind label %35
28:
  %29 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %30
30:
  %31 = landingpad { ptr, i32 }
          catch ptr null
  %32 = extractvalue { ptr, i32 } %31, 0
  tail call void @__clang_call_terminate(ptr %32)
  unreachable
_ZN6BufferIiED2Ev.exit.i:
  %33 = icmp ne i32 %27, 0
  %34 = zext i1 %33 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %_ZL8mirroredILi1EEiiPPc.exit
35:
  %36 = landingpad { ptr, i32 }
          cleanup
  %37 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit6.i unwind label %38
38:
  %39 = landingpad { ptr, i32 }
          catch ptr null
  %40 = extractvalue { ptr, i32 } %39, 0
  tail call void @__clang_call_terminate(ptr %40)
  unreachable
_ZN6BufferIiED2Ev.exit6.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %36
_ZL8mirroredILi1EEiiPPc.exit:
  %.0.i = phi i32 [ %34, %_ZN6BufferIiED2Ev.exit.i ], [ 1, %5 ]
  ret i32 %.0.i
}
define dso_local i32 @mirrored_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread15.i
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.fr.i = freeze i32 %8
  %9 = icmp slt i32 %.fr.i, 4
  br i1 %9, label %_ZL8mirroredILi3EEiiPPc.exit, label %10
10:
  %spec.select.i = tail call i32 @llvm.umin.i32(i32 %.fr.i, i32 1048576)
  br label %.thread15.i
.thread15.i:
  %11 = phi i32 [ 256, %2 ], [ %spec.select.i, %10 ]
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %12 = zext i32 %11 to i64
  %13 = shl nuw nsw i64 %12, 1
  store ptr null, ptr %3, align 8
  %14 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 %13, ptr %14, align 8
  %15 = shl nuw nsw i64 %12, 3
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %15)
  %17 = load ptr, ptr %3, align 8
  %18 = load i64, ptr %14, align 8
  %19 = shl i64 %18, 2
  %20 = invoke i32 @cudaMemset(ptr noundef %17, i32 noundef 0, i64 noundef %19)
          to label %_ZN6BufferIiE5clearEv.exit.i unwind label %35
_ZN6BufferIiE5clearEv.exit.i:
  %21 = add nuw nsw i32 %11, 127
  %22 = lshr i32 %21, 7
  %.sroa.07.0.insert.ext.i = zext i32 %22 to i64
  %.sroa.07.0.insert.insert.i = or i64 %.sroa.07.0.insert.ext.i, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.07.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %23, 0
  br i1 %.not.i, label %24, label %mirror.exit.i
24:
  %25 = shl nuw nsw i32 %11, 1
  %26 = add nsw i32 %25, -3
  invoke void @_Z27__device_stub__Z6mirrorPiiiPiii(ptr noundef %17, i32 noundef %11, i32 noundef %26)
          to label %mirror.exit.i unwind label %35
mirror.exit.i:
  %27 = invoke i32 @cudaDeviceSynchronize()
          to label %28 unwind label %35
28:
  %29 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %30
30:
  %31 = landingpad { ptr, i32 }
          catch ptr null
  %32 = extractvalue { ptr, i32 } %31, 0
  tail call void @__clang_call_terminate(ptr %32)
  unreachable
_ZN6BufferIiED2Ev.exit.i:
  %33 = icmp ne i32 %27, 0
  %34 = zext i1 %33 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %_ZL8mirroredILi3EEiiPPc.exit
35:
  %36 = landingpad { ptr, i32 }
          cleanup
  %37 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit6.i unwind label %38
38:
  %39 = landingpad { ptr, i32 }
          catch ptr null
  %40 = extractvalue { ptr, i32 } %39, 0
  tail call void @__clang_call_terminate(ptr %40)
  unreachable
_ZN6BufferIiED2Ev.exit6.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %36
_ZL8mirroredILi3EEiiPPc.exit:
  %.0.i = phi i32 [ %34, %_ZN6BufferIiED2Ev.exit.i ], [ 1, %5 ]
  ret i32 %.0.i
}
define dso_local i32 @pitched_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = icmp slt i32 %0, 3
  br i1 %5, label %_ZL4rowsiPPci.exit, label %6
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = getelementptr inbounds ptr, ptr %1, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  %13 = add i32 %9, -4001
  %or.cond.i = icmp ult i32 %13, -4000
  %14 = icmp slt i32 %12, 1
  %or.cond3.i = select i1 %or.cond.i, i1 true, i1 %14
  %15 = icmp sgt i32 %12, 4000
  %or.cond5.i = select i1 %or.cond3.i, i1 true, i1 %15
  br i1 %or.cond5.i, label %_ZL4rowsiPPci.exit, label %16
16:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %17 = zext i32 %9 to i64
  %18 = shl nuw nsw i64 %17, 2
  %19 = zext i32 %12 to i64
  %20 = call i32 @cudaMallocPitch(ptr noundef nonnull %3, ptr noundef nonnull %4, i64 noundef %18, i64 noundef %19)
  %.not.i = icmp eq i32 %20, 0
  br i1 %.not.i, label %21, label %31
21:
  %.lhs.trunc.i = add nuw nsw i32 %9, 63
  %22 = lshr i32 %.lhs.trunc.i, 6
  %.sroa.225.0.insert.shift.i = shl nuw nsw i64 %19, 32
  %.sroa.024.0.insert.ext.i = zext i32 %22 to i64
  %.sroa.024.0.insert.insert.i = or i64 %.sroa.225.0.insert.shift.i, %.sroa.024.0.insert.ext.i
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.024.0.insert.insert.i, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not23.i = icmp eq i32 %23, 0
  br i1 %.not23.i, label %24, label %27
24:
  %25 = load ptr, ptr %3, align 8
  %26 = load i64, ptr %4, align 8
  tail call void @_Z29__device_stub__Z7pitchedPcmiiPcmii(ptr noundef %25, i64 noundef %26, i32 noundef %9, i32 noundef %12)
  br label %27
27:
  %28 = tail call i32 @cudaDeviceSynchronize()
  %29 = icmp ne i32 %28, 0
  %30 = zext i1 %29 to i32
  br label %31
31:
  %.0.i = phi i32 [ %30, %27 ], [ 3, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %_ZL4rowsiPPci.exit
_ZL4rowsiPPci.exit:
  %.2.i = phi i32 [ 1, %2 ], [ %.0.i, %31 ], [ 2, %6 ]
  ret i32 %.2.i
}
define dso_local i32 @pitched_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = icmp slt i32 %0, 3
  br i1 %5, label %_ZL4rowsiPPci.exit, label %6
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = getelementptr inbounds ptr, ptr %1, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  %13 = add i32 %9, -4001
  %or.cond.i = icmp ult i32 %13, -4000
  %14 = icmp slt i32 %12, 1
  %or.cond3.i = select i1 %or.cond.i, i1 true, i1 %14
  %15 = icmp sgt i32 %12, 4000
  %or.cond5.i = select i1 %or.cond3.i, i1 true, i1 %15
  br i1 %or.cond5.i, label %_ZL4rowsiPPci.exit, label %16
16:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %17 = zext i32 %9 to i64
  %18 = shl nuw nsw i64 %17, 2
  %19 = zext i32 %12 to i64
  %20 = call i32 @cudaMallocPitch(ptr noundef nonnull %3, ptr noundef nonnull %4, i64 noundef %18, i64 noundef %19)
  %.not.i = icmp eq i32 %20, 0
  br i1 %.not.i, label %21, label %32
21:
  %.lhs.trunc.i = add nuw nsw i32 %9, 63
  %22 = lshr i32 %.lhs.trunc.i, 6
  %.sroa.225.0.insert.shift.i = shl nuw nsw i64 %19, 32
  %.sroa.024.0.insert.ext.i = zext i32 %22 to i64
  %.sroa.024.0.insert.insert.i = or i64 %.sroa.225.0.insert.shift.i, %.sroa.024.0.insert.ext.i
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.024.0.insert.insert.i, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not23.i = icmp eq i32 %23, 0
  br i1 %.not23.i, label %24, label %28
24:
  %25 = load ptr, ptr %3, align 8
  %26 = load i64, ptr %4, align 8
  %27 = lshr i64 %26, 2
  tail call void @_Z29__device_stub__Z7pitchedPcmiiPcmii(ptr noundef %25, i64 noundef %27, i32 noundef %9, i32 noundef %12)
  br label %28
28:
  %29 = tail call i32 @cudaDeviceSynchronize()
  %30 = icmp ne i32 %29, 0
  %31 = zext i1 %30 to i32
  br label %32
32:
  %.0.i = phi i32 [ %31, %28 ], [ 3, %16 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %_ZL4rowsiPPci.exit
_ZL4rowsiPPci.exit:
  %.2.i = phi i32 [ 1, %2 ], [ %.0.i, %32 ], [ 2, %6 ]
  ret i32 %.2.i
}
define dso_local i32 @environment_clean(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer, align 8
  %4 = tail call ptr @getenv(ptr noundef nonnull @.str)
  %.not.i = icmp eq ptr %4, null
  br i1 %.not.i, label %.thread27.i, label %5
5:
  %6 = tail call i32 @atoi(ptr nocapture noundef nonnull %4)
  %.fr.i = freeze i32 %6
  %7 = icmp sgt i32 %.fr.i, 1024
  br i1 %7, label %.thread27.i, label %8
8:
  %9 = icmp sgt i32 %.fr.i, 32
  br i1 %9, label %.thread27.i, label %11
.thread27.i:
  %10 = phi i32 [ %.fr.i, %8 ], [ 1024, %5 ], [ 128, %2 ]
  br label %11
11:
  %12 = phi i32 [ %10, %.thread27.i ], [ 32, %8 ]
  %.lhs.trunc.i = add nuw nsw i32 %12, 31
  %.zext.i = and i32 %.lhs.trunc.i, 65504
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr null, ptr %3, align 8
  %13 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 16448, ptr %13, align 8
  %14 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 65792)
  %15 = load ptr, ptr %3, align 8
  %16 = load i64, ptr %13, align 8
  %17 = shl i64 %16, 2
  %18 = invoke i32 @cudaMemset(ptr noundef %15, i32 noundef 0, i64 noundef %17)
          to label %_ZN6BufferIiE5clearEv.exit.i unwind label %30
_ZN6BufferIiE5clearEv.exit.i:
  %19 = shl nuw nsw i32 %.zext.i, 2
  %20 = zext i32 %19 to i64
  %.sroa.0.0.insert.ext.i = zext i32 %.zext.i to i64
  %.sroa.0.0.insert.insert.i = or i64 %.sroa.0.0.insert.ext.i, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 4294967312, i32 1, i64 %.sroa.0.0.insert.insert.i, i32 1, i64 noundef %20, ptr noundef null)
  %.not6.i = icmp eq i32 %21, 0
  br i1 %.not6.i, label %22, label %reverse.exit.i
22:
  %23 = add nsw i32 %.zext.i, -1
  invoke void @_Z27__device_stub__Z7reversePiiPii(ptr noundef %15, i32 noundef %23)
          to label %reverse.exit.i unwind label %30
reverse.exit.i:
  %24 = invoke i32 @cudaDeviceSynchronize()
          to label %25 unwind label %30
25:
  %26 = invoke i32 @cudaFree(ptr noundef %15)
          to label %_ZL11environmenti.exit unwind label %27
27:
  %28 = landingpad { ptr, i32 }
          catch ptr null
  %29 = extractvalue { ptr, i32 } %28, 0
  tail call void @__clang_call_terminate(ptr %29)
  unreachable
30:
  %31 = landingpad { ptr, i32 }
          cleanup
  %32 = invoke i32 @cudaFree(ptr noundef %15)
          to label %_ZN6BufferIiED2Ev.exit8.i unwind label %33
33:
  %34 = landingpad { ptr, i32 }
          catch ptr null
  %35 = extractvalue { ptr, i32 } %34, 0
  tail call void @__clang_call_terminate(ptr %35)
  unreachable
_ZN6BufferIiED2Ev.exit8.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %31
_ZL11environmenti.exit:
  %36 = icmp ne i32 %24, 0
  %37 = zext i1 %36 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  ret i32 %37
}
define dso_local i32 @environment_race(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer, align 8
  %4 = tail call ptr @getenv(ptr noundef nonnull @.str)
  %.not.i = icmp eq ptr %4, null
  br i1 %.not.i, label %.thread27.i, label %5
5:
  %6 = tail call i32 @atoi(ptr nocapture noundef nonnull %4)
  %.fr.i = freeze i32 %6
  %7 = icmp sgt i32 %.fr.i, 1024
  br i1 %7, label %.thread27.i, label %8
8:
  %9 = icmp sgt i32 %.fr.i, 32
  br i1 %9, label %.thread27.i, label %11
.thread27.i:
  %10 = phi i32 [ %.fr.i, %8 ], [ 1024, %5 ], [ 128, %2 ]
  br label %11
11:
  %12 = phi i32 [ %10, %.thread27.i ], [ 32, %8 ]
  %.lhs.trunc.i = add nuw nsw i32 %12, 31
  %.zext.i = and i32 %.lhs.trunc.i, 65504
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr null, ptr %3, align 8
  %13 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 16448, ptr %13, align 8
  %14 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 65792)
  %15 = load ptr, ptr %3, align 8
  %16 = load i64, ptr %13, align 8
  %17 = shl i64 %16, 2
  %18 = invoke i32 @cudaMemset(ptr noundef %15, i32 noundef 0, i64 noundef %17)
          to label %_ZN6BufferIiE5clearEv.exit.i unwind label %30
_ZN6BufferIiE5clearEv.exit.i:
  %19 = shl nuw nsw i32 %.zext.i, 2
  %20 = zext i32 %19 to i64
  %.sroa.0.0.insert.ext.i = zext i32 %.zext.i to i64
  %.sroa.0.0.insert.insert.i = or i64 %.sroa.0.0.insert.ext.i, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 4294967312, i32 1, i64 %.sroa.0.0.insert.insert.i, i32 1, i64 noundef %20, ptr noundef null)
  %.not6.i = icmp eq i32 %21, 0
  br i1 %.not6.i, label %22, label %reverse.exit.i
22:
  %23 = or i32 %.zext.i, 15
  invoke void @_Z27__device_stub__Z7reversePiiPii(ptr noundef %15, i32 noundef %23)
          to label %reverse.exit.i unwind label %30
reverse.exit.i:
  %24 = invoke i32 @cudaDeviceSynchronize()
          to label %25 unwind label %30
25:
  %26 = invoke i32 @cudaFree(ptr noundef %15)
          to label %_ZL11environmenti.exit unwind label %27
27:
  %28 = landingpad { ptr, i32 }
          catch ptr null
  %29 = extractvalue { ptr, i32 } %28, 0
  tail call void @__clang_call_terminate(ptr %29)
  unreachable
30:
  %31 = landingpad { ptr, i32 }
          cleanup
  %32 = invoke i32 @cudaFree(ptr noundef %15)
          to label %_ZN6BufferIiED2Ev.exit8.i unwind label %33
33:
  %34 = landingpad { ptr, i32 }
          catch ptr null
  %35 = extractvalue { ptr, i32 } %34, 0
  tail call void @__clang_call_terminate(ptr %35)
  unreachable
_ZN6BufferIiED2Ev.exit8.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %31
_ZL11environmenti.exit:
  %36 = icmp ne i32 %24, 0
  %37 = zext i1 %36 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  ret i32 %37
}
define dso_local i32 @streams_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca [4 x ptr], align 16
  %4 = alloca %class.Buffer, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread.i
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -1048577
  %or.cond.i = icmp ult i32 %10, -1048561
  br i1 %or.cond.i, label %_ZL7streamsiPPci.exit, label %.thread.i
.thread.i:
  %11 = phi i32 [ %9, %6 ], [ 4096, %2 ]
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %3)
  br label %21
12:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  %13 = sext i32 %11 to i64
  store ptr null, ptr %4, align 8
  %14 = getelementptr inbounds %class.Buffer, ptr %4, i64 0, i32 1
  store i64 %13, ptr %14, align 8
  %15 = shl nsw i64 %13, 2
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %17 = load ptr, ptr %4, align 8
  %18 = load i64, ptr %14, align 8
  %19 = shl i64 %18, 2
  %20 = invoke i32 @cudaMemset(ptr noundef %17, i32 noundef 0, i64 noundef %19)
          to label %_ZN6BufferIiE5clearEv.exit.i unwind label %28
21:
  %.028.idx48.i = phi i64 [ 0, %.thread.i ], [ %.028.add.i, %21 ]
  %.028.ptr.i = getelementptr inbounds ptr, ptr %3, i64 %.028.idx48.i
  %22 = call i32 @cudaStreamCreate(ptr noundef nonnull %.028.ptr.i)
  %.028.add.i = add nuw nsw i64 %.028.idx48.i, 1
  %.not.i = icmp eq i64 %.028.add.i, 4
  br i1 %.not.i, label %12, label %21
_ZN6BufferIiE5clearEv.exit.i:
  %23 = add nsw i32 %11, 3
  %24 = sdiv i32 %23, 4
  %25 = sext i32 %24 to i64
  br label %30
26:
  %27 = invoke i32 @cudaDeviceSynchronize()
          to label %46 unwind label %53
28:
  %29 = landingpad { ptr, i32 }
          cleanup
  br label %55
30:
  %indvars.iv.i = phi i64 [ 0, %_ZN6BufferIiE5clearEv.exit.i ], [ %indvars.iv.next.i, %part.exit.i ]
  %31 = mul nsw i64 %indvars.iv.i, %25
  %32 = trunc i64 %31 to i32
  %33 = add i32 %24, %32
  %.sroa.speculated.i = tail call i32 @llvm.smin.i32(i32 %33, i32 %11)
  %34 = sext i32 %.sroa.speculated.i to i64
  %35 = icmp slt i64 %31, %34
  br i1 %35, label %36, label %part.exit.i
36:
  %37 = sub i32 255, %32
  %38 = add i32 %37, %.sroa.speculated.i
  %39 = sdiv i32 %38, 256
  %40 = getelementptr inbounds [4 x ptr], ptr %3, i64 0, i64 %indvars.iv.i
  %41 = load ptr, ptr %40, align 8
  %.sroa.039.0.insert.ext.i = zext i32 %39 to i64
  %.sroa.039.0.insert.insert.i = or i64 %.sroa.039.0.insert.ext.i, 4294967296
  %42 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.039.0.insert.insert.i, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef %41)
  %.not37.i = icmp eq i32 %42, 0
  br i1 %.not37.i, label %43, label %part.exit.i
43:
  invoke void @_Z26__device_stub__Z4partPiiiiPiiii(ptr noundef %17, i32 noundef %32, i32 noundef %.sroa.speculated.i, i32 noundef 1)
          to label %part.exit.i unwind label %44
44:
  %45 = landingpad { ptr, i32 }
          cleanup
  br label %55
part.exit.i:
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  %exitcond.not.i = icmp eq i64 %indvars.iv.next.i, 4
  br i1 %exitcond.not.i, label %26, label %30
46:
  %47 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %48
48:
  %49 = landingpad { ptr, i32 }
          catch ptr null
  %50 = extractvalue { ptr, i32 } %49, 0
  tail call void @__clang_call_terminate(ptr %50)
  unreachable
_ZN6BufferIiED2Ev.exit.i:
  %51 = icmp ne i32 %27, 0
  %52 = zext i1 %51 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %3)
  br label %_ZL7streamsiPPci.exit
53:
  %54 = landingpad { ptr, i32 }
          cleanup
  br label %55
55:
  %.pn.pn.i = phi { ptr, i32 } [ %29, %28 ], [ %45, %44 ], [ %54, %53 ]
  %56 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit38.i unwind label %57
57:
  %58 = landingpad { ptr, i32 }
          catch ptr null
  %59 = extractvalue { ptr, i32 } %58, 0
  tail call void @__clang_call_terminate(ptr %59)
  unreachable
_ZN6BufferIiED2Ev.exit38.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %3)
  resume { ptr, i32 } %.pn.pn.i
_ZL7streamsiPPci.exit:
  %.0.i = phi i32 [ %52, %_ZN6BufferIiED2Ev.exit.i ], [ 1, %6 ]
  ret i32 %.0.i
}
define dso_local i32 @streams_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca [4 x ptr], align 16
  %4 = alloca %class.Buffer, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread.i
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -1048577
  %or.cond.i = icmp ult i32 %10, -1048561
  br i1 %or.cond.i, label %_ZL7streamsiPPci.exit, label %.thread.i
.thread.i:
  %11 = phi i32 [ %9, %6 ], [ 4096, %2 ]
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %3)
  br label %21
12:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  %13 = sext i32 %11 to i64
  store ptr null, ptr %4, align 8
  %14 = getelementptr inbounds %class.Buffer, ptr %4, i64 0, i32 1
  store i64 %13, ptr %14, align 8
  %15 = shl nsw i64 %13, 2
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %17 = load ptr, ptr %4, align 8
  %18 = load i64, ptr %14, align 8
  %19 = shl i64 %18, 2
  %20 = invoke i32 @cudaMemset(ptr noundef %17, i32 noundef 0, i64 noundef %19)
          to label %_ZN6BufferIiE5clearEv.exit.i unwind label %28
21:
  %.028.idx48.i = phi i64 [ 0, %.thread.i ], [ %.028.add.i, %21 ]
  %.028.ptr.i = getelementptr inbounds ptr, ptr %3, i64 %.028.idx48.i
  %22 = call i32 @cudaStreamCreate(ptr noundef nonnull %.028.ptr.i)
  %.028.add.i = add nuw nsw i64 %.028.idx48.i, 1
  %.not.i = icmp eq i64 %.028.add.i, 4
  br i1 %.not.i, label %12, label %21
_ZN6BufferIiE5clearEv.exit.i:
  %23 = add nsw i32 %11, 3
  %24 = sdiv i32 %23, 4
  %25 = sext i32 %24 to i64
  br label %30
26:
  %27 = invoke i32 @cudaDeviceSynchronize()
          to label %46 unwind label %53
28:
  %29 = landingpad { ptr, i32 }
          cleanup
  br label %55
30:
  %indvars.iv.i = phi i64 [ 0, %_ZN6BufferIiE5clearEv.exit.i ], [ %indvars.iv.next.i, %part.exit.i ]
  %31 = mul nsw i64 %indvars.iv.i, %25
  %32 = trunc i64 %31 to i32
  %33 = add i32 %24, %32
  %.sroa.speculated.i = tail call i32 @llvm.smin.i32(i32 %33, i32 %11)
  %34 = sext i32 %.sroa.speculated.i to i64
  %35 = icmp slt i64 %31, %34
  br i1 %35, label %36, label %part.exit.i
36:
  %37 = sub i32 255, %32
  %38 = add i32 %37, %.sroa.speculated.i
  %39 = sdiv i32 %38, 256
  %40 = getelementptr inbounds [4 x ptr], ptr %3, i64 0, i64 %indvars.iv.i
  %41 = load ptr, ptr %40, align 8
  %.sroa.039.0.insert.ext.i = zext i32 %39 to i64
  %.sroa.039.0.insert.insert.i = or i64 %.sroa.039.0.insert.ext.i, 4294967296
  %42 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.039.0.insert.insert.i, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef %41)
  %.not37.i = icmp eq i32 %42, 0
  br i1 %.not37.i, label %43, label %part.exit.i
43:
  invoke void @_Z26__device_stub__Z4partPiiiiPiiii(ptr noundef %17, i32 noundef %32, i32 noundef %.sroa.speculated.i, i32 noundef 2)
          to label %part.exit.i unwind label %44
44:
  %45 = landingpad { ptr, i32 }
          cleanup
  br label %55
part.exit.i:
  %indvars.iv.next.i = add nuw nsw i64 %indvars.iv.i, 1
  %exitcond.not.i = icmp eq i64 %indvars.iv.next.i, 4
  br i1 %exitcond.not.i, label %26, label %30
46:
  %47 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %48
48:
  %49 = landingpad { ptr, i32 }
          catch ptr null
  %50 = extractvalue { ptr, i32 } %49, 0
  tail call void @__clang_call_terminate(ptr %50)
  unreachable
_ZN6BufferIiED2Ev.exit.i:
  %51 = icmp ne i32 %27, 0
  %52 = zext i1 %51 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %3)
  br label %_ZL7streamsiPPci.exit
53:
  %54 = landingpad { ptr, i32 }
          cleanup
  br label %55
55:
  %.pn.pn.i = phi { ptr, i32 } [ %29, %28 ], [ %45, %44 ], [ %54, %53 ]
  %56 = invoke i32 @cudaFree(ptr noundef %17)
          to label %_ZN6BufferIiED2Ev.exit38.i unwind label %57
57:
  %58 = landingpad { ptr, i32 }
          catch ptr null
  %59 = extractvalue { ptr, i32 } %58, 0
  tail call void @__clang_call_terminate(ptr %59)
  unreachable
_ZN6BufferIiED2Ev.exit38.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %3)
  resume { ptr, i32 } %.pn.pn.i
_ZL7streamsiPPci.exit:
  %.0.i = phi i32 [ %52, %_ZN6BufferIiED2Ev.exit.i ], [ 1, %6 ]
  ret i32 %.0.i
}
define dso_local i32 @turned_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer.0, align 8
  %4 = alloca %class.Buffer.0, align 8
  %.not62.i = icmp sgt i32 %0, 1
  br i1 %.not62.i, label %.lr.ph.i, label %.critedge.i
.lr.ph.i:
  %.03765.i = phi i32 [ %.138.i, %27 ], [ 64, %2 ]
  %.03964.i = phi i32 [ %.140.i, %27 ], [ 48, %2 ]
  %.04163.i = phi i32 [ %28, %27 ], [ 1, %2 ]
  %5 = sext i32 %.04163.i to i64
  %6 = getelementptr inbounds ptr, ptr %1, i64 %5
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %7, ptr noundef nonnull dereferenceable(3) @.str.1)
  %.not50.i = icmp eq i32 %8, 0
  br i1 %.not50.i, label %9, label %17
9:
  %10 = add nsw i32 %.04163.i, 1
  %11 = icmp slt i32 %10, %0
  br i1 %11, label %12, label %17
12:
  %13 = sext i32 %10 to i64
  %14 = getelementptr inbounds ptr, ptr %1, i64 %13
  %15 = load ptr, ptr %14, align 8
  %16 = tail call i32 @atoi(ptr nocapture noundef %15)
  br label %27
17:
  %18 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %7, ptr noundef nonnull dereferenceable(3) @.str.2)
  %.not51.i = icmp eq i32 %18, 0
  br i1 %.not51.i, label %19, label %_ZL4turniPPci.exit
19:
  %20 = add nsw i32 %.04163.i, 1
  %21 = icmp slt i32 %20, %0
  br i1 %21, label %22, label %_ZL4turniPPci.exit
22:
  %23 = sext i32 %20 to i64
  %24 = getelementptr inbounds ptr, ptr %1, i64 %23
  %25 = load ptr, ptr %24, align 8
  %26 = tail call i32 @atoi(ptr nocapture noundef %25)
  br label %27
27:
  %.142.i = phi i32 [ %20, %22 ], [ %10, %12 ]
  %.140.i = phi i32 [ %26, %22 ], [ %.03964.i, %12 ]
  %.138.i = phi i32 [ %.03765.i, %22 ], [ %16, %12 ]
  %28 = add nsw i32 %.142.i, 1
  %.not.i = icmp slt i32 %28, %0
  br i1 %.not.i, label %.lr.ph.i, label %.critedge.i
.critedge.i:
  %.039.lcssa.i = phi i32 [ 48, %2 ], [ %.140.i, %27 ]
  %.037.lcssa.i = phi i32 [ 64, %2 ], [ %.138.i, %27 ]
  %29 = icmp slt i32 %.039.lcssa.i, 1
  %30 = add i32 %.037.lcssa.i, -2049
  %31 = icmp ult i32 %30, -2048
  %or.cond3.i = select i1 %31, i1 true, i1 %29
  %32 = icmp sgt i32 %.039.lcssa.i, 2048
  %or.cond5.i = select i1 %or.cond3.i, i1 true, i1 %32
  br i1 %or.cond5.i, label %_ZL4turniPPci.exit, label %33
33:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %34 = mul nuw nsw i32 %.037.lcssa.i, %.039.lcssa.i
  %35 = zext i32 %34 to i64
  store ptr null, ptr %3, align 8
  %36 = getelementptr inbounds %class.Buffer.0, ptr %3, i64 0, i32 1
  store i64 %35, ptr %36, align 8
  %37 = shl nuw nsw i64 %35, 2
  %38 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %37)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  store ptr null, ptr %4, align 8
  %39 = getelementptr inbounds %class.Buffer.0, ptr %4, i64 0, i32 1
  store i64 4194304, ptr %39, align 8
  %40 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %41 = load ptr, ptr %3, align 8
  %42 = load i64, ptr %36, align 8
  %43 = shl i64 %42, 2
  %44 = invoke i32 @cudaMemset(ptr noundef %41, i32 noundef 0, i64 noundef %43)
          to label %_ZN6BufferIfE5clearEv.exit.i unwind label %63
_ZN6BufferIfE5clearEv.exit.i:
  %.lhs.trunc.i = add nuw nsw i32 %.037.lcssa.i, 15
  %45 = lshr i32 %.lhs.trunc.i, 4
  %.lhs.trunc58.i = add nuw nsw i32 %.039.lcssa.i, 15
  %46 = lshr i32 %.lhs.trunc58.i, 4
  %.sroa.256.0.insert.ext.i = zext i32 %46 to i64
  %.sroa.256.0.insert.shift.i = shl nuw nsw i64 %.sroa.256.0.insert.ext.i, 32
  %.sroa.055.0.insert.ext.i = zext i32 %45 to i64
  %.sroa.055.0.insert.insert.i = or i64 %.sroa.256.0.insert.shift.i, %.sroa.055.0.insert.ext.i
  %47 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.055.0.insert.insert.i, i32 1, i64 68719476752, i32 1, i64 noundef 0, ptr noundef null)
  %.not49.i = icmp eq i32 %47, 0
  br i1 %.not49.i, label %48, label %turned.exit.i
48:
  %49 = load ptr, ptr %4, align 8
  invoke void @_Z31__device_stub__Z6turnedPfPKfiiiPfPKfiii(ptr noundef %49, ptr noundef %41, i32 noundef %.037.lcssa.i, i32 noundef %.039.lcssa.i, i32 noundef %.039.lcssa.i)
          to label %turned.exit.i unwind label %63
turned.exit.i:
  %50 = invoke i32 @cudaDeviceSynchronize()
          to label %51 unwind label %63
51:
  %52 = icmp ne i32 %50, 0
  %53 = zext i1 %52 to i32
  %54 = load ptr, ptr %4, align 8
  %55 = invoke i32 @cudaFree(ptr noundef %54)
          to label %_ZN6BufferIfED2Ev.exit.i unwind label %56
56:
  %57 = landingpad { ptr, i32 }
          catch ptr null
  %58 = extractvalue { ptr, i32 } %57, 0
  tail call void @__clang_call_terminate(ptr %58)
  unreachable
_ZN6BufferIfED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  %59 = invoke i32 @cudaFree(ptr noundef %41)
          to label %_ZN6BufferIfED2Ev.exit52.i unwind label %60
60:
  %61 = landingpad { ptr, i32 }
          catch ptr null
  %62 = extractvalue { ptr, i32 } %61, 0
  tail call void @__clang_call_terminate(ptr %62)
  unreachable
_ZN6BufferIfED2Ev.exit52.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %_ZL4turniPPci.exit
63:
  %64 = landingpad { ptr, i32 }
          cleanup
  %65 = load ptr, ptr %4, align 8
  %66 = invoke i32 @cudaFree(ptr noundef %65)
          to label %_ZN6BufferIfED2Ev.exit53.i unwind label %67
67:
  %68 = landingpad { ptr, i32 }
          catch ptr null
  %69 = extractvalue { ptr, i32 } %68, 0
  tail call void @__clang_call_terminate(ptr %69)
  unreachable
_ZN6BufferIfED2Ev.exit53.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  %70 = invoke i32 @cudaFree(ptr noundef %41)
          to label %_ZN6BufferIfED2Ev.exit54.i unwind label %71
71:
  %72 = landingpad { ptr, i32 }
          catch ptr null
  %73 = extractvalue { ptr, i32 } %72, 0
  tail call void @__clang_call_terminate(ptr %73)
  unreachable
_ZN6BufferIfED2Ev.exit54.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %64
_ZL4turniPPci.exit:
  %.1.i = phi i32 [ %53, %_ZN6BufferIfED2Ev.exit52.i ], [ 2, %.critedge.i ], [ 1, %19 ], [ 1, %17 ]
  ret i32 %.1.i
}
define dso_local i32 @turned_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer.0, align 8
  %4 = alloca %class.Buffer.0, align 8
  %.not62.i = icmp sgt i32 %0, 1
  br i1 %.not62.i, label %.lr.ph.i, label %.critedge.i
.lr.ph.i:
  %.03765.i = phi i32 [ %.138.i, %27 ], [ 64, %2 ]
  %.03964.i = phi i32 [ %.140.i, %27 ], [ 48, %2 ]
  %.04163.i = phi i32 [ %28, %27 ], [ 1, %2 ]
  %5 = sext i32 %.04163.i to i64
  %6 = getelementptr inbounds ptr, ptr %1, i64 %5
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %7, ptr noundef nonnull dereferenceable(3) @.str.1)
  %.not50.i = icmp eq i32 %8, 0
  br i1 %.not50.i, label %9, label %17
9:
  %10 = add nsw i32 %.04163.i, 1
  %11 = icmp slt i32 %10, %0
  br i1 %11, label %12, label %17
12:
  %13 = sext i32 %10 to i64
  %14 = getelementptr inbounds ptr, ptr %1, i64 %13
  %15 = load ptr, ptr %14, align 8
  %16 = tail call i32 @atoi(ptr nocapture noundef %15)
  br label %27
17:
  %18 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %7, ptr noundef nonnull dereferenceable(3) @.str.2)
  %.not51.i = icmp eq i32 %18, 0
  br i1 %.not51.i, label %19, label %_ZL4turniPPci.exit
19:
  %20 = add nsw i32 %.04163.i, 1
  %21 = icmp slt i32 %20, %0
  br i1 %21, label %22, label %_ZL4turniPPci.exit
22:
  %23 = sext i32 %20 to i64
  %24 = getelementptr inbounds ptr, ptr %1, i64 %23
  %25 = load ptr, ptr %24, align 8
  %26 = tail call i32 @atoi(ptr nocapture noundef %25)
  br label %27
27:
  %.142.i = phi i32 [ %20, %22 ], [ %10, %12 ]
  %.140.i = phi i32 [ %26, %22 ], [ %.03964.i, %12 ]
  %.138.i = phi i32 [ %.03765.i, %22 ], [ %16, %12 ]
  %28 = add nsw i32 %.142.i, 1
  %.not.i = icmp slt i32 %28, %0
  br i1 %.not.i, label %.lr.ph.i, label %.critedge.i
.critedge.i:
  %.039.lcssa.i = phi i32 [ 48, %2 ], [ %.140.i, %27 ]
  %.037.lcssa.i = phi i32 [ 64, %2 ], [ %.138.i, %27 ]
  %29 = icmp slt i32 %.039.lcssa.i, 1
  %30 = add i32 %.037.lcssa.i, -2049
  %31 = icmp ult i32 %30, -2048
  %or.cond3.i = select i1 %31, i1 true, i1 %29
  %32 = icmp sgt i32 %.039.lcssa.i, 2048
  %or.cond5.i = select i1 %or.cond3.i, i1 true, i1 %32
  br i1 %or.cond5.i, label %_ZL4turniPPci.exit, label %33
33:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %34 = mul nuw nsw i32 %.037.lcssa.i, %.039.lcssa.i
  %35 = zext i32 %34 to i64
  store ptr null, ptr %3, align 8
  %36 = getelementptr inbounds %class.Buffer.0, ptr %3, i64 0, i32 1
  store i64 %35, ptr %36, align 8
  %37 = shl nuw nsw i64 %35, 2
  %38 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %37)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  store ptr null, ptr %4, align 8
  %39 = getelementptr inbounds %class.Buffer.0, ptr %4, i64 0, i32 1
  store i64 4194304, ptr %39, align 8
  %40 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %41 = load ptr, ptr %3, align 8
  %42 = load i64, ptr %36, align 8
  %43 = shl i64 %42, 2
  %44 = invoke i32 @cudaMemset(ptr noundef %41, i32 noundef 0, i64 noundef %43)
          to label %_ZN6BufferIfE5clearEv.exit.i unwind label %64
_ZN6BufferIfE5clearEv.exit.i:
  %.lhs.trunc.i = add nuw nsw i32 %.037.lcssa.i, 15
  %45 = lshr i32 %.lhs.trunc.i, 4
  %.lhs.trunc58.i = add nuw nsw i32 %.039.lcssa.i, 15
  %46 = lshr i32 %.lhs.trunc58.i, 4
  %.sroa.256.0.insert.ext.i = zext i32 %46 to i64
  %.sroa.256.0.insert.shift.i = shl nuw nsw i64 %.sroa.256.0.insert.ext.i, 32
  %.sroa.055.0.insert.ext.i = zext i32 %45 to i64
  %.sroa.055.0.insert.insert.i = or i64 %.sroa.256.0.insert.shift.i, %.sroa.055.0.insert.ext.i
  %47 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.055.0.insert.insert.i, i32 1, i64 68719476752, i32 1, i64 noundef 0, ptr noundef null)
  %.not49.i = icmp eq i32 %47, 0
  br i1 %.not49.i, label %48, label %turned.exit.i
48:
  %49 = load ptr, ptr %4, align 8
  %50 = add nsw i32 %.039.lcssa.i, -1
  invoke void @_Z31__device_stub__Z6turnedPfPKfiiiPfPKfiii(ptr noundef %49, ptr noundef %41, i32 noundef %.037.lcssa.i, i32 noundef %.039.lcssa.i, i32 noundef %50)
          to label %turned.exit.i unwind label %64
turned.exit.i:
  %51 = invoke i32 @cudaDeviceSynchronize()
          to label %52 unwind label %64
52:
  %53 = icmp ne i32 %51, 0
  %54 = zext i1 %53 to i32
  %55 = load ptr, ptr %4, align 8
  %56 = invoke i32 @cudaFree(ptr noundef %55)
          to label %_ZN6BufferIfED2Ev.exit.i unwind label %57
57:
  %58 = landingpad { ptr, i32 }
          catch ptr null
  %59 = extractvalue { ptr, i32 } %58, 0
  tail call void @__clang_call_terminate(ptr %59)
  unreachable
_ZN6BufferIfED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  %60 = invoke i32 @cudaFree(ptr noundef %41)
          to label %_ZN6BufferIfED2Ev.exit52.i unwind label %61
61:
  %62 = landingpad { ptr, i32 }
          catch ptr null
  %63 = extractvalue { ptr, i32 } %62, 0
  tail call void @__clang_call_terminate(ptr %63)
  unreachable
_ZN6BufferIfED2Ev.exit52.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %_ZL4turniPPci.exit
64:
  %65 = landingpad { ptr, i32 }
          cleanup
  %66 = load ptr, ptr %4, align 8
  %67 = invoke i32 @cudaFree(ptr noundef %66)
          to label %_ZN6BufferIfED2Ev.exit53.i unwind label %68
68:
  %69 = landingpad { ptr, i32 }
          catch ptr null
  %70 = extractvalue { ptr, i32 } %69, 0
  tail call void @__clang_call_terminate(ptr %70)
  unreachable
_ZN6BufferIfED2Ev.exit53.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  %71 = invoke i32 @cudaFree(ptr noundef %41)
          to label %_ZN6BufferIfED2Ev.exit54.i unwind label %72
72:
  %73 = landingpad { ptr, i32 }
          catch ptr null
  %74 = extractvalue { ptr, i32 } %73, 0
  tail call void @__clang_call_terminate(ptr %74)
  unreachable
_ZN6BufferIfED2Ev.exit54.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %65
_ZL4turniPPci.exit:
  %.1.i = phi i32 [ %54, %_ZN6BufferIfED2Ev.exit52.i ], [ 2, %.critedge.i ], [ 1, %19 ], [ 1, %17 ]
  ret i32 %.1.i
}
define dso_local i32 @parameters_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %struct.Parameters, align 8
  %4 = alloca %class.Buffer, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread53.i
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %.fr57.i = freeze i32 %9
  %.not56.i = icmp eq i32 %0, 2
  br i1 %.not56.i, label %.thread49.i, label %10
10:
  %11 = getelementptr inbounds ptr, ptr %1, i64 2
  %12 = load ptr, ptr %11, align 8
  %13 = tail call i32 @atoi(ptr nocapture noundef %12)
  %14 = icmp ugt i32 %0, 3
  br i1 %14, label %15, label %.thread49.i
15:
  %16 = getelementptr inbounds ptr, ptr %1, i64 3
  %17 = load ptr, ptr %16, align 8
  %18 = tail call i32 @atoi(ptr nocapture noundef %17)
  br label %.thread49.i
.thread49.i:
  %19 = phi i32 [ %13, %15 ], [ %13, %10 ], [ 1, %6 ]
  %20 = phi i32 [ %18, %15 ], [ 0, %10 ], [ 0, %6 ]
  %21 = icmp slt i32 %.fr57.i, 1
  %22 = tail call i32 @llvm.smax.i32(i32 %.fr57.i, i32 1)
  %23 = icmp ugt i32 %22, 10000
  br i1 %21, label %24, label %25
24:
  br i1 %23, label %26, label %.thread53.i
25:
  br i1 %23, label %26, label %.thread53.i
26:
  br label %.thread53.i
.thread53.i:
  %27 = phi i32 [ %19, %26 ], [ %19, %25 ], [ %19, %24 ], [ 1, %2 ]
  %28 = phi i32 [ %20, %26 ], [ %20, %25 ], [ %20, %24 ], [ 0, %2 ]
  %29 = phi i32 [ 10000, %26 ], [ %.fr57.i, %25 ], [ 1, %24 ], [ 100, %2 ]
  %.fr.i = freeze i32 %28
  %30 = tail call i32 @llvm.smax.i32(i32 %.fr.i, i32 0)
  %.sroa.speculated.i = tail call i32 @llvm.umin.i32(i32 %30, i32 1000)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  %31 = shl nsw i32 %29, 6
  %32 = add i32 %31, 64
  %33 = add i32 %32, %.sroa.speculated.i
  %34 = sext i32 %33 to i64
  store ptr null, ptr %4, align 8
  %35 = getelementptr inbounds %class.Buffer, ptr %4, i64 0, i32 1
  store i64 %34, ptr %35, align 8
  %36 = shl nsw i64 %34, 2
  %37 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %36)
  %38 = add nuw i32 %29, 63
  %39 = sdiv i32 %38, 64
  %.sroa.018.0.insert.ext.i = zext i32 %39 to i64
  %.sroa.018.0.insert.insert.i = or i64 %.sroa.018.0.insert.ext.i, 4294967296
  %40 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.018.0.insert.insert.i, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %40, 0
  br i1 %.not.i, label %41, label %44
41:
  %42 = tail call i32 @llvm.smax.i32(i32 %27, i32 1)
  %.sroa.speculated24.i = tail call i32 @llvm.smin.i32(i32 %42, i32 64)
  %43 = load ptr, ptr %4, align 8
  call void @llvm.lifetime.start.p0(i64 12, ptr nonnull %3)
  store i32 %29, ptr %3, align 8
  %.sroa_idx35.i = getelementptr inbounds i8, ptr %3, i64 4
  store i32 %.sroa.speculated24.i, ptr %.sroa_idx35.i, align 4
  %.sroa.2.0..sroa_idx.i.i = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %.sroa.speculated.i, ptr %.sroa.2.0..sroa_idx.i.i, align 8
  invoke void @_Z37__device_stub__Z6spreadPi10ParametersPiR10Parameters(ptr noundef %43, ptr noundef nonnull align 4 dereferenceable(12) %3)
          to label %spread.exit.i unwind label %52
spread.exit.i:
  call void @llvm.lifetime.end.p0(i64 12, ptr nonnull %3)
  br label %44
44:
  %45 = invoke i32 @cudaDeviceSynchronize()
          to label %46 unwind label %52
46:
  %47 = load ptr, ptr %4, align 8
  %48 = invoke i32 @cudaFree(ptr noundef %47)
          to label %_ZL10spread_outiPPci.exit unwind label %49
49:
  %50 = landingpad { ptr, i32 }
          catch ptr null
  %51 = extractvalue { ptr, i32 } %50, 0
  call void @__clang_call_terminate(ptr %51)
  unreachable
52:
  %53 = landingpad { ptr, i32 }
          cleanup
  %54 = load ptr, ptr %4, align 8
  %55 = invoke i32 @cudaFree(ptr noundef %54)
          to label %_ZN6BufferIiED2Ev.exit17.i unwind label %56
56:
  %57 = landingpad { ptr, i32 }
          catch ptr null
  %58 = extractvalue { ptr, i32 } %57, 0
  call void @__clang_call_terminate(ptr %58)
  unreachable
_ZN6BufferIiED2Ev.exit17.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  resume { ptr, i32 } %53
_ZL10spread_outiPPci.exit:
  %59 = icmp ne i32 %45, 0
  %60 = zext i1 %59 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  ret i32 %60
}
define dso_local i32 @parameters_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %struct.Parameters, align 8
  %4 = alloca %class.Buffer, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread53.i
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %.fr57.i = freeze i32 %9
  %.not56.i = icmp eq i32 %0, 2
  br i1 %.not56.i, label %.thread49.i, label %10
10:
  %11 = getelementptr inbounds ptr, ptr %1, i64 2
  %12 = load ptr, ptr %11, align 8
  %13 = tail call i32 @atoi(ptr nocapture noundef %12)
  %14 = icmp ugt i32 %0, 3
  br i1 %14, label %15, label %.thread49.i
15:
  %16 = getelementptr inbounds ptr, ptr %1, i64 3
  %17 = load ptr, ptr %16, align 8
  %18 = tail call i32 @atoi(ptr nocapture noundef %17)
  br label %.thread49.i
.thread49.i:
  %19 = phi i32 [ %13, %15 ], [ %13, %10 ], [ 1, %6 ]
  %20 = phi i32 [ %18, %15 ], [ 0, %10 ], [ 0, %6 ]
  %21 = icmp slt i32 %.fr57.i, 1
  %22 = tail call i32 @llvm.smax.i32(i32 %.fr57.i, i32 1)
  %23 = icmp ugt i32 %22, 10000
  br i1 %21, label %24, label %25
24:
  br i1 %23, label %26, label %.thread53.i
25:
  br i1 %23, label %26, label %.thread53.i
26:
  br label %.thread53.i
.thread53.i:
  %27 = phi i32 [ %19, %26 ], [ %19, %25 ], [ %19, %24 ], [ 1, %2 ]
  %28 = phi i32 [ %20, %26 ], [ %20, %25 ], [ %20, %24 ], [ 0, %2 ]
  %29 = phi i32 [ 10000, %26 ], [ %.fr57.i, %25 ], [ 1, %24 ], [ 100, %2 ]
  %.fr.i = freeze i32 %28
  %30 = tail call i32 @llvm.smax.i32(i32 %.fr.i, i32 0)
  %.sroa.speculated.i = tail call i32 @llvm.umin.i32(i32 %30, i32 1000)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %4)
  %31 = shl nsw i32 %29, 6
  %32 = add i32 %31, 64
  %33 = add i32 %32, %.sroa.speculated.i
  %34 = sext i32 %33 to i64
  store ptr null, ptr %4, align 8
  %35 = getelementptr inbounds %class.Buffer, ptr %4, i64 0, i32 1
  store i64 %34, ptr %35, align 8
  %36 = shl nsw i64 %34, 2
  %37 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %36)
  %38 = add nuw i32 %29, 63
  %39 = sdiv i32 %38, 64
  %.sroa.018.0.insert.ext.i = zext i32 %39 to i64
  %.sroa.018.0.insert.insert.i = or i64 %.sroa.018.0.insert.ext.i, 4294967296
  %40 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.018.0.insert.insert.i, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %40, 0
  br i1 %.not.i, label %41, label %44
41:
  %42 = tail call i32 @llvm.smax.i32(i32 %27, i32 0)
  %.sroa.speculated24.i = tail call i32 @llvm.smin.i32(i32 %42, i32 64)
  %43 = load ptr, ptr %4, align 8
  call void @llvm.lifetime.start.p0(i64 12, ptr nonnull %3)
  store i32 %29, ptr %3, align 8
  %.sroa_idx35.i = getelementptr inbounds i8, ptr %3, i64 4
  store i32 %.sroa.speculated24.i, ptr %.sroa_idx35.i, align 4
  %.sroa.2.0..sroa_idx.i.i = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %.sroa.speculated.i, ptr %.sroa.2.0..sroa_idx.i.i, align 8
  invoke void @_Z37__device_stub__Z6spreadPi10ParametersPiR10Parameters(ptr noundef %43, ptr noundef nonnull align 4 dereferenceable(12) %3)
          to label %spread.exit.i unwind label %52
spread.exit.i:
  call void @llvm.lifetime.end.p0(i64 12, ptr nonnull %3)
  br label %44
44:
  %45 = invoke i32 @cudaDeviceSynchronize()
          to label %46 unwind label %52
46:
  %47 = load ptr, ptr %4, align 8
  %48 = invoke i32 @cudaFree(ptr noundef %47)
          to label %_ZL10spread_outiPPci.exit unwind label %49
49:
  %50 = landingpad { ptr, i32 }
          catch ptr null
  %51 = extractvalue { ptr, i32 } %50, 0
  call void @__clang_call_terminate(ptr %51)
  unreachable
52:
  %53 = landingpad { ptr, i32 }
          cleanup
  %54 = load ptr, ptr %4, align 8
  %55 = invoke i32 @cudaFree(ptr noundef %54)
          to label %_ZN6BufferIiED2Ev.exit17.i unwind label %56
56:
  %57 = landingpad { ptr, i32 }
          catch ptr null
  %58 = extractvalue { ptr, i32 } %57, 0
  call void @__clang_call_terminate(ptr %58)
  unreachable
_ZN6BufferIiED2Ev.exit17.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  resume { ptr, i32 } %53
_ZL10spread_outiPPci.exit:
  %59 = icmp ne i32 %45, 0
  %60 = zext i1 %59 to i32
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %4)
  ret i32 %60
}
define dso_local i32 @instances_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %7, label %.thread.i
.thread.i:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr null, ptr %3, align 8
  %5 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 4096, ptr %5, align 8
  %6 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  br label %24
7:
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = tail call i32 @atoi(ptr nocapture noundef %9)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr null, ptr %3, align 8
  %11 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 4096, ptr %11, align 8
  %12 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  switch i32 %10, label %36 [
    i32 64, label %13
    i32 128, label %24
    i32 256, label %28
  ]
13:
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967312, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i.i = icmp eq i32 %14, 0
  br i1 %.not.i.i, label %15, label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i"
15:
  %16 = load ptr, ptr %3, align 8
  invoke void @_ZL37__device_stub__Z8instanceILi64EEvPiiiPiii(ptr noundef %16, i32 noundef 1000, i32 noundef 1)
          to label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i" unwind label %17
17:
  %18 = landingpad { ptr, i32 }
          cleanup
  %19 = load ptr, ptr %3, align 8
  %20 = invoke i32 @cudaFree(ptr noundef %19)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %21
21:
  %22 = landingpad { ptr, i32 }
          catch ptr null
  %23 = extractvalue { ptr, i32 } %22, 0
  tail call void @__clang_call_terminate(ptr %23)
  unreachable
_ZN6BufferIiED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %18
24:
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 4294967304, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i8.i = icmp eq i32 %25, 0
  br i1 %.not.i8.i, label %26, label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i"
26:
  %27 = load ptr, ptr %3, align 8
  invoke void @_ZL38__device_stub__Z8instanceILi128EEvPiiiPiii(ptr noundef %27, i32 noundef 1000, i32 noundef 1)
          to label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i" unwind label %17
28:
  %29 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i12.i = icmp eq i32 %29, 0
  br i1 %.not.i12.i, label %30, label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i"
30:
  %31 = load ptr, ptr %3, align 8
  invoke void @_ZL38__device_stub__Z8instanceILi256EEvPiiiPiii(ptr noundef %31, i32 noundef 1000, i32 noundef 1)
          to label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i" unwind label %17
"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i":
  %32 = invoke i32 @cudaDeviceSynchronize()
          to label %33 unwind label %17
33:
  %34 = icmp ne i32 %32, 0
  %35 = zext i1 %34 to i32
  br label %36
36:
  %.0.i = phi i32 [ %35, %33 ], [ 1, %7 ]
  %37 = load ptr, ptr %3, align 8
  %38 = invoke i32 @cudaFree(ptr noundef %37)
          to label %_ZL6choseniPPci.exit unwind label %39
39:
  %40 = landingpad { ptr, i32 }
          catch ptr null
  %41 = extractvalue { ptr, i32 } %40, 0
  tail call void @__clang_call_terminate(ptr %41)
  unreachable
_ZL6choseniPPci.exit:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  ret i32 %.0.i
}
define dso_local i32 @instances_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %class.Buffer, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %7, label %.thread.i
.thread.i:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr null, ptr %3, align 8
  %5 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 4096, ptr %5, align 8
  %6 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  br label %24
7:
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = tail call i32 @atoi(ptr nocapture noundef %9)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr null, ptr %3, align 8
  %11 = getelementptr inbounds %class.Buffer, ptr %3, i64 0, i32 1
  store i64 4096, ptr %11, align 8
  %12 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  switch i32 %10, label %36 [
    i32 64, label %13
    i32 128, label %24
    i32 256, label %28
  ]
13:
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967312, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i.i = icmp eq i32 %14, 0
  br i1 %.not.i.i, label %15, label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i"
15:
  %16 = load ptr, ptr %3, align 8
  invoke void @_ZL37__device_stub__Z8instanceILi64EEvPiiiPiii(ptr noundef %16, i32 noundef 1000, i32 noundef 1)
          to label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i" unwind label %17
17:
  %18 = landingpad { ptr, i32 }
          cleanup
  %19 = load ptr, ptr %3, align 8
  %20 = invoke i32 @cudaFree(ptr noundef %19)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %21
21:
  %22 = landingpad { ptr, i32 }
          catch ptr null
  %23 = extractvalue { ptr, i32 } %22, 0
  tail call void @__clang_call_terminate(ptr %23)
  unreachable
_ZN6BufferIiED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  resume { ptr, i32 } %18
24:
  %25 = tail call i32 @__cudaPushCallConfiguration(i64 4294967304, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i8.i = icmp eq i32 %25, 0
  br i1 %.not.i8.i, label %26, label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i"
26:
  %27 = load ptr, ptr %3, align 8
  invoke void @_ZL38__device_stub__Z8instanceILi128EEvPiiiPiii(ptr noundef %27, i32 noundef 1000, i32 noundef 1)
          to label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i" unwind label %17
28:
  %29 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i12.i = icmp eq i32 %29, 0
  br i1 %.not.i12.i, label %30, label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i"
30:
  %31 = load ptr, ptr %3, align 8
  invoke void @_ZL38__device_stub__Z8instanceILi256EEvPiiiPiii(ptr noundef %31, i32 noundef 1000, i32 noundef 4)
          to label %"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i" unwind label %17
"_ZZL6choseniPPciENK3$_0clISt17integral_constantIiLi64EEEEDaT_i.exit.i":
  %32 = invoke i32 @cudaDeviceSynchronize()
          to label %33 unwind label %17
33:
  %34 = icmp ne i32 %32, 0
  %35 = zext i1 %34 to i32
  br label %36
36:
  %.0.i = phi i32 [ %35, %33 ], [ 1, %7 ]
  %37 = load ptr, ptr %3, align 8
  %38 = invoke i32 @cudaFree(ptr noundef %37)
          to label %_ZL6choseniPPci.exit unwind label %39
39:
  %40 = landingpad { ptr, i32 }
          catch ptr null
  %41 = extractvalue { ptr, i32 } %40, 0
  tail call void @__clang_call_terminate(ptr %41)
  unreachable
_ZL6choseniPPci.exit:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  ret i32 %.0.i
}
define dso_local i32 @word_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca i64, align 8
  %4 = alloca %"class.std::__cxx11::basic_string", align 8
  %5 = alloca %class.Buffer, align 8
  %6 = icmp slt i32 %0, 2
  br i1 %6, label %_ZL4wordiPPci.exit, label %7
7:
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4)
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %"class.std::__cxx11::basic_string", ptr %4, i64 0, i32 2
  store ptr %10, ptr %4, align 8
  %11 = icmp eq ptr %9, null
  br i1 %11, label %.noexc.i, label %12
.noexc.i:
  call void @_ZSt19__throw_logic_errorPKc(ptr noundef nonnull @.str.5)
  unreachable
12:
  %13 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %9)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  store i64 %13, ptr %3, align 8
  %14 = icmp ugt i64 %13, 15
  br i1 %14, label %.noexc.i.i, label %._crit_edge.i.i.i
.noexc.i.i:
  %15 = call noundef ptr @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm(ptr noundef nonnull align 8 dereferenceable(32) %4, ptr noundef nonnull align 8 dereferenceable(8) %3, i64 noundef 0)
  store ptr %15, ptr %4, align 8
  %16 = load i64, ptr %3, align 8
  store i64 %16, ptr %10, align 8
  br label %._crit_edge.i.i.i
._crit_edge.i.i.i:
  %17 = phi ptr [ %15, %.noexc.i.i ], [ %10, %12 ]
  switch i64 %13, label %20 [
    i64 1, label %18
    i64 0, label %21
  ]
18:
  %19 = load i8, ptr %9, align 1
  store i8 %19, ptr %17, align 1
  br label %21
20:
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %17, ptr nonnull align 1 %9, i64 %13, i1 false)
  br label %21
21:
  %22 = load i64, ptr %3, align 8
  %23 = getelementptr inbounds %"class.std::__cxx11::basic_string", ptr %4, i64 0, i32 1
  store i64 %22, ptr %23, align 8
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr inbounds i8, ptr %24, i64 %22
  store i8 0, ptr %25, align 1
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %5)
  store ptr null, ptr %5, align 8
  %26 = getelementptr inbounds %class.Buffer, ptr %5, i64 0, i32 1
  store i64 256, ptr %26, align 8
  %27 = call i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 1024)
  %28 = call noundef i32 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc(ptr noundef nonnull align 8 dereferenceable(32) %4, ptr noundef nonnull @.str.3)
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %41
30:
  %31 = call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not17.i = icmp eq i32 %31, 0
  br i1 %.not17.i, label %32, label %ascending.exit.i
32:
  %33 = load ptr, ptr %5, align 8
  invoke void @_Z29__device_stub__Z9ascendingPiiPii(ptr noundef %33, i32 noundef 256)
          to label %ascending.exit.i unwind label %34
34:
  %35 = landingpad { ptr, i32 }
          cleanup
  %36 = load ptr, ptr %5, align 8
  %37 = invoke i32 @cudaFree(ptr noundef %36)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %38
38:
  %39 = landingpad { ptr, i32 }
          catch ptr null
  %40 = extractvalue { ptr, i32 } %39, 0
  call void @__clang_call_terminate(ptr %40)
  unreachable
41:
  %42 = call noundef i32 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc(ptr noundef nonnull align 8 dereferenceable(32) %4, ptr noundef nonnull @.str.4)
  %43 = icmp eq i32 %42, 0
  br i1 %43, label %44, label %52
44:
  %45 = call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %45, 0
  br i1 %.not.i, label %46, label %ascending.exit.i
46:
  %47 = load ptr, ptr %5, align 8
  invoke void @_Z27__device_stub__Z6foldedPiiiPiii(ptr noundef %47, i32 noundef 256, i32 noundef 256)
          to label %ascending.exit.i unwind label %34
ascending.exit.i:
  %48 = invoke i32 @cudaDeviceSynchronize()
          to label %49 unwind label %34
49:
  %50 = icmp ne i32 %48, 0
  %51 = zext i1 %50 to i32
  br label %52
52:
  %.0.i = phi i32 [ %51, %49 ], [ 2, %41 ]
  %53 = load ptr, ptr %5, align 8
  %54 = invoke i32 @cudaFree(ptr noundef %53)
          to label %_ZN6BufferIiED2Ev.exit21.i unwind label %55
55:
  %56 = landingpad { ptr, i32 }
          catch ptr null
  %57 = extractvalue { ptr, i32 } %56, 0
  call void @__clang_call_terminate(ptr %57)
  unreachable
_ZN6BufferIiED2Ev.exit21.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %5)
  %58 = load ptr, ptr %4, align 8
  %59 = icmp eq ptr %58, %10
  br i1 %59, label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i, label %60
60:
  call void @_ZdlPv(ptr noundef %58)
  br label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4)
  br label %_ZL4wordiPPci.exit
_ZN6BufferIiED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %5)
  %61 = load ptr, ptr %4, align 8
  %62 = icmp eq ptr %61, %10
  br i1 %62, label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit22.i, label %63
63:
  call void @_ZdlPv(ptr noundef %61)
  br label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit22.i
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit22.i:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4)
  resume { ptr, i32 } %35
_ZL4wordiPPci.exit:
  %.1.i = phi i32 [ %.0.i, %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i ], [ 1, %2 ]
  ret i32 %.1.i
}
define dso_local i32 @word_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca i64, align 8
  %4 = alloca %"class.std::__cxx11::basic_string", align 8
  %5 = alloca %class.Buffer, align 8
  %6 = icmp slt i32 %0, 2
  br i1 %6, label %_ZL4wordiPPci.exit, label %7
7:
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %4)
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = getelementptr inbounds %"class.std::__cxx11::basic_string", ptr %4, i64 0, i32 2
  store ptr %10, ptr %4, align 8
  %11 = icmp eq ptr %9, null
  br i1 %11, label %.noexc.i, label %12
.noexc.i:
  call void @_ZSt19__throw_logic_errorPKc(ptr noundef nonnull @.str.5)
  unreachable
12:
  %13 = call i64 @strlen(ptr noundef nonnull dereferenceable(1) %9)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  store i64 %13, ptr %3, align 8
  %14 = icmp ugt i64 %13, 15
  br i1 %14, label %.noexc.i.i, label %._crit_edge.i.i.i
.noexc.i.i:
  %15 = call noundef ptr @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm(ptr noundef nonnull align 8 dereferenceable(32) %4, ptr noundef nonnull align 8 dereferenceable(8) %3, i64 noundef 0)
  store ptr %15, ptr %4, align 8
  %16 = load i64, ptr %3, align 8
  store i64 %16, ptr %10, align 8
  br label %._crit_edge.i.i.i
._crit_edge.i.i.i:
  %17 = phi ptr [ %15, %.noexc.i.i ], [ %10, %12 ]
  switch i64 %13, label %20 [
    i64 1, label %18
    i64 0, label %21
  ]
18:
  %19 = load i8, ptr %9, align 1
  store i8 %19, ptr %17, align 1
  br label %21
20:
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %17, ptr nonnull align 1 %9, i64 %13, i1 false)
  br label %21
21:
  %22 = load i64, ptr %3, align 8
  %23 = getelementptr inbounds %"class.std::__cxx11::basic_string", ptr %4, i64 0, i32 1
  store i64 %22, ptr %23, align 8
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr inbounds i8, ptr %24, i64 %22
  store i8 0, ptr %25, align 1
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %5)
  store ptr null, ptr %5, align 8
  %26 = getelementptr inbounds %class.Buffer, ptr %5, i64 0, i32 1
  store i64 256, ptr %26, align 8
  %27 = call i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 1024)
  %28 = call noundef i32 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc(ptr noundef nonnull align 8 dereferenceable(32) %4, ptr noundef nonnull @.str.3)
  %29 = icmp eq i32 %28, 0
  br i1 %29, label %30, label %41
30:
  %31 = call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not17.i = icmp eq i32 %31, 0
  br i1 %.not17.i, label %32, label %ascending.exit.i
32:
  %33 = load ptr, ptr %5, align 8
  invoke void @_Z29__device_stub__Z9ascendingPiiPii(ptr noundef %33, i32 noundef 256)
          to label %ascending.exit.i unwind label %34
34:
  %35 = landingpad { ptr, i32 }
          cleanup
  %36 = load ptr, ptr %5, align 8
  %37 = invoke i32 @cudaFree(ptr noundef %36)
          to label %_ZN6BufferIiED2Ev.exit.i unwind label %38
38:
  %39 = landingpad { ptr, i32 }
          catch ptr null
  %40 = extractvalue { ptr, i32 } %39, 0
  call void @__clang_call_terminate(ptr %40)
  unreachable
41:
  %42 = call noundef i32 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc(ptr noundef nonnull align 8 dereferenceable(32) %4, ptr noundef nonnull @.str.4)
  %43 = icmp eq i32 %42, 0
  br i1 %43, label %44, label %52
44:
  %45 = call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %45, 0
  br i1 %.not.i, label %46, label %ascending.exit.i
46:
  %47 = load ptr, ptr %5, align 8
  invoke void @_Z27__device_stub__Z6foldedPiiiPiii(ptr noundef %47, i32 noundef 256, i32 noundef 255)
          to label %ascending.exit.i unwind label %34
ascending.exit.i:
  %48 = invoke i32 @cudaDeviceSynchronize()
          to label %49 unwind label %34
49:
  %50 = icmp ne i32 %48, 0
  %51 = zext i1 %50 to i32
  br label %52
52:
  %.0.i = phi i32 [ %51, %49 ], [ 2, %41 ]
  %53 = load ptr, ptr %5, align 8
  %54 = invoke i32 @cudaFree(ptr noundef %53)
          to label %_ZN6BufferIiED2Ev.exit21.i unwind label %55
55:
  %56 = landingpad { ptr, i32 }
          catch ptr null
  %57 = extractvalue { ptr, i32 } %56, 0
  call void @__clang_call_terminate(ptr %57)
  unreachable
_ZN6BufferIiED2Ev.exit21.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %5)
  %58 = load ptr, ptr %4, align 8
  %59 = icmp eq ptr %58, %10
  br i1 %59, label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i, label %60
60:
  call void @_ZdlPv(ptr noundef %58)
  br label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4)
  br label %_ZL4wordiPPci.exit
_ZN6BufferIiED2Ev.exit.i:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %5)
  %61 = load ptr, ptr %4, align 8
  %62 = icmp eq ptr %61, %10
  br i1 %62, label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit22.i, label %63
63:
  call void @_ZdlPv(ptr noundef %61)
  br label %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit22.i
_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit22.i:
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %4)
  resume { ptr, i32 } %35
_ZL4wordiPPci.exit:
  %.1.i = phi i32 [ %.0.i, %_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED2Ev.exit.i ], [ 1, %2 ]
  ret i32 %.1.i
}
declare void @_Z27__device_stub__Z6mirrorPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
define hidden void @mirror(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_Z27__device_stub__Z6mirrorPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
declare i32 @__gxx_personality_v0(...)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias nocapture writeonly, ptr noalias nocapture readonly, i64, i1 immarg)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare void @_Z29__device_stub__Z7pitchedPcmiiPcmii(ptr noundef, i64 noundef, i32 noundef, i32 noundef) local_unnamed_addr
define hidden void @pitched(ptr noundef %0, i64 noundef %1, i32 noundef %2, i32 noundef %3) {
  tail call void @_Z29__device_stub__Z7pitchedPcmiiPcmii(ptr noundef %0, i64 noundef %1, i32 noundef %2, i32 noundef %3)
  ret void
}
declare void @_Z27__device_stub__Z7reversePiiPii(ptr noundef, i32 noundef) local_unnamed_addr
define hidden void @reverse(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z27__device_stub__Z7reversePiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
declare void @_Z26__device_stub__Z4partPiiiiPiiii(ptr noundef, i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr
define hidden void @part(ptr noundef %0, i32 noundef %1, i32 noundef %2, i32 noundef %3) {
  tail call void @_Z26__device_stub__Z4partPiiiiPiiii(ptr noundef %0, i32 noundef %1, i32 noundef %2, i32 noundef %3)
  ret void
}
declare void @_Z31__device_stub__Z6turnedPfPKfiiiPfPKfiii(ptr noundef, ptr noundef, i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr
define hidden void @turned(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) {
  tail call void @_Z31__device_stub__Z6turnedPfPKfiiiPfPKfiii(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4)
  ret void
}
declare void @_Z37__device_stub__Z6spreadPi10ParametersPiR10Parameters(ptr noundef, ptr noundef nonnull align 4 dereferenceable(12)) local_unnamed_addr
define hidden void @spread(ptr noundef %0, i64 %1, i32 %2) {
  %4 = alloca %struct.Parameters, align 8
  store i64 %1, ptr %4, align 8
  %.sroa.2.0..sroa_idx = getelementptr inbounds i8, ptr %4, i64 8
  store i32 %2, ptr %.sroa.2.0..sroa_idx, align 8
  call void @_Z37__device_stub__Z6spreadPi10ParametersPiR10Parameters(ptr noundef %0, ptr noundef nonnull align 4 dereferenceable(12) %4)
  ret void
}
declare void @_Z29__device_stub__Z9ascendingPiiPii(ptr noundef, i32 noundef) local_unnamed_addr
define hidden void @ascending(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z29__device_stub__Z9ascendingPiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
declare void @_Z27__device_stub__Z6foldedPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
define hidden void @folded(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_Z27__device_stub__Z6foldedPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @folded, ptr noundef nonnull @.str.6, ptr noundef nonnull @.str.6, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @ascending, ptr noundef nonnull @.str.7, ptr noundef nonnull @.str.7, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @_ZL8instanceILi256EEvPiii, ptr noundef nonnull @.str.8, ptr noundef nonnull @.str.8, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @_ZL8instanceILi128EEvPiii, ptr noundef nonnull @.str.9, ptr noundef nonnull @.str.9, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @_ZL8instanceILi64EEvPiii, ptr noundef nonnull @.str.10, ptr noundef nonnull @.str.10, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @spread, ptr noundef nonnull @.str.11, ptr noundef nonnull @.str.11, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @turned, ptr noundef nonnull @.str.12, ptr noundef nonnull @.str.12, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @part, ptr noundef nonnull @.str.13, ptr noundef nonnull @.str.13, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @reverse, ptr noundef nonnull @.str.14, ptr noundef nonnull @.str.14, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @pitched, ptr noundef nonnull @.str.15, ptr noundef nonnull @.str.15, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @mirror, ptr noundef nonnull @.str.16, ptr noundef nonnull @.str.16, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
declare i32 @cudaMallocPitch(ptr nocapture noundef, ptr nocapture noundef, i64 noundef, i64 noundef) local_unnamed_addr
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
declare i32 @cudaDeviceSynchronize() local_unnamed_addr
declare noundef ptr @getenv(ptr nocapture noundef) local_unnamed_addr
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) local_unnamed_addr
declare i32 @cudaMemset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr
declare i32 @cudaFree(ptr noundef) local_unnamed_addr
define linkonce_odr hidden void @__clang_call_terminate(ptr noundef %0) local_unnamed_addr comdat {
  %2 = tail call ptr @__cxa_begin_catch(ptr %0)
  tail call void @_ZSt9terminatev()
  unreachable
}
declare ptr @__cxa_begin_catch(ptr) local_unnamed_addr
declare void @_ZSt9terminatev() local_unnamed_addr
declare i32 @cudaStreamCreate(ptr nocapture noundef) local_unnamed_addr
declare i32 @strcmp(ptr nocapture noundef, ptr nocapture noundef) local_unnamed_addr
define internal void @_ZL8instanceILi64EEvPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_ZL37__device_stub__Z8instanceILi64EEvPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
declare void @_ZL37__device_stub__Z8instanceILi64EEvPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
define internal void @_ZL8instanceILi128EEvPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_ZL38__device_stub__Z8instanceILi128EEvPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
declare void @_ZL38__device_stub__Z8instanceILi128EEvPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
define internal void @_ZL8instanceILi256EEvPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_ZL38__device_stub__Z8instanceILi256EEvPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
declare void @_ZL38__device_stub__Z8instanceILi256EEvPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
declare void @_ZSt19__throw_logic_errorPKc(ptr noundef) local_unnamed_addr
declare i64 @strlen(ptr nocapture noundef) local_unnamed_addr
declare noundef ptr @_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_createERmm(ptr noundef nonnull align 8 dereferenceable(32), ptr noundef nonnull align 8 dereferenceable(8), i64 noundef) local_unnamed_addr
declare void @_ZdlPv(ptr noundef) local_unnamed_addr
declare noundef i32 @_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc(ptr noundef nonnull align 8 dereferenceable(32), ptr noundef) local_unnamed_addr
declare void @__cudaRegisterFunction(ptr noundef, ptr noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr
declare void @__cudaUnregisterFatBinary(ptr noundef) local_unnamed_addr
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
