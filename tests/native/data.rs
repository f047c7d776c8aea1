//! Reading binary data: every form gives the same rows, and what is not
//! rows of zeros and ones is refused with its place.

use npyz::WriterBuilder;
use unnorm::Error;
use unnorm::bits::BitMatrix;
use unnorm::data::{
    DataSpec, Entries, from_bits, from_csv, from_npy, from_rows, from_values, read_csv, read_npy,
    read_rows, read_values,
};

/// Three rows of ten bits.
const ROWS: [[u8; 10]; 3] =
    [[1, 0, 0, 0, 0, 0, 0, 0, 1, 0], [0; 10], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]];

fn values() -> Vec<f64> {
    ROWS.iter().flatten().map(|&entry| f64::from(entry)).collect()
}

fn expected() -> BitMatrix {
    from_values(10, &values()).expect("zeros and ones")
}

fn refusal<T: std::fmt::Debug>(result: unnorm::Result<T>) -> String {
    result.expect_err("refused").to_string()
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(result: unnorm::Result<T>, words: &str) {
    let error = result.expect_err("refused");
    assert!(matches!(error.code(), "invalid-data" | "too-large"), "{error}");
    assert!(error.to_string().contains(words), "`{error}` does not say `{words}`");
}

#[test]
fn arrays_give_the_rows_they_hold() {
    assert_eq!(expected().as_batch().to_values(), values());
    assert_eq!((expected().dim(), expected().num_rows()), (10, 3));
    let rows: Vec<Vec<f64>> = values().chunks(10).map(<[f64]>::to_vec).collect();
    assert_eq!(from_rows(rows.iter().map(Vec::as_slice)), Ok(expected()));
    let bits = expected().to_bytes();
    assert_eq!(bits, [0b1, 0b1, 0, 0, 0xff, 0b11]);
    assert_eq!(from_bits(10, 3, &bits), Ok(expected()));
    for json in [
        r#"{"kind": "rows", "rows": [[0, 1.0], [1, 1]]}"#,
        r#"{"kind": "values", "dim": 2, "values": [0, 1, 1, 1]}"#,
        r#"{"kind": "bits", "dim": 2, "numRows": 2, "bits": [2, 3]}"#,
    ] {
        let spec: DataSpec = serde_json::from_str(json).expect(json);
        assert_eq!(spec.read().expect(json).as_batch().to_values(), [0.0, 1.0, 1.0, 1.0]);
    }
}

#[test]
fn bad_arrays_are_refused_by_place() {
    for bad in [f64::NAN, f64::INFINITY, 2.0, -1.0, 0.5, 1.0 + f64::EPSILON, 5e-324] {
        let mut values = values();
        values[17] = bad;
        assert_refused(from_values(10, &values), "data.values[17]: row 1, column 7 is ");
        let rows: Vec<&[f64]> = values.chunks(10).collect();
        assert_refused(from_rows(rows), "data.rows[1][7]: the entry is ");
    }
    assert_refused(
        from_values(4, &values()),
        "data.values: has 30 entries, which is no multiple of dim, 4",
    );
    assert_refused(from_values(0, &[]), "data.dim: is 0");
    assert_refused(from_values(2, &[]), "has no rows");
    assert_refused(from_rows([]), "data.rows: has no rows");
    assert_refused(from_rows([&[][..]]), "data.rows[0]: is empty");
    assert_refused(
        from_rows([&[0.0, 1.0][..], &[1.0]]),
        "data.rows[1]: has 1 entries where row 0 has 2",
    );
    assert_refused(from_bits(0, 1, &[]), "data.dim: is 0");
    assert_refused(from_bits(3, 0, &[]), "data.numRows: is 0");
    assert_refused(from_bits(3, 2, &[1]), "data.bits: has 1 bytes");
    assert_refused(from_bits(3, 2, &[1, 8]), "data.bits[row 1]: has a bit set past bit 3");
}

/// The rows as spins.
fn spins() -> Vec<f64> {
    values().iter().map(|value| 2.0 * value - 1.0).collect()
}

#[test]
fn spins_are_read_as_bits_and_said_to_be_spins() {
    let line = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    let csv = spins().chunks(10).map(line).collect::<Vec<_>>().join("\n");
    assert!(csv.contains("-1,1"));
    let ints: Vec<u8> = spins().iter().map(|spin| *spin as i8 as u8).collect();
    let mut all = vec![
        read_values(10, &spins()).expect("values"),
        read_rows(spins().chunks(10)).expect("rows"),
        read_csv(csv.as_bytes()).expect("a CSV file"),
        read_csv(format!("{}\n{csv}\n", ["s"; 10].join(",")).as_bytes()).expect("with names"),
        read_csv(csv.replace("-1", "-1.0e+00").replace(',', " ").as_bytes()).expect("as NumPy"),
        read_npy(&npy("|i1", "(3, 10)", &ints)).expect("an NPY file"),
    ];
    for order in [npyz::Order::C, npyz::Order::Fortran] {
        for bytes in [
            written(|entry| 2 * entry as i8 - 1, order),
            written(|entry| 2 * i16::from(entry) - 1, order),
            written(|entry| 2 * i32::from(entry) - 1, order),
            written(|entry| 2 * i64::from(entry) - 1, order),
            written(|entry| 2.0 * f32::from(entry) - 1.0, order),
            written(|entry| 2.0 * f64::from(entry) - 1.0, order),
        ] {
            all.push(read_npy(&bytes).expect("an NPY file"));
        }
    }
    for reading in all {
        assert_eq!((reading.rows, reading.entries), (expected(), Entries::Spins));
    }
    let bits = read_values(10, &values()).expect("values");
    assert_eq!((bits.rows, bits.entries), (expected(), Entries::Bits));
    // All −1 are spins; all 1 are the same rows either way.
    assert_eq!(read_csv(b"-1,-1\n").map(|reading| reading.entries), Ok(Entries::Spins));
    assert_eq!(from_csv(b"-1,-1\n"), from_values(2, &[0.0, 0.0]));
    assert_eq!(read_csv(b"1,1\n").map(|reading| reading.entries), Ok(Entries::Bits));
    // Minus nothing is 0.
    assert_eq!(read_values(2, &[-0.0, 1.0]).map(|reading| reading.entries), Ok(Entries::Bits));
}

#[test]
fn bits_among_spins_are_refused_with_both_places() {
    let mixed = [1.0, -1.0, 1.0, 1.0, 0.0, 1.0];
    let words = "and not both";
    assert_refused(
        from_values(3, &mixed),
        "data.values[4]: row 1, column 1 is 0, but data.values[1] is -1;",
    );
    assert_refused(
        from_rows(mixed.chunks(3)),
        "data.rows[1][1]: the entry is 0, but data.rows[0][1] is -1;",
    );
    for (text, place) in [
        ("a,b\n1,-1\n0,1\n", "line 3, column 1 is 0, but line 2, column 2 is -1;"),
        ("0,1\n\n1,-1\n", "line 3, column 2 is -1, but line 1, column 1 is 0;"),
        ("1,1\n-1,0\n", "line 2, column 2 is 0, but line 2, column 1 is -1;"),
    ] {
        assert_refused(from_csv(text.as_bytes()), place);
        assert_refused(from_csv(text.as_bytes()), words);
    }
    assert_refused(
        from_npy(&npy("|i1", "(2, 2)", &[1, 0, 255, 1])),
        "row 1, column 0 is -1, but row 0, column 1 is 0;",
    );
    // What is neither is not called a mixture.
    assert_refused(from_values(3, &[1.0, -1.0, -2.0]), "is -2; every entry must be exactly");
}

#[test]
fn sizes_that_cannot_be_are_refused_before_memory_is_asked_for() {
    assert_refused(from_bits(usize::MAX, 1, &[]), "at most 16777216 are allowed");
    assert_refused(from_bits(1, usize::MAX, &[]), "rows of 1");
    assert_refused(from_bits(65_536, 1 << 20, &[]), "at most 32768 such rows");
    let lying = npy("<f8", "(1000000000, 60000)", &[0; 64]);
    assert_refused(from_npy(&lying), "has 1000000000 rows of 60000");
    let lying = npy("|u1", "(4000000000, 4000000000)", &[]);
    assert_refused(from_npy(&lying), "at most 16777216 are allowed");
    let lying = npy("|u1", "(1000, 60000)", &[0; 64]);
    assert_refused(from_npy(&lying), "is cut off: its header promises 1000 × 60000");
}

#[test]
fn csv_in_all_its_dialects() {
    for separator in [",", ";", "\t", " ", ", ", "  "] {
        for end in ["\n", "\r\n", "\r"] {
            let line = |row: &[u8; 10]| row.map(|entry| entry.to_string()).join(separator);
            let body = ROWS.iter().map(line).collect::<Vec<_>>().join(end);
            let names = (0..10).map(|site| format!("x{site}")).collect::<Vec<_>>().join(separator);
            for text in [
                body.clone(),
                format!("{body}{end}"),
                format!("{body}{end}{end}{end}"),
                format!("\u{feff}{names}{end}{body}{end}"),
                format!("{end}{names}{end}{end}{body}"),
            ] {
                assert_eq!(from_csv(text.as_bytes()), Ok(expected()), "{text:?}");
            }
        }
    }
    let numbers = "\"a, b\",c\n1.000000000000000000e+00,0.0\n\"0\", +1\n";
    assert_eq!(from_csv(numbers.as_bytes()), from_values(2, &[1.0, 0.0, 0.0, 1.0]));
    assert_eq!(from_csv(b"0\n1\n\n1"), from_values(1, &[0.0, 1.0, 1.0]));
    assert_eq!(from_csv(b" 0 1 \n 1 1 \n"), from_values(2, &[0.0, 1.0, 1.0, 1.0]));
}

#[test]
fn bad_csv_is_refused_by_line_and_column() {
    for (text, words) in [
        ("", "has no rows"),
        ("\n\n", "has no rows"),
        ("a,b\n", "has no rows"),
        ("a,b\n0,1\n0,x\n", "line 3, column 2 is `x`"),
        ("a,b\r\n0,1\r\n\r\n0,x\r\n", "line 4, column 2 is `x`"),
        ("a,b\r0,1\r0,x\r", "line 3, column 2 is `x`"),
        ("0,1\n0,nan\n", "line 2, column 2 is `nan`"),
        ("nan,nan\n0,1\n", "line 1, column 1 is `nan`"),
        ("0,2\n", "line 1, column 2 is `2`"),
        ("0,1\n0,\n", "line 2, column 2 is empty"),
        ("0,1\n,,\n", "line 2, column 1 is empty"),
        ("0,1\n0,1,1\n", "line 2 has 3 columns where the first row has 2"),
        ("0 1\n0\n", "line 2 has 1 columns where the first row has 2"),
        (
            "0101\n0011\n",
            "line 1, column 1 is `0101`; every entry must be 0 or 1, or of spins −1 or 1; separate",
        ),
        ("0,1\n0,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "`aaaaaaaaaaaaaaaaaaaa…`"),
        ("0,1\n\u{0}\u{1}\u{2}", "not text but something binary"),
    ] {
        assert_refused(from_csv(text.as_bytes()), words);
    }
    assert_refused(from_csv(b"\x93NUMPY\x01\x00"), "is a NumPy file");
    assert_refused(from_csv(b"PK\x03\x04junk"), "is a ZIP archive");
    assert_refused(from_csv(b"\xff\xfe0\x00,\x001\x00"), "UTF-16");
    assert_refused(from_csv(&[0x89, b'P', b'N', b'G', 0, 255]), "not text but something binary");
}

/// A version 1 file with this header and array.
fn npy(descr: &str, shape: &str, array: &[u8]) -> Vec<u8> {
    npy_with_header(
        &format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n"),
        array,
    )
}

fn npy_with_header(header: &str, array: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(array);
    bytes
}

/// What `npyz` writes for the rows as entries of type T.
fn written<T: npyz::AutoSerialize + Copy>(entry: impl Fn(u8) -> T, order: npyz::Order) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = npyz::WriteOptions::new()
        .default_dtype()
        .order(order)
        .shape(&[3, 10])
        .writer(&mut bytes)
        .begin_nd()
        .expect("writes to memory");
    let at = |index: usize| match order {
        npyz::Order::C => ROWS[index / 10][index % 10],
        npyz::Order::Fortran => ROWS[index % 3][index / 3],
    };
    writer.extend((0..30).map(|index| entry(at(index)))).expect("writes to memory");
    writer.finish().expect("writes to memory");
    bytes
}

#[test]
fn npy_of_every_type_in_both_orders() {
    for order in [npyz::Order::C, npyz::Order::Fortran] {
        for bytes in [
            written(|entry| entry == 1, order),
            written(|entry| entry, order),
            written(|entry| entry as i8, order),
            written(u16::from, order),
            written(i16::from, order),
            written(u32::from, order),
            written(i32::from, order),
            written(u64::from, order),
            written(i64::from, order),
            written(f32::from, order),
            written(f64::from, order),
        ] {
            assert_eq!(from_npy(&bytes), Ok(expected()));
        }
    }
    // Versions 2 and 3 have a longer length; spaces and quotes are free.
    let header = "{ \"shape\":( 1 ,2),'descr' : '|u1','fortran_order':True}";
    for version in [2, 3] {
        let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend([0, 1]);
        assert_eq!(from_npy(&bytes), from_values(2, &[0.0, 1.0]));
    }
}

#[test]
fn bad_npy_is_refused() {
    for (bytes, words) in [
        (b"not one".to_vec(), "is not a NumPy .npy file"),
        (b"\x93NUMPY\x04\x00\x00\x00".to_vec(), "format version 4"),
        (npy("|O", "(1, 2)", &[0; 16]), "entries of type `|O`"),
        (npy(">f8", "(1, 2)", &[0; 16]), "entries of type `>f8`"),
        (npy("<c16", "(1, 2)", &[0; 32]), "entries of type `<c16`"),
        (npy("<U3", "(1, 2)", &[0; 24]), "entries of type `<U3`"),
        (npy("|u1", "(4,)", &[0; 4]), "is one-dimensional with 4 entries; reshape it"),
        (npy("|u1", "()", &[0]), "has 0 dimensions"),
        (npy("|u1", "(1, 2, 2)", &[0; 4]), "has 3 dimensions, [1, 2, 2]; reshape it"),
        (npy("|u1", "(0, 2)", &[]), "has no rows"),
        (npy("|u1", "(2, 0)", &[]), "has no columns"),
        (npy("|u1", "(1, 2)", &[0]), "is cut off"),
        (npy("|u1", "(1, 2)", &[0; 3]), "has something after its array"),
        (npy("|u1", "(1, 2)", &[0, 2]), "row 0, column 1 is 2"),
        (npy("|i1", "(1, 2)", &[0, 255]), "row 0, column 1 is -1"),
        (npy("<f8", "(1, 1)", &f64::NAN.to_le_bytes()), "row 0, column 0 is NaN"),
        (npy("|u1", "(1, -2)", &[0; 2]), "header that is not NumPy's"),
        (npy("|u1", "(1, 99999999999999999999)", &[0; 2]), "header that is not NumPy's"),
        (npy_with_header("", &[]), "header that is not NumPy's"),
        (npy_with_header("{'descr': '|u1'}", &[]), "header that is not NumPy's"),
        (npy_with_header(&"(".repeat(60_000), &[]), "header that is not NumPy's"),
        (
            npy_with_header(
                "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
                &[],
            ),
            "structured array",
        ),
    ] {
        assert_refused(from_npy(&bytes), words);
    }
}

#[test]
fn a_file_cut_off_or_changed_anywhere_never_panics() {
    let whole = written(|entry| entry, npyz::Order::C);
    for len in 0..whole.len() {
        assert!(from_npy(&whole[..len]).is_err(), "cut to {len} bytes");
    }
    for at in 0..whole.len() {
        for flip in [1, 0x20, 0x80] {
            let mut changed = whole.clone();
            changed[at] ^= flip;
            // Reading it may succeed, as where a 1 became a 0; it must not panic.
            let _ = from_npy(&changed);
            let _ = from_csv(&changed);
        }
    }
}

#[test]
fn errors_carry_the_code_of_bad_data() {
    assert!(matches!(from_csv(b"0,2").expect_err("refused"), Error::InvalidData { .. }));
    assert!(refusal(from_csv(b"0,2")).starts_with("data.bytes: "));
}
