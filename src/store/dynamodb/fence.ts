import { AsRead, attributesToFence, type BacklogRecord } from '../../record/index.js';
import { type Attributes, toAttributeValue } from './attribute-values.js';
import { and, type Condition, Expressions } from './expressions.js';
import { isSameValue } from './same-value.js';

/** Most attributes of a record that one condition names, with two operators each. */
const MAX_FENCED = 120;

/** The condition of a write that is no update. */
export function conditionOf(record: BacklogRecord, compare: Comparison): Condition {
  const expressions = new Expressions();
  const ConditionExpression = asRead(record, expressions, compare);
  return { ConditionExpression, ...expressions.placeholders() };
}

/** The condition under which an attribute counts as being as it was read. */
export type Comparison = (
  name: string,
  read: Attributes[string] | undefined,
  expressions: Expressions,
) => string;

/** The condition under which a record counts as being as it was read, or as the library has written it since. */
export function asRead(record: BacklogRecord, expressions: Expressions, compare: Comparison): string {
  const read = storedOf(record);
  const names = attributesToFence(read, record.rev !== undefined);
  return and(...names.map((name) => compare(name, read[name], expressions)));
}

export function isStill(
  name: string,
  read: Attributes[string] | undefined,
  expressions: Expressions,
): string {
  if (read === undefined) return expressions.absent(name);
  return `${expressions.name(name)} = ${expressions.stored(read)}`;
}

/** The same as `isStill`, but of documents only the type is compared: dynalite finds no two of them equal. */
export function isStillAlike(
  name: string,
  read: Attributes[string] | undefined,
  expressions: Expressions,
): string {
  const type = read?.M ? 'M' : read?.L ? 'L' : undefined;
  if (type === undefined) return isStill(name, read, expressions);
  return `attribute_type(${expressions.name(name)}, ${expressions.value(type)})`;
}

/** The attributes of a record as DynamoDB returned them, with what has been written since. */
export function storedOf(record: BacklogRecord): Attributes {
  const { stored, written } = AsRead.of(record);
  const all = { ...(stored as Attributes) };
  for (const [name, value] of Object.entries(written)) {
    if (value === undefined) delete all[name];
    else all[name] = toAttributeValue(value);
  }
  return all;
}

/** The attributes that are compared. Others are not kept: a page has many records, each until it is settled. */
export function fencedOf(stored: Attributes): Attributes {
  if (stored.rev?.S === undefined) return stored;
  const names = attributesToFence({}, true).filter((name) => stored[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, stored[name]])) as Attributes;
}

/** Tells whether one condition can name all attributes: DynamoDB takes expressions of 4 KB and 300 operators. */
export function fitsCondition(record: BacklogRecord): boolean {
  return attributesToFence(storedOf(record), record.rev !== undefined).length <= MAX_FENCED;
}

/** Tells whether an item is as it was read, or has this `rev` as the only change. */
export function isSame(record: BacklogRecord, found: Attributes, rev?: string): boolean {
  const read = storedOf(record);
  return attributesToFence(read, record.rev !== undefined).every((name) => {
    const [one, other] = [found[name], read[name]];
    if (one === other || (name === 'rev' && rev !== undefined && one?.S === rev)) return true;
    return one !== undefined && other !== undefined && isSameValue(one, other);
  });
}
