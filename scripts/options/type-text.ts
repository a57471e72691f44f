import type { Declaration, Node, Source } from './source.js';

/** The types that type parameters stand for, as text. */
type Arguments = ReadonlyMap<string, string>;

const KEYWORDS: Readonly<Record<string, string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSUnknownKeyword: 'unknown',
  TSNullKeyword: 'null',
  TSFunctionType: 'function',
  TSMethodSignature: 'function',
  TSConstructorType: 'class',
  TSIntersectionType: 'object',
};

/**
 * A type as a table shows it: without `readonly` and `undefined`, objects as the names of their properties. Types that are marked
 * `@inline` are shown as the types that they stand for.
 */
export function typeText(node: Node | undefined, source: Source, given: Arguments): string {
  if (node === undefined) return 'unknown';
  const textOf = (inner: Node | undefined) => typeText(inner, source, given);
  switch (node.type) {
    case 'TSUnionType':
      return unionOf(node.types?.filter(({ type }) => type !== 'TSUndefinedKeyword').map(textOf) ?? []);
    case 'TSParenthesizedType':
    case 'TSTypeOperator':
      return textOf(node.typeAnnotation);
    case 'TSArrayType':
      return textOf(node.elementType)
        .replace(/^.* \| .*$/, '($&)')
        .concat('[]');
    case 'TSTypeLiteral':
      return propertiesOf(node.members);
    case 'TSIndexedAccessType':
      return textOf(node.objectType?.members?.[0]);
    case 'TSTypeReference':
      return referenceText(node, source, given);
    default:
      return KEYWORDS[node.type] ?? source.textOf(node);
  }
}

/** `IVpc` stands for the class `Vpc`, too. */
function unionOf(types: readonly string[]): string {
  const isClassOf = (type: string, other: string) => /^I[A-Z]/.test(other) && type.startsWith(other.slice(1));
  const all = [...new Set(types.flatMap((type) => type.split(' | ')))];
  return all.filter((type) => !all.some((other) => isClassOf(type, other))).join(' | ');
}

const propertiesOf = (members: readonly Node[] = []) =>
  `{ ${members.map(({ key, optional }) => `${key?.name}${optional ? '?' : ''}`).join(', ')} }`;

function referenceText(node: Node, source: Source, given: Arguments): string {
  const name = node.typeName ? source.textOf(node.typeName) : '';
  const argument = given.get(name);
  if (argument !== undefined) return argument;
  const parts = node.typeParameters?.params.map((one) => typeText(one, source, given)) ?? [];
  if (name === 'Readonly') return parts[0] ?? name;
  if (name === 'Pick') return `{ ${parts[1]?.replaceAll("'", '').replaceAll(' | ', ', ')} }`;
  const declaration = source.find(name);
  if (declaration && /@inline\b/.test(declaration.docstring)) return inlined(declaration, parts);
  return parts.length === 0 || declaration ? name : `${name}<${parts.join(', ')}>`;
}

function inlined(declaration: Declaration, parts: readonly string[]): string {
  const { node, source } = declaration;
  if (node.type === 'TSInterfaceDeclaration') return propertiesOf(node.body?.body);
  return typeText(node.typeAnnotation, source, argumentsOf(declaration, parts));
}

/** The type behind each type parameter: the given one, or its default. */
export function argumentsOf({ node, source }: Declaration, parts: readonly string[]): Arguments {
  const parameters = node.typeParameters?.params ?? [];
  return new Map(
    parameters.map(({ name = '', default: standard }, i) => [
      name,
      parts[i] ?? typeText(standard, source, new Map()),
    ]),
  );
}
