// What the law of access diffs leaves open: pages, budgets, what cannot be decided, and copies of images.
import { describe, expect, it } from 'vitest'
import { GOALS_MAX } from '../../assembly/limits.ts'
import { type AccessDiffOptions, accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyKind, PolicyObjects } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { AccessFlip } from '../../src/model/access-diff.ts'
import { ACCESS_GROUPS_MAX, ACCESS_PAGE_DEFAULT } from '../../src/model/limits.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

const put = <K extends PolicyKind>(kind: K, key: string, value: PolicyObjects[K]) =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const NONE = { no_direct_roles_on_object: false }

/** Users with a role, each in a tenant of its own or all in one. */
function policy(users: number, tenants: number): PolicyChange[] {
  const changes = [put('resource', 'doc', { actions: ['read', 'write'] }), put('role', 'viewer', viewer('doc:read'))]
  for (let at = 0; at < tenants; at++) changes.push(put('tenant', `t${at}`, {}))
  for (let at = 0; at < users; at++) {
    const [user, tenant] = [`u${at}`, `t${at % tenants}`]
    changes.push(put('user', user, {}))
    changes.push(put('role_assignment', `${user}/viewer/${tenant}`, { user, role: 'viewer', tenant }))
  }
  return changes
}
const viewer = (...permissions: string[]) => ({ permissions, extends: [] })
const MORE = [put('role', 'viewer', viewer('doc:read', 'doc:write'))]

/** The diff of a change of an image that has just this. */
function diffImages(contents: readonly PolicyChange[], changes: readonly PolicyChange[]) {
  const before = Image.build(ENVIRONMENT, makePosition(1), contents)
  const after = before.clone()
  after.apply(deltaTo(2, changes))
  return (options: Partial<AccessDiffOptions> = {}) => accessDiff(before, after, changes, { now: 0, ...options }).access
}

describe('pages of an access diff', () => {
  it('have a hundred answers by default, and joined are the whole', () => {
    const diff = diffImages(policy(250, 7), MORE)
    const whole = diff({ first: 1_000 }).gained
    expect([whole.first.length, whole.decisions, whole.users, whole.next]).toEqual([250, 250, 250, null])
    expect(diff().gained.first).toEqual(whole.first.slice(0, ACCESS_PAGE_DEFAULT))
    const joined: AccessFlip[] = []
    for (let after: string | undefined; ; ) {
      const { first, next, decisions } = diff({ first: 60, after }).gained
      expect([first.length <= 60, decisions]).toEqual([true, 250])
      joined.push(...first)
      if (typeof next !== 'string') break
      after = next
    }
    expect(joined).toEqual(whole.first)
  })

  it('begin anew in the direction that the cursor is not of', () => {
    const lose = [...MORE.slice(1), put('role', 'viewer', viewer('doc:write'))]
    const diff = diffImages(policy(5, 1), lose)
    const { gained, lost } = diff({ first: 2 })
    const second = diff({ first: 2, after: gained.next! })
    expect(second.gained.first.map(({ user }) => user)).toEqual(['u2', 'u3'])
    expect(second.lost).toEqual(lost)
  })

  it('refuse an invalid cursor', () => {
    const diff = diffImages(policy(1, 1), MORE)
    for (const after of ['', '!', Buffer.from('["gained"]').toString('base64url')])
      expect(() => diff({ after })).toThrow('the cursor is not one of an access diff')
  })
})

