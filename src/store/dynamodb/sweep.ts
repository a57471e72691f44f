import { DEAD_LANE_ENDING, DEFAULT_QUEUE, type Item } from '../../record/index.js';
import type { NotIndexedPage, NotIndexedStore, ScanPage, SweepState, SweepStore } from '../store.js';
import { isId, isTimeUntil } from './control-values.js';
import { and, Expressions, or } from './expressions.js';
import { DynamoDbStore, type DynamoDbStoreDeps, tablesOf } from './store.js';
import type { Table } from './table.js';

const SWEEP_KEY = 'sweep';

/** The store with what the sweep needs beside. */
export class DynamoDbSweepStore extends DynamoDbStore implements SweepStore {
  readonly sweep: NotIndexedStore;

  constructor(deps: DynamoDbStoreDeps) {
    super(deps);
    const { records, control } = tablesOf(deps);
    this.sweep = new DynamoDbSweep(records, control);
  }
}

/**
 * Finds records that wait and are not indexed, by reading the whole table. One item in the control table says how far
 * it has come.
 *
 *     key                      sweep
 *     startedAt, finishedAt    of the backlog, epoch milliseconds
 *     cursors, found           see SweepState
 */
class DynamoDbSweep implements NotIndexedStore {
  constructor(
    private readonly records: Table,
    private readonly control: Table,
  ) {}

  async scan({ segment, segments, after }: ScanPage): Promise<NotIndexedPage> {
    const expressions = new Expressions();
    const projection = expressions.name('id');
    const page = await this.records.scan({
      Segment: segment,
      TotalSegments: segments,
      ProjectionExpression: projection,
      FilterExpression: isLost(expressions),
      ...(after === undefined ? {} : { ExclusiveStartKey: { id: { S: after } } }),
      ...expressions.placeholders(),
    });
    return { ids: page.items.map(({ id }) => id?.S ?? ''), next: page.last?.id?.S };
  }

  async read(): Promise<SweepState | undefined> {
    return parseSweep(await this.control.get(SWEEP_KEY));
  }

  async write({ startedAt, finishedAt, cursors, found }: SweepState): Promise<void> {
    const expressions = new Expressions();
    const set = { startedAt, finishedAt, cursors, found };
    const remove = finishedAt === undefined ? ['finishedAt'] : [];
    // No condition: of two sweeps at once, either may tell where the next one starts.
    const { ConditionExpression: _, ...update } = expressions.update(set, remove, '');
    await this.control.update(SWEEP_KEY, update);
  }
}

/** A filter like `isMisindexed` and `isInWrongLane`, as far as one can tell. The records that it finds are checked again. */
function isLost(expressions: Expressions): string {
  const queue = expressions.name('queue');
  const lane = expressions.name('lane');
  const status = expressions.name('status');
  const isDone = `${status} = ${expressions.value('SUCCESS')}`;
  const isPending = `${status} IN (${expressions.value('NEW')}, ${expressions.value('ERROR')})`;
  return or(
    and(or(expressions.absent('lane'), expressions.absent('dueAt')), `NOT ${isDone}`),
    and(isPending, `contains(${lane}, ${expressions.value(DEAD_LANE_ENDING)})`),
    and(
      isPending,
      expressions.exists('lane'),
      or(
        and(expressions.exists('queue'), `${lane} <> ${queue}`),
        and(expressions.absent('queue'), `${lane} <> ${expressions.value(DEFAULT_QUEUE)}`),
      ),
      // The first shard's lane is the queue's own name; of the others no filter can tell whose they are.
      `NOT contains(${lane}, ${expressions.value('#')})`,
    ),
  );
}

/** Reads the progress of a sweep. A damaged one counts as none: the next sweep begins. */
function parseSweep(item: Item | undefined): SweepState | undefined {
  const { startedAt, finishedAt, cursors, found } = item ?? {};
  const isCursor = (cursor: unknown) => cursor === null || cursor === '' || isId(cursor);
  const isSound =
    isTimeUntil(startedAt, Number.MAX_SAFE_INTEGER) &&
    (finishedAt === undefined || isTimeUntil(finishedAt, Number.MAX_SAFE_INTEGER)) &&
    isTimeUntil(found, Number.MAX_SAFE_INTEGER);
  if (!isSound || !Array.isArray(cursors) || cursors.length === 0 || cursors.length > MAX_SEGMENTS)
    return undefined;
  return cursors.every(isCursor) ? { startedAt, finishedAt, cursors, found } : undefined;
}

const MAX_SEGMENTS = 64;
