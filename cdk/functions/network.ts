import { Annotations, Stack } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SecurityGroup, type SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';

/** The network of functions; without `vpc`, they are in no VPC. */
export interface Network {
  readonly vpc?: IVpc | undefined;
  readonly vpcSubnets?: SubnetSelection | undefined;
  readonly securityGroups?: ISecurityGroup[] | undefined;
}

/**
 * The network of all functions of a Backlog. They share one security group, so that its `connections` are one place.
 *
 * @throws ConfigurationError for subnets or security groups without a VPC
 */
export function sharedNetwork(scope: Construct, network: Network): Network {
  checkNetwork(network, 'Backlog');
  const { vpc, vpcSubnets } = network;
  if (!vpc) return {};
  warnOfIsolation(scope, vpc, vpcSubnets);
  const securityGroups = network.securityGroups ?? [
    new SecurityGroup(scope, 'SecurityGroup', { vpc, description: 'The functions of a backlog' }),
  ];
  return { vpc, vpcSubnets, securityGroups };
}

/**
 * The network of one function: with a VPC of its own, the Backlog's subnets and groups do not fit.
 *
 * @throws ConfigurationError for subnets or security groups without a VPC
 */
export function ownNetwork(scope: Construct, path: string, own: Network, shared: Network): Network {
  const { vpc, vpcSubnets, securityGroups } = own;
  if (vpc) {
    warnOfIsolation(scope, vpc, vpcSubnets);
    return { vpc, vpcSubnets, securityGroups };
  }
  const network = {
    vpc: shared.vpc,
    vpcSubnets: vpcSubnets ?? shared.vpcSubnets,
    securityGroups: securityGroups ?? shared.securityGroups,
  };
  checkNetwork(network, path);
  return network;
}

function checkNetwork({ vpc, vpcSubnets, securityGroups }: Network, path: string): void {
  if (vpc) return;
  const orphan = vpcSubnets ? 'vpcSubnets' : securityGroups ? 'securityGroups' : undefined;
  if (orphan === undefined) return;
  throw new ConfigurationError(`${path}.${orphan}: expected beside a "vpc" only, got no "vpc"`);
}

/** Warns of subnets without a route out, which need endpoints. An imported VPC does not tell whether it has them. */
function warnOfIsolation(scope: Construct, vpc: IVpc, vpcSubnets: SubnetSelection | undefined): void {
  const isolated = new Set(vpc.isolatedSubnets.map(({ subnetId }) => subnetId));
  if (!vpc.selectSubnets(vpcSubnets).subnetIds.some((id) => isolated.has(id))) return;
  Annotations.of(scope).addWarningV2(
    'dynamo-backlog:isolated-subnets',
    'the functions are in subnets without a route to the internet: the VPC needs a gateway endpoint of DynamoDB, and a way to ' +
      'what the attempts call. The intake, the sweep and the monitor need interface endpoints of SQS and Lambda, deliveries with ' +
      'secrets one of Secrets Manager or Systems Manager, and events one of their target. Otherwise every run ends by its timeout',
  );
}

const INTERFACES = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

/**
 * Grants a function's role what Lambda needs to put the function into a VPC, and denies it to the function's own code.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-best-practice
 */
export function grantNetwork(scope: Construct, grantee: IGrantable): void {
  const functions = Stack.of(scope).formatArn({
    service: 'lambda',
    resource: 'function:*',
  });
  const statement = { actions: INTERFACES, resources: ['*'] };
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement(statement));
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      ...statement,
      effect: Effect.DENY,
      conditions: { ArnLike: { 'lambda:SourceFunctionArn': functions } },
    }),
  );
}
