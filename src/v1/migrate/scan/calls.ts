// Shared by the rules of all languages: the type of a use, the calls of the v1 client with their v2 replacements, and
// splitting of arguments.

/**
 * `path`: a /v1/ path. `host`: an API that has the first version only. `wrapper`: a call inside write() or read().
 * `arguments`: separate arguments or v1 field names. `constructor`: a v1 client.
 */
export type FindingKind = 'path' | 'host' | 'wrapper' | 'arguments' | 'constructor'

export interface Use {
  /** where it begins in the file */
  readonly at: number
  readonly kind: FindingKind
  /** the text found */
  readonly found: string
  /** what to write in its place */
  readonly instead: string
}

/** Calls of the v1 client, without case and underscores, and the v2 call. */
export const CALLS: Readonly<Record<string, string>> = {
  syncuser:
    'api.users.sync({ key, … }): one user, of which only `key` is required; fields of an existing user that are not sent are reset',
  getuser: 'api.users.get(key)',
  deleteuser: 'api.users.delete(key)',
  createtenant: 'api.tenants.create({ key, name })',
  updatetenant: 'api.tenants.update(key, { name })',
  gettenant: 'api.tenants.get(key)',
  deletetenant: 'api.tenants.delete(key)',
  getrole: 'api.roles.get(key)',
  assignrole: 'api.users.assignRole({ user, role, tenant })',
  unassignrole: 'api.users.unassignRole({ user, role, tenant })',
  getassignedroles: 'api.users.getAssignedRoles({ user, tenant })',
  syncresources: 'api.resources.create({ key, name, actions }) for each resource',
}

/** Characters after the bracket of a call that are searched for its arguments; hand-written calls are shorter. */
const ARGUMENTS_LENGTH = 2_000

/** Where each argument of a call begins and ends; `at` is after its opening bracket. */
export function argumentsAt(code: string, at: number): [number, number][] {
  const list: [number, number][] = []
  let depth = 0
  let start = at
  const last = Math.min(code.length, at + ARGUMENTS_LENGTH)
  for (let end = at; end < last; end++) {
    const mark = code[end]!
    if ('([{'.includes(mark)) depth++
    const closes = depth === 0 && mark === ')'
    if (closes || (depth === 0 && mark === ',')) {
      if (code.slice(start, end).trim() !== '') list.push([start, end])
      start = end + 1
    }
    if (closes) return list
    if (')]}'.includes(mark)) depth--
  }
  return list
}

/** What to write in place of a call of the v1 client. */
export function insteadOf(call: string): string {
  return CALLS[plain(call)] ?? `the v2 call of ${call}`
}

/** A name without case and underscores, and without the `Async` that some languages add. */
export function plain(name: string): string {
  return name
    .replaceAll('_', '')
    .replace(/async$/i, '')
    .toLowerCase()
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
