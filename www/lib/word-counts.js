/** Documents as counts of words. Plain JavaScript: the tests run it in Node, and the lab shows it as code. */

/**
 * How often each word stands in each document, [documents, words].
 * @param {readonly (readonly number[])[]} documents Each the numbers of its words.
 * @param {number} numWords
 */
export function countsOf(documents, numWords) {
  const counts = new Float64Array(documents.length * numWords);
  documents.forEach((document, row) => {
    for (const word of document) {
      const place = row * numWords + word;
      counts[place] = (counts[place] ?? 0) + 1;
    }
  });
  return counts;
}

/**
 * How frequent each word is over all documents, with half a word more of each so that none is 0.
 * @param {readonly (readonly number[])[]} documents
 * @param {number} numWords
 */
export function wordShares(documents, numWords) {
  const counts = new Array(numWords).fill(0.5);
  for (const document of documents) for (const word of document) counts[word]++;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / total);
}

/**
 * Where the biases of the words start: the logarithms of those, rounded so that they are the same everywhere.
 * @param {readonly (readonly number[])[]} documents
 * @param {number} numWords
 */
export function startingWordBiases(documents, numWords) {
  return Float64Array.from(wordShares(documents, numWords), (share) => {
    return Math.round(1024 * Math.log(share)) / 1024;
  });
}
