/** Partitions have names of their own: `us-gov-west-1`, `eusc-de-east-1`. */
const REGION_PATTERN = /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/;

/** Tells whether a value has the form of an AWS region's name. An operator's command makes the name of a host from it. */
export function isRegion(value: unknown): value is string {
  return typeof value === 'string' && REGION_PATTERN.test(value);
}
