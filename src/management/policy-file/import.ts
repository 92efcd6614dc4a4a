// Applies a bundle to an environment, as one revision: missing objects are created, existing ones are replaced, and
// objects that the bundle does not name are kept. Everything runs through the use cases of single writes, on a draft.
// Objects may name each other in any order: they are created first, and get their references afterwards.
import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { BUNDLE_LINES_MAX } from '../../model/limits.ts'
import { assignmentKey, partKey, setRuleKey, tupleKey } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { actionGroups } from '../action-groups/use-cases.ts'
import { within } from '../bulk/items.ts'
import { type Collection, create, type KeyedKind, patch, replace } from '../collection.ts'
import { conditionSets, replaceConditionSet } from '../condition-sets/use-cases.ts'
import { BODY, type Path } from '../fields.ts'
import { putInstance } from '../instances/use-cases.ts'
import { relations } from '../relations/use-cases.ts'
import { resourceRoles } from '../resource-roles/use-cases.ts'
import { createAttribute, updateAttribute } from '../resources/parts.ts'
import type { AttributeBlock } from '../resources/schema.ts'
import { resources } from '../resources/use-cases.ts'
import { assign, join } from '../role-assignments/use-cases.ts'
import { roles } from '../roles/use-cases.ts'
import { createSetRule } from '../set-rules/use-cases.ts'
import { tenants } from '../tenants/use-cases.ts'
import { createTuple } from '../tuples/use-cases.ts'
import { users } from '../users/use-cases.ts'
import { readBundle } from './export.ts'
import type { Bundle, BundleResource } from './schema.ts'

export interface ImportInput {
  readonly bundle: unknown
  /** only reports what would change */
  readonly dryRun?: boolean
}

export interface Imported {
  /** number of objects by outcome */
  readonly created: number
  readonly changed: number
  readonly deleted: number
  /** `create role admin`, … : the first of them */
  readonly lines: readonly string[]
}

/** Validates and applies a bundle. @throws INPUT_INVALID, and what single writes throw, with the place in the bundle */
export function importBundle(view: View, { bundle, dryRun = false }: ImportInput, mint: Mint): Decided<Imported> {
  const draft = new Draft(view)
  applyBundle(draft, readBundle(bundle, BODY), mint)
  const changes = realChanges(view, draft)
  return { changes: dryRun ? [] : changes, result: summaryOf(view, changes) }
}

/** Stages the objects of the bundle. */
export function applyBundle(draft: Draft, bundle: Bundle, mint: Mint): void {
  new Import(draft, mint).run(bundle)
}

/** The staged changes that differ from the stored objects, apart from their times. */
export function realChanges(view: View, draft: Draft): Change[] {
  return draft.changes().filter((change) => {
    if (change.op === 'delete') return true
    const before = view.get(change.kind, change.key)
    return before === undefined || !isDeepStrictEqual({ ...before, updated_at: 0 }, { ...change.value, updated_at: 0 })
  })
}

function summaryOf(view: View, changes: readonly Change[]): Imported {
  const count = { create: 0, change: 0, delete: 0 }
  const lines: string[] = []
  for (const { op, kind, key } of changes) {
    const what = op === 'delete' ? 'delete' : view.get(kind, key) === undefined ? 'create' : 'change'
    count[what]++
    if (lines.length < BUNDLE_LINES_MAX) lines.push(`${what} ${kind.replaceAll('_', ' ')} ${key}`)
  }
  return { created: count.create, changed: count.change, deleted: count.delete, lines }
}

class Import {
  readonly #draft: Draft
  readonly #mint: Mint

  constructor(draft: Draft, mint: Mint) {
    this.#draft = draft
    this.#mint = mint
  }

  run(bundle: Bundle): void {
    this.#attributes(USER_TYPE, bundle.user_attributes ?? {}, 'user_attributes')
    this.#attributes(TENANT_TYPE, bundle.tenant_attributes ?? {}, 'tenant_attributes')
    this.#schema(bundle)
    this.#facts(bundle)
  }

