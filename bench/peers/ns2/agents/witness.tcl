# One ns-2 run over a path of the CERL, TCP-DCR or SIFEST paper, with this folder's agents or with ns-2's
# own; prints "name value" lines of what was measured. build.sh makes the `ns` that it needs.
#
#   ns witness.tcl path single agent CERL B 2 Tp 80 buf 90 q 0.01 dur 480 seed 271828183
#
# README.md explains the settings. Those not given keep the values below; ns-2's own defaults are left alone
# where -1 is shown.
array set o {
    path single     agent Reno      seed 271828183  dur 480         from 0
    mss 1460        header 1        window -1       cap 0           tick -1         minrto -1
    initrto -1      iw -1           limited 1       delack 0
    B 2             Tp 80           buf 90          last 10         q 0
    others 0        beside Reno
    x 0             y 0             tobad 0.3       togood 0.3      cbr 0
    flows 1         step 1          jitter 0        spread 0
    fraction 0.55   syn 0           delay 1         idle 1          fresh 0         bugfix 0
}
foreach {key value} $argv {
    if {![info exists o($key)]} { puts stderr "witness.tcl: there is no setting $key"; exit 2 }
    set o($key) $value
}

# What a class needs before its first object is made.
Agent/TCP/Reno/CERL set fraction_ $o(fraction)
Agent/TCP/Reno/CERL set once_ true
Agent/TCP/Reno/CERL set syn_sample_ $o(syn)
Agent/TCP/Reno/CERL set acted_ 0
Agent/TCP/Sack1/DCR set delay_rtts_ $o(delay)
Agent/TCP/Sack1/DCR set acted_ 0
Queue/DropTail/Repair set hold_ 0
foreach base {"" /Reno /Newreno /Sack1} {
    Agent/TCP$base/SIFEST set liw_ false
    Agent/TCP$base/SIFEST set idle_ $o(idle)
    Agent/TCP$base/SIFEST set fresh_ $o(fresh)
    Agent/TCP$base/SIFEST set acted_ 0
    Agent/TCP$base/SIFEST set bugFix_ $o(bugfix)
}

# Small seeds of ns-2 give correlated streams: the caller hands over large ones.
ns-random $o(seed)
set ns [new Simulator]
set draws [new RNG]
$draws seed [expr {($o(seed) * 7919 + 104729) % 2147483647}]

