import { type Node, parse } from './expression-parser.js';
import type { Point } from './metric-data.js';

// The rules: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
//
// Two of them are easy to get wrong. An operator takes a point that only one of two series has for 0 in the other one: the
// result has a point where either has one. And a point that was divided by zero is dropped.

/** Points of one metric, the oldest first. */
export type Series = readonly Point[];

/** A number, a time series, or an array of time series. */
export type Value = number | Series | SeriesList;

export class SeriesList {
  readonly items: readonly Series[];

  constructor(items: readonly Series[]) {
    this.items = items;
  }
}

export interface Expression {
  readonly text: string;
  readonly root: Node;
}

/** Values that an expression can name. */
export interface Surroundings {
  /** The value of another metric or expression of the alarm. */
  valueOf(id: string): Value;
  /** The metrics of the alarm, not its expressions. */
  readonly metricIds: readonly string[];
  /** The number of points of each series. */
  readonly length: number;
  /** Seconds between two points. */
  readonly period: number;
}

/** Throws for a function that is not known here. */
export function parseExpression(text: string): Expression {
  const root = parse(text);
  for (const node of nodesOf(root)) {
    if (node.type === 'call' && !Object.hasOwn(FUNCTIONS, node.name)) {
      throw new Error(`"${text}": unknown function ${node.name}`);
    }
  }
  return { text, root };
}

/** The ids of metrics and of other expressions in it. */
export function idsIn({ root }: Expression): string[] {
  return nodesOf(root).flatMap((node) => (node.type === 'name' && !WORDS.has(node.name) ? [node.name] : []));
}

export function evaluate({ text, root }: Expression, surroundings: Surroundings): Value {
  try {
    return compute(root, surroundings);
  } catch (error) {
    throw error instanceof OperandError ? new Error(`"${text}": ${error.message}`) : error;
  }
}

/** A word of a function, not an id: an id starts with a small letter. */
const WORDS: ReadonlySet<string> = new Set(['REPEAT', 'LINEAR']);

class OperandError extends Error {}

function nodesOf(node: Node): Node[] {
  switch (node.type) {
    case 'negative':
      return [node, ...nodesOf(node.operand)];
    case 'operation':
      return [node, ...nodesOf(node.left), ...nodesOf(node.right)];
    case 'call':
      return [node, ...node.operands.flatMap(nodesOf)];
    case 'list':
      return [node, ...node.items.flatMap(nodesOf)];
    default:
      return [node];
  }
}

function compute(node: Node, surroundings: Surroundings): Value {
  switch (node.type) {
    case 'number':
      return node.value;
    case 'name':
      return surroundings.valueOf(node.name);
    case 'negative':
      return mapPoints(compute(node.operand, surroundings), (value) => -value);
    case 'operation':
      return combine(
        compute(node.left, surroundings),
        compute(node.right, surroundings),
        operationOf(node.operator),
      );
    case 'call':
      return FUNCTIONS[node.name]?.(node.operands, surroundings) ?? fail(`unknown function ${node.name}`);
    case 'list':
      return new SeriesList(node.items.flatMap((item) => seriesIn(compute(item, surroundings))));
    case 'text':
      return fail(`"${node.value}" is no operand`);
  }
}

function fail(message: string): never {
  throw new OperandError(message);
}

function seriesIn(value: Value): readonly Series[] {
  if (typeof value === 'number') return fail(`${value} is no time series`);
  return value instanceof SeriesList ? value.items : [value];
}

type Operation = (left: number, right: number) => number;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '^': (left, right) => left ** right,
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
  '<': (left, right) => Number(left < right),
  '>': (left, right) => Number(left > right),
  '<=': (left, right) => Number(left <= right),
  '>=': (left, right) => Number(left >= right),
  AND: (left, right) => Number(left !== 0 && right !== 0),
  OR: (left, right) => Number(left !== 0 || right !== 0),
};

function operationOf(operator: string): Operation {
  return OPERATIONS[operator] ?? fail(`unknown operator ${operator}`);
}

/** NaN and infinity are no data points: they come from a division by zero. */
function point(value: number): Point {
  return Number.isFinite(value) ? value : undefined;
}

function combine(left: Value, right: Value, operation: Operation): Value {
  if (left instanceof SeriesList) {
    if (right instanceof SeriesList) return fail('an operator takes one array of time series, not two');
    return new SeriesList(left.items.map((series) => combineSeries(series, right, operation)));
  }
  if (right instanceof SeriesList) {
    return new SeriesList(right.items.map((series) => combineSeries(left, series, operation)));
  }
  if (typeof left === 'number' && typeof right === 'number') return operation(left, right);
  return combineSeries(left, right, operation);
}

function combineSeries(left: number | Series, right: number | Series, operation: Operation): Series {
  const series = typeof left === 'number' ? right : left;
  if (typeof series === 'number') return fail('an operator needs a time series here');
  return series.map((_, index) => {
    const one = typeof left === 'number' ? left : left[index];
    const other = typeof right === 'number' ? right : right[index];
    const exists =
      (typeof left !== 'number' && one !== undefined) || (typeof right !== 'number' && other !== undefined);
    return exists ? point(operation(one ?? 0, other ?? 0)) : undefined;
  });
}

function mapPoints(value: Value, change: (point: number) => number): Value {
  if (typeof value === 'number') return change(value);
  return mapSeries(value, (series) => series.map((at) => (at === undefined ? at : point(change(at)))));
}

