import { ConfigurationError } from 'dynamo-backlog';
import { isId, Tables } from 'dynamo-backlog/engine';
import type { CountsReader, OverviewStats } from 'dynamo-backlog/overview';
import type { Child } from 'hono/jsx';
import { atWork } from '../at-work.js';
import { LOCAL_REFRESH_SECONDS, type PageContext, page, Verdict } from '../layout.js';
import type { ListAddress } from './address.js';
import { parseFilter, type RecordFilter } from './filter.js';
import { FilterFold } from './filter-form.js';
import { FilterWords } from './filter-words.js';
import { orderText } from './list-bar.js';
import { RecordsTable } from './records-table.js';
import { BOUNDS, LOCAL_BOUNDS, searchRecords } from './search.js';
import { countsAmong, countsOf, type StateCounts } from './state-counts.js';

/** The records that match the filter in the address, a page of them. */
export async function recordsPage(context: PageContext, reader: CountsReader, address: ListAddress) {
  const { deps, now } = context;
  const { text, isReversed, after, before } = address;
  const { counts } = await reader.read();
  const queues = counts?.stats.queues ?? [];
  const shown = { context, address, names: queues.map(({ queue }) => queue) };
  let filter: RecordFilter;
  try {
    filter = parseFilter(text, deps.redact);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return view({ ...shown, table: <InvalidFilter reason={error.message} /> });
  }
  const tables = new Tables(deps.backlog);
  const searched = queues.map(({ queue, lanes, pending, dead }) => ({
    queue,
    lanes,
    isEmpty: pending + dead === 0,
  }));
  const exact = !isId(text.id) ? undefined : await tables.open().store.records.get(text.id);
  const bounds = deps.runtime ? LOCAL_BOUNDS : BOUNDS;
  const isBackward = before !== undefined;
  const search = { tables, now, queues: searched, isReversed, isBackward };
  const found = await searchRecords(filter, before ?? after, search, bounds);
  const isFirst = after === undefined && !isBackward;
  // A whole id is found wherever the record is, also where the index does not lead to it.
  const first = exact !== undefined && isFirst ? [exact] : [];
  const records = [...first, ...found.records.filter(({ id }) => id !== exact?.id)];
  context.noteRecords(records);
  const own = queues.filter(({ queue }) => text.queue === '' || queue === text.queue);
  const known = deps.runtime?.status().queues.filter(({ table }) => table === deps.backlog.table);
  const states = filter.isByState ? countsOf(own, known) : undefined;
  const isWhole = isFirst && found.next === undefined;
  return view({
    ...shown,
    states,
    note: orderText(address, found, own.some(isByAge)),
    table: (
      <RecordsTable
        context={context}
        filter={filter}
        records={records}
        found={found}
        isRunning={atWork(counts?.leases, deps.backlog.clock)}
        paused={new Set(queues.filter(({ paused }) => paused).map(({ queue }) => queue))}
        address={address}
        matching={isWhole ? countsAmong(records) : states}
      />
    ),
  });
}

const isByAge = ({ retryMode, pending }: OverviewStats) => retryMode === 'progressive' && pending > 0;

interface ViewProps {
  readonly context: PageContext;
  readonly address: ListAddress;
  /** Names of queues that are known. */
  readonly names: readonly string[];
  readonly states?: StateCounts | undefined;
  /** The order of the records. */
  readonly note?: string | undefined;
  readonly table: Child;
}

function view({ context, address, names, states, note, table }: ViewProps) {
  const { text } = address;
  return page({
    context,
    title: 'Records',
    view: 'Records',
    // The list stays as it is. What is above it says that attempts fail.
    refreshSeconds: context.deps.runtime && text.status !== 'SUCCESS' ? LOCAL_REFRESH_SECONDS : undefined,
    children: (
      <>
        <Verdict note={note && `${note} ${BOUNDS.rows} on a page.`}>
          <FilterWords text={text} />
        </Verdict>
        <section class="panel">
          <FilterFold
            address={address}
            queues={names}
            isRedacted={context.deps.redact !== undefined}
            states={states}
          />
          {table}
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
