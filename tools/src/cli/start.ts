import { ConfigurationError } from 'dynamo-backlog';
import { age } from 'dynamo-backlog/engine';
import { DEBUGGER_PORT } from '../local/debugging.js';
import type { LocalRuntime } from '../local/runtime.js';
import type { RuntimeOptions } from '../local/runtime-options.js';
import { plainChanges } from './diff/plain-changes.js';
import { EXIT, type ExitCode, hasColors, type Output } from './output.js';
import { painter } from './paint.js';
import {
  plainAlarm,
  plainCounts,
  plainNotice,
  plainOutput,
  plainReload,
  plainRun,
  summary,
} from './plain.js';
import { loadRedact } from './redact-module.js';
import { banner } from './start-banner.js';
import { StartLive } from './start-live.js';
import { type KnownAtStart, statusAtStart } from './start-status.js';

export interface StartFlags {
  readonly app?: string | undefined;
  /** Default: 8000, or the next one that is free. */
  readonly dynamodbPort?: number | undefined;
  readonly dynamodbEndpoint?: string | undefined;
  /** Default: 8080, or the next one that is free. */
  readonly port?: number | undefined;
  /** Default: 8090, or the next one that is free. */
  readonly functionUrlPort?: number | undefined;
  readonly dataDir?: string | undefined;
  readonly speed?: number | undefined;
  readonly deliverTo?: string | undefined;
  readonly secrets?: string | undefined;
  readonly sample: boolean;
  /** Default: on a terminal, with `app`. */
  readonly watch?: boolean | undefined;
  /** The file of a module that says what the console shows of a payload. */
  readonly redact?: string | undefined;
  /** The first port for debuggers; true: the usual one. */
  readonly inspect?: number | true | undefined;
  /** Time of the backlog after which it stops, in milliseconds. */
  readonly for?: number | undefined;
}

/** Speed of the sample: a user who only looks should see the first tick of a per-minute rule at once. */
const SAMPLE_SPEED = 60;
const PLAIN_COUNTS_MS = 10_000;

/** `backlog start`: runs until it is stopped, or until the time given by `--for` has passed. */
export async function start(flags: StartFlags, output: Output): Promise<ExitCode> {
  if (flags.watch && flags.app === undefined) {
    output.message(
      "error: --watch: expected together with --app: this package's own app has no files to save",
    );
    return EXIT.usage;
  }
  const redact = await loadRedact(flags.redact);
  // Another app's queues may have handlers of their own: made-up orders are not for them.
  const sample = flags.sample && flags.app === undefined;
  const speed = flags.speed ?? (sample ? SAMPLE_SPEED : 1);
  const stopping = listenForStop();
  const isLive = process.stdout.isTTY === true && process.env.TERM !== 'dumb';
  const show = isLive ? liveShow({ ...flags, sample, speed }, stopping.stop) : plainShow(sample, output);
  const begun = { runtime: undefined as LocalRuntime | undefined };
  try {
    const { startRuntime } = await import('../local/runtime.js');
    const runtime = await startRuntime({
      ...flags,
      inspect: flags.inspect === true ? DEBUGGER_PORT : flags.inspect,
      ...show.callbacks,
      redact,
      sample,
      speed,
      watch: flags.watch ?? (isLive && flags.app !== undefined),
      describeChanges: plainChanges,
      signal: stopping.signal,
    });
    begun.runtime = runtime;
    stopping.onSecond(() => runtime.hurry());
    show.started(runtime);
    const failure = await Promise.race([
      runtime.failure,
      stopping.wait(),
      ...(flags.for === undefined ? [] : [runtime.passed(flags.for)]),
    ]);
    show.stop();
    if (failure) {
      // What runs cannot write down how it ends.
      runtime.hurry();
      await runtime.stop().catch(() => {});
      throw failure;
    }
    const final = await stop(runtime, output);
    for (const line of summary(final)) output.data(line);
    return EXIT.ok;
  } catch (error) {
    // An app whose synthesis is stopped fails, too.
    const isStop = error === stopping.signal.reason || error instanceof ConfigurationError;
    if (stopping.signal.aborted && !begun.runtime && isStop) return EXIT.ok;
    throw error;
  } finally {
    show.stop();
    stopping.close();
  }
}

async function stop(runtime: LocalRuntime, output: Output) {
  output.message('stopping: what runs may finish (Ctrl-C again to stop at once) ...');
  await runtime.stop();
  return runtime.status();
}

