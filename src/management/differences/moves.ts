// `moved`: an object of the file that has another key than before. Keys never change through the API; here the object
// is written under its new key with everything that names it (assignments, permissions, rules, derivations, conditions,
// instances, tuples), in the same revision, and keeps its id. Values of attributes are facts of the application and
// keep their names.

import { isDeepStrictEqual } from 'node:util'
import type { AppliedObject } from '../../kinds/applied-object.ts'
import {
  type EnvironmentKind,
  isPlain,
  type KindName,
  type Objects,
  PLAIN_KINDS,
  type PlainKind,
} from '../../kinds/index.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { KEY_BYTES_MAX } from '../../model/limits.ts'
import { appliedKey, instanceKey } from '../../model/objects.ts'
import { FACT_KINDS, type PolicyKind } from '../../model/policy-kinds.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { BODY, type Path } from '../rules/fields.ts'
import { isConnecting, isPart } from '../rules/kinds-in-files.ts'
import type { Moved } from '../schemas/policy-file.ts'
import { partName } from './file-words.ts'
import { listFingerprints } from './fingerprints.ts'
import { Names } from './moved-names.ts'
import { rewritten } from './moved-objects.ts'

/**
 * Whether all objects of a kind are looked at, because there are few. Facts are found by what moves. In the order in
 * which objects may be deleted.
 */
const ARE_FEW: { readonly [K in Exclude<EnvironmentKind, PlainKind>]: boolean } = {
  set_rule: true,
  condition_set: true,
  role: true,
  resource_role: true,
  relation: true,
  action_group: true,
  resource: true,
  built_in: true,
  proxy_config: true,
  user_invite: true,
  user: false,
  membership: false,
  role_assignment: false,
  resource_instance: false,
  relationship_tuple: false,
  group: false,
  tenant_role: false,
  access_request: false,
  applied_object: false,
  proposal: false,
  sync: false,
  directory_user: false,
  directory_group: false,
  directory_member: false,
  group_rule: false,
}
const FEW: readonly EnvironmentKind[] = [
  ...PLAIN_KINDS.filter((kind) => !FACT_KINDS.has(kind)),
  ...(Object.keys(ARE_FEW) as (keyof typeof ARE_FEW)[]).filter((kind) => ARE_FEW[kind]),
]

/**
 * Stages the moves whose object is still under its old key; the others were made before.
 * @returns the moves that were staged
 * @throws INPUT_INVALID when a kind has no keys, or a part would move to another resource type; OBJECT_EXISTS when the
 *   new key is taken; KEY_INVALID
 */
export function stageMoves(draft: Draft, moved: readonly Moved[], { now: at }: Pick<Mint, 'now'>): Moved[] {
  const due = moved.filter((move, at) => isDue(draft, move, [...BODY, 'moved', at]))
  if (due.length === 0) return []
  const names = new Names(due)
  for (const move of due) requireSamePlace(names, move, [...BODY, 'moved', moved.indexOf(move)])
  const changes: { readonly gone: Change[]; readonly made: Change[] } = { gone: [], made: [] }
  for (const { kind, object } of affected(draft, due)) {
    const now = rewritten(kind, object, names, at)
    if (isDeepStrictEqual(now, object)) continue
    if (kind === 'tenant_role' && now.key.length > KEY_BYTES_MAX)
      throw new ZerohopError('KEY_TOO_LONG', { kind, bytes: now.key.length, limit: KEY_BYTES_MAX }, { path: BODY })
    if (now.key !== object.key) changes.gone.push(remove(kind, object.key))
    changes.made.push(put(kind, now as Objects[typeof kind]))
    const applied = draft.get('applied_object', appliedKey(kind, object.key))
    if (applied === undefined) continue
    const key = appliedKey(kind, now.key)
    if (key !== applied.key) changes.gone.push(remove('applied_object', applied.key))
    const fingerprints = rememberedAfter(applied.fingerprints, names, { kind, object, now })
    changes.made.push(put('applied_object', { ...applied, key, fingerprints }))
  }
  // a user is put before the assignments that name it, and deleted after them
  draft.stage(changes.gone.reverse()).stage(changes.made)
  return due
}

/** @throws INPUT_INVALID, OBJECT_EXISTS */
function isDue(view: View, { kind, from, to }: Moved, path: Path): boolean {
  if (isConnecting(kind)) {
    const reason = `a ${kind.replaceAll('_', ' ')} has no key of its own: move what it names`
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, 'kind'] })
  }
  if (isPart(kind) && (!from.includes('/') || !to.includes('/'))) {
    const reason = `the key of a part is \`resource/part\``
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, from.includes('/') ? 'to' : 'from'] })
  }
  if (from === to || !has(view, kind, from)) return false
  if (has(view, kind, to)) throw new ZerohopError('OBJECT_EXISTS', { kind, key: to }, { path: [...path, 'to'] })
  requireKey(kind, nameIn(kind, to), [...path, 'to'])
  return true
}

/** A part moves within its resource type, which may have another key itself; so does an instance. */
function requireSamePlace(names: Names, { kind, from, to }: Moved, path: Path): void {
  const sign = kind === 'resource_instance' ? ':' : isPart(kind) ? '/' : undefined
  if (sign === undefined) return
  const want = names.resource(from.slice(0, from.indexOf(sign)))
  if (to.slice(0, to.indexOf(sign)) === want) return
  const reason = `it stays with its resource type: \`${want}${sign}…\``
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, 'to'] })
}

