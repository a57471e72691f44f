import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  MADE_TO_ORDER,
  phaseAt,
  SampleErp,
  UNKNOWN_ARTICLE,
} from '../../tools/src/local/sample/sample-erp.js';
import { SampleShop, type ShopRecord } from '../../tools/src/local/sample/sample-shop.js';

afterEach(() => {
  vi.useRealTimers();
});

describe("the sample's ERP", () => {
  it.each([
    [0, true],
    [7_999, true],
    [8_000, false],
    [22_999, false],
    [23_000, true],
    [82_999, true],
    [83_000, false],
  ])('after %i ms it is up: %j', (elapsed, up) => {
    expect(phaseAt(elapsed).up).toBe(up);
  });

  it('takes orders, refuses an unknown article permanently, and answers 503 while it is down', async () => {
    let now = 0;
    const erp = await SampleErp.start({ random: () => 0, now: () => now });
    const post = async (body: unknown) =>
      (await fetch(erp.url, { method: 'POST', body: JSON.stringify(body) })).status;
    erp.open();
    expect(await post({ order: 1 })).toBe(200);
    expect(await post({ article: UNKNOWN_ARTICLE })).toBe(422);
    now = 10_000;
    expect(await post({ order: 1 })).toBe(503);
    expect(erp.state).toEqual({
      up: false,
      changesInSeconds: 13,
      taken: 1,
      making: 0,
      rejected: 1,
      unavailable: 1,
    });
    erp.set(true);
    expect(erp.state).toEqual({ up: true, taken: 1, making: 0, rejected: 1, unavailable: 1 });
    expect(await post({ order: 2 })).toBe(200);
    erp.set(false);
    expect(await post({ order: 2 })).toBe(503);
    await erp.stop();
  });
});

it('the ERP answers an order for what it makes with 202 until it is made, and takes it then', async () => {
  let now = 0;
  const erp = await SampleErp.start({ random: () => 0, now: () => now });
  erp.open();
  const post = (key: string) =>
    fetch(erp.delivery.url, {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: JSON.stringify({ article: MADE_TO_ORDER }),
    });
  const first = await post('order-1');
  expect([first.status, await first.json()]).toEqual([
    202,
    { status: 'not ready', reason: 'TEAPOT-HANDMADE is being made' },
  ]);
  now = 5_000;
  expect((await post('order-1')).status).toBe(202);
  expect((await post('order-2')).status).toBe(202);
  expect(erp.state).toMatchObject({ taken: 0, making: 2 });
  erp.set(true);
  now = 10_000;
  expect((await post('order-1')).status).toBe(200);
  expect((await post('order-2')).status).toBe(202);
  expect(erp.state).toMatchObject({ taken: 1, making: 1 });
  expect(erp.delivery.answers).toEqual({ notReady: [202] });
  await erp.stop();
});

describe("the sample's shop", () => {
  it('opens with some orders and products at once, goes on steadily, and stops when it is closed', async () => {
    vi.useFakeTimers();
    const records: ShopRecord[] = [];
    const shop = new SampleShop({
      orders: 'default',
      products: 'bulk',
      random: () => 0.5,
      insert: async (some) => void records.push(...some),
    });
    await shop.open();
    expect(records.filter(({ queue }) => queue === 'default').length).toBeGreaterThanOrEqual(10);
    expect(records.some(({ queue }) => queue === 'bulk')).toBe(true);
    const opening = records.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(records.length).toBeGreaterThan(opening + 10);
    shop.close();
    const closed = records.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(records.length).toBe(closed);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    for (const article of [UNKNOWN_ARTICLE, MADE_TO_ORDER])
      expect(records.filter(({ payload }) => JSON.stringify(payload).includes(article))).not.toHaveLength(0);
  });

  it('goes on selling when an order could not be written', async () => {
    vi.useFakeTimers();
    let tried = 0;
    const shop = new SampleShop({
      orders: 'default',
      random: () => 0.5,
      insert: async () => {
        tried += 1;
        throw new Error('no table');
      },
    });
    await shop.open();
    await vi.advanceTimersByTimeAsync(5_000);
    shop.close();
    expect(tried).toBeGreaterThan(5);
  });
});
