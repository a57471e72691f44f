import * as z from 'zod/mini';
import { parseJson } from '../../src/support/settings-file.js';
import { parseOptions } from '../../src/support/validation.js';
import { readSettings, type Settings } from '../settings.js';

/** Settings of the monitor, from its environment. */
export interface MonitorSettings extends Settings {
  /** The ids of the intake's event source mappings. */
  readonly eventSources: readonly string[];
  /** Queues whose worst keys have metrics. */
  readonly keyMetrics: ReadonlySet<string>;
  /** Queues of which the monitor looks for how long a record has waited for its end from outside. */
  readonly pendingAges: ReadonlySet<string>;
  /** Queues of which the monitor looks for lines that are held. */
  readonly orderedQueues: ReadonlySet<string>;
  /** The event bus that learns of incidents. Undefined: none does. */
  readonly incidentBus?: string | undefined;
  /** The page that says what to do. Undefined: none is known. */
  readonly runbookUrl?: string | undefined;
}

const textsSchema = z.array(z.string().check(z.minLength(1)));

/** @throws ConfigurationError naming the variable */
export function readMonitorSettings(env: Readonly<Record<string, string | undefined>>): MonitorSettings {
  const {
    BACKLOG_EVENT_SOURCES: sources = '[]',
    BACKLOG_KEY_METRICS: keyMetrics = '[]',
    BACKLOG_PENDING_AGES: pendingAges = '[]',
    BACKLOG_ORDERED_QUEUES: orderedQueues = '[]',
    BACKLOG_INCIDENT_BUS: bus,
    BACKLOG_RUNBOOK_URL: runbook,
  } = env;
  return {
    ...readSettings(env),
    incidentBus: bus || undefined,
    runbookUrl: runbook || undefined,
    eventSources: texts(sources, 'BACKLOG_EVENT_SOURCES'),
    keyMetrics: new Set(texts(keyMetrics, 'BACKLOG_KEY_METRICS')),
    pendingAges: new Set(texts(pendingAges, 'BACKLOG_PENDING_AGES')),
    orderedQueues: new Set(texts(orderedQueues, 'BACKLOG_ORDERED_QUEUES')),
  };
}

function texts(json: string, variable: string): string[] {
  return parseOptions(textsSchema, parseJson(json, variable), variable);
}
