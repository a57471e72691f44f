import { loadLimits } from '../src/worker/index.js';

// The code of limits. Runs load it in real time, when they need it: on virtual time, that must have been before.
await loadLimits();