const nameIn = (kind: PolicyKind, key: string): string =>
  isPart(kind) ? key.slice(key.indexOf('/') + 1) : kind === 'resource_instance' ? key.slice(key.indexOf(':') + 1) : key

function has(view: View, kind: PolicyKind, key: string): boolean {
  const slash = key.indexOf('/')
  const [of, part] = [key.slice(0, slash), key.slice(slash + 1)]
  switch (kind) {
    case 'user_attribute':
      return view.get('built_in', USER_TYPE)?.attributes.some((one) => one.key === key) ?? false
    case 'tenant_attribute':
      return view.get('built_in', TENANT_TYPE)?.attributes.some((one) => one.key === key) ?? false
    case 'action':
      return view.get('resource', of)?.actions.some((one) => one.key === part) ?? false
    case 'attribute':
      return view.get('resource', of)?.attributes.some((one) => one.key === part) ?? false
    default:
      return view.get(kind, key) !== undefined
  }
}

/** What the object remembers, under its new names: what was as it was applied still is. */
function rememberedAfter(
  fingerprints: AppliedObject['fingerprints'],
  names: Names,
  {
    kind,
    object,
    now,
  }: { readonly kind: KindName; readonly object: Objects[KindName]; readonly now: Objects[KindName] },
): Record<string, string> {
  const [before, after] = [listFingerprints(kind, object), listFingerprints(kind, now)]
  const entries = Object.entries(fingerprints).map(([part, text]) => {
    const called = partAfter(part, object.key, names)
    return [called, before.get(part) === text ? (after.get(called) ?? text) : text]
  })
  return Object.fromEntries(entries)
}

function partAfter(part: string, type: string, names: Names): string {
  const key = part.slice(part.indexOf('/') + 1)
  if (part.startsWith('action/')) return partName('action', names.part('action', type, key))
  return part.startsWith('attribute/') ? partName('attribute', names.attribute(type, key)) : part
}

interface Found<K extends KindName = KindName> {
  readonly kind: K
  readonly object: Objects[K]
}

/** What may name one of the objects: users and tenants first, then what names them. */
function affected(view: View, moved: readonly Moved[]): Iterable<Found> {
  const found = new Map<string, Found>()
  const add = <K extends KindName>(kind: K, objects: Iterable<Objects[K] | undefined>): void => {
    for (const object of objects) if (object !== undefined) found.set(`${kind} ${object.key}`, { kind, object })
  }
  for (const { kind, from } of moved)
    if (kind === 'user' || (isPlain(kind) && FACT_KINDS.has(kind))) add(kind, [view.get(kind, from)])
  for (const kind of FEW.toReversed()) add(kind, view.list(kind))
  for (const { kind, from } of moved) addFacts(view, kind, from, add)
  return found.values()
}

type Add = <K extends KindName>(kind: K, objects: Iterable<Objects[K] | undefined>) => void

function addFacts(view: View, kind: PolicyKind, from: string, add: Add): void {
  switch (kind) {
    case 'resource':
      for (const { resource, instance } of view.by('instances_of_resource', from))
        addInstance(view, instanceKey(resource, instance), add)
      add('role_assignment', view.by('assignments_on_resource', from))
      for (const { key } of view.get('resource', from)?.actions ?? [])
        add('tenant_role', view.by('tenant_roles_with_permission', `${from}:${key}`))
      break
    case 'resource_instance':
      addInstance(view, from, add)
      break
    case 'action':
      add('tenant_role', view.by('tenant_roles_with_permission', from.replace('/', ':')))
      break
    case 'role':
    case 'resource_role':
      add('role_assignment', view.by('assignments_of_role', from))
      if (kind === 'role') {
        add('tenant_role', view.by('tenant_roles_with_parent', from))
        add('tenant_role', view.by('tenant_roles_with_approver', from))
      }
      add('access_request', view.by('requests_of_role', from))
      break
    case 'relation':
      add('relationship_tuple', view.by('tuples_of_relation', from))
      break
    case 'user':
      add('membership', view.by('memberships_of_user', from))
      add('role_assignment', view.by('assignments_of_user', from))
      add('access_request', view.by('requests_of_user', from))
      break
    case 'tenant':
      add('resource_instance', view.by('instances_of_tenant', from))
      add('group', view.by('groups_of_tenant', from))
      add('relationship_tuple', view.by('tuples_of_tenant', from))
      add('membership', view.by('memberships_of_tenant', from))
      add('tenant_role', view.by('roles_of_tenant', from))
      add('role_assignment', view.by('assignments_of_tenant', from))
      add('access_request', view.by('requests_of_tenant', from))
      break
    default:
  }
}

function addInstance(view: View, key: string, add: Add): void {
  add('resource_instance', [view.get('resource_instance', key)])
  add('group', [view.get('group', key)])
  add('relationship_tuple', view.by('tuples_of_subject', key))
  add('relationship_tuple', view.by('tuples_of_object', key))
  add('role_assignment', view.by('assignments_on_instance', key))
  add('access_request', view.by('requests_on_instance', key))
}
