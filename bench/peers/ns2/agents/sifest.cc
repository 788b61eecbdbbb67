// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Segment-in-flight estimation for ns-2's Tahoe, Reno, NewReno and SACK: J. Pan, J. Mark, X. Shen, "TCP
// Performance with Segment-in-Flight Estimation Algorithm over Wireless Links", 2004. README.md names the
// section behind each rule, and how we read it.

#include <vector>

#include "tcp.h"
#include "scoreboard.h"
#include "sack1-class.h"

template <class Base> class SifestTcpAgent : public Base {
public:
    SifestTcpAgent();
    virtual void recv(Packet*, Handler*);
    virtual void timeout(int);
    virtual void dupack_action();
    virtual void reset();

protected:
    virtual void output(int seqno, int reason = 0);
    virtual void send_one();

    int liw_;      // slow start begins with two segments
    int idle_;     // a pause in sending makes the sender forget what is in flight
    int fresh_;    // a segment's first transmission, too, guards it for a round trip
    int acted_;    // fast retransmits before the third duplicate ACK

private:
    double now() { return Scheduler::instance().clock(); }
    double rtt();
    void forget();

    static const int FIXED = 3;
    static const int NEVER = -1000000;
    int sifest_;
    int counted_;     // the highest segment that was counted since the last timeout
    bool responded_;  // to these duplicate ACKs
    double sent_at_;  // when anything was last sent
    std::vector<double> guarded_; // when each segment was last sent again, or a long time ago
    double rtt_;      // the last smoothed round trip, s
};

template <class Base> SifestTcpAgent<Base>::SifestTcpAgent()
{
    this->bind_bool("liw_", &liw_);
    this->bind_bool("idle_", &idle_);
    this->bind_bool("fresh_", &fresh_);
    this->bind("acted_", &acted_);
    forget();
}

template <class Base> void SifestTcpAgent<Base>::forget()
{
    sifest_ = acted_ = 0;
    counted_ = -1;
    responded_ = false;
    sent_at_ = NEVER;
    rtt_ = 0;
    guarded_.clear();
    this->numdupacks_ = FIXED;
}

template <class Base> void SifestTcpAgent<Base>::reset()
{
    Base::reset();
    forget();
}

// The smoothed round trip; before the first sample the first timeout. ns-2 forgets its estimate after
// many timeouts in a row.
template <class Base> double SifestTcpAgent<Base>::rtt()
{
    if (this->t_srtt_ > 0)
        rtt_ = this->t_srtt_ * this->tcp_tick_ / (1 << this->T_SRTT_BITS);
    return rtt_ > 0 ? rtt_ : this->rtxcur_init_;
}

// Section 4.2: a new segment counts, and so does one that is sent again because of a timeout, after which
// the count began anew. One that is sent again for another reason does not.
template <class Base> void SifestTcpAgent<Base>::output(int seqno, int reason)
{
    if (seqno > counted_) {
        if (idle_ && now() - sent_at_ > rtt())
            sifest_ = 0;
        ++sifest_;
        counted_ = seqno;
    }
    if (guarded_.size() <= size_t(seqno))
        guarded_.resize(seqno + 1, NEVER);
    if (fresh_ || seqno <= this->maxseq_)
        guarded_[seqno] = now();
    sent_at_ = now();
    Base::output(seqno, reason);
}

// Section 4.2: the base responds when the number of duplicate ACKs equals numdupacks_, and takes further
// ones for packets that left the network.
template <class Base> void SifestTcpAgent<Base>::recv(Packet* packet, Handler* handler)
{
    int acked = hdr_tcp::access(packet)->seqno();
    if (acked > this->highest_ack_) {
        sifest_ -= acked - this->highest_ack_;
        if (sifest_ < 0)
            sifest_ = 0;
    } else if (acked == this->last_ack_) {
        int count = this->dupacks_ + 1;
        bool enough = count >= FIXED || count >= sifest_ - 1;
        bool outstanding = size_t(acked + 1) < guarded_.size();
        bool lately = !outstanding || now() - guarded_[acked + 1] < rtt();
        if (enough && !lately) {
            responded_ = true;
            this->numdupacks_ = count;
        } else if (!responded_) {
            this->numdupacks_ = count + 1;
        }
    }
    Base::recv(packet, handler);
    if (this->dupacks_ == 0) {
        responded_ = false;
        this->numdupacks_ = FIXED;
    }
}

// Limited Transmit, where the base has it: for the first two duplicate ACKs.
template <class Base> void SifestTcpAgent<Base>::send_one()
{
    if (this->dupacks_ < FIXED)
        Base::send_one();
}

template <class Base> void SifestTcpAgent<Base>::dupack_action()
{
    int cuts = this->ncwndcuts_;
    Base::dupack_action();
    if (this->ncwndcuts_ > cuts && this->numdupacks_ < FIXED)
        ++acted_;
}

template <class Base> void SifestTcpAgent<Base>::timeout(int which)
{
    if (which == TCP_TIMER_RTX) {
        sifest_ = 0;
        counted_ = this->highest_ack_;
        this->dupacks_ = 0;
        responded_ = false;
        this->numdupacks_ = FIXED;
        this->wnd_restart_ = liw_ ? 2 : 1;
    }
    Base::timeout(which);
}

// Tahoe's slow start after a fast retransmit.
class SifestTahoeAgent : public SifestTcpAgent<TcpAgent> {
public:
    virtual void dupack_action()
    {
        int cuts = ncwndcuts_;
        SifestTcpAgent<TcpAgent>::dupack_action();
        if (liw_ && ncwndcuts_ > cuts)
            cwnd_ = 2;
    }
};

static class SifestTahoeClass : public TclClass {
public:
    SifestTahoeClass() : TclClass("Agent/TCP/SIFEST") {}
    TclObject* create(int, const char* const*) { return new SifestTahoeAgent(); }
} class_sifest_tahoe;

static class SifestRenoClass : public TclClass {
public:
    SifestRenoClass() : TclClass("Agent/TCP/Reno/SIFEST") {}
    TclObject* create(int, const char* const*) { return new SifestTcpAgent<RenoTcpAgent>(); }
} class_sifest_reno;

static class SifestNewRenoClass : public TclClass {
public:
    SifestNewRenoClass() : TclClass("Agent/TCP/Newreno/SIFEST") {}
    TclObject* create(int, const char* const*) { return new SifestTcpAgent<NewRenoTcpAgent>(); }
} class_sifest_newreno;

static class SifestSackClass : public TclClass {
public:
    SifestSackClass() : TclClass("Agent/TCP/Sack1/SIFEST") {}
    TclObject* create(int, const char* const*) { return new SifestTcpAgent<Sack1TcpAgent>(); }
} class_sifest_sack;
