import { readFile, stat } from 'node:fs/promises';
import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';
import { readAssembly, type Stack } from '../../local/template/assembly.js';
import { type DescribedTemplate, readMetadata } from './read-metadata.js';

/** Folder in which the CDK's command line puts what it synthesized. */
export const CDK_OUT = 'cdk.out';

/**
 * Reads a template from a file, or the one of a stack from a folder such as `cdk.out`.
 *
 * @param stack the name of the stack. Default: the only one of the folder that has a Backlog
 * @throws ConfigurationError naming the option, and what was expected
 */
export async function templateAt(
  path: string,
  option: string,
  stack: string | undefined,
): Promise<DescribedTemplate> {
  const found = await stat(path).catch(() => undefined);
  if (!found) {
    const hint = path === CDK_OUT ? ': run "npx cdk synth" first, or name a template with --to' : '';
    throw new ConfigurationError(`${option}: there is no ${show(path)}${hint}`);
  }
  if (!found.isDirectory())
    return readMetadata(parseTemplate(await readFile(path, 'utf8'), option, path), path);
  const chosen = chooseStack(await readAssembly(path), stack, `${option}: ${path}`);
  return readMetadata(chosen.template, `${path}, stack ${chosen.name}`);
}

/** @throws ConfigurationError for what is not JSON */
export function parseTemplate(text: string, option: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigurationError(
      `${option}: ${show(where)}: expected a template in JSON, as in ${CDK_OUT}/NAME.template.json, and not YAML, ` +
        'as "cdk synth" prints it',
      { cause: error },
    );
  }
}

function chooseStack(stacks: readonly Stack[], name: string | undefined, where: string): Stack {
  const names = stacks.map((stack) => stack.name).join(', ') || 'none';
  if (name !== undefined) {
    const found = stacks.find((stack) => stack.name === name);
    if (found) return found;
    throw new ConfigurationError(`${where}: expected a stack ${show(name)}, found ${names}`);
  }
  const withBacklog = stacks.filter(({ template }) => readMetadata(template, where).backlogs.size > 0);
  const [only, ...others] = withBacklog.length > 0 ? withBacklog : stacks;
  if (only && others.length === 0) return only;
  throw new ConfigurationError(`${where}: say which stack with --stack: ${names}`);
}
