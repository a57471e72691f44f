import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { DUE_INDEX } from '../../src/store/index.js';
import { grantDecrypt, grantKeys } from '../tables/table-grants.js';

/** Grants the rights to read records by their ids, and the lists of those that wait or are dead. */
export function grantRead(grantee: IGrantable, records: ITable): Grant {
  grantDecrypt(grantee, [records]);
  return allow(grantee, ['dynamodb:GetItem', 'dynamodb:BatchGetItem'], records.tableArn).combine(
    allow(grantee, ['dynamodb:Query'], `${records.tableArn}/index/${DUE_INDEX}`),
  );
}

/**
 * Grants the rights to read a record by its id, and to change it. IAM has no right for the one change that gives a
 * record up, nor for its end from outside.
 */
export function grantChange(grantee: IGrantable, records: ITable): Grant {
  grantKeys(grantee, [records]);
  return allow(grantee, ['dynamodb:GetItem', 'dynamodb:UpdateItem'], records.tableArn);
}

function allow(grantee: IGrantable, actions: string[], resource: string): Grant {
  return Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
}
