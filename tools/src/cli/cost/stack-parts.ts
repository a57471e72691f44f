import { ConfigurationError } from 'dynamo-backlog';
import { type TableDescription, TOKEN } from 'dynamo-backlog/engine';
import { NAMESPACE, ownAlarm } from '../../cloudwatch/own-alarm.js';
import type { Measured } from '../../cost/measured-bill.js';
import type { Template } from '../../local/template/assembly.js';
import type { DescribedTemplate } from '../diff/read-metadata.js';
import { printable } from '../output.js';

/** The parts of a stack that are billed: those of all its Backlogs. */
export interface StackParts {
  /** Tables of records by name, with the queues of each. */
  readonly records: ReadonlyMap<string, readonly string[]>;
  readonly controls: readonly string[];
  readonly functions: readonly StackFunction[];
  /** Queues that no function of the stack attempts: a process does, or the function of another stack. */
  readonly elsewhere: readonly { readonly queue: string; readonly isProcess: boolean }[];
  readonly isProgressive: boolean;
  readonly metrics: 'full' | 'essential' | 'off';
  readonly monitoring: Measured['monitoring'];
}

export interface StackFunction {
  readonly name: string;
  /** It attempts records. */
  readonly isRun: boolean;
  readonly memoryMb: number;
  readonly isArm: boolean;
  /** Undefined: its name is not known. */
  readonly logGroup: string | undefined;
}

/** Handlers that the construct brings, and that attempt nothing. */
const HELPER = /^(?:intake|sweep|monitor|record-events|widget|widget-actions)\.handler$/;
/** Lambda's own default. */
const DEFAULT_MEMORY_MB = 128;
const COMPOSITE = /^Some alarm of the backlog is on\./;

/**
 * Finds the parts of a stack.
 *
 * @param names of the resources by logical id
 * @throws ConfigurationError if the stack has no Backlog, or none of its tables is known
 */
export function partsOf(
  { template, backlogs, where }: DescribedTemplate,
  names: ReadonlyMap<string, string>,
): StackParts {
  if (backlogs.size === 0) throw new ConfigurationError(`--stack: the ${where} describes no Backlog`);
  const records = new Map<string, string[]>();
  const controls = new Set<string>();
  for (const [path, described] of backlogs) {
    const nameOf = ({ logicalId, name }: TableDescription): string => {
      const found = logicalId === undefined ? name : names.get(logicalId);
      if (found !== undefined && !found.startsWith(TOKEN)) return found;
      throw new ConfigurationError(
        `--stack: the ${where} does not tell the tables of ${printable(path)}: they are another stack's: name that stack`,
      );
    };
    const table = nameOf(described.records);
    records.set(table, [...(records.get(table) ?? []), ...Object.keys(described.queues)]);
    controls.add(nameOf(described.control));
  }
  const queues = [...backlogs.values()].flatMap(({ queues }) => Object.entries(queues));
  const found = functionsOf(template, names);
  const served = found.map(({ queues }) => queues);
  const isHere = (queue: string) => served.some((text) => text === 'all' || text.includes(`\\"${queue}\\":`));
  const elsewhere = queues.filter(([queue, { work }]) => work === 'external' || !isHere(queue));
  return {
    records,
    controls: [...controls],
    functions: found.map(({ fn }) => fn),
    elsewhere: elsewhere.map(([queue, { work }]) => ({ queue, isProcess: work === 'external' })),
    isProgressive: queues.length > 0 && queues.every(([, { retryMode }]) => retryMode === 'progressive'),
    metrics: found.map(({ metrics }) => metrics).find((level) => level !== undefined) ?? 'full',
    monitoring: monitoringOf(template),
  };
}

interface FunctionProperties {
  readonly Environment?: { readonly Variables?: Readonly<Record<string, unknown>> };
  readonly Handler?: unknown;
  readonly MemorySize?: unknown;
  readonly Architectures?: unknown;
  readonly LoggingConfig?: { readonly LogGroup?: unknown };
}

/** The functions that have the variables of a Backlog, with the queues that each attempts. */
function functionsOf({ Resources = {} }: Template, names: ReadonlyMap<string, string>) {
  return Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
    const { Environment, Handler, MemorySize, Architectures, LoggingConfig } =
      Properties as FunctionProperties;
    const variables = Environment?.Variables ?? {};
    const name = names.get(id);
    if (Type !== 'AWS::Lambda::Function' || !('BACKLOG_CONTROL_TABLE' in variables) || name === undefined)
      return [];
    const group = LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`;
    const isRun = !HELPER.test(String(Handler));
    const fn: StackFunction = {
      name,
      isRun,
      memoryMb: Number(MemorySize ?? DEFAULT_MEMORY_MB),
      isArm: JSON.stringify(Architectures ?? []).includes('arm64'),
      logGroup: typeof group === 'string' ? group : names.get(String((group as { Ref?: unknown }).Ref)),
    };
    // A file has queues that do not fit into variables.
    const text = 'BACKLOG_QUEUES_FILE' in variables ? 'all' : JSON.stringify(variables.BACKLOG_QUEUES ?? '');
    const metrics = variables.BACKLOG_METRICS as StackParts['metrics'] | undefined;
    return [{ fn, queues: isRun ? text : '', metrics }];
  });
}

/** Alarms by the metrics that they read, as they are billed. */
function monitoringOf({ Resources = {} }: Template): Measured['monitoring'] {
  const ofType = (type: string) =>
    Object.values(Resources).flatMap(({ Type, Properties = {} }) =>
      Type === `AWS::CloudWatch::${type}` ? [Properties] : [],
    );
  const alarms = ofType('Alarm').filter(({ AlarmDescription }) => ownAlarm(textOf(AlarmDescription)));
  const metrics = alarms.flatMap(({ Metrics }) =>
    Array.isArray(Metrics) ? Metrics.filter(({ MetricStat }) => MetricStat) : [{}],
  );
  return {
    alarms: metrics.length,
    composites: ofType('CompositeAlarm').filter(({ AlarmDescription }) =>
      COMPOSITE.test(textOf(AlarmDescription)),
    ).length,
    dashboards: ofType('Dashboard').filter((one) => JSON.stringify(one).includes(NAMESPACE)).length,
  };
}

/** A text that may be put together at deployment. */
function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : JSON.stringify(value ?? '').replace(/^\{"Fn::Join":\["",\["/, '');
}
