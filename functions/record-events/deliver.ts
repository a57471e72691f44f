import type { Logger } from '@aws-lambda-powertools/logger';
import type { OutgoingEvent, Publish, Refusal } from '../events/publish.js';
import { sqsQueue } from '../events/sns-sqs.js';
import { asText } from '../service-limits.js';
import { publishTo } from './publish-to.js';
import type { RecordEventsSettings } from './settings.js';

/** The parts that tests replace. */
export interface DeliverSeams {
  readonly publish?: Publish | undefined;
  readonly deadLetters?: Publish | undefined;
}

/** An event with the change that it is about. */
export interface Sent {
  readonly change: { readonly sequenceNumber: string; readonly id: string };
  readonly event: OutgoingEvent;
}

/** An event that was not taken. */
interface Refused extends Sent {
  readonly refusal: Refusal;
}

/** Codes by which a service says that it will never take this event, whatever its rights and its state are. */
const NEVER_TAKEN: readonly string[] = ['MalformedDetail', 'InvalidMessageContents'];

/**
 * Sends the events of a batch of the stream to the target of the settings.
 *
 * @returns of a call: the sequence number of the first change whose event was not taken, and must come again
 */
export function deliverTo(
  settings: RecordEventsSettings,
  logger: Logger,
  seams: DeliverSeams = {},
): (sent: readonly Sent[]) => Promise<string | undefined> {
  const { publish = publishTo(settings, logger), deadLetters = sqsQueue(settings.eventDlqUrl) } = seams;
  return async (sent) => {
    const refused = await publish(sent.map(({ event }) => event));
    const refusals = sent.flatMap((one): Refused[] => {
      const refusal = refused.get(one.event);
      return refusal ? [{ ...one, refusal }] : [];
    });
    if (refusals.length === 0) return undefined;
    const again = await withoutDeadLetters(refusals, deadLetters, logger);
    return again[0]?.change.sequenceNumber;
  };
}

/**
 * Sends events that will never be taken to the dead-letter queue, so that they hold up no other, and returns those that must come
 * again.
 */
async function withoutDeadLetters(
  refused: readonly Refused[],
  deadLetters: Publish,
  logger: Logger,
): Promise<readonly Refused[]> {
  const given = refused.filter(({ refusal }) => NEVER_TAKEN.includes(refusal.code));
  const letters = new Map(given.map((one) => [letterOf(one), one]));
  const lost = given.length === 0 ? new Map() : await deadLetters([...letters.keys()]);
  const kept = new Set([...letters].filter(([letter]) => !lost.has(letter)).map(([, one]) => one));
  const again = refused.filter((one) => !kept.has(one));
  if (kept.size > 0)
    logger.error('events of records were refused, and go to the dead-letter queue', summaryOf([...kept]));
  if (again.length > 0) logger.error('events of records were not taken, and come again', summaryOf(again));
  return again;
}

/** A dead letter has neither payload nor result: the record has them. */
function letterOf({ change: { id }, event: { type }, refusal: { code } }: Refused): OutgoingEvent {
  return { type, detail: asText({ id, refused: code }) };
}

/** Most ids that a line of the log names. */
const MAX_IDS = 10;

function summaryOf(refused: readonly Refused[]) {
  const { code, message } = refused[0]?.refusal ?? {};
  const ids = refused.slice(0, MAX_IDS).map(({ change }) => change.id);
  return { events: refused.length, code, reason: message, ids };
}
