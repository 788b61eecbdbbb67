#!/bin/sh
# Builds ns-2.35 with the agents of this folder, and prints the path of the program.
#
#   sh bench/peers/ns2/agents/build.sh [FOLDER]     # FOLDER/ns; default: target/ns2-agents
#
# NS2_SOURCE=FILE takes ns-2's source from FILE instead of the network. JOBS=N compiles N files at once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
folder=${1:-${CARGO_TARGET_DIR:-$root/target}/ns2-agents}

name=ns2_2.35+dfsg.orig.tar.xz
sum=a3a097194c87fedbf2a7d3c8520790dc8688874cad0373af2db0ed33e463d52e
pool=pool/main/n/ns2/ns2_2.35%2bdfsg.orig.tar.xz

fail() {
    printf 'ns2-agents: %s\n' "$1" >&2
    exit 1
}

genuine() { # genuine FILE: whether it is the source that we know
    [ -f "$1" ] && printf '%s  %s\n' "$sum" "$1" | sha256sum --check --status
}

# What the build needs.
packages="build-essential tcl-dev libotcl1-dev libtclcl1-dev tclcl"
missing() {
    fail "$1 is missing (Debian: apt-get install --no-install-recommends $packages)"
}
for tool in g++ make tclsh tcl2c++ xz sha256sum; do
    command -v $tool >/dev/null 2>&1 || missing $tool
done
for header in tcl8.6/tcl.h otcl.h tclcl/tclcl.h; do
    [ -f /usr/include/$header ] || missing /usr/include/$header
done

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$folder"

# The source: a given file, one of an earlier build, Debian's archive through apt, or its mirrors.
[ -z "${NS2_SOURCE:-}" ] || genuine "$NS2_SOURCE" ||
    fail "$NS2_SOURCE is not the file $name that this script knows"
[ -z "${NS2_SOURCE:-}" ] || cp "$NS2_SOURCE" $name
if ! genuine $name; then
    # apt knows the user's mirror. Its exit code counts Debian's own patches too, which we leave out.
    command -v apt-get >/dev/null 2>&1 &&
        apt-get source --download-only ns2 >apt.log 2>&1 || true
    for mirror in https://deb.debian.org/debian http://deb.debian.org/debian \
        https://snapshot.debian.org/archive/debian/20230101T000000Z; do
        genuine $name && break
        curl --fail --silent --show-error --location --output $name "$mirror/$pool" 2>>curl.log || true
    done
fi
genuine $name ||
    fail "the source $name cannot be had: get it from a Debian mirror and set NS2_SOURCE to its path"

[ -d ns-2.35 ] || tar -xf $name --no-same-owner
cd ns-2.35

# ns-2's own configure script asks for the private headers of an old Tcl: the few answers that its
# makefile waits for are given here.
cat >autoconf.h <<'H'
#define STDC_HEADERS 1
#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_ARPA_INET_H 1
#define HAVE_NETINET_IN_H 1
#define HAVE_BCOPY 1
#define HAVE_BZERO 1
#define HAVE_GETRUSAGE 1
#define HAVE_SNPRINTF 1
#define HAVE_STRTOLL 1
#define HAVE_SOCKLEN_T 1
#define RANDOM_RETURN_TYPE long
#define HAVE_STL 1
#ifdef __cplusplus
namespace std {}
using namespace std;
#endif
H
tclsh=$(command -v tclsh)
sed -e "s|@PERL@|$(command -v perl || echo "$tclsh")|g" -e "s|@V_TCLSH@|$tclsh|g" \
    tcl/lib/ns-autoconf.tcl.in >tcl/lib/ns-autoconf.tcl
# A generator of web traffic does not fit Debian's tclcl, which binds no 64-bit integers: left out.
sed -i '/packmime/d' tcl/lib/ns-lib.tcl

mkdir -p gen agents
# Sack1's class is declared in its own source file: a class derived from it needs the declaration.
sed -n '/^class Sack1TcpAgent/,/^};/p' tcp/tcp-sack1.cc >agents/sack1-class.h
[ -s agents/sack1-class.h ] || fail "tcp/tcp-sack1.cc declares no class Sack1TcpAgent"
objects=
for file in "$here"/*.cc; do
    base=$(basename "$file" .cc)
    cmp -s "$file" "agents/$base.cc" || cp "$file" "agents/$base.cc"
    objects="$objects agents/$base.o"
done

options="-std=gnu++98 -fpermissive -w -include string.h"
sed -e "s|@CC@|gcc|g" -e "s|@CXX@|g++ $options|g" -e "s|@V_CCOPT@|-O2 -w|g" \
    -e "s|@V_TCLSH@|tclsh|g" -e "s|@V_TCL2CPP@|tcl2c++|g" -e "s|@PERL@|perl|g" \
    -e "s|@V_INCLUDES@|-I/usr/include/tcl8.6 -I/usr/include/tclcl|g" \
    -e "s|@V_DEFINE@|-DUSE_INTERP_RESULT -DUSE_INTERP_ERRORLINE -DHAVE_LIBTCLCL|g" \
    -e "s|@CPP_NAMESPACE@|std|g" -e "s|@V_LIB@|-ltclcl -lotcl -ltcl8.6|g" \
    -e "s|@V_STLOBJ@|\$(OBJ_STL)|g" -e "s|@V_NS_TCL_LIB_STL@|\$(NS_TCL_LIB_STL)|g" \
    -e "s|@prefix@|/usr/local|g" -e "s|@[A-Za-z_0-9]*@||g" \
    -e "/packmime/d" -e "s|^OBJ_CC = |OBJ_CC =$objects |" Makefile.in >Makefile.new
cmp -s Makefile.new Makefile 2>/dev/null || mv Makefile.new Makefile

make -j"${JOBS:-2}" ns >make.log 2>&1 || {
    tail -n 20 make.log >&2
    fail "ns-2 did not build: the whole output is in $folder/ns-2.35/make.log"
}
cp ns "$folder/ns"
printf '%s\n' "$folder/ns"
