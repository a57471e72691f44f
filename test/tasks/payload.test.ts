import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { asStored, checkPayload } from '../../src/tasks/index.js';
import type { SchemaResult, StandardSchema } from '../../src/tasks/standard-schema.js';

function schemaThat(validate: (value: unknown) => SchemaResult<unknown>): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
/** A library that says what it got. */
const talkative = (path: PropertyKey[], message: string) =>
  schemaThat(() => ({ issues: [{ path, message }] }));

describe('what is wrong with a payload', () => {
  it('is described by paths and expectations', async () => {
    const schema = z.object({ to: z.email(), lines: z.array(z.object({ sku: z.string() })) });
    const payload = { to: 'secret@nowhere', lines: [{ sku: 'A' }, { sku: 7 }] };
    const problem =
      'payload.to: Invalid email address; payload.lines[1].sku: Invalid input: expected string, received number';
    expect(await checkPayload(schema, payload)).toEqual({ problem });
  });

  it.each([
    [['to'], 'Expected string but received "hunter2"', 'payload.to: Expected string but received …'],
    [['to'], "must be an email (was 'hunter2')", 'payload.to: must be an email (was …)'],
    [['to'], 'hunter2 is no address', 'payload.to: … is no address'],
    [['pin'], 'must be more than 10 (was 7)', 'payload.pin: must be more than 10 (was …)'],
    [['pin'], 'expected 17, 7.5 or 70', 'payload.pin: expected 17, 7.5 or 70'],
    [['big'], 'got 123456789012345678901', 'payload.big: got …'],
    [[], 'no match for {"to":"hunter2","pin":7}', 'payload: no match for {"to":…,"pin":…}'],
    [['deep', 0], 'got "sesame"', 'payload.deep[0]: got …'],
    [['names'], 'neither anna nor annabel', 'payload.names: neither … nor …'],
    [['nowhere', 'at', 'all'], 'is missing', 'payload.nowhere.at.all: is missing'],
  ])('never quotes a value of it: %j, %s', async (path, message, problem) => {
    const payload = {
      to: 'hunter2',
      pin: 7,
      big: 123456789012345678901n,
      deep: ['sesame'],
      names: ['annabel', 'anna'],
    };
    expect(await checkPayload(talkative(path, message), payload)).toEqual({ problem });
  });

  it('is short, however much it is', async () => {
    const issues = Array.from({ length: 100 }, (_, i) => ({ path: [i], message: 'no '.repeat(1000) }));
    const checked = await checkPayload(
      schemaThat(() => ({ issues })),
      [],
    );
    expect(JSON.stringify(checked).length).toBeLessThan(1000);
    expect(JSON.stringify(checked)).toMatch(/and 95 more"}$/);
  });

  it('is waited for where a schema answers with a promise of another realm', async () => {
    const schema = schemaThat(() => runInNewContext('Promise.resolve({ issues: [] })'));
    expect(await checkPayload(schema, 1)).toEqual({ problem: 'refused' });
  });

  it('is short, however long the names are that a producer has given', async () => {
    const path = Array.from({ length: 30 }, () => 'k'.repeat(10_000));
    const schema = schemaThat(() => ({ issues: Array.from({ length: 9 }, () => ({ path, message: 'no' })) }));
    const checked = await checkPayload(schema, {});
    expect(JSON.stringify(checked).length).toBeLessThan(1500);
    expect(JSON.stringify(checked)).toContain('…: no');
  });

  it('is there although nothing says what it is', async () => {
    expect(
      await checkPayload(
        schemaThat(() => ({ issues: [] })),
        1,
      ),
    ).toEqual({ problem: 'refused' });
  });

  it('may be found by asking others', async () => {
    const schema = z.string().refine(async (text) => text === 'known');
    expect(await checkPayload(schema, 'known')).toEqual({ value: 'known' });
    expect(await checkPayload(schema, 'other')).toEqual({ problem: 'payload: Invalid input' });
  });
});

describe('a payload as its handler will read it', () => {
  it('has no undefined, and small bigints as numbers', () => {
    const bytes = new Uint8Array([1]);
    const payload = { a: undefined, b: 5n, c: 2n ** 60n + 1n, d: [{ e: undefined, f: 1 }], g: bytes };
    expect(asStored(payload)).toStrictEqual({ b: 5, c: 2n ** 60n + 1n, d: [{ f: 1 }], g: bytes });
  });

  it('that holds itself is refused', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(() => asStored(cyclic)).toThrow(/holds itself/);
  });

  it('keeps attributes with the names of prototypes', () => {
    const payload = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(Object.keys(asStored(payload) as object)).toEqual(['__proto__', 'constructor']);
    expect({}).not.toHaveProperty('polluted');
  });
});
