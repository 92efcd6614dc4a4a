// The draft of the page Policy, without a page: edits, what others changed meanwhile, and the changes for the API,
// which are carried out here on plain roles as the API does.
import { describe, expect, it } from 'vitest'
import {
  type Edits,
  editedRoles,
  listChanges,
  listConflicts,
  NO_EDITS,
  onTop,
  unsavedEdits,
  withoutEdit,
  withoutRole,
  withPermission,
  withRole,
} from '../../../console/src/pages/policy/draft.ts'
import { Inheritance, type Role, type Roles, reachesRole } from '../../../console/src/pages/policy/policy.ts'

const role = (key: string, permissions: readonly string[] = [], parents: readonly string[] = []): Role => {
  const about = {
    name: key,
    description: null,
    default_duration: null,
    max_duration: null,
    everybody: null,
    assignable_by_tenants: null,
    requestable: null,
    extendable: null,
  }
  return { key, ...about, permissions, extends: parents }
}
const toRoles = (...roles: readonly Role[]): Roles => new Map(roles.map((each) => [each.key, each]))
const ALL = new Set(['doc:read', 'doc:write', 'doc:delete'])

describe('edits', () => {
  const stored = toRoles(role('reader', ['doc:read']), role('writer', ['doc:write'], ['reader']))

  it('are gone when a role is what it was again', () => {
    const given = withPermission(stored, NO_EDITS, 'reader', 'doc:delete', true)
    expect(editedRoles(stored, given).get('reader')?.permissions).toEqual(['doc:read', 'doc:delete'])
    expect(withPermission(stored, given, 'reader', 'doc:delete', false).size).toBe(0)
    expect(withPermission(stored, given, 'reader', 'doc:delete', true)).toBe(given)
    expect(withPermission(stored, NO_EDITS, 'nobody', 'doc:read', true)).toBe(NO_EDITS)
  })

  it('are none where the role is stored as they have it', () => {
    const given = withPermission(stored, NO_EDITS, 'reader', 'doc:delete', true)
    const both = withPermission(stored, given, 'writer', 'doc:read', true)
    expect(unsavedEdits(stored, both)).toBe(both)
    expect([...unsavedEdits(editedRoles(stored, given), both).keys()]).toEqual(['writer'])
    expect(unsavedEdits(editedRoles(stored, both), both).size).toBe(0)
    const deleted = withoutRole(stored, NO_EDITS, 'writer')
    expect(unsavedEdits(editedRoles(stored, deleted), deleted).size).toBe(0)
  })

  it('of a deleted role take it out of what extends it, and give it back', () => {
    const deleted = withoutRole(stored, NO_EDITS, 'reader')
    expect(editedRoles(stored, deleted).get('writer')?.extends).toEqual([])
    expect([...editedRoles(stored, deleted).keys()]).toEqual(['writer'])
    expect(withoutEdit(stored, deleted, 'reader').size).toBe(0)
    const made = withRole(stored, NO_EDITS, 'guest', role('guest'))
    const extended = withRole(stored, made, 'reader', role('reader', ['doc:read'], ['guest']))
    expect(withoutEdit(stored, extended, 'guest').size).toBe(0)
  })
})

it('a draft that the tab kept before there were durations changes none', () => {
  const { default_duration: _, max_duration: __, ...rest } = role('reader', ['doc:read'])
  const older = rest as Role
  const given = { ...older, permissions: ['doc:read', 'doc:write'] }
  const kept: Edits = new Map([['reader', { base: older, now: given }]])
  expect(listConflicts(toRoles(role('reader', ['doc:read'])), ALL, kept)).toEqual([])
  expect(listChanges(kept)).toMatchObject([{ key: 'reader', value: { permissions: ['doc:read', 'doc:write'] } }])
  expect(Object.keys(listChanges(kept)[0]!.value!)).toEqual(['permissions'])
})

describe('what others changed meanwhile', () => {
  const before = toRoles(role('reader', ['doc:read']), role('writer', ['doc:write'], ['reader']))
  const mine = withPermission(before, NO_EDITS, 'writer', 'doc:delete', true)

  it('is a conflict only in roles of the draft', () => {
    expect(listConflicts(toRoles(role('reader'), before.get('writer')!), ALL, mine)).toEqual([])
    const after = toRoles(before.get('reader')!, role('writer', ['doc:read'], []))
    expect(listConflicts(after, ALL, mine).map(({ key }) => key)).toEqual(['writer'])
  })

  it('and the edits are put together, permission by permission', () => {
    const after = toRoles(before.get('reader')!, { ...role('writer', ['doc:read']), name: 'Writers' })
    const merged = onTop(after, ALL, mine)
    expect(listConflicts(after, ALL, merged)).toEqual([])
    expect(editedRoles(after, merged).get('writer')).toEqual({
      ...role('writer', ['doc:read', 'doc:delete']),
      name: 'Writers',
    })
  })

  it('a name that both gave is that of the draft', () => {
    const named = withRole(before, NO_EDITS, 'reader', { ...before.get('reader')!, name: 'Mine' })
    const after = toRoles({ ...role('reader', ['doc:read']), name: 'Theirs' })
    expect(editedRoles(after, onTop(after, ALL, named)).get('reader')?.name).toBe('Mine')
  })

  it('a role that they deleted is made again, and one that both deleted is gone', () => {
    const after = toRoles(role('reader', ['doc:read']))
    expect(listChanges(onTop(after, ALL, mine)).map(({ op, key }) => `${op} ${key}`)).toEqual([
      'create writer',
      'update writer',
    ])
    expect(onTop(after, ALL, withoutRole(before, NO_EDITS, 'writer')).size).toBe(0)
  })

  it('what does not exist any more is named, and left out', () => {
    const left = new Set(['doc:read', 'doc:write'])
    expect(listConflicts(before, left, mine).map(({ missing }) => missing)).toEqual([['doc:delete']])
    expect(onTop(before, left, mine).size).toBe(0)
    const child = withRole(before, NO_EDITS, 'guest', role('guest', [], ['writer']))
    const after = toRoles(role('reader', ['doc:read']))
    expect(listConflicts(after, ALL, child).map(({ missing }) => missing)).toEqual([['writer']])
    expect(editedRoles(after, onTop(after, ALL, child)).get('guest')?.extends).toEqual([])
  })
})