  #schema(bundle: Bundle): void {
    const draft = this.#draft
    const ofResources = bundle.resources ?? []
    // An attribute can be removed only when no condition reads it, so attributes are removed after the sets are
    // written.
    this.#each('resources', ofResources, (resource, path) => this.#resource(resource, path, true))
    this.#each('resources', ofResources, (resource, path) => this.#parts(resource, path))
    this.#each('resources', ofResources, (resource, path) => this.#roles(resource, path))
    this.#each('roles', bundle.roles ?? [], (role, path) => {
      const { extends: _, ...rest } = role
      this.#put(roles, role.key, draft.get('role', role.key) ? { extends: [] } : rest, path, '', 'first')
    })
    this.#each('roles', bundle.roles ?? [], ({ key, ...fields }, path) => this.#put(roles, key, fields, path))
    this.#each('condition_sets', bundle.condition_sets ?? [], (set, path) => {
      const fields = draft.get('condition_set', set.key) ? {} : set
      this.#put(conditionSets, set.key, { ...fields, parent_id: null }, path, '', 'first')
    })
    this.#each('condition_sets', bundle.condition_sets ?? [], ({ key, ...fields }) => {
      const sent = { ...fields, parent_id: fields.parent_id ?? null }
      draft.take(replaceConditionSet(draft, { ref: key, fields: sent }, this.#mint))
    })
    this.#each('set_rules', bundle.set_rules ?? [], (rule) => {
      if (draft.get('set_rule', setRuleKey(rule.user_set, rule.permission, rule.resource_set)) === undefined)
        draft.take(createSetRule(draft, rule, this.#mint))
    })
    this.#each('resources', ofResources, (resource, path) => this.#resource(resource, path, false))
  }

  #facts(bundle: Bundle): void {
    const draft = this.#draft
    const mint = this.#mint
    this.#each('tenants', bundle.tenants ?? [], ({ key, ...fields }, path) => this.#put(tenants, key, fields, path))
    this.#each('users', bundle.users ?? [], ({ key, ...fields }, path) => this.#put(users, key, fields, path))
    this.#each('memberships', bundle.memberships ?? [], ({ user, tenant }) => {
      const of = { user: draft.require('user', user).key, tenant: draft.require('tenant', tenant).key }
      draft.stage(join(draft, of, true, mint))
    })
    this.#each('resource_instances', bundle.resource_instances ?? [], (instance) =>
      draft.take(putInstance(draft, instance, mint)),
    )
    this.#each('relationship_tuples', bundle.relationship_tuples ?? [], (tuple) => {
      const key = tupleKey(tuple.subject, tuple.relation, tuple.object)
      if (draft.get('relationship_tuple', key) === undefined) draft.take(createTuple(draft, tuple, mint))
    })
    this.#each('role_assignments', bundle.role_assignments ?? [], (assignment) => {
      const { user, role, resource_instance: instance } = assignment
      const inside = instance ? draft.get('resource_instance', instance)?.tenant : undefined
      const key = assignmentKey(user, role, assignment.tenant ?? inside ?? 'default', instance ?? null)
      if (draft.get('role_assignment', key) === undefined) draft.take(assign(draft, assignment, mint))
    })
  }

  #attributes(resource: string, sent: Readonly<Record<string, AttributeBlock>>, field: string): void {
    const draft = this.#draft
    for (const [key, fields] of Object.entries(sent)) {
      within([...BODY, field, key], () => {
        const stored = draft.get('built_in', resource)?.attributes.some((attribute) => attribute.key === key)
        const description = fields.description ?? null
        if (stored)
          draft.take(updateAttribute(draft, { resource, ref: key, fields: { ...fields, description } }, this.#mint))
        else draft.take(createAttribute(draft, { resource, attribute: { key, ...fields } }, this.#mint))
      })
    }
  }

  #resource(
    { key, action_groups, relations: _, roles: __, ...fields }: BundleResource,
    path: Path,
    keep: boolean,
  ): void {
    const stored = this.#draft.get('resource', key)
    const kept = (keep ? (stored?.attributes ?? []) : []).map(({ key: name, type, description }) => [
      name,
      { type, description },
    ])
    const attributes = { ...Object.fromEntries(kept), ...fields.attributes }
    this.#put(resources, key, { ...fields, attributes }, path)
  }

  /** Relations, action groups, and roles without their references. */
  #parts({ key: of, action_groups, relations: linked, roles: held }: BundleResource, path: Path): void {
    const draft = this.#draft
    for (const [key, fields] of Object.entries(linked ?? {})) {
      const stored = draft.get('relation', partKey(of, key))
      if (stored?.subject_resource === fields.subject_resource)
        this.#put(relations, key, fields, [...path, 'relations', key], of)
      else
        draft.take(create(relations, draft, { key, ...fields }, this.#mint, { of, path: [...path, 'relations', key] }))
    }
    for (const [key, fields] of Object.entries(action_groups ?? {}))
      this.#put(actionGroups, key, fields, [...path, 'action_groups', key], of)
    for (const [key, fields] of Object.entries(held ?? {})) {
      const { extends: _, granted_to: __, ...rest } = fields
      const first = draft.get('resource_role', partKey(of, key)) ? { extends: [] } : rest
      this.#put(resourceRoles, key, first, [...path, 'roles', key], of, 'first')
    }
  }

  #roles({ key: of, roles: held }: BundleResource, path: Path): void {
    for (const [key, { granted_to, ...fields }] of Object.entries(held ?? {})) {
      const at = [...path, 'roles', key]
      this.#put(resourceRoles, key, granted_to ? { ...fields, granted_to } : fields, at, of)
    }
  }

  /** Creates the object or replaces it; with `first` only the fields that are sent are changed. */
  #put<K extends KeyedKind, I extends object>(
    collection: Collection<K, I>,
    key: string,
    fields: I,
    path: Path,
    of = '',
    how: 'whole' | 'first' = 'whole',
  ): void {
    const draft = this.#draft
    const where = { of, path }
    const stored = draft.get(collection.kind, of === '' ? key : partKey(of, key))
    const decided: Decided<unknown> =
      stored === undefined
        ? create(collection, draft, { ...fields, key }, this.#mint, where)
        : how === 'first'
          ? patch(collection, draft, { ref: key, fields }, this.#mint, where)
          : replace(collection, draft, { ref: key, fields }, this.#mint, where)
    draft.take(decided)
  }

  #each<I>(field: string, items: readonly I[], run: (item: I, path: Path) => void): void {
    for (const [at, item] of items.entries()) within([...BODY, field, at], () => run(item, BODY))
  }
}
