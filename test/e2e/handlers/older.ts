import { backlogHandler, deliverByHttp, type LambdaContext } from 'dynamo-backlog/lambda';

const known = backlogHandler({
  queue: 'older',
  process: deliverByHttp({ url: process.env.ERP_URL ?? '' }),
});

/** A handler that was written before there were events of arrivals: it refuses what it does not know. */
export const handler = async (event: unknown, context: LambdaContext) => {
  if (typeof event === 'object' && event !== null && 'arrivals' in event) {
    throw new Error('event: unrecognized key "arrivals"');
  }
  return known(event, context);
};
