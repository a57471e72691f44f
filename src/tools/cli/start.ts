import { age } from '../../duration.js';
import { ConfigurationError } from '../../errors.js';
import type { ReloadNews } from '../local/reload/news.js';
import type { LocalRuntime } from '../local/runtime.js';
import type { RunReport } from '../local/status/run-report.js';
import { plainChanges } from './diff/plain-changes.js';
import {
  APP_PACKAGES,
  EMBEDDED_PACKAGES,
  RUNTIME_PACKAGES,
  requirePackages,
  STREAMS_PACKAGES,
} from './optional-packages.js';
import { EXIT, type ExitCode, hasColors, type Output } from './output.js';
import { painter } from './paint.js';
import { plainCounts, plainReload, plainRun, summary } from './plain.js';
import { loadRedact } from './redact-module.js';
import { Screen } from './screen.js';
import { banner, renderView } from './view.js';

export interface StartFlags {
  readonly app?: string | undefined;
  readonly dynamodbPort: number;
  readonly dynamodbEndpoint?: string | undefined;
  readonly port: number;
  readonly dataDir?: string | undefined;
  readonly speed?: number | undefined;
  readonly deliverTo?: string | undefined;
  readonly secrets?: string | undefined;
  readonly sample: boolean;
  /** Default: on a terminal, with `app`. */
  readonly watch?: boolean | undefined;
  /** The file of a module that says what the console shows of a payload. */
  readonly redact?: string | undefined;
  /** In the backlog's time, milliseconds. */
  readonly for?: number | undefined;
}

/** The first tick of a per-minute rule should be seen at once, when a user only looks. */
const SAMPLE_SPEED = 60;
const REDRAW_MS = 250;
const PLAIN_COUNTS_MS = 10_000;

/** `backlog start`: runs until it is stopped, or until the time given by `--for` has passed. */
export async function start(flags: StartFlags, output: Output): Promise<ExitCode> {
  requirePackages('backlog start', {
    ...(flags.dynamodbEndpoint === undefined ? EMBEDDED_PACKAGES : STREAMS_PACKAGES),
    ...RUNTIME_PACKAGES,
    ...(flags.app === undefined ? APP_PACKAGES : {}),
  });
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
  const live = process.stdout.isTTY === true && process.env.TERM !== 'dumb';
  const stopping = listenForStop();
  const begun = { runtime: undefined as LocalRuntime | undefined };
  try {
    output.message(
      sample
        ? 'A small shop is about to send orders to an ERP that is down for a while and rejects some permanently.'
        : 'starting ...',
    );
    const { startRuntime } = await import('../local/runtime.js');
    const runtime = await startRuntime({
      ...flags,
      redact,
      sample,
      speed,
      watch: flags.watch ?? (live && flags.app !== undefined),
      describeChanges: plainChanges,
      signal: stopping.signal,
      onProgress: (step) => output.message(`${step} ...`),
      ...(live ? {} : plainCallbacks(output)),
    });
    begun.runtime = runtime;
    stopping.onSecond(() => runtime.hurry());
    const show = live ? showLive(runtime) : showPlain(runtime, output);
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
    if (stopping.signal.aborted && error instanceof ConfigurationError && !begun.runtime) return EXIT.ok;
    throw error;
  } finally {
    stopping.close();
  }
}

async function stop(runtime: LocalRuntime, output: Output) {
  output.message('stopping: what runs may finish (Ctrl-C again to stop at once) ...');
  await runtime.stop();
  return runtime.status();
}

function plainCallbacks(output: Output) {
  return {
    onRun: (run: RunReport) => {
      if (!run.idle) output.data(plainRun(run));
    },
    onNotice: ({ functionName, level, text }: { functionName: string; level: string; text: string }) =>
      output.message(`${level} ${functionName}: ${text}`),
    onReload: (news: ReloadNews) => {
      for (const line of plainReload(news)) output.message(line);
    },
  };
}

function showPlain(runtime: LocalRuntime, output: Output): { stop(): void } {
  for (const line of banner(runtime.status(), painter(false))) output.data(line);
  let last = '';
  const timer = setInterval(() => {
    const line = plainCounts(runtime.status());
    // Without the time: the same counts again say nothing.
    if (line.slice(20) !== last) output.data(line);
    last = line.slice(20);
  }, PLAIN_COUNTS_MS);
  return { stop: () => clearInterval(timer) };
}

function showLive(runtime: LocalRuntime): { stop(): void } {
  const screen = new Screen(process.stdout);
  const paint = painter(hasColors(process.stdout));
  const draw = () => screen.draw(renderView(runtime.status(), screen.size, paint));
  draw();
  const timer = setInterval(draw, REDRAW_MS);
  // Whatever ends the process, the cursor comes back.
  const restore = () => screen.close();
  process.once('exit', restore);
  return {
    stop: () => {
      clearInterval(timer);
      draw();
      screen.close();
      process.off('exit', restore);
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
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: abort.signal,
    onSecond: (action: () => void) => {
      second = action as () => never;
    },
    wait: () =>
      new Promise<void>((resolve) => {
        if (abort.signal.aborted) return resolve();
        abort.signal.addEventListener('abort', () => resolve());
      }),
    close: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}

/** For the help text. */
export const SAMPLE_SPEED_TEXT = `1 second = ${age(SAMPLE_SPEED * 1000)}`;
