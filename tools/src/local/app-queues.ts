import type { RetryPolicy } from 'dynamo-backlog';
import { DUE_INDEX, type RetryMode, readJson } from 'dynamo-backlog/engine';
import * as z from 'zod';
import type { LocalApp } from './template/local-app.js';
import { queuesOf as queueNamesOf } from './template/target.js';

/** A queue of the app, as its functions' variables, or the files that they name, describe it. */
export interface AppQueue {
  readonly name: string;
  readonly retryMode: RetryMode;
  /** The type of its retry policy, such as `fibonacci`. */
  readonly policy: string;
  /** The policy itself, not checked. Absent: the default of the handler. */
  readonly retry?: RetryPolicy | undefined;
  readonly deliverTo?: string | undefined;
  /** The table its records are in. */
  readonly table: string;
  readonly controlTable?: string | undefined;
}

const queuesSchema = z.record(
  z.string(),
  z.object({
    retryMode: z.enum(['perRecord', 'progressive']),
    retry: z.looseObject({ type: z.string() }).optional(),
    deliverTo: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]).optional(),
  }),
);

/** The queues of an app, from its functions' variables. A function whose variables name none is the app's own affair. */
export function queuesOf(app: LocalApp): AppQueue[] {
  const queues = new Map<string, AppQueue>();
  for (const { environment } of app.functions) {
    const table = environment.BACKLOG_TABLE;
    if (table === undefined) continue;
    for (const [name, { retryMode, retry, deliverTo }] of Object.entries(readQueues(environment))) {
      const key = `${table}/${name}`;
      const known = queues.get(key);
      queues.set(key, {
        name,
        retryMode,
        policy: retry?.type ?? known?.policy ?? (retryMode === 'progressive' ? 'progressive' : 'fibonacci'),
        retry: (retry as RetryPolicy | undefined) ?? known?.retry,
        table,
        deliverTo: deliverTo ?? known?.deliverTo,
        controlTable: environment.BACKLOG_CONTROL_TABLE,
      });
    }
  }
  return [...queues.values()];
}

/** The tables that hold records: those that functions read them from, or else those with the index `due`. */
export function recordTables(app: LocalApp): string[] {
  const named = new Set(app.functions.map(({ environment }) => environment.BACKLOG_TABLE));
  const used = app.tables.filter(({ name }) => named.has(name));
  const found = used.length > 0 ? used : app.tables.filter(({ indexes }) => indexes.some(isDue));
  return found.map(({ name }) => name);
}

const isDue = ({ name }: { readonly name: string }) => name === DUE_INDEX;

function readQueues(environment: Readonly<Record<string, string>>): z.output<typeof queuesSchema> {
  try {
    return queuesSchema.parse(readJson(environment, 'BACKLOG_QUEUES'));
  } catch {
    // The function itself says what is wrong with it.
    return {};
  }
}

/** Names of the functions that attempt records or read streams: those that are needed first. */
export function functionsAtWork({ rules, streams }: LocalApp): string[] {
  const attempting = rules.filter(({ enabled, event }) => enabled && queueNamesOf(event).length > 0);
  return [...attempting, ...streams].map(({ functionName }) => functionName);
}
