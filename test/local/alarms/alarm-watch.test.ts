import { describe, expect, it } from 'vitest';
import { AlarmWatch } from '../../../tools/src/local/alarms/alarm-watch.js';
import { localAlarms } from '../../../tools/src/local/alarms/alarms-on.js';
import { ofInvocation, ofMessage } from '../../../tools/src/local/alarms/measured.js';
import { alarmsOf } from '../../cloudwatch/alarms.js';
import { properties, templateOf } from '../../cloudwatch/support.js';

const START = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const ofQueue = { Namespace: 'Shop', Period: 60, Dimensions: [{ Name: 'Queue', Value: 'orders' }] };
const failing = {
  ...properties,
  ...ofQueue,
  MetricName: 'FailingSeconds',
  Statistic: 'Maximum',
  Threshold: 0,
};

const lineOf = (values: Record<string, unknown>) =>
  JSON.stringify({
    _aws: {
      Timestamp: 1,
      CloudWatchMetrics: [
        {
          Namespace: 'Shop',
          Dimensions: [['Queue']],
          Metrics: Object.keys(values).map((Name) => ({ Name })),
        },
      ],
    },
    Queue: 'orders',
    ...values,
  });

function watchOf(
  alarms: Record<string, Record<string, unknown>>,
  composites: Record<string, Record<string, unknown>> = {},
  unknown: readonly string[] = [],
) {
  const state = { now: START };
  const heard: string[] = [];
  const read = (all: typeof alarms) => [{ alarms: alarmsOf(templateOf(all, composites)), unknown }];
  const watch = new AlarmWatch({
    alarms: read(alarms),
    now: () => state.now,
    onChange: ({ name, from, until }) =>
      heard.push(`${name} ${from.slice(11, 16)}-${until?.slice(11, 16) ?? ''}`),
  });
  const pass = (minutes: number) => {
    state.now += minutes * MINUTE;
    return watch.status();
  };
  return { watch, heard, pass, read };
}

