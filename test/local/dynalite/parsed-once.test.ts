import { describe, expect, it } from 'vitest';
import { remembering } from '../../../src/local/dynalite/parsed-once.js';

describe('an expression that was parsed once', () => {
  it('keeps nothing of the values that came with it, such as a payload', () => {
    const known = new Map();
    const used: unknown[] = [];
    const parse = remembering((_expression, { context }) => {
      used.push(context);
      delete context.unusedAttrVals[':p'];
      return { type: '=', args: [['payload'], context.attrVals?.[':p']] };
    }, known);
    const ask = (text: string) =>
      parse('payload = :p', {
        context: {
          attrNames: {},
          attrVals: { ':p': { S: text } },
          unusedAttrNames: {},
          unusedAttrVals: { ':p': true },
        },
      });
    expect(ask('x'.repeat(300_000))).toEqual({
      type: '=',
      args: [['payload'], { S: 'x'.repeat(300_000) }],
    });
    expect(ask('y')).toEqual({ type: '=', args: [['payload'], { S: 'y' }] });
    expect(used).toHaveLength(1);
    const kept = [...known.entries()].map(([key, { result, values }]) => [key, result, [...values]]);
    expect(JSON.stringify(kept).length).toBeLessThan(500);
    expect(JSON.stringify(kept)).not.toContain('xxx');
  });
});
