import { expect, it } from 'vitest';
import { indexWhenFree } from '../../../src/intake/index.js';
import { systemClock } from '../../../src/support/clock.js';
import { dynamoDbUnderTest } from '../../store/dynamodb-under-test.js';
import { startDynamoDb } from '../../store/start-dynamodb.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const PRIME = 0x01000193;
/** The number by which a multiplication with the prime is undone. */
const UNDO = 0x359c449b;

/** FNV-1a without the finalizer, which is one to one: two ids that agree in it have one hash. */
function fnv(text: string): number {
  let h = 0x811c9dc5;
  for (const character of text) h = Math.imul(h ^ character.charCodeAt(0), PRIME);
  return h | 0;
}

function* words(): Generator<string> {
  for (const a of LETTERS) for (const b of LETTERS) for (const c of LETTERS) yield a + b + c;
}

/** Another id with the 32-bit hash of this one, by which shards are chosen: found in a fraction of a second. */
function twinOf(id: string): string {
  const beginnings = new Map<number, string>();
  for (const word of words()) beginnings.set(fnv(`twin-${word}`), word);
  const target = fnv(id);
  for (const word of words()) {
    let h = target;
    for (let i = word.length - 1; i >= 0; i--) h = Math.imul(h, UNDO) ^ word.charCodeAt(i);
    const found = beginnings.get(h | 0);
    if (found !== undefined) return `twin-${found}${word}`;
  }
  throw new Error('none is found');
}

it('a record waits for no attempt of another one, whose id was chosen to have its fingerprint', async () => {
  const victim = 'order-1001';
  const twin = twinOf(victim);
  const dynamoDb = await startDynamoDb();
  const { store, put, close } = await dynamoDbUnderTest(dynamoDb.endpoint);
  try {
    await put({ id: victim, status: 'NEW', queue: 'q', payload: 1 });
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const now = Date.now();
    const claim = { batch: 'b', holder: 'h', ids: [twin], now, until: now + 60_000 };
    await store.claims.take('q', claim);
    const deps = { store, clock: systemClock, random: Math.random, logger };
    expect(await indexWhenFree([victim], deps)).toMatchObject({ waiting: [] });
  } finally {
    await close();
    await dynamoDb.stop();
  }
});
