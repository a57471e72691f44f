import type { ArrivalsEvent } from '../../functions/intake/arrivals.js';
import type { RuleEvent } from '../../functions/intake/dead-run.js';
import { dispatchInserts } from '../../functions/intake/dispatch-inserts.js';
import { IntakeBatch, type IntakeDeps } from '../../functions/intake/intake-batch.js';
import { Lines, type LineTables } from '../../functions/intake/lines.js';
import { sendShortWaits, startShortWaits } from '../../functions/intake/short-waits.js';
import { isSettled, type StreamChange, type VersionedChange } from '../../functions/intake/stream-event.js';
import { type Item, isKey, parseRecord } from '../record/index.js';
import { isSeq } from '../record/seq.js';
import type { VirtualTime } from '../support/virtual-time.js';

/** Most changes of the table in one batch of the stream. */
const BATCH = 100;

export interface StreamDeps {
  readonly time: VirtualTime;
  readonly intake: Omit<IntakeDeps, 'invoker'>;
  /** The tables as lines need them. Undefined: no queue has order. */
  readonly lineTables: LineTables | undefined;
  /** Starts a function with the event of its arrivals. */
  readonly invoke: (
    queue: string,
    event: { readonly queue: string; readonly arrivals: { readonly ids: readonly string[] } },
  ) => void;
  /** Starts a function as a rule does. */
  readonly fire: (queue: string, event: RuleEvent) => void;
  /** Called with errors that no test must overlook. */
  readonly onTrouble: (error: unknown) => void;
}

/** A change on its way to the intake: as a record that is to be started, as one of a line, or both. */
interface Waiting {
  readonly change?: StreamChange | undefined;
  readonly versions?: VersionedChange | undefined;
}

/** The table's stream and the intake behind it, which attempts what was inserted, or indexes it. */
export class Stream {
  private waiting: Waiting[] = [];
  private sequence = 0;

  constructor(private readonly deps: StreamDeps) {}

  /** Notes that a record was put that has no number. The stream brings it at once, before any time passes. */
  changed(item: Item, kind: StreamChange['kind']): void {
    if (isNumbered(item) || !passes(item)) return;
    const change = { sequenceNumber: this.nextNumber(), id: String(item.id), kind };
    this.add({ change: { ...change, record: this.read(item) } });
  }

  /** Notes a write of a record, with the item before it and as it is now. Those with numbers are of a line: their ends count, too. */
  wrote(before: Item | undefined, after: Item | undefined): void {
    const item = after ?? before;
    if (item === undefined || !(isNumbered(before) || isNumbered(after))) return;
    const isOver = item.status === 'SUCCESS' || item.status === 'DEAD';
    const isLine = this.deps.lineTables !== undefined;
    const isPut = after !== undefined && passes(after);
    if (!isPut && !(isLine && (after ? isOver : item.status !== 'SUCCESS'))) return;
    const place = { sequenceNumber: this.nextNumber(), id: String(item.id) };
    const [old, now] = [before, after].map((one) => one && { item: one, record: this.read(one) });
    // One that has lost its number is noted by `changed`.
    const isStarted = isNumbered(after);
    const kind = before === undefined ? 'inserted' : 'changed';
    this.add({
      change: isStarted ? { ...place, kind, record: now?.record } : undefined,
      versions: isLine ? { ...place, before: old, after: now } : undefined,
    });
  }

  /** Lets the intake look again at records that had just come when their run was lost. */
  lost(ids: readonly string[]): void {
    this.handle((batch) => batch.index(ids));
  }

  private nextNumber(): string {
    return String(++this.sequence);
  }

  private read(item: Item) {
    return readable(item, this.deps.time.now);
  }

  private add(waiting: Waiting): void {
    this.waiting.push(waiting);
    if (this.waiting.length === 1) this.deps.time.after(0, () => this.deliver());
  }

  private deliver(): void {
    const some = this.waiting.splice(0, BATCH);
    if (this.waiting.length > 0) this.deps.time.after(0, () => this.deliver());
    if (some.length > 0) {
      const changes = some.flatMap(({ change }) => change ?? []);
      const versions = some.flatMap((one) => one.versions ?? []);
      this.handle(async (batch, deps) => {
        await sendShortWaits(changes.filter(isSettled), deps);
        const others = changes.filter((change) => !isSettled(change));
        const sifted = versions.length > 0 ? await deps.lines?.sift(versions, others) : undefined;
        await dispatchInserts(sifted?.changes ?? others, batch, deps);
      });
    }
  }

  private handle(work: (batch: IntakeBatch, deps: IntakeDeps) => Promise<unknown>): void {
    const { intake, invoke, fire, time, onTrouble, lineTables } = this.deps;
    const own = {
      ...intake,
      invoker: {
        invoke: async ({ functionName, event }) => {
          if ('arrivals' in event) invoke(functionName, event as ArrivalsEvent);
          else fire(functionName, event);
          return 'accepted';
        },
        sendShortWait: async (wait, delaySeconds) => {
          time.after(delaySeconds * 1000, () => this.handle((_, deps) => startShortWaits([wait], deps)));
        },
        sendToRedelivery: async (ids, delaySeconds) => {
          time.after(delaySeconds * 1000, () => this.handle((batch) => batch.index(ids)));
        },
        giveUp: async () => {},
      },
    } satisfies IntakeDeps;
    const deps = lineTables ? { ...own, lines: new Lines(own, lineTables) } : own;
    work(new IntakeBatch(deps), deps).catch(onTrouble);
  }
}

/** Tells whether a record is of a line, as far as its attributes say it. */
function isNumbered(item: Item | undefined): boolean {
  return item !== undefined && isKey(item.key) && isSeq(item.seq);
}

/** Tells whether the event source mapping delivers it. What the library writes has both a lane and a `rev`. */
function passes({ lane, rev, exact, status }: Item): boolean {
  if (typeof lane === 'string' && rev !== undefined && exact === undefined) return false;
  return lane !== undefined || status !== 'SUCCESS';
}

function readable(item: Item, now: number) {
  try {
    return parseRecord(item, now);
  } catch {
    return undefined;
  }
}
