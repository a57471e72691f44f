import { describe, expect, it } from 'vitest';
import { backlogHandler, type Process } from '../../functions/index.js';
import { type HandlerFindingError, testBacklog } from '../../src/testing/index.js';

const START = { now: '2026-01-01T00:00:00Z' };
const backlogOf = (process: Process, more: object = {}) =>
  testBacklog({
    queues: { default: { handler: backlogHandler({ queue: 'default', process }), ...more } },
    ...START,
  });

describe.each(['onInsert', 'scheduled'] as const)(
  'a handler under test, with firstAttempt %s',
  (firstAttempt) => {
    it('changes the record that it got: the kit names what it changed, and the record succeeds once', async () => {
      const backlog = backlogOf(
        (record) => {
          const mine = record as unknown as Record<string, unknown>;
          mine.id = record.id.toLowerCase();
          mine.startedAt = 'now';
          (record.history as unknown[]).push('mine');
          delete mine.rev;
        },
        { firstAttempt },
      );
      await backlog.client.insert({ id: 'Order-7', payload: {} });
      const error = await backlog.runUntilSettled().then(
        () => undefined,
        (thrown: HandlerFindingError) => thrown,
      );
      expect(error).toMatchObject({
        name: 'HandlerFindingError',
        findings: [{ type: 'changedRecord', id: 'Order-7', queue: 'default', attempt: 1 }],
      });
      expect(error?.message).toMatch(
        /^attempt 1 of the record "Order-7" \(queue "default"\) changed "id", .*"history".*"startedAt" of the record that it got/,
      );
      expect(backlog.record('Order-7')).toMatchObject({ status: 'SUCCESS', attempts: 1 });
    });

    it('changes its payload in place, or replaces it: that is no finding, and the next attempt gets it as stored', async () => {
      const seen: unknown[] = [];
      const backlog = backlogOf(
        (record) => {
          const { items, tags, bytes } = record.payload as {
            items: number[];
            tags: Set<string>;
            bytes: Uint8Array;
          };
          seen.push([...items], [...tags], [...bytes]);
          items.sort();
          tags.clear();
          bytes.fill(9);
          (record as unknown as Record<string, unknown>).payload = 'read';
          if (seen.length === 3) throw new Error('once more');
        },
        { firstAttempt },
      );
      const payload = { items: [3, 1, 2], tags: new Set(['a']), bytes: new Uint8Array([1]) };
      await backlog.client.insert({ id: 'r', payload });
      await backlog.runUntilSettled();
      expect(seen).toEqual([[3, 1, 2], ['a'], [1], [3, 1, 2], ['a'], [1]]);
      expect(backlog.record('r').payload).toEqual(payload);
    });
  },
);

it('attemptEachTwice gives both attempts the payload as it is stored', async () => {
  const seen: string[] = [];
  const backlog = testBacklog({
    queues: {
      default: {
        process: ({ payload }) => {
          const { items } = payload as { items: number[] };
          seen.push(items.join());
          items.reverse();
        },
      },
    },
    attemptEachTwice: true,
    ...START,
  });
  await backlog.client.insert({ id: 'r', payload: { items: [1, 2] } });
  await backlog.drain();
  expect(seen).toEqual(['1,2', '1,2']);
});

it('a handler that merges "__proto__" of its payload into all objects is found', async () => {
  const merge = (into: Record<string, unknown>, from: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(from)) {
      if (typeof value === 'object') merge(into[name] as typeof into, value as typeof from);
      else into[name] = value;
    }
  };
  const backlog = backlogOf(({ payload }) => merge({}, payload as Record<string, unknown>));
  await backlog.client.insert({ id: 'r', payload: JSON.parse('{"__proto__":{"isAdmin":true}}') });
  await expect(backlog.drain()).rejects.toMatchObject({
    findings: [{ type: 'pollutedPrototype', id: 'r' }],
    message: expect.stringContaining('added "isAdmin" to Object.prototype'),
  });
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  expect(backlog.record('r').status).toBe('SUCCESS');
});
