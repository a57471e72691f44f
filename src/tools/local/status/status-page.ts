import { html } from 'hono/html';
import { age } from '../../../duration.js';
import { type LocalServer, localApp, serveLocally } from '../local-server.js';
import type { RuntimeStatus } from './status.js';

/** `/` for people and `/status.json` for programs, for this machine only. */
export async function startStatusPage(
  port: number,
  status: () => RuntimeStatus | undefined,
): Promise<LocalServer> {
  const app = localApp();
  app.get('/status.json', (context) => {
    const current = status();
    return current ? context.json(current) : context.json({ starting: true }, 503);
  });
  app.get('/', (context) => {
    const current = status();
    return context.html(current ? page(current) : starting());
  });
  const { url, stop } = await serveLocally(app, port);
  return { url: `${url}/`, stop };
}

const STYLE = `
  :root { color-scheme: light dark }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin-top: 2rem }
  table { border-collapse: collapse; width: 100% }
  th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #8884; vertical-align: top }
  .n { text-align: right; font-variant-numeric: tabular-nums } .bad { color: #c33 } .dim { opacity: .65 }
  code { font-size: .9em }`;

function starting() {
  return html`<!doctype html><meta http-equiv="refresh" content="1"><title>backlog</title><p>The runtime is starting …</p>`;
}

function page(status: RuntimeStatus) {
  const { queues, rules, runs, notices, sample, deliverTo } = status;
  const now = Date.parse(status.now);
  const until = (time: string | undefined) => (time ? `in ${age(Date.parse(time) - now)}` : '–');
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>backlog: local runtime</title><style>${STYLE}</style></head><body>
<h1>dynamo-backlog, local runtime</h1>
<p>${status.now} <span class="dim">(speed ${status.speed})</span><br>
DynamoDB <code>${status.endpoint}</code>, table ${status.tables.join(', ')}<br>
${deliverTo ? html`delivers to <code>${deliverTo}</code>` : html`<b class="bad">delivers nowhere: no URL was given, the app's rules are disabled</b>`}
${sample?.erp ? html`<br>sample ERP: ${sample.erp.up ? 'up' : html`<b class="bad">down</b>`}, for another ${sample.erp.changesInSeconds} s` : ''}</p>
<h2>Queues</h2>
<table><tr><th>queue</th><th>retries</th><th class="n">NEW</th><th class="n">ERROR</th><th class="n">SUCCESS</th><th class="n">DEAD</th><th>next run</th></tr>
${queues.map((queue) => html`<tr><td>${queue.name}</td><td>${queue.policy ?? 'no such queue in the app'}</td><td class="n">${queue.NEW}</td><td class="n">${queue.ERROR}</td><td class="n">${queue.SUCCESS}</td><td class="n">${queue.DEAD}</td><td>${until(queue.nextRunAt)}</td></tr>`)}</table>
<h2>Runs that did something</h2>
<table>${[...runs]
    .reverse()
    .slice(0, 15)
    .map(
      (run) =>
        html`<tr><td class="dim">${run.at.slice(0, 19).replace('T', ' ')}</td><td>${run.label}</td><td class="${run.outcome === 'ok' ? '' : 'bad'}">${run.text}</td></tr>`,
    )}</table>
<h2>Rules</h2>
<table><tr><th>rule</th><th>schedule</th><th>next</th><th class="n">fired</th><th class="n">late</th><th class="n">failed</th><th class="n">given up</th></tr>
${rules.map((rule) => html`<tr><td>${rule.label}</td><td><code>${rule.expression}</code>${rule.timeZone === undefined ? '' : ` ${rule.timeZone}`}</td><td>${rule.enabled ? until(rule.nextAt) : 'disabled'}</td><td class="n">${rule.fired}</td><td class="n">${rule.late}</td><td class="n">${rule.failed}</td><td class="n">${rule.givenUp}</td></tr>`)}</table>
${notices.length > 0 ? html`<h2>Warnings</h2><ul>${notices.map((notice) => html`<li>${notice.functionName}: ${notice.text}</li>`)}</ul>` : ''}
<p class="dim"><a href="/status.json">status.json</a> · logs in <code>${status.logs}</code></p>
</body></html>`;
}
