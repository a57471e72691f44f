import { raceStores } from './race-stores.js';
import { operatorRaces } from './races.js';

for (const [name, current] of raceStores()) operatorRaces(name, current);
