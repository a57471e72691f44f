import { count } from 'dynamo-backlog/overview';

/** The number that an address has, 0 for anything but a whole number, and `most` for more. */
export function wholeNumber(text: string | undefined, most: number): number {
  return /^\d{1,9}$/.test(text ?? '') ? Math.min(most, Number(text)) : 0;
}

/** A page of a list: its number, from 1, and its entries. An address without a page, or with no number, has the first one. */
export function numberedPage<Entry>(
  all: readonly Entry[],
  size: number,
  asked: string | undefined,
): { readonly number: number; readonly entries: readonly Entry[] } {
  const last = Math.max(1, Math.ceil(all.length / size));
  const number = Math.max(1, wholeNumber(asked, last));
  return { number, entries: all.slice((number - 1) * size, number * size) };
}

/** The line below a page of a list, with the pages before and behind it. Nothing, if one page has all. */
export function NumberedPager(props: {
  number: number;
  size: number;
  /** Entries of the page. */
  shown: number;
  all: number;
  /** `≥ `, where there may be more. Default: none. */
  sign?: string;
  linkOf: (number: number) => string;
}) {
  const { number, size, shown, all, sign = '', linkOf } = props;
  if (all <= size) return null;
  const first = (number - 1) * size;
  return (
    <div class="pager">
      <span>
        {count(first + 1)} to {count(first + shown)} of {sign}
        {count(all)}
      </span>
      <span class="buttons">
        {number === 1 ? null : (
          <a class="btn s" href={linkOf(number - 1)} rel="prev">
            Previous page
          </a>
        )}
        {first + shown >= all ? null : (
          <a class="btn s" href={linkOf(number + 1)} rel="next">
            Next page
          </a>
        )}
      </span>
    </div>
  );
}
