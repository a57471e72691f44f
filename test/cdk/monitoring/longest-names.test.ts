import { expect, it } from 'vitest';
import { retryQueue } from '../support.js';
import { deployed, queues } from './longest-names.js';

it('one composite alarm watches the alarms of 10 ordinary queues, whatever their stack is called', () => {
  const { beyond, unwatched, resolved } = deployed({ queues: queues(10, retryQueue, 12) });
  expect(beyond).toEqual([]);
  expect(unwatched).toEqual([]);
  const composites = Object.values(resolved.Resources).filter(({ Type }) => Type.endsWith('CompositeAlarm'));
  expect(composites).toHaveLength(1);
});
