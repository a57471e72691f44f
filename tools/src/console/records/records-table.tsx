import type { BacklogRecord } from 'dynamo-backlog';
import { isPending, notReadyText } from 'dynamo-backlog/engine';
import { count, records as countRecords, shortened } from 'dynamo-backlog/overview';
import { outsideReason } from '../../outside-wait.js';
import { ActionForm, type PageContext } from '../layout.js';
import { Foreign, Icon, Mark, type RecordState, recordLink, StateBadge, When } from '../parts.js';
import { type ListAddress, listLink } from './address.js';
import { BulkBar } from './bulk-bar.js';
import { type FilterText, filterLink, type RecordFilter } from './filter.js';
import { ListBar } from './list-bar.js';
import { NextAttempt } from './next-attempt.js';
import { Pager } from './pager.js';
import type { FoundPage } from './search.js';
import type { StateCounts } from './state-counts.js';

interface TableProps {
  readonly context: PageContext;
  readonly filter: RecordFilter;
  readonly records: readonly BacklogRecord[];
  readonly found: FoundPage;
  readonly isRunning: (record: BacklogRecord) => boolean;
  /** Names of queues. */
  readonly paused: ReadonlySet<string>;
  readonly address: ListAddress;
  /** The numbers of records that match, by state. Undefined: they are not known. */
  readonly matching: StateCounts | undefined;
}

/** The records of a page, with what can be done with them, and the way to other pages. */
export function RecordsTable(props: TableProps) {
  const { context, filter, records, found, isRunning, paused, address, matching } = props;
  const { text, examines, statuses } = filter;
  const { isReversed } = address;
  const next = found.next === undefined ? undefined : listLink(address, { isReversed, after: found.next });
  return (
    <>
      {statuses.includes('SUCCESS') ? (
        <p class="amberline">
          Finished records are not indexed: the table is read page by page, in no order, which is billed.
        </p>
      ) : null}
      {examines && (found.next !== undefined || found.examined > records.length) ? (
        <p class="amberline">
          <Mark tone="amber" icon="warn">
            This filter has no index: {countRecords(found.examined)} {found.examined === 1 ? 'was' : 'were'}{' '}
            examined for this page, {count(records.length)} {records.length === 1 ? 'matches' : 'match'}.
            {found.next === undefined ? ' There are no more.' : ' The next page goes on from there.'}
          </Mark>
        </p>
      ) : null}
      {records.length === 0 ? (
        <NoMatch text={text} found={found} next={next} />
      ) : (
        <ActionForm context={context} action="/bulk/ticked">
          <ListBar address={address} shown={records.length} />
          <table class="records cards">
            <thead>
              <tr>
                <th scope="col">
                  <span class="vh">Ticked</span>
                </th>
                <th scope="col">State</th>
                <th scope="col">Id</th>
                <th scope="col">Queue</th>
                <th scope="col" class="r">
                  Attempts
                </th>
                <th scope="col">Last error</th>
                <th scope="col">Inserted, UTC</th>
                <th scope="col" class="r">
                  Next attempt, UTC
                </th>
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <Row
                  context={context}
                  record={record}
                  isRunning={isRunning(record)}
                  isPaused={paused.has(record.queue)}
                />
              ))}
            </tbody>
          </table>
          <BulkBar context={context} filter={filter} matching={matching} />
        </ActionForm>
      )}
      <Pager address={address} shown={records.length} found={found} />
    </>
  );
}

function Row(props: { context: PageContext; record: BacklogRecord; isRunning: boolean; isPaused: boolean }) {
  const { context, record, isRunning, isPaused } = props;
  const { now } = context;
  const state: RecordState = isRunning && isPending(record) ? 'RUNNING' : record.status;
  return (
    <tr class={state === 'ERROR' ? 'retry' : undefined}>
      <td class="c-tick">
        <input type="checkbox" name="id" value={record.id} aria-label={`Tick ${shortened(record.id, 60)}`} />
      </td>
      <td class="c-state">
        <StateBadge state={state} />
      </td>
      <td class="c-id">
        <a class="id" href={recordLink(record.id)}>
          <Foreign text={record.id} most={60} />
        </a>
      </td>
      <td class="c-queue">
        <Foreign text={record.queue} most={40} />
      </td>
      <td class="r c-attempts">
        {record.attempts === 0 ? <span class="q">0</span> : count(record.attempts)}
      </td>
      <td class="err">{errorOf(record)}</td>
      <td class="c-age">
        <When at={record.insertedAt} now={now} />
      </td>
      <td class="r c-next">
        <NextAttempt record={record} now={now} isRunning={isRunning} isPaused={isPaused} />
      </td>
    </tr>
  );
}

/** The longest reason that is shown beside the last error; a longer one repeats it. */
const MAX_REASON = 40;

function errorOf(record: BacklogRecord) {
  const {
    lastError,
    deadReason = outsideReason(record) ?? notReadyText(record) ?? '',
    unknownTaskSince,
  } = record;
  const reason = unknownTaskSince === undefined ? deadReason : 'no handler knows its task';
  const isShown = reason !== '' && (lastError === undefined || reason.length <= MAX_REASON);
  return (
    <span class="clamp">
      {isShown ? (
        <span class="sub">
          <Foreign text={reason} most={90} />
          {lastError ? ', ' : ''}
        </span>
      ) : null}
      {lastError ? <Foreign text={`${lastError.name}: ${lastError.message}`} most={110} /> : null}
    </span>
  );
}

function NoMatch(props: { text: FilterText; found: FoundPage; next: string | undefined }) {
  const { text, found, next } = props;
  const isFiltered = Object.values(text).some((part) => part !== '');
  return (
    <div class="blank">
      <h2 class="mark">
        <Icon name="new" />
        <span>{next ? 'No record on this page matches.' : 'No record matches.'}</span>
      </h2>
      <p class="sub">
        {countRecords(found.examined)} {found.examined === 1 ? 'was' : 'were'} examined.
      </p>
      <p class="buttons">
        {next ? (
          <a class="btn pri" href={next}>
            Examine more
          </a>
        ) : null}
        {text.younger || text.older ? (
          <a href={filterLink('/records', text, { younger: '', older: '' })}>Any age</a>
        ) : null}
        {text.status ? <a href={filterLink('/records', text, { status: '' })}>Any state</a> : null}
        {text.queue ? <a href={filterLink('/records', text, { queue: '' })}>Any queue</a> : null}
        {isFiltered ? <a href="/records">Clear the filter</a> : null}
      </p>
    </div>
  );
}
