import type { GroupScan, GroupScanPage, OperatorGroupStore } from '../group-store.js';
import { toItem } from './attribute-values.js';
import { Expressions } from './expressions.js';
import { DynamoDbGroups } from './groups.js';
import type { Table } from './table.js';

/** The items of groups in the control table, for operators. */
export class DynamoDbOperatorGroups extends DynamoDbGroups implements OperatorGroupStore {
  constructor(private readonly control: Table) {
    super(control);
  }

  async scan({ prefix, attributes, after }: GroupScan): Promise<GroupScanPage> {
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
