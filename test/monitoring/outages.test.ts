import { expect, it } from 'vitest';
import { play } from './outages.js';

it('one of two destinations that refuses everything pages once, and no more after it is back', async () => {
  const watched = await play({
    ...{ perMinute: 2, destinations: 2, minutes: 30, watched: 20 },
    how: (n) => (n % 2 === 0 ? 'dies' : 'works'),
  });
  expect(watched).toMatchObject({ falseClears: 0, pages: 1, others: [] });
  expect(watched.page).toBeLessThanOrEqual(12);
  expect(watched.clear).toBeLessThanOrEqual(11);
});
