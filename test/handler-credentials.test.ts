import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handlerBundle } from '../scripts/handlers.mjs';

/** Prints what a client finds, when it is bundled as the handlers are. */
const PROBE = `
  import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
  const found = await new DynamoDBClient({ region: 'us-east-1' }).config
    .credentials()
    .catch(({ name, message }) => ({ name, message }));
  process.stdout.write(JSON.stringify(found));
`;

describe('a client in the bundle of a handler', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backlog-credentials-'));
    const { entryPoints: _, splitting: __, ...options } = handlerBundle(['fibonacci']);
    const stdin = { contents: PROBE, resolveDir: '.' };
    await build({ ...options, stdin, outfile: join(folder, 'probe.mjs') });
    await mkdir(join(folder, '.aws'));
    const profile = '[default]\naws_access_key_id = profile\naws_secret_access_key = profile\n';
    await writeFile(join(folder, '.aws', 'credentials'), profile);
  });

  const credentialsWith = async (variables: Readonly<Record<string, string>>) => {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      ...variables,
    };
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'probe.mjs')], { env });
    return JSON.parse(stdout);
  };

  it("has the credentials of the environment, which are Lambda's", async () => {
    const found = await credentialsWith({
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'token',
    });
    expect(found).toMatchObject({ accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' });
  });

  it('says at once that there are none, whatever the home folder or the network would offer', async () => {
    expect(await credentialsWith({})).toEqual({
      name: 'CredentialsProviderError',
      message: 'Could not load credentials from any providers',
    });
  });

  describe('whose runtime hands credentials out at an address', () => {
    const answer = {
      AccessKeyId: 'handed out',
      SecretAccessKey: 'secret',
      Token: 'token',
      Expiration: '2099-01-01T00:00:00Z',
    };
    const server = createServer((request, response) => {
      response.statusCode = request.headers.authorization === 'open sesame' ? 200 : 403;
      response.end(JSON.stringify(answer));
    });
    beforeAll(() => new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening)));
    afterAll(() => new Promise((closed) => server.close(closed)));

    it('has those', async () => {
      const { port } = server.address() as AddressInfo;
      const found = await credentialsWith({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/role`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'open sesame',
      });
      expect(found).toMatchObject({ accessKeyId: 'handed out', expiration: '2099-01-01T00:00:00.000Z' });
    });
  });
});
