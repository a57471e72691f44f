import { randomUUID } from 'node:crypto';
import { paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  type Attempt,
  attemptIf,
  type Bench,
  type Design,
  inParallel,
  isoNow,
  isWritten,
  type Work,
} from './design.js';
import { createTable, DUE, putWaiting } from './tables.js';

const PAGE = 100;
const LEASE_SECONDS = 60;

interface Key {
  readonly id: string;
  readonly dueAt: string;
}

/** An index of what waits, and a conditional write that claims each record before its attempt. */
export const statusIndex: Design = {
  name: 'a status index, a claim per record',
  key: 'claims',
  settings:
    `an index of keys by status and due time, pages of ${PAGE}. A claim moves the due time by ${LEASE_SECONDS} s; its answer has ` +
    'the payload. The outcome is written if the claim is still there',
  doesNot:
    'stop a record that ends the process from coming again and again. A payload that changes during an attempt is taken ' +
    'as done',
  async open(bench) {
    const table = await createTable(bench, 'claims', DUE);
    return {
      tables: [table],
      fill: (works) => putWaiting(bench, table, works),
      async work(attempt) {
        const pages = paginateQuery(
          { client: bench.documents },
          {
            TableName: table,
            IndexName: DUE.name,
            Limit: PAGE,
            KeyConditionExpression: '#s = :s AND dueAt <= :now',
            ExpressionAttributeNames: { '#s': 'status' },
            ExpressionAttributeValues: { ':s': 'WAITING', ':now': isoNow(bench) },
          },
        );
        for await (const { Items = [] } of pages) {
          await inParallel(Items as Key[], (key) => attemptOne(bench, table, key, attempt));
        }
      },
    };
  },
};

async function attemptOne(bench: Bench, table: string, key: Key, attempt: Attempt): Promise<void> {
  const claim = randomUUID();
  const claimed = await claimOne(bench, table, key, claim);
  if (!claimed) return;
  await attemptIf(bench, table, claimed, attempt, {
    expression: 'claim = :claim',
    values: { ':claim': claim },
  });
}

/** Claims a record, and returns it; undefined: another run has it. */
async function claimOne(
  { documents, clock }: Bench,
  table: string,
  { id, dueAt }: Key,
  claim: string,
): Promise<(Work & { readonly attempts: number }) | undefined> {
  const until = new Date(clock.now() + LEASE_SECONDS * 1000).toISOString();
  let claimed: unknown;
  const update = new UpdateCommand({
    TableName: table,
    Key: { id },
    ConditionExpression: '#s = :s AND dueAt = :seen',
    UpdateExpression: 'SET dueAt = :until, claim = :claim',
    ExpressionAttributeNames: { '#s': 'status' },
    ExpressionAttributeValues: { ':s': 'WAITING', ':seen': dueAt, ':until': until, ':claim': claim },
    ReturnValues: 'ALL_NEW',
  });
  await isWritten(
    documents.send(update).then(({ Attributes }) => {
      claimed = Attributes;
    }),
  );
  return claimed as Awaited<ReturnType<typeof claimOne>>;
}
