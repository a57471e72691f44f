import type { BuildOptions } from 'esbuild';

export declare const HANDLERS: readonly string[];
export declare const BUNDLING: BuildOptions;
export declare function handlerBundle(name: string): BuildOptions;
