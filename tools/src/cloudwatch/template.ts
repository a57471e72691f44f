import {
  type Alarm,
  type AlarmQuery,
  COMPARISONS,
  type Comparison,
  type CompositeAlarm,
  type MetricAlarm,
  MISSING_DATA,
  type MissingData,
} from './alarm.js';
import { parseRule } from './alarm-rule.js';
import { parseExpression } from './expressions.js';
import { type MetricQuery, statisticOf } from './metric-data.js';

/** The template that `Template.toJSON()` gives, or that a synthesized file holds. */
export interface CloudFormationTemplate {
  readonly Resources?: Readonly<Record<string, { readonly Type: string; readonly Properties?: unknown }>>;
}

/** Makes text of a value of a template. */
export type Resolve = (value: unknown) => string;

// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's properties have no types here
type Properties = Readonly<Record<string, any>>;

/**
 * All metric alarms and composite alarms of a template.
 *
 * @param onUnknown called for an alarm that cannot be evaluated here, which is left out then: anomaly detection, SEARCH, SELECT and
 *   PromQL, trimmed means and the like, and time zones other than UTC. Default: its error is thrown, with its logical id
 */
export function alarmsOf(
  template: CloudFormationTemplate,
  resolve: Resolve,
  onUnknown?: (id: string) => void,
): Alarm[] {
  const about = (id: string, read: () => Alarm) => {
    try {
      alarms.set(id, read());
    } catch (error) {
      if (!onUnknown) throw new Error(`alarm ${id}: ${(error as Error).message}`, { cause: error });
      onUnknown(id);
    }
  };
  const resources = Object.entries(template.Resources ?? {});
  const ofType = (type: string): [string, Properties][] =>
    resources
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties }]) => [id, (Properties ?? {}) as Properties]);
  const metricAlarms = ofType('AWS::CloudWatch::Alarm');
  const composites = ofType('AWS::CloudWatch::CompositeAlarm');
  const ids = new Map(
    [...metricAlarms, ...composites].map(([id, properties]) => [nameOf(id, properties, resolve), id]),
  );
  const alarms = new Map<string, Alarm>();
  for (const [id, properties] of metricAlarms) about(id, () => metricAlarm(id, properties, resolve));
  for (const [id, properties] of composites)
    about(id, () => compositeAlarm(id, properties, resolve, ids, alarms));
  return [...alarms.values()];
}

/** A rule names an alarm by its name or its ARN, and a template refers to either. */
function idOf(reference: string, ids: ReadonlyMap<string, string>, resolve: Resolve): string {
  const [, ...inArn] = reference.split(':alarm:');
  const name = inArn.length > 0 ? inArn.join(':alarm:') : reference;
  const named = ids.get(name);
  if (named) return named;
  for (const id of ids.values()) {
    if ([id, resolve({ Ref: id }), resolve({ 'Fn::GetAtt': [id, 'Arn'] })].includes(name)) return id;
  }
  throw new Error(`its rule names an alarm that is not in the template: ${reference}`);
}

function nameOf(id: string, { AlarmName: name }: Properties, resolve: Resolve): string {
  return name === undefined ? id : resolve(name);
}

function anyAlarm(id: string, properties: Properties, resolve: Resolve) {
  const {
    AlarmDescription: description = '',
    AlarmActions: actions = [],
    ActionsEnabled: enabled,
  } = properties;
  return {
    id,
    name: nameOf(id, properties, resolve),
    description: resolve(description),
    actions: String(enabled) === 'false' ? [] : (actions as unknown[]).map(resolve),
  };
}

function compositeAlarm(
  id: string,
  properties: Properties,
  resolve: Resolve,
  ids: ReadonlyMap<string, string>,
  alarms: ReadonlyMap<string, Alarm>,
): CompositeAlarm {
  const rule = parseRule(resolve(properties.AlarmRule), (reference) => idOf(reference, ids, resolve));
  return { ...anyAlarm(id, properties, resolve), type: 'composite', rule, alarms };
}

