// Random histories of writers who each say what is so: by hand, a directory, two syncs. The same steps in a small definition
// (sets of claims) and in the use cases, on a draft and at made-up times. After each step both have the same claims, and a
// PDP over the state allows what the union of the claims gives, at instants before, at and after each start and end.
import fc from 'fast-check'
import { Image } from '../../src/image/image.ts'
import { listClaims } from '../../src/kinds/claims.ts'
import type { Objects } from '../../src/kinds/index.ts'
import { put } from '../../src/log/change.ts'
import { PROJECTED_KINDS, project } from '../../src/log/delta.ts'
import type { useCases as UseCases } from '../../src/management/host/registry.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { Draft } from '../../src/store/draft.ts'
import type { Mint, View } from '../../src/store/view.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const BEGIN = 1_800_000_000_000
const HOUR = 3_600_000
const USERS = ['ana', 'ben'] as const
const WRITERS = ['hand', 'directory', 'app', 'crm'] as const
const TENANT = 'acme'
const [FOLDER, DOC] = ['folder:f', 'doc:a']

interface Times {
  readonly from?: number | undefined
  readonly until?: number | undefined
}
/** `role`: the user edits in the tenant; `tuple`: the document is in the folder, which eve views. */
type FactName = 'tuple' | 'set rule' | `role ${string}` | `member ${string}`
type Step =
  | { readonly do: 'wait'; readonly hours: number }
  | {
      readonly do: 'say'
      readonly by: string
      readonly fact: FactName
      readonly times: Times
      readonly over: 'post' | 'put'
    }
  | { readonly do: 'drop'; readonly by: string; readonly fact: FactName }
  | { readonly do: 'user'; readonly by: string; readonly user: string }
  | { readonly do: 'gone'; readonly by: string; readonly user: string; readonly keep: boolean }

const by = fc.constantFrom(...WRITERS)
const user = fc.constantFrom(...USERS)
const fact: fc.Arbitrary<FactName> = fc.oneof(
  { weight: 6, arbitrary: user.map((key): FactName => `role ${key}`) },
  { weight: 2, arbitrary: user.map((key): FactName => `member ${key}`) },
  { weight: 3, arbitrary: fc.constant<FactName>('tuple') },
  { weight: 1, arbitrary: fc.constant<FactName>('set rule') },
)
/** Hours from the step on; half of all claims have no times. */
const times: fc.Arbitrary<Times> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.record({ until: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ from: fc.integer({ min: 0, max: 8 }) }) },
  { weight: 2, arbitrary: fc.record({ from: fc.integer({ min: 0, max: 4 }), until: fc.integer({ min: 5, max: 8 }) }) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      by,
      fact,
      times,
      over: fc.constantFrom('post' as const, 'put' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('drop' as const), by, fact }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('user' as const), by, user }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('gone' as const), by, user, keep: fc.constantFrom(false, false, true) }),
  },
)
export const steps = fc.array(step, { minLength: 30, maxLength: 30, size: 'max' })
/** After so many steps decisions are asked. */
const ASKED_EVERY = 6

interface Claim {
  readonly from: number
  readonly until: number
}
type Claims = Map<string, Claim>

/** The definition: who claims what, and until when. */
class Definition {
  now = BEGIN
  /** claims on users have no times */
  readonly users = new Map<string, Set<string>>([['ana', new Set(['hand'])]])
  readonly facts = new Map<FactName, Claims>()

  /** What a step answers: an outcome of a write of claims, or the code of an error. */
  run(step: Step): string {
    switch (step.do) {
      case 'wait':
        this.now += step.hours * HOUR
        return 'waited'
      case 'say':
        return step.by === 'hand' ? this.#sayByHand(step) : this.#say(step)
      case 'drop':
        return this.#drop(step.fact, step.by)
      case 'user':
        return this.#user(step.by, step.user)
      case 'gone':
        return step.by === 'hand' ? this.#deleteUser(step.user) : this.#gone(step.by, step.user, step.keep)
      default:
        return step satisfies never
    }
  }

  claimsOn(fact: FactName): Claims {
    return this.facts.get(fact) ?? new Map<string, Claim>()
  }

  isInForce(fact: FactName, at: number): boolean {
    return [...this.claimsOn(fact).values()].some(({ from, until }) => from <= at && at < until)
  }

