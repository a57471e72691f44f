import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import {
  backlogWith,
  newStack,
  ownFunction,
  progressiveQueue,
  propertiesOf,
  retryQueue,
} from '../support.js';

const ENTRY = 'test/cdk/fixtures/handler.ts';

describe('the logs of the functions', () => {
  it('have Lambda’s own lines only where an invocation fails', () => {
    const { template } = backlogWith({ queues: { orders: retryQueue, bulk: progressiveQueue } });
    const logging = propertiesOf(template, 'AWS::Lambda::Function').map(({ LoggingConfig }) => LoggingConfig);
    expect(logging).toHaveLength(5);
    for (const one of logging) expect(one).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' });
  });

  it('have more of them on request', () => {
    const { template } = backlogWith({ queues: { orders: retryQueue }, systemLogLevel: SystemLogLevel.INFO });
    const levels = propertiesOf(template, 'AWS::Lambda::Function').map(
      ({ LoggingConfig }) => LoggingConfig.SystemLogLevel,
    );
    expect(levels).toEqual(Array(4).fill('INFO'));
  });
});

describe('the lines that functions write themselves', () => {
  const levels = (props: object) => {
    const { template } = backlogWith({ queues: { orders: retryQueue }, ...props });
    return propertiesOf(template, 'AWS::Lambda::Function').map(({ Environment, LoggingConfig }) => {
      // It would drop metrics, which have no level.
      expect(LoggingConfig.ApplicationLogLevel).toBeUndefined();
      return Environment.Variables.POWERTOOLS_LOG_LEVEL;
    });
  };

  it('have the level of the Backlog', () => {
    expect(levels({})).toEqual(Array(4).fill(undefined));
    expect(levels({ logLevel: 'WARN' })).toEqual(Array(4).fill('WARN'));
  });

  it('have that of an entry, or of its own environment', () => {
    const entry = { retry: { type: 'none' }, entry: ENTRY } as const;
    const own = { environment: { POWERTOOLS_LOG_LEVEL: 'ERROR' } };
    const queues = { a: { ...entry, logLevel: 'DEBUG' }, b: { ...entry, ...own }, c: entry } as const;
    expect(levels({ queues, logLevel: 'WARN', metrics: 'off', intake: false }).sort()).toEqual([
      'DEBUG',
      'ERROR',
      'WARN',
    ]);
  });
});

describe('X-Ray', () => {
  const xray = (template: Template) =>
    propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ PolicyDocument }) =>
      PolicyDocument.Statement.filter(({ Action }: { Action: unknown }) => /xray:/.test(String(Action))),
    );

  it('is off, without rights to it', () => {
    const { template } = backlogWith({ queues: { orders: retryQueue, bulk: progressiveQueue } });
    expect(propertiesOf(template, 'AWS::Lambda::Function').map((lambda) => lambda.TracingConfig)).toEqual(
      Array(5).fill(undefined),
    );
    expect(xray(template)).toEqual([]);
  });

  it('traces every function that is made here, each with the right to write its traces and no other one', () => {
    const { template } = backlogWith({
      queues: {
        orders: retryQueue,
        bulk: progressiveQueue,
        imports: { retry: { type: 'none' }, entry: ENTRY },
      },
      tracing: Tracing.ACTIVE,
    });
    const modes = propertiesOf(template, 'AWS::Lambda::Function').map(({ TracingConfig }) => TracingConfig);
    expect(modes).toEqual(Array(6).fill({ Mode: 'Active' }));
    expect(xray(template)).toEqual(
      Array(6).fill({
        Effect: 'Allow',
        Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
        Resource: '*',
      }),
    );
  });

  it('leaves a function of your own as it is', () => {
    const stack = newStack();
    const handler = ownFunction(stack);
    const queues = { orders: { retry: { type: 'none' as const }, handler } };
    new Backlog(stack, 'Backlog', { queues, intake: false, tracing: Tracing.ACTIVE });
    const [lambda] = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function');
    expect(lambda.TracingConfig).toBeUndefined();
  });
});

it.each([{ tracing: 'on' }, { systemLogLevel: 'warn' }, { logLevel: 'warn' }])('refuses %j', (props) => {
  const [name] = Object.keys(props);
  expect(() => backlogWith({ queues: { orders: retryQueue }, ...(props as object) })).toThrow(
    `Backlog.${name}`,
  );
});

describe('the saved queries', () => {
  const { template, stack } = backlogWith({ queues: { orders: retryQueue, bulk: progressiveQueue } });
  const queries = propertiesOf(template, 'AWS::Logs::QueryDefinition');

  it('search the logs of all functions that are made here, in a folder of the backlog', () => {
    const groups = Object.keys(template.findResources('AWS::Logs::LogGroup'));
    expect(groups).toHaveLength(5);
    for (const { Name, LogGroupNames } of queries) {
      expect(Name).toMatch(new RegExp(`^${stack.stackName}/Backlog/[a-z ,()]+$`));
      expect(LogGroupNames).toEqual(groups.map((group) => ({ Ref: group })));
    }
    expect(queries.map(({ Name }) => Name.split('/')[2])).toEqual([
      'failed attempts by error',
      'failures of a record or a trace (put in its id)',
      'dead, refused and quarantined records',
      'runs that failed or ended early',
      'slowest runs',
    ]);
  });

  it('ask for messages that the sources write', () => {
    const messages = queries.flatMap(({ QueryString }) =>
      Array.from(
        String(QueryString).matchAll(/message (?:in \[([^\]]+)\]|= ("[^"]+")|like ("[^"]+"))/g),
        (match) => JSON.parse(`[${match.slice(1).find(Boolean)}]`),
      ).flat(),
    );
    expect(new Set(messages)).toEqual(
      new Set(['attempt failed', 'more attempts failed', 'quarantined', 'run failed', 'run']),
    );
    const sources = ['src/worker', 'src/intake', 'functions'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(join(folder, file), 'utf8')),
    );
    for (const message of messages) {
      expect(
        sources.some((source) => source.includes(`'${message}'`)),
        message,
      ).toBe(true);
    }
  });

  it('are those of one backlog in a stack of several', () => {
    const stack = newStack();
    for (const id of ['One', 'Other'])
      new Backlog(stack, id, { backlogName: id, queues: { orders: retryQueue } });
    const all = propertiesOf(Template.fromStack(stack), 'AWS::Logs::QueryDefinition');
    expect(new Set(all.map(({ Name }) => Name)).size).toBe(10);
    for (const { Name, LogGroupNames } of all) {
      const [, id] = Name.split('/');
      for (const { Ref } of LogGroupNames) expect(Ref).toMatch(new RegExp(`^${id}`));
    }
  });

  it('search no more log groups than one query may', () => {
    const queues = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`q-${i}`, { retry: { type: 'none' as const }, entry: ENTRY }]),
    );
    const { template } = backlogWith({ queues, intake: false, dashboard: false, alarms: false });
    for (const { LogGroupNames } of propertiesOf(template, 'AWS::Logs::QueryDefinition'))
      expect(LogGroupNames).toHaveLength(50);
  });

  it('are not there where no function is made', () => {
    const stack = newStack();
    const queues = { orders: { retry: { type: 'none' as const }, handler: ownFunction(stack) } };
    new Backlog(stack, 'Backlog', { queues, intake: false, metrics: 'off' });
    expect(propertiesOf(Template.fromStack(stack), 'AWS::Logs::QueryDefinition')).toEqual([]);
  });
});
