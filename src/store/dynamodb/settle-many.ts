import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
} from '@aws-sdk/client-dynamodb';
import { attributesToFence } from '../../record/index.js';
import { itemBytes } from '../../record/item-size.js';
import type { Settle } from '../settle-groups.js';
import { toAttributeValue } from './attribute-values.js';
import { isAccessDenied, isUnknownOperation } from './errors.js';
import { storedOf } from './fence.js';
import type { Table } from './table.js';

/** DynamoDB's limit of a statement's text. One that is longer would refuse the whole request. */
const MAX_STATEMENT_CHARACTERS = 8_192;
/** Limit of a request, far below that of DynamoDB, JSON and base64 included. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/**
 * Writes changes of different records by one request: PartiQL's UPDATE, each on the condition of a single one. An error of
 * a statement is in an answer that counts as a success, so the SDK repeats none of them. The write of one record alone does,
 * and tells what is wrong with it.
 *
 * @returns for each: it is written. Undefined: the role may not send such requests, or an emulator does not know them
 */
export async function settleMany(
  settles: readonly Settle[],
  table: Table,
): Promise<readonly boolean[] | undefined> {
  let room = MAX_REQUEST_BYTES;
  const statements = settles.map((settle) => {
    const bytes = bytesOf(settle);
    const statement = bytes <= room ? statementOf(settle, table.name) : undefined;
    if (statement) room -= bytes;
    return statement;
  });
  const sent = statements.filter((statement) => statement !== undefined);
  if (sent.length < 2) return settles.map(() => false);
  try {
    const answer = await table.execute(new BatchExecuteStatementCommand({ Statements: sent }));
    const responses = answer.Responses ?? [];
    const written = new Map(
      sent.map((statement, i) => [statement, responses[i] !== undefined && !responses[i].Error]),
    );
    return statements.map((statement) => statement !== undefined && written.get(statement) === true);
  } catch (error) {
    const { cause } = error as Error;
    if (isAccessDenied(cause) || isUnknownOperation(cause)) return undefined;
    throw error;
  }
}

/** The bytes that a change sends: what it sets, and what it compares. */
function bytesOf({ record, change }: Settle): number {
  return itemBytes(change.set) + itemBytes({ payload: record.payload, attributes: record.attributes });
}

/** The update in PartiQL. Undefined: it is longer than DynamoDB takes. */
function statementOf({ record, change, rev }: Settle, table: string): BatchStatementRequest | undefined {
  const Parameters: AttributeValue[] = [];
  const parameter = (value: AttributeValue) => {
    Parameters.push(value);
    return '?';
  };
  const set = Object.entries({ ...change.set, rev }).filter(([, value]) => value !== undefined);
  const read = storedOf(record);
  const fence = attributesToFence(read, record.rev !== undefined).filter((name) => name !== 'id');
  const clauses = [
    ...set.map(([name, value]) => `SET ${quoted(name)}=${parameter(toAttributeValue(value))}`),
    ...change.remove.filter((name) => change.set[name] === undefined).map((name) => `REMOVE ${quoted(name)}`),
    `WHERE "id"=${parameter({ S: record.id })}`,
    ...fence.map((name) => {
      const value = read[name];
      return `AND ${quoted(name)}${value ? `=${parameter(value)}` : ' IS MISSING'}`;
    }),
  ];
  const Statement = `UPDATE ${quoted(table)} ${clauses.join(' ')}`;
  return Statement.length > MAX_STATEMENT_CHARACTERS ? undefined : { Statement, Parameters };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
