import { execFile } from 'node:child_process';
import { appendFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundleProject, THROWING } from './bundle.js';

const run = promisify(execFile);

async function outputOf(file: string, env: Record<string, string> = {}, ...flags: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [...flags, file], {
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout;
}

const IN_TYPESCRIPT = [
  'TypeError: cannot send a',
  /^ {4}at (?:Module\.)?send \(lib\/send\.ts:7:9\)$/,
  /^ {4}at (?:\w+\.)?attempt \(main\.ts:6:12\)$/,
  /^ {4}at main\.ts:11:13$/,
];

function expectTypeScript(stack: string): void {
  for (const [i, line] of stack.split('\n').slice(0, IN_TYPESCRIPT.length).entries()) {
    expect(line).toMatch(IN_TYPESCRIPT[i] as string | RegExp);
  }
}

it('a stack names the places in TypeScript, relative to the project', async () => {
  const { file, root } = await bundleProject(THROWING);
  expectTypeScript(await outputOf(file, { BACKLOG_SOURCE_ROOT: root }));
  expectTypeScript((await outputOf(file)).replaceAll('../../', ''));
});

it('it does so where something before it has another way to write stacks, or none', async () => {
  const { file, root } = await bundleProject(THROWING);
  const before = join(root, 'before.cjs');
  await writeFile(before, 'Error.prepareStackTrace = undefined;');
  expectTypeScript(await outputOf(file, { BACKLOG_SOURCE_ROOT: root }, '--require', before));
  await writeFile(before, 'Error.prepareStackTrace = (error, frames) => frames.length;');
  expect(await outputOf(file, {}, '--require', before)).toMatch(/^\d+\n$/);
});

it('a file outside of the project has its whole path', async () => {
  const { file, root } = await bundleProject(THROWING);
  const stack = await outputOf(file, { BACKLOG_SOURCE_ROOT: join(root, 'other') });
  expect(stack).toContain(`(${join(root, 'lib', 'send.ts')}:7:9)`);
});

const damages: Record<string, (map: string) => Promise<void>> = {
  missing: (map) => rm(map),
  empty: (map) => truncate(map),
  'cut off': (map) => truncate(map, 300),
  'no JSON': (map) => appendFile(map, 'x'),
  'too large': (map) => truncate(map, 65_000_000),
};

it.each(Object.keys(damages))('a map that is %s leaves the stack as it is', async (how) => {
  const { file, map } = await bundleProject(THROWING);
  await damages[how]?.(map);
  const stack = await outputOf(file);
  expect(stack).toMatch(/^TypeError: cannot send a\n {4}at .*index\.mjs:\d+:\d+\)/);
  expect(stack).not.toContain('.ts:');
});

it('hostile errors leave their attempt alone', async () => {
  const { file } = await bundleProject({
    'main.ts': `const place = import.meta.url + ':1:1 ';
const stackOf = (error: Error) => String(error.stack);
const began = performance.now();
const long = stackOf(new Error(place.repeat(200_000)));
const texts = [stackOf(new Error('y'.repeat(5_000_000))), long];
console.log(JSON.stringify({ lengths: texts.map((text) => text.length > 0), ms: performance.now() - began }));
`,
  });
  const { lengths, ms } = JSON.parse(await outputOf(file)) as { lengths: boolean[]; ms: number };
  expect(lengths).toEqual([true, true]);
  // Each of 200,000 places would take tens of microseconds.
  expect(ms).toBeLessThan(5_000);
});
