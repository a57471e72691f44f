import { expect, it } from 'vitest';
import { noteStates } from '../../src/groups/note-states.js';
import { playGroupWorld, type Sabotage } from './group-worlds.js';

/** `npm run test:long` plays more. */
const WORLDS = Number(process.env.GROUP_WORLDS ?? 40);
const FIRST = Number(process.env.GROUP_WORLDS_FIRST ?? 1);

it(`ends once, and rightly, in ${WORLDS} worlds with faults`, async () => {
  for (let seed = FIRST; seed < FIRST + WORLDS; seed++)
    expect({ seed, violations: await playGroupWorld(seed) }).toEqual({ seed, violations: [] });
});

const SABOTAGES: readonly [string, Sabotage][] = [
  ['members that were given up are not read again before the end', { trustsGivenUp: true }],
  [
    'writes do not look whether an item is as it was read',
    {
      groups: (groups) => ({
        ...groups,
        write: async (key, attributes) => {
          const rev = (await groups.read([key])).get(key)?.rev;
          return groups.write(key, attributes, rev as string | undefined);
        },
      }),
    },
  ],
  [
    'a group ends before it is sealed',
    {
      groups: (groups) => ({
        ...groups,
        read: async (keys) =>
          new Map([...(await groups.read(keys))].map(([key, item]) => [key, { ...item, sealed: true }])),
      }),
    },
  ],
  [
    'a page counts while its members are inserted',
    {
      groups: (groups) => ({
        ...groups,
        read: async (keys) =>
          new Map([...(await groups.read(keys))].map(([key, item]) => [key, { ...item, until: 0 }])),
      }),
    },
  ],
  [
    'of several changes of a page, only the first counts',
    { noteStates: (changes, deps) => noteStates(changes.slice(0, 1), deps) },
  ],
  [
    'a redrive is not counted',
    {
      noteStates: (changes, deps) =>
        noteStates(
          changes.filter(({ state }) => state !== 'waiting'),
          deps,
        ),
      trustsGivenUp: true,
    },
  ],
];

it.each(SABOTAGES)('notices that %s', async (_, sabotage) => {
  const noticed = [];
  for (let seed = 1; seed <= 400 && noticed.length === 0; seed++)
    noticed.push(...(await playGroupWorld(seed, sabotage)));
  expect(noticed).not.toEqual([]);
});