/** View of a runtime for a user. */
interface Show {
  readonly callbacks: Pick<
    RuntimeOptions,
    'onProgress' | 'onReady' | 'onRun' | 'onNotice' | 'onAlarm' | 'onOutput' | 'onReload'
  >;
  started(runtime: LocalRuntime): void;
  /** May be called again. */
  stop(): void;
}

/** Lines, one after the other. */
function plainShow(sample: boolean, output: Output): Show {
  const errors = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  output.message(
    sample
      ? 'A small shop is about to send orders to an ERP that is down for a while and rejects some permanently.'
      : 'starting ...',
  );
  return {
    callbacks: {
      onProgress: (step) => output.message(`${step} ...`),
      onRun: (run) => {
        if (!run.idle) output.data(plainRun(run));
      },
      onNotice: (notice) => {
        const text = plainNotice(notice);
        // A handler that throws does so for many records.
        if (notice.record !== undefined && errors.has(text)) return;
        errors.add(text);
        output.message(text);
      },
      onAlarm: (episode) => output.data(plainAlarm(episode)),
      onOutput: (line) => output.data(plainOutput(line)),
      onReload: (news) => {
        for (const line of plainReload(news)) output.message(line);
      },
    },
    started: (runtime) => {
      for (const line of banner(runtime.status(), painter(false))) output.data(line);
      let last = '';
      timer = setInterval(() => {
        const line = plainCounts(runtime.status());
        // Without the time: the same counts again say nothing.
        if (line.slice(20) !== last) output.data(line);
        last = line.slice(20);
      }, PLAIN_COUNTS_MS);
    },
    stop: () => clearInterval(timer),
  };
}

/** A screen that shows all at once, and takes keys. */
function liveShow(known: KnownAtStart, onStop: () => void): Show {
  const keyboard = process.stdin.isTTY ? process.stdin : undefined;
  const live = new StartLive({
    terminal: process.stdout,
    keyboard,
    paint: painter(hasColors(process.stdout)),
    status: statusAtStart(known),
    onStop,
    // The whole job, as the terminal does it: a parent such as npm stops, too.
    suspend: () => process.platform !== 'win32' && process.kill(0, 'SIGTSTP'),
  });
  // Whatever ends or suspends the process, the terminal is as it was before.
  const onExit = () => live.close();
  const onSuspend = () => {
    live.leave();
    process.off('SIGTSTP', onSuspend);
    process.kill(process.pid, 'SIGTSTP');
    // From here on it goes on; or it never stopped, as no shell is there to let it go on.
    setTimeout(() => {
      process.on('SIGTSTP', onSuspend);
      live.enter();
    }, 0);
  };
  const onContinue = () => live.enter();
  // A terminal that is closed: SIGHUP says so as well.
  const onError = () => {};
  process.once('exit', onExit);
  process.on('SIGTSTP', onSuspend);
  process.on('SIGCONT', onContinue);
  keyboard?.on('error', onError);
  return {
    callbacks: {
      onProgress: (step) => live.step(step),
      onReady: (status, actions) => live.ready(status, actions),
    },
    started: () => {},
    stop: () => {
      live.close();
      process.off('exit', onExit);
      process.off('SIGTSTP', onSuspend);
      process.off('SIGCONT', onContinue);
      keyboard?.off('error', onError);
    },
  };
}

/** Ctrl-C or SIGTERM, which is also what main.ts makes of a pipe that has no reader any more. */
function listenForStop() {
  const abort = new AbortController();
  let second = () => process.exit(EXIT.failed);
  const onSignal = () => {
    if (abort.signal.aborted) second();
    abort.abort();
  };
  // A closed terminal says so more than once. That asks for no faster end.
  const onHangUp = () => abort.abort();
  const signals = [
    ['SIGINT', onSignal],
    ['SIGTERM', onSignal],
    ['SIGHUP', onHangUp],
  ] as const;
  for (const [name, listener] of signals) process.on(name, listener);
  return {
    signal: abort.signal,
    stop: onSignal,
    onSecond: (action: () => void) => {
      second = action as () => never;
    },
    wait: () =>
      new Promise<void>((resolve) => {
        if (abort.signal.aborted) return resolve();
        abort.signal.addEventListener('abort', () => resolve());
      }),
    close: () => {
      for (const [name, listener] of signals) process.off(name, listener);
    },
  };
}

/** The sample's speed, for the help text. */
export const SAMPLE_SPEED_TEXT = `1 second = ${age(SAMPLE_SPEED * 1000)}`;
