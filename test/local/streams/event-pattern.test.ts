import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../src/support/errors.js';
import { matcherOf } from '../../../tools/src/local/streams/event-pattern.js';

/** The filter of the intake, as the construct has it. */
const INTAKE = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    NewImage: { lane: { S: [{ exists: false }] }, status: { S: [{ 'anything-but': ['SUCCESS'] }] } },
  },
};
const WITHOUT_STATUS = {
  dynamodb: { NewImage: { lane: { S: [{ exists: false }] }, status: { S: [{ exists: false }] } } },
};

const image = (NewImage: object, eventName = 'INSERT') => ({ eventName, dynamodb: { NewImage } });

describe('the patterns of the intake', () => {
  const matches = matcherOf(INTAKE, 'p');
  const matchesWithout = matcherOf(WITHOUT_STATUS, 'p');

  it.each([
    [image({ status: { S: 'NEW' } }), true, false],
    [image({ status: { S: 'new' } }, 'MODIFY'), true, false],
    [image({}), false, true],
    [image({ status: { N: '1' } }), false, true],
    [image({ lane: { N: '1' }, status: { S: 'NEW' } }), true, false],
    [image({ status: { S: 'SUCCESS' } }), false, false],
    [image({ status: { S: 'NEW' }, lane: { S: 'orders' } }), false, false],
    [image({ lane: { S: 'orders' } }), false, false],
    [image({ status: { S: 'NEW' } }, 'REMOVE'), false, false],
  ])('%j: %s, %s', (event, first, second) => {
    expect([matches(event), matchesWithout(event)]).toEqual([first, second]);
  });
});

describe('a pattern', () => {
  it.each([
    [{ a: ['x', 7, null] }, { a: 7 }, true],
    [{ a: ['x'] }, { a: 'y' }, false],
    [{ a: ['x'] }, {}, false],
    [{ a: [{ prefix: 'or' }] }, { a: 'order' }, true],
    [{ a: [{ prefix: 'or' }] }, { a: 'border' }, false],
    [{ a: [{ exists: true }] }, { a: '' }, true],
    [{ a: [{ exists: true }] }, { a: { b: 1 } }, false],
    [{ a: [{ 'anything-but': 'x' }] }, {}, false],
    [{ a: [{ 'anything-but': 'x' }] }, { a: 'y' }, true],
    [{ toString: [{ exists: false }] }, {}, true],
    [{ a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, false],
  ])('%j on %j: %s', (pattern, event, expected) => {
    expect(matcherOf(pattern, 'p')(event)).toBe(expected);
  });

  it.each([
    [
      { a: [{ numeric: ['>', 5] }] },
      'p.a: the local runtime filters by values, "exists", "anything-but" and "prefix"',
    ],
    [{ a: [{ 'anything-but': { prefix: 'x' } }] }, 'not by {"anything-but":{"prefix":"x"}}'],
    [{ a: 'x' }, 'p.a: expected an object or a list of rules, got "x"'],
  ])('%j is refused', (pattern, message) => {
    expect(() => matcherOf(pattern, 'p')).toThrow(ConfigurationError);
    expect(() => matcherOf(pattern, 'p')).toThrow(message);
  });
});
