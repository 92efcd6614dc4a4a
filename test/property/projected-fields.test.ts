// What decisions read of an object passes through many hands: deltas, images, their files and their compaction. None may
// lose a part of it: a role whose end a compaction forgets would last for ever, and until then every answer would be
// right. The objects come from the tables of kinds: a field of a regular form gets a value by itself, and for any other
// field the compiler asks for one here.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { defaultValue, type Field, type Fields, type RegularName } from '../../src/kinds/fields.ts'
import { findFields, type KINDS, type Objects, type PolicyKind, PROJECTIONS } from '../../src/kinds/index.ts'
import { put } from '../../src/log/change.ts'
import { packDelta, unpackDelta } from '../../src/log/codec.ts'
import { type PolicyChange, PROJECTED_KINDS, project } from '../../src/log/delta.ts'
import {
  assignmentKey,
  type JsonObject,
  membershipKey,
  partKey,
  type Stored,
  setRuleKey,
  tupleKey,
} from '../../src/model/objects.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'

type ProjectedKind = PolicyKind | 'built_in'
type Regular<K extends ProjectedKind> = (typeof KINDS)[K] extends { readonly fields: infer F extends Fields }
  ? RegularName<F>
  : never
/** An object without what is the same in all, and without the fields whose values come from their forms. */
type Given<K extends ProjectedKind> = Omit<Objects[K], Exclude<keyof Stored, 'key'> | Regular<K>>

const STAMPS = { id: '0'.repeat(32), created_at: 1, updated_at: 2 }
const NAMED = { name: 'name', description: null }
const WHEN = { no_direct_roles_on_object: true }

const assigned = (user: string, role: string, instance: string | null = null): Given<'role_assignment'> => {
  return { key: assignmentKey(user, role, 'acme', instance), user, role, tenant: 'acme', resource_instance: instance }
}
const related = (subject: string, relation: string, object: string): Given<'relationship_tuple'> => {
  return { key: tupleKey(subject, relation, object), subject, relation, object, tenant: 'acme' }
}
const joined = (user: string, tenant: string): Given<'membership'> => {
  return { key: membershipKey(tenant, user), user, tenant, explicit: true }
}
const instance = (resource: string, key: string): Given<'resource_instance'> => {
  return { key: `${resource}:${key}`, resource, instance: key, tenant: 'acme' }
}
const tenant = (key: string): Given<'tenant'> => ({ key, last_action_at: 1 })
const ruled = (user_set: string, resource_set: string): Given<'set_rule'> => {
  const permission = 'document:edit'
  return { key: setRuleKey(user_set, permission, resource_set), user_set, permission, resource_set }
}
const role = (key: string, permissions: string[], parents: string[]): Given<'role'> => {
  return { key, ...NAMED, permissions, extends: parents, attributes: null }
}
const resourceRole = (
  resource: string,
  key: string,
  more: Pick<Given<'resource_role'>, 'permissions' | 'extends' | 'granted_to'>,
): Given<'resource_role'> => ({ key: partKey(resource, key), ...NAMED, resource, role: key, attributes: null, ...more })
const declared = (key: string, type: 'number' | 'time') => ({ ...STAMPS, key, type, description: null })
const action = (key: string) => ({ ...STAMPS, key, ...NAMED, attributes: null })
const type = (key: string, more: Pick<Given<'resource'>, 'actions' | 'attributes'>): Given<'resource'> => {
  return { key, ...NAMED, urn: null, type_attributes: null, ...more }
}

