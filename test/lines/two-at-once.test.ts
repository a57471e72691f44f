import { expect, it } from 'vitest';
import { OneLine } from './one-line.js';

it('two processes that note records in one page lose neither', async () => {
  const line = new OneLine();
  await line.come(1);
  line.once('write', 'line-page#0', () => line.come(3));
  await line.come(2);
  expect((await line.page(0))?.waiting).toEqual([2, '2', 3, '3']);
});

it('a record that comes as the head ends has its turn by the end', async () => {
  const line = new OneLine();
  await line.come(1);
  line.once('write', 'line#', () => line.come(2));
  expect((await line.end('1')).start?.id).toBe('2');
});

it('a record that is noted as the head ends has its turn by its coming', async () => {
  const line = new OneLine();
  await line.come(1);
  line.once('write', 'line-page#0', () => line.end('1'));
  expect((await line.come(2)).start?.id).toBe('2');
});

it('a record that has left the line is passed', async () => {
  const line = new OneLine();
  await line.come(1, 2, 3);
  line.put('2', 2, { key: 'other' });
  expect((await line.end('1')).start?.id).toBe('3');
});

it('a dead record with the number of the head holds up no one', async () => {
  const line = new OneLine();
  await line.come(1, 2);
  line.put('twin', 1, { status: 'DEAD', deadReason: 'maxAttempts' });
  await line.take([line.change('twin')]);
  expect((await line.end('1')).start?.id).toBe('2');
});

it('a record that has come back has its turn before the next number', async () => {
  const line = new OneLine();
  await line.come(1);
  line.underAttempt.add('1');
  await line.end('1', { status: 'DEAD', deadReason: 'discarded' }, false);
  line.put('1', 1);
  expect((await line.take([line.change('1')])).later?.seconds).toBe(900);
  line.now += 900_000;
  expect((await line.come(2)).start?.id).toBe('1');
});

it('a record that ends as another process gives it its turn is passed', async () => {
  const line = new OneLine();
  await line.come(1, 2, 3);
  line.once('write', 'line#', async () => {
    line.put('2', 2, { status: 'DEAD', deadReason: 'discarded' });
    await line.take([line.change('2')]);
  });
  expect((await line.end('1')).start?.id).toBe('3');
});
