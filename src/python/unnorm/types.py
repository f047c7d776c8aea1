"""The types of specs and results, for editors and type checkers.

Written by src/tools/python-types.mjs from the declarations of the TypeScript package; do not edit.

No field of a spec is required here, because keywords may give the rest. A field that is missing is
refused when the job starts. Numbers of specs may be NumPy's, and arrays anything that
NumPy converts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Union

import numpy
import numpy.typing

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias, Unpack


class SupportsArray(Protocol):
    """What converts itself to a NumPy array."""

    def __array__(self) -> numpy.typing.NDArray[Any]: ...


Count: TypeAlias = Union[int, "numpy.integer[Any]"]
Number: TypeAlias = Union[float, "numpy.integer[Any]", "numpy.floating[Any]"]
Numbers: TypeAlias = Union[
    SupportsArray, "numpy.typing.NDArray[Any]", Sequence[Number], Sequence[Sequence[Number]]
]
Bytes: TypeAlias = Union[bytes, bytearray, SupportsArray, "numpy.typing.NDArray[Any]"]
Bits: TypeAlias = "numpy.typing.NDArray[numpy.uint8]"
Floats: TypeAlias = "numpy.typing.NDArray[numpy.float64]"


class AdamSpec(TypedDict):
    """Adam: steps scaled by running means of the gradient and its square."""

    learningRate: NotRequired[LearningRate]
    """Length of a step in each coordinate, changing linearly from the first update to the last;
    0.02 to 0.0005 if absent.
    """
    beta1: NotRequired[Number]
    """Decay of the running mean of the gradient, at least 0 and less than 1; 0.9 if absent."""
    beta2: NotRequired[Number]
    """Decay of the running mean of its square, at least 0 and less than 1; 0.999 if absent."""
    epsilon: NotRequired[Number]
    """Added to the root of that mean square, greater than 0; 1e-8 if absent."""
    batchSize: NotRequired[Number]
    """Rows per minibatch; 100 if absent."""
    numEpochs: NotRequired[Count]
    """Number of passes over the data; 10 if absent."""
    coordinates: NotRequired[CoordinatesSpec]
    """The coordinates in which steps are taken; the model's if absent."""


class AdaptationSpec(TypedDict):
    """What each chain adapts for itself in warm-up."""

    targetAcceptance: NotRequired[Number]
    """Target mean acceptance, between 0 and 1; if absent, 0.8 with trajectories, 0.574 for
    Langevin, 0.234 for Metropolis, 0.5 for slices.
    """
    scale: NotRequired[ScaleKind]
    """The kind of linear map in which moves are made; diagonal if absent."""


class AnnealedLangevinSpec(TypedDict):
    """Annealed Langevin dynamics."""

    noises: Numbers
    """The noises σ, standard deviations, each less than the one before: usually those of the
    fit.
    """
    numSteps: NotRequired[Count]
    """Langevin steps at each noise; 20 if absent. At all noises together at most 1,000."""
    stepSize: NotRequired[Number]
    """The step size ε, in units of the noise; 0.3 if absent. Warm-up does not adapt it."""


class Attractors(TypedDict):
    """The distinct states in which recall ended, most frequent first: the fraction of the
    starts that ended there measures the basin of attraction.
    """

    states: Draws
    """The distinct final states."""
    counts: Floats
    """Number of rows that ended in each."""
    which: Floats
    """For each row, the index of the state it ended in."""


class BananaSpec(TypedDict):
    """The spec of the banana."""

    dim: NotRequired[Count]
    """Number of dimensions D, at least 2; 2 if absent."""
    mean: NotRequired[Number]
    """μ, the mean of x₀; 1 if absent."""
    a: NotRequired[Number]
    """a, greater than 0; 0.05 if absent. The banana is about 1/√(2a) long."""
    b: NotRequired[Number]
    """b, greater than 0; 5 if absent. The banana is about 1/√(2b) thick."""


class BilinearGenerativeSpec(TypedDict):
    """The spec of the bilinear generative model."""

    numObserved: Count
    """M, the number of observed dimensions."""
    numCoefficients: Count
    """L, the number of coefficients."""
    numSigned: Count
    """K_c, the number of factors with a Laplace prior: the first entries of a state."""
    numPositive: Count
    """K_d, the number of nonnegative factors, with an exponential prior: the other entries of a
    state.
    """
    basis: NotRequired[Numbers]
    """Φ, row-major `[numObserved, numCoefficients]`, one basis function per column; all zero if
    absent. A fit that starts from zeros must add noise to them, by `init: { kind: 'normal' }`.
    """
    theta: NotRequired[Numbers]
    """Θ, row-major `[numCoefficients, numSigned]`; all zero if absent."""
    psi: NotRequired[Numbers]
    """Ψ, row-major `[numCoefficients, numPositive]`; all zero if absent."""
    noise: NotRequired[Number]
    """σ, the standard deviation of the noise; 0.1 if absent."""
    observed: NotRequired[Numbers]
    """The observed x, `[numObserved]`; zero if absent."""


class BinaryAttributesSpec(TypedDict):
    """Binary attributes: each row is the sum of the features N(0, s²) whose attributes it has,
    plus noise; the shares of the attributes are Beta.
    """

    dim: Count
    """D, the number of columns."""
    numAttributes: Count
    """K; at most 16 for the estimators of `evidence` that go row by row, and for `bic`."""
    priorOn: NotRequired[Number]
    """First parameter of the Beta distribution, a count of rows with an attribute; 1 if absent."""
    priorOff: NotRequired[Number]
    """Second parameter, a count of rows without; 1 if absent."""
    variances: NotRequired[VariancesSpec]
    """Variances of the features and of the noise."""
    states: NotRequired[Numbers]
    """Y, the rows of the table, as those of `clustering`."""


class BirthDeathSpec(TypedDict):
    """A chain on the states 0 to n − 1 that moves by one state at a time."""

    up: Numbers
    """The probabilities of going to the next state, `[n]`: above 0, and 0 in the last state."""
    down: Numbers
    """The probabilities of going to the state before, `[n]`: above 0, and 0 in the first state."""


class BootstrapSpec(TypedDict):
    """Fits to as many rows, drawn from the rows with replacement (Efron 1979), each from the
    fitted model.
    """

    bootstrap: Number
    """Number of fits, 10 to 10,000: 100 for standard errors, 1,000 for intervals."""


class BoundedParameter(TypedDict):
    """A parameter with bounds."""

    value: Number
    """Its value, strictly within the bounds."""
    lower: NotRequired[Number]
    """What it is greater than; nothing if absent."""
    upper: NotRequired[Number]
    """What it is less than; nothing if absent."""


class Bounds(TypedDict):
    """Bounds on log Z that hold with a stated probability for any variance of the weights."""

    lower: float
    """Lower bound on log Z; it fails with the probability below. It is always certified."""
    upper: NotRequired[float]
    """Upper bound on log Z, if there were reverse runs."""
    failureProbability: float
    """The failure probability of each bound: e^−b for a bound b nats from the estimate
    (Markov's inequality; Grosse 2014, 7.2).
    """
    boundIsCertified: bool
    """Whether the upper bound is certified, which requires reverse runs from exact draws.
    Otherwise it is a diagnostic and not a bound.
    """


class CategoricalRbmSpec(TypedDict):
    """The spec of the restricted Boltzmann machine with visible units of several values."""

    numSites: Count
    """Number of sites: the visible units."""
    numValues: Union[Count, Numbers]
    """Number of values of every site, or of each, at least 2. A state has as many bits as there
    are values of all sites together: for each site, in order, those of its values, of which one
    is on, or none if the site has no value.
    """
    numHidden: Count
    """Number of hidden units H."""
    weights: NotRequired[Numbers]
    """W, row-major `[hidden, bits]`; all zero if absent."""
    visibleBias: NotRequired[Numbers]
    """c, `[bits]`; all zero if absent."""
    hiddenBias: NotRequired[Numbers]
    """b, `[hidden]`; all zero if absent."""


class ChainProgress(TypedDict):
    """Progress of the computation of a chain."""

    verb: Literal["chain"]
    """The verb: "chain"."""
    fraction: float
    """The fraction done, 0 to 1; while the matrix is squared, an estimate."""
    done: bool
    """Whether there is a result."""


class ChainReport(TypedDict):
    """How each chain moved after warm-up, `[numChains]` each."""

    acceptance: Floats
    """Mean acceptance probability of a proposal."""
    stepSize: Floats
    """Step sizes ε."""
    numDivergent: Floats
    """Number of divergent trajectories."""
    numFlipped: Floats
    """Number of momenta reversed on rejection."""
    numGradients: Floats
    """Number of gradients taken, including those of warm-up."""
    numRoundTrips: Floats
    """Number of round trips of a replica over the ladder, for parallel tempering; else empty."""
    ebfmi: Floats
    """Energy Bayesian fraction of missing information (Betancourt 2016); empty for transitions
    without momenta.
    """


class ChainResult(TypedDict):
    """What holds of a finite Markov chain. No random number is used."""

    numStates: int
    """Number of states n."""
    transitions: NotRequired[Floats]
    """The transition matrix, row-major `[n, n]`, of a model or of the Metropolis–Hastings rule;
    absent if the chain was given by its probabilities.
    """
    stationary: Floats
    """The stationary distribution π, `[n]`. If there are several closed classes, it is not
    unique: this one gives each class the same probability, and any mixture of the classes is
    stationary.
    """
    closedClass: Floats
    """The number of each state's closed class, `[n]`, −1 for transient states, which are left
    for good sooner or later.
    """
    numClosedClasses: int
    """Number of closed classes; π is unique if there is one."""
    irreducible: bool
    """Whether each state can be reached from each other."""
    aperiodic: bool
    """Whether all closed classes have period 1."""
    periods: list[float]
    """The period of each closed class."""
    imbalance: float
    """The greatest violation of detailed balance, `max |π_i T_ij − π_j T_ji|`."""
    reversible: bool
    """Whether it is a rounding error: at most 1e-12 of the greatest `π_i T_ij`."""
    targetError: NotRequired[float]
    """For models and weights: the greatest difference of π from the distribution that the chain
    was made for. Absent if π is not unique.
    """
    gap: NotRequired[float]
    """The spectral gap `1 − λ₂`, of the closed class if there is one, and 0 if there are
    several. If the chain is not reversible, it is that of `(T + T*)/2`, with T* the chain run
    backwards.
    """
    absoluteGap: NotRequired[float]
    """The absolute gap, 1 less the greatest modulus of the other eigenvalues: 0 for periodic
    chains, absent for chains that are not reversible.
    """
    relaxationTime: NotRequired[float]
    """The relaxation time, 1 divided by the absolute gap, in steps; absent if it is infinite."""
    conductance: NotRequired[Conductance]
    """The conductance, with its set; of the closed class, if there is one."""
    steps: Floats
    """Numbers of steps t: powers of 2, and those that the search for the mixing time tried."""
    distances: Floats
    """The distances `d(t) = max_i ½ Σ_j |(T^t)_ij − π_j|` after these steps. Both are empty if
    there is no limit, for more than 512 states, and if `distances` is false.
    """
    mixingTime: NotRequired[float]
    """The mixing time: the first t at which `d(t)` is at most `epsilon`. Absent like the
    distances, and if it is above 2^40.
    """
    warnings: list[str]
    """What should be known about these numbers, in words."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class ChainSpec(TypedDict, total=False):
    """The spec of `chain`: a finite Markov chain, given in exactly one of five ways. By
    `transitions`; by a `model` and its `transition`; by `weights` and a `proposal`; by
    `birthDeath`; by `curieWeiss` and its `transition`.
    """

    transitions: Numbers
    """The transition matrix, row-major `[n, n]`: entry `i n + j` is the probability that j
    follows i. Rows must add up to 1, up to 1e-9, and are divided by their sums. Up to 1,024
    states.
    """
    model: ModelSpec
    """A binary model of up to 10 sites, whose 2^sites states are those of the chain: site i is
    bit i of a state's number.
    """
    transition: KernelSpec
    """How the chain of the model moves in a step; `singleSite` for `curieWeiss`."""
    weights: Numbers
    """Positive weights `[n]`, to which the stationary distribution is proportional: with a
    `proposal` they make the chain of Metropolis and Hastings.
    """
    proposal: Numbers
    """The proposals of that chain, row-major `[n, n]`, with rows like those of `transitions`."""
    birthDeath: BirthDeathSpec
    """A chain on a line that moves by one state at a time."""
    curieWeiss: CurieWeissSpec
    """The Curie–Weiss model, whose number of up spins is a chain of that kind."""
    epsilon: Number
    """The distance at which the chain counts as mixed, between 0 and 1; ¼ if absent."""
    distances: bool
    """Whether to compute distances and the mixing time, for up to 512 states; true if absent."""


class ChoiceEbic(TypedDict):
    kind: Literal["ebic"]
    gamma: NotRequired[Number]
    """γ, 0 to 1: the greater, the fewer edges; 0.25 if absent, and 0 is BIC."""


class ChoiceCrossValidation(TypedDict):
    kind: Literal["crossValidation"]
    numFolds: NotRequired[Count]
    """Number of parts of the rows, each held out once; 10 if absent."""
    oneStandardError: NotRequired[bool]
    """Whether to take the greatest penalty whose score is within one standard error of the
    best; false if absent.
    """


class ChoiceStability(TypedDict):
    kind: Literal["stability"]
    numSubsamples: NotRequired[Count]
    """Number of halves; 100 if absent. Two each are the complement of one another."""
    threshold: NotRequired[Number]
    """The share in which an edge must be found, above 0.5, to 1; 0.75 if absent."""
    falseEdges: NotRequired[Number]
    """The expected number of false edges that is allowed; 1 if absent."""


class ClusteredLowRankSpec(TypedDict):
    """Low rank with clustered loadings: each row is N(0, 1) factors times loadings, plus noise,
    and the loadings of a column are about the centre of its cluster.
    """

    dim: Count
    """D, the number of columns."""
    numFactors: Count
    """K."""
    numClusters: Count
    """Number of clusters of the columns."""
    concentration: NotRequired[Number]
    """α of the Dirichlet distribution of their shares, the same for each cluster; 1 if absent."""
    between: NotRequired[Number]
    """ρ, how much of the variance of the loadings is that of the centres, above 0 and below 1;
    0.75 if absent.
    """
    variances: NotRequired[VariancesSpec]
    """Variances of the loadings, centres and all, and of the noise."""


class ClusteringSpec(TypedDict):
    """Clusters: each row is a centre plus noise; the shares of the clusters are Dirichlet, the
    centres N(0, s²).
    """

    dim: Count
    """D, the number of columns."""
    numClusters: Count
    """K."""
    concentration: NotRequired[Number]
    """α of the Dirichlet distribution, the same for each cluster; 1 if absent."""
    variances: NotRequired[VariancesSpec]
    """Variances of the centres and of the noise."""
    states: NotRequired[Numbers]
    """Y, the rows of the table, one after another, `[numRows, dim]`: `sample` and `exact` need
    them here; `evidence` has a field for them. Models are about 0: subtract the means of the
    columns where they say nothing.
    """


class CombinedPart(TypedDict):
    """One of the energies that are combined."""

    model: ModelSpec
    """The model; of any kind but those whose sites have several values, of counts and of
    tables.
    """
    weight: NotRequired[Number]
    """The weight w; 1 if absent. In a `sum` any number: 1/T is the part at temperature T, a
    negative one is NOT. In `either` greater than 0, and only the ratios matter.
    """
    logZ: NotRequired[Number]
    """For `either`: the part's log Z, in nats. May be left out where it has a closed form."""


class CombinedSpec(TypedDict):
    """The spec of a model made of others."""

    how: Combination
    """`sum` multiplies the parts' densities (AND), `either` mixes them (OR)."""
    parts: Sequence[CombinedPart]
    """The parts: all of them models of the same number of bits, or all on the same ℝᴰ."""


class Conductance(TypedDict):
    """The conductance Φ of a chain, and where its bottleneck is."""

    value: float
    """`flow / probability`."""
    isExact: bool
    """Whether no set has less: all subsets of up to 16 states are tried, and for chains that
    move by one state at a time all cuts. Else it is the least of the cuts along the second
    eigenvector, an upper bound.
    """
    set: Floats
    """The states of the set S, in ascending order."""
    probability: float
    """π(S), at most ½."""
    flow: float
    """The flow out of it, `Σ_{i∈S, j∉S} π_i T_ij`."""
    gapBounds: tuple[float, float]
    """Cheeger's bounds on the gap, `Φ²/2` and `2Φ`."""


class ConnectivitySingleFlips(TypedDict):
    kind: Literal["singleFlips"]


class ConnectivitySingleAndAllFlips(TypedDict):
    kind: Literal["singleAndAllFlips"]


class ConnectivityFlipSets(TypedDict):
    kind: Literal["flipSets"]
    sets: Numbers
    """Sites of each set, distinct, at least one."""


class ConnectivitySampled(TypedDict):
    kind: Literal["sampled"]
    proposal: ProposalSpec
    """The distribution they are drawn from."""
    numSamples: Count
    """Number of draws for each distinct row of the data."""


class ConnectivityBall(TypedDict):
    kind: Literal["ball"]
    radius: Number
    """The ball's radius, greater than 0."""
    numSamples: Count
    """Number of draws for each row: an even number, 2 to 1,000."""


class ContinuousDraws(TypedDict):
    """Draws on ℝᴰ."""

    dim: int
    """Entries per state."""
    numChains: int
    """Number of chains."""
    numDraws: int
    """Number of draws from each chain."""
    values: Floats
    """The states, `[numDraws, numChains, dim]`."""


