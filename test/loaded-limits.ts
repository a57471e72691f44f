import { loadLimits } from '../src/worker/index.js';

// Runs load the code of limits when they need it, in real time: on virtual time, that must have been before.
await loadLimits();
