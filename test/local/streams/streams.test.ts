import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Streams } from '../../../tools/src/local/streams/streams.js';
import type { LocalApp, LocalStream } from '../../../tools/src/local/template/local-app.js';
import { appOf, table } from '../reload/app-under-test.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const stream = (id: string, functionName: string, changes: Partial<LocalStream> = {}): LocalStream => ({
  id,
  table: 'Records',
  functionName,
  batchSize: 100,
  bisects: false,
  viewType: 'NEW_IMAGE',
  matches: () => true,
  ...changes,
});

function world(app: LocalApp) {
  const taken: string[] = [];
  const streams = new Streams({
    app,
    region: 'us-east-1',
    invoke: async (name, event) => {
      const { Records } = event as { Records: { dynamodb: { Keys: { id: { S: string } } } }[] };
      taken.push(...Records.map(({ dynamodb }) => `${name}: ${dynamodb.Keys.id.S}`));
      return { type: 'result', value: null };
    },
    send: () => true,
  });
  const put = (id: string) => streams.add({ table: 'Records', before: undefined, after: { id: { S: id } } });
  return { streams, taken, put };
}

it('a change that waits goes to the function that reads the stream when it is handed over', async () => {
  const { streams, taken, put } = world(appOf({ streams: [stream('Mapping', 'Old')] }));
  put('a');
  streams.replace(appOf({ streams: [stream('Mapping', 'New')] }));
  put('b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(taken).toEqual(['New: a', 'New: b']);
});

it('a stream that is new gets what is written from then on; one that is gone gets nothing more', async () => {
  const { streams, taken, put } = world(appOf({ streams: [stream('First', 'One')] }));
  put('a');
  await vi.advanceTimersByTimeAsync(1_000);
  streams.replace(appOf({ streams: [stream('Second', 'Two')] }));
  put('b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(taken).toEqual(['One: a', 'Two: b']);
});

it('another filter applies to what is written from then on', async () => {
  const { streams, taken, put } = world(appOf({ streams: [stream('Mapping', 'One')] }));
  put('a');
  streams.replace(appOf({ streams: [stream('Mapping', 'One', { matches: () => false })] }));
  put('b');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(taken).toEqual(['One: a']);
});

it('a stream of a table that the app does not have is refused', () => {
  const app = appOf({ tables: [table('Other')], streams: [stream('Mapping', 'One')] });
  expect(() => world(app)).toThrow('the app has a stream of the table Records, but not the table');
});
