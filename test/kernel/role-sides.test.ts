// Roles on instances as user sets (D17) in the kernel: the searches of one question share the steps of one (D13), and the
// permissions that stand for roles are there as long as a rule names them, and are those of no action.
import { describe, expect, it } from 'vitest'
import { RELATION_STEPS_MAX, ROLE_SIDES_MAX } from '../../assembly/limits.ts'
import { Image } from '../../src/image/image.ts'
import type { KernelSource } from '../../src/kernel/module.ts'
import type { PolicyPut } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { kernelWith } from '../support/canary-kernel.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { OF_ROLE_SIDES } from './canaries.ts'

const put = (kind: string, key: string, value: object) => ({ op: 'put', kind, key, value }) as unknown as PolicyPut
const gone = (kind: string, key: string) => ({ op: 'delete', kind, key }) as PolicyChange
const NEVER = { no_direct_roles_on_object: false }

/** Tuples of the document, and rules of each role that look at all of them: one search is far below the limit, two above. */
const TUPLES = 8000
const RULES = 5

function role(key: string, more: object = {}): PolicyPut {
  const rules = Array.from({ length: RULES }, (_, at) => {
    return { role: 'in', on_resource: 'folder', linked_by_relation: `other${at}`, when: NEVER }
  })
  const granted_to = { when: NEVER, users_with_role: rules }
  return put('resource_role', `doc/${key}`, {
    resource: 'doc',
    role: key,
    permissions: [],
    extends: [],
    granted_to,
    ...more,
  })
}
const rule = (key: string, action = 'write'): PolicyPut => {
  const [user_set, permission, resource_set] = [`__autogen_doc#${key}`, `doc:${action}`, '__autogen_doc']
  return put('set_rule', `${user_set}/${permission}/${resource_set}`, { user_set, permission, resource_set })
}
const assigned = (user: string, key: string): PolicyPut =>
  put('role_assignment', `${user}/${key}/default/doc:1`, {
    user,
    role: key,
    tenant: 'default',
    resource_instance: 'doc:1',
  })

const BASE: readonly PolicyPut[] = [
  put('resource', 'folder', { actions: [] }),
  put('resource', 'doc', { actions: ['read', 'write'] }),
  put('tenant', 'default', {}),
  put('user', 'ana', {}),
  put('user', 'ben', {}),
  put('resource_role', 'folder/in', { resource: 'folder', role: 'in', permissions: [], extends: [], granted_to: null }),
  put('resource_instance', 'doc:1', { tenant: 'default' }),
]
const build = (changes: readonly PolicyPut[], kernel: KernelSource = 'debug') =>
  Image.build(ENVIRONMENT, makePosition(1), [...BASE, ...changes], { kernel })

function withTuples(changes: readonly PolicyPut[], kernel?: KernelSource): Image {
  const folders = Array.from({ length: TUPLES }, (_, at) => `folder:${at}`)
  return build(
    [
      ...folders.map((key) => put('resource_instance', key, { tenant: 'default' })),
      ...folders.map((subject) => {
        return put('relationship_tuple', `${subject}/parent/doc:1`, { subject, relation: 'parent', object: 'doc:1' })
      }),
      ...changes,
    ],
    kernel,
  )
}
const ask = (image: Image, user: string, action = 'write') => image.check(user, action, 'doc', undefined, '1')

