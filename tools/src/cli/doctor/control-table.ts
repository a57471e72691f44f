import { type ControlFacts, readControl } from '../../../../src/store/dynamodb/control-items.js';
import { isNotFound } from '../../../../src/store/dynamodb/errors.js';
import { describeTable, type TableFacts } from '../../../../src/store/dynamodb/inspect.js';
import { RawItems } from '../../../../src/store/dynamodb/raw-items.js';
import type { Target } from '../connect.js';
import type { Finding } from './findings.js';

const KEY = 'key';

/** The control tables: those that are named, or those of the running local runtime; none: not known. */
export async function controlTables(
  { client, others, local }: Target,
  named: readonly string[] | undefined,
): Promise<{ readonly tables: readonly string[]; readonly findings: readonly Finding[] }> {
  const names = named ?? others ?? [];
  const all = await Promise.all(names.map((name) => describeIfThere(client, name)));
  const facts = all.filter((one) => one !== undefined);
  const tables = facts.filter(isControl).map(({ name }) => name);
  if (named) {
    const lost = named.filter((_, i) => all[i] === undefined);
    const strangers = facts.filter((one) => !isControl(one));
    return { tables, findings: [...lost.map(notThere), ...strangers.map(({ name }) => wrongKey(name))] };
  }
  return { tables, findings: local && tables.length === 0 ? [MISSING] : [] };
}

/** Reads what the control tables hold; undefined: there is none. */
export async function readControlTables(
  { client, clock }: Target,
  tables: readonly string[],
): Promise<ControlFacts | undefined> {
  if (tables.length === 0) return undefined;
  const all = await Promise.all(
    tables.map((table) => readControl(new RawItems({ client, table, keyName: KEY, clock }))),
  );
  const entries = <Value>(of: (facts: ControlFacts) => ReadonlyMap<string, Value>) =>
    new Map(all.flatMap((facts) => [...of(facts)]));
  return {
    queues: entries(({ queues }) => queues),
    leases: all.flatMap(({ leases }) => leases),
    arrivals: entries(({ arrivals }) => arrivals),
    sweeps: all.flatMap(({ sweeps }) => sweeps),
    owners: entries(({ owners }) => owners),
    lines: entries(({ lines }) => lines),
    primaryRegion: all.find((facts) => facts.primaryRegion !== undefined)?.primaryRegion,
    activeRegion: all.find((facts) => facts.activeRegion)?.activeRegion,
  };
}

async function describeIfThere(client: Target['client'], name: string): Promise<TableFacts | undefined> {
  try {
    return await describeTable(client, name);
  } catch (error) {
    if (isNotFound((error as Error).cause)) return undefined;
    throw error;
  }
}

function isControl({ keys }: TableFacts): boolean {
  return keys.length === 1 && keys[0]?.name === KEY && keys[0].type === 'S';
}

function notThere(name: string): Finding {
  return {
    kind: `control.lost.${name}`,
    severity: 'error',
    what: `the control table ${name} is not there, and without it no run begins`,
    todo: 'stop the rules, restore it or create it again, and pause what is to stay paused: docs/recovery.md',
  };
}

function wrongKey(name: string): Finding {
  return {
    kind: `control.key.${name}`,
    severity: 'error',
    what: `${name} is no control table: expected the partition key "key" (S) alone`,
    todo: 'name the table that the construct has made for leases and queues: --control-table',
  };
}

const MISSING: Finding = {
  kind: 'control.missing',
  severity: 'error',
  what: 'the app has no control table (partition key "key" (S) alone), without which no run begins',
  todo: 'leave the making of that table to the construct',
};
