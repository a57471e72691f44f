import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneStart } from './one-start.mjs';
import { ABSENT_PACKAGES, withoutUnneededParts } from './unneeded-parts.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Handlers by the folder that they are deployed with. Those of one folder share nearly all of their code, which the package then
 * has once. Of queues: the built-in delivery, for those with per-record retries and for progressive ones, and recurring records.
 * Beside the queues: the intake, its sweep, the monitor, the events of records, the overview on the dashboard and its buttons, links
 * that end attempts.
 */
export const FOLDERS = {
  delivery: ['fibonacci', 'progressive', 'recurring'],
  upkeep: ['intake', 'sweep', 'monitor', 'record-events', 'widget', 'widget-actions', 'completion-url'],
};

/** The modules of `functions/` that make the handlers. */
const MADE_BY = {
  fibonacci: ['delivery-handler', 'deliveryHandler'],
  progressive: ['delivery-handler', 'deliveryHandler'],
  recurring: ['recurring/recurring-handler', 'recurringHandler'],
  intake: ['intake/intake-handler', 'intakeHandler'],
  sweep: ['intake/sweep-handler', 'sweepHandler'],
  monitor: ['monitor/monitor-handler', 'monitorHandler'],
  'record-events': ['record-events/record-events-handler', 'recordEventsHandler'],
  widget: ['widget/widget-handler', 'widgetHandler'],
  'widget-actions': ['widget/actions-handler', 'widgetActionsHandler'],
  'completion-url': ['completion-url/completion-url-handler', 'completionUrlHandler'],
};

/** Small modules that most handlers of a folder share. Nothing may load them later: an esbuild plugin then makes them import the handlers. */
const SMALL = {
  upkeep: ['src/leases/timed-hold.ts', 'src/registry/regions.ts', 'functions/service-limits.ts'],
};

function madeBy(name) {
  const [file, exported] = MADE_BY[name];
  return [join(ROOT, 'functions', `${file}.ts`), exported];
}

function smallOf(names) {
  const [folder] = Object.entries(FOLDERS).find(([, all]) => all.includes(names[0])) ?? [];
  return (SMALL[folder] ?? []).map((file) => join(ROOT, file));
}

/** Options of esbuild for every handler that is deployed as a file. */
export const BUNDLING = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  // Names appear in stack traces, and the SDK compares some of them: a logger called NoOpLogger is none to it.
  keepNames: true,
  platform: 'node',
  format: 'esm',
  // Lambda has Node 24; the local runtime runs the same file on whatever Node this is.
  target: 'node20',
  mainFields: ['module', 'main'],
  // CommonJS dependencies call require, which ESM does not have.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  logLevel: 'warning',
};

/** Options of esbuild for handlers that share a folder: a file for each, and beside them what is loaded only if it is needed. */
export function handlerBundle(names) {
  return {
    ...BUNDLING,
    entryPoints: names.map((name) => join('functions', `${name}.ts`)),
    splitting: true,
    outExtension: { '.js': '.mjs' },
    // By its beginning, the local runtime knows what no user wants to debug.
    banner: { js: `/* dynamo-backlog */ ${BUNDLING.banner.js}` },
    plugins: [oneStart(Object.fromEntries(names.map(madeBy)), smallOf(names)), withoutUnneededParts],
    alias: ABSENT_PACKAGES,
  };
}
