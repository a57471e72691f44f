import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { grantKeys, ofKeys } from '../tables/table-grants.js';
import type { Tables } from '../tables/tables.js';
import { grantInsert } from './grant-insert.js';

/** The keys of the counts of lines, and of all that lines have: src/lines/names.ts. */
const NUMBER_KEYS = 'line-number#*';
const LINE_KEYS = 'line*';

/** Grants what `RecordLines` needs: to put records, to raise the count of their line with them, and to look at lines. */
export function grantInsertInOrder(grantee: IGrantable, { records, control }: Tables): Grant {
  const onControl = (actions: string[], keys: string) =>
    Grant.addToPrincipal({ grantee, actions, resourceArns: [control.tableArn], conditions: ofKeys([keys]) });
  const granted = grantInsert(grantee, records)
    .combine(onControl(['dynamodb:UpdateItem'], NUMBER_KEYS))
    .combine(onControl(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], LINE_KEYS));
  grantKeys(grantee, [control]);
  return granted;
}
