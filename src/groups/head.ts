import type { NewRecord } from '../client/index.js';
import type { Item } from '../record/index.js';
import { MAX_PAGES } from './names.js';

/**
 * The record of a group's first death, as it is kept until then.
 *
 * @inline
 */
export type FirstDeath = Pick<NewRecord, 'queue' | 'task' | 'key' | 'retry' | 'attributes' | 'payload'>;

/** The head of a group. */
export interface GroupHead {
  /** The backlog's time at which it was begun, epoch milliseconds. */
  readonly createdAt: number;
  /** The number of its pages. */
  readonly pages: number;
  /** Real time at which the newest page was numbered, epoch milliseconds. */
  readonly addedAt: number;
  /** It takes no more members. */
  readonly sealed: boolean;
  /** A dead member keeps it from ending. */
  readonly holdsDead: boolean;
  /** The record for its first death. Undefined: none was asked for, or it was inserted. */
  readonly firstDeath: FirstDeath | undefined;
  /** The `rev` as it was read: each write renews it. Undefined: it has none that is text, and goes on with the next write. */
  readonly rev: string | undefined;
}

/** Reads a head. Undefined: there is none, or it is damaged. */
export function parseHead(item: Item | undefined): GroupHead | undefined {
  if (item === undefined) return undefined;
  const { createdAt, pages, addedAt, sealed, holdsDead, firstDeath, rev } = item;
  if (!Number.isInteger(pages)) return undefined;
  if (Number(pages) < 0 || Number(pages) > MAX_PAGES) return undefined;
  return {
    createdAt: timeOf(createdAt),
    pages: Number(pages),
    addedAt: timeOf(addedAt),
    sealed: sealed === true,
    holdsDead: holdsDead === true,
    firstDeath:
      typeof firstDeath === 'object' && firstDeath !== null ? (firstDeath as FirstDeath) : undefined,
    rev: typeof rev === 'string' ? rev : undefined,
  };
}

function timeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
