target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
%struct.Shape = type { i32, i32 }
%struct.View = type { ptr, i32 }
@.str = private unnamed_addr constant [20 x i8] c"p >= 64 && p < 1000\00", align 1
@.str.1 = private unnamed_addr constant [12 x i8] c"admitted.cu\00", align 1
@__PRETTY_FUNCTION__.asserted_clean = private unnamed_addr constant [33 x i8] c"int asserted_clean(int, char **)\00", align 1
@.str.2 = private unnamed_addr constant [20 x i8] c"p >= 32 && p < 1000\00", align 1
@__PRETTY_FUNCTION__.asserted_race = private unnamed_addr constant [32 x i8] c"int asserted_race(int, char **)\00", align 1
@.str.3 = private unnamed_addr constant [18 x i8] c"b > 0 && b <= 128\00", align 1
@__PRETTY_FUNCTION__.both_asserted_clean = private unnamed_addr constant [38 x i8] c"int both_asserted_clean(int, char **)\00", align 1
@.str.4 = private unnamed_addr constant [18 x i8] c"p >= b && p < 500\00", align 1
@__PRETTY_FUNCTION__.both_asserted_race = private unnamed_addr constant [37 x i8] c"int both_asserted_race(int, char **)\00", align 1
@.str.5 = private unnamed_addr constant [17 x i8] c"p > 0 && p < 500\00", align 1
@.str.6 = private unnamed_addr constant [7 x i8] c"--wide\00", align 1
@.str.8 = private unnamed_addr constant [6 x i8] c"LANES\00", align 1
@.str.9 = private unnamed_addr constant [6 x i8] c"PITCH\00", align 1
@.str.10 = private unnamed_addr constant [3 x i8] c"%d\00", align 1
@.str.11 = private unnamed_addr constant [6 x i8] c"%d %d\00", align 1
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [2703 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str.12 = private unnamed_addr constant [19 x i8] c"_Z5fixedILi64EEvPi\00", align 1
@.str.13 = private unnamed_addr constant [19 x i8] c"_Z5fixedILi32EEvPi\00", align 1
@.str.14 = private unnamed_addr constant [7 x i8] c"viewed\00", align 1
@.str.15 = private unnamed_addr constant [7 x i8] c"shaped\00", align 1
@.str.16 = private unnamed_addr constant [8 x i8] c"scatter\00", align 1
@.str.17 = private unnamed_addr constant [8 x i8] c"strided\00", align 1
@.str.18 = private unnamed_addr constant [7 x i8] c"halves\00", align 1
@.str.19 = private unnamed_addr constant [6 x i8] c"plane\00", align 1
@.str.20 = private unnamed_addr constant [6 x i8] c"tiled\00", align 1
@.str.21 = private unnamed_addr constant [5 x i8] c"turn\00", align 1
@.str.22 = private unnamed_addr constant [5 x i8] c"both\00", align 1
@.str.23 = private unnamed_addr constant [5 x i8] c"bins\00", align 1
@.str.24 = private unnamed_addr constant [5 x i8] c"rows\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local range(i32 0, 3) i32 @two_sided_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -4097
  %or.cond = icmp ult i32 %9, -4033
  br i1 %or.cond, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %8, 4
  %12 = zext nneg i32 %11 to i64
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef %8)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %17 ], [ 1, %5 ]
  ret i32 %.1
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @atoi(ptr nocapture noundef) local_unnamed_addr
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
define hidden void @rows(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
define dso_local range(i32 0, 3) i32 @two_sided_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %19, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -4097
  %or.cond = icmp ult i32 %9, -4034
  br i1 %or.cond, label %19, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %8, 4
  %12 = add nuw nsw i32 %11, 256
  %13 = zext nneg i32 %12 to i64
  %14 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %13)
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %18
16:
  %17 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %17, i32 noundef %8)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.1 = phi i32 [ 2, %2 ], [ 0, %18 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @one_sided_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 64
  br i1 %9, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 4194304)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @one_sided_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -65
  %or.cond = icmp ult i32 %9, -64
  br i1 %or.cond, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 4194304)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 2) i32 @default_checked_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.not24 = icmp eq i32 %0, 2
  br i1 %.not24, label %.thread, label %9
9:
  %10 = getelementptr inbounds i8, ptr %1, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  br label %.thread
.thread:
  %13 = phi i32 [ %8, %9 ], [ %8, %5 ], [ 64, %2 ]
  %14 = phi i32 [ %12, %9 ], [ 4, %5 ], [ 4, %2 ]
  %15 = add i32 %13, -4097
  %or.cond = icmp ult i32 %15, -4033
  %16 = add i32 %14, -101
  %17 = icmp ult i32 %16, -100
  %or.cond5 = select i1 %or.cond, i1 true, i1 %17
  br i1 %or.cond5, label %27, label %18
18:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %19 = shl nuw nsw i32 %13, 2
  %20 = mul nuw nsw i32 %19, %14
  %21 = zext nneg i32 %20 to i64
  %22 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %21)
  %.sroa.021.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.021.0.insert.insert = or disjoint i64 %.sroa.021.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.021.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %26
24:
  %25 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %25, i32 noundef %13)
  br label %26
26:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %27
27:
  %.0 = phi i32 [ 0, %26 ], [ 1, %.thread ]
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @default_checked_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.not24 = icmp eq i32 %0, 2
  br i1 %.not24, label %.thread, label %9
9:
  %10 = getelementptr inbounds i8, ptr %1, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  br label %.thread
.thread:
  %13 = phi i32 [ %8, %9 ], [ %8, %5 ], [ 64, %2 ]
  %14 = phi i32 [ %12, %9 ], [ 4, %5 ], [ 4, %2 ]
  %15 = add i32 %13, -4097
  %or.cond = icmp ult i32 %15, -4037
  %16 = add i32 %14, -101
  %17 = icmp ult i32 %16, -100
  %or.cond5 = select i1 %or.cond, i1 true, i1 %17
  br i1 %or.cond5, label %28, label %18
18:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %19 = shl nuw nsw i32 %13, 2
  %20 = mul nuw nsw i32 %19, %14
  %21 = add nuw nsw i32 %20, 256
  %22 = zext nneg i32 %21 to i64
  %23 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %22)
  %.sroa.021.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.021.0.insert.insert = or disjoint i64 %.sroa.021.0.insert.ext, 4294967296
  %24 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.021.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %24, 0
  br i1 %.not, label %25, label %27
25:
  %26 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %26, i32 noundef %13)
  br label %27
27:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %28
28:
  %.0 = phi i32 [ 0, %27 ], [ 1, %.thread ]
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @default_bins_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -513
  %or.cond = icmp ult i32 %9, -385
  br i1 %or.cond, label %18, label %.thread
.thread:
  %10 = phi i32 [ %8, %5 ], [ 128, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %10, 2
  %12 = zext nneg i32 %11 to i64
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %16, i32 noundef %10)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.0 = phi i32 [ 0, %17 ], [ 1, %5 ]
  ret i32 %.0
}
define hidden void @bins(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local range(i32 0, 2) i32 @default_bins_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -513
  %or.cond = icmp ult i32 %9, -512
  br i1 %or.cond, label %18, label %.thread
.thread:
  %10 = phi i32 [ %8, %5 ], [ 128, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %10, 2
  %12 = zext nneg i32 %11 to i64
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %16, i32 noundef %10)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.0 = phi i32 [ 0, %17 ], [ 1, %5 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @between_two_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %25, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -257
  %or.cond = icmp ult i32 %12, -256
  br i1 %or.cond, label %25, label %13
13:
  %14 = icmp slt i32 %11, %8
  %15 = icmp sgt i32 %11, 1000
  %or.cond3 = or i1 %14, %15
  br i1 %or.cond3, label %25, label %16
16:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %17 = shl nuw nsw i32 %11, 2
  %18 = zext nneg i32 %17 to i64
  %19 = shl nuw nsw i64 %18, 2
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %19)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %24
22:
  %23 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %11)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %25
25:
  %.1 = phi i32 [ 2, %2 ], [ 0, %24 ], [ 1, %13 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @between_two_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %27, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -257
  %or.cond = icmp ult i32 %12, -256
  br i1 %or.cond, label %27, label %13
13:
  %14 = add nsw i32 %8, -1
  %15 = icmp slt i32 %11, %14
  %16 = icmp sgt i32 %11, 1000
  %or.cond3 = or i1 %15, %16
  br i1 %or.cond3, label %27, label %17
17:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %18 = shl nuw nsw i32 %11, 2
  %19 = add nuw nsw i32 %18, 256
  %20 = zext nneg i32 %19 to i64
  %21 = shl nuw nsw i64 %20, 2
  %22 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %21)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %26
24:
  %25 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %25, i32 noundef %11)
  br label %26
26:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %27
27:
  %.1 = phi i32 [ 2, %2 ], [ 0, %26 ], [ 1, %13 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @sum_checked_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %22, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %or.cond = icmp ugt i32 %8, 500
  %12 = icmp ugt i32 %11, 500
  %or.cond5 = select i1 %or.cond, i1 true, i1 %12
  br i1 %or.cond5, label %22, label %13
13:
  %14 = add nuw nsw i32 %11, %8
  %15 = icmp ult i32 %14, 64
  br i1 %15, label %22, label %16
16:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %17 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 4294967299, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %19, label %21
19:
  %20 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %20, i32 noundef %14)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ 2, %2 ], [ 0, %21 ], [ 1, %13 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @sum_checked_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %22, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %or.cond = icmp ugt i32 %8, 500
  %12 = icmp ugt i32 %11, 500
  %or.cond5 = select i1 %or.cond, i1 true, i1 %12
  br i1 %or.cond5, label %22, label %13
13:
  %14 = add nuw nsw i32 %11, %8
  %15 = icmp ult i32 %14, 32
  br i1 %15, label %22, label %16
16:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %17 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 4294967299, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %19, label %21
19:
  %20 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %20, i32 noundef %14)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ 2, %2 ], [ 0, %21 ], [ 1, %13 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @not_zero_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -9
  %or.cond = icmp ult i32 %9, -8
  br i1 %or.cond, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define hidden void @strided(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local range(i32 0, 3) i32 @not_zero_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %15, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %or.cond = icmp ugt i32 %8, 8
  br i1 %or.cond, label %15, label %9
9:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %11, 0
  br i1 %.not, label %12, label %14
12:
  %13 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %13, i32 noundef %8)
  br label %14
14:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %15
15:
  %.1 = phi i32 [ 2, %2 ], [ 0, %14 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @refused_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -6
  %or.cond10 = icmp ult i32 %9, -5
  br i1 %or.cond10, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967328, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @refused_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp eq i32 %8, 1
  %or.cond = icmp ugt i32 %8, 5
  %or.cond10 = or i1 %9, %or.cond
  br i1 %or.cond10, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967328, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @three_numbers_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 4
  br i1 %4, label %27, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = getelementptr inbounds i8, ptr %1, i64 24
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = add i32 %8, -9
  %or.cond = icmp ult i32 %15, -8
  %16 = add i32 %11, -129
  %17 = icmp ult i32 %16, -128
  %or.cond5 = select i1 %or.cond, i1 true, i1 %17
  br i1 %or.cond5, label %27, label %18
18:
  %19 = icmp slt i32 %14, %11
  %20 = icmp sgt i32 %14, 500
  %or.cond7 = or i1 %19, %20
  br i1 %or.cond7, label %27, label %21
21:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %22 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.026.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.026.0.insert.insert = or disjoint i64 %.sroa.026.0.insert.ext, 4294967296
  %.sroa.0.0.insert.ext = zext nneg i32 %11 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.026.0.insert.insert, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %26
24:
  %25 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %25, i32 noundef %14)
  br label %26
26:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %27
27:
  %.1 = phi i32 [ 2, %2 ], [ 0, %26 ], [ 1, %18 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @three_numbers_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 4
  br i1 %4, label %26, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = getelementptr inbounds i8, ptr %1, i64 24
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = add i32 %8, -9
  %or.cond = icmp ult i32 %15, -8
  %16 = add i32 %11, -129
  %17 = icmp ult i32 %16, -128
  %or.cond5 = select i1 %or.cond, i1 true, i1 %17
  %18 = add i32 %14, -501
  %19 = icmp ult i32 %18, -500
  %or.cond9 = select i1 %or.cond5, i1 true, i1 %19
  br i1 %or.cond9, label %26, label %20
20:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %21 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.026.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.026.0.insert.insert = or disjoint i64 %.sroa.026.0.insert.ext, 4294967296
  %.sroa.0.0.insert.ext = zext nneg i32 %11 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %22 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.026.0.insert.insert, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %22, 0
  br i1 %.not, label %23, label %25
23:
  %24 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %24, i32 noundef %14)
  br label %25
25:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %26
26:
  %.1 = phi i32 [ 2, %2 ], [ 0, %25 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @one_of_three_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %15, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  switch i32 %8, label %15 [
    i32 5, label %9
    i32 2, label %9
    i32 1, label %9
  ]
9:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967328, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %11, 0
  br i1 %.not, label %12, label %14
12:
  %13 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %13, i32 noundef %8)
  br label %14
14:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %15
15:
  %.1 = phi i32 [ 2, %2 ], [ 0, %14 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @one_of_three_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %15, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %or.cond3 = icmp ugt i32 %8, 2
  br i1 %or.cond3, label %15, label %9
9:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 4294967328, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %11, 0
  br i1 %.not, label %12, label %14
12:
  %13 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef %13, i32 noundef %8)
  br label %14
14:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %15
15:
  %.1 = phi i32 [ 2, %2 ], [ 0, %14 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @asserted_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -64
  %10 = icmp ult i32 %9, 936
  br i1 %10, label %12, label %11
11:
  tail call void @__assert_fail(ptr noundef nonnull @.str, ptr noundef nonnull @.str.1, i32 noundef 88, ptr noundef nonnull @__PRETTY_FUNCTION__.asserted_clean)
  unreachable
12:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16000)
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef %8)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.0 = phi i32 [ 0, %17 ], [ 2, %2 ]
  ret i32 %.0
}
declare void @__assert_fail(ptr noundef, ptr noundef, i32 noundef, ptr noundef) local_unnamed_addr
define dso_local range(i32 0, 3) i32 @asserted_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -32
  %10 = icmp ult i32 %9, 968
  br i1 %10, label %12, label %11
11:
  tail call void @__assert_fail(ptr noundef nonnull @.str.2, ptr noundef nonnull @.str.1, i32 noundef 89, ptr noundef nonnull @__PRETTY_FUNCTION__.asserted_race)
  unreachable
12:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16000)
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef %8)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.0 = phi i32 [ 0, %17 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @exits_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 64
  br i1 %9, label %10, label %11
10:
  tail call void @exit(i32 noundef 3)
  unreachable
11:
  %12 = icmp ugt i32 %8, 999
  br i1 %12, label %13, label %14
13:
  tail call void @exit(i32 noundef 4)
  unreachable
14:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16000)
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %8)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.0 = phi i32 [ 0, %19 ], [ 2, %2 ]
  ret i32 %.0
}
declare void @exit(i32 noundef) local_unnamed_addr
define dso_local range(i32 0, 3) i32 @exits_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 48
  br i1 %9, label %10, label %11
10:
  tail call void @exit(i32 noundef 3)
  unreachable
11:
  %12 = icmp ugt i32 %8, 999
  br i1 %12, label %13, label %14
13:
  tail call void @exit(i32 noundef 4)
  unreachable
14:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16000)
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %8)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.0 = phi i32 [ 0, %19 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @aborts_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -1000
  %or.cond = icmp ult i32 %9, -936
  br i1 %or.cond, label %10, label %11
10:
  tail call void @abort()
  unreachable
11:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 3996)
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %15, i32 noundef %8)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.0 = phi i32 [ 0, %16 ], [ 2, %2 ]
  ret i32 %.0
}
declare void @abort() local_unnamed_addr
define dso_local range(i32 0, 3) i32 @aborts_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -1000
  %or.cond = icmp ult i32 %9, -999
  br i1 %or.cond, label %10, label %11
10:
  tail call void @abort()
  unreachable
11:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 3996)
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %15, i32 noundef %8)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.0 = phi i32 [ 0, %16 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @both_asserted_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %26, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -1
  %13 = icmp ult i32 %12, 128
  br i1 %13, label %15, label %14
14:
  tail call void @__assert_fail(ptr noundef nonnull @.str.3, ptr noundef nonnull @.str.1, i32 noundef 95, ptr noundef nonnull @__PRETTY_FUNCTION__.both_asserted_clean)
  unreachable
15:
  %16 = icmp sge i32 %11, %8
  %17 = icmp slt i32 %11, 500
  %18 = and i1 %16, %17
  br i1 %18, label %20, label %19
19:
  tail call void @__assert_fail(ptr noundef nonnull @.str.4, ptr noundef nonnull @.str.1, i32 noundef 95, ptr noundef nonnull @__PRETTY_FUNCTION__.both_asserted_clean)
  unreachable
20:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %21 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %22 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %22, 0
  br i1 %.not, label %23, label %25
23:
  %24 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %24, i32 noundef %11)
  br label %25
25:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %26
26:
  %.0 = phi i32 [ 0, %25 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @both_asserted_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %25, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -1
  %13 = icmp ult i32 %12, 128
  br i1 %13, label %15, label %14
14:
  tail call void @__assert_fail(ptr noundef nonnull @.str.3, ptr noundef nonnull @.str.1, i32 noundef 96, ptr noundef nonnull @__PRETTY_FUNCTION__.both_asserted_race)
  unreachable
15:
  %16 = add i32 %11, -1
  %17 = icmp ult i32 %16, 499
  br i1 %17, label %19, label %18
18:
  tail call void @__assert_fail(ptr noundef nonnull @.str.5, ptr noundef nonnull @.str.1, i32 noundef 96, ptr noundef nonnull @__PRETTY_FUNCTION__.both_asserted_race)
  unreachable
19:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %24
22:
  %23 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %11)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %25
25:
  %.0 = phi i32 [ 0, %24 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @at_least_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.sroa.speculated = tail call i32 @llvm.smax.i32(i32 %8, i32 64)
  %9 = icmp sgt i32 %8, 1000
  br i1 %9, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16000)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %.sroa.speculated)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @at_least_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.sroa.speculated = tail call i32 @llvm.smax.i32(i32 %8, i32 32)
  %9 = icmp sgt i32 %8, 1000
  br i1 %9, label %16, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16000)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %.sroa.speculated)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @at_most_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 1
  br i1 %9, label %17, label %10
10:
  %11 = tail call i32 @llvm.umin.i32(i32 %8, i32 64)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %11 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %15, i32 noundef 64)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @at_most_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 1
  br i1 %9, label %17, label %10
10:
  %11 = tail call i32 @llvm.umin.i32(i32 %8, i32 96)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %11 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %15, i32 noundef 64)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @clamped_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %19, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %.sroa.speculate.load.false.sroa.speculated = tail call i32 @llvm.smax.i32(i32 %9, i32 1)
  %10 = tail call i32 @llvm.umin.i32(i32 %.sroa.speculate.load.false.sroa.speculated, i32 64)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 512)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %13 = load ptr, ptr %3, align 8
  %14 = tail call i32 @cudaMemset(ptr noundef %13, i32 noundef 0, i64 noundef 512)
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %18
16:
  %17 = load ptr, ptr %4, align 8
  tail call void @_Z27__device_stub__Z5tiledPKiPiPKiPi(ptr noundef %13, ptr noundef %17)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.0 = phi i32 [ 0, %18 ], [ 2, %2 ]
  ret i32 %.0
}
declare i32 @cudaMemset(ptr noundef, i32 noundef, i64 noundef) local_unnamed_addr
define hidden void @tiled(ptr noundef %0, ptr noundef %1) {
  tail call void @_Z27__device_stub__Z5tiledPKiPiPKiPi(ptr noundef %0, ptr noundef %1)
  ret void
}
define dso_local range(i32 0, 3) i32 @clamped_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %19, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %.sroa.speculate.load.false.sroa.speculated = tail call i32 @llvm.smax.i32(i32 %9, i32 1)
  %10 = tail call i32 @llvm.umin.i32(i32 %.sroa.speculate.load.false.sroa.speculated, i32 128)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 512)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %13 = load ptr, ptr %3, align 8
  %14 = tail call i32 @cudaMemset(ptr noundef %13, i32 noundef 0, i64 noundef 512)
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %18
16:
  %17 = load ptr, ptr %4, align 8
  tail call void @_Z27__device_stub__Z5tiledPKiPiPKiPi(ptr noundef %13, ptr noundef %17)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.0 = phi i32 [ 0, %18 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local noundef i32 @clamped_default_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %9
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  br label %9
9:
  %10 = phi i32 [ %8, %5 ], [ 32, %2 ]
  %spec.store.select = tail call i32 @llvm.smin.i32(i32 %10, i32 64)
  %spec.store.select1 = tail call i32 @llvm.smax.i32(i32 %spec.store.select, i32 1)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %spec.store.select1 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 64)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
