// SPDX-License-Identifier: MIT OR Apache-2.0
//
// TCP-DCR for ns-2, and the link that repairs its errors: S. Bhandarkar, N. Sadry, A. Reddy, N. Vaidya,
// "TCP-DCR: A Novel Protocol for Tolerating Wireless Channel Errors", IEEE Transactions on Mobile
// Computing 2005. README.md names the section behind each rule, and how we read it.

#include "drop-tail.h"
#include "tcp.h"
#include "scoreboard.h"
#include "sack1-class.h"

class DcrTcpAgent;

class DcrTimer : public TimerHandler {
public:
    explicit DcrTimer(DcrTcpAgent* agent) : agent_(agent) {}

protected:
    virtual void expire(Event*);
    DcrTcpAgent* agent_;
};

class DcrTcpAgent : public Sack1TcpAgent {
public:
    DcrTcpAgent();
    virtual void recv(Packet*, Handler*);
    virtual void timeout(int);
    virtual void reset();
    void delay_ended();

protected:
    virtual int numdupacks(double);
    virtual void send_one();

private:
    bool delays();
    void stop();

    double delay_rtts_; // the delay in smoothed round trips
    int acted_;         // delays that ended because the segment was there after all
    bool waiting_;
    bool ended_;
    DcrTimer timer_;
};

static class DcrTcpClass : public TclClass {
public:
    DcrTcpClass() : TclClass("Agent/TCP/Sack1/DCR") {}
    TclObject* create(int, const char* const*) { return new DcrTcpAgent(); }
} class_dcr;

DcrTcpAgent::DcrTcpAgent() : waiting_(false), ended_(false), timer_(this)
{
    bind("delay_rtts_", &delay_rtts_);
    bind("acted_", &acted_);
}

void DcrTimer::expire(Event*) { agent_->delay_ended(); }

void DcrTcpAgent::reset()
{
    stop();
    acted_ = 0;
    Sack1TcpAgent::reset();
}

void DcrTcpAgent::stop()
{
    waiting_ = false;
    timer_.force_cancel();
}

// Section 3.3: in congestion avoidance only, and only where SACK would respond at all. A window that may
// grow no further is not in slow start either. None of this changes between two duplicate ACKs.
bool DcrTcpAgent::delays()
{
    bool slow_start = cwnd_ < ssthresh_ && !(maxcwnd_ && cwnd_ >= maxcwnd_);
    return !slow_start && t_srtt_ > 0 && highest_ack_ > recover_;
}

// The number of duplicate ACKs at which SACK responds: never before the delay ends. When it ends, the
// number that came, by which SACK then counts the packets in the network.
int DcrTcpAgent::numdupacks(double cwnd)
{
    if (ended_)
        return dupacks_;
    return delays() ? TCP_MAXSEQ : Sack1TcpAgent::numdupacks(cwnd);
}

// Limited Transmit of the base. During the delay recv() sends instead.
void DcrTcpAgent::send_one()
{
    if (!delays())
        Sack1TcpAgent::send_one();
}

// Sections 3.1 and 3.3. The base has counted a duplicate ACK where dupacks_ rose, and forgets them
// where data is acknowledged for the first time.
void DcrTcpAgent::recv(Packet* packet, Handler* handler)
{
    bool recovering = fastrecov_;
    int before = dupacks_;
    Sack1TcpAgent::recv(packet, handler);
    if (recovering || fastrecov_)
        return;
    if (waiting_ && dupacks_ == 0) {
        stop();
        ++acted_;
    } else if (dupacks_ > before && delays()) {
        if (dupacks_ == 1) {
            waiting_ = true;
            timer_.resched(delay_rtts_ * t_srtt_ * tcp_tick_ / (1 << T_SRTT_BITS));
        }
        opencwnd();
        Sack1TcpAgent::send_one();
    }
}

void DcrTcpAgent::delay_ended()
{
    waiting_ = false;
    ended_ = true;
    dupack_action();
    ended_ = false;
}

void DcrTcpAgent::timeout(int which)
{
    if (which == TCP_TIMER_RTX)
        stop();
    Sack1TcpAgent::timeout(which);
}

// Section 4: the base station keeps a corrupted packet for the round trip of the wireless link, then
// puts it at the head of the link's queue. The queue is the drop target of the error model at the end of
// its link, which marks what it corrupts; `hold_` is the rest of the round trip from there.
class RepairQueue : public DropTail {
public:
    RepairQueue() { bind("hold_", &hold_); }
    virtual void recv(Packet*, Handler*);
    virtual void handle(Event*);

private:
    double hold_; // s
};

static class RepairQueueClass : public TclClass {
public:
    RepairQueueClass() : TclClass("Queue/DropTail/Repair") {}
    TclObject* create(int, const char* const*) { return new RepairQueue(); }
} class_repair_queue;

void RepairQueue::recv(Packet* packet, Handler* handler)
{
    if (hdr_cmn::access(packet)->error())
        Scheduler::instance().schedule(this, packet, hold_);
    else
        DropTail::recv(packet, handler);
}

void RepairQueue::handle(Event* event)
{
    Packet* packet = static_cast<Packet*>(event);
    hdr_cmn::access(packet)->error() = 0;
    q_->enqueHead(packet);
    if (!blocked()) {
        block();
        resume();
    }
}
