// Users and groups as SCIM resources, and lists of them.
import type { FastifyRequest } from 'fastify'
import type { DirectoryGroup } from '../../../kinds/directory-group.ts'
import type { DirectoryUser } from '../../../kinds/directory-user.ts'
import type { Objects } from '../../../kinds/index.ts'
import { equalities, type Filter, holds, parseFilter } from '../../../management/directory/filter.ts'
import {
  type AttributePath,
  findValue,
  resolvePath,
  withMember,
  withValue,
} from '../../../management/directory/paths.ts'
import {
  ENTERPRISE_SCHEMA,
  GROUPS,
  isExtension,
  type ResourceType,
  USERS,
} from '../../../management/directory/schemas.ts'
import { refusal } from '../../../management/directory/scim-error.ts'
import { toGroupResource, toMemberValue } from '../../../management/objects/directory-groups.ts'
import { toUserResource } from '../../../management/objects/directory-users.ts'
import { foldCase } from '../../../model/fold-case.ts'
import { parseId } from '../../../model/keys.ts'
import { DIRECTORY_GROUPS_SHOWN_MAX, SCIM_PAGE_MAX } from '../../../model/limits.ts'
import type { Json, JsonObject } from '../../../model/objects.ts'
import { formatEtag } from '../../../store/expected.ts'
import type { StoredView, View } from '../../../store/view.ts'
import { type Query, readText } from '../../page.ts'
import { everyObject, paged, searched } from '../collection-pages.ts'
import { printTime } from '../render/stamps.ts'

export const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** The address of the server, as the caller names it. */
export const readBase = ({ protocol, host }: FastifyRequest): string => `${protocol}://${host}/scim/v2`

/** How the stored objects of a kind are shown and found. */
export interface Shown<K extends 'directory_user' | 'directory_group'> {
  readonly kind: K
  readonly type: ResourceType
  /** @param needs names of attributes that are read from elsewhere; absent: all */
  readonly print: (view: View, object: Objects[K], base: string, needs?: ReadonlySet<string>) => JsonObject
  /** The few objects that a filter with this equality may select; undefined: it is not looked up. */
  readonly lookUp: (view: View, name: string, value: string) => Iterable<Objects[K]> | undefined
}

function stamps(type: ResourceType, object: DirectoryUser | DirectoryGroup, base: string): JsonObject {
  const { id, created_at, updated_at } = object
  return {
    id,
    meta: {
      resourceType: type.name,
      created: printTime(created_at),
      lastModified: printTime(updated_at),
      location: `${base}${type.path}/${id}`,
      version: formatEtag(object),
    },
  }
}

const byId = <K extends 'directory_user' | 'directory_group'>(view: View, kind: K, value: string): Objects[K][] => {
  const id = parseId(value)
  const found = id === undefined ? undefined : view.find(kind, id)
  return found !== undefined && found.id === id ? [found] : []
}

export const shownUsers: Shown<'directory_user'> = {
  kind: 'directory_user',
  type: USERS,
  print(view, user, base, needs) {
    const resource = toUserResource(user)
    const groups = needs === undefined || needs.has('groups') ? listGroups(view, user.key, base) : []
    const isEnterprise = resource[ENTERPRISE_SCHEMA] !== undefined
    return {
      schemas: [USERS.schema.id, ...(isEnterprise ? [ENTERPRISE_SCHEMA] : [])],
      ...stamps(USERS, user, base),
      ...resource,
      ...(groups.length === 0 ? {} : { groups }),
    }
  },
  lookUp(view, name, value) {
    if (name === 'id') return byId(view, 'directory_user', value)
    if (name === 'userName') return view.by('directory_users_named', foldCase(value))
    if (name === 'externalId') return view.by('directory_users_by_external_id', value)
    return undefined
  },
}

function listGroups(view: View, user: string, base: string): JsonObject[] {
  return Array.from(
    view.by('directory_groups_of_user', user, { limit: DIRECTORY_GROUPS_SHOWN_MAX }),
    ({ group: id }) => {
      const display = view.get('directory_group', id)?.display_name ?? ''
      return { value: id, $ref: `${base}${GROUPS.path}/${id}`, display, type: 'direct' }
    },
  )
}

export const shownGroups: Shown<'directory_group'> = {
  kind: 'directory_group',
  type: GROUPS,
  print(view, group, base, needs) {
    const members = needs === undefined || needs.has('members') ? listMembers(view, group.id, base) : []
    return {
      schemas: [GROUPS.schema.id],
      ...stamps(GROUPS, group, base),
      ...toGroupResource(group),
      ...(members.length === 0 ? {} : { members }),
    }
  },
  lookUp(view, name, value) {
    if (name === 'id') return byId(view, 'directory_group', value)
    if (name === 'displayName') return view.by('directory_groups_named', foldCase(value))
    if (name === 'externalId') return view.by('directory_groups_by_external_id', value)
    if (name !== 'members.value') return undefined
    return byId(view, 'directory_user', value).flatMap(({ key }) =>
      [...view.by('directory_groups_of_user', key)].flatMap(({ group }) => view.get('directory_group', group) ?? []),
    )
  },
}

function listMembers(view: View, group: string, base: string): JsonObject[] {
  return Array.from(view.by('members_of_directory_group', group), ({ user }) => {
    const id = view.get('directory_user', user)?.id ?? ''
    return { ...toMemberValue(id), $ref: `${base}${USERS.path}/${id}` }
  })
}

