/**
 * The part of the Standard Schema specification (version 1, https://standardschema.dev) that tasks use. Written out
 * here, as its authors suggest: the types of this package need no other package, and any library's schemas fit by
 * their shape.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The part that libraries have in common. */
  readonly '~standard': {
    /** The version of the specification. */
    readonly version: 1;
    /** The library's name. */
    readonly vendor: string;
    /** Returns the output of a valid value, or what is wrong with it. */
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    /** The types of the schema; it is never there at run time. */
    readonly types?:
      | {
          /** The type that the schema takes. */
          readonly input: Input;
          /** The type that the schema makes of it. */
          readonly output: Output;
        }
      | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

export function isStandardSchema(value: unknown): value is StandardSchema {
  // Some libraries' schemas are functions.
  const isLarge = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isLarge || !('~standard' in value)) return false;
  const { version, validate } = (value as StandardSchema)['~standard'] ?? {};
  return version === 1 && typeof validate === 'function';
}
