import { readFile } from 'node:fs/promises';
import { ConfigurationError } from 'dynamo-backlog';
import { totalOf } from '../../cost/bill.js';
import { otherBills } from '../../cost/other-bills.js';
import { ownBill } from '../../cost/own-bill.js';
import { type Prices, pricesWith, US_EAST_1 } from '../../cost/prices.js';
import { volumeOf, type Workload } from '../../cost/workload.js';
import { explain } from '../explain.js';
import { EXIT, type ExitCode, hasColors, type Output } from '../output.js';
import { painter } from '../paint.js';
import { costText } from './cost-text.js';

export interface CostFlags {
  /** Records per second. */
  readonly rate: number;
  /** Bytes. */
  readonly size?: number | undefined;
  readonly failing?: number | undefined;
  /** Milliseconds. */
  readonly attempt?: number | undefined;
  readonly policy: 'fibonacci' | 'progressive';
  readonly queues?: number | undefined;
  readonly concurrency?: number | undefined;
  /** Seconds. */
  readonly window?: number | undefined;
  readonly memory?: number | undefined;
  /** Seconds. */
  readonly retention?: number | undefined;
  readonly minimal?: boolean | undefined;
  readonly prices?: string | undefined;
  readonly json?: boolean | undefined;
}

/** `backlog cost`: the bill of a month. */
export async function cost(given: CostFlags, output: Output): Promise<ExitCode> {
  try {
    const prices = await pricesOf(given.prices);
    const work = workloadOf(given);
    const items = ownBill(work, prices);
    const others = otherBills(work, prices);
    const volume = volumeOf(work);
    if (given.json) {
      const dollars = totalOf(items);
      output.data(JSON.stringify({ work, volume, prices, dollars, items, others }));
    } else {
      const paint = painter(hasColors(process.stdout));
      output.data(costText({ work, volume, prices, items, others }, paint));
    }
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    output.message(explain(error));
    return EXIT.usage;
  }
}

function workloadOf(given: CostFlags): Workload {
  return {
    perSecond: given.rate,
    bytes: given.size ?? 1_024,
    failing: given.failing ?? 0.01,
    attemptMs: given.attempt ?? 200,
    isProgressive: given.policy === 'progressive',
    queues: given.queues ?? 1,
    concurrency: given.concurrency ?? 10,
    windowSeconds: given.window ?? 0,
    memoryMb: given.memory ?? 512,
    retentionSeconds: given.retention ?? 30 * 86_400,
    isMinimal: given.minimal === true,
  };
}

async function pricesOf(file: string | undefined): Promise<Prices> {
  if (file === undefined) return US_EAST_1;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`--prices: expected a file that can be read: ${(error as Error).message}`);
  }
  return pricesWith(text, '--prices');
}
