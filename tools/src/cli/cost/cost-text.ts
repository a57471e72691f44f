import { age } from 'dynamo-backlog/engine';
import { type Item, totalOf } from '../../cost/bill.js';
import type { OtherBill } from '../../cost/other-bills.js';
import { itemKilobytes } from '../../cost/own-bill.js';
import type { Prices } from '../../cost/prices.js';
import type { Volume, Workload } from '../../cost/workload.js';
import { printable } from '../output.js';
import type { Paint } from '../paint.js';
import { plainTable } from '../plain-table.js';

/** The bill of a month with what it is made of. */
export interface Bill {
  readonly work: Workload;
  readonly volume: Volume;
  readonly prices: Prices;
  readonly items: readonly Item[];
  readonly others: readonly OtherBill[];
  /** Stack and hours that were measured. Undefined: the bill is the model's. */
  readonly measured?: string | undefined;
}

/** The bill as text: the work, its lines, and the same work by other designs. */
export function costText({ work, volume, prices, items, others, measured }: Bill, paint: Paint): string {
  const total = totalOf(items);
  const lines = items.map(({ name, quantity, unit, dollars, from = '' }) => [
    name,
    `${quantityText(quantity)} ${unit}${unit === 'GB' || quantity === 1 ? '' : 's'}`,
    dollarText(dollars),
    from,
  ]);
  const perMillion = volume.records > 0 ? `${dollarText((total / volume.records) * 1e6)} per million` : '';
  return [
    paint('bold', `${dollarText(total)} a month for ${quantityText(volume.records)} records`),
    ...[...(measured === undefined ? [] : [printable(measured)]), ...workLines(work, volume, measured)].map(
      (line) => paint('dim', line),
    ),
    '',
    plainTable(
      [
        ['dynamo-backlog', 'left'],
        ['a month', 'right'],
        ['$', 'right'],
        [measured === undefined ? '' : 'from', 'left'],
      ],
      [...lines, ['total', perMillion, dollarText(total), '']],
      paint,
    ),
    '',
    plainTable(
      [
        ['the same work by', 'left'],
        ['$ at least', 'right'],
        ['without', 'left'],
      ],
      others.map(({ name, dollars, without }) => [name, dollarText(dollars), without]),
      paint,
    ),
    '',
    ...[
      `Prices of ${prices.region}, ${prices.asOf}, without free tiers. The other designs come without alarms and logs.`,
      measured === undefined
        ? 'Units of DynamoDB are measured; times of functions beside the attempts are assumed.'
        : `Without SQS, EventBridge, KMS and X-Ray. The other designs are for attempts of ${attemptText(work)}: see --attempt.`,
    ].map((line) => paint('dim', printable(line))),
  ].join('\n');
}

function workLines(
  work: Workload,
  { attempts, batchRecords }: Volume,
  measured: string | undefined,
): string[] {
  const { bytes, failing, memoryMb, isProgressive } = work;
  const share = (100 * failing).toFixed(failing < 0.01 ? 2 : 0);
  const size = `records of ${bytes} bytes, so items of ${itemKilobytes(work)} KB`;
  if (measured !== undefined) return [`${size}; ${quantityText(attempts)} attempts, ${share} % of them fail`];
  return [
    `${size}; ${batchRecords.toFixed(1)} arrive together`,
    `${quantityText(attempts)} attempts of ${attemptText(work)} with ${memoryMb} MB; ` +
      `${share} % of them fail (${isProgressive ? 'progressive' : 'fibonacci'})`,
  ];
}

function attemptText({ attemptMs }: Workload): string {
  return attemptMs < 1000 ? `${attemptMs} ms` : age(attemptMs);
}

function dollarText(dollars: number): string {
  return dollars.toLocaleString('en-US', {
    style: 'currency',
    currency: 'USD',
    maximumFractionDigits: dollars >= 1000 ? 0 : 2,
    minimumFractionDigits: dollars >= 1000 ? 0 : 2,
  });
}

function quantityText(quantity: number): string {
  return quantity.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
