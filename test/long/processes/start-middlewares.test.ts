import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BacklogClient } from '../../../src/client/index.js';
import { CommandLine, startReceiver, until } from '../../cli/process.js';
import { writeWatchedApp } from '../../local/reload/watched-app.js';

const WAIT_MS = 120_000;
const MIDDY = fileURLToPath(new URL('../../../node_modules/@middy', import.meta.url));

/** Handlers by the names of their queues. */
const HANDLERS = { used: 'inner', wrapped: 'middy(inner)' };

const APP = `import { App, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';

const environment = { RECEIVER: process.env.RECEIVER ?? '' };
const queueOf = (name: string) => ({ retry: { type: 'fibonacci' as const }, entry: \`handlers/\${name}.ts\`, environment });
new Backlog(new Stack(new App(), 'Shop'), 'Backlog', {
  minimal: true,
  queues: { used: queueOf('used'), wrapped: queueOf('wrapped') },
});
`;

/** A handler that tells the receiver what is called, and whose middleware throws where the receiver refuses it. */
const handlerText = (queue: string, outer: string) => `import middy from '@middy/core';
import { backlogHandler } from 'dynamo-backlog/lambda';

const tell = (body: string) =>
  fetch(process.env.RECEIVER ?? '', { method: 'POST', headers: { 'idempotency-key': '${queue}' }, body });
const inner = backlogHandler({
  queue: '${queue}',
  process: async ({ id }) => void (await tell(\`attempt \${id}\`)),
});
export const handler = ${outer}.use({
  before: async () => {
    if (!(await tell('before')).ok) throw new Error('closed');
  },
  after: async ({ response }) => void (await tell(\`after \${(response as { succeeded: number }).succeeded}\`)),
  onError: async ({ error }) => void (await tell(\`error \${(error as Error).message}\`)),
});
`;

let folder: string;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let cli: CommandLine;
beforeEach(async () => {
  folder = await writeWatchedApp();
  await symlink(MIDDY, join(folder, 'node_modules/@middy'));
  await mkdir(join(folder, 'handlers'), { recursive: true });
  await writeFile(join(folder, 'infra/app.ts'), APP);
  for (const [queue, outer] of Object.entries(HANDLERS))
    await writeFile(join(folder, `handlers/${queue}.ts`), handlerText(queue, outer));
  // The first that each queue tells is refused.
  receiver = await startReceiver((_queue, reported) => (reported === 1 ? 503 : 200));
  cli = await CommandLine.create({ cwd: folder, env: { RECEIVER: receiver.url } });
});
afterEach(async () => {
  cli.close();
  await receiver.stop();
  await rm(folder, { recursive: true, force: true });
});

it('backlog start runs the middlewares of handlers, by use and by middy, and one that throws counts no failure', async () => {
  const runtime = await cli.startRuntime('--app', 'node --import tsx infra/app.ts', '--speed', '60');
  const [, endpoint = ''] = /^DynamoDB +(\S+)/m.exec(runtime.out()) ?? [];
  const backlog = new BacklogClient({ table: 'BacklogRecords', endpoint });
  const reportedBy = (queue: string) =>
    receiver.deliveries.filter(({ id }) => id === queue).map(({ body }) => body);
  for (const queue of Object.keys(HANDLERS)) {
    const { id } = await backlog.insert({ queue, payload: 1 });
    await until(() => reportedBy(queue).includes('after 1'), WAIT_MS).catch((error) => {
      throw new Error(`${error.message}\n${reportedBy(queue)}\n${runtime.err()}`);
    });
    const reported = reportedBy(queue);
    expect(reported.slice(0, 2)).toEqual(['before', 'error closed']);
    const attempt = reported.indexOf(`attempt ${id}`);
    expect(reported.slice(2, attempt)).toContain('before');
    expect(reported.indexOf('after 1')).toBeGreaterThan(attempt);
    expect(await backlog.get(id)).toMatchObject({ status: 'SUCCESS', attempts: 1, failures: 0 });
  }
  runtime.kill('SIGTERM');
  expect(await runtime.ended).toBe(0);
}, 300_000);
