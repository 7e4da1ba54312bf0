target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
%struct.Matrix = type { i32, i32, i32 }
%"class.std::basic_ifstream" = type { %"class.std::basic_istream.base", %"class.std::basic_filebuf", %"class.std::basic_ios" }
%"class.std::basic_istream.base" = type { ptr, i64 }
%"class.std::basic_filebuf" = type { %"class.std::basic_streambuf", %union.pthread_mutex_t, %"class.std::__basic_file", i32, %struct.__mbstate_t, %struct.__mbstate_t, %struct.__mbstate_t, ptr, i64, i8, i8, i8, i8, ptr, ptr, i8, ptr, ptr, i64, ptr, ptr }
%"class.std::basic_streambuf" = type { ptr, ptr, ptr, ptr, ptr, ptr, ptr, %"class.std::locale" }
%"class.std::locale" = type { ptr }
%union.pthread_mutex_t = type { %struct.__pthread_mutex_s }
%struct.__pthread_mutex_s = type { i32, i32, i32, i32, i32, i16, i16, %struct.__pthread_internal_list }
%struct.__pthread_internal_list = type { ptr, ptr }
%"class.std::__basic_file" = type <{ ptr, i8, [7 x i8] }>
%struct.__mbstate_t = type { i32, %union.anon }
%union.anon = type { i32 }
%"class.std::basic_ios" = type { %"class.std::ios_base", ptr, i8, i8, ptr, ptr, ptr, ptr }
%"class.std::ios_base" = type { ptr, i64, i64, i32, i32, i32, ptr, %"struct.std::ios_base::_Words", [8 x %"struct.std::ios_base::_Words"], i32, ptr, %"class.std::locale" }
%"struct.std::ios_base::_Words" = type { ptr, i64 }
%"class.std::basic_istream" = type { ptr, i64, %"class.std::basic_ios" }
$__clang_call_terminate = comdat any
@.str = private unnamed_addr constant [3 x i8] c"-n\00", align 1
@.str.1 = private unnamed_addr constant [3 x i8] c"-b\00", align 1
@.str.2 = private unnamed_addr constant [42 x i8] c"b >= 2 && b <= 1024 && (b & (b - 1)) == 0\00", align 1
@.str.3 = private unnamed_addr constant [13 x i8] c"exchanged.cu\00", align 1
@__PRETTY_FUNCTION__.summed_clean = private unnamed_addr constant [31 x i8] c"int summed_clean(int, char **)\00", align 1
@__PRETTY_FUNCTION__.summed_race = private unnamed_addr constant [30 x i8] c"int summed_race(int, char **)\00", align 1
@.str.4 = private unnamed_addr constant [2 x i8] c"r\00", align 1
@.str.5 = private unnamed_addr constant [6 x i8] c"%d %d\00", align 1
@.str.6 = private unnamed_addr constant [3 x i8] c"rb\00", align 1
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [3202 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str.7 = private unnamed_addr constant [5 x i8] c"rows\00", align 1
@.str.8 = private unnamed_addr constant [13 x i8] c"square_again\00", align 1
@.str.9 = private unnamed_addr constant [7 x i8] c"square\00", align 1
@.str.10 = private unnamed_addr constant [5 x i8] c"fill\00", align 1
@.str.11 = private unnamed_addr constant [6 x i8] c"halve\00", align 1
@.str.12 = private unnamed_addr constant [8 x i8] c"pair_32\00", align 1
@.str.13 = private unnamed_addr constant [8 x i8] c"pair_16\00", align 1
@.str.14 = private unnamed_addr constant [6 x i8] c"shift\00", align 1
@.str.15 = private unnamed_addr constant [5 x i8] c"step\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@_ZTVSt14basic_ifstreamIcSt11char_traitsIcEE = external unnamed_addr constant { [5 x ptr], [5 x ptr] }, align 8
@_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE = external unnamed_addr constant [4 x ptr], align 8
@_ZTVSt9basic_iosIcSt11char_traitsIcEE = external unnamed_addr constant { [4 x ptr] }, align 8
@_ZTVSt13basic_filebufIcSt11char_traitsIcEE = external unnamed_addr constant { [16 x ptr] }, align 8
@_ZTVSt15basic_streambufIcSt11char_traitsIcEE = external unnamed_addr constant { [16 x ptr] }, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local i32 @swapped_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %.not28 = icmp eq i32 %0, 2
  br i1 %.not28, label %.thread, label %10
10:
  %11 = getelementptr inbounds ptr, ptr %1, i64 2
  %12 = load ptr, ptr %11, align 8
  %13 = tail call i32 @atoi(ptr nocapture noundef %12)
  br label %.thread
.thread:
  %14 = phi i32 [ %9, %10 ], [ %9, %6 ], [ 1000, %2 ]
  %15 = phi i32 [ %13, %10 ], [ 4, %6 ], [ 4, %2 ]
  %16 = add i32 %14, -100001
  %or.cond = icmp ult i32 %16, -99998
  %17 = icmp slt i32 %15, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %17
  %18 = icmp sgt i32 %15, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %18
  br i1 %or.cond5, label %33, label %19
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %20 = zext i32 %14 to i64
  %21 = shl nuw nsw i64 %20, 2
  %22 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %21)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %21)
  %.not35 = icmp eq i32 %15, 0
  br i1 %.not35, label %._crit_edge, label %.lr.ph
.lr.ph:
  %.promoted29 = load ptr, ptr %3, align 8
  %.promoted = load ptr, ptr %4, align 8
  %24 = add nuw nsw i32 %14, 255
  %25 = lshr i32 %24, 8
  %.sroa.025.0.insert.ext = zext i32 %25 to i64
  %.sroa.025.0.insert.insert = or i64 %.sroa.025.0.insert.ext, 4294967296
  br label %26
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %33
26:
  %.02231 = phi i32 [ 0, %.lr.ph ], [ %32, %31 ]
  %27 = phi ptr [ %.promoted, %.lr.ph ], [ %28, %31 ]
  %28 = phi ptr [ %.promoted29, %.lr.ph ], [ %27, %31 ]
  %29 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.025.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %29, 0
  br i1 %.not, label %30, label %31
30:
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %27, ptr noundef %28, i32 noundef %14)
  br label %31
31:
  %32 = add nuw nsw i32 %.02231, 1
  %exitcond.not = icmp eq i32 %32, %15
  br i1 %exitcond.not, label %._crit_edge, label %26
33:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @atoi(ptr nocapture noundef) local_unnamed_addr
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
define hidden void @step(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
define dso_local i32 @swapped_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %.not29 = icmp eq i32 %0, 2
  br i1 %.not29, label %.thread, label %10
10:
  %11 = getelementptr inbounds ptr, ptr %1, i64 2
  %12 = load ptr, ptr %11, align 8
  %13 = tail call i32 @atoi(ptr nocapture noundef %12)
  br label %.thread
.thread:
  %14 = phi i32 [ %9, %10 ], [ %9, %6 ], [ 1000, %2 ]
  %15 = phi i32 [ %13, %10 ], [ 4, %6 ], [ 4, %2 ]
  %16 = add i32 %14, -100001
  %or.cond = icmp ult i32 %16, -99998
  %17 = icmp slt i32 %15, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %17
  %18 = icmp sgt i32 %15, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %18
  br i1 %or.cond5, label %35, label %19
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %20 = zext i32 %14 to i64
  %21 = shl nuw nsw i64 %20, 2
  %22 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %21)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %21)
  %.not36 = icmp eq i32 %15, 0
  br i1 %.not36, label %._crit_edge, label %.lr.ph
.lr.ph:
  %.promoted30 = load ptr, ptr %4, align 8
  %.promoted = load ptr, ptr %3, align 8
  %24 = add nuw nsw i32 %14, 255
  %25 = lshr i32 %24, 8
  %.sroa.026.0.insert.ext = zext i32 %25 to i64
  %.sroa.026.0.insert.insert = or i64 %.sroa.026.0.insert.ext, 4294967296
  br label %26
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %35
26:
  %.02332 = phi i32 [ 0, %.lr.ph ], [ %34, %33 ]
  %27 = phi ptr [ %.promoted, %.lr.ph ], [ %28, %33 ]
  %28 = phi ptr [ %.promoted30, %.lr.ph ], [ %27, %33 ]
  %29 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.026.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %29, 0
  br i1 %.not, label %30, label %33
30:
  %31 = icmp eq i32 %.02332, 3
  %32 = select i1 %31, ptr %27, ptr %28
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %32, ptr noundef %27, i32 noundef %14)
  br label %33
33:
  %34 = add nuw nsw i32 %.02332, 1
  %exitcond.not = icmp eq i32 %34, %15
  br i1 %exitcond.not, label %._crit_edge, label %26
35:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
define dso_local i32 @rotated_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = icmp sgt i32 %0, 1
  br i1 %6, label %7, label %.thread
