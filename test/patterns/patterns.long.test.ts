import { describe, expect, it } from 'vitest';
import { type Pattern, shippedPatterns } from './patterns.js';

// The pure JavaScript build: the others start a process.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

/** What the checker says of a pattern that is not linear in the length of the text; undefined: it is. */
function complaint({ source, flags, place }: Pattern): string | undefined {
  const result = checkSync(source, flags, { timeout: 60_000 });
  if (result.status === 'safe') return undefined;
  const why = result.status === 'vulnerable' ? result.complexity.summary : 'not decided';
  return `${place} /${source}/${flags}: ${why}`;
}

describe('regular expressions that ship', () => {
  it('take a time that is linear in the length of the text', () => {
    const { literals } = shippedPatterns();
    expect(literals.length).toBeGreaterThan(150);
    expect(literals.flatMap((pattern) => complaint(pattern) ?? [])).toEqual([]);
  });

  it('are put together while they run in these files only, which time-of-growth.test.ts measures', () => {
    expect(shippedPatterns().made).toEqual([
      'functions/stacks/translate.ts',
      'src/delivery/hidden-secrets.ts',
      'src/tasks/payload.ts',
    ]);
  });

  it('are found to be quadratic by the checker where they are', () => {
    expect(complaint({ place: 'here', source: '"(?:[^"\\\\]|\\\\.)*"', flags: 'g' })).toMatch(/polynomial/);
  });
});
