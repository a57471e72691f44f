import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { openScratch } from '../../tools/src/local/scratch.js';

it('a temporary folder whose runtime was killed is removed by the next, others are left alone', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'backlog-scratch-'));
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await mkdir(join(parent, `dynamo-backlog-run-${child.pid}-abc`, 'cdk.out'), { recursive: true });
  await mkdir(join(parent, `dynamo-backlog-run-${process.ppid}-abc`));
  await mkdir(join(parent, 'something-else'));
  const scratch = await openScratch(parent);
  expect((await readdir(parent)).sort()).toEqual(
    [`dynamo-backlog-run-${process.ppid}-abc`, basename(scratch), 'something-else'].sort(),
  );
});
