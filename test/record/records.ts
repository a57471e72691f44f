import { resolvePolicy } from '../../src/policies/index.js';
import { type BacklogRecord, type Item, parseRecord, type SettleContext } from '../../src/record/index.js';

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');
export const iso = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

/** A record that was inserted an hour ago and is due now, with whatever a test wants different. */
export function record(attributes: Item = {}): BacklogRecord {
  return parseRecord(
    {
      id: 'r',
      status: 'NEW',
      queue: 'q',
      payload: 1,
      insertedAt: iso(-3600),
      lane: 'q',
      dueAt: iso(-3600),
      rev: 'a',
      ...attributes,
    },
    NOW,
  );
}

export function context(overrides: Partial<SettleContext> = {}): SettleContext {
  return {
    lane: 'q',
    retryMode: 'perRecord',
    policy: resolvePolicy({ type: 'constant', interval: 300, jitter: 'none' }),
    now: NOW,
    tickSeconds: 60,
    random: () => 0.5,
    ...overrides,
  };
}
