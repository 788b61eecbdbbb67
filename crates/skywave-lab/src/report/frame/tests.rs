use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};

use super::*;
use crate::experiment::stats::Estimate;
use crate::report::tests::fixture;

fn all(frame: Frame<'_>) -> RecordBatch {
    let mut batches: Vec<RecordBatch> = frame.collect::<Result<_, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

#[test]
fn a_summary_has_means_and_intervals_of_each_flow_at_each_point() {
    let (study, results) = fixture::small();
    let batch = all(summary(&study, &results));
    let reals = |name: &str| {
        batch
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Float64Type>()
    };
    let seeds = batch.column_by_name("seeds").unwrap();
    let flows = batch.column_by_name("flow").unwrap().as_string::<i32>();
    let mut row = 0;
    for point in 0..results.points() {
        for (flow, name) in ["bulk", "voice"].iter().enumerate() {
            let values = |get: fn(&skywave_sim::FlowOutcome) -> Option<f64>| {
                let samples = results.samples(point, |run| get(&run.outcome.flows[flow]));
                Estimate::of(&samples.into_iter().flatten().collect::<Vec<_>>())
            };
            assert_eq!(flows.value(row), *name);
            assert_eq!(seeds.as_primitive::<UInt64Type>().value(row), 2);
            let goodput = values(|f| Some(f.goodput_bps)).unwrap();
            assert_eq!(reals("goodput_bps").value(row), goodput.mean);
            assert_eq!(reals("goodput_bps_ci95").value(row), goodput.half.unwrap());
            // A field that no run has stays empty.
            let rtt = values(|f| f.rtt_mean_s).is_some();
            assert_eq!(reals("rtt_mean_s").is_valid(row), rtt);
            assert_eq!(reals("rtt_mean_s_ci95").is_valid(row), rtt);
            row += 1;
        }
    }
    assert_eq!(batch.num_rows(), row);
}

#[test]
fn one_seed_has_no_interval_and_a_missing_run_no_row() {
    let (study, results) = fixture::small();
    let mut partial = Results::empty("skywave 0", &results.seeds, results.points());
    partial.put(0, 1, &results.get(0, 1).unwrap());
    let batch = all(summary(&study, &partial));
    assert_eq!(batch.num_rows(), 2);
    let column = |name: &str| batch.column_by_name(name).unwrap();
    assert_eq!(column("goodput_bps").null_count(), 0);
    assert_eq!(column("goodput_bps_ci95").null_count(), 2);
    assert_eq!(all(runs(&study, &partial)).num_rows(), 2);
}
