import type { Resolve } from '../../tools/src/cloudwatch/template.js';

/** The name of a resource where data points come from: its own without an attribute, or one of its attributes. */
export type NameOf = (logicalId: string, attribute: string | undefined) => string;

const logicalName: NameOf = (logicalId, attribute) =>
  attribute === undefined ? logicalId : `${logicalId}.${attribute}`;

/**
 * Ref becomes the logical id, and Fn::GetAtt "logicalId.Attribute", unless `nameOf` calls them something else. Fn::Join,
 * Fn::Select, Fn::Split and Fn::Sub are computed. Any other value becomes JSON.
 */
export function resolver(nameOf: NameOf = logicalName): Resolve {
  const text = (value: unknown): string => {
    const found = resolved(value);
    return typeof found === 'string' ? found : JSON.stringify(found);
  };
  const list = (value: unknown): unknown[] => {
    const found = resolved(value);
    if (!Array.isArray(found)) throw new Error(`expected a list, got ${JSON.stringify(value)}`);
    return found;
  };
  const resolved = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return value.map(resolved);
    const [[intrinsic, operand] = ['', undefined], ...more] = Object.entries(value);
    const known = more.length === 0 ? INTRINSICS[intrinsic] : undefined;
    return known ? known(operand, { nameOf, text, list }) : value;
  };
  return text;
}

interface Tools {
  readonly nameOf: NameOf;
  readonly text: Resolve;
  readonly list: (value: unknown) => unknown[];
}

const INTRINSICS: Readonly<Record<string, (operand: unknown, tools: Tools) => unknown>> = {
  Ref: (operand, { nameOf }) => nameOf(String(operand), undefined),
  'Fn::GetAtt': (operand, { nameOf }) => {
    const [logicalId = '', ...attribute] = Array.isArray(operand) ? operand : String(operand).split('.');
    return nameOf(logicalId, attribute.join('.'));
  },
  'Fn::Join': (operand, { text, list }) => {
    const [separator, parts] = operand as [string, unknown];
    return list(parts).map(text).join(separator);
  },
  'Fn::Split': (operand, { text }) => {
    const [separator, whole] = operand as [string, unknown];
    return text(whole).split(separator);
  },
  'Fn::Select': (operand, { list }) => {
    const [index, items] = operand as [number | string, unknown];
    const found = list(items)[Number(index)];
    if (found === undefined) throw new Error(`nothing to select: ${JSON.stringify(operand)}`);
    return found;
  },
  'Fn::Sub': (operand, { nameOf, text }) => {
    const [template, values = {}] = (Array.isArray(operand) ? operand : [operand]) as [
      string,
      Record<string, unknown>?,
    ];
    return template.replace(/\$\{(!?)([^{}]+)\}/g, (_, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (Object.hasOwn(values, name)) return text(values[name]);
      const [logicalId = '', ...attribute] = name.split('.');
      return nameOf(logicalId, attribute.length > 0 ? attribute.join('.') : undefined);
    });
  },
};
