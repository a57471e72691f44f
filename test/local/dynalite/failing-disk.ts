import { createRequire } from 'node:module';
import { vi } from 'vitest';

interface LevelClass {
  prototype: Record<'_put' | '_batch' | '_get' | 'close', (...args: unknown[]) => Promise<unknown>>;
}

/** The class of the database that dynalite keeps in a folder. */
const { Level } = createRequire(import.meta.resolve('dynalite'))('level') as { Level: LevelClass };

/** An error of the system, as LevelDB reports it. */
export function ioError(text: string): Error {
  return Object.assign(new Error(`IO error: /data/dynamodb/000003.log: ${text}`), { code: 'LEVEL_IO_ERROR' });
}

/** Refuses all writes to the disk from the n-th on, until the mock is restored. */
export function failWritesFrom(n: number, error: Error) {
  let writes = 0;
  const spies = (['_put', '_batch'] as const).map((name) => {
    const write = Level.prototype[name];
    return vi.spyOn(Level.prototype, name).mockImplementation(async function (this: unknown, ...args) {
      writes += 1;
      if (writes >= n) throw error;
      return write.apply(this, args);
    });
  });
  return {
    writes: () => writes,
    restore: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}

/** Lets reads of the database fail with this error. */
export function damageReads(error: Error) {
  return vi.spyOn(Level.prototype, '_get').mockRejectedValue(error);
}

/** Closes the database behind its n-th read, while the request that has read is at work. */
export function closeAtRead(n: number) {
  const { _get: read, close } = Level.prototype;
  let reads = 0;
  return vi.spyOn(Level.prototype, '_get').mockImplementation(async function (this: unknown, ...args) {
    const value = await read.apply(this, args);
    reads += 1;
    if (reads === n) await close.call(this);
    return value;
  });
}

/** Counts the entries of each write to the database. */
export function countEntries() {
  const sizes: number[] = [];
  const spies = (['_put', '_batch'] as const).map((name) => {
    const write = Level.prototype[name];
    return vi.spyOn(Level.prototype, name).mockImplementation(function (this: unknown, ...args) {
      sizes.push(name === '_put' ? 1 : (args[0] as unknown[]).length);
      return write.apply(this, args);
    });
  });
  return {
    sizes,
    restore: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
