import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BIOME = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');

const REFUSED = [
  ['src/support', '../policies/index.js'],
  ['src/policies', '../record/index.js'],
  ['src/policies', '../store/store.js'],
  ['src/record', '../store/store.js'],
  ['src/store/dynamodb', '../../worker/index.js'],
  ['src/worker', '@aws-sdk/client-dynamodb'],
  ['src/worker', '../../tools/src/local/runtime.js'],
  ['src/delivery', '../store/store.js'],
  ['src/batches', '../store/store.js'],
  ['src/batches', '../delivery/index.js'],
  ['src/worker', '../batches/index.js'],
  ['src/tasks', '../batches/index.js'],
  ['src/client', '@aws-sdk/lib-dynamodb'],
  ['src/client', '../operate/index.js'],
  ['src/worker', '../operate/index.js'],
  ['src/operate', '../overview/snapshot.js'],
  ['cdk', '../src/overview/snapshot.js'],
  ['src/leases', '../worker/run.js'],
  ['src/leases', '../intake/index.js'],
  ['src/intake', '../worker/run.js'],
  ['src/intake', '@aws-sdk/client-dynamodb'],
  ['src/operate', '@aws-sdk/lib-dynamodb'],
  ['src/operate', '../../tools/src/cli/output.js'],
  ['src/operate', 'zod'],
  ['src/client', '../worker/index.js'],
  ['src/tasks', '../store/store.js'],
  ['src/tasks', '../client/index.js'],
  ['src/tasks', '../../functions/plan.js'],
  ['tools/src/local', '../../../functions/settings.js'],
  ['tools/src/local', '@aws-sdk/lib-dynamodb'],
  ['src/policies', '../../tools/src/lab/schedule-of.js'],
  ['src/worker', '../../tools/src/lab/schedule-of.js'],
  ['tools/src/local', '../lab/schedule-of.js'],
  ['functions', '../tools/src/lab/schedule-of.js'],
  ['tools/src/lab', '../../../src/store/store.js'],
  ['tools/src/lab', '../../../src/store/dynamodb/index.js'],
  ['tools/src/lab', '../local/runtime.js'],
  ['tools/src/lab', '../charts/plot.js'],
  ['tools/src/local', '../charts/plot.js'],
  ['src/worker', '../../tools/src/charts/plot.js'],
  ['functions', '../tools/src/charts/plot.js'],
  ['tools/src/lab', '../../../src/testing/index.js'],
  ['src/worker', '../testing/index.js'],
  ['src/client', '../testing/index.js'],
  ['src/operate', '../testing/index.js'],
  ['functions', '../src/testing/index.js'],
  ['cdk', '../src/testing/index.js'],
  ['tools/src/cli', '../../../src/testing/index.js'],
  ['src/testing', '@aws-sdk/client-dynamodb'],
  ['src/testing', '../../tools/src/local/runtime.js'],
  ['src/testing', '../../tools/src/cli/output.js'],
  ['src/testing', 'zod'],
  ['tools/src/charts', '../../../src/worker/index.js'],
  ['tools/src/cli', '../../../src/operate/index.js'],
  ['tools/src/lab', '../../../src/store/memory/store.js'],
  ['tools/src/lab', '../../../src/worker/index.js'],
  ['tools/src/lab', '../../../src/policies/index.js'],
  ['tools/src/charts', '../cli/output.js'],
  ['tools/src/cli', '../../../cdk/index.js'],
  ['tools/src/work', '../../../functions/make-handler.js'],
  ['tools/src/work', '../cli/output.js'],
  ['src', 'aws-cdk-lib/aws-sqs'],
  ['functions', '../cdk/index.js'],
  ['functions', '@aws-sdk/client-dynamodb'],
  ['cdk', '@middy/core'],
  ['src', 'zod'],
  ['src/policies', 'zod'],
  ['src/record', 'zod'],
  ['src/store', 'zod'],
  ['src/worker', 'zod'],
  ['src/delivery', 'zod'],
  ['src/client', 'zod'],
  ['src/tasks', 'zod'],
  ['functions', 'zod'],
  ['functions', '@smithy/types'],
  ['src/store', '@aws-lambda-powertools/logger'],
  ['src/testing', 'aws-lambda'],
  ['tools/src/cli/diff', '@aws-sdk/client-cloudformation'],
  ['src/policies', '../../cdk/index.js'],
  ['src/store', '../leases/lease.js'],
  ['src/store', '../registry/index.js'],
  ['src/intake', '../delivery/index.js'],
  ['src/client', '../../tools/src/cli/output.js'],
  ['tools/src/console', '../../../src/testing/index.js'],
  ['tools/src/console', '../../../src/overview/snapshot.js'],
  ['cdk/support', '../../src/operate/index.js'],
  ['cdk/support', '../props/queue.js'],
  ['cdk/props', '../tables/tables.js'],
  ['cdk/tables', '../functions/workers.js'],
  ['cdk/functions', '../triggers/tick.js'],
  ['cdk/triggers', '../monitoring/alarms.js'],
  ['cdk/monitoring', '../sharing/backlog-base.js'],
  ['cdk/sharing', '../app/backlog-stack.js'],
  ['cdk/sharing', '../backlog.js'],
] as const;
const ALLOWED = [
  ['src/record', '../policies/index.js'],
  ['src/policies', '../support/validation.js'],
  ['src/store/dynamodb', '@aws-sdk/client-dynamodb'],
  ['src/worker', '../store/store.js'],
  ['src/worker', '../intake/indexing.js'],
  ['src/worker', '../leases/lease.js'],
  ['src/intake', '../leases/claim.js'],
  ['tools/src/charts', '../lab/schedule-of.js'],
  ['tools/src/cli', '../../../src/store/dynamodb/inspect.js'],
  ['tools/src/local', '../../../src/store/dynamodb/emulator.js'],
  ['tools/src/cli', 'dynamo-backlog/engine'],
  ['tools/src/cli', '../lab/schedule-of.js'],
  ['tools/src/cli', '../charts/picture.js'],
  ['src/operate', '../leases/lease.js'],
  ['src/overview', '../operate/index.js'],
  ['src/client', '../tasks/index.js'],
  ['functions', '../src/worker/index.js'],
  ['functions', '../src/tasks/work.js'],
  ['cdk', '../functions/settings.js'],
  ['src/testing', '../../functions/seams.js'],
  ['tools/src/work', '../../../functions/seams.js'],
  ['src/testing', '../worker/index.js'],
  ['src/testing', '../support/virtual-time.js'],
  ['functions', '../src/overview/snapshot.js'],
  ['functions', 'zod/mini'],
  ['tools/src/local', 'zod'],
  ['cdk', 'zod'],
  ['cdk/app', '../backlog.js'],
  ['cdk/monitoring', '../triggers/tick.js'],
  ['cdk/tables', '../../functions/settings.js'],
  ['src/testing', '@aws-lambda-powertools/logger'],
  ['tools/src/console', '../cli/output.js'],
] as const;