class ContinuousResult(TypedDict):
    """Draws from a model on ℝᴰ, with diagnostics."""

    draws: ContinuousDraws
    """The draws."""
    energies: Floats
    """The energies of the draws, in nats, `[numDraws, numChains]`."""
    summary: EntrySummaries
    """Summaries of each entry of the state over all draws."""
    chains: ChainReport
    """How each chain moved after warm-up."""
    divergences: Divergences
    """Trajectories that diverged."""
    paths: NotRequired[Paths]
    """The trajectories of chain 0, if the spec records them."""
    ladder: Floats
    """β of the rungs of chain 0; empty without tempering."""
    levels: NotRequired[LevelReport]
    """How chains moved over the levels of simulated tempering; absent without."""
    warnings: list[str]
    """Warnings about the result, as sentences; empty if there are none."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class CoordinatesModel(TypedDict):
    kind: Literal["model"]


class CoordinatesParams(TypedDict):
    kind: Literal["params"]


class CoordinatesMetric(TypedDict):
    kind: Literal["metric"]
    metric: MetricKind
    """The kind of metric."""
    form: MetricForm
    """Which of its entries are kept."""
    damping: NotRequired[MetricDamping]
    """How its inverse is kept bounded; a ridge of 0.01 if absent."""
    refreshEvery: NotRequired[Number]
    """Number of steps after which the metric is taken anew at the parameters reached, where the
    search begins without memory and the descent without velocity; it is kept if absent.
    """


class CoordinatesRelative(TypedDict):
    kind: Literal["relative"]
    refreshEvery: NotRequired[Number]
    """Number of steps after which W₀ becomes the matrix reached; 10 if absent. Persistent
    minimum probability flow keeps the first.
    """


class CovarianceSE(TypedDict):
    kind: Literal["SE"]
    input: float
    """The input it reads, counted from 0."""
    variance: float
    """σ²."""
    lengthScale: float
    """ℓ."""


class CovarianceRQ(TypedDict):
    kind: Literal["RQ"]
    input: float
    """The input it reads, counted from 0."""
    variance: float
    """σ²."""
    lengthScale: float
    """ℓ."""
    alpha: float
    """α: the smaller, the more scales."""


class CovariancePER(TypedDict):
    kind: Literal["PER"]
    input: float
    """The input it reads, counted from 0."""
    variance: float
    """σ²."""
    lengthScale: float
    """ℓ, a number without a unit: the smaller, the rougher within a period."""
    period: float
    """p."""


class CovarianceLIN(TypedDict):
    kind: Literal["LIN"]
    input: float
    """The input it reads, counted from 0."""
    biasVariance: float
    """σ_b², the variance where the slope has no say."""
    slopeVariance: float
    """σ_v², the variance of the slope."""
    location: float
    """ℓ, the place where the line has the variance σ_b²."""


class CovarianceSum(TypedDict):
    kind: Literal["sum"]
    terms: list[CovarianceSpec]
    """Two or more."""


class CovarianceProduct(TypedDict):
    kind: Literal["product"]
    factors: list[CovarianceSpec]
    """Two or more."""


class CurieWeissSpec(TypedDict):
    """The Curie–Weiss model, `p ∝ exp(β M² / 2n)` with M the sum of n spins ±1, of which one,
    drawn uniformly, is updated in a step. The number of up spins, 0 to n, is a Markov chain by
    itself.
    """

    numSpins: Count
    """Number of spins n."""
    beta: Number
    """The inverse temperature β, 0 or more. The model has two phases above 1."""


class CustomSpec(TypedDict):
    """The spec of the custom model."""

    dim: Count
    """Number of dimensions D."""
    energy: Callable[..., tuple[Any, ...]]
    """The energies `[B]` and the gradients `[B, dim]` of states `[B, dim]`. With `params` it also
    takes their values `[P]`, and returns the gradients in these `[B, P]`, too."""
    params: NotRequired[Mapping[str, ParameterSpec]]
    """The parameters: what a fit finds, with the values that it starts from. A number, or an object
    with `value` and the bounds `lower` and `upper`."""


class DataRows(TypedDict):
    kind: Literal["rows"]
    rows: Numbers
    """The rows, all of the same length."""


class DataValues(TypedDict):
    kind: Literal["values"]
    dim: Count
    """Entries per row."""
    values: Numbers
    """The entries, `[numRows, dim]` row-major."""


class DataBits(TypedDict):
    kind: Literal["bits"]
    dim: Count
    """Bits per row."""
    numRows: Count
    """Number of rows."""
    bits: Bytes
    """The rows, each padded with zeros to whole bytes, least significant bit first."""
    entries: NotRequired[Entries]
    """What the entries were before they were packed, as `readData` returns it; it has no
    effect.
    """


class DataCsv(TypedDict):
    kind: Literal["csv"]
    bytes: Bytes
    """The bytes of the file."""


class DataNpy(TypedDict):
    kind: Literal["npy"]
    bytes: Bytes
    """The bytes of the file."""


class DbnLayer(TypedDict):
    """One of the restricted Boltzmann machines of a stack."""

    weights: NotRequired[Numbers]
    """W, row-major `[hidden, visible]`; all zero if absent."""
    visibleBias: NotRequired[Numbers]
    """c, `[visible]`; all zero if absent."""
    hiddenBias: NotRequired[Numbers]
    """b, `[hidden]`; all zero if absent."""


class DbnSpec(TypedDict):
    """The spec of the deep belief network."""

    sizes: Numbers
    """Number of units of each layer, from the bottom up: `[visible, hidden 1, hidden 2, …]`."""
    layers: NotRequired[Sequence[DbnLayer]]
    """The restricted Boltzmann machines, from the bottom up: machine k has layer k as its
    visible layer and layer k + 1 as its hidden layer. All zero if absent.
    """


class Divergences(TypedDict):
    """Trajectories whose energy error was NaN or exceeded 1,000 nats."""

    numTotal: int
    """Number of divergences after warm-up."""
    states: Floats
    """Starting points of the first few of each chain, `[.., dim]`."""


class DoubleWellSpec(TypedDict):
    """The spec of the double well."""

    dim: NotRequired[Count]
    """Number of dimensions D; 1 if absent."""
    barrier: NotRequired[Number]
    """B, in nats, greater than 0; 4 if absent."""
    minimum: NotRequired[Number]
    """w, greater than 0: the minima are at x₀ = ±w; 1 if absent."""


class Draws(TypedDict):
    """Rows of packed bits."""

    dim: int
    """Bits per row."""
    numRows: int
    """Number of rows."""
    bits: Bits
    """The rows, each padded with zeros to whole bytes, least significant bit first."""


class EnergiesProgress(TypedDict):
    """Progress of the computation of energies."""

    verb: Literal["energies"]
    """The verb: "energies"."""
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class EnergiesResult(TypedDict):
    """Energies of states."""

    energies: Floats
    """Energies, in nats, `[numStates]`; infinite or NaN for states outside the model's domain."""
    gradients: Floats
    """Gradients, `[numStates, dim]`; empty if not asked for."""
    parameters: Floats
    """The parameters θ that the states stand for, `[numStates, numParameters]`, in the order of
    the prior; empty if not asked for.
    """
    conditionals: Floats
    """The probabilities of the bits given the other sites, `[numStates, dim]`; empty if not
    asked for.
    """
    hidden: Floats
    """The probabilities that the hidden units are on, `[numStates, numHidden]`; empty if not
    asked for.
    """
    logProbabilities: Floats
    """ln p of the states, in nats, `[numStates]`; empty if not asked for."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class EnergiesSpec(TypedDict, total=False):
    """The spec of `energies`."""

    model: ModelSpec
    """The model whose energies are computed."""
    states: Numbers
    """The states, one after another, `[numStates, dim]`; zeros and ones for binary models. For
    a `categoricalRbm` sites may be without a value; energies are then those of the machine of
    the other sites.
    """
    gradients: bool
    """Whether to compute gradients too; false if absent."""
    parameters: bool
    """Whether to say which parameters θ the states stand for, for the kind `posterior`; false
    if absent.
    """
    conditionals: bool
    """Whether to compute the conditional probabilities of models of bits: of each bit, that it
    is on given the other sites. Of a site of several values those of its bits add up to 1; of
    one without a value, which a `categoricalRbm` may have, they are those given all that have
    one. False if absent.
    """
    hidden: bool
    """Whether to compute the probabilities that hidden units are on given each state; false if
    absent.
    """
    logProbabilities: bool
    """Whether to compute `ln p` of each state exactly, for models whose log Z depends on the
    state, of up to 20 hidden units: for `categoricalRbm` among the states of the sites that
    have a value, for `replicatedSoftmax` among the sequences of as many words. False if absent.
    (For other models subtract the log Z of `exact` from minus the energies.)
    """
    observed: ObservedSpec
    """Sites, or entries of the state, that are observed and stay: these entries of all states
    are set to the values, and their gradients are 0.
    """


class EntrySummaries(TypedDict):
    """Summaries of the draws of each entry of the state, `[dim]` each (Vehtari, Gelman,
    Simpson, Carpenter and Bürkner 2021).
    """

    mean: Floats
    """Means of the draws."""
    sd: Floats
    """Standard deviations of the draws."""
    mcseMean: Floats
    """Monte Carlo standard errors of the means."""
    mcseSd: Floats
    """Monte Carlo standard errors of the standard deviations."""
    essBulk: Floats
    """Rank-normalized effective sample sizes."""
    essTail: Floats
    """Effective sample sizes for the 5 % and 95 % quantiles, the smaller of the two."""
    rhat: Floats
    """Rank-normalized split R̂; NaN with one chain."""


class Estimated(TypedDict):
    """An estimate with its uncertainty."""

    value: float
    """The estimate."""
    standardError: float
    """Its standard error; NaN if unknown."""
    interval: Interval
    """Its confidence interval, at the confidence asked for."""


class EstimatorExact(TypedDict):
    kind: Literal["exact"]


class EstimatorLikelihoodWeighting(TypedDict):
    kind: Literal["likelihoodWeighting"]
    numDraws: NotRequired[Count]
    """Number of draws of a trial; 10,000 if absent."""


class EstimatorHarmonicMean(TypedDict):
    kind: Literal["harmonicMean"]
    numDraws: NotRequired[Count]
    """Number of draws of a trial; 1,000 if absent."""


class EstimatorBic(TypedDict):
    kind: Literal["bic"]
    numRestarts: NotRequired[Count]
    """Number of starts, or of draws of the posterior for binary attributes; 20 if absent."""


class EstimatorVariationalBayes(TypedDict):
    kind: Literal["variationalBayes"]
    numRestarts: NotRequired[Count]
    """Number of starts, of which the best counts; 20 if absent."""
    symmetry: NotRequired[bool]
    """Whether to add the log of the number of names that clusters, factors or attributes could
    have; false if absent. The result is then no bound.
    """


class EstimatorChib(TypedDict):
    kind: Literal["chib"]
    numSweeps: NotRequired[Count]
    """Number of states of the chain; 1,000 if absent."""


class EstimatorNestedSampling(TypedDict):
    kind: Literal["nestedSampling"]
    numParticles: NotRequired[Count]
    """Number of particles; 2 if absent."""
    numSweeps: NotRequired[Count]
    """Sweeps that move a particle; 5 if absent."""


class EstimatorParticleLearning(TypedDict):
    kind: Literal["particleLearning"]
    numSweeps: NotRequired[Count]
    """Sweeps after each row; 1 if absent."""


class EstimatorSequentialHarmonicMean(TypedDict):
    kind: Literal["sequentialHarmonicMean"]
    numSweeps: NotRequired[Count]
    """Sweeps before each row is taken out; 1 if absent."""


class EstimatorAnnealing(TypedDict):
    kind: Literal["annealing"]
    numDistributions: NotRequired[Count]
    """K, the number of distributions after the prior; 1,000 if absent."""
    delta: NotRequired[Number]
    """δ of the sigmoidal schedule; 4 if absent, and 0 is linear."""
    reverse: NotRequired[bool]
    """Whether to anneal from the posterior to the prior, too; if absent, where the table is
    simulated.
    """


class EstimatorCompositional(TypedDict):
    kind: Literal["compositional"]
    numDistributions: NotRequired[Count]
    """K, the number of distributions after the prior, in each of both; 1,000 if absent."""
    delta: NotRequired[Number]
    """δ of the sigmoidal schedule; 4 if absent, and 0 is linear."""


class EstimatorThermodynamicIntegration(TypedDict):
    kind: Literal["thermodynamicIntegration"]
    numDistributions: NotRequired[Count]
    """K, the number of distributions after the prior; 1,000 if absent."""
    delta: NotRequired[Number]
    """δ of the sigmoidal schedule; 4 if absent, and 0 is linear."""


class EvidenceBounds(TypedDict):
    """Bounds on ln p(Y) by Markov's inequality."""

    lower: NotRequired[float]
    """Lower bound, from trials whose mean is p(Y), or of variational Bayes."""
    upper: NotRequired[float]
    """Upper bound, from trials the mean of whose reciprocals is 1/p(Y)."""
    failureProbability: float
    """Maximum probability that a bound fails: of each, and 0 for variational Bayes."""
    boundIsCertified: bool
    """Whether the upper bound is certified, which requires a simulated table. Otherwise it is a
    diagnostic and not a bound. The lower bound always is.
    """


class EvidenceProgress(TypedDict):
    """Progress of estimating evidence."""

    verb: Literal["evidence"]
    """The verb: "evidence"."""
    trials: Floats
    """Estimates of the trials that are done, in nats; those of runs back after those of runs
    forth.
    """
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class EvidenceResult(TypedDict):
    """An estimate of ln p(Y)."""

    logZ: float
    """ln p(Y), in nats: from all trials and, where the table is simulated, in both directions."""
    standardError: float
    """Its standard error, from the spread of the trials; at least half the distance of the two
    directions; 0 if exact; NaN if unknown.
    """
    interval: Interval
    """Its confidence interval; with both directions, from the lower end forth to the upper end
    back.
    """
    combination: Literal["mean", "harmonicMean", "greatest", "meanOfLogs", "exact"]
    """How the trials are combined: those whose mean is p(Y), by their mean; those the mean of
    whose reciprocals is 1/p(Y), by the harmonic mean; others by their greatest, or the mean of
    their logs.
    """
    trials: Floats
    """Each trial's estimate, in nats."""
    trialErrors: NotRequired[Floats]
    """Each trial's own standard error, where it tells: nested sampling's, from the information
    that the data give over the prior.
    """
    numSteps: Floats
    """Number of steps of each trial, where the estimator decides that; otherwise what was asked
    for.
    """
    reverse: NotRequired[ReverseTrials]
    """Annealing back, if it was asked for."""
    bounds: NotRequired[EvidenceBounds]
    """Bounds, if the estimator gives any."""
    draw: NotRequired[LatentDraw]
    """The last state of one of the trials, by their weights: near a draw of the posterior if
    the estimate is good.
    """
    simulated: NotRequired[SimulatedTable]
    """The table, if it was simulated."""
    warnings: list[str]
    """What is known to be wrong with the estimate, in words."""
    seed: int
    """The seed."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class EvidenceSpec(TypedDict, total=False):
    """The spec of `evidence`: ln p(Y) of a table under a model with hidden variables."""

    model: LatentModelSpec
    """The model."""
    states: Numbers
    """The rows of the table, one after another, `[numRows, dim]`. Models are about 0: subtract
    the means of the columns where they say nothing.
    """
    simulate: SimulateSpec
    """A table drawn from the model in place of `states`. The hidden variables that it was made
    of are an exact draw of the posterior, and bounds from above are certified.
    """
    estimator: EstimatorSpec
    """The estimator; annealing if absent."""
    numTrials: Count
    """Number of independent runs of the estimator; 25 if absent."""
    numWarmup: Count
    """Sweeps from a draw of the prior to what is taken for a draw of the posterior, where an
    estimator begins at one and the table is not simulated; 1,000 if absent.
    """
    confidence: Number
    """Confidence of the interval and of both bounds together, 0 to 1; 0.95 if absent."""
    seed: Count
    """Seed, 0 to 2⁵³ − 1; chosen and reported if absent."""


class ExactProgress(TypedDict):
    """Progress of exact computation."""

    verb: Literal["exact"]
    """The verb: "exact"."""
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class ExactResult(TypedDict):
    """Exact quantities of a model."""

    method: Literal["enumeration", "smallerSide", "hiddenStates", "kaufman", "frontier", "closedForm", "quadrature"]
    """The method: `enumeration` of all states; of a restricted Boltzmann machine's
    `smallerSide`, or its `hiddenStates` where visible units have several values; `kaufman`, the
    formula for a uniform torus; `frontier`, summing out one site after another; `closedForm`,
    on ℝᴰ; `quadrature`, of a table under `lowRank`.
    """
    logZ: float
    """log Z, in nats."""
    moments: NotRequired[Floats]
    """`E[x_i x_j]`, row-major `[dim, dim]`: by enumeration."""
    meanEnergy: NotRequired[float]
    """`E[E(x)]`, in nats: by enumeration, Kaufman's formula or a frontier."""
    entropy: NotRequired[float]
    """Entropy, in nats: by the same methods as the mean energy."""
    logLikelihood: NotRequired[float]
    """With data: their mean log likelihood, in nats per row."""
    mpfBound: NotRequired[MpfBound]
    """With data and a connectivity: a lower bound on that log likelihood."""
    table: NotRequired[TablePosterior]
    """Moments of the posterior of a table's hidden variables, for the models that have these;
    log Z is then ln p(Y).
    """
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class ExactSpec(TypedDict, total=False):
    """The spec of `exact`."""

    model: ModelSpec
    """The model whose log Z is computed."""
    data: DataSpec
    """Rows whose likelihood is computed, if any; moved out of the spec once read."""
    connectivity: ConnectivitySpec
    """With data: asks for a lower bound on their likelihood from the rates of minimum
    probability flow with this connectivity; for up to 8 sites, and not for sampled neighbours.
    """
    observed: ObservedSpec
    """Sites, or entries of the state, that are observed and stay: log Z, moments and likelihood
    are those of the model given them.
    """


class FitProgress(TypedDict):
    """Progress of a fit."""

    verb: Literal["fit"]
    """The verb: "fit"."""
    iteration: float
    """Number of accepted steps; number of refreshes for persistent minimum probability flow and
    expectation maximization.
    """
    numEvaluations: int
    """Number of evaluations of the objective, each over all data or over one minibatch."""
    objective: float
    """The objective at the model below; NaN before the first evaluation. With minibatches it is
    the mean over those of the epoch so far.
    """
    gradNorm: float
    """Euclidean norm of the objective's gradient, in the optimizer's coordinates."""
    fraction: float
    """Estimate of the fraction done, 0 to 1; it never falls."""
    done: bool
    """Whether there is a result."""
    layer: NotRequired[float]
    """For deep belief networks: the machine being fitted, from 0 at the bottom. The objective
    and its gradient are those of this machine.
    """
    model: Any
    """The current model."""


