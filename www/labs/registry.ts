/**
 * The labs of the site, in the order of the navigation. To add one: make a folder of that name beside this file with
 * a `Lab.svelte` and a `Preview.svelte` in it, and write its line here. Plain data only: the build reads this too. The texts
 * are translated where they are shown.
 */
/** What one does to an energy, in the order of the navigation. */
export const VERBS = ['fit', 'sample', 'normalize', 'memorize'] as const;

export type Verb = (typeof VERBS)[number];

/** The headings of the labs' menu. */
export const VERB_NAMES: Readonly<Record<Verb, string>> = {
  fit: 'Fit',
  sample: 'Sample',
  normalize: 'Normalize',
  memorize: 'Memorize',
};

/** What one asks of a model, in the order of the landing page, which groups the labs by them. */
export const QUESTIONS = {
  belief: 'What does a model believe?',
  learning: 'How does one learn without Z?',
  mixing: 'Does the chain mix?',
  constant: 'How large is Z? Can one trust it?',
  choice: 'Which model, which structure?',
} as const;

export type Question = keyof typeof QUESTIONS;

export interface LabEntry {
  /** The folder of the lab, and its address: `labs/<slug>/`. */
  slug: string;
  title: string;
  /** What one does to an energy in the lab. */
  verb: Verb;
  /** What the lab helps to answer: its group on the landing page. */
  question: Question;
  /** What one asks there, in one short question: the first line of the lab. */
  asks: string;
  /** One sentence for its card, at most 80 characters. */
  line: string;
  /** Two plain sentences on what one will see. */
  summary: string;
}