7:
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = tail call i32 @atoi(ptr nocapture noundef %9)
  %.not30 = icmp eq i32 %0, 2
  br i1 %.not30, label %.thread, label %11
11:
  %12 = getelementptr inbounds ptr, ptr %1, i64 2
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  br label %.thread
.thread:
  %15 = phi i32 [ %10, %11 ], [ %10, %7 ], [ 1000, %2 ]
  %16 = phi i32 [ %14, %11 ], [ 4, %7 ], [ 4, %2 ]
  %17 = add i32 %15, -100001
  %or.cond = icmp ult i32 %17, -99998
  %18 = icmp slt i32 %16, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %18
  %19 = icmp sgt i32 %16, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %19
  br i1 %or.cond5, label %36, label %20
20:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %21 = zext i32 %15 to i64
  %22 = shl nuw nsw i64 %21, 2
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %24 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %22)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %25 = call i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef %22)
  %.not41 = icmp eq i32 %16, 0
  br i1 %.not41, label %._crit_edge, label %.lr.ph
.lr.ph:
  %.promoted33 = load ptr, ptr %5, align 8
  %.promoted31 = load ptr, ptr %3, align 8
  %.promoted = load ptr, ptr %4, align 8
  %26 = add nuw nsw i32 %15, 255
  %27 = lshr i32 %26, 8
  %.sroa.027.0.insert.ext = zext i32 %27 to i64
  %.sroa.027.0.insert.insert = or i64 %.sroa.027.0.insert.ext, 4294967296
  br label %28
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %36
28:
  %.02435 = phi i32 [ 0, %.lr.ph ], [ %35, %34 ]
  %29 = phi ptr [ %.promoted, %.lr.ph ], [ %31, %34 ]
  %30 = phi ptr [ %.promoted31, %.lr.ph ], [ %29, %34 ]
  %31 = phi ptr [ %.promoted33, %.lr.ph ], [ %30, %34 ]
  %32 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.027.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %32, 0
  br i1 %.not, label %33, label %34
33:
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %29, ptr noundef %30, i32 noundef %15)
  br label %34
34:
  %35 = add nuw nsw i32 %.02435, 1
  %exitcond.not = icmp eq i32 %35, %16
  br i1 %exitcond.not, label %._crit_edge, label %28
36:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
define dso_local i32 @rotated_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = icmp sgt i32 %0, 1
  br i1 %6, label %7, label %.thread
7:
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = tail call i32 @atoi(ptr nocapture noundef %9)
  %.not31 = icmp eq i32 %0, 2
  br i1 %.not31, label %.thread, label %11
11:
  %12 = getelementptr inbounds ptr, ptr %1, i64 2
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  br label %.thread
.thread:
  %15 = phi i32 [ %10, %11 ], [ %10, %7 ], [ 1000, %2 ]
  %16 = phi i32 [ %14, %11 ], [ 4, %7 ], [ 4, %2 ]
  %17 = add i32 %15, -100001
  %or.cond = icmp ult i32 %17, -99998
  %18 = icmp slt i32 %16, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %18
  %19 = icmp sgt i32 %16, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %19
  br i1 %or.cond5, label %38, label %20
20:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %21 = zext i32 %15 to i64
  %22 = shl nuw nsw i64 %21, 2
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %24 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %22)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %25 = call i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef %22)
  %.not42 = icmp eq i32 %16, 0
  br i1 %.not42, label %._crit_edge, label %.lr.ph
.lr.ph:
  %.promoted34 = load ptr, ptr %5, align 8
  %.promoted32 = load ptr, ptr %3, align 8
  %.promoted = load ptr, ptr %4, align 8
  %26 = add nuw nsw i32 %15, 255
  %27 = lshr i32 %26, 8
  %.sroa.028.0.insert.ext = zext i32 %27 to i64
  %.sroa.028.0.insert.insert = or i64 %.sroa.028.0.insert.ext, 4294967296
  br label %28
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %38
28:
  %.02536 = phi i32 [ 0, %.lr.ph ], [ %37, %34 ]
  %29 = phi ptr [ %.promoted, %.lr.ph ], [ %31, %34 ]
  %30 = phi ptr [ %.promoted32, %.lr.ph ], [ %29, %34 ]
  %31 = phi ptr [ %.promoted34, %.lr.ph ], [ %36, %34 ]
  %32 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.028.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %32, 0
  br i1 %.not, label %33, label %34
33:
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %29, ptr noundef %30, i32 noundef %15)
  br label %34
34:
  %35 = icmp eq i32 %.02536, 1
  %36 = select i1 %35, ptr %31, ptr %30
  %37 = add nuw nsw i32 %.02536, 1
  %exitcond.not = icmp eq i32 %37, %16
  br i1 %exitcond.not, label %._crit_edge, label %28
38:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
define dso_local i32 @both_chosen_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99998
  br i1 %or.cond, label %26, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = zext i32 %11 to i64
  %13 = shl nuw nsw i64 %12, 2
  %14 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %13)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %13)
  %16 = add nuw nsw i32 %11, 255
  %17 = lshr i32 %16, 8
  %.sroa.016.0.insert.ext = zext i32 %17 to i64
  %.sroa.016.0.insert.insert = or i64 %.sroa.016.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.016.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not15 = icmp eq i32 %18, 0
  br i1 %.not15, label %19, label %25
19:
  %20 = and i32 %11, 1
  %.not = icmp eq i32 %20, 0
  %21 = load ptr, ptr %3, align 8
  %22 = load ptr, ptr %4, align 8
  %23 = select i1 %.not, ptr %22, ptr %21
  %24 = select i1 %.not, ptr %21, ptr %22
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %23, ptr noundef %24, i32 noundef %11)
  br label %25
25:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %26
26:
  %.0 = phi i32 [ 0, %25 ], [ 1, %6 ]
  ret i32 %.0
}
define dso_local i32 @both_chosen_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -100001
  %or.cond = icmp ult i32 %10, -99998
  br i1 %or.cond, label %27, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = zext i32 %11 to i64
  %13 = shl nuw nsw i64 %12, 2
  %14 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %13)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %13)
  %16 = add nuw nsw i32 %11, 255
  %17 = lshr i32 %16, 8
  %.sroa.016.0.insert.ext = zext i32 %17 to i64
  %.sroa.016.0.insert.insert = or i64 %.sroa.016.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.016.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %19, label %26
19:
  %20 = and i32 %11, 1
  %.not14 = icmp eq i32 %20, 0
  %21 = load ptr, ptr %3, align 8
  %22 = load ptr, ptr %4, align 8
  %23 = select i1 %.not14, ptr %22, ptr %21
  %24 = urem i32 %11, 3
  %.not15 = icmp eq i32 %24, 0
  %25 = select i1 %.not15, ptr %21, ptr %22
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %23, ptr noundef %25, i32 noundef %11)
  br label %26
26:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %27
27:
  %.0 = phi i32 [ 0, %26 ], [ 1, %6 ]
  ret i32 %.0
}
define dso_local i32 @either_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %.lr.ph, label %._crit_edge
._crit_edge:
  %.037.lcssa = phi i32 [ 0, %2 ], [ %.138, %30 ]
  %.036.lcssa = phi i32 [ 1024, %2 ], [ %.1, %30 ]
  %5 = add i32 %.036.lcssa, -65537
  %or.cond = icmp ult i32 %5, -65536
  %6 = icmp slt i32 %.037.lcssa, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %6
  %7 = icmp sgt i32 %.037.lcssa, 65536
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %7
  br i1 %or.cond5, label %49, label %33
.lr.ph:
  %.03653 = phi i32 [ %.1, %30 ], [ 1024, %2 ]
  %.03752 = phi i32 [ %.138, %30 ], [ 0, %2 ]
  %.03951 = phi i32 [ %31, %30 ], [ 1, %2 ]
  %8 = sext i32 %.03951 to i64
  %9 = getelementptr inbounds ptr, ptr %1, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %10, ptr noundef nonnull dereferenceable(3) @.str)
  %.not45 = icmp eq i32 %11, 0
  br i1 %.not45, label %12, label %20
12:
  %13 = add nsw i32 %.03951, 1
  %14 = icmp slt i32 %13, %0
  br i1 %14, label %15, label %20
15:
  %16 = sext i32 %13 to i64
  %17 = getelementptr inbounds ptr, ptr %1, i64 %16
  %18 = load ptr, ptr %17, align 8
  %19 = tail call i32 @atoi(ptr nocapture noundef %18)
  br label %30
20:
  %21 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %10, ptr noundef nonnull dereferenceable(3) @.str.1)
  %.not46 = icmp eq i32 %21, 0
  br i1 %.not46, label %22, label %30
