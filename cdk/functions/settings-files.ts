import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Stack, Stage, Token } from 'aws-cdk-lib';
import {
  type CfnFunction,
  Code,
  type Function as LambdaFunction,
  LayerVersion,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { DISABLE_ASSET_STAGING_CONTEXT } from 'aws-cdk-lib/cx-api';
import type { Construct, IConstruct } from 'constructs';
import { ConfigurationError } from '../../src/support/errors.js';
import type { JoinedText } from '../../src/support/settings-file.js';
import { isOwnFunction } from '../support/values.js';

/** A value that is known at deployment only, such as an ARN or a URL. */
const TOKEN = /(\$\{Token\[[\w:.-]+\]\})/g;
/** The bytes that are reckoned for such a value: most ARNs and URLs are shorter. */
export const VALUE_BYTES = 110;

/** Layers of the user's own beside the one of the settings: Lambda takes 5. */
const MAX_OWN_LAYERS = 4;
/** The folder into which Lambda unpacks layers. */
const OPT = '/opt';
const FOLDER = 'dynamo-backlog';

interface ValuesSpace {
  readonly room: number;
  readonly valueBytes: number;
}

/** The bytes of a JSON, with tokens as long as most values are at most. */
export function bytesOf(json: string, valueBytes = VALUE_BYTES): number {
  return Buffer.byteLength(json.replace(TOKEN, 'x'.repeat(valueBytes)));
}

/** The bytes that a JSON takes of a function's variables. Lambda measures these as JSON, so its quotes count as escaped. */
export function variableBytes(json: string, valueBytes = VALUE_BYTES): number {
  return bytesOf(JSON.stringify(json), valueBytes) - '""'.length;
}

/**
 * Settings that the 4 KB of a function's variables have no room for: a file for each, all of them in one layer. What only the
 * deployment knows stays in the variables, as no file can have it.
 */
export class SettingsFiles {
  readonly #backlog: Construct;
  readonly #files = new Map<string, string>();
  readonly #users = new Set<IConstruct>();

  constructor(backlog: Construct) {
    this.#backlog = backlog;
  }

  /**
   * Variables that name a file for each of `settings`. The function gets the layer by `addLayer`.
   *
   * @param scope the function, or what it will be the child `Function` of
   * @param settings by the variables that they are in the place of
   * @param space bytes for all values that only the deployment knows, and those of one at most
   * @throws ConfigurationError if these do not fit
   */
  variables(
    scope: IConstruct,
    settings: Readonly<Record<string, unknown>>,
    space: ValuesSpace,
  ): Record<string, string> {
    const values: string[] = [];
    const variables = Object.entries(settings).map(([variable, value]) => {
      const json = JSON.stringify(joined(value, values));
      // A layer of other settings has another name in it: the variable and the layer cannot be of different deployments.
      const hash = createHash('sha256').update(json).digest('hex').slice(0, 16);
      const file = `${FOLDER}/${variable.toLowerCase().replace('backlog_', '').replaceAll('_', '-')}-${hash}.json`;
      this.#files.set(file, json);
      return [`${variable}_FILE`, `${OPT}/${file}`] as const;
    });
    this.#users.add(scope);
    if (values.length === 0) return Object.fromEntries(variables);
    checkValues(values, space, 'BACKLOG_RECURRING' in settings);
    return { ...Object.fromEntries(variables), BACKLOG_FILE_VALUES: Stack.of(scope).toJsonString(values) };
  }

  /** Makes the layer, if there are files, and gives it to the functions that read them. */
  addLayer(): void {
    if (this.#files.size === 0) return;
    // Below the synthesized app, whose folder is there even if no asset is copied (--no-staging).
    const folder = join(Stage.of(this.#backlog)?.assetOutdir ?? '.', `${FOLDER}-${this.#backlog.node.addr}`);
    rmSync(folder, { recursive: true, force: true });
    for (const [file, json] of this.#files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), json);
    }
    const layer = new LayerVersion(this.#backlog, 'Settings', {
      code: Code.fromAsset(folder),
      description:
        'Settings of the queues of the backlog, for which the variables of its functions have no room',
    });
    for (const scope of this.#users) {
      const lambda = isOwnFunction(scope) ? scope : (scope.node.findChild('Function') as LambdaFunction);
      lambda.addLayers(layer);
    }
    if (!this.#backlog.node.tryGetContext(DISABLE_ASSET_STAGING_CONTEXT)) rmSync(folder, { recursive: true });
  }
}

/** Tells whether a function with these variables gets the layer. */
export function readsFile(environment: Readonly<Record<string, string>> = {}): boolean {
  return environment.BACKLOG_QUEUES_FILE !== undefined;
}

/** @throws ConfigurationError for as many layers of the user's own as Lambda takes in all */
export function checkLayerRoom(layers: readonly unknown[] | undefined, path: string): void {
  if (layers === undefined || layers.length <= MAX_OWN_LAYERS) return;
  throw new ConfigurationError(
    `${path}.layers: expected at most ${MAX_OWN_LAYERS} layers, as Lambda takes ${MAX_OWN_LAYERS + 1} and the settings of the ` +
      `queues, which do not fit into the environment of a function, are in one, got ${layers.length}`,
  );
}

/**
 * Refuses a function of the user's own that takes no further layer.
 *
 * @throws ConfigurationError for a container image as well
 */
export function checkTakesLayer(lambda: LambdaFunction, path: string): void {
  if (lambda.runtime.name === Runtime.FROM_IMAGE.name) {
    throw new ConfigurationError(
      `${path}: expected a function with code from an asset: the settings of its queues do not fit into its environment, and a ` +
        'container image takes no layer, which would have them. Give it fewer queues (several "workers"), or an "entry"',
    );
  }
  const { layers } = lambda.node.defaultChild as CfnFunction;
  checkLayerRoom(Stack.of(lambda).resolve(layers), path);
}

/** The value with places in place of tokens, which are added to `values` once each. */
function joined(value: unknown, values: string[]): unknown {
  if (typeof value === 'string') return Token.isUnresolved(value) ? joinedText(value, values) : value;
  if (Array.isArray(value)) return value.map((entry) => joined(entry, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, joined(entry, values)]));
}

function joinedText(text: string, values: string[]): JoinedText {
  const parts = text.split(TOKEN).map((part, i) => (i % 2 === 0 ? part : indexOf(part, values)));
  return { $join: parts.filter((part) => part !== '') };
}

function indexOf(value: string, values: string[]): number {
  const found = values.indexOf(value);
  return found >= 0 ? found : values.push(value) - 1;
}

function checkValues(
  values: readonly string[],
  { room, valueBytes }: ValuesSpace,
  areOfRecurring: boolean,
): void {
  const bytes = variableBytes(JSON.stringify(values), valueBytes);
  if (bytes <= room) return;
  if (areOfRecurring) {
    throw new ConfigurationError(
      `Backlog.recurring: expected at most ${room} bytes of values that are known at deployment only, in all payloads, got ` +
        `${values.length} values of up to ${bytes} bytes. They do not fit into the environment of a function. Give them as text, or ` +
        'to the handler of the records, as variables of its own',
    );
  }
  throw new ConfigurationError(
    `queues: expected at most ${room} bytes of values that are known at deployment only (URLs, ARNs of secrets, names of functions), ` +
      `got ${values.length} values of up to ${bytes} bytes. They do not fit into the environment of a function. Give URLs ` +
      'as text, let queues share secrets, let one of the "workers" serve several queues, or move queues to another stack ' +
      '(sharedBacklog)',
  );
}
