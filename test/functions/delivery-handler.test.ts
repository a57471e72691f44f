import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { deliveryHandler } from '../../functions/delivery-handler.js';
import type { FetchSecret } from '../../functions/secrets/secrets.js';
import { parseFailing } from '../../src/record/index.js';
import { listen } from '../delivery/support.js';
import { context, environment, TIER_1, workbench } from './support.js';

const answering = (statusOf: (key: string) => number) =>
  listen((request, response) => {
    response.writeHead(statusOf(String(request.headers['idempotency-key']))).end('answer');
  });

describe('the built-in delivery', () => {
  it('delivers the records of each queue to its own URL', async () => {
    await using erp = await answering(() => 200);
    await using shop = await answering(() => 200);
    const bench = workbench({
      default: { retryMode: 'perRecord', deliverTo: erp.url },
      orders: { retryMode: 'perRecord', deliverTo: shop.url },
    });
    await bench.insert({ id: 'a', payload: 1 });
    await bench.insert({ id: 'b', payload: 2, queue: 'orders' });
    const handler = deliveryHandler('perRecord', bench.overrides);
    for (const queue of ['default', 'orders']) {
      expect(await handler({ queue }, context)).toMatchObject({ attempted: 1, succeeded: 1 });
    }
    expect(erp.received.map(({ body }) => String(body))).toEqual(['1']);
    expect(shop.received.map(({ body }) => String(body))).toEqual(['2']);
  });

  it('settles by the answer, and shows neither payload nor URL in its log', async () => {
    const status: Record<string, number> = { good: 200, later: 503, wrong: 422, moved: 307 };
    await using erp = await answering((key) => status[key] ?? 500);
    const bench = workbench(
      { default: { retryMode: 'perRecord', deliverTo: erp.url } },
      { logLevel: 'DEBUG' as 'INFO' },
    );
    for (const id of Object.keys(status)) await bench.insert({ id, payload: { card: 'secret-payload' } });
    const summary = await deliveryHandler('perRecord', bench.overrides)({ queue: 'default' }, context);
    expect(summary).toMatchObject({ attempted: 4, succeeded: 1, failed: 1, dead: 2 });
    expect(await bench.store.records.get('later')).toMatchObject({
      status: 'ERROR',
      lastError: { name: 'HttpError', message: `HTTP 503 from ${erp.origin}: answer` },
    });
    expect(await bench.store.records.get('wrong')).toMatchObject({
      status: 'DEAD',
      deadReason: 'HTTP 422: answer',
    });
    expect(await bench.store.records.get('moved')).toMatchObject({
      status: 'DEAD',
      deadReason: `HTTP 307 from ${erp.origin}: redirects are not followed`,
    });
    expect(bench.lines.join('\n')).not.toMatch(/secret/);
    expect(bench.lines.length).toBeGreaterThan(0);
  });

  it('delivers as the queue says: method, headers, and what answers mean', async () => {
    await using erp = await answering((key) => (key === 'gone' ? 410 : 404));
    const deliverTo = {
      url: erp.url,
      method: 'PUT',
      headers: { 'x-tenant': 'blue' },
      answers: { success: [410], retry: [404] },
    } as const;
    const bench = workbench({ default: { retryMode: 'perRecord', deliverTo } });
    for (const id of ['gone', 'missing']) await bench.insert({ id });
    const summary = await deliveryHandler('perRecord', bench.overrides)({ queue: 'default' }, context);
    expect(summary).toMatchObject({ attempted: 2, succeeded: 1, failed: 1, dead: 0 });
    for (const request of erp.received) {
      expect(request).toMatchObject({ method: 'PUT', headers: { 'x-tenant': 'blue' } });
    }
  });

  it('notes what fails by the host, which queues may share', async () => {
    await using erp = await answering(() => 503);
    const bench = workbench({
      default: { retryMode: 'perRecord', deliverTo: erp.url },
      orders: { retryMode: 'perRecord', deliverTo: { url: `${erp.origin}/orders` } },
    });
    const { host } = new URL(erp.url);
    const handler = deliveryHandler('perRecord', bench.overrides);
    for (const queue of ['default', 'orders']) {
      for (const id of ['a', 'b', 'c']) await bench.insert({ id: `${queue}-${id}`, queue });
      expect(await handler({ queue }, context)).toMatchObject({ failed: 3 });
      const { notes } = parseFailing((await bench.store.queues.read(queue)).failing);
      expect(notes.map(({ group }) => group)).toEqual(['', host]);
    }
  });

  it('keeps the beginning of the answer in the history of a record that failed', async () => {
    await using erp = await listen((_request, response) => {
      response.writeHead(503).end(`out of order ${'.'.repeat(10_000)}`);
    });
    const bench = workbench({ default: { retryMode: 'perRecord', deliverTo: erp.url } });
    await bench.insert({ id: 'a' });
    await deliveryHandler('perRecord', bench.overrides)({ queue: 'default' }, context);
    const record = await bench.store.records.get('a');
    const message = `HTTP 503 from ${erp.origin}: out of order ${'.'.repeat(187)}`;
    expect(record?.history).toMatchObject([{ name: 'HttpError', message, attempt: 1 }]);
  });

  describe('with secrets', () => {
    const NEW = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const OLD = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
    const token = { secretsManager: 'erp', field: 'token', prefix: 'Bearer ' };
    const queues = (url: string) => ({
      default: {
        retryMode: 'perRecord',
        deliverTo: { url, secret: { secretsManager: 'hooks' }, headers: { authorization: token } },
      } as const,
    });

    it('signs by both versions, and sends the header that the secret has', async () => {
      await using erp = await answering(() => 200);
      const bench = workbench(queues(erp.url));
      await bench.insert({ id: 'a', payload: { order: 1 } });
      const values: Record<string, string> = {
        'hooks AWSCURRENT': NEW,
        'hooks AWSPREVIOUS': OLD,
        'erp AWSCURRENT': '{"token":"t0ken"}',
      };
      const fetchSecret: FetchSecret = async ({ secretsManager }, stage) =>
        values[`${secretsManager} ${stage}`];
      const handler = deliveryHandler('perRecord', { ...bench.overrides, fetchSecret });
      expect(await handler({ queue: 'default' }, context)).toMatchObject({ succeeded: 1 });
      const [request] = erp.received;
      const headers = request?.headers as Record<string, string>;
      expect(headers.authorization).toBe('Bearer t0ken');
      for (const secret of [NEW, OLD]) {
        expect(new Webhook(secret).verify(request?.body ?? '', headers)).toEqual({ order: 1 });
      }
    });

    it('fails before anything is attempted when one cannot be had, whatever is due, and goes on when it can', async () => {
      await using erp = await answering(() => 200);
      const bench = workbench(queues(erp.url));
      await bench.insert({ id: 'a', retry: { type: 'none' } });
      await bench.store.records.insert({ id: 'arrived', status: 'NEW' });
      let fails = true;
      const fetchSecret: FetchSecret = async ({ secretsManager }, stage) => {
        if (fails)
          throw Object.assign(new Error('not authorized'), { name: 'AccessDenied', $fault: 'client' });
        if (secretsManager === 'erp') return '{"token":"t0ken"}';
        return stage === 'AWSCURRENT' ? NEW : undefined;
      };
      const handler = deliveryHandler('perRecord', { ...bench.overrides, fetchSecret });
      const arrivals = { queue: 'default', arrivals: { batch: '1/1', ids: ['arrived'] } };
      for (const event of [{ queue: 'default' }, arrivals]) {
        await expect(handler(event, context)).rejects.toThrow(
          /^the secret "(hooks|erp)" cannot be read: AccessDenied: not authorized$/,
        );
      }
      expect(await bench.store.records.get('a')).toMatchObject({ status: 'NEW', attempts: 0 });
      expect(await bench.store.records.get('arrived')).toMatchObject({ status: 'NEW', attempts: 0 });
      expect(erp.received).toHaveLength(0);
      expect(bench.log()).toMatchObject([
        { level: 'ERROR', message: 'run failed', error: { name: 'SecretError' } },
        { level: 'ERROR', message: 'run failed' },
      ]);
      fails = false;
      expect(await handler({ queue: 'default' }, context)).toMatchObject({ attempted: 1, succeeded: 1 });
      expect(await handler(arrivals, context)).toMatchObject({ attempted: 1, succeeded: 1 });
    });

    it.each([
      ['too short', 'deliverTo.secret: expected "whsec_" and base64'],
      ['whsec_not~base64', 'deliverTo.secret: expected "whsec_" and base64'],
    ])('that are invalid fail the run, and are shown nowhere: %s', async (value, message) => {
      const bench = workbench(queues('https://erp.example.com/'), { logLevel: 'DEBUG' as 'INFO' });
      await bench.insert({ id: 'a' });
      const fetchSecret: FetchSecret = async (_, stage) => (stage === 'AWSCURRENT' ? value : undefined);
      const handler = deliveryHandler('perRecord', {
        ...bench.overrides,
        env: {
          ...bench.overrides.env,
          ...environment({ default: { retryMode: 'perRecord', deliverTo: signedOnly } }),
        },
        fetchSecret,
      });
      await expect(handler({ queue: 'default' }, context)).rejects.toThrow(
        `BACKLOG_QUEUES.default.${message}`,
      );
      expect(await bench.store.records.get('a')).toMatchObject({ attempts: 0 });
      expect(bench.lines.join('\n')).not.toContain(value);
    });
    const signedOnly = { url: 'https://erp.example.com/', secret: { parameter: '/hooks' } };

    it('that turn out to hold a line break are refused, as they would smuggle a header in', async () => {
      await using erp = await answering(() => 200);
      const bench = workbench(queues(erp.url));
      await bench.insert({ id: 'a' });
      const fetchSecret: FetchSecret = async ({ secretsManager }, stage) => {
        if (secretsManager === 'erp') return JSON.stringify({ token: 'a\r\nx-admin: yes' });
        return stage === 'AWSCURRENT' ? NEW : undefined;
      };
      const handler = deliveryHandler('perRecord', { ...bench.overrides, fetchSecret });
      await expect(handler({ queue: 'default' }, context)).rejects.toThrow(
        'BACKLOG_QUEUES.default.deliverTo.headers.authorization: expected one line of visible ASCII characters',
      );
      expect(erp.received).toHaveLength(0);
      expect(bench.lines.join('\n')).not.toContain('x-admin');
    });

    it('go on in the middle of a run, and in the next ones, where they cannot be read again', async () => {
      await using erp = await answering(() => 200);
      const bench = workbench(queues(erp.url));
      const state = { now: Date.now(), fails: false };
      const fetchSecret: FetchSecret = async ({ secretsManager }, stage) => {
        if (state.fails) throw new Error('throttled');
        if (secretsManager === 'erp') return '{"token":"t0ken"}';
        return stage === 'AWSCURRENT' ? NEW : undefined;
      };
      const handler = deliveryHandler('perRecord', { ...bench.overrides, fetchSecret, now: () => state.now });
      await handler({ queue: 'default' }, context);
      state.fails = true;
      state.now += 3_600_000;
      await bench.insert({ id: 'a' });
      expect(await handler({ queue: 'default' }, context)).toMatchObject({ succeeded: 1 });
      const warnings = bench.log().filter(({ level }) => level === 'WARN');
      expect(warnings[0]).toMatchObject({
        message: 'a secret could not be read again; its previous value stays in use',
        reason: expect.stringContaining('cannot be read: Error'),
      });
    });
  });

  it('in Lambda delivers nothing to its own sandbox: the run fails, and no record pays for it', async () => {
    await using sandbox = await answering(() => 200);
    const bench = workbench({ default: { retryMode: 'perRecord', deliverTo: sandbox.url } });
    await bench.insert({ id: 'a' });
    vi.stubEnv('AWS_LAMBDA_RUNTIME_API', '127.0.0.1:9001');
    await expect(
      deliveryHandler('perRecord', bench.overrides)({ queue: 'default' }, context),
    ).rejects.toThrow(
      'BACKLOG_QUEUES.default.deliverTo.url: expected a public address, or one that "allowPrivateAddresses" allows, got "127.0.0.1"',
    );
    vi.unstubAllEnvs();
    expect(await bench.store.records.get('a')).toMatchObject({ status: 'NEW', attempts: 0 });
    expect(sandbox.received).toHaveLength(0);
  });

  it('serves progressive queues by the other function', async () => {
    await using erp = await answering(() => 200);
    const bench = workbench({ bulk: { retryMode: 'progressive', deliverTo: erp.url } });
    await bench.insert({ id: 'a', queue: 'bulk' });
    const event = { queue: 'bulk', tier: TIER_1 };
    expect(await deliveryHandler('progressive', bench.overrides)(event, context)).toMatchObject({
      succeeded: 1,
    });
  });

  it.each([
    [
      'perRecord',
      { queue: 'bulk', tier: TIER_1 },
      'expected a queue of retryMode "perRecord", got "bulk" of retryMode "progressive"',
    ],
    [
      'progressive',
      { queue: 'default' },
      'expected a queue of retryMode "progressive", got "default" of retryMode "perRecord"',
    ],
  ] as const)(
    'the %s function refuses a queue of the other retry mode',
    async (retryMode, event, message) => {
      const bench = workbench({ default: { retryMode: 'perRecord' }, bulk: { retryMode: 'progressive' } });
      await expect(deliveryHandler(retryMode, bench.overrides)(event, context)).rejects.toThrow(
        `event.queue: ${message}`,
      );
    },
  );

  it('a queue without a URL is a clear error', async () => {
    const bench = workbench({ default: { retryMode: 'perRecord' } });
    await expect(
      deliveryHandler('perRecord', bench.overrides)({ queue: 'default' }, context),
    ).rejects.toThrow(
      'BACKLOG_QUEUES.default.deliverTo: expected a URL such as https://erp.example.com/orders, got nothing',
    );
  });
});
