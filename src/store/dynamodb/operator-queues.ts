import { type Clock, toIso } from '../../support/clock.js';
import type { OperatorQueueStore, PauseNote } from '../operator-store.js';
import type { QueueState } from '../store.js';
import type { DynamoDbControl } from './control.js';
import { queueKey } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import { DynamoDbQueues } from './queues.js';
import type { Table } from './table.js';

const NOTE = ['pausedUntil', 'pauseReason', 'pausedBy'] as const;

/** The items of queues, also to be listed and paused. */
export class OperatorQueues extends DynamoDbQueues implements OperatorQueueStore {
  constructor(
    table: Table,
    private readonly control: DynamoDbControl,
    private readonly clock: Clock,
  ) {
    super(table);
  }

  readAll(): Promise<ReadonlyMap<string, QueueState>> {
    return this.control.readQueues();
  }

  async setPaused(queue: string, paused: boolean, note: PauseNote = {}): Promise<boolean> {
    if (paused) return (await this.begin(queue, note)) || (await this.changeNote(queue, note));
    const expressions = new Expressions();
    const set = { resumedAt: toIso(this.clock.now()) };
    const remove = ['paused', 'pausedAt', ...NOTE];
    const update = expressions.update(set, remove, expressions.equal('paused', true));
    return (await this.table.update(queueKey(queue), update)).written;
  }

  notePausedKeys(queue: string, next: string | undefined, read: string | undefined): Promise<boolean> {
    return this.noteText(queue, 'pausedKeys', next, read);
  }

  private async begin(queue: string, note: PauseNote): Promise<boolean> {
    const expressions = new Expressions();
    const set = { ...note, paused: true, pausedAt: toIso(this.clock.now()) };
    const remove = ['resumedAt', ...NOTE.filter((name) => note[name] === undefined)];
    const update = expressions.update(set, remove, `NOT ${expressions.equal('paused', true)}`);
    return (await this.table.update(queueKey(queue), update)).written;
  }

  private async changeNote(queue: string, note: PauseNote): Promise<boolean> {
    const expressions = new Expressions();
    // The name alone changes nothing: the reason that stands is another one's.
    const given = NOTE.filter((name) => name !== 'pausedBy' && note[name] !== undefined);
    if (given.length === 0) return false;
    const isOther = or(...given.map((name) => `NOT ${expressions.equal(name, note[name])}`));
    const isPaused = expressions.equal('paused', true);
    const update = expressions.update({ ...note }, [], and(isPaused, isOther));
    return (await this.table.update(queueKey(queue), update)).written;
  }
}
