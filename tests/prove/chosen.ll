target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.Config = type { i32, i32, i32 }
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
@_ZL4good = internal unnamed_addr constant [3 x %struct.Config] [%struct.Config { i32 2, i32 1, i32 64 }, %struct.Config { i32 4, i32 2, i32 128 }, %struct.Config { i32 8, i32 7, i32 256 }], align 16
@_ZL3bad = internal unnamed_addr constant [3 x %struct.Config] [%struct.Config { i32 2, i32 1, i32 64 }, %struct.Config { i32 4, i32 4, i32 128 }, %struct.Config { i32 8, i32 7, i32 256 }], align 16
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [1121 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str = private unnamed_addr constant [6 x i8] c"place\00", align 1
@.str.1 = private unnamed_addr constant [7 x i8] c"halves\00", align 1
@.str.2 = private unnamed_addr constant [11 x i8] c"interleave\00", align 1
@.str.3 = private unnamed_addr constant [11 x i8] c"scale_rows\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
define dso_local noundef i32 @sparse_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = shl nuw nsw i32 %12, 2
  %14 = add nuw nsw i32 %13, 4
  %15 = zext nneg i32 %14 to i64
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = getelementptr i8, ptr %16, i64 4
  %18 = zext nneg i32 %13 to i64
  tail call void @llvm.memset.p0.i64(ptr align 4 %17, i8 0, i64 %18, i1 false)
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
._crit_edge:
  %19 = add nuw nsw i32 %12, 127
  %20 = lshr i32 %19, 7
  %.sroa.023.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.023.0.insert.insert = or disjoint i64 %.sroa.023.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.023.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %27, label %_ZNSt6vectorIiSaIiEED2Ev.exit
.lr.ph:
  %22 = phi i32 [ 0, %.lr.ph.preheader ], [ %25, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %23 = trunc nuw nsw i64 %indvars.iv to i32
  %24 = urem i32 %23, 5
  %25 = add nuw nsw i32 %22, %24
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
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit22
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %32 = zext nneg i32 %12 to i64
  %33 = getelementptr inbounds i32, ptr %16, i64 %32
  %34 = load i32, ptr %33, align 4
  %35 = add nsw i32 %34, 1
  %36 = sext i32 %35 to i64
  %37 = shl nsw i64 %36, 2
  %38 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %37)
  %.not.i = icmp eq i32 %38, 0
  br i1 %.not.i, label %40, label %39
39:
  tail call void @exit(i32 noundef 9)
  unreachable
40:
  %41 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %30, ptr noundef %41, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit22
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit22:
  %42 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %42
}
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
declare i32 @__gxx_personality_v0(...)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
define hidden void @scale_rows(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local noundef i32 @sparse_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = shl nuw nsw i32 %12, 2
  %14 = add nuw nsw i32 %13, 4
  %15 = zext nneg i32 %14 to i64
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr i8, ptr %16, i64 4
  %18 = zext nneg i32 %13 to i64
  tail call void @llvm.memset.p0.i64(ptr align 4 %17, i8 0, i64 %18, i1 false)
  store i32 4, ptr %16, align 4
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
._crit_edge:
  %19 = add nuw nsw i32 %12, 127
  %20 = lshr i32 %19, 7
  %.sroa.022.0.insert.ext = zext nneg i32 %20 to i64
  %.sroa.022.0.insert.insert = or disjoint i64 %.sroa.022.0.insert.ext, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.022.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %21, 0
  br i1 %.not, label %28, label %_ZNSt6vectorIiSaIiEED2Ev.exit
.lr.ph:
  %22 = phi i32 [ 4, %.lr.ph.preheader ], [ %26, %.lr.ph ]
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %23 = trunc nuw nsw i64 %indvars.iv to i32
  %24 = urem i32 %23, 5
  %25 = add nsw i32 %24, -1
  %26 = add i32 %25, %22
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %27 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv.next
  store i32 %26, ptr %27, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
28:
  %29 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %29, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %30
30:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %31 = load ptr, ptr %4, align 8
  %32 = invoke i32 @cudaMemcpy(ptr noundef %31, ptr noundef nonnull %16, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %33 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 100000)
  %.not.i = icmp eq i32 %33, 0
  br i1 %.not.i, label %35, label %34
34:
  tail call void @exit(i32 noundef 9)
  unreachable
35:
  %36 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %31, ptr noundef %36, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit21
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit21:
  %37 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %37
}
define dso_local noundef i32 @table_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %_ZL6numberiPPciiii.exit16.i
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %or.cond.i.i = icmp ugt i32 %9, 2
  br i1 %or.cond.i.i, label %10, label %_ZL6numberiPPciiii.exit.i
10:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit.i:
  %.not25.i = icmp eq i32 %0, 2
  br i1 %.not25.i, label %_ZL6numberiPPciiii.exit16.i, label %11
11:
  %12 = getelementptr inbounds i8, ptr %1, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = add i32 %14, -4097
  %or.cond.i15.i = icmp ult i32 %15, -4095
  br i1 %or.cond.i15.i, label %16, label %_ZL6numberiPPciiii.exit16.i
16:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit16.i:
  %17 = phi i32 [ %14, %11 ], [ 1000, %_ZL6numberiPPciiii.exit.i ], [ 1000, %2 ]
  %18 = phi i32 [ %9, %11 ], [ %9, %_ZL6numberiPPciiii.exit.i ], [ 0, %2 ]
  %19 = zext nneg i32 %18 to i64
  %20 = getelementptr inbounds %struct.Config, ptr @_ZL4good, i64 %19
  %21 = getelementptr inbounds i8, ptr %20, i64 8
  %22 = load i32, ptr %21, align 4
  %23 = add nsw i32 %17, -1
  %24 = add i32 %23, %22
  %25 = sdiv i32 %24, %22
  %.sroa.019.0.insert.ext.i = zext i32 %25 to i64
  %.sroa.019.0.insert.insert.i = or disjoint i64 %.sroa.019.0.insert.ext.i, 4294967296
  %.sroa.0.0.insert.ext.i = zext i32 %22 to i64
  %.sroa.0.0.insert.insert.i = or disjoint i64 %.sroa.0.0.insert.ext.i, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.019.0.insert.insert.i, i32 1, i64 %.sroa.0.0.insert.insert.i, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %26, 0
  br i1 %.not.i, label %27, label %_ZL10configuredPK6ConfigiPPc.exit
27:
  %28 = shl nuw nsw i32 %17, 5
  %29 = add nuw nsw i32 %28, 32
  %30 = zext nneg i32 %29 to i64
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %30)
  %.not.i.i = icmp eq i32 %31, 0
  br i1 %.not.i.i, label %_ZL6deviceIfEPT_m.exit.i, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIfEPT_m.exit.i:
  %33 = load ptr, ptr %4, align 8
  %34 = shl nuw nsw i32 %17, 2
  %35 = zext nneg i32 %34 to i64
  %36 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %35)
  %.not.i17.i = icmp eq i32 %36, 0
  br i1 %.not.i17.i, label %_ZL6deviceIfEPT_m.exit18.i, label %37
37:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIfEPT_m.exit18.i:
  %38 = load ptr, ptr %3, align 8
  %39 = load i32, ptr %20, align 4
  %40 = getelementptr inbounds i8, ptr %20, i64 4
  %41 = load i32, ptr %40, align 4
  tail call void @_Z36__device_stub__Z10interleavePfPKfiiiPfPKfiii(ptr noundef %33, ptr noundef %38, i32 noundef %17, i32 noundef %39, i32 noundef %41)
  br label %_ZL10configuredPK6ConfigiPPc.exit
_ZL10configuredPK6ConfigiPPc.exit:
  ret i32 0
}
define dso_local noundef i32 @table_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %_ZL6numberiPPciiii.exit16.i
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %or.cond.i.i = icmp ugt i32 %9, 2
  br i1 %or.cond.i.i, label %10, label %_ZL6numberiPPciiii.exit.i
10:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit.i:
  %.not25.i = icmp eq i32 %0, 2
  br i1 %.not25.i, label %_ZL6numberiPPciiii.exit16.i, label %11
11:
  %12 = getelementptr inbounds i8, ptr %1, i64 16
  %13 = load ptr, ptr %12, align 8
  %14 = tail call i32 @atoi(ptr nocapture noundef %13)
  %15 = add i32 %14, -4097
  %or.cond.i15.i = icmp ult i32 %15, -4095
  br i1 %or.cond.i15.i, label %16, label %_ZL6numberiPPciiii.exit16.i
16:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit16.i:
  %17 = phi i32 [ %14, %11 ], [ 1000, %_ZL6numberiPPciiii.exit.i ], [ 1000, %2 ]
  %18 = phi i32 [ %9, %11 ], [ %9, %_ZL6numberiPPciiii.exit.i ], [ 0, %2 ]
  %19 = zext nneg i32 %18 to i64
  %20 = getelementptr inbounds %struct.Config, ptr @_ZL3bad, i64 %19
  %21 = getelementptr inbounds i8, ptr %20, i64 8
  %22 = load i32, ptr %21, align 4
  %23 = add nsw i32 %17, -1
  %24 = add i32 %23, %22
  %25 = sdiv i32 %24, %22
  %.sroa.019.0.insert.ext.i = zext i32 %25 to i64
  %.sroa.019.0.insert.insert.i = or disjoint i64 %.sroa.019.0.insert.ext.i, 4294967296
  %.sroa.0.0.insert.ext.i = zext i32 %22 to i64
  %.sroa.0.0.insert.insert.i = or disjoint i64 %.sroa.0.0.insert.ext.i, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.019.0.insert.insert.i, i32 1, i64 %.sroa.0.0.insert.insert.i, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %26, 0
  br i1 %.not.i, label %27, label %_ZL10configuredPK6ConfigiPPc.exit
27:
  %28 = shl nuw nsw i32 %17, 5
  %29 = add nuw nsw i32 %28, 32
  %30 = zext nneg i32 %29 to i64
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %30)
  %.not.i.i = icmp eq i32 %31, 0
  br i1 %.not.i.i, label %_ZL6deviceIfEPT_m.exit.i, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIfEPT_m.exit.i:
  %33 = load ptr, ptr %4, align 8
  %34 = shl nuw nsw i32 %17, 2
  %35 = zext nneg i32 %34 to i64
  %36 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %35)
  %.not.i17.i = icmp eq i32 %36, 0
  br i1 %.not.i17.i, label %_ZL6deviceIfEPT_m.exit18.i, label %37
37:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIfEPT_m.exit18.i:
  %38 = load ptr, ptr %3, align 8
  %39 = load i32, ptr %20, align 4
  %40 = getelementptr inbounds i8, ptr %20, i64 4
  %41 = load i32, ptr %40, align 4
  tail call void @_Z36__device_stub__Z10interleavePfPKfiiiPfPKfiii(ptr noundef %33, ptr noundef %38, i32 noundef %17, i32 noundef %39, i32 noundef %41)
  br label %_ZL10configuredPK6ConfigiPPc.exit
_ZL10configuredPK6ConfigiPPc.exit:
  ret i32 0
}
define dso_local noundef i32 @warps_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %_ZL6numberiPPciiii.exit
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond.i = icmp ult i32 %9, -500
  br i1 %or.cond.i, label %10, label %_ZL6numberiPPciiii.exit
10:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %11 = phi i32 [ %8, %5 ], [ 100, %2 ]
  %.lhs.trunc = add nuw nsw i32 %11, 31
  %12 = and i32 %.lhs.trunc, 992
  %13 = shl nuw nsw i32 %12, 2
  %14 = zext nneg i32 %13 to i64
  %.sroa.0.0.insert.ext = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %15 = tail call i32 @__cudaPushCallConfiguration(i64 4294967306, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %14, ptr noundef null)
  %.not = icmp eq i32 %15, 0
  br i1 %.not, label %16, label %22
16:
  %.zext = lshr i32 %.lhs.trunc, 5
  %17 = mul nuw nsw i32 %.zext, 1280
  %18 = zext nneg i32 %17 to i64
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %18)
  %.not.i = icmp eq i32 %19, 0
  br i1 %.not.i, label %_ZL6deviceIfEPT_m.exit, label %20
20:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIfEPT_m.exit:
  %21 = load ptr, ptr %3, align 8
  tail call void @_Z26__device_stub__Z6halvesPfiPfi(ptr noundef %21, i32 noundef %12)
  br label %22
22:
  ret i32 0
}
define hidden void @halves(ptr noundef %0, i32 noundef %1) {
  tail call void @_Z26__device_stub__Z6halvesPfiPfi(ptr noundef %0, i32 noundef %1)
  ret void
}
define dso_local noundef i32 @warps_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %_ZL6numberiPPciiii.exit
5:
  %6 = getelementptr inbounds i8, ptr %1, i64 8
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %9 = add i32 %8, -501
  %or.cond.i = icmp ult i32 %9, -500
  br i1 %or.cond.i, label %10, label %_ZL6numberiPPciiii.exit
10:
  tail call void @exit(i32 noundef 1)
  unreachable
_ZL6numberiPPciiii.exit:
  %11 = phi i32 [ %8, %5 ], [ 100, %2 ]
  %.lhs.trunc = add nuw nsw i32 %11, 31
  %.zext = and i32 %.lhs.trunc, 992
  %12 = shl nuw nsw i32 %.zext, 2
  %13 = zext nneg i32 %12 to i64
  %.sroa.0.0.insert.ext = zext nneg i32 %.zext to i64
  %.sroa.0.0.insert.insert = or disjoint i64 %.sroa.0.0.insert.ext, 4294967296
  %14 = tail call i32 @__cudaPushCallConfiguration(i64 4294967306, i32 1, i64 %.sroa.0.0.insert.insert, i32 1, i64 noundef %13, ptr noundef null)
  %.not = icmp eq i32 %14, 0
  br i1 %.not, label %15, label %22
