import { Token } from 'aws-cdk-lib';
import * as z from 'zod';
import { isRegion } from '../../src/support/region.js';

/** The functions compare it with their own region, so it must be a text. */
export const region = z
  .string()
  .refine(
    (name) => !Token.isUnresolved(name),
    'expected a region that is known at synthesis, such as "eu-central-1", not a token such as the "region" of a stack ' +
      'without "env"',
  )
  .refine((name) => Token.isUnresolved(name) || isRegion(name), 'expected a region such as "eu-central-1"');

export const replicaKeyArns = z
  .record(z.string(), z.string())
  .refine(
    (arns) =>
      Object.entries(arns).every(
        ([name, arn]) => Token.isUnresolved(arn) || /^arn:[^:]+:kms:([^:]+):/.exec(arn)?.[1] === name,
      ),
    'expected ARNs of keys by their regions, such as { "eu-west-1": "arn:aws:kms:eu-west-1:111111111111:key/..." }',
  );