/** Carries out the changes one by one. @throws where the API would: a role that is not there, or a ring of roles */
function carriedOut(stored: Roles, edits: Edits): Roles {
  const roles = new Map(stored)
  for (const { op, key, value } of listChanges(edits)) {
    if (op === 'delete') {
      roles.delete(key)
      for (const each of [...roles.values()])
        roles.set(each.key, { ...each, extends: each.extends.filter((parent) => parent !== key) })
      continue
    }
    const base = op === 'create' ? role(key) : roles.get(key)
    if (base === undefined || (op === 'create' && roles.has(key))) throw new Error(`${op} ${key}`)
    const next = { ...base, ...(value as Partial<Role>) }
    for (const parent of next.extends) {
      if (!roles.has(parent)) throw new Error(`${key} extends ${parent}, which is not there`)
      if (reachesRole(roles, parent, key)) throw new Error(`${key} and ${parent} extend each other`)
    }
    roles.set(key, next)
  }
  return roles
}

const sorted = (roles: Roles) =>
  [...roles.values()]
    .map((each) => ({ ...each, permissions: [...each.permissions].sort(), extends: [...each.extends].sort() }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))

describe('the changes for the API', () => {
  it('turn roles around that extend each other', () => {
    const stored = toRoles(role('a', [], ['b']), role('b'))
    const loosened = withRole(stored, NO_EDITS, 'a', role('a'))
    const turned = withRole(stored, loosened, 'b', role('b', [], ['a']))
    expect(sorted(carriedOut(stored, turned))).toEqual(sorted(editedRoles(stored, turned)))
  })

  it('end in the roles of the draft, whatever was edited', () => {
    let seed = 11
    const below = (bound: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * bound)
    }
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const permissions = [...ALL]
    for (let round = 0; round < 200; round++) {
      let stored: Roles = toRoles(
        role('a'),
        role('b', ['doc:read'], ['a']),
        role('c', [], ['b']),
        role('d', [], ['c', 'a']),
      )
      let edits = NO_EDITS
      for (let step = 0; step < 12; step++) {
        const key = keys[below(keys.length)]!
        const there = editedRoles(stored, edits)
        const known = there.get(key)
        if (known === undefined) edits = withRole(stored, edits, key, role(key))
        else if (below(5) === 0) edits = withoutRole(stored, edits, key)
        else if (below(2) === 0) edits = withPermission(stored, edits, key, permissions[below(3)]!, below(2) === 0)
        else {
          const parent = keys[below(keys.length)]!
          const others = known.extends.filter((each) => each !== parent)
          const canExtend = there.has(parent) && !reachesRole(there, parent, key) && below(3) > 0
          edits = withRole(stored, edits, key, { ...known, extends: canExtend ? [...others, parent] : others })
        }
        if (below(8) === 0) {
          // somebody else saves something
          const other = keys[below(4)]!
          const theirs = stored.get(other)
          if (theirs !== undefined)
            stored = new Map(stored).set(other, { ...theirs, permissions: [permissions[below(3)]!] })
          edits = onTop(stored, ALL, edits)
        }
      }
      expect(listConflicts(stored, ALL, edits)).toEqual([])
      expect(sorted(carriedOut(stored, edits))).toEqual(sorted(editedRoles(stored, edits)))
    }
  })
})

it('what a role inherits names the nearest role that has it', () => {
  const roles = toRoles(
    role('top', ['doc:read', 'doc:delete']),
    role('middle', ['doc:read'], ['top']),
    role('bottom', [], ['middle']),
    role('ring', ['doc:write'], ['ring']),
  )
  const inheritance = new Inheritance(roles)
  expect([...inheritance.of('bottom')].sort()).toEqual([
    ['doc:delete', 'top'],
    ['doc:read', 'middle'],
  ])
  expect([...inheritance.of('top')]).toEqual([])
  expect([...inheritance.of('ring')]).toEqual([['doc:write', 'ring']])
})
