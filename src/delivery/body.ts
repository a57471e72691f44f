import type { Readable } from 'node:stream';
import { withoutTrailing } from '../support/trailing.js';
import type { HiddenSecrets } from './hidden-secrets.js';

/** The size of the excerpt of an answer that a record keeps. */
export const EXCERPT_BYTES = 200;

/** The beginning of an answer's body, or all of it. */
export interface Received {
  readonly bytes: Uint8Array;
  readonly isComplete: boolean;
}

/** The longest wait for the end of an answer whose status says already what happened. */
export const BODY_SECONDS = 2;

interface Limits {
  readonly keepBytes: number;
  readonly maxBytes: number;
  /** Undefined: until the signal is aborted. */
  readonly maxSeconds: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Reads an answer's body to its end, so that the connection can be used again, or gives up: after `maxBytes`, after
 * `maxSeconds`, or when the signal is aborted. Then the connection is closed.
 *
 * @returns the first bytes of what came, and whether that is all; never throws
 */
export async function readBody(
  answer: Readable,
  { keepBytes, maxBytes, maxSeconds, signal }: Limits,
): Promise<Received> {
  const kept: Uint8Array[] = [];
  const stop = () => void answer.destroy();
  const timer = maxSeconds === undefined ? undefined : setTimeout(stop, maxSeconds * 1000);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  let bytes = 0;
  let isComplete = false;
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      if (bytes < keepBytes) kept.push(chunk.subarray(0, keepBytes - bytes));
      bytes += chunk.byteLength;
      if (bytes > maxBytes) break;
    }
    isComplete = bytes <= keepBytes && bytes <= maxBytes;
  } catch {
    // The connection broke in the middle of the body, or was closed by us.
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
  return { bytes: Buffer.concat(kept), isComplete };
}

/** Bytes of an answer that an excerpt needs. They cover the longest secret, so that none is cut in two and shown by half. */
export function bytesForExcerpt(maxBytes: number, secrets?: HiddenSecrets): number {
  return maxBytes + (secrets?.longestForm ?? 0);
}

/**
 * First bytes of an answer as text for a record's error: one line, nothing invisible, no character cut in two, and no
 * secret, which a server may send back to the client that sent it.
 */
export function excerpt({ bytes, isComplete }: Received, maxBytes: number, secrets?: HiddenSecrets): string {
  const first = bytes.subarray(0, bytesForExcerpt(maxBytes, secrets));
  const isWhole = isComplete && first.length === bytes.length;
  const text = new TextDecoder().decode(first);
  const shown = secrets ? secrets.hide(text, isWhole) : text;
  const line = shown.replace(/[\p{C}\p{Z}\uFFFD]+/gu, ' ').trim();
  const cut = Buffer.from(line).subarray(0, maxBytes);
  return withoutTrailing(new TextDecoder().decode(cut), '\uFFFD').trim();
}
