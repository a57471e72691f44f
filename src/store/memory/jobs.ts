import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../../record/index.js';
import type { JobChange, JobStore, Kept } from '../job-store.js';
import { frozenCopy } from './freeze.js';

/** The jobs of operators in memory. */
export class MemoryJobs implements JobStore {
  private readonly jobs = new Map<string, Item>();
  private readonly pages = new Map<string, readonly Kept[]>();

  async create(id: string, job: Item): Promise<boolean> {
    if (this.jobs.has(id)) return false;
    this.jobs.set(id, frozenCopy(job));
    return true;
  }

  async read(id: string): Promise<Item | undefined> {
    return this.jobs.get(id);
  }

  async list(): Promise<ReadonlyMap<string, Item>> {
    return new Map(this.jobs);
  }

  async change(id: string, { set, remove = [], expected }: JobChange): Promise<Item | undefined> {
    const job = this.jobs.get(id);
    const isAsExpected = Object.entries(expected).every(([name, value]) =>
      isDeepStrictEqual(job?.[name], value),
    );
    if (!job || !isAsExpected) return undefined;
    const given = Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
    const removed = Object.fromEntries(remove.map((name) => [name, undefined]));
    const changed = frozenCopy({ ...job, ...given, ...removed });
    this.jobs.set(id, changed);
    return changed;
  }

  async keep(id: string, page: number, kept: readonly Kept[]): Promise<boolean> {
    const name = `${id}#${page}`;
    if (this.pages.has(name)) return false;
    this.pages.set(name, frozenCopy({ kept }).kept as readonly Kept[]);
    return true;
  }

  async kept(id: string, page: number): Promise<readonly Kept[] | undefined> {
    return this.pages.get(`${id}#${page}`);
  }
}
