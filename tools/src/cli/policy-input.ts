import { ConfigurationError } from 'dynamo-backlog';
import { show } from 'dynamo-backlog/engine';

/** A policy as data, not checked yet. */
export type PolicyData = Readonly<Record<string, unknown>>;

/**
 * A policy as it is written on the command line: a type, or a whole policy as JSON, and its settings
 * (`unit=30`, `jitter.type=phase`, `waits=[10,20,30]`).
 *
 * @throws ConfigurationError for a setting without a value, or one that is there already
 */
export function readPolicy(text: string, settings: readonly string[] = []): PolicyData {
  const whole = text.startsWith('{') ? jsonOrText(text) : undefined;
  const policy: Node = isNode(whole) ? { ...whole } : { type: text };
  const opened = new Set<Node>([policy]);
  for (const setting of settings) set(policy, setting, opened);
  return policy;
}

type Node = Record<string, unknown>;

const SETTING = /^([a-z]\w*(?:\.[a-z]\w*)*)=(.+)$/is;

/** Puts one setting in its place. `opened`: the objects that dotted keys have made, which more of them may fill. */
function set(policy: Node, setting: string, opened: Set<Node>): void {
  const [, key, value] = SETTING.exec(setting) ?? [];
  if (key === undefined || value === undefined) {
    throw new ConfigurationError(
      `--set: expected key=value, such as unit=30 or jitter.type=phase, got ${show(setting)}`,
    );
  }
  const path = key.split('.');
  const last = path.pop() ?? key;
  let node = policy;
  for (const [depth, name] of path.entries()) {
    if (!Object.hasOwn(node, name)) {
      const made: Node = {};
      opened.add(made);
      node[name] = made;
    }
    const next = node[name];
    if (!isNode(next) || !opened.has(next)) throw alreadySet(key, path.slice(0, depth + 1).join('.'));
    node = next;
  }
  if (Object.hasOwn(node, last)) throw alreadySet(key, key);
  node[last] = jsonOrText(value);
}

function alreadySet(key: string, other: string): ConfigurationError {
  return new ConfigurationError(
    key === 'type'
      ? '--set type: the type is named in front, as in "backlog policy fibonacci"'
      : `--set ${key}: ${other} is set already; expected every key once, and either a whole or its parts`,
  );
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON where it is JSON, else the text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
