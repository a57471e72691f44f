import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.js';
import type { Process, RunSummary } from '../../src/worker/index.js';
import { replacing } from '../simulation/replacing.js';
import { Harness, type RunChoices, START, succeed, YOUNG } from './harness.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const at = (harness: Harness) => (harness.time.now - START) / 1000;

/** A process that lives on: its long attempts go on without their runs. */
class LongLived {
  readonly harness = new Harness();
  readonly ended: RunSummary[] = [];
  readonly spans: { id: string; from: number; to?: number; aborted?: number }[] = [];
  underWay = 0;

  /** Notes when each attempt is under way. */
  readonly working =
    (seconds: (id: string) => number, listens = true): Process =>
    async ({ id }, { signal }) => {
      const span: LongLived['spans'][number] = { id, from: at(this.harness) };
      this.spans.push(span);
      const aborted = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          span.aborted = at(this.harness);
          resolve();
        });
      });
      const over = this.harness.sleep(seconds(id), listens ? signal : undefined);
      await (listens ? Promise.race([over, aborted]) : over);
      span.to = at(this.harness);
      if (span.aborted !== undefined) throw signal.reason;
    };

  run(process: Process, choices: RunChoices = {}): Promise<RunSummary> {
    return this.harness.run(process, { ...this.choices, ...choices });
  }

  readonly choices = {
    attemptTimeout: DAY,
    onLongAttempt: (_: string, ended: Promise<RunSummary>) => {
      this.underWay++;
      void ended.then((summary) => {
        this.underWay--;
        this.ended.push(summary);
      });
    },
  };

  /** Looks of another process, which would attempt what it finds. */
  async watched(
    seconds: number,
    other: Process = succeed,
    { everySeconds = 20, ...choices }: RunChoices & { everySeconds?: number } = {},
  ): Promise<RunSummary[]> {
    const looks: RunSummary[] = [];
    for (const until = at(this.harness) + seconds; at(this.harness) < until; ) {
      await this.harness.pass(everySeconds);
      looks.push(await this.harness.run(other, choices));
    }
    return looks;
  }
}

