# One ns-2 run over a path of `skywave validate`; prints "name value" lines of what was measured.
#
#   ns path.tcl path cerl agent Reno rate 2Mb delay 80ms buffer 90 loss 0.01 duration 480 seed 271828183
#
# Settings not given keep the values below. ns-2's own defaults are left alone where -1 is shown.
array set o {
    path cerl       agent Reno      seed 271828183
    mss 1460        header 1        window -1       duration 480
    tick -1         minrto -1       initrto -1      iw -1       limited 1   delack 0
    rate 2Mb        delay 80ms      buffer 90       loss 0      at head
    lossgood 0      lossbad 0       tobad 0.3       togood 0.3
    cbr 0           second ""       jitter 0
    queue DropTail  flows 24        from 100        spread 0
    ecn 0           unit packets    min 5           max 15          maxp 0.1
    weight 0.002    gentle 1        wait 1          step 2
}
foreach {key value} $argv {
    if {![info exists o($key)]} { puts stderr "path.tcl: there is no setting $key"; exit 2 }
    set o($key) $value
}

# Small seeds of ns-2 give correlated streams: the caller hands over large ones.
ns-random $o(seed)
set ns [new Simulator]
set starts [new RNG]
$starts seed [expr {($o(seed) * 7919 + 104729) % 2147483647}]

proc between {a b rate delay limit {kind DropTail}} {
    global ns
    $ns duplex-link $a $b $rate $delay $kind
    $ns queue-limit $a $b $limit
    $ns queue-limit $b $a $limit
}

