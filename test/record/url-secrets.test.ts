import { describe, expect, it, vi } from 'vitest';
import { errorEntry } from '../../src/record/history.js';
import { outcomeOfThrow } from '../../src/record/index.js';
import { withoutUrlSecrets } from '../../src/url-text.js';
import { show } from '../../src/validation.js';
import { redactionOf } from '../../src/worker/index.js';

describe('a text with URLs', () => {
  it.each([
    ['https://shop:pw@erp.example.com/a/b?token=x#y', 'https://erp.example.com/a/b'],
    ['request to http://h:8080/p?token=a%20b failed', 'request to http://h:8080/p failed'],
    ['("https://h/p?t=1", \'HTTPS://u@h?q\')', '("https://h/p", \'HTTPS://h\')'],
    ['https://a@b:c@host/x', 'https://host/x'],
    ['what? no url#at all', 'what? no url#at all'],
  ])('%s is shown as %s', (text, shown) => {
    expect(withoutUrlSecrets(text)).toBe(shown);
  });

  it('loses a URL that is cut in two, as its password could be taken for a host', () => {
    const text = 'see https://shop:password@example.com/';
    for (let length = 0; length < text.length; length++) {
      expect(withoutUrlSecrets(text, length)).not.toContain('shop');
    }
  });

  it('is shown so in every error about an option', () => {
    expect(show({ url: 'https://shop:pw@h/p?token=x' })).toBe('{"url":"https://h/p"}');
  });
});

describe('a huge error', () => {
  it('is cut before any pattern looks through it', () => {
    const huge = 'x: https://h/?token=secret\n'.repeat(400_000);
    const error = Object.assign(new Error(huge), { name: huge });
    let longest = 0;
    const spies = ([Symbol.replace, Symbol.search, Symbol.match, Symbol.split] as const).map((name) => {
      const { prototype } = RegExp as unknown as {
        prototype: Record<symbol, (text: string, ...rest: unknown[]) => unknown>;
      };
      const run = prototype[name];
      return vi.spyOn(prototype, name).mockImplementation(function (this: unknown, text, ...rest) {
        longest = Math.max(longest, text.length);
        return run?.call(this, text, ...rest);
      });
    });
    const outcome = outcomeOfThrow(error);
    if (outcome.type !== 'failure') throw new Error('not a failure');
    const entry = errorEntry(outcome.error, '2026-01-01T00:00:00.000Z', 1);
    const kept = redactionOf({ stacks: true, redact: (text) => text })?.(outcome).outcome;
    for (const spy of spies) spy.mockRestore();
    expect(entry.message).toMatch(/^x: https:\/\/h\/\nx/);
    expect(Buffer.byteLength(entry.message)).toBeLessThanOrEqual(400);
    if (kept?.type !== 'failure') throw new Error('not a failure');
    expect(kept.error.stack).toContain('url-secrets.test.ts');
    expect(kept.error.stack?.length).toBeLessThanOrEqual(16_384);
    expect(outcome.error.message.length).toBeLessThanOrEqual(16_384);
    expect(outcome.error.name.length).toBeLessThanOrEqual(16_384);
    expect(longest).toBeLessThanOrEqual(16_384);
  });
});
