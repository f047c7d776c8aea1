//! The fast Fourier transform, for power spectra of real sequences, with the same bits on every
//! machine.
//!
//! No crate guarantees that: `rustfft` (and `realfft`, which uses it) and `phastft` take the roots
//! of unity from the platform's sine or use a fused multiply-add where the machine has it, `oxifft`
//! does so as well, and `microfft` has single precision only. Here the roots come from +, ·, ÷ and
//! √ alone, and every transform is the same plain loops.
//!
//! Radix 2, in place, with separate real and imaginary parts. The forward transform takes natural
//! order to bit-reversed order and the inverse the reverse, so nothing is ever permuted; a sum of
//! squares in between does not depend on the order.

/// Roots of unity for transforms of a length: those of the stage with butterflies of half width h
/// are e^(−iπk/h), k < h, at index `h + k`.
pub(super) struct Fourier {
    cos: Vec<f64>,
    sin: Vec<f64>,
}

impl Fourier {
    /// The roots for sequences of `len` numbers.
    ///
    /// # Panics
    /// If `len` is not a power of two.
    pub fn new(len: usize) -> Self {
        assert!(len.is_power_of_two());
        let mut cos = vec![1.0; len];
        let mut sin = vec![0.0; len];
        // e^(−iπ/h), by halving the angle.
        let (mut step_cos, mut step_sin) = (-1.0_f64, 0.0_f64);
        let mut half = 2;
        while half < len {
            (step_cos, step_sin) = if half == 2 {
                (0.0, -1.0)
            } else {
                let halved = (0.5 * (1.0 + step_cos)).sqrt();
                (halved, 0.5 * step_sin / halved)
            };
            for k in 0..half / 2 {
                let (c, s) = (cos[half / 2 + k], sin[half / 2 + k]);
                cos[half + 2 * k] = c;
                sin[half + 2 * k] = s;
                cos[half + 2 * k + 1] = c * step_cos - s * step_sin;
                sin[half + 2 * k + 1] = c * step_sin + s * step_cos;
            }
            half *= 2;
        }
        Self { cos, sin }
    }

    /// Σ zⱼ e^(−2πijk/len), k in bit-reversed order.
    ///
    /// # Panics
    /// If a length is not `len`.
    pub fn forward(&self, re: &mut [f64], im: &mut [f64]) {
        assert!(re.len() == self.cos.len() && im.len() == self.cos.len());
        let mut half = re.len() / 2;
        while half > 0 {
            let (cos, sin) = self.roots(half);
            for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
                let (re_a, re_b) = re.split_at_mut(half);
                let (im_a, im_b) = im.split_at_mut(half);
                for k in 0..half {
                    let (re, im) = (re_a[k] - re_b[k], im_a[k] - im_b[k]);
                    re_a[k] += re_b[k];
                    im_a[k] += im_b[k];
                    re_b[k] = re * cos[k] - im * sin[k];
                    im_b[k] = re * sin[k] + im * cos[k];
                }
            }
            half /= 2;
        }
    }

    /// Σ zₖ e^(−2πijk/len), j in natural order, of z in bit-reversed order.
    ///
    /// # Panics
    /// If a length is not `len`.
    pub fn back(&self, re: &mut [f64], im: &mut [f64]) {
        assert!(re.len() == self.cos.len() && im.len() == self.cos.len());
        let mut half = 1;
        while half < re.len() {
            let (cos, sin) = self.roots(half);
            for (re, im) in re.chunks_exact_mut(2 * half).zip(im.chunks_exact_mut(2 * half)) {
                let (re_a, re_b) = re.split_at_mut(half);
                let (im_a, im_b) = im.split_at_mut(half);
                for k in 0..half {
                    let re = re_b[k] * cos[k] - im_b[k] * sin[k];
                    let im = re_b[k] * sin[k] + im_b[k] * cos[k];
                    (re_b[k], im_b[k]) = (re_a[k] - re, im_a[k] - im);
                    re_a[k] += re;
                    im_a[k] += im;
                }
            }
            half *= 2;
        }
    }

    fn roots(&self, half: usize) -> (&[f64], &[f64]) {
        (&self.cos[half..2 * half], &self.sin[half..2 * half])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_roots() {
        let len = 1 << 17;
        let roots = Fourier::new(len);
        let mut worst = 0.0_f64;
        for half in [1, 2, 8, 1 << 10, 1 << 16] {
            for k in 0..half {
                let angle = std::f64::consts::PI * k as f64 / half as f64;
                worst = worst.max((roots.cos[half + k] - libm::cos(angle)).abs());
                worst = worst.max((roots.sin[half + k] + libm::sin(angle)).abs());
            }
        }
        assert!(worst < 1e-14, "{worst}");
    }

    #[test]
    fn transform_by_its_definition_and_back() {
        for bits in 0..7 {
            let len = 1_usize << bits;
            let fourier = Fourier::new(len);
            let part = |factor: usize| -> Vec<f64> {
                (0..len).map(|j| ((j * factor + 3) % 17) as f64 - 8.0).collect()
            };
            let (re, im) = (part(7), part(5));
            let (mut re_k, mut im_k) = (re.clone(), im.clone());
            fourier.forward(&mut re_k, &mut im_k);
            for at in 0..len {
                let k = at.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1);
                let k = if bits == 0 { 0 } else { k };
                let (mut re_sum, mut im_sum) = (0.0, 0.0);
                for j in 0..len {
                    let angle = -std::f64::consts::TAU * ((j * k) % len) as f64 / len as f64;
                    let (c, s) = (libm::cos(angle), libm::sin(angle));
                    re_sum += re[j] * c - im[j] * s;
                    im_sum += re[j] * s + im[j] * c;
                }
                assert!((re_k[at] - re_sum).abs() < 1e-11 && (im_k[at] - im_sum).abs() < 1e-11);
            }
            // The same sign of the exponent twice gives the reversed sequence.
            fourier.back(&mut re_k, &mut im_k);
            for j in 0..len {
                let backwards = (len - j) % len;
                assert!((re_k[backwards] / len as f64 - re[j]).abs() < 1e-12);
                assert!((im_k[backwards] / len as f64 - im[j]).abs() < 1e-12);
            }
        }
    }
}