/** Objects of every kind, with what they say themselves: each of it in some object. */
const OBJECTS: { readonly [K in ProjectedKind]: readonly Given<K>[] } = {
  built_in: [
    type('__user', { actions: [], attributes: [declared('level', 'number')] }),
    type('__tenant', { actions: [], attributes: [declared('since', 'time')] }),
  ],
  resource: [
    type('document', { actions: [action('edit'), action('read')], attributes: [declared('due', 'time')] }),
    type('folder', { actions: [action('read')], attributes: [] }),
  ],
  role: [role('reader', ['document:read'], []), role('writer', ['document:edit'], ['reader']), role('nobody', [], [])],
  resource_role: [
    resourceRole('folder', 'owner', { permissions: ['folder:read'], extends: [], granted_to: null }),
    resourceRole('document', 'editor', {
      permissions: ['document:edit'],
      extends: ['viewer'],
      granted_to: {
        id: STAMPS.id,
        when: WHEN,
        users_with_role: [{ role: 'owner', on_resource: 'folder', linked_by_relation: 'parent', when: WHEN }],
      },
    }),
    resourceRole('document', 'viewer', { permissions: ['document:read'], extends: [], granted_to: null }),
  ],
  user: [
    { key: 'ana', email: 'ana@acme.example' },
    { key: 'ben', email: null },
    { key: 'cleo', email: null },
  ],
  tenant: [tenant('acme'), tenant('other'), tenant('third')],
  tenant_role: [
    { key: 'clerk@acme', ...NAMED, tenant: 'acme', role: 'clerk', permissions: ['document:read'], extends: [] },
    {
      key: 'chief@acme',
      ...NAMED,
      tenant: 'acme',
      role: 'chief',
      permissions: ['document:edit'],
      extends: ['clerk@acme', 'reader'],
    },
  ],
  membership: [joined('ana', 'acme'), joined('ana', 'other'), joined('ben', 'third')],
  resource_instance: [
    instance('document', '1'),
    instance('document', '2'),
    instance('document', '3'),
    instance('folder', '1'),
  ],
  relationship_tuple: [
    related('folder:1', 'parent', 'document:1'),
    related('folder:1', 'parent', 'document:2'),
    related('document:1', 'copy', 'document:2'),
  ],
  condition_set: [
    {
      key: 'seniors',
      ...NAMED,
      type: 'userset',
      resource: null,
      parent: 'everybody',
      conditions: { allOf: [{ 'user.level': { 'greater-than': 3 } }] },
    },
    { key: 'everybody', ...NAMED, type: 'userset', resource: null, parent: null, conditions: {} },
    {
      key: 'overdue',
      ...NAMED,
      type: 'resourceset',
      resource: 'document',
      parent: null,
      conditions: { allOf: [{ 'resource.due': { 'less-than': { ref: 'context.now' } } }] },
    },
  ],
  set_rule: [ruled('seniors', 'overdue'), ruled('__autogen_writer', '__autogen_document')],
  // several of one user in one scope share a record, with those of others
  role_assignment: [
    ...['ana', 'ben'].flatMap((user) => ['nobody', 'reader', 'writer'].map((key) => assigned(user, key))),
    assigned('cleo', 'reader'),
    assigned('cleo', 'chief@acme'),
    assigned('ana', 'editor', 'document:1'),
    assigned('ana', 'viewer', 'document:1'),
    assigned('ben', 'viewer', 'document:1'),
    assigned('cleo', 'owner', 'folder:1'),
  ],
  proxy_config: [
    {
      key: 'shop',
      name: 'shop',
      auth_mechanism: 'Bearer',
      mapping_rules: [
        {
          url: '/documents/{key}',
          url_type: 'regex',
          http_method: 'get',
          resource: 'document',
          action: 'read',
          priority: 3,
          headers: {},
        },
      ],
    },
  ],
}

/** In each of TURNS an object has nothing in the fields that may be empty, or one of two values. */
const TURNS = 3

