import type { BacklogLambdaHandler } from '../../functions/backlog-lambda-handler.js';
import { deliveryHandler } from '../../functions/delivery-handler.js';
import { backlogHandler } from '../../functions/index.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { Invoker } from '../../functions/intake/invoker.js';
import type { QueueSettings, QueuesSettings } from '../../functions/settings.js';
import { BacklogOperator } from '../../src/operate/index.js';
import {
  caughtUpBy,
  DEFAULT_TIERS,
  type RetryPolicy,
  resolvePolicy,
  tierBands,
} from '../../src/policies/index.js';
import type { MemoryStore } from '../../src/store/index.js';
import { context, environment, workbench } from '../functions/support.js';
import { ControlTable } from '../simulation/control-table.js';

const FUNCTION_TIMEOUT_SECONDS = 300;
const MINUTE = 60;

/** A policy of so many minutes. */
export const every = (minutes: number) =>
  ({ type: 'constant', interval: minutes * 60, jitter: 'none' }) as const satisfies RetryPolicy;

export const queue = (retry: RetryPolicy, more: Partial<QueueSettings> = {}): QueueSettings => ({
  retryMode: 'perRecord',
  retry,
  ...more,
});

/** A progressive queue; the last tier is the end. */
export const byAge = (...tiers: [every: number, untilDays: number][]): QueueSettings => ({
  retryMode: 'progressive',
  retry: {
    type: 'progressive',
    tiers: tiers.map(([minutes, days]) => ({ every: minutes * 60, untilAge: days * 86_400 })),
    maxAge: (tiers.at(-1)?.[1] ?? 0) * 86_400,
  },
});

/** Options of a deployment beside the settings of its queues. */
interface Parts {
  /** Queues whose rules do not fire. */
  readonly disabled?: readonly string[];
  /** Queues with `firstAttempt: 'onInsert'`. */
  readonly onInsert?: readonly string[];
  /** Default: true. */
  readonly intake?: boolean;
  /** A new, empty one. */
  readonly controlTable?: 'new';
  /** The `external` queues that a process attempts now. It starts a run as often as rules would. */
  readonly processes?: readonly string[];
}

/** Tables that stay while their queues are deployed with other settings: the real handlers, and rules every minute. */
export class Deployment {
  readonly attempts: { readonly id: string; readonly minute: number }[] = [];
  /** Does the work of an attempt. It throws a failure. */
  outcome: (id: string) => void = () => {
    throw new Error('as always');
  };
  private readonly bench = workbench({ any: { retryMode: 'perRecord' } });
  private readonly control = new ControlTable(this.bench.store as MemoryStore, this.bench);
  private readonly start = this.bench.clock.now();
  private queues: QueuesSettings = {};
  private parts: Parts = {};

  constructor(queues: QueuesSettings, parts: Parts = {}) {
    this.deploy(queues, parts);
  }

  deploy(queues: QueuesSettings, parts: Parts = {}): void {
    this.queues = queues;
    this.parts = parts;
    if (parts.controlTable === 'new') this.control.restore();
  }

  get minute(): number {
    return (this.bench.clock.now() - this.start) / 1000 / MINUTE;
  }

  /** Puts a record. The table's stream tells the intake of it, where there is one. */
  async put(id: string, queue: string, attributes: object = {}): Promise<void> {
    const { store, changesOf } = this.bench;
    const item = { id, status: 'NEW', queue, payload: {}, ...attributes };
    const changes = changesOf(() => store.put(item));
    if (changes.length === 0) throw new Error('no change of the table');
    if (this.parts.intake === false) return;
    const image = { id: { S: id }, status: { S: 'NEW' }, queue: { S: queue }, payload: { M: {} } };
    const dynamodb = { SequenceNumber: id, Keys: { id: { S: id } }, NewImage: image };
    const source = { eventName: 'INSERT', eventSource: 'aws:dynamodb', awsRegion: 'eu-central-1' };
    await this.ingest({ Records: [{ eventID: id, ...source, dynamodb }] });
  }

