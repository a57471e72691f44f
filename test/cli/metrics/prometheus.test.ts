import { describe, expect, it } from 'vitest';
import { GAUGE_FIELDS, QUEUE_GAUGES } from '../../../src/monitor/index.js';
import { prometheusName, prometheusText } from '../../../tools/src/metrics/prometheus.js';

const values = { waiting: 3, dead: 0, oldestDueAge: 12.5, paused: 0 } as const;

/** A sample line of the format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
const SAMPLE = /^[a-z_]+\{table="(?:[^"\\\n]|\\["\\n])*",queue="(?:[^"\\\n]|\\["\\n])*"\} \d+(?:\.\d+)?$/;

describe('the text format of Prometheus', () => {
  it('has a help line, a type line and the samples of each gauge that is known', () => {
    const text = prometheusText([
      { table: 'Records', queue: 'orders', values },
      { table: 'Records', queue: 'bulk', values: { readingAge: 900, failing: 0 } },
    ]);
    expect(text.split('\n')).toEqual([
      '# HELP backlog_records_waiting Records that wait for an attempt, now or later',
      '# TYPE backlog_records_waiting gauge',
      'backlog_records_waiting{table="Records",queue="orders"} 3',
      '# HELP backlog_records_dead Records that were given up and are still in the table',
      '# TYPE backlog_records_dead gauge',
      'backlog_records_dead{table="Records",queue="orders"} 0',
      '# HELP backlog_oldest_due_age_seconds Lateness of the record that has been due for longest; 0: none is due',
      '# TYPE backlog_oldest_due_age_seconds gauge',
      'backlog_oldest_due_age_seconds{table="Records",queue="orders"} 12.5',
      '# HELP backlog_failing_duration_seconds Time for which records have failed without recovery; 0: they have recovered lately',
      '# TYPE backlog_failing_duration_seconds gauge',
      'backlog_failing_duration_seconds{table="Records",queue="bulk"} 0',
      '# HELP backlog_queue_paused 1: an operator has paused the queue',
      '# TYPE backlog_queue_paused gauge',
      'backlog_queue_paused{table="Records",queue="orders"} 0',
      '# HELP backlog_reading_age_seconds Time since the records of the queue were counted',
      '# TYPE backlog_reading_age_seconds gauge',
      'backlog_reading_age_seconds{table="Records",queue="bulk"} 900',
      '',
    ]);
    expect(prometheusText([])).toBe('');
  });

  it('escapes names, which any service may have written', () => {
    const hostile = ['a"} 1\nevil 2', 'back\\slash', '\u001b[2J', 'over\u202eride', 'ü 日本', '{{$labels}}'];
    const text = prometheusText(hostile.map((queue) => ({ table: 'T', queue, values: { waiting: 1 } })));
    const samples = text.split('\n').slice(2, -1);
    expect(samples).toHaveLength(hostile.length);
    for (const line of samples) expect(line).toMatch(SAMPLE);
    expect(samples.slice(0, 4)).toEqual([
      'backlog_records_waiting{table="T",queue="a\\"} 1\\nevil 2"} 1',
      'backlog_records_waiting{table="T",queue="back\\\\slash"} 1',
      'backlog_records_waiting{table="T",queue="\\\\u001b[2J"} 1',
      'backlog_records_waiting{table="T",queue="over\\\\u202eride"} 1',
    ]);
  });

  it('has each series once, as Prometheus refuses all samples where one comes twice', () => {
    const twins = ['\u202e', '\\u202e'].map((queue) => ({ table: 'T', queue, values: { dead: 1 } }));
    const samples = prometheusText(twins).split('\n').slice(2, -1);
    expect(samples).toHaveLength(new Set(samples).size);
  });

  it('has names with base units, as OpenTelemetry translates its own', () => {
    for (const field of GAUGE_FIELDS) {
      const { name, unit } = QUEUE_GAUGES[field];
      expect(name).toMatch(/^backlog(\.[a-z]+(_[a-z]+)*){2}$/);
      const translated = prometheusName(QUEUE_GAUGES[field]);
      expect(translated.endsWith('_seconds')).toBe(unit === 's');
    }
  });
});
