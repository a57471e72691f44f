import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Attributes } from './attribute-values.js';

/** Tells whether two values are the same. The order of a map's names and of a set's members means nothing. */
export function isSameValue(one: AttributeValue, other: AttributeValue): boolean {
  const [[type, mine] = []] = Object.entries(one);
  const [[otherType, yours] = []] = Object.entries(other);
  if (type !== otherType) return false;
  switch (type) {
    case 'M':
      return isSameMap(mine, yours);
    case 'L':
      return isSameList(mine, yours);
    case 'SS':
    case 'NS':
    case 'BS':
      return membersOf(mine) === membersOf(yours);
    default:
      return textOf(mine) === textOf(yours);
  }
}

function isSameMap(ours: Attributes, theirs: Attributes): boolean {
  const names = Object.keys(ours);
  if (names.length !== Object.keys(theirs).length) return false;
  return names.every((name) => {
    const mine = ours[name];
    const yours = Object.hasOwn(theirs, name) ? theirs[name] : undefined;
    return mine !== undefined && yours !== undefined && isSameValue(mine, yours);
  });
}

function isSameList(ours: readonly AttributeValue[], theirs: readonly AttributeValue[]): boolean {
  if (ours.length !== theirs.length) return false;
  return ours.every((mine, i) => {
    const yours = theirs[i];
    return yours !== undefined && isSameValue(mine, yours);
  });
}

function membersOf(set: readonly unknown[]): string {
  return JSON.stringify(set.map(textOf).sort());
}

/** A member of a set as text. Numbers are text already, in one form only. */
function textOf(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
