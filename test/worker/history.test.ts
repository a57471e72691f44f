import { describe, expect, it } from 'vitest';
import {
  type BacklogRecord,
  Cancel,
  Dead,
  type HistoryEntry,
  Pending,
  Snooze,
} from '../../src/record/index.js';
import { intercepted } from '../../src/store/bounded-store.js';
import type { HistoryOptions, Process, RetryFunction } from '../../src/worker/index.js';
import { due, Harness, type RunChoices, START } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();
const SECRET = 'token=s3cr3t-42';

const leaks: Process = () => {
  throw new TypeError(`refused: ${SECRET} at the end`);
};
const hide: NonNullable<HistoryOptions['redact']> = ({ name, message, stack }) => ({
  name,
  message: message.replaceAll(/token=\S+/g, 'token=…'),
  ...(stack === undefined ? {} : { stack }),
});

async function afterOneAttempt(process: Process, choices: RunChoices = {}) {
  const harness = new Harness();
  harness.put('r');
  await harness.run(process, choices);
  const item = harness.item('r');
  return { harness, item, history: (item.history ?? []) as HistoryEntry[], warnings: harness.warnings };
}

describe('the history that a run leaves', () => {
  it('tells the whole way of a record, by one write per attempt', async () => {
    const harness = new Harness();
    harness.put('r');
    const writes: string[] = [];
    const counted = intercepted(harness.store, (name, call, [record]) => {
      if (name === 'records.settle') writes.push((record as BacklogRecord).id);
      return call();
    });
    const process: Process = async (_, { attempt }) => {
      await harness.sleep(attempt);
      if (attempt === 1) throw new TypeError('broken');
      if (attempt === 2) throw new Snooze(30, 'closed');
      if (attempt === 3) throw new RangeError('too much');
    };
    const retryFunction: RetryFunction = (error) =>
      error instanceof RangeError ? { wait: 5, queue: 'slow' } : 10;
    for (const queue of ['q', 'q', 'q', 'slow']) {
      await harness.run(process, { queue, retryFunction, store: counted });
      await harness.pass(60);
    }
    expect(writes).toEqual(['r', 'r', 'r', 'r']);
    const { history, lastError } = harness.item('r');
    expect(history).toEqual([
      { name: 'TypeError', message: 'broken', at: iso(1), attempt: 1, ms: 1000, next: iso(11) },
      { outcome: 'snoozed', message: 'closed', at: iso(63), attempt: 2, ms: 2000, next: iso(93) },
      {
        name: 'RangeError',
        message: 'too much',
        at: iso(126),
        attempt: 3,
        ms: 3000,
        next: iso(131),
        queue: 'slow',
      },
      { outcome: 'succeeded', at: iso(190), attempt: 4, ms: 4000 },
    ]);
    expect(lastError).toMatchObject({ name: 'RangeError', attempt: 3 });
  });

  it('has the stack where it is asked for, without the message', async () => {
    const plain = await afterOneAttempt(leaks);
    expect(plain.history[0]).not.toHaveProperty('stack');
    const { history, item } = await afterOneAttempt(leaks, { history: { stacks: true } });
    expect(history[0]?.stack).toMatch(/^at .*history\.test\.ts:\d+:\d+/);
    expect(history[0]?.stack).not.toContain(SECRET);
    expect(item.lastError).not.toHaveProperty('stack');
    const dead = await afterOneAttempt(() => new Dead('for good'), { history: { stacks: true } });
    expect(dead.history[0]?.stack).toMatch(/^at /);
    const timedOut = await afterOneAttempt(() => Promise.reject('text'), { history: { stacks: true } });
    expect(timedOut.history[0]).not.toHaveProperty('stack');
  });

  it('takes no longer over a message of nothing but lines', async () => {
    const lines: Process = () => {
      throw new Error(`${'\n'.repeat(300_000)}end`);
    };
    const { history } = await afterOneAttempt(lines, { history: { stacks: true } });
    expect(history[0]?.stack).toMatch(/^at .*history\.test\.ts/);
    // It took 48 s: seen as a test that hangs.
  });

  it('keeps within the bytes and entries that it is given', async () => {
    const harness = new Harness();
    harness.put('r');
    for (let i = 0; i < 20; i++) {
      await harness.run(leaks, { history: { bytes: 4000, entries: 7 } });
      await harness.pass(60);
    }
    expect(harness.item('r').history).toHaveLength(7);
    const huge: Process = () => {
      throw Object.assign(new Error('😀'.repeat(1e6)), {
        name: 'N'.repeat(1e6),
        stack: `x\n at ${'y'.repeat(1e6)}`,
      });
    };
    for (const stacks of [false, true]) {
      const { item, history } = await afterOneAttempt(huge, { history: { stacks } });
      expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThanOrEqual(stacks ? 2048 : 512);
      expect(Buffer.byteLength(JSON.stringify(item.lastError))).toBeLessThanOrEqual(600);
    }
  });
});

