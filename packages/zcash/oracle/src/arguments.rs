//! Command line options of the form `--name value`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The most keys or actions of a run.
const COUNTS: RangeInclusive<usize> = 1..=100_000;
/// The most (key, action) pairs of a run.
const MAX_PAIRS: usize = 20_000_000;

pub struct Arguments<'a> {
    values: BTreeMap<&'a str, &'a str>,
}

impl<'a> Arguments<'a> {
    pub fn parse(options: &'a [String]) -> Result<Self, String> {
        let mut values = BTreeMap::new();
        for pair in options.chunks(2) {
            let name = pair[0]
                .strip_prefix("--")
                .ok_or_else(|| format!("unexpected argument {:?}", pair[0]))?;
            let value = pair
                .get(1)
                .ok_or_else(|| format!("--{name} has no value"))?;
            if values.insert(name, value.as_str()).is_some() {
                return Err(format!("--{name} is given twice"));
            }
        }
        Ok(Self { values })
    }

    /// An unsigned integer of 64 bits, decimal or hexadecimal with `0x`.
    pub fn seed(&mut self) -> Result<u64, String> {
        let text = self.required("seed")?;
        let (digits, radix) = match text.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        u64::from_str_radix(digits, radix)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .ok_or_else(|| format!("--seed must be an integer from 0 to 2^64 - 1, not {text:?}"))
    }

    /// The numbers of keys and actions.
    pub fn counts(&mut self) -> Result<(usize, usize), String> {
        let keys = self.count("keys")?;
        let actions = self.count("actions")?;
        if keys * actions > MAX_PAIRS {
            return Err(format!(
                "--keys times --actions must be at most {MAX_PAIRS}, not {}",
                keys * actions
            ));
        }
        Ok((keys, actions))
    }

    /// Seconds from 0.01 to 600.
    pub fn seconds(&mut self, default: f64) -> Result<f64, String> {
        let Some(text) = self.values.remove("seconds") else {
            return Ok(default);
        };
        text.parse()
            .ok()
            .filter(|seconds| (0.01..=600.0).contains(seconds))
            .ok_or_else(|| format!("--seconds must be a number from 0.01 to 600, not {text:?}"))
    }

    /// Rejects the options that the command did not use.
    pub fn finish(self) -> Result<(), String> {
        self.values.keys().next().map_or(Ok(()), |name| {
            Err(format!("--{name} is not an option of this command"))
        })
    }

    fn count(&mut self, name: &str) -> Result<usize, String> {
        let text = self.required(name)?;
        text.parse()
            .ok()
            .filter(|count| COUNTS.contains(count))
            .ok_or_else(|| {
                format!(
                    "--{name} must be an integer from {} to {}, not {text:?}",
                    COUNTS.start(),
                    COUNTS.end()
                )
            })
    }

    fn required(&mut self, name: &str) -> Result<&'a str, String> {
        self.values
            .remove(name)
            .ok_or_else(|| format!("--{name} is missing"))
    }
}
