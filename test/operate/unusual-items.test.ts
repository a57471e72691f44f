import { describe, expect, it } from 'vitest';
import { BacklogOperator } from '../../src/operate/index.js';
import { dynamoDbForFile } from '../store/dynamodb-for-file.js';
import { Harness } from '../worker/harness.js';
import { iso } from './jobs-support.js';
import { operatorOf, putDead } from './support.js';

describe('an action', () => {
  it('makes a record due whose due time sorts later than it is', async () => {
    const harness = new Harness();
    // 14 hours ahead as text, an hour ago as a time.
    const at = new Date(harness.time.now + 13 * 3_600_000).toISOString().replace('Z', '+14:00');
    harness.put('zone', { dueAt: at });
    harness.put('soon', { dueAt: 'soon' });
    expect(await operatorOf(harness).runNow(['zone', 'soon'])).toMatchObject({ changed: 2 });
    const attempted: string[] = [];
    await harness.run((record) => void attempted.push(record.id));
    expect(attempted.sort()).toEqual(['soon', 'zone']);
  });

  const full = () => ({ payload: { text: 'x'.repeat(409_250) } });

  it('gives another payload to a record that was too large, and is not indexed', async () => {
    const harness = new Harness();
    harness.put('a', { ...full(), lane: undefined, dueAt: undefined, rev: undefined });
    await operatorOf(harness).editPayload('a', { payload: { small: true } });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', payload: { small: true } });
  });

  it('gives another payload to a quarantined record that was set to NEW by hand', async () => {
    const harness = new Harness();
    putDead(harness, 'a', { ...full(), status: 'NEW', deadReason: 'quarantined: too large' });
    await operatorOf(harness).editPayload('a', { payload: { small: true } });
    expect(harness.item('a')).toMatchObject({ status: 'NEW', lane: 'q', payload: { small: true } });
  });

  it('leaves a record that is too large, and not indexed, out of the lane of those that wait', async () => {
    const harness = new Harness();
    harness.put('a', { ...full(), lane: undefined, dueAt: undefined, rev: undefined });
    await operatorOf(harness).move('a', { queue: 'other' });
    const { status, lane, queue } = harness.item('a');
    expect({ status, lane, queue }).not.toEqual({ status: 'DEAD', lane: 'other', queue: 'other' });
  });
});

it('an id of more than 2,048 bytes is not asked for, whatever its characters are', async () => {
  const harness = new Harness();
  putDead(harness, 'good');
  const asked: string[] = [];
  const getItems = harness.store.records.getItems.bind(harness.store.records);
  harness.store.records.getItems = (ids, ...rest) => {
    asked.push(...ids);
    return getItems(ids, ...rest);
  };
  const longest = 'ü'.repeat(1024);
  await operatorOf(harness).redrive([longest, `${longest}ü`, 'good']);
  expect(asked).toEqual([longest, 'good']);
});

const dynamoDb = dynamoDbForFile();
it('an id that no record can have does not stop the others', async () => {
  const { client, tables, put, raw } = dynamoDb.underTest;
  await put({
    id: 'good',
    status: 'DEAD',
    queue: 'q',
    lane: 'q/dead',
    dueAt: iso(0),
    rev: 'r',
    payload: {},
    insertedAt: iso(0),
  } as never);
  const operator = new BacklogOperator({ table: tables.records, controlTable: tables.control, client });
  const result = await operator.redrive(['x'.repeat(2049), 'good']);
  expect(result).toMatchObject({ changed: 1, skipped: { notFound: 1 } });
  expect(await raw('good')).toMatchObject({ status: 'NEW' });
});
