#!/bin/sh
# Builds the samples that need only the CUDA runtime, for `cargo xtask corpus`.
#
# usage: tests/corpus/cuda-samples.sh CHECKOUT OUT       (NVCC in the environment, or in PATH)
#
# CHECKOUT is a clone of github.com/NVIDIA/cuda-samples. Binaries, one log each, and the file of
# arguments `corpus.args` go to OUT. Prints which samples were built and which were not.
set -eu
[ $# = 2 ] || { sed -n '2,7p' "$0" >&2; exit 64; }
checkout=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
nvcc=${NVCC:-nvcc}
sizes=$(dirname "$0")/cuda-samples.args

: > "$out/corpus.args"
for folder in "$checkout"/Samples/[0-6]_*/*/; do
    folder=${folder%/}
    name=${folder##*/}
    lists=$folder/CMakeLists.txt
    [ -f "$lists" ] || continue
    # Other libraries and windows.
    if grep -qE 'CUDA::(cublas|curand|cufft|cusparse|cusolver|npp|nvrtc|cuda_driver|nvjpeg)|OpenGL|GLUT|EGL|Vulkan|FreeImage|D3D' "$lists"; then
        continue
    fi
    case $name in simpleMPI | simpleD3D*) continue ;; esac
    more=
    case $name in
        simpleIPC) more=$checkout/Common/helper_multiprocess.cpp ;;
        cdp*) more=-rdc=true ;;
        cudaOpenMP) more='-Xcompiler -fopenmp -lgomp' ;;
    esac
    sources=$(find "$folder" -maxdepth 2 \( -name '*.cu' -o -name '*.cpp' -o -name '*.c' \))
    # shellcheck disable=SC2086
    if (cd "$folder" && $nvcc -std=c++17 -lineinfo -gencode arch=compute_90,code=compute_90 \
        --extended-lambda -I"$checkout/Common" -I. -Iinc $more $sources -o "$out/$name" -lpthread) \
        > "$out/$name.log" 2>&1; then
        echo "built $name"
    else
        echo "not built $name: $(grep -m1 -E 'error|fatal' "$out/$name.log")"
        continue
    fi
    # Data files lie beside the source; sizes and expected output are in the list beside this script.
    known=$(sed -n "s/^$name\( \|$\)//p" "$sizes" | head -1)
    printf '%s\n' "$name '@dir=$folder' $known" >> "$out/corpus.args"
done
