import { age } from 'dynamo-backlog/engine';
import type { ErpState } from '../local/sample/sample-erp.js';
import { slowedText } from '../local/speed.js';
import { otherClocks } from '../local/status/other-clocks.js';
import type { RuntimeStatus, TakenPort } from '../local/status/status.js';
import { debuggerLines } from './debugger-lines.js';
import { printable } from './output.js';
import { type Paint, padEnd } from './paint.js';

const LABEL = 13;
const NOT_YET = '…';

/** One of the lines that say where everything is, and how it goes. */
export interface BannerLine {
  readonly label: string;
  readonly text: string;
  /** The lower the terminal, the fewer ranks it shows; those of the first rank always. */
  readonly rank: 1 | 2 | 3;
}

/** Aligned lines: where everything is. */
export function banner(status: RuntimeStatus, paint: Paint, hasKeys = false): string[] {
  return bannerLines(status, paint, hasKeys).map((line) => bannerText(line, paint));
}

export function bannerText({ label, text }: BannerLine, paint: Paint): string {
  return `${paint('dim', padEnd(label, LABEL))}${text}`;
}

/** @param hasKeys whether keys are read: the lines then name them */
export function bannerLines(status: RuntimeStatus, paint: Paint, hasKeys: boolean): BannerLine[] {
  const { endpoint, tables, statusPage, app, dataDir } = status;
  const place = (url: string) => {
    const taken = status.ports?.find(({ instead }) => url !== '' && Number(new URL(url).port) === instead);
    return `${url || NOT_YET}${taken ? `  ${paint('yellow', takenText(taken))}` : ''}`;
  };
  return [
    { label: 'DynamoDB', text: `${place(endpoint)}${endpoint && `  table ${tables.join(', ')}`}`, rank: 3 },
    { label: 'Console', text: place(statusPage), rank: 2 },
    ...(status.functionUrls ?? []).map(
      ({ url }, i) => ({ label: i === 0 ? 'Function URL' : '', text: place(url), rank: 2 }) as const,
    ),
    { label: 'App', text: app, rank: 3 },
    { label: 'Data', text: dataDir ?? 'in memory, gone at the end (--data-dir DIR keeps them)', rank: 3 },
    { label: 'Logs', text: status.logs || NOT_YET, rank: 3 },
    { label: 'Time', text: timeText(status, paint, hasKeys), rank: 1 },
    ...clockLines(status, paint),
    ...debuggerLines(status).map((text, i) => ({ label: i === 0 ? 'Debugger' : '', text, rank: 2 }) as const),
    ...delivery(status, paint, hasKeys),
  ];
}

/** `(8080 is held by another dynamo-backlog (process 123, /path/of/the/app))` */
function takenText({ port, by }: TakenPort): string {
  return `port ${port} is held by ${printable(by)}`;
}

function timeText(status: RuntimeStatus, paint: Paint, hasKeys: boolean): string {
  const { speed, paused } = status;
  const slowed = slowedText(status);
  if (paused) {
    const by = hasKeys ? 'p' : 'the console';
    return `${paint('yellow', 'paused')}: no rule fires until ${by} lets time go on, at ${speed} × real time`;
  }
  if (slowed !== undefined) return paint('yellow', slowed);
  if (speed === 1) return `real time (${hasKeys ? '+ or ' : ''}--speed N lets it pass faster)`;
  return `all times are backlog time, ${speed} × real time: 1 real second is ${age(speed * 1000)}`;
}

function clockLines(status: RuntimeStatus, paint: Paint): BannerLine[] {
  const text = otherClocks(status);
  return text === undefined ? [] : [{ label: '', text: paint('yellow', text), rank: status.sample ? 3 : 1 }];
}

function delivery(status: RuntimeStatus, paint: Paint, hasKeys: boolean): BannerLine[] {
  const { deliverTo, sample, rules } = status;
  const runs = rules.filter(({ queues }) => queues.length > 0);
  if (runs.length > 0 && runs.every(({ enabled }) => !enabled)) {
    const why = deliverTo === undefined ? 'no --deliver-to and no sample: ' : '';
    const text = `nothing: ${why}the app's rules are disabled; records can be imported`;
    return [{ label: 'Delivers', text: paint('yellow', text), rank: 1 }];
  }
  if (!sample) {
    return deliverTo === undefined ? [] : [{ label: 'Delivers', text: `to ${deliverTo}`, rank: 3 }];
  }
  const to = sample.erp ? 'an ERP' : deliverTo;
  const shop = `a small shop; its orders (default) and products (bulk) go to ${to}`;
  return [
    { label: 'Sample', text: shop, rank: 3 },
    ...(sample.erp
      ? [{ label: 'ERP', text: erpText(sample.erp, status, paint, hasKeys), rank: 1 } as const]
      : []),
  ];
}

function erpText(
  { up, changesInSeconds, taken, making, rejected }: ErpState,
  { speed, paused }: RuntimeStatus,
  paint: Paint,
  hasKeys: boolean,
): string {
  // It goes up and down by real time. While the clock is paused there is no backlog time until then.
  const time = changesInSeconds === undefined || paused ? undefined : age(changesInSeconds * speed * 1000);
  const byHand = changesInSeconds === undefined ? ` until ${hasKeys ? 'o' : 'the console'} brings it up` : '';
  const state = up
    ? `${paint('green', 'up')}${time === undefined ? '' : `, goes down in ${time}`}`
    : `${paint(['bold', 'red'], 'DOWN')} (503)${time === undefined ? byHand : ` for another ${time}`}`;
  const notReady = making > 0 ? `, ${making} not ready yet` : '';
  return `${state}; took ${taken}, rejected ${rejected} permanently${notReady}`;
}
