/**
 * The code of the watchdog's thread, as text: a function is one bundled file. It counts the seconds in which it woke up and saw no
 * beat. So a process that was frozen, and with it this thread, is not taken for blocked: it wakes up once.
 *
 * The main thread cannot write a line while it is blocked, and neither can `console` of a thread, which goes through it.
 */
export const THREAD = `
const { receiveMessageOnPort, workerData: { shared, port } } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
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
  for (let got; (got = receiveMessageOnPort(port)); ) names = got.message;
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
    writeSync(1, JSON.stringify(line) + '\\n');
  } catch {
    // A full pipe must not keep the process.
  }
  process.kill(process.pid, 'SIGKILL');
  // Still here: the kernel keeps signals, this one too, from the first process of a container. No process survives a trap of its own.
  setFlagsFromString('--allow-natives-syntax');
  new Function('%SystemBreak()')();
}
`;
