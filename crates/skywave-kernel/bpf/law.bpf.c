/* SPDX-License-Identifier: MIT OR Apache-2.0 OR GPL-2.0-only */
/*
 * A congestion control of Linux' TCP that tells a process what each ACK told, and does what that answers. Where answers
 * are missing or late it does as Reno does. While losses are repaired it reduces the window in proportion (RFC 6937), as
 * the kernel does for laws that do not own the window.
 */
#include "kernel.h"
#include "wire.h"

char terms[] SEC("license") = "Dual MIT/GPL";

#define MS 1000000ULL
/* An unanswered event older than this, or than two round trips, is late. */
#define PATIENCE (100 * MS)
/* A pause shorter than this is none. */
#define PAUSE (1 * MS)
#define NO_SLOT SLOTS

struct {
	KIND(type, BPF_MAP_TYPE_RINGBUF);
	KIND(max_entries, 1 << 20);
} messages SEC(".maps");

struct {
	KIND(type, BPF_MAP_TYPE_ARRAY);
	KIND(max_entries, SLOTS);
	KIND(map_flags, BPF_F_MMAPABLE);
	OF(key, u32);
	OF(value, struct answer);
} answers SEC(".maps");

struct {
	KIND(type, BPF_MAP_TYPE_ARRAY);
	KIND(max_entries, 1);
	KIND(map_flags, BPF_F_MMAPABLE);
	OF(key, u32);
	OF(value, struct control);
} control SEC(".maps");

/* Slots that no connection has. */
struct {
	KIND(type, BPF_MAP_TYPE_QUEUE);
	KIND(max_entries, SLOTS);
	OF(value, u32);
} vacant SEC(".maps");

/* A connection's own state. */
struct mine {
	u64 id;
	u64 number;   /* of the latest event */
	u64 answered; /* number of the latest event that was answered */
	u64 waiting;  /* since when the oldest unanswered event waits */
	u64 heard;    /* when the latest ACK came */
	u64 cut;      /* number of the event that answers must know to be obeyed */
	u32 slot;
	u32 by_reno;
	u32 una;
	u32 lost;
	u32 prr_delivered;
	u32 credit; /* of Reno's growth */
};

struct {
	KIND(type, BPF_MAP_TYPE_SK_STORAGE);
	KIND(map_flags, BPF_F_NO_PREALLOC);
	OF(key, int);
	OF(value, struct mine);
} connections SEC(".maps");

static const u32 zero = 0;

static u32 in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}

static u32 least(u32 a, u32 b) { return a < b ? a : b; }
static u32 most(u32 a, u32 b) { return a > b ? a : b; }

/* Tells the process of an event; `rs` is an ACK's. */
static __attribute__((noinline)) void tell(struct tcp_sock *tp, struct mine *mine, u32 kind,
					   const struct rate_sample *rs, u32 more)
{
	struct control *all = bpf_map_lookup_elem(&control, &zero);
	struct message *m;
	u32 state = kind == KIND_STATE ? more : BITS((struct inet_connection_sock *)tp, icsk_ca_state);

	mine->number++;
	if (mine->slot >= NO_SLOT || !all)
		return;
	m = bpf_ringbuf_reserve(&messages, sizeof(*m), 0);
	if (!m) {
		__sync_fetch_and_add(&all->dropped, 1);
		return;
	}
	m->at = bpf_ktime_get_ns();
	m->id = mine->id;
	m->number = mine->number;
	m->kind = kind;
	m->slot = mine->slot;
	m->state = state;
	m->flags = (BITS(tp, is_cwnd_limited) ? CWND_LIMITED : 0) | (mine->by_reno ? BY_RENO : 0);
	m->mss = tp->mss_cache;
	m->una = tp->snd_una;
	m->nxt = tp->snd_nxt;
	m->high = tp->high_seq;
	m->rwnd = tp->snd_wnd;
	m->cwnd = tp->snd_cwnd;
	m->delivered = tp->delivered;
	m->marked = tp->delivered_ce;
	m->lost = tp->lost;
	m->in_flight = in_flight(tp);
	m->srtt = tp->srtt_us;
	m->rttvar = tp->rttvar_us;
	m->pace = ((struct sock *)tp)->sk_pacing_rate >> 10;
	if (rs) {
		m->flags |= (rs->is_app_limited ? APP_LIMITED : 0) | (more & FLAG_ECE ? ECHO : 0);
		m->rtt = rs->rtt_us;
		m->interval = rs->interval_us;
		m->rate_delivered = rs->delivered;
		m->prior_delivered = rs->prior_delivered;
		m->prior_in_flight = rs->prior_in_flight;
	} else {
		m->rtt = kind == KIND_IDLE ? more : -1;
		m->interval = -1;
		m->rate_delivered = 0;
		m->prior_delivered = 0;
		m->prior_in_flight = 0;
	}
	bpf_ringbuf_submit(m, all->quiet ? BPF_RB_NO_WAKEUP : 0);
}