15:
  %16 = mul nuw nsw i32 %11, 40
  %17 = add nuw nsw i32 %16, 128
  %18 = zext nneg i32 %17 to i64
  %19 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %18)
  %.not.i = icmp eq i32 %19, 0
  br i1 %.not.i, label %_ZL6deviceIfEPT_m.exit, label %20
20:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIfEPT_m.exit:
  %21 = load ptr, ptr %3, align 8
  tail call void @_Z26__device_stub__Z6halvesPfiPfi(ptr noundef %21, i32 noundef %11)
  br label %22
22:
  ret i32 0
}
define dso_local noundef i32 @sums_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %13 = shl nuw nsw i32 %12, 2
  %14 = add nuw nsw i32 %13, 4
  %15 = zext nneg i32 %14 to i64
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  %17 = getelementptr i8, ptr %16, i64 %15
  store i32 0, ptr %16, align 4
  %18 = getelementptr i8, ptr %16, i64 4
  %19 = zext nneg i32 %13 to i64
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  %20 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
          to label %.lr.ph.preheader unwind label %30
.lr.ph.preheader:
  store i32 0, ptr %20, align 4
  %21 = getelementptr i8, ptr %20, i64 4
  tail call void @llvm.memset.p0.i64(ptr align 4 %21, i8 0, i64 %19, i1 false)
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
.lr.ph.i.preheader:
  %.pre = load i32, ptr %16, align 4
  store i32 %.pre, ptr %20, align 4
  br label %.lr.ph.i
.lr.ph.i:
  %22 = phi ptr [ %26, %.lr.ph.i ], [ %18, %.lr.ph.i.preheader ]
  %.016.i = phi i32 [ %24, %.lr.ph.i ], [ %.pre, %.lr.ph.i.preheader ]
  %.sroa.0.015.i = phi ptr [ %25, %.lr.ph.i ], [ %20, %.lr.ph.i.preheader ]
  %23 = load i32, ptr %22, align 4
  %24 = add nsw i32 %23, %.016.i
  %25 = getelementptr inbounds i8, ptr %.sroa.0.015.i, i64 4
  store i32 %24, ptr %25, align 4
  %26 = getelementptr inbounds i8, ptr %22, i64 4
  %.not.i = icmp eq ptr %26, %17
  br i1 %.not.i, label %_ZSt11partial_sumIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_ET0_T_S8_S7_.exit, label %.lr.ph.i
_ZSt11partial_sumIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_ET0_T_S8_S7_.exit:
  %27 = add nuw nsw i32 %12, 127
  %28 = lshr i32 %27, 7
  %.sroa.037.0.insert.ext = zext nneg i32 %28 to i64
  %.sroa.037.0.insert.insert = or disjoint i64 %.sroa.037.0.insert.ext, 4294967296
  %29 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.037.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %29, 0
  br i1 %.not, label %35, label %_ZNSt6vectorIiSaIiEED2Ev.exit32
30:
  %31 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit36
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %32 = trunc nuw nsw i64 %indvars.iv to i32
  %33 = and i32 %32, 7
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %34 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv.next
  store i32 %33, ptr %34, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %.lr.ph.i.preheader, label %.lr.ph
35:
  %36 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %15)
  %.not.i.i = icmp eq i32 %36, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %37
37:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %38 = load ptr, ptr %4, align 8
  %39 = invoke i32 @cudaMemcpy(ptr noundef %38, ptr noundef nonnull %20, i64 noundef %15, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit34
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %40 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 160000)
  %.not.i29 = icmp eq i32 %40, 0
  br i1 %.not.i29, label %42, label %41
41:
  tail call void @exit(i32 noundef 9)
  unreachable
42:
  %43 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %38, ptr noundef %43, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit32 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit34
_ZNSt6vectorIiSaIiEED2Ev.exit32:
  tail call void @_ZdlPvm(ptr noundef nonnull %20, i64 noundef %15)
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit34:
  %44 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %20, i64 noundef %15)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit36
