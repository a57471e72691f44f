/** The rule packs in the table of docs/security.md, which has one column for the first two. */
export const APPS = ['default', 'minimal', 'everything'] as const;

export type AppName = (typeof APPS)[number];

/** A linter's finding at one resource of a template. */
export interface Finding {
  /** The linter's own, such as `CKV_AWS_117`, `W3005` or `CT.LAMBDA.PR.3`. */
  readonly id: string;
  readonly message: string;
  readonly template: string;
  /** `AWS::Lambda::Function`; empty for a finding that is of no resource. */
  readonly type: string;
  readonly resource: string;
}

/** The table's cell for one check, such as `5 functions` or `none`. */
export interface Documented {
  readonly id: string;
  readonly cells: Readonly<Record<AppName, string>>;
}

const HEADING = '## Findings of the linters';
const ROW = /^\| `(?<id>[A-Z][\w.-]+)` \| [^|]+ \| (?<app>[^|]+) \| (?<everything>[^|]+) \| [^|]+ \|$/;
const NONE = 'none';
/** The cell of a check that is not made in an app. */
const NOT_MADE = '–';

const NOUNS: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'alarm',
  'AWS::IAM::Policy': 'role',
  'AWS::IAM::Role': 'role',
  'AWS::Lambda::Function': 'function',
  'AWS::Logs::LogGroup': 'log group',
  'AWS::SQS::Queue': 'SQS queue',
};

/**
 * Reads the table of findings.
 *
 * @throws Error if the page has no such table, or a row that is none
 */
export function documented(page: string): Documented[] {
  const section = page.split(`\n${HEADING}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  if (rows.length === 0)
    throw new Error(`expected a table below "${HEADING}" in docs/security.md, found none`);
  return rows.map((row) => {
    const { id, app, everything } = ROW.exec(row)?.groups ?? {};
    if (id === undefined || app === undefined || everything === undefined) {
      throw new Error(
        `expected "| \`check\` | asks | default | everything | reason |" in docs/security.md, got ${row}`,
      );
    }
    return { id, cells: { default: app, minimal: app, everything } };
  });
}

/** One complaint for each check of which the table says something else than the linters. */
export function differences(
  table: readonly Documented[],
  app: AppName,
  findings: readonly Finding[],
): string[] {
  const ids = [...new Set([...table.map(({ id }) => id), ...findings.map(({ id }) => id)])].sort();
  return ids.flatMap((id) => {
    const found = findings.filter((finding) => finding.id === id);
    const row = table.find((one) => one.id === id);
    const [expected, actual] = [row?.cells[app] ?? NONE, cellOf(found)];
    if (expected === actual || (expected === NOT_MADE && found.length === 0)) return [];
    const what = `${id}: the table has ${row ? `"${expected}"` : 'no row'} for the app "${app}", found ${actual}`;
    return [[what, ...found.map(lineOf)].join('\n')];
  });
}

/** `5 functions, 2 SQS queues`. */
function cellOf(findings: readonly Finding[]): string {
  const counts = new Map<string, Set<string>>();
  for (const { type, template, resource } of findings) {
    const noun = NOUNS[type] ?? type;
    counts.set(noun, (counts.get(noun) ?? new Set()).add(`${template} ${resource}`));
  }
  const cells = [...counts].map(([noun, { size }]) => `${size} ${noun}${size === 1 ? '' : 's'}`);
  return cells.sort().join(', ') || NONE;
}

function lineOf({ message, template, resource }: Finding): string {
  return `  ${template} ${resource}: ${message}`;
}
