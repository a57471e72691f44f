import type { DynamoDBClient } from '../../src/store/index.js';
import { nextTurn } from './test-store-types.js';

/** Waits until none of the client's requests is under way. It does not poll: DynamoDB Local needs the processor meanwhile. */
export function quietOf(client: DynamoDBClient): () => Promise<void> {
  let requests = 0;
  const waiting: (() => void)[] = [];
  client.middlewareStack.add(
    (next) => async (args) => {
      requests++;
      try {
        return await next(args);
      } finally {
        if (--requests === 0) for (const resume of waiting.splice(0)) resume();
      }
    },
    { step: 'initialize', name: 'countRequests', priority: 'high' },
  );
  return async () => {
    await nextTurn();
    while (requests > 0) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      await nextTurn();
    }
  };
}