class FitResult(TypedDict):
    """A fitted model."""

    model: Any
    """The fitted model."""
    objective: float
    """The objective at the fitted model. With minibatches it is the mean over those of the last
    epoch; NaN for mean field, which has none; for deep belief networks that of the top machine.
    """
    gradNorm: float
    """Euclidean norm of the objective's gradient, in the optimizer's coordinates; with
    minibatches that of the last one; NaN for mean field.
    """
    numIterations: int
    """Number of accepted steps; number of refreshes for persistent minimum probability flow and
    expectation maximization.
    """
    numEvaluations: int
    """Number of evaluations of the objective, each over all data or over one minibatch."""
    converged: bool
    """Whether the tolerance was met. False for stochastic optimizers, which have none, and
    where samples change; true for a solution in closed form.
    """
    stopReason: str
    """Why the fit ended, as a sentence."""
    warnings: list[str]
    """Warnings about the result, as sentences; empty if there are none."""
    connectivity: NotRequired[str]
    """For minimum probability flow on bits: the kind of connectivity, as given or as chosen for
    the data.
    """
    errors: NotRequired[ParameterErrors]
    """The errors of the parameters, if they were asked for and the rows determine them."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""
    layers: NotRequired[list[LayerFit]]
    """For deep belief networks: the fits of the machines, from the bottom up."""


class FitSpec(TypedDict, total=False):
    """The spec of `fit`."""

    model: ModelSpec
    """The model to start from; `init` says how its parameters are used."""
    data: DataSpec
    """For binary models: rows of zeros and ones with one column per site. Moved out of the spec
    once read.
    """
    states: Numbers
    """For models on ℝᴰ: the rows of the data, one after another, `[numRows, dim]`; for
    generative models `[numRows, numObserved]`.
    """
    numHidden: Count
    """How many of the model's sites the rows do not show, the last ones: hidden units, which
    may be coupled to one another, of an Ising model. For contrastive divergence, persistent or
    not. 0 if absent.
    """
    hiddenStates: HiddenStatesSpec
    """What stands in for the hidden sites of a row at each update; draws by Gibbs sampling if
    absent.
    """
    objective: ObjectiveSpec
    """What to minimize."""
    regularizer: RegularizerSpec
    """A penalty on large parameters, added to the objective."""
    optimizer: OptimizerSpec
    """How to minimize. If absent: stochastic gradient descent for contrastive divergence, else
    L-BFGS, with ten steps per refresh for persistent minimum probability flow and expectation
    maximization. Mean field takes no optimizer.
    """
    errors: ErrorsSpec
    """Whether to give errors of the parameters: `true` for those of the sandwich, for
    objectives that are a mean over rows, by `lbfgs`, of models with up to 512 parameters; `{
    bootstrap: 200 }` for those of as many fits to resampled rows, for any fit but that of a
    stack. None if absent.
    """
    init: InitSpec
    """The starting parameters."""
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class FlowOptimizerLbfgs(TypedDict):
    kind: Literal["lbfgs"]
    memory: NotRequired[Number]
    """Number of past steps from which the curvature is estimated, 1 to 100; 10 if absent."""
    maxIterations: NotRequired[Number]
    """Maximum number of steps; 1,000 if absent."""


class FlowOptimizerSgd(TypedDict):
    kind: Literal["sgd"]
    learningRate: NotRequired[LearningRate]
    """Changes linearly from `start` to `end`, in units of the reciprocal of the greatest
    curvature at the start, as estimated from the patterns: from 0.3 to 0.1 if absent. Near 2 it
    diverges.
    """
    batchSize: NotRequired[Number]
    """Rows per step, 1 to 16,384; 800 if absent, or all if there are fewer."""
    numEpochs: NotRequired[Count]
    """Number of passes over all copies of the patterns; 40 if absent."""


class FlowOptimizerOnline(TypedDict):
    kind: Literal["online"]
    learningRate: NotRequired[Number]
    """The step η; 0.01 if absent. The pull of a row grows exponentially with its distance from
    being stored, so large rates diverge.
    """
    maxEpochs: NotRequired[Number]
    """Maximum number of passes over the patterns; 1,000 if absent."""


class FormulaSpec(TypedDict):
    """The spec of the formula model."""

    expression: str
    """E(x), in nats, e.g. `100*log(sqrt(x^2+y^2))^2`. Numbers, names, parentheses, `+ - * / ^`,
    the functions abs, cos, equal (1 or 0, of bits and values), exp, log (or ln, the natural
    logarithm), max, min, sigmoid, sin, softplus, sqrt and tanh, and `pi`. `-x^2` is `-(x^2)`,
    `a^b^c` is `a^(b^c)`.
    """
    variables: NotRequired[Sequence[str]]
    """The names of x₀, x₁, …. If absent, the names in the expression in alphabetical order, but
    x2 before x10.
    """
    constants: NotRequired[Mapping[str, Number]]
    """The values of other names."""
    params: NotRequired[Mapping[str, ParameterSpec]]
    """The parameters: what a fit finds, with the values that it starts from. A number, or an
    object with `value` and the bounds `lower` and `upper`.
    """
    binary: NotRequired[bool]
    """Whether the states are rows of zeros and ones, each variable a bit; false if absent."""
    numValues: NotRequired[Union[Count, Numbers]]
    """Number of values of every variable, or of each, at least 2: a variable is then 0, 1, …,
    one less than that. States are rows of bits as those of Potts models, one bit a value.
    """
    constraints: NotRequired[Sequence[HalfSpace]]
    """The support is where all of these hold; all of ℝᴰ if there are none."""


class FunctionMarginals(TypedDict):
    """Means and variances of a function, without noise."""

    means: Floats
    """Means."""
    variances: Floats
    """Variances."""


class FunnelSpec(TypedDict):
    """The spec of the funnel."""

    dim: NotRequired[Count]
    """Number of dimensions D, at least 2; 10 if absent."""
    scale: NotRequired[Number]
    """s, the standard deviation of x₀, greater than 0; 3 if absent."""


class GaussianRbmSpec(TypedDict):
    """The spec of the Gaussian–binary Boltzmann machine."""

    numVisible: Count
    """Number of visible units D: the dimensions."""
    numHidden: Count
    """Number of hidden units H."""
    weights: NotRequired[Numbers]
    """W, row-major `[hidden, visible]`; all zero if absent. A fit that starts from zeros must
    add noise to them, by `init: { kind: 'normal' }`.
    """
    visibleBias: NotRequired[Numbers]
    """c, `[visible]`: the mean when all hidden units are 0; all zero if absent."""
    hiddenBias: NotRequired[Numbers]
    """b, `[hidden]`; all zero if absent."""
    sigma: NotRequired[Numbers]
    """σ, `[visible]`, each greater than 0: the standard deviations of the visible units given
    the hidden ones; ones if absent.
    """


class GaussianSpec(TypedDict):
    """The spec of the Gaussian."""

    dim: Count
    """Number of dimensions D."""
    mean: NotRequired[Numbers]
    """μ, `[dim]`; zero if absent."""
    precision: NotRequired[Numbers]
    """Λ, row-major `[dim, dim]`, symmetric and positive definite; the identity if absent,
    unless the covariance is given.
    """
    covariance: NotRequired[Numbers]
    """The covariance Λ⁻¹, instead of Λ."""


class HalfSpace(TypedDict):
    """All x with `normal·x ≥ offset`. Trajectories are reflected at its boundary
    (Sohl-Dickstein 2012, 5.2.1).
    """

    normal: Numbers
    """The inward normal, `[dim]`, of any nonzero length."""
    offset: Number
    """The smallest allowed `normal·x`."""


class HiddenStatesGibbs(TypedDict):
    kind: Literal["gibbs"]
    numSweeps: NotRequired[Count]
    """Sweeps over the hidden sites, 1 to 1,000; if absent as many as the objective's chains
    make steps.
    """


class HiddenStatesMeanField(TypedDict):
    kind: Literal["meanField"]
    numSweeps: NotRequired[Count]
    """Sweeps over the hidden sites, 1 to 1,000; 10 if absent."""


class HmcSpec(TypedDict):
    """Hamiltonian Monte Carlo."""

    numLeapfrogSteps: NotRequired[Count]
    """Leapfrog steps per proposal, 1 to 1,000; 10 if absent."""
    momentumRefresh: NotRequired[Number]
    """γ, the fraction of the momentum's power that is replaced before each proposal, greater
    than 0 and at most 1; 1 if absent.
    """
    momentumFlips: NotRequired[MomentumFlips]
    """How the momentum is reversed on rejection; standard if absent."""
    stepSize: NotRequired[Number]
    """The step size ε. Kept if given without `adaptation`; else found in warm-up."""
    adaptation: NotRequired[AdaptationSpec]
    """What warm-up adapts."""


class IcaSpec(TypedDict):
    """The spec of independent component analysis."""

    dim: Count
    """Number of dimensions D, and of filters."""
    filters: NotRequired[Numbers]
    """J, row-major `[dim, dim]`, one filter per row, linearly independent; the identity if
    absent.
    """


class InitModel(TypedDict):
    kind: Literal["model"]


class InitNormal(TypedDict):
    kind: Literal["normal"]
    scale: Number
    """Standard deviation of the noise."""


class InitDataMeans(TypedDict):
    kind: Literal["dataMeans"]
    scale: Number
    """Standard deviation of the noise."""


class Interval(TypedDict):
    """An interval of log Z or of another estimate, in its units."""

    lower: float
    """The lower end."""
    upper: float
    """The upper end."""


class IsingSpec(TypedDict):
    """The spec of the Ising model. Its parameters are given by one of `couplings`, `params` and
    `uniform`; without any they are all zero.
    """

    dim: Count
    """Number of sites D."""
    pattern: NotRequired[Pattern]
    """Which pairs are coupled; dense if absent."""
    couplings: NotRequired[Numbers]
    """J, row-major `[dim, dim]`, symmetric, biases on the diagonal, zero off the pattern; up to
    4,096 sites.
    """
    params: NotRequired[Numbers]
    """J without the zeros: its `dim` diagonal entries, then J_ij for the pattern's pairs, i <
    j, in lexicographic order.
    """
    uniform: NotRequired[UniformSpins]
    """One coupling for all pairs and one field for all sites."""


class KernelCandidate(TypedDict):
    """A family that was tried."""

    text: str
    """Its text."""
    logEvidence: float
    """ln p of the values under the best kernel of the family that was found, in nats."""
    bic: float
    """BIC = −2 ln p + p ln N, p the number of its parameters and the noise's; the less, the
    better.
    """
    abandoned: bool
    """Whether its fit was abandoned, since it was far from the least BIC and hardly came
    closer. Converged, its BIC would be lower, but hardly that low.
    """


class KernelComponent(TypedDict):
    """A component of the function."""

    text: str
    """The product of base kernels that it has."""
    kernel: CovarianceSpec
    """That kernel."""
    means: Floats
    """Means at the inputs, `[N]`, about 0."""
    variances: Floats
    """Variances at the inputs, `[N]`."""
    predicted: NotRequired[FunctionMarginals]
    """Where predictions were asked for."""


class KernelLevel(TypedDict):
    """A level of the search."""

    text: str
    """The best family of the level."""
    logEvidence: float
    """ln p of the values, in nats."""
    bic: float
    """Its BIC."""
    kernel: CovarianceSpec
    """Its kernel."""
    noiseVariance: float
    """The variance of the noise."""
    prediction: NotRequired[FunctionMarginals]
    """What it predicts, if predictions were asked for."""
    candidates: list[KernelCandidate]
    """All families of the level, the best first."""


class KernelSingleSite(TypedDict):
    kind: Literal["singleSite"]
    rule: FlipRule
    """By which rule."""


class KernelGibbs(TypedDict):
    kind: Literal["gibbs"]
    scan: NotRequired[Scan]
    """The order of the sites; systematic if absent."""


class KernelLocallyInformed(TypedDict):
    kind: Literal["locallyInformed"]


class KernelDiscreteLangevin(TypedDict):
    kind: Literal["discreteLangevin"]
    stepSize: NotRequired[Number]
    """The step size α, greater than 0; 0.2 if absent."""


class KernelCheckerboard(TypedDict):
    kind: Literal["checkerboard"]


class KernelSwendsenWang(TypedDict):
    kind: Literal["swendsenWang"]


class KernelWolff(TypedDict):
    kind: Literal["wolff"]


class KernelBlockGibbs(TypedDict):
    kind: Literal["blockGibbs"]


class KernelsProgress(TypedDict):
    """Progress of a search."""

    verb: Literal["kernels"]
    """The verb: "kernels"."""
    level: float
    """The level that is searched, counted from 1."""
    numCandidates: int
    """Number of families of this level."""
    numDone: int
    """Number of them that are fitted."""
    levels: list[KernelLevel]
    """The levels that are complete."""
    fraction: float
    """The fraction done, 0 to 1, if the search goes on to its last level."""
    done: bool
    """Whether there is a result."""


class KernelsResult(TypedDict):
    """The kernel that a search found, and what it says."""

    kernel: CovarianceSpec
    """The kernel with the least BIC."""
    text: str
    """Its text, as `SE × PER + LIN`; inputs are subscripts, counted from 1, if there is more
    than one.
    """
    mean: float
    """The mean of the values, that of the process."""
    noiseVariance: float
    """The variance of the noise."""
    logEvidence: float
    """ln p of the values, in nats."""
    bic: float
    """Its BIC."""
    levels: list[KernelLevel]
    """The levels of the search."""
    stopReason: Literal["noImprovement", "maxDepth"]
    """Why the search ended: no family of the last level has a lower BIC than one before, or it
    is the last allowed.
    """
    components: list[KernelComponent]
    """The components of the function: the kernel written out as a sum of products. Their means,
    those of the noise and `mean` add up to the values.
    """
    noise: Floats
    """Mean of the noise of each value, `[N]`."""
    fitted: FunctionMarginals
    """The function at the inputs."""
    prediction: NotRequired[FunctionMarginals]
    """The function where predictions were asked for."""
    model: Any
    """The distribution of the N values with their noise, a Gaussian that every other verb
    takes.
    """
    warnings: list[str]
    """What to know before the numbers are used, as sentences."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class KernelsSpec(TypedDict, total=False):
    """The spec of `kernels`: a search for the kernel of a Gaussian process that explains values
    at inputs, over sums and products of base kernels.
    """

    inputs: Numbers
    """The inputs, row-major `[N, numInputs]`; of a time series the times."""
    numInputs: Count
    """Number of inputs of each value, 1 to 8; 1 if absent."""
    values: Numbers
    """The N values, 10 to 1,000. Their mean is subtracted."""
    baseKernels: Sequence[BaseKernel]
    """The base kernels; all four if absent."""
    maxDepth: Number
    """Maximum number of levels, 1 to 10; the base kernels are the first. 4 if absent."""
    numRestarts: Count
    """Number of random starts of a fit's new parameters, beside one that is not random, 0 to
    20; 2 if absent.
    """
    keep: Number
    """Number of kernels of a level that are expanded, 1 to 10; 1 if absent."""
    predict: Numbers
    """Inputs at which to predict the function, row-major, at most 2,000 rows."""
    seed: Count
    """Seed, 0 to 2⁵³ − 1; chosen and reported if absent."""


class LangevinSpec(TypedDict):
    """Langevin dynamics."""

    adjusted: NotRequired[bool]
    """Whether proposals are accepted or rejected; true if absent. If false, every proposal is
    taken and the draws are biased, the more the larger the step size.
    """
    temperature: NotRequired[Number]
    """T of `x′ = x − (ε²/2) ∂E/∂x + √T ε r`, for unadjusted steps, which then draw from about
    `e^−E/T`; with 0 they descend. 1 if absent.
    """
    stepSize: NotRequired[Number]
    """The step size ε. Kept if given without `adaptation`; else found in warm-up."""
    adaptation: NotRequired[AdaptationSpec]
    """What warm-up adapts."""


class LatentDraw(TypedDict):
    """Variables of the model behind a table."""

    hidden: Floats
    """Hidden variables, row-major: each row's cluster from 0, `[numRows]`; its factors or its
    attributes as zeros and ones, `[numRows, K]`.
    """
    features: Floats
    """Centres of the clusters, loadings of the factors or features of the attributes, `[K,
    dim]`.
    """
    columnClusters: NotRequired[list[float]]
    """The cluster of each column from 0, `[dim]`; of `clusteredLowRank` alone."""
    signalVariance: float
    """Variance of the features."""
    noiseVariance: float
    """Variance of the noise."""


class LatentDraws(TypedDict):
    """Draws of hidden variables, features and variances given a table. The names of clusters,
    factors and attributes, and the signs of factors, mean nothing: they may change from draw to
    draw.
    """

    numRows: int
    """Number of rows of the table."""
    dim: int
    """D, the number of columns."""
    order: int
    """K, the number of clusters, factors or attributes."""
    numChains: int
    """Number of chains."""
    numDraws: int
    """Number of draws from each chain."""
    hidden: Floats
    """Hidden variables: each row's cluster from 0, `[numDraws, numChains, numRows]`; its
    factors or its attributes as zeros and ones, `[numDraws, numChains, numRows, K]`.
    """
    features: Floats
    """Centres of the clusters, loadings of the factors or features of the attributes,
    `[numDraws, numChains, K, dim]`.
    """
    signalVariance: Floats
    """Variance s² of the features, `[numDraws, numChains]`."""
    noiseVariance: Floats
    """Variance σ² of the noise, `[numDraws, numChains]`."""
    logJoint: Floats
    """ln p(z, features, s², σ², Y), in nats, `[numDraws, numChains]`; only the shares of
    clusters or attributes are integrated out.
    """
    logLikelihood: Floats
    """ln p(Y | z, features, σ²), in nats, `[numDraws, numChains]`."""
    numInUse: NotRequired[Floats]
    """Number of clusters that have a row, or of attributes that a row has, `[numDraws,
    numChains]`; absent for factors.
    """


class LatentModelClustering(ClusteringSpec):
    kind: Literal["clustering"]


class LowRankSpec(TypedDict):
    """Low rank: each row is N(0, 1) factors times loadings N(0, s²), plus noise."""

    dim: Count
    """D, the number of columns."""
    numFactors: Count
    """K."""
    variances: NotRequired[VariancesSpec]
    """Variances of the loadings and of the noise."""
    states: NotRequired[Numbers]
    """Y, the rows of the table, as those of `clustering`."""


class LatentModelLowRank(LowRankSpec):
    kind: Literal["lowRank"]


class LatentModelClusteredLowRank(ClusteredLowRankSpec):
    kind: Literal["clusteredLowRank"]


class LatentModelBinaryAttributes(BinaryAttributesSpec):
    kind: Literal["binaryAttributes"]


class LatentModelDensity(TypedDict):
    kind: Literal["density"]
    energy: ModelSpec
    """The model, without constraints, and not computed by JavaScript."""
    reference: NotRequired[ModelSpec]
    """A model with exact draws that covers it; N(0, I) if absent."""


