import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/support/version.js';
import { appName } from '../../../tools/src/cli/init/app-name.js';
import { backlog } from '../in-process.js';

const PACKAGE = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const FILES = [
  '.gitignore',
  '.vscode/launch.json',
  'README.md',
  'cdk.json',
  'cdk/app.ts',
  'local/erp.ts',
  'local/local.env',
  'local/produce.ts',
  'package.json',
  'src/handler.ts',
  'src/place-order.ts',
  'src/send-order.ts',
  'test/orders.test.ts',
  'tsconfig.json',
];
const HOME = process.cwd();

let outer: string;
let folder: string;
beforeEach(() => {
  outer = mkdtempSync(join(tmpdir(), 'backlog-init-'));
  folder = join(outer, 'shop');
});
afterEach(() => process.chdir(HOME));

const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const json = (path: string) => JSON.parse(read(path));

/** All files below a folder, hidden ones too. */
function filesOf(of: string): string[] {
  const entries = readdirSync(of, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(of.length + 1))
    .sort();
}

describe('backlog init', () => {
  it('writes an app that has the name of its folder, and the versions that this package is tested with', async () => {
    const { code, err, out } = await backlog('init', folder);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain(`The app shop is there: ${FILES.length} files in ${folder}`);
    expect(err).toMatch(/\n {2}cd .*shop\n {2}npm install\n {2}npm test .*\n/);
    expect(filesOf(folder)).toEqual(FILES);
    expect(FILES.filter((path) => read(path).includes('starter'))).toEqual([]);
    expect(read('cdk/app.ts')).toContain("new Stack(app, 'shop')");
    const { name, dependencies, devDependencies } = json('package.json');
    expect([name, dependencies['dynamo-backlog']]).toEqual(['shop', `^${VERSION}`]);
    const {
      'dynamo-backlog': _,
      'dynamo-backlog-tools': __,
      ...others
    } = { ...dependencies, ...devDependencies };
    const tested = { ...PACKAGE.devDependencies, ...PACKAGE.dependencies };
    expect(others).toEqual(Object.fromEntries(Object.keys(others).map((one) => [one, tested[one]])));
  });

  it('the app runs in real time, which is what its producers stamp', async () => {
    await backlog('init', folder);
    const { scripts } = json('package.json');
    expect(scripts.start).toMatch(/^backlog start --app /);
    expect(scripts.start).not.toContain('--speed');
  });

  it('installs all that the local runtime, the construct and `backlog diff` take from the app', async () => {
    await backlog('init', folder);
    const { dependencies, devDependencies } = json('package.json');
    const forPictures = ['@expo-google-fonts/pt-sans', '@observablehq/plot', '@resvg/resvg-wasm', 'linkedom'];
    const forStreams = ['@aws-sdk/client-dynamodb-streams'];
    const optional = Object.keys(PACKAGE.peerDependencies).filter(
      (name) => ![...forPictures, ...forStreams].includes(name),
    );
    expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(expect.arrayContaining(optional));
  });

  it('repeated, it writes nothing; interrupted, it writes the rest', async () => {
    await backlog('init', folder);
    const before = statSync(join(folder, 'README.md')).mtimeMs;
    expect((await backlog('init', folder)).err).toContain('has all its files: none was written');
    rmSync(join(folder, 'cdk'), { recursive: true });
    rmSync(join(folder, 'package.json'));
    writeFileSync(join(folder, '.backlog-init'), 'half of a fi');
    expect((await backlog('init', folder)).err).toContain('is there: 2 files');
    expect(filesOf(folder)).toEqual(FILES);
    expect(statSync(join(folder, 'README.md')).mtimeMs).toBe(before);
  });

  it('writes nothing into a folder with other files, and names them', async () => {
    mkdirSync(join(folder, 'src'), { recursive: true });
    for (const path of ['src/handler.ts', 'README.md', 'LICENSE']) writeFileSync(join(folder, path), 'mine');
    const { code, err } = await backlog('init', folder);
    expect(code).toBeUndefined();
    expect(err).toContain(
      `${folder} is not empty, and nothing was written. In the way: LICENSE, README.md, src/handler.ts. Name a new folder`,
    );
    expect(filesOf(folder)).toEqual(['LICENSE', 'README.md', 'src/handler.ts']);
    expect(read('README.md')).toBe('mine');
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'mine')],
    ['a link that leads elsewhere', (path: string) => symlinkSync(outer, path)],
    ['a link that leads nowhere', (path: string) => symlinkSync(join(outer, 'nothing'), path)],
  ])('%s in the place of one of its folders is in the way', async (_, make) => {
    mkdirSync(folder);
    make(join(folder, 'src'));
    expect((await backlog('init', folder)).err).toContain('In the way: src. Name');
    expect(readdirSync(outer)).toEqual(['shop']);
    expect(readdirSync(folder)).toEqual(['src']);
  });

  it('a link that leads nowhere is not replaced', async () => {
    mkdirSync(folder);
    symlinkSync(join(outer, 'nothing'), join(folder, 'cdk.json'));
    expect((await backlog('init', folder)).err).toContain('In the way: cdk.json. Name');
  });

  it('follows a link to the folder itself', async () => {
    mkdirSync(join(outer, 'real'));
    symlinkSync(join(outer, 'real'), folder);
    expect((await backlog('init', folder)).code).toBe(0);
    expect(filesOf(join(outer, 'real'))).toEqual(FILES);
  });
});

