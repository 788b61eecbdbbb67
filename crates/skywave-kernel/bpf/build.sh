#!/bin/sh
# Compiles the program for the kernel: sh build.sh OUTPUT. law.bpf.o is what clang 14 makes of it; another clang makes other
# bytes.
set -eu
cd "$(dirname "$0")"
case "$1" in /*) out=$1 ;; *) out=$OLDPWD/$1 ;; esac
${CLANG:-clang-14} -O2 -g -target bpf -mcpu=v3 -Wall -Werror -fdebug-compilation-dir=. -c law.bpf.c -o "$out"
${LLVM_STRIP:-llvm-strip} -g "$out"
