import { DynamoDbOperatorStore, DynamoDbStore, type StoreTypes } from 'dynamo-backlog/engine';
import type { Target } from '../connect.js';

/**
 * A store that claims records in all control tables: an app on this machine may have several, and which of them belongs
 * to a table is not written there. Without any, no run attempts records on insertion, and there is nothing to claim.
 */
export class RepairStore extends DynamoDbOperatorStore {
  override readonly claims: StoreTypes.ClaimStore;

  constructor({ client, table, clock }: Target, controlTables: readonly string[]) {
    // Only claims are used of a control table: without one it stays untouched.
    super({ client, clock, tables: { records: table, control: controlTables[0] ?? table } });
    const stores = controlTables.map(
      (control) => new DynamoDbStore({ client, clock, tables: { records: table, control } }),
    );
    this.claims = new ClaimsInAll(stores.map(({ claims }) => claims));
  }
}

class ClaimsInAll implements StoreTypes.ClaimStore {
  constructor(private readonly tables: readonly StoreTypes.ClaimStore[]) {}

  async find(
    queues: readonly string[],
    ids: readonly string[],
    now: number,
  ): Promise<StoreTypes.ClaimedArrivals> {
    const all = await Promise.all(this.tables.map((claims) => claims.find(queues, ids, now)));
    const neverIn = queues.filter((queue) => all.every((one) => one.neverIn.includes(queue)));
    return { ids: [...new Set(all.flatMap((one) => one.ids))], neverIn };
  }

  async take(queue: string, claim: StoreTypes.ArrivalsClaim): Promise<StoreTypes.ClaimAnswer> {
    for (const claims of this.tables) {
      const answer = await claims.take(queue, claim);
      if (answer === 'claimed') continue;
      await this.release(queue, claim);
      return answer;
    }
    return 'claimed';
  }

  async release(queue: string, claim: StoreTypes.NamedClaim): Promise<void> {
    await Promise.all(this.tables.map((claims) => claims.release(queue, claim)));
  }

  async end(queue: string, lost: StoreTypes.LostRun): Promise<number> {
    const ended = await Promise.all(this.tables.map((claims) => claims.end(queue, lost)));
    return ended.reduce((sum, count) => sum + count, 0);
  }
}
