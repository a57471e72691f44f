import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { DynamoDbOperatorStore } from '../../../src/store/index.js';
import { HeldQueues } from '../../../tools/src/cli/restore/hold.js';
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { backlog } from '../in-process.js';
import { type Attributes, ended, HOUR, iso, restoredAndOld, waiting } from './tables.js';

let dynamodb: EmbeddedDynamoDb;
beforeAll(async () => {
  dynamodb = await startEmbeddedDynamoDb();
  return () => dynamodb.stop();
});

const tables = restoredAndOld(() => dynamodb.endpoint, { isRuntime: true });
const statusOf = (item: Attributes | undefined) => item?.status?.S;

/** One record of each kind of difference. */
async function putEachKind() {
  const kinds = ['succeeded', 'dead', 'gone', 'changed', 'retried', 'unreadable', 'same'];
  const restored = Object.fromEntries(kinds.map((id) => [id, waiting(id)]));
  const of = (id: string) => restored[id] as Attributes;
  const bulk = waiting('bulk', { queue: { S: 'bulk' }, lane: { S: 'bulk' } });
  // The restored table is at work again, and the command is repeated.
  const finished = waiting('finished');
  await tables.put(tables.to().records, [
    ...Object.values(restored),
    bulk,
    ended(waiting('done'), 'SUCCESS'),
    ended(waiting('anew'), 'SUCCESS'),
    ended(waiting('risen'), 'SUCCESS'),
    ended(finished, 'SUCCESS', { result: { S: '8' } }),
  ]);
  const { lane: _, dueAt: __, ...came } = waiting('missing', { queue: { S: 'later' } });
  await tables.put(tables.from().records, [
    ended(of('succeeded'), 'SUCCESS', { expiresAt: { N: '4000000000' }, result: { S: '{"invoice":7}' } }),
    ended(of('dead'), 'DEAD', { deadReason: { S: 'discarded: no' } }),
    { ...of('changed'), payload: { S: 'another' } },
    { ...of('retried'), status: { S: 'ERROR' }, failures: { N: '3' }, dueAt: iso(HOUR), rev: { S: 'r3' } },
    { ...of('unreadable'), status: { S: 'DONE' } },
    of('same'),
    bulk,
    ended(waiting('done'), 'SUCCESS', { payload: { S: 'p' } }),
    finished,
    waiting('anew', { insertedAt: iso(-60_000) }),
    { ...waiting('risen'), payload: { S: 'again' } },
    came,
    ended(waiting('done-later'), 'SUCCESS'),
  ]);
}

