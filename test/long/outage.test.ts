import { outageTests } from '../schedules/outage.js';

outageTests(20_000, 200);
