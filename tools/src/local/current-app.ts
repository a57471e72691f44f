import { type AppQueue, queuesOf, recordTables } from './app-queues.js';
import type { LocalApp } from './template/local-app.js';

/** The app that a runtime runs at the moment. What asks it later gets what it is then. */
export class CurrentApp {
  #app: LocalApp;
  #queues: readonly AppQueue[];
  #tables: readonly string[];

  constructor(app: LocalApp) {
    this.#app = app;
    this.#queues = queuesOf(app);
    this.#tables = recordTables(app);
  }

  get app(): LocalApp {
    return this.#app;
  }

  get queues(): readonly AppQueue[] {
    return this.#queues;
  }

  /** Tables that hold records. */
  get tables(): readonly string[] {
    return this.#tables;
  }

  get allTables(): readonly string[] {
    return this.#app.tables.map(({ name }) => name);
  }

  /** Tells whether a function receives what is put into the table. */
  hasIntake(table: string): boolean {
    return this.#app.streams.some((stream) => stream.table === table);
  }

  /** True if no intake looks after the app's tables: records are indexed with their insertion. */
  get indexAtOnce(): boolean {
    return this.#app.streams.length === 0;
  }

  /** Tells whether a function counts the members of groups. */
  get countsGroups(): boolean {
    return this.#app.functions.some(({ environment }) => environment.BACKLOG_GROUPS === 'true');
  }

  set(app: LocalApp): void {
    this.#app = app;
    this.#queues = queuesOf(app);
    this.#tables = recordTables(app);
  }
}
