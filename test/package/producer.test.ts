import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addFixture, makeApp, ownPackageJson } from './apps.js';
import { LocalBacklog } from './local-backlog.js';
import { mustRun } from './run.js';

describe('a producer that installs the package alone', () => {
  let producer: string;
  beforeAll(async () => {
    producer = await makeApp('producer', [inject('packed').file, '@types/node@20']);
    await addFixture('producer', producer);
  });

  it('gets neither the CDK nor the tools: at most 53 packages and 42 MB', async () => {
    const { out } = await mustRun('npm', ['ls', '--all', '--parseable'], { cwd: producer });
    const installed = out.trim().split('\n').slice(1);
    const names = installed.map((path) => path.split('node_modules/').at(-1));
    const { peerDependencies } = await ownPackageJson();
    expect(names).toContain('@aws-sdk/client-dynamodb');
    expect(names.filter((name) => name !== undefined && name in peerDependencies)).toEqual([]);
    // And the types of Node, two packages, which the producer of this test asked for.
    expect(installed.length).toBeLessThanOrEqual(55);
    const kilobytes = async (...what: string[]) => {
      const { out } = await mustRun('du', ['-skc', ...what], { cwd: join(producer, 'node_modules') });
      return Number.parseInt(out.trim().split('\n').at(-1) ?? '', 10);
    };
    const size = (await kilobytes('.')) - (await kilobytes('@types/node', 'undici-types'));
    expect(size).toBeLessThan(42 * 1024);
  });

  it('inserts, and learns what was there already', async () => {
    const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', types: ['node'] };
    await writeFile(
      join(producer, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['insert.ts'] }),
    );
    const tsc = join(inject('compilers'), 'node_modules/typescript-7/bin/tsc');
    await mustRun(process.execPath, [tsc, '-p', '.'], { cwd: producer });

    await using backlog = await LocalBacklog.start(inject('examplesApp'), ['--no-sample']);
    const { out } = await mustRun('node', ['insert.js'], {
      cwd: producer,
      env: {
        BACKLOG_TABLE: 'BacklogRecords',
        BACKLOG_ENDPOINT: backlog.endpoint,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
      },
    });
    expect(JSON.parse(out)).toEqual({
      results: [
        { id: 'order-7', inserted: true },
        { id: 'order-7', inserted: false },
        { id: expect.stringMatching(/^mail:/), inserted: true },
        { id: expect.stringMatching(/^mail:/), inserted: false },
      ],
      inserted: 2,
      wrong: 'function',
    });
    expect((await backlog.records()).map(({ id }) => id).toSorted()).toEqual([
      expect.stringMatching(/^mail:/),
      'order-7',
      'order-8',
      'order-9',
    ]);
  });
});
