import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beyondLimits } from './limits.js';
import { lintResolved } from './linters.js';
import { type CloudFormationTemplate, outputsOf, resolvedTemplate } from './resolved.js';

/** The longest name of a stack. */
const stackName = 'longest-'.padEnd(128, 'x');

/** A resolved template, and its file. */
export interface Resolved {
  readonly file: string;
  readonly template: CloudFormationTemplate;
}

/** The name of the file with the names of a template resolved. */
export const resolvedFile = (template: string): string => `resolved-${template}`;

/**
 * Writes templates with their names resolved, as CloudFormation deploys them.
 *
 * @param folder of all synthesized templates, as they import from each other
 * @param templates names of files
 */
export function writeResolved(folder: string, templates: readonly string[]): Resolved[] {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as CloudFormationTemplate;
  const all = readdirSync(folder).filter((file) => file.endsWith('.template.json'));
  const imported = new Map(all.flatMap((file) => outputsOf(read(file), { stackName })));
  return templates.map((name) => {
    const file = resolvedFile(name);
    const template = resolvedTemplate(read(name), { stackName }, imported);
    writeFileSync(join(folder, file), JSON.stringify(template));
    return { file, template };
  });
}

/**
 * Complaints about resolved templates: limits of a service that a text goes beyond, and errors of cfn-lint. A linter measures no
 * text with references in it.
 */
export async function complaintsOf(folder: string, resolved: readonly Resolved[]): Promise<string[]> {
  const beyond = resolved.flatMap(({ file, template }) =>
    beyondLimits(template).map((what) => `${file}: ${what}`),
  );
  const files = resolved.map(({ file }) => file);
  const errors = await lintResolved(folder, files);
  return [
    ...beyond,
    ...errors.map(({ template, resource, id, message }) => `${template} ${resource} ${id}: ${message}`),
  ];
}
