import type { Item } from '../record/index.js';
import { toIso } from '../support/clock.js';
import type { Incident } from './incidents.js';
import type { IncidentQueue } from './snapshot.js';

/** The detail of an event about an incident. It holds no payload and no text of an error. */
export interface IncidentDetail {
  readonly version: 1;
  /** The same in all events of the incident. */
  readonly id: string;
  /** The name of the table of records. */
  readonly table: string;
  readonly state: 'failing' | 'ended';
  /** The queues that it is known to affect, the one with most waiting records first; 50 at most. */
  readonly queues: readonly string[];
  /** The destinations that fail; empty: the whole queue. 50 at most. */
  readonly destinations: readonly string[];
  /** Records of these queues that wait, also for other destinations. Absent: they were not counted. */
  readonly waiting?: number | undefined;
  /** Class and HTTP status of the last error. Absent: not known. */
  readonly error?: { readonly name: string; readonly status?: number | undefined } | undefined;
  /** ISO-8601. Absent: not known. */
  readonly firstFailureAt?: string | undefined;
  /** ISO-8601. Absent: not known. */
  readonly lastFailureAt?: string | undefined;
  /** The latest success since the first failure, ISO-8601. Absent: none is known. */
  readonly lastSuccessAt?: string | undefined;
  /** The opening of the first breaker that is open, ISO-8601. Absent: none is. */
  readonly breakerOpenSince?: string | undefined;
  /** The time of the reading that did not find it any more, ISO-8601. Absent: it goes on. */
  readonly endedAt?: string | undefined;
  /** The page that says what to do. Absent: none is known. */
  readonly runbook?: string | undefined;
}

/** An event about an incident. */
export interface IncidentEvent {
  /** The key of the incident among those of the same time. */
  readonly key: string;
  readonly type: 'began' | 'changed' | 'ended';
  readonly detail: IncidentDetail;
}

/** A reading of all queues. */
export interface IncidentReading {
  readonly incidents: readonly Incident<IncidentQueue>[];
  /** Queues of which nothing is known now: what they had goes on. */
  readonly unknown: ReadonlySet<string>;
  readonly table: string;
  readonly runbook: string | undefined;
  /** The backlog's time, epoch milliseconds. */
  readonly now: number;
}

const MAX_NAMES = 50;

/** The events that bring the incidents that were reported, by their keys, up to date. */
export function incidentEvents(
  reported: ReadonlyMap<string, IncidentDetail>,
  reading: IncidentReading,
): IncidentEvent[] {
  const { incidents, unknown, now } = reading;
  const failing = new Map(incidents.map((incident) => [incident.id, incident]));
  const over = [...reported].filter(
    ([key, { queues }]) => !failing.has(key) && !queues.some((queue) => unknown.has(queue)),
  );
  return [
    ...over.map(([key, detail]): IncidentEvent => {
      return { key, type: 'ended', detail: { ...detail, state: 'ended', endedAt: toIso(now) } };
    }),
    ...[...failing].flatMap(([key, incident]): IncidentEvent[] => {
      const before = reported.get(key);
      const detail = detailOf(incident, before?.id, reading);
      if (before && signature(before) === signature(detail)) return [];
      return [{ key, type: before ? 'changed' : 'began', detail }];
    }),
  ];
}

/** Tells whether two details say the same, except what changes at each reading. */
function signature({ queues, destinations, error, breakerOpenSince }: IncidentDetail): string {
  return JSON.stringify([
    [...queues].sort(),
    [...destinations].sort(),
    error?.name,
    error?.status,
    breakerOpenSince !== undefined,
  ]);
}

function detailOf(
  {
    id,
    queues,
    destinations,
    cause,
    since,
    lastFailureAt,
    lastSuccessAt,
    breakerSince,
  }: Incident<IncidentQueue>,
  known: string | undefined,
  { table, runbook, now }: IncidentReading,
): IncidentDetail {
  const counts = queues.map(({ stats }) => stats.pending);
  return {
    version: 1,
    id: known ?? `${table} ${id} ${toIso(since ?? now)}`,
    table,
    state: 'failing',
    queues: queues.map(({ stats }) => stats.queue).slice(0, MAX_NAMES),
    destinations: destinations.slice(0, MAX_NAMES),
    ...(counts.every((count) => count >= 0) && { waiting: counts.reduce((sum, count) => sum + count, 0) }),
    ...(cause && {
      error: cause.status === undefined ? { name: cause.error } : { name: cause.error, status: cause.status },
    }),
    ...(since !== undefined && { firstFailureAt: toIso(since) }),
    ...(lastFailureAt !== undefined && { lastFailureAt: toIso(lastFailureAt) }),
    ...(lastSuccessAt !== undefined && { lastSuccessAt: toIso(lastSuccessAt) }),
    ...(breakerSince !== undefined && { breakerOpenSince: toIso(breakerSince) }),
    ...(runbook !== undefined && { runbook }),
  };
}

/** The incidents after events that were taken. */
export function afterEvents(
  reported: ReadonlyMap<string, IncidentDetail>,
  events: readonly IncidentEvent[],
): ReadonlyMap<string, IncidentDetail> {
  const next = new Map(reported);
  for (const { key, type, detail } of events) {
    if (type === 'ended') next.delete(key);
    else next.set(key, detail);
  }
  return next;
}

/** The item that keeps what was reported. As text, as its form is of no concern to others. */
export function reportedItem(reported: ReadonlyMap<string, IncidentDetail>): Item {
  return { reported: JSON.stringify([...reported]) };
}

/** Reads back what was reported. What the library cannot have written was not. */
export function parseReported(item: Item | undefined): ReadonlyMap<string, IncidentDetail> {
  try {
    const stored: unknown = JSON.parse(String(item?.reported));
    return new Map((stored as [string, IncidentDetail][]).filter(([key, detail]) => isDetail(key, detail)));
  } catch {
    return new Map();
  }
}

function isDetail(key: unknown, detail: Partial<IncidentDetail> | null): boolean {
  const isText = [key, detail?.id].every((text) => typeof text === 'string');
  return isText && Array.isArray(detail?.queues) && Array.isArray(detail?.destinations);
}
