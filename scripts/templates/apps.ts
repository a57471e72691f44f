import { App, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PermissionsBoundary, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { BacklogStack } from '../../cdk/app/backlog-stack.js';
import { CONTEXT } from '../../cdk/app/context.js';
import { Backlog, type QueueProps } from '../../cdk/index.js';
import type { AppName, Finding } from './findings.js';
import { nagFindings } from './nag.js';

const URL = 'https://erp.example.com/orders';
const ENTRY = 'examples/handler/orders.ts';
const ENV = { account: '111111111111', region: 'eu-central-1' };

export interface Synthesized {
  /** The file names of their templates. */
  readonly apps: Record<AppName, string[]>;
  /** That of the stack with the longest names. */
  readonly longest: string;
  /** Findings of cdk-nag, which reads constructs, in the app with everything on. */
  readonly findings: Finding[];
}

/**
 * Writes the templates of all apps into a folder, without the code of their functions.
 */
export function synthesize(folder: string): Synthesized {
  // The validator of the CDK takes ten seconds, and has a test of its own.
  process.env.CDK_VALIDATION = 'false';
  const app = new App({
    context: { ...CONTEXT, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true },
    analyticsReporting: false,
    treeMetadata: false,
    outdir: folder,
  });
  const stacks: Record<AppName, Stack[]> = {
    default: [new BacklogStack(app, 'Default', { deliverTo: URL })],
    minimal: [new BacklogStack(app, 'Minimal', { deliverTo: URL, minimal: true })],
    everything: everything(app),
  };
  const { templateFile } = longest(app);
  app.synth();
  const files = ([name, of]: [string, Stack[]]) => [name, of.map(({ templateFile }) => templateFile)];
  const apps = Object.fromEntries(Object.entries(stacks).map(files));
  return { apps, longest: templateFile, findings: stacks.everything.flatMap(nagFindings) };
}

/** Names as long as they can be: linted with its names resolved, for the limits of the services. */
function longest(app: App): Stack {
  const stack = new Stack(app, 'Longest');
  const name = (i: number) => `orders-${i}-`.padEnd(128, 'x');
  const queues = Array.from({ length: 16 }, (_, i): [string, QueueProps] => [
    name(i),
    i % 4 === 0
      ? { progressive: true, deliverTo: URL }
      : { retry: { type: 'fibonacci' }, ...(i === 1 ? { entry: ENTRY } : { deliverTo: URL }) },
  ]);
  new Backlog(stack, 'Backlog', { queues: Object.fromEntries(queues), widget: true });
  return stack;
}

/**
 * Everything on, as a bank has it: a key of its own, a VPC without a way to the internet, a permissions boundary, logs for a year. What
 * it brings itself is in a stack that is not read.
 */
function everything(app: App): Stack[] {
  const own = new Stack(app, 'Own', { env: ENV });
  const key = new Key(own, 'Key');
  const isolated = { name: 'isolated', subnetType: SubnetType.PRIVATE_ISOLATED };
  const bank = {
    encryptionKey: key,
    vpc: new Vpc(own, 'Vpc', { natGateways: 0, subnetConfiguration: [isolated] }),
    logRetention: RetentionDays.ONE_YEAR,
    alarmActions: [new SnsAction(new Topic(own, 'Pager', { masterKey: key }))],
    tracing: Tracing.ACTIVE,
  };
  const headers = {
    authorization: StringParameter.fromSecureStringParameterAttributes(own, 'Token', {
      parameterName: '/erp/token',
    }),
  };
  const delivery = { url: URL, secret: new Secret(own, 'Secret'), headers };
  const entry = { retry: { type: 'fibonacci' }, entry: ENTRY, reservedConcurrentExecutions: 20 } as const;
  const queues = (name: string): Record<string, QueueProps> => ({
    [`${name}-orders`]: {
      retry: { type: 'fibonacci' },
      deliverTo: delivery,
      metricsPerKey: name === 'platform',
    },
    [`${name}-prices`]: { progressive: true, deliverTo: delivery },
    [`${name}-imports`]: entry,
    [`${name}-mails`]: { retry: { type: 'none' }, worker: 'worker' },
  });
  const common = { ...bank, trigger: 'scheduler', workers: { worker: { entry: ENTRY } } } as const;

  const bus = new EventBus(own, 'Bus');
  const platform = new Stack(app, 'Platform', { env: ENV });
  const backlog = new Backlog(platform, 'Backlog', {
    ...common,
    queues: queues('platform'),
    widget: true,
    incidentBus: bus,
    recordEvents: {
      to: bus,
      queues: { 'platform-orders': { on: ['succeeded', 'dead'] }, 'team-orders': {} },
    },
    groups: true,
    recurring: {
      'nightly-report': {
        ...{ schedule: 'cron(0 3 * * ? *)', timeZone: 'Europe/Berlin' },
        queue: 'platform-imports',
      },
    },
  });
  const role = (id: string) =>
    new Role(platform, id, { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
  backlog.grantInsert(role('Producer'));
  backlog.grantOperate(role('Operator'));
  backlog.grantRecurring(role('Tenants'));
  backlog.grantGroups(role('Importer'));
  backlog.grantUseWidget(role('Viewer'));

  const team = new Stack(app, 'Team', { env: ENV });
  new Backlog(team, 'Backlog', { ...common, queues: queues('team'), sharedBacklog: backlog });
  for (const stack of [platform, team]) {
    PermissionsBoundary.of(stack).apply(
      ManagedPolicy.fromManagedPolicyName(stack, 'Boundary', 'bank-boundary'),
    );
  }
  return [platform, team];
}