function mapSeries(value: Value, change: (series: Series) => Series): Value {
  if (typeof value === 'number') return fail(`${value} is no time series`);
  return value instanceof SeriesList ? new SeriesList(value.items.map(change)) : change(value);
}

type MathFunction = (operands: readonly Node[], surroundings: Surroundings) => Value;

const FUNCTIONS: Readonly<Record<string, MathFunction>> = {
  ABS: ofPoints(Math.abs),
  CEIL: ofPoints(Math.ceil),
  FLOOR: ofPoints(Math.floor),
  SUM: ofMany((values) => values.reduce((total, value) => total + value, 0)),
  MAX: ofMany((values) => Math.max(...values)),
  MIN: ofMany((values) => Math.min(...values)),
  // A missing value counts as 0.
  AVG: ofMany((values, count) => values.reduce((total, value) => total + value, 0) / count),
  DIFF: (operands, surroundings) =>
    mapSeries(only(operands, surroundings), (series) => differences(series, (by) => by)),
  RATE: (operands, surroundings) =>
    mapSeries(only(operands, surroundings), (series) =>
      differences(series, (by, periods) => by / (periods * surroundings.period)),
    ),
  FILL: fill,
  IF: choose,
  METRICS: ([part, ...more], { metricIds, valueOf: valueOfId }) => {
    if (more.length > 0 || (part && part.type !== 'text')) return fail('METRICS takes one text');
    const ids = metricIds.filter((id) => !part || id.includes(part.value));
    return new SeriesList(ids.flatMap((id) => seriesIn(valueOfId(id))));
  },
  PERIOD: (operands, surroundings) => {
    seriesIn(only(operands, surroundings));
    return surroundings.period;
  },
  TIME_SERIES: (operands, surroundings) => {
    const value = only(operands, surroundings);
    if (typeof value !== 'number') return fail('TIME_SERIES takes a number');
    return Array(surroundings.length).fill(point(value));
  },
};

function only(operands: readonly Node[], surroundings: Surroundings): Value {
  const [operand, ...more] = operands;
  if (!operand || more.length > 0) return fail(`expected one operand, got ${operands.length}`);
  return compute(operand, surroundings);
}

function ofPoints(change: (point: number) => number): MathFunction {
  return (operands, surroundings) => mapPoints(only(operands, surroundings), change);
}

/** A function that makes a number of one time series, and one time series of an array of them. */
function ofMany(join: (values: readonly number[], count: number) => number): MathFunction {
  return (operands, surroundings) => {
    const value = only(operands, surroundings);
    if (typeof value === 'number') return fail(`${value} is no time series`);
    const joined = (points: Series): Point => {
      const values = points.filter((at) => at !== undefined);
      return values.length === 0 ? undefined : point(join(values, points.length));
    };
    if (!(value instanceof SeriesList)) return joined(value.filter((at) => at !== undefined)) ?? Number.NaN;
    return Array.from({ length: surroundings.length }, (_, index) =>
      joined(value.items.map((series) => series[index])),
    );
  };
}

/**
 * Changes of each value to the value before it, with the number of periods between them. The first value has none
 * before it.
 */
function differences(series: Series, change: (by: number, periods: number) => number): Series {
  let before: { value: number; index: number } | undefined;
  return series.map((value, index) => {
    if (value === undefined) return undefined;
    const difference = before && point(change(value - before.value, index - before.index));
    before = { value, index };
    return difference;
  });
}

/** Fills missing values. With REPEAT, those before the first value stay missing. */
function fill([operand, filler, ...more]: readonly Node[], surroundings: Surroundings): Value {
  if (!operand || !filler || more.length > 0) return fail('FILL takes two operands');
  const value = compute(operand, surroundings);
  if (filler.type === 'name' && WORDS.has(filler.name)) {
    if (filler.name !== 'REPEAT') return fail(`FILL with ${filler.name} is not known here`);
    return mapSeries(value, (series) => {
      let last: Point;
      return series.map((at) => {
        last = at ?? last;
        return last;
      });
    });
  }
  const by = compute(filler, surroundings);
  if (by instanceof SeriesList) return fail('FILL takes no array of time series to fill with');
  return mapSeries(value, (series) => series.map((at, index) => at ?? valueAt(by, index)));
}

/** A value that is chosen but missing is 0; one that is left, for a condition that is false, is dropped. */
function choose([condition, yes, no, ...more]: readonly Node[], surroundings: Surroundings): Value {
  if (!condition || !yes || more.length > 0) return fail('IF takes two or three operands');
  const when = compute(condition, surroundings);
  const chosen = compute(yes, surroundings);
  const other = no ? compute(no, surroundings) : Array<Point>(surroundings.length).fill(undefined);
  if (typeof when === 'number') return when === 0 ? other : chosen;
  if ([when, chosen, other].some((value) => value instanceof SeriesList)) {
    return fail('IF takes no array of time series');
  }
  return (when as Series).map((at, index) => {
    if (at === undefined) return undefined;
    return at === 0
      ? valueAt(other as number | Series, index)
      : (valueAt(chosen as number | Series, index) ?? 0);
  });
}

function valueAt(value: number | Series, index: number): Point {
  return typeof value === 'number' ? point(value) : value[index];
}
