import { fileURLToPath } from 'node:url';
import tsconfig from './tsconfig.json' with { type: 'json' };

/** The sources of the library's entries: tools and examples import them by the package's name. */
export const SOURCES = Object.entries(tsconfig.compilerOptions.paths).map(([name, [path = '']]) => ({
  find: new RegExp(`^${name}$`),
  replacement: fileURLToPath(new URL(path, import.meta.url)),
}));
