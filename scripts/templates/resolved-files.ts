import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beyondLimits } from './limits.js';
import { lintResolved } from './linters.js';
import { type CloudFormationTemplate, outputsOf, resolvedTemplate } from './resolved.js';

/** The longest name of a stack. */
const stackName = 'longest-'.padEnd(128, 'x');

/**
 * Complaints about templates once CloudFormation has resolved their names: limits of a service that a text goes beyond, and
 * errors of cfn-lint. A linter measures no text with references in it.
 *
 * @param folder of all synthesized templates, as they import from each other
 * @param templates names of files
 */
export async function complaintsOfResolved(folder: string, templates: readonly string[]): Promise<string[]> {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')) as CloudFormationTemplate;
  const all = readdirSync(folder).filter((file) => file.endsWith('.template.json'));
  const imported = new Map(all.flatMap((file) => outputsOf(read(file), { stackName })));
  const resolved = templates.map((file) => ({
    file: `resolved-${file}`,
    template: resolvedTemplate(read(file), { stackName }, imported),
  }));
  for (const { file, template } of resolved) writeFileSync(join(folder, file), JSON.stringify(template));
  const beyond = resolved.flatMap(({ file, template }) =>
    beyondLimits(template).map((what) => `${file}: ${what}`),
  );
  const errors = await lintResolved(
    folder,
    resolved.map(({ file }) => file),
  );
  return [
    ...beyond,
    ...errors.map(({ template, resource, id, message }) => `${template} ${resource} ${id}: ${message}`),
  ];
}