class LatentResult(TypedDict):
    """Draws of the posterior of a table's hidden variables, with diagnostics."""

    draws: LatentDraws
    """The draws."""
    summary: LatentSummaries
    """Summaries of quantities that do not depend on the names of clusters, factors or
    attributes.
    """
    sameCluster: NotRequired[Floats]
    """How often two rows share a cluster, of all draws, `[numRows, numRows]`; absent without
    clusters, and with more than 1,024 rows.
    """
    reconstruction: Reconstruction
    """The rows as the model has them, without noise: hidden variables times features."""
    warnings: list[str]
    """Warnings about the result, as sentences; empty if there are none."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class LatentSummaries(TypedDict):
    """Summaries over all draws."""

    logJoint: Summary
    """Of the log joint density."""
    logLikelihood: Summary
    """Of the log likelihood."""
    numInUse: NotRequired[Summary]
    """Of the number of clusters or attributes in use; absent for factors."""
    signalVariance: NotRequired[Summary]
    """Of the variance of the features, if it is sampled."""
    noiseVariance: NotRequired[Summary]
    """Of the variance of the noise, if it is sampled."""


class LayerFit(TypedDict):
    """The fit of one machine of a deep belief network; its fields are as in `FitResult`."""

    objective: float
    """The objective at the fitted machine."""
    gradNorm: float
    """Euclidean norm of the objective's gradient."""
    numIterations: int
    """Number of accepted steps."""
    numEvaluations: int
    """Number of evaluations of the objective."""
    converged: bool
    """Whether the tolerance was met."""
    stopReason: str
    """Why the fit ended, as a sentence."""


class LbfgsSpec(TypedDict):
    """The spec of limited-memory BFGS."""

    memory: NotRequired[Number]
    """Number of past steps from which the curvature is estimated, 1 to 100; 10 if absent."""
    maxIterations: NotRequired[Number]
    """Maximum number of steps; 2,000 if absent. With 0 the objective is evaluated at the
    starting parameters, and the model is returned unchanged.
    """
    tolerance: NotRequired[Number]
    """Tolerated gap between the objective and its minimum, relative to the objective, as judged
    by the gradient; 1e-9 if absent. The judgement suits the model's coordinates: in badly
    conditioned ones it ends too soon.
    """
    coordinates: NotRequired[CoordinatesSpec]
    """The coordinates in which steps are taken; the model's if absent."""


class LearningRateFields(TypedDict):
    start: Number
    end: Number


class LevelReport(TypedDict):
    """The levels of simulated tempering, whose β are the `ladder`."""

    logWeights: Floats
    """The log weights w of each chain, relative to the first level's, `[numChains, numLevels]`:
    what its warm-up took for −ln(Z_k/Z_0).
    """
    occupancy: Floats
    """The fraction of each chain's steps at each level after warm-up, expected given its
    states, `[numChains, numLevels]`; all alike if the weights are right.
    """
    logZ: float
    """log Z of the model, in nats: the mean over chains of `ln(occupancy_K / occupancy_0) − w_K
    + log Z_0`, Z_0 that of the reference.
    """
    logZError: float
    """Its standard error from the variance between chains; NaN with one chain."""


class LikelihoodReport(TypedDict):
    """The log likelihood of data."""

    mean: Estimated
    """The mean over the rows, in nats per row, with the error due to log Z."""
    rowError: float
    """Standard error of the mean due to the choice of rows, as a sample of their population."""
    gap: NotRequired[Estimated]
    """For generative models with reverse runs: by how much these are above the forward runs, in
    nats per row, with the error due to the choice of rows. In the mean it is more than the
    forward runs lose, for certain where the rows are simulated.
    """
    rows: NotRequired[Floats]
    """For generative models, which take a run per row: log p of each row."""
    reverseRows: NotRequired[Floats]
    """log p of each row from the reverse runs, which are too high on average."""
    rowStandardErrors: NotRequired[Floats]
    """Standard errors of `rows`."""


class LinearGenerativeSpec(TypedDict):
    """The spec of the linear generative model."""

    numObserved: Count
    """M, the number of observed dimensions."""
    numLatent: Count
    """L, the number of coefficients."""
    prior: Prior
    """The distribution of the coefficients."""
    basis: NotRequired[Numbers]
    """Φ, row-major `[numObserved, numLatent]`, one basis function per column; the identity if
    absent, for M = L.
    """
    noise: NotRequired[Number]
    """σ, the standard deviation of the noise; 0.1 if absent."""
    observed: NotRequired[Numbers]
    """The observed x, `[numObserved]`; zero if absent."""


class LogZEstimate(TypedDict):
    """log Z of a fitted model, estimated with its parameters."""

    value: float
    """log Z, in nats."""
    standardError: float
    """Its standard error, which has that of the parameters in it: the spread about the log Z of
    the true ones.
    """


class LogZProgress(TypedDict):
    """Progress of normalizing."""

    verb: Literal["logZ"]
    """The verb: "logZ"."""
    phase: Literal["pilot", "forward", "draw", "equilibrate", "reverse", "rows"]
    """The current phase: "pilot", "forward", "draw", "equilibrate", "reverse" or "rows"."""
    beta: float
    """β of the chains' present position on the path."""
    logWeights: Floats
    """Log weights of the chains so far, `[numChains]`, in nats; empty between runs. With
    several rows, those of the first.
    """
    states: NotRequired[Floats]
    """States of the chains, `[numChains, dim]`, if the caller asks for draws."""
    fraction: float
    """Estimate of the fraction done, 0 to 1; it never falls."""
    done: bool
    """Whether there is a result."""


class LogZResult(TypedDict):
    """The estimate of log Z with diagnostics."""

    logZ: float
    """log Z, in nats: bridged from forward and reverse runs if the latter started from exact
    draws, else from the forward runs. For generative models it is the sum over all rows.
    """
    standardError: float
    """Its standard error."""
    interval: Interval
    """Its confidence interval, at the confidence asked for."""
    referenceLogZ: float
    """log Z of the reference."""
    forward: RunReport
    """Runs from the reference to the model."""
    reverse: NotRequired[RunReport]
    """Runs from the model to the reference."""
    bridge: NotRequired[Estimated]
    """log Z by Bennett's acceptance ratio, from both runs."""
    bounds: Bounds
    """Bounds on log Z."""
    divergence: NotRequired[Estimated]
    """Upper bound on the Kullback–Leibler divergence of the last states of the forward runs
    from the model, in nats: log Z minus the mean log weight (Grosse 2014, eq. 7.8). Only if log
    Z is known, from the model itself or from exact draws, and without resampling. For
    generative models it is the sum over all rows.
    """
    secondPath: NotRequired[SecondPathReport]
    """What the second path says, if there is one. `logZ` is then that of the path with the
    smaller error where they agree, and the higher one otherwise; the lower bound uses both.
    """
    states: NotRequired[Floats]
    """The last states of the forward runs, `[numChains, dim]`, if the spec has `keepStates`.
    With weights proportional to the exponentials of `forward.logWeights` they are draws from
    the model (Neal 2001).
    """
    simulated: NotRequired[Floats]
    """The simulated rows, `[numRows, numObserved]`, if the spec has `simulate`."""
    exactLogZ: NotRequired[float]
    """log Z as the model knows it in closed form, if it does."""
    likelihood: NotRequired[LikelihoodReport]
    """The log likelihood of the rows, if any were given."""
    schedule: Floats
    """β_0 to β_K; empty if there are more than 2²⁰."""
    stepSizeBetas: Floats
    """The β of `stepSizes`; ln ε is linear between them."""
    stepSizes: Floats
    """Step sizes at these β, `[numBetas]`, or `[numRows, numBetas]` for generative models, in
    which each row has its own; empty for binary models.
    """
    warnings: list[str]
    """Warnings about the result, as sentences; empty if there are none."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class LogZSpec(TypedDict, total=False):
    """The spec of `logZ`: annealed importance sampling (Neal 2001) from a reference, whose log
    Z is known, to the model. With one distribution it is simple importance sampling, and its
    reverse is the harmonic mean.
    """

    model: ModelSpec
    """The model whose log Z is estimated."""
    reference: ReferenceSpec
    """The distribution the chains start from; if absent, the uniform one for binary models and
    the standard normal distribution on ℝᴰ.
    """
    path: PathSpec
    """The distributions between reference and model; geometric averages if absent."""
    schedule: ScheduleSpec
    """Where on the path the distributions lie; found by a pilot run if absent."""
    transition: TransitionSpec
    """How a chain moves at each distribution. If absent, block Gibbs for models with hidden
    units, Gibbs for other binary models, and Hamiltonian annealed importance sampling on ℝᴰ:
    one leapfrog step, in which 13 % of the momentum's power is replaced.
    """
    numChains: Count
    """Number of independent chains, at least 2."""
    numDistributions: Count
    """K, the number of factors of a weight: there are K + 1 distributions, including both ends."""
    numStepsPerDistribution: Count
    """Number of transitions at each distribution; 1 if absent."""
    resampling: ResamplingSpec
    """Whether and when chains are resampled by their weights, which makes the method annealed
    sequential Monte Carlo; never if absent.
    """
    reverse: ReverseSpec
    """Runs in reverse, from the model to the reference, for an upper bound; none if absent."""
    secondPath: SecondPathSpec
    """Another path to the model, annealed along as well, for a second opinion: annealing errs
    downward, so that the lower of two estimates that differ has lost a part of the model. None
    if absent.
    """
    pilot: PilotSpec
    """The pilot runs that find the schedule and the step sizes, if these must be found."""
    keepStates: bool
    """Whether the result has the last states of the forward runs: weighted draws from the
    model. Not for generative models, which have runs for each row; false if absent.
    """
    confidence: Number
    """The confidence level of intervals, between 0 and 1; 0.95 if absent."""
    data: DataSpec
    """Rows of zeros and ones whose log likelihood under a binary model is estimated. Moved out
    of the spec once read.
    """
    states: Numbers
    """States on ℝᴰ whose log likelihood is estimated, one after another."""
    simulate: SimulateSpec
    """Rows drawn from a generative model in the place of `states`. Reverse runs that start at
    what the rows were made of, `reverse: { start: { kind: 'simulated' } }`, bound their log
    likelihood from above for certain.
    """
    observed: ObservedSpec
    """Sites, or entries of the state, that are observed and stay: log Z is then the logarithm
    of the sum over all states with these values, so that `ln p(x_C) = log Z(x_C) − log Z`, and
    the likelihood of rows is that of their other entries given these.
    """
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class MarginalSpec(TypedDict):
    """The spec of an Ising model with sites summed out."""

    model: ModelSpec
    """The Ising model of all sites."""
    numHidden: Count
    """How many of its sites are summed out, the last ones: 1 to 12."""


class MatchingReport(TypedDict):
    """How well a knot's moments are matched."""

    mismatch: Mismatch
    """The difference between the moments and the averaged ones."""
    noise: Union[Mismatch, None]
    """The mismatch expected from noise alone, as the moments are estimated from finitely many
    draws. Null if they are exact.
    """
    isConverged: Union[bool, None]
    """Whether the tolerance was reached; null for persistent chains, which have no tolerance."""
    numEvaluations: int
    """Number of gradients computed."""


class MatchingExact(TypedDict):
    kind: Literal["exact"]
    tolerance: NotRequired[Number]
    """The largest difference of a moment that is accepted, a difference of probabilities,
    greater than 0; 0.001 if absent.
    """
    maxEvaluations: NotRequired[Number]
    """Maximum number of gradients computed, 1 or more; 200 if absent."""


class MatchingPersistent(TypedDict):
    kind: Literal["persistent"]
    numUpdates: NotRequired[Count]
    """Number of updates of the parameters, 10 or more; 1,000 if absent."""
    numParticles: NotRequired[Count]
    """Number of chains that continue from update to update, 2 to 65,536; 100 if absent."""
    learningRate: NotRequired[Number]
    """The first learning rate, greater than 0, in coordinates in which units are measured in
    standard deviations from their means; the last rate is a thousandth of it. If absent, 20
    times the number of particles divided by that of parameters, and at most 0.05.
    """


class McRbmSpec(TypedDict):
    """The spec of the mcRBM."""

    dim: Count
    """Number of dimensions M."""
    numFactors: Count
    """L, the number of factors."""
    numCovarianceUnits: Count
    """K, the number of covariance units."""
    numMeanUnits: Count
    """J, the number of mean units; may be 0."""
    pooling: NotRequired[Numbers]
    """P, row-major `[numFactors, numCovarianceUnits]`; if absent, −1 where l and k are equal
    modulo K, else 0: minus the identity for L = K.
    """
    filters: NotRequired[Numbers]
    """C, row-major `[numFactors, dim]`, one filter per row; all zero if absent. A fit that
    starts from zeros must add noise to them, by `init: { kind: 'normal' }`.
    """
    weights: NotRequired[Numbers]
    """W, row-major `[numMeanUnits, dim]`; all zero if absent."""
    covarianceBias: NotRequired[Numbers]
    """b^c, `[numCovarianceUnits]`; all zero if absent."""
    meanBias: NotRequired[Numbers]
    """b^m, `[numMeanUnits]`; all zero if absent."""
    visibleBias: NotRequired[Numbers]
    """b^v, `[dim]`; all zero if absent."""
    sigma: NotRequired[Number]
    """σ, greater than 0; 1 if absent."""


class MemorizeProgress(TypedDict):
    """Progress of storing patterns."""

    verb: Literal["memorize"]
    """The verb: "memorize"."""
    numEpochs: int
    """Number of complete passes over the patterns, or over all their copies; with L-BFGS the
    number of evaluations.
    """
    numUpdates: int
    """Number of changes of the parameters: patterns shown, or steps."""
    objective: float
    """Minimum probability flow out of the training rows, eq. 3.10 divided by their number: at
    the present point for L-BFGS, for the last minibatch with gradient descent; NaN for other
    rules, and before the first evaluation.
    """
    numStored: int
    """Number of patterns that were fixed points at the last check."""
    numPatterns: int
    """Number of patterns."""
    fraction: float
    """Estimate of the fraction done, 0 to 1; it never falls."""
    done: bool
    """Whether there is a result."""
    numBytes: int
    """Estimated maximum memory of the job in the coordinating worker, in bytes."""


class MemorizeResult(TypedDict):
    """A network that stores patterns, and how well it does."""

    model: Any
    """The model. Its numbers are in `params`: thresholds θ, and −½ times the weights of the
    Hopfield network with the same energy.
    """
    stored: Bits
    """For each pattern, 1 if it is a fixed point and 0 if not."""
    numStored: int
    """Number of patterns that are fixed points."""
    margins: Floats
    """For each pattern, its energy gap to its lowest neighbour, in nats: positive exactly for
    strict local minima.
    """
    numWrong: Floats
    """For each pattern, the number of bits that the dynamics would flip, each considered alone."""
    objective: float
    """Minimum probability flow at the end, as in the progress."""
    numEpochs: int
    """Number of passes over the patterns, or over all their copies; with L-BFGS the number of
    evaluations.
    """
    numUpdates: int
    """Number of changes of the parameters: patterns shown, or steps."""
    converged: bool
    """Whether every pattern is stored with the margin asked for."""
    stopReason: str
    """Why learning ended, as a sentence."""
    numBytes: int
    """Estimated maximum memory, in bytes, as in the progress."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class MemorizeSpec(TypedDict, total=False):
    """The spec of `memorize`, which makes each pattern a strict local minimum of an Ising
    model's energy, that of a Hopfield network.
    """

    model: ModelSpec
    """The model to start from, an Ising model with every pair coupled. Without numbers all its
    parameters are 0.
    """
    patterns: DataSpec
    """The patterns, rows of zeros and ones; up to 16,384. Moved out of the spec once read."""
    rule: RuleSpec
    """The learning rule; minimum probability flow by L-BFGS if absent."""
    noise: NoiseSpec
    """Trains the rule on corrupted copies instead of the patterns. It then runs for its maximum
    number of passes, as the copies do not tell when to stop.
    """
    margin: Number
    """The energy gap, in nats, that each pattern must have to all its neighbours for learning
    to stop; up to 50. 0 asks for fixed points, which may have neighbours of the same energy. If
    absent, 1 for minimum probability flow, else 0.
    """
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class MetricDampingRidge(TypedDict):
    kind: Literal["ridge"]
    strength: Number
    """ε, greater than 0, in units of the metric."""


class MetricDampingStochasticRobust(TypedDict):
    kind: Literal["stochasticRobust"]
    strength: Number
    """ε, greater than 0, in units of the metric squared."""


class MetropolisSpec(TypedDict):
    """The random walk of Metropolis."""

    stepSize: NotRequired[Number]
    """Standard deviation of a step. Kept if given without `adaptation`; else found in warm-up."""
    adaptation: NotRequired[AdaptationSpec]
    """What warm-up adapts."""


class Mismatch(TypedDict):
    """Difference between moments and the required ones: absolute differences of probabilities,
    over all statistics.
    """

    max: float
    """The largest difference."""
    rms: float
    """Root mean square of the differences."""


class MixtureSpec(TypedDict):
    """The spec of the mixture of Gaussians. K is the number of means."""

    dim: Count
    """Number of dimensions D."""
    weights: NotRequired[Numbers]
    """Weights w, `[K]`, each greater than 0; only their ratios matter. Equal if absent."""
    means: Numbers
    """Means μ, row-major `[K, dim]`."""
    covarianceKind: NotRequired[CovarianceKind]
    """The form of `covariances`; `isotropic` if absent."""
    covariances: NotRequired[Numbers]
    """One covariance for all components, or K of them, one after another; each a variance, a
    diagonal or a matrix, depending on `covarianceKind`. One unit covariance if absent.
    """


class ModeProgress(TypedDict):
    """Progress of the search."""

    verb: Literal["mode"]
    """The verb: "mode"."""
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class ModeResult(TypedDict):
    """The most probable state."""

    method: Literal["minimumCut", "enumeration"]
    """The method: a `minimumCut`, or `enumeration` of all states."""
    state: Draws
    """The state, one row. Of several, that with the fewest ones by a cut, and the first by
    enumeration.
    """
    energy: float
    """Its energy, in nats. No state is lower, up to rounding: a cut takes couplings and fields
    as multiples of a number that is at most 2⁻⁶¹ of their sum.
    """
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class ModeSpec(TypedDict, total=False):
    """The spec of `mode`: the most probable state of a binary model, that of the lowest energy."""

    model: ModelSpec
    """An Ising model of up to 16,384 sites without a positive coupling J_ij, in which
    neighbours rather agree; or any binary model of up to 20 sites.
    """
    observed: ObservedSpec
    """Sites that are observed and stay: the state is the most probable one given them."""


class ModelIsing(IsingSpec):
    kind: Literal["ising"]


class RbmSpec(TypedDict):
    """The spec of the restricted Boltzmann machine."""

    numVisible: Count
    """Number of visible units D: the bits of a state."""
    numHidden: Count
    """Number of hidden units H."""
    weights: NotRequired[Numbers]
    """W, row-major `[hidden, visible]`; all zero if absent."""
    visibleBias: NotRequired[Numbers]
    """c, `[visible]`; all zero if absent."""
    hiddenBias: NotRequired[Numbers]
    """b, `[hidden]`; all zero if absent."""


class ModelRbm(RbmSpec):
    kind: Literal["rbm"]


class SemiRestrictedSpec(TypedDict):
    """The spec of the semi-restricted Boltzmann machine."""

    numVisible: Count
    """Number of visible units D: the bits of a state."""
    numHidden: Count
    """Number of hidden units H."""
    couplings: NotRequired[Numbers]
    """J, row-major `[visible, visible]`, symmetric, minus the visible biases on the diagonal;
    all zero if absent.
    """
    weights: NotRequired[Numbers]
    """W, row-major `[hidden, visible]`; all zero if absent."""
    hiddenBias: NotRequired[Numbers]
    """b, `[hidden]`; all zero if absent."""


class ModelSemiRestricted(SemiRestrictedSpec):
    kind: Literal["semiRestricted"]


class ModelMarginal(MarginalSpec):
    kind: Literal["marginal"]


class PottsSpec(TypedDict):
    """The spec of the Potts model."""

    numSites: Count
    """Number of sites n."""
    numValues: Union[Count, Numbers]
    """Number of values of every site, or of each, at least 2. A state has as many bits as there
    are values of all sites together: for each site, in order, those of its values, of which one
    is on.
    """
    pattern: NotRequired[Pattern]
    """Which pairs of sites are coupled; dense if absent."""
    fields: NotRequired[Numbers]
    """h, the values of the first site, then of the second, and so on; all zero if absent."""
    couplings: NotRequired[Numbers]
    """J_ij, row-major `[values of i, values of j]`, for the pairs i < j of the pattern in
    lexicographic order; all zero if absent.
    """


class ModelPotts(PottsSpec):
    kind: Literal["potts"]


class ModelCategoricalRbm(CategoricalRbmSpec):
    kind: Literal["categoricalRbm"]


class ReplicatedSoftmaxSpec(TypedDict):
    """The spec of replicated softmax."""

    numWords: Count
    """Number of words of the vocabulary: the entries of a state, which are how often each
    occurs.
    """
    numHidden: Count
    """Number of hidden units H: the topics."""
    weights: NotRequired[Numbers]
    """W, row-major `[hidden, words]`; all zero if absent."""
    wordBias: NotRequired[Numbers]
    """b, `[words]`; all zero if absent."""
    hiddenBias: NotRequired[Numbers]
    """a, `[hidden]`, which count once for each word of a document; all zero if absent."""


class ModelReplicatedSoftmax(ReplicatedSoftmaxSpec):
    kind: Literal["replicatedSoftmax"]


class ModelGaussian(GaussianSpec):
    kind: Literal["gaussian"]


class StudentTSpec(TypedDict):
    """The spec of Student's t distribution."""

    dim: Count
    """Number of dimensions D."""
    degreesOfFreedom: NotRequired[Number]
    """ν, greater than 0; 5 if absent."""
    mean: NotRequired[Numbers]
    """μ, `[dim]`; zero if absent."""
    precision: NotRequired[Numbers]
    """Λ, row-major `[dim, dim]`, symmetric and positive definite; the identity if absent,
    unless the scale is given.
    """
    scale: NotRequired[Numbers]
    """Λ⁻¹, instead of Λ. For ν > 2 the covariance is ν/(ν − 2) times as large."""


