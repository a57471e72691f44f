import type { BuildOptions } from 'esbuild';

export declare const FOLDERS: Readonly<Record<string, readonly string[]>>;
export declare const BUNDLING: BuildOptions;
export declare function handlerBundle(names: readonly string[]): BuildOptions;
