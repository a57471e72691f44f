import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Run by itself: npx would take a second of each synthesis. */
export const WATCHED_APP = 'node --import tsx infra/app.ts';

const APP = `import { App, Duration, Stack } from 'aws-cdk-lib';
import { Backlog } from 'dynamo-backlog/cdk';
import { QUEUE } from '../shared/names.js';

const stack = new Stack(new App(), 'Shop');
new Backlog(stack, 'Backlog', {
  minimal: true,
  queues: {
    [QUEUE]: {
      retry: { type: 'fibonacci', maxAttempts: 20 },
      firstAttempt: 'onInsert',
      entry: 'handlers/orders.ts',
      environment: { RECEIVER: process.env.RECEIVER ?? '' },
      attemptTimeout: Duration.seconds(30),
    },
  },
});
`;

/** Tells the receiver its version for each record; one whose id begins with "slow" takes as many seconds as it says. */
export const HANDLER = `import { backlogHandler } from 'dynamo-backlog/lambda';
import { QUEUE } from '../shared/names.js';
import { version } from '../shared/deep/version.js';

export const handler = backlogHandler({
  queue: QUEUE,
  process: async ({ id }) => {
    const [, seconds = 0] = /^slow-(\\d+)/.exec(id) ?? [];
    await fetch(process.env.RECEIVER ?? '', { method: 'POST', body: JSON.stringify({ id, at: 'begin', version }) });
    await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
    await fetch(process.env.RECEIVER ?? '', { method: 'POST', body: JSON.stringify({ id, at: 'end', version }) });
  },
});
`;

export const versionText = (version: string) => `export const version = '${version}';\n`;

/** An app of a user in a folder of its own, with this package installed. */
export async function writeWatchedApp(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-watched-'));
  const files: Record<string, string> = {
    'package.json': JSON.stringify({ name: 'shop', type: 'module', private: true }),
    'package-lock.json': JSON.stringify({ name: 'shop', lockfileVersion: 3, packages: {} }),
    'infra/app.ts': APP,
    'handlers/orders.ts': HANDLER,
    'shared/names.ts': "export const QUEUE = 'orders';\n",
    'shared/deep/version.ts': versionText('v0'),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const name of ['aws-cdk-lib', 'constructs', 'tsx', 'esbuild', '.bin/esbuild']) {
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  await symlink(ROOT, join(modules, 'dynamo-backlog'));
  return folder;
}

export interface Attempt {
  readonly id: string;
  readonly at: 'begin' | 'end';
  readonly version: string;
}

/** Hears of each attempt when it begins and when it ends. */
export async function startAttemptReceiver(onAttempt: (attempt: Attempt) => void = () => {}) {
  const attempts: Attempt[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const attempt = JSON.parse(text) as Attempt;
    attempts.push(attempt);
    onAttempt(attempt);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    attempts,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
