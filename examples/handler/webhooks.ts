import { backlogHandler, deliverByHttp, type Process } from 'dynamo-backlog/lambda';

const deliver = deliverByHttp({ url: process.env.WEBHOOK_URL ?? 'https://hooks.example.com/in' });

/** The built-in delivery with a body of one's own. */
export const deliverEvent: Process = (record, context) => {
  const payload = { event: record.id, insertedAt: record.insertedAt, data: record.payload };
  return deliver({ ...record, payload }, context);
};

export const handler = backlogHandler({ queue: 'webhooks', process: deliverEvent, concurrency: 5 });
