target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
%struct.__fatBinC_Wrapper_t = type { i32, i32, ptr, ptr }
@_ZL15__fatDeviceText = internal constant %struct.__fatBinC_Wrapper_t { i32 1180844977, i32 1, ptr @fatbinData, ptr null }, section ".nvFatBinSegment", align 8
@_ZL20__cudaFatCubinHandle = internal unnamed_addr global ptr null, align 8
@fatbinData = external constant [655 x i64], align 16
@_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref = internal unnamed_addr global ptr null, align 8
@.str = private unnamed_addr constant [5 x i8] c"step\00", align 1
@.str.1 = private unnamed_addr constant [8 x i8] c"scatter\00", align 1
@_ZL32__nv_fatbinhandle_for_managed_rt = internal unnamed_addr global ptr null, align 8
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_ZL24__sti____cudaRegisterAllv, ptr null }]
; Function Attrs: uwtable
define dso_local i32 @reversed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread33
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %11
11:
  %12 = zext i32 %9 to i64
  br label %.thread33
.thread33:
  %13 = phi i64 [ %12, %11 ], [ 1000, %2 ]
  %14 = phi i32 [ %9, %11 ], [ 1000, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = icmp eq i64 %13, 1
  br i1 %17, label %.lr.ph.preheader, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i:
  %18 = getelementptr i32, ptr %16, i64 1
  %19 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %wide.trip.count = zext i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = shl nuw nsw i64 %13, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %23 = load ptr, ptr %3, align 8
  %24 = invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %16, i64 noundef %20, i32 noundef 1)
          to label %.noexc20 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
.noexc20:
  %25 = add nsw i32 %14, 127
  %26 = lshr i32 %25, 7
  %.sroa.06.0.insert.ext.i = zext i32 %26 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %27, 0
  br i1 %.not.i, label %28, label %.noexc21
28:
  %29 = load ptr, ptr %4, align 8
  invoke void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %23, ptr noundef %29, i32 noundef %14)
          to label %.noexc21 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
.noexc21:
  %30 = invoke i32 @cudaDeviceSynchronize()
          to label %34 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %indvars36 = trunc i64 %indvars.iv to i32
  %31 = xor i32 %indvars36, -1
  %32 = add i32 %14, %31
  %33 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %32, ptr %33, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
34:
  %35 = icmp ne i32 %30, 0
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  %36 = zext i1 %35 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit24:
  %37 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  resume { ptr, i32 } %37
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %.017.shrunk = phi i32 [ 1, %6 ], [ %36, %34 ]
  ret i32 %.017.shrunk
}
; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture)
; Function Attrs: mustprogress nofree nounwind willreturn memory(read)
declare i32 @atoi(ptr nocapture noundef) local_unnamed_addr
declare i32 @__gxx_personality_v0(...)
; Function Attrs: mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture)
; Function Attrs: uwtable
define dso_local i32 @reversed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread33
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %11
11:
  %12 = zext i32 %9 to i64
  br label %.thread33
.thread33:
  %13 = phi i64 [ %12, %11 ], [ 1000, %2 ]
  %14 = phi i32 [ %9, %11 ], [ 1000, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = icmp eq i64 %13, 1
  br i1 %17, label %.lr.ph.preheader, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i:
  %18 = getelementptr i32, ptr %16, i64 1
  %19 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %wide.trip.count = zext i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = shl nuw nsw i64 %13, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %23 = load ptr, ptr %3, align 8
  %24 = invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %16, i64 noundef %20, i32 noundef 1)
          to label %.noexc20 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
.noexc20:
  %25 = add nsw i32 %14, 127
  %26 = lshr i32 %25, 7
  %.sroa.06.0.insert.ext.i = zext i32 %26 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %27, 0
  br i1 %.not.i, label %28, label %.noexc21
28:
  %29 = load ptr, ptr %4, align 8
  invoke void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %23, ptr noundef %29, i32 noundef %14)
          to label %.noexc21 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
.noexc21:
  %30 = invoke i32 @cudaDeviceSynchronize()
          to label %35 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit24
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %indvars36 = trunc i64 %indvars.iv to i32
  %31 = xor i32 %indvars36, -1
  %32 = add i32 %14, %31
  %33 = sdiv i32 %32, 2
  %34 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %33, ptr %34, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
