// The versions of the form: what an older one says in the words of the newest. Version 1 named the references of
// condition sets by `resource_id` and `parent_id`, as bodies of the API do.
import { ZerohopError } from '../../model/errors.ts'
import type { Path } from '../rules/fields.ts'
import { IN_FILES, LIST_NAMES, LISTED_KINDS, type ListedSection, type ListName } from '../rules/kinds-in-files.ts'
import { requireShape, withEmptyBlocks } from '../rules/shape.ts'
import { Bundle, type BundleConditionSet, type PolicyConditionSet, PolicyFile } from '../schemas/policy-file.ts'

/** The form that a file says it has; undefined when it says none that is known. */
export function findForm(value: unknown): typeof Bundle | typeof PolicyFile | undefined {
  const version = findVersion(value)
  if (version === '1') return Bundle
  return version === '2' ? PolicyFile : undefined
}

/** The version that the file has. */
export function findVersion(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'zerohop')) return undefined
  const { zerohop } = value as { readonly zerohop: unknown }
  return typeof zerohop === 'number' || typeof zerohop === 'string' ? String(zerohop) : undefined
}

/** The same in version 2. */
function newest(file: Bundle | PolicyFile): PolicyFile {
  if (String(file.zerohop) !== '1') return { ...(file as PolicyFile), zerohop: 2 }
  const { condition_sets, ...rest } = file as Bundle
  return { ...rest, zerohop: 2, ...(condition_sets ? { condition_sets: condition_sets.map(newestSet) } : {}) }
}

/** A condition set of any version in version 2. */
export function newestSet(sent: BundleConditionSet | PolicyConditionSet): PolicyConditionSet {
  const { resource_id, parent_id, ...set } = sent as BundleConditionSet
  return {
    ...set,
    ...(resource_id == null ? {} : { resource: resource_id }),
    ...(parent_id == null ? {} : { parent: parent_id }),
  }
}

/** Validates the value as a policy of any version. @throws INPUT_INVALID for the first thing that is wrong */
export function requirePolicy(value: unknown, path: Path): PolicyFile {
  const form = findForm(value) ?? PolicyFile
  const filled = withEmptyBlocks(form, value)
  requireShape(form, filled, path)
  return newest(filled as Bundle | PolicyFile)
}

/** What tells two set rules of the same names apart. */
const SAID = ['is_role', 'is_set', 'is_resource', 'is_resource_set']

type Names<List extends string> = { readonly [N in List]: (item: Members) => string | undefined }

/** Of lists whose objects are not called by their key alone. */
const NAMES_WITHOUT_KEYS: Names<Exclude<ListName<boolean>, ListedSection>> = {
  set_rules: ({ user_set, permission, resource_set, ...sides }: Members) =>
    joined(user_set, permission, resource_set, ...SAID.map((name) => (sides[name] === true ? name : ''))),
  memberships: ({ user, tenant }: Members) => joined(user, tenant),
  resource_instances: ({ resource, key }: Members) => joined(resource, key),
  relationship_tuples: ({ subject, relation, object }: Members) => joined(subject, relation, object),
  role_assignments: ({ user, role, tenant, resource_instance }: Members) =>
    joined(user, role, tenant ?? '', resource_instance ?? ''),
}

/** What the fields that are lists hold, told apart by a name; two objects of one name are one too many. */
export const LISTS: Names<ListName<boolean>> = Object.fromEntries(
  LIST_NAMES.map((list) => [list, NAMES_WITHOUT_KEYS[list as keyof typeof NAMES_WITHOUT_KEYS] ?? nameByKey]),
) as Names<ListName<boolean>>

/** Fields that are maps: their members are objects by their key. */
export const MAPS = [
  'user_attributes',
  'tenant_attributes',
  'context_attributes',
] as const satisfies readonly (keyof PolicyFile)[]

type Members = Readonly<Record<string, unknown>>

function nameByKey({ key }: Members): string | undefined {
  return typeof key === 'string' ? key : undefined
}

function joined(...parts: readonly unknown[]): string | undefined {
  return parts.every((part) => typeof part === 'string') ? parts.join(' ') : undefined
}

/** Refuses duplicate objects: the last would silently win. @throws INPUT_INVALID */
export function requireOnce(policy: PolicyFile, path: Path): void {
  const sections = LISTED_KINDS.map((kind) => IN_FILES[kind].section)
  for (const field of [...sections, 'resource_instances'] as const) {
    const seen = new Set<string>()
    for (const [at, object] of (policy[field] ?? []).entries()) {
      const name = LISTS[field](object) ?? ''
      if (seen.has(name)) {
        const reason = `\`${name.replace(' ', ':')}\` appears twice`
        throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, field, at, 'key'] })
      }
      seen.add(name)
    }
  }
}