22:
  %23 = add nsw i32 %.03951, 1
  %24 = icmp slt i32 %23, %0
  br i1 %24, label %25, label %30
25:
  %26 = sext i32 %23 to i64
  %27 = getelementptr inbounds ptr, ptr %1, i64 %26
  %28 = load ptr, ptr %27, align 8
  %29 = tail call i32 @atoi(ptr nocapture noundef %28)
  br label %30
30:
  %.140 = phi i32 [ %.03951, %20 ], [ %23, %25 ], [ %.03951, %22 ], [ %13, %15 ]
  %.138 = phi i32 [ %.03752, %20 ], [ %29, %25 ], [ %.03752, %22 ], [ %.03752, %15 ]
  %.1 = phi i32 [ %.03653, %20 ], [ %.03653, %25 ], [ %.03653, %22 ], [ %19, %15 ]
  %31 = add nsw i32 %.140, 1
  %32 = icmp slt i32 %31, %0
  br i1 %32, label %.lr.ph, label %._crit_edge
33:
  %.not = icmp ne i32 %.037.lcssa, 0
  %34 = icmp ult i32 %.037.lcssa, %.036.lcssa
  %or.cond47 = select i1 %.not, i1 %34, i1 false
  br i1 %or.cond47, label %49, label %35
35:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %36 = add nuw nsw i32 %.036.lcssa, %.037.lcssa
  %37 = zext i32 %36 to i64
  %38 = shl nuw nsw i64 %37, 2
  %39 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %38)
  %40 = load ptr, ptr %3, align 8
  %41 = shl nuw nsw i32 %36, 2
  %42 = zext i32 %41 to i64
  %43 = tail call i32 @cudaMemset(ptr noundef %40, i32 noundef 0, i64 noundef %42)
  %44 = add nuw nsw i32 %.036.lcssa, 127
  %45 = lshr i32 %44, 7
  %.sroa.048.0.insert.ext = zext i32 %45 to i64
  %.sroa.048.0.insert.insert = or i64 %.sroa.048.0.insert.ext, 4294967296
  %46 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.048.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not44 = icmp eq i32 %46, 0
  br i1 %.not44, label %47, label %48
47:
  tail call void @_Z26__device_stub__Z5shiftPiiiPiii(ptr noundef %40, i32 noundef %.036.lcssa, i32 noundef %.037.lcssa)
  br label %48
48:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %49
49:
  %.0 = phi i32 [ 0, %48 ], [ 2, %._crit_edge ], [ 3, %33 ]
  ret i32 %.0
}
declare i32 @strcmp(ptr nocapture noundef, ptr nocapture noundef) local_unnamed_addr
declare i32 @cudaMemset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr
define hidden void @shift(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_Z26__device_stub__Z5shiftPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
define dso_local i32 @either_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %.lr.ph, label %._crit_edge
._crit_edge:
  %.037.lcssa = phi i32 [ 0, %2 ], [ %.138, %30 ]
  %.036.lcssa = phi i32 [ 1024, %2 ], [ %.1, %30 ]
  %5 = add i32 %.036.lcssa, -65537
  %or.cond = icmp ult i32 %5, -65536
  %6 = icmp slt i32 %.037.lcssa, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %6
  %7 = icmp sgt i32 %.037.lcssa, 65536
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %7
  br i1 %or.cond5, label %50, label %33
.lr.ph:
  %.03652 = phi i32 [ %.1, %30 ], [ 1024, %2 ]
  %.03751 = phi i32 [ %.138, %30 ], [ 0, %2 ]
  %.03950 = phi i32 [ %31, %30 ], [ 1, %2 ]
  %8 = sext i32 %.03950 to i64
  %9 = getelementptr inbounds ptr, ptr %1, i64 %8
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %10, ptr noundef nonnull dereferenceable(3) @.str)
  %.not44 = icmp eq i32 %11, 0
  br i1 %.not44, label %12, label %20
12:
  %13 = add nsw i32 %.03950, 1
  %14 = icmp slt i32 %13, %0
  br i1 %14, label %15, label %20
15:
  %16 = sext i32 %13 to i64
  %17 = getelementptr inbounds ptr, ptr %1, i64 %16
  %18 = load ptr, ptr %17, align 8
  %19 = tail call i32 @atoi(ptr nocapture noundef %18)
  br label %30
20:
  %21 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %10, ptr noundef nonnull dereferenceable(3) @.str.1)
  %.not45 = icmp eq i32 %21, 0
  br i1 %.not45, label %22, label %30
22:
  %23 = add nsw i32 %.03950, 1
  %24 = icmp slt i32 %23, %0
  br i1 %24, label %25, label %30
25:
  %26 = sext i32 %23 to i64
  %27 = getelementptr inbounds ptr, ptr %1, i64 %26
  %28 = load ptr, ptr %27, align 8
  %29 = tail call i32 @atoi(ptr nocapture noundef %28)
  br label %30
30:
  %.140 = phi i32 [ %.03950, %20 ], [ %23, %25 ], [ %.03950, %22 ], [ %13, %15 ]
  %.138 = phi i32 [ %.03751, %20 ], [ %29, %25 ], [ %.03751, %22 ], [ %.03751, %15 ]
  %.1 = phi i32 [ %.03652, %20 ], [ %.03652, %25 ], [ %.03652, %22 ], [ %19, %15 ]
  %31 = add nsw i32 %.140, 1
  %32 = icmp slt i32 %31, %0
  br i1 %32, label %.lr.ph, label %._crit_edge
33:
  %34 = icmp ugt i32 %.037.lcssa, 1
  %35 = icmp ult i32 %.037.lcssa, %.036.lcssa
  %or.cond46 = select i1 %34, i1 %35, i1 false
  br i1 %or.cond46, label %50, label %36
36:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %37 = add nuw nsw i32 %.036.lcssa, %.037.lcssa
  %38 = zext i32 %37 to i64
  %39 = shl nuw nsw i64 %38, 2
  %40 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %39)
  %41 = load ptr, ptr %3, align 8
  %42 = shl nuw nsw i32 %37, 2
  %43 = zext i32 %42 to i64
  %44 = tail call i32 @cudaMemset(ptr noundef %41, i32 noundef 0, i64 noundef %43)
  %45 = add nuw nsw i32 %.036.lcssa, 127
  %46 = lshr i32 %45, 7
  %.sroa.047.0.insert.ext = zext i32 %46 to i64
  %.sroa.047.0.insert.insert = or i64 %.sroa.047.0.insert.ext, 4294967296
  %47 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.047.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %47, 0
  br i1 %.not, label %48, label %49
48:
  tail call void @_Z26__device_stub__Z5shiftPiiiPiii(ptr noundef %41, i32 noundef %.036.lcssa, i32 noundef %.037.lcssa)
  br label %49
49:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %50
50:
  %.0 = phi i32 [ 0, %49 ], [ 2, %._crit_edge ], [ 3, %33 ]
  ret i32 %.0
}
define dso_local i32 @power_of_two_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %9
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  br label %9
9:
  %10 = phi i32 [ %8, %5 ], [ 64, %2 ]
  %11 = add i32 %10, -32
  %or.cond = icmp ult i32 %11, 481
  %12 = tail call i32 @llvm.ctpop.i32(i32 %10)
  %.not = icmp ult i32 %12, 2
  %or.cond15 = and i1 %or.cond, %.not
  br i1 %or.cond15, label %13, label %27
13:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %14 = shl nuw nsw i32 %10, 3
  %15 = zext i32 %14 to i64
  %16 = shl nuw nsw i64 %15, 2
  %17 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %16)
  %18 = load ptr, ptr %3, align 8
  %19 = shl nuw nsw i32 %10, 5
  %20 = zext i32 %19 to i64
  %21 = tail call i32 @cudaMemset(ptr noundef %18, i32 noundef 0, i64 noundef %20)
  %22 = shl nuw nsw i32 %10, 2
  %23 = zext i32 %22 to i64
  %.sroa.0.0.insert.ext = zext i32 %10 to i64
  %.sroa.0.0.insert.insert = or i64 %.sroa.0.0.insert.ext, 4294967296
  %24 = tail call i32 @__cudaPushCallConfiguration(i64 4294967304, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %23, ptr noundef null)
  %.not14 = icmp eq i32 %24, 0
  br i1 %.not14, label %25, label %26
25:
  tail call void @_Z26__device_stub__Z7pair_16PiPi(ptr noundef %18)
  br label %26
26:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %27
27:
  %.0 = phi i32 [ 0, %26 ], [ 1, %9 ]
  ret i32 %.0
}
define hidden void @pair_16(ptr noundef %0) {
  tail call void @_Z26__device_stub__Z7pair_16PiPi(ptr noundef %0)
  ret void
}
define dso_local i32 @power_of_two_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %9
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  br label %9
9:
  %10 = phi i32 [ %8, %5 ], [ 64, %2 ]
  %11 = add i32 %10, -32
  %or.cond = icmp ult i32 %11, 481
  %12 = tail call i32 @llvm.ctpop.i32(i32 %10)
  %.not = icmp ult i32 %12, 2
  %or.cond15 = and i1 %or.cond, %.not
  br i1 %or.cond15, label %13, label %29
13:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %14 = shl nuw nsw i32 %10, 3
  %15 = add nuw nsw i32 %14, 64
  %16 = zext i32 %15 to i64
  %17 = shl nuw nsw i64 %16, 2
  %18 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %17)
  %19 = load ptr, ptr %3, align 8
  %20 = shl nuw nsw i32 %10, 5
  %21 = add nuw nsw i32 %20, 256
  %22 = zext i32 %21 to i64
  %23 = tail call i32 @cudaMemset(ptr noundef %19, i32 noundef 0, i64 noundef %22)
  %24 = shl nuw nsw i32 %10, 2
  %25 = zext i32 %24 to i64
  %.sroa.0.0.insert.ext = zext i32 %10 to i64
  %.sroa.0.0.insert.insert = or i64 %.sroa.0.0.insert.ext, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 4294967304, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %25, ptr noundef null)
  %.not14 = icmp eq i32 %26, 0
  br i1 %.not14, label %27, label %28
27:
  tail call void @_Z26__device_stub__Z7pair_32PiPi(ptr noundef %19)
  br label %28
28:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %29
29:
  %.0 = phi i32 [ 0, %28 ], [ 1, %9 ]
  ret i32 %.0
}
define hidden void @pair_32(ptr noundef %0) {
  tail call void @_Z26__device_stub__Z7pair_32PiPi(ptr noundef %0)
  ret void
}
define dso_local i32 @summed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %10
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  br label %10
10:
  %11 = phi i32 [ %9, %6 ], [ 256, %2 ]
  %12 = add i32 %11, -2
  %or.cond = icmp ult i32 %12, 1023
  %13 = tail call i32 @llvm.ctpop.i32(i32 %11)
  %14 = icmp ult i32 %13, 2
  %or.cond13 = and i1 %or.cond, %14
  br i1 %or.cond13, label %15, label %.critedge
.critedge:
  tail call void @__assert_fail(ptr noundef nonnull @.str.2, ptr noundef nonnull @.str.3, i32 noundef 70, ptr noundef nonnull @__PRETTY_FUNCTION__.summed_clean)
  unreachable
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = shl nuw nsw i32 %11, 5
  %17 = zext i32 %16 to i64
  %18 = shl nuw nsw i64 %17, 2
  %19 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %18)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 128)
  %21 = load ptr, ptr %3, align 8
  %22 = shl nuw nsw i32 %11, 7
  %23 = zext i32 %22 to i64
  %24 = tail call i32 @cudaMemset(ptr noundef %21, i32 noundef 0, i64 noundef %23)
  %25 = shl nuw nsw i32 %11, 2
  %26 = zext i32 %25 to i64
  %.sroa.0.0.insert.ext = zext i32 %11 to i64
  %.sroa.0.0.insert.insert = or i64 %.sroa.0.0.insert.ext, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 4294967328, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %26, ptr noundef null)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %30
28:
  %29 = load ptr, ptr %4, align 8
  tail call void @_Z27__device_stub__Z5halvePKiPiPKiPi(ptr noundef %21, ptr noundef %29)
  br label %30
30:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
declare void @__assert_fail(ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr
define hidden void @halve(ptr noundef %0, ptr noundef %1) {
  tail call void @_Z27__device_stub__Z5halvePKiPiPKiPi(ptr noundef %0, ptr noundef %1)
  ret void
}
define dso_local i32 @summed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %10
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  br label %10
10:
  %11 = phi i32 [ %9, %6 ], [ 256, %2 ]
  %12 = add i32 %11, -2
  %or.cond = icmp ult i32 %12, 1023
  %13 = tail call i32 @llvm.ctpop.i32(i32 %11)
  %14 = icmp ult i32 %13, 2
  %or.cond14 = and i1 %or.cond, %14
  br i1 %or.cond14, label %15, label %.critedge
.critedge:
  tail call void @__assert_fail(ptr noundef nonnull @.str.2, ptr noundef nonnull @.str.3, i32 noundef 71, ptr noundef nonnull @__PRETTY_FUNCTION__.summed_race)
  unreachable
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = shl nuw nsw i32 %11, 5
  %17 = zext i32 %16 to i64
  %18 = shl nuw nsw i64 %17, 2
  %19 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %18)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 128)
  %21 = load ptr, ptr %3, align 8
  %22 = shl nuw nsw i32 %11, 7
  %23 = zext i32 %22 to i64
  %24 = tail call i32 @cudaMemset(ptr noundef %21, i32 noundef 0, i64 noundef %23)
  %25 = shl nuw nsw i32 %11, 2
  %26 = zext i32 %25 to i64
  %.sroa.0.0.insert.ext = zext i32 %11 to i64
  %.sroa.0.0.insert.insert = or i64 %.sroa.0.0.insert.ext, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 4294967328, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %26, ptr noundef null)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %32
28:
  %29 = icmp ugt i32 %11, 512
  %30 = load ptr, ptr %4, align 8
  %31 = select i1 %29, ptr %21, ptr %30
  tail call void @_Z27__device_stub__Z5halvePKiPiPKiPi(ptr noundef %21, ptr noundef %31)
  br label %32
32:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
define dso_local i32 @rounded_rows_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.Matrix, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -4097
  %or.cond = icmp ult i32 %10, -4096
  br i1 %or.cond, label %23, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 100, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = shl nuw nsw i32 %11, 5
  %13 = add nuw nsw i32 %12, 2048
  %14 = zext i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 4294967328, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %22
18:
  %.sroa.08.4.insert.ext = zext i32 %11 to i64
  %.sroa.08.4.insert.shift = shl nuw nsw i64 %.sroa.08.4.insert.ext, 32
  %.sroa.08.4.insert.insert = or i64 %.sroa.08.4.insert.shift, 32
  %19 = add nuw nsw i32 %11, 31
  %20 = and i32 %19, -32
  %21 = load ptr, ptr %4, align 8
  call void @llvm.lifetime.start.p0(i64 12, ptr nonnull %3)
  store i64 %.sroa.08.4.insert.insert, ptr %3, align 8
  %.sroa.2.0..sroa_idx.i = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %20, ptr %.sroa.2.0..sroa_idx.i, align 8
  call void @_Z30__device_stub__Z4fillPi6MatrixPiR6Matrix(ptr noundef %21, ptr noundef nonnull align 4 dereferenceable(12) %3)
  call void @llvm.lifetime.end.p0(i64 12, ptr nonnull %3)
  br label %22
22:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %23
23:
  %.0 = phi i32 [ 0, %22 ], [ 1, %6 ]
  ret i32 %.0
}
define hidden void @fill(ptr noundef %0, i64 %1, i32 %2) {
  %4 = alloca %struct.Matrix, align 8
  store i64 %1, ptr %4, align 8
  %.sroa.2.0..sroa_idx = getelementptr inbounds i8, ptr %4, i64 8
  store i32 %2, ptr %.sroa.2.0..sroa_idx, align 8
  call void @_Z30__device_stub__Z4fillPi6MatrixPiR6Matrix(ptr noundef %0, ptr noundef nonnull align 4 dereferenceable(12) %4)
  ret void
}
define dso_local i32 @rounded_rows_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.Matrix, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -4097
  %or.cond = icmp ult i32 %10, -4096
  br i1 %or.cond, label %22, label %.thread
.thread:
  %11 = phi i32 [ %9, %6 ], [ 100, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = shl nuw nsw i32 %11, 5
  %13 = add nuw nsw i32 %12, 2048
  %14 = zext i32 %13 to i64
  %15 = shl nuw nsw i64 %14, 2
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 4294967328, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %21
18:
  %.sroa.08.4.insert.ext = zext i32 %11 to i64
  %.sroa.08.4.insert.shift = shl nuw nsw i64 %.sroa.08.4.insert.ext, 32
  %.sroa.08.4.insert.insert = or i64 %.sroa.08.4.insert.shift, 32
  %19 = and i32 %11, -32
  %20 = load ptr, ptr %4, align 8
  call void @llvm.lifetime.start.p0(i64 12, ptr nonnull %3)
  store i64 %.sroa.08.4.insert.insert, ptr %3, align 8
  %.sroa.2.0..sroa_idx.i = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %19, ptr %.sroa.2.0..sroa_idx.i, align 8
  call void @_Z30__device_stub__Z4fillPi6MatrixPiR6Matrix(ptr noundef %20, ptr noundef nonnull align 4 dereferenceable(12) %3)
  call void @llvm.lifetime.end.p0(i64 12, ptr nonnull %3)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %22
22:
  %.0 = phi i32 [ 0, %21 ], [ 1, %6 ]
  ret i32 %.0
}
define dso_local i32 @limited_grid_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -10000001
  %or.cond = icmp ult i32 %9, -10000000
  br i1 %or.cond, label %20, label %.thread
