import type { ArrivalsClaim, ClaimAnswer, ClaimedArrivals } from '../../../store/index.js';
import { DynamoDbOperatorStore, DynamoDbStore } from '../../../store/index.js';
import type { Target } from '../connect.js';

/**
 * A store that claims records in all control tables: an app on this machine may have several, and which of them belongs
 * to a table is not written there. Without any, no run attempts records on insertion, and there is nothing to claim.
 */
export class RepairStore extends DynamoDbOperatorStore {
  private readonly controls: readonly DynamoDbStore[];

  constructor({ client, table, clock }: Target, controlTables: readonly string[]) {
    // Only claims are used of a control table: without one it stays untouched.
    super({ client, clock, tables: { records: table, control: controlTables[0] ?? table } });
    this.controls = controlTables.map(
      (control) => new DynamoDbStore({ client, clock, tables: { records: table, control } }),
    );
  }

  override async claimedArrivals(
    queues: readonly string[],
    ids: readonly string[],
    now: number,
  ): Promise<ClaimedArrivals> {
    const all = await Promise.all(this.controls.map((store) => store.claimedArrivals(queues, ids, now)));
    const neverIn = queues.filter((queue) => all.every((one) => one.neverIn.includes(queue)));
    return { ids: [...new Set(all.flatMap((one) => one.ids))], neverIn };
  }

  override async claimArrivals(queue: string, claim: ArrivalsClaim): Promise<ClaimAnswer> {
    for (const store of this.controls) {
      const answer = await store.claimArrivals(queue, claim);
      if (answer === 'claimed') continue;
      await this.releaseArrivals(queue, claim);
      return answer;
    }
    return 'claimed';
  }

  override async releaseArrivals(
    queue: string,
    claim: Pick<ArrivalsClaim, 'batch' | 'holder'>,
  ): Promise<void> {
    await Promise.all(this.controls.map((store) => store.releaseArrivals(queue, claim)));
  }
}