35:
  %36 = icmp ne i32 %30, 0
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  %37 = zext i1 %36 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit24:
  %38 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  resume { ptr, i32 } %38
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %.017.shrunk = phi i32 [ 1, %6 ], [ %37, %35 ]
  ret i32 %.017.shrunk
}
; Function Attrs: uwtable
define dso_local i32 @round_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread43
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %11
11:
  %12 = zext i32 %9 to i64
  br label %.thread43
.thread43:
  %13 = phi i64 [ %12, %11 ], [ 1000, %2 ]
  %14 = phi i32 [ %9, %11 ], [ 1000, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = icmp eq i64 %13, 1
  br i1 %17, label %_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i:
  %18 = getelementptr i32, ptr %16, i64 1
  %19 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  br label %_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit
_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit:
  %20 = icmp sgt i32 %0, 2
  br i1 %20, label %21, label %.lr.ph.preheader
21:
  %22 = getelementptr inbounds ptr, ptr %1, i64 2
  %23 = load ptr, ptr %22, align 8
  %24 = tail call i32 @atoi(ptr nocapture noundef %23)
  %.fr = freeze i32 %24
  %25 = icmp slt i32 %.fr, 0
  %26 = tail call i32 @llvm.smax.i32(i32 %.fr, i32 0)
  %27 = icmp ugt i32 %26, 1000
  br i1 %25, label %28, label %29
28:
  br i1 %27, label %30, label %.lr.ph.preheader
29:
  br i1 %27, label %30, label %.lr.ph.preheader
30:
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %31 = phi i32 [ 1000, %30 ], [ %.fr, %29 ], [ 0, %28 ], [ 7, %_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit ]
  %wide.trip.count = zext i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %32 = shl nuw nsw i64 %13, 2
  %33 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %32)
  %34 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %35 = load ptr, ptr %3, align 8
  %36 = invoke i32 @cudaMemcpy(ptr noundef %35, ptr noundef nonnull %16, i64 noundef %32, i32 noundef 1)
          to label %.noexc25 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc25:
  %37 = add nsw i32 %14, 127
  %38 = lshr i32 %37, 7
  %.sroa.06.0.insert.ext.i = zext i32 %38 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %39 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %39, 0
  br i1 %.not.i, label %40, label %.noexc26
40:
  %41 = load ptr, ptr %4, align 8
  invoke void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %35, ptr noundef %41, i32 noundef %14)
          to label %.noexc26 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.noexc26:
  %42 = invoke i32 @cudaDeviceSynchronize()
          to label %47 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit29
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %43 = trunc i64 %indvars.iv to i32
  %44 = add nsw i32 %31, %43
  %45 = srem i32 %44, %14
  %46 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %45, ptr %46, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
47:
  %48 = icmp ne i32 %42, 0
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  %49 = zext i1 %48 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit29:
  %50 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  resume { ptr, i32 } %50
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %.018.shrunk = phi i32 [ 1, %6 ], [ %49, %47 ]
  ret i32 %.018.shrunk
}
; Function Attrs: uwtable
define dso_local i32 @round_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread44
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %11
11:
  %12 = zext i32 %9 to i64
  br label %.thread44
.thread44:
  %13 = phi i64 [ %12, %11 ], [ 1000, %2 ]
  %14 = phi i32 [ %9, %11 ], [ 1000, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = icmp eq i64 %13, 1
  br i1 %17, label %_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i:
  %18 = getelementptr i32, ptr %16, i64 1
  %19 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  br label %_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit
_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit:
  %20 = icmp sgt i32 %0, 2
  br i1 %20, label %21, label %.lr.ph
21:
  %22 = getelementptr inbounds ptr, ptr %1, i64 2
  %23 = load ptr, ptr %22, align 8
  %24 = tail call i32 @atoi(ptr nocapture noundef %23)
  %.fr = freeze i32 %24
  %25 = icmp slt i32 %.fr, 0
  %26 = tail call i32 @llvm.smax.i32(i32 %.fr, i32 0)
  %27 = icmp ugt i32 %26, 1000
  br i1 %25, label %28, label %29
28:
  br i1 %27, label %30, label %.lr.ph
29:
  br i1 %27, label %30, label %.lr.ph
30:
  br label %.lr.ph
.lr.ph:
  %31 = phi i32 [ 1000, %30 ], [ %.fr, %29 ], [ 0, %28 ], [ 7, %_ZNSt6vectorIiSaIiEEC2EmRKS0_.exit ]
  %32 = lshr i32 %14, 2
  %33 = sub nsw i32 %14, %32
  %wide.trip.count = zext i32 %14 to i64
  br label %45
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %34 = shl nuw nsw i64 %13, 2
  %35 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %34)
  %36 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %37 = load ptr, ptr %3, align 8
  %38 = invoke i32 @cudaMemcpy(ptr noundef %37, ptr noundef nonnull %16, i64 noundef %34, i32 noundef 1)
          to label %.noexc26 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit30
