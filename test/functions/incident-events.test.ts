import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { eventBus } from '../../functions/events/event-bus.js';
import { putOn } from '../../functions/monitor/incident-events.js';
import { monitorHandler } from '../../functions/monitor/monitor-handler.js';
import type { QueuesSettings } from '../../functions/settings.js';
import type { IncidentEvent } from '../../src/overview/incident-events.js';
import { StoreUnavailableError } from '../../src/store/index.js';
import { context, environment, workbench } from './support.js';

const queues: QueuesSettings = { orders: { retryMode: 'perRecord' }, bulk: { retryMode: 'perRecord' } };
const detailOf = z.fromJSONSchema(JSON.parse(readFileSync('docs/incident-event.schema.json', 'utf8')));
const RUNBOOK = 'https://wiki.example.com/backlog#failures';

/** A monitor with a bus, and what the bus was asked to take. */
function monitored(
  variables: Record<string, string> = { BACKLOG_INCIDENT_BUS: 'bus', BACKLOG_RUNBOOK_URL: RUNBOOK },
) {
  const { overrides, insert, log } = workbench(queues);
  const { store, clock, logger } = overrides;
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const bus = { events: [] as IncidentEvent[], takes: 'all' as 'all' | 'none' | 'fails' };
  const putEvents = async (events: readonly IncidentEvent[]) => {
    bus.events.push(...events);
    if (bus.takes === 'fails') throw new Error('no answer');
    return new Set(bus.takes === 'none' ? events : []);
  };
  const env = { ...environment(queues), ...variables };
  const trouble = async () => undefined;
  const handler = monitorHandler({ store, clock, logger, env, trouble, putEvents });
  const since = Math.floor(clock.now() / 1000) - 600;
  const note = async (queue: string, error: string | undefined, successAfter?: number) => {
    const { failing } = await store.queues.read(queue);
    const text =
      error === undefined
        ? undefined
        : JSON.stringify([
            0,
            [
              [
                'erp',
                error,
                since,
                600,
                600,
                9,
                9,
                0,
                9,
                ...(successAfter === undefined ? [] : [successAfter]),
              ],
            ],
          ]);
    await store.queues.noteFailing(queue, text, failing);
  };
  /** The events of the next reading. */
  const read = async () => {
    bus.events.length = 0;
    await handler({ monitor: true }, context);
    clock.advance(300);
    return bus.events.map(({ type, detail }) => ({ type, ...detail }));
  };
  return { bus, note, read, insert, store, log, clock };
}

afterEach(() => vi.restoreAllMocks());

