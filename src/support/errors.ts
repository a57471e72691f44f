/** Something the user configured or passed is invalid: says which option, what was expected, what came. */
export class ConfigurationError extends Error {
  /** Always `ConfigurationError`. */
  override readonly name = 'ConfigurationError';
}

/** A record that cannot be stored as it is: too large for DynamoDB, or of a type it does not know. */
export class InvalidRecordError extends Error {
  /** Always `InvalidRecordError`. */
  override readonly name = 'InvalidRecordError';
}

/** The attempt of one record is ended, as the record is not protected any more. Others of its batch go on. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld';
}
