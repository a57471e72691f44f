import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TableReader } from '../../../tools/src/local/streams/table-reader.js';
import type { Shard, ShardPosition, StreamedChange } from '../../../tools/src/local/streams/table-stream.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PAGE = 3;

/** Shards with numbered changes, as DynamoDB has them. */
class FakeStream {
  readonly shardsById = new Map<string, { parent: string | undefined; changes: string[]; closed: boolean }>();
  fails: Error | undefined;
  requests = 0;

  add(id: string, parent?: string): void {
    this.shardsById.set(id, { parent, changes: [], closed: false });
  }

  write(id: string, ...names: string[]): void {
    this.shardsById.get(id)?.changes.push(...names);
  }

  close(id: string): void {
    const shard = this.shardsById.get(id);
    if (shard) shard.closed = true;
  }

  readonly source = {
    shards: async (): Promise<Shard[]> => {
      this.ask();
      return [...this.shardsById].map(([id, { parent, closed }]) => ({ id, parent, closed }));
    },
    open: async (id: string, position: ShardPosition) => {
      this.ask();
      const changes = this.shardsById.get(id)?.changes ?? [];
      if (position === 'start') return `${id}:0`;
      if (position === 'end') return `${id}:${changes.length}`;
      return `${id}:${Number(position.after) + 1}`;
    },
    read: async (iterator: string) => {
      this.ask();
      const [id = '', from = '0'] = iterator.split(':');
      const { changes, closed } = this.shardsById.get(id) ?? { changes: [], closed: true };
      const page = changes.slice(Number(from), Number(from) + PAGE);
      const end = Number(from) + page.length;
      return {
        changes: page.map(
          (name, i): StreamedChange => ({
            before: undefined,
            after: { id: { S: name } },
            at: 0,
            sequenceNumber: String(Number(from) + i),
          }),
        ),
        next: closed && end === changes.length ? undefined : `${id}:${end}`,
      };
    },
  };

  private ask(): void {
    this.requests++;
    const { fails } = this;
    if (fails) throw fails;
  }
}

const readers: TableReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.stop();
});

function readerOf(stream: FakeStream) {
  const reported: string[] = [];
  const troubles: string[] = [];
  const reader = new TableReader({
    source: stream.source,
    onChange: ({ after }) => void reported.push((after as { id: { S: string } }).id.S),
    onTrouble: ({ message }) => void troubles.push(message),
  });
  readers.push(reader);
  return { reader, reported, troubles };
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const named = (name: string) => Object.assign(new Error(name), { name });

describe('the reader of a stream', () => {
  it('reports what is written after its beginning, in its order, and soon', async () => {
    const stream = new FakeStream();
    stream.add('one');
    stream.write('one', 'before');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    stream.write('one', ...Array.from({ length: 8 }, (_, i) => `c${i}`));
    await seconds(0.3);
    expect(reported).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7']);
    await seconds(60);
    expect(reported).toHaveLength(8);
  });

  it('leaves closed shards alone that were there before it', async () => {
    const stream = new FakeStream();
    stream.add('old');
    stream.write('old', 'before');
    stream.close('old');
    stream.add('one', 'old');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    await seconds(30);
    stream.write('one', 'c');
    await seconds(1);
    expect(reported).toEqual(['c']);
  });

  it('goes on at once with the shard that follows a closed one, from its first change', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    stream.write('one', 'a', 'b');
    stream.close('one');
    stream.add('two', 'one');
    stream.write('two', 'c');
    await seconds(0.5);
    expect(reported).toEqual(['a', 'b', 'c']);
    stream.write('two', 'd');
    await seconds(0.5);
    expect(reported).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reads the two halves of a split shard after it, and their children after them', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    stream.write('one', 'a', 'b', 'c', 'd');
    stream.close('one');
    stream.add('left', 'one');
    stream.add('right', 'one');
    stream.add('later', 'left');
    stream.write('later', 'l2');
    stream.write('left', 'l1');
    stream.close('left');
    stream.write('right', 'r1');
    await seconds(1);
    expect(reported.slice(0, 4)).toEqual(['a', 'b', 'c', 'd']);
    expect(reported.slice(4).sort()).toEqual(['l1', 'l2', 'r1']);
    expect(reported.indexOf('l1')).toBeLessThan(reported.indexOf('l2'));
  });

  it('finds a new shard whose parent is forgotten', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    stream.add('two', 'forgotten');
    stream.write('two', 'c');
    await seconds(11);
    expect(reported).toEqual(['c']);
  });

  it('goes on where it was when its iterator has expired', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    stream.write('one', 'a');
    await seconds(1);
    const { read } = stream.source;
    let expired = true;
    stream.source.read = async (iterator) => {
      if (!expired) return read(iterator);
      expired = false;
      throw named('ExpiredIteratorException');
    };
    stream.write('one', 'b');
    await seconds(1);
    expect(reported).toEqual(['a', 'b']);
  });

  it('goes on with what is left when changes have been forgotten', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    const { read } = stream.source;
    let trimmed = true;
    stream.source.read = async (iterator) => {
      if (!trimmed) return read(iterator);
      trimmed = false;
      throw named('TrimmedDataAccessException');
    };
    stream.write('one', 'a');
    await seconds(1);
    expect(reported).toEqual(['a']);
  });

  it('says once that there is no answer, asks less often, and loses nothing', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported, troubles } = readerOf(stream);
    await reader.begin();
    stream.fails = new Error('connection refused');
    stream.write('one', 'a');
    await seconds(60);
    expect(troubles).toEqual(['connection refused']);
    expect(stream.requests).toBeLessThan(30);
    stream.fails = undefined;
    await seconds(6);
    expect(reported).toEqual(['a']);
    stream.fails = new Error('again');
    await seconds(1);
    expect(troubles).toEqual(['connection refused', 'again']);
  });

  it('ends with the runtime', async () => {
    const stream = new FakeStream();
    stream.add('one');
    const { reader, reported } = readerOf(stream);
    await reader.begin();
    reader.stop();
    stream.write('one', 'a');
    await seconds(60);
    expect(reported).toEqual([]);
  });
});
