// Times in the memory of an image: what `verify` finds of them, what they take, and that a question without times reads
// no clock.
import { describe, expect, it } from 'vitest'
import { Grant, HEADER, Header, Instance, TIMED, TimedRole, TimedRoles, TimedTuple } from '../../assembly/abi.ts'
import { ASK_SETS, ASK_TIME, Fault, GRANT_ROLES_MAX, Table, Verdict } from '../../assembly/limits.ts'
import { loadKernel } from '../../src/image/file/image-file.ts'
import { Image } from '../../src/image/image.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { saysOfShortLists } from '../support/short-lists.ts'

const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const assigned = (role: string, times: object = {}, user = 'ana'): PolicyChange =>
  put('role_assignment', `${user}/${role}/acme`, { user, role, tenant: 'acme', ...times })
const related = (times: object): PolicyChange =>
  put('relationship_tuple', 'doc:1/parent/doc:2', { subject: 'doc:1', relation: 'parent', object: 'doc:2', ...times })

const ROLES = ['one', 'two', 'three', 'four']
const POLICY: readonly PolicyChange[] = [
  put('resource', 'doc', { actions: ['read'] }),
  ...ROLES.map((key) => put('role', key, { permissions: ['doc:read'], extends: [] })),
  put('tenant', 'acme', {}),
  put('user', 'ana', {}),
  put('user', 'ben', {}),
  put('resource_instance', 'doc:1', { tenant: 'acme' }),
  put('resource_instance', 'doc:2', { tenant: 'acme' }),
]
const GRANTS: readonly PolicyChange[] = [
  assigned('one'),
  assigned('two'),
  assigned('three', { valid_from: 10, valid_until: 20 }),
  assigned('four', { valid_until: 30 }),
  assigned('one', { valid_from: 5 }, 'ben'),
  related({ valid_from: 10 }),
]
const build = (changes: readonly PolicyChange[]): Image =>
  Image.build(ENVIRONMENT, makePosition(1), [...POLICY, ...changes])

interface Memory {
  readonly kernel: Kernel
  readonly view: DataView
  /** timed roles of ana and ben in acme */
  readonly timed: number
  readonly bens: number
  /** the second role of these (they lie in the order of their keys: until 30, from 10 until 20), the tuple */
  readonly second: number
  readonly tuple: number
  find(table: Table, key: string): number
}

function openMemory(): Memory {
  const kernel = loadKernel(build(GRANTS).save(), 'release')
  const find = (table: Table, key: string): number => kernel.calls.find(table, kernel.writeWhole(key))
  const findTimed = (user: string): number =>
    kernel.word(kernel.calls.grantOfStored(find(Table.Users, user), find(Table.Tenants, 'acme')) + Grant.Roles) - TIMED
  const timed = findTimed('ana')
  const tuple = kernel.word(find(Table.Instances, 'doc:2') + Instance.Objects)
  const view = new DataView(kernel.bytes.buffer)
  return { kernel, view, timed, bens: findTimed('ben'), second: timed + TimedRoles.Roles + 20, tuple, find }
}

const setWord = (at: (m: Memory) => number, value: (m: Memory) => number) => (m: Memory) =>
  m.view.setUint32(at(m), value(m), true)
const setTime = (at: (m: Memory) => number, value: number) => (m: Memory) => m.view.setFloat64(at(m), value, true)
const counted = (field: Header) => () => HEADER + field

