import { Duration } from 'aws-cdk-lib';
import * as z from 'zod';
import { duration } from '../support/values.js';

/** Settings of the intake, in place of `true`. */
export interface IntakeProps {
  /**
   * Longest time for which Lambda gathers changes of the table before it starts the intake: 0 to 5 minutes.
   *
   * The intake then runs less often. First attempts, and those after a wait of less than a tick, begin later by as much.
   *
   * @default - none
   */
  readonly batchingWindow?: Duration | undefined;

  /**
   * Runs of the intake at once for records that come back through the redelivery queue: 2 to 1,000.
   *
   * It protects the concurrency of an account with a small quota.
   *
   * @default - no limit but the account's
   */
  readonly redeliveryMaxConcurrency?: number | undefined;

  /**
   * Exempts the intake from Lambda's detection of recursive loops. `false` where CloudFormation does not know the property
   * `RecursiveLoop`.
   *
   * Lambda would stop a record that waits for a run of more than eight minutes.
   *
   * @default - `true`; `false` in a region of AWS GovCloud, China or an isolated partition
   */
  readonly allowRecursiveLoop?: boolean | undefined;
}

const MAX_WINDOW = Duration.minutes(5);

const intakeShape = z.strictObject({
  batchingWindow: duration
    .refine((window) => window.toSeconds() <= MAX_WINDOW.toSeconds(), 'expected at most 5 minutes')
    .optional(),
  redeliveryMaxConcurrency: z.int().min(2).max(1_000).optional(),
  allowRecursiveLoop: z.boolean().optional(),
});

/** The prop `intake`. */
export const intakeProp = z.union([z.boolean(), intakeShape], {
  error: 'expected true, false or settings such as { redeliveryMaxConcurrency: 2 }',
});

/** Partitions whose regions may lack the property: their names begin so. */
const OTHER_PARTITIONS = /^(us-gov|cn|us-iso[a-z]?|eu-isoe)-/;

/** Tells whether the template gets the property `RecursiveLoop` of the intake. */
export function hasRecursiveLoop({ allowRecursiveLoop }: IntakeProps, region: string): boolean {
  return allowRecursiveLoop ?? !OTHER_PARTITIONS.test(region);
}

/** The settings of the intake and the sweep, with the defaults filled in. */
export function intakeOptions({
  intake,
  sweep = true,
}: {
  readonly intake: boolean | IntakeProps;
  readonly sweep?: boolean | undefined;
}): { readonly own: IntakeProps; readonly sweep: boolean } {
  return { own: typeof intake === 'object' ? intake : {}, sweep };
}