.thread:
  %10 = phi i32 [ %8, %5 ], [ 1000, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = zext i32 %10 to i64
  %12 = shl nuw nsw i64 %11, 2
  %13 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = add nuw nsw i32 %10, 255
  %15 = lshr i32 %14, 8
  %.sroa.speculated = tail call i32 @llvm.umin.i32(i32 %15, i32 1024)
  %.sroa.014.0.insert.ext = zext i32 %.sroa.speculated to i64
  %.sroa.014.0.insert.insert = or i64 %.sroa.014.0.insert.ext, 4294967296
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.014.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z26__device_stub__Z6squarePiiPii(ptr noundef %18, i32 noundef %10)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.0 = phi i32 [ 0, %19 ], [ 1, %5 ]
  ret i32 %.0
}
define hidden void @square(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z26__device_stub__Z6squarePiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local i32 @limited_grid_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -10000001
  %or.cond = icmp ult i32 %9, -10000000
  br i1 %or.cond, label %20, label %.thread
.thread:
  %10 = phi i32 [ %8, %5 ], [ 1000, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = zext i32 %10 to i64
  %12 = shl nuw nsw i64 %11, 2
  %13 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = add nuw nsw i32 %10, 255
  %15 = lshr i32 %14, 8
  %.sroa.speculated = tail call i32 @llvm.umin.i32(i32 %15, i32 1024)
  %.sroa.014.0.insert.ext = zext i32 %.sroa.speculated to i64
  %.sroa.014.0.insert.insert = or i64 %.sroa.014.0.insert.ext, 4294967296
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.014.0.insert.insert, i32 1, i64 4294967552, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z33__device_stub__Z12square_againPiiPii(ptr noundef %18, i32 noundef %10)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.0 = phi i32 [ 0, %19 ], [ 1, %5 ]
  ret i32 %.0
}
define hidden void @square_again(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z33__device_stub__Z12square_againPiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local i32 @file_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = icmp slt i32 %0, 2
  br i1 %6, label %26, label %7
7:
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = tail call noalias ptr @fopen(ptr noundef %9, ptr noundef nonnull @.str.4)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  %.not = icmp eq ptr %10, null
  br i1 %.not, label %25, label %11
11:
  %12 = call i32 (ptr, ptr, ...) @__isoc99_fscanf(ptr noundef nonnull %10, ptr noundef nonnull @.str.5, ptr noundef nonnull %3, ptr noundef nonnull %4)
  %.not12 = icmp eq i32 %12, 2
  br i1 %.not12, label %13, label %25
13:
  %14 = load i32, ptr %3, align 4
  %15 = add i32 %14, -65
  %or.cond = icmp ult i32 %15, -64
  %16 = load i32, ptr %4, align 4
  %17 = icmp slt i32 %16, 128
  %or.cond3 = select i1 %or.cond, i1 true, i1 %17
  %18 = icmp sgt i32 %16, 512
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %18
  br i1 %or.cond5, label %25, label %19
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %20 = call i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 131584)
  %.sroa.014.0.insert.ext = zext i32 %14 to i64
  %.sroa.014.0.insert.insert = or i64 %.sroa.014.0.insert.ext, 4294967296
  %21 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.014.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not13 = icmp eq i32 %21, 0
  br i1 %.not13, label %22, label %24
22:
  %23 = load ptr, ptr %5, align 8
  call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %16)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  br label %25
25:
  %.0 = phi i32 [ 0, %24 ], [ 2, %11 ], [ 2, %7 ], [ 3, %13 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3)
  br label %26
26:
  %.1 = phi i32 [ %.0, %25 ], [ 1, %2 ]
  ret i32 %.1
}
declare noalias noundef ptr @fopen(ptr nocapture noundef readonly, ptr nocapture noundef readonly) local_unnamed_addr
declare i32 @__isoc99_fscanf(ptr noundef, ptr noundef, ...) local_unnamed_addr
define hidden void @rows(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local i32 @file_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = icmp slt i32 %0, 2
  br i1 %6, label %26, label %7
7:
  %8 = getelementptr inbounds ptr, ptr %1, i64 1
  %9 = load ptr, ptr %8, align 8
  %10 = tail call noalias ptr @fopen(ptr noundef %9, ptr noundef nonnull @.str.4)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  %.not = icmp eq ptr %10, null
  br i1 %.not, label %25, label %11
11:
  %12 = call i32 (ptr, ptr, ...) @__isoc99_fscanf(ptr noundef nonnull %10, ptr noundef nonnull @.str.5, ptr noundef nonnull %3, ptr noundef nonnull %4)
  %.not12 = icmp eq i32 %12, 2
  br i1 %.not12, label %13, label %25
13:
  %14 = load i32, ptr %3, align 4
  %15 = add i32 %14, -65
  %or.cond = icmp ult i32 %15, -64
  %16 = load i32, ptr %4, align 4
  %17 = icmp slt i32 %16, 100
  %or.cond3 = select i1 %or.cond, i1 true, i1 %17
  %18 = icmp sgt i32 %16, 512
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %18
  br i1 %or.cond5, label %25, label %19
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %20 = call i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 131584)
  %.sroa.014.0.insert.ext = zext i32 %14 to i64
  %.sroa.014.0.insert.insert = or i64 %.sroa.014.0.insert.ext, 4294967296
  %21 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.014.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not13 = icmp eq i32 %21, 0
  br i1 %.not13, label %22, label %24
22:
  %23 = load ptr, ptr %5, align 8
  call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %16)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  br label %25
25:
  %.0 = phi i32 [ 0, %24 ], [ 2, %11 ], [ 2, %7 ], [ 3, %13 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3)
  br label %26
26:
  %.1 = phi i32 [ %.0, %25 ], [ 1, %2 ]
  ret i32 %.1
}
define dso_local i32 @bytes_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [2 x i32], align 4
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %26, label %6
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call noalias ptr @fopen(ptr noundef %8, ptr noundef nonnull @.str.6)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %.not = icmp eq ptr %9, null
  br i1 %.not, label %25, label %10
10:
  %11 = call i64 @fread(ptr noundef nonnull %3, i64 noundef 4, i64 noundef 2, ptr noundef nonnull %9)
  %.not15 = icmp eq i64 %11, 2
  br i1 %.not15, label %12, label %25
12:
  %13 = load i32, ptr %3, align 4
  %14 = add i32 %13, -65
  %or.cond = icmp ult i32 %14, -64
  %15 = getelementptr inbounds [2 x i32], ptr %3, i64 0, i64 1
  %16 = load i32, ptr %15, align 4
  %17 = icmp slt i32 %16, 128
  %or.cond5 = select i1 %or.cond, i1 true, i1 %17
  %18 = icmp sgt i32 %16, 512
  %or.cond8 = select i1 %or.cond5, i1 true, i1 %18
  br i1 %or.cond8, label %25, label %19
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 131584)
  %.sroa.017.0.insert.ext = zext i32 %13 to i64
  %.sroa.017.0.insert.insert = or i64 %.sroa.017.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.017.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not16 = icmp eq i32 %21, 0
  br i1 %.not16, label %22, label %24
22:
  %23 = load ptr, ptr %4, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %16)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %25
25:
  %.0 = phi i32 [ 0, %24 ], [ 2, %10 ], [ 2, %6 ], [ 3, %12 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %26
26:
  %.1 = phi i32 [ %.0, %25 ], [ 1, %2 ]
  ret i32 %.1
}
declare noundef i64 @fread(ptr nocapture noundef, i64 noundef, i64 noundef, ptr nocapture noundef) local_unnamed_addr
define dso_local i32 @bytes_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [2 x i32], align 4
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %26, label %6
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call noalias ptr @fopen(ptr noundef %8, ptr noundef nonnull @.str.6)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %.not = icmp eq ptr %9, null
  br i1 %.not, label %25, label %10
10:
  %11 = call i64 @fread(ptr noundef nonnull %3, i64 noundef 4, i64 noundef 2, ptr noundef nonnull %9)
  %.not15 = icmp eq i64 %11, 2
  br i1 %.not15, label %12, label %25
12:
  %13 = load i32, ptr %3, align 4
  %14 = add i32 %13, -65
  %or.cond = icmp ult i32 %14, -64
  %15 = getelementptr inbounds [2 x i32], ptr %3, i64 0, i64 1
  %16 = load i32, ptr %15, align 4
  %17 = icmp slt i32 %16, 100
  %or.cond5 = select i1 %or.cond, i1 true, i1 %17
  %18 = icmp sgt i32 %16, 512
  %or.cond8 = select i1 %or.cond5, i1 true, i1 %18
  br i1 %or.cond8, label %25, label %19
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 131584)
  %.sroa.017.0.insert.ext = zext i32 %13 to i64
  %.sroa.017.0.insert.insert = or i64 %.sroa.017.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.017.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not16 = icmp eq i32 %21, 0
  br i1 %.not16, label %22, label %24
