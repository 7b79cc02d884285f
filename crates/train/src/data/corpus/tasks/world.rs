//! What is so in the made-up country that tasks ask about: towns, each with a river, a ware and a founder.
//!
//! Facts are a function of the seed. Text to learn from states them ([`World::paragraph`]); questions whose answer is
//! in no passage ask for them.

use crate::data::corpus::languages::PEOPLE;
use meshwright_base::random::{Random, mix};

const BEGINNINGS: [&str; 8] = ["Al", "Bir", "Cor", "Dun", "East", "Glen", "Har", "Kel"];
const ENDS: [&str; 6] = ["by", "ham", "ley", "mere", "ton", "wick"];
const RIVERS: [&str; 10] =
    ["Arrow", "Brook", "Cray", "Dove", "Esk", "Frome", "Gade", "Humber", "Irwell", "Kennet"];
const WARES: [&str; 10] =
    ["salt", "wool", "glass", "honey", "iron", "paper", "silk", "cheese", "bricks", "rope"];

/// What can be asked of a town.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    River,
    Ware,
    Founder,
}

pub const RELATIONS: [Relation; 3] = [Relation::River, Relation::Ware, Relation::Founder];

/// The facts of a seed.
#[derive(Clone, Copy, Debug)]
pub struct World {
    seed: u64,
}

impl Relation {
    fn values(self) -> &'static [&'static str] {
        match self {
            Relation::River => &RIVERS,
            Relation::Ware => &WARES,
            Relation::Founder => PEOPLE,
        }
    }

    /// A sentence that says it.
    pub fn stated(self, town: &str, value: &str, random: &mut Random) -> String {
        let ways: [String; 2] = match self {
            Relation::River => {
                [format!("The {value} flows through {town}."), format!("{town} lies on the river {value}.")]
            }
            Relation::Ware => {
                [format!("{town} is known for its {value}."), format!("People in {town} make {value}.")]
            }
            Relation::Founder => {
                [format!("{town} was founded by {value}."), format!("{value} was the founder of {town}.")]
            }
        };
        ways[random.index(2)].clone()
    }

    /// A question for it.
    pub fn asked(self, town: &str, random: &mut Random) -> String {
        let ways = match self {
            Relation::River => {
                [format!("which river flows through {town}?"), format!("on which river does {town} lie?")]
            }
            Relation::Ware => {
                [format!("what is {town} known for?"), format!("what do people in {town} make?")]
            }
            Relation::Founder => [format!("who founded {town}?"), format!("who was the founder of {town}?")],
        };
        ways[random.index(2)].clone()
    }

    pub fn any(random: &mut Random) -> Relation {
        RELATIONS[random.index(RELATIONS.len())]
    }

    pub fn any_value(self, random: &mut Random) -> &'static str {
        self.values()[random.index(self.values().len())]
    }
}

/// One of the towns there are.
pub fn any_town(random: &mut Random) -> String {
    format!("{}{}", BEGINNINGS[random.index(BEGINNINGS.len())], ENDS[random.index(ENDS.len())])
}

impl World {
    pub fn new(seed: u64) -> World {
        World { seed }
    }

    /// What is so of a town.
    pub fn fact(&self, town: &str, relation: Relation) -> &'static str {
        let start = mix(self.seed ^ 0x746F_776E ^ relation as u64);
        let hash = town.bytes().fold(start, |hash, byte| mix(hash ^ u64::from(byte)));
        let values = relation.values();
        values[(hash % values.len() as u64) as usize]
    }

    /// All that is so of one town, and a fact of another.
    pub fn paragraph(&self, random: &mut Random) -> String {
        let (town, other) = (any_town(random), any_town(random));
        let first = random.index(RELATIONS.len());
        let mut said: Vec<String> = (0..RELATIONS.len())
            .map(|at| RELATIONS[(first + at) % RELATIONS.len()])
            .map(|relation| relation.stated(&town, self.fact(&town, relation), random))
            .collect();
        let relation = Relation::any(random);
        said.push(relation.stated(&other, self.fact(&other, relation), random));
        said.join(" ")
    }
}
