import { mkdtemp, readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/support/errors.js';
import { start, stopRuntimes } from './runtime-under-test.js';

stopRuntimes();

/** Starts a runtime that is stopped at a step of its start. */
async function stoppedAt(step: string, app?: string) {
  const stop = new AbortController();
  const steps: string[] = [];
  const onReady = vi.fn();
  const port = await freePort();
  const starting = start(
    {},
    {
      ...(app === undefined ? {} : { app }),
      port,
      dataDir: await mkdtemp(join(tmpdir(), 'backlog-stopped-')),
      signal: stop.signal,
      onReady,
      onProgress: (reached) => {
        steps.push(reached);
        if (reached === step) stop.abort();
      },
    },
  );
  const error = await starting.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(onReady).not.toHaveBeenCalled();
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  expect(await readdir(process.env.BACKLOG_RUNTIME_DIR ?? '').catch(() => [])).toEqual([]);
  return { steps, isReason: error === stop.signal.reason, error };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('a start that is stopped while the app is synthesized ends the synthesis', async () => {
  const { steps, error } = await stoppedAt('synthesizing the CDK app', 'sleep 600');
  expect(steps).toEqual(['synthesizing the CDK app']);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain('the CDK app (sleep 600) was stopped');
});

it.each([
  ['creating its tables', ['synthesizing the CDK app', 'creating its tables']],
  ['loading its functions', ['synthesizing the CDK app', 'creating its tables', 'loading its functions']],
])(
  'a start that is stopped while it is %s fires no rule, and closes all that it opened',
  async (step, steps) => {
    expect(await stoppedAt(step)).toMatchObject({ steps, isReason: true });
  },
);
