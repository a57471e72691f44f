import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { type FunctionConfiguration, LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BacklogClient } from '../../src/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import { backlog } from '../cli/in-process.js';
import { readStream } from '../store/stream.js';
import { deployManyQueues, destroyManyQueues, messagesIn } from './cloud.js';
import { startErp } from './erp.js';

const QUEUES = Array.from({ length: 200 }, (_, number) => `queue-${number}`);
const idFor = (queue: string) => `of-${queue}`;

interface Diagnosis {
  readonly items: number;
  readonly all: boolean;
  readonly findings: readonly { readonly kind: string }[];
}

const client = createDynamoDbClient({});
const streams = new DynamoDBStreamsClient({});
const lambda = new LambdaClient({});
let erp: Awaited<ReturnType<typeof startErp>>;
let outputs: Record<string, string>;
let table: string;

/** Each state that the record of a queue has had, by status and lane; by queue. */
async function histories(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = Object.fromEntries(QUEUES.map((queue) => [queue, []]));
  for (const { dynamodb } of await readStream(client, streams, table)) {
    const { queue, status, lane } = dynamodb?.NewImage ?? {};
    found[queue?.S ?? '']?.push(`${status?.S} in ${lane?.S ?? 'no lane'}`);
  }
  return found;
}

async function functions(): Promise<FunctionConfiguration[]> {
  const { Functions = [] } = await lambda.send(new ListFunctionsCommand({}));
  return Functions.filter(({ FunctionName }) => FunctionName?.startsWith('ManyQueues'));
}

beforeAll(async () => {
  erp = await startErp();
  outputs = await deployManyQueues(erp.url);
  table = outputs.TableName ?? '';
});
afterAll(async () => {
  for (const one of [client, streams, lambda]) one.destroy();
  await erp.stop();
});

describe('one stack of 200 queues', () => {
  it('has their settings in a layer, as the variables of its functions have no room for them', async () => {
    const found = await functions();
    // Own code, two that deliver, the intake, the sweep and the monitor.
    expect(found).toHaveLength(6);
    for (const { Environment, Layers } of found) {
      expect(Layers).toHaveLength(1);
      expect(Environment?.Variables?.BACKLOG_QUEUES_FILE).toMatch(/^\/opt\//);
    }
  });

  it('attempts a record of each queue on insertion, at the address of its queue', async () => {
    const backlog = new BacklogClient({ table, client });
    const queues = QUEUES.values();
    const insertOneAfterTheOther = async () => {
      for (const queue of queues) {
        const id = idFor(queue);
        await backlog.insert({ id, queue, payload: { answers: [503, 200] } });
        await vi.waitFor(() => expect(erp.pathsOf(id)).toEqual([`/orders/${queue}`]), {
          timeout: 200_000,
          interval: 50,
        });
      }
    };
    // Arrivals of 200 queues at once are 200 sandboxes at once, which are too many processes for one machine.
    await Promise.all(Array.from({ length: 8 }, insertOneAfterTheOther));
  }, 600_000);

  it('attempts each of them again by the rule of its queue', async () => {
    const isDone = ([queue, states]: [string, string[]]) =>
      states.join() === `NEW in no lane,ERROR in ${queue},SUCCESS in no lane`;
    await vi.waitFor(
      async () => {
        const others = Object.entries(await histories()).filter((entry) => !isDone(entry));
        expect(others).toEqual([]);
      },
      { timeout: 240_000, interval: 2000 },
    );
    expect(QUEUES.filter((queue) => erp.attemptsOf(idFor(queue)).length !== 2)).toEqual([]);
  });

  it('leaves nothing in its tables that the doctor would report, and has given up no event', async () => {
    const { out } = await backlog('doctor', '--json', '--stack', 'ManyQueues');
    const { items, all, findings } = JSON.parse(out) as Diagnosis;
    expect({ items, all }).toEqual({ items: 200, all: true });
    // What the emulator does not do with a template: it leaves these settings of tables out.
    const unknown = ['table.expiry', 'table.backups', 'table.protection'];
    expect(findings.filter(({ kind }) => !unknown.includes(kind))).toEqual([]);
    expect(await messagesIn(outputs.EventDlq ?? '')).toBe(0);
  });

  it('is destroyed', async () => {
    await destroyManyQueues(erp.url);
    expect(await functions()).toEqual([]);
  });
});
