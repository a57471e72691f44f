import { ConfigurationError } from './errors.js';

/**
 * Refuses an object of options by name, such as `queues`, that has the name `__proto__`.
 *
 * `{ __proto__: … }` sets the prototype, and a parser of options leaves out what JSON or `fromEntries` has put there: either
 * way the option would be dropped silently.
 *
 * @param path of the object, for the error
 * @throws ConfigurationError that names the path
 */
export function refuseProtoName(names: unknown, path: string): void {
  if (typeof names !== 'object' || names === null) return;
  const prototype: unknown = Object.getPrototypeOf(names);
  // The prototype of a class, and that of all objects, has a constructor of its own.
  const isSet =
    typeof prototype === 'object' && prototype !== null && !Object.hasOwn(prototype, 'constructor');
  if (!isSet && !Object.hasOwn(names, '__proto__')) return;
  throw new ConfigurationError(`${path}: "__proto__" cannot be the name of one: JavaScript drops it`);
}

/** The value of a name that comes from a record: `constructor` is no name of an object that does not have it itself. */
export function ownValue<Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
