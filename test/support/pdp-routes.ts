// The routes of PDP servers as a product of states × routes (states.ts): those that are registered, with good questions.
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { Journal } from '../../src/decision-log/journal.ts'
import { Recorder } from '../../src/decision-log/recorder.ts'
import { containedErrors } from '../../src/model/contained.ts'
import { temporaryFolder } from './folders.ts'
import { parseMetrics } from './prometheus.ts'
import { GATEWAY_HEADERS, QUESTIONS, SHORT_QUESTIONS } from './questions.ts'
import { fill } from './routes.ts'
import type { Expected, Product, ProductRoute } from './states.ts'

/** Parameters of paths, by the segment before. */
const REFS: Readonly<Record<string, string>> = { users: 'ana', roles: 'admin', 'by-name': 'admin' }

/** @param apps by name; the one with the metrics of all is `pdp` */
export function makeProduct(apps: Readonly<Record<string, FastifyInstance>>, key: string): Product {
  const routes = Object.entries(apps).flatMap(([server, app]) => {
    const listMethods = (wanted: string) => app.noted.filter(({ url }) => url === wanted).map(({ method }) => method)
    // where every method is answered alike, one of them is asked
    const noted = app.noted.filter(
      ({ method, url }) => method !== 'HEAD' && (listMethods(url).length < 4 || method === 'POST'),
    )
    return noted.map(({ method, url, config }): ProductRoute => {
      const good = method === 'POST' ? (QUESTIONS[url] ?? {}) : undefined
      const path = fill(url.replace('*', 'x'), ({ kind }) => REFS[kind ?? ''] ?? 'x')
      const headers = method === 'POST' ? { ...GATEWAY_HEADERS, 'content-type': 'application/json' } : {}
      const short = SHORT_QUESTIONS[url]
      return { server, method, url, path, good, headers, config, ...(short ? { short } : {}) }
    })
  })
  let looks = 0
  return {
    routes,
    key,
    ask: async ({ server, method, path }, body, headers) => {
      const { port } = apps[server]!.server.address() as { port: number }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers,
        redirect: 'manual',
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
    },
    counted: async () => {
      const { body } = await apps.pdp!.inject('/metrics')
      const families = parseMetrics(body)
      const sum = (name: string, labels: Record<string, string> = {}) =>
        families
          .get(name)!
          .samples.filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
          .reduce((all, { value }) => all + value, 0)
      return {
        requests: sum('zerohop_http_requests_total') - looks++, // a look counts itself after it
        contained: containedErrors(),
        undecided: sum('zerohop_checks_total', { outcome: 'undecided' }),
        refused: sum('zerohop_checks_total', { outcome: 'refused' }),
      }
    },
    messageOf: ({ url }, { text }) => {
      if (url.startsWith('/access/')) return text
      try {
        return (JSON.parse(text) as { detail?: string }).detail
      } catch {
        return undefined
      }
    },
  }
}

/** A recorder of decisions without room, which lets nothing pass that it does not record. */
async function fullRecorder(): Promise<Recorder> {
  const folder = temporaryFolder('journal')
  const journal = await Journal.open({ folder, fileBytes: 1000, newId: () => 'one', owner: 'test' })
  onTestFinished(() => journal.close())
  const ignored = () => undefined
  return new Recorder({ journal, policy: 'block', room: () => 0, written: ignored, onEvent: ignored })
}

interface PdpState {
  readonly expected: Expected
  readonly recorder?: () => Promise<Recorder>
  readonly enter?: (made: { readonly apps: Readonly<Record<string, FastifyInstance>> }) => void
}

/** The states that every PDP server has, however it comes by its image. */
export const PDP_STATES: Readonly<Record<string, PdpState>> = {
  'told to end': {
    enter: ({ apps }) => {
      for (const { closing } of Object.values(apps)) closing.announced = true
    },
    expected: { readiness: 503 },
  },
  draining: {
    enter: ({ apps }) => {
      for (const { closing } of Object.values(apps)) Object.assign(closing, { announced: true, begun: true })
    },
    expected: { readiness: 503 },
  },
  'the disk of its decision log full': {
    recorder: fullRecorder,
    expected: { deciding: { good: ['DECISION_UNRECORDED'] }, mayBeUsual: 'short' },
  },
}
