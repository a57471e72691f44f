import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FetchSecret } from '../../functions/secrets/secrets.js';

interface Asked {
  readonly target: string;
  readonly input: unknown;
}

/** Answers as the two services do. */
const asked: Asked[] = [];
let answers: Record<string, { status: number; body: object }> = {};
let server: Server;
let fetchSecret: FetchSecret;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const input = (await json(request)) as { VersionStage?: string };
    const target = String(request.headers['x-amz-target']);
    asked.push({ target, input });
    const { status, body } = answers[`${target} ${input.VersionStage ?? ''}`.trim()] ?? {
      status: 500,
      body: {},
    };
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', url);
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', url);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  ({ fetchSecret } = await import('../../functions/secrets/aws-secrets.js'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  answers = {};
});

const ok = (body: object) => ({ status: 200, body });
const error = (type: string) => ({ status: 400, body: { __type: type, message: 'no' } });

describe('what is read from AWS', () => {
  it('is one version of a secret, named in the request, as the rights are for those two only', async () => {
    answers = {
      'secretsmanager.GetSecretValue AWSCURRENT': ok({ SecretString: 'new' }),
      'secretsmanager.GetSecretValue AWSPREVIOUS': ok({ SecretString: 'old' }),
    };
    const source = { secretsManager: 'arn:hooks' };
    expect(await fetchSecret(source, 'AWSCURRENT')).toBe('new');
    expect(await fetchSecret(source, 'AWSPREVIOUS')).toBe('old');
    expect(await fetchSecret(source, 'AWSCURRENT')).toBe('new');
    expect(asked.map(({ input }) => input)).toEqual([
      { SecretId: 'arn:hooks', VersionStage: 'AWSCURRENT' },
      { SecretId: 'arn:hooks', VersionStage: 'AWSPREVIOUS' },
      { SecretId: 'arn:hooks', VersionStage: 'AWSCURRENT' },
    ]);
  });

  it('is absent where there is no previous version, and an error where there is no secret', async () => {
    answers = {
      'secretsmanager.GetSecretValue AWSCURRENT': error('ResourceNotFoundException'),
      'secretsmanager.GetSecretValue AWSPREVIOUS': error('ResourceNotFoundException'),
    };
    const source = { secretsManager: 'hooks' };
    expect(await fetchSecret(source, 'AWSPREVIOUS')).toBeUndefined();
    await expect(fetchSecret(source, 'AWSCURRENT')).rejects.toMatchObject({
      cause: { name: 'ResourceNotFoundException', message: 'no' },
    });
  });

  it('is an error for the previous version, too, where it is refused', async () => {
    answers = { 'secretsmanager.GetSecretValue AWSPREVIOUS': error('AccessDeniedException') };
    await expect(fetchSecret({ secretsManager: 'hooks' }, 'AWSPREVIOUS')).rejects.toMatchObject({
      cause: { name: 'AccessDeniedException', $fault: 'client' },
    });
  });

  it('is a parameter, decrypted', async () => {
    answers = { 'AmazonSSM.GetParameter': ok({ Parameter: { Value: 'p' } }) };
    expect(await fetchSecret({ parameter: '/hooks' }, 'AWSCURRENT')).toBe('p');
    expect(asked).toMatchObject([{ input: { Name: '/hooks', WithDecryption: true } }]);
    answers = { 'AmazonSSM.GetParameter': error('ParameterNotFound') };
    await expect(fetchSecret({ parameter: '/hooks' }, 'AWSCURRENT')).rejects.toMatchObject({
      cause: { name: 'ParameterNotFound' },
    });
  });

  it('is no secret that is not text', async () => {
    answers = { 'secretsmanager.GetSecretValue AWSCURRENT': ok({ SecretBinary: 'AQL/' }) };
    expect(await fetchSecret({ secretsManager: 'hooks' }, 'AWSCURRENT')).toBeUndefined();
  });
});
