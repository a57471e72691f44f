import { readFile } from 'node:fs/promises';
import { join, resolve as resolvePath } from 'node:path';
import { ConfigurationError } from 'dynamo-backlog';

/** One resource of a CloudFormation template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>> | undefined;
  readonly Metadata?: Readonly<Record<string, unknown>> | undefined;
}

interface TemplateOutput {
  readonly Value?: unknown;
  readonly Description?: string;
  /** Name for other stacks. */
  readonly Export?: { readonly Name?: unknown };
}

export interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>> | undefined;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>> | undefined;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
}

/** A synthesized stack: its template, and where its assets lie on this machine. */
export interface Stack {
  readonly name: string;
  readonly template: Template;
  /** The folder or file of an asset, by the object key it would be uploaded to. */
  assetPath(objectKey: string): string | undefined;
}

interface Artifact {
  readonly type: string;
  readonly properties?: {
    readonly templateFile?: string;
    readonly directoryName?: string;
    readonly file?: string;
    readonly stackName?: string;
  };
}

interface AssetsManifest {
  readonly files?: Readonly<
    Record<
      string,
      {
        readonly source?: { readonly path?: string };
        readonly destinations?: Readonly<Record<string, { readonly objectKey?: string }>>;
      }
    >
  >;
}

/**
 * Reads the stacks of a cloud assembly (`cdk.out`), those of its stages included.
 *
 * @throws ConfigurationError if the folder is none
 */
export async function readAssembly(folder: string): Promise<Stack[]> {
  const manifest = await readJson<{ artifacts?: Record<string, Artifact> }>(join(folder, 'manifest.json'));
  const artifacts = Object.entries(manifest.artifacts ?? {});
  const assets = await readAssets(folder, artifacts);
  const stacks: Stack[] = [];
  for (const [id, { type, properties }] of artifacts) {
    if (type === 'cdk:cloud-assembly' && properties?.directoryName) {
      stacks.push(...(await readAssembly(join(folder, properties.directoryName))));
    }
    if (type === 'aws:cloudformation:stack' && properties?.templateFile) {
      stacks.push({
        name: properties.stackName ?? id,
        template: await readJson<Template>(join(folder, properties.templateFile)),
        assetPath: (objectKey) => assets.get(objectKey),
      });
    }
  }
  return stacks;
}

async function readAssets(
  folder: string,
  artifacts: readonly (readonly [string, Artifact])[],
): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const [, { type, properties }] of artifacts) {
    if (type !== 'cdk:asset-manifest' || !properties?.file) continue;
    const { files = {} } = await readJson<AssetsManifest>(join(folder, properties.file));
    for (const { source, destinations = {} } of Object.values(files)) {
      if (!source?.path) continue;
      for (const { objectKey } of Object.values(destinations)) {
        if (objectKey) paths.set(objectKey, resolvePath(folder, source.path));
      }
    }
  }
  return paths;
}

async function readJson<Shape>(file: string): Promise<Shape> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Shape;
  } catch (error) {
    throw new ConfigurationError(`cannot read the synthesized app: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
