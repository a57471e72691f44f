import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { vi } from 'vitest';
import { readingKey } from '../../src/store/dynamodb/control-values.js';
import { EXIT } from '../../tools/src/cli/output.js';
import { startEmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { backlog } from './in-process.js';
import { oldTable } from './old-table.js';

/** Both tables of a backlog in an embedded DynamoDB, which nothing works on. */
export async function backlogTables() {
  const dynamodb = await startEmbeddedDynamoDb();
  const { endpoint } = dynamodb;
  const table = await oldTable(endpoint, 'Records');
  const control = await oldTable(endpoint, 'Control', { key: 'key', index: false });
  /** The flags that name the tables. */
  const at = ['--endpoint', endpoint, '--table', table.name, '--control-table', control.name] as const;
  return {
    endpoint,
    table,
    control,
    at,
    /** Runs a command on the tables: what it wrote, and its exit code. */
    async run(...args: readonly string[]) {
      const { code, out, err, error } = await backlog(...args, ...at);
      // main.ts ends with this code where commander has refused a command.
      return { code: error instanceof CommanderError ? EXIT.usage : code, out, err };
    },
    /** Empties the tables. Runs have served these queues, and commands find no local runtime. */
    async renew(...queues: readonly string[]) {
      vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-tables-')));
      await table.clear();
      await control.clear();
      await control.put(
        ...queues.map((queue) => ({ key: `queue#${queue}`, retryMode: 'perRecord', retryModeSince: 0 })),
      );
    },
    async stop() {
      table.close();
      control.close();
      await dynamodb.stop();
      vi.unstubAllEnvs();
    },
  };
}

/** The item of a monitor's reading. With it, a look asks for the lane of one shard, not for 64 lanes. */
export function readingItem(queue: string, at = Date.now(), counts: object = { pending: 0, dead: 0 }) {
  const reading = { at: new Date(at).toISOString(), shards: 1, retryMode: 'perRecord', counts };
  return { key: readingKey(queue), reading };
}