function metricAlarm(id: string, properties: Properties, resolve: Resolve): MetricAlarm {
  for (const name of ['ThresholdMetricId', 'EvaluationCriteria', 'EvaluationInterval']) {
    if (properties[name] !== undefined) throw new Error(`${name} is not known here`);
  }
  // Then the state would depend on the number of samples.
  if (properties.EvaluateLowSampleCountPercentile === 'ignore') {
    throw new Error('EvaluateLowSampleCountPercentile "ignore" is not known here');
  }
  const comparison = resolve(properties.ComparisonOperator);
  if (!Object.hasOwn(COMPARISONS, comparison)) throw new Error(`unknown ComparisonOperator ${comparison}`);
  const evaluationPeriods = number(properties, 'EvaluationPeriods', resolve);
  const queries = queriesOf(properties, resolve);
  return {
    ...anyAlarm(id, properties, resolve),
    type: 'metric',
    queries,
    threshold: number(properties, 'Threshold', resolve),
    comparison: comparison as Comparison,
    evaluationPeriods,
    datapointsToAlarm:
      properties.DatapointsToAlarm === undefined
        ? evaluationPeriods
        : number(properties, 'DatapointsToAlarm', resolve),
    missingData: missingDataOf(properties, queries),
    window: windowOf(properties),
  };
}

/**
 * "Alarms that evaluate metrics in the AWS/DynamoDB namespace default to ignore missing data": so says
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html. The reference of PutMetricAlarm
 * says that they always do.
 */
function missingDataOf({ TreatMissingData: given }: Properties, queries: readonly AlarmQuery[]): MissingData {
  if (given === undefined) {
    const ofDynamoDB = queries.some(
      (query) => 'metric' in query && query.metric.namespace === 'AWS/DynamoDB',
    );
    return ofDynamoDB ? 'ignore' : 'missing';
  }
  if (!MISSING_DATA.includes(given)) throw new Error(`unknown TreatMissingData ${JSON.stringify(given)}`);
  return given;
}

function windowOf({ EvaluationWindow: window = {} }: Properties): MetricAlarm['window'] {
  if (window.WallClockWindow === undefined) return 'sliding';
  const { Timezone: zone = 'UTC' } = window.WallClockWindow;
  if (!['UTC', 'Z', 'Etc/UTC'].includes(zone)) throw new Error(`the time zone ${zone} is not known here`);
  return 'wallClock';
}

function number(properties: Properties, name: string, resolve: Resolve): number {
  const value = properties[name] === undefined ? Number.NaN : Number(resolve(properties[name]));
  if (!Number.isFinite(value)) throw new Error(`expected a number for ${name}`);
  return value;
}

function queriesOf(properties: Properties, resolve: Resolve): AlarmQuery[] {
  if (properties.Metrics !== undefined) {
    return properties.Metrics.map((query: Properties) => queryOf(query, resolve));
  }
  const { ExtendedStatistic: extended, Statistic: statistic = extended, Period, Unit } = properties;
  return [
    {
      id: 'm1',
      returnData: true,
      metric: metricOf(properties, { Stat: statistic, Period, Unit }, resolve),
    },
  ];
}

function queryOf(query: Properties, resolve: Resolve): AlarmQuery {
  const { Id: id, Expression: expression, MetricStat: stat, ReturnData: returned = true } = query;
  const returnData = String(returned) === 'true';
  if (stat) return { id, returnData, metric: metricOf(stat.Metric, stat, resolve) };
  const period = query.Period === undefined ? undefined : number(query, 'Period', resolve);
  return { id, returnData, expression: parseExpression(resolve(expression)), period };
}

function metricOf(metric: Properties, stat: Properties, resolve: Resolve): MetricQuery {
  const statistic = resolve(stat.Stat);
  statisticOf(statistic);
  return {
    namespace: resolve(metric.Namespace),
    name: resolve(metric.MetricName),
    dimensions: Object.fromEntries(
      (metric.Dimensions ?? []).map(({ Name, Value }: Properties) => [resolve(Name), resolve(Value)]),
    ),
    unit: stat.Unit === undefined ? undefined : resolve(stat.Unit),
    statistic,
    period: number(stat, 'Period', resolve),
  };
}
