import { join } from 'node:path';
import type { Finding } from './findings.js';
import { GUARD_RULES, run, typeOf } from './linters.js';
import { resolvedFile } from './resolved-files.js';

/** The folders of rules for services that a backlog may use. */
const SERVICES = [
  'cloudwatch',
  'dynamodb',
  'ec2',
  'identityandaccessmanagement',
  'keymanagementservice',
  'lambda',
  's3',
  'sqs',
];

type GuardReport = readonly {
  readonly name: string;
  readonly not_compliant: readonly { readonly Rule: { readonly name: string; readonly checks: unknown } }[];
}[];

/**
 * Findings of AWS Control Tower's proactive controls, in the templates with their names resolved: a rule takes a reference for
 * no value.
 */
export async function controlTower(folder: string, templates: readonly string[]): Promise<Finding[]> {
  const rules = SERVICES.flatMap((service) => ['--rules', join(GUARD_RULES, service)]);
  const data = templates.flatMap((template) => ['--data', resolvedFile(template)]);
  const options = ['--structured', '--output-format', 'json', '--show-summary', 'none'];
  const report = JSON.parse(
    await run('cfn-guard', ['validate', ...rules, ...data, ...options], folder),
  ) as GuardReport;
  return report.flatMap(({ name, not_compliant }) => {
    const template = templates.find((one) => name.endsWith(resolvedFile(one))) ?? name;
    return not_compliant.flatMap(({ Rule }) => {
      const text = JSON.stringify(Rule.checks);
      const [, id = Rule.name, message = ''] = /\[(CT\.\w+\.PR\.\d+)\]: ([^\\]+)/.exec(text) ?? [];
      const resources = new Set(
        [...text.matchAll(/\/Resources\/(\w+)/g)].map(([, resource]) => resource ?? ''),
      );
      return [...resources].map((resource) => ({
        ...{ id, message, template, resource },
        type: typeOf(folder, template, resource),
      }));
    });
  });
}