.noexc26:
  %39 = add nsw i32 %14, 127
  %40 = lshr i32 %39, 7
  %.sroa.06.0.insert.ext.i = zext i32 %40 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %41 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %41, 0
  br i1 %.not.i, label %42, label %.noexc27
42:
  %43 = load ptr, ptr %4, align 8
  invoke void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %37, ptr noundef %43, i32 noundef %14)
          to label %.noexc27 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit30
.noexc27:
  %44 = invoke i32 @cudaDeviceSynchronize()
          to label %50 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit30
45:
  %indvars.iv = phi i64 [ 0, %.lr.ph ], [ %indvars.iv.next, %45 ]
  %46 = trunc i64 %indvars.iv to i32
  %47 = add nsw i32 %31, %46
  %48 = srem i32 %47, %33
  %49 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %48, ptr %49, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %45
50:
  %51 = icmp ne i32 %44, 0
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  %52 = zext i1 %51 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit30:
  %53 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  resume { ptr, i32 } %53
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %.019.shrunk = phi i32 [ 1, %6 ], [ %52, %50 ]
  ret i32 %.019.shrunk
}
; Function Attrs: uwtable
define dso_local i32 @neighbours_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread32
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %11
11:
  %12 = zext i32 %9 to i64
  br label %.thread32
.thread32:
  %13 = phi i64 [ %12, %11 ], [ 1000, %2 ]
  %14 = phi i32 [ %9, %11 ], [ 1000, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = icmp eq i64 %13, 1
  br i1 %17, label %.lr.ph.preheader, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i:
  %18 = getelementptr i32, ptr %16, i64 1
  %19 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %wide.trip.count = zext i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = shl nuw nsw i64 %13, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %23 = load ptr, ptr %3, align 8
  %24 = invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %16, i64 noundef %20, i32 noundef 1)
          to label %.noexc19 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
.noexc19:
  %25 = add nsw i32 %14, 127
  %26 = lshr i32 %25, 7
  %.sroa.06.0.insert.ext.i = zext i32 %26 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %27, 0
  br i1 %.not.i, label %28, label %.noexc20
28:
  %29 = load ptr, ptr %4, align 8
  invoke void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %23, ptr noundef %29, i32 noundef %14)
          to label %.noexc20 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
.noexc20:
  %30 = invoke i32 @cudaDeviceSynchronize()
          to label %34 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %31 = trunc i64 %indvars.iv to i32
  %32 = xor i32 %31, 1
  %33 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %32, ptr %33, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
34:
  %35 = icmp ne i32 %30, 0
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  %36 = zext i1 %35 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit23:
  %37 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  resume { ptr, i32 } %37
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %.016.shrunk = phi i32 [ 1, %6 ], [ %36, %34 ]
  ret i32 %.016.shrunk
}
; Function Attrs: uwtable
define dso_local i32 @neighbours_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr personality ptr @__gxx_personality_v0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.thread32
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %_ZNSt6vectorIiSaIiEED2Ev.exit, label %11
11:
  %12 = zext i32 %9 to i64
  br label %.thread32
.thread32:
  %13 = phi i64 [ %12, %11 ], [ 1000, %2 ]
  %14 = phi i32 [ %9, %11 ], [ 1000, %2 ]
  %15 = shl nuw nsw i64 %13, 2
  %16 = tail call noalias noundef nonnull ptr @_Znwm(i64 noundef %15)
  store i32 0, ptr %16, align 4
  %17 = icmp eq i64 %13, 1
  br i1 %17, label %.lr.ph.preheader, label %_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i
