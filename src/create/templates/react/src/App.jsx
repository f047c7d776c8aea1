import { useEffect, useRef, useState } from 'react';
import { drawLattice, inWords, paint } from './lattice.js';
import { useEngine } from './use-engine.js';

export function App() {
  const { engine, error } = useEngine();
  const [temperature, setTemperature] = useState(2.27);
  const [words, setWords] = useState('Starting the engine.');
  const canvas = useRef(null);

  useEffect(() => {
    if (!engine) return;
    // What was asked for before is no longer wanted.
    const stop = new AbortController();
    const { signal } = stop;
    drawLattice(engine, temperature, { signal }).then(
      (result) => {
        if (signal.aborted) return;
        paint(canvas.current, result.spins);
        setWords(inWords(result));
      },
      (reason) => signal.aborted || reason.code === 'closed' || setWords(reason.message),
    );
    return () => stop.abort();
  }, [engine, temperature]);

  return (
    <main>
      <h1>A lattice of spins</h1>
      <label>
        Temperature <output>{temperature}</output>
        <input
          type="range"
          min="1.5"
          max="4"
          step="0.01"
          value={temperature}
          onChange={({ target }) => setTemperature(target.valueAsNumber)}
        />
      </label>
      <canvas ref={canvas} role="img" aria-label="The lattice" />
      <p role="status">{error ? error.message : words}</p>
    </main>
  );
}
