//! Patches of pictures: what whitening promises, what inverts it, components
//! against another way to find them, and pictures in all their forms.

use crate::common::{finished, job_of, with};
use serde_json::{Value, json};
use unnorm::JobResult;
use unnorm::patches::PatchesResult;
use unnorm::patches::{PatchSource, PatchTransform, PictureSpec, Sampling};
use unnorm::rng::{ChainRng, Purpose, normal, stream, uniform};

/// Levels of noise that is smooth over some pixels, `[height, width]`.
fn levels(width: usize, height: usize, index: u64) -> Vec<u8> {
    let rng = &mut stream(11, Purpose::Example, index);
    let mut row = vec![0.0; width];
    let mut levels = Vec::new();
    for _ in 0..height {
        let mut left = normal(rng);
        for above in &mut row {
            let here = 0.55 * *above + 0.4 * left + 0.3 * normal(rng);
            (*above, left) = (here, here);
            levels.push((90.0 + 70.0 * here).clamp(0.0, 255.0) as u8);
        }
    }
    levels
}

fn picture(width: usize, height: usize, index: u64) -> Value {
    json!({"width": width, "height": height, "pixels": levels(width, height, index)})
}

/// 1,200 patches, so three shards, and 300 test patches from a picture of their own.
fn spec() -> Value {
    json!({
        "verb": "patches", "seed": 4, "numPatches": 1200, "patchSize": 5, "numComponents": 9,
        "pictures": [picture(40, 30, 0), picture(17, 50, 1), picture(25, 25, 2)],
        "numTest": 300, "testPictures": [1],
    })
}

fn patches_of(json: &Value) -> PatchesResult {
    match finished(job_of(json, None).expect("a sound job")) {
        JobResult::Patches(result) => result,
        _ => panic!("no patches"),
    }
}

/// The pictures of a spec, and how it takes patches from them.
fn source_of(json: &Value) -> PatchSource {
    let pictures: Vec<PictureSpec> =
        serde_json::from_value(json["pictures"].clone()).expect("pictures");
    let count = |name: &str| json[name].as_u64().unwrap_or(0) as usize;
    PatchSource::new(
        pictures,
        Sampling {
            patch_size: count("patchSize"),
            offset: json["offset"].as_f64().unwrap_or(1.0),
            remove_patch_means: json["removePatchMeans"] == true,
            num_patches: count("numPatches"),
            num_test: count("numTest"),
            test_pictures: serde_json::from_value(json["testPictures"].clone()).expect("numbers"),
            seed: json["seed"].as_u64().expect("a seed"),
        },
    )
    .expect("sound pictures")
}

/// Mean and covariance of rows, straight from their definitions.
fn moments(dim: usize, rows: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let count = (rows.len() / dim) as f64;
    let mean: Vec<f64> =
        (0..dim).map(|d| rows.chunks_exact(dim).map(|row| row[d]).sum::<f64>() / count).collect();
    let mut covariance = Vec::new();
    for i in 0..dim {
        for j in 0..dim {
            let products =
                rows.chunks_exact(dim).map(|row| (row[i] - mean[i]) * (row[j] - mean[j]));
            covariance.push(products.sum::<f64>() / count);
        }
    }
    (mean, covariance)
}

fn assert_close(actual: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), expected.len());
    for (at, (a, b)) in actual.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "[{at}]: {a} against {b}");
    }
}

fn identity(dim: usize) -> Vec<f64> {
    (0..dim * dim).map(|at| f64::from(at / dim == at % dim)).collect()
}

#[test]
fn states_have_mean_0_and_covariance_1() {
    for fields in [
        json!({}),
        json!({"numComponents": 25}),
        json!({"removePatchMeans": true, "numComponents": 24}),
        json!({"offset": 30.0, "testPictures": null, "patchSize": 6}),
    ] {
        let result = patches_of(&with(spec(), &fields));
        let count = result.transform.num_components();
        assert_eq!(result.states.len(), 1200 * count);
        assert_eq!(result.test_states.len(), 300 * count);
        let (mean, covariance) = moments(count, &result.states);
        assert_close(&mean, &vec![0.0; count], 1e-12);
        assert_close(&covariance, &identity(count), 1e-11);
    }
}

