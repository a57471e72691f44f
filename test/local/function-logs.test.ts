import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FunctionLogs, type Notice } from '../../src/tools/local/sandbox/function-logs.js';

async function world() {
  const folder = join(await mkdtemp(join(tmpdir(), 'backlog-logs-')), 'logs');
  const notices: Notice[] = [];
  return { folder, notices, logs: new FunctionLogs(folder, (notice) => notices.push(notice)) };
}

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
