import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { ROOT } from './apps.js';
import { mustRun } from './run.js';

describe('the tarball of the library', () => {
  const { paths, packedBytes } = inject('packed');

  it('has what its entries name, and the bundles of the handlers', async () => {
    const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const named = JSON.stringify(exports).match(/(?<=\.\/)[^"]+\.(js|d\.ts)(?=")/g) ?? [];
    expect(named.length).toBe(12);
    const others = [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/cdk/app.js',
    ];
    const bundles = ['delivery/fibonacci', 'delivery/progressive', 'upkeep/intake', 'upkeep/widget'].map(
      (file) => `dist/handlers/${file}.mjs`,
    );
    expect(paths).toEqual(expect.arrayContaining([...named, ...others, ...bundles]));
  });

  it('has nothing else', () => {
    const known =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/(src|functions|cdk)\/.*\.(js|d\.ts)|dist\/THIRD-PARTY-LICENSES\.txt|dist\/handlers\/[\w-]+\/[\w-]+\.mjs)$/;
    expect(paths.filter((path) => !known.test(path))).toEqual([]);
  });

  it('is below 1 MB', () => {
    expect(packedBytes).toBeLessThan(1_000_000);
  });

  it('needs nothing but the CDK beside it, and that only where a stack is made', async () => {
    const { peerDependencies, peerDependenciesMeta } = JSON.parse(
      await readFile(join(ROOT, 'package.json'), 'utf8'),
    );
    expect(Object.keys(peerDependencies)).toEqual(['aws-cdk-lib', 'constructs']);
    expect(Object.keys(peerDependenciesMeta)).toEqual(['aws-cdk-lib', 'constructs']);
  });
});

describe('the tarball of the tools', () => {
  const { file, paths, packedBytes } = inject('packedTools');

  it('has the command line, the documents and the examples', () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'docs/cdk.md',
        'docs/tutorials/webhooks.md',
        'docs/images/architecture-light.svg',
        'docs/images/write-path-dark.svg',
        'docs/policies/outage.svg',
        'examples/cdk-app/app.ts',
        'examples/starter/_gitignore',
        'bin/backlog.js',
        'dist/main.js',
        'dist/sandbox-child.js',
        'dist/console/console.js',
        'dist/console/1-base.css',
        'dist/starter/_package.json',
        'dist/starter/_gitignore',
        'dist/THIRD-PARTY-LICENSES.txt',
      ]),
    );
  });

  it('has nothing else', () => {
    const known =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|docs\/(tutorials\/)?[\w-]+\.md|docs\/[\w-]+\.(schema|openapi)\.json|docs\/(images|policies)\/[\w-]+\.(svg|png)|examples\/.*|bin\/backlog\.js|dist\/[\w-]+\.js|dist\/console\/[\w-]+\.(js|css)|dist\/starter\/.*|dist\/THIRD-PARTY-LICENSES\.txt)$/;
    expect(paths.filter((path) => !known.test(path))).toEqual([]);
  });

  it('has what its documents link to, pictures too', async () => {
    const lost: string[] = [];
    for (const path of paths.filter((one) => one.endsWith('.md') && !one.startsWith('dist/'))) {
      const text = await readFile(join(ROOT, path), 'utf8');
      for (const [, markdown, html = ''] of text.matchAll(
        /\]\(([^)\s#]+)[^)]*\)|(?:src|srcset)="([^"]+)"/g,
      )) {
        const link = markdown ?? html;
        const target = posix.join(posix.dirname(path), link);
        if (!/^https?:/.test(link) && !paths.includes(target)) lost.push(`${path}: ${link}`);
      }
    }
    expect(lost).toEqual([]);
  });

  it('depends on the version of the library that it was made with, and is valid', async () => {
    await mustRun('npx', ['publint', '--strict', file], { cwd: ROOT });
    const { out } = await mustRun('tar', ['-xzOf', file, 'package/package.json'], { cwd: ROOT });
    const { version, dependencies } = JSON.parse(out);
    expect(dependencies['dynamo-backlog']).toBe(version);
  });

  it('is below 1.6 MB: half of it is the pictures', () => {
    expect(packedBytes).toBeLessThan(1_600_000);
  });
});
