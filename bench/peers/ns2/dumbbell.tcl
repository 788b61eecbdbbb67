# The path of the speed benchmark in ns-2: the same hosts, links, queues, flows and start times as
# crates/skywave-sim/examples/throughput.rs. Prints one line of JSON.
#
#   ns dumbbell.tcl FLOWS SECONDS
source [file join [file dirname [info script]] memory.tcl]
set flows [lindex $argv 0]
set seconds [lindex $argv 1]

# What FLOWS of 24 flows' share of a total is, rounded up.
proc share {total} {
    global flows
    return [expr {max(1, ($total * $flows + 23) / 24)}]
}

proc wire {from to bits_per_s delay packets} {
    global ns
    $ns duplex-link $from $to $bits_per_s $delay DropTail
    $ns queue-limit $from $to $packets
    $ns queue-limit $to $from $packets
}

Agent/TCP set packetSize_ 1000
Agent/TCP set window_ 12

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
wire $left $right [share 10000000] 5ms [share 65]
set senders {}
for {set i 0} {$i < $flows} {incr i} {
    set source [$ns node]
    set sink [$ns node]
    wire $source $left 100Mb 5ms 62
    wire $right $sink 1Mb 20ms 50
    set tcp [new Agent/TCP/Sack1]
    $ns attach-agent $source $tcp
    set receiver [new Agent/TCPSink/Sack1]
    $ns attach-agent $sink $receiver
    $ns connect $tcp $receiver
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [expr {24.0 * $i / $flows}] "$ftp start"
    lappend senders $tcp
}

proc report {} {
    global flows seconds senders
    set packets 0
    foreach tcp $senders {
        incr packets [$tcp set ack_]
    }
    puts "{\"flows\":$flows,\"seconds\":$seconds,\"packets\":$packets,\"peak_kib\":[peak_kib]}"
    exit 0
}

$ns at $seconds "report"
$ns run