_ZNSt6vectorIiSaIiEED2Ev.exit36:
  %.pn = phi { ptr, i32 } [ %44, %_ZNSt6vectorIiSaIiEED2Ev.exit34 ], [ %31, %30 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @sums_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
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
  %17 = getelementptr inbounds i32, ptr %16, i64 %14
  br label %.lr.ph.i.i.i.i.i.i.i.i.i
.lr.ph.i.i.i.i.i.i.i.i.i:
  %.06.i.i.i.i.i.i.i.i.i = phi ptr [ %18, %.lr.ph.i.i.i.i.i.i.i.i.i ], [ %16, %_ZL6numberiPPciiii.exit ]
  store i32 4, ptr %.06.i.i.i.i.i.i.i.i.i, align 4
  %18 = getelementptr inbounds i8, ptr %.06.i.i.i.i.i.i.i.i.i, i64 4
  %.not.i.i.i.i.i.i.i.i.i = icmp eq ptr %18, %17
  br i1 %.not.i.i.i.i.i.i.i.i.i, label %_ZNSt6vectorIiSaIiEEC2EmRKiRKS0_.exit, label %.lr.ph.i.i.i.i.i.i.i.i.i
_ZNSt6vectorIiSaIiEEC2EmRKiRKS0_.exit:
  %19 = invoke noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
          to label %.noexc21 unwind label %27
.noexc21:
  store i32 0, ptr %19, align 4
  %20 = getelementptr i8, ptr %19, i64 4
  %21 = icmp eq i32 %12, 0
  br i1 %21, label %._crit_edge, label %.lr.ph.preheader
.lr.ph.preheader:
  %22 = getelementptr i32, ptr %19, i64 %14
  %23 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %20, i8 0, i64 %23, i1 false)
  %wide.trip.count = zext nneg i32 %12 to i64
  br label %.lr.ph
._crit_edge:
  %.0.i.i.i.i.i53 = phi ptr [ %20, %.noexc21 ], [ %22, %.lr.ph ]
  %24 = add nuw nsw i32 %12, 127
  %25 = lshr i32 %24, 7
  %.sroa.030.0.insert.ext = zext nneg i32 %25 to i64
  %.sroa.030.0.insert.insert = or disjoint i64 %.sroa.030.0.insert.ext, 4294967296
  %26 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.030.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %26, 0
  br i1 %.not, label %35, label %_ZNSt6vectorIiSaIiEED2Ev.exit25
27:
  %28 = landingpad { ptr, i32 }
          cleanup
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %29 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  %30 = load i32, ptr %29, align 4
  %31 = trunc nuw nsw i64 %indvars.iv to i32
  %32 = xor i32 %31, 1
  %33 = mul nsw i32 %30, %32
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %34 = getelementptr inbounds i32, ptr %19, i64 %indvars.iv.next
  store i32 %33, ptr %34, align 4
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
35:
  %36 = ptrtoint ptr %.0.i.i.i.i.i53 to i64
  %37 = ptrtoint ptr %19 to i64
  %38 = sub i64 %36, %37
  %39 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %38)
  %.not.i.i = icmp eq i32 %39, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %40
40:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %41 = load ptr, ptr %4, align 8
  %42 = invoke i32 @cudaMemcpy(ptr noundef %41, ptr noundef nonnull %19, i64 noundef %38, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %43 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef 160000)
  %.not.i = icmp eq i32 %43, 0
  br i1 %.not.i, label %45, label %44
44:
  tail call void @exit(i32 noundef 9)
  unreachable
45:
  %46 = load ptr, ptr %3, align 8
  invoke void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef %41, ptr noundef %46, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
_ZNSt6vectorIiSaIiEED2Ev.exit25:
  tail call void @_ZdlPvm(ptr noundef nonnull %19, i64 noundef %15)
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit27:
  %47 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %19, i64 noundef %15)
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit29
_ZNSt6vectorIiSaIiEED2Ev.exit29:
  %.pn = phi { ptr, i32 } [ %47, %_ZNSt6vectorIiSaIiEED2Ev.exit27 ], [ %28, %27 ]
  tail call void @_ZdlPvm(ptr noundef nonnull %16, i64 noundef %15)
  resume { ptr, i32 } %.pn
}
define dso_local noundef i32 @turned_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.i.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -4097
  %or.cond.i = icmp ult i32 %10, -4095
  br i1 %or.cond.i, label %11, label %.lr.ph.i.preheader
11:
  tail call void @exit(i32 noundef 1)
  unreachable
