import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { type LocalRuntime, startRuntime } from '../../tools/src/local/runtime.js';
import type { RuntimeOptions } from '../../tools/src/local/runtime-options.js';
import { ruleResource, writeAssembly } from './assembly-fixture.js';

/** Behaves as its event says, and answers as a run does. */
export const HANDLER = `export const handler = async (event) => {
  if (event.queue === 'exits') process.exit(3);
  if (event.queue === 'throws') throw new TypeError('no such thing');
  const clock = JSON.parse(process.env.BACKLOG_CLOCK);
  const attempted = event.queue === 'idle' ? 0 : 2;
  return { queue: event.queue, lane: event.queue, attempted, succeeded: attempted, failed: 0, dead: 0, skipped: 0,
    unsettled: 0, leftOver: 0, lagSeconds: 0, ended: 'drained', durationMs: clock.speed };
};`;

/** Runtimes that the present test has started. They are stopped at its end. */
export const runtimes: LocalRuntime[] = [];

/**
 * Stops runtimes at the end of each test. Each file calls it: hooks of a module that is loaded once would be those
 * of its first file alone.
 */
export function stopRuntimes(): void {
  beforeEach(async () => {
    vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-runtime-')));
  });
  afterEach(async () => {
    await Promise.all(runtimes.splice(0).map((runtime) => runtime.stop()));
    vi.unstubAllEnvs();
  });
}

export async function start(changes: Record<string, unknown>, options: Partial<RuntimeOptions> = {}) {
  const runtime = await startRuntime({
    app: await writeAssembly(changes, HANDLER),
    dynamodbPort: 0,
    port: 0,
    sample: false,
    speed: 600,
    ...options,
  });
  runtimes.push(runtime);
  return runtime;
}

export const poll = (queue: string, properties: object = {}) => ({
  ...ruleResource,
  Properties: {
    ...ruleResource.Properties,
    Targets: [{ ...ruleResource.Properties.Targets[0], Input: JSON.stringify({ queue }) }],
    ...properties,
  },
});
