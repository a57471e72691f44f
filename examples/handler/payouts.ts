import { backlogHandler, Cancel, type Process, type RetryFunction, Snooze } from 'dynamo-backlog/lambda';

const BANK_URL = process.env.BANK_URL ?? 'https://bank.example.com';

class UnknownAccount extends Error {}
class TooManyPayouts extends Error {}

export const payOut: Process = async ({ id, payload }, { signal }) => {
  const url = `${BANK_URL}/payouts/${encodeURIComponent(id)}`;
  const response = await fetch(url, { method: 'PUT', body: JSON.stringify(payload), signal });
  await response.body?.cancel();
  if (response.status === 410) throw new Cancel('the customer has withdrawn it');
  if (response.status === 425) throw new Snooze('12h', 'not before tomorrow');
  if (response.status === 404) throw new UnknownAccount('the bank does not know this account');
  if (response.status === 429) throw new TooManyPayouts('the bank takes no more today');
  if (!response.ok) throw new Error(`the bank answered ${response.status}`);
};

/** Asked after every failure but those of `deadOn`: after 10, 20 and 30 seconds, then dead; what is too much, elsewhere. */
export const retry: RetryFunction = (error, _record, retryCount) => {
  if (error instanceof TooManyPayouts) return { wait: 'exponential', queue: 'payouts-slow' };
  return [10, 20, 30][retryCount] ?? false;
};

export const handler = backlogHandler({ queue: 'payouts', process: payOut, retry, deadOn: [UnknownAccount] });
