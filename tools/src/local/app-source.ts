import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from './package-root.js';
import type { RuntimeOptions } from './runtime-options.js';
import type { SampleDelivery } from './sample/sample-erp.js';
import type { Stack } from './template/assembly.js';
import { hasFunctionUrls } from './template/function-url.js';
import type { LocalApp } from './template/local-app.js';
import { synthesize } from './template/synth.js';
import { readApp } from './template/template.js';

/** A CDK app as one synthesis made it. */
export interface SynthesizedApp {
  readonly app: LocalApp;
  readonly stacks: readonly Stack[];
  /** The folder that its assets are in, unless the app is such a folder itself. */
  readonly folder: string;
}

export interface AppSource {
  /** The command or the folder. */
  readonly command: string;
  /** Folder in which the command runs. */
  readonly cwd: string;
  /** Synthesizes the app into a new folder. @throws ConfigurationError with the app's own words if it fails */
  read(signal?: AbortSignal): Promise<SynthesizedApp>;
}

/**
 * The app that a runtime runs: that of its options, or this package's own.
 *
 * @param scratch gets a folder for each synthesis
 */
export function appSource(
  { app }: RuntimeOptions,
  to: {
    readonly cwd: string;
    readonly deliverTo: string | SampleDelivery | undefined;
    readonly scratch: string;
    /** Gives the URL that those of functions begin with. Called if the app has some. */
    readonly functionUrls: () => Promise<string>;
  },
): AppSource {
  const root = packageRoot();
  const command = app ?? `"${process.execPath}" "${join(root, 'dist', 'cdk', 'app.js')}"`;
  const cwd = app === undefined ? root : to.cwd;
  let count = 0;
  return {
    command,
    cwd,
    read: async (signal) => {
      count += 1;
      const folder = join(to.scratch, `synthesis-${count}`);
      await mkdir(folder);
      const context = to.deliverTo === undefined ? {} : { deliverTo: to.deliverTo };
      const stacks = await synthesize({ app: command, cwd, context, outFolder: folder }, signal);
      const functionUrls = hasFunctionUrls(stacks) ? await to.functionUrls() : undefined;
      return { app: readApp(stacks, functionUrls), stacks, folder };
    },
  };
}
