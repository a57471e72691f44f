import { each, type Item, LINES, perMillion } from './bill.js';
import { GB, OWN_BYTES, ownBill } from './own-bill.js';
import type { Prices } from './prices.js';
import { MONTH_SECONDS, type Workload } from './workload.js';

/** Figures of a deployed stack, counted over some hours. A part that is undefined could not be read. */
export interface Measured {
  readonly hours: number;
  /** Attempts, and those of them that were the last one of their record. */
  readonly attempts?: { readonly made: number; readonly last: number } | undefined;
  /** Units of the tables and their indexes. */
  readonly units?: { readonly writes: number; readonly reads: number } | undefined;
  /** The tables and their indexes now. */
  readonly stored?: Stored | undefined;
  /** Functions that attempt records. */
  readonly runs?: FunctionTime | undefined;
  /** The other functions. */
  readonly helpers?: FunctionTime | undefined;
  /** Bytes that were written to the logs. */
  readonly logBytes?: number | undefined;
  /** Hours of all metrics in which they were written: they are billed by these. */
  readonly metricHours: number;
  /** The template's, of the backlog. */
  readonly monitoring: { readonly alarms: number; readonly composites: number; readonly dashboards: number };
}

export interface Stored {
  /** Bytes as they are billed, of tables and indexes. */
  readonly bytes: number;
  /** Bytes of the tables that have backups. Undefined: it is not known which have. */
  readonly backedUp: number | undefined;
  /** Bytes of an average record. Undefined: there is none. */
  readonly perRecord: number | undefined;
}

export interface FunctionTime {
  readonly requests: number;
  readonly seconds: number;
  /** GB-seconds by the architecture of the functions. */
  readonly arm: number;
  readonly x86: number;
}

/** Bytes that DynamoDB adds to each item of a table or an index. https://aws.amazon.com/dynamodb/pricing/ */
export const ITEM_OVERHEAD = 100;
const MONTH_HOURS = MONTH_SECONDS / 3_600;
/** Largest share of failures that the model takes. */
const MAX_FAILING = 0.99;

/** The work of a stack: the given one, with what was measured in its place. */
export function measuredWork(work: Workload, { hours, attempts, stored, runs }: Measured): Workload {
  const { made = 0, last = 0 } = attempts ?? {};
  const failing = Math.min(MAX_FAILING, Math.max(0, 1 - last / made));
  const ofAttempts =
    made > 0 ? { failing, perSecond: (made * (1 - failing)) / (hours * 3_600) } : { perSecond: 0 };
  const { perRecord } = stored ?? {};
  const memoryMb = runs && runs.seconds > 0 ? Math.round((1_024 * (runs.arm + runs.x86)) / runs.seconds) : 0;
  return {
    ...work,
    ...(attempts ? ofAttempts : {}),
    ...(perRecord === undefined ? {} : { bytes: Math.max(1, Math.round(perRecord) - OWN_BYTES) }),
    ...(memoryMb > 0 ? { memoryMb } : {}),
  };
}

/** The bill of a month like the hours that were measured. The model has the lines that could not be read. */
export function measuredBill(work: Workload, measured: Measured, prices: Prices): Item[] {
  const found = new Map(measuredItems(measured, prices).map((item) => [item.name, item]));
  const modelled = ownBill(work, prices).filter(({ name }) => !OF_TEMPLATE.has(name));
  const fromModel = modelled.map((item) => found.get(item.name) ?? { ...item, from: 'model' as const });
  const { alarms, composites, dashboards } = measured.monitoring;
  const ofTemplate = [
    each(LINES.alarms, alarms, 'alarm', prices.alarm),
    each(LINES.composites, composites, 'alarm', prices.compositeAlarm),
    each(LINES.dashboards, dashboards, 'dashboard', prices.dashboard),
  ].filter(({ quantity }) => quantity > 0);
  return [
    ...fromModel,
    {
      ...each(LINES.metrics, measured.metricHours / measured.hours, 'metric', prices.metric),
      from: 'measured' as const,
    },
    ...ofTemplate.map((item) => ({ ...item, from: 'template' as const })),
  ];
}

/** Lines that the template says, and that of metrics, which is always measured. */
const OF_TEMPLATE: ReadonlySet<string> = new Set([
  LINES.metrics,
  LINES.alarms,
  LINES.composites,
  LINES.dashboards,
]);

function measuredItems({ hours, units, stored, logBytes, ...functions }: Measured, prices: Prices): Item[] {
  const monthly = (count: number) => (count / hours) * MONTH_HOURS;
  const items: Item[] = [];
  if (units) {
    items.push(perMillion(LINES.writes, monthly(units.writes), 'write unit', prices.writeUnits));
    items.push(perMillion(LINES.reads, monthly(units.reads), 'read unit', prices.readUnits));
  }
  if (stored) items.push(each(LINES.storage, stored.bytes / GB, 'GB', prices.tableStorage));
  if (stored?.backedUp !== undefined) {
    items.push(each(LINES.backup, stored.backedUp / GB, 'GB', prices.backup));
  }
  for (const part of ['runs', 'helpers'] as const) {
    const its = functions[part];
    if (!its) continue;
    const [arm, x86] = [monthly(its.arm), monthly(its.x86)];
    const dollars = (arm * prices.lambdaTime + x86 * prices.lambdaTimeX86) / 1e6;
    const name = LINES[part];
    items.push(perMillion(`${name}, requests`, monthly(its.requests), 'request', prices.lambdaRequests));
    items.push({ name: `${name}, time`, quantity: arm + x86, unit: 'GB-second', dollars });
  }
  if (logBytes !== undefined) items.push(each(LINES.logs, monthly(logBytes) / GB, 'GB', prices.logs));
  return items.map((item) => ({ ...item, from: 'measured' }));
}
