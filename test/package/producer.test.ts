import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addFixture, makeApp } from './apps.js';
import { LocalBacklog } from './local-backlog.js';
import { mustRun, run } from './run.js';

describe('a producer that installs the package alone', () => {
  let producer: string;
  beforeAll(async () => {
    producer = await makeApp('producer', [inject('packed').file, '@types/node@20'], '--omit=optional');
    await addFixture('producer', producer);
  });

  it('gets neither the CDK nor a bundler, and no more than 60 packages and 45 MB', async () => {
    const { out } = await mustRun('npm', ['ls', '--all', '--parseable'], { cwd: producer });
    const packages = out.trim().split('\n').slice(1);
    expect(
      packages.filter((path) => /node_modules\/(aws-cdk-lib|constructs|esbuild|dynalite|d3)$/.test(path)),
    ).toEqual([]);
    expect(packages.length).toBeLessThan(60);
    const size = await mustRun('du', ['-sk', 'node_modules'], { cwd: producer });
    expect(Number.parseInt(size.out, 10)).toBeLessThan(45 * 1024);
  });

  it('inserts, and is told what was there already', async () => {
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
      ],
      inserted: 2,
    });
    expect((await backlog.records()).map(({ id }) => id).toSorted()).toEqual([
      'order-7',
      'order-8',
      'order-9',
    ]);
  });

  it('is told which package a command needs that was left out', async () => {
    const backlog = (...args: string[]) => run('node_modules/.bin/backlog', args, { cwd: producer });
    expect(await backlog('policy', 'fibonacci')).toMatchObject({ code: 0 });
    const install = 'which the installation left out: npm install --include=optional';
    const chart = await backlog('policy', 'fibonacci', '--chart', 'policy.svg');
    expect([chart.code, chart.err]).toEqual([1, expect.stringContaining(install)]);
    const started = await backlog('start');
    expect([started.code, started.err]).toEqual([1, expect.stringContaining(`dynalite, ${install}`)]);
  });
});
