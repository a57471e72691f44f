import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

let dynamodb: EmbeddedDynamoDb;
let table: Awaited<ReturnType<typeof oldTable>>;
let control: Awaited<ReturnType<typeof oldTable>>;
let tables = 0;

const AT = '2026-05-01T00:00:00.000Z';
const ARN = 'arn:aws:lambda:eu-central-1:111111111111:function:blue-orders';
const owned = (owner: string, more: object = {}) => ({
  owner,
  function: ARN,
  retryMode: 'perRecord',
  timeout: 300,
  at: AT,
  ...more,
});

const DAY = 86_400_000;
/** So long ago. */
const iso = (ms: number) => new Date(Date.now() - ms).toISOString();

beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
});
afterAll(async () => {
  await dynamodb.stop();
  vi.unstubAllEnvs();
});
beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-owners-')));
  table = await oldTable(dynamodb.endpoint, `Records${++tables}`);
  control = await oldTable(dynamodb.endpoint, `Control${tables}`, { key: 'key', index: false });
});
afterEach(() => {
  table.close();
  control.close();
});

const register = (queues: object) => control.put({ key: 'registry', rev: 'first', queues });

function run(...args: string[]) {
  const at = ['--endpoint', dynamodb.endpoint, '--table', table.name, '--control-table', control.name];
  return backlog(...args, ...at);
}

async function ownersNow(): Promise<Record<string, { owner: string; function?: string }>> {
  const all = JSON.parse((await run('owners', '--json')).out) as { queue: string; owner: string }[];
  return Object.fromEntries(all.map(({ queue, ...rest }) => [queue, rest]));
}

describe('backlog owners', () => {
  it('lists each queue with its owner, its function and since when', async () => {
    const { function: _, ...given } = owned('green');
    await register({ orders: owned('blue'), bulk: given });
    const { out, code } = await run('owners');
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['QUEUE', 'OWNER', 'FUNCTION', 'SINCE'],
      ['bulk', 'green', 'not known yet', AT],
      ['orders', 'blue', 'blue-orders', AT],
    ]);
  });

  it('says that there is none, and what makes one', async () => {
    const { err, code } = await run('owners');
    expect(code).toBe(0);
    expect(err).toContain('no function has registered a queue');
  });

  it('does not play tricks on the terminal with what is in the table', async () => {
    await register({ orders: owned('blue\u001b[2J') });
    expect((await run('owners')).out).not.toContain('\u001b[2J');
  });
});

describe('backlog transfer', () => {
  it('gives a queue to another owner, whose function is not known yet', async () => {
    await register({ orders: owned('blue', { shards: 4 }), bulk: owned('blue') });
    const { err, code } = await run('transfer', 'orders', '--to', 'green');
    expect(code).toBe(0);
    expect(err).toContain('orders: from blue to green');
    const { orders, bulk } = await ownersNow();
    expect(orders).toMatchObject({ owner: 'green', shards: 4 });
    expect(orders).not.toHaveProperty('function');
    expect(bulk).toMatchObject({ owner: 'blue', function: ARN });
    expect((await run('transfer', 'orders', '--to', 'green')).err).toContain('belongs to green already');
  });

  it('gives all queues of one owner, and no others', async () => {
    await register({ orders: owned('blue'), bulk: owned('blue'), mails: owned('other') });
    expect((await run('transfer', '--all', '--from', 'blue', '--to', 'green')).code).toBe(0);
    const now = await ownersNow();
    expect(Object.fromEntries(Object.entries(now).map(([name, { owner }]) => [name, owner]))).toEqual({
      orders: 'green',
      bulk: 'green',
      mails: 'other',
    });
  });

  it('leaves alone what belongs to another one than --from, and what is not registered', async () => {
    await register({ orders: owned('other') });
    const { err, code } = await run('transfer', 'orders', 'ordres', '--from', 'blue', '--to', 'green');
    expect(code).toBe(3);
    expect(err).toContain('orders: belongs to other, not to blue');
    expect(err).toContain('ordres: no function has registered it');
    expect((await ownersNow()).orders?.owner).toBe('other');
  });

  it('takes back a queue whose owner was removed', async () => {
    await register({ orders: owned('blue', { removedAt: AT }) });
    await run('transfer', 'orders', '--to', 'green');
    expect((await ownersNow()).orders).not.toHaveProperty('removedAt');
  });

  it.each([
    [['--to', 'green'], 'expected names of queues, or --all with --from, got neither'],
    [['orders', '--all', '--from', 'blue', '--to', 'green'], 'got both'],
    [['--all', '--to', 'green'], 'expected --from OWNER beside --all'],
    [['orders'], "required option '--to <owner>' not specified"],
  ])('is refused with %j', async (args, message) => {
    const { err, code } = await run('transfer', ...args);
    expect(code).toBeUndefined();
    expect(err).toContain(message);
  });
});

describe('backlog doctor', () => {
  const waiting = (id: string, lane: string) => ({
    id,
    status: 'ERROR',
    payload: 1,
    queue: 'gone',
    insertedAt: iso(DAY),
    lane,
    dueAt: iso(-DAY),
    rev: 'r',
    attempts: 1,
    failures: 1,
  });
  const findings = async () => {
    const { out } = await run('doctor', '--json');
    const { findings: all } = JSON.parse(out) as {
      findings: { kind: string; severity: string; what: string }[];
    };
    return all.filter(({ kind }) => /^(removed|owner)\./.test(kind));
  };

  it('names queues that no function serves, and how many records wait there', async () => {
    await register({
      gone: owned('team', { removedAt: iso(3 * DAY), shards: 2 }),
      empty: owned('team', { removedAt: iso(3 * DAY) }),
      late: owned('team', { at: iso(2 * DAY) }),
      orders: owned('shop', { at: iso(0) }),
    });
    await table.put(waiting('a', 'gone'), waiting('b', 'gone#1'));
    expect(await findings()).toMatchObject([
      {
        kind: 'removed.gone',
        severity: 'error',
        what: '2 records in the queue gone, which no function serves: its owner was team, and it was removed 3 d ago',
      },
      {
        kind: 'owner.late',
        severity: 'warning',
        what: 'the queue late was last confirmed by its owner team 2 d ago; no record waits there',
      },
    ]);
  });

  it('names a queue that was given to an owner which is not there', async () => {
    const { function: _, ...given } = owned('gren', { at: iso(20 * 60_000) });
    await register({
      orders: given,
      bulk: { ...given, at: iso(60_000) },
      mails: owned('green', { at: iso(20 * 60_000) }),
    });
    expect(await findings()).toMatchObject([
      { kind: 'owner.orders', severity: 'error', what: expect.stringContaining('given to gren at') },
    ]);
  });

  it('finds nothing wrong with a registry that is damaged', async () => {
    await control.put({ key: 'registry', rev: 5, queues: { gone: 'x', late: { owner: 'team' } } });
    expect(await findings()).toEqual([]);
  });
});
