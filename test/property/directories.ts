// Random histories of a directory that sends users and groups in the forms of two providers, of rules for its groups, and
// of people who write between: the same steps in a small definition and in the use cases, on a draft. Both
// have the same outcomes and users, and a PDP over the state allows what the definition gives.
import fc from 'fast-check'
import { Image } from '../../src/image/image.ts'
import { put } from '../../src/log/change.ts'
import { PROJECTED_KINDS, project } from '../../src/log/delta.ts'
import { ENTERPRISE_SCHEMA } from '../../src/management/directory/schemas.ts'
import type { useCases as UseCases } from '../../src/management/host/registry.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { Draft } from '../../src/store/draft.ts'
import type { Mint, View } from '../../src/store/view.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const USERS = ['ana', 'ben'] as const
const GROUPS = ['Team one', 'Team two', 'Guests'] as const
const PATTERNS = ['Team one', 'team', 'Guests'] as const
const SALES = 'Sales'
const NOW = 1_800_000_000_000
type Dialect = 'path' | 'whole' | 'put'

type Step =
  | { readonly do: 'give'; readonly user: string; readonly isActive: boolean }
  | { readonly do: 'switch'; readonly user: string; readonly isActive: boolean; readonly as: Dialect }
  | { readonly do: 'tell'; readonly user: string; readonly department: string | null; readonly as: Dialect }
  | { readonly do: 'edit'; readonly user: string; readonly department: string | null }
  | { readonly do: 'take'; readonly user: string }
  | { readonly do: 'group'; readonly group: string; readonly user: string }
  | { readonly do: 'add' | 'remove'; readonly group: string; readonly user: string; readonly as: Dialect }
  | { readonly do: 'rename'; readonly group: string; readonly to: string }
  | { readonly do: 'ungroup'; readonly group: string }
  | { readonly do: 'rule' | 'unrule'; readonly pattern: string }
  | { readonly do: 'make' | 'assign' | 'unassign' | 'suspend' | 'resume' | 'describe'; readonly user: string }

const user = fc.constantFrom(...USERS)
const group = fc.constantFrom(...GROUPS)
const as = fc.constantFrom<Dialect>('path', 'whole', 'put')
const isActive = fc.boolean()
const department = fc.constantFrom(SALES, SALES, 'Ops', null)
const named = <const N extends string>(name: N) => fc.constant(name)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: named('give'), user, isActive: fc.constantFrom(true, true, false) }) },
  { weight: 4, arbitrary: fc.record({ do: named('switch'), user, isActive, as }) },
  { weight: 3, arbitrary: fc.record({ do: named('tell'), user, department, as }) },
  { weight: 1, arbitrary: fc.record({ do: named('edit'), user, department }) },
  { weight: 2, arbitrary: fc.record({ do: named('take'), user }) },
  { weight: 5, arbitrary: fc.record({ do: named('group'), group, user }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('add' as const, 'remove' as const), group, user, as }) },
  { weight: 1, arbitrary: fc.record({ do: named('rename'), group, to: group }) },
  { weight: 1, arbitrary: fc.record({ do: named('ungroup'), group }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('rule' as const, 'rule' as const, 'unrule' as const),
      pattern: fc.constantFrom(...PATTERNS),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'make' as const,
        'assign' as const,
        'assign' as const,
        'unassign' as const,
        'unassign' as const,
        'suspend' as const,
        'resume' as const,
        'describe' as const,
      ),
      user,
    }),
  },
)
export const steps = fc.array(step, { minLength: 40, maxLength: 40, size: 'max' })
/** After so many steps decisions are asked. */
const COMPARED_EVERY = 3

interface Person {
  /** the directory has the user: whether it is active there */
  directory: boolean | undefined
  /** deleted in the directory, and left by it */
  isLeft: boolean
  /** what people gave */
  isByHand: boolean
  hasRole: boolean
  isSuspended: boolean
  isDescribed: boolean
  /** what the directory says, and what is so: the same, but for what a person wrote since */
  given: string | null
  department: string | null
  /** the directory set the department with its last write */
  isOfDirectory: boolean
}

/** The definition: what each writer gave. */
export class Definition {
  readonly people = new Map<string, Person>()
  /** by name */
  readonly groups = new Map<string, Set<string>>()
  readonly rules = new Set<string>()

