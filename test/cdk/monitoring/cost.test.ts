import { expect, it } from 'vitest';
import { MONITORING } from '../../../tools/src/cost/own-bill.js';
import { backlogWith } from '../support.js';

const QUEUE = { retry: { type: 'fibonacci' }, entry: 'test/cdk/fixtures/handler.ts' } as const;

it.each([
  ['full', 1],
  ['full', 3],
  ['minimal', 3],
] as const)('backlog cost counts the alarms that there are: %s, %i queues', (kind, count) => {
  const queues = Object.fromEntries(Array.from({ length: count }, (_, i) => [`queue${i}`, QUEUE]));
  const { template } = backlogWith({ queues, minimal: kind === 'minimal' });
  const countOf = (type: string) => Object.keys(template.findResources(`AWS::CloudWatch::${type}`)).length;
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const metrics = alarms.flatMap(({ Properties }) =>
    (Properties.Metrics ?? [{ MetricStat: {} }]).filter(
      ({ MetricStat }: { MetricStat?: object }) => MetricStat,
    ),
  );
  const { alarms: base, alarmsPerQueue, composites, dashboards } = MONITORING[kind];
  expect(metrics).toHaveLength(base + count * alarmsPerQueue);
  expect([countOf('CompositeAlarm'), countOf('Dashboard')]).toEqual([composites, dashboards]);
});
