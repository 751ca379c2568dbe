use std::fmt;

/// The configuration of a plugin's instance: values by key, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pairs: Vec<(String, String)>,
}

/// Why a configuration cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    /// With a message that says what is wrong.
    pub fn new(message: impl Into<String>) -> ConfigError {
        ConfigError(message.into())
    }
}

impl From<String> for ConfigError {
    fn from(message: String) -> ConfigError {
        ConfigError(message)
    }
}

impl From<&str> for ConfigError {
    fn from(message: &str) -> ConfigError {
        ConfigError(message.to_owned())
    }
}

impl Config {
    /// Of these keys and values.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Config {
        Config { pairs: pairs.into_iter().collect() }
    }

    /// What an array of values holds, each ended by a zero byte, in the order of the attributes.
    pub fn from_bytes(attributes: &[&str], values: &[u8]) -> Config {
        let values = values.split(|&byte| byte == 0);
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        let pairs =
            attributes.iter().zip(values).map(|(&key, value)| (key.to_owned(), text(value)));
        Config::new(pairs.filter(|(_, value)| !value.is_empty()))
    }

    /// The inverse of [`Self::from_bytes`].
    pub fn to_bytes(&self, attributes: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for key in attributes {
            bytes.extend_from_slice(self.get(key).as_bytes());
            bytes.push(0);
        }
        bytes
    }

    /// Keys and values, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// The value of a key; empty if it is not given.
    pub fn get(&self, key: &str) -> &str {
        self.iter().find(|(given, _)| *given == key).map_or("", |(_, value)| value)
    }

    /// The number that a key gives; `None` if it is not given.
    pub fn number(&self, key: &str) -> Result<Option<f64>, ConfigError> {
        match self.get(key).trim() {
            "" => Ok(None),
            value => parse(key, value).map(Some),
        }
    }

    /// The numbers that a key gives, separated by blanks.
    pub fn numbers(&self, key: &str) -> Result<Vec<f64>, ConfigError> {
        self.get(key).split_whitespace().map(|value| parse(key, value)).collect()
    }
}

fn parse(key: &str, value: &str) -> Result<f64, ConfigError> {
    let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
    number.ok_or_else(|| ConfigError(format!("'{key}' is '{value}', which is not a number")))
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (key, value)) in self.iter().enumerate() {
            write!(f, "{}{key}='{value}'", if i > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}
