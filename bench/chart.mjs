// The charts of docs/bench, drawn by Vega: checks per second against hand-written code, and each budget with what was
// measured.
import { mkdirSync, writeFileSync } from 'node:fs'
import { machine } from './report.mjs'

const OWN = '#0b6e4f'
const HAND = '#8d99ae'
const PEER = '#c8553d'

/** @param {import('./results.mjs').Results} results */
export async function drawCharts(results, folder) {
  const vega = await import('vega')
  mkdirSync(folder, { recursive: true })
  const draw = async (file, spec) => {
    const view = new vega.View(vega.parse(spec), { renderer: 'none' })
    writeFileSync(new URL(file, folder), `${await view.toSVG()}\n`)
    view.finalize()
  }
  const workloads = [...new Set(results.rows.map((row) => row.workload))]
  if (workloads.length > 0) await draw('checks.svg', checksSpec(results, workloads))
  // Curves have a chart of their own, because an exponent cannot be divided by its budget.
  const judged = results.figures.filter(({ holds, unit }) => holds !== null && unit !== 'exponent')
  if (judged.length > 0) await draw('budgets.svg', budgetsSpec(judged))
}

/** The resident memory of both sides over time, as `npm run soak` samples it. */
export async function drawMemory(samples, file) {
  const vega = await import('vega')
  const lines = [
    { side: 'zerohop pdp', color: OWN, bytes: ({ pdp }) => pdp.resident },
    { side: 'zerohop api', color: PEER, bytes: ({ api }) => api.resident },
    { side: 'zerohop api, without its data file', color: HAND, bytes: ({ api }) => api.own },
  ]
  const values = samples.flatMap((sample) =>
    lines.map(({ side, bytes }) => ({ seconds: sample.seconds, side, mib: bytes(sample) / 2 ** 20 })),
  )
  const { checks, deltas } = samples.at(-1)
  const count = (number) => number.toLocaleString('en-US')
  const line = ({ side, color }) => ({
    type: 'line',
    from: { data: side },
    encode: {
      update: {
        x: { scale: 'x', field: 'seconds' },
        y: { scale: 'y', field: 'mib' },
        stroke: { value: color },
        strokeWidth: { value: 1.5 },
      },
    },
  })
  const of = ({ side }) => ({
    name: side,
    source: 'rows',
    transform: [{ type: 'filter', expr: `datum.side === '${side}'` }],
  })
  const spec = {
    ...sheet(
      `Resident memory over ${count(checks)} checks and ${count(deltas)} deltas (MiB by seconds) · ${machine()}`,
    ),
    width: 700,
    height: 300,
    data: [{ name: 'rows', values }, ...lines.map(of)],
    scales: [
      { name: 'x', type: 'linear', domain: { data: 'rows', field: 'seconds' }, range: 'width' },
      { name: 'y', type: 'linear', domain: { data: 'rows', field: 'mib' }, range: 'height', zero: true, nice: true },
      { name: 'side', type: 'ordinal', domain: lines.map(({ side }) => side), range: lines.map(({ color }) => color) },
    ],
    axes: [
      { orient: 'left', scale: 'y', grid: true },
      { orient: 'bottom', scale: 'x' },
    ],
    legends: [{ stroke: 'side', labelLimit: 300 }],
    marks: lines.map(line),
  }
  const view = new vega.View(vega.parse(spec), { renderer: 'none' })
  writeFileSync(file, `${await view.toSVG()}\n`)
  view.finalize()
}

/** How each curve grows, each beside its own value at the smallest size, so that all have one scale. */
export async function drawCurves(curves, file) {
  const vega = await import('vega')
  const values = curves.flatMap(({ name, most, points }) =>
    points.map(({ facts, value }) => ({ name, facts, growth: value / points[0].value, color: most < 1 ? OWN : HAND })),
  )
  const sizes = curves[0].points.map(({ facts }) => facts)
  const ends = values.filter(({ facts }) => facts === sizes.at(-1)).sort((one, other) => other.growth - one.growth)
  // One label under the other, in the order of the ends of the lines, because many of these lie on one another.
  const labels = ends.map((end, at) => ({ ...end, y: at * 16 }))
  const height = labels.length * 16
  const spec = {
    ...sheet(`Growth by number of facts (1 = at ${sizes[0].toLocaleString('en-US')}, logarithmic) · ${machine()}`),
    width: 420,
    height,
    data: [
      { name: 'rows', values },
      { name: 'labels', values: labels },
    ],
    scales: [
      { name: 'x', type: 'log', domain: [sizes[0], sizes.at(-1)], range: 'width' },
      { name: 'y', type: 'log', domain: { data: 'rows', field: 'growth' }, range: 'height', nice: true },
    ],
    axes: [
      { orient: 'left', scale: 'y', format: '~g', tickCount: 6, grid: true },
      { orient: 'bottom', scale: 'x', values: sizes, format: '~s' },
    ],
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'curve', data: 'rows', groupby: 'name' } },
        marks: [
          {
            type: 'line',
            from: { data: 'curve' },
            encode: {
              update: {
                x: { scale: 'x', field: 'facts' },
                y: { scale: 'y', field: 'growth' },
                stroke: { field: 'color' },
                strokeWidth: { value: 1.5 },
              },
            },
          },
        ],
      },
      {
        type: 'text',
        from: { data: 'labels' },
        encode: {
          update: {
            x: { value: 440 },
            y: { field: 'y' },
            text: { signal: "format(datum.growth, '.3~g') + '× ' + datum.name" },
            fill: { field: 'color' },
            baseline: { value: 'middle' },
            fontSize: { value: 10 },
          },
        },
      },
    ],
  }
  const view = new vega.View(vega.parse(spec), { renderer: 'none' })
  writeFileSync(file, `${await view.toSVG()}\n`)
  view.finalize()
}

