import { outageTests } from './outage.js';

outageTests(3_000, 30);