_ZSt6fill_nIPimiET_S1_T0_RKT1_.exit.loopexit.i.i.i.i.i:
  %18 = getelementptr i32, ptr %16, i64 1
  %19 = add nsw i64 %15, -4
  tail call void @llvm.memset.p0.i64(ptr align 4 %18, i8 0, i64 %19, i1 false)
  br label %.lr.ph.preheader
.lr.ph.preheader:
  %wide.trip.count = zext i32 %14 to i64
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %20 = shl nuw nsw i64 %13, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %23 = load ptr, ptr %3, align 8
  %24 = invoke i32 @cudaMemcpy(ptr noundef %23, ptr noundef nonnull %16, i64 noundef %20, i32 noundef 1)
          to label %.noexc19 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
.noexc19:
  %25 = add nsw i32 %14, 127
  %26 = lshr i32 %25, 7
  %.sroa.06.0.insert.ext.i = zext i32 %26 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %27, 0
  br i1 %.not.i, label %28, label %.noexc20
28:
  %29 = load ptr, ptr %4, align 8
  invoke void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %23, ptr noundef %29, i32 noundef %14)
          to label %.noexc20 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
.noexc20:
  %30 = invoke i32 @cudaDeviceSynchronize()
          to label %34 unwind label %_ZNSt6vectorIiSaIiEED2Ev.exit23
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %31 = trunc i64 %indvars.iv to i32
  %32 = or i32 %31, 1
  %33 = getelementptr inbounds i32, ptr %16, i64 %indvars.iv
  store i32 %32, ptr %33, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %wide.trip.count
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
34:
  %35 = icmp ne i32 %30, 0
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  %36 = zext i1 %35 to i32
  br label %_ZNSt6vectorIiSaIiEED2Ev.exit
_ZNSt6vectorIiSaIiEED2Ev.exit23:
  %37 = landingpad { ptr, i32 }
          cleanup
  tail call void @_ZdlPv(ptr noundef nonnull %16)
  resume { ptr, i32 } %37
_ZNSt6vectorIiSaIiEED2Ev.exit:
  %.016.shrunk = phi i32 [ 1, %6 ], [ %36, %34 ]
  ret i32 %.016.shrunk
}
; Function Attrs: uwtable
define dso_local i32 @thirds_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %31, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = zext i32 %11 to i64
  %13 = shl nuw nsw i64 %12, 2
  %14 = tail call noalias ptr @malloc(i64 noundef %13)
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %13)
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %17 = load ptr, ptr %3, align 8
  %18 = tail call i32 @cudaMemcpy(ptr noundef %17, ptr noundef nonnull %14, i64 noundef %13, i32 noundef 1)
  %19 = add nsw i32 %11, 127
  %20 = lshr i32 %19, 7
  %.sroa.06.0.insert.ext.i = zext i32 %20 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %21, 0
  br i1 %.not.i, label %22, label %_ZL9scatteredPKii.exit
22:
  %23 = load ptr, ptr %4, align 8
  tail call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %17, ptr noundef %23, i32 noundef %11)
  br label %_ZL9scatteredPKii.exit
_ZL9scatteredPKii.exit:
  %24 = tail call i32 @cudaDeviceSynchronize()
  %25 = icmp ne i32 %24, 0
  %26 = zext i1 %25 to i32
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @free(ptr noundef nonnull %14)
  br label %31
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %27 = trunc i64 %indvars.iv to i32
  %28 = mul nsw i32 %27, 3
  %29 = add nuw nsw i32 %28, 1
  %30 = getelementptr inbounds i32, ptr %14, i64 %indvars.iv
  store i32 %29, ptr %30, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
31:
  %.0 = phi i32 [ %26, %_ZL9scatteredPKii.exit ], [ 1, %6 ]
  ret i32 %.0
}
; Function Attrs: mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite)
declare noalias noundef ptr @malloc(i64 noundef) local_unnamed_addr
; Function Attrs: mustprogress nounwind willreturn allockind("free") memory(argmem: readwrite, inaccessiblemem: readwrite)
declare void @free(ptr allocptr nocapture noundef) local_unnamed_addr
; Function Attrs: uwtable
define dso_local i32 @thirds_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = icmp sgt i32 %0, 1
  br i1 %5, label %6, label %.lr.ph.preheader
