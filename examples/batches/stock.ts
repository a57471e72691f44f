import { backlogHandler, Dead, Done, inBatches, type ProcessBatch } from 'dynamo-backlog/lambda';

const SHOP_URL = process.env.SHOP_URL ?? 'https://shop.example.com';

interface Stock {
  readonly article: string;
  readonly pieces: number;
}

/** The shop's answer for one change. */
interface Answer {
  readonly id: string;
  readonly status: number;
  readonly problem?: string;
}

/** Sends many changes of stock in one request. */
export const sendStock: ProcessBatch<Stock> = async (records, { signal }) => {
  const response = await fetch(`${SHOP_URL}/stock`, {
    method: 'POST',
    body: JSON.stringify(records.map(({ id, payload }) => ({ id, ...payload }))),
    signal, // aborted when the time of these attempts is up
  });
  // The request has failed as a whole, maybe for one record.
  if (!response.ok) throw new Error(`the shop answered ${response.status}`);
  const answers = (await response.json()) as readonly Answer[];
  return new Map(answers.map((answer) => [answer.id, outcomeOf(answer)]));
};

function outcomeOf({ status, problem = 'no reason' }: Answer) {
  if (status < 300) return new Done();
  return status === 404 ? new Dead(problem) : new Error(`${status}: ${problem}`);
}

export const handler = backlogHandler({
  queue: 'stock',
  process: inBatches(sendStock, { maxRecords: 100, maxBytes: 1_000_000 }),
  concurrency: 200, // two requests at a time
});
