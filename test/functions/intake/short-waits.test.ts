import { expect, it } from 'vitest';
import { intakeHandler } from '../../../functions/intake/intake-handler.js';
import type { Invoker } from '../../../functions/intake/invoker.js';
import type { Item } from '../../../src/record/index.js';
import { toAttributes } from '../../../src/store/dynamodb/attribute-values.js';
import { context, workbench } from '../support.js';

const QUEUES = {
  orders: { retryMode: 'perRecord' },
  other: { retryMode: 'perRecord' },
  bulk: { retryMode: 'progressive' },
} as const;

interface Options {
  readonly answer?: 'accepted' | 'refused';
  readonly env?: Readonly<Record<string, string>>;
}

function bench({ answer = 'accepted', env = {} }: Options = {}) {
  const made = workbench(QUEUES);
  const { clock } = made.overrides;
  const sent: unknown[] = [];
  const started: unknown[] = [];
  const slept: number[] = [];
  let fails = 0;
  let isSlow = false;
  const invoker: Invoker = {
    invoke: async ({ functionName, event }) => {
      started.push([functionName, event]);
      return answer;
    },
    async sendToRedelivery() {
      throw new Error('no record is looked at again');
    },
    async sendShortWait(wait, delaySeconds) {
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 20));
      if (fails-- > 0) throw new Error('SQS does not answer');
      sent.push([wait.queue, wait.dueAt - clock.now(), delaySeconds]);
    },
    async giveUp(body) {
      throw new Error(`given up: ${body}`);
    },
  };
  const handler = intakeHandler({
    ...made.overrides,
    clock: { ...clock, sleep: async (milliseconds) => void slept.push(milliseconds) },
    invoker,
    env: {
      ...made.overrides.env,
      BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify({ Orders: ['orders', 'bulk'], Other: ['other'] }),
      BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/returns',
      ...env,
    },
  });
  const second = Math.floor(clock.now() / 1000);
  /** A change of the stream as a settle has left it, due in so many seconds. */
  const settled = (id: string, dueInSeconds: number, more: Item | object = {}) => {
    const dueAt = new Date((second + dueInSeconds) * 1000 + 1).toISOString();
    const item = {
      id,
      status: 'ERROR',
      queue: 'orders',
      lane: 'orders',
      dueAt,
      exact: true,
      rev: 'r',
      ...more,
    };
    const dynamodb = { SequenceNumber: id, Keys: { id: { S: id } }, NewImage: toAttributes(item as Item) };
    return { eventSource: 'aws:dynamodb', eventName: 'MODIFY', dynamodb };
  };
  const ended = (queue: string, dueInMs: number) => {
    const body = JSON.stringify({ shortWait: { queue, dueAt: clock.now() + dueInMs } });
    return { eventSource: 'aws:sqs', messageId: `${queue} ${dueInMs}`, body };
  };
  const takes = (...Records: object[]) => handler({ Records }, context);
  const slowSends = () => {
    isSlow = true;
  };
  const failSends = (count: number) => {
    fails = count;
  };
  return { ...made, clock, sent, started, slept, settled, ended, takes, failSends, slowSends };
}

const ALL_DONE = { batchItemFailures: [] };

it('one message is sent for each second in which records of a queue come due', async () => {
  const { takes, settled, sent } = bench();
  const first = [settled('a', 10), settled('b', 10), settled('c', 20)];
  const other = settled('d', 10, { queue: 'other', lane: 'other' });
  expect(await takes(...first, other)).toEqual(ALL_DONE);
  expect(await takes(settled('e', 10), settled('f', 20))).toEqual(ALL_DONE);
  expect(sent).toEqual([
    ['orders', 10_001, 11],
    ['orders', 20_001, 21],
    ['other', 10_001, 11],
  ]);
});

it('the intake ends when its messages are sent: its process may be frozen after that', async () => {
  const { takes, settled, sent, slowSends } = bench();
  slowSends();
  await takes(settled('a', 10));
  expect(sent).toHaveLength(1);
});

it('a message is no sooner than the index shows the record', async () => {
  const { takes, settled, sent } = bench();
  await takes(settled('a', 0));
  expect(sent).toEqual([['orders', 1, 1]]);
});

