import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FunctionLogs, type Notice } from '../../tools/src/local/sandbox/function-logs.js';

async function world() {
  const folder = join(await mkdtemp(join(tmpdir(), 'backlog-logs-')), 'logs');
  const notices: Notice[] = [];
  return { folder, notices, logs: new FunctionLogs(folder, (notice) => notices.push(notice)) };
}

it('lines with metrics are handed on, and no others', async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'backlog-logs-')), 'logs');
  const metrics: string[] = [];
  const logs = new FunctionLogs(
    folder,
    () => {},
    undefined,
    (line) => metrics.push(line),
  );
  const line = '{"_aws":{"Timestamp":1,"CloudWatchMetrics":[]}}';
  for (const text of [line, '{"level":"INFO","message":"run"}', 'plain "_aws"'])
    logs.write('A', text, 'stdout');
  await logs.close();
  expect(metrics).toEqual([line]);
});

describe('what the code of an app writes', () => {
  const shown = async (...lines: Parameters<FunctionLogs['write']>[]) => {
    const output: string[] = [];
    const folder = join(await mkdtemp(join(tmpdir(), 'backlog-logs-')), 'logs');
    const notices: string[] = [];
    const logs = new FunctionLogs(
      folder,
      ({ text }) => notices.push(text),
      ({ where, record, text }) => output.push([where, record, text].filter(Boolean).join(' ')),
    );
    for (const line of lines) logs.write(...line);
    await logs.close();
    return { output, notices };
  };
  const source = { id: 'order-7', queue: 'orders' };

  it('is shown with the queue and the record, or with the function alone', async () => {
    const { output } = await shown(
      ['A', 'sending', 'stdout', source],
      ['A', '{"level":"INFO","message":"sent","timestamp":"x","order":"o","attempt":1}', 'stdout', source],
      ['A', 'loaded', 'stdout'],
      ['A', '{"level":"INFO","message":"run","attempted":1}', 'stdout'],
    );
    expect(output).toEqual([
      'orders order-7 sending',
      'orders order-7 INFO sent order=o attempt=1',
      'A loaded',
    ]);
  });

  it('is limited to 20 lines a second', async () => {
    const { output } = await shown(
      ...Array.from({ length: 100 }, () => ['A', 'x', 'stdout', source] as const).map(
        (one) => [...one] as Parameters<FunctionLogs['write']>,
      ),
    );
    expect(output).toHaveLength(20);
  });

  it('beside it, a warning of the library prints its fields', async () => {
    const line = '{"level":"WARN","message":"no rule serves this queue","queue":"default","id":"z"}';
    const { notices } = await shown(['A', line, 'stdout']);
    expect(notices).toEqual(['no rule serves this queue queue=default id=z']);
  });
});

describe('what functions log', () => {
  it('is lost without harm where its folder has gone, also when a file is full', async () => {
    const { folder, logs } = await world();
    logs.write('A', 'x'.repeat(20_000_000), 'stdout');
    await rm(folder, { recursive: true });
    logs.write('A', 'next', 'stdout');
    logs.write('B', 'other', 'stdout');
    await logs.close();
  });

  it('goes into one file per function, whole', async () => {
    const { folder, logs } = await world();
    logs.write('A', '{"level":"INFO","message":"run"}', 'stdout');
    logs.write('A', 'plain', 'stderr');
    logs.write('B', 'other', 'stdout');
    await logs.close();
    expect(await readFile(join(folder, 'A.log'), 'utf8')).toBe('{"level":"INFO","message":"run"}\nplain\n');
    expect(await readFile(join(folder, 'B.log'), 'utf8')).toBe('other\n');
  });

  it('is shown if it is a warning or an error', async () => {
    const { logs, notices } = await world();
    logs.write('A', '{"level":"INFO","message":"fine"}', 'stdout');
    logs.write('A', '{"level":"WARN","message":"attributes ignored"}', 'stdout');
    logs.write('A', '{"level":"ERROR","message":"run failed","error":{"message":"no table"}}', 'stdout');
    logs.write('A', 'TypeError: x is not a function', 'stderr');
    logs.write('A', '    at somewhere', 'stderr');
    await logs.close();
    expect(notices.map(({ level, text }) => `${level} ${text}`)).toEqual([
      'WARN attributes ignored',
      'ERROR run failed: no table',
      'ERROR TypeError: x is not a function',
    ]);
  });

  it('is not shown if it is a failed attempt: the line of its run counts it', async () => {
    const { logs, notices } = await world();
    logs.write('A', '{"level":"WARN","message":"attempt failed","id":"a"}', 'stdout');
    logs.write('A', '{"level":"ERROR","message":"attempt failed","id":"b"}', 'stdout');
    logs.write('A', '{"level":"WARN","message":"more attempts failed","failures":3}', 'stdout');
    await logs.close();
    expect(notices).toEqual([]);
  });

  it('does not fill the disk: a large file is put aside', async () => {
    const { folder, logs } = await world();
    await writeFile(join(folder, 'A.log'), Buffer.alloc(20_000_000, 'x'));
    logs.write('A', 'new', 'stdout');
    await logs.close();
    expect(await readFile(join(folder, 'A.log'), 'utf8')).toBe('new\n');
    expect((await readFile(join(folder, 'A.log.old'))).length).toBe(20_000_000);
  });
});