describe('the events of an incident', () => {
  it('say once that it has begun, changed and ended, with one id', async () => {
    const { note, read, insert, bus } = monitored();
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    await insert({ id: 'b', queue: 'bulk', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    expect(await read()).toEqual([]);
    await note('orders', 'HttpError 503');
    const [began] = await read();
    expect(began).toEqual({
      ...{ type: 'began', version: 1, table: 'records-table', state: 'failing', runbook: RUNBOOK },
      ...{ queues: ['orders'], destinations: ['erp'], waiting: 1, error: { name: 'HttpError', status: 503 } },
      id: 'records-table destination erp 2026-11-20T09:20:00.000Z',
      ...{ firstFailureAt: '2026-11-20T09:20:00.000Z', lastFailureAt: '2026-11-20T09:30:00.000Z' },
    });
    expect(await read()).toEqual([]);
    await note('bulk', 'HttpError 503', 60);
    expect(await read()).toMatchObject([
      {
        ...{ type: 'changed', id: began?.id, queues: ['orders', 'bulk'], waiting: 2 },
        lastSuccessAt: '2026-11-20T09:21:00.000Z',
      },
    ]);
    await note('orders', undefined);
    await note('bulk', undefined);
    expect(await read()).toMatchObject([{ type: 'ended', state: 'ended', id: began?.id }]);
    for (const { detail } of bus.events) expect(detailOf.parse(detail)).toEqual(detail);
    expect(await read()).toEqual([]);
  });

  it('keep their id when the first of many destinations of a queue is back', async () => {
    const { read, insert, store, clock } = monitored();
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    const since = Math.floor(clock.now() / 1000) - 600;
    const note = (group: string) => [group, 'HttpError 503', since, 600, 600, 9, 9, 0, 9];
    const write = async (groups: readonly string[], past: readonly unknown[] = []) => {
      const { failing } = await store.queues.read('orders');
      await store.queues.noteFailing('orders', JSON.stringify([0, groups.map(note), past]), failing);
    };
    await write(['a', 'b', 'c']);
    const [began] = await read();
    expect(began).toMatchObject({ type: 'began', destinations: ['a', 'b', 'c'] });
    await write(['b', 'c'], [['a', 'HttpError 503', since, 700]]);
    expect(await read()).toMatchObject([{ type: 'changed', id: began?.id, destinations: ['b', 'c'] }]);
    await write(
      [],
      [
        ['a', 'HttpError 503', since, 700],
        ['b', 'HttpError 503', since, 900],
        ['c', 'HttpError 503', since, 900],
      ],
    );
    expect(await read()).toMatchObject([{ type: 'ended', id: began?.id }]);
  });

  it('do not say that it has ended where the registry is not read, which names the queues of other owners', async () => {
    const { bus, note, read, insert, store, clock } = monitored({
      BACKLOG_INCIDENT_BUS: 'bus',
      BACKLOG_OWNER: 'shop',
    });
    const { rev } = await store.registry.read();
    const theirs = { owner: 'team', function: 'arn:team', retryMode: 'perRecord', timeout: 300 } as const;
    const at = new Date(clock.now()).toISOString();
    await store.registry.write({ rev: `${rev}+`, queues: new Map([['theirs', { ...theirs, at }]]) }, rev);
    await insert({ id: 'a', queue: 'theirs', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    await note('theirs', 'HttpError 503');
    expect(await read()).toMatchObject([{ type: 'began', queues: ['theirs'] }]);
    const registry = vi
      .spyOn(store.registry, 'read')
      .mockRejectedValue(new StoreUnavailableError('no answer'));
    await expect(read()).rejects.toThrow('no answer');
    expect(bus.events).toEqual([]);
    registry.mockRestore();
    expect(await read()).toEqual([]);
  });

  it('do not say that it has ended where its queue is not read', async () => {
    const { bus, note, read, insert, store } = monitored();
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    await note('orders', 'HttpError 503');
    expect(await read()).toMatchObject([{ type: 'began' }]);
    const queue = vi.spyOn(store.queues, 'read').mockRejectedValue(new StoreUnavailableError('no answer'));
    await expect(read()).rejects.toThrow('no answer');
    expect(bus.events).toEqual([]);
    queue.mockRestore();
    expect(await read()).toEqual([]);
  });

  it.each(['none', 'fails'] as const)(
    'come again where the bus takes them not (%s), and the reading is not disturbed',
    async (takes) => {
      const { bus, note, read, insert, log } = monitored();
      await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
      await note('orders', 'TypeError');
      bus.takes = takes;
      expect(await read()).toMatchObject([{ type: 'began' }]);
      expect(log()).toContainEqual(expect.objectContaining({ level: 'WARN' }));
      bus.takes = 'all';
      expect(await read()).toMatchObject([{ type: 'began' }]);
      expect(await read()).toEqual([]);
    },
  );

  it('do not end it by a pause', async () => {
    const { note, read, insert, store } = monitored();
    await insert({ id: 'a', queue: 'orders', status: 'ERROR', dueAt: '2027-01-01T00:00:00.000Z' });
    await note('orders', 'TypeError');
    expect(await read()).toHaveLength(1);
    await store.queues.setPaused('orders', true);
    expect(await read()).toEqual([]);
    await store.queues.setPaused('orders', false);
    expect(await read()).toEqual([]);
    expect(await read()).toEqual([]);
    await note('orders', undefined);
    expect(await read()).toMatchObject([{ type: 'ended' }]);
  });

  it('are none without a bus, and what was reported is not read', async () => {
    const { note, read, store } = monitored({});
    const readings = vi.spyOn(store.readings, 'read');
    await note('orders', 'TypeError');
    expect(await read()).toEqual([]);
    expect(readings).not.toHaveBeenCalled();
  });
});

it('the bus takes ten events at a time, and names those that it has refused', async () => {
  const detail = { version: 1, id: 'i', table: 't', state: 'failing', queues: [], destinations: [] } as const;
  const events = Array.from(
    { length: 12 },
    (_, i): IncidentEvent => ({ key: `${i}`, type: 'began', detail }),
  );
  const sent: { readonly Entries: readonly object[] }[] = [];
  class EventBridgeClient {
    async send(command: object) {
      const { Entries } = command as (typeof sent)[number];
      sent.push({ Entries });
      return { Entries: Entries.map((_, i) => (i === 1 ? { ErrorCode: 'InternalFailure' } : {})) };
    }
  }
  class PutEventsCommand {
    readonly Entries: readonly object[];
    constructor(input: { readonly Entries: readonly object[] }) {
      this.Entries = input.Entries;
    }
  }
  const refused = await putOn(eventBus('arn:bus', () => ({ EventBridgeClient, PutEventsCommand })))(events);
  expect([...refused].map(({ key }) => key)).toEqual(['1', '11']);
  expect(sent.map(({ Entries }) => Entries.length)).toEqual([10, 2]);
  expect(sent[0]?.Entries[0]).toEqual({
    ...{ EventBusName: 'arn:bus', Source: 'dynamo-backlog', DetailType: 'Backlog incident began' },
    Detail: JSON.stringify(detail),
  });
});
