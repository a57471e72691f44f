import type { Item } from '../../record/index.js';
import type { SharedAttributes, SharedItems } from '../shared-items.js';
import { Expressions, or } from './expressions.js';
import type { StoredPage, Table } from './table.js';

/** The shared items of the control table: src/groups/names.ts and src/lines/names.ts tell which there are. */
export class DynamoDbSharedItems implements SharedItems {
  constructor(private readonly table: Table) {}

  read(keys: readonly string[]): Promise<ReadonlyMap<string, Item>> {
    return this.table.getMany(keys);
  }

  create(key: string, attributes: SharedAttributes): Promise<boolean> {
    const expressions = new Expressions();
    return this.put(key, attributes, expressions.absent('key'), expressions);
  }

  write(key: string, attributes: SharedAttributes, expected: string | undefined): Promise<boolean> {
    const expressions = new Expressions();
    // Also true of an item that is not there.
    const hasNoRev = () => `NOT attribute_type(${expressions.name('rev')}, ${expressions.value('S')})`;
    const isAsRead = expected === undefined ? hasNoRev() : expressions.equal('rev', expected);
    return this.put(key, attributes, isAsRead, expressions);
  }

  async remove(key: string, expected?: string): Promise<void> {
    const expressions = new Expressions();
    const isWanted = expected === undefined ? expressions.exists('key') : expressions.equal('rev', expected);
    const condition = { ConditionExpression: isWanted, ...expressions.placeholders() };
    await this.table.delete(key, condition);
  }

  async list(prefix: string): Promise<readonly string[]> {
    const keys: string[] = [];
    let start: StoredPage['last'];
    do {
      const expressions = new Expressions();
      const key = expressions.name('key');
      const page = await this.table.scan({
        ConsistentRead: true,
        ProjectionExpression: key,
        FilterExpression: `begins_with(${key}, ${expressions.value(prefix)})`,
        ...(start && { ExclusiveStartKey: start }),
        ...expressions.placeholders(),
      });
      keys.push(...page.items.map((item) => item.key?.S ?? ''));
      start = page.last;
    } while (start);
    return keys;
  }

  private async put(
    key: string,
    attributes: SharedAttributes,
    isAsRead: string,
    expressions: Expressions,
  ): Promise<boolean> {
    // The answer to a first try was lost, and the client has repeated it.
    const condition = or(isAsRead, expressions.equal('rev', attributes.rev));
    return (await this.table.update(key, expressions.update(attributes, [], condition))).written;
  }
}
