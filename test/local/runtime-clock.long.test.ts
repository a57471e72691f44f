import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { connect } from '../../tools/src/cli/connect.js';
import type { LocalRuntime } from '../../tools/src/local/runtime.js';
import { hiddenField } from '../console/console-under-test.js';
import { poll, start, stopRuntimes } from './runtime-under-test.js';

stopRuntimes();

/** Sends a form of the strip, as a browser without scripts does. */
async function send(runtime: LocalRuntime, path: string, fields: Record<string, string> = {}) {
  const { statusPage } = runtime.status();
  const csrf = hiddenField(await (await fetch(statusPage)).text(), 'csrf');
  const body = new URLSearchParams({ ...fields, csrf });
  const answer = await fetch(new URL(`/runtime/clock/${path}`, statusPage), { method: 'POST', body });
  expect(answer.status).toBe(200);
  return answer.text();
}

const nowOf = (runtime: LocalRuntime) => Date.parse(runtime.status().now);

describe('the clock of a runtime that is at work', () => {
  it('is paused, goes from tick to tick and on, for its rules, functions and other commands', async () => {
    const runtime = await start({ PollAAAA0000: poll('default') }, { speed: 1 });
    await send(runtime, 'pause');
    const stood = nowOf(runtime);
    const { fired = 0, nextAt = '' } = runtime.status().rules[0] ?? {};
    expect(runtime.status()).toMatchObject({ paused: true, speed: 1 });
    const command = await connect({});
    expect(command.clock.now()).toBe(stood);

    const page = await send(runtime, 'next');
    expect(page).toContain('default, every minute: attempted 2: 2 ok');
    expect(runtime.status().now).toBe(nextAt);
    expect(runtime.status().rules[0]).toMatchObject({ fired: fired + 1, late: 0 });
    expect(Date.parse(runtime.status().rules[0]?.nextAt ?? '')).toBe(Date.parse(nextAt) + 60_000);
    await vi.waitFor(() => expect(command.clock.now()).toBe(Date.parse(nextAt)));

    // The function answers how fast its clock goes: the same process, which had another clock at its start.
    await send(runtime, 'speed', { speed: '360' });
    expect(await send(runtime, 'next')).toContain('drained');
    await vi.waitFor(() => expect(runtime.status().runs.at(-1)?.summary?.durationMs).toBe(360));
    expect(runtime.status()).toMatchObject({ paused: true, speed: 360 });
    const paused = nowOf(runtime);
    await send(runtime, 'resume');
    expect(nowOf(runtime)).toBeGreaterThanOrEqual(paused);
    await vi.waitFor(() => expect(runtime.status().rules[0]?.fired).toBeGreaterThan(fired + 2), {
      timeout: 60_000,
    });
    const log = await readFile(join(runtime.status().logs, 'console.log'), 'utf8');
    const texts = log
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text);
    expect(texts).toEqual([
      'pause the clock',
      'go to the next tick',
      'set the speed of the clock to 360',
      'go to the next tick',
      'resume the clock',
    ]);
    command.client.destroy();
  });
});
