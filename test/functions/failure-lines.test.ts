import { describe, expect, it } from 'vitest';
import { backlogHandler, Cancel, Dead, type Process, Snooze } from '../../functions/index.js';
import { context, workbench } from './support.js';

const queues = { default: { retryMode: 'perRecord' } } as const;

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

/** The log of a run over these records, without the parts that every line has. */
async function logged(
  process: Process,
  ids: readonly string[],
  options: object = {},
  variables: Record<string, string> = {},
) {
  const bench = workbench(queues);
  const env = { ...bench.overrides.env, ...variables };
  for (const id of ids) await bench.insert({ id, payload: { card: 'secret-payload' } });
  const handler = backlogHandler({
    queue: 'default',
    process,
    retry: { type: 'constant', interval: '10m', jitter: 'none' },
    ...options,
    ...bench.overrides,
    env,
  });
  await handler({ queue: 'default' }, context);
  const lines = bench.log().filter(({ message }) => message !== 'run');
  return { lines, text: bench.lines, store: bench.store };
}

describe('a failed attempt', () => {
  it('has one line that says whose, which, why and when next, and no part of the payload', async () => {
    const { lines, text } = await logged(() => {
      throw new TypeError('no such customer: secret-name');
    }, ['a']);
    expect(lines).toEqual([
      {
        level: 'WARN',
        message: 'attempt failed',
        timestamp: expect.any(String),
        service: 'dynamo-backlog',
        sampling_rate: 0,
        function_request_id: 'request-1',
        id: 'a',
        queue: 'default',
        attempt: 1,
        error: 'TypeError',
        status: 'ERROR',
        nextAt: '2026-11-20T09:40:00.000Z',
        ms: 0,
      },
    ]);
    expect(text.join()).not.toContain('secret');
  });

  it('has a line with its stack on a developer’s machine, without what the error says', async () => {
    const fails: Process = () => {
      throw new TypeError('no such customer: secret-name');
    };
    const stacks = { BACKLOG_LOG_STACKS: 'true' };
    const ids = Array.from({ length: 30 }, (_, i) => `r${i}`);
    const { lines, text } = await logged(fails, ids, {}, stacks);
    const threw = lines.filter(({ message }) => message === 'attempt threw');
    expect(threw).toHaveLength(20);
    expect(threw[0]).toMatchObject({ level: 'WARN', id: expect.stringMatching(/^r/) });
    expect(threw[0]?.stack).toMatch(/^at .*failure-lines\.test\.ts:\d+:\d+/);
    expect(text.join()).not.toContain('secret');
    const off = await logged(fails, ['a'], {}, { BACKLOG_LOG_STACKS: 'false' });
    expect(off.lines.map(({ message }) => message)).toEqual(['attempt failed']);
    const plain = await logged(() => new Promise((_, reject) => reject('text')), ['a'], {}, stacks);
    expect(plain.lines.map(({ message }) => message)).toEqual(['attempt failed']);
  });

  it('is at ERROR once the record is dead, without what its code says of it', async () => {
    const { lines } = await logged(() => new Dead('the ERP does not take it'), ['a']);
    expect(lines).toMatchObject([
      { level: 'ERROR', message: 'attempt failed', status: 'DEAD', error: 'Dead', attempt: 1 },
    ]);
    for (const name of ['nextAt', 'reason', 'deadReason']) expect(lines[0]).not.toHaveProperty(name);
  });

  it.each<[string, object]>([
    ['maxAttempts', { retry: { type: 'none' } }],
    ['deadOn: TypeError', { deadOn: [TypeError] }],
  ])(
    'says that the record is dead for the reason %s, which is the library’s own',
    async (deadReason, more) => {
      const fails = () => Promise.reject(new TypeError('secret'));
      const { lines, text } = await logged(fails, ['a'], more);
      expect(lines).toMatchObject([{ level: 'ERROR', status: 'DEAD', deadReason }]);
      expect(text.join()).not.toContain('secret');
    },
  );

  it('says into which queue the record moves for its next attempt', async () => {
    const fails = () => Promise.reject(new Error('no'));
    const { lines } = await logged(fails, ['a'], { retryQueue: 'slow' });
    expect(lines).toMatchObject([{ queue: 'default', movedTo: 'slow', status: 'ERROR' }]);
  });

  it('has the texts of errors where a hook has said what of them may be kept', async () => {
    const redact = ({ name, message }: { name: string; message: string }) => ({
      name,
      message: message.replace(/\d{4}/, '…'),
    });
    const fails = () => Promise.reject(new Error(`card 4111 ${'refused '.repeat(100)}`));
    const { lines } = await logged(fails, ['a'], { history: { redact } });
    expect(lines).toMatchObject([{ reason: expect.stringMatching(/^card … refused .*…$/) }]);
    expect(Buffer.byteLength(String(lines[0]?.reason))).toBeLessThanOrEqual(200);
    const dead = await logged(() => new Dead('no card 4111'), ['a'], { history: { redact } });
    expect(dead.lines).toMatchObject([{ reason: 'no card …', deadReason: 'no card …' }]);
  });

  it('has the texts of errors on a developer’s machine, as a record keeps them', async () => {
    const fails = () => Promise.reject(new Error('no customer 4111'));
    const texts = { BACKLOG_LOG_ERROR_TEXTS: 'true' };
    const { lines } = await logged(fails, ['a'], {}, texts);
    expect(lines).toMatchObject([{ error: 'Error', reason: 'no customer 4111' }]);
    const redact = ({ name }: { name: string }) => ({ name, message: 'no customer …' });
    const redacted = await logged(fails, ['a'], { history: { redact } }, texts);
    expect(redacted.lines).toMatchObject([{ reason: 'no customer …' }]);
    expect(redacted.text.join()).not.toContain('4111');
  });

  it('has no texts of errors because of a hook that is not there', async () => {
    const fails = () => Promise.reject(new Error('secret'));
    const { text } = await logged(fails, ['a'], { history: { stacks: true } });
    expect(text.join()).not.toContain('secret');
  });

  it('says which status an HTTP answer had, and not its text, which may repeat the payload', async () => {
    const answered = (message: string) => Object.assign(new Error(message), { name: 'HttpError' });
    const fails = () => Promise.reject(answered('HTTP 503 from https://erp.example.com: {"card": "4111"}'));
    const { lines, text } = await logged(fails, ['a']);
    expect(lines).toMatchObject([{ error: 'HttpError', reason: 'HTTP 503' }]);
    const cause = answered('HTTP 422 from https://erp.example.com: no 4111');
    const dead = await logged(() => new Dead('HTTP 422: no 4111', { cause }), ['a']);
    expect(dead.lines).toMatchObject([{ error: 'HttpError', reason: 'HTTP 422', status: 'DEAD' }]);
    expect([text, dead.text].join()).not.toMatch(/4111|example/);
  });

  it('names the trace of its record', async () => {
    const bench = workbench(queues);
    await bench.insert({ id: 'a', traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` });
    const process = () => Promise.reject(new Error('no'));
    const handler = backlogHandler({ queue: 'default', process, ...bench.overrides });
    await handler({ queue: 'default' }, context);
    expect(bench.log()[0]).toMatchObject({ message: 'attempt failed', traceId: TRACE_ID });
  });

  it('is one bounded line whatever the record and the error hold', async () => {
    const hostile = `a"\\\n\u2028\u202e{"level":"INFO"}${'\u0001'.repeat(1_000)}`;
    const id = `${hostile}${'é'.repeat(400)}`;
    const { lines, text, store } = await logged(
      () => {
        throw Object.assign(new Error(hostile.repeat(1_000)), { name: hostile.repeat(100) });
      },
      [id],
      { history: { redact: (kept: object) => kept } },
    );
    expect(await store.records.get(id)).toMatchObject({ status: 'ERROR' });
    expect(lines).toMatchObject([{ id, level: 'WARN', message: 'attempt failed' }]);
    const [line = ''] = text;
    expect(line.split(/[\n\r]/)).toHaveLength(1);
    // The id is whole, as it is the key; six bytes for each control character.
    expect(Buffer.byteLength(line)).toBeLessThan(6 * 2_048 + 2_500);
  });

  it('is neither a snooze, nor a cancellation, nor a success', async () => {
    const endings: Record<string, Process> = {
      snoozed: () => new Snooze('1h'),
      cancelled: () => new Cancel('not wanted'),
      succeeded: () => {},
    };
    const process: Process = (record, attempt) => endings[record.id]?.(record, attempt);
    expect((await logged(process, Object.keys(endings))).lines).toEqual([]);
  });
});

describe('an outage', () => {
  it('writes a hundred lines in a run, and counts the rest by the class of the error', async () => {
    const ids = Array.from({ length: 130 }, (_, i) => `r-${i}`);
    let attempts = 0;
    const { lines } = await logged(() => {
      attempts++;
      throw attempts % 2 === 0 ? new TypeError('a') : new RangeError('b');
    }, ids);
    const single = lines.filter(({ message }) => message === 'attempt failed');
    expect(single).toHaveLength(100);
    const rest = lines.filter(({ message }) => message === 'more attempts failed');
    expect(rest.map(({ error, failures, queue, level }) => [error, failures, queue, level]).sort()).toEqual([
      ['RangeError', 15, 'default', 'WARN'],
      ['TypeError', 15, 'default', 'WARN'],
    ]);
    expect(lines).toHaveLength(102);
  });

  it('counts the errors of invented names together, beyond twenty', async () => {
    const ids = Array.from({ length: 150 }, (_, i) => `r-${i}`);
    let attempts = 0;
    const { lines } = await logged(() => {
      throw Object.assign(new Error(), { name: `E${attempts++}` });
    }, ids);
    const rest = lines.filter(({ message }) => message === 'more attempts failed');
    expect(rest).toHaveLength(21);
    expect(rest.find(({ error }) => error === 'others')).toMatchObject({ failures: 30 });
  });
});
