import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { emitIntakeMetrics, emitMetrics, METRICS_NAMESPACE } from '../../functions/metrics.js';
import type { RunSummary } from '../../src/worker/index.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';

const MINUTE = 60_000;
const AT = Date.parse('2026-03-01T12:00:00Z');

const run: RunSummary = {
  queue: 'orders',
  lane: 'orders',
  attempted: 5,
  succeeded: 2,
  failed: 2,
  dead: 1,
  snoozed: 0,
  cancelled: 0,
  skipped: 0,
  unsettled: 0,
  leftOver: 0,
  lagSeconds: 12.5,
  ended: 'drained',
  durationMs: 10,
};

function lineOf(directives: unknown[], values: Record<string, unknown>): string {
  return JSON.stringify({ _aws: { Timestamp: AT, CloudWatchMetrics: directives }, ...values });
}

describe('what the functions print', () => {
  afterEach(() => vi.restoreAllMocks());

  function printed(print: () => void): string[] {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    print();
    vi.restoreAllMocks();
    return lines;
  }

  function stored(lines: readonly string[], dimensions: Record<string, string>) {
    const data = new MetricData();
    for (const line of lines) data.putEmf(line, AT);
    return (name: string) =>
      data.valueBefore(
        { namespace: METRICS_NAMESPACE, name, dimensions, statistic: 'Sum', period: 60 },
        AT + MINUTE,
      );
  }

  it('becomes metrics of the table and the queue', () => {
    const metric = stored(
      printed(() => emitMetrics(run, 'records', 'full')),
      { Table: 'records', Queue: 'orders' },
    );
    expect(['Attempted', 'Succeeded', 'Failed', 'Dead', 'LagSeconds'].map(metric)).toEqual([
      5, 2, 2, 1, 12.5,
    ]);
    expect(metric('CaughtUp')).toBeUndefined();
  });

  it('becomes metrics of the table alone, from both the intake and a run', () => {
    const counts = {
      indexed: 4,
      repaired: 1,
      unknownQueue: 2,
      quarantined: 1,
      refused: 1,
      redelivered: 0,
      notIndexed: 0,
      unprocessed: 0,
    };
    const lines = printed(() => {
      emitIntakeMetrics(counts, 'records', 'full');
      emitMetrics({ ...run, refused: 3 }, 'records', 'full');
    });
    const metric = stored(lines, { Table: 'records' });
    expect(['Indexed', 'Repaired', 'UnknownQueue', 'Refused', 'Redelivered'].map(metric)).toEqual([
      4,
      1,
      2,
      5,
      undefined,
    ]);
    expect(metric('Attempted')).toBeUndefined();
  });

  it('may have several sets of dimensions and several values of a metric, as Powertools prints them', () => {
    const lines = printed(() => {
      const metrics = new Metrics({ namespace: METRICS_NAMESPACE });
      metrics.clearDefaultDimensions();
      metrics.addDimensions({ Table: 'records' });
      metrics.addDimensions({ Queue: 'orders' });
      metrics.addMetric('Late', MetricUnit.Seconds, 3);
      metrics.addMetric('Late', MetricUnit.Seconds, 4);
      metrics.publishStoredMetrics();
    });
    expect(lines).toHaveLength(1);
    expect(stored(lines, { Table: 'records' })('Late')).toBe(7);
    expect(stored(lines, { Queue: 'orders' })('Late')).toBe(7);
    expect(stored(lines, { Table: 'records', Queue: 'orders' })('Late')).toBeUndefined();
  });

  it('has its own time unless it is given one', () => {
    const [line = ''] = printed(() => emitMetrics(run, 'records', 'full'));
    const data = new MetricData();
    const before = Date.now() - MINUTE;
    expect(data.putEmf(line)).toBe(5);
    const metric = {
      namespace: METRICS_NAMESPACE,
      name: 'Dead',
      dimensions: { Table: 'records', Queue: 'orders' },
    };
    expect(data.firstAt(metric)).toBeGreaterThan(before);
  });
});

describe('the embedded metric format', () => {
  it('has several sets of dimensions, several values of a metric, and several directives', () => {
    const data = new MetricData();
    const count = data.putEmf(
      lineOf(
        [
          { Namespace: 'A', Dimensions: [['x', 'y'], ['x'], []], Metrics: [{ Name: 'm', Unit: 'Count' }] },
          { Namespace: 'B', Dimensions: [[]], Metrics: [{ Name: 'n' }] },
        ],
        { x: '1', y: '2', m: [1, 2, 4], n: 5 },
      ),
    );
    expect(count).toBe(4);
    const value = (namespace: string, name: string, dimensions = {}, unit?: string) =>
      data.valueBefore({ namespace, name, dimensions, unit, statistic: 'Sum', period: 60 }, AT + MINUTE);
    expect(value('A', 'm', { x: '1', y: '2' })).toBe(7);
    expect(value('A', 'm', { x: '1' })).toBe(7);
    expect(value('A', 'm', {}, 'Count')).toBe(7);
    expect(value('A', 'm', { y: '2' })).toBeUndefined();
    expect(value('B', 'n', {}, 'None')).toBe(5);
  });

  it.each(['', 'START RequestId: 1', '{"level":"INFO"}', '{"_aws":{}}', '{', '[1]'])(
    'is not that of the line %j',
    (line) => {
      const data = new MetricData();
      expect(data.putEmf(line)).toBe(0);
      expect(data.names()).toEqual([]);
    },
  );

  const directive = { Namespace: 'A', Dimensions: [['x']], Metrics: [{ Name: 'm' }] };
  it.each([
    ['no text for the dimension x', directive, { m: 1 }],
    ['no text for the dimension x', directive, { m: 1, x: 5 }],
    ['no number for the metric m', directive, { x: '1' }],
    ['no number for the metric m', directive, { x: '1', m: ['2'] }],
    ['101 values of m', directive, { x: '1', m: Array(101).fill(1) }],
    ['101 metrics', { ...directive, Metrics: Array(101).fill({ Name: 'm' }) }, { x: '1', m: 1 }],
    ['31 dimensions', { ...directive, Dimensions: [Array(31).fill('x')] }, { x: '1', m: 1 }],
    ['without a set of dimensions', { ...directive, Dimensions: [] }, { m: 1 }],
    ['without a namespace', { ...directive, Namespace: '' }, { x: '1', m: 1 }],
  ])('refuses what CloudWatch would drop in silence: %s', (message, broken, values) => {
    expect(() => new MetricData().putEmf(lineOf([broken], values))).toThrow(message);
  });
});
