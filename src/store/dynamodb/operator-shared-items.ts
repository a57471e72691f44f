import type { OperatorSharedItems, SharedScan, SharedScanPage } from '../shared-items.js';
import { toItem } from './attribute-values.js';
import { Expressions } from './expressions.js';
import { DynamoDbSharedItems } from './shared-items.js';
import type { Table } from './table.js';

/** The shared items of the control table, for operators. */
export class DynamoDbOperatorSharedItems extends DynamoDbSharedItems implements OperatorSharedItems {
  constructor(private readonly control: Table) {
    super(control);
  }

  async scan({ prefix, attributes, after }: SharedScan): Promise<SharedScanPage> {
    const expressions = new Expressions();
    const key = expressions.name('key');
    const { items, last } = await this.control.scan({
      ProjectionExpression: [key, ...attributes.map((name) => expressions.name(name))].join(', '),
      FilterExpression: `begins_with(${key}, ${expressions.value(prefix)})`,
      ...(after === undefined ? {} : { ExclusiveStartKey: { key: { S: after } } }),
      ...expressions.placeholders(),
    });
    return { items: items.map(toItem), next: last?.key?.S };
  }
}
