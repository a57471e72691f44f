import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserServer, chromium } from 'playwright-core';

const PACKAGES = fileURLToPath(new URL('node_modules/', import.meta.url));
/** The browser is unpacked once. It goes with the packages: npm ci removes it. */
const UNPACKED = join(PACKAGES, '.chromium');
const START_TIMEOUT_MS = 30_000;

/**
 * Starts Chromium, to be shared by all tests.
 *
 * The package is made for AWS Lambda, whose images lack what Chromium needs: it brings these libraries, and a font.
 * They are taken for machines that have no more than Node, too.
 */
export async function startChromium(): Promise<BrowserServer> {
  const executablePath = process.env.CHROMIUM ?? (await unpack());
  const env = { ...process.env, FONTCONFIG_FILE: writeFontSettings() } as Record<string, string>;
  const missing = missingLibraries(executablePath, env);
  if (missing.length > 0) {
    env.LD_LIBRARY_PATH = join(UNPACKED, 'al2023', 'lib');
    const still = missingLibraries(executablePath, env);
    if (still.length > 0) {
      throw new Error(
        `Chromium lacks libraries of the system: ${still.join(', ')}. On Debian and Ubuntu: ` +
          'apt-get install libnss3 libnspr4 libexpat1. Or name a browser of your own: CHROMIUM=/usr/bin/chromium',
      );
    }
  }
  return chromium.launchServer({
    executablePath,
    env,
    // Not the package's own arguments: with --single-process a second context ends the browser.
    args: ['--headless=shell', '--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    timeout: START_TIMEOUT_MS,
  });
}

/** The package looks into the environment for where to unpack, and whether to unpack its libraries. */
async function unpack(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `There is no Chromium for ${process.platform} ${process.arch} in the package. Name your own: CHROMIUM=/path/to/chrome`,
    );
  }
  const outer = { ...process.env };
  mkdirSync(UNPACKED, { recursive: true });
  Object.assign(process.env, { TMPDIR: UNPACKED, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    return await packed.executablePath();
  } finally {
    for (const name of ['TMPDIR', 'AWS_EXECUTION_ENV', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME']) {
      if (outer[name] === undefined) delete process.env[name];
      else process.env[name] = outer[name];
    }
  }
}

/** Names of libraries that the loader does not find. */
function missingLibraries(program: string, env: NodeJS.ProcessEnv): string[] {
  if (process.platform !== 'linux') return [];
  try {
    const text = execFileSync('ldd', [program], { env, encoding: 'utf8' });
    return [...text.matchAll(/^\s*(\S+) => not found$/gm)].map(([, name = '']) => name);
  } catch {
    // There is no ldd: the browser says itself what it lacks.
    return [];
  }
}

/** The same fonts everywhere, so that widths and pictures do not depend on the machine. */
function writeFontSettings(): string {
  const fonts = join(PACKAGES, '@expo-google-fonts');
  const alias = (names: readonly string[], family: string) =>
    names
      .map(
        (name) =>
          `<alias binding="same"><family>${name}</family><prefer><family>${family}</family></prefer></alias>`,
      )
      .join('');
  const file = join(UNPACKED, 'fonts.conf');
  mkdirSync(UNPACKED, { recursive: true });
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>${join(fonts, 'inter')}</dir><dir>${join(fonts, 'jetbrains-mono')}</dir>
<dir>${join(UNPACKED, 'fonts')}</dir><cachedir>${join(UNPACKED, 'font-cache')}</cachedir>
${alias(['system-ui', 'sans-serif'], 'Inter')}${alias(['monospace', 'ui-monospace'], 'JetBrains Mono')}
</fontconfig>`,
  );
  return file;
}
