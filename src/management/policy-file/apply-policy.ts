// Applies a policy to an environment: missing objects are created, existing ones become what the policy says. What the
// policy does not name is kept, also inside of a resource: only `plan` deletes (src/management/plan). Everything runs
// through the use cases of single writes, on a draft, so the rules of the API are those of files. Objects may name each
// other in any order: they are created first, and get their references afterwards.
import { isDeepStrictEqual } from 'node:util'
import { put } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { assignmentKey, partKey, tupleKey } from '../../model/objects.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint } from '../../store/view.ts'
import { actionGroups } from '../objects/action-groups.ts'
import { conditionSets, replaceConditionSet } from '../objects/condition-sets.ts'
import { putInstance } from '../objects/instances.ts'
import { within } from '../objects/items.ts'
import { createAction, createAttribute, updateAction, updateAttribute } from '../objects/parts.ts'
import { relations } from '../objects/relations.ts'
import { resourceRoles } from '../objects/resource-roles.ts'
import { resources } from '../objects/resources.ts'
import { assign, join } from '../objects/role-assignments.ts'
import { roles } from '../objects/roles.ts'
import { createSetRule } from '../objects/set-rules.ts'
import { tenants } from '../objects/tenants.ts'
import { createTuple } from '../objects/tuples.ts'
import { users } from '../objects/users.ts'
import { type Collection, create, type KeyedKind, patch, replace } from '../rules/collection.ts'
import { BODY, type Path, settleText } from '../rules/fields.ts'
import type { PolicyConditionSet, PolicyFile, PolicyResource } from '../schemas/policy-file.ts'
import type { ActionBlock, AttributeBlock } from '../schemas/resources.ts'
import { retryWithout } from './retry-without.ts'

/** Is told an error, whose path begins with `body`, and lets the rest be applied. */
export type Refused = (error: ZerohopError) => void

/**
 * Stages the objects of the policy. Without `refused` the first error ends it; with `refused` every error is told, and
 * what the draft then holds is good for nothing but finding more of them.
 * @throws what single writes throw, with the place in the policy
 */
export function applyPolicy(draft: Draft, policy: PolicyFile, mint: Mint, refused?: Refused): void {
  new Application(draft, mint, refused).run(policy)
}

const relationOf = (said: string | { readonly subject_resource: string }) =>
  typeof said === 'string' ? { subject_resource: said } : said

class Application {
  readonly #draft: Draft
  readonly #mint: Mint
  readonly #refused: Refused | undefined

  constructor(draft: Draft, mint: Mint, refused: Refused | undefined) {
    this.#draft = draft
    this.#mint = mint
    this.#refused = refused
  }

