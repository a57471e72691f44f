import type { StackContext } from './local-app.js';

/** The logical id of a resource of which this is one attribute. */
export function attributeOf(value: unknown, attribute: string): string | undefined {
  const [id, name] = attributePath(value);
  return name === attribute ? id : undefined;
}

/**
 * The logical id of a function that is named or whose ARN is given, through aliases and versions; `undefined` for
 * anything else.
 */
export function functionBehind(value: unknown, context: StackContext): string | undefined {
  const id = referredId(value);
  const resource = id === undefined ? undefined : context.resource(id);
  switch (resource?.Type) {
    case 'AWS::Lambda::Function':
      return id;
    case 'AWS::Lambda::Alias':
    case 'AWS::Lambda::Version':
      return functionBehind(resource.Properties?.FunctionName, context);
    default:
      return undefined;
  }
}

function referredId(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'Ref' in value) return String(value.Ref);
  return attributePath(value)[0];
}

/** The logical id and the attribute, from a list or from a text with a dot. */
function attributePath(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !('Fn::GetAtt' in value)) return [];
  return [value['Fn::GetAtt']].flat().join('.').split('.');
}
