//! Time series on disk: one binary file a run, so that they need not stay in memory.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use skywave_sim::outcome::Series;
use skywave_sim::spec::Spec;

use super::file::write_atomically;
use super::load::{PACKET_BITS, RADIO_BPS, bps};

/// First bytes of a file; the digit is the version of the format.
const MAGIC: &[u8; 8] = b"skywser1";

/// A time series of one quantity of one flow or link.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesRecord {
    /// Name of the flow or link.
    pub entity: String,
    /// Name of the quantity, such as `cwnd`; see [`Series::quantity`].
    pub quantity: String,
    /// Points of the series, in order of time: pairs of a time in seconds since the start of the run, and a value.
    pub points: Vec<(f64, f64)>,
}

impl From<&Series> for SeriesRecord {
    fn from(series: &Series) -> Self {
        Self {
            entity: series.entity.clone(),
            quantity: series.quantity.to_owned(),
            points: series.points.clone(),
        }
    }
}

/// Bytes in a file for each packet of a bulk flow with its ACK, as measured.
pub(super) const BYTES_PER_PACKET: f64 = 130.0;

/// About how many bytes the series of a run take, if its slowest link is busy all the time.
pub(super) fn expected_bytes(spec: &Spec) -> f64 {
    let slowest = spec.links.iter().map(bps).reduce(f64::min);
    slowest.unwrap_or(RADIO_BPS) * spec.duration.as_secs_f64() / PACKET_BITS * BYTES_PER_PACKET
}

/// Writes the series of one run into a file.
pub(super) fn write(path: &Path, all: &[Series]) -> io::Result<()> {
    write_atomically(path, |out| write_to(out, all))
}

/// Writes the series of one run, as a file has them.
pub(super) fn write_to(out: &mut impl Write, all: &[Series]) -> io::Result<()> {
    out.write_all(MAGIC)?;
    write_length(out, all.len())?;
    for series in all {
        write_text(out, &series.entity)?;
        write_text(out, series.quantity)?;
        write_length(out, series.points.len())?;
        for (time, value) in &series.points {
            out.write_all(&time.to_le_bytes())?;
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Reads the series of one run.
pub(super) fn read(path: &Path) -> io::Result<Vec<SeriesRecord>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut input = BufReader::new(file);
    let mut magic = [0; 8];
    input.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(damaged());
    }
    let series = read_length(&mut input, size)?;
    (0..series)
        .map(|_| {
            let entity = read_text(&mut input, size)?;
            let quantity = read_text(&mut input, size)?;
            let points = read_length(&mut input, size)?;
            let points = (0..points)
                .map(|_| Ok((read_number(&mut input)?, read_number(&mut input)?)))
                .collect::<io::Result<_>>()?;
            Ok(SeriesRecord {
                entity,
                quantity,
                points,
            })
        })
        .collect()
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a file of time series")
}

fn write_length(out: &mut impl Write, length: usize) -> io::Result<()> {
    out.write_all(&(length as u64).to_le_bytes())
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    write_length(out, text.len())?;
    out.write_all(text.as_bytes())
}

/// A length; one beyond the size of the file is damage, not a reason to allocate.
fn read_length(input: &mut impl Read, size: u64) -> io::Result<usize> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    let length = u64::from_le_bytes(bytes);
    if length > size {
        return Err(damaged());
    }
    usize::try_from(length).map_err(|_| damaged())
}

fn read_text(input: &mut impl Read, size: u64) -> io::Result<String> {
    let mut bytes = vec![0; read_length(input, size)?];
    input.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| damaged())
}

fn read_number(input: &mut impl Read) -> io::Result<f64> {
    let mut bytes = [0; 8];
    input.read_exact(&mut bytes)?;
    Ok(f64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_damage_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run.bin");
        let all = [
            Series {
                entity: "bulk".into(),
                quantity: "cwnd",
                points: vec![(0.0, 1.0), (0.1 + 0.2, f64::MAX)],
            },
            Series {
                entity: "wire→less".into(),
                quantity: "queue",
                points: vec![],
            },
        ];
        write(&path, &all).unwrap();
        let expected: Vec<SeriesRecord> = all.iter().map(Into::into).collect();
        assert_eq!(read(&path).unwrap(), expected);

        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "cut at {cut}");
        }
        for at in 0..bytes.len() {
            // Any byte may be wrong: an error or other numbers, never a panic.
            let mut wrong = bytes.clone();
            wrong[at] ^= 0xff;
            std::fs::write(&path, wrong).unwrap();
            let _ = read(&path);
        }
    }
}
