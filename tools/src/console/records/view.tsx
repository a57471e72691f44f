import { type BacklogRecord, ConfigurationError, type Status } from 'dynamo-backlog';
import { isId, isPending, notReadyText, Tables } from 'dynamo-backlog/engine';
import { type CountsReader, count, records as countRecords, shortened, units } from 'dynamo-backlog/overview';
import { atWork } from '../at-work.js';
import { ActionForm, LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import { Foreign, Icon, link, Mark, type RecordState, recordLink, StateBadge, When } from '../parts.js';
import { BulkBar } from './bulk-bar.js';
import { type FilterText, filterLink, parseFilter, type RecordFilter } from './filter.js';
import { FilterFold } from './filter-form.js';
import { FilterWords } from './filter-words.js';
import { NextAttempt } from './next-attempt.js';
import { BOUNDS, type FoundPage, LOCAL_BOUNDS, searchRecords } from './search.js';

/** The records that match the filter in the address, a page of them. */
export async function recordsPage(
  context: PageContext,
  reader: CountsReader,
  text: FilterText,
  after: string | undefined,
) {
  const { deps, now } = context;
  const { counts } = await reader.read();
  const queues = counts?.stats.queues ?? [];
  const names = queues.map(({ queue }) => queue);
  let filter: RecordFilter;
  try {
    filter = parseFilter(text, deps.redact);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return view(context, text, names, <InvalidFilter reason={error.message} />);
  }
  const tables = new Tables(deps.backlog);
  const searched = queues.map(({ queue, lanes, pending, dead }) => ({
    queue,
    lanes,
    isEmpty: pending + dead === 0,
  }));
  const exact = !isId(text.id) ? undefined : await tables.open().store.records.get(text.id);
  const bounds = deps.runtime ? LOCAL_BOUNDS : BOUNDS;
  const found = await searchRecords(filter, after, { tables, now, queues: searched }, bounds);
  const isRunning = atWork(counts?.leases, deps.backlog.clock);
  // A whole id is found wherever the record is, also where the index does not lead to it.
  const first = exact !== undefined && after === undefined ? [exact] : [];
  const rest = found.records.filter(({ id }) => id !== exact?.id);
  return view(
    context,
    text,
    names,
    <RecordsTable
      context={context}
      filter={filter}
      records={[...first, ...rest]}
      found={found}
      isRunning={isRunning}
      paused={new Set(queues.filter(({ paused }) => paused).map(({ queue }) => queue))}
      after={after}
      cost={found.readUnits}
    />,
  );
}

/** Explains the order of the records, which is that of search.ts. */
const ORDERS: Readonly<Record<Status | 'all', string>> = {
  all: 'Waiting records come first, the earliest due first; dead ones follow, the newest first.',
  NEW: 'The earliest due comes first.',
  ERROR: 'The earliest due comes first.',
  SUCCESS: 'In no order.',
  DEAD: 'The newest comes first.',
};

function view(context: PageContext, text: FilterText, queues: readonly string[], table: unknown) {
  return page({
    context,
    title: 'Records',
    view: 'Records',
    // The list stays as it is. What is above it says that attempts fail.
    refreshSeconds: context.deps.runtime && text.status !== 'SUCCESS' ? LOCAL_REFRESH_SECONDS : undefined,
    children: (
      <>
        <Verdict note={`${ORDERS[text.status as Status] ?? ORDERS.all} ${BOUNDS.rows} on a page.`}>
          <FilterWords text={text} />
        </Verdict>
        <section class="panel">
          <FilterFold text={text} queues={queues} isRedacted={context.deps.redact !== undefined} />
          {table as never}
        </section>
      </>
    ),
  });
}

function InvalidFilter({ reason }: { reason: string }) {
  return (
    <div class="blank" role="alert">
      <p class="error">
        <bdi>{reason}</bdi>
      </p>
      <p>
        <a href="/records">Clear the filter</a>
      </p>
    </div>
  );
}

interface TableProps {
  readonly context: PageContext;
  readonly filter: RecordFilter;
  readonly records: readonly BacklogRecord[];
  readonly found: FoundPage;
  readonly isRunning: (record: BacklogRecord) => boolean;
  /** Names of queues. */
  readonly paused: ReadonlySet<string>;
  readonly after: string | undefined;
  readonly cost: number;
}

function RecordsTable({ context, filter, records, found, isRunning, paused, after, cost }: TableProps) {
  const { text, examines, statuses } = filter;
  const next = found.next === undefined ? undefined : link('/records', { ...text, after: found.next });
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
                <th scope="col">Inserted</th>
                <th scope="col" class="r">
                  Next attempt
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
          <BulkBar context={context} filter={filter} />
        </ActionForm>
      )}
      <div class="pager">
        <span>
          {countRecords(records.length)} shown, {count(found.examined)} examined
          {cost > 0 ? `, ${units(cost)}` : ''}
        </span>
        <span class="buttons">
          {after === undefined ? null : (
            <a class="btn s" href={filterLink('/records', text)}>
              First page
            </a>
          )}
          {next === undefined ? null : (
            <a class="btn s" href={next} rel="next">
              Next page
            </a>
          )}
        </span>
      </div>
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
  const { lastError, deadReason = notReadyText(record) ?? '', unknownTaskSince } = record;
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