describe('an access diff', () => {
  it('counts the groups that it does not show', () => {
    const [least, most] = [ACCESS_GROUPS_MAX, ACCESS_GROUPS_MAX + 1].map((tenants) => {
      const { groups, more_groups } = diffImages(policy(tenants, tenants), MORE)().gained
      return [groups.length, more_groups]
    })
    expect([least, most]).toEqual([
      [ACCESS_GROUPS_MAX, 0],
      [ACCESS_GROUPS_MAX, 1],
    ])
  })

  it('is not complete when the budget is spent, and says what it found', () => {
    const diff = diffImages(policy(200, 1), MORE)
    const [none, some, all] = [0, 4_000, 100_000].map((budget) => diff({ budget }).gained)
    expect([none!.decisions, none!.complete]).toEqual([0, false])
    expect(some!.complete).toBe(false)
    expect(some!.decisions).toBeGreaterThan(0)
    expect(some!.decisions).toBeLessThan(200)
    expect([all!.decisions, all!.complete]).toEqual([200, true])
  })

  it('[D13] is not complete when a question could not be decided', () => {
    const contents = folders(GOALS_MAX + 1)
    const last = contents.findLast(({ kind }) => kind === 'relationship_tuple')!
    const removed: PolicyChange[] = [{ op: 'delete', kind: last.kind, key: last.key }]
    const { gained, lost } = diffImages(contents, removed)()
    expect([gained.complete, lost.complete, lost.decisions]).toEqual([false, false, 0])
    const few = diffImages(folders(10), [
      { op: 'delete', kind: 'relationship_tuple', key: 'folder:f8/parent/folder:f9' },
    ])()
    expect([few.lost.complete, few.lost.decisions]).toEqual([true, 1])
  })

  it('costs and says nothing when decisions read the same as before', () => {
    const before = Image.build(ENVIRONMENT, makePosition(1), policy(3, 1))
    const changes = [put('role', 'viewer', viewer('doc:read')), put('user', 'u0', {}), put('tenant', 't0', {})]
    const { gained, lost } = accessDiff(before, before, changes, { now: 0, budget: 100 }).access
    expect([gained.complete, gained.decisions, lost.decisions]).toEqual([true, 0, 0])
  })
})

/** Folders in one another, and an owner of the first. */
function folders(count: number): PolicyChange[] {
  const derived = { role: 'owner', on_resource: 'folder', linked_by_relation: 'parent', when: NONE }
  const owner = { resource: 'folder', role: 'owner', permissions: ['folder:open'], extends: [] }
  const changes = [
    put('tenant', 't', {}),
    put('user', 'ana', {}),
    put('resource', 'folder', { actions: ['open'] }),
    put('resource_role', 'folder/owner', { ...owner, granted_to: { when: NONE, users_with_role: [derived] } }),
  ]
  for (let at = 0; at < count; at++) {
    const object = `folder:f${at}`
    changes.push(put('resource_instance', object, { tenant: 't' }))
    const subject = `folder:f${at - 1}`
    if (at > 0)
      changes.push(put('relationship_tuple', `${subject}/parent/${object}`, { subject, relation: 'parent', object }))
  }
  const assignment = { user: 'ana', role: 'owner', tenant: 't', resource_instance: 'folder:f0' }
  return [...changes, put('role_assignment', 'ana/owner/t/folder:f0', assignment)]
}

describe('a copy of an image', () => {
  it('has the same contents, and changes by itself', () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), policy(20, 3))
    const copy = image.clone()
    expect([copy.hash(), copy.position, copy.isCopyOf(image)]).toEqual([image.hash(), image.position, true])
    copy.apply(deltaTo(2, MORE))
    expect([image, copy].map((each) => each.check('u1', 'write', 'doc', 't1'))).toEqual([false, true])
    expect([image.revision, copy.revision]).toEqual([1, 2])
    copy.verify()
    image.verify()
    expect(copy.isCopyOf(image)).toBe(true)
  })

  it('is not a copy of an image that changed since, nor of another one', () => {
    const image = Image.build(ENVIRONMENT, makePosition(1), policy(2, 1))
    const copy = image.clone()
    image.apply(deltaTo(2, MORE))
    expect(copy.isCopyOf(image)).toBe(false)
    expect(image.isCopyOf(copy)).toBe(false)
    expect(image.clone().isCopyOf(copy)).toBe(false)
  })
})
