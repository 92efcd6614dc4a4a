// What is made of the table of metrics (src/http/metric-table.ts): the table in docs/operations.md, the dashboard and
// the alert rules under deploy.
import { stringify } from 'yaml'
import type { Alert, MetricFacts, Unit } from '../../src/http/metric-table/metric-facts.ts'
import { METRICS, metricFacts } from '../../src/http/metric-table.ts'

type Name = keyof typeof METRICS
export const metricNames = Object.keys(METRICS) as Name[]
const all = metricNames.map((name) => [name, metricFacts(name)] as const)
const isOfEnvironment = (name: string): boolean => name.startsWith('zerohop_environment_')

const BEGIN = '| metric | where | what | alert |\n|---|---|---|---|\n'

/** The page with the table as it should be. */
export function withMetricTable(page: string): string {
  const start = page.indexOf('| metric | where |')
  const end = page.indexOf('\n\n', start)
  if (start < 0 || end < 0) throw new Error('docs/operations.md has no table that begins with `| metric | where |`')
  const rows = all.map(([name, { where, type, help, more, alert, labels = [] }]) => {
    const shown = [...(isOfEnvironment(name) ? ['environment'] : []), ...labels]
    const named = shown.length === 0 ? `\`${name}\`` : `\`${name}{${shown.join(',')}}\``
    const what = `${type}: ${help.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase()).slice(0, -1)}${more === undefined ? '' : `. ${more}`}`
    return `| ${named} | ${where} | ${what} | ${alert === undefined ? '–' : `\`Zerohop${alert.name}\``} |`
  })
  return `${page.slice(0, start)}${BEGIN}${rows.join('\n')}${page.slice(end)}`
}

/** The only alert that is not about a metric of the server: it does not answer Prometheus. */
const DOWN: Alert = {
  name: 'Down',
  severity: 'critical',
  when: 'up{job=~"zerohop.*"} == 0',
  for: '1m',
  summary: '{{ $labels.instance }} does not answer Prometheus.',
  action: 'See whether the process runs, and whether the token of the scraper is right.',
}

/** Every alert. */
export const alerts: readonly Alert[] = [DOWN, ...all.flatMap(([, { alert }]) => alert ?? [])]

/** deploy/prometheus/zerohop.rules.yml */
export function alertRules(): string {
  const rules = alerts.map(({ name, severity, when, for: pending, summary, action }) => ({
    alert: `Zerohop${name}`,
    expr: when,
    for: pending,
    labels: { severity },
    annotations: { summary, description: action },
  }))
  const head =
    '# Alerts of Zerohop, made from src/http/metric-table.ts. The job of the scraper is named `zerohop…`.\n' +
    '# promtool check rules zerohop.rules.yml\n'
  return head + stringify({ groups: [{ name: 'zerohop', rules }] }, { lineWidth: 0 })
}

const WIDTH = 8
const HEIGHT = 7
const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

interface Target {
  readonly expr: string
  readonly legendFormat: string
}

/** Rows of the dashboard, by where their metrics are shown. */
const ROWS: readonly (readonly [title: string, shows: (name: Name, facts: MetricFacts) => boolean])[] = [
  ['Every server', (_, { where }) => where === 'both'],
  ['Management API', (_, { where }) => where === 'API' || where === 'API with a data folder'],
  ['Replicas', (_, { where }) => where === 'API of a replica'],
  ['PDPs', (_, { where }) => ['PDP', '`zerohop pdp`', 'PDP of `serve`'].includes(where)],
  ['Single environments (scraped with an API key)', (name) => isOfEnvironment(name)],
]

/** deploy/grafana/zerohop.json */
export function dashboard(): string {
  const panels: object[] = []
  let y = 0
  for (const [title, shows] of ROWS) {
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: { h: 1, w: 24, x: 0, y: y++ } })
    const shown = all.filter(([name, facts]) => shows(name, facts))
    for (const [at, [name, facts]] of shown.entries()) {
      const gridPos = { h: HEIGHT, w: WIDTH, x: (at % 3) * WIDTH, y: y + Math.floor(at / 3) * HEIGHT }
      panels.push({ id: panels.length + 1, ...makePanel(name, facts), gridPos })
    }
    y += Math.ceil(shown.length / 3) * HEIGHT
  }
  const variable = (name: string, label: string, query: object) => ({ name, label, ...query })
  const instances = 'label_values(process_resident_memory_bytes{job=~"zerohop.*"}, instance)'
  const board = {
    title: 'Zerohop',
    uid: 'zerohop',
    tags: ['zerohop'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        variable('datasource', 'Data source', { type: 'datasource', query: 'prometheus' }),
        variable('instance', 'Server', {
          type: 'query',
          datasource: DATASOURCE,
          query: { query: instances, refId: 'A' },
          refresh: 2,
          includeAll: true,
          multi: true,
          allValue: '.*',
        }),
      ],
    },
    panels,
  }
  return `${JSON.stringify(board, null, 2)}\n`
}

/** A panel of a metric: rates of what only grows, percentiles of a histogram, and other values as they are. */
function makePanel(name: Name, facts: MetricFacts): object {
  const { type, help, more, unit } = facts
  const isTime = unit === 'dateTimeFromNow'
  return {
    type: isTime ? 'stat' : 'timeseries',
    title: formatTitle(name, facts),
    description: more === undefined ? help : `${help} ${more.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')}`,
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit: toPanelUnit(type, unit), min: isTime ? undefined : 0 }, overrides: [] },
    targets: listTargets(name, facts).map((target, at) => ({ refId: 'ABC'[at], datasource: DATASOURCE, ...target })),
  }
}

function formatTitle(name: Name, { type, unit }: MetricFacts): string {
  const words = name.replace(/^zerohop_/, '').replace(/_(timestamp_seconds|seconds|bytes|total|ratio)$/, '')
  const title = words.replaceAll('_', ' ').replace(/\b(pdps?|cpu|http)\b/gi, (word) => ABBREVIATIONS[word] ?? word)
  const perSecond = type === 'counter' && unit !== 's' ? ' per second' : ''
  return title.slice(0, 1).toUpperCase() + title.slice(1) + perSecond
}

const ABBREVIATIONS: Readonly<Record<string, string>> = { pdp: 'PDP', pdps: 'PDPs', cpu: 'CPU', http: 'HTTP' }

const toPanelUnit = (type: MetricFacts['type'], unit: Unit): string => {
  if (type === 'counter') return unit === 's' ? 'percentunit' : 'ops'
  return unit === 'bool' ? 'short' : unit
}

function listTargets(name: Name, { type, labels = [], unit }: MetricFacts): Target[] {
  const by = ['instance', ...(isOfEnvironment(name) ? ['environment'] : []), ...labels]
  const legendFormat = by.map((label) => `{{${label}}}`).join(' ')
  const of = (metric: string): string => `${metric}{instance=~"$instance"}`
  if (type === 'histogram')
    return [0.5, 0.99].map((part) => ({
      expr: `histogram_quantile(${part}, sum by (instance, le) (rate(${of(`${name}_bucket`)}[$__rate_interval])))`,
      legendFormat: `{{instance}} p${part * 100}`,
    }))
  if (type === 'counter')
    return [{ expr: `sum by (${by.join(', ')}) (rate(${of(name)}[$__rate_interval]))`, legendFormat }]
  return [{ expr: unit === 'dateTimeFromNow' ? `${of(name)} * 1000` : of(name), legendFormat }]
}