export const labs: readonly LabEntry[] = [
  {
    slug: 'ising-learn',
    title: 'Ising: learn',
    asks: 'Can couplings be read off samples?',
    verb: 'fit',
    question: 'learning',
    line: 'The couplings of a spin glass emerge from its samples.',
    summary:
      'Watch the couplings of a 10×10 spin glass emerge from 20,000 of its samples, next to the couplings they were drawn from. Or drop in a file of your own, of 0 and 1 or of −1 and 1.',
  },
  {
    slug: 'flow',
    title: 'Flow',
    asks: 'Where does probability go if the model is wrong?',
    verb: 'fit',
    question: 'learning',
    line: 'Probability flows from the data to the model, and a fit stops it.',
    summary:
      'What minimum probability flow is: probability put on the data flows to the model, and a fit makes it set out as slowly as it can. Watch it among the states of a few spins, then fit, and see it stop.',
  },
  {
    slug: 'ising-race',
    title: 'Ising: race',
    asks: 'Which method finds the couplings first?',
    verb: 'fit',
    question: 'learning',
    line: 'Six ways to learn the same couplings, each against its own clock.',
    summary:
      'Six ways to learn the couplings of the same 10×10 spin glass from the same samples, each against its own clock. See which comes closest to the truth, and how soon.',
  },
  {
    slug: 'fit-energy',
    title: 'Fit an energy',
    asks: 'Which parameters made the data, and how sure is that?',
    verb: 'fit',
    question: 'learning',
    line: 'Type an energy, and get every parameter with its error.',
    summary:
      'Type an energy with parameters of your own, drop a table or take one of the data sets here, and get every parameter with its error. Then see whether the errors hold: a hundred fits more, and how many of their intervals hold the truth.',
  },
  {
    slug: 'network',
    title: 'Network',
    asks: 'Which columns of a table depend on which?',
    verb: 'fit',
    question: 'choice',
    line: 'Which columns of a table depend on which, given all others?',
    summary:
      'Drop a table of yes and no, answers, symptoms or spikes, and see which columns depend on which given all others: a network with an interval on every edge. Or take rows drawn from a network that is known, and see what is found, missed and false.',
  },
  {
    slug: 'contacts',
    title: 'Contacts',
    asks: 'Which sites touch, told by sequences alone?',
    verb: 'fit',
    question: 'choice',
    line: 'Sequences tell how the chain is folded that they come from.',
    summary:
      'Sequences of letters are drawn from a folded chain, and a model of all pairs of sites learns from them which sites touch; beside it mutual information, which looks at one pair at a time. Or drop a protein family of your own.',
  },
  {
    slug: 'number-sequences',
    title: 'Number sequences',
    asks: 'Which rule made these numbers?',
    verb: 'fit',
    question: 'choice',
    line: 'Type a few numbers, and see what rule explains them.',
    summary:
      'Type a few numbers and see them explained, step by step, as running totals, squares or primes of simpler ones. Each step explains what the last one left, and the bits that are left say whether it was worth it.',
  },
  {
    slug: 'kernel-search',
    title: 'Kernel search',
    asks: 'What is a series made of, and how does it go on?',
    verb: 'fit',
    question: 'choice',
    line: 'A search takes a series apart into trend, seasons and the rest.',
    summary:
      'Drop a series, or take one here: a search over kernels takes it apart into trend, seasons and the rest, and continues it, anew at every level. Hide the last third, and see how well it was predicted.',
  },
  {
    slug: 'structure-search',
    title: 'Structure search',
    asks: 'What is a table made of?',
    verb: 'fit',
    question: 'choice',
    line: 'Is a table made of clusters, factors, walks or nothing?',
    summary:
      'Drop a table, or take one here, and watch a search over products of simple matrices tell what it is made of: clusters, factors, walks or nothing. Turn up the noise, and see the answer become simpler.',
  },
  {
    slug: 'natural-gradient',
    title: 'Natural gradient',
    asks: 'Why is the steepest way down so slow?',
    verb: 'fit',
    question: 'learning',
    line: 'Two descents into one valley: the steepest, and the natural one.',
    summary:
      'Two descents on the same badly scaled valley: down the steepest gradient, and down the natural one. Drag the start, and see which goes straight to the truth, and why.',
  },
  {
    slug: 'digits-rbm',
    title: 'Digits: RBM',
    asks: 'What does a machine learn that is only shown digits?',
    verb: 'fit',
    question: 'learning',
    line: 'A machine learns handwritten digits, stroke by stroke.',
    summary:
      'Train a restricted Boltzmann machine on 8,000 handwritten digits and watch its filters turn from noise into strokes of a pen. See what it draws by itself, how well it restores digits it has not seen, and how probable it finds them.',
  },
  {
    slug: 'score-field',
    title: 'Score field',
    asks: 'Can a model be learned from its slopes alone?',
    verb: 'fit',
    question: 'learning',
    line: 'Draw points, and a network learns where their energy falls.',
    summary:
      'Draw points on the plane, or choose a shape, and a small network learns their energy from where it falls: the score. Watch the arrows turn to the data, let particles flow down them, and put two learned energies together with and, or.',
  },
  {
    slug: 'pictures',
    title: 'Pictures',
    asks: 'What are natural pictures made of?',
    verb: 'fit',
    question: 'learning',
    line: 'Filters that start as noise turn into edges and bars.',
    summary:
      'Drop photographs, or take those here: small patches are cut from them and whitened, and a model that starts as noise learns what is in them. Watch its filters turn into edges and bars, and see how much more it knows of patches than a Gaussian does.',
  },
  {
    slug: 'model-contest',
    title: 'Model contest',
    asks: 'Which model explains pieces of pictures best?',
    verb: 'fit',
    question: 'choice',
    line: 'Up to twelve models of the same photographs: who is ahead?',
    summary:
      'Up to twelve models learn the same patches of photographs, yours if you like, and are compared by how probable they find patches they have not seen. See the intervals shrink as annealing goes on, and read who is ahead, and who only seems to be.',
  },
  {
    slug: 'topics-and-taste',
    title: 'Topics and taste',
    asks: 'What are texts about, and what would you like?',
    verb: 'fit',
    question: 'belief',
    line: 'Rate ten films, and a machine tells what you would give the rest.',
    summary:
      'Rate ten films that nobody has made, and a machine that learned from 3,000 made-up people tells what you would give to the rest, beside the exact answer. Or let it find out what the pages of this site are about, and type a text of your own.',
  },
  {
    slug: 'lattice',
    title: 'Lattice',
    asks: 'When does a magnet lose its order?',
    verb: 'sample',
    question: 'mixing',
    line: 'Heat a quarter of a million spins through their transition.',
    summary:
      'A quarter of a million spins that like to agree with their neighbours, at any temperature, by single spins or by clusters. Heat them through the transition, and see the measured energy and magnetization fall on the exact curves.',
  },
  {
    slug: 'mixing',
    title: 'Mixing',
    asks: 'How long until a chain forgets where it began?',
    verb: 'sample',
    question: 'mixing',
    line: 'Watch a chain forget where it began, or get stuck in a bottleneck.',
    summary:
      'A Markov chain of a few states, begun in one of them: watch its distribution become the stationary one, or never. See the bottleneck that holds it up, change any probability, and compute how mixing slows down with size on both sides of a phase transition.',
  },
  {
    slug: 'restore',
    title: 'Restore',
    asks: 'What was the picture before the noise?',
    verb: 'sample',
    question: 'belief',
    line: 'Three answers restore a noisy picture, one of them exact.',
    summary:
      'A picture with some of its pixels flipped, and an energy that says neighbours rather agree: see three answers restore it, one of them exact, and paint holes for them to fill. Or erase half of a handwritten digit, and see a machine complete it in forty ways.',
  },
  {
    slug: 'sampler-playground',
    title: 'Sampler playground',
    asks: 'Which sampler gets around fastest?',
    verb: 'sample',
    question: 'mixing',
    line: 'Three samplers side by side on a density you choose or type.',
    summary:
      'Up to three samplers side by side on the same density, step by step or at full speed, with a thousand chains if you like. Choose a target or type a formula, and see every proposal, rejection and energy error.',
  },
  {
    slug: 'annealing',
    title: 'Annealing',
    asks: 'Which way from one distribution to another costs least?',
    verb: 'normalize',
    question: 'constant',
    line: 'Drag two Gaussians apart, and see which path between them holds.',
    summary:
      'Particles flow from one Gaussian to another, far away, along two different paths, and their weights tell the constant Z. Drag the two Gaussians and the schedule, and see which path needs how many distributions on the way before its estimate closes on the truth.',
  },
  {
    slug: 'surprises',
    title: 'Surprises',
    asks: 'Can an estimate be calm and far off?',
    verb: 'normalize',
    question: 'constant',
    line: 'An estimate that is calm and wrong, and what gives it away.',
    summary:
      'An estimate that is calm, and wrong: annealing loses one of two explanations on its way, and nothing warns. See it die out and come back when no chain can cross any more, and what tells.',
  },
  {
    slug: 'digits-log-z',
    title: 'Digits: log Z',
    asks: 'How likely is a digit under a machine that learned digits?',
    verb: 'normalize',
    question: 'constant',
    line: 'Noise turns into digits along two paths, towards the exact log Z.',
    summary:
      'A small machine that knows digits, and chains that are annealed to it along two paths: geometric averages, and averages of moments. See noise turn into digits along both, and how near either comes to the exact log Z.',
  },
  {
    slug: 'partition-function',
    title: 'Partition function',
    asks: 'How large is Z, and how sure is that?',
    verb: 'normalize',
    question: 'constant',
    line: 'Chains there and back close on log Z from both sides.',
    summary:
      'How large is Z, the sum over all states that nobody can add up? Watch chains that go to the model and chains that come back from it sandwich its logarithm, with bounds that hold, until the gap is as small as you want.',
  },
  {
    slug: 'evidence-race',
    title: 'Evidence race',
    asks: 'Which estimate of the evidence can one believe?',
    verb: 'normalize',
    question: 'constant',
    line: 'Eleven estimators race to a truth that is certified.',
    summary:
      'How probable is a table of numbers under a model with hidden variables? Eleven estimators race to a truth that is certified: watch it close in from both sides, see who is near, who is calm and wrong, and which model made the data. Or drop in a table of your own.',
  },
  {
    slug: 'memory',
    title: 'Memory',
    asks: 'How many patterns can a network remember?',
    verb: 'memorize',
    question: 'belief',
    line: 'Spoil a stored picture, and watch it come back, or go astray.',
    summary:
      'A network that stores pictures as minima of its energy, and finds them again by going down it. Draw, type letters or drop a picture, spoil it with the pointer, and watch it come back, bit by bit, or go astray.',
  },
];