#[test]
fn states_are_projections_of_the_patches() {
    let spec = spec();
    let source = source_of(&spec);
    let PatchesResult { states, test_states, transform, variances, total_variance, .. } =
        patches_of(&spec);
    let (dim, count) = (25, 9);
    let patches = source.patches(0..1200);
    let (mean, covariance) = moments(dim, &patches);
    assert_close(&transform.mean, &mean, 1e-13);
    // The components are orthonormal, and eigenvectors of the covariance.
    let mut products = Vec::new();
    for a in transform.components.chunks_exact(dim) {
        for b in transform.components.chunks_exact(dim) {
            products.push(a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>());
        }
    }
    assert_close(&products, &identity(count), 1e-13);
    for (c, variance) in transform.components.chunks_exact(dim).zip(&variances) {
        let image: Vec<f64> = covariance
            .chunks_exact(dim)
            .map(|line| line.iter().zip(c).map(|(a, b)| a * b).sum())
            .collect();
        let scaled: Vec<f64> = c.iter().map(|entry| variance * entry).collect();
        assert_close(&image, &scaled, 1e-12);
        let largest = c.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        assert!(*c.iter().find(|entry| entry.abs() >= largest / 2.0).unwrap() > 0.0);
    }
    let trace: f64 = (0..dim).map(|d| covariance[d * dim + d]).sum();
    assert_close(&[total_variance.unwrap()], &[trace], 1e-12);
    assert!(variances.windows(2).all(|pair| pair[0] > pair[1]));
    assert!(variances.iter().sum::<f64>() < trace);
    // Training and test states by the definition.
    let all = [states, test_states].concat();
    for (state, patch) in all.chunks_exact(count).zip(source.patches(0..1500).chunks_exact(dim)) {
        for (m, value) in state.iter().enumerate() {
            let c = &transform.components[m * dim..][..dim];
            let sum: f64 = (0..dim).map(|d| c[d] * (patch[d] - mean[d])).sum();
            assert!((value - sum / transform.scales[m]).abs() < 1e-11);
        }
    }
}

/// Power iteration, the found directions taken out one after another.
#[test]
fn components_are_those_of_power_iteration() {
    let PatchesResult { transform, variances, .. } = patches_of(&spec());
    let (_, mut covariance) = moments(25, &source_of(&spec()).patches(0..1200));
    for (c, variance) in transform.components.chunks_exact(25).zip(&variances).take(4) {
        let mut vector = vec![1.0; 25];
        vector[7] = 2.0;
        for _ in 0..4000 {
            vector = covariance
                .chunks_exact(25)
                .map(|line| line.iter().zip(&vector).map(|(a, b)| a * b).sum())
                .collect();
            let norm = vector.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            vector.iter_mut().for_each(|entry| *entry /= norm);
        }
        let cosine: f64 = vector.iter().zip(c).map(|(a, b)| a * b).sum();
        assert!((cosine.abs() - 1.0).abs() < 1e-9, "{cosine}");
        for (at, entry) in covariance.iter_mut().enumerate() {
            *entry -= variance * c[at / 25] * c[at % 25];
        }
    }
}

#[test]
fn inverting_gives_the_projection_and_with_all_components_the_patch() {
    let source = source_of(&spec());
    let patches = source.patches(0..1500);
    let distance = |result: &PatchesResult| {
        let all = [result.states.clone(), result.test_states.clone()].concat();
        let back = result.transform.invert(&all);
        assert_eq!(back.len(), patches.len());
        // Projecting what is projected changes nothing.
        assert_close(&result.transform.apply(&back), &all, 1e-10);
        let square = |(a, b): (&f64, &f64)| (a - b) * (a - b);
        back[..1200 * 25].iter().zip(&patches).map(square).sum::<f64>() / 1200.0
    };
    let some = patches_of(&spec());
    // What is lost is the variance in the other directions.
    let lost = some.total_variance.unwrap() - some.variances.iter().sum::<f64>();
    assert_close(&[distance(&some)], &[lost], 1e-11);
    let all = patches_of(&with(spec(), &json!({"numComponents": 25})));
    assert_eq!(all.transform.num_components(), 25);
    assert!(distance(&all) < 1e-24, "{}", distance(&all));
}

