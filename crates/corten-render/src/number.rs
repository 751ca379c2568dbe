//! Numbers as C's `printf` writes them, for the formats that figures are given.

/// A number in a format such as `%.2g`, with text around it.
pub(crate) fn format(pattern: &str, x: f64) -> String {
    let Some(start) = pattern.find('%') else { return pattern.to_owned() };
    let rest = &pattern[start + 1..];
    let end = rest.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (options, tail) = rest.split_at(end);
    let kind = tail.chars().next().unwrap_or('g');
    let (width, precision) = options.split_once('.').unwrap_or((options, "6"));
    let plus = width.contains('+');
    let digits: String = width.chars().filter(char::is_ascii_digit).collect();
    // Longer than any label.
    let width = digits.parse::<usize>().unwrap_or(0).min(100);
    let precision = precision.parse::<usize>().unwrap_or(0).min(30);
    let mut text = match kind {
        'f' | 'F' => format!("{x:.precision$}"),
        'e' | 'E' => exponential(x, precision),
        'd' | 'i' => format!("{x:.0}"),
        _ => general(x, precision),
    };
    if plus && x >= 0.0 {
        text.insert(0, '+');
    }
    let tail = tail.get(kind.len_utf8()..).unwrap_or("");
    format!("{}{text:>width$}{tail}", &pattern[..start])
}

fn exponential(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{digits}e{sign}{:02}", exponent.abs())
        }
        None => text,
    }
}

/// The shorter of both notations, without zeros at the end.
fn general(x: f64, precision: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let precision = precision.max(1);
    let scientific = exponential(x, precision - 1);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        return format!("{}e{}", trim(digits), &scientific[digits.len() + 1..]);
    }
    let decimals = (precision as i32 - 1 - exponent).max(0) as usize;
    trim(&format!("{x:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn as_in_c() {
        let cases = [
            ("%.0f", 2.6, "3"),
            ("%.2g", 0.123, "0.12"),
            ("%.2g", 123.0, "1.2e+02"),
            ("%.2g", 0.00001, "1e-05"),
            ("%.3g s", 12.0, "12 s"),
            ("%6.2f", 1.5, "  1.50"),
            ("%.1e", 12345.0, "1.2e+04"),
            ("%.4g", 100.0, "100"),
            ("plain", 1.0, "plain"),
        ];
        for (pattern, x, expected) in cases {
            assert_eq!(format(pattern, x), expected, "{pattern}");
        }
    }
}
