import { DynamoDbStore } from '../../store/index.js';
import type { Target } from '../connect.js';

/**
 * A store that knows of the runs of all control tables: an app on this machine may have several, and which of them
 * belongs to a table is not written there.
 */
export class RepairStore extends DynamoDbStore {
  private readonly controls: readonly DynamoDbStore[];

  constructor({ client, table, clock }: Target, controlTables: readonly string[]) {
    // Of a control table nothing but claims is read: without one it stays untouched.
    super({ client, clock, tables: { records: table, control: controlTables[0] ?? table } });
    this.controls = controlTables.map(
      (control) => new DynamoDbStore({ client, clock, tables: { records: table, control } }),
    );
  }

  override async claimedArrivals(queue: string, now: number): Promise<string[]> {
    return (await Promise.all(this.controls.map((store) => store.claimedArrivals(queue, now)))).flat();
  }
}
