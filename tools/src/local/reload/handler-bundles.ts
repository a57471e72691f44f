import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { BundleDescription } from 'dynamo-backlog/engine';
import type { LocalFunction } from '../template/local-app.js';
import { type Esbuild, HandlerBundle, type Outcome } from './handler-bundle.js';

export interface NewCode {
  readonly functionName: string;
  /** The folder that the code is in. */
  readonly folder: string;
  /** The file that it was bundled from. */
  readonly entry: string;
}

export interface HandlerBundlesOptions {
  readonly esbuild: Esbuild;
  /** Gets a folder for each new bundle. */
  readonly scratch: string;
  /** Called before the next function is bundled. */
  readonly onCode: (code: NewCode) => Promise<void>;
  /** Called when a handler that could not be bundled is again what runs. */
  readonly onHealed: (code: Omit<NewCode, 'folder'>) => void;
  readonly onError: (functionName: string, error: Extract<Outcome, { type: 'error' }>) => void;
}

/** Files that no bundle names, and that all may depend on. */
const CONFIGURATION = /[\\/](?:tsconfig[^\\/]*|package|package-lock)\.json$/;

/**
 * Number of handlers that esbuild keeps in memory. One with the AWS SDK takes 70 MB; without it, bundling takes twice
 * the time.
 */
const MAX_WARM = 4;

/** The handlers of an app that say what they were bundled from. One is bundled at a time. */
export class HandlerBundles {
  readonly #options: HandlerBundlesOptions;
  /** Bundles by function. The one that was bundled last is at the end. */
  readonly #bundles = new Map<string, HandlerBundle>();
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(options: HandlerBundlesOptions) {
    this.#options = options;
  }

  /** The files of all handlers. */
  get inputs(): ReadonlySet<string> {
    return new Set([...this.#bundles.values()].flatMap(({ inputs }) => [...inputs]));
  }

  get count(): number {
    return this.#bundles.size;
  }

  /** Follows these functions from now on. New ones are bundled, so that their files are known. */
  follow(functions: readonly LocalFunction[]): Promise<void> {
    return this.#inTurn(() => this.#follow(functions));
  }

  /** Bundles the handlers again that one of these files belongs to, and those that could not be bundled. */
  rebuild(changed: ReadonlySet<string>): Promise<void> {
    return this.#inTurn(() => this.#rebuild(changed));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#last;
    await Promise.all([...this.#bundles.values()].map((bundle) => bundle.rest()));
  }

  async #follow(functions: readonly LocalFunction[]): Promise<void> {
    const described = functions.flatMap(({ name, handler, folder, bundle }) =>
      bundle ? [{ name, handler, folder, bundle }] : [],
    );
    for (const [name, known] of [...this.#bundles]) {
      const same = described.find((one) => one.name === name);
      if (same && isDeepStrictEqual(same.bundle, known.bundle)) continue;
      this.#bundles.delete(name);
      await known.rest();
    }
    for (const { name, ...options } of described) {
      if (this.#bundles.has(name)) continue;
      const bundle = new HandlerBundle({ esbuild: this.#options.esbuild, ...options });
      this.#bundles.set(name, bundle);
      await this.#build(name, bundle);
    }
  }

  /** Tells whether the code of a function comes from here, as its bundle is described so. */
  has(functionName: string, description: BundleDescription | undefined): boolean {
    const known = this.#bundles.get(functionName);
    return known !== undefined && isDeepStrictEqual(known.bundle, description);
  }

  async #rebuild(changed: ReadonlySet<string>): Promise<void> {
    const isConfiguration = [...changed].some((path) => CONFIGURATION.test(path));
    const isTouched = ({ inputs }: HandlerBundle) =>
      isConfiguration || [...changed].some((path) => inputs.has(path));
    // What was worked on last is what is looked at next.
    for (const [name, bundle] of [...this.#bundles].reverse()) {
      const touched = isTouched(bundle);
      if (touched || bundle.failed !== undefined) await this.#build(name, bundle, touched);
    }
  }

  /** @param repeats whether the error that was reported last is news */
  async #build(name: string, bundle: HandlerBundle, repeats = true): Promise<void> {
    if (this.#stopped) return;
    const { failed } = bundle;
    const outcome = await bundle.build();
    const [entry] = bundle.bundle.entryPoints;
    if (outcome.type === 'error' && (repeats || outcome.text !== failed))
      this.#options.onError(name, outcome);
    if (outcome.type === 'same' && failed !== undefined)
      this.#options.onHealed({ functionName: name, entry });
    if (outcome.type === 'code') {
      const folder = await this.#write(name, outcome);
      await this.#options.onCode({ functionName: name, folder, entry });
    }
    this.#bundles.delete(name);
    this.#bundles.set(name, bundle);
    const warm = [...this.#bundles.values()].filter(({ isWarm }) => isWarm);
    for (const old of warm.slice(0, -MAX_WARM)) await old.rest();
  }

  /** Writes the code into a new folder, never into one that a sandbox reads. */
  async #write(name: string, { files }: Extract<Outcome, { type: 'code' }>): Promise<string> {
    this.#count += 1;
    // As deep as the asset of a synthesis: source maps name their sources from there.
    const folder = join(this.#options.scratch, `bundle-${this.#count}-${name}`, 'code');
    await mkdir(folder, { recursive: true });
    await Promise.all(files.map((file) => writeFile(join(folder, file.name), file.contents)));
    return folder;
  }

  #inTurn(action: () => Promise<void>): Promise<void> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => {});
    return result;
  }
}
