// What is made of the table of metrics is up to date, names only metrics that servers show, and its alerts fire when
// they should. ZEROHOP_WRITE_DOCS=1 writes docs/operations.md, the dashboard and the rules.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { METRICS } from '../src/http/metric-table.ts'
import { ALERT_CASES } from './support/alert-cases.ts'
import { temporaryFolder } from './support/folders.ts'
import { alertRules, alerts, dashboard, metricNames, withMetricTable } from './support/metric-docs.ts'
import { promtool } from './support/promtool.ts'
import { ROOT } from './tidy/source.ts'

const RULES = 'deploy/prometheus/zerohop.rules.yml'
const DASHBOARD = 'deploy/grafana/zerohop.json'
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const MADE = [
  ['docs/operations.md', withMetricTable(read('docs/operations.md'))],
  [RULES, alertRules()],
  [DASHBOARD, dashboard()],
] as const
// here, because the other tests read them
if (process.env.ZEROHOP_WRITE_DOCS === '1') for (const [path, made] of MADE) writeFileSync(join(ROOT, path), made)

it.each(MADE)('%s is what the table of metrics makes', (path, made) => {
  const found = read(path)
  if (path.endsWith('.json')) expect(JSON.parse(found)).toEqual(JSON.parse(made))
  else expect(found).toBe(made)
})

/** The metrics that an expression names. */
const namedIn = (expression: string): string[] =>
  [...expression.replaceAll(/\{[^}]*\}|\[[^\]]*\]|\b(by|on)\s*\([^)]*\)/g, ' ').matchAll(/\b[a-z]+_[a-z_\d]+\b/g)]
    .map(([name]) => name)
    .filter((name) => name !== 'histogram_quantile')
    .map((name) => (Object.hasOwn(METRICS, name) ? name : name.replace(/_(bucket|sum|count)$/, '')))

describe(DASHBOARD, () => {
  interface Panel {
    readonly id: number
    readonly type: string
    readonly targets?: readonly { readonly expr: string }[]
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  }
  const { panels } = JSON.parse(read(DASHBOARD)) as { readonly panels: readonly Panel[] }

  it('has a panel for each metric that servers show, and asks for no other', () => {
    const asked = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namedIn(expr)))
    expect([...new Set(asked)].sort()).toEqual([...metricNames].sort())
  })

  it('has panels that do not overlap', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })
})

describe(RULES, () => {
  it('names only metrics that servers show, and each alert has a case', () => {
    const named = alerts.flatMap(({ when }) => namedIn(when))
    expect(named.filter((name) => !Object.hasOwn(METRICS, name))).toEqual([])
    expect(alerts.map(({ name }) => name).sort()).toEqual(Object.keys(ALERT_CASES).sort())
  })

  // `node scripts/build-promtool.mjs` builds it where there is Go
  it.skipIf(promtool === undefined)('has alerts that fire when they should, and only then: promtool', () => {
    const folder = temporaryFolder('promtool')
    writeFileSync(join(folder, 'zerohop.rules.yml'), read(RULES))
    const { groups } = parse(read(RULES)) as {
      readonly groups: readonly { readonly rules: readonly { alert: string; labels: object; annotations: object }[] }[]
    }
    const rules = new Map(groups.flatMap(({ rules }) => rules).map((rule) => [rule.alert, rule]))
    const tests = alerts.flatMap(({ name }) => {
      const { labels, annotations } = rules.get(`Zerohop${name}`) ?? { labels: {}, annotations: {} }
      const extra = name === 'Down' ? { job: 'zerohop-pdp' } : {}
      const expectedAnnotations = Object.entries(annotations).map(([key, text]) => [
        key,
        String(text).replaceAll('{{ $labels.instance }}', 'a'),
      ])
      const alarm = {
        exp_labels: { instance: 'a', ...extra, ...labels },
        exp_annotations: Object.fromEntries(expectedAnnotations),
      }
      return (['fires', 'quiet'] as const).map((kind) => ({
        name: `${name} ${kind}`,
        interval: '1m',
        input_series: Object.entries(ALERT_CASES[name]?.[kind] ?? {}).map(([series, values]) => ({ series, values })),
        alert_rule_test: [
          {
            eval_time: name === 'BackupOld' ? '70m' : '30m',
            alertname: `Zerohop${name}`,
            exp_alerts: kind === 'fires' ? [alarm] : [],
          },
        ],
      }))
    })
    const file = join(folder, 'tests.yml')
    writeFileSync(file, stringify({ rule_files: ['zerohop.rules.yml'], evaluation_interval: '1m', tests }))
    const { status, stdout, stderr } = spawnSync(promtool ?? '', ['test', 'rules', file], { encoding: 'utf8' })
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') })
  })
})
