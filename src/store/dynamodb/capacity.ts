import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';

/**
 * What one request cost, as DynamoDB reports it. Failed conditions cost as much, but are not reported.
 *
 * @inline
 */
export interface Consumed {
  /** Such as `Query` or `UpdateItem`. */
  readonly operation: string;
  /** The table's name. */
  readonly table: string;
  /** Which units it cost. */
  readonly kind: 'read' | 'write';
  /** Read or write units, those of the index included. */
  readonly units: number;
}

/** @inline */
export type OnConsumed = (consumed: Consumed) => void;

const READS = new Set(['Query', 'Scan', 'GetItem', 'BatchGetItem']);

export class CapacityMeter {
  constructor(private readonly onConsumed: OnConsumed | undefined) {}

  /** What to add to a request: asked for only if there is a listener. */
  readonly parameters = () => (this.onConsumed ? { ReturnConsumedCapacity: 'INDEXES' as const } : {});

  note(operation: string, consumed: ConsumedCapacity | ConsumedCapacity[] | undefined): void {
    if (!this.onConsumed || !consumed) return;
    for (const { TableName: table = '', CapacityUnits: units = 0 } of [consumed].flat()) {
      this.onConsumed({ operation, table, kind: READS.has(operation) ? 'read' : 'write', units });
    }
  }
}