define dso_local noundef i32 @clamped_default_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %9
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  br label %9
9:
  %10 = phi i32 [ %8, %5 ], [ 32, %2 ]
  %spec.store.select = tail call i32 @llvm.smin.i32(i32 %10, i32 65)
  %spec.store.select1 = tail call i32 @llvm.smax.i32(i32 %spec.store.select, i32 1)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %spec.store.select1 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 64)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
define dso_local noundef i32 @raised_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %9
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  br label %9
9:
  %10 = phi i32 [ %8, %5 ], [ 100, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %spec.store.select = tail call i32 @llvm.smax.i32(i32 %10, i32 64)
  %spec.store.select1 = tail call i32 @llvm.umin.i32(i32 %spec.store.select, i32 1000)
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %spec.store.select1)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
define dso_local noundef i32 @raised_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %9
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  br label %9
9:
  %10 = phi i32 [ %8, %5 ], [ 100, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %spec.store.select = tail call i32 @llvm.smax.i32(i32 %10, i32 16)
  %spec.store.select1 = tail call i32 @llvm.umin.i32(i32 %spec.store.select, i32 1000)
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %spec.store.select1)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
define dso_local range(i32 0, 3) i32 @blocks_up_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %21, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -1001
  %or.cond = icmp ult i32 %9, -1000
  br i1 %or.cond, label %21, label %10
10:
  %11 = add nuw nsw i32 %8, 63
  %12 = lshr i32 %11, 6
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = shl nuw nsw i32 %12, 10
  %14 = zext nneg i32 %13 to i64
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.sroa.012.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.012.0.insert.ext, 17179869184
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.012.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %20
17:
  %18 = load ptr, ptr %3, align 8
  %19 = and i32 %11, 1984
  tail call void @_Z25__device_stub__Z5planePiiPii(ptr noundef %18, i32 noundef %19)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  %.1 = phi i32 [ 2, %2 ], [ 0, %20 ], [ 1, %5 ]
  ret i32 %.1
}
define hidden void @plane(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z25__device_stub__Z5planePiiPii(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local range(i32 0, 3) i32 @blocks_up_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -1001
  %or.cond = icmp ult i32 %9, -1000
  br i1 %or.cond, label %20, label %10
10:
  %11 = add nuw nsw i32 %8, 63
  %12 = lshr i32 %11, 6
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = shl nuw nsw i32 %12, 10
  %14 = zext nneg i32 %13 to i64
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.sroa.012.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.012.0.insert.ext, 17179869184
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.012.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z25__device_stub__Z5planePiiPii(ptr noundef %18, i32 noundef %8)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %19 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @masked_up_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %21, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -1001
  %or.cond = icmp ult i32 %9, -1000
  br i1 %or.cond, label %21, label %10
10:
  %11 = add nuw nsw i32 %8, 63
  %12 = and i32 %11, 1984
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = shl nuw nsw i32 %12, 4
  %14 = zext nneg i32 %13 to i64
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %16 = lshr i32 %11, 6
  %.sroa.012.0.insert.ext = zext nneg i32 %16 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.012.0.insert.ext, 17179869184
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.012.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %20
18:
  %19 = load ptr, ptr %3, align 8
  tail call void @_Z25__device_stub__Z5planePiiPii(ptr noundef %19, i32 noundef %12)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  %.1 = phi i32 [ 2, %2 ], [ 0, %20 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @masked_up_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %21, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -1001
  %or.cond = icmp ult i32 %9, -1000
  br i1 %or.cond, label %21, label %10
10:
  %11 = add nuw nsw i32 %8, 63
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = shl nuw nsw i32 %11, 4
  %13 = and i32 %12, 31744
  %14 = zext nneg i32 %13 to i64
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %16 = lshr i32 %11, 6
  %.sroa.012.0.insert.ext = zext nneg i32 %16 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.012.0.insert.ext, 17179869184
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.012.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %20
18:
  %19 = load ptr, ptr %3, align 8
  tail call void @_Z25__device_stub__Z5planePiiPii(ptr noundef %19, i32 noundef %8)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  %.1 = phi i32 [ 2, %2 ], [ 0, %20 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @rounded_pitch_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -257
  %or.cond = icmp ult i32 %9, -256
  br i1 %or.cond, label %20, label %10
10:
  %11 = add nuw nsw i32 %8, 31
  %12 = and i32 %11, 992
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = shl nuw nsw i32 %12, 4
  %14 = zext nneg i32 %13 to i64
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %12)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %19 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @rounded_pitch_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -257
  %or.cond = icmp ult i32 %9, -225
  br i1 %or.cond, label %20, label %10
10:
  %11 = and i32 %8, 480
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = shl nuw nsw i32 %11, 4
  %13 = or disjoint i32 %12, 128
  %14 = zext nneg i32 %13 to i64
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %11)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %19 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @rounded_block_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -65
  %or.cond = icmp ult i32 %9, -64
  br i1 %or.cond, label %18, label %10
10:
  %11 = add nuw nsw i32 %8, 31
  %12 = and i32 %11, 224
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 1024)
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef 64)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %17 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @rounded_block_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -66
  %or.cond = icmp ult i32 %9, -65
  br i1 %or.cond, label %18, label %10
10:
  %11 = add nuw nsw i32 %8, 31
  %12 = and i32 %11, 224
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 2048)
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef 64)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %17 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @halved_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -129
  %or.cond = icmp ult i32 %9, -127
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 2048)
  %12 = lshr i32 %8, 1
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %15, i32 noundef 64)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @halved_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -257
  %or.cond = icmp ult i32 %9, -255
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 2048)
  %12 = lshr i32 %8, 1
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %15, i32 noundef 64)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @up_to_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp sgt i32 %8, 64
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.not15 = icmp slt i32 %8, 1
  br i1 %.not15, label %._crit_edge, label %.lr.ph
.lr.ph:
  %12 = load ptr, ptr %3, align 8
  %13 = add nuw nsw i32 %8, 1
  %wide.trip.count = zext nneg i32 %13 to i64
  br label %14
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
14:
  %indvars.iv = phi i64 [ 1, %.lr.ph ], [ %indvars.iv.next, %17 ]
  %.sroa.0.0.insert.insert = or disjoint i64 %indvars.iv, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not11 = icmp eq i32 %15, 0
  br i1 %.not11, label %16, label %17
16:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef 64)
  br label %17
17:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %14
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @up_to_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp sgt i32 %8, 65
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.not15 = icmp slt i32 %8, 1
  br i1 %.not15, label %._crit_edge, label %.lr.ph
.lr.ph:
  %12 = load ptr, ptr %3, align 8
  %13 = add nuw nsw i32 %8, 1
  %wide.trip.count = zext nneg i32 %13 to i64
  br label %14
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
14:
  %indvars.iv = phi i64 [ 1, %.lr.ph ], [ %indvars.iv.next, %17 ]
  %.sroa.0.0.insert.insert = or disjoint i64 %indvars.iv, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not11 = icmp eq i32 %15, 0
  br i1 %.not11, label %16, label %17
16:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef 64)
  br label %17
17:
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %14
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @down_to_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 64
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.not15 = icmp ugt i32 %8, 256
  br i1 %.not15, label %._crit_edge, label %.lr.ph
.lr.ph:
  %12 = load ptr, ptr %3, align 8
  br label %13
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
13:
  %.0916 = phi i32 [ 256, %.lr.ph ], [ %17, %16 ]
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not11 = icmp eq i32 %14, 0
  br i1 %.not11, label %15, label %16
15:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef %.0916)
  br label %16
16:
  %17 = add nsw i32 %.0916, -32
  %.not = icmp slt i32 %17, %8
  br i1 %.not, label %._crit_edge, label %13
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @down_to_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 32
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.not15 = icmp ugt i32 %8, 256
  br i1 %.not15, label %._crit_edge, label %.lr.ph
.lr.ph:
  %12 = load ptr, ptr %3, align 8
  br label %13
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
13:
  %.0916 = phi i32 [ 256, %.lr.ph ], [ %17, %16 ]
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not11 = icmp eq i32 %14, 0
  br i1 %.not11, label %15, label %16
15:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef %.0916)
  br label %16
16:
  %17 = add nsw i32 %.0916, -32
  %.not = icmp slt i32 %17, %8
  br i1 %.not, label %._crit_edge, label %13
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @halving_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -65
  %or.cond = icmp ult i32 %9, -64
  br i1 %or.cond, label %17, label %.lr.ph
.lr.ph:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = load ptr, ptr %3, align 8
  br label %12
12:
  %.01015 = phi i32 [ %8, %.lr.ph ], [ %16, %15 ]
  %.sroa.0.0.insert.ext = zext nneg i32 %.01015 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %15
14:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %11, i32 noundef 64)
  br label %15
15:
  %16 = lshr i32 %.01015, 1
  %.not16 = icmp ult i32 %.01015, 2
  br i1 %.not16, label %._crit_edge, label %12
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @halving_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -129
  %or.cond = icmp ult i32 %9, -128
  br i1 %or.cond, label %17, label %.lr.ph
.lr.ph:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = load ptr, ptr %3, align 8
  br label %12
12:
  %.01015 = phi i32 [ %8, %.lr.ph ], [ %16, %15 ]
  %.sroa.0.0.insert.ext = zext nneg i32 %.01015 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %15
14:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %11, i32 noundef 64)
  br label %15
15:
  %16 = lshr i32 %.01015, 1
  %.not16 = icmp ult i32 %.01015, 2
  br i1 %.not16, label %._crit_edge, label %12
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @shifting_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp ugt i32 %8, 64
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.not14 = icmp eq i32 %8, 0
  br i1 %.not14, label %._crit_edge, label %.lr.ph
.lr.ph:
  %12 = load ptr, ptr %3, align 8
  br label %13
13:
  %.0815 = phi i32 [ %8, %.lr.ph ], [ %17, %16 ]
  %.sroa.0.0.insert.ext = zext nneg i32 %.0815 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not10 = icmp eq i32 %14, 0
  br i1 %.not10, label %15, label %16
15:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef 64)
  br label %16
16:
  %17 = lshr i32 %.0815, 1
  %.not = icmp ult i32 %.0815, 2
  br i1 %.not, label %._crit_edge, label %13
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @shifting_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp ugt i32 %8, 100
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.not14 = icmp eq i32 %8, 0
  br i1 %.not14, label %._crit_edge, label %.lr.ph
.lr.ph:
  %12 = load ptr, ptr %3, align 8
  br label %13
13:
  %.0815 = phi i32 [ %8, %.lr.ph ], [ %17, %16 ]
  %.sroa.0.0.insert.ext = zext nneg i32 %.0815 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967298, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not10 = icmp eq i32 %14, 0
  br i1 %.not10, label %15, label %16
15:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef 64)
  br label %16
16:
  %17 = lshr i32 %.0815, 1
  %.not = icmp ult i32 %.0815, 2
  br i1 %.not, label %._crit_edge, label %13
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @doubling_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp sgt i32 %8, 1000
  br i1 %9, label %20, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 32768)
  %12 = icmp sgt i32 %8, 64
  br i1 %12, label %.lr.ph, label %._crit_edge
.lr.ph:
  %13 = load ptr, ptr %3, align 8
  br label %14
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
14:
  %.0914 = phi i32 [ 64, %.lr.ph ], [ %18, %17 ]
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %17
16:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %13, i32 noundef %.0914)
  br label %17
17:
  %18 = shl nsw i32 %.0914, 1
  %19 = icmp slt i32 %18, %8
  br i1 %19, label %14, label %._crit_edge
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @doubling_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp sgt i32 %8, 1000
  br i1 %9, label %20, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 32768)
  %12 = icmp sgt i32 %8, 32
  br i1 %12, label %.lr.ph, label %._crit_edge
.lr.ph:
  %13 = load ptr, ptr %3, align 8
  br label %14
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
14:
  %.0914 = phi i32 [ 32, %.lr.ph ], [ %18, %17 ]
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %17
16:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %13, i32 noundef %.0914)
  br label %17
17:
  %18 = shl nsw i32 %.0914, 1
  %19 = icmp slt i32 %18, %8
  br i1 %19, label %14, label %._crit_edge
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @below_count_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -61
  %or.cond = icmp ult i32 %9, -60
  br i1 %or.cond, label %16, label %.lr.ph
.lr.ph:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = load ptr, ptr %3, align 8
  %wide.trip.count = zext nneg i32 %8 to i64
  br label %12
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
12:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %15 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %.sroa.0.0.insert.insert = or disjoint i64 %indvars.iv.next, 4294967296
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %15
14:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %11, i32 noundef %8)
  br label %15
15:
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %12
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @below_count_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -61
  %or.cond = icmp ult i32 %9, -60
  br i1 %or.cond, label %17, label %.lr.ph
.lr.ph:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %11 = load ptr, ptr %3, align 8
  %12 = add nuw nsw i32 %8, 1
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %13
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
13:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %16 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %.sroa.0.0.insert.insert = or disjoint i64 %indvars.iv.next, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not14 = icmp eq i32 %14, 0
  br i1 %.not14, label %15, label %16
15:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %11, i32 noundef %8)
  br label %16
16:
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %13
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %._crit_edge ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 2) i32 @far_parts_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -129
  %or.cond = icmp ult i32 %9, -65
  br i1 %or.cond, label %18, label %.thread
.thread:
  %10 = phi i32 [ %8, %5 ], [ 64, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 1024)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %17
13:
  %14 = load ptr, ptr %3, align 8
  %15 = zext nneg i32 %10 to i64
  %16 = getelementptr inbounds float, ptr %14, i64 %15
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %14, ptr noundef %16)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.0 = phi i32 [ 0, %17 ], [ 1, %5 ]
  ret i32 %.0
}
define hidden void @both(ptr noundef %0, ptr noundef %1) {
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %0, ptr noundef %1)
  ret void
}
define dso_local range(i32 0, 2) i32 @far_parts_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %or.cond = icmp ugt i32 %8, 64
  br i1 %or.cond, label %17, label %.thread
.thread:
  %9 = phi i32 [ %8, %5 ], [ 64, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 1024)
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %11, 0
  br i1 %.not, label %12, label %16
12:
  %13 = load ptr, ptr %3, align 8
  %14 = zext nneg i32 %9 to i64
  %15 = getelementptr inbounds float, ptr %13, i64 %14
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %13, ptr noundef %15)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.0 = phi i32 [ 0, %16 ], [ 1, %5 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @two_halves_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -513
  %or.cond = icmp ult i32 %9, -512
  br i1 %or.cond, label %20, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %8, 3
  %12 = zext nneg i32 %11 to i64
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = add nuw nsw i32 %8, 63
  %15 = lshr i32 %14, 6
  %.sroa.012.0.insert.ext = zext nneg i32 %15 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.012.0.insert.ext, 4294967296
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.012.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z27__device_stub__Z6halvesPiiiPiii(ptr noundef %18, i32 noundef %8, i32 noundef %8)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %19 ], [ 1, %5 ]
  ret i32 %.1
}
define hidden void @halves(ptr noundef %0, i32 noundef %1, i32 noundef %2) {
  tail call void @_Z27__device_stub__Z6halvesPiiiPiii(ptr noundef %0, i32 noundef %1, i32 noundef %2)
  ret void
}
define dso_local range(i32 0, 3) i32 @two_halves_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %22, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -513
  %or.cond = icmp ult i32 %9, -512
  br i1 %or.cond, label %22, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %8, 3
  %12 = or disjoint i32 %11, 4
  %13 = zext nneg i32 %12 to i64
  %14 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %13)
  %15 = add nuw nsw i32 %8, 64
  %16 = lshr i32 %15, 6
  %.sroa.012.0.insert.ext = zext nneg i32 %16 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.012.0.insert.ext, 4294967296
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.012.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %21
18:
  %19 = load ptr, ptr %3, align 8
  %20 = add nuw nsw i32 %8, 1
  tail call void @_Z27__device_stub__Z6halvesPiiiPiii(ptr noundef %19, i32 noundef %8, i32 noundef %20)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ 2, %2 ], [ 0, %21 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @one_each_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %19, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -4097
  %or.cond = icmp ult i32 %9, -4033
  br i1 %or.cond, label %19, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %8, 2
  %12 = zext nneg i32 %11 to i64
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = lshr i32 %8, 6
  %.sroa.011.0.insert.ext = zext nneg i32 %14 to i64
  %.sroa.011.0.insert.insert = or disjoint i64 %.sroa.011.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.011.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %18
16:
  %17 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %17, i32 noundef %8)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.1 = phi i32 [ 2, %2 ], [ 0, %18 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @one_each_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -4097
  %or.cond = icmp ult i32 %9, -4033
  br i1 %or.cond, label %20, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = shl nuw nsw i32 %8, 2
  %12 = zext nneg i32 %11 to i64
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  %14 = lshr i32 %8, 6
  %15 = add nuw nsw i32 %14, 1
  %.sroa.011.0.insert.ext = zext nneg i32 %15 to i64
  %.sroa.011.0.insert.insert = or disjoint i64 %.sroa.011.0.insert.ext, 4294967296
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.011.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %16, 0
  br i1 %.not, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4binsPiiPii(ptr noundef %18, i32 noundef %8)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %19 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @area_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %24, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -65
  %or.cond = icmp ult i32 %12, -57
  %13 = add i32 %11, -65
  %14 = icmp ult i32 %13, -57
  %or.cond5 = select i1 %or.cond, i1 true, i1 %14
  br i1 %or.cond5, label %24, label %15
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = mul nuw nsw i32 %11, %8
  %17 = shl nuw nsw i32 %16, 4
  %18 = zext nneg i32 %17 to i64
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %18)
  %20 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %20, 0
  br i1 %.not, label %21, label %23
21:
  %22 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %22, i32 noundef %16)
  br label %23
23:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %24
24:
  %.1 = phi i32 [ 2, %2 ], [ 0, %23 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @area_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %25, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -65
  %or.cond = icmp ult i32 %12, -57
  %13 = add i32 %11, -65
  %14 = icmp ult i32 %13, -61
  %or.cond5 = select i1 %or.cond, i1 true, i1 %14
  br i1 %or.cond5, label %25, label %15
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = mul nuw nsw i32 %11, %8
  %17 = shl nuw nsw i32 %16, 4
  %18 = add nuw nsw i32 %17, 256
  %19 = zext nneg i32 %18 to i64
  %20 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %19)
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %22, label %24
22:
  %23 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %23, i32 noundef %16)
  br label %24
24:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %25
25:
  %.1 = phi i32 [ 2, %2 ], [ 0, %24 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @apart_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %19, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -513
  %or.cond = icmp ult i32 %10, -512
  br i1 %or.cond, label %19, label %11
11:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 2048)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %13 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 2048)
  %.sroa.0.0.insert.ext = zext nneg i32 %9 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %18
15:
  %16 = load ptr, ptr %3, align 8
  %17 = load ptr, ptr %4, align 8
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %16, ptr noundef %17)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.1 = phi i32 [ 2, %2 ], [ 0, %18 ], [ 1, %6 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @apart_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -513
  %or.cond = icmp ult i32 %9, -512
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 3072)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %16
13:
  %14 = load ptr, ptr %3, align 8
  %15 = getelementptr inbounds i8, ptr %14, i64 1024
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %14, ptr noundef nonnull %15)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @member_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.Shape, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %17, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -1000
  %or.cond = icmp ult i32 %10, -936
  br i1 %or.cond, label %17, label %11
11:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %4, align 8
  %.sroa.06.0.insert.ext = zext nneg i32 %9 to i64
  %.sroa.06.0.insert.insert = or disjoint i64 %.sroa.06.0.insert.ext, 12884901888
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  store i64 %.sroa.06.0.insert.insert, ptr %3, align 8
  call void @_Z31__device_stub__Z6shapedPi5ShapePiR5Shape(ptr noundef %15, ptr noundef nonnull align 4 dereferenceable(8) %3)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %6 ]
  ret i32 %.1
}
define hidden void @shaped(ptr noundef %0, i64 %1) {
  %3 = alloca %struct.Shape, align 8
  store i64 %1, ptr %3, align 8
  call void @_Z31__device_stub__Z6shapedPi5ShapePiR5Shape(ptr noundef %0, ptr noundef nonnull align 4 dereferenceable(8) %3)
  ret void
}
define dso_local range(i32 0, 3) i32 @member_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.Shape, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %17, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -1000
  %or.cond = icmp ult i32 %10, -937
  br i1 %or.cond, label %17, label %11
11:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %13 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %13, 0
  br i1 %.not, label %14, label %16
14:
  %15 = load ptr, ptr %4, align 8
  %.sroa.06.0.insert.ext = zext nneg i32 %9 to i64
  %.sroa.06.0.insert.insert = or disjoint i64 %.sroa.06.0.insert.ext, 12884901888
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  store i64 %.sroa.06.0.insert.insert, ptr %3, align 8
  call void @_Z31__device_stub__Z6shapedPi5ShapePiR5Shape(ptr noundef %15, ptr noundef nonnull align 4 dereferenceable(8) %3)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %6 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @member_of_two_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.Shape, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 3
  br i1 %5, label %23, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = getelementptr inbounds i8, ptr %1, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  %13 = add i32 %12, -65
  %or.cond = icmp ult i32 %13, -64
  br i1 %or.cond, label %23, label %14
