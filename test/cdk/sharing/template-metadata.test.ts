import { CfnParameter, Duration, SecretValue, Stack, Stage } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { describe, expect, it } from 'vitest';
import { Backlog } from '../../../cdk/index.js';
import { backlogWith, newStack, progressiveQueue, retryQueue, URL } from '../support.js';

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
const metadataOf = (template: Template): any => template.toJSON().Metadata.DynamoBacklog;

describe('the metadata of a template', () => {
  it('describe the queues, the tables and what starts the functions', () => {
    const { template } = backlogWith({
      queues: {
        orders: { ...retryQueue, shards: 2, retention: Duration.days(7) },
        bulk: { ...progressiveQueue, enabled: false },
      },
      trigger: 'scheduler',
      timeZone: 'Europe/Berlin',
      tableName: 'Records',
    });
    const { Backlog: described } = metadataOf(template);
    expect(described).toMatchObject({
      version: 1,
      trigger: 'scheduler',
      timeZone: 'Europe/Berlin',
      intake: true,
      sweep: true,
      records: { logicalId: expect.stringMatching(/^BacklogRecords/), name: 'Records' },
      control: { logicalId: expect.stringMatching(/^BacklogControl/) },
    });
    expect(described.control).not.toHaveProperty('name');
    expect(Object.keys(template.toJSON().Resources)).toEqual(
      expect.arrayContaining([described.records.logicalId, described.control.logicalId]),
    );
    expect(described.queues.orders).toEqual({
      retryMode: 'perRecord',
      retry: { type: 'fibonacci' },
      work: 'deliverTo',
      deliverTo: { url: URL },
      enabled: true,
      firstAttempt: 'onInsert',
      timeout: 300,
      settings: { shards: 2, retention: 604_800 },
    });
    expect(described.queues.bulk).toMatchObject({ enabled: false, firstAttempt: 'scheduled' });
    expect(described.queues.bulk.tiers).toHaveLength(6);
  });

  it('hold no secret of a URL or a header, and no token', () => {
    const stack = newStack();
    const parameter = new CfnParameter(stack, 'Host');
    const signing = new Secret(stack, 'Signing');
    const hook = SecretValue.secretsManager('hook').unsafeUnwrap();
    new Backlog(stack, 'Backlog', {
      queues: {
        plain: {
          ...retryQueue,
          deliverTo: {
            url: 'https://erp.example.com/in?key=hidden',
            headers: { 'x-tenant': 'hidden', authorization: { secret: signing } },
            secret: signing,
          },
        },
        token: { ...retryQueue, deliverTo: `https://${parameter.valueAsString}/in` },
        dynamic: { ...retryQueue, deliverTo: `https://${hook}/in` },
      },
    });
    const template = Template.fromStack(stack);
    const { queues } = metadataOf(template).Backlog;
    expect(queues.plain.deliverTo).toEqual({
      url: 'https://erp.example.com/in',
      headers: ['authorization', 'x-tenant'],
      signed: true,
    });
    expect(queues.token.deliverTo.url).toMatch(/^known at deployment \([0-9a-f]{8}\)$/);
    expect(queues.dynamic.deliverTo.url).toMatch(/^known at deployment \([0-9a-f]{8}\)$/);
    const text = JSON.stringify(template.toJSON().Metadata);
    for (const hidden of ['hidden', 'Fn::', 'Ref', '{{', 'Token[']) expect(text).not.toContain(hidden);
  });

  it('name a table that is given, by its name or by its resource', () => {
    const stack = newStack();
    const queues = { orders: retryQueue };
    new Backlog(stack, 'Given', {
      queues,
      table: TableV2.fromTableName(stack, 'Old', 'Orders'),
      intake: false,
    });
    const own = new Backlog(stack, 'Own', { backlogName: 'own', queues });
    new Backlog(stack, 'Shared', { queues: { bulk: retryQueue }, sharedBacklog: own });
    const described = metadataOf(Template.fromStack(stack));
    expect(Object.keys(described)).toEqual(['Given', 'Own', 'Shared']);
    expect(described.Given).toMatchObject({ records: { name: 'Orders' }, intake: false, sweep: false });
    expect(described.Given.queues.orders.firstAttempt).toBe('scheduled');
    expect(described.Shared.records).toEqual({ logicalId: described.Own.records.logicalId });
  });

  it('go beside metadata of the user, under the path in the stack', () => {
    const stack = newStack();
    stack.templateOptions.metadata = { Mine: 1 };
    const stage = new Stage(stack.node.root, 'Prod');
    const staged = new Stack(stage, 'Shop');
    for (const one of [stack, staged]) new Backlog(one, 'Backlog', { queues: { orders: retryQueue } });
    expect(Template.fromStack(stack).toJSON().Metadata).toMatchObject({ Mine: 1, DynamoBacklog: {} });
    expect(Object.keys(metadataOf(Template.fromStack(staged)))).toEqual(['Backlog']);
  });

  it('of 200 queues take a small part of the 1 MB that a template may have', () => {
    const some = Array.from({ length: 6 }, (_, i) => [`queue-${i}`, { ...progressiveQueue, shards: 4 }]);
    const { template } = backlogWith({ queues: Object.fromEntries(some) });
    const perQueue = JSON.stringify(metadataOf(template).Backlog.queues).length / some.length;
    expect(perQueue * 200).toBeLessThan(100_000);
  });
});
