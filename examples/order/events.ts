import { backlogHandler, RetryAfter } from 'dynamo-backlog/lambda';

interface Event {
  readonly order: number;
  readonly step: string;
}

/** Sends one event on. The shop does not know the payment of order 7 at its first attempt. */
export function send({ order, step }: Event, attempt: number): string {
  if (order === 7 && step === 'paid' && attempt === 1)
    throw new RetryAfter(60, 'the payment is not booked yet');
  return `order ${order} is ${step}`;
}

export const handler = backlogHandler({
  process: ({ payload }, { attempt, logger }) => {
    logger.info(send(payload as Event, attempt));
  },
});
