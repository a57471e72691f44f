import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { isSecret, type UsedSecret } from '../props/secrets.js';

/** Exactly what the function reads, with the key of its own that encrypts it. */
export function grantSecrets(grantee: IGrantable, used: readonly UsedSecret[]): void {
  for (const { holder, stages } of used) {
    if (isSecret(holder)) {
      holder.grantRead(grantee, [...stages]);
    } else {
      Grant.addToPrincipal({ grantee, actions: ['ssm:GetParameter'], resourceArns: [holder.parameterArn] });
      (holder as { encryptionKey?: IKey }).encryptionKey?.grantDecrypt(grantee);
    }
  }
}