6:
  %7 = getelementptr inbounds ptr, ptr %1, i64 1
  %8 = load ptr, ptr %7, align 8
  %9 = tail call i32 @atoi(ptr nocapture noundef %8)
  %10 = add i32 %9, -20001
  %or.cond = icmp ult i32 %10, -20000
  br i1 %or.cond, label %31, label %.lr.ph.preheader
.lr.ph.preheader:
  %11 = phi i32 [ %9, %6 ], [ 1000, %2 ]
  %12 = zext i32 %11 to i64
  %13 = shl nuw nsw i64 %12, 2
  %14 = tail call noalias ptr @malloc(i64 noundef %13)
  br label %.lr.ph
._crit_edge:
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %3)
  call void @llvm.lifetime.start.p0(i64 8, ptr nonnull %4)
  %15 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %13)
  %16 = call i32 @cudaMalloc(ptr noundef nonnull %4, i64 noundef 16777216)
  %17 = load ptr, ptr %3, align 8
  %18 = tail call i32 @cudaMemcpy(ptr noundef %17, ptr noundef nonnull %14, i64 noundef %13, i32 noundef 1)
  %19 = add nsw i32 %11, 127
  %20 = lshr i32 %19, 7
  %.sroa.06.0.insert.ext.i = zext i32 %20 to i64
  %.sroa.06.0.insert.insert.i = or i64 %.sroa.06.0.insert.ext.i, 4294967296
  %21 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.06.0.insert.insert.i, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not.i = icmp eq i32 %21, 0
  br i1 %.not.i, label %22, label %_ZL9scatteredPKii.exit
22:
  %23 = load ptr, ptr %4, align 8
  tail call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %17, ptr noundef %23, i32 noundef %11)
  br label %_ZL9scatteredPKii.exit
_ZL9scatteredPKii.exit:
  %24 = tail call i32 @cudaDeviceSynchronize()
  %25 = icmp ne i32 %24, 0
  %26 = zext i1 %25 to i32
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %4)
  call void @llvm.lifetime.end.p0(i64 8, ptr nonnull %3)
  tail call void @free(ptr noundef nonnull %14)
  br label %31
.lr.ph:
  %indvars.iv = phi i64 [ 0, %.lr.ph.preheader ], [ %indvars.iv.next, %.lr.ph ]
  %27 = trunc i64 %indvars.iv to i32
  %28 = mul nsw i32 %27, 3
  %29 = lshr i32 %28, 2
  %30 = getelementptr inbounds i32, ptr %14, i64 %indvars.iv
  store i32 %29, ptr %30, align 4
  %indvars.iv.next = add nuw nsw i64 %indvars.iv, 1
  %exitcond.not = icmp eq i64 %indvars.iv.next, %12
  br i1 %exitcond.not, label %._crit_edge, label %.lr.ph
31:
  %.0 = phi i32 [ %26, %_ZL9scatteredPKii.exit ], [ 1, %6 ]
  ret i32 %.0
}
; Function Attrs: uwtable
define dso_local i32 @indexed_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [2 x ptr], align 16
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.not30 = icmp eq i32 %0, 2
  br i1 %.not30, label %.thread, label %9
9:
  %10 = getelementptr inbounds ptr, ptr %1, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  br label %.thread
.thread:
  %13 = phi i32 [ %8, %9 ], [ %8, %5 ], [ 1000, %2 ]
  %14 = phi i32 [ %12, %9 ], [ 4, %5 ], [ 4, %2 ]
  %15 = add i32 %13, -100001
  %or.cond = icmp ult i32 %15, -99998
  %16 = icmp slt i32 %14, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %16
  %17 = icmp sgt i32 %14, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %17
  br i1 %or.cond5, label %39, label %18
18:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %19 = zext i32 %13 to i64
  %20 = shl nuw nsw i64 %19, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 1
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %22, i64 noundef %20)
  %.not32 = icmp eq i32 %14, 0
  br i1 %.not32, label %._crit_edge, label %.lr.ph
