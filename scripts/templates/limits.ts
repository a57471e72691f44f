import type { CloudFormationTemplate, Resource } from './resolved.js';

/** Characters (or items of a list, where the property is one) that the services take, by type and property. */
const MOST: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'AWS::CloudWatch::Alarm': { AlarmName: 255, AlarmDescription: 1_024, Metrics: 20, Dimensions: 30 },
  'AWS::CloudWatch::CompositeAlarm': { AlarmName: 255, AlarmDescription: 1_024, AlarmRule: 10_240 },
  'AWS::CloudWatch::Dashboard': { DashboardName: 255 },
  'AWS::Events::Rule': { Name: 64, Description: 512, Targets: 5 },
  'AWS::IAM::ManagedPolicy': { PolicyDocument: 6_144 },
  'AWS::IAM::Role': { AssumeRolePolicyDocument: 2_048, Description: 1_000, ManagedPolicyArns: 10 },
  'AWS::Lambda::Function': { FunctionName: 64, Description: 256, Layers: 5, Environment: 4_096 },
  'AWS::Lambda::LayerVersion': { LayerName: 140, Description: 256 },
  'AWS::Logs::LogGroup': { LogGroupName: 512 },
  'AWS::Logs::QueryDefinition': { Name: 255, QueryString: 10_000, LogGroupNames: 50 },
  'AWS::SQS::Queue': { QueueName: 80 },
  'AWS::SQS::QueuePolicy': { PolicyDocument: 8_192 },
  'AWS::SSM::Parameter': { Name: 1_011, Description: 1_024, Value: 4_096 },
  'AWS::Scheduler::Schedule': { Name: 64, Description: 512 },
  'AWS::Scheduler::ScheduleGroup': { Name: 64 },
};
/** The characters of a rule's or a schedule's constant input. */
const MAX_INPUT = 8_192;
const MAX_ALARMS_IN_RULE = 100;
/** The characters of all inline policies of a role, and of all permissions of a function. */
const MAX_INLINE = 10_240;
const MAX_PERMISSIONS = 20_480;
/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch_limits.html */
const MAX_WIDGETS = 500;
const MAX_METRICS_OF_WIDGET = 500;
const MAX_METRICS_OF_DASHBOARD = 2_500;
/** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html */
const MAX_TEMPLATE_BYTES = 1_048_576;
const MAX_RESOURCES = 500;
const MAX_OUTPUTS = 200;
const MAX_LOGICAL_ID = 255;

/**
 * One line for each limit that a resolved template does not keep to.
 *
 * @param template all of its references are texts
 */
export function beyondLimits(template: CloudFormationTemplate): string[] {
  const found: string[] = [];
  const check = (what: string, size: number, most: number) => {
    if (size > most) found.push(`${what}: ${size}, and the limit is ${most}`);
  };
  const resources = Object.entries(template.Resources);
  check('bytes of the template', Buffer.byteLength(JSON.stringify(template)), MAX_TEMPLATE_BYTES);
  check('resources', resources.length, MAX_RESOURCES);
  check('outputs', Object.keys(template.Outputs ?? {}).length, MAX_OUTPUTS);
  const inline = new Map<string, number>();
  const permissions = new Map<string, number>();
  const add = (sums: Map<string, number>, key: unknown, size: number) =>
    sums.set(String(key), (sums.get(String(key)) ?? 0) + size);
  for (const [id, resource] of resources) {
    const { Type, Properties = {} } = resource;
    check(`${id} (its logical id)`, id.length, MAX_LOGICAL_ID);
    for (const [property, most] of Object.entries(MOST[Type] ?? {})) {
      check(`${id}.${property}`, sizeOf(Properties[property]), most);
    }
    if (Type === 'AWS::CloudWatch::CompositeAlarm') {
      check(`${id}: alarms`, Properties.AlarmRule.split('ALARM(').length - 1, MAX_ALARMS_IN_RULE);
    }
    for (const { Input } of Properties.Targets ?? [Properties.Target ?? {}]) {
      check(`${id}: the input of a target`, sizeOf(Input), MAX_INPUT);
    }
    if (Type === 'AWS::IAM::Policy') {
      for (const role of Properties.Roles ?? []) add(inline, role, sizeOf(Properties.PolicyDocument));
    }
    if (Type === 'AWS::Lambda::Permission')
      add(permissions, Properties.FunctionName, statementSize(resource));
    if (Type === 'AWS::CloudWatch::Dashboard') checkDashboard(id, Properties.DashboardBody, check);
  }
  for (const [role, size] of inline) check(`${role}: its inline policies`, size, MAX_INLINE);
  for (const [name, size] of permissions) check(`${name}: its permissions`, size, MAX_PERMISSIONS);
  return found;
}

/** A list has items. A document is sent as JSON, and so are the variables of a function. */
function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  if (Array.isArray(value)) return value.length;
  if (typeof value === 'string') return value.length;
  const { Variables } = value as { Variables?: object };
  return Buffer.byteLength(JSON.stringify(Variables ?? value));
}

/** The statement that Lambda makes of a permission. */
function statementSize({ Properties: { Action, FunctionName, Principal, SourceArn } }: Resource): number {
  return sizeOf({
    Sid: 'stack-logicalId-AbCdEfGhIjKlM'.padEnd(100),
    Effect: 'Allow',
    Principal: { Service: Principal },
    Action,
    Resource: FunctionName,
    Condition: { ArnLike: { 'AWS:SourceArn': SourceArn } },
  });
}

function checkDashboard(
  id: string,
  body: string,
  check: (what: string, size: number, most: number) => void,
): void {
  const { widgets } = JSON.parse(body) as { widgets: { properties: { metrics?: unknown[] } }[] };
  const metrics = widgets.map(({ properties }) => properties.metrics?.length ?? 0);
  check(`${id}: widgets`, widgets.length, MAX_WIDGETS);
  check(`${id}: metrics of a widget`, Math.max(0, ...metrics), MAX_METRICS_OF_WIDGET);
  check(
    `${id}: metrics`,
    metrics.reduce((sum, one) => sum + one, 0),
    MAX_METRICS_OF_DASHBOARD,
  );
}
