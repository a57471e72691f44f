// `npm run docs:policies`: fills in what the pages about policies show of commands, schedules and pictures. Tests keep it in step:
// `npm test` runs everything but the simulations, which take a minute; `npm run test:long` runs those.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { durationText } from '../tools/src/cli/policy-table.js';
import type { ScheduleRow } from '../tools/src/lab/schedule-of.js';
import { backlog, CONSOLE, PAGES, shownOn } from './policies-page.js';

/** Failures that the schedules show. */
const FAILURES = [1, 2, 3, 5, 10];

/** Policies whose waits are drawn from a range. The waits of the others differ by the jitter alone. */
const RANDOM: ReadonlySet<string> = new Set(['window', 'sidekiq', 'buckets']);

const SCHEDULE = /<!-- schedule: (.*) -->[\s\S]*?<!-- end -->/g;
/** A table of what simulations come to, with a row for each policy of each command; `;` separates commands. */
const OUTCOMES = /<!-- outcomes: (.*) -->[\s\S]*?<!-- end -->/g;

/**
 * Generates everything between the page's marks again, and returns the page; pictures go to `folder`.
 *
 * @param isWanted which commands to run; what the others show stays as it is
 */
export async function generate(
  page: string,
  folder: string,
  isWanted: (command: string) => boolean = () => true,
): Promise<string> {
  mkdirSync(join(folder, 'policies'), { recursive: true });
  for (const { command, file } of shownOn(page)) {
    if (file !== undefined && isWanted(command)) await backlog(`${command} --chart ${join(folder, file)}`);
  }
  const consoles = await replaced(page, CONSOLE, async (command, shown) => {
    if (!isWanted(command)) return shown;
    return `\`\`\`console\n$ npx backlog ${command}\n${await backlog(command)}\n\`\`\``;
  });
  const outcomes = await replaced(consoles, OUTCOMES, async (commands, shown) => {
    if (!isWanted(commands)) return shown;
    return `<!-- outcomes: ${commands} -->\n${await outcomesTable(commands.split('; '))}\n<!-- end -->`;
  });
  return replaced(outcomes, SCHEDULE, async (policy) => {
    const { schedule } = JSON.parse(await backlog(`policy ${policy} --json`)) as { schedule: ScheduleRow[] };
    const table = scheduleTable(schedule, RANDOM.has(policy));
    return `<!-- schedule: ${policy} -->\n${table}\n<!-- end -->`;
  });
}

function scheduleTable(schedule: readonly ScheduleRow[], isRandom: boolean): string {
  const rows = schedule.filter(({ failures }) => FAILURES.includes(failures));
  const line = (name: string, cell: (row: ScheduleRow) => string) =>
    `| ${[name, ...rows.map(cell)].join(' | ')} |`;
  return [
    line('after failure', ({ failures }) => String(failures)),
    `|---|${'---|'.repeat(rows.length)}`,
    line('wait', ({ waitSeconds }) => durationText(waitSeconds)),
    ...(isRandom
      ? [
          line('at least', ({ minSeconds }) => durationText(minSeconds)),
          line('at most', ({ maxSeconds }) => durationText(maxSeconds)),
        ]
      : []),
    line('total', ({ totalSeconds }) => durationText(totalSeconds)),
  ].join('\n');
}

interface Outcome {
  readonly policy: object;
  readonly attempts: number;
  readonly drainedSeconds: number;
}

async function outcomesTable(commands: readonly string[]): Promise<string> {
  const rows: string[] = [];
  for (const command of commands) {
    const limit = /--attempts-per-second (\d+)/.exec(command)?.[1];
    const printed = JSON.parse(await backlog(`${command} --json`)) as Outcome | { policies: Outcome[] };
    for (const { policy, attempts, drainedSeconds } of 'policies' in printed ? printed.policies : [printed]) {
      const name = `\`${JSON.stringify(policy)}\`${limit === undefined ? '' : `, \`attemptsPerSecond\` ${limit}`}`;
      rows.push(`| ${name} | ${attempts.toLocaleString('en')} | ${durationText(drainedSeconds)} |`);
    }
  }
  return ['| policy | attempts | done after |', '|---|---|---|', ...rows].join('\n');
}

async function replaced(
  text: string,
  pattern: RegExp,
  make: (captured: string, whole: string) => Promise<string>,
): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index), await make(match[1] ?? '', match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)].join('');
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const page of PAGES)
    writeFileSync(page, await generate(readFileSync(page, 'utf8'), dirname(page.pathname)));
}
