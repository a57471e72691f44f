import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSource } from '../../../tools/src/cli/top/source.js';
import { dead, inRetry, MINUTE, NOW } from '../../console/console-under-test.js';
import { backlogTables, readingItem } from '../backlog-tables.js';

const failed = (message: string) => ({
  lastFailureAt: new Date(NOW - MINUTE).toISOString(),
  lastError: { name: 'HttpError', message, at: new Date(NOW - MINUTE).toISOString(), attempt: 2 },
});
const down = failed('HTTP 503 from https://erp.example.com: down');
const missing = failed('HTTP 400 from https://erp.example.com: vat missing');

describe('the reads and writes of backlog top', () => {
  let tables: Awaited<ReturnType<typeof backlogTables>>;
  beforeAll(async () => {
    tables = await backlogTables();
  });
  afterAll(() => tables.stop());
  beforeEach(async () => {
    await tables.renew('orders', 'bulk');
    await tables.control.put(readingItem('orders'), readingItem('bulk'));
    await tables.table.put(
      ...['a', 'b', 'c'].map((id) => inRetry(id, { ...down, dueAt: '2099-01-01T00:00:00.000Z' })),
      dead('d', missing),
      inRetry('elsewhere', { queue: 'bulk', lane: 'bulk', ...down }),
    );
  });

  const open = async (mayWrite = true) => {
    const { endpoint, table, control } = tables;
    const flags = { endpoint, table: table.name, controlTable: control.name };
    const source = await openSource(flags, { patient: true, mayWrite });
    const { explorer } = source;
    if (!explorer) throw new Error('no explorer');
    return { source, explorer };
  };

  it('find the causes and the records of one queue, once it has been read', async () => {
    const { source, explorer } = await open();
    await expect(explorer.causes(['orders'])).rejects.toThrow('orders has not been read');
    await source.read();
    const { causes, total } = await explorer.causes(['orders']);
    expect(causes.map(({ retry, dead }) => [retry, dead])).toEqual([
      [3, 0],
      [0, 1],
    ]);
    expect(total).toBe(4);
    const idsOf = async (cause: string) =>
      (await explorer.records({ queues: ['orders'], cause })).map(({ id }) => id).sort();
    expect(await idsOf('HttpError 503 erp.example.com')).toEqual(['a', 'b', 'c']);
    expect(await idsOf('HttpError 400 erp.example.com')).toEqual(['d']);
    source.close();
  });

  it('find the causes and the records of all queues of an incident', async () => {
    const { source, explorer } = await open();
    await source.read();
    await expect(explorer.causes(['orders', 'unknown'])).rejects.toThrow('unknown has not been read');
    const both = ['orders', 'bulk'];
    const { causes } = await explorer.causes(both);
    expect(causes[0]).toMatchObject({ retry: 4 });
    const found = await explorer.records({ queues: both, cause: 'HttpError 503 erp.example.com' });
    expect(found.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'elsewhere']);
    source.close();
  });

  it('list the first hundred records of a cause', async () => {
    const { source, explorer } = await open();
    await tables.table.put(...Array.from({ length: 110 }, (_, i) => inRetry(`more-${i}`, down)));
    const found = await explorer.records({
      queues: ['orders', 'bulk'],
      cause: 'HttpError 503 erp.example.com',
    });
    expect(found).toHaveLength(100);
    source.close();
  });

  it('retry and redrive the records of one cause by jobs, in this queue alone', async () => {
    const { source, explorer } = await open();
    const { signal } = new AbortController();
    const retried = { queues: ['orders'], cause: 'HttpError 503 erp.example.com' };
    expect(await explorer.tryOut('runNow', retried, signal)).toMatchObject({ changed: 3 });
    const job = await explorer.begin('runNow', retried, { perSecond: 100, total: 3 });
    expect(await job.ended).toMatch(/^Retry now: of orders, HttpError 503 .*\(job \w+\): Done, 3$/);
    const { jobs } = await source.read();
    expect(jobs).toMatchObject([{ id: job.id, state: 'done', from: 'top', perSecond: 100, total: 3 }]);
    const refused = { queues: ['orders'], cause: 'HttpError 400 erp.example.com' };
    expect(await (await explorer.begin('redrive', refused, {})).ended).toContain('Done, 1');
    expect(await explorer.tryOut('redrive', refused, signal)).toMatchObject({ changed: 0 });
    source.close();
  });

  it('undo a job, once, and no undo', async () => {
    const { source, explorer } = await open();
    const which = { queues: ['orders'], cause: 'HttpError 503 erp.example.com' };
    const begun = await explorer.begin('runNow', which, {});
    await begun.ended;
    const jobOf = async (id: string) => {
      const found = (await source.read()).jobs.find((job) => job.id === id);
      if (!found) throw new Error(`no job ${id}`);
      return found;
    };
    expect(explorer.undoRefusal(await jobOf(begun.id))).toBeUndefined();
    const undo = await explorer.undo(begun.id);
    expect(await undo.ended).toMatch(/^Undo \w+: .*\(job \w+\): Done, 3$/);
    expect(explorer.undoRefusal(await jobOf(begun.id))).toBe(`it is undone by job ${undo.id}`);
    expect(explorer.undoRefusal(await jobOf(undo.id))).toContain('an undo cannot be undone');
    source.close();
  });

  it('stop a job, go on with it, and stop it at the end of the program', async () => {
    const { source, explorer } = await open();
    const which = { queues: ['orders'], cause: 'HttpError 503 erp.example.com' };
    const job = await explorer.begin('runNow', which, { perSecond: 0.01 });
    await explorer.stopJob(job.id);
    expect(await job.ended).toMatch(/Stopped at \d: stopped by /);
    await expect(explorer.stopJob(job.id)).rejects.toThrow('it is stopped, and not at work');
    const again = await explorer.goOn(job.id);
    await explorer.close();
    expect(await again.ended).toMatch(/Stopped at \d: interrupted/);
    await expect(explorer.goOn('2222')).rejects.toThrow('there is no job "2222"');
    source.close();
  });

  it('pause with a reason and an end, refuse a wrong end by its name, and go on', async () => {
    const { source, explorer } = await open();
    await explorer.pause('orders', { reason: 'stock', until: '2h' });
    const orders = async () =>
      (await source.read()).snapshot.queues?.find(({ stats }) => stats.queue === 'orders')?.stats;
    expect(await orders()).toMatchObject({ paused: true, pauseReason: 'stock' });
    await expect(explorer.pause('orders', { reason: '', until: 'soon' })).rejects.toThrow(
      /pause\.until: expected/,
    );
    await explorer.resume('orders');
    expect(await orders()).toMatchObject({ paused: false });
    source.close();
  });

  it('are refused without --write', async () => {
    const { source, explorer } = await open(false);
    expect(explorer.refusal).toContain('--write');
    source.close();
  });
});
