import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../support/clock.js';
import { type Settle, SettleGroups } from '../settle-groups.js';
import { toAttributeValue } from './attribute-values.js';
import { isAccessDenied, isUnknownOperation } from './errors.js';
import type { Table } from './table.js';

/** The update of a record, if the attributes of its fence are as they were read. */
export interface FencedUpdate extends Settle {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
  /** The attributes that are compared, as they were read; undefined: absent. */
  readonly fence: () => readonly (readonly [string, AttributeValue | undefined])[];
}

/** DynamoDB's limit of a statement's text. One that is longer would refuse the whole request. */
const MAX_STATEMENT_CHARACTERS = 8_192;
/** Limit of a request, far below that of DynamoDB, JSON and base64 included. */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** The groups of a table's changes. */
export function groupWrites(table: Table, clock: Clock): SettleGroups<FencedUpdate> {
  return new SettleGroups((updates) => updateTogether(updates, table), clock);
}

/**
 * Writes changes of different records by one request: PartiQL's UPDATE, each on the condition of a single one. An error of
 * a statement is in an answer that counts as a success, so the SDK repeats none of them. The write of one record alone does,
 * and tells what is wrong with it.
 *
 * @returns for each: it is written. Undefined: the role may not send such requests, or an emulator does not know them
 */
async function updateTogether(
  updates: readonly FencedUpdate[],
  table: Table,
): Promise<readonly boolean[] | undefined> {
  let room = MAX_REQUEST_BYTES;
  const statements = updates.map((update) => {
    const statement = statementOf(update, table.name);
    const bytes = statement === undefined ? 0 : bytesOf(statement);
    if (bytes > room) return undefined;
    room -= bytes;
    return statement;
  });
  const sent = statements.filter((statement) => statement !== undefined);
  if (sent.length < 2) return updates.map(() => false);
  try {
    const answer = await table.execute(new BatchExecuteStatementCommand({ Statements: sent }));
    const responses = answer.Responses ?? [];
    if (responses.length > 0 && responses.every(({ Error: error }) => error?.Code === 'AccessDenied'))
      return undefined;
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

/** The update in PartiQL. Undefined: it is longer than DynamoDB takes. */
function statementOf(
  { id, set, remove, fence }: FencedUpdate,
  table: string,
): BatchStatementRequest | undefined {
  const Parameters: AttributeValue[] = [];
  const parameter = (value: AttributeValue) => {
    Parameters.push(value);
    return '?';
  };
  const clauses = [
    ...Object.entries(set)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `SET ${quoted(name)}=${parameter(toAttributeValue(value))}`),
    ...remove.filter((name) => set[name] === undefined).map((name) => `REMOVE ${quoted(name)}`),
    `WHERE "id"=${parameter({ S: id })}`,
    ...fence()
      .filter(([name]) => name !== 'id')
      .map(([name, value]) => `AND ${quoted(name)}${value ? `=${parameter(value)}` : ' IS MISSING'}`),
  ];
  const Statement = `UPDATE ${quoted(table)} ${clauses.join(' ')}`;
  return Statement.length > MAX_STATEMENT_CHARACTERS ? undefined : { Statement, Parameters };
}

/** About the bytes that a statement takes: texts, names and binary values, and ten for each value beside. */
function bytesOf({ Statement = '', Parameters = [] }: BatchStatementRequest): number {
  return Statement.length + sum(Parameters);
}

function sum(value: unknown): number {
  if (typeof value === 'string') return 2 + Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 10;
  if (ArrayBuffer.isView(value)) return (value.byteLength * 4) / 3;
  let bytes = 10;
  for (const [name, child] of Object.entries(value)) bytes += name.length + sum(child);
  return bytes;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
