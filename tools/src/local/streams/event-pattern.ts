import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';

/** Tells whether an event fits a pattern. */
export type Matcher = (event: unknown) => boolean;

/**
 * The patterns that event source mappings filter by, as far as the local runtime knows them: values, `exists`,
 * `anything-but` and `prefix`.
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html
 *
 * @throws ConfigurationError for anything else
 */
export function matcherOf(pattern: unknown, where: string): Matcher {
  if (Array.isArray(pattern)) {
    const rules = pattern.map((rule) => ruleOf(rule, where));
    return (value) => rules.some((rule) => rule(value));
  }
  if (typeof pattern !== 'object' || pattern === null) {
    throw new ConfigurationError(`${where}: expected an object or a list of rules, got ${show(pattern)}`);
  }
  const parts = Object.entries(pattern).map(
    ([name, part]) => [name, matcherOf(part, `${where}.${name}`)] as const,
  );
  return (event) => parts.every(([name, matches]) => matches(child(event, name)));
}

function child(event: unknown, name: string): unknown {
  if (typeof event !== 'object' || event === null || !Object.hasOwn(event, name)) return undefined;
  return (event as Record<string, unknown>)[name];
}

function ruleOf(rule: unknown, where: string): Matcher {
  if (typeof rule !== 'object' || rule === null) return (value) => value === rule;
  const [[name, argument] = ['', undefined], ...others] = Object.entries(rule);
  if (others.length === 0) {
    // Only a leaf exists: what is an object does not.
    if (name === 'exists') return (value) => (value !== undefined && typeof value !== 'object') === argument;
    if (name === 'prefix' && typeof argument === 'string') {
      return (value) => typeof value === 'string' && value.startsWith(argument);
    }
    if (name === 'anything-but' && !isObject(argument)) {
      const refused: unknown[] = [argument].flat();
      return (value) => value !== undefined && typeof value !== 'object' && !refused.includes(value);
    }
  }
  throw new ConfigurationError(
    `${where}: the local runtime filters by values, "exists", "anything-but" and "prefix", not by ${show(rule)}`,
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