  #userOf(fact: FactName): string | undefined {
    return fact.startsWith('role ') || fact.startsWith('member ') ? fact.slice(fact.indexOf(' ') + 1) : undefined
  }

  #isThere(fact: FactName): boolean {
    const user = this.#userOf(fact)
    return user === undefined || this.users.has(user)
  }

  #at({ from, until }: Times): Claim {
    return {
      from: from === undefined ? Number.NEGATIVE_INFINITY : this.now + from * HOUR,
      until: until === undefined ? Number.POSITIVE_INFINITY : this.now + until * HOUR,
    }
  }

  /** Claims that have not ended overlap or meet, each with each other one. */
  #isApart(claims: Claims): boolean {
    const left = [...claims.values()].filter(({ until }) => until > this.now)
    return left.some((one) => left.some((other) => one.from > other.until))
  }

  #sayByHand({ fact, times, over }: Step & { do: 'say' }): string {
    if (!this.#isThere(fact)) return 'OBJECT_NOT_FOUND'
    const claims = new Map(this.claimsOn(fact))
    const own = claims.get('hand')
    const isTimed = fact === 'tuple' || fact.startsWith('role ')
    if (!isTimed) {
      claims.set('hand', this.#at({}))
      this.facts.set(fact, claims)
      return 'ok'
    }
    const isOver = own !== undefined && own.until <= this.now && over === 'post'
    if (own !== undefined && !isOver && over === 'post') return 'OBJECT_EXISTS'
    const sent = this.#at(times)
    const kept =
      own === undefined || isOver
        ? sent
        : {
            from: times.from === undefined ? own.from : sent.from,
            until: times.until === undefined ? own.until : sent.until,
          }
    if (kept.from >= kept.until) return 'INPUT_INVALID'
    claims.set('hand', kept)
    const isSame = own !== undefined && !isOver && own.from === kept.from && own.until === kept.until
    if (!isSame && this.#isApart(claims)) return 'CLAIM_TIMES_APART'
    this.facts.set(fact, claims)
    return 'ok'
  }

  #say({ by, fact, times }: Step & { do: 'say' }): string {
    if (!this.#isThere(fact)) return 'blocked'
    const isTimed = fact === 'tuple' || fact.startsWith('role ')
    const claims = new Map(this.claimsOn(fact))
    const own = claims.get(by)
    const wanted = this.#at(isTimed ? times : {})
    if (own !== undefined && own.from === wanted.from && own.until === wanted.until) return 'same'
    claims.set(by, wanted)
    if (this.#isApart(claims)) return 'blocked'
    this.facts.set(fact, claims)
    return own === undefined ? 'created' : 'changed'
  }

  #drop(fact: FactName, by: string): string {
    const [none, foreign, done] =
      by === 'hand' ? ['OBJECT_NOT_FOUND', 'CLAIMED_BY_OTHERS', 'ok'] : ['missing', 'missing', '']
    if (by === 'hand' && fact.startsWith('member ')) return this.#leave(fact.slice('member '.length))
    if (!this.#isThere(fact)) return none!
    const claims = this.claimsOn(fact)
    if (claims.size === 0) return none!
    if (!claims.delete(by)) return foreign!
    return done || (claims.size === 0 ? 'deleted' : 'kept')
  }

  /** A user who leaves a tenant loses the roles in it. */
  #leave(user: string): string {
    if (!this.users.has(user)) return 'OBJECT_NOT_FOUND'
    const claims = (['role', 'member'] as const).map((what) => this.claimsOn(`${what} ${user}`))
    if (claims.every(({ size }) => size === 0)) return 'OBJECT_NOT_FOUND'
    if (!claims.some((one) => one.has('hand'))) return 'CLAIMED_BY_OTHERS'
    for (const one of claims) one.delete('hand')
    return 'ok'
  }

  #user(by: string, user: string): string {
    const claims = this.users.get(user)
    if (claims?.has(by)) return by === 'hand' ? 'OBJECT_EXISTS' : 'same'
    this.users.set(user, new Set([...(claims ?? []), by]))
    return by === 'hand' ? 'ok' : 'created'
  }

  #factsOf(user: string): FactName[] {
    return [`role ${user}`, `member ${user}`]
  }

  #remove(user: string): void {
    this.users.delete(user)
    for (const fact of this.#factsOf(user)) this.facts.delete(fact)
  }

  #deleteUser(user: string): string {
    const claims = this.users.get(user)
    if (claims === undefined) return 'OBJECT_NOT_FOUND'
    if (!claims.has('hand')) return 'CLAIMED_BY_OTHERS'
    if (claims.size > 1) claims.delete('hand')
    else this.#remove(user)
    return 'ok'
  }

  #gone(by: string, user: string, keep: boolean): string {
    const claims = this.users.get(user)
    if (!claims?.has(by)) return 'missing'
    const hasOthers = claims.size > 1
    const hangs = this.#factsOf(user).some((fact) => [...this.claimsOn(fact).keys()].some((other) => other !== by))
    if (!hasOthers && !hangs && !keep) {
      this.#remove(user)
      return 'deleted'
    }
    claims.delete(by)
    if (claims.size === 0) claims.add('hand')
    return hasOthers || keep ? 'kept' : 'blocked'
  }
}

