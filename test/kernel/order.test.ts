// Orders of keys under load: whatever order keys come in, a listing has them by their bytes, page by page, while
// objects come, go and move from tenant to tenant.
import { describe, expect, it } from 'vitest'
import { HEADER_BYTES, HEAP, Header, Instance, Node, OrderRoot } from '../../assembly/abi.ts'
import { Order } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { numbers } from '../property/numbers.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { withChecksum, withWord } from '../support/forged-image.ts'

/** Everybody may read everything: by a set rule, so that listings ask about all. */
const POLICY: PolicyChange[] = [
  ...['default', 'acme', 'other'].map((key): PolicyChange => ({ op: 'put', kind: 'tenant', key, value: {} })),
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
const doc = (key: string, tenant = 'default'): PolicyChange => {
  return { op: 'put', kind: 'resource_instance', key: `doc:${key}`, value: { tenant } }
}
const noDoc = (key: string): PolicyChange => ({ op: 'delete', kind: 'resource_instance', key: `doc:${key}` })

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
const listDocs = (image: Image, tenant?: string) =>
  all((page) => image.listings.resources('m', 'read', { ...ABOUT, tenant }, page))

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
      image.apply(deltaTo(image.revision + 1, [...some.map(user), ...some.map((key) => doc(key))]))
    }
    image.verify()
    const sorted = [...new Set(keys)].sort(byBytes)
    expect(listDocs(image)).toEqual(sorted)
    expect(listUsers(image)).toEqual([...sorted, 'm'].sort(byBytes))
    expect(listDocs(image.compact())).toEqual(sorted)
  })

  it('pass over what is deleted, and find it again when it comes back', () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), [...POLICY, ...ascending.map((key) => doc(key))], {
      kernel,
    })
    const gone = ascending.filter((_, index) => index % 3 !== 0 || (index > 1_000 && index < 4_000))
    const left = ascending.filter((key) => !gone.includes(key))
    image.apply(deltaTo(2, gone.map(noDoc)))
    image.verify()
    expect(listDocs(image)).toEqual(left)
    image.apply(
      deltaTo(
        3,
        gone.slice(0, 100).map((key) => doc(key)),
      ),
    )
    image.verify()
    expect(listDocs(image)).toEqual([...left, ...gone.slice(0, 100)].sort(byBytes))
    image.compact().verify()
  })
})

const TENANTS = ['default', 'acme', 'other'] as const

/** Where each document is, as it is stored and as the image lists it. */
function expectTenants(image: Image, stored: ReadonlyMap<string, string>): void {
  image.verify()
  for (const tenant of TENANTS) {
    const there = [...stored].filter(([, at]) => at === tenant).map(([key]) => key)
    expect(listDocs(image, tenant)).toEqual(there.sort(byBytes))
  }
}

describe.each(['debug', 'release'] as const)('the order by tenants of the %s kernel', (kernel) => {
  it.each(Object.entries(orders))('has the instances of each tenant, with keys %s', (_, keys) => {
    const image = Image.build(ENVIRONMENT, makePosition(1), POLICY, { kernel })
    const stored = new Map(keys.map((key, at) => [key, TENANTS[at % 3]!] as const))
    const changes = [...stored].map(([key, tenant]) => doc(key, tenant))
    for (let first = 0; first < changes.length; first += 500)
      image.apply(deltaTo(image.revision + 1, changes.slice(first, first + 500)))
    expectTenants(image, stored)
    expectTenants(image.compact(), stored)
  })

  it.each([1, 2, 3])('follows what comes, goes and moves (seed %i)', (seed) => {
    const image = Image.build(ENVIRONMENT, makePosition(1), POLICY, { kernel })
    const stored = new Map<string, string>()
    const next = numbers(seed)
    for (let round = 0; round < 60; round++) {
      const changes = new Map<string, PolicyChange>()
      // Rounds of growth and of shrinking, so that nodes split, become empty and the tree gets lower.
      const isGrowing = round % 10 < 5
      for (let edit = 0; edit < 800; edit++) {
        const key = number(next(COUNT))
        const isGone = isGrowing ? next(8) === 0 : next(8) > 0
        if (isGone && !stored.has(key)) continue
        const tenant = TENANTS[next(3)]!
        changes.set(key, isGone ? noDoc(key) : doc(key, tenant))
      }
      // The rest of a range goes at once.
      const from = next(COUNT)
      const range = isGrowing ? [] : [...stored.keys()].filter((key) => key >= number(from) && key < number(from + 900))
      for (const key of range) changes.set(key, noDoc(key))
      for (const [key, { op, value }] of changes as Map<string, PolicyChange & { value?: { tenant: string } }>) {
        if (op === 'put') stored.set(key, value!.tenant)
        else stored.delete(key)
      }
      image.apply(deltaTo(image.revision + 1, [...changes.values()]))
      image.verify()
      if (round % 10 === 9) expectTenants(image, stored)
    }
    image.apply(deltaTo(image.revision + 1, [...stored.keys()].map(noDoc)))
    expectTenants(image, new Map())
    image.apply(deltaTo(image.revision + 1, [doc('again', 'acme')]))
    expectTenants(image, new Map([['again', 'acme']]))
    expectTenants(image.compact(), new Map([['again', 'acme']]))
  })
})

describe('an order that is damaged', () => {
  it('is found by verify', () => {
    const built = Image.build(ENVIRONMENT, makePosition(1), [
      ...POLICY,
      ...ascending.slice(0, 300).map((key) => doc(key)),
    ])
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

  it('is found by verify in the order by tenants', () => {
    const docs = ascending.slice(0, 30).map((key, at) => doc(key, TENANTS[at % 3]))
    const saved = Image.build(ENVIRONMENT, makePosition(1), [...POLICY, ...docs]).save()
    const words = new DataView(saved.buffer, saved.byteOffset)
    const inFile = (address: number) => HEADER_BYTES + address - HEAP
    const leaf = inFile(words.getUint32(Header.Orders + Order.Tenants * OrderRoot.Bytes + OrderRoot.Node, true))
    const record = (at: number) => words.getUint32(leaf + Node.Entries + at * 4, true)
    const readTenant = (at: number) => words.getUint32(inFile(record(at)) + Instance.Tenant, true)
    expect([words.getUint32(leaf + Node.Count, true), readTenant(0), readTenant(29)]).toEqual([
      30,
      readTenant(9),
      readTenant(20),
    ])
    const damaged = [
      withWord(saved, leaf + Node.Count, 29),
      withWord(saved, leaf + Node.Entries, record(1)),
      withWord(withWord(saved, leaf + Node.Entries, record(1)), leaf + Node.Entries + 4, record(0)),
      withWord(saved, inFile(record(3)) + Instance.Tenant, readTenant(29)),
    ]
    for (const file of damaged) expect(() => Image.load(file).verify()).toThrow('its order section is broken')
  })
})
