import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from '../../record/index.js';
import { parseNumber } from './client.js';

/**
 * The item in an image of a table's stream. As Lambda hands images over, bytes in them are base64 text.
 *
 * @returns undefined if it is no image of an item
 */
export function itemOfImage(image: unknown): Item | undefined {
  try {
    return unmarshall(image as Record<string, AttributeValue>, { wrapNumbers: parseNumber });
  } catch {
    return undefined;
  }
}
