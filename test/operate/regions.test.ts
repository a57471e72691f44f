import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BacklogOperator, ConfigurationError, type OperationInterruptedError } from '../../src/index.js';
import { Jobs } from '../../src/operate/jobs/index.js';
import { Tables } from '../../src/operate/tables.js';
import { intercepted } from '../../src/store/bounded-store.js';
import { seededRandom } from '../simulation/random.js';
import { Harness } from '../worker/harness.js';
import { DEAD_OF_Q, OPS, putAll } from './jobs-support.js';

const ELSEWHERE = /expected the region that attempts the records \(eu-central-1\), got eu-west-1/;

beforeEach(() => {
  vi.spyOn(Tables.prototype, 'region').mockResolvedValue('eu-west-1');
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Operators and jobs of a process in eu-west-1, which is the active region until `active` says otherwise. */
async function inIreland(records: number) {
  const harness = new Harness();
  putAll(harness, records);
  await harness.store.registry.write({ rev: 'r', queues: new Map(), primaryRegion: 'eu-central-1' }, '');
  const active = { region: 'eu-west-1' };
  const looks: number[] = [];
  const store = intercepted(harness.store, async (name, call) => {
    if (name === 'registry.read') looks.push(harness.time.now);
    return name === 'activeRegion.read' ? { region: active.region, from: 0, at: 0 } : call();
  });
  const { clock } = harness;
  const options = { table: 'records', controlTable: 'control', store, clock, random: seededRandom(7) };
  const jobs = new Jobs(new Tables(options));
  const operator = new BacklogOperator(options);
  const failOver = () => {
    active.region = 'eu-central-1';
  };
  return { harness, jobs, operator, failOver, looks };
}

describe('a job in a region that is not the active one any more', () => {
  it('is neither taken over nor gone on with', async () => {
    const { harness, jobs, failOver } = await inIreland(10);
    const { id } = await jobs.create(DEAD_OF_Q, OPS);
    await harness.pass(61);
    failOver();
    expect(await jobs.takeOver(await jobs.read(id))).toBeUndefined();
    await expect(jobs.goOn(id)).rejects.toThrow(ELSEWHERE);
    expect(await jobs.read(id)).toMatchObject({ state: 'running' });
    expect(harness.statuses()).toEqual({ DEAD: 10 });
  });

  it('stops within a minute, and says why', async () => {
    const { harness, jobs, failOver, looks } = await inIreland(900);
    const running = jobs.run(await jobs.create({ ...DEAD_OF_Q, perSecond: 2 }, OPS));
    await harness.pass(90);
    failOver();
    const atFailover = harness.statuses().NEW ?? 0;
    const { job, result } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'stopped', why: expect.stringMatching(ELSEWHERE) });
    expect(harness.statuses().NEW).toBeLessThanOrEqual(atFailover + 2 * 62);
    // At its creation, and three times by its process.
    expect(looks).toHaveLength(4);
    expect([job.counts.changed, result.changed]).toEqual([harness.statuses().NEW, harness.statuses().NEW]);
  });

  it('does not begin where it has waited until its queue was back', async () => {
    const { harness, jobs, failOver } = await inIreland(10);
    const open = { since: 0, until: 1, token: 't' };
    await harness.store.breakers.set('q', 'erp', open, undefined);
    const running = jobs.run(await jobs.create({ ...DEAD_OF_Q, whenBack: '1h', probe: 5 }, OPS));
    await harness.pass(90);
    failOver();
    await harness.store.breakers.set('q', 'erp', undefined, open);
    const { job } = await harness.time.until(running);
    expect(job).toMatchObject({ state: 'stopped', why: expect.stringMatching(ELSEWHERE) });
    expect(harness.statuses()).toEqual({ DEAD: 10 });
    // Nothing can be undone of it, and no record stands for a probe.
    expect([job.pages, job.probed]).toEqual([0, undefined]);
  });

  it('stops as an undo, too', async () => {
    const { harness, jobs, failOver } = await inIreland(300);
    const { job } = await harness.time.until(jobs.run(await jobs.create(DEAD_OF_Q, OPS)));
    const undo = await jobs.undo(job.id, OPS, 2);
    const running = jobs.run(undo);
    await harness.pass(30);
    failOver();
    expect((await harness.time.until(running)).job).toMatchObject({ state: 'stopped' });
    expect(harness.statuses().NEW).toBeGreaterThan(100);
  });
});

describe('an action of an operator in a region that is not the active one any more', () => {
  it('ends within a minute, and says what it has changed', async () => {
    const { harness, operator, failOver } = await inIreland(900);
    const redrive = operator.redrive({ queue: 'q' }, { perSecond: 2 });
    const ended = expect(redrive).rejects.toThrow(/^stopped with \d+ changed: expected the region/);
    await harness.pass(90);
    failOver();
    const atFailover = harness.statuses().NEW ?? 0;
    await harness.time.until(ended);
    const error = await redrive.then(
      () => undefined,
      (thrown: unknown) => thrown as OperationInterruptedError,
    );
    expect(harness.statuses().NEW).toBeLessThanOrEqual(atFailover + 2 * 62);
    expect(error?.result).toMatchObject({ changed: harness.statuses().NEW, ended: 'aborted' });
  });

  it('is refused', async () => {
    const { harness, operator, failOver } = await inIreland(1);
    failOver();
    await expect(operator.redrive({ queue: 'q' })).rejects.toThrow(ConfigurationError);
    expect(await operator.redrive({ queue: 'q' }, { dryRun: true })).toMatchObject({ changed: 1 });
    expect(harness.statuses()).toEqual({ DEAD: 1 });
  });
});
