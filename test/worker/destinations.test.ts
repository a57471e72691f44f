import { describe, expect, it } from 'vitest';
import type { BacklogRecord } from '../../src/record/index.js';
import { destinationNames } from '../../src/worker/destinations.js';
import { fail, Harness } from './harness.js';

const breaker = { failureThreshold: 0.5, minimumAttempts: 10, halfOpenAfter: 60 };
const record = { id: 'r', queue: 'q', history: [], problems: [], payload: {} } as unknown as BacklogRecord;

function namesOf(destination: (record: BacklogRecord) => unknown) {
  const warnings: unknown[] = [];
  const warn = (...line: unknown[]) => warnings.push(line);
  const logger = { debug() {}, info() {}, warn, error() {} };
  return { nameOf: destinationNames(destination as () => string, logger), warnings };
}

describe('the name of a destination', () => {
  it('is asked for once for each record that was read, for all that use it', () => {
    let asked = 0;
    const { nameOf } = namesOf(() => `d${++asked}`);
    expect([nameOf(record), nameOf(record), nameOf({ ...record })]).toEqual(['d1', 'd1', 'd2']);
  });

  it('is asked for once by breakers and notes of what fails together', async () => {
    const harness = new Harness();
    for (let i = 0; i < 3; i++) harness.put(`r${i}`);
    const asked: string[] = [];
    const destination = ({ id }: BacklogRecord) => {
      asked.push(id);
      return 'bank';
    };
    await harness.run(fail, { breaker, destination });
    expect(asked.sort()).toEqual(['r0', 'r1', 'r2']);
  });

  it('is cut, and is text that can be stored', () => {
    expect(namesOf(() => `a\ud800${'b'.repeat(200)}`).nameOf(record)).toBe(`a\ufffd${'b'.repeat(98)}`);
  });

  it.each([
    ['nothing', () => undefined, /^destination: expected a name, got nothing$/],
    ['no text', () => 7, /^destination: expected a name, got 7$/],
    ['an empty one', () => '', /^destination: expected a name, got ""$/],
    [
      'an error',
      () => {
        throw new TypeError('secret text');
      },
      /^destination: the function threw$/,
    ],
    [
      'a value that throws when it is read',
      () => {
        throw new Proxy({}, { get: () => raise(), getPrototypeOf: () => raise() });
      },
      /^destination: the function threw$/,
    ],
  ])('that is %s is none, with one warning that names the record', (_, destination, message) => {
    const { nameOf, warnings } = namesOf(destination);
    expect([nameOf(record), nameOf(record)]).toEqual([undefined, undefined]);
    expect(warnings).toEqual([[expect.stringMatching(message), expect.objectContaining({ id: 'r' })]]);
    expect(JSON.stringify(warnings)).not.toContain('secret text');
  });

  it('is named from a copy: what the function does to it is in no write', () => {
    const { nameOf } = namesOf((copy) => {
      Object.assign(copy, { queue: 'another' });
      return 'd';
    });
    nameOf(record);
    expect(record.queue).toBe('q');
  });
});

function raise(): never {
  throw new Error('read');
}
