import { createEngine } from 'unnorm';
import { drawLattice, inWords, paint } from './lattice.js';
import './style.css';

document.querySelector('#app').innerHTML = `
  <main>
    <h1>A lattice of spins</h1>
    <label>Temperature <output>2.27</output>
      <input type="range" min="1.5" max="4" step="0.01" value="2.27" />
    </label>
    <canvas role="img" aria-label="The lattice"></canvas>
    <p role="status">Starting the engine.</p>
  </main>
`;
const [slider, output, canvas, status] = ['input', 'output', 'canvas', '[role=status]'].map((one) =>
  document.querySelector(one),
);

const engine = await createEngine();
let stop = new AbortController();

async function draw() {
  // What was asked for before is no longer wanted.
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  output.textContent = slider.value;
  try {
    const result = await drawLattice(engine, Number(slider.value), { signal });
    paint(canvas, result.spins);
    status.textContent = inWords(result);
  } catch (error) {
    if (!signal.aborted) status.textContent = error.message;
  }
}

slider.addEventListener('input', draw);
draw();
