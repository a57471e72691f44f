import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Says that a rule of cdk-nag does not apply here, and why. */
export function acknowledge(construct: IConstruct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
