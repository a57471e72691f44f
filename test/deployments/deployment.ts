import { backlogHandler } from '../../functions/index.js';
import { intakeHandler } from '../../functions/intake/intake-handler.js';
import type { QueueSettings, QueuesSettings } from '../../functions/settings.js';
import { BacklogOperator } from '../../src/operate/index.js';
import { caughtUpBy, DEFAULT_TIERS, resolvePolicy, tierBands } from '../../src/policies/index.js';
import { context, environment, workbench } from '../functions/support.js';

const FUNCTION_TIMEOUT_SECONDS = 300;
const MINUTE = 60;

/** Tables that stay while their queues are deployed with other settings: the real handlers, and rules every minute. */
export class Deployment {
  readonly attempts: { readonly id: string; readonly minute: number }[] = [];
  /** What an attempt throws; nothing: it succeeds. */
  outcome: (id: string) => void = () => {
    throw new Error('as always');
  };
  private readonly bench = workbench({ any: { retryMode: 'perRecord' } });
  private readonly start = this.bench.clock.now();
  private queues: QueuesSettings;
  private disabled: readonly string[] = [];

  constructor(queues: QueuesSettings) {
    this.queues = queues;
  }

  deploy(queues: QueuesSettings, { disabled = [] as readonly string[] } = {}): void {
    this.queues = queues;
    this.disabled = disabled;
  }

  get minute(): number {
    return (this.bench.clock.now() - this.start) / 1000 / MINUTE;
  }

  /** Puts a record, of which the table's stream tells the intake. */
  async put(id: string, queue: string, attributes: object = {}): Promise<void> {
    const { store, changesOf } = this.bench;
    const item = { id, status: 'NEW', queue, payload: {}, ...attributes };
    const changes = changesOf(() => store.put(item));
    if (changes.length === 0) throw new Error('no change of the table');
    const image = { id: { S: id }, status: { S: 'NEW' }, queue: { S: queue }, payload: { M: {} } };
    const dynamodb = { SequenceNumber: id, Keys: { id: { S: id } }, NewImage: image };
    const source = { eventName: 'INSERT', eventSource: 'aws:dynamodb', awsRegion: 'eu-central-1' };
    const records = { Records: [{ eventID: id, ...source, dynamodb }] };
    await intakeHandler(this.overrides())(records, context);
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
    const { store, clock } = this.bench;
    const operator = new BacklogOperator({ table: 'records', controlTable: 'control', store, clock });
    await operator.move(ids, { queue });
  }

  /** Lets the rules of the deployed queues fire for so many minutes. */
  async pass(minutes: number): Promise<void> {
    for (let i = 0; i < minutes; i++) {
      this.bench.clock.advance(MINUTE);
      for (const [queue, settings] of Object.entries(this.queues)) {
        if (!this.disabled.includes(queue)) await this.fire(queue, settings);
      }
    }
  }

  private async fire(queue: string, settings: QueueSettings): Promise<void> {
    const process = ({ id }: { readonly id: string }) => {
      this.attempts.push({ id, minute: this.minute });
      this.outcome(id);
    };
    const handler = backlogHandler({ queue, process, ...this.overrides() });
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

  private overrides() {
    return { ...this.bench.overrides, env: environment(this.queues) };
  }
}
