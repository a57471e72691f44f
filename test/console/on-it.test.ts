import { describe, expect, it } from 'vitest';
import { Jobs, Tables } from '../../src/engine.js';
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
  const looksAtIt = async () => {
    const { text } = await get(console.app, '/');
    const [, fact = ''] = /Operators on it<.*?<dd>(.*?)<\/dd>/s.exec(text) ?? [];
    return fact
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  };
  return { ...console, begin, looksAtIt };
}

describe('an incident', () => {
  it('names the operator with a job on one of its queues, and no other', async () => {
    const { begin, looksAtIt } = inOutage();
    expect(await looksAtIt()).toBe('not known: no pause, no job since');
    await begin('ben', 'mails');
    await begin('<b>ana', 'orders');
    expect(await looksAtIt()).toMatch(/^&lt;b&gt;ana Retry now, done, 2/);
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