# The class of an agent, as the table names it.
proc class {agent} {
    set base [lindex [split $agent +] 0]
    set name [expr {$base eq "Tahoe" ? "" : "/$base"}]
    if {$base in {CERL CERL2}} { set name /Reno/CERL }
    if {$base eq "DCR"} { set name /Sack1/DCR }
    if {[string match *+SIF* $agent]} { append name /SIFEST }
    if {[string match Linux/* $agent]} { set name /Linux }
    return Agent/TCP$name
}

# A bulk transfer; returns its sending agent.
proc bulk {a b agent start {stop ""}} {
    global ns o
    set tcp [new [class $agent]]
    set linux [string match Linux/* $agent]
    set sack [expr {$linux || [string match Agent/TCP/Sack1* [class $agent]]}]
    set sink [new Agent/TCPSink[expr {$sack ? "/Sack1" : ""}][expr {$o(delack) > 0 ? "/DelAck" : ""}]]
    if {$o(delack) > 0} { $sink set interval_ [expr {$o(delack) / 1000.0}] }
    if {$agent eq "CERL2"} { $tcp set once_ false }
    if {[string match *+LIW $agent]} {
        $tcp set liw_ true
        $tcp set windowInit_ 2
    } elseif {$o(iw) >= 0} {
        $tcp set windowInit_ $o(iw)
    }
    $tcp set packetSize_ $o(mss)
    $tcp set window_ [expr {$o(window) > 0 ? $o(window) : 3 * $o(buf)}]
    $tcp set maxcwnd_ $o(cap)
    foreach {name key} {tcpTick_ tick minrto_ minrto rtxcur_init_ initrto} {
        if {$o($key) >= 0} { $tcp set $name $o($key) }
    }
    if {!$o(limited)} { $tcp set singledup_ 0 }
    if {!$o(header)} { $tcp set useHeaders_ false }
    $ns attach-agent $a $tcp
    $ns attach-agent $b $sink
    $ns connect $tcp $sink
    if {$linux} { $ns at 0 "$tcp select_ca [string range $agent 6 end]" }
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    if {$stop ne ""} { $ns at $stop "$ftp stop" }
    return $tcp
}

proc between {a b rate delay limit {kind DropTail}} {
    global ns
    $ns duplex-link $a $b $rate $delay $kind
    $ns queue-limit $a $b $limit
    $ns queue-limit $b $a $limit
}

proc independent {p} {
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ $p
    $model ranvar [new RandomVariable/Uniform]
    return $model
}

# Independent losses on the way from a to b, before the queue.
proc lossy {p a b} {
    global ns
    if {$p <= 0} { return }
    $ns lossmodel [independent $p] $a $b
}

# A wireless link whose errors the base station repairs as often as needed. Errors are at its end; the base
# station knows of one a round trip of the link after the transmission ended.
proc wireless {base station rate ms limit p} {
    global ns
    $ns simplex-link $base $station $rate ${ms}ms DropTail/Repair
    $ns simplex-link $station $base $rate ${ms}ms DropTail
    $ns queue-limit $base $station $limit
    $ns queue-limit $station $base $limit
    if {$p <= 0} { return }
    set queue [[$ns link $base $station] queue]
    $queue set hold_ [expr {$ms / 1000.0}]
    set model [independent $p]
    $ns link-lossmodel $model $base $station
    # Inserting it sets another target.
    $model drop-target $queue
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

set QUANTITIES {goodput_mbps delivered_packets data_sent retransmits timeouts cwnd_cuts acted}

# The counters of these flows, summed.
proc counters {tcps} {
    set sum {0 0 0 0 0 0}
    foreach tcp $tcps {
        set acted [expr {[catch {$tcp set acted_} n] ? 0 : $n}]
        set now [list [$tcp set ack_] [$tcp set ndatapack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_] \
            [$tcp set ncwndcuts_] $acted]
        set next {}
        foreach was $sum x $now { lappend next [expr {$was + $x}] }
        set sum $next
    }
    return $sum
}

proc goodput {packets} {
    global o
    return [expr {$packets * $o(mss) * 8e-6 / ($o(dur) - $o(from))}]
}

# All flows of `groups` are measured from `from` on: the first group in full, goodput of the second. Goodputs
# are means of the flows of a group.
proc begin {} {
    global groups before
    set before {}
    foreach group $groups { lappend before [counters $group] }
}

# As path.tcl does: what is measured from the start begins at zero.
proc measure {} {
    global ns o groups before
    set before [lrepeat [llength $groups] {0 0 0 0 0 0}]
    if {$o(from) > 0} { $ns at $o(from) begin }
    $ns at $o(dur) finish
}

proc finish {} {
    global groups before
    set gained {}
    foreach now [counters [lindex $groups 0]] was [lindex $before 0] { lappend gained [expr {$now - $was}] }
    set flows [llength [lindex $groups 0]]
    set names {delivered_packets data_sent retransmits timeouts cwnd_cuts acted}
    puts "goodput_mbps [expr {[goodput [lindex $gained 0]] / $flows}]"
    foreach name $names value $gained { puts "$name [expr {double($value) / $flows}]" }
    if {[llength $groups] > 1} {
        set packets [expr {[lindex [counters [lindex $groups 1]] 0] - [lindex $before 1 0]}]
        puts "beside_mbps [expr {[goodput $packets] / [llength [lindex $groups 1]]}]"
    }
    queue_report
    exit 0
}

proc queue_report {} {
    global monitor area queue_before o
    if {![info exists monitor]} { return }
    lassign $queue_before arrivals drops sum
    set arrived [expr {[$monitor set parrivals_] - $arrivals}]
    puts "loss_rate [expr {([$monitor set pdrops_] - $drops) / double($arrived)}]"
    puts "mean_queue [expr {([$area set sum_] - $sum) / ($o(dur) - $o(from))}]"
}

proc queue_begin {} {
    global monitor area queue_before
    set queue_before [list [$monitor set parrivals_] [$monitor set pdrops_] [$area set sum_]]
}

switch $o(path) {
    single - pair - multi {
        # CERL, figure 3. single: one flow. pair: `others` flows of kind `beside` start with it (section
        # 4.6). multi: they come and go as in section 4.3.
        set g0 [$ns node]; set g1 [$ns node]
        between $g0 $g1 $o(B)Mb $o(Tp)ms $o(buf)
        proc host {agent near far start {stop ""}} {
            global ns o g0 g1
            set s [$ns node]; set r [$ns node]
            between $s $g0 10Mb ${near}ms $o(buf)
            between $g1 $r 10Mb ${far}ms $o(buf)
            lossy $o(q) $g1 $r
            return [bulk $s $r $agent $start $stop]
        }
        set groups [list [list [host $o(agent) 10 $o(last) 0]]]
        set others {}
        for {set i 0} {$i < $o(others)} {incr i} {
            if {$o(path) eq "pair"} {
                lappend others [host $o(beside) 10 $o(last) 0]
            } else {
                set far [$draws uniform 0.1 10]
                set start [$draws uniform 1 200]
                set stop [expr {$o(dur) - [$draws uniform 1 200]}]
                lappend others [host $o(beside) [$draws uniform 0.1 10] $far $start $stop]
            }
        }
        if {$o(others) > 0} { lappend groups $others }
    }
    chain {
        # CERL, figure 12: two bottlenecks in a row, losses on every link.
        set nodes {}
        for {set i 0} {$i < 5} {incr i} { lappend nodes [$ns node] }
        foreach a [lrange $nodes 0 3] b [lrange $nodes 1 4] bottleneck {0 1 1 0} {
            if {$bottleneck} {
                between $a $b $o(B)Mb $o(Tp)ms $o(buf)
            } else {
                between $a $b 10Mb 10ms $o(buf)
            }
            lossy $o(q) $a $b
        }
        set groups [list [list [bulk [lindex $nodes 0] [lindex $nodes 4] $o(agent) 0]]]
    }
    sifest {
        # SIFEST, figures 3 and 4: a step of the error model a packet on the wireless link.
        set ch [$ns node]; set ha [$ns node]; set fa [$ns node]; set mh [$ns node]
        between $ch $ha 1Mb 5ms $o(buf)
        between $ha $fa 1Mb 5ms $o(buf)
        between $fa $mh $o(B)Mb 25ms $o(buf)
        set good [independent $o(x)]
        set bad [independent $o(y)]
        set rows [list [list [expr {1 - $o(tobad)}] $o(tobad)] [list $o(togood) [expr {1 - $o(togood)}]]]
        set model [new ErrorModel/MultiState [list $good $bad] [list 0 0] $rows pkt pkt 2 $good]
        $ns lossmodel $model $fa $mh
        set groups [list [list [bulk $ch $mh $o(agent) 0]]]
        if {$o(others) > 0} { lappend groups [list [bulk $ch $mh $o(beside) 0]] }
        if {$o(cbr) > 0} { voice $ch $mh $o(cbr) $o(mss) [$draws uniform 0 0.06] }
    }
    wireless {
        # TCP-DCR, figure 4: `flows` flows share the last link, whose errors are repaired.
        set s [$ns node]; set r1 [$ns node]; set bs [$ns node]; set r [$ns node]
        between $s $r1 100Mb 5ms 62
        between $r1 $bs 100Mb 5ms 62
        wireless $bs $r $o(B)Mb $o(Tp) $o(buf) $o(q)
        set group {}
        for {set i 0} {$i < $o(flows)} {incr i} {
            lappend group [bulk $s $r $o(agent) [expr {$i * $o(step)}]]
        }
        set groups [list $group]
    }
    shared {
        # TCP-DCR, figure 9: every flow has its own wireless link after the shared bottleneck. `others` of
        # the `flows` flows are of kind `beside`, every other one where it is half of them.
        set r [$ns node]; set bs [$ns node]
        between $r $bs 10Mb 5ms $o(buf)
        set groups [list {} {}]
        for {set i 0} {$i < $o(flows)} {incr i} {
            set s [$ns node]; set d [$ns node]
            between $s $r 100Mb [expr {0.005 + [$draws uniform -0.5 0.5] * $o(spread) / 1000.0}] 62
            wireless $bs $d $o(B)Mb $o(Tp) 50 $o(q)
            set start [expr {$i * $o(step) + [$draws uniform 0 1] * $o(jitter)}]
            set second [expr {$i * $o(others) / $o(flows) != ($i + 1) * $o(others) / $o(flows)}]
            set tcp [bulk $s $d [expr {$second ? $o(beside) : $o(agent)}] $start]
            lset groups $second [concat [lindex $groups $second] $tcp]
        }
        if {$o(others) == 0} { set groups [lrange $groups 0 0] }
        set monitor [$ns monitor-queue $r $bs stdout]
        set area [$monitor get-pkts-integrator]
        $ns at $o(from) queue_begin
    }
    default { puts stderr "witness.tcl: there is no path $o(path)"; exit 2 }
}
measure
$ns run
