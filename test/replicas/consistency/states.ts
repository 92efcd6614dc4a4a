// After a run: replicas and followers have the state that follows from the record, byte by byte.
import { setTimeout as pause } from 'node:timers/promises'
import { Image } from '../../../src/image/image.ts'
import { project } from '../../../src/log/delta.ts'
import type { Pdp } from '../../../src/pdp/pdp.ts'
import type { Answer, Cluster, Json, Scope } from './cluster.ts'
import { allows, findImage } from './followers.ts'
import type { Log } from './record.ts'
import type { Violation } from './verify.ts'

/** All replicas and followers have the state that follows from the record. */
export async function verifyStates(
  cluster: Cluster,
  record: ReadonlyMap<string, Log>,
  scopes: readonly Scope[],
  followers: readonly Pdp[],
): Promise<Violation[]> {
  const found: Violation[] = []
  for (const scope of scopes) {
    const log = record.get(scope.id)
    if (log === undefined) return [{ rule: 'equal states', text: `there is no log of ${scope.path}` }]
    const expected = finalState(log)
    const answer = await cluster.replica(0).call('GET', `/v2/api-key/${scope.path}`)
    const key = answer.kind === 'answered' ? (answer.body.secret as string) : ''
    const image = imageAfter(log)
    for (const [at, replica] of cluster.replicas.entries())
      if (!image.equals(await replica.bytes(`/v2/feed/${scope.path}/image`, key)))
        found.push({ rule: 'equal bytes', text: `the image of ${scope.path} at replica ${at} is another one` })
    for (const [at, replica] of cluster.replicas.entries()) {
      const state = await listStates((path) => replica.call('GET', path), scope)
      if (JSON.stringify(state) !== JSON.stringify(expected))
        found.push({ rule: 'equal states', text: `${scope.path} at replica ${at}: ${difference(expected, state)}` })
    }
  }
  const [scope] = scopes
  const log = scope && record.get(scope.id)
  for (const [at, pdp] of followers.entries()) if (log) found.push(...(await verifyFollower(pdp, at, log)))
  return found
}

/** The canonical image of everything on record. */
function imageAfter({ id, entries }: Log): Buffer {
  const changes = entries.flatMap((entry) => entry.changes.flatMap((change) => project(change) ?? []))
  const { revision = 0, chain = '' } = entries.at(-1) ?? {}
  return Buffer.from(Image.build(id, { revision, chain }, changes).save())
}

const FOLLOWED_MS = 30_000

async function verifyFollower(pdp: Pdp, at: number, log: Log): Promise<Violation[]> {
  const head = log.entries.at(-1)?.revision ?? 0
  const deadline = performance.now() + FOLLOWED_MS
  while (pdp.revision !== head && performance.now() < deadline) await pause(50)
  if (pdp.revision !== head)
    return [{ rule: 'equal states', text: `follower ${at} is at revision ${pdp.revision}, the record at ${head}` }]
  const wrong = [...log.objects].flatMap(([object, steps]) => {
    const [kind, user = ''] = object.split('/')
    if (kind !== 'assignment') return []
    const expected = steps.at(-1)?.state === 'yes'
    return allows(pdp, user) === expected ? [] : [`${object} is ${expected ? 'there' : 'gone'}`]
  })
  const bytes = findImage(pdp)?.compact().save()
  if (bytes === undefined || !imageAfter(log).equals(bytes))
    return [{ rule: 'equal bytes', text: `the image of follower ${at} is another one` }]
  return wrong.map((text) => ({ rule: 'equal states', text: `follower ${at} answers otherwise: ${text}` }))
}

/** Lines `object = state`, sorted. */
const finalState = ({ objects }: Log): string[] =>
  [...objects]
    .flatMap(([object, steps]) => {
      const state = steps.at(-1)?.state ?? null
      return state === null ? [] : [`${object} = ${state}`]
    })
    .sort()

async function listStates(get: (path: string) => Promise<Answer>, { path }: Scope): Promise<string[]> {
  const list = async (what: string): Promise<Json[]> => {
    const all: Json[] = []
    for (let page = 1; ; page++) {
      const answer = await get(`${what}?per_page=100&page=${page}`)
      if (answer.kind !== 'answered' || answer.status !== 200) throw new Error(`${what}: ${JSON.stringify(answer)}`)
      const rows: Json[] = Array.isArray(answer.body) ? answer.body : answer.body.data
      all.push(...rows)
      if (rows.length < 100) return all
    }
  }
  const users = await list(`/v2/facts/${path}/users`)
  const roles = await list(`/v2/schema/${path}/roles`)
  const assignments = await list(`/v2/facts/${path}/role_assignments`)
  return [
    ...users.map(({ key, attributes }) => `user/${key} = ${attributes.v}`),
    ...roles.map(({ key, name }) => `role/${key} = ${name}`),
    ...assignments.map(({ user, role, tenant }) => `assignment/${user}/${role}/${tenant} = yes`),
  ].sort()
}

const difference = (expected: readonly string[], got: readonly string[]): string => {
  const missing = expected.filter((line) => !got.includes(line))
  const extra = got.filter((line) => !expected.includes(line))
  return `missing ${JSON.stringify(missing.slice(0, 5))}, extra ${JSON.stringify(extra.slice(0, 5))}`
}
