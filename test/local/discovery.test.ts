import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scaledClock } from '../../src/support/clock.js';
import { announce, clockSettingOf, findRuntime, type RuntimeInfo } from '../../tools/src/local/discovery.js';

afterEach(() => {
  vi.useRealTimers();
});

const newFolder = () => mkdtemp(join(tmpdir(), 'backlog-discovery-'));

function info(changes: Partial<RuntimeInfo> = {}): Omit<RuntimeInfo, 'version'> {
  return {
    pid: process.pid,
    cwd: '/home/me/shop',
    startedAt: '2026-01-01T00:00:00.000Z',
    endpoint: 'http://127.0.0.1:8000',
    statusPage: 'http://127.0.0.1:8080/',
    tables: [{ name: 'Records', records: true }],
    queues: ['default'],
    clock: { wallStart: 0, start: 0, speed: 60 },
    ...changes,
  };
}

describe('a running local runtime', () => {
  it('is found from its own folder, and from any other while it is the only one', async () => {
    const folder = await newFolder();
    await announce(info(), folder);
    expect(await findRuntime('/home/me/shop', folder)).toMatchObject(info());
    expect(await findRuntime('/elsewhere', folder)).toMatchObject(info());
  });

  it('is not found any more once it has been taken back', async () => {
    const folder = await newFolder();
    const withdraw = await announce(info(), folder);
    await withdraw();
    await expect(findRuntime('/home/me/shop', folder)).rejects.toThrow(
      /no local runtime is running: start one/,
    );
  });

  it('has its clock followed by other commands, also after it has ended', async () => {
    vi.useFakeTimers({ now: 1_000 });
    const folder = await newFolder();
    const withdraw = await announce(info(), folder);
    const runtime = await findRuntime('/home/me/shop', folder);
    const clock = scaledClock(clockSettingOf(runtime, folder));
    expect(clock.now()).toBe(60_000);
    await announce(info({ clock: { wallStart: 1_000, start: 90_000, speed: 60, paused: true } }), folder);
    vi.setSystemTime(3_000);
    expect(clock.now()).toBe(90_000);
    expect(clock.paused).toBe(true);
    await withdraw();
    vi.setSystemTime(5_000);
    expect(clock.now()).toBe(90_000);
    expect(await readdir(folder)).toEqual([]);
  });

  it('tells only its own user', async () => {
    const folder = await newFolder();
    await announce(info(), folder);
    const { mode } = await stat(join(folder, `${process.pid}.json`));
    expect(mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')(
    'is not looked for where others can pretend to be one',
    async () => {
      const open = await newFolder();
      await announce(info(), open);
      await chmod(open, 0o777);
      const link = join(await newFolder(), 'link');
      await symlink(await newFolder(), link);
      for (const folder of [open, link]) {
        await expect(findRuntime('/home/me/shop', folder)).rejects.toThrow(/only this user may write to/);
        await expect(announce(info(), folder)).rejects.toThrow(/only this user may write to/);
      }
    },
  );

  it('is distinguished from others by its folder; otherwise the others are listed', async () => {
    const folder = await newFolder();
    await announce(info(), folder);
    await announce(
      info({ pid: process.ppid, cwd: '/home/me/other', endpoint: 'http://127.0.0.1:8001' }),
      folder,
    );
    expect((await findRuntime('/home/me/other', folder)).endpoint).toBe('http://127.0.0.1:8001');
    await expect(findRuntime('/elsewhere', folder)).rejects.toThrow(
      /several[\s\S]*\/home\/me\/\w+: --endpoint http:\/\/127\.0\.0\.1:800\d --table Records/,
    );
  });

  it('is forgotten when its process is gone, and its file removed', async () => {
    const folder = await newFolder();
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await announce(info({ pid: child.pid ?? 0 }), folder);
    await writeFile(join(folder, '1.json'), 'not JSON');
    await expect(findRuntime('/home/me/shop', folder)).rejects.toThrow(/no local runtime/);
    expect(await readdir(folder)).toEqual([]);
  });
});
