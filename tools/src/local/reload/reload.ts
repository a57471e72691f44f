import { stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { AppSource, SynthesizedApp } from '../app-source.js';
import type { LocalApp } from '../template/local-app.js';
import { appChanges } from './app-changes.js';
import { type AppFiles, assemblyFiles, readAppFiles } from './app-files.js';
import { appImports } from './app-imports.js';
import { Bursts } from './bursts.js';
import { carryOver, checkTables } from './carry-over.js';
import { Watcher } from './file-watcher.js';
import type { Esbuild } from './handler-bundle.js';
import { HandlerBundles, type NewCode } from './handler-bundles.js';
import type { DescribeChanges, ReloadNews } from './news.js';
import { removeUnused } from './unused-folders.js';

export interface ReloadOptions {
  readonly source: AppSource;
  /** The synthesis that the runtime was started with. */
  readonly first: SynthesizedApp;
  /** Start of the first synthesis, epoch milliseconds. */
  readonly synthesizedAt: number;
  readonly scratch: string;
  readonly dataDir: string | undefined;
  readonly current: () => LocalApp;
  /** Makes what is missing, such as tables. @throws ConfigurationError if the app cannot be run */
  readonly prepare: (app: LocalApp) => Promise<void>;
  /** Runs this app from now on. */
  readonly run: (app: LocalApp) => void;
  /** The functions of events that are at work. */
  readonly working: () => LocalApp['functions'];
  readonly describe: DescribeChanges;
  readonly onNews: (news: ReloadNews) => void;
}

/** Watches the files of an app. A saved handler runs from the next event on; a changed app is synthesized again. */
export class Reload {
  readonly #options: ReloadOptions;
  readonly #bursts = new Bursts<string>({ handle: (paths, beganAt) => this.#handle(paths, beganAt) });
  #ready: Promise<void> = Promise.resolve();
  #files: AppFiles | undefined;
  #watcher: Watcher | undefined;
  #esbuild: Esbuild | undefined;
  #bundles: HandlerBundles | undefined;
  /** Files that the app imports. Undefined: they are not known. */
  #imports: ReadonlySet<string> | undefined;
  #synthesized: SynthesizedApp;
  /** All tables that were made, also those that the app does not have any more. */
  #tables: LocalApp['tables'];
  #synthesis: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  /** The last synthesis failed: whatever is saved may heal it. */
  #failed = false;
  /** Last change of the running app; the next one waits for it. */
  #applying: Promise<unknown> = Promise.resolve();
  /** Start of the burst that is handled, by `performance.now`. */
  #beganAt = 0;
  #bursted = 0;
  #stopped = false;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#synthesized = options.first;
    this.#tables = options.first.app.tables;
  }

  /** Resolves when the files are watched, and the handlers are bundled so that the first save is as fast as the next. */
  start(): Promise<void> {
    this.#ready = this.#start().catch((error: Error) =>
      this.#tell(false, `files cannot be watched: ${error.message}`),
    );
    return this.#ready;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#synthesis?.abort.abort();
    await this.#bundles?.stop();
    await this.#ready;
    await this.#watcher?.stop();
    await this.#bursts.stop();
    this.#synthesis?.abort.abort();
    await this.#synthesis?.ended;
    await this.#applying;
  }

  async #start(): Promise<void> {
    const { source, dataDir, scratch } = this.#options;
    const folder = resolve(source.cwd, source.command);
    const isAssembly = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    this.#files = isAssembly ? assemblyFiles() : await readAppFiles(source.cwd, dataDir);
    this.#watcher = await Watcher.start({
      folder: isAssembly ? folder : source.cwd,
      files: this.#files,
      onChange: (path) => this.#bursts.add(path),
      onTrouble: ({ message }) => this.#tell(false, `files cannot be watched: ${message}`),
    });
    if (this.#stopped) return;
    this.#esbuild = isAssembly ? undefined : await import('esbuild').catch(() => undefined);
    this.#bundles = this.#esbuild && this.#handlerBundles(this.#esbuild, scratch);
    await this.#lookAround();
    this.#tell(true, this.#watchedText());
    await this.#lookBack(isAssembly ? [join(folder, 'manifest.json')] : (this.#imports ?? []));
  }

  #handlerBundles(esbuild: Esbuild, scratch: string): HandlerBundles {
    return new HandlerBundles({
      esbuild,
      scratch,
      onCode: (code) => this.#runCode(code),
      onHealed: ({ functionName, entry }) =>
        this.#tell(true, `${this.#short(entry)} can be bundled again, ${functionName} runs this code`),
      onError: (functionName, { text, lines }) =>
        this.#tell(false, `${this.#short(text)}; ${functionName} runs its old code`, lines),
    });
  }

  /** Finds out which files belong to what, now that the app is another one. */
  async #lookAround(): Promise<void> {
    const { source, current } = this.#options;
    if (!this.#esbuild) return;
    this.#imports = await appImports(this.#esbuild, source.command, source.cwd);
    await this.#bundles?.follow(current().functions);
    this.#watcher?.add([...(this.#imports ?? []), ...(this.#bundles?.inputs ?? [])]);
  }

  /** Handles what was saved between the first synthesis and now, when no file was watched. */
  async #lookBack(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const { mtimeMs = 0 } = (await stat(path).catch(() => undefined)) ?? {};
      if (mtimeMs > this.#options.synthesizedAt) this.#bursts.add(path);
    }
  }

  #watchedText(): string {
    const { command } = this.#options.source;
    const handlers = this.#bundles?.count ?? 0;
    return `watching ${command}${handlers > 0 ? ` and ${handlers} ${handlers === 1 ? 'handler' : 'handlers'}` : ''}`;
  }

  async #handle(paths: ReadonlySet<string>, beganAt: number): Promise<void> {
    await this.#ready;
    this.#beganAt = beganAt;
    this.#bursted += 1;
    const isOfApp = [...paths].some((path) => this.#isOfApp(path));
    await this.#bundles?.rebuild(paths);
    this.#watcher?.add(this.#bundles?.inputs ?? []);
    if (isOfApp || (this.#failed && !this.#synthesis)) this.#synthesize(beganAt);
  }

  /** A file of handlers alone needs no synthesis. */
  #isOfApp(path: string): boolean {
    if (this.#imports?.has(path)) return true;
    const isOfHandler = this.#bundles?.inputs.has(path) === true;
    return this.#files?.isSource(path) === true && !(isOfHandler && this.#imports);
  }

  async #runCode({ functionName, folder, entry }: NewCode): Promise<void> {
    await this.#inTurn(async () => {
      const app = this.#options.current();
      const functions = app.functions.map((lambda) =>
        lambda.name === functionName ? { ...lambda, folder, codeKey: undefined } : lambda,
      );
      this.#options.run({ ...app, functions });
      // Only here: another one would remove what is written, and not run yet.
      await removeUnused(this.#options.scratch, 'bundle-', this.#functions());
    });
    this.#tell(true, `${this.#short(entry)} is live, ${secondsSince(this.#beganAt)}: ${functionName}`);
  }

  /** Synthesizes the app again. A synthesis under way is ended: it may have read files as they were before. */
  #synthesize(beganAt: number): void {
    const previous = this.#synthesis;
    previous?.abort.abort();
    const abort = new AbortController();
    const bursted = this.#bursted;
    const ended = Promise.resolve(previous?.ended)
      .then(() => this.#synthesizeOnce(abort.signal, beganAt))
      .then(() => {
        if (abort.signal.aborted) return;
        this.#synthesis = undefined;
        // What was saved meanwhile may have healed it.
        if (this.#failed && this.#bursted > bursted) this.#synthesize(this.#beganAt);
      });
    this.#synthesis = { abort, ended };
  }

  async #synthesizeOnce(signal: AbortSignal, beganAt: number): Promise<void> {
    if (signal.aborted) return;
    try {
      const next = await this.#options.source.read(signal);
      if (signal.aborted) return;
      const lines = await this.#inTurn(() => this.#runSynthesized(next));
      this.#failed = false;
      const what =
        lines.length > 0 ? 'the app has changed' : 'the app was synthesized again, nothing has changed';
      this.#tell(true, `${what}, ${secondsSince(beganAt)}`, lines);
      await this.#lookAround();
    } catch (error) {
      if (signal.aborted) return;
      this.#failed = true;
      const [first = '', ...lines] = (error as Error).message.split('\n');
      // Of what the app has written, the line that says most.
      const reason = lines.find((line) => /^\W*\w*Error\W/.test(line))?.trim();
      const text = `${reason ?? first}; the runtime goes on with the app as it was`;
      this.#tell(false, text, reason === undefined ? lines : [first, ...lines]);
    }
  }

  /** @returns what has changed */
  async #runSynthesized(next: SynthesizedApp): Promise<readonly string[]> {
    const { current, prepare, run, describe } = this.#options;
    const before = current();
    checkTables(this.#tables, next.app.tables);
    const app = carryOver(before, next.app, ({ name, bundle }) => this.#bundles?.has(name, bundle) === true);
    const lines = [...describe(this.#synthesized.stacks, next.stacks), ...appChanges(before, app)];
    await prepare(app);
    run(app);
    const isNew = ({ name }: { readonly name: string }) => !this.#tables.some((table) => table.name === name);
    this.#tables = [...this.#tables, ...app.tables.filter(isNew)];
    this.#synthesized = next;
    // Only here: a synthesis may be under way while a handler is bundled.
    await removeUnused(this.#options.scratch, 'synthesis-', this.#functions());
    return lines;
  }

  /** All that run, and those of events that are at work still. */
  #functions(): LocalApp['functions'] {
    const { current, working } = this.#options;
    return [...current().functions, ...working()];
  }

  #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#applying.then(action);
    this.#applying = result.catch(() => {});
    return result;
  }

  #tell(ok: boolean, text: string, lines: readonly string[] = []): void {
    this.#options.onNews({ at: new Date().toISOString(), ok, text, lines });
  }

  /** Paths below the app's folder as a user names them. */
  #short(text: string): string {
    const { cwd } = this.#options.source;
    return text.startsWith(`${cwd}${sep}`) ? text.slice(cwd.length + 1) : text;
  }
}

function secondsSince(beganAt: number): string {
  return `${((performance.now() - beganAt) / 1000).toFixed(1)} real seconds after the save`;
}
