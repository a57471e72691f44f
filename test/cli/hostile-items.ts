import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AttributeValue,
  BatchWriteItemCommand,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { createTables, deleteTables, type TestTables } from '../store/tables.js';
import { backlog } from './in-process.js';

type Attributes = Record<string, AttributeValue>;

const HOUR = 3_600_000;
const iso = (ms = 0) => ({ S: new Date(Date.now() + ms).toISOString() });
/** A map by JSON.parse, whose objects have an own property of any name. */
const map = (json: string): AttributeValue => ({ M: JSON.parse(json) as Attributes });
const HOSTILE_ERROR = map(
  '{"name": {"M": {"toString": {"S": "x"}, "valueOf": {"S": "y"}}}, "at": {"N": "1"}}',
);

/** Attributes that a producer may have put: each of them once stopped at least one command. */
const ODD: Readonly<Record<string, Attributes>> = {
  error: { lastError: HOSTILE_ERROR },
  errorText: { lastError: { S: 'Error: no' } },
  history: { history: { L: [HOSTILE_ERROR, { S: 'text' }, { NULL: true }] } },
  historyMap: { history: HOSTILE_ERROR },
  longHistory: { history: { L: Array.from({ length: 5_000 }, () => ({ M: {} })) } },
  expiry: { expiresAt: { N: '1e20' } },
  expiryDigits: { expiresAt: { N: '12345678901234567890123456789012345678' } },
  counts: { attempts: { N: '1e120' }, failures: { S: 'three' } },
  times: {
    insertedAt: HOSTILE_ERROR,
    availableAt: { L: [] },
    notBefore: { BOOL: true },
    dueAt: { S: 'soon' },
  },
  notBefore: { notBefore: HOSTILE_ERROR },
  lane: { notBefore: map('{"until": {"S": "2026-01-01T00:00:00.000Z"}, "lane": {"M": {}}}') },
  policy: {
    retry: map('{"__proto__": {"M": {"type": {"S": "none"}}}, "type": {"M": {"toString": {"S": "x"}}}}'),
  },
  names: { task: { S: 't'.repeat(5_000) }, queue: HOSTILE_ERROR, deadReason: { S: 'd'.repeat(5_000) } },
  format: { backlogFormat: HOSTILE_ERROR },
  rev: { rev: { N: '5' } },
  digits: {
    own: { N: '0.12345678901234567890123456789' },
    set: { NS: ['1', '123456789012345678901234567890'] },
  },
  proto: { payload: map('{"__proto__": {"M": {"value": {"N": "1"}}}, "a": {"S": "b"}}') },
  constructorKey: { payload: map('{"race": {"M": {"constructor": {"S": "McLaren"}}}}') },
  ownConstructor: { constructor: { S: 'McLaren' } as AttributeValue },
};

