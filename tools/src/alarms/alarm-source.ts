import {
  type AlarmOn,
  alarmText,
  type Incident,
  incidentsOf,
  type Snapshot,
  shortened,
} from 'dynamo-backlog/overview';

/** The alarms of a backlog that are on, as far as they are known. */
export interface AlarmSource {
  /** The alarms of the last reading. Undefined: not known, or it is too long ago. */
  readonly on: readonly AlarmOn[] | undefined;
  /** The reason why they are not known. Undefined: they are, or they have not been read yet. */
  readonly reason?: string | undefined;
  /** Reads them, unless it has done so of late. It never throws. */
  refresh(): Promise<void>;
  /** Has the next `refresh` read them in any case. */
  forget?(): void;
  /** Gives up a reading that is under way. */
  close(): void;
}

/** Most alarms in one line. */
const MAX_NAMED = 3;
/** Most characters of what is said of one. */
const MAX_TEXT = 300;

/**
 * The snapshot with the alarms that are on. They are asked for while something fails, or has failed: a healthy backlog makes no
 * request, nor does one with dead records.
 *
 * @param waitMs the time that a reading may take; what comes later is known to the next snapshot
 */
export async function withAlarms(
  snapshot: Snapshot,
  source: AlarmSource | undefined,
  waitMs: number,
): Promise<Snapshot> {
  if (!source || outagesAmong(incidentsOf(snapshot.queues ?? [])).length === 0) return snapshot;
  const asked = source.refresh();
  if (waitMs > 0) await inTime(asked, waitMs);
  return { ...snapshot, alarms: source.on };
}

function outagesAmong(incidents: readonly Incident[]): Incident[] {
  return incidents.filter(({ state }) => state !== 'dead');
}

async function inTime(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The line on the alarms of these incidents, `page Failures-orders since 14:13 UTC`. Undefined: nothing is known, and no reason. */
export function alarmLine(
  incidents: readonly Incident[],
  reason: string | undefined,
  now: number,
): string | undefined {
  const outages = outagesAmong(incidents);
  if (outages.length === 0) return undefined;
  const known = outages.flatMap(({ alarms }) => alarms ?? []);
  if (outages.some(({ alarms }) => alarms === undefined))
    return reason === undefined ? undefined : `alarms: not known, ${shortened(reason, MAX_TEXT)}`;
  const alarms = [...new Map(known.map((alarm) => [alarm.name, alarm])).values()];
  if (alarms.length === 0) return 'alarms: no queue alarm is on';
  const named = alarms.slice(0, MAX_NAMED).map((alarm) => shortened(alarmText(alarm, now), MAX_TEXT));
  const left = alarms.length - named.length;
  return `alarms: ${[...named, ...(left > 0 ? [`and ${left} more`] : [])].join('; ')}`;
}