describe('backlog restore', () => {
  it('without --apply counts what differs, and changes nothing', async () => {
    await putEachKind();
    const before = await tables.restored();
    const { code, differences, queues, heldQueues, err } = await tables.restore(
      '--from',
      tables.from().records,
    );
    expect(differences).toMatchObject({
      succeeded: { count: 1, written: 1, ids: ['succeeded'] },
      dead: { count: 1, ids: ['dead'] },
      gone: { count: 1, written: 0, ids: ['gone'] },
      changed: { count: 3, written: 0, ids: expect.arrayContaining(['changed', 'anew', 'risen']) },
      retried: { count: 1, ids: ['retried'] },
      unreadable: { count: 1, ids: ['unreadable'] },
      missing: { count: 2, written: 0, ids: expect.arrayContaining(['missing', 'done-later']) },
    });
    expect(queues).toEqual({
      orders: { waiting: 5, due: 5, notIndexed: 0 },
      bulk: { waiting: 1, due: 1, notIndexed: 0 },
    });
    expect(heldQueues).toEqual([]);
    expect(err).toMatch(/nothing was changed: --apply/);
    expect(code).toBe(3);
    expect(await tables.restored()).toEqual(before);
    expect((await tables.store().queues.readAll()).size).toBe(0);
  });

  it('with --apply holds every queue, and holds back what has succeeded or was given up since', async () => {
    await putEachKind();
    const { code, heldQueues } = await tables.restore('--from', tables.from().records, '--apply', '--yes');
    expect(code).toBe(3);
    expect(heldQueues).toEqual(['bulk', 'orders']);
    const states = await tables.store().queues.readAll();
    expect([...states].map(([name, { paused }]) => [name, paused])).toEqual(
      expect.arrayContaining([
        ['bulk', true],
        ['orders', true],
      ]),
    );
    const after = await tables.restored();
    expect(after.get('succeeded')).toMatchObject({
      status: { S: 'DEAD' },
      lane: { S: 'orders/dead' },
      deadReason: { S: 'held: succeeded after the restore point' },
      payload: { M: { order: { S: 'succeeded' } } },
    });
    expect(after.get('dead')).toMatchObject({ status: { S: 'DEAD' }, deadReason: { S: 'discarded: no' } });
    for (const id of ['gone', 'changed', 'retried', 'unreadable', 'same']) {
      expect({ ...after.get(id), insertedAt: 0, dueAt: 0 }).toEqual({
        ...waiting(id),
        insertedAt: 0,
        dueAt: 0,
      });
    }
    expect(after.has('missing')).toBe(false);
  });

  it('marks, copies and takes over as told; a second time there is nothing left to do', async () => {
    await putEachKind();
    const decisions = ['--succeeded', 'mark', '--missing', 'copy', '--changed', 'old', '--gone', 'hold'];
    const args = ['--from', tables.from().records, ...decisions, '--apply', '--yes'];
    const { heldQueues, queues } = await tables.restore(...args);
    // A queue of copied records alone is held before they come.
    expect(heldQueues).toEqual(['bulk', 'later', 'orders']);
    expect(queues.later).toEqual({ waiting: 1, due: 1, notIndexed: 1 });
    const [restored, old] = [await tables.restored(), await tables.all(tables.from().records)];
    for (const id of ['missing', 'done-later', 'changed', 'anew', 'risen'])
      expect(restored.get(id)).toEqual(old.get(id));
    const succeeded = restored.get('succeeded');
    expect(succeeded).toMatchObject({
      status: { S: 'SUCCESS' },
      expiresAt: { N: '4000000000' },
      result: { S: '{"invoice":7}' },
      attempts: { N: '2' },
    });
    expect(succeeded).not.toHaveProperty('lane');
    expect(restored.get('gone')).toMatchObject({ deadReason: { S: 'held: not in the old table' } });

    const again = await tables.restore(...args);
    expect(Object.values(again.differences).map(({ written }) => written)).toEqual(
      Object.values(again.differences).map(() => 0),
    );
    expect(again.differences.gone).toMatchObject({ count: 1, already: 1 });
    expect(await tables.restored()).toEqual(restored);
  });

  it('what it has held can be decided otherwise later', async () => {
    await tables.put(tables.to().records, [waiting('a'), waiting('b')]);
    await tables.put(tables.from().records, [ended(waiting('a'), 'SUCCESS')]);
    const from = ['--from', tables.from().records, '--apply', '--yes'];
    await tables.restore(...from, '--gone', 'hold');
    expect([...(await tables.restored()).values()].map(statusOf)).toEqual(['DEAD', 'DEAD']);
    expect(await tables.restore(...from, '--succeeded', 'mark', '--gone', 'attempt')).toMatchObject({
      code: 0,
    });
    expect(await tables.get('a')).toMatchObject({ status: { S: 'SUCCESS' } });
    expect(await tables.get('b')).toMatchObject({ status: { S: 'NEW' }, lane: { S: 'orders' } });
    expect(await tables.get('b')).not.toHaveProperty('deadReason');
  });

  it('takes successes from a file where the old table is gone', async () => {
    await tables.put(
      tables.to().records,
      ['plain', 'json', 'log', 'event', 'failed', 'other'].map((id) => waiting(id)),
    );
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-ids-')), 'ids.txt');
    const lines = [
      'plain',
      '"json"',
      '{"@message":"{\\"message\\":\\"delivered\\",\\"id\\":\\"log\\"}"}',
      '{"dynamodb":{"Keys":{"id":{"S":"event"}},"NewImage":{"status":{"S":"SUCCESS"}}}}',
      '{"message":"attempt failed","id":"failed","status":"ERROR"}',
      '{"dynamodb":{"Keys":{"id":{"S":"failed"}},"NewImage":{"status":{"S":"ERROR"}}}}',
      '{"not": "closed"',
      '{"@message":"REPORT RequestId: failed"}',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const { code, err } = await tables.restore(
      '--succeeded-ids',
      file,
      '--succeeded',
      'mark',
      '--apply',
      '--yes',
    );
    expect(err).toMatch(/4 ids of records that have succeeded, 4 lines without one/);
    expect(code).toBe(0);
    const done = [...(await tables.restored())]
      .filter(([, item]) => statusOf(item) === 'SUCCESS')
      .map(([id]) => id);
    expect(done.sort()).toEqual(['event', 'json', 'log', 'plain']);
  });

  it('waits for runs at work before it writes', async () => {
    let now = 1_000_000;
    const sleeps: number[] = [];
    const clock = {
      now: () => now,
      wall: () => now,
      sleep: async (ms: number) => {
        now += ms;
        sleeps.push(now);
      },
    };
    const leases = new Map([['orders', { ids: ['a'], until: now + 3_000 }]]);
    const store = { leases: { readAll: async () => leases } } as unknown as DynamoDbOperatorStore;
    const said: string[] = [];
    const output = { message: (line: string) => void said.push(line) };
    await new HeldQueues([store]).waitForRuns(clock, new AbortController().signal, output);
    expect(said).toEqual(['waiting for the end of runs at work: orders ...']);
    // Until the lease has run out, and clocks that differ by 5 seconds agree on that.
    expect(sleeps.at(-1)).toBeGreaterThanOrEqual(1_008_000);
  });

  it('hostile items never stop it', async () => {
    const big = waiting('big', { payload: { S: 'x'.repeat(409_350) } });
    const { lane: _, dueAt: __, rev: ___, ...bare } = big;
    const odd: Attributes[] = [
      { id: { S: 'empty' } },
      {
        id: { S: 'types' },
        status: { N: '1' },
        queue: { M: {} },
        lane: { S: 'x' },
        rev: { N: '5' },
        dueAt: { S: 'soon' },
      },
      {
        id: { S: 'constructor' },
        constructor: { S: 'x' } as never,
        toString: { L: [{ NULL: true }] } as never,
      },
      {
        id: { S: 'reason' },
        status: { S: 'NEW' },
        deadReason: { L: [] },
        history: { S: 'x' },
        expiresAt: { S: 'x' },
      },
    ];
    await tables.put(tables.to().records, [...odd, waiting('good')]);
    await tables.putOne(tables.to().records, { ...bare, id: { S: 'big' } });
    const done = (item: Attributes) => ({ ...item, status: { S: 'SUCCESS' } });
    await tables.put(tables.from().records, [
      ...odd.map(done),
      ended(waiting('good'), 'SUCCESS'),
      { id: { S: 'only' } },
    ]);
    await tables.putOne(tables.from().records, done({ ...bare, id: { S: 'big' } }));
    for (const succeeded of ['hold', 'mark']) {
      const decisions = ['--succeeded', succeeded, '--missing', 'copy', '--apply', '--yes'];
      const { differences, complete } = await tables.restore('--from', tables.from().records, ...decisions);
      expect({ succeeded, complete, count: differences.succeeded?.count }).toEqual({
        succeeded,
        complete: true,
        count: 6,
      });
    }
    const after = await tables.restored();
    for (const { id } of odd) expect([id?.S, statusOf(after.get(id?.S ?? ''))]).toEqual([id?.S, 'SUCCESS']);
    expect(statusOf(after.get('good'))).toBe('SUCCESS');
    expect(after.get('only')).toEqual({ id: { S: 'only' } });
  });

  it('says what is wrong with the tables or the flags before it changes anything', async () => {
    const { to, from } = { to: tables.to(), from: tables.from() };
    // The local runtime would name its control tables.
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-restore-')));
    const run = async (...args: string[]) => {
      const { code, err, error } = await backlog('restore', '--endpoint', dynamodb.endpoint, ...args);
      return { code: code ?? (error as { exitCode?: number })?.exitCode, err };
    };
    expect((await run('--to', to.records, '--apply', '--yes')).err).toMatch(/--control-table/);
    expect((await run('--to', to.records, '--from', to.records)).err).toMatch(
      /--from: expected the old table/,
    );
    expect((await run('--to', to.control)).err).toMatch(/partition key "id" \(S\) alone/);
    expect((await run('--to', to.records, '--from', from.control)).err).toMatch(
      /partition key "id" \(S\) alone/,
    );
    expect((await run('--to', to.records, '--control-table', from.records)).err).toMatch(
      /is no control table/,
    );
    expect((await run('--to', to.records, '--succeeded', 'forget')).err).toMatch(/mark, attempt, hold/);
    expect((await run('--to', to.records, '--succeeded-ids', '/no/file')).err).toMatch(/cannot be read/);
    expect((await run('--to', to.records, '--control-table', to.control, '--apply')).err).toMatch(
      /no terminal to ask/,
    );
  });

  it('prints the differences, the queues and the settings', async () => {
    await putEachKind();
    // Another DynamoDB than the local runtime's.
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-restore-')));
    const args = ['--to', tables.to().records, '--from', tables.from().records];
    const { out } = await backlog('restore', '--endpoint', dynamodb.endpoint, ...args);
    expect(out).toMatch(/1 +waiting or dead here, succeeded since +held, as DEAD +succeeded/);
    expect(out).toMatch(/2 +in the old table only +left out/);
    expect(out).toMatch(/orders +5 +5 +0 +not held yet/);
    expect(out).toMatch(/stream of new images +left to you\n\nWHAT TO DO\n.*aws dynamodb update-table/);
  });
});
