import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { BundleDescription } from 'dynamo-backlog/engine';
import type { BuildContext, BuildFailure, BuildOptions, BuildResult } from 'esbuild';

/** The parts of esbuild that bundle handlers. */
export type Esbuild = Pick<typeof import('esbuild'), 'build' | 'context' | 'formatMessages'>;

/** Result of bundling a handler. */
export type Outcome =
  /** The bundle is what it was. */
  | { readonly type: 'same' }
  | { readonly type: 'code'; readonly files: readonly OutputFile[] }
  /** The first error in one line, and all of them as esbuild shows them. */
  | { readonly type: 'error'; readonly text: string; readonly lines: readonly string[] };

interface OutputFile {
  readonly name: string;
  readonly contents: Uint8Array;
}

export interface HandlerBundleOptions {
  readonly esbuild: Esbuild;
  readonly bundle: BundleDescription;
  /** Lambda's handler string, such as `index.handler`. */
  readonly handler: string;
  /** The folder of the code that runs now. */
  readonly folder: string;
}

/** Bundles the handler of one function again and again. It keeps what esbuild has read until it is told to `rest`. */
export class HandlerBundle {
  /** The files that the last good bundle was made of, absolute. */
  inputs: ReadonlySet<string>;
  /** The error of the last build, if it failed. */
  failed: string | undefined;
  readonly bundle: BundleDescription;
  readonly #options: HandlerBundleOptions;
  #context: Promise<BuildContext> | undefined;
  #last: string | undefined;
  /** True if the last good bundle exported the handler. */
  #exported = false;

  constructor(options: HandlerBundleOptions) {
    this.#options = options;
    this.bundle = options.bundle;
    this.inputs = new Set(options.bundle.entryPoints);
  }

  get isWarm(): boolean {
    return this.#context !== undefined;
  }

  async build(): Promise<Outcome> {
    const outcome = await this.#build().catch((error: unknown) => this.#errorOf(error));
    this.failed = outcome.type === 'error' ? outcome.text : undefined;
    return outcome;
  }

  /** Frees the memory that the next build would be faster by. */
  async rest(): Promise<void> {
    const context = this.#context;
    this.#context = undefined;
    await (await context?.catch(() => undefined))?.dispose();
  }

  async #build(): Promise<Outcome> {
    const { folder, handler, bundle, esbuild } = this.#options;
    this.#context ??= esbuild.context(this.#buildOptions());
    const result = await (await this.#context).rebuild();
    const files = (result.outputFiles ?? []).map(({ path, contents }) => ({
      name: basename(path),
      contents,
    }));
    this.inputs = inputsOf(result, bundle.absWorkingDir);
    const exported = handler.slice(handler.lastIndexOf('.') + 1);
    const isExported = exportsOf(result).includes(exported);
    const isFirst = this.#last === undefined;
    // An empty file, such as one that an editor is about to write, can be bundled, too.
    if (this.#exported && !isExported) {
      const [entry] = bundle.entryPoints;
      return { type: 'error', text: `${entry}: expected a file that exports "${exported}"`, lines: [] };
    }
    this.#exported = isExported;
    const digest = digestOf(files);
    const isSame = isFirst ? await isIn(folder, files) : digest === this.#last;
    this.#last = digest;
    return isSame ? { type: 'same' } : { type: 'code', files };
  }

  #buildOptions(): BuildOptions {
    const { bundle, folder } = this.#options;
    return {
      ...(bundle as BuildOptions & BundleDescription),
      entryPoints: [...bundle.entryPoints],
      // As deep as the folder that the code comes into.
      outfile: join(dirname(folder), 'bundle', bundle.format === 'esm' ? 'index.mjs' : 'index.js'),
      write: false,
      metafile: true,
      logLevel: 'silent',
    };
  }

  async #errorOf(error: unknown): Promise<Outcome> {
    const { errors = [] } = error as Partial<BuildFailure>;
    const [first] = errors;
    if (!first) return { type: 'error', text: (error as Error).message, lines: [] };
    const { location, text } = first;
    const where = location
      ? `${resolve(this.bundle.absWorkingDir, location.file)}:${location.line}:${location.column + 1}: `
      : '';
    const shown = await this.#options.esbuild.formatMessages(errors, { kind: 'error', color: false });
    const lines = shown.join('').split('\n');
    return { type: 'error', text: `${where}${text}`, lines: lines.filter((line) => line.trim() !== '') };
  }
}

/** Packages are not watched: an installation changes thousands of files. */
function inputsOf({ metafile }: BuildResult, workingDir: string): ReadonlySet<string> {
  const files = Object.keys(metafile?.inputs ?? {}).filter((path) => !/(^|\/)node_modules\//.test(path));
  return new Set(files.map((path) => resolve(workingDir, path)));
}

/** Names that a bundle exports, as far as esbuild knows them: not those that come from a CommonJS module by a star. */
function exportsOf({ metafile }: BuildResult): readonly string[] {
  const outputs = Object.values(metafile?.outputs ?? {});
  return outputs.find(({ entryPoint }) => entryPoint !== undefined)?.exports ?? [];
}

function digestOf(files: readonly OutputFile[]): string {
  const hash = createHash('sha256');
  for (const { name, contents } of files) hash.update(name).update(contents);
  return hash.digest('hex');
}

/** Tells whether the code that runs is this one. */
async function isIn(folder: string, files: readonly OutputFile[]): Promise<boolean> {
  const code = files.filter(({ name }) => !name.endsWith('.map'));
  const equal = await Promise.all(
    code.map(async ({ name, contents }) => {
      const present = await readFile(join(folder, name)).catch(() => undefined);
      return present?.equals(contents) ?? false;
    }),
  );
  return equal.every(Boolean);
}
