import { describe, expect, it } from 'vitest';
import { Jobs, Tables } from '../../src/engine.js';
import type { AlarmOn } from '../../src/overview/alarms-on.js';
import type { AlarmSource } from '../../tools/src/alarms/alarm-source.js';
import { consoleUnderTest, get, inRetry, MINUTE, NOW, runtimeUnderTest } from './console-under-test.js';

const at = (ago: number) => Math.floor(NOW / MINUTE) * MINUTE - ago * MINUTE;
/** Three minutes in which all attempts fail. */
const OUTAGE = [2, 1, 0].map((ago) => ({ at: at(ago), succeeded: 0, failed: 9 }));

function inOutage(changes: Parameters<typeof consoleUnderTest>[0] = {}) {
  const console = consoleUnderTest({
    ...changes,
    queues: () => [{ name: 'orders' }, { name: 'mails' }],
    runtime: runtimeUnderTest({}, { minutesOf: (queue) => (queue === 'orders' ? OUTAGE : []) }),
  });
  const { store, clock } = console;
  for (const id of ['a', 'b']) store.put(inRetry(id));
  const jobs = new Jobs(new Tables({ table: 'Records', controlTable: 'Control', store, clock }));
  const begin = async (by: string, queue: string) =>
    jobs.run(await jobs.create({ action: 'runNow', which: { queue } }, { by, from: 'command line' }));
  const factOf = async (label: string) => {
    const { text } = await get(console.app, '/');
    const [, fact = ''] = new RegExp(`${label}<.*?<dd>(.*?)</dd>`, 's').exec(text) ?? [];
    return fact
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  };
  const looksAtIt = () => factOf('Operators on it');
  return { ...console, begin, looksAtIt, alarms: () => factOf('>Alarms') };
}

describe('an incident', () => {
  it('names the operator with a job on one of its queues, and no other', async () => {
    const { begin, looksAtIt } = inOutage();
    expect(await looksAtIt()).toBe('not known: no pause, no job since');
    await begin('ben', 'mails');
    await begin('<b>ana', 'orders');
    expect(await looksAtIt()).toMatch(/^&lt;b&gt;ana Retry now, done, 2/);
  });

  it('names the alarms that are on with their mutes, that none is, or why they are not known', async () => {
    const of = (on: AlarmSource['on'], reason?: string) =>
      inOutage({ alarms: { on, reason, refresh: async () => {}, close: () => {} } }).alarms();
    const alarm = (changes: Partial<AlarmOn> = {}): AlarmOn => ({
      ...{ id: 'Failures-orders', name: 'Shop-Failures', level: 'page', queue: 'orders', since: at(8) },
      ...changes,
    });
    const muted = { until: at(-73), note: 'by <b>ann' };
    const said = await of([
      alarm({ muted }),
      alarm({ id: '<i>', level: 'ticket' }),
      alarm({ queue: 'mails' }),
    ]);
    expect(said).toBe(
      'Page Failures-orders since 14:39 UTC, muted until 16:00 UTC, by &lt;b&gt;ann Ticket &lt;i&gt; since 14:39 UTC',
    );
    expect(await of(Array.from({ length: 6 }, () => alarm()))).toMatch(/and 2 more$/);
    expect(await of([])).toBe('no queue alarm is on');
    expect(await of(undefined, 'needs <right>')).toBe('not known, needs &lt;right&gt;');
    expect(await of(undefined)).toBe('not read yet');
    expect(await inOutage().alarms()).toBe('');
    const source = { on: [alarm({ muted })], refresh: async () => {}, close: () => {} };
    expect(await inOutage({ alarms: source }).looksAtIt()).toBe('a mute, and no pause or job since');
  });

  it('links to the runbook, where the stack has one', async () => {
    const page = 'https://wiki.example.com/backlog';
    expect((await get(inOutage({ runbookUrl: page }).app, '/')).text).toMatch(
      /<a class="btn" href="https:\/\/wiki\.example\.com\/backlog#failures" rel="noreferrer">\s*Runbook/,
    );
    expect((await get(inOutage().app, '/')).text).not.toContain('Runbook');
  });

  it('leaves out what was done before its first failure', async () => {
    const { time, begin, looksAtIt } = inOutage();
    time.now -= 60 * MINUTE;
    await begin('ana', 'orders');
    time.now += 60 * MINUTE;
    expect(await looksAtIt()).toBe('not known: no pause, no job since');
  });
});