type Cases = typeof UseCases
type NameOf = keyof Cases & string
const RULE = { user_set: 'editor', permission: 'doc:read', resource_set: 'doc' }
const TUPLE = { subject: FOLDER, relation: 'parent', object: DOC }
const KEYS = {
  tuple: ['relationship_tuple', `${FOLDER}/parent/${DOC}`],
  'set rule': ['set_rule', '__autogen_editor/doc:read/__autogen_doc'],
} as const
function findKey(
  fact: FactName,
): readonly ['relationship_tuple' | 'set_rule' | 'membership' | 'role_assignment', string] {
  if (fact === 'tuple' || fact === 'set rule') return KEYS[fact]
  const [what, user] = fact.split(' ')
  return what === 'role' ? ['role_assignment', `${user}/editor/${TENANT}`] : ['membership', `${TENANT}/${user}`]
}

/** Runs the steps in both. @throws where the use cases do otherwise, which the message says */
export function walk(view: View, cases: Cases, drawn: readonly Step[], seen: Map<string, number> = new Map()): void {
  const definition = new Definition()
  const draft = new Draft(view)
  let ids = 0
  const mint = (): Mint => ({
    id: () => (++ids).toString(16).padStart(32, 'f'),
    secret: () => 'a'.repeat(44),
    now: definition.now,
  })
  const run = (name: NameOf, input: unknown): unknown =>
    draft.take(
      (cases[name] as (view: View, input: unknown, mint: Mint) => ReturnType<Cases['writeClaims']>)(
        draft,
        input,
        mint(),
      ),
    )
  for (const [name, input] of FIRST) run(name, input)
  for (const [at, one] of drawn.entries()) {
    const wanted = definition.run(one)
    const got = one.do === 'wait' ? 'waited' : findOutcome(() => carryOut(run, one, definition))
    count(seen, one, wanted)
    const message = `after ${JSON.stringify(one)} the definition says`
    if (got !== wanted) throw new Error(`${message} ${wanted}, and not ${got}`)
    const [claims, expected] = [print(claimsIn(draft)), print(claimsIn(definition))]
    if (claims !== expected) throw new Error(`${message} ${expected}, and not ${claims}`)
    if (at % ASKED_EVERY === ASKED_EVERY - 1) compareDecisions(draft, definition, message)
  }
}

const FIRST: readonly (readonly [NameOf, unknown])[] = [
  ['createTenant', { key: TENANT, name: TENANT }],
  ['createResource', { key: 'folder', actions: { read: {} }, roles: { viewer: { permissions: ['read'] } } }],
  [
    'createResource',
    {
      key: 'doc',
      actions: { read: {}, edit: {} },
      relations: { parent: 'folder' },
      roles: { viewer: { permissions: ['read'] } },
    },
  ],
  [
    'addDerivation',
    { resource: 'doc', ref: 'viewer', rule: { role: 'viewer', on_resource: 'folder', linked_by_relation: 'parent' } },
  ],
  ['createRole', { key: 'editor', permissions: ['doc:edit'] }],
  ['createInstance', { resource: 'folder', key: 'f', tenant: TENANT }],
  ['createInstance', { resource: 'doc', key: 'a', tenant: TENANT }],
  ...['ana', 'eve'].map((key) => ['createUser', { key }] as const),
  ['assign', { user: 'eve', role: 'viewer', resource_instance: FOLDER }],
]

function carryOut(
  run: (name: NameOf, input: unknown) => unknown,
  one: Exclude<Step, { do: 'wait' }>,
  { now }: Definition,
): string {
  const claim = (item: unknown) => {
    const { items } = run('writeClaims', { claim: one.by, items: [item] }) as ReturnType<Cases['writeClaims']>['result']
    return items[0]!.outcome
  }
  const hand = (name: NameOf, input: unknown) => {
    run(name, input)
    return 'ok'
  }
  if (one.do === 'user')
    return one.by === 'hand'
      ? hand('createUser', { key: one.user })
      : claim({ op: 'put', kind: 'user', item: { key: one.user } })
  if (one.do === 'gone')
    return one.by === 'hand'
      ? hand('deleteUser', { ref: one.user })
      : claim({ op: 'drop', kind: 'user', key: one.user, keep: one.keep })
  const [kind, key] = findKey(one.fact)
  const user = one.fact.split(' ')[1]
  const named = {
    relationship_tuple: TUPLE,
    set_rule: RULE,
    membership: { user, tenant: TENANT },
    role_assignment: { user, role: 'editor', tenant: TENANT },
  }[kind]
  if (one.do === 'drop') {
    if (one.by !== 'hand') return claim({ op: 'drop', kind, key })
    const names = {
      relationship_tuple: 'deleteTuple',
      set_rule: 'deleteSetRule',
      membership: 'removeTenantUser',
      role_assignment: 'unassign',
    } as const
    return hand(names[kind], named)
  }
  const isTimed = kind === 'relationship_tuple' || kind === 'role_assignment'
  const at = (hours: number | undefined) => (hours === undefined ? undefined : now + hours * HOUR)
  const item = isTimed ? { ...named, valid_from: at(one.times.from), valid_until: at(one.times.until) } : named
  if (one.by !== 'hand') return claim({ op: 'put', kind, item })
  const names = {
    relationship_tuple: one.over === 'post' ? 'createTuple' : 'putTuple',
    set_rule: 'createSetRule',
    membership: 'putMembership',
    role_assignment: one.over === 'post' ? 'assign' : 'putAssignment',
  } as const
  return hand(names[kind], item)
}

