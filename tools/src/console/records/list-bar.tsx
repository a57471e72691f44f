import type { Status } from 'dynamo-backlog';
import { count } from 'dynamo-backlog/overview';
import { type ListAddress, listLink } from './address.js';
import type { FoundPage } from './search.js';

/** The order of the records, which is that of search.ts, and from its other end. */
const ORDERS: Readonly<Record<Status | 'all', readonly [order: string, reversed: string]>> = {
  all: [
    'Waiting records come first, the earliest due first; dead ones follow, the newest first.',
    'Waiting records come first, the latest due first; dead ones follow, the oldest first.',
  ],
  NEW: ['The earliest due comes first.', 'The latest due comes first.'],
  ERROR: ['The earliest due comes first.', 'The latest due comes first.'],
  SUCCESS: ['In no order.', 'In no order.'],
  DEAD: ['The newest comes first.', 'The oldest comes first.'],
};

/** The order of the whole list, in sentences. @param isByAge it has records of a queue that retries by age */
export function orderText({ text, isReversed }: ListAddress, found: FoundPage, isByAge: boolean): string {
  const status = text.status as Status;
  const [order, reversed] = ORDERS[status] ?? ORDERS.all;
  const sentences = [isReversed ? reversed : order];
  if (found.isByQueue) sentences.push('One queue comes after the other.');
  if (isByAge && status !== 'SUCCESS' && status !== 'DEAD') {
    sentences.push('Of a progressive queue, the time of insertion counts.');
  }
  return sentences.join(' ');
}

/** The line above the table: ticks of all its records, and its order. */
export function ListBar({ address, shown }: { address: ListAddress; shown: number }) {
  const { status } = address.text;
  const [first, last] = status === 'DEAD' ? ['Newest first', 'Oldest first'] : ['Earliest due', 'Latest due'];
  return (
    <div class="listbar">
      <label class="choice" hidden data-tick-all="">
        <input type="checkbox" />
        All {count(shown)} on this page
        <span class="sub sm wide">Shift ticks a range, arrows go from tick to tick</span>
      </label>
      <span class="b" role="status" data-ticked="" />
      {status === 'SUCCESS' ? null : (
        <nav class="states end" aria-label="Order">
          <a href={listLink(address, {})} aria-current={address.isReversed ? undefined : 'true'}>
            {first}
          </a>
          <a
            href={listLink(address, { isReversed: true })}
            aria-current={address.isReversed ? 'true' : undefined}
          >
            {last}
          </a>
        </nav>
      )}
    </div>
  );
}