/** @param at its place among the fields: of two times of an object the first is the earlier one */
function regularValue(field: Exclude<Field, { form: 'own' }>, turn: number, at: number): unknown {
  const { form } = field
  if (turn % TURNS === 0) return defaultValue(field, 'key')
  switch (form) {
    case 'name':
    case 'text':
    case 'note':
      return `text ${turn % TURNS}`
    case 'attributes':
    case 'attributes_or_null':
      return { level: turn % TURNS, deep: { list: [true, 'x'] } } satisfies JsonObject
    case 'moment':
    case 'instant':
    case 'seconds':
      return 1_000 * (turn % TURNS) + at
    case 'flag':
      return true
    case 'suspension':
      return {
        reason: 'left',
        suspended_at: 1,
        ...(turn % TURNS === 1 ? {} : { valid_from: 1_000, valid_until: 2_000 }),
      }
    case 'requestable':
      return { by: 'members', approvers: [], max_duration: 60, reason: 'required' }
    case 'resource':
    case 'part':
      throw new Error('is no field of a kind that decisions read')
    default:
      return form satisfies never
  }
}

function complete<K extends ProjectedKind>(kind: K, given: Given<K>, turn: number): Objects[K] {
  const regular = Object.entries(findFields(kind) ?? {}).flatMap(([name, field], at) =>
    field.form === 'own' || Object.hasOwn(given, name) ? [] : [[name, regularValue(field, turn, at)]],
  )
  return { ...STAMPS, ...given, ...Object.fromEntries(regular) } as unknown as Objects[K]
}

/** What decisions read of all objects in a turn, in the order in which a state has them. */
function listChanges(turn: number): PolicyChange[] {
  return PROJECTED_KINDS.flatMap(<K extends ProjectedKind>(kind: K) =>
    OBJECTS[kind].map((given, at) => project(put(kind, complete(kind, given as Given<K>, turn + at)))!),
  )
}

const sorted = (changes: Iterable<PolicyChange>): PolicyChange[] =>
  [...changes].sort((left, right) => (`${left.kind} ${left.key}` < `${right.kind} ${right.key}` ? -1 : 1))

const pause = () => Promise.resolve()
const build = (changes: Iterable<PolicyChange>) => Image.build(ENVIRONMENT, makePosition(1), changes)
const sent = (changes: readonly PolicyChange[], to = 2) => unpackDelta(packDelta(deltaTo(to, changes)))

/** How an image of a turn comes about. */
const WAYS: Readonly<Record<string, (turn: number) => Image | Promise<Image>>> = {
  'a build': (turn) => build(listChanges(turn)),
  'a build in many turns': (turn) => Image.buildSlowly(ENVIRONMENT, makePosition(1), listChanges(turn), pause),
  'a delta': (turn) => {
    const image = build([])
    image.apply(sent(listChanges(turn)))
    return image
  },
  'a delta for each object, over another value': (turn) => {
    const image = build(listChanges(turn + 1))
    for (const change of listChanges(turn)) image.apply(sent([change], image.revision + 1))
    return image
  },
  'a delta that is applied to a copy': (turn) =>
    build(listChanges(turn + 1)).appliedSlowly(sent(listChanges(turn)), pause),
}

/** What is made of an image. */
const COPIES: Readonly<Record<string, (image: Image) => Image | Promise<Image>>> = {
  'as it is': (image) => image,
  compacted: (image) => image.compact(),
  'compacted in many turns': (image) => image.compactSlowly(pause),
  'saved and loaded': (image) => Image.load(image.save()),
  cloned: (image) => image.clone(),
  'compacted, saved and loaded in many turns': async (image) =>
    Image.loadSlowly(await image.compact().saveSlowly(pause), pause),
  'built from its contents, as a follower of another ABI does': (image) => build(image.contents()),
}

describe('what decisions read of an object is lost by none', () => {
  it('there is an object of each kind, and a frame passes all of it on', () => {
    for (let turn = 0; turn < TURNS; turn++) {
      const changes = listChanges(turn)
      expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(Object.keys(PROJECTIONS)))
      expect(sent(changes).changes).toEqual(changes)
    }
  })

  it.each(Object.entries(WAYS))('%s, and every copy of it', async (_, make) => {
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [name, copy] of Object.entries(COPIES)) {
        const image = await copy(await make(turn))
        image.verify()
        expect(sorted(image.contents()), `${name}, turn ${turn}`).toEqual(sorted(listChanges(turn)))
      }
    }
  })
})
