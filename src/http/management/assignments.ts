// Role assignments: /v2/facts/{p}/{e}/role_assignments. DELETE carries a body; filters take ids or keys and may be repeated.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { RoleAssignment as Stored } from '../../model/objects.ts'
import type { IndexName } from '../../store/tables.ts'
import type { View } from '../../store/view.ts'
import { type Page, pageBody, type Query, readFlag, readPage, readText, readTexts } from '../page.ts'
import { RoleAssignment } from '../schemas.ts'
import { type Management, viewOf, write } from './context.ts'
import { everyObject, indexed, merged, paged, type Rows, type Source, searched } from './listing.ts'
import { assignmentDetailed, assignmentRead, withIds } from './render.ts'

const ASSIGNMENTS = '/v2/facts/:p/:e/role_assignments'
const read = { operation: 'facts.read' } as const
const options = { config: { operation: 'facts.write' }, schema: { body: RoleAssignment } } as const
type WithBody = { Body: Static<typeof RoleAssignment>; Querystring: Query }

export function assignmentRoutes(app: FastifyInstance, management: Management): void {
  app.get<{ Querystring: Query }>(ASSIGNMENTS, { config: read }, async (request) => {
    const page = readPage(request.query)
    const counted = readFlag(request.query, 'include_total_count')
    const detailed = readFlag(request.query, 'detailed')
    const { data, total } = await list(management, request, page, detailed, counted)
    return counted ? pageBody(data, total, page) : data
  })
  app.get<{ Querystring: Query }>(`${ASSIGNMENTS}/detailed`, { config: read }, async (request) => {
    const page = readPage(request.query)
    const { data, total } = await list(management, request, page, true, true)
    return pageBody(data, total, page)
  })
  app.post<WithBody>(ASSIGNMENTS, options, async (request, reply) => {
    const { user, role, tenant } = request.body
    return assignmentRead(request.scope, await write(management, request, reply, 'assign', { user, role, tenant }))
  })
  app.delete<WithBody>(ASSIGNMENTS, options, async (request, reply) => {
    const returned = readFlag(request.query, 'return_deleted')
    const { user, role, tenant } = request.body
    const gone = await write(management, request, reply, 'unassign', { user, role, tenant })
    return returned ? assignmentRead(request.scope, gone) : reply.code(204).send()
  })
}

async function list(
  management: Management,
  request: FastifyRequest<{ Querystring: Query }>,
  page: Page,
  detailed: boolean,
  counted: boolean,
) {
  const { scope, query } = request
  const { rows, total } = await listAssignments(() => viewOf(management, request), query, page, counted)
  const view = viewOf(management, request)
  // a row whose user went while a search was looking is left out
  const there = rows.filter(({ key }) => view.get('role_assignment', key))
  const data = there.map((row) =>
    detailed ? assignmentDetailed(scope, view, row) : assignmentRead(scope, withIds(view, row)),
  )
  return { data, total }
}

type Filter = 'user' | 'role' | 'tenant'
const INDEX_OF = {
  user: 'assignments_of_user',
  role: 'assignments_of_role',
  tenant: 'assignments_of_tenant',
} as const satisfies Record<Filter, IndexName>

/** Starts from the index with the fewest rows, and tests the rest on each row. */
async function listAssignments(view: () => View, query: Query, page: Page, counted: boolean): Promise<Rows<Stored>> {
  const filters = readFilters(view(), query)
  if (filters === undefined || readText(query, 'resource') || readText(query, 'resource_instance')) {
    return { rows: [], total: 0 } // unknown names, and instances, have no assignments
  }
  const { source, rest } = narrowest(view, filters)
  if (rest.length === 0 && !source.many) return paged(source.rows, page)
  const pick = (row: Stored) => (rest.every(([name, keys]) => keys.has(row[name])) ? row : undefined)
  return searched(source.rows, page, pick, counted)
}

type Filters = readonly (readonly [Filter, ReadonlySet<string>])[]

function readFilters(view: View, query: Query): Filters | undefined {
  const filters: [Filter, Set<string>][] = []
  for (const name of ['user', 'role', 'tenant'] as const) {
    const refs = readTexts(query, name).filter((ref) => ref !== '')
    if (refs.length === 0) continue
    const keys = new Set<string>()
    for (const ref of refs) {
      const found = view.find(name, ref)
      if (found) keys.add(found.key)
    }
    if (keys.size === 0) return undefined
    filters.push([name, keys])
  }
  return filters
}

interface Chosen {
  readonly source: { readonly rows: Source<Stored>; readonly many: boolean }
  readonly rest: Filters
}

function narrowest(view: () => View, filters: Filters): Chosen {
  if (filters.length === 0) return { source: { rows: everyObject(view, 'role_assignment'), many: false }, rest: [] }
  const users = filters.find(([name]) => name === 'user')
  const tenants = filters.find(([name]) => name === 'tenant')
  const [user] = users?.[1] ?? []
  const [tenant] = tenants?.[1] ?? []
  if (user !== undefined && tenant !== undefined && users?.[1].size === 1 && tenants?.[1].size === 1) {
    const rows = indexed(view, 'assignments_of_user_in_tenant', `${user}/${tenant}`)
    return { source: { rows, many: false }, rest: filters.filter(([name]) => name === 'role') }
  }
  const candidates = filters.map((filter) => {
    const rows = merged([...filter[1]].map((key) => indexed(view, INDEX_OF[filter[0]], key)))
    return { rows, many: filter[1].size > 1, filter, count: rows.count() }
  })
  const best = candidates.reduce((least, one) => (one.count < least.count ? one : least))
  return { source: best, rest: filters.filter((filter) => filter !== best.filter) }
}
