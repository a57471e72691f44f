import { createHash } from 'node:crypto';
import type { BacklogRecord } from './record.js';

/**
 * The token of an attempt, known before the attempt: its number, and a digest that only the process of the attempt can make. Two records,
 * or two attempts of one, have different ones.
 *
 * @param rev the `rev` that the outcome of the attempt is written with, as the journal announces it
 */
export function completionToken(
  rev: string,
  { id, attempts }: Pick<BacklogRecord, 'id' | 'attempts'>,
): string {
  const attempt = attempts + 1;
  const digest = createHash('sha256')
    .update(JSON.stringify([rev, id, attempt]))
    .digest('base64url');
  return `${attempt}.${digest.slice(0, 22)}`;
}
