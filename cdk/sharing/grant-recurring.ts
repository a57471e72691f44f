import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import * as z from 'zod';
import { DEAD_LANE_ENDING, laneOf } from '../../src/record/index.js';
import { RECURRING_QUEUE, scheduleId } from '../../src/recurring/names.js';
import { DUE_INDEX } from '../../src/store/index.js';
import { parseOptions } from '../../src/support/validation.js';
import { grantKeys, PUT_CONDITIONS } from '../tables/table-grants.js';

/** Limits of the recurring records that an application may have. */
export interface GrantRecurringOptions {
  /**
   * Patterns of their names, such as `["tenant-7/*"]`: `*` is for any characters, `?` for one, and `${aws:PrincipalTag/team}` and the
   * like for what IAM knows of the application. It may not list recurring records then, as a list has all of them.
   *
   * @default - any name
   */
  readonly names?: readonly string[] | undefined;
}

/** A pattern of names: their characters, and those of IAM's patterns. */
const namePattern = z
  .string()
  .regex(/^(?:[A-Za-z0-9_.:/*?-]|\$\{[^{}]+\})+$/, 'expected a pattern of names such as "tenant-7/*"');
const optionsShape = z.strictObject({
  names: z.array(namePattern).min(1, 'expected at least one pattern of names').optional(),
});

/** Ids of the records of occurrences: the name, `@` and the time. Another id that has an `@`, such as an address, is none. */
const occurrencesOf = (name: string) => `${name}@????-??-??T??:??*Z`;
/** Lanes of the schedules that wait, and of those that are dead. */
const LANES = [
  laneOf(RECURRING_QUEUE),
  `${laneOf(RECURRING_QUEUE)}${DEAD_LANE_ENDING}`,
  `${RECURRING_QUEUE}#*`,
];

/** Grants what `RecurringRecords` needs: to read, put, change and remove schedules, and to insert records of their occurrences. */
export function grantRecurring(
  grantee: IGrantable,
  records: ITable,
  options: GrantRecurringOptions = {},
): Grant {
  const { names } = parseOptions(optionsShape, options, 'grantRecurring');
  grantKeys(grantee, [records]);
  const schedules = (names ?? ['*']).map(scheduleId);
  const ids = [...schedules, ...(names ?? ['*']).map(occurrencesOf)];
  const allow = (actions: string[], keys: readonly string[], more: object = {}, arn = records.tableArn) =>
    Grant.addToPrincipal({
      grantee,
      actions,
      resourceArns: [arn],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
        // A condition for all values holds where there are none: keys that IAM does not know are refused.
        Null: { 'dynamodb:LeadingKeys': 'false' },
        ...more,
      },
    });
  const granted = allow(['dynamodb:GetItem'], ids)
    .combine(allow(['dynamodb:PutItem'], ids, PUT_CONDITIONS))
    .combine(allow(['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], schedules));
  if (names) return granted;
  return granted
    .combine(allow(['dynamodb:BatchGetItem'], schedules))
    .combine(allow(['dynamodb:Query'], LANES, {}, `${records.tableArn}/index/${DUE_INDEX}`));
}
