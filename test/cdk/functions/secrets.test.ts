import { SecretValue, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { describe, expect, it } from 'vitest';
import { Backlog, type DeliveryProps, type QueueProps } from '../../../cdk/index.js';
import { readSettings } from '../../../functions/settings.js';
import { newStack, propertiesOf, URL } from '../support.js';

type Options = Partial<DeliveryProps>;

function deliveryOf(stack: Stack, options: Options, more: Record<string, QueueProps> = {}) {
  const queues = {
    hooks: { retry: { type: 'none' as const }, deliverTo: { url: URL, ...options } },
    ...more,
  };
  new Backlog(stack, 'Backlog', { queues, intake: false });
  return Template.fromStack(stack);
}

/** Rights of the functions to resources of this kind, beside those of every function. */
function rightsTo(template: Template, service: RegExp) {
  const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
    ({ PolicyDocument }) => PolicyDocument.Statement,
  );
  return statements.filter(({ Action }) => [Action].flat().some((action: string) => service.test(action)));
}

/** The environment as CloudFormation would fill it in, with the logical ids in the place of references. */
function environmentOf(template: Template) {
  const [lambda] = propertiesOf(template, 'AWS::Lambda::Function');
  const { BACKLOG_QUEUES: queues } = lambda.Environment.Variables;
  const text =
    typeof queues === 'string'
      ? queues
      : queues['Fn::Join'][1]
          .map((part: unknown) => (typeof part === 'string' ? part : refOf(part)))
          .join('');
  return readSettings({
    BACKLOG_TABLE: 'r',
    BACKLOG_CONTROL_TABLE: 'c',
    BACKLOG_FUNCTION_TIMEOUT_SECONDS: '300',
    BACKLOG_QUEUES: text,
  }).queues;
}

function refOf(part: unknown): string {
  return (part as { Ref: string }).Ref.replace(/[0-9A-F]{8}$/, '');
}

describe('a secret of Secrets Manager', () => {
  it('that signs is read in its current and its previous version, and that one alone', () => {
    const stack = newStack();
    new Secret(stack, 'Unrelated');
    const secret = new Secret(stack, 'WebhookSecret');
    const template = deliveryOf(stack, { secret });
    expect(rightsTo(template, /secretsmanager/)).toEqual([
      {
        Effect: 'Allow',
        Action: ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'],
        Resource: { Ref: expect.stringMatching(/^WebhookSecret/) },
        Condition: {
          'ForAnyValue:StringEquals': { 'secretsmanager:VersionStage': ['AWSCURRENT', 'AWSPREVIOUS'] },
        },
      },
    ]);
    expect(environmentOf(template).hooks?.deliverTo).toEqual({
      url: URL,
      secret: { secretsManager: 'WebhookSecret' },
    });
  });

  it('of a header is read in its current version', () => {
    const stack = newStack();
    const secret = new Secret(stack, 'ErpToken');
    const headers = { 'x-tenant': 'blue', authorization: { secret, field: 'token', prefix: 'Bearer ' } };
    const template = deliveryOf(stack, { headers });
    expect(rightsTo(template, /secretsmanager/)).toMatchObject([
      { Condition: { 'ForAnyValue:StringEquals': { 'secretsmanager:VersionStage': ['AWSCURRENT'] } } },
    ]);
    expect(environmentOf(template).hooks?.deliverTo).toEqual({
      url: URL,
      headers: {
        'x-tenant': 'blue',
        authorization: { secretsManager: 'ErpToken', field: 'token', prefix: 'Bearer ' },
      },
    });
  });

  it('with a key of its own can be decrypted, by way of Secrets Manager', () => {
    const stack = newStack();
    const secret = new Secret(stack, 'WebhookSecret', { encryptionKey: new Key(stack, 'Key') });
    const template = deliveryOf(stack, { secret });
    const [key] = propertiesOf(template, 'AWS::KMS::Key');
    const decrypt = key.KeyPolicy.Statement.filter(
      ({ Action, Condition }: { Action: string; Condition?: object }) =>
        Action === 'kms:Decrypt' && Condition,
    );
    expect(JSON.stringify(decrypt)).toContain('FibonacciDeliveryRole');
    expect(JSON.stringify(decrypt)).toContain('secretsmanager.');
  });

  it('that is imported by its name is found and granted', () => {
    const stack = newStack();
    const secret = Secret.fromSecretNameV2(stack, 'Imported', 'shop/webhooks');
    const template = deliveryOf(stack, { secret: { secret, field: 'key' } });
    expect(JSON.stringify(rightsTo(template, /secretsmanager/))).toContain(':secret:shop/webhooks-??????');
  });

  it('is in the template by its name alone', () => {
    const stack = newStack();
    const secret = new Secret(stack, 'WebhookSecret', {
      secretStringValue: SecretValue.unsafePlainText('whsec_plain'),
    });
    const [lambda] = propertiesOf(deliveryOf(stack, { secret }), 'AWS::Lambda::Function');
    const text = JSON.stringify(lambda);
    expect(text).not.toMatch(/whsec|resolve:/);
  });
});