14:
  %15 = icmp slt i32 %9, %12
  %16 = icmp sgt i32 %9, 999
  %or.cond5 = or i1 %16, %15
  br i1 %or.cond5, label %23, label %17
17:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %18 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %20, label %22
20:
  %21 = load ptr, ptr %4, align 8
  %.sroa.6.0.insert.shift = shl nuw nsw i64 %.sroa.0.0.insert.ext, 32
  %.sroa.09.0.insert.ext = zext nneg i32 %9 to i64
  %.sroa.09.0.insert.insert = or disjoint i64 %.sroa.6.0.insert.shift, %.sroa.09.0.insert.ext
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  store i64 %.sroa.09.0.insert.insert, ptr %3, align 8
  call void @_Z31__device_stub__Z6shapedPi5ShapePiR5Shape(ptr noundef %21, ptr noundef nonnull align 4 dereferenceable(8) %3)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %23
23:
  %.1 = phi i32 [ 2, %2 ], [ 0, %22 ], [ 1, %14 ], [ 1, %6 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @member_of_two_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.Shape, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 3
  br i1 %5, label %22, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = getelementptr inbounds i8, ptr %1, i64 16
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  %13 = add i32 %12, -65
  %or.cond = icmp ult i32 %13, -64
  %14 = add i32 %9, -1000
  %15 = icmp ult i32 %14, -999
  %or.cond8 = select i1 %or.cond, i1 true, i1 %15
  br i1 %or.cond8, label %22, label %16
16:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %17 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %18 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %18, 0
  br i1 %.not, label %19, label %21
19:
  %20 = load ptr, ptr %4, align 8
  %.sroa.6.0.insert.shift = shl nuw nsw i64 %.sroa.0.0.insert.ext, 32
  %.sroa.012.0.insert.ext = zext nneg i32 %9 to i64
  %.sroa.012.0.insert.insert = or disjoint i64 %.sroa.6.0.insert.shift, %.sroa.012.0.insert.ext
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  store i64 %.sroa.012.0.insert.insert, ptr %3, align 8
  call void @_Z31__device_stub__Z6shapedPi5ShapePiR5Shape(ptr noundef %20, ptr noundef nonnull align 4 dereferenceable(8) %3)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %22
22:
  %.1 = phi i32 [ 2, %2 ], [ 0, %21 ], [ 1, %6 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @view_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.View, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %18, label %6
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %7 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds i8, ptr %1, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %11, -1000
  %or.cond = icmp ult i32 %12, -936
  br i1 %or.cond, label %17, label %13
13:
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr %8, ptr %3, align 8
  %16 = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %11, ptr %16, align 8
  call void @_Z28__device_stub__Z6viewed4ViewR4View(ptr noundef nonnull align 8 dereferenceable(16) %3)
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %17
17:
  %.0 = phi i32 [ 1, %6 ], [ 0, %13 ], [ 0, %15 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %18
18:
  %.1 = phi i32 [ %.0, %17 ], [ 2, %2 ]
  ret i32 %.1
}
define hidden void @viewed(ptr %0, i32 %1) {
  %3 = alloca %struct.View, align 8
  store ptr %0, ptr %3, align 8
  %4 = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %1, ptr %4, align 8
  call void @_Z28__device_stub__Z6viewed4ViewR4View(ptr noundef nonnull align 8 dereferenceable(16) %3)
  ret void
}
define dso_local range(i32 0, 3) i32 @view_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca %struct.View, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %18, label %6
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %7 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds i8, ptr %1, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %11, -1000
  %or.cond = icmp ult i32 %12, -999
  br i1 %or.cond, label %17, label %13
13:
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  store ptr %8, ptr %3, align 8
  %16 = getelementptr inbounds i8, ptr %3, i64 8
  store i32 %11, ptr %16, align 8
  call void @_Z28__device_stub__Z6viewed4ViewR4View(ptr noundef nonnull align 8 dereferenceable(16) %3)
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %17
17:
  %.0 = phi i32 [ 1, %6 ], [ 0, %13 ], [ 0, %15 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %18
18:
  %.1 = phi i32 [ %.0, %17 ], [ 2, %2 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @switched_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  switch i32 %8, label %16 [
    i32 1, label %10
    i32 2, label %9
  ]
9:
  br label %10
10:
  %.06 = phi i32 [ 128, %9 ], [ 64, %5 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %.06 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %.06)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @switched_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  switch i32 %8, label %16 [
    i32 1, label %10
    i32 2, label %9
  ]
9:
  br label %10
10:
  %.06 = phi i64 [ 4294967424, %9 ], [ 4294967360, %5 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.06, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 64)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.1 = phi i32 [ 2, %2 ], [ 0, %15 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @instances_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %19, label %5
5:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %6 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  switch i32 %9, label %18 [
    i32 32, label %10
    i32 64, label %14
  ]
10:
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967328, i32 1, i64 noundef 0, ptr noundef null)
  %.not8 = icmp eq i32 %11, 0
  br i1 %.not8, label %12, label %18
12:
  %13 = load ptr, ptr %3, align 8
  tail call void @_ZL32__device_stub__Z5fixedILi32EEvPiPi(ptr noundef %13)
  br label %18
14:
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %18
16:
  %17 = load ptr, ptr %3, align 8
  tail call void @_ZL32__device_stub__Z5fixedILi64EEvPiPi(ptr noundef %17)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.0 = phi i32 [ 0, %18 ], [ 2, %2 ]
  ret i32 %.0
}
define internal void @_ZL5fixedILi32EEvPi(ptr noundef %0) {
  tail call void @_ZL32__device_stub__Z5fixedILi32EEvPiPi(ptr noundef %0)
  ret void
}
define internal void @_ZL5fixedILi64EEvPi(ptr noundef %0) {
  tail call void @_ZL32__device_stub__Z5fixedILi64EEvPiPi(ptr noundef %0)
  ret void
}
define dso_local range(i32 0, 3) i32 @instances_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %19, label %5
5:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %6 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  switch i32 %9, label %18 [
    i32 32, label %10
    i32 64, label %14
  ]
10:
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967328, i32 1, i64 noundef 0, ptr noundef null)
  %.not8 = icmp eq i32 %11, 0
  br i1 %.not8, label %12, label %18
12:
  %13 = load ptr, ptr %3, align 8
  tail call void @_ZL32__device_stub__Z5fixedILi32EEvPiPi(ptr noundef %13)
  br label %18
14:
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %18
16:
  %17 = load ptr, ptr %3, align 8
  tail call void @_ZL32__device_stub__Z5fixedILi64EEvPiPi(ptr noundef %17)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %19
19:
  %.0 = phi i32 [ 0, %18 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @mode_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp sgt i32 %8, 5
  %10 = select i1 %9, i32 128, i32 64
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %10)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.0 = phi i32 [ 0, %15 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @mode_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp sgt i32 %8, 5
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.insert = select i1 %9, i64 4294967424, i64 4294967360
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %11, 0
  br i1 %.not, label %12, label %15
12:
  %13 = select i1 %9, i32 64, i32 128
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %13)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.0 = phi i32 [ 0, %15 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local noundef i32 @option_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %10
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %7, ptr noundef nonnull dereferenceable(7) @.str.6)
  %.not = icmp eq i32 %8, 0
  %9 = select i1 %.not, i64 4294967424, i64 4294967328
  br label %10
10:
  %.sroa.0.0.insert.ext = phi i64 [ 4294967328, %2 ], [ %9, %5 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.ext, i32 1, i64 noundef 0, ptr noundef null)
  %.not5 = icmp eq i32 %12, 0
  br i1 %.not5, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 128)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
declare i32 @strcmp(ptr nocapture noundef, ptr nocapture noundef) local_unnamed_addr
define dso_local noundef i32 @option_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %10
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @strcmp(ptr noundef nonnull dereferenceable(1) %7, ptr noundef nonnull dereferenceable(7) @.str.6)
  %.not = icmp eq i32 %8, 0
  %9 = select i1 %.not, i64 4294967424, i64 4294967328
  br label %10
10:
  %.sroa.0.0.insert.ext = phi i64 [ 4294967328, %2 ], [ %9, %5 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.ext, i32 1, i64 noundef 0, ptr noundef null)
  %.not5 = icmp eq i32 %12, 0
  br i1 %.not5, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 100)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  ret i32 0
}
define dso_local range(i32 0, 2) i32 @parser_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 2
  br i1 %4, label %sub_0.preheader, label %._crit_edge.thread
sub_0.preheader:
  %5 = add nsw i32 %0, -1
  %wide.trip.count = zext nneg i32 %5 to i64
  br label %sub_0
._crit_edge:
  %6 = add i32 %.1, -65
  %or.cond = icmp ult i32 %6, -64
  br i1 %or.cond, label %30, label %._crit_edge.thread
sub_0:
  %indvars.iv24 = phi i64 [ 1, %sub_0.preheader ], [ %indvars.iv.next25, %24 ]
  %indvars.iv = phi i64 [ 2, %sub_0.preheader ], [ %indvars.iv.next, %24 ]
  %.01321 = phi i32 [ 32, %sub_0.preheader ], [ %.1, %24 ]
  %7 = getelementptr inbounds ptr, ptr %1, i64 %indvars.iv24
  %8 = load ptr, ptr %7, align 8
  %9 = load i8, ptr %8, align 1
  %10 = zext i8 %9 to i32
  %11 = add nsw i32 %10, -45
  %.not22 = icmp eq i32 %11, 0
  br i1 %.not22, label %sub_1, label %.tail
sub_1:
  %12 = getelementptr inbounds i8, ptr %8, i64 1
  %13 = load i8, ptr %12, align 1
  %14 = zext i8 %13 to i32
  %15 = add nsw i32 %14, -98
  %.not23 = icmp eq i32 %15, 0
  br i1 %.not23, label %sub_2, label %.tail
sub_2:
  %16 = getelementptr inbounds i8, ptr %8, i64 2
  %17 = load i8, ptr %16, align 1
  %18 = zext i8 %17 to i32
  br label %.tail
.tail:
  %19 = phi i32 [ %11, %sub_0 ], [ %15, %sub_1 ], [ %18, %sub_2 ]
  %.not16 = icmp eq i32 %19, 0
  br i1 %.not16, label %20, label %24
20:
  %21 = getelementptr inbounds ptr, ptr %1, i64 %indvars.iv
  %22 = load ptr, ptr %21, align 8
  %23 = tail call i32 @atoi(ptr nocapture noundef %22)
  br label %24
