import { expect, it } from 'vitest';
import { play } from '../../tools/src/lab/keys/play.js';
import { reportOf } from '../../tools/src/lab/keys/report.js';
import { seededRandom } from '../simulation/random.js';
import { BY_NUMBER } from './by-number.js';

const CAPACITY = 100;

it('in the load model, quiet keys alone have their first attempts at once, and every record succeeds', async () => {
  const workload = BY_NUMBER.W1?.({ scale: 0.01, capacity: CAPACITY, random: seededRandom(1) });
  if (!workload) throw new Error('there is no such workload');
  const alone = reportOf([await play({ ...workload, noise: [] })]);
  expect(alone.quiet.max).toBeLessThan(0.3);
  const disturbed = await play(workload);
  expect(disturbed.attempts.succeeded).toBe(disturbed.attempts.puts.size);
  expect(reportOf([disturbed]).noisy.records).toBe(1_000);
});
