import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IQueue as ISqsQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { QueueProps } from '../props/queue-props.js';
import type { ImportedParts } from './backlog-attributes.js';
import { type AddQueueOptions, BacklogBase, type IBacklog } from './backlog-base.js';
import { isDeployedAs } from './shared-backlog.js';

/** Makes the construct around a queue that is added. */
export type AddQueue = (
  shared: BacklogBase,
  name: string,
  props: QueueProps,
  options: AddQueueOptions,
) => IBacklog;

/** A backlog of another stack or app. What its functions are is not known here. */
export class ImportedBacklog extends BacklogBase {
  readonly table: ITable;
  readonly controlTable: ITable;
  readonly redelivery: ISqsQueue | undefined;
  readonly intakeRole: IRole | undefined;
  /** The intake of another stack is not known here. */
  readonly intake = undefined;
  /** Rights for writes in groups: what its functions do is not known here, so they are given. */
  protected readonly writesSingly = false;

  constructor(
    scope: Construct,
    id: string,
    partsIn: (scope: Construct) => ImportedParts,
    private readonly add: AddQueue,
  ) {
    super(scope, id);
    const { table, controlTable, redelivery, intakeRole, deployedAs } = partsIn(this);
    isDeployedAs(this, deployedAs);
    this.table = table;
    this.controlTable = controlTable;
    this.redelivery = redelivery;
    this.intakeRole = intakeRole;
  }

  addQueue(name: string, props: QueueProps, options: AddQueueOptions = {}): IBacklog {
    return this.add(this, name, props, options);
  }

  protected override queueNames(): undefined {
    return undefined;
  }
}
