import type { BuildOptions } from 'esbuild';

export const COMMAND_LINE: BuildOptions;
