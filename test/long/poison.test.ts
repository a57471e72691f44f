import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CommandLine, until } from '../cli/process.js';
import { functionResource, tableResource, writeAssembly } from '../local/assembly-fixture.js';

/** Ends its own process at a record that says so. */
const HANDLER = `
import { backlogHandler } from ${JSON.stringify(fileURLToPath(new URL('../../functions/index.ts', import.meta.url)))};
export const handler = backlogHandler({
  queue: 'default',
  process: (record) => {
    if (record.payload === 'exit') process.exit(1);
  },
});`;

let cli: CommandLine;
beforeEach(async () => {
  cli = await CommandLine.create();
});
afterEach(() => cli.close());

async function bundle(): Promise<string> {
  const result = await build({
    stdin: { contents: HANDLER, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    write: false,
  });
  return result.outputFiles[0]?.text ?? '';
}

it('a record whose process ends the process stops no other, and ends DEAD after its attempts', async () => {
  const queues = {
    default: {
      retryMode: 'perRecord',
      retry: { type: 'constant', interval: 60, maxAttempts: 2, jitter: 'none' },
    },
  };
  const changes = {
    Control: {
      ...tableResource,
      Properties: {
        KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
      },
    },
    Worker11112222: {
      ...functionResource,
      Properties: {
        ...functionResource.Properties,
        Environment: {
          Variables: {
            BACKLOG_TABLE: { Ref: 'Records0A1B2C3D' },
            BACKLOG_CONTROL_TABLE: { Ref: 'Control' },
            BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
            BACKLOG_QUEUES: JSON.stringify(queues),
          },
        },
      },
    },
  };
  const app = await writeAssembly(changes, await bundle());
  const file = join(await mkdtemp(join(tmpdir(), 'backlog-poison-')), 'records.ndjson');
  const good = Array.from({ length: 30 }, (_, i) => ({ id: `good-${i}`, payload: i }));
  const lines = [...good, { id: 'poison', payload: 'exit' }];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));

  const runtime = await cli.startRuntime('--app', app, '--speed', '60');
  expect((await cli.run('import', file)).err).toContain('inserted 31');
  await until(
    async () => (await cli.records()).every(({ status }) => status === 'SUCCESS' || status === 'DEAD'),
    580_000,
    15_000,
  );
  const records = new Map((await cli.records()).map((record) => [record.id, record]));
  for (const { id } of good) expect(records.get(id)).toMatchObject({ status: 'SUCCESS' });
  expect(records.get('poison')).toMatchObject({ status: 'DEAD', lastError: { name: 'WorkerLost' } });
  runtime.kill('SIGINT');
  expect(await runtime.ended).toBe(0);
  expect(runtime.out()).toMatch(/Runtime exited with/);
}, 600_000);
