// What a policy means, judged without a server: the use cases of the API run on an empty environment, and what they
// refuse becomes a problem with its place. A reference to what the files do not hold, such as a user when they have no
// users, or what is stored already, is not judged.

import { MATCHES, OPERATORS } from '../../model/condition.ts'
import type { ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import type { PolicyKind } from '../../model/policy-kinds.ts'
import { shortText } from '../../model/shorten.ts'
import type { Path } from '../rules/fields.ts'
import { IN_FILES, isPart, isPolicyKind } from '../rules/kinds-in-files.ts'
import type { PolicyFile } from '../schemas/policy-file.ts'
import { applyPolicy } from './apply-policy.ts'
import { Defined } from './defined.ts'
import { countingMint, emptyEnvironment } from './empty-environment.ts'
import { hint } from './form-sentence.ts'
import { selects } from './manages.ts'
import type { Place, Places, Problem } from './problem.ts'

/**
 * Errors in the meaning of the policy, whose form is right.
 * @param stored what is there already: a reference to it is right, and whoever has it judges the rest
 */
export function meaningErrors(policy: PolicyFile, defined: Defined, places: Places, stored?: PolicyFile): Problem[] {
  const mint = countingMint()
  const there = new Defined()
  if (stored !== undefined) there.add(stored)
  const judge = new Judge(policy, defined, places, there)
  applyPolicy(emptyEnvironment(mint), withStandIns(policy, judge), mint, { refused: (error) => judge.refused(error) })
  return judge.problems
}

const WORDS: Readonly<Record<string, string>> = {
  resource: 'resource type',
  user_set: 'user set or role',
  resource_set: 'resource set or resource type',
}
/** By the side of a set rule and the kind that it names: the other kind that the side may be, and what rules it out. */
const OTHER_KINDS: Readonly<Record<string, { kind: string; flag: string; words: readonly [string, string] }>> = {
  'user_set condition_set': { kind: 'role', flag: 'is_set', words: ['user set', 'role'] },
  'user_set role': { kind: 'condition_set', flag: 'is_role', words: ['role', 'user set'] },
  'resource_set condition_set': { kind: 'resource', flag: 'is_resource_set', words: ['resource set', 'resource type'] },
  'resource_set resource': { kind: 'condition_set', flag: 'is_resource', words: ['resource type', 'resource set'] },
}
const UNKNOWN_OPERATOR = /^unknown operator `(.*)`$/s

const isFactWithKey = (kind: PolicyKind): boolean => IN_FILES[kind].isFact && IN_FILES[kind].key === 'own'

class Judge {
  readonly problems: Problem[] = []
  readonly #policy: PolicyFile
  readonly #defined: Defined
  readonly #places: Places
  /** what is stored already */
  readonly #there: Defined

  constructor(policy: PolicyFile, defined: Defined, places: Places, there: Defined) {
    this.#policy = policy
    this.#defined = defined
    this.#places = places
    this.#there = there
  }

  refused(error: ZerohopError): void {
    const path = (error.path ?? []).slice(1)
    const message = this.#sentence(error, path)
    if (message === undefined) return
    this.problems.push({ severity: 'error', message, place: this.#place(error, path) })
  }

  /** Whether an object may be defined elsewhere. */
  isElsewhere(kind: string, key: string): boolean {
    const { manages } = this.#policy
    if (this.#there.has(kind, key)) return true
    if (!isPolicyKind(kind) || this.#defined.has(kind, key)) return false
    if (!manages?.length) return isFactWithKey(kind) && !this.#defined.hasField(IN_FILES[kind].section)
    const owners: readonly PolicyKind[] = isPart(kind) ? [kind, 'resource'] : [kind]
    return !owners.some((owner) => selects(manages, owner, owner === kind ? key : (key.split('/')[0] ?? '')))
  }

  /** Undefined when the error follows from another one, or cannot be judged here. */
  #sentence(error: ZerohopError, path: Path): string | undefined {
    const { code, details } = error
    if (code === 'ATTRIBUTE_UNDECLARED') {
      const [resource, attribute] = [String(details.resource), String(details.attribute)]
      return this.#unknownPart('attribute', resource, attribute)
    }
    const [, operator] = UNKNOWN_OPERATOR.exec(error.message) ?? []
    if (operator !== undefined) return error.message + hint(operator, [...Object.keys(OPERATORS), ...MATCHES.keys()])
    if (code === 'UNKNOWN_NAME' && details.resource !== undefined)
      return this.#unknownPart('resource_role', String(details.resource), String(details.name))
    if (code !== 'OBJECT_NOT_FOUND') return error.message.replace(/^field required/, `\`${nameAt(path)}\` is missing`)
    const [kind, ref] = [String(details.kind), String(details.ref)]
    if (!isPolicyKind(kind) || !isPart(kind)) {
      if (this.#defined.has(kind, ref) || this.isElsewhere(kind, ref)) return undefined
      const what = WORDS[kind === 'condition_set' ? String(path.at(-1)) : kind] ?? kind.replaceAll('_', ' ')
      const other = this.#otherKind(kind, ref, path)
      return other ?? `${what} \`${shortText(ref)}\` does not exist${hint(ref, this.#names(kind, path))}`
    }
    const [before, name] = ref.split(kind === 'action' ? ':' : '/')
    if (name !== undefined) return this.#unknownPart(kind, before ?? '', name)
    return this.#unknownPart(kind, this.#resourceAt(path), ref)
  }

  /** What else has the name, when a rule says which of the two it means. */
  #otherKind(kind: string, ref: string, path: Path): string | undefined {
    const other = OTHER_KINDS[`${String(path.at(-1))} ${kind}`]
    if (other === undefined || !this.#defined.has(other.kind, ref)) return undefined
    const [none, is] = other.words
    return `there is no ${none} \`${shortText(ref)}\`, but a ${is} of that name: leave out \`${other.flag}\``
  }

  #unknownPart(kind: string, resource: string, name: string): string | undefined {
    const key = `${resource}/${name}`
    if (this.#defined.has(kind, key) || this.isElsewhere(kind, key)) return undefined
    const what = kind === 'resource_role' ? 'role' : kind.replaceAll('_', ' ')
    const near = hint(name, this.#defined.parts(kind, resource))
    return `resource type \`${shortText(resource)}\` has no ${what} \`${shortText(name)}\`${near}`
  }

  /** The names that a reference could have meant. */
  #names(kind: string, path: Path): readonly string[] {
    const names = this.#defined.names(kind)
    if (path.at(-1) === 'user_set') return [...names, ...this.#defined.names('role')]
    if (path.at(-1) === 'resource_set') return [...names, ...this.#defined.names('resource')]
    return names
  }

  /** The resource type whose parts a reference names. */
  #resourceAt([field, at, ...rest]: Path): string {
    const resource = field === 'resources' ? this.#policy.resources?.[Number(at)] : undefined
    const [, role = '', granted, , rule] = rest
    if (granted !== 'granted_to' || rest.at(-1) !== 'role') return resource?.key ?? ''
    return resource?.roles?.[role]?.granted_to?.users_with_role?.[Number(rule)]?.on_resource ?? ''
  }

  /** An error about an attribute in conditions is shown where the conditions read it. */
  #place({ code, details, message }: ZerohopError, path: Path): Place {
    const end = path.indexOf('conditions')
    if (end >= 0 && (code === 'ATTRIBUTE_UNDECLARED' || code === 'ATTRIBUTE_MISMATCH')) {
      const attribute = String(details.attribute)
      const name = attribute.slice(attribute.indexOf('.') + 1)
      const found = this.#places.placeOfWord(path.slice(0, end + 1), (word) => {
        const read = word.slice(word.indexOf('.') + 1)
        return read === name || read.startsWith(`${name}.`)
      })
      if (found !== undefined) return found
    }
    return this.#places.placeOf(path, UNKNOWN_OPERATOR.test(message) ? 'key' : 'value')
  }
}

/** The last name of a path, as files call it. */
const nameAt = (path: Path): string => String(path.at(-1)).replace(/_id$/, '')

/**
 * The policy with users, tenants and instances that its assignments and tuples name and that it does not hold: so that
 * what else they say is judged.
 */
function withStandIns(policy: PolicyFile, judge: Judge): PolicyFile {
  const [users, tenants, instances] = [new Set<string>(), new Set<string>(), new Map<string, string>()]
  const add = (named: Set<string>, kind: string, key: string | null | undefined) => {
    if (key && key !== 'default' && judge.isElsewhere(kind, key)) named.add(key)
  }
  const at = (name: string | null | undefined, tenant: string | null | undefined) => {
    if (name && judge.isElsewhere('resource_instance', name) && !instances.has(name))
      instances.set(name, tenant ?? 'default')
  }
  for (const { user, tenant, resource_instance } of policy.role_assignments ?? []) {
    if (user !== EVERYBODY) add(users, 'user', user)
    add(tenants, 'tenant', tenant)
    at(resource_instance, tenant)
  }
  for (const { user, tenant } of policy.memberships ?? []) {
    add(users, 'user', user)
    add(tenants, 'tenant', tenant)
  }
  for (const { subject, object, tenant } of policy.relationship_tuples ?? []) {
    add(tenants, 'tenant', tenant)
    at(subject, tenant ?? instances.get(object))
    at(object, tenant ?? instances.get(subject))
  }
  for (const { tenant } of policy.resource_instances ?? []) add(tenants, 'tenant', tenant)
  const made = [...instances].flatMap(([name, tenant]) => {
    const [resource = '', key] = name.split(':')
    return key === undefined ? [] : [{ resource, key, tenant }]
  })
  const keyed = (keys: ReadonlySet<string>) => [...keys].map((key) => ({ key }))
  return {
    ...policy,
    users: [...(policy.users ?? []), ...keyed(users)],
    tenants: [...(policy.tenants ?? []), ...keyed(tenants)],
    resource_instances: [...(policy.resource_instances ?? []), ...made],
  }
}