/** Which attributes of a resource an answer has (RFC 7644, 3.9). */
export interface Selection {
  readonly only?: readonly string[]
  readonly without: readonly string[]
}

export function readSelection(query: Query): Selection {
  const listed = (name: string): readonly string[] | undefined =>
    readText(query, name)
      ?.split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  const only = listed('attributes')
  return { ...(only === undefined ? {} : { only }), without: listed('excludedAttributes') ?? [] }
}

/** Names of attributes that are read from elsewhere and that an answer shows. */
export function findNeeds(type: ResourceType, { only, without }: Selection): ReadonlySet<string> {
  const named = (names: readonly string[]) =>
    new Set(names.flatMap((name) => resolvePath(type, name)?.attribute.name ?? []))
  const wanted = only === undefined ? new Set(['groups', 'members']) : named(only)
  const gone = new Set(
    without.flatMap((name) => {
      const path = resolvePath(type, name)
      return path === undefined || path.part !== undefined ? [] : [path.attribute.name]
    }),
  )
  return new Set([...wanted].filter((name) => !gone.has(name)))
}

/** The part of a resource that an answer shows: always its id and its schemas. */
export function selected(type: ResourceType, resource: JsonObject, { only, without }: Selection): JsonObject {
  let shown = resource
  if (only !== undefined) {
    shown = { schemas: resource.schemas!, id: resource.id! }
    for (const name of only) {
      if (isExtension(type, name)) shown = withMember(shown, type.extension!.id, resource[type.extension!.id])
      const path = resolvePath(type, name)
      if (path !== undefined) shown = withValue(shown, path, together(shown, resource, path))
    }
  }
  for (const name of without) {
    if (isExtension(type, name)) shown = withMember(shown, type.extension!.id, undefined)
    const path = resolvePath(type, name)
    if (path === undefined || path.attribute.name === 'id') continue
    shown = withValue(
      shown,
      path,
      path.part === undefined
        ? undefined
        : mapParts(findValue(shown, path), (one) => withMember(one, path.part!.name, undefined)),
    )
  }
  return shown
}

/** The value of an attribute with the parts that were selected before, and the one of this path. */
function together(shown: JsonObject, resource: JsonObject, path: AttributePath): Json | undefined {
  const { part } = path
  const whole = findValue(resource, path)
  if (part === undefined || whole === undefined) return whole
  const before = findValue(shown, path)
  const pick = (one: JsonObject, at: number): JsonObject => {
    const held = (Array.isArray(before) ? before[at] : before) as JsonObject | undefined
    return withMember(held ?? {}, part.name, one[part.name])
  }
  return mapParts(whole, pick)
}

function mapParts(value: Json | undefined, change: (one: JsonObject, at: number) => JsonObject): Json | undefined {
  if (value === undefined) return undefined
  return Array.isArray(value) ? value.map((one, at) => change(one as JsonObject, at)) : change(value as JsonObject, 0)
}

/** One page of a list, as SCIM answers it. */
export interface ResourceList {
  readonly schemas: readonly string[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly JsonObject[]
}

/** Reads one page of a list. */
export async function listResources<K extends 'directory_user' | 'directory_group'>(
  shown: Shown<K>,
  view: () => StoredView,
  query: Query,
  base: string,
): Promise<ResourceList> {
  const selection = readSelection(query)
  const start = Math.max(1, readCount(query, 'startIndex') ?? 1)
  const rows = Math.min(SCIM_PAGE_MAX, Math.max(0, readCount(query, 'count') ?? SCIM_PAGE_MAX))
  const text = readText(query, 'filter')
  const filter = text === undefined ? undefined : parseFilter(shown.type, text)
  const found = await find(shown, view, filter, { start, rows }, base)
  const needs = findNeeds(shown.type, selection)
  return {
    schemas: [LIST_SCHEMA],
    totalResults: found.total,
    startIndex: start,
    itemsPerPage: found.rows.length,
    Resources: found.rows.map((one) => selected(shown.type, shown.print(view(), one, base, needs), selection)),
  }
}

async function find<K extends 'directory_user' | 'directory_group'>(
  shown: Shown<K>,
  view: () => StoredView,
  filter: Filter | undefined,
  { start, rows }: { readonly start: number; readonly rows: number },
  base: string,
): Promise<{ readonly rows: readonly Objects[K][]; readonly total: number }> {
  const offset = start - 1
  const all = everyObject(view, shown.kind)
  if (filter === undefined)
    return rows === 0 ? { rows: [], total: all.count() } : paged(all, { number: 1, rows, offset })
  const needs = attributesIn(filter)
  const fits = (one: Objects[K]): boolean => holds(filter, shown.print(view(), one, base, needs))
  for (const { name, value } of equalities(filter)) {
    const few = shown.lookUp(view(), name, value)
    if (few === undefined) continue
    const found = [...few].filter(fits)
    return { rows: found.slice(offset, offset + rows), total: found.length }
  }
  return searched(all, { number: 1, rows, offset }, (one) => (fits(one) ? one : undefined), true)
}

/** The names of the attributes that a filter reads. */
function attributesIn(filter: Filter): ReadonlySet<string> {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return new Set(filter.items.flatMap((item) => [...attributesIn(item)]))
    case 'not':
      return attributesIn(filter.item)
    default:
      return new Set([filter.path.attribute.name])
  }
}

/** A whole number of a query; undefined when it is not sent. @throws SCIM_INVALID */
function readCount(query: Query, name: string): number | undefined {
  const text = readText(query, name)
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw refusal('invalidValue', `\`${name}\` is a whole number`)
  return Number(text)
}