  /** The intake, and then the functions that it starts. */
  private async ingest(event: object): Promise<void> {
    const started: unknown[] = [];
    const refuse = () => Promise.reject(new Error('no queue of SQS here'));
    const invoker: Invoker = {
      invoke: async ({ event }) => {
        started.push(event);
        return 'accepted';
      },
      sendToRedelivery: refuse,
      sendShortWait: refuse,
      giveUp: refuse,
    };
    const { onInsert = [] } = this.parts;
    const overrides = this.overrides();
    const env = {
      ...overrides.env,
      BACKLOG_ARRIVAL_FUNCTIONS: JSON.stringify(onInsert.length > 0 ? { all: onInsert } : {}),
      BACKLOG_REDELIVERY_URL: 'https://sqs.eu-central-1.amazonaws.com/1/redelivery',
    };
    await intakeHandler({ ...overrides, env, invoker })(event, context);
    for (const one of started) await this.handlerOf((one as { queue: string }).queue)(one, context);
  }

  /** Puts a record as a run has left it. */
  place(id: string, queue: string, attributes: object = {}): Promise<void> {
    return this.bench.insert({ id, queue, payload: {}, rev: 'placed', ...attributes });
  }

  /** ISO-8601, so many days ago. */
  daysAgo(days: number): string {
    return new Date(this.bench.clock.now() - days * 86_400_000).toISOString();
  }

  item(id: string): Record<string, unknown> {
    const found = this.bench.store.items().find((item) => item.id === id);
    if (!found) throw new Error(`no item ${id}`);
    return found;
  }

  /** The minutes at which a record was attempted. */
  attemptsOf(id: string): number[] {
    return this.attempts.flatMap((attempt) => (attempt.id === id ? [attempt.minute] : []));
  }

  /** Moves records as `backlog move` does. */
  async move(ids: readonly string[], queue: string): Promise<void> {
    await this.operator().move(ids, { queue });
  }

  /** A run of before that is still at work on records, under the lease of their lane or tier, for so many minutes. */
  async hold(key: string, ids: readonly string[], minutes: number): Promise<void> {
    const until = this.bench.clock.wall() + minutes * MINUTE * 1000;
    await this.control.store().leases.hold(key, { holder: 'of before', until, ids, rev: 'of before' });
  }

  /** Pauses a queue as `backlog pause` does. */
  async pause(queue: string): Promise<void> {
    await this.operator().pause(queue);
  }

  private operator(): BacklogOperator {
    const { clock } = this.bench;
    const tables = { table: 'records', controlTable: 'control' };
    return new BacklogOperator({ ...tables, store: this.control.store(), clock });
  }

  /** Lets the rules of the deployed queues fire for so many minutes. */
  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      this.bench.clock.advance(MINUTE);
      for (const [queue, settings] of Object.entries(this.queues)) {
        const { disabled = [], processes = [] } = this.parts;
        const isStarted = settings.external ? processes.includes(queue) : !disabled.includes(queue);
        if (isStarted) await this.fire(queue, settings);
      }
    }
  }

  private async fire(queue: string, settings: QueueSettings): Promise<void> {
    const handler = this.handlerOf(queue);
    if (settings.retryMode === 'perRecord') {
      await handler({ queue }, context);
      return;
    }
    const { tiers = DEFAULT_TIERS } = settings.retry ? resolvePolicy(settings.retry) : {};
    const bands = tierBands(tiers, FUNCTION_TIMEOUT_SECONDS);
    for (const tier of bands) {
      if ((this.minute * MINUTE) % tier.every !== 0) continue;
      const catchUp = caughtUpBy(tier, bands);
      await handler({ queue, tier, ...(catchUp && { catchUp }) }, context);
    }
  }

  /** The function of the present deployment. */
  private handlerOf(queue: string): BacklogLambdaHandler {
    const { deliverTo, retryMode = 'perRecord' } = this.queues[queue] ?? {};
    if (deliverTo !== undefined) return deliveryHandler(retryMode, this.overrides());
    const process = ({ id }: { readonly id: string }) => {
      this.attempts.push({ id, minute: this.minute });
      this.outcome(id);
    };
    return backlogHandler({ queue, process, ...this.overrides() });
  }

  private overrides() {
    return { ...this.bench.overrides, store: this.control.store(), env: environment(this.queues) };
  }
}