  isGiven(user: string): boolean {
    for (const [name, members] of this.groups)
      if (members.has(user) && [...this.rules].some((pattern) => selects(pattern, name))) return true
    return false
  }

  isAllowed(user: string, action: 'edit' | 'read'): boolean {
    const person = this.people.get(user)
    if (person === undefined || person.isLeft || person.isSuspended || person.directory === false) return false
    return action === 'read' ? person.department === SALES : person.hasRole || this.isGiven(user)
  }

  run(step: Step): string {
    if ('user' in step && !('group' in step)) return this.#ofUser(step)
    switch (step.do) {
      case 'rule':
        if (this.rules.has(step.pattern)) return 'OBJECT_EXISTS'
        this.rules.add(step.pattern)
        return 'ok'
      case 'unrule':
        return this.rules.delete(step.pattern) ? 'ok' : 'OBJECT_NOT_FOUND'
      case 'ungroup':
        return this.groups.delete(step.group) ? 'ok' : 'OBJECT_NOT_FOUND'
      case 'rename': {
        const members = this.groups.get(step.group)
        if (members === undefined) return 'OBJECT_NOT_FOUND'
        // here names are those of one group each
        if (step.to !== step.group && this.groups.has(step.to)) return 'taken'
        this.groups.delete(step.group)
        this.groups.set(step.to, members)
        return 'ok'
      }
      case 'group':
        if (this.groups.has(step.group)) return 'taken'
        if (this.people.get(step.user)?.directory === undefined) return 'SCIM_INVALID'
        this.groups.set(step.group, new Set([step.user]))
        return 'ok'
      case 'add':
      case 'remove': {
        const members = this.groups.get(step.group)
        if (members === undefined) return 'OBJECT_NOT_FOUND'
        const isKnown = this.people.get(step.user)?.directory !== undefined
        if (!isKnown && step.do === 'add') return 'SCIM_INVALID'
        if (step.do === 'add') members.add(step.user)
        else members.delete(step.user)
        return 'ok'
      }
      default:
        throw new Error(JSON.stringify(step))
    }
  }

  #ofUser(step: Extract<Step, { user: string }>): string {
    const person = this.people.get(step.user)
    switch (step.do) {
      case 'give':
        if (person?.directory !== undefined) return 'OBJECT_EXISTS'
        this.people.set(step.user, { ...(person ?? NOBODY), directory: step.isActive, isLeft: false })
        return 'ok'
      case 'make':
        if (person !== undefined) return person.isByHand ? 'OBJECT_EXISTS' : 'passed'
        this.people.set(step.user, { ...NOBODY, isByHand: true })
        return 'ok'
      default:
    }
    if (person === undefined) return 'OBJECT_NOT_FOUND'
    switch (step.do) {
      case 'switch':
        if (person.directory === undefined) return 'OBJECT_NOT_FOUND'
        person.directory = step.isActive
        // a PUT says all that the directory has
        if (step.as === 'put') person.given = null
        settleDepartment(person)
        return 'ok'
      case 'tell':
        if (person.directory === undefined) return 'OBJECT_NOT_FOUND'
        person.given = step.department
        settleDepartment(person)
        return 'ok'
      case 'edit':
        person.department = step.department
        return 'ok'
      case 'take': {
        if (person.directory === undefined) return 'OBJECT_NOT_FOUND'
        for (const members of this.groups.values()) members.delete(step.user)
        person.given = null
        settleDepartment(person)
        const isOwnDescribed = person.isDescribed || person.department !== null
        const isOthers = person.isByHand || person.hasRole || person.isSuspended || isOwnDescribed
        if (isOthers) Object.assign(person, { directory: undefined, isLeft: true, isByHand: true })
        else this.people.delete(step.user)
        return 'ok'
      }
      case 'assign':
        if (person.hasRole) return 'OBJECT_EXISTS'
        person.hasRole = true
        return 'ok'
      case 'unassign': {
        if (!person.hasRole) return this.isGiven(step.user) ? 'CLAIMED_BY_OTHERS' : 'OBJECT_NOT_FOUND'
        person.hasRole = false
        return 'ok'
      }
      case 'suspend':
        person.isSuspended = true
        return 'ok'
      case 'resume':
        Object.assign(person, { isSuspended: false, isLeft: false })
        return 'ok'
      case 'describe':
        // all attributes are written
        Object.assign(person, { isDescribed: true, department: null })
        return 'ok'
      default:
        throw new Error(JSON.stringify(step))
    }
  }
}
const NOBODY: Person = {
  ...{ directory: undefined, isLeft: false, isByHand: false },
  ...{ hasRole: false, isSuspended: false, isDescribed: false },
  ...{ given: null, department: null, isOfDirectory: false },
}
/** After each write of the user by the directory. */
function settleDepartment(person: Person): void {
  if (person.given !== null || person.isOfDirectory) person.department = person.given
  person.isOfDirectory = person.given !== null
}
const selects = (pattern: string, name: string): boolean =>
  pattern === 'team' ? name.toLowerCase().startsWith(pattern) : name === pattern

