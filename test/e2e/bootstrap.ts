import { bootstrap } from './cloud.js';

/** The setup before all tests, whose apps are deployed at the same time. */
export default bootstrap;
