# NewReno over a chain of 802.11b stations with AODV, as crates/skywave-sim/examples/wireless.rs has it:
#   ns chain.tcl HOPS SECONDS RTS SEED
# RTS 1 sends RTS and CTS before every unicast frame. Prints a line of JSON.

source [file join [file dirname [info script]] memory.tcl]
lassign $argv hops seconds rts seed

Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ [expr {$rts ? 0 : 3000}]
Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 44

set ns [new Simulator]
global defaultRNG
$defaultRNG seed $seed
# ns-2 wants a trace of wireless runs; nothing is written into it.
$ns trace-all [open /dev/null w]

set topography [new Topography]
$topography load_flatgrid [expr {200 * $hops + 100}] 500
create-god [expr {$hops + 1}]
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 \
    -ifqType Queue/DropTail/PriQueue -ifqLen 170 -antType Antenna/OmniAntenna \
    -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topography \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
for {set i 0} {$i <= $hops} {incr i} {
    set station($i) [$ns node]
    $station($i) random-motion 0
    $station($i) set X_ [expr {10 + 200.0 * $i}]
    $station($i) set Y_ 100.0
    $station($i) set Z_ 0.0
}

set tcp [new Agent/TCP/Newreno]
set sink [new Agent/TCPSink]
$ns attach-agent $station(0) $tcp
$ns attach-agent $station($hops) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0.5 "$ftp start"

proc finish {} {
    global tcp seconds
    set packets [expr {[$tcp set ack_] + 1}]
    set goodput [expr {$packets * 1460 * 8 / ($seconds - 0.5)}]
    puts "{\"packets\":$packets,\"goodput_bps\":$goodput,\"peak_kib\":[peak_kib]}"
    exit 0
}
$ns at $seconds finish
$ns run
