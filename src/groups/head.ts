import type { NewRecord } from '../client/index.js';
import type { Item } from '../record/index.js';
import { MAX_PAGES } from './names.js';

/** The record of a group's first death, as it is kept until then. */
export type FirstDeath = Pick<NewRecord, 'queue' | 'task' | 'key' | 'retry' | 'attributes' | 'payload'>;

/**
 * The head of a group.
 *
 *     createdAt    the backlog's time, epoch milliseconds
 *     pages        number of its pages
 *     addedAt      real time at which the newest page was numbered, epoch milliseconds
 *     sealed       it takes no more members
 *     holdsDead    a dead member keeps it from ending
 *     firstDeath   the record for its first death, while that has not come
 *     rev          renewed by each write
 */
export interface GroupHead {
  readonly createdAt: number;
  readonly pages: number;
  readonly addedAt: number;
  readonly sealed: boolean;
  readonly holdsDead: boolean;
  /** Undefined: none was asked for, or it was inserted. */
  readonly firstDeath: FirstDeath | undefined;
  /** The `rev` as it was read. */
  readonly rev: string;
}

/** Reads a head. Undefined: there is none, or it is damaged. */
export function parseHead(item: Item | undefined): GroupHead | undefined {
  if (item === undefined) return undefined;
  const { createdAt, pages, addedAt, sealed, holdsDead, firstDeath, rev } = item;
  if (typeof rev !== 'string' || !Number.isInteger(pages)) return undefined;
  if (Number(pages) < 0 || Number(pages) > MAX_PAGES) return undefined;
  return {
    createdAt: timeOf(createdAt),
    pages: Number(pages),
    addedAt: timeOf(addedAt),
    sealed: sealed === true,
    holdsDead: holdsDead === true,
    firstDeath:
      typeof firstDeath === 'object' && firstDeath !== null ? (firstDeath as FirstDeath) : undefined,
    rev,
  };
}

function timeOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
