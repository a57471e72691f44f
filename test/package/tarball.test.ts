import { describe, expect, inject, it } from 'vitest';

const { paths, packedBytes, unpackedBytes } = inject('packed');

describe('the tarball', () => {
  it('has the library, the command line, the bundles of the handlers, the documents and the examples', () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'docs/cdk.md',
        'examples/cdk-app/app.ts',
        'dist/src/index.js',
        'dist/src/index.d.ts',
        'dist/functions/index.js',
        'dist/cdk/index.js',
        'dist/cdk/app.js',
        'dist/src/cli/main.js',
        'dist/handlers/fibonacci/index.mjs',
        'dist/handlers/progressive/index.mjs',
        'dist/handlers/intake/index.mjs',
      ]),
    );
  });

  it('has nothing else', () => {
    const foreign = paths.filter(
      (path) =>
        !/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|docs\/\w+\.md|examples\/.*|dist\/(src|functions|cdk)\/.*\.(js|d\.ts)|dist\/handlers\/\w+\/index\.mjs)$/.test(
          path,
        ),
    );
    expect(foreign).toEqual([]);
  });

  it('is below 1 MB, and 3 MB unpacked', () => {
    expect(packedBytes).toBeLessThan(1_000_000);
    expect(unpackedBytes).toBeLessThan(3_000_000);
  });
});
