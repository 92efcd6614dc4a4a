// Rows, columns and the keyboard of the matrix, without a page.
import { expect, it } from 'vitest'
import type { Conditions } from '../../../console/src/pages/conditions/condition-model.ts'
import { describeConditions } from '../../../console/src/pages/conditions/conditions-in-words.ts'
import { rulesByCell, toAccessRule } from '../../../console/src/pages/policy/access-rules.ts'
import { NO_EDITS, withoutRole, withPermission, withRole } from '../../../console/src/pages/policy/draft.ts'
import { moved } from '../../../console/src/pages/policy/matrix-position.ts'
import {
  cellLabel,
  isCellChanged,
  listColumns,
  listInstanceRows,
  listRows,
  type Row,
} from '../../../console/src/pages/policy/matrix-rows.ts'
import type { ResourceType, Role, Roles } from '../../../console/src/pages/policy/policy.ts'
import { makeRequestableForm } from '../../../console/src/pages/policy/requestable.ts'
import {
  keyOfName,
  makeRoleForm,
  parentsFor,
  problemsOfRole,
  readRoleAbout,
} from '../../../console/src/pages/policy/role-form.ts'
import { DURATION_FORM, formatSeconds, parseDuration } from '../../../src/model/durations.ts'

const role = (key: string, name: string, permissions: readonly string[], parents: readonly string[] = []): Role => {
  const about = {
    name,
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
const STORED: Roles = new Map(
  [role('viewer', 'Viewer', ['doc:read']), role('editor', 'Redaktion', [], ['viewer'])].map((each) => [each.key, each]),
)
const RESOURCES: readonly ResourceType[] = [
  {
    key: 'doc',
    name: 'Document',
    actions: [
      { key: 'read', name: 'Open' },
      { key: 'write', name: 'write' },
    ],
  },
  { key: 'folder', name: 'folder', actions: [{ key: 'read', name: 'read' }] },
]

it('rows are stored roles, then new ones, found by key and name', () => {
  const edits = withoutRole(STORED, withRole(STORED, NO_EDITS, 'clerk', role('clerk', 'Straße', [])), 'viewer')
  const states = listRows(STORED, edits, {}).map(({ key, state }) => `${key} ${state}`)
  expect(states).toEqual(['viewer deleted', 'editor changed', 'clerk new'])
  expect(listRows(STORED, edits, { role: 'REDAK' }).map(({ key }) => key)).toEqual(['editor'])
  // as the API compares them
  expect(listRows(STORED, edits, { role: 'STRASSE' }).map(({ key }) => key)).toEqual(['clerk'])
  expect(listRows(STORED, NO_EDITS, { isChanged: true })).toEqual([])
})

it('columns are found by keys and names of resources and actions, and by what a draft changes', () => {
  const permissions = (action: string) => listColumns(RESOURCES, undefined, { action }).map((each) => each.permission)
  expect(permissions('')).toEqual(['doc:read', 'doc:write', 'folder:read'])
  expect(permissions('docum')).toEqual(['doc:read', 'doc:write'])
  expect(permissions('open')).toEqual(['doc:read'])
  const edits = withPermission(STORED, NO_EDITS, 'viewer', 'folder:read', true)
  expect(listColumns(RESOURCES, edits, {}).map((each) => each.permission)).toEqual(['folder:read'])
  expect(listColumns(RESOURCES, undefined, {}).map(({ isFirst }) => isFirst)).toEqual([true, false, true])
})

it('a cell says whether it is own, inherited, and saved', () => {
  const edits = withPermission(STORED, NO_EDITS, 'editor', 'doc:read', true)
  const [viewer, editor] = listRows(STORED, edits, {})
  const inherited = new Map([['doc:read', 'viewer']])
  expect(cellLabel(viewer!, 'doc:read', new Map())).toBe('viewer has doc:read: direct')
  expect(cellLabel(viewer!, 'doc:write', new Map())).toBe('viewer does not have doc:write')
  expect(cellLabel(editor!, 'doc:read', inherited)).toBe(
    'editor has doc:read: direct, and inherited from viewer, not saved',
  )
  expect([isCellChanged(editor!, 'doc:read'), isCellChanged(editor!, 'doc:write')]).toEqual([true, false])
})

it('the keyboard stays inside of the matrix', () => {
  const size = { rows: 3, columns: 4, page: 2 }
  const go = (key: string, row: number, column: number, ctrlKey = false) =>
    moved({ row, column }, { key, ctrlKey, metaKey: false }, size)
  expect(go('ArrowRight', 0, 3)).toEqual({ row: 0, column: 3 })
  expect(go('ArrowLeft', 0, 0)).toEqual({ row: 0, column: -1 })
  expect(go('ArrowLeft', 0, -1)).toEqual({ row: 0, column: -1 })
  expect(go('ArrowDown', 2, 1)).toEqual({ row: 2, column: 1 })
  expect(go('Home', 2, 3)).toEqual({ row: 2, column: -1 })
  expect(go('Home', 2, 3, true)).toEqual({ row: 0, column: -1 })
  expect(go('End', 0, 0)).toEqual({ row: 0, column: 3 })
  expect(go('End', 0, 0, true)).toEqual({ row: 2, column: 3 })
  expect(go('PageDown', 0, 1)).toEqual({ row: 2, column: 1 })
  expect(go('PageUp', 2, 1)).toEqual({ row: 0, column: 1 })
  expect(go('a', 0, 0)).toBeUndefined()
})

it('a new role needs a key of its own, and cannot extend what extends it', () => {
  const form = {
    name: '',
    description: '',
    parents: [],
    usual: '',
    most: '',
    isForEverybody: false,
    isForTenants: false,
    isExtendable: false,
    requestable: makeRequestableForm(null),
  }
  expect(problemsOfRole({ ...form, key: '' }, STORED).key).toBe('A role needs a key')
  expect(problemsOfRole({ ...form, key: 'a b' }, STORED).key).toMatch(/^Letters/)
  expect(problemsOfRole({ ...form, key: 'viewer' }, STORED).key).toMatch(/already/)
  expect(problemsOfRole({ ...form, key: 'viewer' }, undefined)).toEqual({})
  const durations = (usual: string, most: string) => problemsOfRole({ ...form, key: 'viewer', usual, most }, undefined)
  expect(durations('7d', '')).toEqual({})
  expect(durations(' 168h ', '7d')).toEqual({})
  expect(durations('a week', '0')).toEqual({ most: DURATION_FORM })
  expect(durations('40000d', '')).toEqual({ usual: DURATION_FORM })
  expect(durations('8d', '7d')).toEqual({ usual: 'Longer than the maximum' })
  const timed = { ...role('viewer', 'Viewer', []), default_duration: 90 * 60, max_duration: 7 * 86_400 }
  expect(makeRoleForm(timed)).toMatchObject({ usual: '90m', most: '7d' })
  expect(readRoleAbout({ ...makeRoleForm(timed), usual: '' })).toMatchObject({
    default_duration: null,
    max_duration: 7 * 86_400,
  })
  expect(keyOfName(' Büro & Post, Süd ')).toBe('buro-post-sud')
  expect(parentsFor(STORED, 'viewer')).toEqual([])
  expect(parentsFor(STORED, 'editor')).toEqual([{ key: 'viewer', about: 'Viewer' }])
})

it('a duration is shown as it can be typed', () => {
  for (const seconds of [1, 59, 60, 90, 3_600, 5_400, 86_400, 7 * 86_400, 3_155_760_000])
    expect(parseDuration(formatSeconds(seconds))).toBe(seconds)
})

it('a cell names the access rules that give it, also to roles on instances that extend the one of the rule', () => {
  const roles: Roles = new Map(
    [role('doc#editor', 'doc#editor', ['doc:read']), role('doc#owner', 'doc#owner', [], ['doc#editor'])].map((each) => [
      each.key,
      each,
    ]),
  )
  const rule = (user_set: string, resource_set: string) => ({ user_set, permission: 'doc:write', resource_set })
  const sent = [
    rule('__autogen_doc#editor', 'open'),
    rule('__autogen_viewer', '__autogen_doc'),
    rule('staff', 'open'), // a set of users, which has no row
  ]
  const cells = rulesByCell(sent.flatMap(toAccessRule), roles)
  expect([...cells.keys()].sort()).toEqual(['doc#editor', 'doc#owner', 'viewer'])
  const label = (row: Row, permission = 'doc:write') =>
    cellLabel(row, permission, new Map(), cells.get(row.key)?.get(permission))
  const [editor, owner] = listInstanceRows(roles, {})
  expect(label(editor!)).toBe('doc#editor has doc:write: conditional, on open')
  expect(label(owner!)).toBe('doc#owner has doc:write: conditional, on open, from doc#editor')
  expect(label(editor!, 'doc:read')).toBe('doc#editor has doc:read: direct')
  const [viewer, redaktion] = listRows(STORED, NO_EDITS, {})
  expect(label(viewer!)).toBe('viewer has doc:write: by an access rule')
  expect(label(redaktion!)).toBe('editor does not have doc:write') // a role in tenants is exact (D6)
  expect(listInstanceRows(roles, { role: 'OWN' }).map(({ key }) => key)).toEqual(['doc#owner'])
})

it('conditions are said in one sentence', () => {
  const say = (conditions: Conditions) => describeConditions(conditions)
  expect(say({})).toBeUndefined()
  expect(say({ not: { 'resource.archived': { equals: true } } })).toBe('not (resource.archived is true)')
  const size = { 'resource.size': { 'less-than': 10 } }
  expect(say({ allOf: [size, { anyOf: [{ 'user.key': { equals: { ref: 'resource.owner' } } }, size] }] })).toBe(
    'resource.size less than 10 and (user.key is resource.owner or resource.size less than 10)',
  )
})
