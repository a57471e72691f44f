import { describe, expect, it } from 'vitest';
import type { Process, RetryFunction } from '../../src/worker/index.js';
import { due, fail, Harness, START, YOUNG } from './harness.js';

const iso = (secondsAfterStart: number) => new Date(START + secondsAfterStart * 1000).toISOString();

async function afterOneFailure(retryFunction: RetryFunction, process: Process = fail, attributes = {}) {
  const harness = new Harness();
  harness.put('r', attributes);
  await harness.run(process, { retryFunction });
  return { item: harness.item('r'), warnings: harness.warnings };
}

class RecordNotFound extends Error {}
class ExternalServiceDown extends Error {}

describe('a retry function', () => {
  /** A retry function that answers by the error, or by the number of failures. */
  const custom: RetryFunction = (error, record) => {
    if (error instanceof RecordNotFound) return false;
    if (error instanceof ExternalServiceDown) return { type: 'exponential', jitter: 'none' };
    return [10, 20, 30][record.failures - 1] ?? false;
  };

  it('decides by the error that was thrown', async () => {
    const missing = await afterOneFailure(custom, () => Promise.reject(new RecordNotFound('gone')));
    expect(missing.item).toMatchObject({
      status: 'DEAD',
      deadReason: 'the retry function gave it up',
      failures: 1,
    });
    const down = await afterOneFailure(custom, () => Promise.reject(new ExternalServiceDown('503')));
    expect(down.item).toMatchObject({ status: 'ERROR', dueAt: due(240) });
  });

  it('decides by the count: after 10, 20 and 30 seconds, then dead', async () => {
    const harness = new Harness();
    harness.put('r');
    const waits: number[] = [];
    for (let i = 0; i < 3; i++) {
      await harness.run(fail, { retryFunction: custom });
      const wait = (Date.parse(String(harness.item('r').dueAt)) - harness.time.now) / 1000;
      waits.push(Math.round(wait));
      await harness.pass(wait);
    }
    await harness.run(fail, { retryFunction: custom });
    expect(waits).toEqual([10, 20, 30]);
    expect(harness.item('r')).toMatchObject({ status: 'DEAD', attempts: 4 });
  });

  it('may say at once: the next tick', async () => {
    expect((await afterOneFailure(() => 0)).item).toMatchObject({ status: 'ERROR', dueAt: iso(0) });
  });

  it.each(['2m', '1m 60s', 'PT2M'])('may say %j', async (wait) => {
    expect((await afterOneFailure(() => wait)).item).toMatchObject({ status: 'ERROR', dueAt: due(120) });
    expect((await afterOneFailure(() => ({ wait }))).item).toMatchObject({ dueAt: due(120) });
  });

  it("comes after the record's own policy", async () => {
    const retry = { type: 'constant', interval: '7s', jitter: 'none' };
    expect((await afterOneFailure(() => 99, fail, { retry })).item).toMatchObject({ dueAt: due(7) });
    const asked = await afterOneFailure(() => false, fail, { retry });
    expect(asked.item).toMatchObject({ status: 'ERROR', dueAt: due(7) });
  });

  it('sees the record with this failure counted, and the retries so far', async () => {
    const seen: number[][] = [];
    await afterOneFailure(
      (_, { failures, attempts }, retryCount) => {
        seen.push([failures, attempts, retryCount]);
        return 10;
      },
      fail,
      { status: 'ERROR', attempts: 5, failures: 3, lastFailureAt: iso(-600) },
    );
    expect(seen).toEqual([[4, 6, 3]]);
  });

  it('that answers with a promise leaves it to the policy, and ignores its rejection', async () => {
    const promised = (async () => {
      throw new Error('too late');
    }) as unknown as RetryFunction;
    expect((await afterOneFailure(promised)).item).toMatchObject({ status: 'ERROR', dueAt: due(60) });
  });

  it('waits on a progressive queue too', async () => {
    const harness = new Harness();
    harness.put('r');
    await harness.run(fail, { retryFunction: () => 1000, band: YOUNG });
    expect(harness.item('r')).toMatchObject({ dueAt: iso(0), notBefore: iso(970) });
  });

  it('cannot put off a record past its greatest age', async () => {
    const old = { insertedAt: iso(-359 * 86_400), dueAt: iso(0), attempts: 1 };
    expect((await afterOneFailure(() => 2 * 86_400, fail, old)).item).toMatchObject({
      status: 'DEAD',
      deadReason: 'expired',
    });
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('oops');
      },
      'retry function: oops',
    ],
    ['returns nothing', () => undefined, 'retry function: its answer: expected a retry policy'],
    ['returns a promise', async () => 5, 'retry function: its answer.type: expected one of'],
    ['returns NaN', () => Number.NaN, 'retry function: its answer: expected seconds or a duration'],
    ['returns a wait below zero', () => -1, 'retry function: its answer: expected seconds or a duration'],
    ['returns a policy nobody knows', () => ({ type: 'fibonaci' }), 'did you mean "fibonacci"?'],
  ])("that %s is reported in the log, and the queue's policy decides", async (_, retry, warning) => {
    const { item, warnings } = await afterOneFailure(retry as unknown as RetryFunction);
    expect(item).toMatchObject({ status: 'ERROR', dueAt: due(60) });
    expect(warnings.join()).toContain(warning);
  });
});
