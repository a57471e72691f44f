import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { hasEsbuild } from '../../cdk/functions/esbuild.js';

const empty = mkdtempSync(join(tmpdir(), 'backlog-esbuild-'));
afterAll(() => rmSync(empty, { recursive: true, force: true }));

it('finds esbuild beside the library of the CDK', () => {
  expect(hasEsbuild({ cwd: empty })).toBe(true);
});

it('finds the command of esbuild in the project', () => {
  expect(hasEsbuild({ library: empty })).toBe(true);
});

it('says when there is none, before Docker would be started', () => {
  expect(hasEsbuild({ library: empty, cwd: empty })).toBe(false);
});
