import { ConfigurationError } from '../../../src/support/errors.js';

/** The version that is known to work, by package. */
export type Packages = Readonly<Record<string, string>>;

/** Packages of the local runtime, which a producer and a deployed function do without. */
export const RUNTIME_PACKAGES: Packages = { hono: '4', '@hono/node-server': '2' };

/** Packages of the embedded DynamoDB. */
export const EMBEDDED_PACKAGES: Packages = { dynalite: '4' };

/** Packages that read the streams of another DynamoDB. */
export const STREAMS_PACKAGES: Packages = { '@aws-sdk/client-dynamodb-streams': '3' };

/** Packages of the app that the local runtime takes if it is given no other. */
export const APP_PACKAGES: Packages = { 'aws-cdk-lib': '2', constructs: '10' };

export const CHART_PACKAGES: Packages = { '@observablehq/plot': '0.6', linkedom: '0.18.12', hono: '4' };

export const PNG_PACKAGES: Packages = { '@resvg/resvg-wasm': '2', '@expo-google-fonts/pt-sans': '0.4' };

/**
 * Finds out whether optional packages are installed before they are loaded.
 *
 * @throws ConfigurationError with the command that installs what is missing
 */
export function requirePackages(what: string, packages: Packages): void {
  const missing = Object.entries(packages).filter(([name]) => !isInstalled(name));
  if (missing.length === 0) return;
  const list = missing.map(([name, version]) => `${name}@${version}`).join(' ');
  throw new ConfigurationError(
    `not all packages that ${what} needs are installed: npm install --save-dev ${list}`,
  );
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND';
  }
}