class ModelStudentT(StudentTSpec):
    kind: Literal["studentT"]


class RingSpec(TypedDict):
    """The spec of the ring."""

    radius: NotRequired[Number]
    """R, greater than 0; 1 if absent."""
    sharpness: NotRequired[Number]
    """s, greater than 0; 100 if absent. The ring is about R/√(2s) thick."""


class ModelRing(RingSpec):
    kind: Literal["ring"]


class ModelMixture(MixtureSpec):
    kind: Literal["mixture"]


class ModelBanana(BananaSpec):
    kind: Literal["banana"]


class ModelFunnel(FunnelSpec):
    kind: Literal["funnel"]


class ModelDoubleWell(DoubleWellSpec):
    kind: Literal["doubleWell"]


ProductOfExpertsSpecKeywords = TypedDict(
    "ProductOfExpertsSpecKeywords",
    {"lambda": "Numbers"},
    total=False,
)


class ProductOfExpertsSpec(ProductOfExpertsSpecKeywords):
    """The spec of the product of experts."""

    dim: Count
    """Number of dimensions M."""
    expert: Expert
    """The form of all experts."""
    numExperts: NotRequired[Count]
    """L, at least M; M if absent."""
    filters: NotRequired[Numbers]
    """Φ, row-major `[numExperts, dim]`, one filter per row; the identity if absent, for L = M."""


class ModelProductOfExperts(ProductOfExpertsSpec):
    kind: Literal["productOfExperts"]


class ModelIca(IcaSpec):
    kind: Literal["ica"]


class ModelLinearGenerative(LinearGenerativeSpec):
    kind: Literal["linearGenerative"]


class ModelBilinearGenerative(BilinearGenerativeSpec):
    kind: Literal["bilinearGenerative"]


class ModelGaussianRbm(GaussianRbmSpec):
    kind: Literal["gaussianRbm"]


class ModelMcRbm(McRbmSpec):
    kind: Literal["mcRbm"]


class NeuralSpec(TypedDict):
    """The spec of the neural energy."""

    dim: Count
    """Number of dimensions D."""
    numHidden: Numbers
    """Number of units of each layer, starting with the one that takes x: one to four layers."""
    weights: NotRequired[Numbers]
    """All W, layer after layer, each row-major `[its units, units below]`; all zero if absent.
    A fit that starts from zeros must add noise to them, by `init: { kind: 'normal' }`.
    """
    biases: NotRequired[Numbers]
    """All b, layer after layer; all zero if absent."""
    output: NotRequired[Numbers]
    """w, one entry per unit of the last layer; all zero if absent."""
    scale: NotRequired[Number]
    """s, the scale of the quadratic term, greater than 0; 1 if absent."""


class ModelNeural(NeuralSpec):
    kind: Literal["neural"]


class ModelFormula(FormulaSpec):
    kind: Literal["formula"]


class PosteriorSpec(TypedDict):
    """The spec of the posterior of a typed model."""

    prior: Sequence[ParameterPrior]
    """The parameters and their independent priors. A state has one number for each, in this
    order: the u with θ = F⁻¹(Φ(u)), standard normal under the prior. `energies` with
    `parameters` gives θ.
    """
    logLikelihood: str
    """ln L of one row, in nats, e.g. `-(y - a - b*x)^2 / (2*s^2) - ln(s)`: a formula, as that
    of the kind `formula`, of parameters and columns. It is summed over the rows. Constants that
    it leaves out are missing from log Z.
    """
    data: NotRequired[Mapping[str, Numbers]]
    """The columns by name, each `[numRows]`; if absent, the formula counts once."""


class ModelPosterior(PosteriorSpec):
    kind: Literal["posterior"]


class ModelCombined(CombinedSpec):
    kind: Literal["combined"]


class ModelCustom(CustomSpec):
    kind: Literal["custom"]


class ModelDbn(DbnSpec):
    kind: Literal["dbn"]


class ModelClustering(ClusteringSpec):
    kind: Literal["clustering"]


class ModelLowRank(LowRankSpec):
    kind: Literal["lowRank"]


class ModelBinaryAttributes(BinaryAttributesSpec):
    kind: Literal["binaryAttributes"]


class MomentAveragesSpec(TypedDict):
    """The moment averages spline: which knots, and how they are found."""

    knots: NotRequired[Numbers]
    """β of each knot, between 0 and 1, ascending; 0.1, 0.2, … 0.9 if absent. The two ends are
    always knots.
    """
    moments: NotRequired[MomentsSpec]
    """Source of the target's moments. If absent: enumeration if that takes seconds, else the
    data if there are any, else chains.
    """
    matching: NotRequired[MatchingSpec]
    """How the knots' parameters are found. If absent: by exact gradients if an enumeration
    takes a tenth of a second or less, else by persistent chains.
    """


class MomentsExact(TypedDict):
    kind: Literal["exact"]


class MomentsChains(TypedDict):
    kind: Literal["chains"]
    numChains: NotRequired[Count]
    """Number of chains, 2 to 65,536; 100 if absent."""
    numWarmup: NotRequired[Count]
    """Number of steps of each chain before its first draw; 500 if absent."""
    numDraws: NotRequired[Count]
    """Number of draws from each chain, a step apart, 1 or more; 500 if absent."""


class MomentsData(TypedDict):
    kind: Literal["data"]


class MpfBound(TypedDict):
    """The bound and the eigenvalue it is computed from."""

    lambda2: float
    """λ₂, the rate at which the slowest deviation from the model decays; negative, or 0 to
    rounding if the connectivity leaves states disconnected. NaN if rates overflow.
    """
    logLikelihood: float
    """Lower bound on the data's log likelihood, in nats per row; −∞ if it says nothing about
    some row.
    """
    numVacuous: float
    """Number of rows about which it says nothing."""


class NetworkEdge(TypedDict):
    """An edge of the chosen network."""

    sites: tuple[float, float]
    """The two sites, the smaller first."""
    coupling: float
    """J_ij, drawn towards 0 by the penalty. The log odds ratio of the pair given all others is
    −2 J_ij.
    """
    estimate: NotRequired[float]
    """J_ij without the pull of the penalty; absent where the rows do not determine it, as are
    the next three.
    """
    standardError: NotRequired[float]
    """Its standard error."""
    lower: NotRequired[float]
    """Lower end of its interval."""
    upper: NotRequired[float]
    """Upper end."""
    share: NotRequired[float]
    """The share of fits to resampled rows, or else to subsamples, that have the edge."""


class NetworkObjectivePseudolikelihood(TypedDict):
    kind: Literal["pseudolikelihood"]


class NetworkObjectiveMpf(TypedDict):
    kind: Literal["mpf"]


class NetworkPath(TypedDict):
    """The networks at all penalties."""

    couplings: Floats
    """J_ij, `[numPenalties, numPairs]`, the pairs i < j in lexicographic order."""
    biases: Floats
    """J_ii, `[numPenalties, dim]`."""
    numEdges: list[int]
    """Number of edges."""
    logPseudolikelihood: list[float]
    """Log pseudolikelihood of the rows, in nats a row."""
    refittedLogPseudolikelihood: list[float]
    """The same of the network with the same edges that is fitted without a penalty."""
    ebic: list[float]
    """The extended Bayesian information criterion, of the networks fitted without a penalty."""
    heldOut: NotRequired[list[float]]
    """Log pseudolikelihood of rows held out, in nats a row, the mean over the folds."""
    heldOutErrors: NotRequired[list[float]]
    """Its standard error, from the spread over the folds."""
    stability: NotRequired[Floats]
    """The share of subsamples that have the edge at this penalty or a greater one,
    `[numPenalties, numPairs]`.
    """


class NetworkProgress(TypedDict):
    """Progress of a sparse network."""

    verb: Literal["network"]
    """The verb: "network"."""
    stage: Literal["path", "bootstrap"]
    """What is under way: the fits at all penalties, or those to resampled rows at the one
    chosen.
    """
    penalties: list[float]
    """The penalties that are done."""
    numEdges: list[int]
    """Number of edges at each of them."""
    fraction: float
    """The fraction of rounds done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class NetworkResult(TypedDict):
    """A sparse network."""

    dim: int
    """D, the number of sites."""
    numRows: int
    """N, the number of rows."""
    penalties: Floats
    """The penalties λ, decreasing."""
    path: NetworkPath
    """The networks at all of them."""
    chosen: int
    """The place of the chosen penalty."""
    model: Any
    """The chosen network, an Ising model that every other verb takes."""
    edges: list[NetworkEdge]
    """Its edges, in the order of their pairs."""
    pairs: NotRequired[PairEstimates]
    """Estimates of all pairs; absent if the rows determine none."""
    warnings: list[str]
    """What to know before the numbers are used, as sentences."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class NetworkSpec(TypedDict, total=False):
    """The spec of `network`: a sparse Ising model of rows of bits, whose couplings are fitted
    with an L1 penalty λ for a decreasing list of λ, of which one is chosen.
    """

    data: DataSpec
    """The rows, of zeros and ones; 2 to 256 columns, none of them constant. Moved out of the
    spec once read.
    """
    objective: NetworkObjective
    """What is minimized with the penalty; the pseudolikelihood if absent."""
    penalties: PenaltiesSpec
    """The penalties."""
    choice: ChoiceSpec
    """How one of them is chosen; by extended BIC if absent."""
    bootstrap: Number
    """Number of fits to resampled rows at the penalty chosen, 10 or more, for how often each
    edge is found; intervals are theirs from 100 on. None if absent.
    """
    confidence: Number
    """The probability that an interval is to hold the coupling; 0.95 if absent."""
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class NewDraws(TypedDict):
    """Draws taken between two reports; only the newest if there are too many."""

    dim: int
    """Entries, or bits, per state."""
    numChains: int
    """Number of chains."""
    firstDraw: float
    """Index of the first of these draws within each chain."""
    numDraws: int
    """Number of these draws from each chain."""
    bits: NotRequired[Bits]
    """Binary states as packed rows, draw after draw, `numChains` rows each."""
    values: NotRequired[Floats]
    """States on ℝᴰ, `[numDraws, numChains, dim]`."""
    energies: NotRequired[Floats]
    """Their energies, `[numDraws, numChains]`."""
    paths: NotRequired[Paths]
    """The trajectories of chain 0, if the spec records them."""


class NoiseSpec(TypedDict):
    """Corrupted copies in place of patterns."""

    numFlips: Count
    """Number of bits flipped in each copy, drawn independently for each."""
    numCopies: NotRequired[Count]
    """Number of copies of each pattern; 1 if absent."""


class NutsSpec(TypedDict):
    """The no-U-turn sampler."""

    maxTreeDepth: NotRequired[Number]
    """Maximum number of doublings of a trajectory, 1 to 12; 10 if absent."""
    stepSize: NotRequired[Number]
    """The step size ε. Kept if given without `adaptation`; else found in warm-up."""
    adaptation: NotRequired[AdaptationSpec]
    """What warm-up adapts."""


class ObjectiveMpf(TypedDict):
    kind: Literal["mpf"]
    connectivity: NotRequired[ConnectivitySpec]
    """Which states probability may flow to. For rows of bits the default depends on the data:
    single flips, and also the flip of all bits if at most a tenth of them are on, or off. With
    single flips alone, states far from sparse rows can become as likely as the rows
    (Sohl-Dickstein 2012, appendix E.2). Rows of numbers have no default.
    """
    excludeData: NotRequired[bool]
    """Whether to leave out neighbours that are rows of the data; false if absent. The estimate
    is then no longer consistent.
    """


class ObjectivePseudolikelihood(TypedDict):
    kind: Literal["pseudolikelihood"]


class ObjectiveMaximumLikelihood(TypedDict):
    kind: Literal["maximumLikelihood"]


class ObjectiveScoreMatching(TypedDict):
    kind: Literal["scoreMatching"]
    numSlices: NotRequired[Count]
    """If given, the objective is sliced: averaged over `numSlices` random directions v per row,
    `½ (v·∇E)² − vᵀ∇²E v`. If absent it is exact, and the model must have a cheap Laplacian ∇²E.
    """


class ObjectiveDenoisingScoreMatching(TypedDict):
    kind: Literal["denoisingScoreMatching"]
    noise: NotRequired[Number]
    """σ, greater than 0."""
    noises: NotRequired[Numbers]
    """All σ, each less than the one before, in place of `noise`. Each draw of noise is of one
    of them, chosen at random.
    """
    numSamples: NotRequired[Count]
    """Draws of noise per row, for L-BFGS, which keeps them fixed: 1 to 1,000; 10 if absent.
    Minibatches draw one anew for each row.
    """


class ObjectiveNoiseContrastive(TypedDict):
    kind: Literal["noiseContrastive"]
    numNoise: NotRequired[Count]
    """States of noise per row, 1 to 1,000; 10 if absent."""


class ObjectiveExpectationMaximization(TypedDict):
    kind: Literal["expectationMaximization"]
    numChainsPerRow: NotRequired[Count]
    """Chains per row, 1 to 100; 1 if absent."""
    numSteps: NotRequired[Count]
    """Steps of each chain per E step, 1 to 1,000; 10 if absent."""
    numRefreshes: NotRequired[Count]
    """Number of times both steps are done, 1 to 1,000,000; 50 if absent."""
    transition: NotRequired[TransitionSpec]
    """How chains move; Hamiltonian Monte Carlo if absent. If it gives no step size, the step
    size is adapted between E steps to the target acceptance rate.
    """


class ObjectiveMeanField(TypedDict):
    kind: Literal["meanField"]
    order: NotRequired[MeanFieldOrder]
    """The order of the expansion in the couplings; second order if absent."""
    strength: NotRequired[Number]
    """λ of the regularized pseudo-inverse (χᵀχ + λI)⁺χᵀ, in units of spin covariance squared; 0
    if absent.
    """


class ObjectiveContrastiveDivergence(TypedDict):
    kind: Literal["contrastiveDivergence"]
    numSteps: NotRequired[Count]
    """Steps of each chain, k, 1 to 1,000; 1 if absent. A step is a sweep over the sites, or,
    with hidden units, over both layers.
    """
    transition: NotRequired[TransitionSpec]
    """How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. If it gives no step size, the
    step size is adapted between updates to the target acceptance rate. Not for binary models,
    which always use Gibbs sampling.
    """


class ObjectivePersistentContrastiveDivergence(TypedDict):
    kind: Literal["persistentContrastiveDivergence"]
    numChains: NotRequired[Count]
    """Number of chains; the number of rows of a minibatch if absent. They start from rows of
    the data.
    """
    numSteps: NotRequired[Count]
    """Steps of each chain per update, 1 to 1,000; 1 if absent."""
    transition: NotRequired[TransitionSpec]
    """How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. If it gives no step size, the
    step size is adapted between updates to the target acceptance rate. Not for binary models,
    which always use Gibbs sampling.
    """
    restartProbability: NotRequired[Number]
    """The probability with which a chain on ℝᴰ restarts from noise before an update, as in the
    replay buffer of Du and Mordatch (2019); 0 if absent.
    """
    restartNoise: NotRequired[RestartNoise]
    """The noise that chains restart from; normal if absent."""
    numMoved: NotRequired[Count]
    """Number of chains on ℝᴰ that move in an update, a divisor of `numChains`; all if absent.
    The chains take turns, so that a large buffer of them costs no more than the part that
    moves.
    """
    energyPenalty: NotRequired[Number]
    """α of the penalty `α (mean E² of rows + mean E² of chains)` on energies far from 0, for
    models on ℝᴰ (Du and Mordatch 2019, eq. 4); 0 if absent.
    """


