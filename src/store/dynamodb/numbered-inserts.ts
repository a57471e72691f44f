import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../../record/index.js';
import { isSeq } from '../../record/seq.js';
import type { Clock } from '../../support/clock.js';
import { type Random, randomToken } from '../../support/random.js';
import { StoreThrottledError, StoreUnavailableError } from '../errors.js';
import type { NumberedInserts } from '../numbered-inserts.js';
import { toAttributes, toValue } from './attribute-values.js';
import { translated } from './errors.js';
import type { Table } from './table.js';

interface NumberedInsertsDeps {
  readonly client: DynamoDBClient;
  readonly records: Table;
  readonly control: Table;
  readonly clock: Clock;
  readonly random: Random;
}

const MAX_TRIES = 12;
const BACKOFF_MS = 20;
/** Reasons of a cancellation that pass: another process has numbered records of the line at the same time. */
const PASSING = ['ConditionalCheckFailed', 'TransactionConflict'];

/**
 * Numbers records by `TransactWriteItems`: the count is raised only if it is as it was read, and with it the records are put, or nothing is.
 * The SDK repeats a request whose answer is lost with the same token, so it takes effect once.
 */
export class DynamoDbNumberedInserts implements NumberedInserts {
  constructor(private readonly deps: NumberedInsertsDeps) {}

  async insert(key: string, items: readonly Item[]): Promise<readonly ('inserted' | 'duplicate')[]> {
    const { clock, random } = this.deps;
    const duplicates = new Set<Item>();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await clock.sleep(BACKOFF_MS * 2 ** Math.min(tries, 6) * random());
      const left = items.filter((item) => !duplicates.has(item));
      if (left.length === 0) break;
      const reasons = await this.tryOnce(key, left);
      if (reasons === undefined) break;
      const found = left.filter((_, at) => reasons[at + 1] === 'ConditionalCheckFailed');
      for (const item of found) duplicates.add(item);
      const isLast = tries === MAX_TRIES - 1;
      if (isLast) throw new StoreUnavailableError(`others number records of ${key} all the time`);
    }
    return items.map((item) => (duplicates.has(item) ? 'duplicate' : 'inserted'));
  }

  /** @returns why each write was refused, the count's first; undefined: all were made */
  private async tryOnce(key: string, items: readonly Item[]): Promise<readonly string[] | undefined> {
    const { client, records, control, random } = this.deps;
    // The value as DynamoDB has it: a damaged one is compared, too, and replaced.
    const { given } = (await control.getStored(key)) ?? {};
    const count = given && toValue(given);
    const last = isSeq(count) ? count : 0;
    const put = (item: Item, at: number): TransactWriteItem => ({
      Put: {
        TableName: records.name,
        Item: toAttributes({ ...item, seq: last + 1 + at }),
        ConditionExpression: 'attribute_not_exists(#id)',
        ExpressionAttributeNames: { '#id': 'id' },
      },
    });
    const raised: TransactWriteItem = {
      Update: {
        TableName: control.name,
        Key: { key: { S: key } },
        UpdateExpression: 'SET #given = :next',
        ConditionExpression: given ? '#given = :read' : 'attribute_not_exists(#given)',
        ExpressionAttributeNames: { '#given': 'given' },
        ExpressionAttributeValues: {
          ':next': { N: String(last + items.length) },
          ...(given && { ':read': given }),
        },
      },
    };
    const command = new TransactWriteItemsCommand({
      TransactItems: [raised, ...items.map(put)],
      ClientRequestToken: randomToken(random) + randomToken(random),
    });
    return translated('TransactWriteItems', records.name, async () => {
      try {
        await client.send(command);
        return undefined;
      } catch (error) {
        if (!(error instanceof TransactionCanceledException)) throw error;
        const reasons = (error.CancellationReasons ?? []).map(({ Code: code = 'None' }) => code);
        const other = reasons.find((code) => code !== 'None' && !PASSING.includes(code));
        if (other === undefined && reasons.length > 0) return reasons;
        if (other === 'ThrottlingError' || other === 'ProvisionedThroughputExceeded')
          throw new StoreThrottledError(`TransactWriteItems: ${other}`, { cause: error });
        throw error;
      }
    });
  }
}
