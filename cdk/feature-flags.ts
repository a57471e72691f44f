/**
 * The CDK's recommended flags, as far as they touch what is here. In code, not in cdk.json: the template must be the
 * same whoever runs the app.
 */
export const FEATURE_FLAGS: Readonly<Record<string, unknown>> = {
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/core:enablePartitionLiterals': true,
  '@aws-cdk/core:includePrefixInUniqueNameGeneration': true,
  '@aws-cdk/core:target-partitions': ['aws', 'aws-cn'],
  '@aws-cdk/core:validateSnapshotRemovalPolicy': true,
  '@aws-cdk/aws-events:eventsTargetQueueSameAccount': true,
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/aws-kms:aliasNameRef': true,
  '@aws-cdk/aws-lambda-nodejs:useLatestRuntimeVersion': true,
  '@aws-cdk/aws-lambda:recognizeLayerVersion': true,
};
