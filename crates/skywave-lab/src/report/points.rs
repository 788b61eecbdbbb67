//! Labels of points and runs, and lists of labels in order of appearance.

use std::collections::BTreeMap;

use super::panel::XValue;
use super::study::StudyPoint;
use crate::scenario::{ParamValue, PlotAxis};

/// A point with the seeds that it is run with.
pub(super) struct PointLabel<'a> {
    pub(super) point: &'a StudyPoint,
    pub(super) seeds: &'a [u64],
    /// Names that the file gives to values.
    pub(super) names: &'a BTreeMap<String, String>,
}

impl PointLabel<'_> {
    /// Where the run of each seed stands on an axis: seeds of a point differ on the axis of seeds alone.
    pub(super) fn places<'b>(&'b self, axis: &'b PlotAxis) -> impl Fn(usize) -> XValue + 'b {
        let same = (*axis != PlotAxis::Seed).then(|| self.place(axis, 0));
        move |seed_index| match &same {
            Some(place) => place.clone(),
            None => self.place(axis, seed_index),
        }
    }

    fn place(&self, axis: &PlotAxis, seed_index: usize) -> XValue {
        match axis {
            PlotAxis::Param(path) => {
                let value = self.point.param(path);
                let label = value.map(ToString::to_string).unwrap_or_default();
                let short = value.map(ParamValue::short).unwrap_or_default();
                let name = self.names.get(&label).or_else(|| self.names.get(&short));
                XValue {
                    name: name.cloned().unwrap_or(short),
                    label,
                    number: value.and_then(ParamValue::number),
                }
            }
            PlotAxis::Seed => {
                let seed = self.seeds.get(seed_index).copied().unwrap_or_default();
                XValue::number(seed as f64)
            }
            PlotAxis::Time | PlotAxis::Flow | PlotAxis::Measure => self.named(""),
        }
    }

    /// A value that is a name.
    pub(super) fn named(&self, label: &str) -> XValue {
        let name = self.names.get(label);
        XValue {
            label: label.to_owned(),
            name: name.cloned().unwrap_or_else(|| label.to_owned()),
            number: None,
        }
    }
}

/// Values by label, in order of first appearance.
#[derive(Debug)]
pub(super) struct Labelled<T> {
    index: BTreeMap<String, usize>,
    values: Vec<T>,
}

impl<T> Default for Labelled<T> {
    fn default() -> Self {
        Self {
            index: BTreeMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T> Labelled<T> {
    /// The index of `label`; `value` is its value when it is new.
    pub(super) fn index(&mut self, label: &str, value: impl FnOnce() -> T) -> usize {
        if let Some(&at) = self.index.get(label) {
            return at;
        }
        self.index.insert(label.to_owned(), self.values.len());
        self.values.push(value());
        self.values.len() - 1
    }

    /// The value of `label`, made by `value` when it is new.
    pub(super) fn entry(&mut self, label: &str, value: impl FnOnce() -> T) -> &mut T {
        let at = self.index(label, value);
        &mut self.values[at]
    }

    /// All values in order of appearance.
    pub(super) fn into_values(self) -> Vec<T> {
        self.values
    }

    /// The indices by ascending number when all values have one, else as they are.
    pub(super) fn ascending(&self, number: impl Fn(&T) -> Option<f64>) -> Vec<usize> {
        let numbers: Option<Vec<f64>> = self.values.iter().map(number).collect();
        let mut order: Vec<usize> = (0..self.values.len()).collect();
        if let Some(numbers) = numbers {
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        }
        order
    }

    /// All values in this order.
    pub(super) fn into_sorted(self, order: &[usize]) -> Vec<T> {
        let mut values: Vec<Option<T>> = self.values.into_iter().map(Some).collect();
        order
            .iter()
            .filter_map(|&i| values.get_mut(i)?.take())
            .collect()
    }
}
