import { bootstrap } from './cloud.js';

/** Before all tests: their apps are deployed at the same time. */
export default bootstrap;
