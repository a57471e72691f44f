/** An event as it goes to others, in the form of EventBridge. */
export interface OutgoingEvent {
  /** The `detail-type`. */
  readonly type: string;
  /** JSON of the `detail`. */
  readonly detail: string;
  /** Names the event for a FIFO topic or queue, which takes one of the same name in five minutes. */
  readonly deduplicationId?: string | undefined;
  /** Events of the same group stay in their order, in a FIFO topic or queue. */
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

/**
 * Sends events in as few requests as may be, all at once.
 *
 * @param send returns the refusal of each event, in their order; undefined: it was taken
 */
export async function publishInGroups(
  events: readonly OutgoingEvent[],
  send: (some: readonly OutgoingEvent[]) => Promise<readonly (Refusal | undefined)[]>,
): Promise<ReadonlyMap<OutgoingEvent, Refusal>> {
  const refused = new Map<OutgoingEvent, Refusal>();
  await Promise.all(
    groupsOf(events).map(async (some) => {
      const answers = await send(some).catch((error: Error) =>
        some.map((): Refusal => ({ code: error.name, message: error.message })),
      );
      for (const [i, event] of some.entries()) {
        const refusal = answers[i];
        if (refusal) refused.set(event, refusal);
      }
    }),
  );
  return refused;
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
