import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SAVE_EVERY_MS, Timekeeper } from '../../src/tools/local/schedule/timekeeper.js';

const newFile = async () => join(await mkdtemp(join(tmpdir(), 'backlog-time-')), 'clock.json');

describe("the backlog's time", () => {
  it('starts at the real time', async () => {
    const before = Date.now();
    const { clock, setting } = await Timekeeper.start({ speed: 1 });
    expect(setting.start).toBeGreaterThanOrEqual(before);
    expect(clock.now()).toBeLessThanOrEqual(Date.now());
  });

  it('goes on at the next start where it stood at the end of the last, though that is ahead of the real time', async () => {
    const file = await newFile();
    const first = await Timekeeper.start({ speed: 100_000, file });
    await vi.waitFor(() => expect(first.clock.now()).toBeGreaterThan(Date.now() + 60_000), {
      timeout: 60_000,
    });
    first.phases.set('rule', { createdAt: 5, lastFiredAt: 7 });
    await first.stop();
    const end = first.clock.now();
    const second = await Timekeeper.start({ speed: 1, file });
    await second.stop();
    expect(second.setting.start).toBeGreaterThan(Date.now() + 30_000);
    expect(second.setting.start).toBeLessThanOrEqual(end);
    expect(second.phases.get('rule')).toEqual({ createdAt: 5, lastFiredAt: 7 });
  });

  it('never runs backwards after a kill: the file is ahead of the clock until the next write', async () => {
    const file = await newFile();
    const killed = await Timekeeper.start({ speed: 1_000, file });
    const { clock } = JSON.parse(await readFile(file, 'utf8'));
    expect(clock).toBeGreaterThanOrEqual(killed.setting.start + 2 * SAVE_EVERY_MS * 1_000);
    await killed.stop();
  });

  it('does not go back when the real time does', async () => {
    const file = await newFile();
    const future = Date.now() + 1_000_000;
    await writeFile(file, JSON.stringify({ version: 1, clock: future, rules: {} }));
    const keeper = await Timekeeper.start({ speed: 1, file });
    await keeper.stop();
    expect(keeper.setting.start).toBe(future);
  });

  it('refuses a file that is none of its own', async () => {
    const file = await newFile();
    await writeFile(file, '{"clock":"soon"}');
    await expect(Timekeeper.start({ speed: 1, file })).rejects.toThrow(
      /is no state of a local runtime: .*version/,
    );
  });
});