describe('the alarms of a local runtime', () => {
  it('go on and off by what functions log, minute by minute of the backlog', () => {
    const { watch, heard, pass } = watchOf({ Failing: failing }, { Any: { AlarmRule: 'ALARM("Failing")' } });
    expect(pass(3)).toEqual({ since: '2026-03-01T12:00:00.000Z', watched: 2, unknown: [], episodes: [] });
    for (let minute = 0; minute < 4; minute++) {
      watch.addLine(lineOf({ FailingSeconds: 300 + 60 * minute }));
      pass(1);
    }
    expect(watch.status().episodes).toMatchObject([
      { name: 'Failing', from: '2026-03-01T12:04:00.000Z' },
      { name: 'Any', from: '2026-03-01T12:04:00.000Z' },
    ]);
    watch.addLine(lineOf({ FailingSeconds: 0 }));
    expect(pass(5).episodes.map(({ until }) => until !== undefined)).toEqual([true, true]);
    expect(heard).toEqual(['Failing 12:04-', 'Any 12:04-', 'Failing 12:04-12:08', 'Any 12:04-12:08']);
  });

  it('have severity, table and queue, and are on for the table that they watch or for all', () => {
    const AlarmDescription = '[page] Records have failed. Runbook: docs/runbook.md#failures';
    const of = (Table: string) => ({
      ...{ ...failing, AlarmDescription, Namespace: 'DynamoBacklog' },
      Dimensions: [
        { Name: 'Table', Value: Table },
        { Name: 'Queue', Value: 'orders' },
      ],
    });
    const alarms = { 'Failures-orders': of('Records'), Other: of('Others'), Mine: failing };
    const { watch, pass } = watchOf(alarms);
    const put = (dimensions: Record<string, string>, namespace: string) =>
      watch.add([{ namespace, name: 'FailingSeconds', dimensions, values: [300] }]);
    pass(1);
    expect(localAlarms(() => watch.status(), 'Records').on).toEqual([]);
    for (const Table of ['Records', 'Others']) put({ Table, Queue: 'orders' }, 'DynamoBacklog');
    put({ Queue: 'orders' }, 'Shop');
    const status = pass(1);
    expect(status.episodes.map(({ name, level, table, queue }) => [name, level, table, queue])).toEqual([
      ['Failures-orders', 'page', 'Records', 'orders'],
      ['Other', 'page', 'Others', 'orders'],
      ['Mine', undefined, undefined, undefined],
    ]);
    const since = Date.parse('2026-03-01T12:02:00Z');
    expect(localAlarms(() => status, 'Records').on).toEqual([
      { id: 'Failures-orders', name: 'Failures-orders', level: 'page', queue: 'orders', since },
    ]);
    const over = status.episodes.map((episode) => ({ ...episode, until: episode.from }));
    expect(localAlarms(() => ({ ...status, episodes: over }), 'Records').on).toEqual([]);
    for (const unknown of [undefined, { ...status, watched: 0 }])
      expect(localAlarms(() => unknown, 'Records').on).toBeUndefined();
  });

  it('take a line that CloudWatch would drop for none', () => {
    const { watch, pass } = watchOf({ Failing: failing });
    for (const line of [
      '{"_aws":',
      '{"_aws":{"CloudWatchMetrics":[{}]}}',
      lineOf({ FailingSeconds: 'many' }),
      lineOf({ FailingSeconds: 7 }).replace(':7', ':1e999'),
    ])
      watch.addLine(line);
    expect(pass(2).episodes).toEqual([]);
  });

  it('count what the runtime measures as Lambda and SQS do', () => {
    const named = (Name: string, Value: string) => ({ Dimensions: [{ Name, Value }] });
    const { watch, pass } = watchOf({
      Errors: {
        ...properties,
        Namespace: 'AWS/Lambda',
        MetricName: 'Errors',
        ...named('FunctionName', 'Run'),
      },
      Given: {
        ...{ ...properties, Namespace: 'AWS/SQS', MetricName: 'NumberOfMessagesSent' },
        ...named('QueueName', 'Dlq'),
      },
    });
    watch.add(ofInvocation('Run', false));
    watch.add(ofInvocation('Another', true));
    expect(pass(1).episodes).toEqual([]);
    watch.add(ofInvocation('Run', true));
    watch.add([ofMessage('Dlq')]);
    expect(pass(1).episodes.map(({ name }) => name)).toEqual(['Errors', 'Given']);
  });

  it('are not said to be quiet where only AWS has their metrics', () => {
    const age = { ...properties, Namespace: 'AWS/Lambda', MetricName: 'IteratorAge' };
    const { pass } = watchOf({ Failing: failing, Age: age }, {}, ['Anomaly']);
    expect(pass(10)).toMatchObject({ watched: 1, unknown: ['Anomaly', 'Age'] });
  });

  it('that missing data raise wait until data are missing, not only not there yet', () => {
    const beat = { ...failing, EvaluationPeriods: 10, TreatMissingData: 'breaching' };
    const { pass } = watchOf({ Beat: beat });
    expect(pass(9).episodes).toEqual([]);
    expect(pass(3).episodes).toMatchObject([{ name: 'Beat', from: '2026-03-01T12:10:00.000Z' }]);
  });

  it('begin again when the app has other ones, and go on when it has the same', () => {
    const { watch, pass, read } = watchOf({ Failing: failing });
    watch.addLine(lineOf({ FailingSeconds: 300 }));
    pass(1);
    watch.replace(read({ Failing: { ...failing } }));
    expect(watch.status().episodes).toHaveLength(1);
    watch.replace(read({ Failing: { ...failing, Threshold: 9 } }));
    expect(watch.status()).toMatchObject({ since: '2026-03-01T12:01:00.000Z', episodes: [] });
  });

  it('of two stacks with the same logical ids are told apart', () => {
    const state = { now: START };
    const { read } = watchOf({ Failing: failing });
    const alarms = [...read({ Failing: failing }), ...read({ Failing: { ...failing, Threshold: 1_000 } })];
    const watch = new AlarmWatch({ alarms, now: () => state.now });
    watch.addLine(lineOf({ FailingSeconds: 300 }));
    state.now += MINUTE;
    expect(watch.status()).toMatchObject({ watched: 2, episodes: [{ name: 'Failing' }] });
  });

  it('make up for a day at most when the clock leaps', () => {
    const { watch, pass } = watchOf({ Failing: failing });
    watch.addLine(lineOf({ FailingSeconds: 300 }));
    expect(pass(400 * 1_440).episodes).toEqual([]);
  });
});
