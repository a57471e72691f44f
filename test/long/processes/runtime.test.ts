import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, vi } from 'vitest';
import { createDynamoDbClient } from '../../../src/store/index.js';
import { functionResource, tableResource, writeAssembly } from '../../local/assembly-fixture.js';
import { failWritesFrom, ioError } from '../../local/dynalite/failing-disk.js';
import { poll, runtimes, start, stopRuntimes } from '../../local/runtime-under-test.js';

stopRuntimes();

describe('the local runtime', () => {
  it('hands what any client puts into a table over to the function of its stream', async () => {
    const mapping = {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Records0A1B2C3D', 'StreamArn'] },
        FunctionName: { Ref: 'Worker11112222' },
      },
    };
    const stream = { ...tableResource.Properties, StreamSpecification: { StreamViewType: 'NEW_IMAGE' } };
    const handler = `import { appendFileSync } from 'node:fs';
      export const handler = async (event) => {
        if (!event.Records) return {};
        for (const { dynamodb } of event.Records) appendFileSync(process.env.SEEN, JSON.stringify(dynamodb.NewImage) + '\\n');
      };`;
    const folder = await mkdtemp(join(tmpdir(), 'backlog-stream-'));
    const seen = join(folder, 'seen');
    const worker = { ...functionResource.Properties, Environment: { Variables: { SEEN: seen } } };
    const app = await writeAssembly(
      {
        Records0A1B2C3D: { ...tableResource, Properties: stream },
        Worker11112222: { ...functionResource, Properties: worker },
        Map: mapping,
      },
      handler,
    );
    const dataDir = join(folder, 'data');
    const lines = () =>
      readFileSync(seen, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const first = await start({}, { app, dataDir });
    const client = createDynamoDbClient({ endpoint: first.status().endpoint });
    const Item = { id: { S: 'a' }, payload: { S: 'ü' } };
    await client.send(new PutItemCommand({ TableName: 'Records', Item }));
    client.destroy();
    await vi.waitFor(() => expect(lines()).toEqual([Item]), { timeout: 120_000 });
    // What a killed runtime had not handed over is handed over by the next one.
    await first.stop();
    await start({}, { app, dataDir });
    await vi.waitFor(() => expect(lines()).toEqual([Item, Item]), { timeout: 120_000 });
  });

  it('goes on when a handler ends its process or throws, and says so', async () => {
    const runtime = await start({ PollAAAA0000: poll('exits'), Other: poll('throws') });
    await vi.waitFor(
      () => {
        const texts = new Set(runtime.status().runs.map(({ text }) => text));
        expect(texts).toContain('Runtime exited with exit status 3');
        expect(texts).toContain('failed: TypeError: no such thing');
      },
      { timeout: 120_000 },
    );
    const { rules, totals } = runtime.status();
    expect(totals.broken).toBeGreaterThanOrEqual(2);
    for (const rule of rules) expect(rule.failed).toBeGreaterThanOrEqual(1);
  });

  it('ends by itself when its disk is full, and says what to do; nothing it started goes on', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-full-'));
    const runtime = await start({ PollAAAA0000: poll('idle') }, { dataDir });
    const { endpoint, statusPage } = runtime.status();
    const disk = failWritesFrom(1, ioError('No space left on device'));
    const Item = { id: { S: 'a' } };
    const client = createDynamoDbClient({ endpoint });
    await expect(client.send(new PutItemCommand({ TableName: 'Records', Item }))).rejects.toThrow();
    client.destroy();
    expect((await runtime.failure).message).toMatch(
      /dynamodb cannot be used: its disk is full .*All that was accepted before is kept/,
    );
    runtimes.length = 0;
    runtime.hurry();
    await runtime.stop();
    disk.restore();
    await expect(fetch(statusPage)).rejects.toThrow();
    const again = await start({}, { dataDir });
    expect(again.status().tables).toEqual(['Records']);
  });

  it('names the runtime that has the data folder, and takes over the folder of one that was killed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-shared-'));
    const first = await start({}, { dataDir });
    await expect(start({}, { dataDir })).rejects.toThrow(
      `it is in use by the local runtime with pid ${process.pid}, started in ${process.cwd()}: stop that`,
    );
    await first.stop();
    runtimes.length = 0;
    await start({}, { dataDir });
  });

  it('lets time and rules go on where they were, with a folder for its data', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-data-'));
    const first = await start({}, { dataDir, speed: 100_000 });
    await vi.waitFor(() => expect(first.status().totals.runs).toBeGreaterThanOrEqual(1), {
      timeout: 120_000,
    });
    const before = first.status().now;
    await first.stop();
    runtimes.length = 0;
    const second = await start({}, { dataDir });
    expect(second.status().startedAt >= before).toBe(true);
    await vi.waitFor(() => expect(second.status().totals.runs).toBeGreaterThanOrEqual(1), {
      timeout: 120_000,
    });
  });
});
