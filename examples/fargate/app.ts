import { fileURLToPath } from 'node:url';
import { App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, type IVpc, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Platform } from 'aws-cdk-lib/aws-ecr-assets';
import {
  Cluster,
  ContainerImage,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDrivers,
} from 'aws-cdk-lib/aws-ecs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Backlog } from 'dynamo-backlog/cdk';

export const app = new App();
const stack = new Stack(app, 'Imports');

const backlog = new Backlog(stack, 'Backlog', {
  queues: {
    // By a function, as ever.
    orders: { retry: { type: 'fibonacci' }, deliverTo: 'https://erp.example.com/orders' },
    // By the processes below: no function and no rule is made for them.
    imports: {
      retry: { type: 'fibonacci' },
      worker: 'external',
      attemptTimeout: Duration.hours(2),
      concurrency: 2,
      // Each of the two processes works on some of the lanes.
      shards: 4,
    },
    thumbnails: { retry: { type: 'fibonacci', maxAttempts: 10 }, worker: 'external', concurrency: 20 },
  },
});

const vpc = new Vpc(stack, 'Vpc', {
  maxAzs: 2,
  // For the calls of the handlers, and to pull the image. DynamoDB and the layers of the image do not go this way.
  natGateways: 1,
  subnetConfiguration: [
    { name: 'public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
    { name: 'private', subnetType: SubnetType.PRIVATE_WITH_EGRESS },
  ],
  gatewayEndpoints: {
    dynamodb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
    s3: { service: GatewayVpcEndpointAwsService.S3 },
  },
});

const task = new FargateTaskDefinition(stack, 'Worker', {
  cpu: 256,
  memoryLimitMiB: 512,
  runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64 },
});
task.addContainer('worker', {
  image: ContainerImage.fromAsset(fileURLToPath(new URL('worker', import.meta.url)), {
    platform: Platform.LINUX_ARM64,
  }),
  command: [
    ...['node_modules/.bin/backlog', 'work', '--handler', './handlers.mjs', '--health-port', '8080'],
    ...['--queue', 'thumbnails,8', '--queue', 'imports,1'],
  ],
  environment: {
    ...backlog.workEnvironment(),
    SHOP_URL: 'https://shop.example.com',
  },
  // CloudWatch takes the metrics out of the log, as it does for functions.
  logging: LogDrivers.awsLogs({
    streamPrefix: 'worker',
    logGroup: new LogGroup(stack, 'WorkerLogs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
  }),
  healthCheck: {
    command: [
      'CMD',
      'node',
      '-e',
      "fetch('http://127.0.0.1:8080/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))",
    ],
    startPeriod: Duration.seconds(30),
  },
  // Longer than --grace (20 s) and what it takes to write outcomes: then the process has given its leases back.
  stopTimeout: Duration.seconds(60),
  readonlyRootFilesystem: true,
});
// What the function of a queue may do, and no more.
backlog.grantWork(task.taskRole);

// "as": under exactOptionalPropertyTypes of TypeScript, the CDK's classes do not fit its own interfaces.
const cluster = new Cluster(stack, 'Cluster', { vpc: vpc as IVpc }) as ICluster;
new FargateService(stack, 'Service', {
  cluster,
  taskDefinition: task,
  desiredCount: 2,
  assignPublicIp: false,
  minHealthyPercent: 50,
  maxHealthyPercent: 200,
  circuitBreaker: { rollback: true },
});
