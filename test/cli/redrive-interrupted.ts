import { expect } from 'vitest';
import type { EmbeddedDynamoDb } from '../../tools/src/local/embedded-dynamodb.js';
import { oldTable } from './old-table.js';
import { CommandLine, until } from './process.js';

/** The result once it has the same size twice: a killed process has written what the database has still to do. */
async function settled<Found extends { readonly size: number }>(read: () => Promise<Found>): Promise<Found> {
  let found = await read();
  for (let previous = -1; found.size !== previous; found = await read()) previous = found.size;
  return found;
}

/** A redrive of so many records by the built command line, which is killed, interrupted, and repeated. */
export async function redriveInterrupted(
  count: number,
  dynamodb: EmbeddedDynamoDb,
  { perSecond }: { readonly perSecond: number },
): Promise<void> {
  const cli = await CommandLine.create();
  const table = await oldTable(dynamodb.endpoint, 'Records');
  const control = await oldTable(dynamodb.endpoint, 'Control', { key: 'key', index: false });
  try {
    const start = Date.now() - 3_600_000;
    const at = new Date(start).toISOString();
    const dead = (i: number) => ({
      id: `order ${i}`,
      status: 'DEAD',
      payload: { i },
      queue: 'orders',
      insertedAt: at,
      lane: 'orders/dead',
      // Of index keys with the same time dynalite tells apart some thousands, no more.
      dueAt: new Date(start + i).toISOString(),
      rev: 'died',
      attempts: 5,
      failures: 5,
      deadReason: 'maxAttempts',
    });
    for (let i = 0; i < count; i += 1000) {
      await table.put(...Array.from({ length: Math.min(1000, count - i) }, (_, n) => dead(i + n)));
    }
    const redriven = async () => {
      const all = await table.all();
      return new Map(all.filter(({ status }) => status === 'NEW').map(({ id, rev }) => [id, rev] as const));
    };
    const args = [
      ...['redrive', '--endpoint', dynamodb.endpoint, '--table', 'Records', '--control-table', 'Control'],
      ...['--queue', 'orders', '--yes', '--json'],
    ];
    const slowly = ['--per-second', String(perSecond)];
    const killed = cli.start(...args, ...slowly);
    await until(async () => (await redriven()).size > 0, 60_000);
    killed.kill('SIGKILL');
    expect(await killed.ended).toBeNull();
    const first = await settled(redriven);
    expect(first.size).toBeGreaterThan(0);
    expect(first.size).toBeLessThan(count);

    const interrupted = cli.start(...args, ...slowly);
    await until(async () => (await redriven()).size > first.size, 60_000);
    interrupted.kill('SIGINT');
    expect(await interrupted.ended).toBe(1);
    const second = await redriven();
    const reported = JSON.parse(interrupted.out());
    expect(reported).toMatchObject({ ended: 'aborted', changed: second.size - first.size, failed: 0 });
    expect(second.size).toBeLessThan(count);

    const { code, out } = await cli.run(...args);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ended: 'complete',
      changed: count - second.size,
      failed: 0,
      skipped: {},
    });
    const all = await redriven();
    expect(all.size).toBe(count);
    // Records that were redriven by then have not been written again.
    for (const [id, rev] of [...first, ...second])
      if (all.get(id) !== rev) expect([id, all.get(id)]).toEqual([id, rev]);
    const again = await cli.run(...args);
    expect(JSON.parse(again.out)).toMatchObject({ matched: 0, changed: 0 });
  } finally {
    cli.close();
    table.close();
    control.close();
  }
}