class ObjectivePersistentMpf(TypedDict):
    kind: Literal["persistentMpf"]
    numChains: NotRequired[Count]
    """Number of chains, each of which gives one sample; the number of rows if absent. They
    start from rows of the data.
    """
    numSteps: NotRequired[Count]
    """Steps of each chain per refresh, 1 to 1,000; 10 if absent."""
    numRefreshes: NotRequired[Count]
    """Number of refreshes, each of which draws the samples anew and lowers the objective, 1 to
    1,000,000; 50 if absent.
    """
    transition: NotRequired[TransitionSpec]
    """How chains move on ℝᴰ; Hamiltonian Monte Carlo if absent. If it gives no step size, the
    step size is adapted between refreshes to the target acceptance rate. Not for binary models,
    which always use Gibbs sampling.
    """


class ObservedSpec(TypedDict):
    """What is observed of a state, and stays as it is."""

    sites: Numbers
    """The observed sites, or entries of the state, from 0; each once, in any order. At least
    one other must be left. Of models whose sites have several values they are these, not the
    bits.
    """
    values: Numbers
    """Their values, in the same order: 0 or 1 for binary models, the number of the value, from
    0, for sites of several values.
    """


class OptimizerLbfgs(LbfgsSpec):
    kind: Literal["lbfgs"]


class SgdSpec(TypedDict):
    """Stochastic gradient descent with momentum: `v ← μv − εg`, `θ ← θ + v`."""

    learningRate: NotRequired[LearningRate]
    """ε, changing linearly from the first update to the last; 0.5 to 0.01 if absent."""
    momentum: NotRequired[Number]
    """μ, at least 0 and less than 1; 0 if absent."""
    batchSize: NotRequired[Number]
    """Rows per minibatch; 100 if absent."""
    numEpochs: NotRequired[Count]
    """Number of passes over the data; 10 if absent."""
    coordinates: NotRequired[CoordinatesSpec]
    """The coordinates in which steps are taken; the model's if absent."""


class OptimizerSgd(SgdSpec):
    kind: Literal["sgd"]


class OptimizerAdam(AdamSpec):
    kind: Literal["adam"]


class PairEstimates(TypedDict):
    """Estimates of all couplings J_ij without the pull of the penalty, the pairs i < j in
    lexicographic order; NaN where the rows do not determine one.
    """

    estimate: Floats
    """The estimates: one Newton step without penalty, site by site, from the chosen network or
    the one with the least extended criterion, whichever has the smaller penalty.
    """
    standardError: Floats
    """Their standard errors, by the sandwich."""
    lower: Floats
    """Lower ends of intervals: from the standard error, or percentiles of 100 or more fits to
    resampled rows.
    """
    upper: Floats
    """Upper ends."""
    share: NotRequired[Floats]
    """The share of fits to resampled rows, or else to subsamples, that have the edge; absent
    without either.
    """


class ParameterErrors(TypedDict):
    """Errors of fitted parameters θ, in the order of the model's parameters: for an Ising model
    that of its `params`, for a formula that of the names.
    """

    standardErrors: Floats
    """The standard error of each θ, `[P]`."""
    lower: Floats
    """The lower end of an interval of each θ that holds the truth in about 95 % of data sets,
    `[P]`.
    """
    upper: Floats
    """The upper end, `[P]`."""
    covariance: NotRequired[Floats]
    """The covariance of their errors, row-major `[P, P]`; of a bootstrap of more than 512
    parameters left out.
    """
    parameters: NotRequired[list[ParameterEstimate]]
    """For formulas: the parameters by name, with intervals."""
    logZ: NotRequired[LogZEstimate]
    """For noise-contrastive estimation: log Z, as it was found with the parameters."""
    numFits: NotRequired[int]
    """Of a bootstrap: the number of fits to resampled rows that it has come from."""


class ParameterEstimate(TypedDict):
    """A parameter with its error."""

    name: str
    """Its name."""
    value: float
    """Its value at the fit."""
    standardError: float
    """Its standard error."""
    lower: float
    """The lower end of an interval that holds the truth in about 95 % of data sets; within the
    parameter's bounds.
    """
    upper: float
    """The upper end."""


class ParameterPrior(TypedDict):
    """The prior of a parameter."""

    name: str
    """The parameter's name in the formula."""
    distribution: PriorDistribution
    """Its distribution before the data; parameters are independent."""


class PatchTransform(TypedDict):
    """The transform from patches to states, `x_m = c_m·(p − μ) / s_m` with `p = ln(grey +
    offset)`.
    """

    patchSize: Number
    """Side of a patch in pixels."""
    offset: Number
    """Added to a grey value before its logarithm."""
    removePatchMeans: bool
    """Whether each patch's own mean is subtracted first."""
    mean: Numbers
    """The mean patch μ, `[size²]`, row by row."""
    components: Numbers
    """The components c_m, `[M, size²]`, of unit length and orthogonal to each other."""
    scales: Numbers
    """The scales s_m, `[M]`: standard deviations of training patches along the components."""


class PatchesProgress(TypedDict):
    """Progress of taking patches."""

    verb: Literal["patches"]
    """The verb: "patches"."""
    phase: Literal["mean", "covariance", "components", "states"]
    """The present phase: "mean", "covariance", "components", then "states"."""
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class PatchesResult(TypedDict):
    """Patches as states of models on ℝᴹ."""

    states: Floats
    """States of the training patches, `[numPatches, M]`, with mean 0 and covariance 1 unless a
    transform was given.
    """
    testStates: Floats
    """States of the test patches, `[numTest, M]`, by the same transform."""
    transform: PatchTransform
    """The transform from patches to states. It has the number of components asked for, or the
    number of directions in which the patches vary if that is smaller.
    """
    variances: Floats
    """Variances of the training patches along the components, `[M]`, largest first."""
    totalVariance: NotRequired[float]
    """Total variance of the training patches, of which the sum of `variances` is retained;
    absent if a transform was given.
    """
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class PatchesSpec(TypedDict, total=False):
    """The spec of `patches`."""

    pictures: Sequence[PictureSpec]
    """The pictures from which patches are taken."""
    numPatches: Count
    """Number of training patches, drawn independently and uniformly from all positions in the
    pictures.
    """
    patchSize: Number
    """Side of a patch in pixels, 2 to 32; absent if there is a transform."""
    numComponents: Count
    """M, the number of entries of a state; absent if there is a transform."""
    numTest: Count
    """Number of test patches, which share no pixel with training patches; none if absent."""
    testPictures: Numbers
    """Indices, from 0, of the pictures used for test patches alone. If absent, test patches
    come from the lowest rows of each picture: a quarter of its rows, or the height of a patch
    if that is more.
    """
    offset: Number
    """Added to a grey value before its logarithm, in the units of the pictures; 1 if absent."""
    removePatchMeans: bool
    """Whether to subtract each patch's own mean, so that brightness does not count; if absent,
    false: brightness is then a direction like any other. The mean over all patches is
    subtracted in any case.
    """
    transform: PatchTransform
    """A transform found for other patches, used instead of finding one."""
    seed: Count
    """Seed of the positions, 0 to 2⁵³ − 1; chosen and reported if absent."""


class PathGeometric(TypedDict):
    kind: Literal["geometric"]


class PathMomentAverages(TypedDict):
    kind: Literal["momentAverages"]


class PathKnots(TypedDict):
    kind: Literal["knots"]
    betas: Numbers
    """β of the knots between reference and model, ascending."""
    params: Numbers
    """The parameters of these knots, laid out as the model's own, one knot after another."""
    costs: NotRequired[Numbers]
    """The cost of each segment with one distribution, in nats, including the segments at both
    ends: half of `(η_j+1 − η_j)ᵀ (s_j+1 − s_j)`, with parameters η and moments s. The schedule
    `optimalBinned` uses these costs, one bin per segment, instead of a pilot run; nothing else
    uses them.
    """


class Paths(TypedDict):
    """The trajectories of chain 0, one per step after warm-up."""

    lengths: Floats
    """Number of points of each trajectory, from the start of the step to the proposal."""
    points: Floats
    """The points, trajectory after trajectory, `[.., dim]`."""
    outcomes: Bits
    """The outcome of each: 0 rejected, 1 accepted; plus 2 if the momentum was reversed, plus 4
    if it diverged.
    """
    energyErrors: Floats
    """Total energy at the proposal minus that at the start, in nats."""


class PatternDense(TypedDict):
    kind: Literal["dense"]


class PatternLattice(TypedDict):
    kind: Literal["lattice"]
    numRows: Count
    """Rows of the lattice."""
    numCols: Count
    """Columns of the lattice."""
    periodic: NotRequired[bool]
    """Whether the lattice closes to a torus; then both sides are at least 3. False if absent."""


class PatternTriangular(TypedDict):
    kind: Literal["triangular"]
    numRows: Count
    """Rows of the lattice."""
    numCols: Count
    """Columns of the lattice."""
    periodic: NotRequired[bool]
    """Whether the lattice closes to a torus; then both sides are at least 3. False if absent."""


class PatternCubic(TypedDict):
    kind: Literal["cubic"]
    numLayers: Count
    """Layers of the lattice."""
    numRows: Count
    """Rows of a layer."""
    numCols: Count
    """Columns of a layer."""
    periodic: NotRequired[bool]
    """Whether the lattice closes to a torus; then all sides are at least 3. False if absent."""


class PatternPairs(TypedDict):
    kind: Literal["pairs"]
    pairs: Numbers
    """The coupled pairs, as site indices."""


class PenaltiesSpec(TypedDict):
    """Penalties: `count` of them, evenly in the logarithm, from the least without an edge down
    to `ratio` times it; or these `values`.
    """

    count: NotRequired[Number]
    """Number of penalties, 2 to 1,000; 40 if absent."""
    ratio: NotRequired[Number]
    """The last penalty as a share of the first, 10⁻⁶ to below 1; 0.02 if absent."""
    values: NotRequired[Numbers]
    """The penalties themselves, in nats a row for each unit of a coupling, decreasing and
    greater than 0.
    """


class PictureSpec(TypedDict):
    """A picture, row by row from the top."""

    width: Number
    """Width in pixels."""
    height: Number
    """Height in pixels."""
    channels: NotRequired[Number]
    """Values per pixel: 1, grey, if absent; 3, red, green and blue; or 4, these and an opacity
    that is ignored, as in a canvas.
    """
    pixels: NotRequired[Numbers]
    """Levels from 0 to 255, `[height, width, channels]`."""
    intensities: NotRequired[Numbers]
    """Numbers of any scale, in the same order, instead of `pixels`."""


class PilotSpec(TypedDict):
    """Runs that find the schedule and the step sizes; for generative models, each row has its
    own step sizes.
    """

    numChains: NotRequired[Count]
    """Number of chains; 128 if absent."""
    numDistributions: NotRequired[Count]
    """Number of distributions of a run, rounded up to a multiple of 50; 1,000 if absent."""
    numRuns: NotRequired[Count]
    """Number of runs, each with the schedule and the step sizes found by the previous one; 2 if
    absent.
    """


class PriorDistributionNormal(TypedDict):
    kind: Literal["normal"]
    mean: Number
    """The mean."""
    sd: Number
    """The standard deviation."""


class PriorDistributionLogNormal(TypedDict):
    kind: Literal["logNormal"]
    mean: Number
    """The mean of ln θ."""
    sd: Number
    """The standard deviation of ln θ."""


class PriorDistributionUniform(TypedDict):
    kind: Literal["uniform"]
    min: Number
    """The lower end."""
    max: Number
    """The upper end."""


class PriorDistributionLogUniform(TypedDict):
    kind: Literal["logUniform"]
    min: Number
    """The lower end."""
    max: Number
    """The upper end."""


class PriorDistributionExponential(TypedDict):
    kind: Literal["exponential"]
    rate: Number
    """1 / the mean."""


class PriorDistributionHalfNormal(TypedDict):
    kind: Literal["halfNormal"]
    scale: Number
    """The standard deviation of the normal number."""


class PriorDistributionLaplace(TypedDict):
    kind: Literal["laplace"]
    location: Number
    """The median."""
    scale: Number
    """The mean distance from it."""


class PriorDistributionCauchy(TypedDict):
    kind: Literal["cauchy"]
    location: Number
    """The median."""
    scale: Number
    """The median distance from it."""


class PriorDistributionHalfCauchy(TypedDict):
    kind: Literal["halfCauchy"]
    scale: Number
    """The median."""


class PriorDistributionGamma(TypedDict):
    kind: Literal["gamma"]
    shape: Number
    """The shape, from 0.05 to 10,000."""
    rate: Number
    """The rate: the mean is shape / rate."""


class PriorDistributionInverseGamma(TypedDict):
    kind: Literal["inverseGamma"]
    shape: Number
    """The shape, from 0.05 to 10,000."""
    scale: Number
    """The scale: the mean is scale / (shape − 1)."""


class PriorDistributionBeta(TypedDict):
    kind: Literal["beta"]
    a: Number
    """The first shape, from 0.05 to 10,000."""
    b: Number
    """The second shape, from 0.05 to 10,000."""


class ProposalFlips(TypedDict):
    kind: Literal["flips"]
    probability: Number
    """The probability, between 0 and 1."""


class ProposalIndependent(TypedDict):
    kind: Literal["independent"]


class RecallPaths(TypedDict):
    """The flips of all rows, row after row."""

    lengths: Floats
    """Number of flips of each row."""
    sites: Floats
    """The unit flipped."""
    updates: Floats
    """The index of the update it belongs to, from 0."""
    energies: Floats
    """The energy after the flip, in nats."""


class RecallProgress(TypedDict):
    """Progress of recall."""

    verb: Literal["recall"]
    """The verb: "recall"."""
    numRecalled: int
    """Number of states recalled so far."""
    numRecovered: int
    """Number of these that ended in their cues, as they were before corruption."""
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""


class RecallResult(TypedDict):
    """The result of recall. Row r of states and arrays is copy `r mod numCopies` of cue `r /
    numCopies`, rounded down.
    """

    starts: Draws
    """The states from which recall started: the cues, or their corrupted copies."""
    states: Draws
    """The states in which it ended."""
    energies: Floats
    """Energies of these states, in nats."""
    numUpdates: Floats
    """Number of updates, each of all units once, that changed something."""
    numFlips: Floats
    """Number of bits flipped."""
    atRest: Bits
    """1 if the final state is a fixed point, 0 if the maximum number of updates was reached."""
    distances: Floats
    """Number of bits in which each final state differs from its cue before corruption."""
    numRecovered: int
    """Number of final states that equal their cues."""
    attractors: Attractors
    """The distinct states among the final ones."""
    paths: NotRequired[RecallPaths]
    """Every flip of the recall, if the spec asks for them."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class RecallSpec(TypedDict, total=False):
    """The spec of `recall`, which sets a model's units, one after another, to the values that
    lower its energy, until nothing changes.
    """

    model: ModelSpec
    """An Ising model of up to 4,096 sites."""
    cues: DataSpec
    """The states to start from, rows of zeros and ones. Moved out of the spec once read."""
    noise: NoiseSpec
    """Starts from corrupted copies of the cues instead."""
    order: UpdateOrder
    """The order in which units are updated; from first to last if absent."""
    maxUpdates: Number
    """Maximum number of updates, each of all units once; 1,000 if absent. 1 gives the state
    after one update.
    """
    paths: bool
    """Whether to record every flip; false if absent."""
    observed: ObservedSpec
    """Sites, or entries of the state, that are observed and stay: they are set in the cues,
    neither corrupted nor updated.
    """
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class Reconstruction(TypedDict):
    """Hidden variables times features, `[numRows, dim]`, under a posterior."""

    mean: Floats
    """Posterior means."""
    sd: Floats
    """Posterior standard deviations."""


class ReferenceUniform(TypedDict):
    kind: Literal["uniform"]


class ReferenceIndependent(TypedDict):
    kind: Literal["independent"]
    logOdds: Numbers
    """Log odds ln (p / (1 − p)) of each bit, `[dim]`; where sites have several values, a site's
    values have probabilities in proportion to the p of their bits.
    """


class ReferenceModel(TypedDict):
    kind: Literal["model"]
    model: ModelSpec
    """The spec of that model."""


class RegularizerL2(TypedDict):
    kind: Literal["l2"]
    strength: Number
    """λ, at least 0."""
    includeBiases: NotRequired[bool]
    """Whether biases are penalized; false if absent."""


class RegularizerL1(TypedDict):
    kind: Literal["l1"]
    strength: Number
    """λ, at least 0."""
    smoothing: NotRequired[Number]
    """ε, greater than 0; 0.001 if absent."""
    includeBiases: NotRequired[bool]
    """Whether biases are penalized; false if absent."""


class ResamplingSpec(TypedDict):
    """When chains are resampled."""

    threshold: NotRequired[Number]
    """Chains are resampled when the weights' effective sample size is below this fraction of
    their number, 0 to 1; 0.5 if absent.
    """
    numStages: NotRequired[Count]
    """How many times along the path this is checked; 100 if absent."""


class ReverseSpec(TypedDict):
    """Reverse runs, from the model to the reference."""

    start: ReverseStartSpec
    """Where the reverse runs start."""


class ReverseStartExact(TypedDict):
    kind: Literal["exact"]


class ReverseStartForward(TypedDict):
    kind: Literal["forward"]
    numWarmup: NotRequired[Count]
    """Number of these transitions; 1,000 if absent."""


class ReverseStartSimulated(TypedDict):
    kind: Literal["simulated"]
    numWarmup: NotRequired[Count]
    """Number of these transitions, which part the chains of a row; 1,000 if absent."""


class ReverseTrials(TypedDict):
    """Trials from the posterior to the prior."""

    logZ: Estimated
    """ln p(Y) from these trials alone."""
    trials: Floats
    """Each trial's estimate, in nats."""


class RuleOuterProduct(TypedDict):
    kind: Literal["outerProduct"]


class RuleStorkey(TypedDict):
    kind: Literal["storkey"]


class RulePerceptron(TypedDict):
    kind: Literal["perceptron"]
    learningRate: NotRequired[Number]
    """Size of a correction, greater than 0; 1 if absent."""
    maxEpochs: NotRequired[Number]
    """Maximum number of passes over the patterns; 1,000 if absent."""


