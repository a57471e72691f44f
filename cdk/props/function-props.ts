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
   * The VPC of the functions.
   *
   * They need a route from its subnets to DynamoDB, SQS and Lambda, and to whatever the attempts call: NAT, or VPC endpoints.
   *
   * @default - none
   */
  readonly vpc?: AnyVpc | undefined;

  /**
   * The subnets of `vpc`.
   *
   * @default - private ones with a route to the internet, else isolated ones
   */
  readonly vpcSubnets?: SubnetSelection | undefined;

  /**
   * The security groups in `vpc`: 1 to 5. The Backlog's `connections` is them.
   *
   * A new group allows all outbound traffic. A queue or a worker with a `vpc` of its own has its own new group.
   *
   * @default - a new group for all functions
   */
  readonly securityGroups?: readonly ISecurityGroup[] | undefined;

  /**
   * The processors. Native modules, in your own code or in `layers`, must fit them.
   *
   * @default Architecture.ARM_64
   */
  readonly architecture?: Architecture | undefined;

  /**
   * The version of Node.js: 20 or later. An `entry` is bundled for it.
   *
   * @default Runtime.NODEJS_24_X
   */
  readonly runtime?: Runtime | undefined;

  /**
   * Layers of the functions that attempt records: at most 5, or 4 if the settings of the queues need one.
   *
   * The other functions (intake, sweep, monitor, widget) have none of these.
   *
   * @default - none
   */
  readonly layers?: readonly ILayerVersion[] | undefined;

  /**
   * A customer managed key for the environment variables.
   *
   * The functions get the right to decrypt with it.
   *
   * @default - `encryptionKey` of the Backlog, else the AWS managed key
   */
  readonly environmentEncryption?: IKey | undefined;

  /**
   * Options of esbuild for an `entry`. Each takes the place of the default one; `banner`, `inject` and `commandHooks` are added
   * to it, and `format` stays ESM.
   *
   * `sourceMap: false` leaves the source map out; stacks then name places in the bundle.
   *
   * @default - minified, with the AWS SDK and a source map
   */
  readonly bundling?: BundlingOptions | undefined;

  /**
   * Timeout of the functions that attempt records, and with it the longest run. At most 15 minutes.
   *
   * @default Duration.minutes(5)
   */
  readonly timeout?: Duration | undefined;

  /**
   * Memory of the functions in MiB: 128 to 10,240.
   *
   * @default 512
   */
  readonly memorySize?: number | undefined;

  /**
   * Invocations at once that are reserved for each function that attempts records, and its limit: from 1 on.
   *
   * Up to `onInsertConcurrency` runs and the rule's run start at once; with fewer, some are throttled, and a warning says so.
   * The quota of the account must leave room for it.
   *
   * @default - none
   */
  readonly reservedConcurrentExecutions?: number | undefined;

  /**
   * Time that the functions' logs are kept. Not beside `logGroup`.
   *
   * A log group outlives its function, unless `removalPolicy` is `DESTROY`.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays | undefined;

  /**
   * Lambda's own lines that the functions' logs have. At `INFO` each invocation has two more.
   *
   * These are its start, and a report of its duration and memory: 600 bytes, whether there was anything to do or not. At `WARN`
   * those of an invocation that fails are left.
   *
   * @default SystemLogLevel.WARN
   */
  readonly systemLogLevel?: SystemLogLevel | undefined;

  /**
   * Lines that the functions write themselves: `DEBUG` has a line for each run that found nothing to do.
   *
   * Sets `POWERTOOLS_LOG_LEVEL`, and not Lambda's filter, which takes lines without a level for `INFO`: metrics among them.
   *
   * @default 'INFO'
   */
  readonly logLevel?: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | undefined;

  /**
   * X-Ray traces of the functions that are made here.
   *
   * A function of your own (`handler`) has its own setting.
   *
   * @default Tracing.DISABLED
   */
  readonly tracing?: Tracing | undefined;
}

/** Props of a function that is made from `entry`, and of no other. */
export interface EntryFunctionProps extends FunctionProps {
  /**
   * An existing role for the function.
   *
   * It gets the same rights as a new one: logs, tables, queues, network interfaces, keys.
   *
   * @default - a new role
   */
  readonly role?: IRole | undefined;

  /**
   * An existing log group for the function, with its own retention.
   *
   * The saved queries and the dashboard read it.
   *
   * @default - a new log group
   */
  readonly logGroup?: ILogGroup | undefined;

  /**
   * The folder of the project that esbuild bundles, in a repository of several projects.
   *
   * @default - the folder of the lock file
   */
  readonly projectRoot?: string | undefined;

  /**
   * The lock file that the `nodeModules` of `bundling` are installed by.
   *
   * @default - the first one upwards from the working directory
   */
  readonly depsLockFilePath?: string | undefined;
}
