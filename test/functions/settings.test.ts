import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseQueues, readSettings } from '../../functions/settings.js';
import { POLICY_TYPES } from '../../src/policies/index.js';
import { ConfigurationError } from '../../src/support/errors.js';
import { environment } from './support.js';

describe('settings from a file, where the environment has no room for them', () => {
  const { BACKLOG_QUEUES: _, ...others } = environment({});
  const inFile = (content: string, values?: readonly string[]) => {
    const file = join(mkdtempSync(join(tmpdir(), 'backlog-settings-')), 'queues.json');
    writeFileSync(file, content);
    return {
      ...others,
      BACKLOG_QUEUES_FILE: file,
      ...(values && { BACKLOG_FILE_VALUES: JSON.stringify(values) }),
    };
  };
  const orders = { retryMode: 'perRecord', deliverTo: 'https://erp.example.com/orders' };

  it('are those of the environment', () => {
    const queues = JSON.stringify({ orders });
    expect(readSettings(inFile(queues))).toEqual(readSettings(environment(queues)));
  });

  it('have in their places what only the deployment knew', () => {
    const deliverTo = {
      url: { $join: ['https://', 1, '/', 0, '/orders'] },
      headers: { $join: 'a header of that name', authorization: { secretsManager: { $join: [0] } } },
    };
    const env = inFile(JSON.stringify({ orders: { ...orders, deliverTo } }), ['arn:a', 'erp.example.com']);
    expect(readSettings(env).queues.orders?.deliverTo).toEqual({
      url: 'https://erp.example.com/arn:a/orders',
      headers: { $join: 'a header of that name', authorization: { secretsManager: 'arn:a' } },
    });
  });

  it('are not looked for if the environment has them', () => {
    const env = { ...environment({ bulk: { retryMode: 'progressive' } }), BACKLOG_QUEUES_FILE: '/nowhere' };
    expect(Object.keys(readSettings(env).queues)).toEqual(['bulk']);
  });

  it('name the variable and the file that is not there, or is none of JSON', () => {
    expect(() => readSettings({ ...others, BACKLOG_QUEUES_FILE: '/nowhere/queues.json' })).toThrow(
      /^BACKLOG_QUEUES_FILE: cannot read \/nowhere\/queues\.json: ENOENT/,
    );
    const env = inFile('{');
    expect(() => readSettings(env)).toThrow(`BACKLOG_QUEUES_FILE: cannot read ${env.BACKLOG_QUEUES_FILE}: `);
  });

  it('are refused without a value, as part of an address may be another address', () => {
    const deliverTo = { $join: ['https://erp.example.com', 1] };
    expect(() => readSettings(inFile(JSON.stringify({ orders: { ...orders, deliverTo } }), ['x']))).toThrow(
      /^BACKLOG_QUEUES_FILE: cannot read /,
    );
  });

  it('name the queue and its option', () => {
    expect(() => readSettings(inFile('{"orders":{"retryMode":"perRecord","shards":0}}'))).toThrow(
      'BACKLOG_QUEUES.orders.shards: expected number to be >=1, got 0',
    );
  });
});

