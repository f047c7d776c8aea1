import { useEffect, useState } from 'react';
import { createEngine } from 'unnorm';

/** An engine that lives as long as the component: null until it has started. */
export function useEngine() {
  const [state, setState] = useState({ engine: null, error: null });
  useEffect(() => {
    let mounted = true;
    const starting = createEngine();
    starting.then(
      (engine) => mounted && setState({ engine, error: null }),
      (error) => mounted && setState({ engine: null, error }),
    );
    return () => {
      mounted = false;
      setState({ engine: null, error: null });
      starting.then(
        (engine) => engine.close(),
        () => {},
      );
    };
  }, []);
  return state;
}
