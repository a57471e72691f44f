import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { addFixture, asLocked, makeApp } from './apps.js';
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
      const jest = [
        'jest@30',
        '@jest/globals@30',
        '@types/jest@30',
        '@swc/jest',
        '@swc/core',
        '@types/node@20',
      ];
      const others = await Promise.all(['aws-cdk-lib', 'constructs', 'esbuild', 'typescript'].map(asLocked));
      jestApp = await makeApp('jest', [inject('packed').file, ...jest, ...others]);
      await addFixture('jest', jestApp);
      await cp(join(app, 'examples/handler/orders.ts'), join(jestApp, 'typescript/src/orders.ts'));
    });

    const runs = async (folder: string, environment: Record<string, string> = {}) => {
      const options = { cwd: join(jestApp, folder), env: { ...NO_AWS, ...environment } };
      const { code, err } = await run(process.execPath, ['../node_modules/jest/bin/jest.js'], options);
      expect(code, err).toBe(0);
      return err;
    };

    it('transforms TypeScript and what it needs of node_modules, for handlers and for stacks', async () => {
      expect(await runs('typescript')).toMatch(/2 passed, 2 total/);
    });

    it('knows the types of the matchers, of fake answers and of handlers', async () => {
      const tsc = ['../node_modules/typescript/bin/tsc', '-p', '.'];
      const { code, out } = await run(process.execPath, tsc, { cwd: join(jestApp, 'typescript') });
      expect({ code, out }).toEqual({ code: 0, out: '' });
    });

    it('loads ES modules as they are, fake timers or not', async () => {
      expect(await runs('esm', { NODE_OPTIONS: '--experimental-vm-modules' })).toMatch(/1 passed, 1 total/);
    });
  });
});
