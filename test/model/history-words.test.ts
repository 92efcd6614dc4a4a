// What a revision did, in words: every kind of object and every operation that a log knows has a phrase, and none shows
// a name that only machines use.
import { expect, it } from 'vitest'
import {
  historySentence,
  KIND_WORDS,
  type ObjectOp,
  OPERATION_WORDS,
  objectSentence,
  operationSentence,
  type WrittenObject,
} from '../../src/kinds/history-words.ts'
import type { KindName } from '../../src/kinds/index.ts'
import { useCases } from '../../src/management/host/registry.ts'

/** Written by the process itself, without a use case of the same name. */
const OTHERS = ['createOrganization', 'historyLost', 'readSecret', 'export', 'backup']
const OPS: readonly ObjectOp[] = ['create', 'update', 'delete']
/** A key of each kind, as the log has it. */
const KEYS: Readonly<Record<KindName, string>> = {
  resource: 'invoice',
  role: 'editor',
  user: 'ana',
  access_request: '0'.repeat(32),
  tenant: 'acme',
  role_assignment: 'ana/editor/acme',
  membership: 'acme/ana',
  resource_role: 'folder/owner',
  relation: 'folder/parent',
  action_group: 'folder/all',
  condition_set: 'staff',
  set_rule: '__autogen_editor/read/large',
  resource_instance: 'folder:plans',
  relationship_tuple: 'folder:plans/parent/document:a',
  group: 'team:red',
  tenant_role: 'bookkeeper@acme',
  built_in: '__user',
  user_invite: 'ana',
  proxy_config: 'gateway',
  applied_object: 'role:editor',
  proposal: '0'.repeat(32),
  sync: 'app',
  directory_user: 'ana',
  directory_group: '0'.repeat(32),
  group_rule: '0'.repeat(32),
  directory_member: `${'0'.repeat(32)}/ana`,
  organization: 'acme',
  project: 'default',
  environment: 'default/production',
  api_key: 'abc',
  pdp_config: 'one',
  deleted_environment: 'abc',
}
/** No camelCase, no snake_case, no key with its parts joined by a slash, no marker of the engine. */
const MACHINE = /[a-z][A-Z]|[a-z]_[a-z]|__|\w\/\w+\/\w/

it('every operation that a log entry can name has a phrase', () => {
  const operations = [...Object.keys(useCases), ...OTHERS]
  expect(operations.filter((operation) => !Object.hasOwn(OPERATION_WORDS, operation))).toEqual([])
  const sentences = operations.map((operation) => operationSentence(operation).replaceAll(/API|PDP/g, ''))
  expect(sentences.filter((text) => MACHINE.test(text) || !/^[A-Z]/.test(text))).toEqual([])
})

it('every kind of object has a sentence for what can become of it', () => {
  const kinds = Object.keys(KEYS) as KindName[]
  expect(Object.keys(KIND_WORDS).toSorted()).toEqual(kinds.toSorted())
  const objects = kinds.flatMap((kind) => OPS.map((op): WrittenObject => ({ kind, key: KEYS[kind], op })))
  const sentences = objects.map(objectSentence).map((text) => text.replaceAll(/API|PDP/g, ''))
  expect(
    sentences.filter((text) => MACHINE.test(text.replace('default/production', '')) || !/^[A-Z]/.test(text)),
  ).toEqual([])
})

const sentence = (
  operation: string,
  objects: WrittenObject[],
  summary: string | null = null,
  count = objects.length,
) => {
  const { title, objects: names } = historySentence({ operation, summary, changed: { objects, count } })
  return [title, names]
}

it('sentences name people, roles and places', () => {
  const given: WrittenObject = { kind: 'role_assignment', key: 'ana/editor/acme', op: 'create' }
  const member: WrittenObject = { kind: 'membership', key: 'acme/ana', op: 'create' }
  expect(sentence('assign', [given])).toEqual(['Gave ana the role editor in tenant acme', ''])
  expect(sentence('assign', [member, given])).toEqual([
    'Gave ana the role editor in tenant acme',
    'and 1 related object',
  ])
  expect(sentence('unassign', [{ ...given, key: 'ana/owner/acme/folder:a/b', op: 'delete' }])).toEqual([
    'Removed the role owner on folder:a/b from ana',
    '',
  ])
  expect(sentence('assign', [{ ...given, key: '*/reader/acme' }])[0]).toBe(
    'Gave everyone the role reader in tenant acme',
  )
  expect(sentence('putAssignment', [{ ...given, key: '*/reader/acme/folder:a', op: 'update' }])[0]).toBe(
    'Changed role assignment everyone as reader on folder:a',
  )
  expect(sentence('addPermissions', [{ kind: 'role', key: 'editor', op: 'update' }])).toEqual([
    'Added permissions to role editor',
    '',
  ])
  expect(
    sentence('deleteUser', [
      { kind: 'user', key: 'ana', op: 'delete' },
      { ...member, op: 'delete' },
    ]),
  ).toEqual(['Deleted user ana', 'and 1 related object'])
  expect(
    sentence(
      'createUsers',
      ['ana', 'ben'].map((key) => ({ kind: 'user', key, op: 'create' })),
      null,
      9,
    ),
  ).toEqual(['Created users', 'ana, ben, and 7 more'])
  expect(sentence('addGroupUser', [{ ...given, key: 'ana/member/acme/team:red' }])).toEqual([
    'Added ana to group team:red',
    '',
  ])
})

it('sentences name who asked for which role, as the entry says it', () => {
  const request: WrittenObject = { kind: 'access_request', key: KEYS.access_request, op: 'update' }
  const given: WrittenObject = { kind: 'role_assignment', key: 'ana/editor/acme', op: 'create' }
  const kept = 'approved the request of ana for the role editor in tenant acme'
  expect(sentence('approveAccessRequest', [given, request], kept)).toEqual([
    'Approved the request of ana for the role editor in tenant acme',
    '',
  ])
  // an entry of an earlier version keeps no sentence
  expect(sentence('denyAccessRequest', [request])).toEqual(['Denied a request', ''])
})

it('sentences describe what a policy file, a copy or a revert did', () => {
  const staff: WrittenObject = { kind: 'condition_set', key: 'staff', op: 'update' }
  const role: WrittenObject = { kind: 'role', key: 'editor', op: 'create' }
  expect(sentence('applyPlan', [staff], 'apply plan: 1 changed')).toEqual(['Changed condition set staff', ''])
  expect(sentence('applyPlan', [staff, role], 'apply plan: 1 created, 1 changed')).toEqual([
    'Applied changes: 1 created, 1 changed',
    'condition set staff, role editor',
  ])
  expect(sentence('applyPlan', [staff], 'revert revision 12: 1 changed')[0]).toBe('Reverted revision 12: 1 changed')
  expect(sentence('copyEnvironment', [], 'copy of staging: 3 created')[0]).toBe(
    'Copied the policy of staging: 3 created',
  )
  const declared = ['__user', '__tenant'].map((key): WrittenObject => ({ kind: 'built_in', key, op: 'create' }))
  expect(sentence('createEnvironment', [...declared, { kind: 'tenant', key: 'default', op: 'create' }])).toEqual([
    'Created an environment',
    'attributes of users, attributes of tenants, tenant default',
  ])
  // of a newer version
  expect(sentence('mergeUsers', [])[0]).toBe('Merge users')
})
