import { readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, vi } from 'vitest';
import { BacklogClient } from '../../src/client/index.js';
import { createDynamoDbClient } from '../../src/store/index.js';
import type { LocalRuntime, startRuntime } from '../../tools/src/local/runtime.js';

const running: LocalRuntime[] = [];
const APP = fileURLToPath(new URL('shop-app.mjs', import.meta.url));
const BUILT = new URL('../../tools/dist/', import.meta.url);

/** Stops them at the end of each test. To be called by each file. */
export function stopsShops(): void {
  beforeEach(async () => {
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-runtime-')));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((runtime) => runtime.stop()));
    vi.unstubAllEnvs();
  });
}

/**
 * The runtime of `backlog start`, as it is built: from the sources each function's process would translate them
 * first. Its ERP is up, and stays up until a test takes it down.
 *
 * @param deliverTo a destination in place of the ERP
 */
export async function startShop(speed: number, deliverTo?: string) {
  const file = readdirSync(BUILT).find((name) => /^runtime-\w+\.js$/.test(name));
  if (file === undefined) throw new Error('this test runs the built package: npm run build');
  const built: { startRuntime: typeof startRuntime } = await import(new URL(file, BUILT).href);
  const app = `"${process.execPath}" "${APP}"`;
  const runtime = await built.startRuntime({
    ...{ app, dynamodbPort: 0, port: 0, speed },
    ...(deliverTo ? { deliverTo, sample: false } : {}),
  });
  running.push(runtime);
  const { endpoint, statusPage, tables, queues } = runtime.status();
  const client = createDynamoDbClient({ endpoint, region: 'us-east-1' });
  const backlog = new BacklogClient({ table: tables[0] ?? '', client });
  const queue = queues[0]?.name ?? '';
  return { runtime, origin: new URL(statusPage).origin, backlog, queue };
}
