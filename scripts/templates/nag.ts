import { CfnResource, type Stack } from 'aws-cdk-lib';
import { NIST80053R5Checks, PCIDSS321Checks } from 'cdk-nag';
import type { Finding } from './findings.js';

/** Findings of cdk-nag's rules of NIST 800-53 (revision 5) and PCI DSS (3.2.1) in a stack. */
export function nagFindings(stack: Stack): Finding[] {
  const resources = new Map(
    stack.node.findAll().flatMap((one) => (CfnResource.isCfnResource(one) ? [[one.node.path, one]] : [])),
  );
  return [new NIST80053R5Checks(stack.node.root), new PCIDSS321Checks(stack.node.root)].flatMap((pack) =>
    pack.validateScope(stack).violations.flatMap(({ ruleName, description, violatingResources }) =>
      violatingResources.map(({ constructPath = '' }) => ({
        id: ruleName,
        message: description,
        template: stack.templateFile,
        type: resources.get(constructPath)?.cfnResourceType ?? '',
        resource: constructPath,
      })),
    ),
  );
}
