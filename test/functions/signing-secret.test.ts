import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { completionUrl } from '../../functions/completion-url/completion-url.js';
import { readLink } from '../../functions/completion-url/link.js';
import { fetchVersion } from '../../functions/completion-url/signing-secret.js';

const SECRET = 'the-secret-that-signs-links-of-tests';
const asked: object[] = [];
let server: Server;

/** Secrets Manager, with a secret that was not rotated yet. */
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const input = (await json(request)) as { SecretId: string; VersionStage: string };
    asked.push(input);
    const isThere = input.SecretId === 'arn:links' && input.VersionStage === 'AWSCURRENT';
    const body = isThere ? { SecretString: SECRET } : { __type: 'ResourceNotFoundException', message: 'no' };
    response.writeHead(isThere ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const [name, value] of [
    ['AWS_ENDPOINT_URL_SECRETS_MANAGER', `http://127.0.0.1:${port}`],
    ['AWS_REGION', 'eu-central-1'],
    ['AWS_ACCESS_KEY_ID', 'test'],
    ['AWS_SECRET_ACCESS_KEY', 'test'],
    ['BACKLOG_COMPLETION_URL', 'https://links.example.com/'],
  ] as const)
    vi.stubEnv(name, value);
});
beforeEach(() => void asked.splice(0));
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

it('is read from Secrets Manager by its stage, and need not have been rotated', async () => {
  expect(await fetchVersion('arn:links', 'AWSCURRENT')).toBe(SECRET);
  expect(await fetchVersion('arn:links', 'AWSPREVIOUS')).toBeUndefined();
  await expect(fetchVersion('arn:other', 'AWSCURRENT')).rejects.toThrow('no');
  expect(asked.splice(0)).toEqual([
    { SecretId: 'arn:links', VersionStage: 'AWSCURRENT' },
    { SecretId: 'arn:links', VersionStage: 'AWSPREVIOUS' },
    { SecretId: 'arn:other', VersionStage: 'AWSCURRENT' },
  ]);
});

it('is read once for many links of a handler', async () => {
  vi.stubEnv('BACKLOG_COMPLETION_SECRET', 'arn:links');
  const urls = await Promise.all(['a', 'b', 'c'].map((id) => completionUrl(id, 'token')));
  const links = urls.map((url) => readLink(new URL(url).searchParams.get('link') ?? '', [SECRET])?.id);
  expect(links).toEqual(['a', 'b', 'c']);
  expect(asked.splice(0)).toEqual([{ SecretId: 'arn:links', VersionStage: 'AWSCURRENT' }]);
  vi.stubEnv('BACKLOG_COMPLETION_SECRET', 'arn:other');
  await expect(completionUrl('a', 'token')).rejects.toThrow('no');
});
