import { type FakeFigures, metricData } from './fake-metric-data.js';
import { Refusal, startService } from './fake-service.js';

/** An alarm on one metric. */
export interface FakeAlarm {
  readonly name: string;
  readonly description: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** Default: the library's. */
  readonly namespace?: string | undefined;
  /** True: the alarm watches an expression of the metric. */
  readonly isMath?: boolean | undefined;
  /** The time at which it went on, epoch milliseconds. Default: it is off. */
  readonly onSince?: number | undefined;
}

interface FakeRule {
  readonly Name: string;
  readonly Description: string;
  readonly Rule: { readonly Schedule: { Expression: string; Duration: string; Timezone: string } };
  readonly MuteTargets?: { readonly AlarmNames: readonly string[] };
}

/** CloudWatch, as far as it is asked: alarms by their metric, alarms that are on, figures of metrics, and rules of mutes, which it checks as its documentation says. */
export async function startCloudWatch(alarms: readonly FakeAlarm[]) {
  const rules = new Map<string, FakeRule>();
  let figures: FakeFigures = { hourly: () => undefined };
  let status = 'ACTIVE';
  const answers: Readonly<Record<string, (body: never) => unknown>> = {
    DescribeAlarmsForMetric({ Namespace, MetricName, Dimensions }: MetricRequest) {
      const asked = JSON.stringify(Dimensions.map(({ Name, Value }) => [Name, Value]).sort());
      const found = alarms.filter(
        ({ metric, dimensions, isMath }) =>
          !isMath &&
          Namespace === 'DynamoBacklog' &&
          metric === MetricName &&
          JSON.stringify(Object.entries(dimensions).sort()) === asked,
      );
      return {
        MetricAlarms: found.map(({ name, description }) => ({
          AlarmName: name,
          AlarmDescription: description,
        })),
      };
    },
    DescribeAlarms({ StateValue, MaxRecords = 50, NextToken = '0' }: AlarmsRequest) {
      const from = Number(NextToken);
      const isValid = StateValue === 'ALARM' && MaxRecords >= 1 && MaxRecords <= 100 && from >= 0;
      if (!isValid) throw new Refusal('ValidationError', 'refused');
      const on = alarms.filter(({ onSince }) => onSince !== undefined);
      return {
        MetricAlarms: on.slice(from, from + MaxRecords).map(described),
        ...(on.length > from + MaxRecords ? { NextToken: String(from + MaxRecords) } : {}),
      };
    },
    GetMetricData: (body: Parameters<ReturnType<typeof metricData>>[0]) => metricData(figures)(body),
    PutAlarmMuteRule(rule: FakeRule) {
      const { Expression, Duration, Timezone } = rule.Rule.Schedule;
      const names = rule.MuteTargets?.AlarmNames ?? [];
      const [, days = 0, hours = 0, minutes = 0] = /^P(\d+)DT(\d+)H(\d+)M$/.exec(Duration)?.map(Number) ?? [];
      const length = (days * 24 + hours) * 60 + minutes;
      const isValid =
        /^[\w-]{1,255}$/.test(rule.Name) &&
        /^at\(\d{4}-\d\d-\d\dT\d\d:\d\d\)$/.test(Expression) &&
        Timezone === 'UTC' &&
        length >= 1 &&
        length <= 15 * 24 * 60 &&
        rule.Description.length <= 1_024 &&
        names.length > 0 &&
        names.length <= 100 &&
        names.every((name) => alarms.some((alarm) => alarm.name === name));
      if (!isValid) throw new Refusal('ValidationError', `refused ${JSON.stringify(rule)}`);
      rules.set(rule.Name, rule);
    },
    GetAlarmMuteRule({ AlarmMuteRuleName: name }: RuleRequest) {
      const rule = rules.get(name);
      if (!rule) throw new Refusal('ResourceNotFoundException', `no rule ${name}`);
      return { ...rule, Status: status };
    },
    DeleteAlarmMuteRule({ AlarmMuteRuleName: name }: RuleRequest) {
      rules.delete(name);
    },
  };
  const service = await startService('cloudwatch', answers);
  return {
    ...service,
    rules,
    setFigures: (next: FakeFigures) => {
      figures = next;
    },
    setStatus: (next: string) => {
      status = next;
    },
  };
}

interface MetricRequest {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
}

interface AlarmsRequest {
  readonly StateValue?: string;
  readonly MaxRecords?: number;
  readonly NextToken?: string;
}

function described({ name, description, namespace = 'DynamoBacklog', onSince = 0, ...alarm }: FakeAlarm) {
  const Dimensions = Object.entries(alarm.dimensions).map(([Name, Value]) => ({ Name, Value }));
  const metric = { Namespace: namespace, MetricName: alarm.metric, Dimensions };
  const stat = { Metric: metric, Period: 300, Stat: 'Sum' };
  const math = [
    { Id: 'sum', Expression: 'FILL(one, 0)', ReturnData: true },
    { Id: 'one', MetricStat: stat, ReturnData: false },
  ];
  const updated = Date.now() / 1000;
  return {
    ...{ AlarmName: name, AlarmDescription: description, StateValue: 'ALARM' },
    ...{ StateUpdatedTimestamp: updated, StateTransitionedTimestamp: onSince / 1000 },
    ...(alarm.isMath ? { Metrics: math } : metric),
  };
}

interface RuleRequest {
  readonly AlarmMuteRuleName: string;
}
