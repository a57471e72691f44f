import { describe, expect, it } from 'vitest';
import { beyondLimits } from '../scripts/templates/limits.js';
import { outputsOf, type Resource, resolvedTemplate } from '../scripts/templates/resolved.js';

const AT = { stackName: 'shop', account: '111111111111', region: 'eu-central-1', partition: 'aws' };
const alarm = (rule: unknown): Record<string, Resource> => ({
  A: { Type: 'AWS::CloudWatch::Alarm', Properties: {} },
  B: { Type: 'AWS::CloudWatch::CompositeAlarm', Properties: { AlarmRule: rule } },
});
const ruleOf = (rule: unknown, stackName: string): string =>
  resolvedTemplate({ Resources: alarm(rule) }, { ...AT, stackName }).Resources.B?.Properties.AlarmRule;

describe('a template with its names resolved', () => {
  it('has names as CloudFormation generates them, of the stack, the logical id and a suffix', () => {
    expect(ruleOf({ Ref: 'A' }, 'shop')).toMatch(/^shop-A-[0-9a-f]{13}$/);
    expect(ruleOf({ Ref: 'A' }, 's'.repeat(300))).toHaveLength(255);
  });

  it('has texts for attributes, pseudo parameters, and what joins, substitutes and selects them', () => {
    const arn = 'arn:aws:cloudwatch:eu-central-1:111111111111:alarm:shop-A-';
    expect(ruleOf({ 'Fn::GetAtt': ['A', 'Arn'] }, 'shop')).toContain(arn);
    expect(ruleOf({ 'Fn::Join': ['', ['ALARM("', { 'Fn::Sub': `$\{A.Arn}` }, '")']] }, 'shop')).toContain(
      `ALARM("${arn}`,
    );
    expect(ruleOf({ 'Fn::Select': [1, { 'Fn::Split': ['-', { Ref: 'AWS::Region' }] }] }, 'shop')).toBe(
      'central',
    );
  });

  it('has the values of its mappings, and is refused without them', () => {
    const AlarmRule = { 'Fn::FindInMap': ['Consoles', { Ref: 'AWS::Partition' }, 'host'] };
    const template = {
      Resources: alarm(AlarmRule),
      Mappings: { Consoles: { aws: { host: 'aws.example' } } },
    };
    expect(resolvedTemplate(template, AT).Resources.B?.Properties.AlarmRule).toBe('aws.example');
    const china = { ...AT, partition: 'aws-cn' };
    expect(() => resolvedTemplate(template, china)).toThrow('the mapping Consoles has no aws-cn.host');
  });

  it('has the outputs of other stacks, and is refused without them, or with what is not known', () => {
    const other = {
      Resources: alarm(''),
      Outputs: { Name: { Value: { Ref: 'A' }, Export: { Name: 'alarm' } } },
    };
    const imported = new Map(outputsOf(other, AT));
    const Resources = alarm({ 'Fn::ImportValue': 'alarm' });
    expect(resolvedTemplate({ Resources }, AT, imported).Resources.B?.Properties.AlarmRule).toMatch(
      /^shop-A-/,
    );
    expect(() => resolvedTemplate({ Resources }, AT)).toThrow('no stack has the output alarm');
    expect(() => ruleOf({ Ref: 'C' }, 'shop')).toThrow('the template has no C');
    expect(() => ruleOf({ 'Fn::If': ['C', 'a', 'b'] }, 'shop')).toThrow('Fn::If is not known here');
  });
});

describe('the limits of the services', () => {
  const beyond = (Type: string, Properties: object) =>
    beyondLimits({ Resources: { X: { Type, Properties } } });

  it('are those of texts, lists and variables', () => {
    expect(beyond('AWS::CloudWatch::CompositeAlarm', { AlarmRule: 'x'.repeat(10_241) })).toEqual([
      'X.AlarmRule: 10241, and the limit is 10240',
    ]);
    expect(beyond('AWS::CloudWatch::CompositeAlarm', { AlarmRule: 'ALARM(x)'.repeat(101) })).toEqual([
      'X: alarms: 101, and the limit is 100',
    ]);
    expect(beyond('AWS::Lambda::Function', { Layers: Array(6).fill('x') })).toEqual([
      'X.Layers: 6, and the limit is 5',
    ]);
    const Variables = { A: '"'.repeat(2_045) };
    expect(beyond('AWS::Lambda::Function', { Environment: { Variables } })).toEqual([
      'X.Environment: 4098, and the limit is 4096',
    ]);
  });

  it('are those of what several resources share: policies of a role, permissions of a function', () => {
    const several = (Type: string, Properties: object) =>
      beyondLimits({ Resources: { X: { Type, Properties }, Y: { Type, Properties } } });
    const PolicyDocument = { Statement: ['x'.repeat(6_000)] };
    expect(several('AWS::IAM::Policy', { PolicyDocument, Roles: ['role'] })).toEqual([
      'role: its inline policies: 12036, and the limit is 10240',
    ]);
    const permission = { FunctionName: 'f', Action: 'a', Principal: 'p', SourceArn: 'x'.repeat(10_100) };
    expect(several('AWS::Lambda::Permission', permission)).toHaveLength(1);
  });
});