function findOutcome(ask: () => string): string {
  try {
    return ask()
  } catch (error) {
    if (isZerohopError(error)) return error.code
    throw error
  }
}

function count(seen: Map<string, number>, one: Step, outcome: string): void {
  const who = 'by' in one ? (one.by === 'hand' ? 'hand ' : 'other ') : ''
  const name = `${who}${one.do} ${outcome}`
  seen.set(name, (seen.get(name) ?? 0) + 1)
}

type Found = Map<string, readonly string[]>
const claimText = (by: string, from: number, until: number): string => `${by} ${from} ${until}`

function claimsIn(of: Draft | Definition): Found {
  const found: Found = new Map()
  for (const user of USERS) {
    const names =
      of instanceof Draft ? claimsOn(of.get('user', user)).map(({ by }) => by) : [...(of.users.get(user) ?? [])]
    found.set(user, names.toSorted())
    for (const fact of [`role ${user}`, `member ${user}`] as const) found.set(fact, claimsOnFact(of, fact))
  }
  found.set('tuple', claimsOnFact(of, 'tuple'))
  found.set('set rule', claimsOnFact(of, 'set rule'))
  return found
}

const claimsOn = (object: Parameters<typeof listClaims>[0] | undefined) =>
  object === undefined ? [] : listClaims(object)

function claimsOnFact(of: Draft | Definition, fact: FactName): readonly string[] {
  if (!(of instanceof Draft))
    return [...of.claimsOn(fact)].map(([by, { from, until }]) => claimText(by, from, until)).sort()
  const [kind, key] = findKey(fact)
  const object: Objects[typeof kind] | undefined = of.get(kind, key)
  return claimsOn(object)
    .map(({ by, valid_from = Number.NEGATIVE_INFINITY, valid_until = Number.POSITIVE_INFINITY }) =>
      claimText(by, valid_from, valid_until),
    )
    .sort()
}

const print = (found: Found): string => JSON.stringify([...found].filter(([, claims]) => claims.length > 0))

/** What is allowed at the instants from now on is what the union of the claims gives. */
function compareDecisions(draft: Draft, definition: Definition, message: string): void {
  const changes = PROJECTED_KINDS.flatMap((kind) =>
    Array.from(draft.list(kind), (object) => project(put(kind, object as never)) ?? []).flat(),
  ).filter(({ op }) => op === 'put')
  const pdp = new Pdp(new FixedImage(Image.build(ENVIRONMENT, makePosition(1), changes)))
  const { now } = definition
  for (const at of [
    now,
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((hours) => [now + hours * HOUR - 1, now + hours * HOUR]),
  ]) {
    const then = pdp.at(at)
    const asked = [
      ...USERS.map((user) => [
        `role ${user}`,
        then.check(user, 'edit', { type: 'doc', tenant: TENANT }),
        definition.isInForce(`role ${user}`, at),
      ]),
      [
        'tuple',
        then.check('eve', 'read', { type: 'doc', key: 'a', tenant: TENANT }),
        definition.isInForce('tuple', at),
      ],
    ] as const
    for (const [fact, got, wanted] of asked)
      if (got !== wanted)
        throw new Error(`${message} ${fact} ${wanted} after ${(at - now) / HOUR} hours, and not ${got}`)
  }
}

/** Faults that the walks find: each by the tag of its place. */
export const OF_CLAIMS = {
  'takes-the-claims-of-others': 'true',
  'deletes-what-others-claim': 'undefined',
  'cascade-over-other-claims': 'false',
  'claims-apart': 'false',
  'union-of-claims':
    '((all: readonly { valid_from?: number; valid_until?: number }[]) => { const from = Math.min(...all.map((one) => one.valid_from ?? -Infinity)); const until = Math.max(...all.map((one) => one.valid_until ?? Infinity)); return { ...(from === -Infinity ? {} : { valid_from: from }), ...(until === Infinity ? {} : { valid_until: until }) } })(claims)',
}