/** The commands of operators, on items that no command can have expected. */
export function hostileItems(endpoint: () => string): void {
  let client: ReturnType<typeof createDynamoDbClient>;
  let tables: TestTables;
  beforeAll(async () => {
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-hostile-')));
    client = createDynamoDbClient({ endpoint: endpoint() });
  });
  afterAll(() => {
    client.destroy();
    vi.unstubAllEnvs();
  });
  beforeEach(async () => {
    tables = await createTables(client);
    return () => deleteTables(client, tables);
  });

  /** Puts all odd items with these attributes. */
  async function putAll(more: Attributes): Promise<string[]> {
    const items = Object.entries(ODD).map(([id, odd]) => ({
      payload: { S: 'p' },
      ...more,
      ...odd,
      id: { S: id },
    }));
    for (const Item of items) await client.send(new PutItemCommand({ TableName: tables.records, Item }));
    const good = { id: { S: 'good' }, payload: { S: 'p' }, queue: { S: 'orders' }, ...more };
    await client.send(new PutItemCommand({ TableName: tables.records, Item: good }));
    return [...Object.keys(ODD), 'good'];
  }

  async function stored(id: string): Promise<Attributes | undefined> {
    const request = { TableName: tables.records, Key: { id: { S: id } }, ConsistentRead: true };
    return (await client.send(new GetItemCommand(request))).Item;
  }

  async function operate(command: string, ...args: string[]) {
    const control =
      command === 'list' || command === 'show' || command === 'import'
        ? []
        : ['--control-table', tables.control];
    const at = ['--endpoint', endpoint(), '--table', tables.records, ...control];
    const { code, out, err, error } = await backlog(command, ...args, ...at);
    return { code: code ?? (error as { exitCode?: number })?.exitCode, out, err };
  }

  const waiting = { status: { S: 'NEW' } };
  const indexed = {
    ...waiting,
    lane: { S: 'orders' },
    dueAt: iso(-HOUR),
    insertedAt: iso(-HOUR),
    queue: { S: 'orders' },
  };
  const dead = { ...indexed, status: { S: 'DEAD' }, lane: { S: 'orders/dead' } };
  const states: [string, Attributes][] = [
    ['that wait without a place', waiting],
    ['that wait in their place', indexed],
    ['among the dead', dead],
  ];

  describe.each(states)('items %s', (_, more) => {
    it('are listed, shown, exported, counted and examined, each of them', async () => {
      const ids = await putAll(more);
      const list = JSON.parse((await operate('list', '--json')).out) as { id: string }[];
      expect(list.map(({ id }) => id).sort()).toEqual([...ids].sort());
      const table = await operate('list');
      for (const id of ids) expect(table.out).toContain(id);
      for (const id of ids) {
        expect(await operate('show', id)).toMatchObject({ code: 0, err: '' });
        expect(JSON.parse((await operate('show', id, '--json')).out)).toMatchObject({ id });
      }
      const { out } = await operate('export', '--all');
      const lines = out.split('\n').map((line) => JSON.parse(line) as { id: string });
      expect(lines.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect((await operate('export', '--all', '--as-new')).out.split('\n')).toHaveLength(ids.length);
      expect((await operate('stats')).code).toBe(0);
      const found = await operate('doctor', '--json', '--queues', 'orders');
      expect(JSON.parse(found.out)).toMatchObject({ items: ids.length });
    });

    it('are changed by every action that is for them, and removed', async () => {
      const ids = await putAll(more);
      const isDead = more === dead;
      const actions = [
        ['change-policy', '--policy', '{"type":"none"}'],
        ['edit', '--payload', '{"edited":true}', '--yes'],
        ...(isDead ? [['redrive']] : [['snooze', '--delay', '1h'], ['run-now']]),
        ['move', '--to', 'slow', '--force'],
        ['discard', '--reason', 'odd', '--yes'],
      ];
      for (const [action = '', ...how] of actions) {
        const { code, out, err } = await operate(action, ...ids, ...how, '--json');
        const result = JSON.parse(out || '{}') as { failed: number; matched: number };
        expect({ action, code, failed: result.failed, matched: result.matched, err }).toMatchObject({
          action,
          failed: 0,
          matched: ids.length,
        });
      }
      for (const id of ids) expect((await stored(id))?.status).toEqual({ S: 'DEAD' });
      expect(await operate('discard', ...ids, '--delete', '--yes')).toMatchObject({ code: 0 });
      expect((await client.send(new ScanCommand({ TableName: tables.records }))).Items).toEqual([]);
    });
  });

  it('payloads with any keys are exported, imported and retried as they are', async () => {
    await putAll(waiting);
    const folder = await mkdtemp(join(tmpdir(), 'backlog-hostile-'));
    const file = join(folder, 'exported.ndjson');
    expect(await operate('export', 'proto', 'constructorKey', '--as-new', '--out', file)).toMatchObject({
      code: 0,
    });
    const before = await Promise.all(['proto', 'constructorKey'].map(stored));
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const deletions = ['proto', 'constructorKey'].map((id) => ({
      DeleteRequest: { Key: { id: { S: id } } },
    }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tables.records]: deletions } }));
    // Between the lines, one that can never be stored.
    const tooDeep = `{"id":"deep","payload":${'['.repeat(40)}${']'.repeat(40)}}`;
    await writeFile(file, [lines[0], tooDeep, 'no json', lines[1]].join('\n'));
    const imported = await operate('import', file);
    expect(imported.code).toBe(3);
    expect(imported.err).toMatch(/line 2: .*nested deeper/);
    expect(imported.err).toMatch(/line 3: no valid JSON/);
    expect(imported.err).toMatch(/inserted 2, duplicates 0, bad lines 2/);
    const after = await Promise.all(['proto', 'constructorKey'].map(stored));
    expect(JSON.stringify(after.map((item) => item?.payload))).toBe(
      JSON.stringify(before.map((item) => item?.payload)),
    );
    expect(await operate('run-now', 'proto', 'constructorKey')).toMatchObject({ code: 0 });
    const edited = await operate(
      'edit',
      'constructorKey',
      '--payload',
      '{"constructor":1,"toString":[]}',
      '--yes',
    );
    expect(edited).toMatchObject({ code: 0, out: expect.stringContaining('1 record') });
    expect((await stored('constructorKey'))?.payload).toEqual(
      map('{"constructor": {"N": "1"}, "toString": {"L": []}}'),
    );
  });
}
