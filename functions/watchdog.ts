import * as inspector from 'node:inspector';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Watchdog, WatchedAttempts } from '../src/worker/index.js';
import { THREAD } from './watchdog-thread.js';

/** Seconds beyond the time of an attempt, in which it may still heed its signal. */
const GRACE_SECONDS = 5;
const BEAT_MS = 1_000;
/** Places in the memory that both threads share. */
const [BEATS, LIMIT, PLACES] = [0, 1, 3];
const MAX_NAMED_IDS = 100;

/**
 * Ends its process by SIGKILL when the event loop has not turned for the time of an attempt and 5 seconds: no time limit and no
 * signal reaches a handler that blocks it. The first process of a container ends by SIGTRAP. The thread costs about 30 ms of CPU
 * and 10 MB once per process, so it is started by the first attempts that keep others waiting.
 */
export class BlockWatchdog implements Watchdog {
  private readonly shared = new Int32Array(new SharedArrayBuffer(4 * PLACES));
  private readonly watched = new Set<WatchedAttempts>();
  private port: MessagePort | undefined;
  private beating: NodeJS.Timeout | undefined;

  /** @param always watches single attempts, too: a process has other queues, which a blocked loop stops */
  constructor(private readonly always = false) {}

  watch(attempts: WatchedAttempts): () => void {
    // A debugger stops the loop for as long as it likes.
    const isNeeded = this.port !== undefined || this.always || attempts.othersWait;
    if (!isNeeded || inspector.url() !== undefined) return () => {};
    this.watched.add(attempts);
    this.port ??= this.startThread();
    this.tell(this.port);
    return () => {
      this.watched.delete(attempts);
      if (this.port) this.tell(this.port);
    };
  }

  private startThread(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    // The thread gets neither the variables nor the options of the process, which could load code into it.
    const thread = new Worker(THREAD, {
      eval: true,
      env: {},
      execArgv: [],
      workerData: { shared: this.shared, port: port2 },
      transferList: [port2],
    });
    // If the thread fails, attempts are made as if there were no watchdog.
    thread.on('error', () => {});
    thread.unref();
    port1.unref();
    return port1;
  }

  /** Tells the thread what is watched now. It looks at the beats while there is a limit. */
  private tell(port: MessagePort): void {
    const all = [...this.watched];
    const limit = all.length === 0 ? 0 : Math.max(...all.map(({ seconds }) => seconds)) + GRACE_SECONDS;
    if (limit > 0) port.postMessage(namesOf(all));
    this.beat();
    Atomics.store(this.shared, LIMIT, Math.ceil(limit));
    Atomics.notify(this.shared, LIMIT);
    if (limit > 0) this.beating ??= setInterval(() => this.beat(), BEAT_MS).unref();
    else {
      clearInterval(this.beating);
      this.beating = undefined;
    }
  }

  private beat(): void {
    Atomics.add(this.shared, BEATS, 1);
  }
}

function namesOf(attempts: readonly WatchedAttempts[]) {
  return {
    queue: [...new Set(attempts.map(({ queue }) => queue))].join(','),
    ids: attempts.flatMap(({ ids }) => ids).slice(0, MAX_NAMED_IDS),
  };
}
