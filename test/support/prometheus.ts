// A strict reader of the text form of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats):
// whatever a scraper would refuse, or take for something else, is an error here.
import { equal, match, ok } from 'node:assert/strict'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: Sample[]
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
}

/** The families by name. @throws AssertionError */
export function parseMetrics(text: string): Map<string, Family> {
  ok(text.endsWith('\n'), 'the last line ends')
  const families = new Map<string, Family>()
  const series = new Set<string>()
  let helped: [name: string, help: string] = ['', '']
  let current = ''
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') helped = [name, rest]
    else if (kind === 'TYPE') {
      match(name, NAME)
      equal(helped[0], name, `${name} has its help just before its type`)
      ok(!families.has(name), `${name} is one family, in one place`)
      ok(rest in SUFFIXES, `${name} is a ${rest}`)
      families.set(name, { type: rest, help: helped[1], samples: [] })
      current = name
    } else {
      const sample = parseSample(line)
      const family = families.get(current)
      ok(family !== undefined, `a type comes before ${line}`)
      ok(
        SUFFIXES[family.type]?.some((suffix) => sample.name === current + suffix),
        `${sample.name} stands in ${current}`,
      )
      const id = JSON.stringify([sample.name, Object.entries(sample.labels).sort()])
      ok(!series.has(id), `${line} is said once`)
      series.add(id)
      family.samples.push(sample)
    }
  }
  for (const [name, family] of families) checkFamily(name, family)
  return families
}

function parseSample(line: string): Sample {
  const [, name = '', , labelText = '', value = ''] = /^([^{\s]+)(\{(.*)\})? (\S+)$/.exec(line) ?? []
  match(name, NAME, line)
  match(value, /^([+-]?Inf|NaN|[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i, line)
  const labels: Record<string, string> = {}
  let at = 0
  while (at < labelText.length) {
    LABEL.lastIndex = at
    const found = LABEL.exec(labelText)
    ok(found !== null, `labels of ${line}`)
    labels[found[1]!] = found[2]!
    at = LABEL.lastIndex
  }
  return { name, labels, value: Number(value.replace(/Inf$/i, 'Infinity')) }
}

function checkFamily(name: string, { type, help, samples }: Family): void {
  ok(help.length > 0, `${name} has a help`)
  for (const { value } of samples) ok(!Number.isNaN(value), `${name} is a number`)
  equal(type === 'counter', name.endsWith('_total'), `only a counter ends in _total: ${name}`)
  if (type === 'counter') for (const { value } of samples) ok(value >= 0, `${name} only grows`)
  if (type !== 'histogram') return
  const groups = new Map<string, Sample[]>()
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    groups.set(key, [...(groups.get(key) ?? []), sample])
  }
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name.endsWith('_bucket'))
    const bounds = buckets.map(({ labels }) => Number((labels.le ?? '').replace('+Inf', 'Infinity')))
    const counts = buckets.map(({ value }) => value)
    ok(
      bounds.every((bound, at) => at === 0 || bound > bounds[at - 1]!),
      `bounds of ${name} grow`,
    )
    ok(
      counts.every((count, at) => at === 0 || count >= counts[at - 1]!),
      `counts of ${name} grow`,
    )
    equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${name} has a bucket for everything`)
    const findValue = (suffix: string) => group.find((sample) => sample.name === name + suffix)?.value
    equal(counts.at(-1), findValue('_count'), `the last bucket of ${name} is the count`)
    ok((findValue('_sum') ?? -1) >= 0, `${name} has a sum`)
  }
}
