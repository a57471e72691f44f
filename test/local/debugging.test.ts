import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { debuggingOf } from '../../tools/src/local/debugging.js';
import type { LocalFunction } from '../../tools/src/local/template/local-app.js';

async function lambda(name: string, code: string, file = 'index.mjs'): Promise<LocalFunction> {
  const folder = await mkdtemp(join(tmpdir(), 'backlog-debugging-'));
  await writeFile(join(folder, file), code);
  return {
    name,
    handler: 'index.handler',
    folder,
    timeoutSeconds: 60,
    memoryMb: 64,
    environment: {},
    failureQueue: undefined,
  };
}
const own = (name: string) => lambda(name, 'export const handler = () => {};');

it('functions of the app’s own have a port each, from the given one on; those that this package brings have none', async () => {
  const functions = [
    await own('Orders'),
    await lambda('Intake', '/* dynamo-backlog */ import "node:fs";'),
    await lambda('Plain', 'exports.handler = () => {};', 'index.js'),
  ];
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const debugging = await debuggingOf(functions, port, {});
  taken.close();
  expect(debugging?.addresses.map(({ functionName }) => functionName)).toEqual(['Orders', 'Plain']);
  const [first = 0, second = 0] = debugging?.addresses.map((one) => one.port) ?? [];
  expect(first).toBeGreaterThan(port);
  expect(second).toBeGreaterThan(first);
  expect(functions.map((one) => debugging?.isDebugged(one))).toEqual([true, false, true]);
});

it('the bundles that this package deploys begin as it expects', async () => {
  const folder = join(import.meta.dirname, '../../dist/handlers/upkeep');
  const built = { ...(await own('Intake')), folder, handler: 'intake.handler' };
  expect((await debuggingOf([built], 0, {}))?.addresses).toEqual([]);
});

it('0 takes any ports that are free', async () => {
  const { addresses = [] } = (await debuggingOf([await own('A'), await own('B')], 0, {})) ?? {};
  expect(new Set(addresses.map(({ port }) => port)).size).toBe(2);
  expect(addresses.every(({ port }) => port > 1023)).toBe(true);
});

it('a function that is new gets a port of its own, and the others keep theirs', async () => {
  const [a, b, c] = [await own('A'), await own('B'), await own('C')];
  const debugging = await debuggingOf([a, b], 0, {});
  const [atA, atB] = debugging?.addresses ?? [];
  await debugging?.follow([c, b]);
  expect(debugging?.addresses).toEqual([{ functionName: 'C', port: expect.any(Number) }, atB]);
  expect([atA?.port, atB?.port]).not.toContain(debugging?.addresses[0]?.port);
  expect([a, b, c].map((one) => debugging?.isDebugged(one))).toEqual([false, true, true]);
});

it('says so when no port is left', async () => {
  const taken = createServer().listen(65_535, '127.0.0.1');
  // It may be taken by another program, which does as well.
  await once(taken, 'listening').catch(() => {});
  await expect(debuggingOf([await own('A')], 65_535, {})).rejects.toThrow(
    '--inspect: expected a port from which on some are free, got 65535',
  );
  taken.close();
});

const options = (autoAttachMode: string) =>
  `:::${JSON.stringify({ inspectorIpc: '/tmp/ipc', autoAttachMode })}`;

it('VS Code attaches itself where it started the process for that', async () => {
  const functions = [await own('A')];
  const variables = { NODE_OPTIONS: ' --require /vscode/bootloader.js ', PATH: '/bin' };
  const inTerminal = { ...variables, VSCODE_INSPECTOR_OPTIONS: `:::{}${options('always')}` };
  const debugging = await debuggingOf(functions, undefined, inTerminal);
  expect(debugging).toMatchObject({ addresses: [] });
  expect(debugging?.environment).toEqual({
    NODE_OPTIONS: inTerminal.NODE_OPTIONS,
    VSCODE_INSPECTOR_OPTIONS: inTerminal.VSCODE_INSPECTOR_OPTIONS,
  });
  for (const VSCODE_INSPECTOR_OPTIONS of [
    options('smart'),
    options('onlyWithFlag'),
    'no JSON',
    '',
    undefined,
  ]) {
    expect(
      await debuggingOf(functions, undefined, { ...variables, VSCODE_INSPECTOR_OPTIONS }),
    ).toBeUndefined();
  }
});

it('other variables of the shell stay outside, also with --inspect', async () => {
  const variables = { NODE_OPTIONS: '--enable-source-maps' };
  expect((await debuggingOf([await own('A')], 0, variables))?.environment).toEqual({});
});
