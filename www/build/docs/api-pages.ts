/** Which page of the reference tells of which name. A name of the package that is on none is refused. */

export interface ApiPage {
  slug: string;
  title: string;
  summary: string;
  names: readonly string[];
}

export const apiPages: readonly ApiPage[] = [
  {
    slug: 'api/engine',
    title: 'Engine and jobs',
    summary: 'What createEngine gives: the verbs, the handles of running jobs, and errors.',
    names:
      'createEngine Engine EngineOptions JobHandle RunOptions UnnormError UnnormErrorCode'.split(
        ' ',
      ),
  },
  {
    slug: 'api/models',
    title: 'Models: specs',
    summary: 'The specs of all models, as they go into every verb and come out of a fit.',
    names: (
      'ModelSpec ModelKind BinaryKind TableKind FittedModel IsingSpec Pattern UniformSpins RbmSpec SemiRestrictedSpec MarginalSpec PottsSpec CategoricalRbmSpec DbnSpec ' +
      'DbnLayer GaussianSpec MixtureSpec CovarianceKind StudentTSpec RingSpec BananaSpec FunnelSpec DoubleWellSpec ' +
      'ReplicatedSoftmaxSpec ProductOfExpertsSpec Expert IcaSpec GaussianRbmSpec McRbmSpec NeuralSpec LinearGenerativeSpec Prior ' +
      'BilinearGenerativeSpec FormulaSpec ParameterSpec BoundedParameter HalfSpace PosteriorSpec ParameterPrior PriorDistribution CombinedSpec CombinedPart Combination CustomSpec CustomFunction moduleUrl couplingStrengths CouplingStrength CouplingStrengthsOptions'
    ).split(' '),
  },
  {
    slug: 'api/data',
    title: 'Data and files',
    summary: 'The forms in which binary data may come, and NumPy files of real numbers.',
    names: 'DataSpec PackedData ReadData Entries Draws readNpy writeNpy'.split(' '),
  },
  {
    slug: 'api/fit',
    title: 'Fit: specs and results',
    summary:
      'What engine.fit takes and gives: objectives, optimizers, penalties and starting points.',
    names: (
      'FitSpec FitResult FitProgress ErrorsSpec BootstrapSpec ParameterErrors ParameterEstimate LogZEstimate LayerFit ObjectiveSpec RestartNoise HiddenStatesSpec ConnectivitySpec ProposalSpec MeanFieldOrder ' +
      'OptimizerSpec LbfgsSpec SgdSpec AdamSpec LearningRate CoordinatesSpec MetricKind MetricForm MetricDamping ' +
      'RegularizerSpec InitSpec'
    ).split(' '),
  },
  {
    slug: 'api/sample',
    title: 'Sample: specs and results',
    summary: 'What engine.sample takes and gives: transitions, warm-up, draws and diagnostics.',
    names: (
      'SampleSpec SampleResultOf PartOf SampleResult ContinuousResult LevelReport LatentResult SampleProgress NewDraws StartSpec ObservedSpec TransitionSpec Scan ' +
      'HmcSpec MomentumFlips NutsSpec LangevinSpec AnnealedLangevinSpec MetropolisSpec SliceSpec TemperingSpec AdaptationSpec ScaleKind ' +
      'ContinuousDraws EntrySummaries Summary ChainReport Divergences Paths TemperingReport LatentDraws LatentSummaries autocovariance Autocovariance AutocovarianceOptions'
    ).split(' '),
  },
  {
    slug: 'api/log-z',
    title: 'logZ and spline: specs and results',
    summary:
      'What engine.logZ and engine.spline take and give: paths, schedules, estimates and bounds.',
    names: (
      'LogZSpec LogZResult LogZProgress ReferenceSpec PathSpec SecondPathSpec SecondPathReport ScheduleSpec ResamplingSpec ReverseSpec ' +
      'ReverseStartSpec PilotSpec RunReport Estimated Interval Bounds LikelihoodReport SplineSpec SplineResult ' +
      'SplineProgress MomentAveragesSpec MomentsSpec MatchingSpec MatchingReport Mismatch'
    ).split(' '),
  },
  {
    slug: 'api/exact',
    title: 'Exact, mode and energies: specs and results',
    summary: 'What engine.exact, engine.mode and engine.energies take and give.',
    names:
      'ExactSpec ExactResult ExactProgress MpfBound TablePosterior Reconstruction ModeSpec ModeResult ModeProgress EnergiesSpec EnergiesResult EnergiesProgress'.split(
        ' ',
      ),
  },
  {
    slug: 'api/evidence',
    title: 'Evidence: specs and results',
    summary:
      'What engine.evidence takes and gives: models of tables, estimators, trials and bounds.',
    names: (
      'EvidenceSpec EvidenceResult EvidenceProgress LatentModelSpec ClusteringSpec LowRankSpec ClusteredLowRankSpec BinaryAttributesSpec VariancesSpec SimulateSpec EstimatorSpec ' +
      'EvidenceBounds ReverseTrials LatentDraw SimulatedTable bayesFactor BayesFactor EvidenceEstimate ' +
      'EvidenceStrength'
    ).split(' '),
  },
  {
    slug: 'api/kernels',
    title: 'Kernels: specs and results',
    summary:
      'What engine.kernels takes and gives: kernels as plain data, levels of the search, components and predictions.',
    names:
      'KernelsSpec KernelsResult KernelsProgress BaseKernel CovarianceSpec KernelLevel KernelCandidate KernelComponent FunctionMarginals'.split(
        ' ',
      ),
  },
  {
    slug: 'api/structure',
    title: 'Structure: specs and results',
    summary:
      'What engine.structure takes and gives: levels of the search, candidates with their scores, matrices.',
    names:
      'StructureSpec StructureResult StructureProgress StructureLevel StructureCandidate StructureMatrix Standardization'.split(
        ' ',
      ),
  },
  {
    slug: 'api/network',
    title: 'Network: specs and results',
    summary:
      'What engine.network takes and gives: penalties, their choice, paths, edges and intervals of all pairs.',
    names:
      'NetworkSpec NetworkResult NetworkProgress NetworkObjective PenaltiesSpec ChoiceSpec NetworkPath NetworkEdge PairEstimates'.split(
        ' ',
      ),
  },
  {
    slug: 'api/chain',
    title: 'Chain: specs and results',
    summary:
      'What engine.chain takes and gives: transition matrices, balance, gaps, mixing times and conductance.',
    names:
      'ChainSpec ChainResult ChainProgress KernelSpec FlipRule BirthDeathSpec CurieWeissSpec Conductance'.split(
        ' ',
      ),
  },
  {
    slug: 'api/memory',
    title: 'Memorize and recall: specs and results',
    summary:
      'What engine.memorize and engine.recall take and give: rules, noise, margins and attractors.',
    names: (
      'MemorizeSpec MemorizeResult MemorizeProgress RuleSpec FlowOptimizerSpec NoiseSpec RecallSpec RecallResult ' +
      'RecallProgress UpdateOrder RecallPaths Attractors'
    ).split(' '),
  },
  {
    slug: 'api/patches',
    title: 'Patches: specs and results',
    summary: 'What engine.patches takes and gives, and the functions that lead back to pictures.',
    names:
      'PatchesSpec PatchesResult PatchesProgress PictureSpec PatchTransform invertPatches receptiveFields basisPatches'.split(
        ' ',
      ),
  },
];
