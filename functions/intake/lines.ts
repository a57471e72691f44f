import type { Logger } from '@aws-lambda-powertools/logger';
import { type IndexingDeps, readEach } from '../../src/intake/index.js';
import { lineChangesOf, type Versions } from '../../src/lines/changes-of.js';
import { placeOf } from '../../src/lines/names.js';
import { orderRulesOf } from '../../src/lines/rules.js';
import { type LinesDeps, type TakenChanges, takeChanges } from '../../src/lines/take-changes.js';
import type { LineChange } from '../../src/lines/take-turns.js';
import { mayBeAttempted } from '../../src/lines/under-attempt.js';
import { isPending } from '../../src/record/index.js';
import type { ControlStore } from '../../src/store/operator-store.js';
import type { SharedItems } from '../../src/store/shared-items.js';
import { groupBy } from '../../src/support/group-by.js';
import { ownValue } from '../../src/support/own-names.js';
import type { Invoker } from './invoker.js';
import type { IntakeSettings } from './settings.js';
import type { StreamChange, VersionedChange } from './stream-event.js';

/** The tables as lines need them, beside those of the intake. */
export interface LineTables {
  readonly lines: SharedItems;
  readonly control: Pick<ControlStore, 'readRunsOf'>;
}

/** The intake as lines need it. */
export interface LinesGiven {
  readonly settings: IntakeSettings;
  readonly indexing: IndexingDeps;
  readonly invoker: Pick<Invoker, 'sendToRedelivery'>;
  readonly logger: Logger;
}

/**
 * Tells whether a record that waits has come from another queue. A run of that one may be attempting it, and no claim of a run in this one
 * would show that: it takes its place in its line when it is indexed.
 */
function hasComeFromElsewhere({ before, after }: Omit<Versions, 'id'>): boolean {
  return before !== undefined && after !== undefined && isPending(after) && before.queue !== after.queue;
}

/** The longest delay of a message of SQS. */
const MAX_DELAY_SECONDS = 900;

/** The records of a queue with order in one batch: which of them are started, and which wait for their turn. */
export class Lines {
  private readonly deps: LinesDeps;

  constructor(
    private readonly given: LinesGiven,
    tables: LineTables,
  ) {
    const { indexing, settings } = given;
    const { store, clock, random } = indexing;
    const journals = { control: tables.control, claims: store.claims, clock };
    this.deps = {
      ...{ lines: tables.lines, records: store.records, clock, random, logger: indexing.logger },
      isUnderAttempt: (id, queue) => mayBeAttempted(id, queue, journals),
      rulesOf: (queue) => orderRulesOf(ownValue(settings.queues, queue) ?? {}),
    };
  }

  /**
   * Takes the changes of lines out of a batch of the stream, and adds the records whose turn begins by them.
   *
   * @param versions all changes of the batch, deletions too, with both images
   * @param changes those that are to be started or indexed
   * @returns `failed`: the place of the first change that must come again
   */
  async sift(
    versions: readonly VersionedChange[],
    changes: readonly StreamChange[],
  ): Promise<{ readonly changes: StreamChange[]; readonly failed: string | undefined }> {
    const { clock, rulesOf } = this.deps;
    const isOrdered = (queue: string) => rulesOf(queue) !== undefined;
    const places = new Map<LineChange, string>();
    const inLines = new Set<string>();
    const order: string[] = [];
    for (const { id, sequenceNumber, before, after } of versions) {
      order.push(sequenceNumber);
      const records = { id, before: before?.record, after: after?.record };
      for (const change of lineChangesOf(records, isOrdered, clock)) {
        if (change.record && hasComeFromElsewhere(records)) continue;
        places.set(change, sequenceNumber);
        if (change.record) inLines.add(sequenceNumber);
      }
    }
    const taken = await takeChanges([...places.keys()], this.deps);
    const again = new Set((await this.undoneOf(taken)).map((change) => places.get(change)));
    const started = taken.start.map(({ record, by }): StreamChange => {
      const sequenceNumber = places.get(by) ?? '';
      return { sequenceNumber, id: record.id, kind: 'inserted', record };
    });
    // The stream has the ends of all records with numbers, of queues without order, too.
    const others = changes.filter(
      ({ sequenceNumber, record }) => !inLines.has(sequenceNumber) && record?.status !== 'SUCCESS',
    );
    this.warnOfUnordered(others);
    // The stream comes again from the first change that could not be handled.
    const orderOf = new Map(order.map((place, at) => [place, at]));
    const inOrder = [...others, ...started].sort(
      (a, b) => (orderOf.get(a.sequenceNumber) ?? 0) - (orderOf.get(b.sequenceNumber) ?? 0),
    );
    return { changes: inOrder, failed: order.find((place) => again.has(place)) };
  }

  /**
   * Tells which of the records may be indexed: those without order, and those whose turn it is. Others wait for their turn.
   *
   * @param checksHead heads are read, as the change by which one has ended may have been missed
   * @returns `undone`: those that must come again
   */
  async admit(
    ids: readonly string[],
    checksHead: boolean,
  ): Promise<{ readonly ids: string[]; readonly undone: string[] }> {
    const { records } = await readEach([...new Set(ids)], this.given.indexing);
    const changes = records.flatMap((record): LineChange[] => {
      const place = this.deps.rulesOf(record.queue) && placeOf(record);
      return place ? [{ id: record.id, place, record, isLook: !isPending(record) }] : [];
    });
    const taken = await takeChanges(changes, { ...this.deps, checksHead });
    const inLines = new Set(changes.map(({ id }) => id));
    const others = ids.filter((id) => !inLines.has(id));
    const undone = (await this.undoneOf(taken)).map(({ id }) => id);
    return { ids: [...others, ...taken.start.map(({ record }) => record.id)], undone };
  }

  /** Has lines looked at again later, and returns the changes that must come again. */
  private async undoneOf({ later, trouble }: TakenChanges): Promise<LineChange[]> {
    const { invoker, logger, indexing } = this.given;
    const undone = [...(trouble?.changes ?? [])];
    if (trouble) logger.error('lines could not be looked at, and come again', trouble.error as Error);
    const { speed = 1 } = indexing.clock;
    const delayOf = ({ seconds }: (typeof later)[number]) =>
      Math.min(Math.ceil(seconds / speed), MAX_DELAY_SECONDS);
    for (const [delay, some] of groupBy(later, delayOf)) {
      try {
        await invoker.sendToRedelivery(
          some.map(({ id }) => id),
          delay,
        );
      } catch (error) {
        logger.error('lines could not be sent to the redelivery queue, and come again', error as Error);
        undone.push(...some.map(({ by }) => by));
      }
    }
    return undone;
  }

  /** A record without a number cannot be in order. It is attempted all the same, so that it is not lost. */
  private warnOfUnordered(changes: readonly StreamChange[]): void {
    for (const { id, record, kind } of changes) {
      if (kind !== 'inserted' || record?.key === undefined || !this.deps.rulesOf(record.queue)) continue;
      this.given.logger.warn('a record with a key has no number, and is attempted in no order', {
        queue: record.queue,
        id,
      });
    }
  }
}