#[test]
fn filters_and_bases_mean_the_same_in_states_and_in_patches() {
    let result = patches_of(&spec());
    let rng = &mut stream(5, Purpose::Example, 9);
    let draw =
        |rng: &mut ChainRng, len: usize| -> Vec<f64> { (0..len).map(|_| normal(rng)).collect() };
    let filters = draw(rng, 3 * 9);
    let fields = result.transform.receptive_fields(&filters);
    let patches = source_of(&spec()).patches(0..50);
    for (state, patch) in result.states.chunks_exact(9).zip(patches.chunks_exact(25)) {
        for (filter, field) in filters.chunks_exact(9).zip(fields.chunks_exact(25)) {
            let on_state: f64 = filter.iter().zip(state).map(|(w, x)| w * x).sum();
            let centred = patch.iter().zip(&result.transform.mean).map(|(p, mean)| p - mean);
            let on_patch: f64 = field.iter().zip(centred).map(|(f, p)| f * p).sum();
            assert!((on_state - on_patch).abs() < 1e-11, "{on_state} against {on_patch}");
        }
    }
    // x = A a is the patch μ + B a.
    let (basis, a) = (draw(rng, 9 * 4), draw(rng, 4));
    let patches = result.transform.basis_patches(&basis);
    let state: Vec<f64> =
        basis.chunks_exact(4).map(|row| row.iter().zip(&a).map(|(b, a)| b * a).sum()).collect();
    let mut expected = result.transform.mean.clone();
    for (a, patch) in a.iter().zip(patches.chunks_exact(25)) {
        expected.iter_mut().zip(patch).for_each(|(sum, value)| *sum += a * value);
    }
    assert_close(&result.transform.invert(&state), &expected, 1e-12);
}

/// The package does the same in TypeScript, and its tests read the same file.
#[test]
fn what_goes_back_to_patches_has_these_bits() {
    let text = std::fs::read_to_string("tests/data/patch-transform.json").expect("a file");
    let known: Value = serde_json::from_str(&text).expect("JSON");
    let numbers = |field: &str| -> Vec<f64> {
        serde_json::from_value(known[field].clone()).expect("numbers")
    };
    let transform: PatchTransform =
        serde_json::from_value(known["transform"].clone()).expect("a transform");
    assert_eq!(transform.invert(&numbers("states")), numbers("patches"));
    assert_eq!(transform.receptive_fields(&numbers("filters")), numbers("receptiveFields"));
    assert_eq!(transform.basis_patches(&numbers("basis")), numbers("basisPatches"));
}

#[test]
fn a_transform_is_applied_to_other_patches_as_to_its_own() {
    let first = patches_of(&spec());
    let transform = serde_json::to_value(&first.transform).expect("plain data");
    let mut json = spec();
    for name in ["patchSize", "numComponents"] {
        json.as_object_mut().unwrap().remove(name);
    }
    let again = patches_of(&with(json.clone(), &json!({"transform": transform})));
    assert_eq!((&again.states, &again.test_states), (&first.states, &first.test_states));
    assert_eq!((again.transform, again.total_variance), (first.transform, None));
    for field in ["patchSize", "numComponents", "offset", "removePatchMeans"] {
        let value = if field == "removePatchMeans" { true.into() } else { json!(7) };
        let error =
            job_of(&with(json.clone(), &json!({"transform": transform, field: value})), None);
        assert_eq!(error.err().expect("refused").field(), Some(field));
    }
    for (field, value) in [
        ("mean", json!([1.0])),
        ("scales", json!([0, 1, 1, 1, 1, 1, 1, 1, 1])),
        ("scales", json!([])),
        ("components", json!([2.0])),
        ("patchSize", json!(1)),
    ] {
        let mut bad = transform.clone();
        bad[field] = value;
        let error = job_of(&with(json.clone(), &json!({"transform": bad})), None);
        let error = error.err().expect("refused");
        let place = error.field().unwrap_or_default();
        assert!(place.starts_with(&format!("transform.{field}")), "{error}");
    }
}