.lr.ph.i.preheader:
  %12 = phi i32 [ %9, %6 ], [ 256, %2 ]
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
  %.07.i = phi i32 [ %19, %.lr.ph.i ], [ 0, %.lr.ph.i.preheader ]
  %.sroa.02.06.i = phi ptr [ %20, %.lr.ph.i ], [ %15, %.lr.ph.i.preheader ]
  store i32 %.07.i, ptr %.sroa.02.06.i, align 4
  %19 = add nuw nsw i32 %.07.i, 1
  %20 = getelementptr inbounds i8, ptr %.sroa.02.06.i, i64 4
  %.not.i = icmp eq ptr %20, %16
  br i1 %.not.i, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit, label %.lr.ph.i
_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit:
  %21 = icmp ne i32 %12, 0
  %.sroa.0.08.i.i = getelementptr inbounds i8, ptr %16, i64 -4
  %22 = icmp ugt ptr %.sroa.0.08.i.i, %15
  %or.cond.i.i = select i1 %21, i1 %22, i1 false
  br i1 %or.cond.i.i, label %.lr.ph.i.i, label %_ZSt7reverseIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEEvT_S7_.exit
.lr.ph.i.i:
  %.sroa.0.010.i.i = phi ptr [ %.sroa.0.0.i.i, %.lr.ph.i.i ], [ %.sroa.0.08.i.i, %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit ]
  %.sroa.05.09.i.i = phi ptr [ %25, %.lr.ph.i.i ], [ %15, %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit ]
  %23 = load i32, ptr %.sroa.05.09.i.i, align 4
  %24 = load i32, ptr %.sroa.0.010.i.i, align 4
  store i32 %24, ptr %.sroa.05.09.i.i, align 4
  store i32 %23, ptr %.sroa.0.010.i.i, align 4
  %25 = getelementptr inbounds i8, ptr %.sroa.05.09.i.i, i64 4
  %.sroa.0.0.i.i = getelementptr inbounds i8, ptr %.sroa.0.010.i.i, i64 -4
  %26 = icmp ult ptr %25, %.sroa.0.0.i.i
  br i1 %26, label %.lr.ph.i.i, label %_ZSt7reverseIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEEvT_S7_.exit
_ZSt7reverseIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEEvT_S7_.exit:
  %27 = add nuw nsw i32 %12, 63
  %28 = lshr i32 %27, 6
  %.sroa.020.0.insert.ext = zext nneg i32 %28 to i64
  %.sroa.020.0.insert.insert = or disjoint i64 %.sroa.020.0.insert.ext, 4294967296
  %29 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.020.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %29, 0
  br i1 %.not, label %30, label %_ZNSt6vectorIiSaIiEED2Ev.exit
30:
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %14)
  %.not.i.i = icmp eq i32 %31, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %33 = load ptr, ptr %4, align 8
  %34 = invoke i32 @cudaMemcpy(ptr noundef %33, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %35 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.not.i16 = icmp eq i32 %35, 0
  br i1 %.not.i16, label %37, label %36
36:
  tail call void @exit(i32 noundef 9)
  unreachable
37:
  %38 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %33, ptr noundef %38, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit19
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit19:
  %39 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %39
}
define hidden void @place(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
define dso_local noundef i32 @turned_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.i.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -4097
  %or.cond.i = icmp ult i32 %10, -4095
  br i1 %or.cond.i, label %11, label %.lr.ph.i.preheader
11:
  tail call void @exit(i32 noundef 1)
  unreachable
.lr.ph.i.preheader:
  %12 = phi i32 [ %9, %6 ], [ 256, %2 ]
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
  %.07.i = phi i32 [ %19, %.lr.ph.i ], [ 0, %.lr.ph.i.preheader ]
  %.sroa.02.06.i = phi ptr [ %20, %.lr.ph.i ], [ %15, %.lr.ph.i.preheader ]
  store i32 %.07.i, ptr %.sroa.02.06.i, align 4
  %19 = add nuw nsw i32 %.07.i, 1
  %20 = getelementptr inbounds i8, ptr %.sroa.02.06.i, i64 4
  %.not.i = icmp eq ptr %20, %16
  br i1 %.not.i, label %_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit, label %.lr.ph.i
_ZSt4iotaIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEiEvT_S7_T0_.exit:
  %.not6.i = icmp ult i32 %12, 2
  br i1 %.not6.i, label %_ZSt12reverse_copyIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_ET0_T_S8_S7_.exit, label %.lr.ph.i19.preheader
.lr.ph.i19.preheader:
  %21 = add nuw nsw i32 %12, 1
  %22 = lshr i32 %21, 1
  %23 = zext nneg i32 %22 to i64
  %24 = getelementptr inbounds i32, ptr %15, i64 %23
  %25 = lshr i32 %12, 1
  %26 = zext nneg i32 %25 to i64
  %27 = getelementptr inbounds i32, ptr %15, i64 %26
  br label %.lr.ph.i19
.lr.ph.i19:
  %.sroa.0.08.i = phi ptr [ %30, %.lr.ph.i19 ], [ %24, %.lr.ph.i19.preheader ]
  %.sroa.02.07.i = phi ptr [ %28, %.lr.ph.i19 ], [ %27, %.lr.ph.i19.preheader ]
  %28 = getelementptr inbounds i8, ptr %.sroa.02.07.i, i64 -4
  %29 = load i32, ptr %28, align 4
  store i32 %29, ptr %.sroa.0.08.i, align 4
  %30 = getelementptr inbounds i8, ptr %.sroa.0.08.i, i64 4
  %.not.i20 = icmp eq ptr %28, %15
  br i1 %.not.i20, label %_ZSt12reverse_copyIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_ET0_T_S8_S7_.exit, label %.lr.ph.i19
_ZSt12reverse_copyIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEES6_ET0_T_S8_S7_.exit:
  %31 = add nuw nsw i32 %12, 63
  %32 = lshr i32 %31, 6
  %.sroa.026.0.insert.ext = zext nneg i32 %32 to i64
  %.sroa.026.0.insert.insert = or disjoint i64 %.sroa.026.0.insert.ext, 4294967296
  %33 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.026.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %33, 0
  br i1 %.not, label %34, label %_ZNSt6vectorIiSaIiEED2Ev.exit
34:
  %35 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %14)
  %.not.i.i = icmp eq i32 %35, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %36
36:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %37 = load ptr, ptr %4, align 8
  %38 = invoke i32 @cudaMemcpy(ptr noundef %37, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit25
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %39 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.not.i22 = icmp eq i32 %39, 0
  br i1 %.not.i22, label %41, label %40
40:
  tail call void @exit(i32 noundef 9)
  unreachable
41:
  %42 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %37, ptr noundef %42, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit25
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit25:
  %43 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %43
}
define dso_local noundef i32 @shuffled_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -4097
  %or.cond.i = icmp ult i32 %10, -4095
  br i1 %or.cond.i, label %11, label %.lr.ph.preheader
11:
  tail call void @exit(i32 noundef 1)
  unreachable
.lr.ph.preheader:
  %12 = phi i32 [ %9, %6 ], [ 256, %2 ]
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  br label %.lr.ph
.preheader:
  %18 = icmp sgt i32 %12, 1
  br i1 %18, label %.lr.ph46, label %._crit_edge
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %19 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  %20 = trunc nuw nsw i64 %indvars.iv to i32
  store i32 %20, ptr %19, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %13
  br i1 %exitcond.not, label %.preheader, label %.lr.ph
._crit_edge:
  %21 = add nuw nsw i32 %12, 63
  %22 = lshr i32 %21, 6
  %.sroa.028.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.028.0.insert.insert = or disjoint i64 %.sroa.028.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.028.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %33, label %_ZNSt6vectorIiSaIiEED2Ev.exit
.lr.ph46:
  %indvars.iv49 = phi i64 [ %indvars.iv.next50, %.lr.ph46 ], [ %13, %.preheader ]
  %indvars.iv.next50 = add nsw i64 %indvars.iv49, -1
  %24 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv.next50
  %25 = tail call i32 @rand()
  %26 = trunc nuw nsw i64 %indvars.iv49 to i32
  %27 = srem i32 %25, %26
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds i32, ptr %15, i64 %28
  %30 = load i32, ptr %24, align 4
  %31 = load i32, ptr %29, align 4
  store i32 %31, ptr %24, align 4
  store i32 %30, ptr %29, align 4
  %32 = icmp sgt i64 %indvars.iv49, 2
  br i1 %32, label %.lr.ph46, label %._crit_edge
33:
  %34 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %14)
  %.not.i.i = icmp eq i32 %34, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %35
35:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %36 = load ptr, ptr %4, align 8
  %37 = invoke i32 @cudaMemcpy(ptr noundef %36, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %38 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.not.i = icmp eq i32 %38, 0
  br i1 %.not.i, label %40, label %39
39:
  tail call void @exit(i32 noundef 9)
  unreachable
40:
  %41 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %36, ptr noundef %41, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit27:
  %42 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %42
}
declare i32 @rand() local_unnamed_addr
define dso_local noundef i32 @shuffled_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds i8, ptr %1, i64 8
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -4097
  %or.cond.i = icmp ult i32 %10, -4095
  br i1 %or.cond.i, label %11, label %.lr.ph.preheader
