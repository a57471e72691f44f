import { describe, expect, it } from 'vitest';
import type { BacklogRecord } from '../../src/record/index.js';
import type { AttemptContext, Process } from '../../src/worker/index.js';
import { fail, Harness, type RunChoices, succeed } from './harness.js';

type Mutable = { -readonly [Name in keyof BacklogRecord]: unknown };

/** Changes that handlers have made to what they get, and that a hostile one could make. */
const MISDEEDS: Record<string, (record: Mutable, context: AttemptContext) => unknown> = {
  'writes its id in lower case': (record) => {
    record.id = String(record.id).toLowerCase();
  },
  'spreads a payload with an id over it': (record) => Object.assign(record, record.payload),
  'removes its rev': (record) => {
    delete (record as Record<string, unknown>).rev;
  },
  'replaces its rev': (record) => {
    record.rev = 'another';
  },
  'sets a policy that there is not': (record) => {
    record.retry = { type: 'nope' };
  },
  'makes its own policy invalid': (record) => {
    (record.retry as { interval?: unknown }).interval = 'nonsense';
  },
  'adds to its history': (record) => {
    (record.history as unknown[]).push({ at: 7n });
  },
  'changes an entry of its history': (record) => {
    Object.assign((record.history as object[])[0] as object, { at: 7n, message: 'x'.repeat(1e6) });
  },
  'empties its problems': (record) => {
    (record.problems as string[]).length = 0;
  },
  'changes its last error': (record) => {
    Object.assign(record.lastError as object, { name: 'WorkerLost' });
  },
  'counts its attempts down': (record) => {
    Object.assign(record, { attempts: -1e9, failures: Number.NaN, status: 'NEW', lane: undefined });
  },
  'removes everything': (record) => {
    for (const name of Object.keys(record)) delete (record as Record<string, unknown>)[name];
  },
  'defines getters that throw': (record) => {
    const get = () => {
      throw new Error('read');
    };
    for (const name of Object.keys(record)) Object.defineProperty(record, name, { get });
  },
  'sorts its payload in place': ({ payload }) => {
    const { items, bytes, tags } = payload as { items: number[]; bytes: Uint8Array; tags: Set<string> };
    items.sort();
    bytes.fill(0);
    tags.clear();
  },
  'changes its context': (_, context) => {
    Object.assign(context, { attempt: Number.NaN, traceparent: {} });
  },
  'takes the methods out of the logger': (_, { logger }) => {
    for (const name of Object.keys(logger)) Reflect.set(logger, name, undefined);
  },
};

const STORED = {
  payload: { id: 'another', items: [3, 1, 2], bytes: new Uint8Array([1, 2]), tags: new Set(['a']) },
  attempts: 1,
  failures: 1,
  status: 'ERROR',
  lastError: { name: 'Error', message: 'as before', at: '2026-02-28T23:00:00.000Z', attempt: 1 },
  history: [{ at: '2026-02-28T23:00:00.000Z', attempt: 1, name: 'Error', message: 'as before' }],
  retry: { type: 'constant', interval: 120, jitter: 'none' },
  notBefore: 'never',
};

function put(harness: Harness, path: 'rule' | 'arrival', attributes: object = {}): RunChoices {
  if (path === 'rule') {
    harness.put('Order-7', { ...STORED, ...attributes });
    return {};
  }
  const { status: _, attempts: __, failures: ___, ...rest } = STORED;
  // As a producer puts it: neither indexed nor with a `rev`.
  harness.put('Order-7', { ...rest, lane: undefined, dueAt: undefined, rev: undefined, ...attributes });
  return { arrivals: { batch: 'b', ids: ['Order-7'] } };
}

describe.each(['rule', 'arrival'] as const)('a handler that is started by a(n) %s and', (path) => {
  const before = path === 'rule' ? 1 : 0;
  for (const [what, misdeed] of Object.entries(MISDEEDS)) {
    it(`${what}: its success is written, once`, async () => {
      const harness = new Harness();
      const choices = put(harness, path);
      const process: Process = (record, context) => void misdeed(record as unknown as Mutable, context);
      const summary = await harness.run(process, choices);
      expect(summary).toMatchObject({ attempted: 1, succeeded: 1, ended: 'drained' });
      expect(harness.item('Order-7')).toMatchObject({
        status: 'SUCCESS',
        attempts: before + 1,
        payload: STORED.payload,
        retry: STORED.retry,
      });
      await harness.pass(300);
      expect(await harness.run(process)).toMatchObject({ attempted: 0 });
    });

    it(`${what}, and throws: its failure is written, and its own policy holds`, async () => {
      const harness = new Harness();
      const choices = put(harness, path);
      const summary = await harness.run((record, context) => {
        misdeed(record as unknown as Mutable, context);
        throw new Error('as it says');
      }, choices);
      expect(summary).toMatchObject({ attempted: 1, failed: 1, ended: 'drained' });
      const item = harness.item('Order-7');
      expect(item).toMatchObject({
        status: 'ERROR',
        attempts: before + 1,
        failures: before + 1,
        lastError: { name: 'Error', message: 'as it says', attempt: before + 1 },
        payload: STORED.payload,
      });
      expect(Date.parse(String(item.dueAt)) - harness.time.now).toBe(90_000);
      expect((item.history as { message: string }[]).map(({ message }) => message)).toEqual([
        'as before',
        'as it says',
      ]);
    });
  }

  it('keeps a reference, and changes it when its outcome is being decided: the outcome is its own', async () => {
    const harness = new Harness();
    let kept: Mutable | undefined;
    const choices = put(harness, path, { retry: undefined });
    await harness.run(
      (record) => {
        kept = record as unknown as Mutable;
        throw new Error('later');
      },
      {
        ...choices,
        retryFunction: () => {
          Object.assign(kept as object, { id: 'x', history: 7, attempts: 'x' });
          return 60;
        },
      },
    );
    expect(harness.item('Order-7')).toMatchObject({ status: 'ERROR', attempts: before + 1 });
  });
});

