import { describe, expect, it } from 'vitest';
import { readingItem } from '../../src/monitor/index.js';
import type { RetryPolicy } from '../../src/policies/index.js';
import { type Item, lanesOf } from '../../src/record/index.js';
import type { OperatorStore } from '../../src/store/operator-store.js';
import { CHOICES, POLICY_OPTIONS, readPolicyInput } from '../../tools/src/console/what-if/input.js';
import { sampleWaiting } from '../../tools/src/console/what-if/sample.js';
import {
  consoleUnderTest,
  DAY,
  get,
  HOUR,
  inRetry,
  iso,
  MINUTE,
  NOW,
  runtimeUnderTest,
  waiting,
} from './console-under-test.js';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the form of a policy', () => {
  it.each(CHOICES)('has options that the type takes: %s', (type) => {
    for (const [name, fallback] of POLICY_OPTIONS[type] ?? []) {
      if (fallback === 'no limit') continue;
      const { errors } = readPolicyInput(type, (asked) => (asked === name ? fallback : ''));
      expect(errors).toEqual({});
    }
  });

  it('has the error of the policy itself at its field', () => {
    const typed: Record<string, string> = { unit: 'soon', maxAttempts: '0', jitter: 'lots' };
    const { errors, read } = readPolicyInput('fibonacci', (name) => typed[name] ?? '');
    expect(read).toBeUndefined();
    expect(errors).toEqual({
      unit: expect.stringMatching(/^policy\.unit: expected seconds or a duration .* got "soon"$/),
      maxAttempts: expect.stringMatching(/^policy\.maxAttempts: expected .* got 0$/),
    });
    expect(readPolicyInput('fibonacci', (name) => (name === 'jitter' ? 'lots' : '')).errors).toEqual({
      jitter: expect.stringContaining('policy.jitter'),
    });
    expect(readPolicyInput('fibonaci', () => '').errors).toEqual({
      policy: expect.stringContaining('did you mean "fibonacci"?'),
    });
    expect(Object.keys(readPolicyInput('{"type":', () => '').errors)).toEqual(['policy']);
    expect(readPolicyInput('{"type":"constant","unit":1}', () => '').errors).toEqual({
      policy: expect.stringContaining('unknown option'),
    });
  });

  it('takes a whole policy as JSON, and leaves out options of another type', () => {
    expect(readPolicyInput('{"type":"constant","interval":"7m"}', () => '')).toMatchObject({
      type: 'constant',
      options: { interval: '7m' },
      read: { data: { type: 'constant', interval: '7m' } },
    });
    expect(readPolicyInput('constant', (name) => (name === 'unit' ? '60' : '')).errors).toEqual({});
  });
});

const fibonacci = { queues: () => [{ name: 'orders', retry: { type: 'fibonacci' as const } }] };

async function backlogOf(records: readonly Record<string, unknown>[], changes = fibonacci as object) {
  const made = consoleUnderTest(changes);
  await made.store.queues.setRetryMode('orders', { mode: 'perRecord', since: 0 }, undefined);
  for (const one of records) made.store.put(one as never);
  return made;
}

const tablesOf = (store: OperatorStore) => ({
  open: () => ({ store, units: () => ({ readUnits: 0, writeUnits: 0 }) }),
});

