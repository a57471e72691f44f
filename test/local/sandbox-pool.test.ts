import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Invocation } from '../../tools/src/local/sandbox/sandbox.js';
import { type PooledSandbox, SandboxPool } from '../../tools/src/local/sandbox/sandbox-pool.js';
import type { LocalFunction } from '../../tools/src/local/template/local-app.js';

afterEach(() => {
  vi.useRealTimers();
});

const lambda = (name: string) => ({ name }) as LocalFunction;

/** Sandboxes whose invocations end when the test says so. */
function world(
  size: number,
  {
    isAlone = () => false,
    latest,
  }: {
    isAlone?: (lambda: LocalFunction) => boolean;
    latest?: (lambda: LocalFunction) => LocalFunction | undefined;
  } = {},
) {
  const opened: (PooledSandbox & {
    lambda: LocalFunction;
    alive: boolean;
    calls: ((result: Invocation) => void)[];
    clocks: { clock: string; follow: () => void }[];
    closed: boolean;
  })[] = [];
  const pool = new SandboxPool({
    size,
    maxWaitMs: 60_000,
    isAlone,
    ...(latest ? { latest } : {}),
    open: (lambda) => {
      const fake = {
        lambda,
        functionName: lambda.name,
        loaded: Promise.resolve(),
        alive: true,
        closed: false,
        calls: [] as ((result: Invocation) => void)[],
        clocks: [] as { clock: string; follow: () => void }[],
        invoke: () => new Promise<Invocation>((resolve) => fake.calls.push(resolve)),
        setClock: (clock: string) => new Promise<void>((follow) => fake.clocks.push({ clock, follow })),
        kill: () => {
          fake.alive = false;
          for (const call of fake.calls) call({ type: 'exited', message: 'killed' });
        },
        close: async () => {
          fake.closed = true;
        },
      };
      opened.push(fake);
      return fake;
    },
  });
  return { pool, opened };
}
const done: Invocation = { type: 'result', value: 1 };
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a function that has one sandbox', () => {
  it('takes its events one after the other, however long one of them takes', async () => {
    vi.useFakeTimers();
    const { pool, opened } = world(10, { isAlone: ({ name }) => name === 'debugged' });
    const results = [1, 2, 3].map((event) => pool.invoke(lambda('debugged'), event));
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    expect(opened).toHaveLength(1);
    for (const i of [0, 1, 2]) {
      expect(opened[0]?.calls).toHaveLength(i + 1);
      opened[0]?.calls[i]?.(done);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(await Promise.all(results)).toEqual([done, done, done]);
  });

  it('keeps no other function waiting', async () => {
    const { pool, opened } = world(2, { isAlone: ({ name }) => name === 'debugged' });
    void pool.invoke(lambda('debugged'), 1);
    void pool.invoke(lambda('debugged'), 2);
    const first = pool.invoke(lambda('f'), 1);
    const second = pool.invoke(lambda('f'), 2);
    expect(opened.map(({ functionName }) => functionName)).toEqual(['debugged', 'f']);
    opened[1]?.calls[0]?.(done);
    await first;
    await turn();
    opened[1]?.calls[1]?.(done);
    expect(await second).toEqual(done);
    expect(opened[0]?.calls).toHaveLength(1);
  });

  it('has a new one once its process has ended', async () => {
    const { pool, opened } = world(10, { isAlone: () => true });
    const first = pool.invoke(lambda('debugged'), 1);
    const second = pool.invoke(lambda('debugged'), 2);
    opened[0]?.kill();
    expect(await first).toMatchObject({ type: 'exited' });
    await turn();
    expect(opened).toHaveLength(2);
    opened[1]?.calls[0]?.(done);
    expect(await second).toEqual(done);
  });
});