describe('without a folder', () => {
  beforeEach(() => {
    mkdirSync(folder);
    process.chdir(folder);
  });

  it('takes the current one if it is empty except for hidden files', async () => {
    mkdirSync('.git');
    const { code, err } = await backlog('init');
    expect(code).toBe(0);
    expect(err).not.toContain('  cd ');
    expect(filesOf(folder)).toEqual(FILES);
    expect((await backlog('init')).err).toContain('none was written');
  });

  it('asks for another one if it is not', async () => {
    for (let i = 0; i < 12; i++) writeFileSync(`file-${i + 10}`, '');
    const { code, err } = await backlog('init');
    expect(code).toBeUndefined();
    expect(err).toContain(
      'In the way: file-10, file-11, file-12, file-13, file-14, file-15, file-16, file-17, file-18, file-19 and 2 more. Name a new folder',
    );
    expect(readdirSync(folder)).toHaveLength(12);
  });

  it('a folder above is not taken if it has other folders', async () => {
    mkdirSync('inner');
    process.chdir('inner');
    expect((await backlog('init', '..')).err).toContain('In the way: inner. Name a new folder');
    expect(readdirSync(folder)).toEqual(['inner']);
  });
});

describe('a folder that cannot be', () => {
  it.each([
    ['', 'folder: expected the path of a folder, got ""'],
    ['a-file', 'folder: expected a folder, but'],
    ['a-file/shop', 'a part of the path is a file (ENOTDIR)'],
    ['n'.repeat(300), 'the path is too long (ENAMETOOLONG)'],
    ['nowhere', 'a link that leads to no folder'],
  ])('%s', async (name, message) => {
    process.chdir(outer);
    writeFileSync('a-file', 'mine');
    symlinkSync(join(outer, 'nothing', 'at', 'all'), 'nowhere');
    const { code, err } = await backlog('init', name);
    expect(code).toBeUndefined();
    expect(err).toContain(message);
    expect(err).not.toContain(' at ');
    expect(readdirSync(outer).sort()).toEqual(['a-file', 'nowhere']);
  });

  it.runIf(existsSync('/sys/kernel'))('one in which this user may not write', async () => {
    expect((await backlog('init', '/sys/kernel/shop')).err).toMatch(
      /cannot write the app to \/sys\/kernel\/shop: this user may not write there \(E\w+\)/,
    );
  });
});

describe('its name', () => {
  it.each([
    ['my-app', 'my-app'],
    ['My App', 'my-app'],
    ['Bücher & Größe', 'bucher-gro-e'],
    ['2026', 'app-2026'],
    ['注文', 'backlog-app'],
    ['-', 'backlog-app'],
    ['it\'s "mine" $(rm)', 'it-s-mine-rm'],
    ['hono', 'hono-app'],
    ['x'.repeat(200), 'x'.repeat(50)],
    [`${'x'.repeat(49)}--y`, 'x'.repeat(49)],
  ])('in the folder %s', (name, expected) => {
    expect(appName(join('/work', name), ['hono'])).toBe(expected);
    // npm's and CloudFormation's rules.
    expect(expected).toMatch(/^[a-z][a-z0-9-]{0,127}$/);
  });

  it('in the folder of all', () => expect(appName('/', [])).toBe('backlog-app'));

  it('the command to go there is quoted for a shell', async () => {
    process.chdir(outer);
    expect((await backlog('init', "it's \u001b[31m mine")).err).toContain("\n  cd 'it'\\''s  [31m mine'\n");
    expect((await backlog('init', '--', '-rf')).err).toContain("\n  cd './-rf'\n");
  });
});

describe('--package', () => {
  const specOf = async (spec: string) => {
    const { code, err } = await backlog('init', folder, '--package', spec);
    return code === 0 ? json('package.json').dependencies['dynamo-backlog'] : err;
  };

  it.each(['0.2.0', '>=0.1 <2', 'latest', 'https://example.com/backlog.tgz', 'owner/repository'])(
    '%s is taken as it is',
    async (spec) => expect(await specOf(spec)).toBe(spec),
  );

  it.each(['./', '', 'file:', 'file:./'])(
    'a path that begins with "%s" starts at the current folder',
    async (prefix) => {
      process.chdir(outer);
      writeFileSync('own build.tgz', '');
      expect(await specOf(`${prefix}own build.tgz`)).toBe(`file:${process.cwd()}/own build.tgz`);
    },
  );

  it('takes a folder', async () => {
    process.chdir(outer);
    expect(await specOf('.')).toBe(`file:${process.cwd()}`);
    rmSync(folder, { recursive: true });
    expect(await specOf(`../${basename(outer)}`)).toBe(`file:${process.cwd()}`);
  });

  it.each([
    ['lost.tgz', 'expected the path of a tarball or a folder, got'],
    ['/lost', 'got /lost: not found'],
    [' ', 'expected a version, a tarball or a URL, got ""'],
  ])('"%s" is refused, and nothing is written', async (spec, message) => {
    process.chdir(outer);
    expect(await specOf(spec)).toContain(message);
    expect(existsSync(folder)).toBe(false);
  });
});
