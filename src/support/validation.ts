import * as core from 'zod/v4/core';
import english from 'zod/v4/locales/en.js';
import { ConfigurationError } from './errors.js';
import { nearest } from './nearest.js';
import { withoutUrlSecrets } from './url-text.js';

/** Most known options that an error lists. If there are more, it lists none. */
const MAX_NAMED = 8;

/** English messages: by themselves, the schemas of zod/mini say "Invalid input" for everything. */
const { localeError } = english();

/** A choice has the words of the other messages: `expected "hold", "skip" or "cancel"`. */
const error: core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_value'
    ? `expected ${issue.values
        .map(show)
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' or ')}`
    : localeError(issue);

/**
 * Parses options once, at the edge. Everything past it may trust them.
 *
 * @throws ConfigurationError naming the option, the expectation and the value that came, one line per problem
 */
export function parseOptions<Schema extends core.$ZodType>(
  schema: Schema,
  input: unknown,
  name: string,
): core.output<Schema> {
  const result = core.safeParse(schema, input, { reportInput: true, error });
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => describeIssue(issue, name, schema));
  throw new ConfigurationError(problems.join('; '));
}

function describeIssue(issue: core.$ZodIssue, name: string, schema: core.$ZodType): string {
  const option = [name, ...issue.path.map(String)].filter(Boolean).join('.');
  if (issue.code === 'unrecognized_keys') {
    const foreign = issue.keys.find(
      (key) => key in Object.prototype && !Object.hasOwn(issue.input as object, key),
    );
    if (foreign !== undefined) {
      return `${option}: expected an object of its own, got one with "${foreign}" of Object.prototype: some code has added it to all objects`;
    }
    const known = optionsAt(schema, issue.path);
    const [meant] = issue.keys.flatMap((key) => nearest(key, known) ?? []);
    const names = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(', ');
    const few = known.length > 0 && known.length <= MAX_NAMED;
    const expected = few ? `; expected ${names(known)}` : '';
    const hint = meant === undefined ? expected : `; did you mean "${meant}"?`;
    return `${option}: unknown option ${names(issue.keys)}${hint}`;
  }
  const expectation = issue.message.replace(/^[A-Z][a-z]+ [a-z]+: /, '').replace(/, received [\s\S]*/, '');
  return `${option}: ${expectation}, got ${show(issue.input)}`;
}

/** The names of the options of an object that lies so deep in objects and arrays. */
function optionsAt(schema: unknown, path: readonly PropertyKey[]): string[] {
  if (schema instanceof core.$ZodOptional || schema instanceof core.$ZodDefault)
    return optionsAt(schema._zod.def.innerType, path);
  const [step, ...rest] = path;
  if (schema instanceof core.$ZodArray)
    return step === undefined ? [] : optionsAt(schema._zod.def.element, rest);
  if (!(schema instanceof core.$ZodObject)) return [];
  const { shape } = schema._zod.def;
  return step === undefined ? Object.keys(shape) : optionsAt(shape[String(step)], rest);
}

const MAX_LOOKED_AT = 2_000;

/** A short, single-line rendering of any value for error messages; URLs in it lose their queries. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'bigint' || typeof value === 'symbol' || Number.isNaN(value)) return String(value);
  // Of a value with names such as toString, a conversion to text would be an error.
  const text = withoutUrlSecrets(safeJson(value) ?? Object.prototype.toString.call(value), MAX_LOOKED_AT);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function safeJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
