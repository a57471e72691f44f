import { areSecrets } from '../../src/delivery/settings.js';
import { show } from '../../src/support/validation.js';
import { type RememberedDeps, remembered } from './remembered.js';
import type { HeaderSecret, SecretSource } from './secret-source.js';

export type Stage = 'AWSCURRENT' | 'AWSPREVIOUS';

/** Gets a secret as it is now; `undefined` if there is none, as before the first rotation. */
export type FetchSecret = (source: SecretSource, stage: Stage) => Promise<string | undefined>;

/** The error for a secret that a delivery needs and cannot read. Says which and why, and never its value. */
class SecretError extends Error {
  override readonly name = 'SecretError';
}

export interface SecretsDeps extends RememberedDeps {
  readonly fetch: FetchSecret;
}

/** The secrets of all queues of a function, each read once however many use it. */
export class Secrets {
  private readonly reads = new Map<string, () => Promise<string | undefined>>();

  constructor(private readonly deps: SecretsDeps) {}

  /** The value of a header. */
  async header(source: HeaderSecret): Promise<string> {
    return `${source.prefix ?? ''}${await this.current(source)}`;
  }

  /** The keys that sign: the secret, and the one before its last rotation, as receivers change later. */
  async signing(source: SecretSource): Promise<string[]> {
    const [current, previous] = await Promise.all([this.current(source), this.previous(source)]);
    return previous === undefined ? [current] : [current, previous];
  }

  private async current(source: SecretSource): Promise<string> {
    const text = await this.read(source, 'AWSCURRENT');
    if (text === undefined || text.trim() === '')
      throw new SecretError(`${nameOf(source)} is empty, or no text`);
    const value = fieldOf(text, source.field);
    if (value === undefined) {
      throw new SecretError(`${nameOf(source)}: expected a JSON object with the text ${show(source.field)}`);
    }
    return value.trim();
  }

  /**
   * The value before the last rotation; undefined if it is no secret, as a placeholder that was put first is no reason
   * to fail.
   */
  private async previous(source: SecretSource): Promise<string | undefined> {
    if (source.secretsManager === undefined) return undefined;
    const value = fieldOf((await this.read(source, 'AWSPREVIOUS')) ?? '', source.field);
    return value !== undefined && areSecrets(value) ? value : undefined;
  }

  private read(source: SecretSource, stage: Stage): Promise<string | undefined> {
    const { secretsManager, parameter } = source;
    const key = JSON.stringify([secretsManager, parameter, stage]);
    const fetch = async () => {
      try {
        return await this.deps.fetch({ secretsManager, parameter }, stage);
      } catch (error) {
        throw new SecretError(`${nameOf(source)} cannot be read: ${reasonOf(error)}`);
      }
    };
    const read = this.reads.get(key) ?? remembered(fetch, this.deps);
    this.reads.set(key, read);
    return read();
  }
}

function nameOf({ secretsManager, parameter }: SecretSource): string {
  return parameter === undefined ? `the secret ${show(secretsManager)}` : `the parameter ${show(parameter)}`;
}

function fieldOf(text: string, field: string | undefined): string | undefined {
  if (field === undefined) return text;
  try {
    const value: unknown = JSON.parse(text)?.[field];
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  } catch {
    // The parser's error quotes what it could not read.
    return undefined;
  }
}

/**
 * The reason of an error, as far as it may be shown: the message of a service. Other errors may quote what was read, so
 * only their names and codes are.
 */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const source = (cause ?? error) as { name?: unknown; message?: unknown; code?: unknown; $fault?: unknown };
  const says = typeof source.$fault === 'string' ? source.message : source.code;
  return [source.name, says].filter((part) => typeof part === 'string' && part !== '').join(': ');
}