describe('settings from the environment', () => {
  it('are tables, timeout and queues', () => {
    const queues = {
      default: { retryMode: 'perRecord', deliverTo: 'https://erp.example.com', retry: { type: 'fibonacci' } },
      bulk: { retryMode: 'progressive', concurrency: 3, retention: 'forever' },
    } as const;
    expect(readSettings({ ...environment(queues), UNRELATED: 'x' })).toEqual({
      tables: { records: 'records-table', control: 'control-table' },
      functionTimeoutSeconds: 300,
      metrics: 'full',
      writesSingly: false,
      isStandby: false,
      logsStacks: false,
      logsErrorTexts: false,
      isDebugged: false,
      tableAlarms: false,
      queues: { ...queues, default: { ...queues.default, deliverTo: 'https://erp.example.com/' } },
    });
  });

  it('say how many metrics are written', () => {
    const env = environment({ default: { retryMode: 'perRecord' } });
    expect(readSettings({ ...env, BACKLOG_METRICS: 'essential' }).metrics).toBe('essential');
    expect(() => readSettings({ ...env, BACKLOG_METRICS: 'some' })).toThrow(
      'BACKLOG_METRICS: expected "full", "essential" or "off", got "some"',
    );
  });

  it('may hold the clock of the local runtime', () => {
    const clock = { wallStart: 1, start: 2, speed: 60 };
    const env = {
      ...environment({ default: { retryMode: 'perRecord' } }),
      BACKLOG_CLOCK: JSON.stringify(clock),
    };
    expect(readSettings(env).clock).toEqual(clock);
  });

  it('refuses another clock in Lambda, where it would write due times of another year', () => {
    const env = {
      ...environment({ default: { retryMode: 'perRecord' } }),
      BACKLOG_CLOCK: JSON.stringify({ wallStart: 1, start: 2, speed: 60 }),
      AWS_LAMBDA_RUNTIME_API: '127.0.0.1:9001',
    };
    expect(() => readSettings(env)).toThrow(
      new ConfigurationError('BACKLOG_CLOCK: expected nothing in Lambda: only the local runtime sets it'),
    );
    expect(readSettings({ ...env, BACKLOG_CLOCK: undefined }).clock).toBeUndefined();
    const debugged = { ...env, BACKLOG_CLOCK: undefined, BACKLOG_DEBUGGED: 'true' };
    expect(readSettings(debugged).isDebugged).toBe(false);
    expect(readSettings({ ...debugged, AWS_LAMBDA_RUNTIME_API: undefined }).isDebugged).toBe(true);
  });

  it.each([
    [{ BACKLOG_TABLE: undefined }, 'BACKLOG_TABLE: expected string, got nothing'],
    [{ BACKLOG_CONTROL_TABLE: undefined }, 'BACKLOG_CONTROL_TABLE: expected string, got nothing'],
    [
      { BACKLOG_FUNCTION_TIMEOUT_SECONDS: undefined },
      'BACKLOG_FUNCTION_TIMEOUT_SECONDS: expected string, got nothing',
    ],
    [
      { BACKLOG_FUNCTION_TIMEOUT_SECONDS: '5 min' },
      'BACKLOG_FUNCTION_TIMEOUT_SECONDS: expected seconds from 1 to 900, got "5 min"',
    ],
    [
      { BACKLOG_FUNCTION_TIMEOUT_SECONDS: '901' },
      'BACKLOG_FUNCTION_TIMEOUT_SECONDS: expected seconds from 1 to 900, got 901',
    ],
    [{ BACKLOG_QUEUES: undefined }, 'BACKLOG_QUEUES: expected string, got nothing'],
    [{ BACKLOG_QUEUES: '{' }, 'BACKLOG_QUEUES: expected JSON, got 1 characters that are none'],
    [{ BACKLOG_QUEUES: '[]' }, 'BACKLOG_QUEUES: expected record, got []'],
    [{ BACKLOG_QUEUES: '{}' }, 'BACKLOG_QUEUES: expected at least one queue, got {}'],
    [{ BACKLOG_CLOCK: 'fast' }, 'BACKLOG_CLOCK: expected JSON, got 4 characters that are none'],
    [
      { BACKLOG_CLOCK: '{"wallStart":1,"start":1,"speed":0}' },
      'BACKLOG_CLOCK.speed: expected number to be >0, got 0',
    ],
  ])('%j is an error that names the variable', (change, message) => {
    const env = { ...environment({ default: { retryMode: 'perRecord' } }), ...change };
    expect(() => readSettings(env)).toThrow(new ConfigurationError(message));
  });
});

