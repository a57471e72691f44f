import type { Logger } from '@aws-lambda-powertools/logger';
import { failingNow, isUnknownByPause, type RateLimitedCounts } from '../../src/monitor/index.js';
import { endedOutages } from '../../src/overview/ended-outages.js';
import {
  afterEvents,
  type IncidentEvent,
  incidentEvents,
  parseReported,
  reportedItem,
} from '../../src/overview/incident-events.js';
import { incidentsOf } from '../../src/overview/incidents.js';
import type { IncidentQueue } from '../../src/overview/snapshot.js';
import { parseFailing } from '../../src/record/index.js';
import type { OperatorStore, QueueState } from '../../src/store/index.js';
import type { OutgoingEvent, Publish } from '../events/publish.js';

/** Puts events on the bus, and returns those that it has refused. */
export type PutEvents = (events: readonly IncidentEvent[]) => Promise<ReadonlySet<IncidentEvent>>;

/** Puts events of incidents on a bus. */
export function putOn(publish: Publish): PutEvents {
  return async (events) => {
    const sent = new Map(events.map((event) => [outgoing(event), event]));
    const refused = await publish([...sent.keys()]);
    return new Set([...sent].filter(([one]) => refused.has(one)).map(([, event]) => event));
  };
}

function outgoing({ type, detail }: IncidentEvent): OutgoingEvent {
  return { type: `Backlog incident ${type}`, detail: JSON.stringify(detail) };
}

/** The place of what was reported, beside the readings of queues: no queue can have this name. */
const REPORTED = '*incidents';

type Look = { readonly state: QueueState; readonly counted: RateLimitedCounts | undefined };

interface EmitDeps {
  readonly store: Pick<OperatorStore, 'readings'>;
  readonly put: PutEvents;
  readonly table: string;
  readonly runbook: string | undefined;
  readonly logger: Logger;
}

/** A reading of the monitor, of which events are made: when incidents begin, change and end. */
export class IncidentEvents {
  private readonly queues: IncidentQueue[] = [];
  private readonly unknown = new Set<string>();

  constructor(private readonly deps: EmitDeps) {}

  /** A queue was not read: what it had goes on. */
  noteUnread(queue: string): void {
    this.unknown.add(queue);
  }

  note(queue: string, { state, counted }: Look, now: number): void {
    // A pause is no recovery.
    if (isUnknownByPause(state, now)) {
      this.noteUnread(queue);
      return;
    }
    const failing = failingNow(state, counted, { now, isPassive: false })?.groups ?? [];
    this.queues.push({
      stats: { queue, pending: counted?.counts.pending ?? Number.NaN },
      condition: 'quiet',
      breakers: [...state.breakers].map(([destination, its]) => ({ ...its, destination })),
      failingGroups: failing,
      // Outages of some destinations that are over are part of the incident that goes on in others.
      endedOutages: endedOutages(parseFailing(state.failing), failing, { backAt: undefined, now }),
      failing: undefined,
      backAt: undefined,
    });
  }

  /** Emits what has changed since the last time. Never fails: what the bus does not take comes again at the next reading. */
  async emit(now: number): Promise<void> {
    const { store, put, table, runbook, logger } = this.deps;
    try {
      const reported = parseReported(await store.readings.read(REPORTED));
      const incidents = incidentsOf(this.queues);
      const events = incidentEvents(reported, { incidents, unknown: this.unknown, table, runbook, now });
      if (events.length === 0) return;
      const refused = await put(events);
      const taken = events.filter((event) => !refused.has(event));
      if (taken.length > 0) await store.readings.write(REPORTED, reportedItem(afterEvents(reported, taken)));
      if (refused.size > 0)
        logger.warn('the event bus has refused events of incidents', { events: refused.size });
    } catch (error) {
      logger.warn('the events of incidents could not be emitted', error as Error);
    }
  }
}
