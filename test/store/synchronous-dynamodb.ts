import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** What a client of DynamoDB is made with. */
export interface ClientConfig {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * DynamoDB for code that cannot wait for a promise: another thread sends the request, and this one stands still until
 * the answer has come.
 */
export class SynchronousDynamoDb {
  private readonly flag = new Int32Array(new SharedArrayBuffer(4));
  private readonly channel = new MessageChannel();
  private readonly worker: Worker;

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
    Atomics.store(this.flag, 0, 0);
    this.worker.postMessage({ command, input });
    Atomics.wait(this.flag, 0, 0, 30_000);
    const received = receiveMessageOnPort(this.channel.port1) as
      | { readonly message: { readonly answer?: Record<string, unknown>; readonly error?: string } }
      | undefined;
    const { answer, error } = received?.message ?? { error: `${command}: no answer within 30 seconds` };
    if (!answer) throw new Error(error);
    return answer;
  }
}