.lr.ph:
  %24 = add nuw nsw i32 %13, 127
  %25 = lshr i32 %24, 7
  %.sroa.027.0.insert.ext = zext i32 %25 to i64
  %.sroa.027.0.insert.insert = or i64 %.sroa.027.0.insert.ext, 4294967296
  br label %26
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %39
26:
  %.02431 = phi i32 [ 0, %.lr.ph ], [ %38, %37 ]
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.027.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %37
28:
  %29 = and i32 %.02431, 1
  %30 = xor i32 %29, 1
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %31
  %33 = load ptr, ptr %32, align 8
  %34 = zext i32 %29 to i64
  %35 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %34
  %36 = load ptr, ptr %35, align 8
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %33, ptr noundef %36, i32 noundef %13)
  br label %37
37:
  %38 = add nuw nsw i32 %.02431, 1
  %exitcond.not = icmp eq i32 %38, %14
  br i1 %exitcond.not, label %._crit_edge, label %26
39:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
; Function Attrs: nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
declare i32 @__cudaPushCallConfiguration(i64, i32, i64, i32, i64 noundef, ptr nocapture noundef) local_unnamed_addr
; Function Attrs: mustprogress uwtable
define hidden void @step(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
; Function Attrs: uwtable
define dso_local i32 @indexed_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [2 x ptr], align 16
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.not30 = icmp eq i32 %0, 2
  br i1 %.not30, label %.thread, label %9
9:
  %10 = getelementptr inbounds ptr, ptr %1, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  br label %.thread
.thread:
  %13 = phi i32 [ %8, %9 ], [ %8, %5 ], [ 1000, %2 ]
  %14 = phi i32 [ %12, %9 ], [ 4, %5 ], [ 4, %2 ]
  %15 = add i32 %13, -100001
  %or.cond = icmp ult i32 %15, -99998
  %16 = icmp slt i32 %14, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %16
  %17 = icmp sgt i32 %14, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %17
  br i1 %or.cond5, label %41, label %18
18:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %19 = zext i32 %13 to i64
  %20 = shl nuw nsw i64 %19, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 1
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %22, i64 noundef %20)
  %.not32 = icmp eq i32 %14, 0
  br i1 %.not32, label %._crit_edge, label %.lr.ph
.lr.ph:
  %24 = add nuw nsw i32 %13, 127
  %25 = lshr i32 %24, 7
  %.sroa.027.0.insert.ext = zext i32 %25 to i64
  %.sroa.027.0.insert.insert = or i64 %.sroa.027.0.insert.ext, 4294967296
  br label %26
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %41
26:
  %.02431 = phi i32 [ 0, %.lr.ph ], [ %40, %39 ]
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.027.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %39
28:
  %29 = and i32 %.02431, 1
  %30 = xor i32 %29, 1
  %31 = zext i32 %30 to i64
  %32 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %31
  %33 = load ptr, ptr %32, align 8
  %34 = lshr i32 %.02431, 1
  %35 = and i32 %34, 1
  %36 = zext i32 %35 to i64
  %37 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %36
  %38 = load ptr, ptr %37, align 8
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %33, ptr noundef %38, i32 noundef %13)
  br label %39
39:
  %40 = add nuw nsw i32 %.02431, 1
  %exitcond.not = icmp eq i32 %40, %14
  br i1 %exitcond.not, label %._crit_edge, label %26
41:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
; Function Attrs: uwtable
define dso_local i32 @current_clean(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [2 x ptr], align 16
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.not32 = icmp eq i32 %0, 2
  br i1 %.not32, label %.thread, label %9
9:
  %10 = getelementptr inbounds ptr, ptr %1, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  br label %.thread
.thread:
  %13 = phi i32 [ %8, %9 ], [ %8, %5 ], [ 1000, %2 ]
  %14 = phi i32 [ %12, %9 ], [ 4, %5 ], [ 4, %2 ]
  %15 = add i32 %13, -100001
  %or.cond = icmp ult i32 %15, -99998
  %16 = icmp slt i32 %14, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %16
  %17 = icmp sgt i32 %14, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %17
  br i1 %or.cond5, label %38, label %18
18:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %19 = zext i32 %13 to i64
  %20 = shl nuw nsw i64 %19, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 1
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %22, i64 noundef %20)
  %.not36 = icmp eq i32 %14, 0
  br i1 %.not36, label %._crit_edge, label %.lr.ph