/** Faults of times, each planted into the memory of a whole image. */
const PLANTED: readonly (readonly [name: string, fault: Fault, plant: (memory: Memory) => void])[] = [
  [
    'a grant has the timed roles of another',
    Fault.Grant,
    setWord(
      (m) => m.timed + TimedRoles.Grant,
      () => 0x100000,
    ),
  ],
  [
    'two grants share their timed roles',
    Fault.Grant,
    (m) => {
      const { calls } = m.kernel
      const grant = calls.grantOfStored(m.find(Table.Users, 'ben'), m.find(Table.Tenants, 'acme'))
      m.view.setUint32(grant + Grant.Roles, m.timed | TIMED, true)
    },
  ],
  [
    'there are none',
    Fault.Grant,
    setWord(
      (m) => m.bens + TimedRoles.Count,
      () => 0,
    ),
  ],
  [
    'there are more than a grant may have',
    Fault.Grant,
    setWord(
      (m) => m.bens + TimedRoles.Count,
      () => GRANT_ROLES_MAX + 1,
    ),
  ],
  [
    'the roles without times are a tenant',
    Fault.Grant,
    setWord(
      (m) => m.bens + TimedRoles.Plain,
      (m) => m.find(Table.Tenants, 'acme'),
    ),
  ],
  [
    'the roles without times have times',
    Fault.Grant,
    setWord(
      (m) => m.bens + TimedRoles.Plain,
      (m) => m.timed | TIMED,
    ),
  ],
  [
    'a role stands there twice',
    Fault.Grant,
    setWord(
      (m) => m.second + TimedRole.Role,
      (m) => m.kernel.word(m.second - 20),
    ),
  ],
  [
    'roles are not in their order',
    Fault.Grant,
    (m) => {
      const [first, second] = [m.kernel.word(m.second - 20), m.kernel.word(m.second)]
      m.view.setUint32(m.second - 20, second, true)
      m.view.setUint32(m.second, first, true)
    },
  ],
  [
    'a role has times and has none',
    Fault.Grant,
    setWord(
      (m) => m.second - 20 + TimedRole.Role,
      (m) => m.find(Table.Roles, 'one'),
    ),
  ],
  [
    'a role is a user',
    Fault.Grant,
    setWord(
      (m) => m.second + TimedRole.Role,
      (m) => m.find(Table.Users, 'ana'),
    ),
  ],
  ['a role ends when it begins', Fault.Grant, setTime((m) => m.second + TimedRole.Until, 10)],
  ['a time is no whole number', Fault.Grant, setTime((m) => m.second + TimedRole.Until, 30.5)],
  ['a time is not a number', Fault.Grant, setTime((m) => m.second + TimedRole.Until, Number.NaN)],
  ['a time is beyond what is exact', Fault.Grant, setTime((m) => m.second + TimedRole.Until, 2 ** 53)],
  [
    'a role has no times after all',
    Fault.Grant,
    setTime((m) => m.second - 20 + TimedRole.Until, Number.POSITIVE_INFINITY),
  ],
  ['timed roles are miscounted', Fault.Counter, setWord(counted(Header.TimedRoles), () => 2)],
  ['timed tuples are miscounted', Fault.Tuple, setWord(counted(Header.TimedTuples), () => 0)],
  ['a tuple ends before it begins', Fault.Tuple, setTime((m) => m.tuple + TimedTuple.Until, 9)],
  ['a tuple has no times after all', Fault.Tuple, setTime((m) => m.tuple + TimedTuple.From, Number.NEGATIVE_INFINITY)],
]

describe('verify', () => {
  it('finds nothing in an image with times', () => {
    expect(openMemory().kernel.calls.verify()).toBe(Fault.None)
  })

  it.each(PLANTED)('finds that %s', (_, fault, plant) => {
    const memory = openMemory()
    plant(memory)
    expect(Fault[memory.kernel.calls.verify()]).toBe(Fault[fault])
  })
})

describe('a question', () => {
  const ask = (now: number, user: string, instance = '') => {
    const { kernel, find } = openMemory()
    kernel.now = now
    const ids = [find(Table.Users, user), find(Table.Tenants, 'acme')] as const
    const permission = kernel.calls.findPermission(kernel.writeWhole('doc:read'))
    return kernel.calls.decideOn(...ids, permission, instance === '' ? 0 : find(Table.Instances, instance))
  }

  it('that meets times asks for the instant, unless a role without times is enough', () => {
    expect(ask(Number.NaN, 'ana')).toBe(Verdict.Allow)
    expect(ask(Number.NaN, 'ben')).toBe(ASK_TIME)
    expect(ask(Number.NaN, 'ben', 'doc:2')).toBe(ASK_TIME)
    expect([ask(4, 'ben'), ask(5, 'ben'), ask(2e12, 'ben')]).toEqual([Verdict.Deny, Verdict.Allow, Verdict.Allow])
  })

  it('asks once: what it noted does not reach the next one', () => {
    const { kernel, find } = openMemory()
    const permission = kernel.calls.findPermission(kernel.writeWhole('doc:read'))
    const [ana, ben, acme] = [find(Table.Users, 'ana'), find(Table.Users, 'ben'), find(Table.Tenants, 'acme')]
    expect(kernel.calls.decideOn(ben, acme, permission, 0)).toBe(ASK_TIME)
    expect(kernel.calls.decideOn(ana, acme, permission, 0)).toBe(Verdict.Allow)
    expect(kernel.calls.decideSets(ben, acme, permission, 0, 0, 0x50000) & ASK_SETS).toBe(0)
  })
})

