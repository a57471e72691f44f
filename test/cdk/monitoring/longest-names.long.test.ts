import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { expect, it } from 'vitest';
import type { BacklogProps } from '../../../cdk/index.js';
import { progressiveQueue, retryQueue } from '../support.js';
import { deployed, queues } from './longest-names.js';

const ENTRY = { retry: { type: 'fibonacci' }, entry: 'test/cdk/fixtures/handler.ts' } as const;
const SCHEDULER = { trigger: 'scheduler', widget: true, tracing: Tracing.ACTIVE } as const;

it.each<[string, BacklogProps]>([
  ['200 queues, one alarm each for all', { queues: queues(200, retryQueue), alarms: 'essential' }],
  [
    '200 progressive queues with schedules',
    { ...SCHEDULER, queues: queues(200, progressiveQueue), alarms: 'essential' },
  ],
  ['100 queues with alarms of their own', { queues: queues(100, retryQueue) }],
  ['20 queues with functions of their own', { ...SCHEDULER, queues: queues(20, ENTRY) }],
  ['40 queues of one function, with rules', { queues: queues(40, retryQueue), alarms: false }],
])('%s: a stack with the longest names keeps all limits', (_, props) => {
  for (const inFolder of [false, true]) {
    const { beyond, unwatched } = deployed(props, { inFolder });
    expect(beyond).toEqual([]);
    expect(props.alarms === false ? [] : unwatched).toEqual([]);
  }
});

it('as many queues as the variables of a function have room for stay below the 4 KB that Lambda takes', () => {
  for (let count = 12; count <= 60; count += 6) {
    for (const characters of [10, 40]) {
      const many = queues(count, { ...retryQueue, concurrency: 2 }, characters);
      const { beyond } = deployed({ ...SCHEDULER, queues: many, alarms: false }, { inFolder: true });
      expect(beyond).toEqual([]);
    }
  }
});

it('the rule of the composite alarm fits where 13 queues and their stack have the longest names, and watches each alarm', () => {
  const { beyond, unwatched, resolved } = deployed({ queues: queues(13, retryQueue) });
  expect(beyond).toEqual([]);
  expect(unwatched).toEqual([]);
  const composites = Object.values(resolved.Resources).filter(({ Type }) => Type.endsWith('CompositeAlarm'));
  expect(composites).toHaveLength(3);
});
