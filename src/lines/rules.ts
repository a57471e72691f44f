import { type BacklogRecord, isPending, isUnwanted } from '../record/index.js';
import { isSameLine, type Place, placeOf } from './names.js';
import type { OrderOptions } from './order-options.js';

/** Time after which a number that does not come is left out. */
const DEFAULT_GAP_SECONDS = 120;

/** The rules of a queue with order. */
export interface OrderRules {
  /** `hold`: they wait until it is redriven, discarded or deleted. `skip`: the next one has its turn. `cancel`: they are cancelled. */
  readonly onDeadHead: NonNullable<OrderOptions['onDeadHead']>;
  /** Seconds after which a number that does not come is left out. Undefined: its followers wait for it. */
  readonly skipGapAfter: number | undefined;
}

/** The rules of a queue by its settings, which were checked at synthesis. Undefined: it has no order. */
export function orderRulesOf({
  order,
  onDeadHead = 'hold',
  skipGapAfter,
}: OrderOptions): OrderRules | undefined {
  if (order === undefined) return undefined;
  const seconds = typeof skipGapAfter === 'number' ? skipGapAfter : DEFAULT_GAP_SECONDS;
  return { onDeadHead, skipGapAfter: skipGapAfter === 'never' ? undefined : seconds };
}

/** Tells whether the turn of a record is over. */
export function hasEnded(record: BacklogRecord | undefined, { onDeadHead }: OrderRules): boolean {
  if (record === undefined || record.status === 'SUCCESS') return true;
  return !isPending(record) && (onDeadHead !== 'hold' || isUnwanted(record));
}

/** Tells whether a head that has not ended holds its line until an operator acts. */
export function holdsLine(head: BacklogRecord): boolean {
  return head.status === 'DEAD' && !isUnwanted(head);
}

/** Tells whether a record is still at its place: it was neither moved to another line nor given another number. */
export function isAt(place: Place, record: BacklogRecord): boolean {
  const now = placeOf(record);
  return now !== undefined && isSameLine(place, now) && now.seq === place.seq;
}
