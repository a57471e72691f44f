import { HOSTILE_GROUPS, HOSTILE_IDS } from './hostile.js';

const record = (id: string) => `/record?${new URLSearchParams({ id })}`;
const act = (id: string, action: string) => `/record/act?${new URLSearchParams({ id, do: action })}`;

/** Every view of the console, in each of its states. */
export const SHOP_VIEWS: readonly string[] = [
  '/',
  '/failures',
  '/records',
  '/records?queue=orders&status=ERROR',
  '/records?status=DEAD',
  '/records?status=SUCCESS',
  '/records?error=nothing+like+it&younger=1h',
  '/records?where=nonsense',
  '/tiers',
  '/what-if?queue=orders',
  '/what-if?queue=catalog',
  '/what-if?queue=mails',
  '/what-if?queue=orders&policy=nonsense',
  record('order-0987'),
  record('order-0960'),
  record('order-1050'),
  record('order-0970'),
  record('hook-2'),
  record('product-4-1'),
  ...['run-now', 'snooze', 'edit', 'move', 'change-policy', 'discard'].map((name) => act('order-0987', name)),
  act('order-0960', 'redrive'),
  '/bulk?do=redrive&queue=orders&status=DEAD',
  '/bulk?do=snooze&queue=orders',
  '/bulk?do=redrive&queue=mails',
  '/queue?name=orders',
  '/queue?name=invoices',
  '/runtime/put',
  '/nowhere',
  record('no-such-record'),
];

/** Views with stored jobs: their page, and the strip of others. */
export const JOB_VIEWS: readonly string[] = ['/jobs', '/', '/bulk?do=run-now&queue=orders&status=ERROR'];

/** Views of recurring records, and of records that belong to one. */
export const RECURRING_VIEWS: readonly string[] = [
  '/recurring',
  '/recurring?text=nothing-like-it',
  ...['nightly-report', 'invoices/tenant-7', 'prices', 'old-import', 'hostile-0', 'unknown'].map(
    (name) => `/recurring/show?${new URLSearchParams({ name })}`,
  ),
  '/recurring/act?name=nightly-report&do=pause',
  '/recurring/act?name=invoices%2Ftenant-7&do=resume',
  '/recurring/act?name=nightly-report&do=run',
  '/recurring/backfill?name=heartbeat&from=2026-11-23T00:00Z&to=2026-11-23T12:00Z',
  '/recurring/backfill?name=heartbeat&from=nonsense&to=',
  record('recurring:nightly-report'),
  record('nightly-report@2026-11-23T02:00Z'),
];

const group = (id: string, more: Record<string, string> = {}) =>
  `/groups/show?${new URLSearchParams({ id, ...more })}`;

const line = (key: string) => `/lines/show?${new URLSearchParams({ queue: 'orders', key })}`;

/** Views of the lines of keys, and of records in one. */
export const LINE_VIEWS: readonly string[] = [
  '/',
  '/lines',
  '/lines?queue=orders',
  '/lines?queue=orders&page=2',
  '/lines?queue=mails',
  '/lines?queue=%3Cscript%3E',
  ...['customer-7', 'gap', 'again', 'starting', 'ending', 'idle', 'unknown', ...HOSTILE_GROUPS].map(line),
  record('line-0-4'),
  record('line-1-4'),
];

/** Views of groups, and of records that belong to one. */
export const GROUP_VIEWS: readonly string[] = [
  '/groups',
  '/groups?page=2',
  ...['import-7', 'day-335', 'invoices-november', 'late-feed', 'partner-sync', 'done-1', 'unknown'].map(
    (id) => group(id),
  ),
  group('import-7', { state: 'dead' }),
  group('import-7', { state: 'succeeded', from: '50' }),
  '/groups/act?id=day-335&do=seal',
  '/groups/act?id=import-7&do=check',
  record('import-7'),
  record('import-7/first-death'),
  record('import-7/180'),
  ...HOSTILE_GROUPS.filter((_, i) => i % 3 === 0).map((id) => group(id)),
  record(HOSTILE_GROUPS[0] ?? ''),
  record(`${HOSTILE_GROUPS[1]}/0`),
  `/groups/act?${new URLSearchParams({ id: HOSTILE_GROUPS[2] ?? '', do: 'check' })}`,
];

/** Views of what a producer can write. */
export const HOSTILE_VIEWS: readonly string[] = [
  '/',
  '/failures',
  '/records?queue=orders',
  '/records?status=DEAD',
  '/tiers',
  '/what-if?queue=orders',
  `/what-if?${new URLSearchParams({ queue: HOSTILE_IDS[0], policy: HOSTILE_IDS[1], set: HOSTILE_IDS[3] })}`,
  ...HOSTILE_IDS.map(record),
  ...HOSTILE_IDS.filter((_, i) => i % 4 === 0).map((id) => act(id, 'discard')),
  act(HOSTILE_IDS[0], 'edit'),
  act(HOSTILE_IDS[3], 'edit'),
  `/bulk?${new URLSearchParams({ do: 'discard', id: HOSTILE_IDS[0] })}`,
  `/records?${new URLSearchParams({ queue: HOSTILE_IDS[0], error: HOSTILE_IDS[1], id: HOSTILE_IDS[2], where: HOSTILE_IDS[3] })}`,
  `/${encodeURIComponent(HOSTILE_IDS[1])}`,
];
