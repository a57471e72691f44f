import { type GaugeValues, QUEUE_GAUGES } from 'dynamo-backlog/engine';
import { prometheusName } from './prometheus.js';

/** A panel of the dashboard. The widths of a row are 24 together. */
interface Panel {
  readonly gauge: keyof GaugeValues;
  readonly title: string;
  readonly width: number;
  /** Values from which the line is orange, and red. */
  readonly limits?: { readonly orange: number; readonly red: number } | undefined;
  readonly isState?: true | undefined;
}

const PANELS: readonly Panel[] = [
  { gauge: 'failing', title: 'Failing without recovery', width: 12, limits: { orange: 1, red: 600 } },
  { gauge: 'oldestDueAge', title: 'Oldest due record', width: 12, limits: { orange: 180, red: 900 } },
  { gauge: 'waiting', title: 'Waiting', width: 8 },
  { gauge: 'inRetry', title: 'In retry', width: 8 },
  { gauge: 'dead', title: 'Dead', width: 8, limits: { orange: 1, red: 100 } },
  { gauge: 'paused', title: 'Paused', width: 12, isState: true },
  { gauge: 'readingAge', title: 'Age of the counts', width: 12, limits: { orange: 900, red: 10_800 } },
];
const HEIGHT = 8;
const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

/** A dashboard for Grafana 10 and later, with a panel for each gauge. It is imported as it is. */
export function grafanaDashboard(): object {
  let right = 0;
  let row = -1;
  const panels = PANELS.map((panel, i) => {
    if (right % COLUMNS === 0) row++;
    const gridPos = { h: HEIGHT, w: panel.width, x: right % COLUMNS, y: row * HEIGHT };
    right += panel.width;
    return { id: i + 1, gridPos, ...panelOf(panel) };
  });
  return {
    uid: 'dynamo-backlog',
    title: 'Backlog',
    description: 'Queues of dynamo-backlog',
    tags: ['dynamo-backlog'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: variables() },
    panels,
  };
}

function panelOf({ gauge, title, limits, isState }: Panel): object {
  const { unit, description } = QUEUE_GAUGES[gauge];
  const name = prometheusName(QUEUE_GAUGES[gauge]);
  const steps = [
    { color: 'green', value: null },
    ...(limits
      ? [
          { color: 'orange', value: limits.orange },
          { color: 'red', value: limits.red },
        ]
      : []),
  ];
  const custom = {
    lineWidth: 2,
    fillOpacity: 10,
    ...(limits ? { thresholdsStyle: { mode: 'dashed' } } : {}),
  };
  const states = { 0: { text: 'runs', color: 'green' }, 1: { text: 'paused', color: 'orange' } };
  return {
    title,
    description,
    type: isState ? 'state-timeline' : 'timeseries',
    datasource: DATASOURCE,
    // Each process of a queue reports it: a sum would count its records several times.
    targets: [
      {
        refId: 'A',
        datasource: DATASOURCE,
        expr: `max by (table, queue) (${name}{table=~"$table", queue=~"$queue"})`,
        legendFormat: '{{queue}}',
      },
    ],
    fieldConfig: {
      defaults: {
        unit: unit === 's' ? 's' : 'short',
        min: 0,
        thresholds: { mode: 'absolute', steps },
        custom: isState ? {} : custom,
        mappings: isState ? [{ type: 'value', options: states }] : [],
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}

function variables(): object[] {
  // The one gauge that every queue has which could be read.
  const known = prometheusName(QUEUE_GAUGES.paused);
  const label = (name: string, text: string, query: string) => ({
    name,
    label: text,
    type: 'query',
    datasource: DATASOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
  });
  return [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {} },
    label('table', 'Table', `label_values(${known}, table)`),
    label('queue', 'Queue', `label_values(${known}{table=~"$table"}, queue)`),
  ];
}