.lr.ph:
  %24 = add nuw nsw i32 %13, 127
  %25 = lshr i32 %24, 7
  %.sroa.029.0.insert.ext = zext i32 %25 to i64
  %.sroa.029.0.insert.insert = or i64 %.sroa.029.0.insert.ext, 4294967296
  br label %26
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %38
26:
  %.02534 = phi i32 [ 0, %.lr.ph ], [ %.pre-phi, %36 ]
  %.02633 = phi i32 [ 0, %.lr.ph ], [ %37, %36 ]
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.029.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %._crit_edge35
._crit_edge35:
  %.pre = xor i32 %.02534, 1
  br label %36
28:
  %29 = xor i32 %.02534, 1
  %30 = zext i32 %29 to i64
  %31 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %30
  %32 = load ptr, ptr %31, align 8
  %33 = zext i32 %.02534 to i64
  %34 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %33
  %35 = load ptr, ptr %34, align 8
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %32, ptr noundef %35, i32 noundef %13)
  br label %36
36:
  %.pre-phi = phi i32 [ %.pre, %._crit_edge35 ], [ %29, %28 ]
  %37 = add nuw nsw i32 %.02633, 1
  %exitcond.not = icmp eq i32 %37, %14
  br i1 %exitcond.not, label %._crit_edge, label %26
38:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
; Function Attrs: uwtable
define dso_local i32 @current_race(i32 noundef %0, ptr nocapture noundef readonly %1) local_unnamed_addr {
  %3 = alloca [2 x ptr], align 16
  %4 = icmp sgt i32 %0, 1
  br i1 %4, label %5, label %.thread
5:
  %6 = getelementptr inbounds ptr, ptr %1, i64 1
  %7 = load ptr, ptr %6, align 8
  %8 = tail call i32 @atoi(ptr nocapture noundef %7)
  %.not34 = icmp eq i32 %0, 2
  br i1 %.not34, label %.thread, label %9
9:
  %10 = getelementptr inbounds ptr, ptr %1, i64 2
  %11 = load ptr, ptr %10, align 8
  %12 = tail call i32 @atoi(ptr nocapture noundef %11)
  br label %.thread
.thread:
  %13 = phi i32 [ %8, %9 ], [ %8, %5 ], [ 1000, %2 ]
  %14 = phi i32 [ %12, %9 ], [ 4, %5 ], [ 4, %2 ]
  %15 = add i32 %13, -100001
  %or.cond = icmp ult i32 %15, -99998
  %16 = icmp slt i32 %14, 0
  %or.cond3 = select i1 %or.cond, i1 true, i1 %16
  %17 = icmp sgt i32 %14, 50
  %or.cond5 = select i1 %or.cond3, i1 true, i1 %17
  br i1 %or.cond5, label %41, label %18
18:
  call void @llvm.lifetime.start.p0(i64 16, ptr nonnull %3)
  %19 = zext i32 %13 to i64
  %20 = shl nuw nsw i64 %19, 2
  %21 = call i32 @cudaMalloc(ptr noundef nonnull %3, i64 noundef %20)
  %22 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 1
  %23 = call i32 @cudaMalloc(ptr noundef nonnull %22, i64 noundef %20)
  %.not37 = icmp eq i32 %14, 0
  br i1 %.not37, label %._crit_edge, label %.lr.ph
.lr.ph:
  %24 = add nuw nsw i32 %13, 127
  %25 = lshr i32 %24, 7
  %.sroa.031.0.insert.ext = zext i32 %25 to i64
  %.sroa.031.0.insert.insert = or i64 %.sroa.031.0.insert.ext, 4294967296
  br label %26
._crit_edge:
  call void @llvm.lifetime.end.p0(i64 16, ptr nonnull %3)
  br label %41
26:
  %.02736 = phi i32 [ 0, %.lr.ph ], [ %39, %38 ]
  %.02835 = phi i32 [ 0, %.lr.ph ], [ %40, %38 ]
  %27 = tail call i32 @__cudaPushCallConfiguration(i64 %.sroa.031.0.insert.insert, i32 1, i64 4294967424, i32 1, i64 noundef 0, ptr noundef null)
  %.not = icmp eq i32 %27, 0
  br i1 %.not, label %28, label %38
28:
  %29 = icmp ne i32 %.02835, 3
  %30 = zext i1 %29 to i32
  %31 = xor i32 %.02736, %30
  %32 = zext i32 %31 to i64
  %33 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %32
  %34 = load ptr, ptr %33, align 8
  %35 = zext i32 %.02736 to i64
  %36 = getelementptr inbounds [2 x ptr], ptr %3, i64 0, i64 %35
  %37 = load ptr, ptr %36, align 8
  tail call void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef %34, ptr noundef %37, i32 noundef %13)
  br label %38
