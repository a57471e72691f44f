import type { BacklogProps } from '../../cdk/index.js';
import { Dead } from '../../src/record/index.js';
import { stateChanges } from '../cloudwatch/alarms.js';
import { seededRandom } from '../simulation/random.js';
import { Account, MINUTE, START, type Troubles } from './account.js';

const entry = 'test/cdk/fixtures/handler.ts';
const FIBONACCI: BacklogProps = { queues: { orders: { retry: { type: 'fibonacci' }, entry } } };
export const PROGRESSIVE: BacklogProps = { queues: { orders: { progressive: true, entry } } };
/** Minutes before the fault. */
const BEFORE = 10;
/** The fault begins just after a reading of the monitor: the worst time. */
const AFTER_A_READING = 0.2;

/** Decides how an attempt at record `n` (from 0) ends. */
export type HowAttemptsEnd = (n: number) => 'fails' | 'dies' | 'works';

export interface Outage {
  readonly props?: BacklogProps;
  /** Records that come in each minute. */
  readonly perMinute: number;
  /** Records that come in at the beginning of the fault. */
  readonly burst?: number;
  /** Length of the fault. */
  readonly minutes: number;
  /** Minutes that are watched beyond it. Default: 60. */
  readonly watched?: number;
  /** Number of destinations, of which record n has the one n modulo that. Default: they are not named. */
  readonly destinations?: number;
  /** End of each attempt during the fault. Default: all fail. */
  readonly how?: HowAttemptsEnd;
  readonly troubles?: Troubles;
  readonly happens?: (account: Account) => void;
}

export interface Watched {
  /** Minutes from the beginning of the fault to the page. Undefined: none. */
  readonly page: number | undefined;
  /** All-clears while it lasted. */
  readonly falseClears: number;
  /** Minutes from the first success after the fault to the all-clear. Undefined: there was none. */
  readonly clear: number | undefined;
  /** Minutes from the end of the fault to the all-clear. Undefined: there was none. */
  readonly back: number | undefined;
  /** Pages in all. */
  readonly pages: number;
  /** Other alarms with the severity `page`. */
  readonly others: readonly string[];
}

/** Plays a fault with the real functions and the synthesized alarms. */
export async function play(outage: Outage): Promise<Watched> {
  const { props = FIBONACCI, perMinute, burst = 0, minutes, watched = 60, destinations } = outage;
  const { how = () => 'fails', troubles = {}, happens } = outage;
  const account = new Account(props);
  const random = seededRandom(1);
  if (destinations !== undefined)
    account.destination = ({ id }) => `d${Number(id.slice(1)) % destinations}.example.com`;
  const beginsAt = START + (BEFORE + AFTER_A_READING) * MINUTE;
  const endsAt = beginsAt + minutes * MINUTE;
  let firstSuccessAt: number | undefined;
  account.process = ({ id }) => {
    const { now } = account.time;
    const isFault = now >= beginsAt && now < endsAt;
    const what = isFault ? how(Number(id.slice(1))) : 'works';
    if (what === 'dies') throw new Dead('HTTP 400');
    if (what === 'fails') throw new TypeError('the destination is down');
    if (now >= endsAt) firstSuccessAt ??= now;
  };
  account.begin(15);
  let puts = 0;
  const put = () => account.put({ id: `r${puts++}`, status: 'NEW', queue: 'orders', payload: {} });
  if (perMinute > 0) account.every(MINUTE / perMinute, (MINUTE / perMinute) * random(), put);
  await account.live(BEFORE + AFTER_A_READING);
  account.troubles = troubles;
  for (let i = 0; i < burst; i++) put();
  happens?.(account);
  await account.live(minutes + watched);
  // The first success may be a long wait of the policy away.
  for (let hours = 0; firstSuccessAt === undefined && hours < 24; hours++) await account.live(60);
  await account.live(30);
  return report(account, { beginsAt, endsAt, firstSuccessAt });
}

function report(
  account: Account,
  {
    beginsAt,
    endsAt,
    firstSuccessAt,
  }: { beginsAt: number; endsAt: number; firstSuccessAt: number | undefined },
): Watched {
  const all = [0, 2, 4].map((extraPeriods) => {
    const changes = stateChanges(account.alarms, account.data, {
      from: START,
      until: account.time.now,
      extraPeriods,
    }).map((change) => ({ ...change, at: START + change.minutes * MINUTE, name: named(change.alarm) }));
    const own = changes.filter(({ name }) => /^Failures(orders)?$/.test(name));
    const raised = own.filter(({ state }) => state === 'ALARM');
    const over = own.filter(({ state, before }) => state === 'OK' && before === 'ALARM');
    const page = raised.find(({ at }) => at >= beginsAt && at < endsAt);
    const lastOver = over.findLast(({ at }) => at >= (firstSuccessAt ?? endsAt));
    const pages = new Map(
      account.alarms.map(({ id, description }) => [id, description.startsWith('[page]')]),
    );
    const others = changes.filter(({ alarm, state, name }) => {
      return state === 'ALARM' && pages.get(alarm) && !/^Failures/.test(name);
    });
    return {
      page: page && Math.round((page.at - beginsAt) / MINUTE),
      falseClears: over.filter(({ at }) => at >= beginsAt && at < (firstSuccessAt ?? endsAt)).length,
      clear:
        lastOver && firstSuccessAt !== undefined
          ? Math.round((lastOver.at - firstSuccessAt) / MINUTE)
          : undefined,
      back: lastOver && Math.round((lastOver.at - endsAt) / MINUTE),
      pages: raised.length,
      others: [...new Set(others.map(({ name }) => name))],
    };
  });
  const most = (name: 'page' | 'falseClears' | 'clear' | 'back' | 'pages') =>
    all.some((one) => one[name] === undefined) ? undefined : Math.max(...all.map((one) => one[name] ?? 0));
  return {
    page: most('page'),
    falseClears: most('falseClears') ?? 0,
    clear: most('clear'),
    back: most('back'),
    pages: most('pages') ?? 0,
    others: [...new Set(all.flatMap(({ others }) => others))],
  };
}

function named(id: string): string {
  return id.replace(/^BacklogAlarms/, '').replace(/[0-9A-F]{8}$/, '');
}
