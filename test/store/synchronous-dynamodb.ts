import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** Options of a client of DynamoDB. */
export interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

interface Answer {
  readonly number: number;
  readonly answer?: Record<string, unknown>;
  readonly error?: string;
}

const ANSWER_MS = 30_000;

/**
 * DynamoDB for code that cannot wait for a promise: another thread sends the request, and this one is blocked until the
 * answer has come.
 */
export class SynchronousDynamoDb {
  private readonly flag = new Int32Array(new SharedArrayBuffer(4));
  private readonly channel = new MessageChannel();
  private readonly worker: Worker;
  private requests = 0;

  constructor(config: ClientConfig) {
    const { port1, port2 } = this.channel;
    this.worker = new Worker(new URL('./fixtures/synchronous-worker.mjs', import.meta.url), {
      workerData: { port: port2, signal: this.flag.buffer, config },
      transferList: [port2],
    });
    // Neither keeps the process from ending.
    this.worker.unref();
    port1.unref();
  }

  /**
   * @param command its name without the ending `Command`
   * @throws what DynamoDB answers
   */
  send(command: string, input: object): Record<string, unknown> {
    const number = ++this.requests;
    const until = performance.now() + ANSWER_MS;
    this.worker.postMessage({ number, command, input });
    // The other thread may wake this one late, for the answer before: then it waits on.
    for (let last = Atomics.load(this.flag, 0); last !== number; last = Atomics.load(this.flag, 0)) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw new Error(`${command}: no answer within ${ANSWER_MS / 1000} seconds`);
      Atomics.wait(this.flag, 0, last, leftMs);
    }
    const { answer, error } = this.received(number);
    if (!answer) throw new Error(error);
    return answer;
  }

  /** Answers that came too late are left behind. */
  private received(number: number): Answer {
    for (;;) {
      const received = receiveMessageOnPort(this.channel.port1) as { readonly message: Answer } | undefined;
      if (!received) throw new Error(`the answer ${number} is not there`);
      if (received.message.number === number) return received.message;
    }
  }
}
