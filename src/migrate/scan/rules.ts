// What a v1 use looks like, and what to write instead. Rules work on parsed files: paths are looked for in strings, calls in code, so that a
// comment or a word in a text is no finding. docs/migration.md lists the kinds.
import type { Literal, Parsed } from './source.ts'

/** `path`: a /v1/ path. `wrapper`: a call inside write() or read(). `arguments`: separate arguments or v1 field names. `constructor`: a v1 client. */
export type FindingKind = 'path' | 'wrapper' | 'arguments' | 'constructor'

export interface Use {
  /** where it begins in the file */
  readonly at: number
  readonly kind: FindingKind
  /** what stands there */
  readonly found: string
  /** what to write in its place */
  readonly instead: string
}

const FACTS = '/v2/facts/{proj_id}/{env_id}'
const SCHEMA = '/v2/schema/{proj_id}/{env_id}'

/** Collections of v1, and where their objects are in v2. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  users: `${FACTS}/users`,
  tenants: `${FACTS}/tenants`,
  role_assignments: `${FACTS}/role_assignments`,
  roles: `${SCHEMA}/roles`,
  resources: `${SCHEMA}/resources`,
  embeddables: '/v2/auth/elements_login_as',
}

/** Calls of the v1 client, without case and underscores, and the v2 call. */
const CALLS: Readonly<Record<string, string>> = {
  syncuser: 'api.users.sync({ key, … }): one user, of which only `key` is required',
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

/** Calls that take one object in v2, so that a second argument is of v1. */
const ONE_ARGUMENT = ['syncuser', 'createtenant', 'assignrole', 'unassignrole']

/** Names that v1 gave to fields, and those of v2. */
const FIELDS: Readonly<Record<string, string>> = {
  customId: 'key',
  custom_id: 'key',
  externalId: 'key',
  external_id: 'key',
  firstName: 'first_name',
  lastName: 'last_name',
}

const CALL = /\bapi\s*\??\.\s*(\w+)\s*\(/gi
const WRAPPER = /\.\s*(write|read)(?:Async)?\s*\(\s*(?:await\s+)?(?=([\w.?\s]*\bapi\s*\??\.\s*)(\w+)\s*\()/gi
const CONSTRUCTOR = /\bnew\s+(?:\w+\.)?Permit\s*\(|\bauthorizon\s*\.\s*init\s*\(|(?<![\w.])(?:\w+\.)?Permit\s*\(/g
const CLIENT_TOKEN = /\b(clientToken|client_token|sidecarUrl|sidecar_url)\b/

/** Characters after the bracket of a call in which its arguments are looked for; nobody writes more by hand. */
const ARGUMENTS_LENGTH = 2_000

/** Every use in the file, in its order. */
export function usesIn(parsed: Parsed, text: string): Use[] {
  const found = [...wrappers(parsed.code), ...calls(parsed.code, text), ...constructors(parsed.code, text)]
  for (const literal of parsed.literals) found.push(...paths(literal))
  return found.sort((left, right) => left.at - right.at || (left.kind < right.kind ? -1 : 1))
}

const HOST = /https?:\/\/([\w.-]+|\{\})(?::(?:\d+|\{\}))?/
/** As tables of routes and of mocks write it: `PUT /v1/users`. */
const VERB = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) +(?=\/)/
/** What stands before a path that begins at the root of a host: `/access/v1/…` is of another API. */
const AT_ROOT = /^(?:https?:\/\/)?[^/]*$/
const PATH = /(^|[^\w.-])(v1|cloud)(?:\/(\w+|\{\})?|$)/g

/** Paths of v1, and of the PDP's way to it. A literal address of another service is none of ours. */
function* paths({ start, text }: Literal): Generator<Use> {
  const host = HOST.exec(text)?.[1]
  const isForeign = host !== undefined && !/^(localhost|127\.|\{\}$)|permit|zerohop/.test(host)
  if (isForeign || /\s/.test(text.trim().replace(VERB, ''))) return
  for (const match of text.matchAll(PATH)) {
    const [whole, before = '', version, collection = ''] = match
    const isPath = before === '/' || (match.index === 0 && before === '')
    const known = Object.hasOwn(COLLECTIONS, collection)
    if (!isPath || (before === '' && !known)) continue
    if (version === 'cloud' && !known) continue
    const isOurs = /permit|zerohop/.test(host ?? '')
    const isOpen = (collection === '' || collection === '{}') && AT_ROOT.test(text.slice(0, match.index))
    if (version === 'v1' && !known && !isOpen && !isOurs) continue
    const at = start + match.index
    const to = known
      ? COLLECTIONS[collection]!
      : '/v2/facts/… for users, tenants and role_assignments, /v2/schema/… for roles and resources'
    const found = whole.startsWith('/') || before === '' ? whole : whole.slice(before.length)
    yield { at, kind: 'path', found, instead: `${to}, with keys instead of slugs and custom ids` }
  }
}

function* wrappers(code: string): Generator<Use> {
  for (const match of code.matchAll(WRAPPER)) {
    const at = match.index + 1 + match[0].slice(1).search(/\S/)
    const [whole, wrapper, client = '', call = ''] = match
    const found = `${whole.slice(1).trimStart()}${client}${call}(…))`
    yield {
      at,
      kind: 'wrapper',
      found: oneLine(found),
      instead: `no ${wrapper}() around it: await ${insteadOf(call)}`,
    }
  }
}

function* calls(code: string, text: string): Generator<Use> {
  for (const match of code.matchAll(CALL)) {
    const call = plain(match[1]!)
    if (!ONE_ARGUMENT.includes(call)) continue
    const list = argumentsAt(code, match.index + match[0].length)
    const at = match.index
    if (list.length > 1) {
      const found = `${oneLine(match[0])}…) with ${list.length} arguments`
      yield { at, kind: 'arguments', found, instead: insteadOf(call) }
      continue
    }
    const [start, end] = list[0] ?? [0, 0]
    for (const [field, to] of Object.entries(FIELDS)) {
      const place = memberAt(code, text, [start, end], field)
      if (place === undefined) continue
      yield { at: place, kind: 'arguments', found: `\`${field}\` in ${match[1]}(…)`, instead: `\`${to}\`` }
    }
  }
}

/** Where the argument names a member: `field:`, `"field":`, `field=`, or `field` alone in an object. A value of that name is none. */
function memberAt(code: string, text: string, [start, end]: [number, number], field: string): number | undefined {
  for (const place of text
    .slice(start, end)
    .matchAll(new RegExp(`(?<![\\w.])["']?${field}["']?(?!\\w)\\s*([:=,}]?)`, 'g'))) {
    const at = start + place.index
    const before = code.slice(start, at).trimEnd().at(-1) ?? '('
    const names = /[:=]/.test(place[1] ?? '')
    const stands = (place[1] === ',' || place[1] === '}') && opened(code.slice(start, at)) === '{'
    if ('{(,'.includes(before) && (names || stands)) return at
  }
  return undefined
}

/** The bracket that is open at the end of the code. */
function opened(code: string): string | undefined {
  const open: string[] = []
  for (const mark of code) {
    if ('([{'.includes(mark)) open.push(mark)
    else if (')]}'.includes(mark)) open.pop()
  }
  return open.at(-1)
}

function* constructors(code: string, text: string): Generator<Use> {
  for (const match of code.matchAll(CONSTRUCTOR)) {
    const before = code.slice(Math.max(0, match.index - 40), match.index)
    if (/\b(class|def|func|function|new)\s+$/.test(before)) continue
    const list = argumentsAt(code, match.index + match[0].length)
    const named = list.some(([start, end]) => CLIENT_TOKEN.test(text.slice(start, end)))
    const isOld = match[0].startsWith('authorizon')
    if (!named && !isOld && list.length < 3) continue
    if (!named && !isOld && list.some(([start, end]) => /^\s*\w+\s*[=:]/.test(code.slice(start, end)))) continue
    const found = `${oneLine(match[0])}…)`
    yield {
      at: match.index,
      kind: 'constructor',
      found,
      instead: 'the v2 client with `token` and `pdp`, the address of a v2 PDP',
    }
  }
}

/** Where each argument of a call begins and ends; `at` is after its opening bracket. */
function argumentsAt(code: string, at: number): [number, number][] {
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

function insteadOf(call: string): string {
  return CALLS[plain(call)] ?? `the v2 call of ${call}`
}

function plain(name: string): string {
  return name
    .replaceAll('_', '')
    .replace(/async$/i, '')
    .toLowerCase()
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
