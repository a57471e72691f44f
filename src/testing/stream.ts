import type { ArrivalsEvent, Invocation } from '../../functions/intake/arrivals.js';
import type { RuleEvent, RuleInvocation } from '../../functions/intake/dead-run.js';
import { dispatchInserts } from '../../functions/intake/dispatch-inserts.js';
import { IntakeBatch, type IntakeDeps } from '../../functions/intake/intake-batch.js';
import { sendShortWaits, startShortWaits } from '../../functions/intake/short-waits.js';
import { isSettled, type StreamChange } from '../../functions/intake/stream-event.js';
import { type Item, parseRecord } from '../record/index.js';
import type { VirtualTime } from '../support/virtual-time.js';

/** Most changes of the table in one batch of the stream. */
const BATCH = 100;

export interface StreamDeps {
  readonly time: VirtualTime;
  readonly intake: Omit<IntakeDeps, 'invoker'>;
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

/** The table's stream and the intake behind it, which attempts what was inserted, or indexes it. */
export class Stream {
  private waiting: StreamChange[] = [];
  private sequence = 0;

  constructor(private readonly deps: StreamDeps) {}

  /** Notes that a record was put. The stream brings it at once, before any time passes. */
  changed(item: Item, kind: StreamChange['kind']): void {
    // As the event source mapping filters: what the library writes has both.
    if (typeof item.lane === 'string' && item.rev !== undefined && item.exact === undefined) return;
    if (item.lane === undefined && item.status === 'SUCCESS') return;
    const { time } = this.deps;
    const record = readable(item, time.now);
    this.sequence++;
    this.waiting.push({ sequenceNumber: String(this.sequence), id: String(item.id), kind, record });
    if (this.waiting.length === 1) time.after(0, () => this.deliver());
  }

  /** Lets the intake look again at records that had just come when their run was lost. */
  lost(ids: readonly string[]): void {
    this.handle((batch) => batch.index(ids));
  }

  private deliver(): void {
    const changes = this.waiting.splice(0, BATCH);
    if (this.waiting.length > 0) this.deps.time.after(0, () => this.deliver());
    if (changes.length > 0) {
      this.handle(async (batch, deps) => {
        await sendShortWaits(changes.filter(isSettled), deps);
        await dispatchInserts(
          changes.filter((change) => !isSettled(change)),
          batch,
          deps,
        );
      });
    }
  }

  private handle(work: (batch: IntakeBatch, deps: IntakeDeps) => Promise<unknown>): void {
    const { intake, invoke, fire, time, onTrouble } = this.deps;
    const deps: IntakeDeps = {
      ...intake,
      invoker: {
        invoke: async ({ functionName, event }: Invocation | RuleInvocation) => {
          if ('arrivals' in event) invoke(functionName, event as ArrivalsEvent);
          else fire(functionName, event);
          return 'accepted';
        },
        sendShortWait: async (wait, delaySeconds) => {
          time.after(delaySeconds * 1000, () => this.handle((_, own) => startShortWaits([wait], own)));
        },
        sendToRedelivery: async (ids, delaySeconds) => {
          time.after(delaySeconds * 1000, () => this.handle((batch) => batch.index(ids)));
        },
        giveUp: async () => {},
      },
    };
    work(new IntakeBatch(deps), deps).catch(onTrouble);
  }
}

function readable(item: Item, now: number) {
  try {
    return parseRecord(item, now);
  } catch {
    return undefined;
  }
}
