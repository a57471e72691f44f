import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { ROOT } from './apps.js';

const { paths, packedBytes, unpackedBytes } = inject('packed');

describe('the tarball', () => {
  it('has the library, the command line, the bundles of the handlers, the documents and the examples', () => {
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
        'examples/starter/_package.json',
        'dist/src/index.js',
        'dist/src/index.d.ts',
        'dist/src/engine.js',
        'dist/src/testing/index.js',
        'dist/functions/index.js',
        'dist/cdk/index.js',
        'dist/cdk/app.js',
        'dist/cli/main.js',
        'dist/cli/sandbox-child.js',
        'dist/cli/console/console.js',
        'dist/cli/console/1-base.css',
        'dist/THIRD-PARTY-LICENSES.txt',
        'dist/handlers/fibonacci/index.mjs',
        'dist/handlers/progressive/index.mjs',
        'dist/handlers/intake/index.mjs',
        'dist/handlers/sweep/index.mjs',
      ]),
    );
  });

  it('has nothing else', () => {
    const foreign = paths.filter(
      (path) =>
        !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|docs\/(tutorials\/)?[\w-]+\.md|docs\/(images|policies)\/[\w-]+\.(svg|png)|examples\/.*|dist\/(src|functions|cdk)\/.*\.(js|d\.ts)|dist\/cli\/[\w-]+\.js|dist\/cli\/console\/[\w-]+\.(js|css)|dist\/THIRD-PARTY-LICENSES\.txt|dist\/handlers\/[\w-]+\/[\w-]+\.mjs)$/.test(
          path,
        ),
    );
    expect(foreign).toEqual([]);
  });

  it('has what its documents link to, pictures too, and no map of a source that it has not', async () => {
    const lost: string[] = [];
    for (const path of paths.filter((one) => /\.(md|m?js|d\.ts)$/.test(one))) {
      const text = await readFile(join(ROOT, path), 'utf8');
      if (text.includes('//# sourceMappingURL')) lost.push(`${path}: source map`);
      if (!path.endsWith('.md')) continue;
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

  it('has every file that its entries name', async () => {
    const { exports, bin } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    const named = [JSON.stringify(exports), JSON.stringify(bin)].flatMap(
      (text) => text.match(/\.\/[^"]+\.(js|d\.ts)(?=")/g) ?? [],
    );
    expect(named.length).toBe(11);
    expect(named.map((file) => posix.normalize(file)).filter((file) => !paths.includes(file))).toEqual([]);
  });

  it('is below 3 MB, and 8.5 MB unpacked: 1.1 MB is the command line with its packages, 1.2 MB the pictures', () => {
    expect(packedBytes).toBeLessThan(3_000_000);
    expect(unpackedBytes).toBeLessThan(8_500_000);
  });
});
