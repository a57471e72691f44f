import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { differences, documented, type Finding } from '../scripts/templates/findings.js';

const page = (...rows: string[]) =>
  [
    '# Security',
    '',
    '## Findings of the linters',
    '',
    '| check |',
    '|---|',
    ...rows,
    '',
    '## More',
    '| `X` |',
  ].join('\n');
const VPC = '| `CKV_AWS_117` | a VPC | 2 functions | none | Set `vpc`. |';
const QUEUES = '| `CKV_AWS_27` | a key | 1 SQS queue | 2 SQS queues | They have one. |';

const found = (id: string, type: string, ...resources: string[]): Finding[] =>
  resources.map((resource) => ({ id, message: 'Ensure it', template: 'App.template.json', type, resource }));
const FUNCTIONS = found('CKV_AWS_117', 'AWS::Lambda::Function', 'Intake', 'Sweep');
const QUEUE = found('CKV_AWS_27', 'AWS::SQS::Queue', 'Dlq');

describe('the table of findings', () => {
  const table = documented(page(VPC, QUEUES));

  it('agrees with findings of the same resources', () => {
    expect(differences(table, 'default', [...FUNCTIONS, ...QUEUE])).toEqual([]);
    expect(differences(table, 'minimal', [...FUNCTIONS, ...QUEUE])).toEqual([]);
  });

  it('lacks a finding', () => {
    const wildcard = found('CKV_AWS_111', 'AWS::IAM::Policy', 'RolePolicy');
    expect(differences(table, 'default', [...FUNCTIONS, ...QUEUE, ...wildcard])).toEqual([
      'CKV_AWS_111: the table has no row for the app "default", found 1 role\n  App.template.json RolePolicy: Ensure it',
    ]);
  });

  it('has a finding that occurs no more', () => {
    expect(differences(table, 'default', FUNCTIONS)).toEqual([
      'CKV_AWS_27: the table has "1 SQS queue" for the app "default", found none',
    ]);
  });

  it('has another number, or another kind of resource', () => {
    expect(differences(table, 'everything', QUEUE)).toEqual([
      'CKV_AWS_27: the table has "2 SQS queues" for the app "everything", found 1 SQS queue\n  App.template.json Dlq: Ensure it',
    ]);
    const topics = found('CKV_AWS_27', 'AWS::SNS::Topic', 'News');
    expect(differences(table, 'default', [...FUNCTIONS, ...QUEUE, ...topics]).join()).toContain(
      'found 1 AWS::SNS::Topic, 1 SQS queue',
    );
  });

  it('counts a resource once for each check', () => {
    expect(differences(table, 'default', [...FUNCTIONS, ...QUEUE, ...QUEUE])).toEqual([]);
  });

  it('is refused if it is not there, or a row cannot be read', () => {
    expect(() => documented('# Security')).toThrow('expected a table below');
    expect(() => documented(page('| `CKV_AWS_27` | a key | 1 SQS queue |'))).toThrow(
      'got | `CKV_AWS_27` | a key |',
    );
  });

  it('in docs/security.md can be read', () => {
    expect(documented(readFileSync('docs/security.md', 'utf8')).map(({ id }) => id)).toContain('CKV_AWS_117');
  });
});