38:
  %39 = xor i32 %.02736, 1
  %40 = add nuw nsw i32 %.02835, 1
  %exitcond.not = icmp eq i32 %40, %14
  br i1 %exitcond.not, label %._crit_edge, label %26
41:
  %.0 = phi i32 [ 0, %._crit_edge ], [ 1, %.thread ]
  ret i32 %.0
}
; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(none) uwtable
declare void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
; Function Attrs: mustprogress uwtable
define hidden void @scatter(ptr noundef %0, ptr noundef %1, i32 noundef %2) {
  tail call void @_Z30__device_stub__Z7scatterPKiPiiPKiPii(ptr noundef %0, ptr noundef %1, i32 noundef %2)
  ret void
}
declare void @_Z27__device_stub__Z4stepPiPKiiPiPKii(ptr noundef, ptr noundef, i32 noundef) local_unnamed_addr
; Function Attrs: mustprogress uwtable
define internal void @_ZL24__sti____cudaRegisterAllv() {
  %1 = tail call ptr @__cudaRegisterFatBinary(ptr noundef nonnull @_ZL15__fatDeviceText)
  store ptr %1, ptr @_ZL20__cudaFatCubinHandle, align 8
  store ptr %1, ptr @_ZZL31__nv_cudaEntityRegisterCallbackPPvE5__ref, align 8
  store ptr %1, ptr @_ZL32__nv_fatbinhandle_for_managed_rt, align 8
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @step, ptr noundef nonnull @.str, ptr noundef nonnull @.str, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  tail call void @__cudaRegisterFunction(ptr noundef %1, ptr noundef nonnull @scatter, ptr noundef nonnull @.str.1, ptr noundef nonnull @.str.1, i32 noundef -1, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null, ptr noundef null)
  %2 = load ptr, ptr @_ZL20__cudaFatCubinHandle, align 8
  tail call void @__cudaRegisterFatBinaryEnd(ptr noundef %2)
  %3 = tail call i32 @atexit(ptr noundef nonnull @_ZL26__cudaUnregisterBinaryUtilv)
  ret void
}
declare ptr @__cudaRegisterFatBinary(ptr noundef) local_unnamed_addr
declare void @__cudaRegisterFatBinaryEnd(ptr noundef) local_unnamed_addr
; Function Attrs: nounwind
declare i32 @atexit(ptr noundef) local_unnamed_addr
; Function Attrs: mustprogress uwtable
define internal void @_ZL26__cudaUnregisterBinaryUtilv() {
  %1 = load ptr, ptr @_ZL20__cudaFatCubinHandle, align 8
  tail call void @__cudaUnregisterFatBinary(ptr noundef %1)
  ret void
}
declare i32 @cudaMemcpy(ptr noundef, ptr noundef, i64 noundef, i32 noundef) local_unnamed_addr
declare i32 @cudaDeviceSynchronize() local_unnamed_addr
declare void @__cudaRegisterFunction(ptr noundef, ptr noundef, ptr noundef, ptr noundef, i32 noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef, ptr noundef) local_unnamed_addr
declare void @__cudaUnregisterFatBinary(ptr noundef) local_unnamed_addr
; Function Attrs: nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
declare i32 @cudaMalloc(ptr nocapture noundef, i64 noundef) local_unnamed_addr
; Function Attrs: nobuiltin allocsize(0)
declare noundef nonnull ptr @_Znwm(i64 noundef) local_unnamed_addr
; Function Attrs: nobuiltin nounwind
declare void @_ZdlPv(ptr noundef) local_unnamed_addr
; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr nocapture writeonly, i8, i64, i1 immarg)
; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.smax.i32(i32, i32)