24:
  %.1 = phi i32 [ %.01321, %.tail ], [ %23, %20 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %indvars.iv.next25 = add nuw nsw i64 %indvars.iv24, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next25, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %sub_0
._crit_edge.thread:
  %.013.lcssa31 = phi i32 [ %.1, %._crit_edge ], [ 32, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %25 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %.013.lcssa31 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %26, 0
  br i1 %.not, label %27, label %29
27:
  %28 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %28, i32 noundef 64)
  br label %29
29:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %30
30:
  %.0 = phi i32 [ 0, %29 ], [ 1, %._crit_edge ]
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @parser_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 2
  br i1 %4, label %sub_0.preheader, label %._crit_edge.thread
sub_0.preheader:
  %5 = add nsw i32 %0, -1
  %wide.trip.count = zext nneg i32 %5 to i64
  br label %sub_0
._crit_edge:
  %6 = add i32 %.1, -97
  %or.cond = icmp ult i32 %6, -96
  br i1 %or.cond, label %30, label %._crit_edge.thread
sub_0:
  %indvars.iv24 = phi i64 [ 1, %sub_0.preheader ], [ %indvars.iv.next25, %24 ]
  %indvars.iv = phi i64 [ 2, %sub_0.preheader ], [ %indvars.iv.next, %24 ]
  %.01321 = phi i32 [ 32, %sub_0.preheader ], [ %.1, %24 ]
  %7 = getelementptr inbounds ptr, ptr %1, i64 %indvars.iv24
  %8 = load ptr, ptr %7, align 8
  %9 = load i8, ptr %8, align 1
  %10 = zext i8 %9 to i32
  %11 = add nsw i32 %10, -45
  %.not22 = icmp eq i32 %11, 0
  br i1 %.not22, label %sub_1, label %.tail
sub_1:
  %12 = getelementptr inbounds i8, ptr %8, i64 1
  %13 = load i8, ptr %12, align 1
  %14 = zext i8 %13 to i32
  %15 = add nsw i32 %14, -98
  %.not23 = icmp eq i32 %15, 0
  br i1 %.not23, label %sub_2, label %.tail
sub_2:
  %16 = getelementptr inbounds i8, ptr %8, i64 2
  %17 = load i8, ptr %16, align 1
  %18 = zext i8 %17 to i32
  br label %.tail
.tail:
  %19 = phi i32 [ %11, %sub_0 ], [ %15, %sub_1 ], [ %18, %sub_2 ]
  %.not16 = icmp eq i32 %19, 0
  br i1 %.not16, label %20, label %24
20:
  %21 = getelementptr inbounds ptr, ptr %1, i64 %indvars.iv
  %22 = load ptr, ptr %21, align 8
  %23 = tail call i32 @atoi(ptr nocapture noundef %22)
  br label %24
24:
  %.1 = phi i32 [ %.01321, %.tail ], [ %23, %20 ]
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %indvars.iv.next25 = add nuw nsw i64 %indvars.iv24, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next25, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %sub_0
._crit_edge.thread:
  %.013.lcssa31 = phi i32 [ %.1, %._crit_edge ], [ 32, %2 ]
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %25 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %.013.lcssa31 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %26, 0
  br i1 %.not, label %27, label %29
27:
  %28 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %28, i32 noundef 64)
  br label %29
29:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %30
30:
  %.0 = phi i32 [ 0, %29 ], [ 1, %._crit_edge ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @environment_clean(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = tail call ptr @getenv(ptr noundef nonnull @.str.8)
  %.not = icmp eq ptr %5, null
  br i1 %.not, label %.thread, label %6
6:
  %7 = tail call i32 @atoi(ptr nocapture noundef nonnull %5)
  %8 = icmp slt i32 %7, 1
  br i1 %8, label %21, label %.thread
.thread:
  %9 = phi i32 [ %7, %6 ], [ 32, %2 ]
  %10 = tail call i32 @llvm.umin.i32(i32 %9, i32 32)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 256)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 256)
  %13 = load ptr, ptr %3, align 8
  %14 = tail call i32 @cudaMemset(ptr noundef %13, i32 noundef 0, i64 noundef 256)
  %15 = shl nuw nsw i32 %10, 2
  %16 = zext nneg i32 %15 to i64
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %16, ptr noundef null)
  %.not9 = icmp eq i32 %17, 0
  br i1 %.not9, label %18, label %20
18:
  %19 = load ptr, ptr %4, align 8
  tail call void @_Z26__device_stub__Z4turnPKfPfPKfPf(ptr noundef %13, ptr noundef %19)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  %.0 = phi i32 [ 0, %20 ], [ 2, %6 ]
  ret i32 %.0
}
declare noundef ptr @getenv(ptr nocapture noundef) local_unnamed_addr
define hidden void @turn(ptr noundef %0, ptr noundef %1) {
  tail call void @_Z26__device_stub__Z4turnPKfPfPKfPf(ptr noundef %0, ptr noundef %1)
  ret void
}
define dso_local range(i32 0, 3) i32 @environment_race(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = tail call ptr @getenv(ptr noundef nonnull @.str.8)
  %.not = icmp eq ptr %5, null
  br i1 %.not, label %.thread, label %6
6:
  %7 = tail call i32 @atoi(ptr nocapture noundef nonnull %5)
  %8 = icmp slt i32 %7, 1
  br i1 %8, label %21, label %.thread
.thread:
  %9 = phi i32 [ %7, %6 ], [ 32, %2 ]
  %10 = tail call i32 @llvm.umin.i32(i32 %9, i32 64)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 256)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %12 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 256)
  %13 = load ptr, ptr %3, align 8
  %14 = tail call i32 @cudaMemset(ptr noundef %13, i32 noundef 0, i64 noundef 256)
  %15 = shl nuw nsw i32 %10, 2
  %16 = zext nneg i32 %15 to i64
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %16, ptr noundef null)
  %.not9 = icmp eq i32 %17, 0
  br i1 %.not9, label %18, label %20
18:
  %19 = load ptr, ptr %4, align 8
  tail call void @_Z26__device_stub__Z4turnPKfPfPKfPf(ptr noundef %13, ptr noundef %19)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  %.0 = phi i32 [ 0, %20 ], [ 2, %6 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @variable_clean(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = tail call ptr @getenv(ptr noundef nonnull @.str.9)
  %.not = icmp eq ptr %4, null
  br i1 %.not, label %14, label %5
5:
  %6 = tail call i32 @atoi(ptr nocapture noundef nonnull %4)
  %7 = add i32 %6, -501
  %or.cond = icmp ult i32 %7, -437
  br i1 %or.cond, label %14, label %8
8:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %9 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %10 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not10 = icmp eq i32 %10, 0
  br i1 %.not10, label %11, label %13
11:
  %12 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef %6)
  br label %13
13:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %14
14:
  %.1 = phi i32 [ 1, %2 ], [ 0, %13 ], [ 2, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @variable_race(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = tail call ptr @getenv(ptr noundef nonnull @.str.9)
  %.not = icmp eq ptr %4, null
  br i1 %.not, label %14, label %5
5:
  %6 = tail call i32 @atoi(ptr nocapture noundef nonnull %4)
  %7 = add i32 %6, -501
  %or.cond = icmp ult i32 %7, -499
  br i1 %or.cond, label %14, label %8
8:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %9 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %10 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not10 = icmp eq i32 %10, 0
  br i1 %.not10, label %11, label %13
11:
  %12 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %12, i32 noundef %6)
  br label %13
13:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %14
14:
  %.1 = phi i32 [ 1, %2 ], [ 0, %13 ], [ 2, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @typed_clean(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)
  %5 = call i32 (ptr, ...) @__isoc99_scanf(ptr noundef nonnull @.str.10, ptr noundef nonnull %3)
  %.not = icmp eq i32 %5, 1
  br i1 %.not, label %6, label %15
6:
  %7 = load i32, ptr %3, align 4
  %8 = add i32 %7, -501
  %or.cond = icmp ult i32 %8, -437
  br i1 %or.cond, label %15, label %9
9:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %11 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not4 = icmp eq i32 %11, 0
  br i1 %.not4, label %12, label %14
12:
  %13 = load ptr, ptr %4, align 8
  call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %13, i32 noundef %7)
  br label %14
14:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %15
15:
  %.0 = phi i32 [ 0, %14 ], [ 1, %2 ], [ 2, %6 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3)
  ret i32 %.0
}
declare noundef i32 @__isoc99_scanf(ptr nocapture noundef readonly, ...) local_unnamed_addr
define dso_local range(i32 0, 3) i32 @typed_race(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)
  %5 = call i32 (ptr, ...) @__isoc99_scanf(ptr noundef nonnull @.str.10, ptr noundef nonnull %3)
  %.not = icmp eq i32 %5, 1
  br i1 %.not, label %6, label %15
6:
  %7 = load i32, ptr %3, align 4
  %8 = add i32 %7, -501
  %or.cond = icmp ult i32 %8, -493
  br i1 %or.cond, label %15, label %9
9:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %11 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not4 = icmp eq i32 %11, 0
  br i1 %.not4, label %12, label %14
12:
  %13 = load ptr, ptr %4, align 8
  call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %13, i32 noundef %7)
  br label %14
14:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %15
15:
  %.0 = phi i32 [ 0, %14 ], [ 1, %2 ], [ 2, %6 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3)
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @typed_two_clean(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  %6 = call i32 (ptr, ...) @__isoc99_scanf(ptr noundef nonnull @.str.11, ptr noundef nonnull %3, ptr noundef nonnull %4)
  %.not = icmp eq i32 %6, 2
  br i1 %.not, label %7, label %20
7:
  %8 = load i32, ptr %3, align 4
  %9 = add i32 %8, -65
  %or.cond = icmp ult i32 %9, -64
  br i1 %or.cond, label %20, label %10
10:
  %11 = load i32, ptr %4, align 4
  %12 = icmp slt i32 %11, %8
  %13 = icmp sgt i32 %11, 500
  %or.cond3 = or i1 %12, %13
  br i1 %or.cond3, label %20, label %14
14:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %16 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not7 = icmp eq i32 %16, 0
  br i1 %.not7, label %17, label %19
17:
  %18 = load ptr, ptr %5, align 8
  call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %11)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  br label %20
20:
  %.0 = phi i32 [ 0, %19 ], [ 1, %2 ], [ 2, %10 ], [ 2, %7 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3)
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @typed_two_race(i32 noundef %0, ptr nocapture noundef readnone %1) local_unnamed_addr {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %4)
  %6 = call i32 (ptr, ...) @__isoc99_scanf(ptr noundef nonnull @.str.11, ptr noundef nonnull %3, ptr noundef nonnull %4)
  %.not = icmp eq i32 %6, 2
  br i1 %.not, label %7, label %19