describe('the pool of sandboxes', () => {
  it('uses a free sandbox again, and opens another only while all are busy', async () => {
    const { pool, opened } = world(10);
    const first = pool.invoke(lambda('f'), 1);
    const second = pool.invoke(lambda('f'), 2);
    expect(opened).toHaveLength(2);
    for (const { calls } of opened) calls[0]?.(done);
    await Promise.all([first, second]);
    void pool.invoke(lambda('f'), 3);
    await turn();
    expect(opened).toHaveLength(2);
  });

  it('never gives one sandbox two events at a time, nor an event of another function', async () => {
    const { pool, opened } = world(10);
    const first = pool.invoke(lambda('f'), 1);
    opened[0]?.calls[0]?.(done);
    await first;
    void pool.invoke(lambda('g'), 2);
    expect(opened.map(({ functionName }) => functionName)).toEqual(['f', 'g']);
  });

  it('lets an event wait when all are busy, and starts it when one is free', async () => {
    const { pool, opened } = world(1);
    const first = pool.invoke(lambda('f'), 1);
    const second = pool.invoke(lambda('f'), 2);
    expect(opened[0]?.calls).toHaveLength(1);
    opened[0]?.calls[0]?.(done);
    await first;
    await turn();
    opened[0]?.calls[1]?.(done);
    expect(await second).toEqual(done);
  });

  it('closes the longest idle sandbox to make room for another function', async () => {
    const { pool, opened } = world(1);
    const first = pool.invoke(lambda('f'), 1);
    opened[0]?.calls[0]?.(done);
    await first;
    void pool.invoke(lambda('g'), 2);
    expect(opened[0]?.closed).toBe(true);
    expect(opened[1]?.functionName).toBe('g');
  });

  it('sets the clock of each, and waits only for those that are at work', async () => {
    const { pool, opened } = world(10);
    const first = pool.invoke(lambda('f'), 1);
    opened[0]?.calls[0]?.(done);
    await first;
    void pool.invoke(lambda('g'), 2);
    const reported = vi.fn();
    void pool.setClock('soon', 1_000).then(reported);
    expect(opened.map(({ clocks }) => clocks.map(({ clock }) => clock))).toEqual([['soon'], ['soon']]);
    await turn();
    expect(reported).not.toHaveBeenCalled();
    opened[1]?.clocks[0]?.follow();
    await turn();
    expect(reported).toHaveBeenCalled();
  });

  it('gives an event up that has waited for a minute', async () => {
    vi.useFakeTimers();
    const { pool } = world(1);
    void pool.invoke(lambda('f'), 1);
    const waiting = pool.invoke(lambda('f'), 2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await waiting).toEqual({ type: 'givenUp', message: 'no sandbox was free for 60 s' });
  });

  it('does not use a sandbox again whose process has ended', async () => {
    const { pool, opened } = world(10);
    const first = pool.invoke(lambda('f'), 1);
    const [sandbox] = opened;
    if (sandbox) sandbox.alive = false;
    sandbox?.calls[0]?.({ type: 'exited', message: 'Runtime exited' });
    expect(await first).toMatchObject({ type: 'exited' });
    void pool.invoke(lambda('f'), 2);
    await turn();
    expect(opened).toHaveLength(2);
  });

  it('lets what runs finish when it is closed, within bounds, and takes nothing new', async () => {
    const { pool, opened } = world(10);
    const quick = pool.invoke(lambda('f'), 1);
    const slow = pool.invoke(lambda('f'), 2);
    const closing = pool.close(50);
    expect(await pool.invoke(lambda('f'), 3)).toMatchObject({ type: 'givenUp' });
    opened[0]?.calls[0]?.(done);
    expect(await quick).toEqual(done);
    await closing;
    expect(await slow).toMatchObject({ type: 'exited' });
    expect(opened[0]?.closed).toBe(true);
  });
});

describe('a function that changes', () => {
  const old = lambda('f');
  const present = lambda('f');

  /** A pool whose latest function is the old one until `change`. */
  function changing(size: number) {
    const functions = { latest: old };
    const made = world(size, { latest: () => functions.latest });
    const change = () => {
      functions.latest = present;
      return made.pool.retire();
    };
    return { ...made, change };
  }

  it('closes its idle sandboxes, and gets a new one at its next event', async () => {
    const { pool, opened, change } = changing(10);
    pool.warm(old);
    expect(change()).toEqual([old]);
    expect(opened[0]?.closed).toBe(true);
    void pool.invoke(present, 1);
    expect(opened.map(({ lambda }) => lambda)).toEqual([old, present]);
    expect(opened[1]?.lambda).toBe(present);
  });

  it('lets an event that is at work end in the old code, and uses that sandbox for no other', async () => {
    const { pool, opened, change } = changing(10);
    const first = pool.invoke(old, 1);
    expect(change()).toEqual([]);
    expect(opened[0]?.closed).toBe(false);
    expect(pool.working).toEqual([old]);
    void pool.invoke(present, 2);
    expect(opened[1]?.lambda).toBe(present);
    opened[0]?.calls[0]?.(done);
    expect(await first).toEqual(done);
    expect(opened[0]?.closed).toBe(true);
    void pool.invoke(present, 3);
    expect(opened).toHaveLength(3);
  });

  it('gives an event that waited the new code', async () => {
    const { pool, opened, change } = changing(1);
    const first = pool.invoke(old, 1);
    void pool.invoke(old, 2);
    change();
    opened[0]?.calls[0]?.(done);
    await first;
    await turn();
    expect(opened[1]?.lambda).toBe(present);
    expect(opened[1]?.calls).toHaveLength(1);
  });

  it('that is gone keeps no sandbox', async () => {
    const functions: { latest?: LocalFunction } = { latest: old };
    const { pool, opened } = world(10, { latest: () => functions.latest });
    pool.warm(old);
    delete functions.latest;
    expect(pool.retire()).toEqual([old]);
    expect(opened[0]?.closed).toBe(true);
  });
});
