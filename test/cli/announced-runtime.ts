import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { announce } from '../../tools/src/local/discovery.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { oldTable } from './old-table.js';

const NOW = Date.parse('2030-01-01T12:00:00Z');

/** A local runtime that commands find, with tables that nothing works on. Its queues are `default` and `bulk`. */
export async function announcedRuntime({ hasIntake = false, statusPage = 'http://127.0.0.1:1/' } = {}) {
  const dynamodb = await startEmbeddedDynamoDb();
  const opened: Awaited<ReturnType<typeof oldTable>>[] = [];
  let tables = 0;
  return {
    /** New, empty tables, and a folder. */
    async renew() {
      const folder = await mkdtemp(join(tmpdir(), 'backlog-cli-'));
      vi.stubEnv('BACKLOG_RUNTIME_DIR', join(folder, 'runtimes'));
      const records = await oldTable(dynamodb.endpoint, `Records${++tables}`);
      const control = await oldTable(dynamodb.endpoint, `Control${tables}`, { key: 'key', index: false });
      opened.push(records, control);
      await announce({
        pid: process.pid,
        cwd: process.cwd(),
        startedAt: new Date().toISOString(),
        endpoint: dynamodb.endpoint,
        statusPage,
        tables: [
          { name: records.name, records: true, hasIntake },
          { name: control.name, records: false },
        ],
        queues: ['default', 'bulk'],
        clock: { wallStart: Date.now(), start: NOW, speed: 1 },
      });
      const file = async (content: string | Uint8Array, name = 'records.json') => {
        await writeFile(join(folder, name), content);
        return join(folder, name);
      };
      return { endpoint: dynamodb.endpoint, records, control, folder, file };
    },
    async stop() {
      for (const table of opened) table.close();
      vi.unstubAllEnvs();
      await dynamodb.stop();
    },
  };
}