22:
  %23 = load ptr, ptr %4, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %16)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %25
25:
  %.0 = phi i32 [ 0, %24 ], [ 2, %10 ], [ 2, %6 ], [ 3, %12 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %26
26:
  %.1 = phi i32 [ %.0, %25 ], [ 1, %2 ]
  ret i32 %.1
}
define dso_local i32 @stream_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %"class.std::basic_ifstream", align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = icmp slt i32 %0, 2
  br i1 %7, label %102, label %8
8:
  call void @llvm.lifetime.start.p0(i64 520, ptr nonnull %3)
  %9 = getelementptr inbounds ptr, ptr %1, i64 1
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %3, i64 256
  call void @_ZNSt8ios_baseC2Ev(ptr noundef nonnull align 8 dereferenceable(216) %11)
  store ptr getelementptr inbounds ({ [4 x ptr] }, ptr @_ZTVSt9basic_iosIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 2), ptr %11, align 8
  %12 = getelementptr inbounds i8, ptr %3, i64 472
  store ptr null, ptr %12, align 8
  %13 = getelementptr inbounds i8, ptr %3, i64 480
  store i8 0, ptr %13, align 8
  %14 = getelementptr inbounds i8, ptr %3, i64 481
  store i8 0, ptr %14, align 1
  %15 = getelementptr inbounds i8, ptr %3, i64 488
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %15, i8 0, i64 32, i1 false)
  %16 = load ptr, ptr getelementptr inbounds ([4 x ptr], ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, i64 1), align 8
  store ptr %16, ptr %3, align 8
  %17 = load ptr, ptr getelementptr inbounds ([4 x ptr], ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, i64 2), align 8
  %18 = getelementptr i8, ptr %16, i64 -24
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds i8, ptr %3, i64 %19
  store ptr %17, ptr %20, align 8
  %21 = getelementptr inbounds %"class.std::basic_istream", ptr %3, i64 0, i32 1
  store i64 0, ptr %21, align 8
  %22 = load ptr, ptr %3, align 8
  %23 = getelementptr i8, ptr %22, i64 -24
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds i8, ptr %3, i64 %24
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E(ptr noundef nonnull align 8 dereferenceable(264) %25, ptr noundef null)
          to label %_ZNSiC2Ev.exit.i unwind label %47
_ZNSiC2Ev.exit.i:
  store ptr getelementptr inbounds ({ [5 x ptr], [5 x ptr] }, ptr @_ZTVSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 3), ptr %3, align 8
  store ptr getelementptr inbounds ({ [5 x ptr], [5 x ptr] }, ptr @_ZTVSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, inrange i32 1, i64 3), ptr %11, align 8
  %26 = getelementptr inbounds %"class.std::basic_ifstream", ptr %3, i64 0, i32 1
  invoke void @_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev(ptr noundef nonnull align 8 dereferenceable(240) %26)
          to label %27 unwind label %49
27:
  %28 = load ptr, ptr %3, align 8
  %29 = getelementptr i8, ptr %28, i64 -24
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i8, ptr %3, i64 %30
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E(ptr noundef nonnull align 8 dereferenceable(264) %31, ptr noundef nonnull %26)
          to label %32 unwind label %51
32:
  %33 = invoke noundef ptr @_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode(ptr noundef nonnull align 8 dereferenceable(240) %26, ptr noundef %10, i32 noundef 8)
          to label %.noexc.i unwind label %51
.noexc.i:
  %.not.i.i = icmp eq ptr %33, null
  br i1 %.not.i.i, label %34, label %42
34:
  %35 = load ptr, ptr %3, align 8
  %36 = getelementptr i8, ptr %35, i64 -24
  %37 = load i64, ptr %36, align 8
  %38 = getelementptr inbounds i8, ptr %3, i64 %37
  %39 = getelementptr inbounds %"class.std::ios_base", ptr %38, i64 0, i32 5
  %40 = load i32, ptr %39, align 8
  %41 = or i32 %40, 4
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(ptr noundef nonnull align 8 dereferenceable(264) %38, i32 noundef %41)
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode.exit unwind label %51
42:
  %43 = load ptr, ptr %3, align 8
  %44 = getelementptr i8, ptr %43, i64 -24
  %45 = load i64, ptr %44, align 8
  %46 = getelementptr inbounds i8, ptr %3, i64 %45
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(ptr noundef nonnull align 8 dereferenceable(264) %46, i32 noundef 0)
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode.exit unwind label %51
47:
  %48 = landingpad { ptr, i32 }
          cleanup
  br label %56
49:
  %50 = landingpad { ptr, i32 }
          cleanup
  br label %53
51:
  %52 = landingpad { ptr, i32 }
          cleanup
  call void @_ZNSt13basic_filebufIcSt11char_traitsIcEED2Ev(ptr noundef nonnull align 8 dereferenceable(240) %26)
  br label %53
53:
  %.pn.i = phi { ptr, i32 } [ %52, %51 ], [ %50, %49 ]
  store ptr %16, ptr %3, align 8
  %54 = load i64, ptr %18, align 8
  %55 = getelementptr inbounds i8, ptr %3, i64 %54
  store ptr %17, ptr %55, align 8
  store i64 0, ptr %21, align 8
  br label %56
common.resume:
  %common.resume.op = phi { ptr, i32 } [ %.pn.pn.i, %56 ], [ %.pn, %101 ]
  resume { ptr, i32 } %common.resume.op
56:
  %.pn.pn.i = phi { ptr, i32 } [ %.pn.i, %53 ], [ %48, %47 ]
  call void @_ZNSt8ios_baseD2Ev(ptr noundef nonnull align 8 dereferenceable(264) %11)
  br label %common.resume
_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode.exit:
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %5)
  %57 = invoke noundef nonnull align 8 dereferenceable(16) ptr @_ZNSirsERi(ptr noundef nonnull align 8 dereferenceable(16) %3, ptr noundef nonnull align 4 dereferenceable(4) %4)
          to label %58 unwind label %68
58:
  %59 = invoke noundef nonnull align 8 dereferenceable(16) ptr @_ZNSirsERi(ptr noundef nonnull align 8 dereferenceable(16) %57, ptr noundef nonnull align 4 dereferenceable(4) %5)
          to label %60 unwind label %68
60:
  %61 = load ptr, ptr %59, align 8
  %62 = getelementptr i8, ptr %61, i64 -24
  %63 = load i64, ptr %62, align 8
  %64 = getelementptr inbounds i8, ptr %59, i64 %63
  %65 = getelementptr inbounds %"class.std::ios_base", ptr %64, i64 0, i32 5
  %66 = load i32, ptr %65, align 8
  %67 = and i32 %66, 5
  %.not17 = icmp eq i32 %67, 0
  br i1 %.not17, label %70, label %83
68:
  %69 = landingpad { ptr, i32 }
          cleanup
  br label %101
70:
  %71 = load i32, ptr %4, align 4
  %72 = add i32 %71, -65
  %or.cond = icmp ult i32 %72, -64
  %73 = load i32, ptr %5, align 4
  %74 = icmp slt i32 %73, 128
  %or.cond3 = select i1 %or.cond, i1 true, i1 %74
  %75 = icmp sgt i32 %73, 512
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %75
  br i1 %or.cond5, label %83, label %76
76:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %6)
  %77 = call i32 @cudaMalloc(ptr noundef nonnull %6, i64 noundef 131584)
  %.sroa.014.0.insert.ext = zext i32 %71 to i64
  %.sroa.014.0.insert.insert = or i64 %.sroa.014.0.insert.ext, 4294967296
  %78 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.014.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %78, 0
  br i1 %.not, label %79, label %rows.exit
79:
  %80 = load ptr, ptr %6, align 8
  invoke void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %80, i32 noundef %73)
          to label %rows.exit unwind label %81
rows.exit:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %6)
  br label %83
81:
  %82 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %6)
  br label %101
