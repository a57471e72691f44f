import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../src/store/index.js';
import { explain } from '../../tools/src/cli/explain.js';
import { start } from '../../tools/src/cli/start.js';
import { writeAssembly } from '../local/assembly-fixture.js';
import { failWritesFrom, ioError } from '../local/dynalite/failing-disk.js';
import { backlog } from './in-process.js';

beforeEach(async () => {
  vi.stubEnv('BACKLOG_RUNTIME_DIR', await mkdtemp(join(tmpdir(), 'backlog-runtime-')));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('backlog start', () => {
  it('fails with one line that says what to do when its disk is full while it runs', async () => {
    const lines: string[] = [];
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-full-'));
    const app = await writeAssembly({}, 'export const handler = async () => ({});');
    const running = start(
      { app, dynamodbPort: 0, port: 0, dataDir, sample: false },
      { data: (line) => void lines.push(line), message: () => {} },
    ).catch((error: unknown) => error);
    const endpoint = await vi.waitFor(
      () => {
        const found = /DynamoDB +(http:\S+)/.exec(lines.join('\n'))?.[1];
        if (!found) throw new Error('not yet');
        return found;
      },
      { timeout: 60_000 },
    );
    const disk = failWritesFrom(1, ioError('No space left on device'));
    const client = createDynamoDbClient({ endpoint });
    const put = new PutItemCommand({ TableName: 'Records', Item: { id: { S: 'a' } } });
    await expect(client.send(put)).rejects.toThrow();
    client.destroy();
    const text = explain(await running);
    disk.restore();
    expect(text).toMatch(/^error: the data in \S+dynamodb cannot be used: its disk is full .* start again$/);
    expect(text).not.toContain('\n');
    await expect(fetch(endpoint)).rejects.toThrow();
  });

  it('that is interrupted after the synthesis ends with 0, and shows no runtime', async () => {
    const out: string[] = [];
    const said: string[] = [];
    const app = await writeAssembly({}, 'export const handler = async () => ({});');
    const code = await start(
      { app, dynamodbPort: 0, port: 0, sample: false },
      {
        data: (line) => void out.push(line),
        message: (line) => {
          said.push(line);
          // As the signal arrives, without a signal that the runner of these tests would get, too.
          if (line.startsWith('creating its tables')) process.listeners('SIGHUP').at(-1)?.('SIGHUP');
        },
      },
    );
    expect(code).toBe(0);
    expect(said.at(-1)).toBe('creating its tables ...');
    expect(out).toEqual([]);
  });

  it.each([
    ['--deliver-to', 'http://shop:pw-1@erp.example.com/in?token=tok-1'],
    ['--dynamodb-endpoint', 'http://shop:pw-1@127.0.0.1:8000/?token=tok-1'],
    ['--dynamodb-endpoint', 'http://127.0.0.1:8000/in?token=tok-1'],
  ])('shows no more of a URL that it refuses than origin and path: %s %s', async (flag, url) => {
    const { err } = await backlog('start', flag, url);
    expect(err).toContain(flag);
    expect(err).not.toMatch(/tok-1|pw-1/);
  });
});
