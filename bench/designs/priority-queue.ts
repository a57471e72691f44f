import { GetCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import PQueue from 'p-queue';
import {
  type Attempt,
  type Bench,
  CONCURRENCY,
  type Design,
  isoNow,
  isWritten,
  succeeds,
  type Work,
} from './design.js';
import { createTable, putAll } from './tables.js';

/** The sample's own settings. */
const PAGE = 250;
const VISIBILITY_TIMEOUT_MS = 60_000;
const READY = 'READY_TO_SHIP';
const INDEX = 'queued-last_updated_timestamp-index';

interface SystemInfo {
  readonly version: number;
  readonly queue_selected: boolean;
  readonly peek_utc_timestamp?: number;
}

type Message = Work & { readonly system_info: SystemInfo };

/**
 * The pattern of AWS's sample aws-samples/amazon-dynamodb-implementing-priority-queuing, by its requests: `peek` is a query, a
 * read, a write and a read; `remove` and `restore` are a read and a write each. A version is the condition of each write.
 *
 * Its workers would all peek at the same message, and all but one of them fail. So here one of them peeks, and ten
 * attempts are made and written at once.
 */
export const priorityQueue: Design = {
  name: "AWS's priority queue sample",
  key: 'sample',
  settings:
    'an index of all attributes. Peek is a query, a read, a write and a read, by one worker; remove and restore are a read ' +
    `and a write. Queries ask for ${PAGE} messages, as published`,
  doesNot:
    'wait before a retry, nor give up; stop a record that ends the process from coming again and again. A payload that ' +
    'changes during an attempt is taken as done',
  async open(bench) {
    const table = await createTable(bench, 'sample', {
      name: INDEX,
      hash: { AttributeName: 'queued', AttributeType: 'N' },
      range: { AttributeName: 'last_updated_timestamp', AttributeType: 'S' },
      projection: 'ALL',
    });
    return {
      tables: [table],
      // Its `put` and its `enqueue` at once: one write in place of two.
      fill(works) {
        const now = isoNow(bench);
        const items = works.map((work) => ({
          ...work,
          queued: 1,
          last_updated_timestamp: now,
          system_info: {
            ...{
              id: work.id,
              creation_timestamp: now,
              last_updated_timestamp: now,
              queue_added_timestamp: now,
            },
            ...{ queued: 1, queue_selected: false, status: READY, version: 1 },
          },
        }));
        return putAll(bench, table, items);
      },
      async work(attempt) {
        const queue = new PQueue({ concurrency: CONCURRENCY });
        for (;;) {
          await queue.onSizeLessThan(1);
          const message = await peek(bench, table);
          if (message) void queue.add(() => attemptOne(bench, table, message, attempt));
          else if (queue.pending === 0) return;
          // A message that fails comes back.
          else await queue.onIdle();
        }
      },
    };
  },
};

async function attemptOne(bench: Bench, table: string, message: Message, attempt: Attempt): Promise<void> {
  if (succeeds(attempt, message)) await remove(bench, table, message.id);
  else await restore(bench, table, message.id);
}

/** Selects the oldest message that is free. */
async function peek(bench: Bench, table: string): Promise<Message | undefined> {
  const found = await oldest(bench, table);
  if (!found) return undefined;
  const message = await get(bench, table, found.id);
  const isSelected = await update(bench, table, found, {
    queue_selected: true,
    queue_peek_timestamp: isoNow(bench),
    peek_utc_timestamp: bench.clock.now(),
    status: 'PROCESSING',
  });
  if (!isSelected) throw new Error(`${message.id}: expected to be selected by the only one that selects`);
  return get(bench, table, message.id);
}

async function oldest({ documents, clock }: Bench, table: string): Promise<Message | undefined> {
  const pages = paginateQuery(
    { client: documents },
    {
      TableName: table,
      IndexName: INDEX,
      Limit: PAGE,
      ProjectionExpression: 'id, queued, system_info',
      KeyConditionExpression: 'queued = :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  );
  for await (const { Items = [] } of pages) {
    const free = (Items as Message[]).find(({ system_info: { queue_selected, peek_utc_timestamp = 0 } }) => {
      return !queue_selected || clock.now() - peek_utc_timestamp > VISIBILITY_TIMEOUT_MS;
    });
    if (free) return free;
  }
  return undefined;
}

async function get({ documents }: Bench, table: string, id: string): Promise<Message> {
  const { Item } = await documents.send(new GetCommand({ TableName: table, Key: { id } }));
  if (!Item) throw new Error(`${id}: expected a message`);
  return Item as Message;
}

/** Takes a message that succeeded out of the queue. */
async function remove(bench: Bench, table: string, id: string): Promise<void> {
  const set = { queued: 0, queue_selected: false, queue_remove_timestamp: isoNow(bench) };
  const message = await get(bench, table, id);
  await update(bench, table, message, set, ', #t = :now REMOVE queued, #sys.peek_utc_timestamp');
}

/** Puts a message that failed to the end of the queue. */
async function restore(bench: Bench, table: string, id: string): Promise<void> {
  const set = { queued: 1, queue_selected: false, queue_added_timestamp: isoNow(bench), status: READY };
  await update(bench, table, await get(bench, table, id), set, ', #t = :now');
}

/** Changes attributes of `system_info`, if its version is as it was read. A changed `last_updated_timestamp` moves the message. */
async function update(
  bench: Bench,
  table: string,
  { id, system_info: { version } }: Message,
  set: Readonly<Record<string, unknown>>,
  move = '',
): Promise<boolean> {
  const entries = Object.entries({ ...set, last_updated_timestamp: isoNow(bench) });
  const changes = entries.map(([name]) => `#sys.#${name} = :${name}`).join(', ');
  const change = new UpdateCommand({
    TableName: table,
    Key: { id },
    ConditionExpression: '#sys.version = :version',
    UpdateExpression: `ADD #sys.version :one SET ${changes}${move}`,
    ExpressionAttributeNames: {
      '#sys': 'system_info',
      ...(move ? { '#t': 'last_updated_timestamp' } : {}),
      ...Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
    },
    ExpressionAttributeValues: {
      ':one': 1,
      ':version': version,
      ...(move ? { ':now': isoNow(bench) } : {}),
      ...Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
    },
    ReturnValues: 'ALL_NEW',
  });
  return isWritten(bench.documents.send(change));
}