# A bulk transfer; returns its sending agent. Vegas forgets the header: `pkt` 40 bytes more add it.
proc bulk {a b agent start} {
    global ns o
    set size $o(mss)
    if {$agent eq "Vegas_pkt1500"} { set agent Vegas; incr size 40 }
    set linux [string match Linux/* $agent]
    # ns-2's Tahoe has no name of its own.
    set class [expr {$linux ? "/Linux" : $agent eq "Tahoe" ? "" : "/$agent"}]
    set tcp [new Agent/TCP$class]
    set sack [expr {$linux || $agent eq "Sack1"}]
    set kind Agent/TCPSink[expr {$sack ? "/Sack1" : ""}][expr {$o(delack) > 0 ? "/DelAck" : ""}]
    set sink [new $kind]
    if {$o(delack) > 0} { $sink set interval_ [expr {$o(delack) / 1000.0}] }
    $tcp set packetSize_ $size
    if {$o(window) > 0} { $tcp set window_ $o(window) } else { $tcp set window_ [expr {3 * $o(buffer)}] }
    foreach {name key} {tcpTick_ tick minrto_ minrto rtxcur_init_ initrto windowInit_ iw} {
        if {$o($key) >= 0} { $tcp set $name $o($key) }
    }
    if {!$o(limited)} { $tcp set singledup_ 0 }
    $tcp set ecn_ $o(ecn)
    $ns attach-agent $a $tcp
    $ns attach-agent $b $sink
    $ns connect $tcp $sink
    if {$linux} { $ns at 0 "$tcp select_ca [string range $agent 6 end]" }
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}

proc voice {a b kbps packet start} {
    global ns
    set udp [new Agent/UDP]
    set null [new Agent/Null]
    $udp set packetSize_ $packet
    $ns attach-agent $a $udp
    $ns attach-agent $b $null
    $ns connect $udp $null
    set cbr [new Application/Traffic/CBR]
    $cbr set packetSize_ $packet
    $cbr set rate_ ${kbps}kb
    $cbr set random_ 0
    $cbr attach-agent $udp
    $ns at $start "$cbr start"
}

# Errors on the way from a to b, before the queue (head) or at the receiving end (tail).
proc errors {model a b} {
    global ns o
    $model drop-target [new Agent/Null]
    if {$o(at) eq "tail"} { $ns link-lossmodel $model $a $b } else { $ns lossmodel $model $a $b }
}

proc independent {p} {
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ $p
    $model ranvar [new RandomVariable/Uniform]
    return $model
}

# Two states with independent losses in each, a step a packet.
proc two_states {good bad tobad togood} {
    set g [independent $good]
    set b [independent $bad]
    set rows [list [list [expr {1 - $tobad}] $tobad] [list $togood [expr {1 - $togood}]]]
    return [new ErrorModel/MultiState [list $g $b] [list 0 0] $rows pkt pkt 2 $g]
}

proc counters {tcps} {
    global expiries
    set sum {0 0 0 0 0}
    foreach tcp $tcps {
        set now [list [$tcp set ack_] [$tcp set ndatapack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_] [$tcp set ncwndcuts_]]
        set next {}
        foreach x $sum y $now { lappend next [expr {$x + $y}] }
        set sum $next
    }
    if {[info exists expiries]} { lset sum 3 $expiries }
    return $sum
}

# What the counters gained since `before`, over `seconds`.
proc report {tcps before seconds mss} {
    foreach name {delivered sent retransmits timeouts cuts} now [counters $tcps] was $before {
        set gained($name) [expr {$now - $was}]
        puts "$name $gained($name)"
    }
    puts "goodput_mbps [expr {$gained(delivered) * $mss * 8e-6 / $seconds}]"
}

# From now on timeouts are counted by a trace of events: nrexmit_ leaves out those after a response to ECN.
proc count_timeouts {} {
    global ns expiries
    set expiries 0
    namespace eval events {
        proc initialize {channel mode} { return {initialize finalize watch write} }
        proc finalize {channel} {}
        proc watch {channel events} {}
        proc write {channel data} {
            incr ::expiries [regexp -all TIMEOUT $data]
            return [string length $data]
        }
        namespace export *
        namespace ensemble create
    }
    set channel [chan create write ::events]
    fconfigure $channel -buffering none
    $ns eventtrace-all $channel
}

proc run_to {end} {
    global ns
    $ns at $end "finish"
    $ns run
}

switch $o(path) {
    cerl {
        # `second`: another agent beside the first over the same bottleneck.
        set g0 [$ns node]; set g1 [$ns node]
        between $g0 $g1 $o(rate) $o(delay) $o(buffer)
        set tcps {}
        foreach agent [concat $o(agent) $o(second)] {
            set s [$ns node]; set r [$ns node]
            between $s $g0 10Mb 10ms $o(buffer)
            between $g1 $r 10Mb 10ms $o(buffer)
            if {$o(loss) > 0} { errors [independent $o(loss)] $g1 $r }
            set start [expr {$o(second) eq "" ? 0 : [$starts uniform 0 0.1]}]
            lappend tcps [bulk $s $r $agent $start]
        }
        proc finish {} {
            global tcps o
            report [lindex $tcps 0] {0 0 0 0 0} $o(duration) $o(mss)
            if {[llength $tcps] > 1} {
                puts "second_goodput_mbps [expr {[[lindex $tcps 1] set ack_] * $o(mss) * 8e-6 / $o(duration)}]"
            }
            exit 0
        }
        run_to $o(duration)
    }
    sifest {
        set ch [$ns node]; set ha [$ns node]; set fa [$ns node]; set mh [$ns node]
        between $ch $ha 1Mb 5ms $o(buffer)
        between $ha $fa 1Mb 5ms $o(buffer)
        between $fa $mh 128kb 25ms $o(buffer)
        errors [two_states $o(lossgood) $o(lossbad) $o(tobad) $o(togood)] $fa $mh
        set tcps [bulk $ch $mh $o(agent) 0]
        if {!$o(header)} { $tcps set useHeaders_ false }
        if {$o(cbr) > 0} { voice $ch $mh $o(cbr) $o(mss) [$starts uniform 0 0.06] }
        proc finish {} {
            global tcps o
            report $tcps {0 0 0 0 0} $o(duration) $o(mss)
            exit 0
        }
        run_to $o(duration)
    }
    dcr {
        # RED_bytesdefault: ns-2's own unit, bytes of packets of 500 bytes.
        if {$o(queue) ne "DropTail"} {
            Queue/RED set thresh_ [expr {0.25 * $o(buffer)}]
            Queue/RED set maxthresh_ [expr {0.75 * $o(buffer)}]
        }
        if {$o(queue) eq "RED"} {
            Queue/RED set bytes_ false
            Queue/RED set queue_in_bytes_ false
        }
        set r [$ns node]; set bs [$ns node]
        between $r $bs 10Mb 5ms $o(buffer) [string range $o(queue)_ 0 [string first _ $o(queue)_]-1]
        set tcps {}
        for {set i 0} {$i < $o(flows)} {incr i} {
            set s [$ns node]; set d [$ns node]
            # Unequal access delays take flows out of lockstep.
            between $s $r 100Mb [expr {0.005 + [$starts uniform -0.5 0.5] * $o(spread)}] 62
            between $bs $d 1Mb 20ms 50
            lappend tcps [bulk $s $d $o(agent) [expr {$i + [$starts uniform 0 1] * $o(jitter)}]]
        }
        set monitor [$ns monitor-queue $r $bs stdout]
        set area [$monitor get-pkts-integrator]
        proc start {} {
            global tcps monitor area before area0 arrivals drops
            set before [counters $tcps]
            set area0 [$area set sum_]
            set arrivals [$monitor set parrivals_]
            set drops [$monitor set pdrops_]
        }
        proc finish {} {
            global tcps monitor area before area0 arrivals drops o
            set seconds [expr {$o(duration) - $o(from)}]
            report $tcps $before $seconds $o(mss)
            set lost [expr {[$monitor set pdrops_] - $drops}]
            puts "loss_rate [expr {$lost / double([$monitor set parrivals_] - $arrivals)}]"
            puts "mean_queue [expr {([$area set sum_] - $area0) / $seconds}]"
            exit 0
        }
        $ns at $o(from) start
        run_to $o(duration)
    }
    red {
        # Flows with different round trips: each is 2 x `step` ms longer than the one before it.
        count_timeouts
        set bytes [expr {$o(unit) eq "bytes"}]
        foreach {name value} [list bytes_ $bytes queue_in_bytes_ $bytes mean_pktsize_ [expr {$o(mss) + 40}] \
                thresh_ $o(min) maxthresh_ $o(max) linterm_ [expr {1 / $o(maxp)}] q_weight_ $o(weight) \
                gentle_ $o(gentle) wait_ $o(wait) setbit_ $o(ecn) use_mark_p_ 1 mark_p_ 0.1] {
            Queue/RED set $name $value
        }
        set r [$ns node]; set bs [$ns node]
        between $r $bs $o(rate) $o(delay) $o(buffer) RED
        set tcps {}
        for {set i 0} {$i < $o(flows)} {incr i} {
            set s [$ns node]; set d [$ns node]
            between $s $r 100Mb [expr {0.001 * (1 + $i * $o(step))}] 1000
            between $bs $d 100Mb 1ms 1000
            if {$o(loss) > 0} { errors [independent $o(loss)] $bs $d }
            lappend tcps [bulk $s $d $o(agent) [$starts uniform 0 1]]
        }
        set monitor [new QueueMonitor/ED]
        set area [new Integrator]
        $monitor set-pkts-integrator $area
        $ns attach-fmon [$ns link $r $bs] $monitor 1
        proc queue_counters {} {
            global tcps monitor area
            set responses 0
            foreach tcp $tcps { incr responses [$tcp set necnresponses_] }
            return [list $responses [$monitor set pmarks_] [$monitor set pdrops_] [$monitor set epdrops_] \
                [$area set sum_]]
        }
        proc start {} {
            global tcps before first before_queue
            set before [counters $tcps]
            set first [lindex [counters [lindex $tcps 0]] 0]
            set before_queue [queue_counters]
        }
        proc finish {} {
            global tcps before first before_queue o
            set seconds [expr {$o(duration) - $o(from)}]
            report $tcps $before $seconds $o(mss)
            set own [expr {[lindex [counters [lindex $tcps 0]] 0] - $first}]
            puts "first_mbps [expr {$own * $o(mss) * 8e-6 / $seconds}]"
            set names {ecn_responses ecn_marks queue_drops early_drops area}
            foreach name $names now [queue_counters] was $before_queue {
                set gained [expr {$now - $was}]
                if {$name eq "area"} { puts "mean_queue [expr {$gained / $seconds}]" } else { puts "$name $gained" }
            }
            exit 0
        }
        $ns at $o(from) start
        run_to $o(duration)
    }
    default { puts stderr "path.tcl: there is no path $o(path)"; exit 2 }
}
