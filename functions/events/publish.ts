/** An event as it goes to others, in the form of EventBridge. */
export interface OutgoingEvent {
  /** The `detail-type`. */
  readonly type: string;
  /** JSON of the `detail`. */
  readonly detail: string;
  /** Names the event for a FIFO topic or queue, which takes one of the same name in five minutes. */
  readonly deduplicationId?: string | undefined;
  /** Events of the same group are sent in their order, which a FIFO topic or queue keeps. */
  readonly group?: string | undefined;
}

/** The answer of a service to an event that it did not take. */
export interface Refusal {
  /** The code of the error, or its class. */
  readonly code: string;
  readonly message: string;
}

/** Sends events, and returns those that were not taken. Never throws. */
export type Publish = (events: readonly OutgoingEvent[]) => Promise<ReadonlyMap<OutgoingEvent, Refusal>>;

/**
 * Entries of one request, and their bytes, which EventBridge, SNS and SQS have in common:
 * https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html,
 * https://docs.aws.amazon.com/sns/latest/api/API_PublishBatch.html
 */
const MAX_ENTRIES = 10;
const MAX_REQUEST_BYTES = 256 * 1024;
/** Room for what is around the detail of an entry: its type, and the name of the bus. */
const AROUND_BYTES = 1_024;
/** Most bytes of a detail. */
export const MAX_DETAIL_BYTES = MAX_REQUEST_BYTES - AROUND_BYTES;

/** The refusal of an event that was not sent, as it would overtake one of its group. */
const BEHIND: Refusal = { code: 'Behind', message: 'an earlier event of the same record was not taken' };

/**
 * Sends events in as few requests as may be, all at once; but of a group one after the other, and none behind one that was not
 * taken.
 *
 * @param send returns the refusal of each event, in their order; undefined: it was taken
 */
export async function publishInGroups(
  events: readonly OutgoingEvent[],
  send: (some: readonly OutgoingEvent[]) => Promise<readonly (Refusal | undefined)[]>,
): Promise<ReadonlyMap<OutgoingEvent, Refusal>> {
  const refused = new Map<OutgoingEvent, Refusal>();
  const held = new Set<string>();
  const refuse = (event: OutgoingEvent, refusal: Refusal) => {
    refused.set(event, refusal);
    if (event.group !== undefined) held.add(event.group);
  };
  for (const round of roundsOf(events)) {
    const free = round.filter(({ group = '' }) => !held.has(group));
    for (const event of round) if (!free.includes(event)) refuse(event, BEHIND);
    await Promise.all(
      groupsOf(free).map(async (some) => {
        const answers = await send(some).catch((error: Error) =>
          some.map((): Refusal => ({ code: error.name, message: error.message })),
        );
        for (const [i, event] of some.entries()) {
          const refusal = answers[i];
          if (refusal) refuse(event, refusal);
        }
      }),
    );
  }
  return refused;
}

/** Has each event of a group in a later round than those before it. */
function roundsOf(events: readonly OutgoingEvent[]): OutgoingEvent[][] {
  const rounds: OutgoingEvent[][] = [];
  const sizes = new Map<string, number>();
  for (const event of events) {
    const { group } = event;
    const at = group === undefined ? 0 : (sizes.get(group) ?? 0);
    if (group !== undefined) sizes.set(group, at + 1);
    const round = rounds[at];
    if (round) round.push(event);
    else rounds.push([event]);
  }
  return rounds;
}

function groupsOf(events: readonly OutgoingEvent[]): OutgoingEvent[][] {
  const groups: OutgoingEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const own = Buffer.byteLength(event.detail) + AROUND_BYTES;
    const group = groups.at(-1);
    bytes += own;
    if (group && group.length < MAX_ENTRIES && bytes <= MAX_REQUEST_BYTES) group.push(event);
    else {
      groups.push([event]);
      bytes = own;
    }
  }
  return groups;
}