class RuleMpf(TypedDict):
    kind: Literal["mpf"]
    optimizer: NotRequired[FlowOptimizerSpec]
    """How the flow is minimized."""


class RunReport(TypedDict):
    """The result of the runs in one direction."""

    logZ: Estimated
    """log Z estimated from these runs alone."""
    bootstrap: Interval
    """Bootstrap interval of that log Z."""
    meanLogWeight: float
    """The mean of log Z of the reference + log weights. Its expectation is below log Z for
    forward runs, above it for reverse runs.
    """
    meanLogWeightError: float
    """Standard error of that mean."""
    weightEss: float
    """Effective sample size of the weights (forward) or of their reciprocals (reverse); it is
    not that of a Markov chain.
    """
    weightEssError: float
    """Its bootstrap standard error; NaN with resampling, and with several rows."""
    logWeights: Floats
    """Each chain's estimate of log Z, `[numChains]`, in nats: log Z of the reference plus the
    log weight. With resampling, the log weight since the last resampling plus the common one
    before it.
    """
    histogramEdges: Floats
    """Histogram of those estimates: edges of the bins, one more than there are bins."""
    histogramCounts: Floats
    """Number of chains in each bin."""
    integral: NotRequired[Estimated]
    """log Z by thermodynamic integration (path sampling) from the same runs; absent with
    resampling.
    """
    betas: Floats
    """β at the edges of the bins of `acceptance` and `variances`, one more than there are bins."""
    acceptance: Floats
    """Mean acceptance of the transitions in each bin; 1 if nothing can be rejected."""
    variances: Floats
    """Variance that the steps in each bin would give the log weights if chains mixed
    immediately.
    """
    numResamplings: int
    """Number of times the chains were resampled."""


class SampleProgress(TypedDict):
    """Progress of sampling."""

    verb: Literal["sample"]
    """The verb: "sample"."""
    numDraws: int
    """Number of draws so far from each chain."""
    fraction: float
    """The fraction done, 0 to 1."""
    done: bool
    """Whether there is a result."""
    newDraws: NotRequired[NewDraws]
    """The draws since the last report, if the caller asks for them."""


class SampleResult(TypedDict):
    """Draws from a model."""

    draws: Draws
    """The draws: draw d of chain c is row d · numChains + c."""
    energies: Floats
    """The energies of the draws, in nats, `[numDraws, numChains]`; empty if not asked for."""
    energySummary: NotRequired[Summary]
    """The summary of the energies, with the precision of their mean, if they were asked for."""
    moments: Floats
    """Means of x_i x_j over all draws, row-major `[dim, dim]`; empty if they are not counted."""
    momentErrors: Floats
    """Standard errors of the moments, from the variance between chains, `[dim, dim]`; NaN with
    one chain.
    """
    numDifferences: NotRequired[int]
    """Number of differences of energies that all chains took, warm-up included: what effective
    draws cost, whichever transition made them. Of transitions that flip single sites, without a
    ladder.
    """
    tempering: NotRequired[TemperingReport]
    """How the ladders moved; absent without tempering."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class SampleSpec(TypedDict, total=False):
    """The spec of `sample`."""

    model: ModelSpec
    """The model to draw from."""
    transition: TransitionSpec
    """How a chain moves."""
    numChains: Count
    """Number of independent chains."""
    numWarmup: Count
    """Number of steps each chain makes before its first draw. If it moves site by site, a step
    is a sweep over all sites.
    """
    numDraws: Count
    """Number of draws from each chain."""
    numStepsPerDraw: Count
    """Number of steps from one draw to the next; 1 if absent."""
    moments: bool
    """Whether to compute the moments of all pairs from binary draws, for at most 8,192 sites;
    if absent, true for at most 1,024 sites.
    """
    energies: bool
    """Whether to report the energies of binary draws and the precision of their mean; false if
    absent. On ℝᴰ they are always reported.
    """
    recordPath: bool
    """Whether to record how chain 0 moves, for pictures: on ℝᴰ trajectory by trajectory, and
    the replicas of bits over the rungs of their ladder; for at most 100,000 steps. False if
    absent.
    """
    start: StartSpec
    """Where the chains start."""
    observed: ObservedSpec
    """Sites, or entries of the state, that are observed and stay: the chains move all others,
    and draws are whole states.
    """
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class ScheduleLinear(TypedDict):
    kind: Literal["linear"]


class ScheduleSigmoidal(TypedDict):
    kind: Literal["sigmoidal"]
    delta: NotRequired[Number]
    """The part of the logistic function that is used, on either side; 4 if absent."""


class ScheduleGeometric(TypedDict):
    kind: Literal["geometric"]
    first: Number
    """β_1, between 0 and 1."""


class ScheduleOptimalBinned(TypedDict):
    kind: Literal["optimalBinned"]
    numBins: NotRequired[Count]
    """Number of bins of equal extent in β, 10 if absent; with costs of segments between knots,
    there is one bin per segment.
    """


class ScheduleAdaptive(TypedDict):
    kind: Literal["adaptive"]


class ScheduleGiven(TypedDict):
    kind: Literal["given"]
    betas: Numbers
    """β_0 = 0 to β_K = 1, ascending."""


class SecondPathReport(TypedDict):
    """What annealing along a second path says of the first."""

    logZ: Estimated
    """log Z estimated along it."""
    weightEss: float
    """Effective sample size of its weights; with several rows, the smallest."""
    difference: Estimated
    """By how much its log Z is above that of the first path."""
    verdict: Literal["agree", "first", "second", "unclear"]
    """"agree" if the interval of the difference holds 0; otherwise the path whose estimate is
    higher, "first" or "second": the other has lost a part of the model. "unclear" if an error
    is not known, or above 1 nat.
    """


class SecondPathSpec(TypedDict):
    """What is different on the second path; what is absent is as on the first."""

    reference: NotRequired[ReferenceSpec]
    """The distribution the chains start from."""
    path: NotRequired[PathSpec]
    """The distributions between."""
    schedule: NotRequired[ScheduleSpec]
    """Where on the path they lie."""
    transition: NotRequired[TransitionSpec]
    """How a chain moves."""


class SimulateSpec(TypedDict):
    """Rows drawn from a model with hidden variables, in the place of given ones. What they were
    made of is an exact draw of the posterior.
    """

    numRows: Count
    """N, the number of rows."""
    seed: NotRequired[Count]
    """Seed of the rows, 0 to 2⁵³ − 1; that of the job if absent. Jobs with the same model and
    seed have the same rows.
    """


class SimulatedTable(TypedDict):
    """The table that was simulated, and what it was made of."""

    states: Floats
    """Its rows, one after another, `[numRows, dim]`."""
    truth: LatentDraw
    """The variables that it was drawn from."""


class SliceSpec(TypedDict):
    """The spec of slice sampling."""

    maxStepsOut: NotRequired[Number]
    """Maximum number of moves that widen an interval, 0 to 1,000; 100 if absent."""
    stepSize: NotRequired[Number]
    """The length of an interval before it is widened. Kept if given without `adaptation`; else
    found in warm-up.
    """
    adaptation: NotRequired[AdaptationSpec]
    """What warm-up adapts."""


class SplineProgress(TypedDict):
    """Progress of the search for the knots."""

    verb: Literal["spline"]
    """The verb: "spline"."""
    phase: Literal["moments", "knots"]
    """What is being found: the model's "moments", or the "knots"."""
    fraction: float
    """Estimate of the fraction done, 0 to 1; it never falls."""
    done: bool
    """Whether there is a result."""


class SplineResult(TypedDict):
    """The knots of a moment averages path."""

    path: PathSpec
    """The path in the form `logZ` takes, with the cost of each segment. It is a valid path
    however well its knots were found.
    """
    knots: list[MatchingReport]
    """How well the moments of each knot are matched."""
    momentsError: NotRequired[float]
    """Standard error of the model's moments, as a root mean square over all of them; absent if
    they are exact or those of data.
    """
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class SplineSpec(TypedDict, total=False):
    """The spec of `spline`, which finds the knots of a moment averages path (Grosse, Maddison
    and Salakhutdinov 2013), along which `logZ` may then anneal.
    """

    model: ModelSpec
    """The binary model at β = 1."""
    reference: ReferenceSpec
    """The independent sites at β = 0; even odds if absent."""
    momentAverages: MomentAveragesSpec
    """The knots, and how they are found."""
    data: DataSpec
    """Rows of zeros and ones the model was fitted to, from which its moments can be computed
    cheaply. Moved out of the spec once read.
    """
    seed: Count
    """Seed of all random numbers, 0 to 2⁵³ − 1; chosen and reported if absent."""


class StartRandom(TypedDict):
    kind: Literal["random"]


class StartExact(TypedDict):
    kind: Literal["exact"]


class StartStates(TypedDict):
    kind: Literal["states"]
    states: Numbers
    """The states, one after another."""


class StartData(TypedDict):
    kind: Literal["data"]
    data: DataSpec
    """The rows. Moved out of the spec once read."""


class StructureCandidate(TypedDict):
    """A structure that was tried."""

    text: str
    """Its text, as `M(GMᵀ + G) + G`."""
    parent: NotRequired[int]
    """The place of the structure that it was made of among the candidates of the level before;
    none for G.
    """
    score: float
    """Mean of ln p of a row or column that was held out, in nats, of the standardized table."""
    gainError: float
    """Standard error of the difference of `score` from that of the parent, over rows and
    columns; 0 for G.
    """


class StructureLevel(TypedDict):
    """A level of the search: the structures that one more production makes."""

    candidates: list[StructureCandidate]
    """The structures so far, in the order in which they are tried."""
    best: list[int]
    """The places of the best, the best first: those that the next level expands."""
    gain: float
    """What the best has gained on the best of the level before, in nats a row and column; 0 for
    G.
    """
    gainError: float
    """Standard error of `gain`, over rows and columns."""


class StructureMatrix(TypedDict):
    """A matrix of the structure."""

    letter: Literal["G", "M", "B", "C"]
    """Its letter in the text."""
    isTransposed: bool
    """Whether the text has its transpose."""
    numRows: int
    """Number of rows, before it is transposed."""
    numCols: int
    """Number of columns."""
    values: Floats
    """The entries, `[numRows, numCols]`."""


class StructureProgress(TypedDict):
    """Progress of a search."""

    verb: Literal["structure"]
    """The verb: "structure"."""
    level: float
    """The number of productions of the structures that are tried."""
    numCandidates: int
    """Number of structures of this level."""
    numDone: int
    """Number of them that have a score."""
    levels: list[StructureLevel]
    """The levels so far, from that of G on; the last may lack candidates."""
    fraction: float
    """The fraction done, 0 to 1, if the search goes on to its last level."""
    done: bool
    """Whether there is a result."""


class StructureResult(TypedDict):
    """The structure that a search found, with a draw of its matrices."""

    text: str
    """The structure, as `M(GMᵀ + G) + G`."""
    score: float
    """Mean of ln p of a row or column that was held out, in nats, of the standardized table."""
    levels: list[StructureLevel]
    """The levels of the search, from that of G on."""
    stopReason: Literal["noImprovement", "maxDepth"]
    """Why the search ended: the best of the last level did not gain enough, or the level is the
    last allowed.
    """
    matrices: list[StructureMatrix]
    """A matrix for each letter of the text, in order, drawn from the posterior given the whole
    table. With them in place of the letters, the text's value is the standardized table.
    """
    shifts: Floats
    """What was subtracted from each column, `[dim]`."""
    scales: Floats
    """What each column was then divided by, `[dim]`."""
    warnings: list[str]
    """What to know before the numbers are used, as sentences."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""


class StructureSpec(TypedDict, total=False):
    """The spec of `structure`: a search for the structure of a table, over sums and products of
    simple random matrices.
    """

    states: Numbers
    """The rows of the table, one after another, `[numRows, dim]`. Rows and columns, 6 to 1,000
    each; at most 100,000 entries.
    """
    dim: Count
    """Number of columns."""
    standardize: Standardization
    """What the table is standardized by; columns if absent."""
    maxDepth: Number
    """Maximum number of productions, 1 to 5; 3 if absent."""
    keep: Number
    """Number of structures of a level that are expanded, 1 to 10; 3 if absent."""
    minGain: Number
    """What a level's best structure has to gain on that of the level before, in nats a row and
    column; 1 if absent.
    """
    numFolds: Count
    """Number of parts of rows and of columns that are held out in turn, 2 to 20; 5 if absent."""
    numSamples: Count
    """Number of chains over which a prediction is averaged, each with five of its states, 1 to
    20; 2 if absent.
    """
    numSweeps: Count
    """Sweeps of Gibbs sampling after a production, 1 to 10,000; 100 if absent."""
    annealingSteps: Number
    """Steps of annealed importance sampling for a prediction with scales, 10 to 10,000; 300 if
    absent.
    """
    expandDiscrete: bool
    """Whether M and B are expanded as well: M → MG + G, B → BG + G, M → B; false if absent."""
    seed: Count
    """Seed, 0 to 2⁵³ − 1; chosen and reported if absent."""


class Summary(TypedDict):
    """Summary of the draws of one scalar quantity and its precision: the columns of ArviZ's
    `summary` without intervals. Mean, standard deviation and their errors are in units of the
    quantity, the others are dimensionless.
    """

    mean: float
    """Mean of all draws."""
    sd: float
    """Standard deviation of all draws, with S − 1."""
    mcseMean: float
    """Monte Carlo standard error of the mean, `mcse_mean`."""
    mcseSd: float
    """Monte Carlo standard error of the standard deviation, `mcse_sd`."""
    essBulk: float
    """Effective sample size of the bulk, `ess_bulk`."""
    essTail: float
    """Effective sample size of the tails, `ess_tail`."""
    rhat: float
    """Rank-normalized split R̂, `rhat`."""


class TablePosterior(TypedDict):
    """Moments of the posterior of a table's hidden variables, features and variances. They do
    not depend on the names of clusters, factors or attributes.
    """

    sameCluster: NotRequired[Floats]
    """The probability that two rows share a cluster, `[numRows, numRows]`; absent without
    clusters, and with more than 1,024 rows.
    """
    reconstruction: Reconstruction
    """The rows as the model has them, without noise: hidden variables times features."""
    signalVariance: float
    """Mean of the variance s² of the features."""
    noiseVariance: float
    """Mean of the variance σ² of the noise."""
    numInUse: NotRequired[float]
    """The expected number of clusters that have a row, or of attributes that a row has; absent
    for factors.
    """


class TemperingReport(TypedDict):
    """How the ladders of a binary model moved after warm-up."""

    betas: Floats
    """β of the rungs, 0 to 1, `[numRungs]`."""
    rejections: Floats
    """Mean rejection of the swaps of each pair of neighbours, 0 to 1, `[numRungs − 1]`."""
    barrier: float
    """Their sum: the communication barrier Λ, which hardly depends on the number of rungs. With
    2 Λ + 1 rungs and more, round trips are as frequent as they can be for the work (Syed et al.
    2022).
    """
    numRoundTrips: Floats
    """Number of round trips over each ladder: how often a replica came from the lowest rung to
    the highest and back, `[numChains]`.
    """
    logZ: float
    """log Z of the model, in nats, by stepping stones (Xie et al. 2011) with geometric bridges
    (Meng and Wong 1996) between all neighbouring rungs.
    """
    logZError: float
    """Its standard error from the variance between chains; NaN with one chain."""
    replicas: NotRequired[Bits]
    """The replica at each rung of chain 0 after each step, `[numSteps, numRungs]`; absent
    unless the spec records the path.
    """
    warnings: list[str]
    """Warnings about the ladders, as sentences; empty if there are none."""


class TemperingSpec(TypedDict):
    """A ladder of distributions to the model, from a Gaussian or from independent units, and
    how chains move on its rungs.
    """

    transition: TransitionSpec
    """How chains move on each rung."""
    numRungs: NotRequired[Count]
    """Number of rungs, 2 to 256; 10 if absent. In warm-up parallel tempering moves them to
    where all exchanges are equally likely; simulated tempering leaves them evenly spaced.
    """
    reference: NotRequired[GaussianSpec]
    """The lowest rung on ℝᴰ; the standard normal distribution if absent."""
    logOdds: NotRequired[Numbers]
    """Log odds of the independent sites of the lowest rung of a model of bits, one a bit; 0,
    which is fair coin tosses, if absent. Where sites have several values, a site's values have
    probabilities in proportion to those of their bits.
    """
    path: NotRequired[PathSpec]
    """The distributions between the lowest rung and a model of bits: `geometric`, or `knots`,
    as `spline` finds them; geometric if absent.
    """


class TransitionGibbs(TypedDict):
    kind: Literal["gibbs"]
    scan: NotRequired[Scan]
    """The order of the sites; systematic if absent."""


class TransitionFlipMetropolis(TypedDict):
    kind: Literal["flipMetropolis"]
    scan: NotRequired[Scan]
    """The order of the sites; random if absent."""


class TransitionLocallyInformed(TypedDict):
    kind: Literal["locallyInformed"]


class TransitionDiscreteLangevin(TypedDict):
    kind: Literal["discreteLangevin"]
    stepSize: NotRequired[Number]
    """The step size α, greater than 0; 0.2 if absent, where a flip that costs nothing is
    proposed with probability 0.08. Warm-up does not adapt it.
    """


class TransitionCheckerboard(TypedDict):
    kind: Literal["checkerboard"]


class TransitionSwendsenWang(TypedDict):
    kind: Literal["swendsenWang"]


class TransitionWolff(TypedDict):
    kind: Literal["wolff"]


class TransitionBlockGibbs(TypedDict):
    kind: Literal["blockGibbs"]


class TransitionParallelTempering(TemperingSpec):
    kind: Literal["parallelTempering"]


class TransitionSimulatedTempering(TemperingSpec):
    kind: Literal["simulatedTempering"]


class TransitionPerfect(TypedDict):
    kind: Literal["perfect"]


class TransitionHmc(HmcSpec):
    kind: Literal["hmc"]


class TransitionNuts(NutsSpec):
    kind: Literal["nuts"]


class TransitionLangevin(LangevinSpec):
    kind: Literal["langevin"]


class TransitionAnnealedLangevin(AnnealedLangevinSpec):
    kind: Literal["annealedLangevin"]


class TransitionMetropolis(MetropolisSpec):
    kind: Literal["metropolis"]


class TransitionSlice(SliceSpec):
    kind: Literal["slice"]


class UniformSpins(TypedDict):
    """A model with equal couplings and equal fields, in spins s = 2x − 1: `−coupling Σ s_i s_j
    − field Σ s_i`, each pair once, is its energy minus a constant.
    """

    coupling: Number
    """The coupling of every pair of the pattern: J/T in physics, positive if spins tend to
    agree.
    """
    field: NotRequired[Number]
    """The field on every site: positive if spins tend to be +1; 0 if absent."""


class UpdateOrderInOrder(TypedDict):
    kind: Literal["inOrder"]


class UpdateOrderRandom(TypedDict):
    kind: Literal["random"]


class VariancesFixed(TypedDict):
    kind: Literal["fixed"]
    signal: NotRequired[Number]
    """Variance of centres, factors' loadings or features; 1 if absent."""
    noise: NotRequired[Number]
    """Variance of the noise; 1 if absent."""


