import type { GaugeReader } from 'dynamo-backlog/engine';
import { CONTENT_TYPE, prometheusText } from '../metrics/prometheus.js';
import { type Address, serve, type WorkServer } from './http-server.js';

/** Answer while the worker has not read which queues it serves, and while no queue can be read: no sample is better than 0. */
const UNAVAILABLE = 503;

/**
 * Serves `/metrics` for Prometheus.
 *
 * @param gauges undefined: the worker has not started yet
 */
export function serveMetrics(
  at: Address,
  gauges: () => Pick<GaugeReader, 'read'> | undefined,
): Promise<WorkServer> {
  return serve(at, async (request, response) => {
    const [pathname] = (request.url ?? '/').split('?');
    const plain = (status: number, text: string) =>
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
    if (pathname !== '/metrics') return plain(404, 'GET /metrics');
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'GET /metrics');
    const reader = gauges();
    if (!reader) return plain(UNAVAILABLE, 'the worker is starting');
    try {
      const text = prometheusText(await reader.read());
      return response.writeHead(200, { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' }).end(text);
    } catch {
      // The reason may name tables and accounts: it is in the log.
      return plain(UNAVAILABLE, 'DynamoDB does not answer; see the log');
    }
  });
}
