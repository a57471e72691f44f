import { readdirSync, statSync } from 'node:fs';
import Table from 'cli-table3';

const FOLDER = new URL('../dist/handlers/', import.meta.url);

/** What Lambda loads at a cold start, as `npm run build` made it. */
export function bundleSizes(): string {
  const table = new Table({ head: ['handler', 'KB, minified'] });
  for (const name of readdirSync(FOLDER)) {
    const { size } = statSync(new URL(`${name}/index.mjs`, FOLDER));
    table.push([name, (size / 1000).toFixed(0)]);
  }
  return `Bundles of the handlers\n${table}`;
}
