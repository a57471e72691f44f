/** The data of the thread. */
interface ThreadData {
  readonly shared: Int32Array;
  readonly port: import('node:worker_threads').MessagePort;
}

/**
 * The watchdog's thread. It runs from its text, as a function is one bundled file: it names nothing outside of itself, and has no
 * function within. It counts the seconds in which it woke up and saw no beat. So a process that was frozen, and with it this
 * thread, is not taken for blocked: it wakes up once.
 *
 * The main thread cannot write a line while it is blocked, and neither can `console` of a thread, which goes through it.
 */
function thread(): void {
  const { getBuiltinModule, pid } = process;
  const { receiveMessageOnPort, workerData } = getBuiltinModule('node:worker_threads');
  const { shared, port }: ThreadData = workerData;
  const [BEATS, LIMIT, NEVER] = [0, 1, 2];
  let names = {};
  let seen = 0;
  let seconds = 0;
  for (;;) {
    if (Atomics.load(shared, LIMIT) === 0) {
      seconds = 0;
      Atomics.wait(shared, LIMIT, 0);
    }
    Atomics.wait(shared, NEVER, 0, 1000);
    for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) names = got.message;
    const beats = Atomics.load(shared, BEATS);
    const limit = Atomics.load(shared, LIMIT);
    seconds = beats === seen && limit > 0 ? seconds + 1 : 0;
    seen = beats;
    if (limit === 0 || seconds < limit) continue;
    const line = {
      level: 'ERROR',
      message: 'the event loop is blocked, and no time limit can end the attempt: the process ends itself',
      timestamp: new Date().toISOString(),
      ...names,
      blockedSeconds: seconds,
    };
    try {
      getBuiltinModule('node:fs').writeSync(1, `${JSON.stringify(line)}\n`);
    } catch {
      // A full pipe must not keep the process.
    }
    process.kill(pid, 'SIGKILL');
    // Still here: the kernel keeps signals, this one too, from the first process of a container. None survives a trap of its own.
    getBuiltinModule('node:v8').setFlagsFromString('--allow-natives-syntax');
    new Function('%SystemBreak()')();
  }
}

/** The code of the watchdog's thread. */
export const THREAD = `(${thread})()`;