/// The same picture as grey, as three channels, four, or as numbers.
#[test]
fn a_picture_is_the_same_in_all_its_forms() {
    let expected = patches_of(&spec()).digest;
    let repeated = |times: usize| {
        let mut json = spec();
        for (index, (width, height)) in [(40, 30), (17, 50), (25, 25)].into_iter().enumerate() {
            let all = levels(width, height, index as u64);
            let all: Vec<u8> = all
                .into_iter()
                .flat_map(|level| [level, level, level, 77].into_iter().take(times))
                .collect();
            json["pictures"][index]["pixels"] = json!(all);
            json["pictures"][index]["channels"] = times.into();
        }
        json
    };
    for channels in [1, 3, 4] {
        assert_eq!(patches_of(&repeated(channels)).digest, expected, "{channels} channels");
    }
    let mut numbers = spec();
    for picture in numbers["pictures"].as_array_mut().unwrap() {
        let fields = picture.as_object_mut().unwrap();
        let pixels = fields.remove("pixels").unwrap();
        fields.insert("intensities".into(), pixels);
    }
    assert_eq!(patches_of(&numbers).digest, expected);
    // Colours are weighted.
    let colours: PictureSpec = serde_json::from_value(
        json!({"width": 1, "height": 3, "channels": 3, "pixels": [255, 0, 0, 0, 100, 0, 0, 0, 50]}),
    )
    .unwrap();
    assert_close(
        &[0, 1, 2].map(|y| colours.grey(0, y)),
        &[0.2126 * 255.0, 71.52, 0.0722 * 50.0],
        1e-12,
    );
    // In other units, with an offset in those, only the mean differs.
    let mut scaled = numbers.clone();
    scaled["offset"] = json!(0.25);
    for picture in scaled["pictures"].as_array_mut().unwrap() {
        for value in picture["intensities"].as_array_mut().unwrap() {
            *value = json!(value.as_f64().unwrap() / 4.0);
        }
    }
    let (a, b) = (patches_of(&spec()), patches_of(&scaled));
    assert_close(&a.states, &b.states, 1e-10);
    assert!((a.transform.mean[0] - b.transform.mean[0] - unnorm::math::ln(4.0)).abs() < 1e-12);
}

/// Every position is drawn, as often as any other within six standard errors; no
/// pixel of a test patch is one of a training patch.
#[test]
fn positions_are_uniform_and_apart() {
    // Each pixel tells where it is.
    let picture = |width: usize, height: usize, base: usize| {
        let values: Vec<usize> = (0..width * height).map(|at| base + at).collect();
        json!({"width": width, "height": height, "intensities": values})
    };
    let pictures = json!([picture(6, 20, 0), picture(9, 8, 1000)]);
    let (count, size) = (40_000, 3);
    for reserved in [json!(null), json!([1])] {
        let source = source_of(&json!({
            "pictures": pictures, "patchSize": size, "numPatches": count, "numTest": count,
            "testPictures": reserved, "seed": 9,
        }));
        let mut seen = [vec![0_u32; 1100], vec![0; 1100]];
        let mut corners = [vec![0_u32; 1100], vec![0; 1100]];
        for (index, patch) in source.patches(0..2 * count).chunks_exact(size * size).enumerate() {
            let which = usize::from(index >= count);
            let values: Vec<usize> = patch
                .iter()
                .map(|value| (unnorm::math::exp(*value) - 1.0).round() as usize)
                .collect();
            corners[which][values[0]] += 1;
            values.iter().for_each(|value| seen[which][*value] += 1);
            let width = if values[0] < 1000 { 6 } else { 9 };
            let rows =
                [0, width, 2 * width].map(|down| [0, 1, 2].map(|right| values[0] + down + right));
            assert_eq!(values, rows.concat());
        }
        let both = seen[0].iter().zip(&seen[1]).filter(|(a, b)| **a > 0 && **b > 0);
        assert_eq!(both.count(), 0);
        // Of 20 rows 5 are reserved, of 8 as many as a patch has.
        let expected: [usize; 2] =
            if reserved.is_null() { [4 * 13 + 7 * 3, 4 * 3 + 7] } else { [4 * 18, 7 * 6] };
        for (corners, expected) in corners.iter().zip(expected) {
            let drawn: Vec<f64> =
                corners.iter().filter(|count| **count > 0).map(|count| f64::from(*count)).collect();
            assert_eq!(drawn.len(), expected);
            let mean = count as f64 / expected as f64;
            assert!(drawn.iter().all(|drawn| (drawn - mean).abs() < 6.0 * mean.sqrt()));
        }
    }
}

/// A picture that varies in one direction has one component, whatever is asked for.
#[test]
fn directions_without_variance_are_left_out() {
    let ramp: Vec<usize> = (0..400).map(|at| 10 + at / 20).collect();
    let json = json!({
        "verb": "patches", "seed": 1, "numPatches": 100, "patchSize": 2, "numComponents": 4,
        "pictures": [{"width": 20, "height": 20, "pixels": ramp}], "offset": 0,
    });
    let result = patches_of(&json);
    // Two rows of a patch: their mean and their difference.
    assert_eq!(result.transform.num_components(), 2);
    assert_eq!(result.states.len(), 200);
    let (_, covariance) = moments(2, &result.states);
    assert_close(&covariance, &identity(2), 1e-8);
}

