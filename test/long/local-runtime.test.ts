import { mkdtemp } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { functionResource, scheduleResource, writeAssembly } from '../local/assembly-fixture.js';
import { failWritesFrom, ioError } from '../local/dynalite/failing-disk.js';
import { HANDLER, poll, start, stopRuntimes } from '../local/runtime-under-test.js';

stopRuntimes();

describe('the local runtime', () => {
  it('fires the rules of the app, with their inputs, into its functions, on the faster clock', async () => {
    const runtime = await start({});
    await vi.waitFor(() => expect(runtime.status().runs.length).toBeGreaterThanOrEqual(2), {
      timeout: 120_000,
    });
    const [run] = runtime.status().runs;
    expect(run).toMatchObject({
      label: 'default, every minute',
      outcome: 'ok',
      summary: { queue: 'default' },
    });
    expect(run?.text).toBe('attempted 2: 2 ok, 0 failed, 0 dead - drained');
    // The handler gives the speed of its clock.
    expect(run?.summary?.durationMs).toBe(600);
  });

  it('begins its time when its functions are loaded: what a start takes is none of the backlog', async () => {
    const slow = `await new Promise((resolve) => setTimeout(resolve, 2_000));\n${HANDLER}`;
    const ready: number[] = [];
    const runtime = await start(
      {},
      {
        app: await writeAssembly({}, slow),
        onReady: (status) => ready.push(Date.parse(status().now) - Date.parse(status().startedAt)),
      },
    );
    // It would be 20 minutes and more at this speed.
    expect(ready).toHaveLength(1);
    expect(ready[0]).toBeLessThan(20 * 60_000);
    await vi.waitFor(() => expect(runtime.status().totals.runs).toBeGreaterThan(0), { timeout: 120_000 });
    expect(runtime.status().totals).toMatchObject({ broken: 0, late: 0 });
  });

  it('fires the schedules of the app, and shows their time zone', async () => {
    const daily = { ScheduleExpression: 'cron(0 0 * * ? *)', ScheduleExpressionTimezone: 'Asia/Tokyo' };
    const runtime = await start({
      PollAAAA0000: scheduleResource,
      Daily: { ...scheduleResource, Properties: { ...scheduleResource.Properties, ...daily } },
    });
    await vi.waitFor(() => expect(runtime.status().rules[0]?.fired).toBeGreaterThanOrEqual(2), {
      timeout: 120_000,
    });
    const [poll, tokyo] = runtime.status().rules;
    expect(poll).toMatchObject({ label: 'default, every minute', enabled: true });
    expect(tokyo).toMatchObject({ expression: 'cron(0 0 * * ? *)', timeZone: 'Asia/Tokyo' });
    expect(tokyo?.nextAt).toMatch(/T15:00:00\.000Z$/);
    // A run is shown with the counts that have its effect.
    await vi.waitFor(() =>
      expect(runtime.status().runs[0]).toMatchObject({ outcome: 'ok', summary: { queue: 'default' } }),
    );
  });

  it('does not list runs that found nothing, but counts them', async () => {
    const runtime = await start({ PollAAAA0000: poll('idle') });
    await vi.waitFor(() => expect(runtime.status().totals.runs).toBeGreaterThanOrEqual(2), {
      timeout: 120_000,
    });
    expect(runtime.status().runs).toEqual([]);
  });

  it('fires no disabled rule, and says so', async () => {
    const runtime = await start({ PollAAAA0000: poll('default', { State: 'DISABLED' }) });
    expect(runtime.status().rules).toMatchObject([{ enabled: false, fired: 0 }]);
    expect(runtime.status().rules[0]?.nextAt).toBeUndefined();
  });

  it('hands what is shown of payloads on to its console', async () => {
    const runtime = await start({}, { redact: () => '[hidden]' });
    const page = await fetch(new URL('/records', runtime.status().statusPage));
    expect(await page.text()).toContain('Payload, as shown');
  });

  it('shows its status as JSON and as a page, without what a URL holds in secret', async () => {
    const deliverTo = 'https://erp.example.com/in?token=tok-1';
    // In real time no rule fires meanwhile.
    const runtime = await start({}, { deliverTo, speed: 1 });
    const { statusPage } = runtime.status();
    const json = await (await fetch(`${statusPage}status.json`)).json();
    expect(json).toMatchObject({
      speed: 1,
      tables: ['Records'],
      rules: [{ expression: 'rate(1 minute)' }],
    });
    const activity = await (await fetch(`${statusPage}activity.json`)).json();
    expect(activity).toEqual({ minutes: {}, lastRuns: {} });
    const page = await (await fetch(statusPage)).text();
    expect(page).toContain('local runtime');
    expect(page).toContain('delivers to <code>https://erp.example.com/in</code>');
    expect(page).not.toContain('tok-1');
    expect(JSON.stringify(json)).not.toContain('tok-1');
  });

  it('answers those programs only that mean this machine, and no foreign web page, at each of its servers', async () => {
    const runtime = await start({});
    const { statusPage, endpoint } = runtime.status();
    for (const url of [statusPage, `${endpoint}/`]) {
      const { port } = new URL(url);
      const isPage = url === statusPage;
      for (const name of ['127.0.0.1', 'localhost', '[::1]', 'LOCALHOST']) {
        expect(await statusOf(url, { host: `${name}:${port}` })).toBe(200);
        const origin = `http://${name.toLowerCase()}:${port}`;
        expect(await statusOf(url, { host: `${name}:${port}`, origin })).toBe(isPage ? 200 : 403);
      }
      for (const host of [
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1',
        `127.0.0.1:${Number(port) + 1}`,
      ]) {
        expect(await statusOf(url, { host })).toBe(421);
      }
      for (const origin of [
        'https://evil.example',
        'null',
        'http://127.0.0.1:1',
        `https://127.0.0.1:${port}`,
      ]) {
        expect(await statusOf(url, { host: `127.0.0.1:${port}`, origin })).toBe(403);
      }
    }
  });

  it('says of a disk that is full at its start what to do', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-full-'));
    const disk = failWritesFrom(1, ioError('No space left on device'));
    await expect(start({}, { dataDir })).rejects.toThrow(/its disk is full/);
    disk.restore();
  });

  it('names the flag when a port is taken, and leaves nothing behind', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await expect(start({}, { port })).rejects.toThrow(
        new RegExp(`port ${port} is taken by another program: choose another with --port`),
      );
      await expect(start({}, { dynamodbPort: port })).rejects.toThrow(
        new RegExp(`port ${port} is taken by another program: choose another with --dynamodb-port`),
      );
    } finally {
      server.close();
    }
  });

  it('says so when the data folder cannot be one', async () => {
    const file = fileURLToPath(import.meta.url);
    for (const dataDir of [file, join(file, 'below')]) {
      await expect(start({}, { dataDir })).rejects.toThrow(
        `--data-dir: ${dataDir} cannot be a folder: there is a file of that name`,
      );
    }
  });

  it('shows what a CDK app says when it fails', async () => {
    const app = `"${process.execPath}" -e "console.error('Error: deliverTo: no URL'); process.exit(1)"`;
    await expect(start({}, { app })).rejects.toThrow(/failed with exit code 1\nError: deliverTo: no URL/);
  });

  it('runs an app by its command, as the CDK does, with the context', async () => {
    const folder = await writeAssembly({}, HANDLER);
    const script = `const fs = require('node:fs'); fs.cpSync('${folder}', process.env.CDK_OUTDIR, { recursive: true });
      if (JSON.parse(process.env.CDK_CONTEXT_JSON).deliverTo !== 'https://example.com/') process.exit(9)`;
    const app = `"${process.execPath}" -e "${script.replaceAll('"', '\\"').replaceAll('\n', ' ')}"`;
    const runtime = await start({}, { app, deliverTo: 'https://example.com/' });
    expect(runtime.status().tables).toEqual(['Records']);
  });

  it('refuses an app that it cannot run, naming the resource', async () => {
    const python = {
      ...functionResource,
      Properties: { ...functionResource.Properties, Runtime: 'python3.13' },
    };
    await expect(start({ Worker11112222: python })).rejects.toThrow(/Worker11112222/);
  });
});

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}
