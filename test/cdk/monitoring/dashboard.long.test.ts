import { Duration } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { resolver } from '../../cloudwatch/intrinsics.js';
import {
  backlogWith,
  newStack,
  ownFunction,
  progressiveQueue,
  propertiesOf,
  retryQueue,
} from '../support.js';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly query?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly annotations?: { readonly horizontal?: readonly { readonly value: number }[] };
  };
}

/** Widgets of the dashboard as CloudWatch gets it, with logical ids for names. */
function widgetsOf(template: Template): Widget[] {
  const [{ DashboardBody }] = propertiesOf(template, 'AWS::CloudWatch::Dashboard');
  return JSON.parse(resolver()(DashboardBody)).widgets;
}

const widgetsWith = (props: BacklogProps) => widgetsOf(backlogWith(props).template);
const titled = (widgets: readonly Widget[], title: string) => {
  const found = widgets.find(({ properties }) => properties.title?.startsWith(title));
  if (!found) throw new Error(`no widget ${title}`);
  return found.properties;
};
const optionsOf = (metric: readonly unknown[]) =>
  metric.at(-1) as { id?: string; label?: string; visible?: boolean; expression?: string };
const shownIn = ({ metrics = [] }: Widget['properties']) =>
  metrics.filter((metric) => optionsOf(metric).visible !== false);

const few = { orders: retryQueue, bulk: progressiveQueue };
const many = Object.fromEntries(
  Array.from({ length: 50 }, (_, i) => [`queue-${i}.eu`, i % 2 === 0 ? retryQueue : progressiveQueue]),
);

describe('the dashboard', () => {
  it('shows alarms first, then what waits, what became of it, and what it runs on', () => {
    expect(
      widgetsWith({ queues: few }).map(({ properties: { title, markdown } }) => title ?? markdown),
    ).toEqual([
      'Alarms',
      '## What waits',
      'Oldest due record (seconds late)',
      'Waiting, now or later (records)',
      'Time to drain at the present pace (minutes)',
      'Given up, and still in the table (records)',
      '## Outcomes per minute',
      'Succeeded',
      'Failed, to be retried',
      'Given up',
      'Failed attempts by error',
      'Queues in which there is anything: paused, open breakers, records by tier (youngest first)',
      '## Intake: records that were put without a lane',
      'Age of the stream (milliseconds)',
      'Records',
      '## Functions',
      'Invocations',
      'Errors, throttles and events that were given up',
      'Concurrent executions',
      'Duration, and the timeout (milliseconds)',
      '## DynamoDB',
      'Throttled requests',
      'Latency, 99th percentile (milliseconds)',
      'Consumed units',
    ]);
  });

  it.each([
    ['two queues', few],
    ['fifty queues', many],
  ])('is readable with %s', (_, queues) => {
    const widgets = widgetsWith({ queues, trigger: 'scheduler' });
    expect(widgets.filter(({ type }) => type !== 'alarm')).toHaveLength(23);
    for (const { x, width, properties } of widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      // More than ten lines cannot be told apart.
      const shown = shownIn(properties);
      const isTop =
        shown.length === 1 && String(optionsOf(shown[0] ?? []).expression).startsWith('SLICE(SORT(');
      if (!isTop) expect(shown.length).toBeLessThanOrEqual(11);
      // What CloudWatch takes in one graph.
      expect(properties.metrics?.length ?? 0).toBeLessThanOrEqual(500);
      const ids = properties.metrics?.flatMap((metric) => optionsOf(metric).id ?? []) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
      for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9_]*$/);
    }
  });

  it('shows every alarm, in several widgets if they are more than one takes', () => {
    const { template } = backlogWith({ queues: many, trigger: 'scheduler' });
    const alarms = widgetsOf(template).flatMap(({ properties }) => properties.alarms ?? []);
    const made = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(made.length).toBeGreaterThan(150);
    expect(alarms).toEqual(made.map((id) => `${id}.Arn`));
    for (const { properties } of widgetsOf(template))
      expect(properties.alarms?.length ?? 0).toBeLessThanOrEqual(100);
  });

  it('names queues that differ in signs only apart', () => {
    const widgets = widgetsWith({ queues: { 'a-b': retryQueue, 'a.b': retryQueue, a_b: retryQueue } });
    const { metrics = [] } = titled(widgets, 'Time to drain');
    const expressions = metrics.flatMap((metric) => optionsOf(metric).expression ?? []);
    expect(new Set(expressions).size).toBe(3);
  });

  it('has the least threshold of lag, and the timeouts, as lines', () => {
    const stack = newStack();
    const own = ownFunction(stack, Duration.minutes(14));
    new Backlog(stack, 'Backlog', {
      queues: {
        ...few,
        own: { retry: { type: 'none' }, handler: own, alarms: { lag: Duration.minutes(2) } },
      },
    });
    const widgets = widgetsOf(Template.fromStack(stack));
    const lines = (title: string) =>
      titled(widgets, title).annotations?.horizontal?.map(({ value }) => value);
    expect(lines('Oldest due')).toEqual([120]);
    expect(lines('Duration')).toEqual([300_000, 840_000]);
  });

  it('searches the logs of the functions that are made here, and no others', () => {
    const stack = newStack();
    new Backlog(stack, 'Backlog', {
      queues: { bulk: progressiveQueue, own: { retry: { type: 'none' }, handler: ownFunction(stack) } },
    });
    const widgets = widgetsOf(Template.fromStack(stack));
    expect(titled(widgets, 'Failed attempts by error').query).toMatch(
      /^SOURCE 'BacklogProgressiveDeliveryLogs[0-9A-F]+' \| filter message in/,
    );
    expect(titled(widgets, 'Queues in which').query).toMatch(/^SOURCE 'BacklogMonitorLogs[0-9A-F]+' \|/);
  });

  it.each([
    ['essential', 20],
    ['off', 13],
  ] as const)('has no graphs of metrics that are not written: %s', (metrics, count) => {
    const widgets = widgetsWith({ queues: few, metrics });
    expect(widgets).toHaveLength(count);
    const used = new Set(
      widgets.flatMap(({ properties }) =>
        (properties.metrics ?? []).flatMap(([namespace, name]) =>
          namespace === 'DynamoBacklog' ? [name] : [],
        ),
      ),
    );
    expect([...used].sort()).toEqual(
      metrics === 'off' ? [] : ['Attempted', 'Dead', 'Failed', 'OldestDueAge'],
    );
  });
});
