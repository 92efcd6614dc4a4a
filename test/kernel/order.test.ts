// Orders of keys under load: whatever order keys come in, a listing has them by their bytes, page by page, while
// objects come and go.
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { Header } from '../../assembly/abi.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

/** Everybody may read everything: by a set rule, so that listings ask about all. */
const POLICY: PolicyChange[] = [
  { op: 'put', kind: 'tenant', key: 'default', value: {} },
  { op: 'put', kind: 'resource', key: 'doc', value: { actions: ['read'] } },
  { op: 'put', kind: 'resource', key: 'dof', value: { actions: ['read'] } },
  { op: 'put', kind: 'user', key: 'm', value: {} },
  {
    op: 'put',
    kind: 'condition_set',
    key: 'all',
    value: { type: 'userset', resource: null, conditions: {}, parent: null },
  },
  {
    op: 'put',
    kind: 'set_rule',
    key: 'all/doc:read/__autogen_doc',
    value: { user_set: 'all', permission: 'doc:read', resource_set: '__autogen_doc' },
  },
]

const byBytes = (left: string, right: string) => Buffer.compare(Buffer.from(left), Buffer.from(right))
const user = (key: string): PolicyChange => ({ op: 'put', kind: 'user', key, value: {} })
const doc = (key: string): PolicyChange => {
  return { op: 'put', kind: 'resource_instance', key: `doc:${key}`, value: { tenant: 'default' } }
}

/** All keys of a listing, in pages of different sizes. */
function all(
  list: (page: { after: string | undefined; limit: number }) => { keys: string[]; next?: string | undefined },
) {
  const keys: string[] = []
  let after: string | undefined
  for (let round = 1; ; round++) {
    const page = list({ after, limit: 1 + ((round * 37) % 997) })
    keys.push(...page.keys)
    if (page.next === undefined) return keys
    after = page.next
  }
}

const ABOUT = { type: 'doc', key: undefined, tenant: undefined, sent: undefined }
const listUsers = (image: Image) => all((page) => image.listings.users('read', ABOUT, page))
const listDocs = (image: Image) => all((page) => image.listings.resources('m', 'read', ABOUT, page))

const number = (index: number) => String(index).padStart(5, '0')
const COUNT = 5_000
const ascending = Array.from({ length: COUNT }, (_, index) => number(index))
const orders: Record<string, string[]> = {
  ascending,
  descending: ascending.toReversed(),
  'from both ends': ascending.map((_, index) => number(index % 2 === 0 ? index : COUNT - index)),
  // Behind a full node, in front of the next one: again and again.
  'into one gap': [number(0), ...ascending.slice(100, 200), ...ascending.slice(1, 100).toReversed()],
  scattered: ascending.map((_, index) => number((index * 3_571) % COUNT)),
  'that begin alike': Array.from({ length: 250 }, (_, index) => 'k'.repeat(index + 1)).toReversed(),
  'of many scripts': ['z', 'ä', 'é', '\uffee', '😀', '\ue000', 'a', 'A', '語', '__proto__', '~', '0', 'aa', 'a0'],
}

describe.each(['debug', 'release'] as const)('orders of the %s kernel', (kernel) => {
  it.each(Object.entries(orders))('hold keys %s', (_, keys) => {
    const image = Image.build(ENVIRONMENT, makePosition(1), POLICY, { kernel })
    for (let first = 0; first < keys.length; first += 500) {
      const some = keys.slice(first, first + 500)
      image.apply(deltaTo(image.revision + 1, [...some.map(user), ...some.map(doc)]))
    }
    image.verify()
    const sorted = [...new Set(keys)].sort(byBytes)
    expect(listDocs(image)).toEqual(sorted)
    expect(listUsers(image)).toEqual([...sorted, 'm'].sort(byBytes))
    expect(listDocs(image.compact())).toEqual(sorted)
  })

  it('pass over what is deleted, and find it again when it comes back', () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), [...POLICY, ...ascending.map(doc)], { kernel })
    const gone = ascending.filter((_, index) => index % 3 !== 0 || (index > 1_000 && index < 4_000))
    const left = ascending.filter((key) => !gone.includes(key))
    const deleted = gone.map((key): PolicyChange => ({ op: 'delete', kind: 'resource_instance', key: `doc:${key}` }))
    image.apply(deltaTo(2, deleted))
    image.verify()
    expect(listDocs(image)).toEqual(left)
    image.apply(deltaTo(3, gone.slice(0, 100).map(doc)))
    image.verify()
    expect(listDocs(image)).toEqual([...left, ...gone.slice(0, 100)].sort(byBytes))
    image.compact().verify()
  })
})

/** The file with a checksum that fits what is in it. */
function withChecksum(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer)
  view.setUint32(Header.Crc, 0, true)
  view.setUint32(Header.Crc, crc32(file), true)
  return file
}

describe('an order that is damaged', () => {
  it('is found by verify', () => {
    const built = Image.build(ENVIRONMENT, makePosition(1), [...POLICY, ...ascending.slice(0, 300).map(doc)])
    const records = new Uint32Array(built.save().slice().buffer)
    // Two neighbours of a leaf: ascending addresses, 62 at a time, behind their number and a link.
    const leaf = records.findIndex((count, at) => count === 62 && records[at + 2]! < records[at + 3]!)
    expect(leaf).toBeGreaterThan(0)
    const swapped = records.slice()
    swapped[leaf + 2] = records[leaf + 3]!
    swapped[leaf + 3] = records[leaf + 2]!
    const doubled = records.slice()
    doubled[leaf + 3] = records[leaf + 2]!
    const cut = records.slice()
    cut[leaf + 1] = 0
    for (const each of [swapped, doubled, cut]) {
      const file = withChecksum(new Uint8Array(each.buffer))
      expect(() => Image.load(file).verify()).toThrow('its order section is broken')
    }
  })
})