describe('the sample of what waits', () => {
  it('weighs each part of the future by the counts of the queue', async () => {
    const many = [
      ...Array.from({ length: 500 }, (_, i) => inRetry(`now${i}`, { dueAt: iso(-MINUTE - i) })),
      ...Array.from({ length: 20 }, (_, i) => inRetry(`hour${i}`, { dueAt: iso(30 * MINUTE + i) })),
      ...Array.from({ length: 300 }, (_, i) => waiting(`later${i}`, { dueAt: iso(2 * DAY + i) })),
    ];
    const { store } = await backlogOf(many);
    const due = { now: 500, minute: 0, hour: 20, day: 20 };
    const sample = await sampleWaiting(
      tablesOf(store),
      { lanes: ['orders'], pending: 820, due } as never,
      NOW,
    );
    expect(sample).toMatchObject({ total: 820, dueTimes: 420, read: 30, ownPolicies: 0 });
    const of = (prefix: string) => sample.records.filter(({ id }) => id.startsWith(prefix));
    for (const [prefix, count] of Object.entries({ now: 500, hour: 20, later: 300 })) {
      expect(sum(of(prefix).map(({ weight }) => weight))).toBeCloseTo(count);
    }
    // What is due already is attempted now; what is not read has the failures of what is due next to it.
    expect(of('now').every(({ next, failures }) => next === NOW && failures === 2)).toBe(true);
    expect(of('later').filter(({ failures }) => failures === 0).length).toBeGreaterThan(190);
  });

  it('finds records in the shards of a queue', async () => {
    const many = Array.from({ length: 90 }, (_, i) =>
      inRetry(`r${i}`, { lane: i % 3 === 0 ? 'orders' : `orders#${i % 3}`, dueAt: iso(HOUR / 2 + i) }),
    );
    const { store } = await backlogOf(many);
    const due = { now: 0, minute: 0, hour: 90, day: 90 };
    const { records, total } = await sampleWaiting(
      tablesOf(store),
      { lanes: lanesOf('orders'), pending: 90, due } as never,
      NOW,
    );
    expect(sum(records.map(({ weight }) => weight))).toBeCloseTo(total);
    expect(new Set(records.map(({ id }) => Number(id.slice(1)) % 3)).size).toBe(3);
  });
});

describe('in AWS', () => {
  const noted = (retry: RetryPolicy | undefined): Item =>
    readingItem({
      at: iso(),
      shards: 1,
      retryMode: 'perRecord',
      retry,
      counts: { pending: 2, dead: 0, oldestDueAt: iso(-MINUTE) },
    });

  it.each([
    ['that the monitor has noted', { type: 'constant', interval: 600 } as const, '&quot;interval&quot;:600}'],
    ['that is the default', undefined, '{&quot;type&quot;:&quot;fibonacci&quot;}'],
  ])('the present policy is the one %s', async (_, retry, text) => {
    const { app, store } = await backlogOf([inRetry('a'), inRetry('b')], {});
    const path = '/what-if?queue=orders&policy=constant&interval=5m';
    expect((await get(app, path)).text).toContain('Say the present policy to compare.');
    await store.readings.write('orders', noted(retry));
    const { text: page } = await get(app, path);
    expect(page).toContain(text);
    expect(page).toMatch(/attempts a day instead of \d+/);
  });
});

