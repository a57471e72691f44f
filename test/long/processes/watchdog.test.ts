import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

const WATCHDOG = fileURLToPath(new URL('../../../functions/watchdog.ts', import.meta.url));

/** Makes a process the first one of its own namespace, as in a container. That needs root. */
const FIRST = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const [program = '', ...options] = FIRST;
const canBeFirst = spawnSync(program, [...options, 'true']).status === 0;

/** A process that has a watchdog watch attempts of one second: it may be blocked for six. */
async function start(body: string, watchdog = 'new BlockWatchdog()', inside: readonly string[] = []) {
  const script = `
    import { BlockWatchdog } from ${JSON.stringify(WATCHDOG)};
    const watchdog = ${watchdog};
    const watch = (othersWait) => watchdog.watch({ queue: 'orders', ids: ['a', 'b'], seconds: 1, othersWait });
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    // Blocked as by another process that it waits for: the loop stands still, and no processor is busy meanwhile.
    const block = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    ${body}`;
  const { outputFiles } = await build({
    stdin: { contents: script, loader: 'js', resolveDir: process.cwd() },
    ...{ bundle: true, platform: 'node', format: 'esm', write: false },
    // The thread runs from the text of its function, whatever the bundler makes of it.
    ...{ minify: true, keepNames: true },
  });
  const [file = '', ...args] = [...inside, process.execPath];
  const child = spawn(file, [...args, '--input-type=module', '--eval', outputFiles[0]?.text ?? '']);
  let out = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  const startedAt = performance.now();
  const ended = once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    out,
    seconds: (performance.now() - startedAt) / 1000,
  }));
  return { child, ended };
}

// They mostly wait, each for its own process.
describe.concurrent('the watchdog of a process', () => {
  it('ends it when its attempts have blocked it for their time and five seconds, and tells which they were', async () => {
    const { ended } = await start('watch(true); await sleep(2000); for (;;);');
    const { signal, out, seconds } = await ended;
    expect(signal).toBe('SIGKILL');
    expect(seconds).toBeGreaterThan(7);
    expect(JSON.parse(out)).toMatchObject({
      level: 'ERROR',
      queue: 'orders',
      ids: ['a', 'b'],
      blockedSeconds: 6,
    });
  }, 60_000);

  it('ends one that is blocked by promises alone', async () => {
    const { ended } = await start('watch(true); await sleep(100); for (;;) await null;');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  }, 60_000);

  it.each([
    [
      'that is blocked for less',
      'const end = watch(true); await sleep(500); block(3000); await sleep(3000); end();',
    ],
    ['that is blocked when its attempts are over', 'watch(true)(); await sleep(500); block(9000);'],
    ['whose only attempt keeps no other waiting', 'const end = watch(false); block(9000); end();'],
    ['that waits for long', 'const end = watch(true); await sleep(10000); end();'],
    [
      'that has begun again',
      'watch(true)(); await sleep(8000); const end = watch(true); block(2000); end();',
    ],
  ])(
    'lets one end by itself %s',
    async (_, body) => {
      const { ended } = await start(`${body} console.log('done')`);
      expect(await ended).toMatchObject({ code: 0, signal: null, out: 'done\n' });
    },
    60_000,
  );

  it('ends one that has other queues for its single attempts, too', async () => {
    const { ended } = await start(
      'watch(false); await sleep(100); block(60_000);',
      'new BlockWatchdog(true)',
    );
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  }, 60_000);

  it.runIf(canBeFirst)(
    'ends the first process of a container, which no signal ends (needs root, for a namespace of processes)',
    async () => {
      const body =
        "watch(true); await sleep(100); const end = performance.now() + 15000; while (performance.now() < end); console.log('survived', process.pid); process.exit(0);";
      const { out, signal } = await (await start(body, 'new BlockWatchdog()', FIRST)).ended;
      expect(out).not.toContain('survived 1');
      expect(signal).toBe('SIGTRAP');
      expect(out.trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );

  it('does not take a process that was frozen for one that is blocked', async () => {
    const { child, ended } = await start(
      "console.log('watching'); const end = watch(true); await sleep(12000); end(); console.log('done');",
    );
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 9_000));
    child.kill('SIGCONT');
    expect(await ended).toMatchObject({ code: 0, out: 'watching\ndone\n' });
  }, 60_000);
});
