// `npm run lint:templates`: checkov and cfn-lint read the templates of three apps, and rules of NIST, PCI DSS and Control Tower
// one of them. docs/security.md has a table of what they find. Fails when a finding is not in that table, or one of the table occurs no more; or if a template with its names
// resolved is beyond a limit. Hadolint and checkov read the
// Dockerfiles, and must find nothing there. Needs Python 3.9 or later.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { synthesize } from './templates/apps.js';
import { controlTower } from './templates/control-tower.js';
import { DOCKERFILES, lintDockerfiles } from './templates/dockerfiles.js';
import { APPS, differences, documented } from './templates/findings.js';
import { installLinters, lint } from './templates/linters.js';
import { complaintsOf, writeResolved } from './templates/resolved-files.js';

const PAGE = 'docs/security.md';

const began = Date.now();
installLinters();
const folder = mkdtempSync(join(tmpdir(), 'lint-templates-'));
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<number> {
  const { apps, longest, findings: ofNag } = synthesize(folder);
  const templates = Object.values(apps).flat();
  const resolved = writeResolved(folder, [...templates, longest]);
  const [ofLinters, ofControlTower, inResolved] = await Promise.all([
    lint(folder, templates),
    controlTower(folder, apps.everything),
    complaintsOf(folder, resolved),
  ]);
  const findings = [...ofNag, ...ofLinters, ...ofControlTower];
  const table = documented(readFileSync(new URL(`../${PAGE}`, import.meta.url), 'utf8'));
  const inTemplates = APPS.flatMap((app) =>
    differences(
      table,
      app,
      findings.filter(({ template }) => apps[app].includes(template)),
    ),
  );
  const inDockerfiles = await lintDockerfiles(fileURLToPath(new URL('..', import.meta.url)));
  const complaints = [...inTemplates, ...inResolved, ...inDockerfiles];
  for (const complaint of complaints) process.stdout.write(`${complaint}\n\n`);
  const seconds = Math.round((Date.now() - began) / 1000);
  process.stdout.write(
    complaints.length === 0
      ? `${findings.length} findings in templates, all of them in ${PAGE}, and none in ${DOCKERFILES.join(', ')} (${seconds} s)\n`
      : `${inTemplates.length} differences between what the linters find and the table in ${PAGE}, ${inResolved.length} in templates with their names resolved, and ${inDockerfiles.length} findings in Dockerfiles (${seconds} s)\n`,
  );
  return complaints.length === 0 ? 0 : 1;
}