83:
  %.0 = phi i32 [ 0, %rows.exit ], [ 2, %60 ], [ 3, %70 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  %84 = load ptr, ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, align 8
  store ptr %84, ptr %3, align 8
  %85 = load ptr, ptr getelementptr inbounds ([4 x ptr], ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, i64 3), align 8
  %86 = getelementptr i8, ptr %84, i64 -24
  %87 = load i64, ptr %86, align 8
  %88 = getelementptr inbounds i8, ptr %3, i64 %87
  store ptr %85, ptr %88, align 8
  store ptr getelementptr inbounds ({ [16 x ptr] }, ptr @_ZTVSt13basic_filebufIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 2), ptr %26, align 8
  %89 = invoke noundef ptr @_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv(ptr noundef nonnull align 8 dereferenceable(240) %26)
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit unwind label %90
90:
  %91 = landingpad { ptr, i32 }
          catch ptr null
  %92 = extractvalue { ptr, i32 } %91, 0
  %93 = call ptr @__cxa_begin_catch(ptr %92)
  invoke void @__cxa_end_catch()
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit unwind label %94
94:
  %95 = landingpad { ptr, i32 }
          catch ptr null
  %96 = extractvalue { ptr, i32 } %95, 0
  call void @__clang_call_terminate(ptr %96)
  unreachable
_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit:
  %97 = getelementptr inbounds %"class.std::basic_ifstream", ptr %3, i64 0, i32 1, i32 2
  call void @_ZNSt12__basic_fileIcED1Ev(ptr noundef nonnull align 8 dereferenceable(9) %97)
  store ptr getelementptr inbounds ({ [16 x ptr] }, ptr @_ZTVSt15basic_streambufIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 2), ptr %26, align 8
  %98 = getelementptr inbounds %"class.std::basic_ifstream", ptr %3, i64 0, i32 1, i32 0, i32 7
  call void @_ZNSt6localeD1Ev(ptr noundef nonnull align 8 dereferenceable(8) %98)
  store ptr %16, ptr %3, align 8
  %99 = load i64, ptr %18, align 8
  %100 = getelementptr inbounds i8, ptr %3, i64 %99
  store ptr %17, ptr %100, align 8
  store i64 0, ptr %21, align 8
  call void @_ZNSt8ios_baseD2Ev(ptr noundef nonnull align 8 dereferenceable(264) %11)
  call void @llvm.lifetime.end.p0(i64 520, ptr nonnull %3)
  br label %102
101:
  %.pn = phi { ptr, i32 } [ %82, %81 ], [ %69, %68 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  call void @_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev(ptr noundef nonnull align 8 dereferenceable(256) %3)
  call void @llvm.lifetime.end.p0(i64 520, ptr nonnull %3)
  br label %common.resume
102:
  %.1 = phi i32 [ %.0, %_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit ], [ 1, %2 ]
  ret i32 %.1
}
declare noundef nonnull align 8 dereferenceable(16) ptr @_ZNSirsERi(ptr noundef nonnull align 8 dereferenceable(16), ptr noundef nonnull align 4 dereferenceable(4)) local_unnamed_addr
declare i32 @__gxx_personality_v0(...)
declare void @_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev(ptr noundef nonnull align 8 dereferenceable(256)) unnamed_addr align 2
define dso_local i32 @stream_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca %"class.std::basic_ifstream", align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = icmp slt i32 %0, 2
  br i1 %7, label %102, label %8
8:
  call void @llvm.lifetime.start.p0(i64 520, ptr nonnull %3)
  %9 = getelementptr inbounds ptr, ptr %1, i64 1
  %10 = load ptr, ptr %9, align 8
  %11 = getelementptr inbounds i8, ptr %3, i64 256
  call void @_ZNSt8ios_baseC2Ev(ptr noundef nonnull align 8 dereferenceable(216) %11)
  store ptr getelementptr inbounds ({ [4 x ptr] }, ptr @_ZTVSt9basic_iosIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 2), ptr %11, align 8
  %12 = getelementptr inbounds i8, ptr %3, i64 472
  store ptr null, ptr %12, align 8
  %13 = getelementptr inbounds i8, ptr %3, i64 480
  store i8 0, ptr %13, align 8
  %14 = getelementptr inbounds i8, ptr %3, i64 481
  store i8 0, ptr %14, align 1
  %15 = getelementptr inbounds i8, ptr %3, i64 488
  call void @llvm.memset.p0.i64(ptr noundef nonnull align 8 dereferenceable(32) %15, i8 0, i64 32, i1 false)
  %16 = load ptr, ptr getelementptr inbounds ([4 x ptr], ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, i64 1), align 8
  store ptr %16, ptr %3, align 8
  %17 = load ptr, ptr getelementptr inbounds ([4 x ptr], ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, i64 2), align 8
  %18 = getelementptr i8, ptr %16, i64 -24
  %19 = load i64, ptr %18, align 8
  %20 = getelementptr inbounds i8, ptr %3, i64 %19
  store ptr %17, ptr %20, align 8
  %21 = getelementptr inbounds %"class.std::basic_istream", ptr %3, i64 0, i32 1
  store i64 0, ptr %21, align 8
  %22 = load ptr, ptr %3, align 8
  %23 = getelementptr i8, ptr %22, i64 -24
  %24 = load i64, ptr %23, align 8
  %25 = getelementptr inbounds i8, ptr %3, i64 %24
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E(ptr noundef nonnull align 8 dereferenceable(264) %25, ptr noundef null)
          to label %_ZNSiC2Ev.exit.i unwind label %47
_ZNSiC2Ev.exit.i:
  store ptr getelementptr inbounds ({ [5 x ptr], [5 x ptr] }, ptr @_ZTVSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 3), ptr %3, align 8
  store ptr getelementptr inbounds ({ [5 x ptr], [5 x ptr] }, ptr @_ZTVSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, inrange i32 1, i64 3), ptr %11, align 8
  %26 = getelementptr inbounds %"class.std::basic_ifstream", ptr %3, i64 0, i32 1
  invoke void @_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev(ptr noundef nonnull align 8 dereferenceable(240) %26)
          to label %27 unwind label %49
27:
  %28 = load ptr, ptr %3, align 8
  %29 = getelementptr i8, ptr %28, i64 -24
  %30 = load i64, ptr %29, align 8
  %31 = getelementptr inbounds i8, ptr %3, i64 %30
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E(ptr noundef nonnull align 8 dereferenceable(264) %31, ptr noundef nonnull %26)
          to label %32 unwind label %51
32:
  %33 = invoke noundef ptr @_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode(ptr noundef nonnull align 8 dereferenceable(240) %26, ptr noundef %10, i32 noundef 8)
          to label %.noexc.i unwind label %51
.noexc.i:
  %.not.i.i = icmp eq ptr %33, null
  br i1 %.not.i.i, label %34, label %42
34:
  %35 = load ptr, ptr %3, align 8
  %36 = getelementptr i8, ptr %35, i64 -24
  %37 = load i64, ptr %36, align 8
  %38 = getelementptr inbounds i8, ptr %3, i64 %37
  %39 = getelementptr inbounds %"class.std::ios_base", ptr %38, i64 0, i32 5
  %40 = load i32, ptr %39, align 8
  %41 = or i32 %40, 4
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(ptr noundef nonnull align 8 dereferenceable(264) %38, i32 noundef %41)
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode.exit unwind label %51
42:
  %43 = load ptr, ptr %3, align 8
  %44 = getelementptr i8, ptr %43, i64 -24
  %45 = load i64, ptr %44, align 8
  %46 = getelementptr inbounds i8, ptr %3, i64 %45
  invoke void @_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(ptr noundef nonnull align 8 dereferenceable(264) %46, i32 noundef 0)
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode.exit unwind label %51
47:
  %48 = landingpad { ptr, i32 }
          cleanup
  br label %56
49:
  %50 = landingpad { ptr, i32 }
          cleanup
  br label %53
51:
  %52 = landingpad { ptr, i32 }
          cleanup
  call void @_ZNSt13basic_filebufIcSt11char_traitsIcEED2Ev(ptr noundef nonnull align 8 dereferenceable(240) %26)
  br label %53
53:
  %.pn.i = phi { ptr, i32 } [ %52, %51 ], [ %50, %49 ]
  store ptr %16, ptr %3, align 8
  %54 = load i64, ptr %18, align 8
  %55 = getelementptr inbounds i8, ptr %3, i64 %54
  store ptr %17, ptr %55, align 8
  store i64 0, ptr %21, align 8
  br label %56
common.resume:
  %common.resume.op = phi { ptr, i32 } [ %.pn.pn.i, %56 ], [ %.pn, %101 ]
  resume { ptr, i32 } %common.resume.op
56:
  %.pn.pn.i = phi { ptr, i32 } [ %.pn.i, %53 ], [ %48, %47 ]
  call void @_ZNSt8ios_baseD2Ev(ptr noundef nonnull align 8 dereferenceable(264) %11)
  br label %common.resume
_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode.exit:
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %5)
  %57 = invoke noundef nonnull align 8 dereferenceable(16) ptr @_ZNSirsERi(ptr noundef nonnull align 8 dereferenceable(16) %3, ptr noundef nonnull align 4 dereferenceable(4) %4)
          to label %58 unwind label %68