/* The present answer to a connection, or none that is whole. */
static bool read_answer(const struct mine *mine, struct control *all, struct answer *into)
{
	u32 slot = mine->slot;
	volatile struct answer *a = bpf_map_lookup_elem(&answers, &slot);

	if (!a)
		return 0;
	into->check = a->check;
	into->id = a->id;
	into->number = a->number;
	into->at = a->at;
	into->pace = a->pace;
	into->cwnd = a->cwnd;
	into->ssthresh = a->ssthresh;
	if (into->id != mine->id)
		return 0;
	if (into->check != into->id * CHECK_ID + into->number * CHECK_NUMBER + into->at * CHECK_AT +
				   into->pace * CHECK_PACE +
				   (into->cwnd | (u64)into->ssthresh << 32) * CHECK_WINDOW) {
		__sync_fetch_and_add(&all->torn, 1);
		return 0;
	}
	return 1;
}

/* Notes what is answered by now; to be called before an event is told. Judged by the times of events: an answer that comes
 * now may be to one of long ago. */
static void catch_up(struct mine *mine, const struct answer *answer, u64 now)
{
	if (answer && answer->number != mine->answered) {
		mine->answered = answer->number;
		if ((s64)(answer->at - mine->waiting) > 0)
			mine->waiting = answer->at;
	}
	if (mine->answered >= mine->number)
		mine->waiting = now;
}

/* The same for an event that is no ACK. */
static void prepare(struct mine *mine)
{
	struct control *all = bpf_map_lookup_elem(&control, &zero);
	struct answer answer = {};

	if (all)
		catch_up(mine, read_answer(mine, all, &answer) ? &answer : NULL, bpf_ktime_get_ns());
}

/* Whether the process does not keep up with a connection. */
static bool is_late(const struct tcp_sock *tp, const struct mine *mine, u64 now)
{
	u64 patience = (u64)(tp->srtt_us >> 3) * 2000;

	if (patience < PATIENCE)
		patience = PATIENCE;
	return (s64)(now - mine->waiting) > (s64)patience ||
	       mine->number - mine->answered > 2 * (u64)tp->snd_cwnd + 64;
}

/* RFC 6937 with the bound that lets a segment more out while all goes well, as the kernel has it. */
static u32 reduced(const struct tcp_sock *tp, const struct mine *mine, u32 target, u32 delivered, bool safe)
{
	u32 flight = in_flight(tp), out = tp->prr_out, prior = tp->prior_cwnd;
	s32 room;

	if (flight > target) {
		if (!prior)
			prior = 1;
		room = ((u64)target * mine->prr_delivered + prior - 1) / prior - out;
	} else {
		room = mine->prr_delivered - out;
		if (room < (s32)delivered)
			room = delivered;
		room += safe;
		if (room > (s32)(target - flight))
			room = target - flight;
	}
	if (room < (out ? 0 : 1))
		room = out ? 0 : 1;
	return flight + room;
}

