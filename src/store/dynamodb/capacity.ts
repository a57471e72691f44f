import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';

/**
 * The cost of one request, as DynamoDB reports it. Failed conditions cost as much, but are not reported.
 *
 * @inline
 */
export interface Consumed {
  /** The operation, such as `Query` or `UpdateItem`. */
  readonly operation: string;
  /** The table's name. */
  readonly table: string;
  /** The kind of the units. */
  readonly kind: 'read' | 'write';
  /** Read or write units, those of the index included. */
  readonly units: number;
}

/** @inline */
export type OnConsumed = (consumed: Consumed) => void;

const READS = new Set(['Query', 'Scan', 'GetItem', 'BatchGetItem']);

export class CapacityMeter {
  constructor(private readonly onConsumed: OnConsumed | undefined) {}

  /** Parameters that ask for the cost of a request. Empty if there is no listener. */
  readonly parameters = () => (this.onConsumed ? { ReturnConsumedCapacity: 'INDEXES' as const } : {});

  note(operation: string, consumed: ConsumedCapacity | ConsumedCapacity[] | undefined): void {
    if (!this.onConsumed || !consumed) return;
    for (const { TableName: table = '', CapacityUnits: units = 0 } of [consumed].flat()) {
      this.onConsumed({ operation, table, kind: READS.has(operation) ? 'read' : 'write', units });
    }
  }
}
