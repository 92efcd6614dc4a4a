// Names that people choose from while they type: users, tenants, resources, actions, instances, roles. Each is a query
// of the first few that match, so that it also works where there are millions.

import { queryOptions } from '@tanstack/react-query'
import { foldCase } from 'zerohop/fold-case'
import { EVERYBODY } from '../components/holder-words.ts'
import { api, read, readIfThere } from './client.ts'
import type { EnvironmentPath } from './environments.ts'

/** Rows of a list of suggestions. */
const SHOWN = 8

export interface Suggestion {
  readonly key: string
  /** what helps to tell it from others: a name, an email, a tenant */
  readonly about?: string | undefined
}

/** A query of suggestions for what was typed. */
export type Suggest = (search: string) => ReturnType<typeof makeSuggestions>

/** @param of what is suggested, and nothing else with the same path */
export const makeSuggestions = (
  path: EnvironmentPath,
  of: readonly string[],
  find: () => Promise<readonly Suggestion[]>,
) => queryOptions({ queryKey: ['suggestions', path.p, path.e, ...of], queryFn: find })

const query = (search: string) => ({ per_page: SHOWN, ...(search === '' ? {} : { search }) })

/**
 * Those of a list that is there already.
 * @param of what the list is, and no other one on the page
 */
export function suggestAmong(path: EnvironmentPath, of: string, all: readonly Suggestion[], search: string) {
  const words = foldCase(search)
  const found = all.filter(({ key, about = '' }) => foldCase(`${key} ${about}`).includes(words)).slice(0, SHOWN)
  return makeSuggestions(path, [of, search, ...found.map(({ key }) => key)], async () => found)
}

/** Rows of an answer that is an array, or a page. */
const listRows = <T>(answer: readonly T[] | { readonly data: readonly T[] }): readonly T[] =>
  'data' in answer ? answer.data : answer

const named = ({ key, name }: { readonly key: string; readonly name: string }): Suggestion => ({
  key,
  about: name === key ? undefined : name,
})

async function findUsers(path: EnvironmentPath, search: string): Promise<readonly Suggestion[]> {
  const { data } = await read(api.GET('/v2/facts/{p}/{e}/users', { params: { path, query: query(search) } }))
  return data.map(({ key, email, first_name, last_name }) => {
    const name = [first_name, last_name].filter(Boolean).join(' ')
    return { key, about: name || (email === key ? undefined : (email ?? undefined)) }
  })
}

export function suggestUsers(path: EnvironmentPath, search: string) {
  return makeSuggestions(path, ['users', search], () => findUsers(path, search))
}

/** Users, and everyone (D16). */
export function suggestHolders(path: EnvironmentPath, search: string) {
  const isFound = search === EVERYBODY || ['everyone', 'everybody'].some((word) => word.startsWith(foldCase(search)))
  const everyone = isFound ? [{ key: EVERYBODY, about: 'Everyone' }] : []
  return makeSuggestions(path, ['holders', search], async () => [...(await findUsers(path, search)), ...everyone])
}

export function suggestTenants(path: EnvironmentPath, search: string) {
  return makeSuggestions(path, ['tenants', search], async () =>
    listRows(await read(api.GET('/v2/facts/{p}/{e}/tenants', { params: { path, query: query(search) } }))).map(named),
  )
}

export function suggestResources(path: EnvironmentPath, search: string) {
  return makeSuggestions(path, ['resources', search], async () =>
    listRows(await read(api.GET('/v2/schema/{p}/{e}/resources', { params: { path, query: query(search) } }))).map(
      named,
    ),
  )
}

export function suggestRoles(path: EnvironmentPath, search: string) {
  return makeSuggestions(path, ['roles', search], async () =>
    listRows(await read(api.GET('/v2/schema/{p}/{e}/roles', { params: { path, query: query(search) } }))).map(named),
  )
}