58:
  %59 = invoke noundef nonnull align 8 dereferenceable(16) ptr @_ZNSirsERi(ptr noundef nonnull align 8 dereferenceable(16) %57, ptr noundef nonnull align 4 dereferenceable(4) %5)
          to label %60 unwind label %68
60:
  %61 = load ptr, ptr %59, align 8
  %62 = getelementptr i8, ptr %61, i64 -24
  %63 = load i64, ptr %62, align 8
  %64 = getelementptr inbounds i8, ptr %59, i64 %63
  %65 = getelementptr inbounds %"class.std::ios_base", ptr %64, i64 0, i32 5
  %66 = load i32, ptr %65, align 8
  %67 = and i32 %66, 5
  %.not17 = icmp eq i32 %67, 0
  br i1 %.not17, label %70, label %83
68:
  %69 = landingpad { ptr, i32 }
          cleanup
  br label %101
70:
  %71 = load i32, ptr %4, align 4
  %72 = add i32 %71, -65
  %or.cond = icmp ult i32 %72, -64
  %73 = load i32, ptr %5, align 4
  %74 = icmp slt i32 %73, 100
  %or.cond3 = select i1 %or.cond, i1 true, i1 %74
  %75 = icmp sgt i32 %73, 512
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %75
  br i1 %or.cond5, label %83, label %76
76:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %6)
  %77 = call i32 @cudaMalloc(ptr noundef nonnull %6, i64 noundef 131584)
  %.sroa.014.0.insert.ext = zext i32 %71 to i64
  %.sroa.014.0.insert.insert = or i64 %.sroa.014.0.insert.ext, 4294967296
  %78 = call i32 @__cudaPushCallConfiguration(i64 %.sroa.014.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %78, 0
  br i1 %.not, label %79, label %rows.exit
79:
  %80 = load ptr, ptr %6, align 8
  invoke void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %80, i32 noundef %73)
          to label %rows.exit unwind label %81
rows.exit:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %6)
  br label %83
81:
  %82 = landingpad { ptr, i32 }
          cleanup
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %6)
  br label %101
83:
  %.0 = phi i32 [ 0, %rows.exit ], [ 2, %60 ], [ 3, %70 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  %84 = load ptr, ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, align 8
  store ptr %84, ptr %3, align 8
  %85 = load ptr, ptr getelementptr inbounds ([4 x ptr], ptr @_ZTTSt14basic_ifstreamIcSt11char_traitsIcEE, i64 0, i64 3), align 8
  %86 = getelementptr i8, ptr %84, i64 -24
  %87 = load i64, ptr %86, align 8
  %88 = getelementptr inbounds i8, ptr %3, i64 %87
  store ptr %85, ptr %88, align 8
  store ptr getelementptr inbounds ({ [16 x ptr] }, ptr @_ZTVSt13basic_filebufIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 2), ptr %26, align 8
  %89 = invoke noundef ptr @_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv(ptr noundef nonnull align 8 dereferenceable(240) %26)
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit unwind label %90
90:
  %91 = landingpad { ptr, i32 }
          catch ptr null
  %92 = extractvalue { ptr, i32 } %91, 0
  %93 = call ptr @__cxa_begin_catch(ptr %92)
  invoke void @__cxa_end_catch()
          to label %_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit unwind label %94
94:
  %95 = landingpad { ptr, i32 }
          catch ptr null
  %96 = extractvalue { ptr, i32 } %95, 0
  call void @__clang_call_terminate(ptr %96)
  unreachable
_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit:
  %97 = getelementptr inbounds %"class.std::basic_ifstream", ptr %3, i64 0, i32 1, i32 2
  call void @_ZNSt12__basic_fileIcED1Ev(ptr noundef nonnull align 8 dereferenceable(9) %97)
  store ptr getelementptr inbounds ({ [16 x ptr] }, ptr @_ZTVSt15basic_streambufIcSt11char_traitsIcEE, i64 0, inrange i32 0, i64 2), ptr %26, align 8
  %98 = getelementptr inbounds %"class.std::basic_ifstream", ptr %3, i64 0, i32 1, i32 0, i32 7
  call void @_ZNSt6localeD1Ev(ptr noundef nonnull align 8 dereferenceable(8) %98)
  store ptr %16, ptr %3, align 8
  %99 = load i64, ptr %18, align 8
  %100 = getelementptr inbounds i8, ptr %3, i64 %99
  store ptr %17, ptr %100, align 8
  store i64 0, ptr %21, align 8
  call void @_ZNSt8ios_baseD2Ev(ptr noundef nonnull align 8 dereferenceable(264) %11)
  call void @llvm.lifetime.end.p0(i64 520, ptr nonnull %3)
  br label %102
101:
  %.pn = phi { ptr, i32 } [ %82, %81 ], [ %69, %68 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  call void @_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev(ptr noundef nonnull align 8 dereferenceable(256) %3)
  call void @llvm.lifetime.end.p0(i64 520, ptr nonnull %3)
  br label %common.resume
102:
  %.1 = phi i32 [ %.0, %_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev.exit ], [ 1, %2 ]
  ret i32 %.1
}
declare void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z26__device_stub__Z5shiftPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
declare void @_Z26__device_stub__Z7pair_16PiPi(ptr noundef) local_unnamed_addr
declare void @_Z26__device_stub__Z7pair_32PiPi(ptr noundef) local_unnamed_addr
declare void @_Z27__device_stub__Z5halvePKiPiPKiPi(ptr noundef, ptr noundef) local_unnamed_addr
declare void @_Z30__device_stub__Z4fillPi6MatrixPiR6Matrix(ptr noundef, ptr noundef nonnull align 4 dereferenceable(12)) local_unnamed_addr
declare void @_Z26__device_stub__Z6squarePiiPii(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z33__device_stub__Z12square_againPiiPii(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef, i32 noundef) local_unnamed_addr
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @rows, ptr noundef nonnull @.str.7, ptr noundef nonnull @.str.7, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @square_again, ptr noundef nonnull @.str.8, ptr noundef nonnull @.str.8, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @square, ptr noundef nonnull @.str.9, ptr noundef nonnull @.str.9, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @fill, ptr noundef nonnull @.str.10, ptr noundef nonnull @.str.10, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @halve, ptr noundef nonnull @.str.11, ptr noundef nonnull @.str.11, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @pair_32, ptr noundef nonnull @.str.12, ptr noundef nonnull @.str.12, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @pair_16, ptr noundef nonnull @.str.13, ptr noundef nonnull @.str.13, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @shift, ptr noundef nonnull @.str.14, ptr noundef nonnull @.str.14, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @step, ptr noundef nonnull @.str.15, ptr noundef nonnull @.str.15, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
declare void @__cudaRegisterFunction(ptr noundef, ptr noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr
declare void @__cudaUnregisterFatBinary(ptr noundef) local_unnamed_addr
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) local_unnamed_addr
declare void @_ZNSt13basic_filebufIcSt11char_traitsIcEEC1Ev(ptr noundef nonnull align 8 dereferenceable(240)) unnamed_addr
declare void @_ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E(ptr noundef nonnull align 8 dereferenceable(264), ptr noundef) local_unnamed_addr
declare void @_ZNSt13basic_filebufIcSt11char_traitsIcEED2Ev(ptr noundef nonnull align 8 dereferenceable(240)) unnamed_addr align 2
declare void @_ZNSt8ios_baseD2Ev(ptr noundef nonnull align 8 dereferenceable(216)) unnamed_addr
declare void @_ZNSt8ios_baseC2Ev(ptr noundef nonnull align 8 dereferenceable(216)) unnamed_addr
declare noundef ptr @_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode(ptr noundef nonnull align 8 dereferenceable(240), ptr noundef, i32 noundef) local_unnamed_addr
declare void @_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(ptr noundef nonnull align 8 dereferenceable(264), i32 noundef) local_unnamed_addr
declare noundef ptr @_ZNSt13basic_filebufIcSt11char_traitsIcEE5closeEv(ptr noundef nonnull align 8 dereferenceable(240)) local_unnamed_addr
declare ptr @__cxa_begin_catch(ptr) local_unnamed_addr
declare void @__cxa_end_catch() local_unnamed_addr
define linkonce_odr hidden void @__clang_call_terminate(ptr noundef %0) local_unnamed_addr comdat {
  %2 = tail call ptr @__cxa_begin_catch(ptr %0)
  tail call void @_ZSt9terminatev()
  unreachable
}
declare void @_ZSt9terminatev() local_unnamed_addr
declare void @_ZNSt12__basic_fileIcED1Ev(ptr noundef nonnull align 8 dereferenceable(9)) unnamed_addr
declare void @_ZNSt6localeD1Ev(ptr noundef nonnull align 8 dereferenceable(8)) unnamed_addr
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.umin.i32(i32, i32)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
