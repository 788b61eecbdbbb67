//! The kind of a link and its numbers, from one capture.

use skywave_diagnose::diagnosis::Diagnosis;
use skywave_diagnose::fit::hidden::LossModel;
use skywave_diagnose::fit::path::{Loss, QueueModel, RateModel};
use skywave_diagnose::fit::{Choice, Estimate};
use skywave_lab::capture::Remark;
use skywave_lab::threads::{self, NoThreads};

use super::made::{KINDS, Kind, Made};

/// Draws of each kind.
const DRAWS: u64 = 2;

fn queue_is(diagnosis: &Diagnosis, name: &str) -> bool {
    let choice = diagnosis.link.queue.known.told();
    choice.is_some_and(|choice| choice.equals().take(3).any(|model| model.name() == name))
}

fn losses(diagnosis: &Diagnosis) -> Option<&LossModel> {
    diagnosis.link.losses.known.told().map(Choice::best)
}

/// No losses of the channel are told.
fn is_clean(diagnosis: &Diagnosis) -> bool {
    // One or two packets in many thousands are not told to be of any kind.
    matches!(losses(diagnosis), None | Some(LossModel::None))
}

fn is_right(made: &Made, diagnosis: &Diagnosis) -> bool {
    let link = &diagnosis.link;
    let kind = match made.kind {
        Kind::DropTail | Kind::Steps => queue_is(diagnosis, "droptail") && is_clean(diagnosis),
        Kind::Iid => matches!(losses(diagnosis), Some(LossModel::Independent { .. })),
        Kind::Bursts => matches!(losses(diagnosis), Some(LossModel::Bursts { .. })),
        Kind::BurstsInTime => matches!(losses(diagnosis), Some(LossModel::BurstsInTime { .. })),
        Kind::CoDel => queue_is(diagnosis, "codel") && is_clean(diagnosis),
        // Few of a managed queue's packets are certain to meet nothing of it, so rare losses beside it are not ruled out.
        Kind::Pie => queue_is(diagnosis, "pie"),
        Kind::Red => queue_is(diagnosis, "red"),
        Kind::Policer => link.policer.is_some() && is_clean(diagnosis),
        Kind::Shares => matches!(link.rate.known.told(), Some(RateModel::Recorded(_))),
    };
    kind && link.policer.is_some() == (made.kind == Kind::Policer)
}

/// True numbers with the estimates of them.
fn numbers(made: &Made, diagnosis: &Diagnosis) -> Vec<(&'static str, f64, Estimate)> {
    let link = &diagnosis.link;
    let mut found = vec![(
        "base",
        made.rtt_ms / 1e3,
        *link.base_s.known.told().unwrap(),
    )];
    if let (Some(RateModel::Constant(rate, _)), true) =
        (link.rate.known.told(), made.kind != Kind::Shares)
    {
        found.push(("rate", made.mbps * 1e6, *rate));
    }
    let choice = link.queue.known.told();
    if let (Some(QueueModel::DropTail { bytes }), true) =
        (choice.map(Choice::best), made.kind != Kind::Policer)
    {
        found.push(("queue", made.packets as f64 * link.packet, *bytes));
    }
    match losses(diagnosis) {
        Some(LossModel::Independent { p }) if made.kind == Kind::Iid => {
            found.push(("p", made.parameters[0], *p));
        }
        Some(LossModel::Bursts { to_bad, to_good }) if made.kind == Kind::Bursts => {
            found.push(("to_bad", made.parameters[0], *to_bad));
            found.push(("to_good", made.parameters[1], *to_good));
        }
        Some(LossModel::BurstsInTime { good_s, bad_s }) if made.kind == Kind::BurstsInTime => {
            found.push(("good", made.parameters[0], *good_s));
            found.push(("bad", made.parameters[1], *bad_s));
        }
        _ => {}
    }
    let policer = link.policer.as_ref().filter(|_| made.kind == Kind::Policer);
    if let Some(policer) = policer.and_then(|found| found.known.told()) {
        found.push(("policer's rate", made.parameters[0] * 1e6, policer.bps));
        found.push(("policer's burst", made.parameters[1] * 1e3, policer.burst));
    }
    found
}

/// Losses that were told to be of the wrong kind, of all.
fn mistaken(diagnosis: &Diagnosis) -> (usize, usize) {
    let observed = &diagnosis.transfers[0];
    let kinds = &observed.path.as_ref().unwrap().kinds;
    let told = kinds.iter().zip(&observed.transfer.remarks);
    let known: Vec<bool> = told
        .filter_map(|(kind, remark)| {
            let congestive = matches!(
                (*remark)?,
                Remark::LostQueue | Remark::LostEarly(_) | Remark::LostPoliced
            );
            Some(congestive == ((*kind)? == Loss::Congestive))
        })
        .collect();
    (known.iter().filter(|right| !**right).count(), known.len())
}

/// Whether the end of a record is said to fit though it cannot, or not to fit though it is like the rest: a capture alone tells
/// nothing of a base round trip that changes.
fn is_unlike(made: &Made, diagnosis: &Diagnosis) -> Option<String> {
    let [goodness] = &diagnosis.goodness[..] else {
        return Some(format!("{:?}", diagnosis.goodness));
    };
    let is_as_it_seems = made.kind != Kind::Steps;
    (goodness.fits() != Some(is_as_it_seems)).then(|| {
        let compared = goodness.compared.told().into_iter().flatten();
        let wrong: Vec<_> = compared.filter(|number| !number.fits).collect();
        format!("{made:?}: {wrong:?}")
    })
}

/// Drawn links of all kinds, each with what was found from a record of it.
fn diagnosed() -> Vec<(Made, Diagnosis)> {
    let draw = |n: usize| {
        let number = n as u64 % DRAWS;
        let made = Made::draw(KINDS[n / DRAWS as usize], number);
        let diagnosis = made.diagnosis(number + 1);
        Ok((made, diagnosis))
    };
    threads::each::<_, NoThreads>(None, KINDS.len() * DRAWS as usize, draw).unwrap()
}

/// Of twenty drawn links, two of each kind, ninety seconds of CUBIC each.
#[test]
fn the_kind_of_a_link_and_its_numbers_are_found() {
    let (mut wrong, mut outside, mut unlike) = (Vec::new(), Vec::new(), Vec::new());
    let (mut intervals, mut mistakes, mut all_losses) = (0, 0, 0);
    for (made, diagnosis) in diagnosed() {
        if !is_right(&made, &diagnosis) {
            wrong.push(format!("{made:?}: {:?}", diagnosis.link));
        }
        for (name, truth, estimate) in numbers(&made, &diagnosis) {
            intervals += 1;
            if !(estimate.low..=estimate.high).contains(&truth) {
                outside.push(format!("{made:?}: {name} {truth} {estimate:?}"));
            }
        }
        unlike.extend(is_unlike(&made, &diagnosis));
        let (some, of) = mistaken(&diagnosis);
        mistakes += some;
        all_losses += of;
    }
    println!(
        "{} wrong, {outside:?} of {intervals}, {mistakes} of {all_losses}, {unlike:#?}",
        wrong.len()
    );
    assert!(unlike.len() <= 2, "{unlike:#?}");
    assert!(wrong.len() <= 2, "{wrong:#?}");
    assert!(
        outside.len() * 10 <= intervals,
        "{outside:#?} of {intervals}"
    );
    assert!(
        mistakes * 20 <= all_losses,
        "{mistakes} of {all_losses} losses"
    );
}
