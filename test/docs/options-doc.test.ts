import { describe, expect, it } from 'vitest';
import { LINKS } from '../../scripts/options/links.js';
import { optionsOf } from '../../scripts/options/options.js';
import { INTERFACES, optionsOfType, PAGES, tablesOf, withTables } from '../../scripts/options-doc.js';
import { DEFAULT_MAX_HOPS } from '../../src/client/new-record.js';
import { parseDuration } from '../../src/support/duration.js';
import { parseTestOptions } from '../../src/testing/options.js';
import { QUEUE_DEFAULTS, resolveBreaker } from '../../src/worker/index.js';
import { pages, read } from './pages.js';

const tables = PAGES.flatMap((path) => tablesOf(read(path)).map((table) => ({ path, ...table })));
const rows = tables.flatMap(({ rows }) => rows);
const interfaceOf = (type: string) => type.replace(/<.*/, '');
const interfaces = [...new Set(tables.flatMap(({ types }) => types))];

/** Options of an interface with those of the interfaces that it extends. */
function namesOf(type: string): string[] {
  const { own, bases } = optionsOfType(type);
  return [...own.map(({ name }) => name), ...bases.flatMap(namesOf)];
}

describe('the tables of options', () => {
  it.each(PAGES)('of %s are those of the declarations: npm run docs:options', (path) => {
    expect(read(path)).toBe(withTables(read(path), path));
  });

  it('are there for each interface that the script knows', () => {
    expect([...new Set(interfaces.map(interfaceOf))].sort()).toEqual([...INTERFACES].sort());
  });

  it.each(interfaces)('have every option of %s', (type) => {
    const named = tables.filter(({ types }) => types.includes(type)).flatMap((table) => table.rows);
    expect(named.map(({ name }) => name)).toEqual(
      expect.arrayContaining(optionsOfType(type).own.map(({ name }) => name)),
    );
  });

  it('have the interfaces that those extend, but the seams of a handler, which tests replace', () => {
    const known = interfaces.map(interfaceOf);
    const bases = interfaces.flatMap((type) => optionsOfType(type).bases);
    expect(bases.filter((base) => !known.includes(base))).toEqual(['HandlerSeams']);
  });

  it('say what each option is, and its default if it may be left out', () => {
    expect(rows.length).toBeGreaterThan(120);
    expect(rows.filter(({ text }) => text === '').map(({ name }) => name)).toEqual([]);
    expect(
      rows
        .filter(({ isRequired, standard }) => !isRequired && standard === undefined)
        .map(({ name }) => name),
    ).toEqual([]);
  });

  it('have four columns in each row, whatever a type has', () => {
    const lines = PAGES.flatMap((path) => read(path).match(/<!-- table of[\s\S]*?<!-- end -->/g) ?? [])
      .flatMap((table) => table.split('\n'))
      .filter((line) => line.startsWith('|'));
    expect(lines.some((line) => line.includes('\\|'))).toBe(true);
    expect(lines.filter((line) => line.split(/(?<!\\)\|/).length !== 6)).toEqual([]);
  });

  it('have all options that a link is given for', () => {
    const given = Object.entries(LINKS).flatMap(([type, links]) =>
      Object.keys(links).map((name) => ({ type, name })),
    );
    const isShown = ({ type, name }: { type: string; name: string }) =>
      rows.some((row) => row.name === name && interfaceOf(row.of) === type);
    expect(given.filter((one) => !isShown(one))).toEqual([]);
  });
});

/** A number, or the seconds of `30 days`; other text as it is. */
function valueIn(text = ''): unknown {
  const value = text.replaceAll('`', '');
  if (/^[\d.]+$/.test(value)) return Number(value);
  if (/^(?:true|false)$/.test(value)) return value === 'true';
  const [, amount, unit] = /^(\d+) (second|minute|hour|day)s?$/.exec(value) ?? [];
  return unit === undefined ? value : parseDuration(`${amount}${unit[0]}`, 'default');
}

describe('a default in a docstring', () => {
  it.each([
    ['LimitOptions', QUEUE_DEFAULTS],
    ['QueueOptions', QUEUE_DEFAULTS],
    ['BreakerSettings', resolveBreaker(true)],
    ['BacklogClientOptions', { maxHops: DEFAULT_MAX_HOPS }],
    ['TestBacklogOptions', parseTestOptions({ queues: {} })],
  ])('of %s is that of the code', (type, defaults) => {
    const values = Object.entries(defaults ?? {});
    const said = optionsOfType(type).own.map(({ name, standard }) => [name, valueIn(standard)] as const);
    const checked = said.filter(([, value]) => typeof value !== 'string');
    expect(checked.length).toBeGreaterThan(0);
    expect(values).toEqual(expect.arrayContaining(checked));
  });
});

/** Tables that are written by hand, about what an option means in another place. Those of flags are of the command line. */
const OPTIONS_TABLE = /(?:<!-- options of: (\w+) -->\n)?^\| (?:option|prop) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm;

describe('a table of options that is written by hand', () => {
  const found = pages()
    .flatMap(({ path, text }) =>
      [...text.replace(/<!-- table of[\s\S]*?<!-- end -->/g, '').matchAll(OPTIONS_TABLE)].map(
        ([, type, body = '']) => {
          const cells = body.split('\n').map((row) => row.split(' | ')[0] ?? '');
          const names = cells.flatMap((cell) =>
            [...cell.matchAll(/`([\w-]+)/g)].map(([, name = '']) => name),
          );
          return { path, type, names };
        },
      ),
    )
    .filter(({ names }) => !names.every((name) => name.startsWith('--')));

  it('is in docs/containers.md alone', () => {
    expect(found.map(({ path }) => path)).toEqual(['docs/containers.md']);
  });

  it.each(found)('of $path names options of $type', ({ type = '', names }) => {
    const known = namesOf(type);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

it('an interface that does not exist is named in the error', () => {
  expect(() => optionsOf('src/client/delay.ts', 'Delays')).toThrow(
    'src/client/delay.ts: no interface Delays',
  );
});
