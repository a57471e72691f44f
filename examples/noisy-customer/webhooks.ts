import { setTimeout } from 'node:timers/promises';
import { backlogHandler } from 'dynamo-backlog/lambda';

export const handler = backlogHandler({
  async process({ key }, { signal }) {
    // A call of the customer's endpoint. That of one customer is slow.
    await setTimeout(key === 'big' ? 3_000 : 100, undefined, { signal });
  },
});
