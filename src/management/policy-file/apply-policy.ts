// Applies a policy to an environment: missing objects are created, existing ones become what the policy says. What the
// policy does not name is kept, also inside of a resource: only `plan` deletes (src/management/plan). Everything runs
// through the use cases of single writes, on a draft, so the rules of the API are those of files. Objects may name each
// other in any order: they are created first, and get their references afterwards.
import { isDeepStrictEqual } from 'node:util'
import { presentFields } from '../../kinds/fields.ts'
import { givingFields, roleGivingFields } from '../../kinds/giving.ts'
import { KINDS, PLAIN_KINDS, type WholeKind } from '../../kinds/index.ts'
import { offerFields } from '../../kinds/resource.ts'
import { isEnded } from '../../kinds/times.ts'
import { put } from '../../log/change.ts'
import { TENANT_TYPE, USER_TYPE } from '../../model/condition-reads.ts'
import { ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { assignmentKey, membershipKey, partKey, tupleKey } from '../../model/objects.ts'
import type { Draft } from '../../store/draft.ts'
import type { Mint } from '../../store/view.ts'
import { within } from '../objects/bulk-items.ts'
import { WRITES_IN_FILES, WRITES_OF_PARTS } from '../objects/in-files.ts'
import { putInstance } from '../objects/instances.ts'
import type { Write } from '../objects/writes.ts'
import type { Changed } from '../rules/collection.ts'
import { BODY, type Path, settleText } from '../rules/fields.ts'
import { type ConnectingFact, IN_FILES, type ListedKind, type PlainListName } from '../rules/kinds-in-files.ts'
import { settleTimes } from '../rules/times.ts'
import type { SentTimes } from '../schemas/field-members.ts'
import type { PolicyConditionSet, PolicyFile, PolicyResource } from '../schemas/policy-file.ts'
import type { ActionBlock, AttributeBlock } from '../schemas/resources.ts'
import { retryWithout } from './retry-without.ts'

const { condition_set } = WRITES_IN_FILES
const { action, attribute } = WRITES_OF_PARTS

/** What makes an object of given fields, whether it is there or not. */
interface Puts<F> {
  readonly create: Write<F & { readonly key: string }>
  readonly replace: Write<Changed<F>>
}

type Steps<Section extends keyof PolicyFile> = { readonly [S in Section]-?: (() => void) | null }

/** Called with each error, whose path starts with `body`; the remaining objects are still applied. */
export type Refused = (error: ZerohopError) => void

interface Options {
  /** without it the first error ends it; with it the draft must be discarded afterwards */
  readonly refused?: Refused
  /**
   * Times of what is granted, and why it was, stay as they are where the policy leaves them out. By default they are reset like other fields,
   * which a plan shows; where nobody sees one, that would give more than before in silence.
   */
  readonly keepsTimes?: boolean
  /** What is not there and has ended is not made: it is gone because it had ended. */
  readonly skipsEnded?: boolean
}

/**
 * Stages the objects of the policy.
 * @throws what single writes throw, with the place in the policy
 */
export function applyPolicy(draft: Draft, policy: PolicyFile, mint: Mint, options: Options = {}): void {
  new Application(draft, mint, options).run(policy)
}

const readRelation = (block: string | { readonly subject_resource: string }) =>
  typeof block === 'string' ? { subject_resource: block } : block

const toNulls = (table: object) => Object.fromEntries(Object.keys(table).map((name) => [name, null]))
const USUAL_GIVING = { role: toNulls(roleGivingFields), resource_role: toNulls(givingFields) }
const USUAL_OFFER = toNulls(offerFields)

/** A file says the end itself: one that a role would give by default is another one in each plan. */
const NO_END = { valid_until: null }

class Application {
  readonly #draft: Draft
  readonly #mint: Mint
  readonly #options: Options

  constructor(draft: Draft, mint: Mint, options: Options) {
    this.#draft = draft
    this.#mint = mint
    this.#options = options
  }

  run(policy: PolicyFile): void {
    this.#setAside(policy.condition_sets ?? [])
    this.#makeApprovers(policy)
    for (const apply of Object.values(this.#sections(policy))) apply?.()
  }

  /** What each section of a policy does, in this order; null does nothing. */
  #sections(policy: PolicyFile): Steps<keyof PolicyFile> {
    return {
      zerohop: null,
      manages: null,
      moved: null,
      user_attributes: () => this.#attributes(USER_TYPE, policy.user_attributes ?? {}, ['user_attributes']),
      tenant_attributes: () => this.#attributes(TENANT_TYPE, policy.tenant_attributes ?? {}, ['tenant_attributes']),
      context_attributes: () =>
        this.#members(['context_attributes'], policy.context_attributes ?? {}, (key, { description }) => {
          // nothing stores them: the rules of declared attributes hold all the same
          requireKey('attribute', key, [...BODY, 'key'])
          settleText(description, null, 'description')
        }),
      resources: () => this.#resources(policy.resources ?? []),
      roles: () => this.#roles(policy),
      condition_sets: () => this.#sets(policy.condition_sets ?? []),
      set_rules: () =>
        this.#each('set_rules', policy.set_rules ?? [], (rule) =>
          this.#draft.take(WRITES_IN_FILES.set_rule.create(this.#draft, rule, this.#mint)),
        ),
      ...this.#plain(policy, false),
      ...this.#plain(policy, true),
      users: () => this.#putEach('user', WRITES_IN_FILES.user, policy.users),
      memberships: () =>
        this.#connectEach('membership', WRITES_IN_FILES.membership, policy.memberships, ({ user, tenant }) => {
          const key = membershipKey(tenant, user)
          return this.#draft.get('membership', key)?.explicit ? key : undefined
        }),
      resource_instances: () =>
        this.#each('resource_instances', policy.resource_instances ?? [], (instance) =>
          this.#draft.take(putInstance(this.#draft, instance, this.#mint)),
        ),
      relationship_tuples: () =>
        this.#connectEach(
          'relationship_tuple',
          WRITES_IN_FILES.relationship_tuple,
          policy.relationship_tuples,
          (sent) => {
            if (sent.tenant) this.#draft.require('tenant', sent.tenant, [...BODY, 'tenant'])
            return tupleKey(sent.subject, sent.relation, sent.object)
          },
        ),
      role_assignments: () =>
        this.#connectEach('role_assignment', WRITES_IN_FILES.role_assignment, policy.role_assignments, (sent) => {
          const instance = sent.resource_instance ?? null
          const inside = instance === null ? undefined : this.#draft.get('resource_instance', instance)?.tenant
          return assignmentKey(sent.user, sent.role, sent.tenant ?? inside ?? 'default', instance)
        }),
    }
  }

  /** The lists of plain kinds, of the schema or of facts. */
  #plain<IsFact extends boolean>(policy: PolicyFile, areFacts: IsFact): Steps<PlainListName<IsFact>> {
    const kinds = PLAIN_KINDS.filter((kind) => KINDS[kind].inFiles.isFact === areFacts)
    const steps = kinds.map((kind) => {
      const { section } = KINDS[kind].inFiles
      // the objects of a section are those of its kind
      return [section, () => this.#putEach(kind, WRITES_IN_FILES[kind], policy[section] as readonly never[])]
    })
    return Object.fromEntries(steps)
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

  /** Roles of resource types may name roles in tenants as approvers, which have their turn later. */
  #makeApprovers({ resources, roles }: PolicyFile): void {
    const areNamed = resources?.some((resource) =>
      Object.values(resource.roles ?? {}).some(({ requestable }) => (requestable?.approvers ?? []).length > 0),
    )
    if (areNamed) this.#each('roles', roles ?? [], ({ key }) => this.#make('role', WRITES_IN_FILES.role, key))
  }

  #resources(sent: readonly PolicyResource[]): void {
    this.#each('resources', sent, ({ key }) => this.#make('resource', WRITES_IN_FILES.resource, key))
    this.#each('resources', sent, ({ key, name, description, urn, type_attributes }) => {
      const fields = { name: name ?? null, description: description ?? null, urn: urn ?? null }
      const about = { ...fields, type_attributes: type_attributes ?? null }
      this.#draft.take(WRITES_IN_FILES.resource.update(this.#draft, { ref: key, fields: about }, this.#mint))
    })
    for (const [at, { key, ...parts }] of sent.entries()) {
      this.#actions(key, parts.actions ?? {}, ['resources', at, 'actions'])
      this.#attributes(key, parts.attributes ?? {}, ['resources', at, 'attributes'])
    }
    for (const [at, { key, ...parts }] of sent.entries()) this.#parts(key, parts, ['resources', at])
    for (const [at, { key: of, roles: held }] of sent.entries()) {
      this.#members(['resources', at, 'roles'], held ?? {}, (key, { granted_to, ...fields }) => {
        const formed = { ...fields, bare_permissions: fields.bare_permissions ?? this.#isBare(of, key, fields) }
        this.#put(
          'resource_role',
          WRITES_IN_FILES.resource_role,
          key,
          this.#withGiving('resource_role', granted_to ? { ...formed, granted_to } : formed),
          of,
        )
      })
    }
  }

  /** A file that gives a role other permissions writes them as `resource:action`; one that does not keeps the form. */
  #isBare(of: string, key: string, { permissions }: { readonly permissions?: readonly string[] | null }): boolean {
    const stored = this.#draft.get('resource_role', partKey(of, key))
    if (!stored?.bare_permissions) return false
    const permitted = new Set((permissions ?? []).map((one) => (one.includes(':') ? one : `${of}:${one}`)))
    return permitted.size === stored.permissions.length && stored.permissions.every((one) => permitted.has(one))
  }

  #actions(resource: string, sent: Readonly<Record<string, ActionBlock>>, path: Path): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#members(path, sent, (key, fields) => {
      const stored = draft.get('resource', resource)?.actions.some((one) => one.key === key)
      if (!stored) draft.take(action.create(draft, { key, ...fields }, mint, resource))
      else {
        const sent = this.#options.keepsTimes ? fields : { ...USUAL_OFFER, ...fields }
        draft.take(action.replace(draft, { ref: key, fields: sent }, mint, resource))
      }
    })
  }

  #attributes(resource: string, sent: Readonly<Record<string, AttributeBlock>>, path: Path): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#members(path, sent, (key, fields) => {
      const object = draft.get('built_in', resource) ?? draft.get('resource', resource)
      const stored = object?.attributes.some((one) => one.key === key)
      if (!stored) draft.take(attribute.create(draft, { key, ...fields }, mint, resource))
      else draft.take(attribute.replace(draft, { ref: key, fields }, mint, resource))
    })
  }

  /** Relations, action groups, and roles without their references. */
  #parts(of: string, { relations: linked, action_groups, roles: held }: Omit<PolicyResource, 'key'>, path: Path): void {
    const draft = this.#draft
    this.#members([...path, 'relations'], linked ?? {}, (key, block) => {
      const relation = readRelation(block)
      const stored = draft.get('relation', partKey(of, key))
      // A relation never changes its types: this is another one of the same key, which is refused.
      if (stored !== undefined && stored.subject_resource !== relation.subject_resource)
        draft.refuse('relation', partKey(of, key))
      this.#put('relation', WRITES_IN_FILES.relation, key, relation, of)
    })
    this.#members([...path, 'action_groups'], action_groups ?? {}, (key, group) =>
      this.#put('action_group', WRITES_IN_FILES.action_group, key, group, of),
    )
    this.#members([...path, 'roles'], held ?? {}, (key) => {
      if (this.#make('resource_role', WRITES_IN_FILES.resource_role, key, of)) return
      draft.take(WRITES_IN_FILES.resource_role.update(draft, { ref: key, fields: { extends: [] } }, this.#mint, of))
    })
  }

  #roles({ roles: sent }: PolicyFile): void {
    const draft = this.#draft
    this.#each('roles', sent ?? [], ({ key }) => {
      if (this.#make('role', WRITES_IN_FILES.role, key)) return
      draft.take(WRITES_IN_FILES.role.update(draft, { ref: key, fields: { extends: [] } }, this.#mint))
    })
    const items = (sent ?? []).map((item) => this.#withGiving('role', item))
    this.#putEach('role', WRITES_IN_FILES.role, items)
  }

  /** A role without what it leaves out of how it is given, which a write of it alone would keep. */
  #withGiving<F extends object>(kind: keyof typeof USUAL_GIVING, role: F): F {
    return this.#options.keepsTimes ? role : { ...USUAL_GIVING[kind], ...role }
  }

  #sets(sets: readonly PolicyConditionSet[]): void {
    const [draft, mint] = [this.#draft, this.#mint]
    this.#each('condition_sets', sets, ({ key, type, resource }) => {
      const fields = { type: type ?? null, resource_id: resource ?? null, parent_id: null }
      if (draft.get('condition_set', key)) draft.take(condition_set.update(draft, { ref: key, fields }, mint))
      else draft.take(condition_set.create(draft, { key, ...fields, conditions: {} }, mint))
    })
    this.#each('condition_sets', sets, ({ key, resource, parent, ...rest }) => {
      const fields = { ...rest, resource_id: resource ?? null, parent_id: parent ?? null }
      draft.take(condition_set.replace(draft, { ref: key, fields }, mint))
    })
  }

  /**
   * Connects what each item names. Where it is connected, only the payload can differ: what the item leaves out of it is
   * reset to its default, but for times that stay.
   * @param keyOf the key of an item; undefined: it is not there, whatever is stored
   */
  #connectEach<I extends object>(
    kind: ConnectingFact,
    { create, replace }: { readonly create: Write<I>; readonly replace: Write<Changed<I>> | null },
    items: readonly I[] | null | undefined,
    keyOf: (item: I) => string | undefined,
  ): void {
    const draft = this.#draft
    const { keepsTimes, skipsEnded } = this.#options
    this.#each(IN_FILES[kind].section, items ?? [], (item) => {
      const key = keyOf(item)
      const stored = key === undefined ? undefined : draft.get(kind, key)
      if (stored === undefined || key === undefined) {
        if (!skipsEnded || !isEnded(settleTimes({}, item as SentTimes, BODY), this.#mint.now))
          draft.take(create(draft, { ...NO_END, ...item }, this.#mint))
      } else if (replace !== null) {
        const fields = keepsTimes ? { ...presentFields(KINDS[kind].fields, stored), ...item } : item
        draft.take(replace(draft, { ref: key, fields }, this.#mint))
      }
    })
  }

  /** Creates the object with nothing but its key; false when it is there. */
  #make(
    kind: WholeKind,
    { create }: { readonly create: Write<{ readonly key: string }> },
    key: string,
    of = '',
  ): boolean {
    const draft = this.#draft
    if (draft.get(kind, of === '' ? key : partKey(of, key)) !== undefined) return false
    draft.take(create(draft, { key }, this.#mint, of))
    return true
  }

  /** Makes the object what the fields say; what they leave out is reset to its default. */
  #put<F extends object>(kind: WholeKind, { create, replace }: Puts<F>, key: string, fields: F, of = ''): void {
    const draft = this.#draft
    const stored = draft.get(kind, of === '' ? key : partKey(of, key))
    if (stored === undefined) draft.take(create(draft, { ...fields, key }, this.#mint, of))
    else draft.take(replace(draft, { ref: key, fields }, this.#mint, of))
  }

  /** The same for each object of a list. */
  #putEach<F extends object>(
    kind: ListedKind,
    writes: Puts<F>,
    items: readonly (F & { readonly key: string })[] | null | undefined,
  ): void {
    this.#each(IN_FILES[kind].section, items ?? [], (item) => this.#put(kind, writes, item.key, item))
  }

  #each<I extends object>(field: string, items: readonly I[], run: (item: I) => void): void {
    for (const [at, item] of items.entries()) this.#run([field, at], item, run)
  }

  /** `path` leads to a map whose members have names that users choose. */
  #members<I>(path: Path, map: Readonly<Record<string, I>>, run: (key: string, item: I) => void): void {
    for (const [key, item] of Object.entries(map)) this.#run([...path, key], item, (now) => atName(() => run(key, now)))
  }

  #run<I>(path: Path, item: I, run: (item: I) => void): void {
    const at = [...BODY, ...path]
    const { refused } = this.#options
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

/** An error about the key of a member has the path of the member: the key is its name, and not one of its fields. */
function atName(run: () => void): void {
  try {
    run()
  } catch (error) {
    const isOfKey = error instanceof ZerohopError && error.path?.length === 2 && error.path[1] === 'key'
    if (!isOfKey) throw error
    throw new ZerohopError(error.code, error.details, { path: BODY, cause: error.cause })
  }
}
