import { type Item, lambdaItems, perMillion, totalOf } from './bill.js';
import type { Prices } from './prices.js';
import { MONTH_SECONDS, volumeOf, type Workload } from './workload.js';

/** The bill of another design for the same work: what it is billed at least. */
export interface OtherBill {
  readonly name: string;
  readonly dollars: number;
  /** Work that the bill leaves out, or that the design does not do. */
  readonly without: string;
}

/** A message of SQS is billed by parts of 64 KB. */
const MESSAGE_BYTES = 65_536;
const SQS_BATCH = 10;
/** Five pollers of an event source wait up to 20 s for a message. */
const IDLE_POLLS = (5 * MONTH_SECONDS) / 20;
/** Express workflows are billed by 64 MB and 100 ms. */
const EXPRESS_GB = 64 / 1024;
const EXPRESS_STEP = 0.1;
/** Seconds that a function takes beside an attempt. The same assumption as for a run's settle. */
const CALL_SECONDS = 0.01;

/** Bills of other designs, without alarms, dashboards and logs of theirs. */
export function otherBills(work: Workload, prices: Prices): OtherBill[] {
  const { records, attempts } = volumeOf(work);
  const failures = attempts - records;
  const attemptSeconds = work.attemptMs / 1000 + CALL_SECONDS;
  const alone = lambdaItems(
    'Lambda',
    { requests: attempts, seconds: attempts * attemptSeconds, memoryMb: work.memoryMb },
    prices,
  );
  const expressSeconds = Math.ceil(attemptSeconds / EXPRESS_STEP) * EXPRESS_STEP;
  const express: Item[] = [
    perMillion('requests', records, 'request', prices.expressRequests),
    perMillion('time', attempts * expressSeconds * EXPRESS_GB, 'GB-second', prices.expressTime),
  ];
  const standard = perMillion('transitions', records + attempts, 'transition', prices.transitions);
  const durable = perMillion('operations', attempts + failures, 'operation', prices.durableOperations);
  return [
    {
      name: 'SQS and Lambda, batches of 10',
      dollars: sqs(work, prices, SQS_BATCH),
      without: 'waits beyond 12 hours, a look at what waits, retention beyond 14 days',
    },
    {
      name: 'SQS and Lambda, one by one',
      dollars: sqs(work, prices, 1),
      without: 'the same',
    },
    {
      name: 'Step Functions Express',
      dollars: totalOf([...express, ...alone]),
      without: 'waits of more than 5 minutes in all, which are billed as time',
    },
    {
      name: 'Step Functions Standard',
      dollars: totalOf([standard, ...alone]),
      without: 'one breaker, rate or concurrency for all',
    },
    {
      name: 'Lambda durable functions',
      dollars: totalOf([durable, ...alone]),
      without: 'the same; data that is written and kept is billed beside it',
    },
  ];
}

function sqs(work: Workload, prices: Prices, batch: number): number {
  const { records, attempts } = volumeOf(work);
  const parts = Math.ceil(work.bytes / MESSAGE_BYTES);
  // At a low rate a batch has one message: nothing waits for others without a window.
  const gathered = Math.min(batch, Math.max(1, work.perSecond * Math.max(0.25, work.windowSeconds)));
  const received = attempts / gathered;
  const read = Math.ceil((gathered * work.bytes) / MESSAGE_BYTES);
  const requests = records * parts + received * (read + 1) + IDLE_POLLS;
  const rounds = Math.max(1, gathered / work.concurrency);
  const seconds = received * rounds * (work.attemptMs / 1000 + CALL_SECONDS);
  return totalOf([
    perMillion('requests', requests, 'request', prices.sqsRequests),
    ...lambdaItems('Lambda', { requests: received, seconds, memoryMb: work.memoryMb }, prices),
  ]);
}
