//! Pictures as plain data.

use crate::checks::in_range;
use crate::{Error, Result};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unnorm_wire::spec;

/// A picture, row by row from the top.
#[spec]
pub struct PictureSpec {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Values per pixel: 1, grey, if absent; 3, red, green and blue; or 4, these and an opacity
    /// that is ignored, as in a canvas.
    #[serde(default = "one")]
    pub channels: usize,
    /// Levels from 0 to 255, `[height, width, channels]`.
    #[serde(default, serialize_with = "as_bytes", deserialize_with = "bytes")]
    #[ts(optional, type = "Uint8Array | Uint8ClampedArray | number[]")]
    pub pixels: Option<Vec<u8>>,
    /// Numbers of any scale, in the same order, instead of `pixels`.
    #[serde(default)]
    pub intensities: Option<Vec<f64>>,
}

fn one() -> usize {
    1
}

/// Maximum number of pixels on a side.
const MAX_SIDE: usize = 1 << 16;

/// Weights of red, green and blue in a grey value, in ten-thousandths: those of the luma of ITU-R
/// BT.709. The sums are exact for levels, so a grey picture is the same in one channel and in
/// three.
const LUMA: [f64; 3] = [2126.0, 7152.0, 722.0];

impl PictureSpec {
    /// Size of the values in bytes.
    pub fn num_bytes(&self) -> u64 {
        let bytes = self.pixels.as_ref().map_or(0, Vec::len);
        let numbers = self.intensities.as_ref().map_or(0, Vec::len);
        bytes as u64 + 8 * numbers as u64
    }

    /// Checks shape and values; `field` is the path of the picture.
    ///
    /// # Errors
    /// [`Error::InvalidSpec`] for an invalid size or number of channels, [`Error::InvalidData`] for
    /// values of the wrong number, or not finite.
    pub fn check(&self, field: &str) -> Result<()> {
        for (side, value) in [("width", self.width), ("height", self.height)] {
            in_range(&format!("{field}.{side}"), value, 1, MAX_SIDE)?;
        }
        if !matches!(self.channels, 1 | 3 | 4) {
            let problem = format!(
                "is {}; give 1 for grey, 3 for red, green and blue, 4 with an opacity",
                self.channels
            );
            return Err(Error::spec(format!("{field}.channels"), problem));
        }
        let (name, count) = match (&self.pixels, &self.intensities) {
            (Some(pixels), None) => ("pixels", pixels.len()),
            (None, Some(intensities)) => ("intensities", intensities.len()),
            (None, None) => {
                let problem = "is missing; give the levels of the pixels, or their intensities";
                return Err(Error::data(format!("{field}.pixels"), problem));
            }
            (Some(_), Some(_)) => {
                let problem = "is given besides `pixels`; give one of them";
                return Err(Error::data(format!("{field}.intensities"), problem));
            }
        };
        let expected = self.width as u64 * self.height as u64 * self.channels as u64;
        if count as u64 != expected {
            let problem = format!(
                "has {count} numbers, but {} × {} pixels of {} have {expected}",
                self.width, self.height, self.channels
            );
            return Err(Error::data(format!("{field}.{name}"), problem));
        }
        let values = self.intensities.as_deref().unwrap_or_default();
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let problem = format!("is {}; every one must be a finite number", values[at]);
            return Err(Error::data(format!("{field}.intensities[{at}]"), problem));
        }
        Ok(())
    }

    /// The grey value of pixel (x, y).
    ///
    /// # Panics
    /// If there is no such pixel, or the values were not checked.
    #[inline]
    pub fn grey(&self, x: usize, y: usize) -> f64 {
        let at = (y * self.width + x) * self.channels;
        match (&self.pixels, &self.intensities) {
            (Some(pixels), _) if self.channels == 1 => f64::from(pixels[at]),
            (Some(pixels), _) => luma([0, 1, 2].map(|channel| f64::from(pixels[at + channel]))),
            (None, Some(values)) if self.channels == 1 => values[at],
            (None, Some(values)) => luma([0, 1, 2].map(|channel| values[at + channel])),
            (None, None) => panic!("a picture without numbers"),
        }
    }

    /// Smallest and largest grey value.
    ///
    /// # Panics
    /// See [`PictureSpec::grey`].
    pub fn range(&self) -> (f64, f64) {
        let mut range = (f64::INFINITY, f64::NEG_INFINITY);
        for y in 0..self.height {
            for x in 0..self.width {
                let grey = self.grey(x, y);
                range = (range.0.min(grey), range.1.max(grey));
            }
        }
        range
    }
}

fn luma([red, green, blue]: [f64; 3]) -> f64 {
    (LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue) / 10_000.0
}

/// Serializes bytes as one byte array, rather than number by number.
fn as_bytes<S: Serializer>(
    bytes: &Option<Vec<u8>>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    struct Bytes<'a>(&'a [u8]);
    impl Serialize for Bytes<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            serializer.serialize_bytes(self.0)
        }
    }
    bytes.as_deref().map(Bytes).serialize(serializer)
}

/// Deserializes bytes, from one byte array or from a list of numbers.
fn bytes<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Vec<u8>>, D::Error> {
    struct Bytes(Vec<u8>);
    impl<'de> Deserialize<'de> for Bytes {
        fn deserialize<D: Deserializer<'de>>(
            deserializer: D,
        ) -> std::result::Result<Self, D::Error> {
            deserializer.deserialize_byte_buf(BytesVisitor).map(Self)
        }
    }
    Ok(Option::<Bytes>::deserialize(deserializer)?.map(|bytes| bytes.0))
}

struct BytesVisitor;

impl<'de> Visitor<'de> for BytesVisitor {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an array of whole numbers from 0 to 255")
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> std::result::Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Vec<u8>, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}