function checksSpec(results, workloads) {
  const values = results.rows
    .filter((row) => row.opsPerSecond !== null && row.candidate !== 'bitset floor')
    .map((row) => ({ ...row, color: chooseColor(row.candidate) }))
  return {
    ...sheet(`Checks beside hand-written code (1 = as fast, logarithmic) · ${machine()}`),
    data: [{ name: 'rows', values }],
    layout: { columns: workloads.length, padding: 24, bounds: 'full', align: 'each' },
    marks: workloads.map((workload) => ({
      type: 'group',
      title: { text: workload },
      encode: { update: { width: { value: 300 }, height: { value: 420 } } },
      data: [
        { name: 'own', source: 'rows', transform: [{ type: 'filter', expr: `datum.workload === '${workload}'` }] },
      ],
      scales: [
        { name: 'y', type: 'band', domain: { data: 'own', field: 'candidate' }, range: [0, 420], padding: 0.2 },
        { name: 'x', type: 'log', domain: [1e-5, 100], range: [0, 300] },
      ],
      axes: [
        { orient: 'left', scale: 'y', labelLimit: 300 },
        { orient: 'bottom', scale: 'x', values: [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100], format: '~g', grid: true },
      ],
      marks: [
        {
          type: 'rect',
          from: { data: 'own' },
          encode: {
            update: {
              y: { scale: 'y', field: 'candidate' },
              height: { scale: 'y', band: 1 },
              x: { value: 0 },
              x2: { scale: 'x', field: 'ratioToHandWritten' },
              fill: { field: 'color' },
            },
          },
        },
        valueLabels('own', 'candidate', "format(datum.ratioToHandWritten, '.3~g') + '×'", 'ratioToHandWritten'),
      ],
    })),
  }
}

/** How far each figure is from its budget: 1 is the budget, to the right of it is better. */
function budgetsSpec(figures) {
  const values = figures.map((figure, at) => {
    const bound = Number(figure.budget.replace(/,/g, '').match(/[\d.]+/)[0])
    const held = figure.ratio ?? figure.value
    const reserve = /[≥>]/.test(figure.budget) ? held / bound : bound / Math.max(held, 1e-9)
    const name = `${figure.name}${figure.name.startsWith('W') ? ` beside ${figure.peer}` : ''} (${figure.budget})`
    return {
      id: at,
      name,
      reserve: Math.min(Math.max(reserve, 0.01), 1e6),
      end: Math.max(reserve, 1),
      color: figure.holds ? OWN : PEER,
    }
  })
  const height = values.length * 18
  return {
    ...sheet(`Budgets: how many times better than asked (1 = just held, logarithmic) · ${machine()}`),
    width: 420,
    height,
    data: [{ name: 'rows', values }],
    scales: [
      { name: 'y', type: 'band', domain: { data: 'rows', field: 'name' }, range: [0, height], padding: 0.2 },
      { name: 'x', type: 'log', domain: { data: 'rows', field: 'reserve' }, range: 'width', nice: true },
    ],
    axes: [
      { orient: 'left', scale: 'y', labelLimit: 700 },
      { orient: 'bottom', scale: 'x', format: '~g', tickCount: 6, grid: true },
    ],
    marks: [
      {
        type: 'rect',
        from: { data: 'rows' },
        encode: {
          update: {
            y: { scale: 'y', field: 'name' },
            height: { scale: 'y', band: 1 },
            x: { scale: 'x', value: 1 },
            x2: { scale: 'x', field: 'reserve' },
            fill: { field: 'color' },
          },
        },
      },
      valueLabels('rows', 'name', "format(datum.reserve, ',.3~r') + '×'", 'end'),
    ],
  }
}

function valueLabels(data, band, text, field) {
  return {
    type: 'text',
    from: { data },
    encode: {
      update: {
        y: { scale: 'y', field: band, band: 0.5 },
        x: { scale: 'x', field, offset: 4 },
        text: { signal: text },
        baseline: { value: 'middle' },
        fontSize: { value: 10 },
      },
    },
  }
}

function sheet(title) {
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    background: 'white',
    padding: 16,
    autosize: 'pad',
    title: { text: title, anchor: 'start', fontSize: 13 },
  }
}

function chooseColor(name) {
  if (name.startsWith('zerohop')) return OWN
  return name.startsWith('hand-') ? HAND : PEER
}
