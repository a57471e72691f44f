import * as z from 'zod/mini';
import {
  type AttemptOutcome,
  DEFAULT_HISTORY,
  type ErrorText,
  type HistoryLimits,
} from '../../record/index.js';

/** Limits of the history that a record keeps of its attempts. Every byte of it is billed at every write of the record. */
export interface HistoryOptions {
  /** The size of all entries together: 200 to 16,384. Default: 512, or 2,048 with `stacks`. */
  readonly bytes?: number | undefined;
  /** The number of entries: 1 to 100. Default: 20. */
  readonly entries?: number | undefined;
  /** Keeps the stack traces of errors in code of your own. Default: `false`. */
  readonly stacks?: boolean | undefined;
  /**
   * Takes secrets out of the texts that are kept.
   *
   * It gets every text before it is cut, and returns at once what may be kept. If it throws, or returns anything else, only the
   * error's name is kept. Default: none.
   */
  readonly redact?: ((text: ErrorText) => ErrorText) | undefined;
}

/** An outcome with what may be kept of its texts. */
export interface Kept {
  readonly outcome: AttemptOutcome;
  /** The fault of the hook. */
  readonly problem?: string | undefined;
}

/** Never throws; `redactionOf` makes it of the options. */
export type Redaction = (outcome: AttemptOutcome) => Kept;

/** Options of a queue about its history, as plain data. */
export const historyShape = {
  bytes: z.optional(z.int().check(z.minimum(200), z.maximum(16_384))),
  entries: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
  stacks: z.optional(z.boolean()),
};

const STACKS_BYTES = 2_048;

export function historyLimits({ bytes, entries, stacks = false }: HistoryOptions): HistoryLimits {
  return {
    bytes: bytes ?? (stacks ? STACKS_BYTES : DEFAULT_HISTORY.bytes),
    entries: entries ?? DEFAULT_HISTORY.entries,
  };
}
