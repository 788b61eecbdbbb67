//! Lowering of `[[station]]`: where stations are, and what their IP layers do.

use skywave_core::link::LinkConfig;
use skywave_core::radio::{Position, RandomWaypointConfig, Track};
use skywave_core::{Duration, Rate};
use skywave_sim::spec::{Movement, StationSpec};

use crate::lower::channel::channel;
use crate::lower::link::{DEFAULT_QUEUE, jitter};
use crate::lower::queue::{Transmitter, queue};
use crate::lower::{Network, check_name, copies, numbered, wrong_order};
use crate::model::station::{IpModel, MovesModel, RandomWaypointModel, SpeedsModel, StationModel};
use crate::model::units::Metres;
use crate::read::fault::Fault;
use crate::read::files::Shelf;
use crate::read::spanned::Spanned;

/// Most stations of a network: each may hear each other.
const MAX_STATIONS: usize = 1000;
/// The rate of an IP layer that handles packets in no time.
const NO_LIMIT: Rate = Rate::from_bps(100_000_000_000_000);

/// Adds one `[[station]]` to the network.
pub(crate) fn add(
    network: &mut Network,
    station: &Spanned<StationModel>,
    files: &Shelf<'_>,
) -> Result<(), Fault> {
    let model = &station.value;
    let node = &model.node;
    check_name(node)?;
    if let Some(name) = &model.name {
        check_name(name)?;
    }
    let group = model.name.as_ref().unwrap_or(node);
    if let Some(count) = &model.count
        && !node.value.contains('#')
    {
        return Err(count
            .fault("copies of a station need nodes of their own")
            .label("every copy would be at the same node")
            .help(
                "put `#` into the node's name, as in node = \"N#\": it becomes the copy's number",
            ));
    }
    if model.count.is_none() && node.value.contains('#') {
        return Err(node
            .fault("`#` in a node's name stands for a copy's number")
            .label("but this station has no `count`"));
    }
    let all = copies(model.count.as_ref())?;
    if network.stations.len() + all.len() > MAX_STATIONS {
        return Err(station
            .fault("these are too many stations")
            .label(format!("more than {MAX_STATIONS}")));
    }
    let movements = movements(station, all.len(), files)?;
    let ip = model.ip.as_ref().map(ip).transpose()?;
    let loss = model
        .loss
        .as_ref()
        .map(channel)
        .transpose()?
        .unwrap_or_default();
    for (copy, movement) in all.into_iter().zip(movements) {
        let name = numbered(&node.value, copy);
        let at = network.add_node(&name);
        if network.stations.iter().any(|other| other.node == at) {
            return Err(node
                .fault(format!("node `{name}` has two stations"))
                .label("the second one"));
        }
        network.station_groups.push(group.value.clone());
        network.stations.push(StationSpec {
            node: at,
            movement,
            ip: ip.clone(),
            loss: loss.clone(),
        });
    }
    Ok(())
}

/// How each copy moves.
fn movements(
    station: &Spanned<StationModel>,
    copies: usize,
    files: &Shelf<'_>,
) -> Result<Vec<Movement>, Fault> {
    let model = &station.value;
    if let Some(step) = &model.step {
        let reason = if model.count.is_none() {
            "there is one station only"
        } else if model.at.is_none() {
            "this needs `at`"
        } else {
            ""
        };
        if !reason.is_empty() {
            return Err(step
                .fault("`step` is for stations with `at` and a `count`")
                .label(reason));
        }
    }
    match (&model.at, &model.moves) {
        (None, None) => Err(station
            .fault("this station is nowhere")
            .label("`at` or `moves` is needed")),
        (Some(_), Some(moves)) => Err(moves
            .fault("this station has a place and a way to go")
            .label("`at` is for stations that stay where they are")),
        (Some(at), None) => {
            let step = model
                .step
                .as_ref()
                .map_or((Metres(0.0), Metres(0.0)), |s| s.value);
            let place = |copy: usize| Position {
                x: at.value.0.0 + step.0.0 * copy as f64,
                y: at.value.1.0 + step.1.0 * copy as f64,
            };
            Ok((0..copies)
                .map(|copy| Movement::Fixed(place(copy)))
                .collect())
        }
        (None, Some(moves)) => match &moves.value {
            MovesModel::Setdest(path) => {
                let found = files.setdest(path, &moves.span, copies)?;
                Ok(found.tracks.iter().cloned().map(track).collect())
            }
            MovesModel::Model(m) => {
                let config = random_waypoint(&m.random_waypoint)?;
                Ok(vec![Movement::RandomWaypoint(config); copies])
            }
        },
    }
}

fn track(track: Track) -> Movement {
    if track.commands.is_empty() {
        Movement::Fixed(track.start)
    } else {
        Movement::Track(track)
    }
}

fn random_waypoint(model: &RandomWaypointModel) -> Result<RandomWaypointConfig, Fault> {
    let (min, max) = match model.speed.value {
        SpeedsModel::One(speed) => (speed, speed),
        SpeedsModel::Between(min, max) => (min, max),
    };
    if min.0 > max.0 {
        return Err(wrong_order(&model.speed));
    }
    Ok(RandomWaypointConfig {
        corner: Position {
            x: model.area.0.0,
            y: model.area.1.0,
        },
        min_speed: min.0,
        max_speed: max.0,
        pause: model.pause.map_or(Duration::ZERO, |pause| pause.0),
    })
}

fn ip(model: &Spanned<IpModel>) -> Result<LinkConfig, Fault> {
    let IpModel {
        rate,
        queue: waiting,
        delay,
        jitter: random,
        loss,
    } = &model.value;
    let limit = match waiting {
        Some(waiting) => {
            let handler = rate.map(|rate| Transmitter::Link(rate.0));
            queue(waiting, handler.unwrap_or(Transmitter::Host))?
        }
        None => DEFAULT_QUEUE,
    };
    if let (Some(waiting), false) = (waiting, limit.decides_on_arrival()) {
        return Err(waiting
            .fault("the IP layer of a station has no queue of this kind")
            .label("it takes droptail, red and step"));
    }
    let mut config = LinkConfig::new(
        rate.map_or(NO_LIMIT, |rate| rate.0),
        delay.map_or(Duration::ZERO, |delay| delay.0),
        limit,
    );
    config.jitter = jitter(random.as_ref())?;
    config.loss = loss.as_ref().map(channel).transpose()?.unwrap_or_default();
    Ok(config)
}