11:
  tail call void @exit(i32 noundef 1)
  unreachable
.lr.ph.preheader:
  %12 = phi i32 [ %9, %6 ], [ 256, %2 ]
  %13 = zext nneg i32 %12 to i64
  %14 = shl nuw nsw i64 %13, 2
  %15 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %14)
  store i32 0, ptr %15, align 4
  %16 = getelementptr i8, ptr %15, i64 4
  %17 = add nsw i64 %14, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %16, i8 0, i64 %17, i1 false)
  br label %.lr.ph
.preheader:
  %18 = icmp sgt i32 %12, 1
  br i1 %18, label %.lr.ph46, label %._crit_edge
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %19 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv
  %20 = trunc nuw nsw i64 %indvars.iv to i32
  store i32 %20, ptr %19, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %13
  br i1 %exitcond.not, label %.preheader, label %.lr.ph
._crit_edge:
  %21 = add nuw nsw i32 %12, 63
  %22 = lshr i32 %21, 6
  %.sroa.028.0.insert.ext = zext nneg i32 %22 to i64
  %.sroa.028.0.insert.insert = or disjoint i64 %.sroa.028.0.insert.ext, 4294967296
  %23 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.028.0.insert.insert, i32 1, i64 4294967360, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %23, 0
  br i1 %.not, label %30, label %_ZNSt6vectorIiSaIiEED2Ev.exit
.lr.ph46:
  %indvars.iv49 = phi i64 [ %indvars.iv.next50, %.lr.ph46 ], [ %13, %.preheader ]
  %indvars.iv.next50 = add nsw i64 %indvars.iv49, -1
  %24 = lshr i64 %indvars.iv.next50, 1
  %25 = and i64 %24, 2147483647
  %26 = getelementptr inbounds i32, ptr %15, i64 %25
  %27 = load i32, ptr %26, align 4
  %28 = getelementptr inbounds i32, ptr %15, i64 %indvars.iv.next50
  store i32 %27, ptr %28, align 4
  %29 = icmp sgt i64 %indvars.iv49, 2
  br i1 %29, label %.lr.ph46, label %._crit_edge
30:
  %31 = call noundef i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef %14)
  %.not.i.i = icmp eq i32 %31, 0
  br i1 %.not.i.i, label %_ZL6deviceIiEPT_m.exit.i, label %32
32:
  tail call void @exit(i32 noundef 9)
  unreachable
_ZL6deviceIiEPT_m.exit.i:
  %33 = load ptr, ptr %4, align 8
  %34 = invoke i32 @cudaMemcpy(ptr noundef %33, ptr noundef nonnull %15, i64 noundef %14, i32 noundef 1)
          to label %_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
_ZL6copiedIiEPT_RKSt6vectorIS0_SaIS0_EE.exit:
  %35 = call noundef i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %14)
  %.not.i = icmp eq i32 %35, 0
  br i1 %.not.i, label %37, label %36
36:
  tail call void @exit(i32 noundef 9)
  unreachable
37:
  %38 = load ptr, ptr %3, align 8
  invoke void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef %33, ptr noundef %38, i32 noundef %12)
          to label %_ZNSt6vectorIiSaIiEED2Ev.exit unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit27
_ZNSt6vectorIiSaIiEED2Ev.exit:
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  ret i32 0
_ZNSt6vectorIiSaIiEED2Ev.exit27:
  %39 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPvm(ptr noundef nonnull %15, i64 noundef %14)
  resume { ptr, i32 } %39
}
declare void @_Z34__device_stub__Z10scale_rowsPKiPfiPKiPfi(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z36__device_stub__Z10interleavePfPKfiiiPfPKfiii(ptr noundef, ptr noundef, i32 noundef, i32 noundef, i32 noundef) local_unnamed_addr
define hidden void @interleave(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4) {
  tail call void @_Z36__device_stub__Z10interleavePfPKfiiiPfPKfiii(ptr noundef %0, ptr noundef %1, i32 noundef %2, i32 noundef %3, i32 noundef %4)
  ret void
}
declare void @_Z26__device_stub__Z6halvesPfiPfi(ptr noundef, i32 noundef) local_unnamed_addr
declare void @_Z28__device_stub__Z5placePKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @place, ptr noundef nonnull @.str, ptr noundef nonnull @.str, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @halves, ptr noundef nonnull @.str.1, ptr noundef nonnull @.str.1, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @interleave, ptr noundef nonnull @.str.2, ptr noundef nonnull @.str.2, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @scale_rows, ptr noundef nonnull @.str.3, ptr noundef nonnull @.str.3, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
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
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
