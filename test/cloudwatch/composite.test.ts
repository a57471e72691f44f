import { describe, expect, it } from 'vitest';
import { alarmsIn, isTrue, parseRule } from '../../tools/src/cloudwatch/alarm-rule.js';
import { MetricData } from '../../tools/src/cloudwatch/metric-data.js';
import { alarmsOf, firstAlarm, stateAt, stateChanges } from './alarms.js';
import { MINUTE, orders, properties, START, templateOf } from './support.js';

describe('a rule', () => {
  const states: Record<string, string> = { a: 'ALARM', o: 'OK', i: 'INSUFFICIENT_DATA' };

  it.each([
    ['ALARM(a)', true],
    ['ALARM(o)', false],
    ['ALARM(i)', false],
    ['OK("o")', true],
    ["INSUFFICIENT_DATA( 'i' )", true],
    ['OK(i)', false],
    ['TRUE', true],
    ['FALSE', false],
    ['NOT ALARM(o)', true],
    ['NOT ALARM(a) OR TRUE', true],
    ['NOT (ALARM(a) OR TRUE)', false],
    ['NOT NOT ALARM(a)', true],
    ['TRUE OR TRUE AND FALSE', true],
    ['(TRUE OR TRUE) AND FALSE', false],
    ['FALSE AND FALSE OR TRUE', true],
    [' ( ALARM("a")AND\n(NOT ALARM("o")) ) ', true],
  ])('%s is %s', (text, value) => {
    expect(
      isTrue(
        parseRule(text, (name) => name),
        (alarm) => states[alarm] ?? '',
      ),
    ).toBe(value);
  });

  it.each([
    '',
    'ALARM()',
    'alarm(a)',
    'ALARM(a',
    'ALARM(a) ALARM(a)',
    'ALARM(a) AND',
    '(TRUE',
    'TRUE)',
    'TRUEISH',
  ])('%j is none', (text) => {
    const ids = (name: string) => {
      if (name !== 'a') throw new Error(`unknown alarm ${name}`);
      return name;
    };
    expect(() => parseRule(text, ids)).toThrow();
  });

  it('says where it cannot be read', () => {
    expect(() => parseRule('TRUE AND AT_LEAST(2, ALARM, (a, b))', String)).toThrow(
      'expected ALARM(…), OK(…), INSUFFICIENT_DATA(…), NOT, TRUE, FALSE or (, got "AT_LEAST(2',
    );
  });

  it('depends on the alarms that it names', () => {
    expect(alarmsIn(parseRule('ALARM(a) AND NOT (OK(b) OR TRUE)', String))).toEqual(['a', 'b']);
  });
});

describe('a composite alarm', () => {
  const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
  const joined = (...parts: unknown[]) => ({ 'Fn::Join': ['', parts] });
  const other = { ...properties, MetricName: 'Other' };

  function statesOf(AlarmRule: unknown): string[] {
    const alarms = alarmsOf(
      templateOf({ Own: { ...properties, AlarmName: 'own name' }, Other: other }, { Both: { AlarmRule } }),
    );
    const composite = alarms.find(({ id }) => id === 'Both');
    if (!composite) throw new Error('no composite alarm');
    const data = new MetricData();
    data.put({ ...orders, value: 1, at: START });
    data.put({ ...orders, name: 'Other', value: 1, at: START + 3 * MINUTE });
    return [0, 1, 4, 40].map((minutes) => stateAt(composite, data, START + minutes * MINUTE));
  }

  const afterOther = ['OK', 'OK', 'ALARM', 'OK'];
  it.each([
    ['ARNs', joined('(ALARM("', arn('Own'), '") AND ALARM("', arn('Other'), '"))')],
    ['references', joined('ALARM(', { Ref: 'Own' }, ') AND ALARM(', { Ref: 'Other' }, ')')],
    ['names', 'ALARM("own name") AND ALARM("Other")'],
    [
      'an ARN of its parts',
      joined('ALARM("arn:aws:cloudwatch:', { Ref: 'AWS::Region' }, ':1:alarm:own name") AND ALARM(Other)'),
    ],
    ['names with spaces around them', "ALARM( 'own name' ) AND ALARM ( Other )"],
    ['a substitution', { 'Fn::Sub': 'ALARM("$' + '{Own.Arn}") AND ALARM("$' + '{Other}")' }],
  ])('names its alarms by %s', (_, rule) => {
    expect(statesOf(rule)).toEqual(afterOther);
  });

  it('is OK or in alarm, whatever the state of its alarms', () => {
    expect(statesOf('ALARM(Own) AND NOT ALARM(Other)')).toEqual(['OK', 'ALARM', 'OK', 'OK']);
  });

  it('does not know alarms of other templates', () => {
    expect(() => statesOf('ALARM(Elsewhere)')).toThrow(
      'alarm Both: its rule names an alarm that is not in the template: Elsewhere',
    );
  });

  it('can rest on another one that comes later in the template, and goes to alarm in the same minute', () => {
    const alarms = alarmsOf(
      templateOf(
        { Own: properties },
        { Top: { AlarmRule: 'ALARM(Middle)' }, Middle: { AlarmRule: 'ALARM(Own)' } },
      ),
    );
    const data = new MetricData();
    data.put({ ...orders, value: 1, at: START + 5 * MINUTE });
    const options = { from: START, until: START + 60 * MINUTE };
    expect(firstAlarm(alarms, data, options)).toEqual([
      { alarm: 'Own', minutes: 6 },
      { alarm: 'Top', minutes: 6 },
      { alarm: 'Middle', minutes: 6 },
    ]);
    const top = alarms.filter(({ id }) => id === 'Top');
    expect(stateChanges(top, data, options)).toEqual([
      { alarm: 'Top', minutes: 6, before: 'OK', state: 'ALARM' },
      { alarm: 'Top', minutes: 21, before: 'ALARM', state: 'OK' },
    ]);
  });
});
