import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { ConfigurationError } from '../../../src/support/errors.js';
import { startEmbeddedDynamoDb } from '../../../tools/src/local/embedded-dynamodb.js';
import { storeAt } from '../../local/store-at.js';
import { item, NOW } from '../../store/records.js';
import { createTables } from '../../store/tables.js';

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'embedded-dynamodb-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Another process that embeds it; killed without notice. */
async function embeddedElsewhere(dataDir: string): Promise<{ endpoint: string; kill(): Promise<void> }> {
  const program = new URL('../../local/fixtures/embedded-dynamodb-child.ts', import.meta.url).pathname;
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', program, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!child.stdout) throw new Error('no output');
  const [endpoint] = await once(createInterface(child.stdout), 'line');
  return {
    endpoint,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('the embedded DynamoDB', () => {
  it('keeps what was written when its process is killed in the middle of its work', async () => {
    const dataDir = join(scratch, 'killed');
    const first = await embeddedElsewhere(dataDir);
    const tables = await createTables(createDynamoDbClient({ endpoint: first.endpoint }));
    const store = storeAt(first.endpoint, tables);
    const written: string[] = [];
    const busy = Array.from({ length: 8 }, async (_, lane) => {
      for (let i = 0; i < 500; i++) {
        const id = `r-${lane}-${i}`;
        const inserted = await store.records.insert(item(id)).catch(() => undefined);
        if (!inserted) return;
        written.push(id);
      }
    });
    while (written.length < 200) await new Promise((resolve) => setImmediate(resolve));
    await first.kill();
    const atTheKill = [...written];
    await Promise.all(busy);

    const again = await startEmbeddedDynamoDb({ dataDir });
    try {
      const found = await storeAt(again.endpoint, tables).pages.read(atTheKill, 'orders');
      expect(found.records.map(({ id }) => id)).toEqual(atTheKill);
      const due = await storeAt(again.endpoint, tables).pages.query({
        lane: 'orders',
        until: NOW,
        order: 'oldestFirst',
        limit: 1000,
      });
      expect(due.keys.map(({ id }) => id)).toEqual(expect.arrayContaining(atTheKill));
    } finally {
      await again.stop();
    }
  });

  it('refuses data that another process has open, and lives on', async () => {
    const dataDir = join(scratch, 'locked');
    const first = await startEmbeddedDynamoDb({ dataDir });
    await createTables(createDynamoDbClient({ endpoint: first.endpoint }));
    const second = startEmbeddedDynamoDb({ dataDir });
    await expect(second).rejects.toThrow(ConfigurationError);
    await expect(second).rejects.toThrow(/locked.*in use by another process/);
    await first.stop();
  });
});