7:
  %8 = load i32, ptr %3, align 4
  %9 = add i32 %8, -65
  %or.cond = icmp ult i32 %9, -64
  %10 = load i32, ptr %4, align 4
  %11 = add i32 %10, -501
  %12 = icmp ult i32 %11, -500
  %or.cond5 = select i1 %or.cond, i1 true, i1 %12
  br i1 %or.cond5, label %19, label %13
13:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %14 = call noundef i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %8 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %15 = call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not8 = icmp eq i32 %15, 0
  br i1 %.not8, label %16, label %18
16:
  %17 = load ptr, ptr %5, align 8
  call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %17, i32 noundef %10)
  br label %18
18:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  br label %19
19:
  %.0 = phi i32 [ 0, %18 ], [ 1, %2 ], [ 2, %7 ]
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 4, ptr nonnull %3)
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @ends_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %22, label %6
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = call i64 @strtol(ptr noundef %8, ptr noundef nonnull %3, i32 noundef 10)
  %10 = load ptr, ptr %3, align 8
  %11 = load i8, ptr %10, align 1
  %.not = icmp eq i8 %11, 0
  br i1 %.not, label %12, label %21
12:
  %13 = add i64 %9, -501
  %or.cond = icmp ult i64 %13, -437
  br i1 %or.cond, label %21, label %14
14:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not9 = icmp eq i32 %16, 0
  br i1 %.not9, label %17, label %20
17:
  %18 = load ptr, ptr %4, align 8
  %19 = trunc nuw nsw i64 %9 to i32
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %19)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %21
21:
  %.0 = phi i32 [ 0, %20 ], [ 1, %6 ], [ 2, %12 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ %.0, %21 ], [ 2, %2 ]
  ret i32 %.1
}
declare i64 @strtol(ptr noundef readonly, ptr nocapture noundef, i32 noundef) local_unnamed_addr
define dso_local range(i32 0, 3) i32 @ends_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %22, label %6
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = call i64 @strtol(ptr noundef %8, ptr noundef nonnull %3, i32 noundef 10)
  %10 = load ptr, ptr %3, align 8
  %11 = load i8, ptr %10, align 1
  %.not = icmp eq i8 %11, 0
  br i1 %.not, label %12, label %21
12:
  %13 = add i64 %9, -501
  %or.cond = icmp ult i64 %13, -497
  br i1 %or.cond, label %21, label %14
14:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16384)
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not9 = icmp eq i32 %16, 0
  br i1 %.not9, label %17, label %20
17:
  %18 = load ptr, ptr %4, align 8
  %19 = trunc nuw nsw i64 %9 to i32
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %19)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  br label %21
21:
  %.0 = phi i32 [ 0, %20 ], [ 1, %6 ], [ 2, %12 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ %.0, %21 ], [ 2, %2 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @remainder_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 0
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = and i32 %8, 63
  %13 = add nuw nsw i32 %12, 1
  %.sroa.0.0.insert.ext = zext nneg i32 %13 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef 64)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %17 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @remainder_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %18, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = icmp slt i32 %8, 0
  br i1 %9, label %18, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = urem i32 %8, 65
  %13 = add nuw nsw i32 %12, 1
  %.sroa.0.0.insert.ext = zext nneg i32 %13 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %17
15:
  %16 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %16, i32 noundef 64)
  br label %17
17:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %18
18:
  %.1 = phi i32 [ 2, %2 ], [ 0, %17 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @remainder_by_value_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %23, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = icmp slt i32 %8, 0
  %13 = add i32 %11, -65
  %14 = icmp ult i32 %13, -64
  %or.cond3 = select i1 %12, i1 true, i1 %14
  br i1 %or.cond3, label %23, label %15
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %17 = urem i32 %8, %11
  %18 = add nuw nsw i32 %17, 1
  %.sroa.0.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %20, label %22
20:
  %21 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %21, i32 noundef %11)
  br label %22
22:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %23
23:
  %.1 = phi i32 [ 2, %2 ], [ 0, %22 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @remainder_by_value_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %24, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = icmp slt i32 %8, 0
  %13 = add i32 %11, -65
  %14 = icmp ult i32 %13, -63
  %or.cond3 = select i1 %12, i1 true, i1 %14
  br i1 %or.cond3, label %24, label %15
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %17 = urem i32 %8, %11
  %18 = add nuw nsw i32 %17, 1
  %.sroa.0.0.insert.ext = zext nneg i32 %18 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %19 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %19, 0
  br i1 %.not, label %20, label %23
20:
  %21 = load ptr, ptr %3, align 8
  %22 = add nsw i32 %11, -1
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %21, i32 noundef %22)
  br label %23
23:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %24
24:
  %.1 = phi i32 [ 2, %2 ], [ 0, %23 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @power_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -10
  %or.cond = icmp ult i32 %9, -4
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %16
13:
  %14 = load ptr, ptr %3, align 8
  %15 = shl nuw nsw i32 1, %8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %15)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @power_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -10
  %or.cond = icmp ult i32 %9, -5
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %16
13:
  %14 = load ptr, ptr %3, align 8
  %15 = shl nuw nsw i32 1, %8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %15)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @masked_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = and i32 %8, 63
  %10 = add nuw nsw i32 %9, 1
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 64)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.0 = phi i32 [ 0, %15 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @masked_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = and i32 %8, 127
  %10 = add nuw nsw i32 %9, 1
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %.sroa.0.0.insert.ext = zext nneg i32 %10 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 64)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.0 = phi i32 [ 0, %15 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @quotient_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %22, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -1001
  %or.cond = icmp ult i32 %12, -745
  %13 = add i32 %11, -5
  %14 = icmp ult i32 %13, -4
  %or.cond5 = select i1 %or.cond, i1 true, i1 %14
  br i1 %or.cond5, label %22, label %15
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %21
18:
  %19 = load ptr, ptr %3, align 8
  %.lhs.trunc = trunc nuw i32 %8 to i16
  %.rhs.trunc = trunc nuw i32 %11 to i16
  %20 = udiv i16 %.lhs.trunc, %.rhs.trunc
  %.zext = zext nneg i16 %20 to i32
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %19, i32 noundef %.zext)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ 2, %2 ], [ 0, %21 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @quotient_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 3
  br i1 %4, label %22, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = getelementptr inbounds i8, ptr %1, i64 16
  %10 = load ptr, ptr %9, align 8
  %11 = tail call i32 @atoi(ptr nocapture noundef %10)
  %12 = add i32 %8, -1001
  %or.cond = icmp ult i32 %12, -745
  %13 = add i32 %11, -9
  %14 = icmp ult i32 %13, -8
  %or.cond5 = select i1 %or.cond, i1 true, i1 %14
  br i1 %or.cond5, label %22, label %15
15:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %16 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %17 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %17, 0
  br i1 %.not, label %18, label %21
18:
  %19 = load ptr, ptr %3, align 8
  %.lhs.trunc = trunc nuw i32 %8 to i16
  %.rhs.trunc = trunc nuw i32 %11 to i16
  %20 = udiv i16 %.lhs.trunc, %.rhs.trunc
  %.zext = zext nneg i16 %20 to i32
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %19, i32 noundef %.zext)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.1 = phi i32 [ 2, %2 ], [ 0, %21 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @twice_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond = icmp ult i32 %9, -469
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %16
13:
  %14 = load ptr, ptr %3, align 8
  %15 = shl nuw nsw i32 %8, 1
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %15)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @twice_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %17, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond = icmp ult i32 %9, -470
  br i1 %or.cond, label %17, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %16
13:
  %14 = load ptr, ptr %3, align 8
  %15 = shl nuw nsw i32 %8, 1
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %15)
  br label %16
16:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %17
17:
  %.1 = phi i32 [ 2, %2 ], [ 0, %16 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @second_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %20, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond = icmp ult i32 %9, -437
  br i1 %or.cond, label %20, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef 1)
  br label %15
15:
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not13 = icmp eq i32 %16, 0
  br i1 %.not13, label %17, label %19
17:
  %18 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %8)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.1 = phi i32 [ 2, %2 ], [ 0, %19 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @second_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %21, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond = icmp ult i32 %9, -437
  br i1 %or.cond, label %21, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  %16 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not14 = icmp eq i32 %16, 0
  br i1 %.not14, label %17, label %20
17:
  %18 = load ptr, ptr %3, align 8
  %19 = add nsw i32 %8, -1
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %18, i32 noundef %19)
  br label %20
20:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %21
21:
  %.1 = phi i32 [ 2, %2 ], [ 0, %20 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @passed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %13, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond = icmp ult i32 %9, -437
  br i1 %or.cond, label %13, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = load ptr, ptr %3, align 8
  tail call fastcc void @_ZL6launchPiii(ptr noundef %12, i32 noundef %8)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %13
13:
  %.1 = phi i32 [ 2, %2 ], [ 0, %10 ], [ 1, %5 ]
  ret i32 %.1
}
define internal fastcc void @_ZL6launchPiii(ptr noundef %0, i32 noundef %1) unnamed_addr {
  %3 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %3, 0
  br i1 %.not, label %4, label %5
4:
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %0, i32 noundef %1)
  br label %5
5:
  ret void
}
define dso_local range(i32 0, 3) i32 @passed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %13, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond = icmp ult i32 %9, -441
  br i1 %or.cond, label %13, label %10
10:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %11 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %12 = load ptr, ptr %3, align 8
  tail call fastcc void @_ZL6launchPiii(ptr noundef %12, i32 noundef %8)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %13
13:
  %.1 = phi i32 [ 2, %2 ], [ 0, %10 ], [ 1, %5 ]
  ret i32 %.1
}
define dso_local range(i32 0, 3) i32 @chosen_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = icmp slt i32 %0, 2
  br i1 %6, label %22, label %7
7:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %8 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 1024)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %9 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 1024)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %10 = call noundef i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 1024)
  %11 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %11, 0
  br i1 %.not, label %12, label %21
12:
  %13 = load ptr, ptr %3, align 8
  %14 = getelementptr inbounds i8, ptr %1, i64 8
  %15 = load ptr, ptr %14, align 8
  %16 = tail call i32 @atoi(ptr nocapture noundef %15)
  %17 = icmp sgt i32 %16, 3
  %18 = load ptr, ptr %4, align 8
  %19 = load ptr, ptr %5, align 8
  %20 = select i1 %17, ptr %18, ptr %19
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %13, ptr noundef %20)
  br label %21
21:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %22
22:
  %.0 = phi i32 [ 0, %21 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @chosen_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %20, label %6
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %7 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 1024)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %8 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 1024)
  %9 = tail call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %9, 0
  br i1 %.not, label %10, label %19
10:
  %11 = load ptr, ptr %3, align 8
  %12 = getelementptr inbounds i8, ptr %1, i64 8
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = icmp sgt i32 %14, 3
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr inbounds i8, ptr %11, i64 32
  %18 = select i1 %15, ptr %16, ptr %17
  tail call void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef %11, ptr noundef %18)
  br label %19
19:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %20
20:
  %.0 = phi i32 [ 0, %19 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @skipped_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %9 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %10 = add i32 %8, -64
  %or.cond = icmp ult i32 %10, 437
  br i1 %or.cond, label %11, label %15
11:
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.0 = phi i32 [ 0, %15 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @skipped_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp slt i32 %0, 2
  br i1 %4, label %16, label %5
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %9 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 16384)
  %10 = add i32 %8, -6
  %or.cond = icmp ult i32 %10, 495
  br i1 %or.cond, label %11, label %15
11:
  %12 = tail call i32 @__cudaPushCallConfiguration(i64 4294967300, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %12, 0
  br i1 %.not, label %13, label %15
13:
  %14 = load ptr, ptr %3, align 8
  tail call void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef %14, i32 noundef %8)
  br label %15
15:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %16
16:
  %.0 = phi i32 [ 0, %15 ], [ 2, %2 ]
  ret i32 %.0
}
define dso_local range(i32 0, 3) i32 @identity_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %26, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -257
  %or.cond = icmp ult i32 %10, -256
  br i1 %or.cond, label %26, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = shl nuw nsw i32 %9, 2
  %12 = zext nneg i32 %11 to i64
  %13 = tail call noalias ptr @malloc(i64 noundef %12)
  %wide.trip.count = zext nneg i32 %9 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %14 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %12)
  %16 = load ptr, ptr %3, align 8
  %17 = tail call i32 @cudaMemcpy(ptr noundef %16, ptr noundef nonnull %13, i64 noundef %12, i32 noundef 1)
  %18 = add nuw nsw i32 %9, 63
  %19 = lshr i32 %18, 6
  %.sroa.022.0.insert.ext = zext nneg i32 %19 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %20 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %20, 0
  br i1 %.not, label %23, label %25
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %21 = getelementptr inbounds i32, ptr %13, i64 %indvars.iv
  %22 = trunc nuw nsw i64 %indvars.iv to i32
  store i32 %22, ptr %21, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
23:
  %24 = load ptr, ptr %4, align 8
  tail call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %16, ptr noundef %24, i32 noundef %9)
  br label %25
25:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %26
26:
  %.1 = phi i32 [ 2, %2 ], [ 0, %25 ], [ 1, %6 ]
  ret i32 %.1
}
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr
declare i32 @cudaMemcpy(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr
define hidden void @scatter(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local range(i32 0, 3) i32 @identity_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp slt i32 %0, 2
  br i1 %5, label %27, label %6
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -257
  %or.cond = icmp ult i32 %10, -256
  br i1 %or.cond, label %27, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = shl nuw nsw i32 %9, 2
  %12 = zext nneg i32 %11 to i64
  %13 = tail call noalias ptr @malloc(i64 noundef %12)
  %wide.trip.count = zext nneg i32 %9 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  %14 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %12)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %12)
  %16 = load ptr, ptr %3, align 8
  %17 = tail call i32 @cudaMemcpy(ptr noundef %16, ptr noundef nonnull %13, i64 noundef %12, i32 noundef 1)
  %18 = add nuw nsw i32 %9, 63
  %19 = lshr i32 %18, 6
  %.sroa.022.0.insert.ext = zext nneg i32 %19 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %20 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %20, 0
  br i1 %.not, label %24, label %26
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %21 = trunc nuw nsw i64 %indvars.iv to i32
  %22 = lshr i32 %21, 1
  %23 = getelementptr inbounds i32, ptr %13, i64 %indvars.iv
  store i32 %22, ptr %23, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
24:
  %25 = load ptr, ptr %4, align 8
  tail call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %16, ptr noundef %25, i32 noundef %9)
  br label %26
26:
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  br label %27
27:
  %.1 = phi i32 [ 2, %2 ], [ 0, %26 ], [ 1, %6 ]
  ret i32 %.1
}
define dso_local range(i32 0, 2) i32 @few_indices_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [8 x i32], align 16
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %3)
  br label %12
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %7 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 32)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %8 = call noundef i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 64)
  %9 = load ptr, ptr %4, align 8
  %10 = call i32 @cudaMemcpy(ptr noundef %9, ptr noundef nonnull %3, i64 noundef 32, i32 noundef 1)
  %11 = icmp sgt i32 %0, 1
  br i1 %11, label %16, label %.thread
12:
  %indvars.iv = phi i64 [ 0, %2 ], [ %indvars.iv.next, %12 ]
  %13 = getelementptr inbounds [8 x i32], ptr %3, i64 0, i64 %indvars.iv
  %14 = trunc i64 %indvars.iv to i32
  %15 = sub i32 7, %14
  store i32 %15, ptr %13, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 8
  br i1 %exitcond.not, label %6, label %12
16:
  %17 = getelementptr inbounds i8, ptr %1, i64 8
  %18 = load ptr, ptr %17, align 8
  %19 = call i32 @atoi(ptr nocapture noundef %18)
  %20 = add i32 %19, -9
  %or.cond = icmp ult i32 %20, -8
  br i1 %or.cond, label %25, label %.thread
.thread:
  %21 = phi i32 [ %19, %16 ], [ 8, %6 ]
  %22 = call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967304, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %22, 0
  br i1 %.not, label %23, label %25
23:
  %24 = load ptr, ptr %5, align 8
  call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %9, ptr noundef %24, i32 noundef %21)
  br label %25
25:
  %.0 = phi i32 [ 1, %16 ], [ 0, %.thread ], [ 0, %23 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %3)
  ret i32 %.0
}
define dso_local range(i32 0, 2) i32 @few_indices_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [8 x i32], align 16
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  call void @llvm.lifetime.start.p0(i64 32, ptr nonnull %3)
  br label %12
6:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %7 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 32)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %5)
  %8 = call noundef i32 @cudaMalloc(ptr noundef nonnull %5, i64 noundef 64)
  %9 = load ptr, ptr %4, align 8
  %10 = call i32 @cudaMemcpy(ptr noundef %9, ptr noundef nonnull %3, i64 noundef 32, i32 noundef 1)
  %11 = icmp sgt i32 %0, 1
  br i1 %11, label %17, label %.thread
12:
  %indvars.iv = phi i64 [ 0, %2 ], [ %indvars.iv.next, %12 ]
  %13 = mul nuw nsw i64 %indvars.iv, %indvars.iv
  %14 = trunc nuw i64 %13 to i32
  %15 = and i32 %14, 7
  %16 = getelementptr inbounds [8 x i32], ptr %3, i64 0, i64 %indvars.iv
  store i32 %15, ptr %16, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, 8
  br i1 %exitcond.not, label %6, label %12
17:
  %18 = getelementptr inbounds i8, ptr %1, i64 8
  %19 = load ptr, ptr %18, align 8
  %20 = call i32 @atoi(ptr nocapture noundef %19)
  %21 = add i32 %20, -9
  %or.cond = icmp ult i32 %21, -8
  br i1 %or.cond, label %26, label %.thread
.thread:
  %22 = phi i32 [ %20, %17 ], [ 1, %6 ]
  %23 = call i32 @__cudaPushCallConfiguration(i64 4294967297, i32 1, i64 4294967304, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %24, label %26
24:
  %25 = load ptr, ptr %5, align 8
  call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %9, ptr noundef %25, i32 noundef %22)
  br label %26
26:
  %.0 = phi i32 [ 1, %17 ], [ 0, %.thread ], [ 0, %24 ]
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %5)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 32, ptr nonnull %3)
  ret i32 %.0
}
declare void @_Z24__device_stub__Z4rowsPiiPii(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z24__device_stub__Z4binsPiiPii(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z25__device_stub__Z4bothPfS_PfS_(ptr noundef, ptr noundef) local_unnamed_addr
declare void @_Z26__device_stub__Z4turnPKfPfPKfPf(ptr noundef, ptr noundef) local_unnamed_addr
declare void @_Z27__device_stub__Z5tiledPKiPiPKiPi(ptr noundef, ptr noundef) local_unnamed_addr
declare void @_Z25__device_stub__Z5planePiiPii(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z27__device_stub__Z6halvesPiiiPiii(ptr noundef, i32 noundef, i32 noundef) local_unnamed_addr
declare void @_Z27__device_stub__Z7stridedPiiPii(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z31__device_stub__Z6shapedPi5ShapePiR5Shape(ptr noundef, ptr noundef nonnull align 4 dereferenceable(8)) local_unnamed_addr
declare void @_Z28__device_stub__Z6viewed4ViewR4View(ptr noundef nonnull align 8 dereferenceable(16)) local_unnamed_addr
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @_ZL5fixedILi64EEvPi, ptr noundef nonnull @.str.12, ptr noundef nonnull @.str.12, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @_ZL5fixedILi32EEvPi, ptr noundef nonnull @.str.13, ptr noundef nonnull @.str.13, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @viewed, ptr noundef nonnull @.str.14, ptr noundef nonnull @.str.14, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @shaped, ptr noundef nonnull @.str.15, ptr noundef nonnull @.str.15, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @scatter, ptr noundef nonnull @.str.16, ptr noundef nonnull @.str.16, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @strided, ptr noundef nonnull @.str.17, ptr noundef nonnull @.str.17, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @halves, ptr noundef nonnull @.str.18, ptr noundef nonnull @.str.18, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @plane, ptr noundef nonnull @.str.19, ptr noundef nonnull @.str.19, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @tiled, ptr noundef nonnull @.str.20, ptr noundef nonnull @.str.20, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @turn, ptr noundef nonnull @.str.21, ptr noundef nonnull @.str.21, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @both, ptr noundef nonnull @.str.22, ptr noundef nonnull @.str.22, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @bins, ptr noundef nonnull @.str.23, ptr noundef nonnull @.str.23, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @rows, ptr noundef nonnull @.str.24, ptr noundef nonnull @.str.24, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
declare void @_ZL32__device_stub__Z5fixedILi32EEvPiPi(ptr noundef) local_unnamed_addr
declare void @_ZL32__device_stub__Z5fixedILi64EEvPiPi(ptr noundef) local_unnamed_addr
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
