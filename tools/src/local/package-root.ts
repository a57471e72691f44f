import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The folder of the library: its CDK app, and the bundles of its handlers. */
export function packageRoot(): string {
  return dirname(createRequire(import.meta.url).resolve('dynamo-backlog/package.json'));
}
