import type { Stack, TemplateResource } from './assembly.js';
import { runsHere } from './function.js';
import type { LocalFunctionUrl, StackContext } from './local-app.js';
import { functionBehind } from './referred.js';

/** Tells whether one of the stacks has a function URL that may be served. */
export function hasFunctionUrls(stacks: readonly Stack[]): boolean {
  return stacks.some(({ template }) => Object.values(template.Resources ?? {}).some(isOpenUrl));
}

/**
 * Reads the URL of a function of this stack. One that only signed requests may use, one that streams its answers, and one of a function
 * that cannot run here are left out.
 */
export function readFunctionUrl(
  resource: TemplateResource,
  context: StackContext,
): (LocalFunctionUrl & { readonly functionId: string }) | undefined {
  if (!isOpenUrl(resource) || context.functionUrls === undefined) return undefined;
  const functionId = functionBehind(resource.Properties?.TargetFunctionArn, context);
  if (functionId === undefined || !runsHere(functionId, context)) return undefined;
  const functionName = context.nameOf(functionId);
  return { functionName, functionId, url: `${context.functionUrls}${encodeURIComponent(functionName)}/` };
}

function isOpenUrl({ Type, Properties = {} }: TemplateResource): boolean {
  const { AuthType, InvokeMode = 'BUFFERED' } = Properties;
  return Type === 'AWS::Lambda::Url' && AuthType === 'NONE' && InvokeMode === 'BUFFERED';
}
