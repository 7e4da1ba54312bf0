#!/bin/sh
# Builds programs of three public suites at sizes for a CPU, for `cargo xtask corpus` and `bench prove --runs`.
#
# usage: tests/corpus/suites.sh CHECKOUTS OUT       (NVCC in the environment, or in PATH)
#
# CHECKOUTS has clones of github.com/cavazos-lab/PolyBench-ACC, yuhc/gpu-rodinia and vetter/shoc under these
# names, as far as they are wanted. Binaries go to OUT/polybench, OUT/rodinia and OUT/shoc, made-up inputs to
# OUT/data, the arguments to OUT/corpus.args. Prints which programs were built and which were not.
set -eu
[ $# = 2 ] || { sed -n '2,8p' "$0" >&2; exit 64; }
checkouts=$(cd "$1" && pwd)
mkdir -p "$2/data" "$2/log"
out=$(cd "$2" && pwd)
# CUDA 13 has other names for two functions of old, and lacks fields of devices' properties.
flags="-O2 -lineinfo -w -gencode arch=compute_90,code=compute_90 -DcudaThreadSynchronize=cudaDeviceSynchronize \
    -DcudaThreadExit=cudaDeviceReset -DclockRate=warpSize -DmemoryClockRate=warpSize -DdeviceOverlap=warpSize"
nvcc="${NVCC:-nvcc} $flags"
: > "$out/corpus.args"

# built SUITE/NAME FOLDER ARGS -- NVCC'S WORDS: compiles in the folder and writes the line of arguments.
built() {
    name=$1 folder=$2
    shift 2
    line=
    while [ "$1" != -- ]; do line="$line $1"; shift; done
    shift
    mkdir -p "$out/${name%/*}"
    if (cd "$checkouts/$folder" && $nvcc "$@" -o "$out/$name") > "$out/log/${name##*/}" 2>&1; then
        echo "built $name"
        echo "$name$line" >> "$out/corpus.args"
    else
        echo "not built $name: $(grep -m1 -E 'error|fatal|No such' "$out/log/${name##*/}")"
    fi
}

# numbers N LOW HIGH: N random numbers, one a line.
numbers() {
    awk -v n="$1" -v low="$2" -v high="$3" \
        'BEGIN { srand(1); for (i = 0; i < n; i++) printf "%f\n", low + (high - low) * rand() }'
}

if [ -d "$checkouts/PolyBench-ACC" ]; then
    for source in "$checkouts"/PolyBench-ACC/CUDA/*/*.cu "$checkouts"/PolyBench-ACC/CUDA/*/*/*.cu \
        "$checkouts"/PolyBench-ACC/CUDA/*/*/*/*.cu; do
        [ -f "$source" ] || continue
        name=$(basename "$source" .cu)
        folder=$(dirname "${source#"$checkouts"/}")
        built "polybench/$name" "$folder" -- -DMINI_DATASET -I"$checkouts/PolyBench-ACC/CUDA/utilities" \
            -I"$checkouts/PolyBench-ACC/common" "$name.cu"
    done
fi

if [ -d "$checkouts/gpu-rodinia" ]; then
    cuda=gpu-rodinia/cuda
    numbers 16384 310 340 > "$out/data/temperatures"
    numbers 16384 0 0.01 > "$out/data/powers"
    # Bytes of 192 x 192 pixels.
    numbers 16384 0 255 | head -c 110592 > "$out/data/image"
    # Rows of `first edges`, the source, the number of edges, rows of `target cost`.
    awk 'BEGIN { srand(2); n = 2048; d = 4; print n; for (i = 0; i < n; i++) print i * d, d; print ""; print 0; print ""
        print n * d; for (i = 0; i < n * d; i++) print int(n * rand()), 1 }' > "$out/data/graph"
    # Records of 49 characters: latitude and longitude behind 28 others.
    awk 'BEGIN { srand(3); for (i = 0; i < 4096; i++) printf "%-27s %5.1f %5.1f %8s\n", "1965  7 12 18 15 ALBERTO", \
        60 * rand(), 180 * rand(), "55  990" }' > "$out/data/storms"
    echo "$out/data/storms" > "$out/data/storms.list"
    built rodinia/backprop $cuda/backprop 4096 -- backprop.c facetrain.c imagenet.c backprop_cuda.cu
    built rodinia/bfs $cuda/bfs @dir=data graph -- bfs.cu
    built rodinia/gaussian $cuda/gaussian -s 64 -q -- gaussian.cu
    built rodinia/hotspot $cuda/hotspot @dir=data 128 2 4 temperatures powers /dev/null -- hotspot.cu
    built rodinia/hotspot3D $cuda/hotspot3D @dir=data 32 8 8 powers temperatures /dev/null -- 3D.cu
    built rodinia/lavaMD $cuda/lavaMD -boxes1d 2 -- -I. main.c kernel/kernel_gpu_cuda_wrapper.cu \
        util/num/num.c util/timer/timer.c util/device/device.cu
    built rodinia/lud $cuda/lud/cuda -s 128 -- -x cu -I../common lud.cu lud_kernel.cu ../common/common.c
    built rodinia/myocyte $cuda/myocyte 10 1 0 -- main.cu
    built rodinia/nn $cuda/nn @dir=data storms.list -r 5 -lat 30 -lng 90 -- nn_cuda.cu
    built rodinia/nw $cuda/nw 256 10 -- needle.cu
    built rodinia/particlefilter_naive $cuda/particlefilter -x 32 -y 32 -z 4 -np 500 -- ex_particle_CUDA_naive_seq.cu
    built rodinia/particlefilter_float $cuda/particlefilter -x 32 -y 32 -z 4 -np 500 -- ex_particle_CUDA_float_seq.cu
    built rodinia/pathfinder $cuda/pathfinder 4000 40 10 -- pathfinder.cu
    built rodinia/srad_v2 $cuda/srad/srad_v2 128 128 0 127 0 127 0.5 2 -- srad.cu
    built rodinia/streamcluster $cuda/streamcluster 10 20 16 512 512 100 none /dev/null 1 -- \
        streamcluster_cuda_cpu.cpp streamcluster_cuda.cu streamcluster_header.cu
    built rodinia/dwt2d $cuda/dwt2d @dir=data image -d 192x192 -f -5 -l 3 -- -I. main.cu dwt.cu \
        components.cu dwt_cuda/fdwt53.cu dwt_cuda/fdwt97.cu dwt_cuda/common.cu dwt_cuda/rdwt97.cu dwt_cuda/rdwt53.cu
    built rodinia/dwt2d_97 $cuda/dwt2d @dir=data image -d 192x192 -f -9 -l 3 -- -I. main.cu dwt.cu \
        components.cu dwt_cuda/fdwt53.cu dwt_cuda/fdwt97.cu dwt_cuda/common.cu dwt_cuda/rdwt97.cu dwt_cuda/rdwt53.cu
    built rodinia/huffman $cuda/huffman @dir=data powers -- main_test_cu.cu stats_logger.cpp vlc_kernel_sm64huff.cu \
        scan.cu pack_kernels.cu cpuencode.cpp
    built rodinia/hybridsort $cuda/hybridsort r -- bucketsort.cu mergesort.cu main.cu
    built rodinia/b+tree $cuda/b+tree -- -I. main.c kernel/kernel_gpu_cuda_wrapper.cu \
        kernel/kernel_gpu_cuda_wrapper_2.cu util/timer/timer.c util/num/num.c util/cuda/cuda.cu
fi

if [ -d "$checkouts/shoc" ]; then
    common=$checkouts/shoc/src
    # Its configure script writes one, of which only the timer is needed.
    echo "#define HAVE_GETTIMEOFDAY 1" > "$out/data/config.h"
    more="-I$out/data -I$common/common -I$common/cuda/common $common/cuda/common/main.cpp $common/common/CTimer.cpp
        $common/common/Option.cpp $common/common/OptionParser.cpp $common/common/ProgressBar.cpp
        $common/common/ResultDatabase.cpp $common/common/Timer.cpp $common/common/Graph.cpp
        $common/common/Matrix2D.cpp"
    # shellcheck disable=SC2086
    for program in bfs/BFS fft/FFT md/MD md5hash/MD5Hash reduction/Reduction scan/Scan sort/Sort spmv/Spmv \
        triad/Triad; do
        folder=shoc/src/cuda/level1/${program%/*}
        name=${program#*/}
        sizes="-s 1 --passes 1"
        case $name in
            Reduction | Scan | Spmv | MD) sizes="$sizes --iterations 1" ;;
        esac
        sources=$(cd "$checkouts/$folder" && ls | grep -E '\.(cu|cpp)$' | grep -v '^tp')
        built "shoc/$name" "$folder" $sizes -- -x cu $more $sources
    done
    # shellcheck disable=SC2086
    built shoc/S3D shoc/src/cuda/level2/s3d -s 1 --passes 1 -- -x cu $more S3D.cu
fi
