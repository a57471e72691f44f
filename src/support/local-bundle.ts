/** Context that the local runtime sets: functions then tell in the template what their code was bundled from. */
export const LOCAL_CONTEXT = 'dynamo-backlog:local';

/** The key in the `Metadata` of a function's resource. Deployed templates do not have it. */
export const BUNDLE_METADATA = 'DynamoBacklogBundle';

/** The input of esbuild for a function's code: options of its JavaScript API, without where the output goes. */
export interface BundleDescription {
  /** The file, absolute. */
  readonly entryPoints: readonly [string];
  /** The folder that esbuild ran in, absolute. */
  readonly absWorkingDir: string;
  readonly [option: string]: unknown;
}
