import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

interface Answer {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[];
}
interface Capacity {
  readonly CapacityUnits?: number;
}

/** Counts what a client's requests cost, as DynamoDB reports it. */
export function meterOf(client: DynamoDBClient) {
  let units = 0;
  let requests = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      requests += 1;
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity: consumed } = answer.output as Answer;
      for (const one of [consumed ?? []].flat() as Capacity[]) units += one.CapacityUnits ?? 0;
      return answer;
    },
    { step: 'initialize', name: 'meter' },
  );
  return {
    units: () => units,
    requests: () => requests,
    reset() {
      units = 0;
      requests = 0;
    },
  };
}
