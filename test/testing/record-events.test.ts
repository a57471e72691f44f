import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ticketFor } from '../../examples/record-events/subscriber.js';
import { Dead, Done } from '../../src/index.js';
import { testBacklog } from '../../src/testing/index.js';

const detailSchema = z.fromJSONSchema(JSON.parse(readFileSync('docs/record-event.schema.json', 'utf8')));

/** A backlog in which records end as their payloads say. */
function backlogWith() {
  const process = ({ payload }: { readonly payload: unknown }) => {
    if (String(payload).startsWith('refuse')) throw new Dead('no such customer');
    if (payload === 'fail') throw new Error('HTTP 503: try later');
    return new Done({ result: { number: 7 } });
  };
  const retry = { type: 'constant', interval: '1m', maxAttempts: 2 } as const;
  const backlog = testBacklog({ queues: { orders: { process, retry } }, now: '2026-11-20T09:30:00Z' });
  const put = (id: string, payload: string) => backlog.insert({ id, queue: 'orders', payload });
  return { backlog, put };
}

describe('the event of the end of a record', () => {
  it('is none before the end', async () => {
    const { backlog, put } = backlogWith();
    await put('a', 'fail');
    expect(backlog.recordEvent('a')).toBeUndefined();
    await backlog.drain();
    expect(backlog.recordEvent('a')).toBeUndefined();
    expect(() => backlog.recordEvent('b')).toThrow('no record "b"');
  });

  it('names each kind of end', async () => {
    const { backlog, put } = backlogWith();
    await put('done', 'work');
    await put('refused', 'refuse');
    await put('failed', 'fail');
    await put('withdrawn', 'fail');
    await backlog.drain();
    await backlog.client.cancel('withdrawn', { reason: 'by phone' });
    await backlog.runUntilSettled();
    const events = ['done', 'refused', 'failed', 'withdrawn'].map((id) => backlog.recordEvent(id));
    expect(events).toMatchObject([
      { id: 'done', end: 'succeeded', attempts: 1, queue: 'orders', table: 'test-records' },
      { id: 'refused', end: 'dead', reason: 'refused', attempts: 1 },
      {
        id: 'failed',
        end: 'dead',
        reason: 'maxAttempts',
        attempts: 2,
        error: { name: 'Error', status: 503 },
      },
      { id: 'withdrawn', end: 'cancelled', reason: 'cancelled', attempts: 1 },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/no such customer|try later|by phone/);
    for (const event of events) expect(detailSchema.parse(event)).toEqual(event);
    expect(backlog.recordEvent('done', ['payload', 'result'])).toMatchObject({
      payload: 'work',
      result: { number: 7 },
    });
    expect(backlog.recordEvent('refused', ['texts'])).toMatchObject({ deadReason: 'no such customer' });
  });

  it('names the same end after an edit, and another one after the next death', async () => {
    const { backlog, put } = backlogWith();
    await put('a', 'refuse');
    await backlog.drain();
    const nameOf = () => {
      const { id, end, endedAt, rev } = backlog.recordEvent('a') ?? {};
      return { name: [id, end, endedAt], rev };
    };
    const first = nameOf();
    await backlog.advance('1m');
    await backlog.operator.editPayload(['a'], { payload: 'refuse again' });
    await backlog.operator.changePolicy(['a'], { retry: { type: 'none' } });
    expect(nameOf().name).toEqual(first.name);
    expect(nameOf().rev).not.toEqual(first.rev);
    await backlog.operator.redrive(['a']);
    expect(backlog.recordEvent('a')).toBeUndefined();
    await backlog.drain();
    const second = nameOf();
    expect(second.name).not.toEqual(first.name);
    // A discard of what was dead already has an event, too: its work is not wanted any more.
    await backlog.operator.discard(['a']);
    expect(nameOf().name).toEqual(['a', 'cancelled', second.name[2]]);
  });

  it('is one of a record that others have set to DEAD, once it is among the dead', async () => {
    const { backlog } = backlogWith();
    const byHand = { queue: 'orders', status: 'DEAD', payload: 'work' };
    await backlog.insert({ ...byHand, id: 'put' });
    const waited = { lane: 'orders', dueAt: '2026-11-20T09:00:00.000Z', rev: 'x' };
    await backlog.insert({ ...byHand, ...waited, id: 'set', lastAttemptAt: '2026-11-20T08:00:00.000Z' });
    expect(backlog.recordEvent('set')).toBeUndefined();
    await backlog.drain();
    const events = () => ['put', 'set'].map((id) => backlog.recordEvent(id));
    const first = events();
    expect(first).toMatchObject([
      { end: 'dead', endedAt: '2026-11-20T09:30:00.000Z' },
      { end: 'dead', endedAt: '2026-11-20T09:30:00.000Z' },
    ]);
    await backlog.advance('2d');
    expect(events()).toEqual(first);
  });

  it('has one of a group, once its members have ended, and the record of its end has its own', async () => {
    const { backlog } = backlogWith();
    const onComplete = { queue: 'orders', payload: { to: 'sales' } };
    const members = [
      { id: 'a', queue: 'orders', payload: 'work' },
      { id: 'b', queue: 'orders', payload: 'fail' },
    ];
    await backlog.groups.insert('import', members, { onComplete });
    await backlog.drain();
    expect(backlog.groupEvent('import')).toBeUndefined();
    await backlog.runUntilSettled();
    const event = backlog.groupEvent('import');
    expect(event).toMatchObject({
      ...{ id: 'import', queue: 'orders', complete: true, createdAt: '2026-11-20T09:30:00.000Z' },
      ...{ members: 2, succeeded: 1, dead: 1 },
    });
    const schema = z.fromJSONSchema(JSON.parse(readFileSync('docs/group-event.schema.json', 'utf8')));
    expect(schema.parse(event)).toEqual(event);
    expect(Date.parse(event?.endedAt ?? '')).toBeLessThan(backlog.now.getTime());
    expect(backlog.recordEvent('import')).toMatchObject({ end: 'succeeded' });
    expect(backlog.groupEvent('a')).toBeUndefined();
    expect(() => backlog.groupEvent('none')).toThrow('no record "none"');
  });

  it('makes the ticket of the example, the same whenever it comes again', async () => {
    const { backlog, put } = backlogWith();
    await put('order-7', 'refuse');
    await backlog.drain();
    const detail = backlog.recordEvent('order-7');
    if (!detail) throw new Error('it has not ended');
    expect(ticketFor(detail)).toEqual({
      id: `order-7 dead ${detail.endedAt}`,
      order: 'order-7',
      reason: 'refused',
      error: detail.error?.name,
    });
  });
});
