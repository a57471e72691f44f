import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { grantGroupItems, grantKeys } from '../tables/table-grants.js';
import type { Tables } from '../tables/tables.js';
import { grantInsert } from './grant-insert.js';

/** Grants what `RecordGroups` needs: to insert members, to look at them, to start the record of an end, and to keep the group's items. */
export function grantGroups(grantee: IGrantable, { records, control }: Tables): Grant {
  const looked = Grant.addToPrincipal({
    grantee,
    actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'],
    resourceArns: [records.tableArn],
  });
  grantKeys(grantee, [records, control]);
  return grantInsert(grantee, records).combine(looked).combine(grantGroupItems(grantee, control));
}
