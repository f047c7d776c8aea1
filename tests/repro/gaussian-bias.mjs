// The bias of compositional importance sampling by Gaussian approximations of both posteriors: T₁ + T₂ + T₃ of equation
// 6.27 of Grosse's thesis (2014), by dense matrices, for low rank with clustered loadings.

import { CholeskyDecomposition, EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { normals } from '../../www/lib/random-models.js';

/** ln |A| of a positive definite matrix. */
function logDeterminant(cholesky) {
  const factor = cholesky.lowerTriangularMatrix;
  let sum = 0;
  for (let k = 0; k < factor.rows; k++) sum += 2 * Math.log(factor.get(k, k));
  return sum;
}

/** An orthonormal basis of the null space of V, as rows. */
function nullSpaceOf(v) {
  const vt = v.transpose();
  const projection = vt.mmul(inverse(v.mmul(vt))).mmul(v);
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(projection, {
    assumeSymmetric: true,
  });
  const inside = realEigenvalues.flatMap((value, at) => (value < 0.5 ? [at] : []));
  return eigenvectorMatrix.subMatrixColumn(inside).transpose();
}

const kronecker = (a, b) => a.kroneckerProduct(b);

/** Without the rounding by which a symmetric matrix is not. */
const symmetric = (a) => Matrix.add(a, a.transpose()).mul(0.5);

/** Columns stacked. */
const vec = (a) => Matrix.columnVector(a.transpose().to1DArray());

/** U, V and Y of the model of section 6.2.1: signal variance 1, noise 1/λ, total variance γ times that within clusters. */
function simulate({ numRows, numCols, numFactors, numClusters, lambda, gamma, seed }) {
  const normal = normals(seed);
  const matrix = (rows, cols, sd) =>
    new Matrix(
      Array.from({ length: rows }, () => Array.from({ length: cols }, () => sd * normal())),
    );
  const within = 1 / (gamma * numFactors);
  const u = matrix(numRows, numFactors, 1);
  const centres = matrix(numFactors, numClusters, Math.sqrt((gamma - 1) * within));
  // Clusters of equal sizes, or nearly so.
  const members = new Matrix(
    Array.from({ length: numCols }, (_, j) =>
      Array.from({ length: numClusters }, (_, k) => (j % numClusters === k ? 1 : 0)),
    ),
  );
  const v = centres.mmul(members.transpose()).add(matrix(numFactors, numCols, Math.sqrt(within)));
  const y = u.mmul(v).add(matrix(numRows, numCols, Math.sqrt(1 / lambda)));
  return { u, v, y, members };
}

/** T₁, T₂, T₃, their sum, and the bound 3D tr Λ / 2λN of equation 6.28, in nats. */
export function gaussianBias(set) {
  const { numRows, numCols, numFactors, lambda, gamma } = set;
  const { u, v, y, members } = simulate(set);
  const within = gamma * numFactors;
  const identity = (order) => Matrix.eye(order);
  // (6.20) and (6.26).
  const s = inverse(
    members
      .mmul(members.transpose())
      .mul(gamma - 1)
      .add(identity(numCols)),
  );
  const q = nullSpaceOf(v);
  const width = q.rows;
  const residuals = u.mmul(v).sub(y).mmul(q.transpose());
  const ofRows = inverse(v.mmul(v.transpose()).mul(lambda).add(identity(numFactors)));
  const evidence = kronecker(identity(width), u.transpose().mmul(u).mul(lambda));
  const priorOfQ = kronecker(identity(width), inverse(v.mmul(v.transpose())).mul(numCols));
  const priorOfP = kronecker(q.mmul(s).mmul(q.transpose()), identity(numFactors).mul(within));
  const explained = kronecker(
    residuals
      .transpose()
      .mmul(residuals)
      .mul(lambda * lambda),
    ofRows,
  );
  const shift = vec(
    ofRows
      .mmul(v)
      .mmul(y.transpose())
      .mmul(residuals)
      .mul(lambda * lambda),
  );
  const pull = vec(v.mmul(s).mmul(q.transpose()).mul(-within));

  const precisionOf = (prior) => symmetric(Matrix.add(evidence, prior).sub(explained));
  const ofQ = new CholeskyDecomposition(precisionOf(priorOfQ));
  const precisionOfP = precisionOf(priorOfP);
  const ofP = new CholeskyDecomposition(precisionOfP);
  const volumes = 0.5 * (logDeterminant(ofQ) - logDeterminant(ofP));
  const variances = 0.5 * ofQ.solve(Matrix.sub(priorOfP, priorOfQ)).trace();
  const apart = ofP.solve(Matrix.sub(pull, shift)).sub(ofQ.solve(Matrix.mul(shift, -1)));
  const means = 0.5 * apart.transpose().mmul(precisionOfP).mmul(apart).get(0, 0);
  const trace = within * numFactors;
  return {
    volumes,
    variances,
    means,
    bias: volumes + variances + means,
    bound: (3 * numCols * trace) / (2 * lambda * numRows),
  };
}