describe('the searches for roles that are user sets', () => {
  const roles = [role('one'), role('two')]

  it('share the steps of one: two together are too many, each is not, and what allows is enough', () => {
    expect(TUPLES * RULES).toBeLessThan(RELATION_STEPS_MAX)
    expect(2 * TUPLES * RULES).toBeGreaterThan(RELATION_STEPS_MAX)
    expect(ask(withTuples([...roles, rule('one')], 'release'), 'ana')).toBe(false)
    const both = withTuples(
      [...roles, rule('one'), rule('two'), assigned('ben', 'one'), assigned('ben', 'two')],
      'release',
    )
    expect(() => ask(both, 'ana')).toThrow(expect.objectContaining({ code: 'UNDECIDED' }))
    expect(ask(both, 'ben')).toBe(true)
  })

  it('and a kernel in which each has its own is found', { timeout: 60_000 }, async () => {
    const kernel = await kernelWith({ 'steps-of-all-searches': OF_ROLE_SIDES['steps-of-all-searches'] })
    expect(ask(withTuples([...roles, rule('one'), rule('two')], kernel), 'ana')).toBe(false)
  })

  it('are ROLE_SIDES_MAX at most: with more roles a deny could not be decided', () => {
    const keys = Array.from({ length: ROLE_SIDES_MAX + 1 }, (_, at) => `role${at}`)
    const bare = (key: string) => role(key, { granted_to: null })
    const most = keys.slice(1)
    const image = build([
      ...most.map(bare),
      ...most.map((key) => rule(key)),
      ...most.map((key) => assigned('ben', key)),
    ])
    expect([ask(image, 'ana'), ask(image, 'ben')]).toEqual([false, true])
    const more = build([...keys.map(bare), ...keys.map((key) => rule(key))])
    expect(() => ask(more, 'ana')).toThrow(expect.objectContaining({ code: 'UNDECIDED' }))
  })
})

describe('the permission that stands for a role', () => {
  const apply = (image: Image, ...changes: PolicyChange[]) => {
    image.apply(deltaTo(image.revision + 1, changes))
    image.verify()
  }

  it('comes with the first rule and goes with the last, whatever is written in between, and is no action', () => {
    const bare = (more: object = {}) => role('editor', { granted_to: null, ...more })
    const image = build([bare(), assigned('ana', 'editor')])
    const permissions = image.stats().permissions
    apply(image, rule('editor'), rule('editor', 'read'))
    expect([ask(image, 'ana'), ask(image, 'ana', 'read')]).toEqual([true, true])
    apply(image, bare({ permissions: ['doc:read'] }))
    apply(image, gone('set_rule', '__autogen_doc#editor/doc:read/__autogen_doc'))
    apply(image, bare())
    expect([ask(image, 'ana'), ask(image, 'ana', 'read')]).toEqual([true, false])
    expect(image.stats().permissions).toBe(permissions)
    expect(image.listings.actions('ana', { type: 'doc', key: '1', tenant: undefined, sent: undefined })).toEqual([
      'write',
    ])
    for (const action of ['#editor', 'editor', 'doc/editor']) expect(ask(image, 'ana', action)).toBe(false)
    apply(image, gone('set_rule', '__autogen_doc#editor/doc:write/__autogen_doc'))
    expect(ask(image, 'ana')).toBe(false)
    apply(image, rule('editor'))
    expect(ask(image, 'ana')).toBe(true)
    expect(image.compact().hash()).toBe(
      build([bare(), assigned('ana', 'editor'), rule('editor')])
        .compact()
        .hash(),
    )
  })

  it('is refused for a role that is not there, and for a permission of another type', () => {
    const image = build([role('editor', { granted_to: null })])
    const of = (key: string, permission: string) =>
      put('set_rule', `__autogen_${key}/${permission}/__autogen_doc`, {
        ...{ user_set: `__autogen_${key}`, permission, resource_set: '__autogen_doc' },
      })
    const refuse = (change: PolicyPut) =>
      expect(() => image.apply(deltaTo(image.revision + 1, [change]))).toThrow(
        expect.objectContaining({ code: 'DELTA_INVALID' }),
      )
    refuse(of('doc#owner', 'doc:write'))
    refuse(of('doc#', 'doc:write'))
    refuse(of('doc#editor#more', 'doc:write'))
    refuse(of('folder#in', 'doc:write'))
    expect(() => build([of('folder#in', 'doc:write')])).toThrow(expect.objectContaining({ code: 'STATE_INVALID' }))
    expect(() => build([of('doc#owner', 'doc:write')])).toThrow(expect.objectContaining({ code: 'STATE_INVALID' }))
  })
})