/** Other ways to import. */
const OTHERWISE = [
  ['src/policies/later.ts', "export const later = () => import('../record/index.js');", true],
  ['src/policies/named.ts', "import { named } from '../record/index.js';", true],
  ['src/policies/type.ts', "import type { Named } from '../record/index.js';", true],
  ['tools/src/cli/diff/deployed-stack.ts', "import '@aws-sdk/client-cloudformation';", false],
  ['tools/src/cli/cloudwatch/ask.ts', "import '@aws-sdk/client-cloudwatch';", false],
  ['tools/src/cli/mute/rule.ts', "import '@aws-sdk/client-cloudwatch';", true],
  ['tools/src/local/streams/table-stream.ts', "import '@aws-sdk/client-dynamodb-streams';", false],
  ['tools/src/local/table-stream.ts', "import '@aws-sdk/client-dynamodb-streams';", true],
  ['tools/src/cli/deployed-stack.ts', "import '@aws-sdk/client-cloudformation';", true],
] as const;

describe('the linter keeps the arrows pointing one way', () => {
  const root = mkdtempSync(join(tmpdir(), 'backlog-imports-'));
  const fileOf = (folder: string, imported: string) => `${folder}/${imported.replaceAll(/\W+/g, '-')}.ts`;
  let complaints: readonly string[];

  beforeAll(() => {
    copyFileSync('biome.json', join(root, 'biome.json'));
    cpSync('scripts/boundaries', join(root, 'scripts/boundaries'), { recursive: true });
    for (const [folder, imported] of [...REFUSED, ...ALLOWED]) {
      const file = join(root, fileOf(folder, imported));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `export * from '${imported}';\n`);
    }
    for (const [file, text] of OTHERWISE) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `${text}\n`);
    }
    const args = [BIOME, 'lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    complaints = stdout.split('\n').filter((line) => line.includes('title=plugin'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const isRefused = (file: string) => complaints.some((line) => line.includes(`/${file},`));

  it.each(REFUSED)('%s may not import %s', (folder, imported) => {
    expect(isRefused(fileOf(folder, imported))).toBe(true);
  });

  it.each(ALLOWED)('%s may import %s', (folder, imported) => {
    expect(isRefused(fileOf(folder, imported))).toBe(false);
  });

  it.each(OTHERWISE)('%s: %s', (file, _, expected) => {
    expect(isRefused(file)).toBe(expected);
  });
});

it('EventBridge rules are declared in cdk/rules.ts, and nowhere else', () => {
  const folder = new URL('../cdk/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const declaring = files.filter((name) =>
    /new (?:Cfn)?Rule\(/.test(readFileSync(new URL(name, folder), 'utf8')),
  );
  expect(declaring).toEqual(['rules.ts']);
});

/**
 * Imports of tools from the insides of the library: items as DynamoDB has them (37), the functions that a worker process runs (9), and those
 * of the intake that `backlog simulate --keys` plays (4).
 * The number may only fall: what else tools need belongs to a public entry.
 */
const INSIDE_IMPORTS = 50;

it('tools import the library by its public entries; the number of other imports only falls', () => {
  const folder = new URL('../tools/src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const inside = files.flatMap(
    (name) =>
      readFileSync(new URL(name, folder), 'utf8').match(
        /(?:from |import\()'(?:\.\.\/)+(?:src|functions|cdk)\//g,
      ) ?? [],
  );
  expect(inside.length).toBe(INSIDE_IMPORTS);
});