it('no message is sent for what a function cannot be started for, or need not be', async () => {
  const { takes, settled, sent } = bench();
  const rounded = { dueAt: new Date(Date.now() + 10_000).toISOString().replace(/\d{3}Z$/, '500Z') };
  await takes(
    settled('a', 10, rounded),
    settled('b', 10, { exact: undefined }),
    settled('c', 10, { queue: 'bulk', lane: 'bulk' }),
    settled('d', 10, { queue: 'unknown', lane: 'unknown' }),
    settled('e', 10, { dueAt: 'never.001Z' }),
  );
  expect(sent).toEqual([]);
});

it('a due time in a year, which no wait of the library has, costs one message', async () => {
  const { takes, settled, ended, sent, started, slept } = bench();
  const year = 365 * 86_400;
  await takes(settled('a', year));
  await takes(ended('orders', year * 1000 - 900_000));
  expect(sent).toEqual([['orders', year * 1000 + 1, 900]]);
  expect(started).toHaveLength(1);
  expect(slept).toEqual([1_000]);
});

it('a sandbox remembers a thousand seconds at most for which it has sent messages', async () => {
  const { takes, settled, sent } = bench();
  for (let i = 1; i <= 1_001; i++) await takes(settled(`r${i}`, i));
  await takes(settled('again', 1));
  expect(sent).toHaveLength(1_002);
});

it('a message that cannot be sent is left to the rule, and tried again for the next record', async () => {
  const { takes, settled, sent, failSends, log } = bench();
  failSends(1);
  expect(await takes(settled('a', 10))).toEqual(ALL_DONE);
  expect(sent).toEqual([]);
  expect(log().map(({ level, message }) => [level, message])).toContainEqual([
    'WARN',
    'a wait of less than a tick is left to the next rule',
  ]);
  await takes(settled('b', 10));
  expect(sent).toHaveLength(1);
});

it('a record that a producer has put beside them is dealt with all the same', async () => {
  const { takes, settled, sent, store } = bench();
  const { dynamodb } = settled('bare', 0);
  const item = { id: 'bare', status: 'NEW', queue: 'bulk', payload: {}, exact: true };
  store.put(item);
  const put = { ...dynamodb, NewImage: toAttributes(item) };
  await takes(settled('a', 10), { eventSource: 'aws:dynamodb', eventName: 'INSERT', dynamodb: put });
  expect(sent).toHaveLength(1);
});

it('a message starts one run for each queue, for what has come due since', async () => {
  const { takes, ended, started, clock } = bench();
  expect(await takes(ended('orders', -300), ended('orders', -1_300), ended('other', 0))).toEqual(ALL_DONE);
  const since = clock.now() - 5_000;
  expect(started).toEqual([
    ['Orders', { queue: 'orders', exactSince: since - 1_300 }],
    ['Other', { queue: 'other', exactSince: since }],
  ]);
});

it('a due time of long ago has no run look through all that has come due since', async () => {
  const { takes, ended, started, clock } = bench();
  await takes(ended('orders', -365 * 86_400_000), ended('orders', -300));
  expect(started).toEqual([['Orders', { queue: 'orders', exactSince: clock.now() - 900_000 }]]);
});

it('a run that is started for several messages begins when the last of them has come due', async () => {
  const { takes, ended, started, slept, clock } = bench();
  const at = clock.now();
  expect(await takes(ended('orders', 900), ended('orders', -100), ended('orders', 300))).toEqual(ALL_DONE);
  expect(started).toEqual([['Orders', { queue: 'orders', exactSince: at - 100 - 5_000 }]]);
  expect(slept).toEqual([900]);
});

it('a message starts nothing in a queue that has become progressive, or is gone', async () => {
  const { takes, ended, started } = bench();
  expect(await takes(ended('bulk', 0), ended('gone', 0))).toEqual(ALL_DONE);
  expect(started).toEqual([]);
});

it('a function that cannot be started leaves the records to the rule', async () => {
  const { takes, ended, started } = bench({ answer: 'refused' });
  expect(await takes(ended('orders', 0))).toEqual(ALL_DONE);
  expect(started).toHaveLength(1);
});
