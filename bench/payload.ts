import type { Item } from '../src/record/index.js';

/** An order whose JSON has about as many bytes, with lines of 100 each, or of more. */
export function payloadOf(kilobytes: number, lineBytes = 100): Item {
  const line = {
    sku: 'AB-1234567890',
    quantity: 3,
    price: '19.90',
    note: 'leave at the door'.padEnd(lineBytes - 65, '.'),
  };
  const bytesOf = (value: unknown) => JSON.stringify(value).length;
  const lines = Math.round(
    (kilobytes * 1000 - bytesOf({ customer: 'c-1', lines: [] })) / (bytesOf(line) + 1),
  );
  return { customer: 'c-1', lines: Array.from({ length: lines }, () => line) };
}
