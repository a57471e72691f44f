import type { IndexKey } from '../../store/store.js';

/** Records that one process remembers, of all its queues: with their keys, up to 25 MB. Others are read by every run. */
export const MAX_PUT_OFF = 50_000;
/** The longest key that is remembered, in characters. A producer may choose ids of 2 KB. */
const MAX_KEY = 200;
/** Time after which a record is read again: its destination may be another by now, or its age may be over. */
const PUT_OFF_MS = 900_000;

interface PutOff {
  readonly destination: string;
  /** The backlog's time, epoch milliseconds. */
  readonly until: number;
}

/** Records that open breakers have put off lately, as the index names them. They need not be read to be put off again. */
export class PutOffRecords {
  private readonly byKey = new Map<string, PutOff>();

  get size(): number {
    return this.byKey.size;
  }

  /** @param hasRoom false: only a record that is remembered already is added, for longer */
  add(record: IndexKey, destination: string, now: number, hasRoom: boolean): void {
    const key = keyOf(record);
    if (key.length > MAX_KEY || !(hasRoom || this.byKey.has(key))) return;
    this.byKey.set(key, { destination, until: now + PUT_OFF_MS });
  }

  /** Forgets records that are to be read again: of some no page is left that would tell, as others have attempted them. */
  dropOver(now: number): void {
    for (const [key, { until }] of this.byKey) {
      if (until <= now) this.byKey.delete(key);
    }
  }

  /** @param isOpen tells whether the breaker of a destination is open. A record of another one is forgotten */
  has(record: IndexKey, now: number, isOpen: (destination: string) => boolean): boolean {
    const key = keyOf(record);
    const putOff = this.byKey.get(key);
    if (!putOff) return false;
    if (isOpen(putOff.destination)) return now < putOff.until;
    this.byKey.delete(key);
    return false;
  }
}

/** A record that is due at another time is another one here: it is read. */
function keyOf({ id, dueAt }: IndexKey): string {
  return `${dueAt} ${id}`;
}
