import { createRequire } from 'node:module';

/** A value in DynamoDB's own JSON: `{ "M": { "total": { "N": "12" } } }`. */
type Value = Readonly<Record<string, unknown>>;
type Item = Readonly<Record<string, Value>>;
/** Names and list positions. */
type Path = readonly (string | number)[];

interface Expression {
  readonly type: string;
  readonly args: readonly (Expression | Path | Value)[];
}

interface Request {
  readonly _condition?: { readonly expression: Expression };
}

interface DynaliteDb {
  checkConditional(request: Request, item: Item | undefined): unknown;
  mapPath(path: Path, item: Item): Value | undefined;
}

const db = createRequire(import.meta.resolve('dynalite'))('./db') as DynaliteDb;
const ALWAYS: Expression = { type: '=', args: [{ S: 'same' }, { S: 'same' }] };
const NEVER: Expression = { type: '=', args: [{ S: 'same' }, { S: 'other' }] };
let isPatched = false;

/**
 * dynalite never finds two documents equal. A run's write of a record that only its producer has written goes by its
 * payload, which mostly is one, and would take five requests instead of one.
 */
export function compareDocuments(): void {
  if (isPatched) return;
  isPatched = true;
  const { checkConditional } = db;
  db.checkConditional = (request, item) => {
    const { _condition: condition } = request;
    if (!condition) return checkConditional(request, item);
    const expression = withoutDocuments(condition.expression, item ?? {});
    return checkConditional({ ...request, _condition: { ...condition, expression } }, item);
  };
}

function withoutDocuments(expression: Expression, item: Item): Expression {
  const { type, args } = expression;
  if (type === 'and' || type === 'or' || type === 'not') {
    return { ...expression, args: args.map((arg) => withoutDocuments(arg as Expression, item)) };
  }
  if (type !== '=' && type !== '<>') return expression;
  const [left, right] = args.map((arg) => resolved(arg, item));
  if (!isDocument(left) || !isDocument(right)) return expression;
  return isSame(left, right) === (type === '=') ? ALWAYS : NEVER;
}

function resolved(operand: Expression | Path | Value, item: Item): unknown {
  return Array.isArray(operand) ? db.mapPath(operand as Path, item) : operand;
}

function isDocument(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && ('M' in value || 'L' in value);
}

/** The order of a map's names and of a set's members means nothing. */
function isSame(a: Value, b: Value): boolean {
  const [[type, one] = []] = Object.entries(a);
  const [[otherType, other] = []] = Object.entries(b);
  if (type !== otherType) return false;
  switch (type) {
    case 'M': {
      const [ours, theirs] = [one as Item, other as Item];
      const names = Object.keys(ours);
      if (names.length !== Object.keys(theirs).length) return false;
      return names.every((name) => {
        const [mine, yours] = [ours[name], theirs[name]];
        return mine !== undefined && yours !== undefined && isSame(mine, yours);
      });
    }
    case 'L': {
      const [ours, theirs] = [one as readonly Value[], other as readonly Value[]];
      return ours.length === theirs.length && ours.every((value, i) => isSame(value, theirs[i] ?? {}));
    }
    case 'SS':
    case 'NS':
    case 'BS':
      return [...(one as string[])].sort().join('\0') === [...(other as string[])].sort().join('\0');
    default:
      // dynalite stores numbers in one form only.
      return one === other;
  }
}