describe('queues', () => {
  it.each([
    [{ default: {} }, 'BACKLOG_QUEUES.default.retryMode: expected "perRecord" or "progressive", got nothing'],
    [
      { bulk: { retryMode: 'fibonacci' } },
      'BACKLOG_QUEUES.bulk.retryMode: expected "perRecord" or "progressive", got "fibonacci"',
    ],
    [{ bulk: { retryMode: 'perRecord', url: 'x' } }, 'BACKLOG_QUEUES.bulk: unknown option "url"'],
    [
      { 'a b': { retryMode: 'perRecord' } },
      'BACKLOG_QUEUES.a b: expected the name of a queue: letters, digits, "_", "." and "-", at most 128, and not "__proto__", got "a b"',
    ],
    [
      { bulk: { retryMode: 'perRecord', retry: { type: 'fibonaci' } } },
      `BACKLOG_QUEUES.bulk.retry.type: expected one of ${[...POLICY_TYPES, 'NoRetry', 'LinearRetry', 'ExponentialRetry'].map((type) => `"${type}"`).join(', ')}, got "fibonaci"; did you mean "fibonacci"?`,
    ],
    [
      { bulk: { retryMode: 'progressive', retry: { type: 'fibonacci' } } },
      'BACKLOG_QUEUES.bulk.retry.type: expected "progressive", as the queue is progressive, got "fibonacci"',
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: 'http://erp.example.com/secret' } },
      'BACKLOG_QUEUES.bulk.deliverTo: expected an https URL (http only to 127.0.0.1, [::1] or localhost), got "http://erp.example.com…"',
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: 7 } },
      'BACKLOG_QUEUES.bulk.deliverTo: expected a URL such as https://erp.example.com/orders, got a number',
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: { method: 'PUT' } } },
      'BACKLOG_QUEUES.bulk.deliverTo.url: expected string, got nothing',
    ],
    [
      {
        bulk: {
          retryMode: 'perRecord',
          deliverTo: { url: 'https://erp.example.com', answers: { dead: ['4x'] } },
        },
      },
      'BACKLOG_QUEUES.bulk.deliverTo.answers.dead.0: expected a status from 200 to 599, or "2xx", "3xx", "4xx" or "5xx", got "4x"',
    ],
    [
      {
        bulk: {
          retryMode: 'perRecord',
          deliverTo: { url: 'https://erp.example.com', headers: { Host: 'a' } },
        },
      },
      'BACKLOG_QUEUES.bulk.deliverTo.headers.Host: expected another header, as the delivery sets this one',
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: { url: 'https://erp.example.com', requestTimeout: 40 } } },
      "BACKLOG_QUEUES.bulk.deliverTo.requestTimeout: expected no more than the attempt's 30 s, got 40",
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: 'https://10.0.0.1/' } },
      'BACKLOG_QUEUES.bulk.deliverTo: expected a public address, or one that "allowPrivateAddresses" allows, got "10.0.0.1"',
    ],
    [
      {
        bulk: {
          retryMode: 'perRecord',
          deliverTo: { url: 'https://a.example', allowPrivateAddresses: ['10/8'] },
        },
      },
      'BACKLOG_QUEUES.bulk.deliverTo.allowPrivateAddresses.0: expected a network such as "10.0.0.0/8", got "10/8"',
    ],
    [
      {
        bulk: {
          retryMode: 'perRecord',
          deliverTo: { url: 'https://a.example', secret: { secretsManager: 'a', parameter: 'b' } },
        },
      },
      'BACKLOG_QUEUES.bulk.deliverTo.secret: expected either "secretsManager" or "parameter", got {"secretsManager":"a","parameter":"b"}',
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: { url: 'https://a.example', secret: {} } } },
      'BACKLOG_QUEUES.bulk.deliverTo.secret: expected either "secretsManager" or "parameter", got {}',
    ],
    [
      { bulk: { retryMode: 'perRecord', deliverTo: { url: 'https://a.example', headers: { cookie: 7 } } } },
      'BACKLOG_QUEUES.bulk.deliverTo.headers.cookie: expected object, got 7',
    ],
    ...['Authorization', 'cookie', 'X-Api-Key', 'apikey', 'x-auth-token'].map((name): [object, string] => [
      {
        bulk: {
          retryMode: 'perRecord',
          deliverTo: { url: 'https://erp.example.com', headers: { [name]: 's3cret' } },
        },
      },
      `BACKLOG_QUEUES.bulk.deliverTo.headers.${name}: expected a secret, as this is readable in the function's configuration`,
    ]),
    [
      { bulk: { retryMode: 'perRecord', retention: 'for ever' } },
      'BACKLOG_QUEUES.bulk.retention: expected seconds or a duration such as "90s" or "P1DT2H", 1 s or more, at most 36525 d, or "forever", got "for ever"',
    ],
    [
      { bulk: { retryMode: 'perRecord', retryQueue: 're tries' } },
      'BACKLOG_QUEUES.bulk.retryQueue: expected the name of a queue: letters, digits, "_", "." and "-", at most 128, and not "__proto__", got "re tries"',
    ],
    [
      { bulk: { retryMode: 'perRecord', retryQueue: 'bulk' } },
      'BACKLOG_QUEUES.bulk.retryQueue: expected another queue than the record\'s own, got "bulk"',
    ],
    [
      { bulk: { retryMode: 'perRecord', deadOn: ['WorkerLost'] } },
      'BACKLOG_QUEUES.bulk.deadOn.0: expected the name of an error such as "ValidationError", not "WorkerLost", got "WorkerLost"',
    ],
    [
      { bulk: { retryMode: 'perRecord', deadOn: 'TypeError' } },
      'BACKLOG_QUEUES.bulk.deadOn: expected array, got "TypeError"',
    ],
    [
      { bulk: { retryMode: 'perRecord', history: { bytes: 100 } } },
      'BACKLOG_QUEUES.bulk.history.bytes: expected number to be >=200, got 100',
    ],
    [
      { bulk: { retryMode: 'perRecord', history: { stack: true } } },
      'BACKLOG_QUEUES.bulk.history: unknown option "stack"',
    ],
    [
      { bulk: { retryMode: 'perRecord', concurrency: 0 } },
      'BACKLOG_QUEUES.bulk.concurrency: expected number to be >=1, got 0',
    ],
  ])('%j is an error that names the path', (queues, message) => {
    expect(() => parseQueues(queues)).toThrow(new ConfigurationError(message));
  });

  it('every problem is named at once', () => {
    const queues = { a: { retryMode: 'x' }, b: { retryMode: 'perRecord', maxRecords: -1 } };
    expect(() => parseQueues(queues)).toThrow(
      /BACKLOG_QUEUES\.a\.retryMode: .*; BACKLOG_QUEUES\.b\.maxRecords: /,
    );
  });

  it('limits that are not given stay absent, so that a handler can tell', () => {
    expect(parseQueues({ default: { retryMode: 'perRecord' } })).toEqual({
      default: { retryMode: 'perRecord' },
    });
  });

  it('are read back as the CDK app writes them', () => {
    const queues = {
      default: { retryMode: 'perRecord', retry: { type: 'constant', interval: 60 }, maxRecords: 100 },
      failing: {
        retryMode: 'perRecord',
        retryQueue: 'bulk',
        deadOn: ['ValidationError'],
        history: { entries: 5 },
      },
      bulk: { retryMode: 'progressive', attemptsPerSecond: 0.5 },
      prices: {
        retryMode: 'perRecord',
        attemptTimeout: 60,
        deliverTo: {
          url: 'https://erp.example.com/prices',
          method: 'PUT',
          headers: {
            'x-tenant': 'blue',
            authorization: { secretsManager: 'erp', field: 'token', prefix: 'Bearer ' },
          },
          answers: { success: [404, 409], retry: ['4xx'] },
          requestTimeout: 45,
          batch: { maxRecords: 50, maxBytes: 900_000, maxWait: 1, format: 'json' },
          allowPrivateAddresses: ['10.1.0.0/16'],
          secret: { parameter: '/hooks' },
        },
      },
    } as const;
    expect(readSettings(environment(JSON.stringify(queues))).queues).toEqual(queues);
  });
});

describe('writes in groups', () => {
  const queues = JSON.stringify({ orders: { retryMode: 'perRecord' } });
  const writesSingly = (value?: string) =>
    readSettings({ ...environment(queues), ...(value && { BACKLOG_GROUP_WRITES: value }) }).writesSingly;

  it('are made unless the environment turns them off', () => {
    expect([writesSingly(), writesSingly('true'), writesSingly('false')]).toEqual([false, false, true]);
  });

  it('are not turned off by anything else', () => {
    expect(() => writesSingly('no')).toThrow('BACKLOG_GROUP_WRITES: expected "true" or "false", got "no"');
  });
});
