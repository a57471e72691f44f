// `npm run docs:options` writes the tables of options into the pages, from the declarations of the options: their types, defaults and
// docstrings. A test keeps them in step.
//
// A table stands in a page between two comments. The first one names the interfaces, and may name those of their options that the table
// has; without names, the table has those that no other table of the page has.
//
//   <!-- table of: QueueProps: retry, progressive -->
//   <!-- end -->

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LINKS } from './options/links.js';
import { type Option, type Options, optionsOf } from './options/options.js';

const DOCS = new URL('../docs/', import.meta.url);

/** The files that declare the interfaces. */
const FILES: Readonly<Record<string, string>> = {
  BacklogProps: 'cdk/props/backlog-props.ts',
  QueueProps: 'cdk/props/queue-props.ts',
  FunctionProps: 'cdk/props/function-props.ts',
  EntryFunctionProps: 'cdk/props/function-props.ts',
  IntakeProps: 'cdk/props/intake-props.ts',
  RecurringProps: 'cdk/props/recurring-props.ts',
  DeliveryProps: 'cdk/props/delivery-props.ts',
  BatchLimits: 'src/batches/options.ts',
  BatchOptions: 'src/batches/in-batches.ts',
  QueueAlarms: 'cdk/props/alarm-props.ts',
  LimitOptions: 'src/worker/queue-options.ts',
  QueueOptions: 'src/worker/queue-options.ts',
  LaneOptions: 'src/worker/lane-options.ts',
  OrderOptions: 'src/lines/order-options.ts',
  BacklogHandlerOptions: 'functions/backlog-handler.ts',
  BreakerSettings: 'src/worker/queue-options.ts',
  HistoryOptions: 'src/worker/failures/history.ts',
  TaskOptions: 'src/tasks/task.ts',
  Task: 'src/tasks/task.ts',
  Delay: 'src/client/delay.ts',
  BacklogClientOptions: 'src/client/client.ts',
  ConnectionOptions: 'src/connection.ts',
  TaskInsertOptions: 'src/client/task-record.ts',
  OperationOptions: 'src/operate/options.ts',
  RecurringOptions: 'src/recurring/definition.ts',
  GroupOptions: 'src/groups/options.ts',
  RetryLimits: 'src/policies/retry-policy.ts',
  CommonPolicyOptions: 'src/policies/retry-policy.ts',
  TestQueue: 'src/testing/options.ts',
  TestBacklogOptions: 'src/testing/options.ts',
};

const TABLE = /<!-- table of: ([^:\n]+?)(?:: ([^\n]+?))? -->\n[\s\S]*?<!-- end -->/g;

const textOf = (path: string) => readFileSync(new URL(`../${path}`, DOCS), 'utf8');

/** The pages that have tables. */
export const PAGES = readdirSync(DOCS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
  .filter((path) => textOf(path).includes('<!-- table of: '));

export const INTERFACES = Object.keys(FILES);

/** A table of a page. */
export interface Table {
  /** Interfaces: `QueueOptions<Duration>`. */
  readonly types: readonly string[];
  readonly rows: readonly (Option & { readonly of: string })[];
}

export function optionsOfType(type: string): Options {
  const file = FILES[type.replace(/<.*/, '')];
  if (file === undefined) throw new Error(`${type}: scripts/options-doc.ts does not know its file`);
  return optionsOf(file, type);
}

/** The tables of a page, in their order. */
export function tablesOf(page: string): Table[] {
  const marks = [...page.matchAll(TABLE)].map(([, types = '', names]) => ({
    types: types.split(/, (?![^<]*>)/),
    names: names?.split(', '),
  }));
  return marks.map(({ types, names }) => {
    const all = types.flatMap((type) => optionsOfType(type).own.map((option) => ({ ...option, of: type })));
    const known = all.filter(({ name }, i) => all.findIndex((one) => one.name === name) === i);
    const elsewhere = marks.flatMap((mark) => (mark.types[0] === types[0] ? (mark.names ?? []) : []));
    if (names === undefined) return { types, rows: known.filter(({ name }) => !elsewhere.includes(name)) };
    const rows = names.map((name) => {
      const option = known.find((one) => one.name === name);
      if (option === undefined) throw new Error(`${types.join(', ')}: no option ${name}`);
      return option;
    });
    return { types, rows };
  });
}

/** The page with its tables as the declarations have them. */
export function withTables(page: string, path: string): string {
  const tables = tablesOf(page);
  return page.replace(TABLE, (whole) => {
    const [mark] = whole.split('\n');
    return `${mark}\n${tableText(tables.shift(), path)}\n<!-- end -->`;
  });
}

function tableText(table: Table | undefined, path: string): string {
  const rows = (table?.rows ?? []).map(({ of, name, type, isRequired, standard, text }) => {
    const link = LINKS[of.replace(/<.*/, '')]?.[name]?.replace(path.replace('docs/', ''), '');
    const code = `\`${name}\``;
    return [
      link === undefined ? code : `[${code}](${link})`,
      `\`${type}\``,
      isRequired ? 'required' : (standard ?? ''),
      text,
    ];
  });
  const lines = rows.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`);
  return ['| option | type | default | |', '|---|---|---|---|', ...lines].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of PAGES) {
    writeFileSync(new URL(`../${path}`, DOCS), withTables(textOf(path), path));
  }
}