describe('a parameter of SSM', () => {
  it('is read, and nothing else is done with it', () => {
    const stack = newStack();
    const secret = StringParameter.fromSecureStringParameterAttributes(stack, 'Imported', {
      parameterName: '/shop/webhooks',
    });
    const template = deliveryOf(stack, { secret });
    expect(rightsTo(template, /^ssm|^kms/)).toEqual([
      {
        Effect: 'Allow',
        Action: 'ssm:GetParameter',
        Resource: { 'Fn::Join': ['', expect.arrayContaining([':parameter/shop/webhooks'])] },
      },
    ]);
    expect(environmentOf(template).hooks?.deliverTo).toMatchObject({
      secret: { parameter: '/shop/webhooks' },
    });
    expect(JSON.stringify(template.findResources('AWS::Lambda::Function'))).not.toContain('resolve:');
  });

  it('with a key of its own can be decrypted', () => {
    const stack = newStack();
    const encryptionKey = Key.fromKeyArn(stack, 'Key', 'arn:aws:kms:eu-central-1:111111111111:key/1');
    const secret = StringParameter.fromSecureStringParameterAttributes(stack, 'Imported', {
      parameterName: '/shop/webhooks',
      encryptionKey,
    });
    expect(rightsTo(deliveryOf(stack, { secret }), /^kms/)).toMatchObject([
      { Action: 'kms:Decrypt', Resource: 'arn:aws:kms:eu-central-1:111111111111:key/1' },
    ]);
  });

  it('that the app makes itself, or that is no secret, will do as well', () => {
    const stack = newStack();
    const tenant = new StringParameter(stack, 'Tenant', { stringValue: 'blue' });
    const template = deliveryOf(stack, { headers: { 'x-tenant': tenant } });
    expect(environmentOf(template).hooks?.deliverTo).toMatchObject({
      headers: { 'x-tenant': { parameter: 'Tenant' } },
    });
  });
});

it('a function without secrets may read none', () => {
  const template = deliveryOf(newStack(), {});
  expect(rightsTo(template, /^secretsmanager|^ssm|^kms/)).toEqual([]);
});

it('the function of the other retry mode may not read the secrets of this one', () => {
  const stack = newStack();
  const secret = new Secret(stack, 'WebhookSecret');
  const template = deliveryOf(stack, { secret }, { bulk: { progressive: true, deliverTo: URL } });
  const policies = propertiesOf(template, 'AWS::IAM::Policy').filter(({ PolicyDocument }) =>
    JSON.stringify(PolicyDocument).includes('secretsmanager'),
  );
  expect(policies.map(({ PolicyName }) => PolicyName)).toEqual([
    expect.stringContaining('FibonacciDelivery'),
  ]);
});

describe('an invalid secret', () => {
  const stack = newStack();
  const secret = new Secret(stack, 'Secret');
  const refused: [string, object, string][] = [
    [
      'the secret itself',
      { secret: 'whsec_itself' },
      '.secret: expected a secret of Secrets Manager (ISecret) or a parameter (IStringParameter) that holds it, got a text',
    ],
    [
      'a value of the CDK',
      { secret: SecretValue.unsafePlainText('whsec_itself') },
      '.secret: unknown option',
    ],
    ['a number', { secret: 7 }, '.secret: expected a secret of Secrets Manager (ISecret)'],
    ['a part of nothing', { secret: { field: 'a' } }, '.secret.secret: expected a secret of Secrets Manager'],
    [
      'a part of a text',
      { secret: { secret: 'whsec_itself', field: 'a' } },
      '.secret.secret: expected a secret',
    ],
    [
      'a misspelt option',
      { secret: { secret, filed: 'a' } },
      '.secret: unknown option "filed"; did you mean "field"?',
    ],
    ['an empty field', { secret: { secret, field: '' } }, '.secret.field: '],
    ['a prefix of what signs', { secret: { secret, prefix: 'v1' } }, '.secret: unknown option "prefix"'],
    ['a number in a header', { headers: { 'x-a': 7 } }, '.headers.x-a: expected a secret of Secrets Manager'],
    [
      'a value of the CDK in a header',
      { headers: { authorization: secret.secretValue.unsafeUnwrap() } },
      ".headers.authorization: expected a secret, as this is readable in the function's configuration",
    ],
  ];
  it.each(refused)('%s is refused, and not shown', (_, options, message) => {
    const queues = { hooks: { retry: { type: 'none' as const }, deliverTo: { url: URL, ...options } } };
    const make = () => new Backlog(newStack(), 'Backlog', { queues: queues as never });
    expect(make).toThrow(`queues.hooks.deliverTo${message}`);
    expect(make).not.toThrow('whsec_itself');
  });
});
