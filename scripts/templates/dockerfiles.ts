import { run } from './linters.js';

/** The Dockerfiles of this repository. */
export const DOCKERFILES = ['examples/fargate/worker/Dockerfile'];

/** Findings that a broken Dockerfile must have: a linter that reads nothing finds nothing. */
const BROKEN = 'scripts/templates/Broken.Dockerfile';
const IN_BROKEN = ['DL3003', 'DL3007', 'DL3025', 'CKV_DOCKER_2', 'CKV_DOCKER_3'];

interface DockerfileFinding {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * One complaint for each finding of hadolint and checkov in a Dockerfile, and for each that they do not make in a broken one.
 *
 * @param root the repository
 */
export async function lintDockerfiles(root: string): Promise<string[]> {
  const found = (await Promise.all([hadolint(root), checkov(root)])).flat();
  const blind = IN_BROKEN.filter((id) => !found.some((one) => one.id === id && one.file === BROKEN));
  return [
    ...blind.map(
      (id) => `${BROKEN}: expected the finding ${id}, got none: the linters do not see it any more`,
    ),
    ...found
      .filter(({ file }) => file !== BROKEN)
      .map(({ file, line, id, message }) => `${file}:${line} ${id}: ${message}`),
  ];
}

type HadolintReport = readonly {
  readonly code: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}[];

async function hadolint(root: string): Promise<DockerfileFinding[]> {
  const text = await run('hadolint', ['--no-fail', '--format', 'json', ...DOCKERFILES, BROKEN], root);
  return (JSON.parse(text) as HadolintReport).map(({ code, ...rest }) => ({ id: code, ...rest }));
}

interface CheckovReport {
  readonly results: {
    readonly failed_checks: readonly {
      readonly check_id: string;
      readonly check_name: string;
      readonly file_path: string;
      readonly file_line_range: readonly [number, number];
    }[];
  };
  readonly summary: { readonly parsing_errors: number };
}

/** It knows what hadolint does not: an image without a user, or without a health check. */
async function checkov(root: string): Promise<DockerfileFinding[]> {
  const files = [...DOCKERFILES, BROKEN].flatMap((file) => ['-f', file]);
  const options = ['--framework', 'dockerfile', '--skip-download', '--soft-fail', '--quiet', '--compact'];
  const { results, summary } = JSON.parse(
    await run('checkov', [...files, ...options, '--output', 'json'], root),
  ) as CheckovReport;
  if (summary.parsing_errors > 0)
    throw new Error(`checkov could not read ${summary.parsing_errors} Dockerfiles`);
  return results.failed_checks.map(({ check_id, check_name, file_path, file_line_range: [line] }) => ({
    ...{ id: check_id, message: check_name, line },
    file: file_path.replace(/^\//, ''),
  }));
}