class VariancesSampled(TypedDict):
    kind: Literal["sampled"]
    shape: NotRequired[Number]
    """The shape a; 2 if absent."""
    scale: NotRequired[Number]
    """The scale b; 1 if absent."""


class AnyDraws(TypedDict):
    """Any of Draws, ContinuousDraws, LatentDraws: which fields there are depends on the model."""

    dim: int
    """Bits per row."""
    numRows: int
    """Number of rows."""
    bits: Bits
    """The rows, each padded with zeros to whole bytes, least significant bit first."""
    numChains: int
    """Number of chains."""
    numDraws: int
    """Number of draws from each chain."""
    values: Floats
    """The states, `[numDraws, numChains, dim]`."""
    order: int
    """K, the number of clusters, factors or attributes."""
    hidden: Floats
    """Hidden variables: each row's cluster from 0, `[numDraws, numChains, numRows]`; its
    factors or its attributes as zeros and ones, `[numDraws, numChains, numRows, K]`.
    """
    features: Floats
    """Centres of the clusters, loadings of the factors or features of the attributes,
    `[numDraws, numChains, K, dim]`.
    """
    signalVariance: Floats
    """Variance s² of the features, `[numDraws, numChains]`."""
    noiseVariance: Floats
    """Variance σ² of the noise, `[numDraws, numChains]`."""
    logJoint: Floats
    """ln p(z, features, s², σ², Y), in nats, `[numDraws, numChains]`; only the shares of
    clusters or attributes are integrated out.
    """
    logLikelihood: Floats
    """ln p(Y | z, features, σ²), in nats, `[numDraws, numChains]`."""
    numInUse: Floats
    """Number of clusters that have a row, or of attributes that a row has, `[numDraws,
    numChains]`; absent for factors.
    """


class AnySummary(TypedDict):
    """Any of EntrySummaries, LatentSummaries: which fields there are depends on the model."""

    mean: Floats
    """Means of the draws."""
    sd: Floats
    """Standard deviations of the draws."""
    mcseMean: Floats
    """Monte Carlo standard errors of the means."""
    mcseSd: Floats
    """Monte Carlo standard errors of the standard deviations."""
    essBulk: Floats
    """Rank-normalized effective sample sizes."""
    essTail: Floats
    """Effective sample sizes for the 5 % and 95 % quantiles, the smaller of the two."""
    rhat: Floats
    """Rank-normalized split R̂; NaN with one chain."""
    logJoint: Summary
    """Of the log joint density."""
    logLikelihood: Summary
    """Of the log likelihood."""
    numInUse: Summary
    """Of the number of clusters or attributes in use; absent for factors."""
    signalVariance: Summary
    """Of the variance of the features, if it is sampled."""
    noiseVariance: Summary
    """Of the variance of the noise, if it is sampled."""


class AnySampleResult(TypedDict):
    """Any of SampleResult, ContinuousResult, LatentResult: which fields there are depends on
    the model.
    """

    draws: AnyDraws
    """The draws: draw d of chain c is row d · numChains + c."""
    energies: Floats
    """The energies of the draws, in nats, `[numDraws, numChains]`; empty if not asked for."""
    energySummary: Summary
    """The summary of the energies, with the precision of their mean, if they were asked for."""
    moments: Floats
    """Means of x_i x_j over all draws, row-major `[dim, dim]`; empty if they are not counted."""
    momentErrors: Floats
    """Standard errors of the moments, from the variance between chains, `[dim, dim]`; NaN with
    one chain.
    """
    numDifferences: int
    """Number of differences of energies that all chains took, warm-up included: what effective
    draws cost, whichever transition made them. Of transitions that flip single sites, without a
    ladder.
    """
    tempering: TemperingReport
    """How the ladders moved; absent without tempering."""
    seed: int
    """The seed used."""
    digest: str
    """SHA-256 of the numbers, in hexadecimal."""
    summary: AnySummary
    """Summaries of each entry of the state over all draws."""
    chains: ChainReport
    """How each chain moved after warm-up."""
    divergences: Divergences
    """Trajectories that diverged."""
    paths: Paths
    """The trajectories of chain 0, if the spec records them."""
    ladder: Floats
    """β of the rungs of chain 0; empty without tempering."""
    levels: LevelReport
    """How chains moved over the levels of simulated tempering; absent without."""
    warnings: list[str]
    """Warnings about the result, as sentences; empty if there are none."""
    sameCluster: Floats
    """How often two rows share a cluster, of all draws, `[numRows, numRows]`; absent without
    clusters, and with more than 1,024 rows.
    """
    reconstruction: Reconstruction
    """The rows as the model has them, without noise: hidden variables times features."""


BaseKernel: TypeAlias = Literal["SE", "RQ", "PER", "LIN"]
ChoiceSpec: TypeAlias = Union[
    "ChoiceEbic",
    "ChoiceCrossValidation",
    "ChoiceStability",
]
Combination: TypeAlias = Literal["sum", "either"]
ConnectivitySpec: TypeAlias = Union[
    "ConnectivitySingleFlips",
    "ConnectivitySingleAndAllFlips",
    "ConnectivityFlipSets",
    "ConnectivitySampled",
    "ConnectivityBall",
]
CoordinatesSpec: TypeAlias = Union[
    "CoordinatesModel",
    "CoordinatesParams",
    "CoordinatesMetric",
    "CoordinatesRelative",
]
CovarianceKind: TypeAlias = Literal["isotropic", "diagonal", "full"]
CovarianceSpec: TypeAlias = Union[
    "CovarianceSE",
    "CovarianceRQ",
    "CovariancePER",
    "CovarianceLIN",
    "CovarianceSum",
    "CovarianceProduct",
]
DataSpec: TypeAlias = Union[
    "DataRows",
    "DataValues",
    "DataBits",
    "DataCsv",
    "DataNpy",
    "Numbers",
]
Entries: TypeAlias = Literal["bits", "spins"]
ErrorsSpec: TypeAlias = Union[
    "bool",
    "BootstrapSpec",
]
EstimatorSpec: TypeAlias = Union[
    "EstimatorExact",
    "EstimatorLikelihoodWeighting",
    "EstimatorHarmonicMean",
    "EstimatorBic",
    "EstimatorVariationalBayes",
    "EstimatorChib",
    "EstimatorNestedSampling",
    "EstimatorParticleLearning",
    "EstimatorSequentialHarmonicMean",
    "EstimatorAnnealing",
    "EstimatorCompositional",
    "EstimatorThermodynamicIntegration",
]
Expert: TypeAlias = Literal["laplace", "studentT"]
FlipRule: TypeAlias = Literal["gibbs", "metropolis"]
FlowOptimizerSpec: TypeAlias = Union[
    "FlowOptimizerLbfgs",
    "FlowOptimizerSgd",
    "FlowOptimizerOnline",
]
HiddenStatesSpec: TypeAlias = Union[
    "HiddenStatesGibbs",
    "HiddenStatesMeanField",
]
InitSpec: TypeAlias = Union[
    "InitModel",
    "InitNormal",
    "InitDataMeans",
]
KernelSpec: TypeAlias = Union[
    "KernelSingleSite",
    "KernelGibbs",
    "KernelLocallyInformed",
    "KernelDiscreteLangevin",
    "KernelCheckerboard",
    "KernelSwendsenWang",
    "KernelWolff",
    "KernelBlockGibbs",
]
LatentModelSpec: TypeAlias = Union[
    "LatentModelClustering",
    "LatentModelLowRank",
    "LatentModelClusteredLowRank",
    "LatentModelBinaryAttributes",
    "LatentModelDensity",
]
LearningRate: TypeAlias = Union[
    "Number",
    "LearningRateFields",
]
MatchingSpec: TypeAlias = Union[
    "MatchingExact",
    "MatchingPersistent",
]
MeanFieldOrder: TypeAlias = Literal["naive", "tap"]
MetricDamping: TypeAlias = Union[
    "MetricDampingRidge",
    "MetricDampingStochasticRobust",
]
MetricForm: TypeAlias = Literal["full", "blocks", "diagonal"]
MetricKind: TypeAlias = Literal["fisher", "empiricalFisher", "energyApproximation", "energyCovariance"]
ModelSpec: TypeAlias = Union[
    "ModelIsing",
    "ModelRbm",
    "ModelSemiRestricted",
    "ModelMarginal",
    "ModelPotts",
    "ModelCategoricalRbm",
    "ModelReplicatedSoftmax",
    "ModelGaussian",
    "ModelStudentT",
    "ModelRing",
    "ModelMixture",
    "ModelBanana",
    "ModelFunnel",
    "ModelDoubleWell",
    "ModelProductOfExperts",
    "ModelIca",
    "ModelLinearGenerative",
    "ModelBilinearGenerative",
    "ModelGaussianRbm",
    "ModelMcRbm",
    "ModelNeural",
    "ModelFormula",
    "ModelPosterior",
    "ModelCombined",
    "ModelCustom",
    "ModelDbn",
    "ModelClustering",
    "ModelLowRank",
    "ModelBinaryAttributes",
]
MomentsSpec: TypeAlias = Union[
    "MomentsExact",
    "MomentsChains",
    "MomentsData",
]
MomentumFlips: TypeAlias = Literal["standard", "reduced"]
NetworkObjective: TypeAlias = Union[
    "NetworkObjectivePseudolikelihood",
    "NetworkObjectiveMpf",
]
ObjectiveSpec: TypeAlias = Union[
    "ObjectiveMpf",
    "ObjectivePseudolikelihood",
    "ObjectiveMaximumLikelihood",
    "ObjectiveScoreMatching",
    "ObjectiveDenoisingScoreMatching",
    "ObjectiveNoiseContrastive",
    "ObjectiveExpectationMaximization",
    "ObjectiveMeanField",
    "ObjectiveContrastiveDivergence",
    "ObjectivePersistentContrastiveDivergence",
    "ObjectivePersistentMpf",
]
OptimizerSpec: TypeAlias = Union[
    "OptimizerLbfgs",
    "OptimizerSgd",
    "OptimizerAdam",
]
ParameterSpec: TypeAlias = Union[
    "Number",
    "BoundedParameter",
]
PathSpec: TypeAlias = Union[
    "PathGeometric",
    "PathMomentAverages",
    "PathKnots",
]
Pattern: TypeAlias = Union[
    "PatternDense",
    "PatternLattice",
    "PatternTriangular",
    "PatternCubic",
    "PatternPairs",
]
Prior: TypeAlias = Literal["gaussian", "laplace"]
PriorDistribution: TypeAlias = Union[
    "PriorDistributionNormal",
    "PriorDistributionLogNormal",
    "PriorDistributionUniform",
    "PriorDistributionLogUniform",
    "PriorDistributionExponential",
    "PriorDistributionHalfNormal",
    "PriorDistributionLaplace",
    "PriorDistributionCauchy",
    "PriorDistributionHalfCauchy",
    "PriorDistributionGamma",
    "PriorDistributionInverseGamma",
    "PriorDistributionBeta",
]
ProposalSpec: TypeAlias = Union[
    "ProposalFlips",
    "ProposalIndependent",
]
ReferenceSpec: TypeAlias = Union[
    "ReferenceUniform",
    "ReferenceIndependent",
    "ReferenceModel",
]
RegularizerSpec: TypeAlias = Union[
    "RegularizerL2",
    "RegularizerL1",
]
RestartNoise: TypeAlias = Literal["normal", "uniform"]
ReverseStartSpec: TypeAlias = Union[
    "ReverseStartExact",
    "ReverseStartForward",
    "ReverseStartSimulated",
]
RuleSpec: TypeAlias = Union[
    "RuleOuterProduct",
    "RuleStorkey",
    "RulePerceptron",
    "RuleMpf",
]
ScaleKind: TypeAlias = Literal["unit", "diagonal", "dense"]
Scan: TypeAlias = Literal["systematic", "random"]
ScheduleSpec: TypeAlias = Union[
    "ScheduleLinear",
    "ScheduleSigmoidal",
    "ScheduleGeometric",
    "ScheduleOptimalBinned",
    "ScheduleAdaptive",
    "ScheduleGiven",
]
Standardization: TypeAlias = Literal["columns", "whole"]
StartSpec: TypeAlias = Union[
    "StartRandom",
    "StartExact",
    "StartStates",
    "StartData",
]
TransitionSpec: TypeAlias = Union[
    "TransitionGibbs",
    "TransitionFlipMetropolis",
    "TransitionLocallyInformed",
    "TransitionDiscreteLangevin",
    "TransitionCheckerboard",
    "TransitionSwendsenWang",
    "TransitionWolff",
    "TransitionBlockGibbs",
    "TransitionParallelTempering",
    "TransitionSimulatedTempering",
    "TransitionPerfect",
    "TransitionHmc",
    "TransitionNuts",
    "TransitionLangevin",
    "TransitionAnnealedLangevin",
    "TransitionMetropolis",
    "TransitionSlice",
]
UpdateOrder: TypeAlias = Union[
    "UpdateOrderInOrder",
    "UpdateOrderRandom",
]
VariancesSpec: TypeAlias = Union[
    "VariancesFixed",
    "VariancesSampled",
]


class FitVerb(Protocol):
    """Fits a model to data."""

    def __call__(
        self,
        spec: FitSpec | None = None,
        /,
        *,
        on_progress: Callable[[FitProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[FitSpec],
    ) -> FitResult:
        """Fits a model to data."""
        ...


class SampleVerb(Protocol):
    """Draws from a model."""

    def __call__(
        self,
        spec: SampleSpec | None = None,
        /,
        *,
        on_progress: Callable[[SampleProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[SampleSpec],
    ) -> AnySampleResult:
        """Draws from a model."""
        ...


class ExactVerb(Protocol):
    """Computes log Z, likelihood, moments and entropy without error."""

    def __call__(
        self,
        spec: ExactSpec | None = None,
        /,
        *,
        on_progress: Callable[[ExactProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[ExactSpec],
    ) -> ExactResult:
        """Computes log Z, likelihood, moments and entropy without error."""
        ...


class EnergiesVerb(Protocol):
    """Computes energies, gradients and conditional probabilities of states."""

    def __call__(
        self,
        spec: EnergiesSpec | None = None,
        /,
        *,
        on_progress: Callable[[EnergiesProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[EnergiesSpec],
    ) -> EnergiesResult:
        """Computes energies, gradients and conditional probabilities of states."""
        ...


class LogZVerb(Protocol):
    """Estimates log Z by annealing, with errors and bounds."""

    def __call__(
        self,
        spec: LogZSpec | None = None,
        /,
        *,
        on_progress: Callable[[LogZProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[LogZSpec],
    ) -> LogZResult:
        """Estimates log Z by annealing, with errors and bounds."""
        ...


class SplineVerb(Protocol):
    """Finds a moment averages path to anneal along."""

    def __call__(
        self,
        spec: SplineSpec | None = None,
        /,
        *,
        on_progress: Callable[[SplineProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[SplineSpec],
    ) -> SplineResult:
        """Finds a moment averages path to anneal along."""
        ...


class MemorizeVerb(Protocol):
    """Stores patterns as minima of an energy: a Hopfield network."""

    def __call__(
        self,
        spec: MemorizeSpec | None = None,
        /,
        *,
        on_progress: Callable[[MemorizeProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[MemorizeSpec],
    ) -> MemorizeResult:
        """Stores patterns as minima of an energy: a Hopfield network."""
        ...


class RecallVerb(Protocol):
    """Goes down the energy from given states."""

    def __call__(
        self,
        spec: RecallSpec | None = None,
        /,
        *,
        on_progress: Callable[[RecallProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[RecallSpec],
    ) -> RecallResult:
        """Goes down the energy from given states."""
        ...


class PatchesVerb(Protocol):
    """Makes states on the reals from patches of pictures."""

    def __call__(
        self,
        spec: PatchesSpec | None = None,
        /,
        *,
        on_progress: Callable[[PatchesProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[PatchesSpec],
    ) -> PatchesResult:
        """Makes states on the reals from patches of pictures."""
        ...


class EvidenceVerb(Protocol):
    """Estimates ln p of a table under a model with hidden variables."""

    def __call__(
        self,
        spec: EvidenceSpec | None = None,
        /,
        *,
        on_progress: Callable[[EvidenceProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[EvidenceSpec],
    ) -> EvidenceResult:
        """Estimates ln p of a table under a model with hidden variables."""
        ...


class ChainVerb(Protocol):
    """Analyses a finite Markov chain, exactly."""

    def __call__(
        self,
        spec: ChainSpec | None = None,
        /,
        *,
        on_progress: Callable[[ChainProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[ChainSpec],
    ) -> ChainResult:
        """Analyses a finite Markov chain, exactly."""
        ...


class ModeVerb(Protocol):
    """Finds the most probable state of a binary model."""

    def __call__(
        self,
        spec: ModeSpec | None = None,
        /,
        *,
        on_progress: Callable[[ModeProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[ModeSpec],
    ) -> ModeResult:
        """Finds the most probable state of a binary model."""
        ...


class NetworkVerb(Protocol):
    """Fits a sparse network of binary columns."""

    def __call__(
        self,
        spec: NetworkSpec | None = None,
        /,
        *,
        on_progress: Callable[[NetworkProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[NetworkSpec],
    ) -> NetworkResult:
        """Fits a sparse network of binary columns."""
        ...


class KernelsVerb(Protocol):
    """Searches for the kernel of a Gaussian process."""

    def __call__(
        self,
        spec: KernelsSpec | None = None,
        /,
        *,
        on_progress: Callable[[KernelsProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[KernelsSpec],
    ) -> KernelsResult:
        """Searches for the kernel of a Gaussian process."""
        ...


class StructureVerb(Protocol):
    """Searches for the structure of a table."""

    def __call__(
        self,
        spec: StructureSpec | None = None,
        /,
        *,
        on_progress: Callable[[StructureProgress], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Unpack[StructureSpec],
    ) -> StructureResult:
        """Searches for the structure of a table."""
        ...
