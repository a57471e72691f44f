import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SAVE_EVERY_MS, Timekeeper } from '../../tools/src/local/schedule/timekeeper.js';

const newFile = async () => join(await mkdtemp(join(tmpdir(), 'backlog-time-')), 'clock.json');

afterEach(() => {
  vi.useRealTimers();
});

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

  it('never runs backwards after a kill that follows a jump or a faster clock at once', async () => {
    const file = await newFile();
    const killed = await Timekeeper.start({ speed: 1, file });
    const day = 86_400_000;
    const to = killed.clock.now() + day;
    const saved = async () => (JSON.parse(await readFile(file, 'utf8')) as { clock: number }).clock;
    const savedBefore: number[] = [];
    // The file says so before the clock does.
    const tell = async () => void savedBefore.push(await saved());
    await killed.change({ to }, tell);
    expect(savedBefore[0]).toBeGreaterThanOrEqual(to);
    expect(killed.clock.now()).toBeGreaterThanOrEqual(to);
    savedBefore.length = 0;
    await killed.change({ speed: 100_000 }, tell);
    expect(savedBefore[0]).toBeGreaterThanOrEqual(to + 2 * SAVE_EVERY_MS * 100_000);
    await killed.stop();
  });

  it('waits for its beginning where it is told to, and then begins at the real time', async () => {
    vi.useFakeTimers();
    const keeper = await Timekeeper.start({ speed: 60, waits: true });
    const { startedAt } = keeper;
    vi.advanceTimersByTime(3_000);
    expect(keeper.clock.now()).toBe(startedAt);
    const reported: unknown[] = [];
    await keeper.begin(async (setting) => void reported.push(setting.paused));
    expect(reported).toEqual([true, false]);
    expect(keeper.startedAt).toBe(startedAt + 3_000);
    vi.advanceTimersByTime(1_000);
    expect(keeper.clock.now() - keeper.startedAt).toBe(60_000);
    await keeper.stop();
  });

  it('that is paused is kept, and goes on with the next start', async () => {
    const file = await newFile();
    await writeFile(file, JSON.stringify({ version: 1, clock: Date.now() + 1_000_000, rules: {} }));
    const first = await Timekeeper.start({ speed: 60, file });
    await first.change({ paused: true }, async () => {});
    const stood = first.clock.now();
    await first.stop();
    expect(first.clock.now()).toBe(stood);
    const second = await Timekeeper.start({ speed: 60, file });
    await second.stop();
    expect(second.setting).toMatchObject({ start: stood, speed: 60 });
    expect(second.clock.paused).toBe(false);
  });

  it('does not change when the file can no longer be written', async () => {
    const file = await newFile();
    const keeper = await Timekeeper.start({ speed: 1, file });
    await rm(dirname(file), { recursive: true });
    const tell = vi.fn(async () => {});
    await expect(keeper.change({ speed: 60 }, tell)).rejects.toThrow(dirname(file));
    expect(keeper.setting.speed).toBe(1);
    expect(tell).not.toHaveBeenCalled();
    await keeper.stop().catch(() => {});
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
