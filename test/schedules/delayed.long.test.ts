import { describe, expect, it } from 'vitest';
import type { QueuesSettings } from '../../functions/settings.js';
import { itemOf } from '../../src/client/new-record.js';
import { queueUnderRules } from './rules.js';

const DAY = 86_400;
/** The long tests delay it by a month. */
const DELAY_DAYS = 30;

/** Attempts of a record that never succeeds and was delayed by so many days, as seconds since it is available. */
async function attemptsOf(queues: QueuesSettings, delayDays: number, days: number) {
  const times: number[] = [];
  const bench: ReturnType<typeof queueUnderRules> = queueUnderRules(queues, () => {
    times.push(bench.clock.now());
    throw new Error('never');
  });
  const [queue] = Object.keys(queues);
  const availableAt = bench.start + delayDays * DAY * 1000;
  const context = { now: bench.start, availableAt, random: () => 0.5, indexesAtOnce: () => true };
  await bench.store.records.insert(itemOf({ id: 'hopeless', queue, payload: {} }, context));
  await bench.pass(delayDays + days, () => bench.item('hopeless')?.status === 'DEAD');
  const ages = times.map((time) => (time - availableAt) / 1000);
  return { ages, item: bench.item('hopeless'), age: (bench.clock.now() - availableAt) / 1000 };
}

describe(`a record that was delayed by ${DELAY_DAYS} days`, () => {
  it.each([
    ['on the progressive schedule', { bulk: { retryMode: 'progressive' } }],
    ['under a policy', { orders: { retryMode: 'perRecord', retry: { type: 'fibonacci' } } }],
  ] as const)('is attempted %s as one that came when it became available', async (_, queues) => {
    const delayed = await attemptsOf(queues, DELAY_DAYS, 2);
    const prompt = await attemptsOf(queues, 0, 2);
    expect(delayed.ages.length).toBeGreaterThan(10);
    expect(delayed.ages).toEqual(prompt.ages);
  });

  it('dies of the age that it has since then', async () => {
    const queues = {
      orders: { retryMode: 'perRecord', retry: { type: 'constant', maxAge: DAY / 4 } },
    } as const;
    const { item, age } = await attemptsOf(queues, DELAY_DAYS, 2);
    expect(item).toMatchObject({ status: 'DEAD', deadReason: 'expired' });
    expect(age).toBeGreaterThan(DAY / 4 - 600);
    expect(age).toBeLessThan(DAY / 4 + 600);
  });
});
