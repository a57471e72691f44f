import { describe, expect, it } from 'vitest';
import { GAUGE_FIELDS, QUEUE_GAUGES } from '../../../src/monitor/index.js';
import { grafanaDashboard } from '../../../tools/src/metrics/grafana.js';
import { prometheusName } from '../../../tools/src/metrics/prometheus.js';

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { readonly query: string } }[];
  };
}

const dashboard = JSON.parse(JSON.stringify(grafanaDashboard())) as Dashboard;
const { panels, templating } = dashboard;
const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const names = GAUGE_FIELDS.map((field) => prometheusName(QUEUE_GAUGES[field]));
const namesIn = (text: string) => text.match(/\bbacklog_\w+/g) ?? [];

describe('the dashboard for Grafana', () => {
  it('shows each gauge in a panel, and no other', () => {
    expect(exprs.flatMap(namesIn).sort()).toEqual([...names].sort());
    const queries = templating.list.map(({ query }) => (typeof query === 'string' ? query : query.query));
    for (const name of queries.flatMap(namesIn)) expect(names).toContain(name);
  });

  it('takes the largest of what several processes report, never their sum', () => {
    for (const expr of exprs) {
      expect(expr).toMatch(/^max by \(table, queue\) \(\w+\{table=~"\$table", queue=~"\$queue"\}\)$/);
    }
  });

  it('uses variables that it has', () => {
    const variables = templating.list.map(({ name }) => name);
    const used = JSON.stringify(dashboard).match(/(?<=\$)[a-z]+/g) ?? [];
    expect([...new Set(used)].sort()).toEqual(variables.sort());
  });

  it('fills rows of 24 columns', () => {
    const rows = [...new Set(panels.map(({ gridPos }) => gridPos.y))];
    const widthOf = (row: number) =>
      panels.reduce((sum, { gridPos: { y, w } }) => sum + (y === row ? w : 0), 0);
    expect(rows.map(widthOf)).toEqual(rows.map(() => 24));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});
