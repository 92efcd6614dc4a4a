// Filters over what everybody has (D16): a host that is wrong about it in one place is found by the law of filters, or by the
// one of filters in time; and as many public instances as a list of keys may have.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { FILTER_KEYS_MAX } from '../../src/model/limits.ts'
import { assignmentKey, tupleKey } from '../../src/model/objects.ts'
import { EVERYBODY } from '../reference/everybody.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { temporaryFolder } from '../support/folders.ts'
import { imageWith, OF_EVERYBODY_IN_FILTERS } from './filter-everybody-canaries.ts'
import { askedOf, comparedFor, situationsOfEverybody, timedSituationsOfEverybody } from './filter-law.ts'
import { filtersInTime, isOver } from './filter-times-law.ts'

describe('a host that is wrong about what everybody has', { timeout: 60_000 }, () => {
  const folder = temporaryFolder('filters-of-everybody')
  const ROWS = 20_000
  const plain = fc.sample(situationsOfEverybody, { seed: 1, numRuns: 100 })
  const timed = fc.sample(timedSituationsOfEverybody, { seed: 1, numRuns: 100 })

  it.each(Object.entries(OF_EVERYBODY_IN_FILTERS))('is found within 20,000 rows: %s', async (tag, code) => {
    const Wrong = await imageWith({ [tag]: code }, folder)
    let rows = 0
    const isFound = (): boolean => {
      for (const drawn of plain)
        for (const asked of askedOf(drawn, Wrong))
          for (const { means, defined } of comparedFor(asked)) {
            rows++
            if (means !== defined) return true
          }
      for (const drawn of timed)
        for (const compared of filtersInTime(drawn, Wrong)) {
          rows++
          if (!isOver(compared) && compared.means !== compared.defined) return true
        }
      return false
    }
    expect(isFound()).toBe(true)
    expect(rows).toBeLessThan(ROWS)
  })
})

describe('public instances up to FILTER_KEYS_MAX', () => {
  const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
    ({ op: 'put', kind, key, value }) as PolicyChange
  const rule = { role: 'editor', on_resource: 'folder', linked_by_relation: 'parent' }
  const when = { no_direct_roles_on_object: false }
  const role = (resource: string, key: string, permissions: string[], granted_to: object | null = null) =>
    put('resource_role', `${resource}/${key}`, { resource, role: key, permissions, extends: [], granted_to })
  const policy = [
    put('resource', 'folder', { actions: [] }),
    put('resource', 'doc', { actions: ['read'] }),
    put('user', 'ana', {}),
    put('tenant', 'acme', {}),
    role('folder', 'editor', []),
    role('doc', 'reader', ['doc:read'], { when, users_with_role: [{ ...rule, when }] }),
    put('resource_instance', 'folder:public', { tenant: 'acme' }),
  ]
  const assign = (user: string, role: string, on: string) =>
    put('role_assignment', assignmentKey(user, role, 'acme', on), { user, role, tenant: 'acme', resource_instance: on })
  const parent = (doc: string) => {
    const value = { subject: 'folder:public', relation: 'parent', object: doc }
    return put('relationship_tuple', tupleKey(value.subject, value.relation, doc), value)
  }
  const docs = Array.from({ length: FILTER_KEYS_MAX + 1 }, (_, at) => `doc:n${at}`)
  const stored = docs.map((key) => put('resource_instance', key, { tenant: 'acme' }))
  const shares = (keys: readonly string[]) => keys.map((key) => assign(EVERYBODY, 'reader', key))

  /** The keys of documents that the filter names; the name of the error when it cannot be made. */
  function keysFor(user: string, changes: readonly PolicyChange[]): readonly string[] | string {
    const image = Image.build(ENVIRONMENT, makePosition(1), [...policy, ...stored, ...changes])
    try {
      const filter = image.filter({ user, action: 'read', type: 'doc', tenant: 'acme' })
      if (filter.kind !== 'when') return filter.kind
      const parts = 'or' in filter.where ? filter.where.or : [filter.where]
      return parts.flatMap((part) => ('key' in part ? part.key.in.map((key) => `doc:${key}`) : [])).sort()
    } catch (error) {
      if (isZerohopError(error)) return `${error.code} ${error.message}`
      throw error
    }
  }
  const tooMany = expect.stringMatching(new RegExp(`^LISTING_TOO_LARGE .*\\b${FILTER_KEYS_MAX + 1}\\b`))

  it.each<[string, string, (keys: readonly string[]) => readonly PolicyChange[]]>([
    ['each of them public', 'nobody', shares],
    ['where nobody is signed in', EVERYBODY, shares],
    [
      'one of them the own one of the user',
      'ana',
      (keys) => [...shares(keys.slice(1)), assign('ana', 'reader', keys[0]!)],
    ],
    [
      'the own ones public too',
      'ana',
      (keys) => [...shares(keys), ...keys.slice(9).map((key) => assign('ana', 'reader', key))],
    ],
    ['in a public folder', 'nobody', (keys) => [assign(EVERYBODY, 'editor', 'folder:public'), ...keys.map(parent)]],
  ])('are all named, and one more is refused: %s', (_, user, give) => {
    const most = docs.slice(1)
    expect(keysFor(user, give(most))).toEqual(most.toSorted())
    expect(keysFor(user, give(docs))).toEqual(tooMany)
  })
})
