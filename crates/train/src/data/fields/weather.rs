//! Weather made by rules: showers that the wind carries over a map, as it was seen at some times, and how hard it will
//! rain in the middle at a later one. SYNTHETIC.
//!
//! ```text
//! channel c of n: the map n - 1 - c times ago, with noise        labels: dry (0), light (1), heavy (2), LEAD times ahead
//! ```
//!
//! Who says that nothing will move is wrong about most of the rain: where it goes is told by how it moved. Showers come
//! from beyond the edge of what is told, so a model must look further than it tells. Only two spatial dims.

use super::Examples;
use super::generated::{Numbered, Plane, labelled, places, within};
use crate::data::arrays::Arrays;
use crate::data::corpus::Part;
use meshwright_base::Diagnostic;
use meshwright_base::random::Random;

/// Times from the last map that is seen to the one that is told.
const LEAD: f64 = 3.0;

/// How far the wind carries a shower in a time, in places.
const WIND: [f64; 2] = [0.8, 2.0];

/// Where light rain and heavy rain begin.
const LIGHT: f64 = 0.3;
const HEAVY: f64 = 0.8;

/// Maps of one size.
pub struct Weather {
    numbered: Numbered,
    /// A channel for each map that is seen.
    plane: Plane,
    /// Spatial sizes of what is told, in the middle.
    told: [usize; 2],
}

/// A shower: where it is at time 0, how wide, how hard, and how much harder it becomes in a time.
struct Shower {
    at: [f64; 2],
    wide: f64,
    hard: f64,
    grows: f64,
}

/// Showers in a wind, in places a time.
struct Sky {
    showers: Vec<Shower>,
    wind: [f64; 2],
}

impl Weather {
    pub fn new(seed: u64, count: u64, plane: Plane, told: [usize; 2]) -> Weather {
        Weather { numbered: Numbered::new("weather", count, seed, 0x7765_6174_6865), plane, told }
    }

    /// Drawn for a map of this size: as many showers as cover some of it, also beyond its edges, where those are that
    /// will come.
    fn sky(&self, random: &mut Random) -> Sky {
        let (turn, speed) = (within(random, 0.0, std::f64::consts::TAU), within(random, WIND[0], WIND[1]));
        let beyond = WIND[1] * LEAD;
        let size = self.plane.size.map(|size| size as f64);
        let count = random.between(4, 9);
        let shower = |_| Shower {
            at: size.map(|size| within(random, -beyond, size + beyond)),
            wide: within(random, 1.6, 3.6),
            hard: within(random, 0.6, 1.6),
            grows: within(random, -0.1, 0.1),
        };
        Sky { showers: (0..count).map(shower).collect(), wind: [speed * turn.sin(), speed * turn.cos()] }
    }
}

impl Sky {
    /// How hard it rains at a place and a time.
    fn rain(&self, place: [f64; 2], time: f64) -> f64 {
        let one = |shower: &Shower| {
            let away = [0, 1].map(|dim| (place[dim] - shower.at[dim] - self.wind[dim] * time) / shower.wide);
            let hard = shower.hard * (shower.grows * time).exp();
            hard * (-(away[0] * away[0] + away[1] * away[1]) / 2.0).exp()
        };
        self.showers.iter().map(one).sum()
    }

    fn class(&self, place: [f64; 2], time: f64) -> i32 {
        let rain = self.rain(place, time);
        i32::from(rain >= LIGHT) + i32::from(rain >= HEAVY)
    }
}

impl Examples for Weather {
    fn parts(&self) -> &[Part] {
        &self.numbered.parts
    }

    fn example(&mut self, part: usize, at: u64) -> Result<Arrays, Diagnostic> {
        let (mut random, size) = (self.numbered.random(part, at)?, self.plane.size);
        let sky = self.sky(&mut random);
        let times = self.plane.channels;
        let maps = self.plane.drawn(&mut random, |place, time| sky.rain(place, -((times - 1 - time) as f64)));
        let first = [0, 1].map(|dim| (size[dim] - self.told[dim].min(size[dim])) / 2);
        let labels = places(self.told, first).map(|place| sky.class(place, LEAD)).collect();
        Ok(labelled(maps, labels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::arrays::Values;

    fn make(noise: f64) -> Weather {
        Weather::new(3, 500, Plane { size: [32, 32], channels: 3, noise }, [16, 16])
    }

    fn labels(one: &Arrays) -> &[i32] {
        match one.get("labels") {
            Some(Values::Whole(labels)) => labels,
            _ => panic!("labels"),
        }
    }

    #[test]
    fn weather_is_a_function_of_its_number_and_all_classes_occur() {
        let mut counts = [0usize; 3];
        for at in 0..60 {
            let one = make(0.1).example(0, at).unwrap();
            assert_eq!(one, make(0.1).example(0, at).unwrap());
            let Some(Values::Real(maps)) = one.get("image") else { panic!("maps") };
            assert_eq!((maps.len(), labels(&one).len()), (32 * 32 * 3, 16 * 16));
            labels(&one).iter().for_each(|label| counts[*label as usize] += 1);
        }
        assert!(counts.iter().all(|count| *count > 500), "{counts:?}");
        assert!(make(0.1).example(0, 500).is_err() && make(0.1).example(1, 0).is_err());
    }

    /// Dice of both kinds of rain, their mean, of what is said of the middle.
    fn dice(say: impl Fn(&Sky, [f64; 2]) -> i32) -> f64 {
        let weather = make(0.0);
        let (mut asked, mut said, mut both) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for at in 0..200 {
            let sky = weather.sky(&mut weather.numbered.random(0, at).unwrap());
            for place in places([16, 16], [8, 8]) {
                let (right, found) = (sky.class(place, LEAD) as usize, say(&sky, place) as usize);
                asked[right] += 1.0;
                said[found] += 1.0;
                both[right] += f64::from(u8::from(right == found));
            }
        }
        (1..3).map(|class| 2.0 * both[class] / (asked[class] + said[class])).sum::<f64>() / 2.0
    }

    #[test]
    fn the_wind_must_be_seen_to_tell_the_rain() {
        let still = dice(|sky, place| sky.class(place, 0.0));
        let moved = dice(|sky, [y, x]| sky.class([y - sky.wind[0] * LEAD, x - sky.wind[1] * LEAD], 0.0));
        assert!(still < 0.6, "{still}");
        assert!(moved > 0.85, "{moved}");
    }
}