type Cases = typeof UseCases
type NameOf = keyof Cases & string
export type Run = (name: NameOf, input: unknown) => unknown

/** What is there before the first step. */
export const FIRST: readonly (readonly [NameOf, unknown])[] = [
  ['createTenant', { key: 'acme', name: 'acme' }],
  ['createResource', { key: 'doc', actions: { edit: {}, read: {} } }],
  ['createRole', { key: 'editor', permissions: ['doc:edit'] }],
  ['createAttribute', { resource: '__user', attribute: { key: 'department', type: 'string' } }],
  ['createConditionSet', { key: 'sales', conditions: { allOf: [{ 'user.department': { equals: SALES } }] } }],
  ['createSetRule', { user_set: 'sales', permission: 'doc:read', resource_set: '__autogen_doc' }],
]

/** Runs the steps in both. @throws where the use cases do otherwise, which the message says */
export function walk(view: View, cases: Cases, drawn: readonly Step[], seen: Map<string, number> = new Map()): void {
  const definition = new Definition()
  const draft = new Draft(view)
  let ids = 0
  const mint: Mint = { id: () => (++ids).toString(16).padStart(32, '0'), secret: () => 'a'.repeat(44), now: NOW }
  const run: Run = (name, input) =>
    draft.take(
      (cases[name] as (view: View, input: unknown, mint: Mint) => ReturnType<Cases['createUser']>)(draft, input, mint),
    )
  for (const [name, input] of FIRST) run(name, input)
  for (const [at, one] of drawn.entries()) {
    const message = `after ${JSON.stringify(one)} the definition says`
    const wanted = definition.run(one)
    const outcome = `${one.do} ${wanted}`
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1)
    // what the definition has no word for is left out of both
    if (wanted === 'taken' || wanted === 'passed') continue
    const got = findOutcome(() => carryOut(draft, run, one))
    if (got !== wanted) throw new Error(`${message} ${wanted}, and not ${got}`)
    if (at % COMPARED_EVERY === 0 || at === drawn.length - 1) compare(draft, definition, message)
  }
}

function findOutcome(ask: () => unknown): string {
  try {
    ask()
    return 'ok'
  } catch (error) {
    if (isZerohopError(error)) return error.code
    throw error
  }
}

const MISSING = 'f'.repeat(32)

