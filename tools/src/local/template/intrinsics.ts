import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';

/** Values of a template's references on this machine. */
export interface References {
  /** The value of `Ref` to a resource or a parameter; `undefined` if there is no such name. */
  ref(logicalId: string): string | undefined;
  /** The value of `Fn::GetAtt`; `undefined` if there is no such resource. */
  attribute(logicalId: string, attribute: string): string | undefined;
  /** The value of `Fn::ImportValue`; `undefined` if no stack of the app exports it. */
  imported(name: string): string | undefined;
}

/** Values of CloudFormation's pseudo parameters. */
const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': '000000000000',
  'AWS::Partition': 'aws',
  'AWS::Region': process.env.AWS_REGION ?? 'us-east-1',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': 'local',
  'AWS::StackId': 'arn:aws:cloudformation:us-east-1:000000000000:stack/local/local',
};

/**
 * Replaces `Ref`, `Fn::GetAtt`, `Fn::ImportValue`, `Fn::Join` and `Fn::Sub` by their values, in objects and lists of
 * any depth.
 *
 * @param where names the resource and property, for errors
 * @throws ConfigurationError on other intrinsic functions and on names that the template does not have
 */
export function resolve(value: unknown, references: References, where: string): unknown {
  if (Array.isArray(value)) return value.map((entry) => resolve(entry, references, where));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? [];
  if (entries.length === 1 && name !== undefined && (name === 'Ref' || name.startsWith('Fn::'))) {
    return resolveFunction(name, argument, references, where);
  }
  return Object.fromEntries(
    entries
      .map(([key, entry]) => [key, isNoValue(entry) ? undefined : resolve(entry, references, where)] as const)
      .filter(([, entry]) => entry !== undefined),
  );
}

/** The same where a text is expected. Numbers and booleans become text, as CloudFormation has it. */
export function resolveText(value: unknown, references: References, where: string): string {
  const resolved = resolve(value, references, where);
  if (typeof resolved === 'string') return resolved;
  if (typeof resolved === 'number' || typeof resolved === 'boolean') return String(resolved);
  throw new ConfigurationError(`${where}: expected a text, got ${show(resolved)}`);
}

function isNoValue(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'Ref' in value && value.Ref === 'AWS::NoValue';
}

function resolveFunction(name: string, argument: unknown, references: References, where: string): string {
  switch (name) {
    case 'Ref':
      return reference(String(argument), references, where);
    case 'Fn::GetAtt': {
      const [id = '', ...path] = Array.isArray(argument) ? argument.map(String) : String(argument).split('.');
      return attribute(id, path.join('.'), references, where);
    }
    case 'Fn::ImportValue':
      return imported(resolveText(argument, references, where), references, where);
    case 'Fn::Join': {
      const [separator, parts] = Array.isArray(argument) ? argument : [];
      if (typeof separator !== 'string' || !Array.isArray(parts)) return unsupported(name, argument, where);
      return parts.map((part) => resolveText(part, references, where)).join(separator);
    }
    case 'Fn::Sub':
      return substitute(argument, references, where);
    default:
      return unsupported(name, argument, where);
  }
}

function reference(id: string, references: References, where: string): string {
  const value = PSEUDO_PARAMETERS[id] ?? references.ref(id);
  if (value === undefined) throw new ConfigurationError(`${where}: the template has no "${id}" to refer to`);
  return value;
}

function attribute(id: string, name: string, references: References, where: string): string {
  const value = references.attribute(id, name);
  if (value === undefined) {
    throw new ConfigurationError(`${where}: the template has no "${id}" with the attribute "${name}"`);
  }
  return value;
}

function imported(name: string, references: References, where: string): string {
  const value = references.imported(name);
  if (value === undefined) throw new ConfigurationError(`${where}: no stack of the app exports "${name}"`);
  return value;
}

function substitute(argument: unknown, references: References, where: string): string {
  const [text, variables = {}] = Array.isArray(argument) ? argument : [argument];
  if (typeof text !== 'string' || typeof variables !== 'object' || variables === null) {
    return unsupported('Fn::Sub', argument, where);
  }
  const own = variables as Record<string, unknown>;
  return text.replace(/\$\{(!?)([^{}]+)\}/g, (_whole, literal: string, name: string) => {
    if (literal) return `\${${name}}`;
    if (Object.hasOwn(own, name)) return resolveText(own[name], references, where);
    const [id = '', ...path] = name.split('.');
    return path.length > 0
      ? attribute(id, path.join('.'), references, where)
      : reference(name, references, where);
  });
}

function unsupported(name: string, argument: unknown, where: string): never {
  throw new ConfigurationError(
    `${where}: the local runtime cannot work out ${name} (${show(argument)}); it knows Ref, Fn::GetAtt, Fn::ImportValue, Fn::Join and Fn::Sub`,
  );
}