describe('an attempt of hours', () => {
  it('goes on without its run, keeps no other record waiting, and is attempted once', async () => {
    const world = new LongLived();
    const { harness } = world;
    harness.put('report');
    const work = world.working((id) => (id === 'report' ? 3 * HOUR : 1));
    expect(await world.run(work)).toMatchObject({ ended: 'drained', attempted: 0 });
    expect(at(harness)).toBe(30);
    expect(harness.item('report')).toMatchObject({ status: 'NEW', underAttemptUntil: expect.any(String) });
    harness.put('small');
    expect(await world.run(work)).toMatchObject({ ended: 'drained', succeeded: 1 });
    const looks = await world.watched(3 * HOUR + 60, succeed, { everySeconds: 100 });
    expect(looks.every(({ attempted, skipped }) => attempted === 0 && skipped === 0)).toBe(true);
    expect(world.spans.filter(({ id }) => id === 'report')).toEqual([
      { id: 'report', from: 0, to: 3 * HOUR },
    ]);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
    expect(harness.item('report')).not.toHaveProperty('underAttemptUntil');
    expect(harness.item('report')).toMatchObject({ attempts: 1 });
    expect(world.ended).toMatchObject([{ attempted: 1, succeeded: 1, ended: 'drained', queue: 'q' }]);
  });

  it('of a progressive queue is not attempted by the rule of another tier, nor its own', async () => {
    const world = new LongLived();
    const { harness } = world;
    const second = { number: 2, every: 300, fromAge: 86_400, untilAge: 7 * 86_400, last: true };
    harness.put('old', { insertedAt: new Date(START - (86_400 - 60) * 1000).toISOString() });
    await world.run(
      world.working(() => HOUR),
      { band: YOUNG },
    );
    const attempted: string[] = [];
    const other: Process = ({ id }) => void attempted.push(id);
    await world.watched(900, other, { band: second });
    await world.watched(900, other, { band: YOUNG });
    expect(attempted).toEqual([]);
    await harness.pass(HOUR);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('has its own time limit, after which it is a failure', async () => {
    const world = new LongLived();
    world.harness.put('report');
    await world.run(
      world.working(() => 2 * HOUR),
      { attemptTimeout: HOUR },
    );
    await world.harness.pass(2 * HOUR);
    expect(world.spans).toEqual([{ id: 'report', from: 0, to: HOUR, aborted: HOUR }]);
    expect(world.harness.item('report')).toMatchObject({
      status: 'ERROR',
      failures: 1,
      lastError: { name: 'AttemptTimeout' },
    });
  });

  it('takes one of the attempts at once of its run, which leaves the rest', async () => {
    const world = new LongLived();
    for (let i = 0; i < 5; i++) world.harness.put(`r${i}`);
    const summary = await world.run(
      world.working(() => HOUR),
      { concurrency: 2 },
    );
    expect(summary).toMatchObject({ ended: 'concurrencyLimited' });
    expect(world.spans).toHaveLength(2);
    expect(world.underWay).toBe(2);
    expect(at(world.harness)).toBeLessThan(60);
  });

  it('is told to end once its process is, after the grace, and is due again at once', async () => {
    const world = new LongLived();
    const stop = new AbortController();
    world.harness.put('report');
    await world.run(
      world.working(() => HOUR),
      { stop: stop.signal },
    );
    await world.harness.pass(600);
    stop.abort();
    await world.harness.pass(10);
    expect(world.ended).toMatchObject([{ snoozed: 1, failed: 0 }]);
    expect(world.harness.item('report')).toMatchObject({ status: 'NEW', attempts: 1 });
    expect(await world.run(succeed)).toMatchObject({ succeeded: 1 });
  });
});

describe('the process of a long attempt', () => {
  it('was lost: its record comes due within 75 seconds of the last word, as a failure, and blocks no lane', async () => {
    const world = new LongLived();
    const { harness } = world;
    let isLost = false;
    const store = replacing(
      { settle: (...args) => (isLost ? new Promise(() => {}) : harness.store.settle(...args)) },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => DAY),
      { store },
    );
    await harness.pass(600);
    isLost = true;
    harness.put('other');
    // Another process is at work at once: the lane is free.
    expect(await harness.run(succeed)).toMatchObject({ succeeded: 1 });
    const attempted: string[] = [];
    const other: Process = ({ id }) => void attempted.push(`${id} ${at(harness)}`);
    await world.watched(100, other);
    expect(attempted).toEqual([]);
    expect(harness.item('report')).toMatchObject({ failures: 1, lastError: { name: 'WorkerLost' } });
    expect(harness.item('report')).not.toHaveProperty('underAttemptUntil');
    await world.watched(100, other);
    expect(attempted).toHaveLength(1);
    expect(harness.statuses()).toEqual({ SUCCESS: 2 });
  });

  it('reaches no DynamoDB: the attempt is told to end before another run may take its record', async () => {
    const world = new LongLived();
    const { harness } = world;
    let isDown = false;
    const store = replacing(
      {
        settle: (...args) =>
          isDown ? Promise.reject(new StoreUnavailableError('down')) : harness.store.settle(...args),
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => DAY),
      { store },
    );
    await harness.pass(300);
    isDown = true;
    const downAt = at(harness);
    const taken: number[] = [];
    await world.watched(200, () => void taken.push(at(harness)));
    const [span] = world.spans;
    expect(span?.aborted).toBeLessThan(downAt + 75);
    expect(span?.to).toBeLessThan(taken[0] ?? 0);
    expect(world.ended).toMatchObject([{ unsettled: 1 }]);
  });

  it('finds its record replaced by the producer: it is told to end, and its outcome is not written', async () => {
    const world = new LongLived();
    const { harness } = world;
    harness.put('report');
    await world.run(world.working(() => DAY));
    await harness.pass(100);
    harness.put('report', { payload: { second: true }, rev: 'second' });
    await harness.pass(60);
    expect(world.spans[0]?.aborted).toBeLessThanOrEqual(130 + 30);
    expect(world.ended).toMatchObject([{ unsettled: 1 }]);
    expect(harness.item('report')).toMatchObject({ payload: { second: true } });
    expect(harness.item('report')).not.toHaveProperty('attempts');
  });

  it('writes again what has no answer, and does not take its own write for that of another', async () => {
    const world = new LongLived();
    const { harness } = world;
    let lost = 3;
    const store = replacing(
      {
        settle: async (...args) => {
          const answer = await harness.store.settle(...args);
          if (lost-- > 0) throw new StoreUnavailableError('the answer was lost');
          return answer;
        },
      },
      harness.store,
    );
    harness.put('report');
    await world.run(
      world.working(() => HOUR),
      { store },
    );
    await harness.pass(HOUR);
    expect(world.spans).toEqual([{ id: 'report', from: 0, to: HOUR }]);
    expect(harness.statuses()).toEqual({ SUCCESS: 1 });
  });

  it('is the process of a queue with a limit of all runs: that is an error', async () => {
    const world = new LongLived();
    world.harness.put('report');
    await expect(world.run(succeed, { globalConcurrency: 3 })).rejects.toThrow(
      /globalConcurrency: expected nothing where an attempt may take more than 60 s/,
    );
  });
});
