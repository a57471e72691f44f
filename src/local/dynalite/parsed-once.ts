import { createRequire } from 'node:module';

type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Context {
  readonly attrNames?: Readonly<Record<string, string>> | undefined;
  readonly attrVals?: Values | undefined;
  readonly unusedAttrNames: Record<string, true>;
  readonly unusedAttrVals: Record<string, true>;
  readonly isKeyCondition?: boolean;
}

interface Parser {
  parse(expression: string, options: { readonly context: Context }): unknown;
}

interface Parsed {
  readonly result: unknown;
  /** The names of the values that it uses, by the objects that stand for them in it. */
  readonly values: ReadonlyMap<object, string>;
  /** Names of the attributes that it uses. */
  readonly names: readonly string[];
}

/** One program has a few dozen. */
const MAX_KEPT = 500;
let isPatched = false;

/**
 * dynalite parses the expressions of each request again, which takes half a millisecond: more than all the rest. The
 * same expressions come again and again, with other values. This reuses what was parsed once, with the new values in it.
 */
export function parseOnce(): void {
  if (isPatched) return;
  isPatched = true;
  const require = createRequire(import.meta.resolve('dynalite'));
  for (const name of ['conditionParser', 'updateParser']) {
    const parser = require(`./db/${name}`) as Parser;
    parser.parse = remembering(parser.parse);
  }
}

/** @param known what it remembers, for tests */
export function remembering(parse: Parser['parse'], known = new Map<string, Parsed>()): Parser['parse'] {
  return (expression, { context }) => {
    const key = keyOf(expression, context);
    if (key === undefined) return parse(expression, { context });
    const parsed = known.get(key) ?? parseToKeep(parse, expression, context);
    if (known.size >= MAX_KEPT) known.clear();
    known.set(key, parsed);
    const { attrVals = {}, unusedAttrNames, unusedAttrVals } = context;
    for (const name of parsed.names) delete unusedAttrNames[name];
    for (const name of parsed.values.values()) delete unusedAttrVals[name];
    return copyWith(parsed.result, (object) => attrVals[parsed.values.get(object) ?? '']);
  };
}

/** With values of its own, by which their places are known. */
function parseToKeep(parse: Parser['parse'], expression: string, context: Context): Parsed {
  const { attrNames = {}, attrVals = {} } = context;
  const own: Record<string, Record<string, unknown>> = Object.fromEntries(
    Object.entries(attrVals).map(([name, value]) => [name, { ...value }]),
  );
  const unusedAttrNames = markAll(attrNames);
  const unusedAttrVals = markAll(attrVals);
  const result = parse(expression, {
    context: { ...context, attrVals: own, unusedAttrNames, unusedAttrVals },
  });
  // The objects stand for the values that come; what was in the first ones, such as a payload, is not kept.
  for (const value of Object.values(own)) for (const type of Object.keys(value)) delete value[type];
  const used = Object.entries(own).filter(([name]) => !Object.hasOwn(unusedAttrVals, name));
  return {
    result,
    values: new Map(used.map(([name, value]) => [value, name])),
    names: Object.keys(attrNames).filter((name) => !Object.hasOwn(unusedAttrNames, name)),
  };
}

function markAll(named: object): Record<string, true> {
  return Object.fromEntries(Object.keys(named).map((name) => [name, true as const]));
}

/** All that the result and its checks depend on; undefined where they depend on the values themselves. */
function keyOf(
  expression: string,
  { attrNames, attrVals = {}, isKeyCondition }: Context,
): string | undefined {
  if (/between/i.test(expression)) return undefined;
  const types = Object.entries(attrVals).map(([name, value]) => [name, ...Object.keys(value)]);
  const typeNames = [...expression.matchAll(/attribute_type\s*\([^)]*(:\w+)/g)].map(
    ([, name = '']) => attrVals[name],
  );
  return JSON.stringify([expression, attrNames, types, typeNames, isKeyCondition]);
}

/** A copy in which others stand for some of the objects. */
function copyWith(value: unknown, instead: (object: object) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const other = instead(value);
  if (other !== undefined) return other;
  if (Array.isArray(value)) return value.map((one) => copyWith(one, instead));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copyWith(one, instead)]));
}
