import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backlogHandler } from '../../functions/backlog-handler.js';
import type { ArrivalsEvent, Invocation } from '../../functions/intake/arrivals.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import { renderRedelivery } from '../../functions/intake/queue-event.js';
import { sweepHandler } from '../../functions/intake/sweep-handler.js';
import { type BacklogRecord, CONTRACT_ATTRIBUTES, type Item } from '../../src/record/index.js';
import { itemOfImage } from '../../src/store/index.js';
import { context, workbench } from '../functions/support.js';
import { goodPayloads, hostileItems } from './hostile-items.js';
import { plainOfReceived } from './plain.js';
import type { RawItem } from './raw-values.js';

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const ITEMS = Number(process.env.FUZZ_IN_MEMORY ?? 200);
const PER_TRIAL = 200;
const SERVED = ['orders', 'bulk', 'default'] as const;
const QUEUE = { retryMode: 'perRecord' } as const;
/** Seconds between rounds of rules, until every wait that ends has ended. */
const ROUNDS = [61, 61, 10 * 86_400, 100 * 86_400];
const FAILS_EVERY = 3;

/** The store in memory holds them, and takes what DynamoDB would refuse: the more there is to read and to write. */
function bench() {
  const made = workbench(Object.fromEntries(SERVED.map((queue) => [queue, QUEUE])));
  const violations: string[] = [];
  const attempts = new Map<string, BacklogRecord[]>();
  const invoked: ArrivalsEvent[] = [];
  const returned: string[] = [];
  const invoker: Invoker = {
    invoke: async ({ event }: Invocation) => {
      invoked.push(event);
      return 'accepted';
    },
    sendToRedelivery: async (ids) => void returned.push(...renderRedelivery(ids)),
    async sendShortWait() {},
    giveUp: async (body) => void violations.push(`given up: ${body}`),
  };
  const env = {
    ...made.overrides.env,
    BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Worker: ['orders', 'default'] }),
    BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
  };
  const overrides = { ...made.overrides, env, invoker };
  const handlers = {
    run: backlogHandler({
      queues: SERVED,
      process: (record) => {
        attempts.set(record.id, [...(attempts.get(record.id) ?? []), record]);
        if (Number(/^bad(\d+)$/.exec(record.id)?.[1] ?? 1) % FAILS_EVERY === 0) throw new Error('so be it');
      },
      ...made.overrides,
    } as Parameters<typeof backlogHandler>[0]),
    intake: intakeHandler(overrides),
    sweep: sweepHandler(overrides),
  };
  const call = async (name: keyof typeof handlers, event: unknown) => {
    try {
      const answer = (await handlers[name](event, context)) as { batchItemFailures?: unknown[] };
      if (answer?.batchItemFailures?.length) violations.push(`${name} has a batch repeated`);
    } catch (error) {
      violations.push(`${name} threw ${(error as Error)?.stack}`);
    }
  };
  const round = async (seconds: number) => {
    made.clock.advance(seconds);
    for (const queue of SERVED) await call('run', { queue });
    for (const body of returned.splice(0))
      await call('intake', { Records: [{ eventSource: 'aws:sqs', messageId: 'm', body }] });
    for (const event of invoked.splice(0)) await call('run', event);
  };
  return { ...made, violations, attempts, invoked, call, round };
}

function goodOnes(i: number, now: number): Item[] {
  const at = new Date(now - 1000).toISOString();
  const payload = (n: number) =>
    itemOfImage({ payload: goodPayloads[(i + n) % goodPayloads.length] as RawItem[string] })?.payload;
  const common = { status: 'NEW', note: 'its own' };
  return [
    { ...common, id: `good${i}-bare`, queue: 'orders', payload: payload(0) },
    {
      ...common,
      id: `good${i}-indexed`,
      queue: 'bulk',
      payload: payload(1),
      lane: 'bulk',
      dueAt: at,
      insertedAt: at,
    },
  ];
}

async function trial(hostile: readonly RawItem[]): Promise<string[]> {
  const { store, changesOf, clock, violations, attempts, invoked, call, round } = bench();
  const before = new Map<string, Item>();
  const put = (item: Item | undefined) => {
    if (!item) return;
    store.put(item);
    before.set(String(item.id), item);
  };
  const changes = changesOf(() => {
    for (const [i, raw] of hostile.entries()) {
      put({ ...itemOfImage(raw), id: `bad${i}` });
      if (i % 5 === 0) for (const item of goodOnes(i, clock.now())) put(item);
    }
  });
  for (let i = 0; i < changes.length; i += 100) await call('intake', { Records: changes.slice(i, i + 100) });
  for (const event of invoked.splice(0)) await call('run', event);
  for (const seconds of ROUNDS) await round(seconds);
  await call('sweep', {});
  for (const seconds of ROUNDS) await round(seconds);
  const after = new Map(store.items().map((item) => [String(item.id), item]));
  for (const [id, item] of before)
    violations.push(...problemsOf(id, item, after.get(id), attempts.get(id) ?? [], clock.now()));
  return violations;
}

function problemsOf(
  id: string,
  before: Item,
  after: Item | undefined,
  attempts: readonly BacklogRecord[],
  now: number,
) {
  const problems: string[] = [];
  const same = (one: unknown, other: unknown) => text(one) === text(other);
  if (!after) return [`${id} is gone`];
  for (const name of Object.keys(before)) {
    const isTheirs = name === 'payload' || !CONTRACT_ATTRIBUTES.has(name);
    if (isTheirs && !same(before[name], after[name])) problems.push(`${id}: ${name} was changed`);
  }
  for (const { payload } of attempts)
    if (!same(payload, before.payload))
      problems.push(`${id}: received ${text(payload)} of ${text(before.payload)}`);
  if (id.startsWith('good') && (attempts.length !== 1 || after.status !== 'SUCCESS'))
    problems.push(`${id}: ${attempts.length} attempts, ended ${after.status}`);
  if (!hasEnd(after, now))
    problems.push(`${id}: nobody deals with ${text(before).slice(0, 900)}, now ${text(after).slice(0, 900)}`);
  return problems;
}

/**
 * Done, dead, or waiting for its time or for its queue. Of what has a `rev` the intake takes no notice: the doctor names
 * it where it is in another lane, or at no time.
 */
function hasEnd(
  { status, lane, dueAt, queue, backlogFormat, rev, lastAttemptAt }: Item,
  now: number,
): boolean {
  if (status === 'SUCCESS' || status === 'DEAD') return true;
  if (typeof backlogFormat === 'number' && backlogFormat > 1) return true;
  if (typeof lane !== 'string') return false;
  const due = typeof dueAt === 'string' ? Date.parse(dueAt) : Number.NaN;
  // The last round's, with a policy that waits for less than a tick.
  const isRetried = typeof lastAttemptAt === 'string' && Date.parse(lastAttemptAt) === now;
  if (queue === 'unserved' || due > now || isRetried) return true;
  return rev !== undefined && (Number.isNaN(due) || !SERVED.includes(lane as 'bulk'));
}

function text(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(plainOfReceived(value));
}

describe('whatever a producer puts beside good records, in memory', () => {
  it(
    `is dealt with, and the good ones are attempted as if it were not there`,
    async () => {
      const items = fc.sample(hostileItems, { numRuns: ITEMS, seed: SEED });
      for (let i = 0; i < items.length; i += PER_TRIAL) {
        expect((await trial(items.slice(i, i + PER_TRIAL))).slice(0, 20)).toEqual([]);
      }
    },
    Math.max(60_000, 60 * ITEMS),
  );
});