describe('a delta', () => {
  it('gives and takes times in any order, and leaves nothing behind', () => {
    const image = build([])
    const bytes = () => Buffer.from(image.compact().save())
    const apply = (changes: readonly PolicyChange[]) => image.apply(deltaTo(image.revision + 1, changes))
    const without = bytes()
    const times = [{}, { valid_from: 1 }, { valid_until: 9 }, { valid_from: 1, valid_until: 9 }, { valid_from: 2 }]
    for (const before of times) {
      for (const after of times) {
        apply([assigned('one', before), assigned('two'), related(before)])
        apply([assigned('one', after), related(after)])
        image.verify()
        const value = { user: 'ana', role: 'one', tenant: 'acme', ...after }
        expect([...image.contents()]).toContainEqual({ op: 'put', kind: 'role_assignment', key: 'ana/one/acme', value })
        const ends: PolicyChange[] = [
          { op: 'delete', kind: 'role_assignment', key: 'ana/one/acme' },
          { op: 'delete', kind: 'role_assignment', key: 'ana/two/acme' },
          { op: 'delete', kind: 'relationship_tuple', key: 'doc:1/parent/doc:2' },
        ]
        apply(ends)
        image.verify()
        expect([image.stats().timedRoles, image.stats().timedTuples, image.stats().grants]).toEqual([0, 0, 0])
      }
    }
    const now = bytes()
    for (const each of [without, now]) each.fill(0, Header.Crc, Header.Chain + 32)
    expect(now.equals(without)).toBe(true)
  })

  it.each([
    ['ends before it begins', { valid_from: 2, valid_until: 1 }],
    ['ends when it begins', { valid_from: 2, valid_until: 2 }],
    ['is no whole number', { valid_until: 1.5 }],
    ['is infinite', { valid_until: Number.POSITIVE_INFINITY }],
    ['is not a number', { valid_from: Number.NaN }],
  ])('with a time that %s is refused, and changes nothing', (_, times) => {
    const image = build(GRANTS)
    const before = Buffer.from(image.save())
    for (const change of [assigned('one', times), related(times)]) {
      const refused = expect.objectContaining({ code: 'DELTA_INVALID' })
      expect(() => image.apply(deltaTo(2, [change]))).toThrow(refused)
      expect(Buffer.from(image.save()).equals(before)).toBe(true)
    }
  })

  it('reserves the room of grants with very many roles', () => {
    const roles = Array.from({ length: GRANT_ROLES_MAX }, (_, at) => `r${at}`)
    const image = Image.build(ENVIRONMENT, makePosition(1), [
      ...POLICY,
      ...roles.map((key) => put('role', key, { permissions: [], extends: [] })),
      ...roles.map((role) => assigned(role)),
    ])
    image.apply(
      deltaTo(
        2,
        roles.map((role, at) => assigned(role, { valid_until: at + 1 })),
      ),
    )
    image.verify()
    expect(image.stats().timedRoles).toBe(GRANT_ROLES_MAX)
    image.apply(
      deltaTo(
        3,
        roles.slice(1).map((role) => assigned(role)),
      ),
    )
    image.verify()
    expect(image.stats().timedRoles).toBe(1)
  })
})

describe('the times of a grant', () => {
  it('take at most 80 bytes, and nothing where there are none', () => {
    const users = Array.from({ length: 5_000 }, (_, at) => `u${at}`)
    const sized = (times: object) =>
      Image.build(ENVIRONMENT, makePosition(1), [
        ...POLICY,
        ...users.map((key) => put('user', key, {})),
        ...users.map((user) => assigned('one', times, user)),
      ]).stats().bytes
    const plain = sized({})
    expect((sized({ valid_until: 2e12 }) - plain) / users.length).toBeLessThanOrEqual(80)
    expect(sized({ valid_from: undefined, valid_until: undefined })).toBe(plain)
  })
})

describe('the list of the roles of a grant that have times', () => {
  it.each(['debug', 'release'] as const)('[D15] is read to its end, and not beyond, by the %s kernel', (kernel) => {
    expect(saysOfShortLists(kernel)).toBeUndefined()
  })
})
