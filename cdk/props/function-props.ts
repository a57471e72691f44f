import type { Duration } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Architecture, ILayerVersion, Runtime, SystemLogLevel, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { ILogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';

/**
 * The class as well: under `exactOptionalPropertyTypes` it does not fit the CDK's own interface.
 *
 * @inline
 */
type AnyVpc = IVpc | Vpc;

/**
 * Props of the functions that are made here: those of the Backlog, and a queue's or a worker's own with `entry`. What a queue
 * or a worker gives takes the place of what the Backlog gives.
 */
export interface FunctionProps {
  /**
   * The VPC of the functions. They need a route from its subnets to DynamoDB, SQS and Lambda, and to whatever the attempts
   * call: NAT, or VPC endpoints.
   *
   * @default - the functions are in no VPC
   */
  readonly vpc?: AnyVpc | undefined;

  /**
   * The subnets of `vpc`.
   *
   * @default - its private subnets with a route to the internet, else the isolated ones
   */
  readonly vpcSubnets?: SubnetSelection | undefined;

  /**
   * The security groups in `vpc`: 1 to 5.
   *
   * @default - one new group for all functions of the Backlog, or for the queue's own function with a `vpc` of its own.
   * It allows all outbound traffic
   */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;

  /**
   * The processors. Native modules, in your own code or in `layers`, must fit them.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture | undefined;

  /**
   * The version of Node.js: 20 or later.
   *
   * @default Runtime.NODEJS_24_X
   */
  readonly runtime?: Runtime | undefined;

  /**
   * Layers of the functions that attempt records: at most 5, or 4 if the settings of the queues need one. The other functions
   * (intake, sweep, monitor, widget) have none of these.
   *
   * @default - none
   */
  readonly layers?: readonly ILayerVersion[] | undefined;

  /**
   * A customer managed key for the environment variables. The functions get the right to decrypt with it.
   *
   * @default - the `encryptionKey` of the Backlog, else the AWS managed key `aws/lambda`
   */
  readonly environmentEncryption?: IKey | undefined;

  /**
   * How esbuild bundles an `entry`. Each option takes the place of the default one; `banner`, `inject` and `commandHooks`
   * are added to it. `sourceMap: false` leaves the source map out; stacks then name places in the bundle.
   *
   * @default - minified ES modules, with the AWS SDK and a source map, for the `runtime`
   */
  readonly bundling?: BundlingOptions | undefined;
}

/** Props of a function that is made from `entry`, and of no other. */
export interface EntryFunctionProps extends FunctionProps {
  /**
   * Timeout of the function, and with it the longest run. At most 15 minutes.
   *
   * @default - that of the Backlog
   */
  readonly timeout?: Duration | undefined;

  /**
   * Memory of the function in MiB: 128 to 10,240.
   *
   * @default - that of the Backlog
   */
  readonly memorySize?: number | undefined;

  /**
   * Invocations at once that are reserved for the function, and its limit: from 1 on. It should be larger than
   * `onInsertConcurrency`, which a warning says.
   *
   * @default - as for the Backlog
   */
  readonly reservedConcurrentExecutions?: number | undefined;

  /**
   * An existing role for the function. It gets the same rights as a new one, those to write logs and to use the VPC
   * included.
   *
   * @default - a new role
   */
  readonly role?: IRole | undefined;

  /**
   * An existing log group for the function. Its retention is its own.
   *
   * @default - a new log group with `logRetention`
   */
  readonly logGroup?: ILogGroup | undefined;

  /**
   * How long the function's logs are kept. Not beside `logGroup`.
   *
   * @default - as for the Backlog
   */
  readonly logRetention?: RetentionDays | undefined;

  /**
   * Which of Lambda's own lines the function's log has.
   *
   * @default - as for the Backlog
   */
  readonly systemLogLevel?: SystemLogLevel | undefined;

  /**
   * Which lines the function writes itself.
   *
   * @default - as for the Backlog
   */
  readonly logLevel?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | undefined;

  /**
   * X-Ray traces of the function.
   *
   * @default - as for the Backlog
   */
  readonly tracing?: Tracing | undefined;

  /**
   * The folder of the project that esbuild bundles, in a repository of several projects.
   *
   * @default - the folder of the lock file
   */
  readonly projectRoot?: string | undefined;

  /**
   * The lock file that the `nodeModules` of `bundling` are installed by.
   *
   * @default - the first one that is found upwards from the working directory
   */
  readonly depsLockFilePath?: string | undefined;
}
