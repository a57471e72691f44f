export const NOW = Date.parse('2026-11-20T12:00:00.000Z');

const iso = (seconds: number, now: number) => new Date(now + seconds * 1000).toISOString();

/** A record that waits in its place, as the library writes it; `undefined` takes an attribute away. */
export function placed(id: string, attributes: Record<string, unknown> = {}, now = NOW) {
  const all = {
    id,
    status: 'NEW',
    payload: { n: 1 },
    queue: 'orders',
    insertedAt: iso(-60, now),
    lane: 'orders',
    dueAt: iso(600, now),
    rev: 'abcdefgh',
    ...attributes,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const ago = (seconds: number, now: number) => iso(-seconds, now);

/**
 * One record of every wrong kind that stands in the index, or should; by the kinds of findings that it is listed
 * with.
 */
export function wrongItems(
  now = NOW,
): readonly (readonly [item: Record<string, unknown>, kinds: string[]])[] {
  const one = (id: string, attributes: Record<string, unknown>, ...kinds: string[]) =>
    [placed(id, attributes, now), kinds] as const;
  return [
    one('half', { dueAt: undefined }, 'noDueAt'),
    one(
      'half-dead',
      { dueAt: undefined, lane: 'orders/dead', status: 'DEAD' },
      'noDueAt',
      'dead.no reason given',
    ),
    one('text-due', { dueAt: 'soon' }, 'unfindable'),
    one('letter-due', { dueAt: 'Fri, 20 Nov 2020 09:30:00 GMT' }, 'unfindable'),
    one('early-text-due', { dueAt: '1795167000' }, 'attribute.dueAt'),
    one('offset-due', { dueAt: ago(60, now).replace('Z', '+00:00') }, 'dueAtForm'),
    one('risen', { lane: 'orders/dead' }, 'pendingInDeadLane'),
    one('risen-error', { lane: 'orders/dead', status: 'ERROR', failures: 3 }, 'pendingInDeadLane'),
    one('dead-waiting', { status: 'DEAD', deadReason: 'maxAttempts' }, 'deadInLane', 'dead.maxAttempts'),
    one('done-waiting', { status: 'SUCCESS' }, 'doneInLane'),
    one('other-lane', { lane: 'bulk' }, 'otherLane'),
    one('unknown-queue', { queue: 'oders', lane: 'oders' }, 'queue.oders'),
    one('no-queue-name', { queue: 'or ders', lane: 'default' }, 'attribute.queue'),
    one('number-inserted', { insertedAt: 1_795_167_000 }, 'attribute.insertedAt'),
    one('ahead', { insertedAt: '2099-01-01T00:00:00.000Z' }, 'attribute.insertedAt'),
    one('offset-inserted', { insertedAt: '2026-11-20T12:00:00+02:00' }, 'form.insertedAt'),
    one('status-new', { status: 'new' }, 'attribute.status'),
    one('no-status', { status: undefined }, 'attribute.status'),
    one('no-payload', { payload: undefined }, 'noPayload'),
    one('odd-available', { availableAt: 'soon' }, 'attribute.availableAt'),
    one('odd-retry', { retry: { type: 'fibonaci' } }, 'attribute.retry'),
    one('odd-attempts', { attempts: 'many' }, 'attribute.attempts'),
    one('newer', { backlogFormat: 2 }, 'newer'),
    one('expiring', { expiresAt: 1_900_000_000 }, 'expiring'),
    one('overdue', { dueAt: ago(7200, now), insertedAt: ago(7200, now), attempts: 2 }, 'overdue'),
    one(
      'never-attempted',
      { queue: 'bulk', lane: 'bulk', dueAt: ago(90_000, now), insertedAt: ago(90_000, now) },
      'overdue',
    ),
  ];
}

/** Nothing is wrong with these. */
export function healthy(now = NOW) {
  const long = ago(7200, now);
  return [
    placed('waiting', {}, now),
    placed('due', { dueAt: ago(1, now) }, now),
    placed('failing', { status: 'ERROR', failures: 2, attempts: 2, lastAttemptAt: ago(5, now) }, now),
    placed('delayed', { availableAt: iso(864_000, now), dueAt: iso(864_000, now) }, now),
    // Within a progressive queue the due time is the age, however often it was attempted.
    placed('aged', { queue: 'bulk', lane: 'bulk', insertedAt: long, dueAt: long, attempts: 9 }, now),
    placed('sharded', { lane: 'orders#3' }, now),
    placed('given-up', { status: 'DEAD', lane: 'orders/dead', dueAt: long }, now),
    { id: 'done', status: 'SUCCESS', rev: 'abcdefgh', expiresAt: 1_900_000_000 },
    { id: 'bare-done', status: 'SUCCESS' },
  ];
}
