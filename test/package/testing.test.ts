import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addFixture, makeApp } from './apps.js';
import { mustRun, run } from './run.js';

const app = inject('examplesApp');

/** Far from AWS: no endpoint, no credentials. */
const NO_AWS = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_ENDPOINT_URL: 'http://127.0.0.1:9' };

describe('the testing kit, as it is packed', () => {
  it('with Vitest', async () => {
    const vitest = join(app, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--root', app, 'examples/testing/orders.test.ts'];
    const { out } = await mustRun(process.execPath, args, { cwd: app, env: NO_AWS });
    expect(out).toMatch(/3 passed/);
  });

  it('with node:test', async () => {
    const args = ['--import', 'tsx', '--test', 'examples/testing/mails.test.ts'];
    const { out } = await mustRun(process.execPath, args, { cwd: app, env: NO_AWS });
    expect(out).toMatch(/pass 2/);
  });

  describe('with Jest', () => {
    let jestApp: string;
    beforeAll(async () => {
      jestApp = await makeApp('jest', [inject('packed').file, 'jest@30', '@jest/globals@30']);
      await addFixture('testing', jestApp);
    });

    it('runs, fake timers or not', async () => {
      await writeFile(join(jestApp, 'jest.config.js'), 'export default { transform: {} };\n');
      const env = { ...NO_AWS, NODE_OPTIONS: '--experimental-vm-modules' };
      const { code, err } = await run(process.execPath, ['node_modules/jest/bin/jest.js'], {
        cwd: jestApp,
        env,
      });
      expect(err).toMatch(/1 passed, 1 total/);
      expect(code).toBe(0);
    });
  });
});
