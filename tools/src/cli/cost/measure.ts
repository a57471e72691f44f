import { ConfigurationError } from 'dynamo-backlog';
import type { Measured } from '../../cost/measured-bill.js';
import { askCloudWatch } from '../cloudwatch/ask.js';
import { type Hours, metricSums } from '../cloudwatch/metric-sums.js';
import { readResources } from '../diff/deployed-stack.js';
import { clock } from '../output.js';
import { describeTables } from './describe-tables.js';
import { type Figure, figuresOf } from './figures.js';
import { metricsOf } from './metric-list.js';
import { partsOf, type StackParts } from './stack-parts.js';

/** A deployed stack with its figures. */
export interface MeasuredStack {
  readonly parts: StackParts;
  readonly measured: Measured;
  /** The hours that were read. */
  readonly hours: Hours;
  /** Parts that could not be read, or are not counted, for the user. */
  readonly notes: readonly string[];
}

const HOUR_MS = 3_600_000;
/** Time within which CloudWatch has what happened. */
const LATE_MS = 10 * 60_000;

/**
 * Reads the figures of a deployed stack from CloudFormation, DynamoDB and CloudWatch. It reads no record.
 *
 * @param overSeconds length of time before `now`, in hours that are over
 * @throws ConfigurationError if the stack or CloudWatch cannot be read, or nothing happened in this time
 */
export async function measureStack(stack: string, overSeconds: number, now: number): Promise<MeasuredStack> {
  const { deployed, names } = await readResources(stack);
  const parts = partsOf(deployed, names);
  const tables = await describeTables(parts);
  const hours = hoursOf(overSeconds, now, tables.createdAt);
  const length = (hours.to - hours.from) / HOUR_MS;
  if (length <= 0)
    throw new ConfigurationError(
      `--stack: the tables of ${stack} are too new: not one whole hour can be read`,
    );
  const metrics = metricsOf(parts, tables.indexes);
  const sums = await askCloudWatch(
    'figures of a stack',
    (cloudWatch) =>
      metricSums(
        cloudWatch,
        metrics.map(({ metric }) => metric),
        hours,
      ),
    'operators',
  );
  const figures = metrics.map(({ use }, i): Figure => ({ use, ...(sums[i] ?? { sum: 0, hours: 0 }) }));
  if (figures.every((figure) => figure.hours === 0))
    throw new ConfigurationError(
      `--stack: CloudWatch has no figures of ${stack} in ${hoursText(hours)}: take more with --over, or a --rate alone`,
    );
  const { stored, provisioned } = tables;
  const { monitoring } = parts;
  const { notes, ...read } = figuresOf(parts, figures);
  return {
    parts,
    measured: { hours: length, monitoring, stored, ...read },
    hours,
    notes: [
      ...tables.notRead.map((what) => `not read: ${what}; taken from the model`),
      ...notes,
      ...provisioned.map(
        (table) => `table ${table} has provisioned capacity: its units are counted as on demand`,
      ),
    ],
  };
}

/** `168 hours from 2026-11-19 22:00 to 2026-11-26 22:00 UTC`. */
export function hoursText({ from, to }: Hours): string {
  const time = (at: number) => clock(new Date(at).toISOString()).slice(0, 16);
  return `${(to - from) / HOUR_MS} hours from ${time(from)} to ${time(to)} UTC`;
}

/** Whole hours that are over, and in which all tables were there: a younger backlog would seem cheaper than it is. */
function hoursOf(overSeconds: number, now: number, createdAt = 0): Hours {
  const to = Math.floor((now - LATE_MS) / HOUR_MS) * HOUR_MS;
  const from = to - Math.ceil((overSeconds * 1_000) / HOUR_MS) * HOUR_MS;
  return { from: Math.max(from, Math.ceil(createdAt / HOUR_MS) * HOUR_MS), to };
}