describe('a hook that takes out secrets', () => {
  const hook = { history: { redact: hide, stacks: true } };
  const stored = async (process: Process, choices: RunChoices = hook) =>
    JSON.stringify((await afterOneAttempt(process, choices)).item);

  it('sees every text before it is cut, and before it is kept anywhere', async () => {
    const { item, history } = await afterOneAttempt(leaks, hook);
    expect(item.lastError).toMatchObject({ name: 'TypeError', message: 'refused: token=… at the end' });
    expect(history[0]).toMatchObject({ message: 'refused: token=… at the end' });
    const cut: Process = () => {
      throw new Error(`${'x'.repeat(390)} ${SECRET}`);
    };
    expect(await stored(cut)).not.toContain('s3cr3t');
  });

  it.each<[string, Process, RunChoices]>([
    ['Dead', () => new Dead(`no: ${SECRET}`), {}],
    ['Dead with a cause', () => new Dead(`no: ${SECRET}`, { cause: new Error(SECRET) }), {}],
    ['Snooze', () => new Snooze(5, SECRET), {}],
    ['Cancel', () => new Cancel(SECRET), {}],
    ['a retry function', leaks, { retryFunction: (error) => ({ dead: error.message }) }],
  ])('sees the reason of %s, too', async (_, process, choices) => {
    expect(await stored(process, { ...choices, ...hook })).not.toContain('s3cr3t');
    expect(await stored(process, choices)).toContain('s3cr3t');
  });

  const unreadable = {
    get name() {
      throw new Error(SECRET);
    },
  };
  it.each([
    [
      'throws',
      () => {
        throw new Error(SECRET);
      },
    ],
    [
      'answers nothing, having changed what it got',
      (text: { message: string }) => void Object.assign(text, { message: SECRET }),
    ],
    ['answers a text', () => SECRET],
    ['answers a promise', async () => ({ name: 'x', message: SECRET })],
    ['answers a promise that fails', () => Promise.reject(new Error(SECRET))],
    ['answers null', () => null],
    ['answers no message', () => ({ name: SECRET })],
    ['answers what cannot be read', () => unreadable],
  ])('that %s loses no settle, and lets nothing through but names', async (_, redact) => {
    const history = { redact: redact as unknown as NonNullable<HistoryOptions['redact']>, stacks: true };
    const { harness, item, history: kept, warnings } = await afterOneAttempt(leaks, { history });
    expect(item).toMatchObject({ status: 'ERROR', failures: 1, dueAt: due(60) });
    expect(kept).toEqual([{ name: 'TypeError', message: '', at: iso(0), attempt: 1, ms: 0, next: iso(60) }]);
    expect(JSON.stringify([item, warnings, harness.failures])).not.toContain('s3cr3t');
    expect(harness.failures).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^history\.redact: /);
    for (const [process, reason] of [
      [() => new Dead(SECRET), 'Dead'],
      [() => new Cancel(SECRET), 'cancelled: '],
    ] as const) {
      const ended = await afterOneAttempt(process, { history });
      expect(ended.item).toMatchObject({ status: 'DEAD', deadReason: reason });
      expect(JSON.stringify([ended.item, ended.harness.failures])).not.toContain('s3cr3t');
    }
  });

  it('that answers something huge is cut like anything else', async () => {
    const redact = () => ({ name: 'n'.repeat(1e6), message: 'm'.repeat(1e6), stack: 's'.repeat(1e6) });
    const { history } = await afterOneAttempt(leaks, { history: { redact, stacks: true } });
    expect(Buffer.byteLength(JSON.stringify(history))).toBeLessThanOrEqual(2048);
  });

  it('is shown no stack where none is kept, and none is stored', async () => {
    const shown: unknown[] = [];
    const redact: NonNullable<HistoryOptions['redact']> = (text) => {
      shown.push(text);
      return text;
    };
    const { history } = await afterOneAttempt(leaks, { history: { redact } });
    expect(history[0]).toMatchObject({ name: 'TypeError' });
    expect([...shown, ...history].filter((text) => Object.hasOwn(text as object, 'stack'))).toEqual([]);
  });

  it('may take the stack out as well', async () => {
    const redact = ({ name }: { name: string }) => ({ name, message: 'kept elsewhere' });
    const { history } = await afterOneAttempt(leaks, { history: { redact, stacks: true } });
    expect(history[0]).not.toHaveProperty('stack');
  });
});

it('what redact takes out is not in the reason of a wait for an end from outside', async () => {
  const process: Process = () => {
    throw new Pending({ reason: `asked with ${SECRET}` });
  };
  const { item } = await afterOneAttempt(process, { history: { redact: hide } });
  expect(item.notBefore).toMatchObject({ pending: { reason: 'asked with token=…' } });
  expect(JSON.stringify(item)).not.toContain(SECRET);
});