describe('the page of another policy', () => {
  const some = [inRetry('a'), inRetry('b', { dueAt: iso(-MINUTE) }), waiting('c', { dueAt: iso(2 * HOUR) })];

  it('shows both policies side by side, and the assumption in a sentence', async () => {
    const { app } = await backlogOf(some);
    const { status, text } = await get(app, '/what-if?queue=orders&policy=constant&interval=5m');
    expect(status).toBe(200);
    expect(text).toMatch(
      /orders: [\d,]+ attempts a day instead of \d+, \$[\d.]+ a day instead of \$[\d.]+\./,
    );
    expect(text).toContain('if every attempt fails and no further record comes in');
    expect(text).toContain('from all 3 records that wait');
    expect(text).toContain('{&quot;type&quot;:&quot;constant&quot;,&quot;interval&quot;:&quot;5m&quot;}');
    expect(text.match(/<svg class="bars"/g)).toHaveLength(8);
    expect(text).toContain('Present policy: attempts per minute, next hour');
    expect(text).toContain('Other policy: attempts per hour, next day');
    expect(text).not.toMatch(/ style=|<style|<script(?! src)/);
  });

  it('opens with a policy of another type than the present one', async () => {
    const { app } = await backlogOf(some);
    expect((await get(app, '/what-if?queue=orders')).text).toMatch(/<option value="exponential" selected/);
    const { app: constant } = await backlogOf(some, {
      queues: () => [{ name: 'orders', retry: { type: 'constant' } }],
    });
    expect((await get(constant, '/what-if?queue=orders')).text).toMatch(/<option value="fibonacci" selected/);
  });

  it('says that it is a sample, and how large', async () => {
    const many = Array.from({ length: 400 }, (_, i) => inRetry(`r${i}`, { dueAt: iso(10 * MINUTE + i) }));
    const { app } = await backlogOf(many);
    const { text } = await get(app, '/what-if?queue=orders&policy=constant');
    expect(text).toContain('≈ from 200 due times and 30 of 400 records that wait');
    expect(text).toMatch(/orders: ≈ [\d,]+ attempts a day/);
  });

  it('counts records with a policy of their own on both sides', async () => {
    const own = inRetry('a', { retry: { type: 'constant', interval: '1h' } });
    const { app } = await backlogOf([own]);
    const { text } = await get(app, '/what-if?queue=orders&policy=constant&interval=5m');
    expect(text).toContain('1 of those read keep a policy of their own');
    expect(text).toContain('orders: 24 attempts a day instead of 24');
  });

  it('shows the error of the policy at its field, and what was typed', async () => {
    const { app } = await backlogOf(some);
    const { status, text } = await get(app, '/what-if?queue=orders&policy=constant&interval=%3Cb%3E');
    expect(status).toBe(200);
    expect(text).toContain('The other policy for orders is not valid.');
    expect(text).toMatch(/name="interval" value="&lt;b&gt;"[^>]*aria-invalid="true"/);
    expect(text).toMatch(/id="interval-error".*policy\.interval: expected seconds or a duration/s);
    expect(text).not.toContain('<b>"');
    const unknown = await get(app, '/what-if?queue=orders&policy=fibonaci');
    expect(unknown.text).toMatch(/id="policy-error".*did you mean &quot;fibonacci&quot;/s);
  });

  it('asks for the present policy where the app does not say it', async () => {
    const { app } = await backlogOf(some, { queues: () => [{ name: 'orders' }] });
    const without = await get(app, '/what-if?queue=orders&policy=constant');
    expect(without.text).toContain('Say the present policy to compare.');
    expect(without.text).toContain('name="present"');
    expect(without.text).not.toContain('id="present-error"');
    const given = await get(app, '/what-if?queue=orders&policy=constant&present=fibonacci');
    expect(given.text).toMatch(/attempts a day instead of/);
    const wrong = await get(app, '/what-if?queue=orders&policy=constant&present=nonsense');
    expect(wrong.text).toMatch(/id="present-error".*expected one of/s);
  });

  it('explains queues that retry by age, and policies by age, instead of computing them', async () => {
    const { app, store } = await backlogOf(some, {
      queues: () => [{ name: 'bulk', retry: { type: 'progressive' } }, ...fibonacci.queues()],
    });
    await store.queues.setRetryMode('bulk', { mode: 'progressive', since: 0 }, undefined);
    const bulk = await get(app, '/what-if?queue=bulk&policy=constant');
    expect(bulk.text).toContain('</bdi> retries by age.');
    expect(bulk.text).not.toContain('<svg class="bars"');
    const other = await get(app, '/what-if?queue=orders&policy=progressive');
    expect(other.text).toContain('A progressive queue attempts its records by age');
    expect(other.text).toContain('Present policy: attempts per minute');
  });

  it('asks for a queue, and escapes one that is not there', async () => {
    const { app } = await backlogOf([]);
    expect((await get(app, '/what-if')).text).toContain('Choose a queue.');
    const { text } = await get(app, '/what-if?queue=%3Cscript%3Ealert(1)%3C/script%3E');
    expect(text).toContain('There is no queue &lt;script&gt;');
    expect(text).not.toContain('<script>alert');
    expect((await get(app, '/what-if?queue=orders&policy=constant')).text).toContain(
      'No record waits in orders',
    );
  });

  it('takes no other method, and says so when the tables cannot be read', async () => {
    const { app, store } = await backlogOf(some);
    expect((await app.request('/what-if?queue=orders', { method: 'POST' })).status).toBe(404);
    store.control.read = async () => {
      throw new Error('no such table');
    };
    expect((await get(app, '/what-if?queue=orders')).text).toContain('no such table');
  });

  it('is linked from the forecast, for queues that retry per record', async () => {
    const { app } = await backlogOf(some, { ...fibonacci, runtime: runtimeUnderTest() });
    expect((await get(app, '/tiers')).text).toContain('href="/what-if?queue=orders"');
  });
});
