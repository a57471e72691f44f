import type { Item } from '../../record/index.js';
import { type Attributes, toItem } from './attribute-values.js';

/**
 * The item in an image of a table's stream. As Lambda hands images over, bytes in them are base64 text.
 *
 * @returns undefined if it is no image of an item
 */
export function itemOfImage(image: unknown): Item | undefined {
  try {
    return toItem(image as Attributes);
  } catch {
    return undefined;
  }
}

/** An item as the client has it, in the form that Lambda hands images over in: bytes are base64 text. */
export function lambdaImage(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return withTextForBytes(value) as Record<string, unknown>;
}

function withTextForBytes(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(withTextForBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withTextForBytes(part)]));
}
