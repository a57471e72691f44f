import type { Status } from 'dynamo-backlog';
import { Count, Icon, STATES } from '../parts.js';
import { type FilterText, filterLink, OPEN } from './filter.js';
import type { SignedCount, StateCounts } from './state-counts.js';

/**
 * One link for each state; the chosen one is marked for eyes and for readers of the page.
 *
 * @param counts undefined: the filter has more than a queue and a state, and what matches it is not counted
 */
export function StateLinks({ text, counts }: { text: FilterText; counts: StateCounts | undefined }) {
  const partsOf = (status: Status | '') => ({
    href: filterLink('/records', text, { status }),
    'aria-current': text.status === status ? ('true' as const) : undefined,
  });
  return (
    <nav class="states" aria-label="State">
      <a {...partsOf('')}>
        Not finished <StateCount count={counts?.(OPEN)} />
      </a>
      {(['NEW', 'ERROR', 'DEAD', 'SUCCESS'] as const).map((status) => {
        const { word, tone, icon } = STATES[status];
        return (
          <a {...partsOf(status)}>
            <span class={`mark ${tone}`}>
              <Icon name={icon} />
              <span>{word}</span>
            </span>{' '}
            <StateCount count={counts?.([status])} />
          </a>
        );
      })}
    </nav>
  );
}

function StateCount({ count }: { count: SignedCount | undefined }) {
  return count === undefined ? null : <Count of={count.of} sign={count.sign ?? ''} />;
}