#[test]
fn what_cannot_be_used_is_refused() {
    let picture_with = |fields: Value| {
        let small = json!({"width": 3, "height": 2, "pixels": [1, 2, 3, 4, 5, 6]});
        json!({"pictures": [picture(30, 30, 0), with(small, &fields)], "patchSize": 2, "numComponents": 2, "testPictures": null})
    };
    for (fields, field) in [
        (json!({"pictures": []}), "pictures"),
        (json!({"patchSize": null}), "patchSize"),
        (json!({"patchSize": 1}), "patchSize"),
        (json!({"patchSize": 33}), "patchSize"),
        (json!({"patchSize": 18}), "pictures[1]"),
        (json!({"numComponents": null}), "numComponents"),
        (json!({"numComponents": 0}), "numComponents"),
        (json!({"numComponents": 26}), "numComponents"),
        (json!({"numComponents": 25, "removePatchMeans": true}), "numComponents"),
        (json!({"numPatches": 0}), "numPatches"),
        (json!({"numPatches": 9}), "numPatches"),
        (json!({"numPatches": 2_000_000}), "numPatches"),
        (json!({"numPatches": 1_000_000, "numComponents": 25}), "numPatches"),
        (json!({"numTest": 2_000_000}), "numTest"),
        (json!({"numTest": 10, "testPictures": []}), "testPictures"),
        (json!({"testPictures": [3]}), "testPictures[0]"),
        (json!({"testPictures": [1, 1]}), "testPictures[1]"),
        (json!({"testPictures": [0, 1, 2]}), "testPictures"),
        (json!({"offset": -1}), "offset"),
        (
            json!({"offset": 0, "pictures": [{"width": 5, "height": 5, "pixels": vec![0; 25]}], "testPictures": null, "numTest": 0}),
            "offset",
        ),
        (
            json!({"pictures": [{"width": 5, "height": 5, "pixels": vec![9; 25]}], "testPictures": null, "numTest": 0}),
            "pictures",
        ),
        (json!({"pictures": [picture(9, 9, 0)], "testPictures": null}), "numTest"),
        (picture_with(json!({"width": 0})), "pictures[1].width"),
        (picture_with(json!({"height": 70_000})), "pictures[1].height"),
        (picture_with(json!({"channels": 2})), "pictures[1].channels"),
        (picture_with(json!({"channels": 3})), "pictures[1].pixels"),
        (picture_with(json!({"pixels": null})), "pictures[1].pixels"),
        (picture_with(json!({"intensities": [1]})), "pictures[1].intensities"),
        (picture_with(json!({"pixels": [1, 2, 3, 4, 5, 256]})), "pictures[1].pixels[5]"),
        (picture_with(json!({"pixels": [1, 2, 3, 4, 5.5, 6]})), "pictures[1].pixels[4]"),
        (picture_with(json!({"pixels": "no"})), "pictures[1].pixels"),
        (picture_with(json!({"pixels": null, "intensities": [1, 2, 3, 4, 5, -6]})), "offset"),
        (json!({"data": {"kind": "rows", "rows": [[0]]}}), "data"),
    ] {
        let error = job_of(&with(spec(), &fields), None).err();
        let error = error.unwrap_or_else(|| panic!("{field} was not refused"));
        assert_eq!(error.field(), Some(field), "{error}");
    }
    let large = PictureSpec {
        width: 3000,
        height: 3000,
        channels: 1,
        pixels: None,
        intensities: Some(vec![1.0; 9_000_000]),
    };
    let sampling = source_of(&with(spec(), &json!({"testPictures": [0]}))).sampling().clone();
    let error = PatchSource::new(vec![large], sampling).err().expect("refused");
    assert_eq!((error.code(), error.field()), ("too-large", Some("pictures")));
}

/// Where a transform is not finite, or a state's number, it is no transform.
#[test]
fn transforms_are_checked() {
    let rng = &mut stream(6, Purpose::Example, 0);
    let transform = PatchTransform {
        patch_size: 2,
        offset: 1.0,
        remove_patch_means: false,
        mean: vec![0.0; 4],
        components: (0..8).map(|_| uniform(rng)).collect(),
        scales: vec![1.0, 2.0],
    };
    assert!(transform.check().is_ok());
    let bad = PatchTransform { mean: vec![f64::NAN; 4], ..transform };
    assert_eq!(bad.check().unwrap_err().field(), Some("transform.mean[0]"));
}
