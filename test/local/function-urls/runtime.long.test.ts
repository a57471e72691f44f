import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { RuntimeOptions } from '../../../tools/src/local/runtime-options.js';
import type { Notice } from '../../../tools/src/local/sandbox/function-logs.js';
import { functionResource, writeAssembly } from '../assembly-fixture.js';
import { runtimes, start, stopRuntimes } from '../runtime-under-test.js';

stopRuntimes();

/** It finds the SDK as the bundles of this package do. */
const HANDLER = `import { createRequire } from 'node:module';
export const handler = async ({ rawPath, body }) => {
  if (rawPath === '/throws') throw new TypeError('no such thing');
  if (rawPath === '/never') await new Promise((resolve) => setTimeout(resolve, 100_000));
  if (rawPath === '/exits') process.exit(3);
  if (rawPath === '/invalid') return { statusCode: 200, body: 7 };
  const require = createRequire(import.meta.url);
  if (rawPath === '/other') return require('@aws-sdk/client-dynamodb');
  const { SecretsManagerClient, GetSecretValueCommand } = require('@aws-sdk/client-secrets-manager');
  const command = new GetSecretValueCommand({ SecretId: process.env.SIGNING });
  const { SecretString: secret } = await new SecretsManagerClient().send(command);
  return { secret, link: process.env.LINK, rawPath, body };
};`;

const app = () =>
  writeAssembly(
    {
      Approve12345678: {
        ...functionResource,
        Properties: {
          ...functionResource.Properties,
          Timeout: 10,
          Environment: {
            Variables: {
              LINK: { 'Fn::GetAtt': ['ApproveUrl', 'FunctionUrl'] },
              SIGNING: { Ref: 'SigningABCD1234' },
            },
          },
        },
      },
      ApproveUrl: {
        Type: 'AWS::Lambda::Url',
        Properties: { TargetFunctionArn: { 'Fn::GetAtt': ['Approve12345678', 'Arn'] }, AuthType: 'NONE' },
      },
      SigningABCD1234: {
        Type: 'AWS::SecretsManager::Secret',
        Properties: { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true } },
      },
    },
    HANDLER,
  );

async function run(options: Partial<RuntimeOptions> = {}) {
  const runtime = await start({}, { app: await app(), functionUrlPort: 0, speed: 1, ...options });
  const [found] = runtime.status().functionUrls ?? [];
  if (!found) throw new Error('expected a function URL');
  return { runtime, ...found };
}
const ask = async (url: string) => (await fetch(url)).json() as Promise<Record<string, string>>;

describe('a function URL of the local runtime', () => {
  it('is answered by its function, which knows it and its secret', async () => {
    const { runtime, functionName, url } = await run();
    expect(functionName).toBe('Approve');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/Approve\/$/);
    expect(new URL(url).port).not.toBe(new URL(runtime.status().statusPage).port);
    const { secret = '', ...rest } = await ask(`${url}some/path`);
    expect(rest).toEqual({ link: url, rawPath: '/some/path' });
    expect(secret).toMatch(/^[A-Za-z0-9]{64}$/);
    for (const page of ['', 'status.json', 'runtime', 'activity.json']) {
      const text = await (await fetch(runtime.status().statusPage + page)).text();
      expect(text).not.toContain(secret);
    }
    // The pages of the console are not there.
    expect((await fetch(new URL('/status.json', url))).status).toBe(404);
  });

  it('and its secret are the same after a restart on the same folder', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'backlog-urls-'));
    const first = await run({ dataDir });
    const before = await ask(first.url);
    await runtimes.splice(0)[0]?.stop();
    await expect(fetch(first.url)).rejects.toThrow();
    const again = await run({ dataDir, functionUrlPort: Number(new URL(first.url).port) });
    expect(again.url).toBe(first.url);
    expect(await ask(again.url)).toEqual(before);
    const file = join(dataDir, 'secrets.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ Signing: before.secret });
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o077).toBe(0);
    const logged = await readFile(join(dataDir, 'logs', 'Approve.log'), 'utf8').catch(() => '');
    expect(logged).not.toContain(before.secret);
  });

  it('has another secret without a folder, and that of a file where it has one', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'backlog-urls-')), 'secrets.json');
    const [one, other] = [await run(), await run()];
    expect((await ask(one.url)).secret).not.toBe((await ask(other.url)).secret);
    await writeFile(file, JSON.stringify({ Signing: 'from a file' }));
    const { url } = await run({ secrets: file });
    expect((await ask(url)).secret).toBe('from a file');
  });

  it('says that its function failed, and the log says why', async () => {
    const notices: Notice[] = [];
    const { runtime, url } = await run({ onNotice: (notice) => notices.push(notice) });
    for (const path of ['throws', 'exits', 'never', 'invalid', 'other']) {
      const answer = await fetch(`${url}${path}?link=hidden`);
      expect([answer.status, await answer.text()]).toEqual([
        502,
        'Internal Server Error: the log of Approve has the reason\n',
      ]);
    }
    expect((await ask(url)).rawPath).toBe('/');
    const log = await vi.waitUntil(
      async () => {
        const text = await readFile(join(runtime.status().logs, 'Approve.log'), 'utf8').catch(() => '');
        return text.trim().split('\n').length >= 5 ? text : undefined;
      },
      { timeout: 120_000 },
    );
    expect(
      log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { level: 'ERROR', message: 'a request failed', error: { name: 'TypeError', message: 'no such thing' } },
      { message: 'a request failed', error: { message: expect.stringContaining('exit status 3') } },
      { message: 'a request failed', error: { message: 'Task timed out after 10 seconds' } },
      {
        message: 'the answer to a request cannot be sent',
        error: { message: expect.stringMatching(/^body: /) },
      },
      // Lambda has it; here, a bundle has it, as with the imports of `dynamo-backlog`.
      { error: { message: expect.stringContaining("Cannot find module '@aws-sdk/client-dynamodb'") } },
    ]);
    expect(log).not.toContain('hidden');
    expect(notices.map(({ text }) => text)).toContain('a request failed: no such thing');
  });

  it('needs the port that was chosen', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    await expect(run({ functionUrlPort: port })).rejects.toThrow(
      `port ${port} is taken by another program: choose another with --function-url-port`,
    );
    taken.close();
  });
});