describe('other functions that get a record', () => {
  const spoil = (record: BacklogRecord): void => {
    const { history, problems, lastError } = record as unknown as Record<string, never[]>;
    history?.splice(0);
    problems?.splice(0);
    Object.assign(lastError ?? {}, { name: 'WorkerLost' });
    Object.assign(record, {
      id: 'x',
      rev: 'x',
      queue: 'x',
      attempts: 90,
      failures: 90,
      retry: { type: 'nope' },
    });
  };
  const named: Record<string, RunChoices> = {
    destination: {
      breaker: true,
      destination: (record) => {
        spoil(record);
        return 'there';
      },
    },
    'a retry function': {
      retryFunction: (_, record) => {
        spoil(record);
        return 120;
      },
    },
    knows: {
      knows: (record) => {
        spoil(record);
        return true;
      },
    },
    decisionsFor: {
      decisionsFor: (record) => {
        spoil(record);
        return {};
      },
    },
    'history.redact': {
      history: {
        redact: (text) => {
          Object.assign(text, { name: 'WorkerLost', message: { no: 'text' } });
          return { name: 'Error', message: 'hidden' };
        },
      },
    },
  };
  for (const [name, choices] of Object.entries(named)) {
    it(`${name}: whatever it does to what it gets is not in what is written`, async () => {
      const harness = new Harness();
      put(harness, 'rule', { retry: undefined });
      expect(await harness.run(fail, choices)).toMatchObject({ attempted: 1, failed: 1 });
      expect(harness.item('Order-7')).toMatchObject({
        status: 'ERROR',
        queue: 'q',
        attempts: 2,
        lastError: { name: 'Error', attempt: 2 },
      });
      expect(harness.item('Order-7').history).toHaveLength(2);
    });
  }

  const unreadable = new Proxy(new Error('no'), {
    get: () => {
      throw new Error('no');
    },
    getPrototypeOf: () => {
      throw new Error('no');
    },
  });
  const throwing: Record<string, RunChoices> = {
    destination: {
      breaker: true,
      destination: () => {
        throw unreadable;
      },
    },
    'a retry function': {
      retryFunction: () => {
        throw unreadable;
      },
    },
    knows: {
      knows: () => {
        throw unreadable;
      },
    },
    decisionsFor: {
      decisionsFor: () => {
        throw unreadable;
      },
    },
    'history.redact': {
      history: {
        redact: () => {
          throw unreadable;
        },
      },
    },
    deadOn: { deadOn: ['Error'] },
  };
  for (const [name, choices] of Object.entries(throwing)) {
    it(`${name} beside an error that throws when it is read: the record is settled`, async () => {
      const harness = new Harness();
      put(harness, 'rule', { retry: undefined });
      const summary = await harness.run(() => {
        throw unreadable;
      }, choices);
      expect(summary).toMatchObject({ attempted: 1, failed: 1, ended: 'drained' });
      expect(harness.item('Order-7')).toMatchObject({ status: 'ERROR', attempts: 2 });
    });
  }

  it('a handler that returns its record fails as with any other value', async () => {
    const harness = new Harness();
    put(harness, 'rule');
    await harness.run((record) => record as never);
    expect(harness.item('Order-7')).toMatchObject({
      status: 'ERROR',
      lastError: { name: 'UnknownReturnValue' },
    });
  });

  it('the next attempt gets the payload as it is stored', async () => {
    const harness = new Harness();
    put(harness, 'rule');
    const seen: unknown[] = [];
    await harness.run(({ payload }) => {
      (payload as { items: number[] }).items.push(9);
      throw new Error('no');
    });
    await harness.pass(180);
    await harness.run(({ payload }) => void seen.push(structuredClone(payload)));
    expect(seen).toEqual([STORED.payload]);
    await harness.run(succeed);
  });
});