/** Roles that can be asked for. */
export function suggestRequestableRoles(path: EnvironmentPath, search: string) {
  return makeSuggestions(path, ['requestable roles', search], async () => {
    const found = await read(
      api.GET('/v2/schema/{p}/{e}/roles', { params: { path, query: { ...query(search), per_page: 100 } } }),
    )
    const roles = listRows(found).filter(({ requestable }) => requestable !== undefined)
    return roles.slice(0, SHOWN).map(named)
  })
}

/** Roles of the environment, and those that the tenant has of its own. */
export function suggestRolesIn(path: EnvironmentPath, tenant: string, search: string) {
  return makeSuggestions(path, ['roles in', tenant, search], async () => {
    const params = { path: { ...path, ref: tenant }, query: { offered: 'extendable' as const, per_page: 100 } }
    const offered = tenant === '' ? undefined : api.GET('/v2/facts/{p}/{e}/tenants/{ref}/roles', { params })
    const [roles, own] = await Promise.all([
      read(api.GET('/v2/schema/{p}/{e}/roles', { params: { path, query: query(search) } })),
      offered && readIfThere(offered),
    ])
    const wanted = foldCase(search)
    const found = (own?.data ?? []).filter(
      ({ key, name, tenant: of }) => of !== null && foldCase(`${key} ${name}`).includes(wanted),
    )
    return [...listRows(roles), ...found].map(named)
  })
}

/** Actions of a resource. */
export function suggestActions(path: EnvironmentPath, resource: string, search: string) {
  return makeSuggestions(path, ['actions', resource, search], async () => {
    if (resource === '') return []
    const params = { path: { ...path, resource } }
    const found = await readIfThere(api.GET('/v2/schema/{p}/{e}/resources/{resource}', { params }))
    const actions = Object.entries(found?.actions ?? {}).map(([key, { name }]) => named({ key, name: name ?? key }))
    const wanted = foldCase(search)
    return actions.filter(({ key, about = '' }) => foldCase(`${key} ${about}`).includes(wanted))
  })
}

/** Instances of a resource. */
export function suggestInstances(path: EnvironmentPath, resource: string, search: string) {
  return makeSuggestions(path, ['instances', resource, search], async () => {
    if (resource === '') return []
    const params = { path, query: { ...query(search), resource } }
    const found = await readIfThere(api.GET('/v2/facts/{p}/{e}/resource_instances', { params }))
    return listRows(found ?? []).map(({ key, tenant }) => ({ key, about: tenant ?? undefined }))
  })
}

/** Instances of any resource, as `type:key`. */
export function suggestInstancesByName(path: EnvironmentPath, search: string) {
  return makeSuggestions(path, ['instances by name', search], async () => {
    const params = { path, query: query(search) }
    const found = await read(api.GET('/v2/facts/{p}/{e}/resource_instances', { params }))
    return listRows(found).map(({ resource, key, tenant }) => ({
      key: `${resource}:${key}`,
      about: tenant ?? undefined,
    }))
  })
}

/** Roles that one may have on instances of a resource. */
export function suggestResourceRoles(path: EnvironmentPath, resource: string, search: string) {
  return makeSuggestions(path, ['resource roles', resource, search], async () => {
    if (resource === '') return []
    const params = { path: { ...path, resource } }
    const found = await readIfThere(api.GET('/v2/schema/{p}/{e}/resources/{resource}/roles', { params }))
    const wanted = foldCase(search)
    const roles = (found ?? []).map(named)
    return roles.filter(({ key, about = '' }) => foldCase(`${key} ${about}`).includes(wanted))
  })
}

/** Relations that instances of a resource may have. */
export function suggestRelations(path: EnvironmentPath, resource: string, search: string) {
  return makeSuggestions(path, ['relations', resource, search], async () => {
    const params = { path: { ...path, resource } }
    const found = await readIfThere(api.GET('/v2/schema/{p}/{e}/resources/{resource}/relations', { params }))
    const wanted = foldCase(search)
    const relations = (found?.data ?? []).map(({ key, subject_resource }) => ({ key, about: subject_resource }))
    return relations.filter(({ key }) => foldCase(key).includes(wanted))
  })
}
