import { describe, expect, it } from 'vitest';
import type { Process } from '../../src/worker/index.js';
import { Harness, START, YOUNG } from './harness.js';

const FIBONACCI = { type: 'fibonacci', jitter: 'none' } as const;
const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

/** Runs at every tick; returns by id in which tick a record was first attempted, from 0. */
async function firstTurns(
  harness: Harness,
  ticks: number,
  tickSeconds: number,
  run: (process: Process) => Promise<unknown>,
) {
  const turns = new Map<string, number>();
  for (let tick = 0; tick < ticks; tick++) {
    await run((record) => {
      if (!turns.has(record.id)) turns.set(record.id, tick);
      if (record.id.startsWith('bad')) throw new Error('as always');
    });
    await harness.pass(tickSeconds);
  }
  return turns;
}

function pile(harness: Harness, insertedAt: string): void {
  for (let i = 0; i < 200; i++) harness.put(`bad-${i}`, { insertedAt });
}

describe.each([
  ['per-record retries', 60, { retry: FIBONACCI }],
  ['the progressive schedule', 300, { band: YOUNG }],
])('200 records that always fail, under %s', (_, tickSeconds, choices) => {
  it('delay no good record, older or newer, at default limits', async () => {
    const harness = new Harness();
    harness.put('older', { insertedAt: iso(-7200) });
    pile(harness, iso(-3600));
    harness.put('newer', { insertedAt: iso(-10) });
    const turns = await firstTurns(harness, 1, tickSeconds, (process) => harness.run(process, choices));
    expect([turns.get('older'), turns.get('newer'), turns.size]).toEqual([0, 0, 202]);
  });

  it('let none wait longer than the pile divided by maxRecords', async () => {
    const harness = new Harness();
    harness.put('older', { insertedAt: iso(-7200) });
    pile(harness, iso(-3600));
    harness.put('newer', { insertedAt: iso(-10) });
    const turns = await firstTurns(harness, 4, tickSeconds, (process) =>
      harness.run(process, { ...choices, maxRecords: 100 }),
    );
    expect(turns.size).toBe(202);
    expect(Math.max(...turns.values())).toBeLessThanOrEqual(Math.ceil(202 / 100) - 1);
  });

  it('and a stream of new ones starves no record', async () => {
    const harness = new Harness();
    pile(harness, iso(-3600));
    let arrived = 0;
    const arrive = () => {
      for (let i = 0; i < 80; i++) harness.put(`new-${arrived++}`);
    };
    const turns = await firstTurns(harness, 16, tickSeconds, (process) => {
      arrive();
      return harness.run(process, { ...choices, maxRecords: 100 });
    });
    const piled = [...turns.keys()].filter((id) => id.startsWith('bad'));
    expect(piled).toHaveLength(200);
  });
});

describe('a progressive run that ends at its limit', () => {
  it('goes on where the last one stopped, and attempts what has come since first', async () => {
    const harness = new Harness();
    for (let i = 0; i < 10; i++) harness.put(`r${i}`, { insertedAt: iso(-1000 + i) });
    const orders: string[][] = [];
    for (let tick = 0; tick < 4; tick++) {
      if (tick === 1) harness.put('new');
      const order: string[] = [];
      await harness.run(
        (record) => {
          order.push(record.id);
          throw new Error('as always');
        },
        { band: YOUNG, maxRecords: 4 },
      );
      orders.push(order);
      await harness.pass(300);
    }
    expect(orders).toEqual([
      ['r9', 'r8', 'r7', 'r6'],
      ['new', 'r5', 'r4', 'r3'],
      ['r2', 'r1', 'r0', 'new'],
      ['r9', 'r8', 'r7', 'r6'],
    ]);
  });
});
