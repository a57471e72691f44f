import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { sourceTrouble } from '../../functions/monitor/event-sources.js';

/** Answers of Lambda's API about each event source mapping. */
const MAPPINGS: Readonly<Record<string, object>> = {
  enabled: { State: 'Enabled', LastProcessingResult: 'OK' },
  fresh: { State: 'Enabled', LastProcessingResult: 'No records processed' },
  new: { State: 'Creating' },
  changing: { State: 'Updating', LastProcessingResult: 'OK' },
  disabled: { State: 'Disabled', LastProcessingResult: 'OK' },
  ending: { State: 'Disabling' },
  failing: { State: 'Enabled', LastProcessingResult: 'PROBLEM: Function call failed' },
};

let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, id = ''] = /^\/2015-03-31\/event-source-mappings\/([^/?]+)/.exec(request.url ?? '') ?? [];
    const found = MAPPINGS[id];
    const refusal = id === 'denied' ? [403, 'AccessDeniedException'] : [404, 'ResourceNotFoundException'];
    const [status, type] = found ? [200, ''] : (refusal as [number, string]);
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(type ? { 'x-amzn-errortype': type } : {}),
      })
      .end(JSON.stringify(found ?? { Message: 'no' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

it.each([
  ['enabled', undefined],
  ['fresh', undefined],
  ['new', undefined],
  ['changing', undefined],
  ['disabled', 'Disabled'],
  ['ending', 'Disabling'],
  ['failing', 'PROBLEM: Function call failed'],
  ['absent', 'Deleted'],
])('an event source mapping that is %s: %s', async (id, trouble) => {
  expect(await sourceTrouble()(id)).toBe(trouble);
});

it('what may not be looked at is an error, not a mapping that works', async () => {
  await expect(sourceTrouble()('denied')).rejects.toThrow(
    expect.objectContaining({ name: 'AccessDeniedException' }),
  );
});
