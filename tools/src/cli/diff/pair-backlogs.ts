import type { BacklogDescription } from 'dynamo-backlog/engine';

type Backlogs = ReadonlyMap<string, BacklogDescription>;

export interface BacklogPair {
  readonly path: string;
  readonly newPath: string;
  readonly before: BacklogDescription;
  readonly after: BacklogDescription;
}

/** Pairs the Backlogs of two templates: by their path, or by the most queues in common. */
export function pairBacklogs(from: Backlogs, to: Backlogs) {
  const pairs: BacklogPair[] = [];
  const taken = new Set<string>();
  const removed: string[] = [];
  for (const [path, before] of from) {
    const newPath = to.has(path) ? path : likest(before, from, to, taken);
    const after = newPath === undefined ? undefined : to.get(newPath);
    if (newPath === undefined || !after) {
      removed.push(path);
      continue;
    }
    taken.add(newPath);
    pairs.push({ path, newPath, before, after });
  }
  return { pairs, removed, added: [...to.keys()].filter((path) => !taken.has(path)) };
}

function likest(before: BacklogDescription, from: Backlogs, to: Backlogs, taken: ReadonlySet<string>) {
  const shared = ({ queues }: BacklogDescription) =>
    Object.keys(queues).filter((name) => Object.hasOwn(before.queues, name)).length;
  const open = [...to].filter(([path, one]) => !from.has(path) && !taken.has(path) && shared(one) > 0);
  return open.sort(([, a], [, b]) => shared(b) - shared(a))[0]?.[0];
}
