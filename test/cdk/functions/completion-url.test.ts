import { Match, Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import { Backlog, type BacklogProps } from '../../../cdk/index.js';
import { newStack, ownFunction, propertiesOf, rightsOf, URL } from '../support.js';

const DELIVERY = { retry: { type: 'none' as const }, deliverTo: URL };

function made({ handlers = false, ...props }: Partial<BacklogProps> & { handlers?: boolean } = {}) {
  const stack = newStack();
  const own = ownFunction(stack);
  const backlog = new Backlog(stack, 'Backlog', {
    queues: { sent: DELIVERY, ...(handlers && { own: { retry: { type: 'none' }, handler: own } }) },
    completionUrl: true,
    ...props,
  });
  const template = Template.fromStack(stack);
  const variablesOf = (id: RegExp) => {
    const [, lambda] =
      Object.entries(template.findResources('AWS::Lambda::Function')).find(([name]) => id.test(name)) ?? [];
    return lambda?.Properties.Environment.Variables;
  };
  return { stack, backlog, template, variablesOf, own: stack.getLogicalId(own.node.defaultChild as never) };
}

const secretRights = (template: Template, construct: string) =>
  rightsOf(template, construct).filter(([actions]) => /secretsmanager/.test(actions));

describe('completionUrl', () => {
  it('makes a function with a public URL, which may read and change a record and read the secret', () => {
    const { template, backlog } = made();
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    template.hasResourceProperties('AWS::SecretsManager::Secret', {
      GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
    });
    const open = propertiesOf(template, 'AWS::Lambda::Permission').filter(
      ({ Principal }) => Principal === '*',
    );
    expect(
      open.map(({ Action, FunctionUrlAuthType: type, InvokedViaFunctionUrl: by }) => [Action, type, by]),
    ).toEqual([
      ['lambda:InvokeFunctionUrl', 'NONE', undefined],
      ['lambda:InvokeFunction', undefined, true],
    ]);
    const rights = rightsOf(template, 'BacklogCompletionUrl').filter(([actions]) => !/^logs:/.test(actions));
    expect(rights).toEqual([
      ['dynamodb:GetItem, dynamodb:UpdateItem', ['Records.Arn']],
      ['secretsmanager:GetSecretValue, secretsmanager:DescribeSecret', [expect.stringContaining('Secret')]],
    ]);
    expect(backlog.completionUrl?.url).toBeDefined();
    expect(backlog.completionFunction).toBeDefined();
  });

  it('tells the handlers of your own the URL and the secret, and lets them read its present version alone', () => {
    const { template, variablesOf, own } = made({ handlers: true, recurring: {}, minimal: true });
    const variables = variablesOf(new RegExp(`^${own}$`));
    expect(variables.BACKLOG_COMPLETION_URL).toEqual({
      'Fn::GetAtt': [expect.stringMatching(/^BacklogCompletionUrlFunction/), 'FunctionUrl'],
    });
    expect(variables.BACKLOG_COMPLETION_SECRET).toEqual({
      Ref: expect.stringMatching(/^BacklogCompletionUrlSecret/),
    });
    const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    );
    const ofSecret = statements.filter(({ Action }) => JSON.stringify(Action).includes('secretsmanager'));
    expect(ofSecret.map(({ Condition }) => Object.values(Condition)[0])).toEqual(
      expect.arrayContaining([
        { 'secretsmanager:VersionStage': ['AWSCURRENT'] },
        { 'secretsmanager:VersionStage': ['AWSCURRENT', 'AWSPREVIOUS'] },
      ]),
    );
    expect(ofSecret).toHaveLength(2);
    for (const none of [/^BacklogFibonacciDelivery/, /^BacklogQueuesrecurring/, /^BacklogIntake/]) {
      expect(variablesOf(none)).toBeDefined();
      expect(variablesOf(none)).not.toHaveProperty('BACKLOG_COMPLETION_SECRET');
    }
  });

  it('is for processes that attempt records, too', () => {
    const stack = newStack();
    const backlog = new Backlog(stack, 'Backlog', {
      queues: { elsewhere: { retry: { type: 'none' }, worker: 'external' } },
      completionUrl: true,
    });
    backlog.grantWork(
      new Role(stack, 'Worker', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') }),
    );
    expect(backlog.workEnvironment()).toMatchObject({
      BACKLOG_COMPLETION_URL: expect.any(String),
      BACKLOG_COMPLETION_SECRET: expect.any(String),
    });
    expect(secretRights(Template.fromStack(stack), 'Worker')).toHaveLength(1);
  });

  it('encrypts the secret with the key of the backlog, and limits its requests where it is asked to', () => {
    const stack = newStack({ region: 'eu-central-1', account: '123456789012' });
    new Backlog(stack, 'Backlog', {
      queues: { sent: DELIVERY },
      completionUrl: { reservedConcurrentExecutions: 10 },
      encryptionKey: new Key(stack, 'Key'),
    });
    const template = Template.fromStack(stack);
    template.hasResourceProperties('AWS::SecretsManager::Secret', { KmsKeyId: Match.anyValue() });
    template.hasResourceProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 10 });
  });

  it('raises a ticket when a link was answered by an error', () => {
    made().template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Url5xxCount',
      Namespace: 'AWS/Lambda',
      Threshold: 0,
      Period: 300,
    });
  });

  it('costs nothing by default', () => {
    const { template, backlog, variablesOf, own } = made({ completionUrl: false, handlers: true });
    for (const type of ['AWS::Lambda::Url', 'AWS::SecretsManager::Secret']) template.resourceCountIs(type, 0);
    const { completionUrl, completionFunction, completionSecret } = backlog;
    expect([completionUrl, completionFunction, completionSecret]).toEqual([undefined, undefined, undefined]);
    expect(variablesOf(new RegExp(`^${own}$`))).not.toHaveProperty('BACKLOG_COMPLETION_URL');
    expect(JSON.stringify(template)).not.toContain('Url5xxCount');
  });

  it.each([
    ['https://example.com', 'Backlog.completionUrl: expected true, false, or options'],
    [{ reservedConcurrentExecutions: 0.5 }, 'Backlog.completionUrl'],
    [{ domain: 'example.com' }, 'Backlog.completionUrl'],
  ])('refuses %j', (completionUrl, reason) => {
    expect(() => made({ completionUrl: completionUrl as never })).toThrow(reason);
  });
});
