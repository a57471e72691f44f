import { describe, expect, it } from 'vitest';
import type { Features } from '../simulation/features.js';
import { violationsIn } from '../simulation/violations.js';

/** Other worlds than those of every test run: `npm run worlds` plays any number. */
describe('in two hundred worlds more', () => {
  it('no record is attempted twice at once, nor in the first worlds, of which every test run plays some', async () => {
    expect(await violationsIn({ first: 1, count: 20 })).toEqual([]);
  }, 300_000);

  it('no record is attempted twice at once, or after its success, and every record comes to its end', async () => {
    expect(await violationsIn({ first: 10_001, count: 60 })).toEqual([]);
  }, 900_000);

  it('nor where all producers put bare records', async () => {
    expect(await violationsIn({ first: 20_001, count: 30 }, true)).toEqual([]);
  }, 900_000);

  it('nor where attempts end outside in all of them', async () => {
    expect(
      await violationsIn({ first: 40_001, count: 30 }, undefined, undefined, { hasPending: true }),
    ).toEqual([]);
  }, 900_000);

  it('nor where attempts are made in batches in all of them', async () => {
    const features = (drawn: Features) => ({ ...drawn, batches: true });
    expect(await violationsIn({ first: 50_001, count: 30 }, true, undefined, { features })).toEqual([]);
  }, 900_000);

  it('nor where operators are at work in all of them', async () => {
    expect(await violationsIn({ first: 30_001, count: 30 }, undefined, true)).toEqual([]);
  }, 900_000);
});
