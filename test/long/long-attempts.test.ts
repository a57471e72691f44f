import { expect, it } from 'vitest';
import { playLongAttempts } from '../simulation/long-attempt-worlds.js';

it('60 more worlds of long attempts have none attempted twice at once', async () => {
  const { violations } = await playLongAttempts(Number(process.env.SIMULATION_WORLDS ?? 60), {}, 1_000);
  expect(violations).toEqual([]);
});
