import { expect, it } from 'vitest';
import type { LineTables } from '../../functions/intake/lines.js';
import type { Item } from '../../src/record/index.js';
import type { OrderSabotage } from './order-sabotage.js';
import { playOrderWorld } from './order-worlds.js';

/** `npm run test:long` plays more. */
const WORLDS = Number(process.env.ORDER_WORLDS ?? 8);
const FIRST = Number(process.env.ORDER_WORLDS_FIRST ?? 1);

it(`attempts the records of a key one after another, by their numbers, in ${WORLDS} worlds with faults`, async () => {
  for (let seed = FIRST; seed < FIRST + WORLDS; seed++)
    expect({ seed, violations: await playOrderWorld(seed) }).toEqual({ seed, violations: [] });
});

/** The tables with other lines. */
function withLines(lines: (given: LineTables['lines'], now: () => number) => Partial<LineTables['lines']>) {
  return ({ lines: given, control }: LineTables, now: () => number): LineTables => {
    const own = lines(given, now);
    const method = (name: keyof LineTables['lines']) => own[name] ?? Reflect.get(given, name);
    return {
      control,
      lines: {
        read: method('read'),
        create: method('create'),
        write: method('write'),
        remove: method('remove'),
        list: method('list'),
      } as LineTables['lines'],
    };
  };
}

/** Pages as they were a moment ago, by the store and the key. */
const pages = new Map<string, { readonly at: number; readonly item: Item | undefined }[]>();

/** A safeguard that is taken out, how, and the seed of a short world in which its absence shows. */
const SABOTAGES: readonly [string, OrderSabotage, number][] = [
  ['a claim is the only lock', { siftsNothing: true, checksNoTurn: true }, 5],
  ['runs do not look whose turn it is', { checksNoTurn: true }, 9],
  [
    'the intake starts records as they come',
    // None of them is ever attempted: two are open for as long as many.
    { siftsNothing: true, scenario: (scenario) => ({ ...scenario, records: scenario.records.slice(0, 2) }) },
    2,
  ],
  [
    'records are only held back for a moment',
    {
      holdsBackOnly: true,
      scenario: (scenario) => ({ ...scenario, rules: { ...scenario.rules, skipGapAfter: 2 } }),
    },
    5,
  ],
  [
    'an attempt that outlasts the end of its record is overlooked',
    {
      overlooksAttempts: true,
      scenario: (scenario) => ({
        ...scenario,
        records: scenario.records.map((record) => ({
          ...record,
          durationMs: 4_000,
          ends: { atMs: record.atMs + 2_000, how: 'deleted' as const },
        })),
      }),
    },
    4,
  ],
  [
    'a start that is lost is not begun again',
    {
      tables: withLines((lines) => ({
        write: (key, attributes, expected) => {
          const { head } = attributes as { head?: object | null };
          return lines.write(key, { ...attributes, ...(head && { head: { ...head, by: '' } }) }, expected);
        },
      })),
    },
    11,
  ],
  [
    'lines are written whatever they are by now',
    {
      tables: withLines((lines) => ({
        write: async (key, attributes) => {
          const rev = (await lines.read([key])).get(key)?.rev;
          return lines.write(key, attributes, rev as string | undefined);
        },
      })),
    },
    3,
  ],
  [
    'pages are read as they were a moment ago',
    {
      tables: withLines((lines, now) => ({
        read: async (keys) => {
          const items = new Map(await lines.read(keys));
          for (const key of keys.filter((one) => one.startsWith('line-page#'))) {
            const seen = pages.get(key) ?? [];
            pages.set(key, [...seen, { at: now(), item: items.get(key) }].slice(-50));
            const stale = seen.findLast(({ at }) => at <= now() - 3_000);
            if (stale?.item) items.set(key, { ...stale.item, rev: items.get(key)?.rev });
            else items.delete(key);
          }
          return items;
        },
      })),
    },
    2,
  ],
];

it.each(SABOTAGES)('notices that %s', async (_, sabotage, first) => {
  const noticed = [];
  for (let seed = first; seed < first + 300 && noticed.length === 0; seed++) {
    pages.clear();
    noticed.push(...(await playOrderWorld(seed, sabotage)));
  }
  expect(noticed).not.toEqual([]);
});
