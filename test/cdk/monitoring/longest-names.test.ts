import { expect, it } from 'vitest';
import { retryQueue } from '../support.js';
import { deployed, queues } from './longest-names.js';

it('the rule of the composite alarm fits where 13 queues and their stack have the longest names, and watches each alarm', () => {
  const { beyond, unwatched, resolved } = deployed({ queues: queues(13, retryQueue) });
  expect(beyond).toEqual([]);
  expect(unwatched).toEqual([]);
  const composites = Object.values(resolved.Resources).filter(({ Type }) => Type.endsWith('CompositeAlarm'));
  expect(composites).toHaveLength(3);
});

it('one composite alarm watches the alarms of 10 ordinary queues, whatever their stack is called', () => {
  const { beyond, unwatched, resolved } = deployed({ queues: queues(10, retryQueue, 12) });
  expect(beyond).toEqual([]);
  expect(unwatched).toEqual([]);
  const composites = Object.values(resolved.Resources).filter(({ Type }) => Type.endsWith('CompositeAlarm'));
  expect(composites).toHaveLength(1);
});