/** Sends a step; users and groups are found in the view. */
export function carryOut(view: View, run: Run, one: Step): unknown {
  const userId = (key: string): string => view.get('directory_user', key)?.id ?? MISSING
  const groupId = (name: string): string =>
    [...view.list('directory_group')].find(({ display_name }) => display_name === name)?.id ?? MISSING
  const refs = (key: string) => [{ value: userId(key) }]
  const patch = (...Operations: object[]) => ({ Operations })
  switch (one.do) {
    case 'give':
      return run('createDirectoryUser', { body: { userName: one.user, active: one.isActive }, userKey: 'user_name' })
    case 'switch': {
      const ref = userId(one.user)
      const text = one.isActive ? 'True' : 'False'
      if (one.as === 'put') return run('replaceDirectoryUser', { ref, body: { userName: one.user, active: text } })
      const operation =
        one.as === 'path'
          ? { op: 'Replace', path: 'active', value: text }
          : { op: 'replace', value: { active: one.isActive } }
      return run('updateDirectoryUser', { ref, body: patch(operation) })
    }
    case 'tell': {
      const ref = userId(one.user)
      const { department: value } = one
      const inside = value === null ? {} : { [ENTERPRISE_SCHEMA]: { department: value } }
      if (one.as === 'put') return run('replaceDirectoryUser', { ref, body: { userName: one.user, ...inside } })
      const path = `${ENTERPRISE_SCHEMA}:department`
      const operation =
        value === null
          ? { op: 'Remove', path }
          : one.as === 'path'
            ? { op: 'Add', path, value }
            : { op: 'add', value: inside }
      return run('updateDirectoryUser', { ref, body: patch(operation) })
    }
    case 'edit': {
      const { department: _, ...others } = view.get('user', one.user)?.attributes ?? {}
      const attributes = one.department === null ? others : { ...others, department: one.department }
      return run('updateUser', { ref: one.user, fields: { attributes } })
    }
    case 'take':
      return run('deleteDirectoryUser', { ref: userId(one.user) })
    case 'group':
      return run('createDirectoryGroup', { body: { displayName: one.group, members: refs(one.user) } })
    case 'add':
    case 'remove': {
      const ref = groupId(one.group)
      const value = refs(one.user)
      if (one.as === 'put' && ref !== MISSING) {
        const others = Array.from(view.by('members_of_directory_group', ref), ({ user: key }) => key).filter(
          (key) => key !== one.user,
        )
        const members = [...others.flatMap(refs), ...(one.do === 'add' ? value : [])]
        return run('replaceDirectoryGroup', { ref, body: { displayName: one.group, members } })
      }
      const operation =
        one.do === 'add'
          ? { op: 'Add', path: 'members', value }
          : one.as === 'path'
            ? { op: 'remove', path: `members[value eq "${userId(one.user)}"]` }
            : { op: 'Remove', path: 'members', value }
      return run('updateDirectoryGroup', { ref, body: patch(operation) })
    }
    case 'rename':
      return run('updateDirectoryGroup', {
        ref: groupId(one.group),
        body: patch({ op: 'replace', value: { displayName: one.to } }),
      })
    case 'ungroup':
      return run('deleteDirectoryGroup', { ref: groupId(one.group) })
    case 'rule': {
      const match = one.pattern === 'team' ? 'prefix' : 'exact'
      return run('createGroupRule', {
        group: { by: 'display_name', match, value: one.pattern },
        role: 'editor',
        tenant: 'acme',
      })
    }
    case 'unrule': {
      const rule = [...view.list('group_rule')].find(({ group: of }) => of.value === one.pattern)
      return run('deleteGroupRule', { ref: rule?.id ?? MISSING })
    }
    case 'make':
      return run('createUser', { key: one.user })
    case 'assign':
    case 'unassign':
      return run(one.do, { user: one.user, role: 'editor', tenant: 'acme' })
    case 'suspend':
      return run('suspendUser', { ref: one.user, suspension: { reason: 'by hand' } })
    case 'resume':
      return run('resumeUser', { ref: one.user })
    case 'describe':
      return run('updateUser', { ref: one.user, fields: { attributes: { level: 1 } } })
    default:
      return one satisfies never
  }
}

const ACTIONS = ['edit', 'read'] as const

/** Users are there, described, and allowed what the definition gives. */
function compare(draft: Draft, definition: Definition, message: string): void {
  const changes = PROJECTED_KINDS.flatMap((kind) =>
    Array.from(draft.list(kind), (object) => project(put(kind, object as never)) ?? []).flat(),
  ).filter(({ op }) => op === 'put')
  const pdp = new Pdp(new FixedImage(Image.build(ENVIRONMENT, makePosition(1), changes)))
  compareAnswers(draft, pdp, definition, message)
}

/** The same of a PDP. @throws where they differ, which the message says */
export function compareAnswers(view: View, pdp: Pdp, definition: Definition, message: string): void {
  for (const key of USERS) {
    const stored = view.get('user', key)
    const person = definition.people.get(key)
    const found = [
      stored !== undefined,
      stored?.attributes.level === 1,
      stored?.attributes.department ?? null,
      ...ACTIONS.map((action) => pdp.at(NOW).check(key, action, { type: 'doc', tenant: 'acme' })),
    ]
    const wanted = [
      person !== undefined,
      person?.isDescribed === true,
      person?.department ?? null,
      ...ACTIONS.map((action) => definition.isAllowed(key, action)),
    ]
    if (String(found) !== String(wanted)) throw new Error(`${message} ${key} is ${wanted}, and not ${found}`)
  }
}

/** Faults that the walks find: each by the tag of its place. */
export const OF_DIRECTORIES = {
  'takes-the-claims-of-others': 'true',
  'false-as-text': "lower === 'false' ? true : undefined",
  'keeps-what-is-no-longer-given': '[]',
}
