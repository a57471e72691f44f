import { expect, it } from 'vitest';
import { toIso } from '../../src/support/clock.js';
import { seededRandom } from '../simulation/random.js';
import { type RecurringSabotage, recurringViolations } from '../simulation/recurring-worlds.js';
import { replacing } from '../simulation/replacing.js';

const HUNDREDS = [100, 200, 300];

it.each(HUNDREDS)('each occurrence has its record, whatever goes wrong: worlds from %i on', async (first) => {
  for (let seed = first; seed < first + 8; seed++)
    expect([seed, await recurringViolations(seed)]).toEqual([seed, []]);
});

const forgetful: RecurringSabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          // The schedule comes again after its latest attempt, and not behind what was inserted.
          settle: (record, change, rev) => {
            const { set } = change;
            const later = set.status === 'ERROR' ? { availableAt: toIso(Date.parse(set.dueAt ?? '')) } : {};
            return store.records.settle(record, { ...change, set: { ...set, ...later } }, rev);
          },
        },
      },
      store,
    ),
};
const random = seededRandom(1);
const unheard: RecurringSabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          // An insertion that failed counts as made.
          insert: (item) =>
            item.queue === 'work' && random() < 0.1
              ? Promise.resolve('inserted' as const)
              : store.records.insert(item),
        },
      },
      store,
    ),
};
const unfenced: RecurringSabotage = {
  store: (store) =>
    replacing(
      {
        records: {
          // A change counts as written.
          change: async () => 'settled',
        },
      },
      store,
    ),
};

it.each([
  ['what was done is forgotten at a failure', forgetful],
  ['a failed insertion counts as made', unheard],
  ['a change of an application is dropped', unfenced],
])('a world in which %s is noticed', async (_, sabotage) => {
  const found: string[] = [];
  for (let seed = 1; found.length === 0 && seed <= 40; seed++)
    found.push(...(await recurringViolations(seed, sabotage)));
  expect(found.length).toBeGreaterThan(0);
});
