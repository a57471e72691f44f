import { afterEach, describe, expect, it, vi } from 'vitest';
import { occurrenceOf } from '../../src/recurring/index.js';
import { testBacklog } from '../../src/testing/index.js';
import type { Process } from '../../src/worker/index.js';

const NOW = '2026-11-28T00:00:30.000Z';
const REPORTS = {
  schedule: 'cron(0 3 * * ? *)',
  timeZone: 'Europe/Berlin',
  queue: 'reports',
  payload: { kind: 'daily' },
};

/** Notes the attempts that it makes. */
function reports(recurring: Parameters<typeof testBacklog>[0]['recurring'] = { report: REPORTS }) {
  const made: string[] = [];
  const process: Process = (record) => {
    made.push(`${record.id} ${JSON.stringify(record.payload)} for ${occurrenceOf(record)?.at.toISOString()}`);
  };
  return { made, backlog: testBacklog({ queues: { reports: { process } }, recurring, now: NOW }) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a recurring record', () => {
  it('has one record inserted and attempted at each of its times, in its zone', async () => {
    const { made, backlog } = reports();
    await backlog.advance('3d');
    expect(made).toEqual([
      'report@2026-11-28T02:00Z {"kind":"daily"} for 2026-11-28T02:00:00.000Z',
      'report@2026-11-29T02:00Z {"kind":"daily"} for 2026-11-29T02:00:00.000Z',
      'report@2026-11-30T02:00Z {"kind":"daily"} for 2026-11-30T02:00:00.000Z',
    ]);
    expect(backlog.record('report@2026-11-28T02:00Z')).toMatchObject({
      status: 'SUCCESS',
      queue: 'reports',
      attributes: { recurring: 'report', occurrence: '2026-11-28T02:00:00.000Z' },
      lastAttemptAt: '2026-11-28T02:00:30.000Z',
    });
  });

  it('is neither counted nor waited for, and its failures are those of its records', async () => {
    const { backlog } = reports();
    expect(await backlog.advance('1d')).toMatchObject({ attempted: 1, succeeded: 1, failed: 0 });
    await backlog.client.insert({ id: 'a', queue: 'reports', payload: 1 });
    expect(await backlog.runUntilSettled()).toMatchObject({ attempted: 1, succeeded: 1 });
    expect(backlog.findings).toEqual([]);
    expect(backlog.logs.filter(({ level }) => level !== 'info' && level !== 'debug')).toEqual([]);
  });

  it('is put by an application, one for each of its tenants', async () => {
    const { made, backlog } = reports({});
    for (const tenant of [7, 8]) {
      const schedule = { schedule: 'rate(1 hour)', queue: 'reports', payload: { tenant } };
      expect(await backlog.recurring.put(`invoices/${tenant}`, schedule)).toMatchObject({ was: 'new' });
    }
    await backlog.advance('2h');
    expect(made.map((text) => text.split(' for')[0])).toEqual([
      'invoices/7@2026-11-28T01:00Z {"tenant":7}',
      'invoices/8@2026-11-28T01:00Z {"tenant":8}',
      'invoices/7@2026-11-28T02:00Z {"tenant":7}',
      'invoices/8@2026-11-28T02:00Z {"tenant":8}',
    ]);
  });

  it('is none of a backlog without the option: there, a queue of its name is one like any other', async () => {
    const made: string[] = [];
    const process: Process = ({ id }) => {
      made.push(id);
    };
    const own = testBacklog({ queues: { recurring: { process } }, now: NOW });
    await own.client.insert({ id: 'a', queue: 'recurring', payload: 1 });
    expect(await own.runUntilSettled()).toMatchObject({ attempted: 1, succeeded: 1 });
    await own.expectIdempotent('a', () => new Set(made));
    const none = testBacklog({ queues: { reports: { process } }, now: NOW });
    await none.recurring.put('a', REPORTS);
    await expect(none.runUntilSettled()).rejects.toThrow(
      'runUntilSettled: nothing looks at the recurring record "a": add the option "recurring", {} at least',
    );
  });

  it('is refused with the name of the option that is wrong', () => {
    const reading = (recurring: object) => () => reports(recurring as never);
    expect(reading({ a: { schedule: 'hourly' } })).toThrow(
      /^testBacklog\.recurring\.a\.schedule: expected rate\(\.\.\.\) or cron/,
    );
    expect(reading({ a: {} })).toThrow('testBacklog.recurring.a.schedule: expected string, got nothing');
    expect(reading({ 'a b': REPORTS })).toThrow('testBacklog.recurring: expected a name of letters');
    expect(reading({ a: { ...REPORTS, queue: 'recurring' } })).toThrow(
      'testBacklog.recurring.a.queue: expected another queue than "recurring"',
    );
    expect(() => testBacklog({ queues: { recurring: { process: () => {} } }, recurring: {} })).toThrow(
      'testBacklog.queues.recurring: expected another name',
    );
  });
});
