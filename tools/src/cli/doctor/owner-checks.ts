import {
  age,
  DynamoDbOperatorStore,
  lanesOf,
  type OperatorStore,
  removedSince,
  type StoreTypes,
} from 'dynamo-backlog/engine';
import type { ControlFacts } from '../../../../src/store/dynamodb/control-items.js';
import type { Target } from '../connect.js';
import { counted, printable } from '../output.js';
import type { Finding } from './findings.js';

/** Findings about queues that no function serves any more. Counts what waits in them by the index. */
export async function checkOwners(
  { client, clock, table }: Target,
  { owners }: ControlFacts,
  now: number,
): Promise<Finding[]> {
  // Counting reads the index alone.
  const store = new DynamoDbOperatorStore({ client, clock, tables: { records: table, control: table } });
  const findings: Finding[] = [];
  for (const [queue, entry] of owners) {
    const since = removedSince(entry, now);
    if (since === undefined) {
      if (isNotTakenUp(entry, now)) findings.push(notTakenUp(queue, entry));
      continue;
    }
    const waiting = await waitingIn(queue, entry, store);
    const ago = `${age(now - Date.parse(since))} ago`;
    if (waiting > 0) findings.push(leftBehind(queue, entry, waiting, ago));
    else if (!entry.removedAt) findings.push(unconfirmed(queue, entry, ago));
  }
  return findings;
}

function leftBehind(queue: string, entry: StoreTypes.QueueOwner, waiting: number, ago: string): Finding {
  const name = printable(queue);
  const since = entry.removedAt ? `was removed ${ago}` : `was last confirmed ${ago}`;
  return {
    kind: `removed.${queue}`,
    severity: 'error',
    what: `${counted(waiting, 'record')} in the queue ${name}, which no function serves: its owner was ${printable(entry.owner)}, and it ${since}`,
    todo: `deploy the queue again, move its records ("backlog move --queue ${name} --to OTHER"), or give it to another owner ("backlog transfer ${name} --to OWNER")`,
  };
}

/** A function registers at its next run: its rule fires every minute, or every five minutes for a progressive queue. */
const TAKEN_UP_WITHIN_MS = 15 * 60_000;

function isNotTakenUp({ function: arn, at }: StoreTypes.QueueOwner, now: number): boolean {
  return arn === undefined && now - Date.parse(at) > TAKEN_UP_WITHIN_MS;
}

function notTakenUp(queue: string, { owner, at }: StoreTypes.QueueOwner): Finding {
  const name = printable(queue);
  return {
    kind: `owner.${queue}`,
    severity: 'error',
    what: `the queue ${name} was given to ${printable(owner)} at ${at}, and no function of that name has taken it up: nothing is attempted`,
    todo: `look at "backlog owners" for the right name, and give it there: "backlog transfer ${name} --to OWNER"`,
  };
}

function unconfirmed(queue: string, { owner }: StoreTypes.QueueOwner, ago: string): Finding {
  return {
    kind: `owner.${queue}`,
    severity: 'warning',
    what: `the queue ${printable(queue)} was last confirmed by its owner ${printable(owner)} ${ago}; no record waits there`,
    todo: 'look whether its rule is there and enabled; if the queue was removed, there is nothing to do: the monitor forgets it after a week',
  };
}

async function waitingIn(
  queue: string,
  { shards = 1, fairness }: StoreTypes.QueueOwner,
  store: Pick<OperatorStore, 'pages'>,
): Promise<number> {
  let waiting = 0;
  for (const lane of lanesOf(queue, 0, fairness ? undefined : shards)) {
    let after: StoreTypes.IndexKey | undefined;
    do {
      const page = await store.pages.count({ lane, after });
      waiting += page.count;
      after = page.next;
    } while (after);
  }
  return waiting;
}
