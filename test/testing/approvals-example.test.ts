import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { answered } from '../../examples/approvals/approve.js';
import { handler } from '../../examples/approvals/payments.js';
import { readLink } from '../../functions/completion-url/link.js';
import { testBacklog } from '../../src/testing/index.js';

const SECRET = 'the-secret-that-signs-links-of-tests';
const said: string[] = [];
let chat: Server;

beforeAll(async () => {
  chat = createServer(async (request, response) => {
    said.push(((await json(request)) as { text: string }).text);
    response.writeHead(said.length === 1 ? 500 : 200).end();
  }).listen(0, '127.0.0.1');
  await once(chat, 'listening');
  vi.stubEnv('CHAT_WEBHOOK', `http://127.0.0.1:${(chat.address() as AddressInfo).port}`);
  vi.stubEnv('BACKLOG_COMPLETION_URL', 'https://links.example.com/');
  vi.stubEnv('BACKLOG_COMPLETION_SECRET_VALUE', SECRET);
});
afterAll(() => {
  vi.unstubAllEnvs();
  chat.closeAllConnections();
  chat.close();
});

it('the example pays what is small, and asks for what is large until the chat has taken the question', async () => {
  const retry = { type: 'fibonacci', maxAttempts: 5 } as const;
  const backlog = testBacklog({ queues: { payments: { handler, retry, deadOn: ['Reject'] } } });
  for (const amount of [20, 5000])
    await backlog.client.insert({ id: `pay-${amount}`, queue: 'payments', payload: { amount, to: 'x' } });
  await backlog.drain();
  expect(backlog.record('pay-20').status).toBe('SUCCESS');
  expect(backlog.record('pay-5000').history[0]).toMatchObject({ message: 'the chat answered 500' });
  await backlog.advance('2m');
  const [question, url = ''] = said.at(-1)?.split('? ') ?? [];
  expect(question).toBe('Pay 5000 to x');
  const link = readLink(new URL(url).searchParams.get('link') ?? '', [SECRET]);
  const token = backlog.token('pay-5000');
  expect(link).toMatchObject({ id: 'pay-5000', token, by: 'finance' });
  expect(await answered(backlog.client, 'pay-5000', token, 'finance')).toBe('pay-5000: approved by finance');
  expect(await answered(backlog.client, 'pay-5000', token, undefined)).toBe('pay-5000: succeeded');
  expect(backlog.record('pay-5000')).toMatchObject({ status: 'SUCCESS', result: { by: 'finance' } });
});