/* Slow start and congestion avoidance. */
static u32 grown(struct tcp_sock *tp, struct mine *mine, u32 delivered)
{
	u32 cwnd = tp->snd_cwnd;

	if (cwnd < tp->snd_ssthresh) {
		if (cwnd >= 2 * tp->max_packets_out)
			return cwnd;
		return least(cwnd + delivered, most(tp->snd_ssthresh, cwnd));
	}
	if (!BITS(tp, is_cwnd_limited))
		return cwnd;
	mine->credit += delivered;
	if (mine->credit >= cwnd) {
		mine->credit = mine->credit >= 2 * cwnd ? 0 : mine->credit - cwnd;
		cwnd++;
	}
	return cwnd;
}

static void set_pace(struct tcp_sock *tp, u64 pace)
{
	struct sock *sk = (struct sock *)tp;

	if (!pace && tp->srtt_us) {
		/* tcp_update_pacing_rate() */
		u64 gain = tp->snd_cwnd < tp->snd_ssthresh / 2 ? 200 : 120;

		pace = (u64)tp->mss_cache * ((1000000 / 100) << 3) * gain *
		       most(tp->snd_cwnd, tp->packets_out) / tp->srtt_us;
	}
	if (pace)
		sk->sk_pacing_rate = pace < sk->sk_max_pacing_rate ? pace : sk->sk_max_pacing_rate;
}

static void set_window(struct tcp_sock *tp, u32 cwnd)
{
	tp->snd_cwnd = least(most(cwnd, 1), tp->snd_cwnd_clamp);
}

SEC("struct_ops")
void law_control(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];
	int flag = ctx[2];
	const struct rate_sample *rs = (void *)ctx[3];
	struct mine *mine = bpf_sk_storage_get(&connections, tp, NULL, 0);
	struct control *all = bpf_map_lookup_elem(&control, &zero);
	u32 state = BITS((struct inet_connection_sock *)tp, icsk_ca_state);
	u32 delivered = rs->acked_sacked;
	struct answer answer = {};
	bool has, late, safe;
	u64 now;

	if (!all)
		return;
	if (!mine) {
		/* No memory for it: the threshold is kept, and that is all. */
		if (tp->snd_cwnd > tp->snd_ssthresh)
			tp->snd_cwnd = most(tp->snd_ssthresh, 2);
		return;
	}
	safe = tp->snd_una != mine->una && tp->lost == mine->lost;
	mine->una = tp->snd_una;
	mine->lost = tp->lost;
	now = bpf_ktime_get_ns();
	mine->heard = now;
	has = read_answer(mine, all, &answer);
	catch_up(mine, has ? &answer : NULL, now);
	tell(tp, mine, KIND_ACK, rs, flag);
	late = mine->slot >= NO_SLOT || is_late(tp, mine, now);
	if (late && !mine->by_reno) {
		mine->credit = 0;
		/* A law that owns the window has no threshold to tell: the window in force is one that it found right. */
		if (all->owns_window && mine->answered)
			tp->snd_ssthresh = least(tp->snd_ssthresh, tp->snd_cwnd);
		if (mine->slot < NO_SLOT)
			__sync_fetch_and_add(&all->fell, 1);
	}
	mine->by_reno = late;
	if (state == CWR || state == RECOVERY)
		mine->prr_delivered += delivered;
	if (late) {
		if (state == CWR || state == RECOVERY)
			set_window(tp, reduced(tp, mine, tp->snd_ssthresh, delivered, safe));
		else
			set_window(tp, grown(tp, mine, delivered));
		set_pace(tp, 0);
		return;
	}
	if (!has || answer.number < mine->cut) {
		/* The law has not said what becomes of the window: as much leaves as arrives. */
		if (state == CWR || state == RECOVERY)
			set_window(tp, in_flight(tp) + most(delivered, tp->prr_out ? 0 : 1));
		return;
	}
	tp->snd_ssthresh = most(answer.ssthresh, 2);
	if (!all->owns_window && (state == CWR || state == RECOVERY))
		set_window(tp, reduced(tp, mine, answer.cwnd, delivered, safe));
	else
		set_window(tp, answer.cwnd);
	set_pace(tp, answer.pace);
}

