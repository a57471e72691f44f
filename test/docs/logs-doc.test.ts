import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Messages of calls such as `logger.warn('…'`, `logger[level]('…'`, `this.deps.logger.error(\n '…'` and `logFailure(logger, '…'`. */
const LOGGED = /[lL]ogger(?:, |(?:\(\))?(?:\??\.(?:info|warn|error)|\[[^\]]+\])\(\s*)'([^']+)'/g;
/** Messages that are chosen before the call. */
const CHOSEN = ['attempt failed', 'probe failed', 'refused', 'expired', 'not ready in time'];

it('docs/logs.md names every line that the functions write, and no others', () => {
  const files = [
    'src/worker',
    'src/leases',
    'src/intake',
    'src/batches',
    'src/delivery',
    'src/recurring',
    'src/groups',
    'src/lines',
    'functions',
  ].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(folder, file), 'utf8')),
  );
  const logged = files.flatMap((source) => [...source.matchAll(LOGGED)].map(([, message]) => message));
  expect(logged.length).toBeGreaterThan(30);
  const [, table = ''] =
    /\| level \| message \| when \|\n\|---\|---\|---\|\n((?:\|.*\n)+)/.exec(
      readFileSync('docs/logs.md', 'utf8'),
    ) ?? [];
  const named = table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, message]) => message));
  expect([...new Set(named)].sort()).toEqual([...new Set([...logged, ...CHOSEN])].sort());
});