  run(policy: PolicyFile): void {
    const sets = policy.condition_sets ?? []
    this.#setAside(sets)
    this.#attributes(USER_TYPE, policy.user_attributes ?? {}, ['user_attributes'])
    this.#attributes(TENANT_TYPE, policy.tenant_attributes ?? {}, ['tenant_attributes'])
    this.#members(['context_attributes'], policy.context_attributes ?? {}, (key, { description }) => {
      // nothing stores them: the rules of declared attributes hold all the same
      requireKey('attribute', key, [...BODY, 'key'])
      settleText(description, null, 'description')
    })
    this.#resources(policy.resources ?? [])
    this.#roles(policy)
    this.#sets(sets)
    this.#each('set_rules', policy.set_rules ?? [], (rule) =>
      this.#draft.take(createSetRule(this.#draft, rule, this.#mint)),
    )
    this.#facts(policy)
  }

  /**
   * Declared attributes may change together with the conditions that read them: conditions that the policy changes are
   * empty until their turn comes.
   */
  #setAside(sets: readonly PolicyConditionSet[]): void {
    for (const { key, conditions } of sets) {
      const stored = this.#draft.get('condition_set', key)
      if (stored === undefined || isDeepStrictEqual(stored.conditions, conditions)) continue
      this.#draft.stage([put('condition_set', { ...stored, conditions: {} })])
    }
  }

  #resources(sent: readonly PolicyResource[]): void {
    this.#each('resources', sent, ({ key }) => this.#make(resources, key))
    this.#each('resources', sent, ({ key, name, description, urn, type_attributes }, path) => {
      const fields = { name: name ?? null, description: description ?? null, urn: urn ?? null }
      const about = { ...fields, type_attributes: type_attributes ?? null }
      this.#draft.take(patch(resources, this.#draft, { ref: key, fields: about }, this.#mint, { path }))
    })
    for (const [at, { key, ...parts }] of sent.entries()) {
      this.#actions(key, parts.actions ?? {}, ['resources', at, 'actions'])
      this.#attributes(key, parts.attributes ?? {}, ['resources', at, 'attributes'])
    }
    for (const [at, { key, ...parts }] of sent.entries()) this.#parts(key, parts, ['resources', at])
    for (const [at, { key: of, roles: held }] of sent.entries()) {
      this.#members(['resources', at, 'roles'], held ?? {}, (key, { granted_to, ...fields }, path) => {
        const formed = { ...fields, bare_permissions: fields.bare_permissions ?? this.#isBare(of, key, fields) }
        this.#put(resourceRoles, key, granted_to ? { ...formed, granted_to } : formed, path, of)
      })
    }
  }

  /** A file that gives a role other permissions writes them as `resource:action`; one that does not keeps the form. */
  #isBare(of: string, key: string, { permissions }: { readonly permissions?: readonly string[] | null }): boolean {
    const stored = this.#draft.get('resource_role', partKey(of, key))
    if (!stored?.bare_permissions) return false
    const said = new Set((permissions ?? []).map((one) => (one.includes(':') ? one : `${of}:${one}`)))
    return said.size === stored.permissions.length && stored.permissions.every((one) => said.has(one))
  }

  #actions(resource: string, sent: Readonly<Record<string, ActionBlock>>, path: Path): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#members(path, sent, (key, fields) => {
      const stored = draft.get('resource', resource)?.actions.some((action) => action.key === key)
      if (!stored) draft.take(createAction(draft, { resource, action: { key, ...fields } }, mint))
      else
        draft.take(
          updateAction(draft, { resource, ref: key, fields: { ...NO_TEXTS, attributes: null, ...fields } }, mint),
        )
    })
  }

  #attributes(resource: string, sent: Readonly<Record<string, AttributeBlock>>, path: Path): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#members(path, sent, (key, fields) => {
      const object = draft.get('built_in', resource) ?? draft.get('resource', resource)
      const stored = object?.attributes.some((attribute) => attribute.key === key)
      if (!stored) draft.take(createAttribute(draft, { resource, attribute: { key, ...fields } }, mint))
      else draft.take(updateAttribute(draft, { resource, ref: key, fields: { description: null, ...fields } }, mint))
    })
  }

  /** Relations, action groups, and roles without their references. */
  #parts(of: string, { relations: linked, action_groups, roles: held }: Omit<PolicyResource, 'key'>, path: Path): void {
    const draft = this.#draft
    this.#members([...path, 'relations'], linked ?? {}, (key, said, at) => {
      const relation = relationOf(said)
      const stored = draft.get('relation', partKey(of, key))
      // A relation never changes its types: this is another one of the same key, which is refused.
      if (stored !== undefined && stored.subject_resource !== relation.subject_resource)
        draft.refuse('relation', partKey(of, key))
      this.#put(relations, key, relation, at, of)
    })
    this.#members([...path, 'action_groups'], action_groups ?? {}, (key, group, at) =>
      this.#put(actionGroups, key, group, at, of),
    )
    this.#members([...path, 'roles'], held ?? {}, (key, _, at) => {
      if (!this.#make(resourceRoles, key, at, of)) {
        const where = { of, path: at }
        draft.take(patch(resourceRoles, draft, { ref: key, fields: { extends: [] } }, this.#mint, where))
      }
    })
  }

  #roles({ roles: sent }: PolicyFile): void {
    const draft = this.#draft
    this.#each('roles', sent ?? [], ({ key }) => {
      if (!this.#make(roles, key)) draft.take(patch(roles, draft, { ref: key, fields: { extends: [] } }, this.#mint))
    })
    this.#each('roles', sent ?? [], ({ key, ...fields }, path) => this.#put(roles, key, fields, path))
  }

  #sets(sets: readonly PolicyConditionSet[]): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#each('condition_sets', sets, ({ key, type, resource }) => {
      const fields = { type: type ?? null, resource_id: resource ?? null, parent_id: null }
      if (draft.get('condition_set', key)) draft.take(patch(conditionSets, draft, { ref: key, fields }, mint))
      else draft.take(create(conditionSets, draft, { key, ...fields, conditions: {} }, mint))
    })
    this.#each('condition_sets', sets, ({ key, resource, parent, ...rest }) => {
      const fields = { ...rest, resource_id: resource ?? null, parent_id: parent ?? null }
      draft.take(replaceConditionSet(draft, { ref: key, fields }, mint))
    })
  }

  #facts(policy: PolicyFile): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#each('tenants', policy.tenants ?? [], ({ key, ...fields }, path) => this.#put(tenants, key, fields, path))
    this.#each('users', policy.users ?? [], ({ key, ...fields }, path) => this.#put(users, key, fields, path))
    this.#each('memberships', policy.memberships ?? [], ({ user, tenant }, path) => {
      const of = {
        user: draft.require('user', user, [...path, 'user']).key,
        tenant: draft.require('tenant', tenant, [...path, 'tenant']).key,
      }
      draft.stage(join(draft, of, true, mint))
    })
    this.#each('resource_instances', policy.resource_instances ?? [], (instance) =>
      draft.take(putInstance(draft, instance, mint)),
    )
    this.#each('relationship_tuples', policy.relationship_tuples ?? [], (tuple, path) => {
      const key = tupleKey(tuple.subject, tuple.relation, tuple.object)
      if (tuple.tenant) draft.require('tenant', tuple.tenant, [...path, 'tenant'])
      if (draft.get('relationship_tuple', key) === undefined) draft.take(createTuple(draft, tuple, mint))
    })
    this.#each('role_assignments', policy.role_assignments ?? [], (assignment) => {
      const { user, role, resource_instance: instance } = assignment
      const inside = instance ? draft.get('resource_instance', instance)?.tenant : undefined
      const key = assignmentKey(user, role, assignment.tenant ?? inside ?? 'default', instance ?? null)
      if (draft.get('role_assignment', key) === undefined) draft.take(assign(draft, assignment, mint))
    })
  }

  /** Creates the object with nothing but its key; false when it is there. */
  #make<K extends KeyedKind, I extends object>(
    collection: Collection<K, I>,
    key: string,
    path: Path = BODY,
    of: string = '',
  ): boolean {
    const draft = this.#draft
    if (draft.get(collection.kind, of === '' ? key : partKey(of, key)) !== undefined) return false
    draft.take(create(collection, draft, { key } as I & { key: string }, this.#mint, { of, path }))
    return true
  }

  /** Makes the object what the fields say; what they leave out is reset to its default. */
  #put<K extends KeyedKind, I extends object>(
    collection: Collection<K, I>,
    key: string,
    fields: I,
    path: Path,
    of: string = '',
  ): void {
    const draft = this.#draft
    const where = { of, path }
    const stored = draft.get(collection.kind, of === '' ? key : partKey(of, key))
    if (stored === undefined) draft.take(create(collection, draft, { ...fields, key }, this.#mint, where))
    else draft.take(replace(collection, draft, { ref: key, fields }, this.#mint, where))
  }

  #each<I extends object>(field: string, items: readonly I[], run: (item: I, path: Path) => void): void {
    for (const [at, item] of items.entries()) this.#run([field, at], item, (now) => run(now, BODY))
  }

  /** `path` leads to a map whose members have names that users choose. */
  #members<I>(path: Path, map: Readonly<Record<string, I>>, run: (key: string, item: I, path: Path) => void): void {
    for (const [key, item] of Object.entries(map))
      this.#run([...path, key], item, (now) => atName(() => run(key, now, BODY)))
  }

  #run<I>(path: Path, item: I, run: (item: I) => void): void {
    const at = [...BODY, ...path]
    const refused = this.#refused
    if (refused === undefined) {
      within(at, () => run(item))
      return
    }
    retryWithout(
      item,
      at.length,
      (now) => within(at, () => run(now)),
      (error, inside) => {
        const { code, details, cause } = error
        refused(new ZerohopError(code, details, { path: [...at, ...inside], cause }))
      },
    )
  }
}

/** What is wrong with the key of a member is said of the member: the key is its name, and no field of it. */
function atName(run: () => void): void {
  try {
    run()
  } catch (error) {
    const isOfKey = error instanceof ZerohopError && error.path?.length === 2 && error.path[1] === 'key'
    if (!isOfKey) throw error
    throw new ZerohopError(error.code, error.details, { path: BODY, cause: error.cause })
  }
}

const NO_TEXTS = { name: null, description: null }