SEC("struct_ops")
void law_init(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];
	struct mine *mine = bpf_sk_storage_get(&connections, tp, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	struct control *all = bpf_map_lookup_elem(&control, &zero);
	struct sock *sk = (struct sock *)tp;

	if (!mine || !all)
		return;
	__builtin_memset(mine, 0, sizeof(*mine));
	mine->id = __sync_fetch_and_add(&all->opened, 1) + 1;
	mine->una = tp->snd_una;
	mine->lost = tp->lost;
	mine->waiting = bpf_ktime_get_ns();
	mine->heard = mine->waiting;
	if (bpf_map_pop_elem(&vacant, &mine->slot)) {
		mine->slot = NO_SLOT;
		__sync_fetch_and_add(&all->refused, 1);
	}
	if (all->paced && sk->sk_pacing_status == PACING_NONE)
		sk->sk_pacing_status = PACING_NEEDED;
	tell(tp, mine, KIND_OPEN, NULL, 0);
}

SEC("struct_ops")
void law_release(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];
	struct mine *mine = bpf_sk_storage_get(&connections, tp, NULL, 0);

	if (!mine || mine->slot >= NO_SLOT)
		return;
	tell(tp, mine, KIND_CLOSE, NULL, 0);
	bpf_map_push_elem(&vacant, &mine->slot, 0);
	mine->slot = NO_SLOT;
}

/* Called before the kernel sets the state. */
SEC("struct_ops")
void law_state(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];
	u32 state = (u8)ctx[1];
	struct mine *mine = bpf_sk_storage_get(&connections, tp, NULL, 0);

	if (!mine || state < CWR)
		return;
	prepare(mine);
	tell(tp, mine, KIND_STATE, NULL, state);
	mine->cut = mine->number;
	mine->prr_delivered = 0;
}

SEC("struct_ops")
void law_event(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];
	u32 event = ctx[1];
	struct mine *mine = bpf_sk_storage_get(&connections, tp, NULL, 0);
	u64 pause;

	if (!mine || event != TX_START)
		return;
	pause = bpf_ktime_get_ns() - mine->heard;
	if (pause > PAUSE) {
		prepare(mine);
		tell(tp, mine, KIND_IDLE, NULL, least(pause / 1000, 0x7fffffff));
	}
}

/* Until the law has answered: half. */
SEC("struct_ops")
u32 law_ssthresh(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];

	return most(tp->snd_cwnd >> 1, 2);
}

/* A cut was a mistake. */
SEC("struct_ops")
u32 law_undo(u64 *ctx)
{
	struct tcp_sock *tp = (void *)ctx[0];
	struct mine *mine = bpf_sk_storage_get(&connections, tp, NULL, 0);

	if (mine) {
		prepare(mine);
		tell(tp, mine, KIND_UNDO, NULL, 0);
		mine->cut = mine->number;
	}
	return most(tp->snd_cwnd, tp->prior_cwnd);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops law = {
	.ssthresh = (void *)law_ssthresh,
	.set_state = (void *)law_state,
	.cwnd_event = (void *)law_event,
	.cong_control = (void *)law_control,
	.undo_cwnd = (void *)law_undo,
	.init = (void *)law_init,
	.release = (void *)law_release,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "skywave",
};

/* Gives the law to connections of the programs in a control group. */
SEC("sockops")
int choose(struct bpf_sock_ops *ops)
{
	struct control *all = bpf_map_lookup_elem(&control, &zero);

	if (all && (ops->op == ACTIVE_ESTABLISHED || ops->op == PASSIVE_ESTABLISHED))
		bpf_setsockopt(ops, IPPROTO_TCP, TCP_CONGESTION, all->name, sizeof(all->name));
	return 1;
}
