import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the validator of the CDK and cdk-nag find nothing in what the app synthesizes', async () => {
  const env = {
    ...process.env,
    CDK_OUTDIR: await mkdtemp(join(tmpdir(), 'backlog-template-')),
    CDK_CONTEXT_JSON: JSON.stringify({ deliverTo: 'https://erp.example.com/orders' }),
    CDK_VALIDATION: 'true',
  };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['dist/cdk/app.js'], { env });
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
});
