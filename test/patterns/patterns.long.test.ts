import { runInNewContext } from 'node:vm';
import { check } from 'recheck';
import { describe, expect, it } from 'vitest';
import { type Pattern, shippedPatterns } from './patterns.js';

type AttackPattern = Extract<Awaited<ReturnType<typeof check>>, { status: 'vulnerable' }>['attack'];

/** Time for the checker to decide on one pattern: half a minute where it has no program for the machine, only JavaScript. */
const TIMEOUT_MS = 150_000;

/** The checker's complaint about a pattern that is not linear in the length of the text; undefined: it is. */
async function complaint({ source, flags, place }: Pattern): Promise<string | undefined> {
  const result = await check(source, flags, { timeout: TIMEOUT_MS });
  if (result.status === 'safe') return undefined;
  if (result.status !== 'vulnerable') return `${place} /${source}/${flags}: not decided`;
  if (!takesLong(new RegExp(source, flags), result.attack)) return undefined;
  return `${place} /${source}/${flags}: ${result.complexity.summary}`;
}

const ATTACK_CHARACTERS = 100_000;

/**
 * Tries an attack that the checker has guessed. On this length a linear pattern takes some milliseconds, and a
 * quadratic one many seconds.
 */
function takesLong(pattern: RegExp, { pumps, suffix }: AttackPattern): boolean {
  const times = Math.ceil(ATTACK_CHARACTERS / Math.max(1, pumps.map(({ pump }) => pump).join('').length));
  const text = pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('') + suffix;
  try {
    // Ended from outside: a cubic one takes days.
    runInNewContext('text.replace(pattern, "")', { text, pattern }, { timeout: 1_000 });
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return true;
  }
}

describe('regular expressions that ship', () => {
  it('take a time that is linear in the length of the text', async () => {
    const { literals } = shippedPatterns();
    expect(literals.length).toBeGreaterThan(150);
    const complaints: (string | undefined)[] = [];
    for (const pattern of literals) complaints.push(await complaint(pattern));
    expect(complaints.filter((one) => one !== undefined)).toEqual([]);
  });

  it('are put together while they run in these files only, which time-of-growth.test.ts measures', () => {
    expect(shippedPatterns().made).toEqual([
      'functions/stacks/translate.ts',
      'src/delivery/hidden-secrets.ts',
      'src/tasks/payload.ts',
    ]);
  });

  it('are found to be quadratic by the checker where they are', async () => {
    const quoted = { place: 'here', source: '"(?:[^"\\\\]|\\\\.)*"', flags: 'g' };
    expect(await complaint(quoted)).toMatch(/polynomial/);
    const url = { place: 'here', source: '^\\/([^/?]+)([^?]*)\\??(.*)$', flags: '' };
    expect(await complaint(url)).toMatch(/polynomial/);
  });
});
