import { count, records as countRecords, units } from 'dynamo-backlog/overview';
import { type ListAddress, listLink } from './address.js';
import type { FoundPage } from './search.js';

/** The line below the table: what the page has cost, and the pages around it. */
export function Pager({ address, shown, found }: { address: ListAddress; shown: number; found: FoundPage }) {
  const { isReversed, after, before } = address;
  const first = listLink(address, { isReversed });
  const { previous, next } = found;
  return (
    <div class="pager">
      <span>
        {countRecords(shown)} shown, {count(found.examined)} examined
        {found.readUnits > 0 ? `, ${units(found.readUnits)}` : ''}
      </span>
      <span class="buttons">
        <a class="sm" href={first} data-copy="">
          Link to this list
        </a>
        {after === undefined && before === undefined ? null : (
          <a class="btn s" href={first}>
            First page
          </a>
        )}
        {previous === undefined ? null : (
          <a class="btn s" href={listLink(address, { isReversed, before: previous })} rel="prev">
            Previous page
          </a>
        )}
        {next === undefined ? null : (
          <a class="btn s" href={listLink(address, { isReversed, after: next })} rel="next">
            Next page
          </a>
        )}
      </span>
    </div>
  );
}
