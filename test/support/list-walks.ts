// A walker beside a writer: lists are walked page by page while objects of every kind come and go. A walk may show
// nothing twice, and must show what was there all the time. Which lists there are comes from the routes, so a new one is
// walked as soon as it exists; what makes rows in it is one of the writers here.
import type { Harness } from '../http/management/harness.ts'
import { auditLine } from './audit-line.ts'
import type { KnownObjects } from './known-objects.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** What a writer made, and how it goes again; without it, it stays. */
type Made = { readonly undo?: Undo }
type Undo = Parameters<Write>
/** Makes something new. @param n a number that no other one had */
type Writer = (write: Write, n: number) => Promise<Made>
type Write = (
  method: Method,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ readonly id: string; readonly key: string }>

const FAR = '2099-01-01T00:00:00Z'
const T = '$F/tenants/default'

/** What comes and goes. Whatever a list has in addition to what is here needs a writer of its own. */
const WRITERS: Readonly<Record<string, Writer>> = {
  users: async (write, n) => {
    const sent = { key: `walked-${n}`, email: `walked-${n}@example.com`, last_name: 'Walked' }
    await write('POST', '$F/users', sent)
    return { undo: ['DELETE', `$F/users/walked-${n}`] }
  },
  'users of a tenant': async (write, n) => {
    await write('POST', `${T}/users`, { key: `member-${n}` })
    return { undo: ['DELETE', `${T}/users/member-${n}`] }
  },
  tenants: async (write, n) => {
    await write('POST', '$F/tenants', { key: `tenant-${n}` })
    return { undo: ['DELETE', `$F/tenants/tenant-${n}`] }
  },
  assignments: async (write, n) => {
    await write('POST', '$F/users', { key: `holder-${n}` })
    // some end at the same time as others
    const later = `2099-01-01T00:00:${String(n % 60).padStart(2, '0')}Z`
    const end = n % 4 === 0 ? {} : { valid_until: n % 4 === 1 ? later : FAR }
    const sent = { user: `holder-${n}`, role: 'admin', tenant: 'default' }
    await write('POST', '$F/role_assignments', { ...sent, ...end })
    return { undo: ['DELETE', '$F/role_assignments', sent] }
  },
  roles: async (write, n) => {
    await write('POST', '$S/roles', {
      key: `role-${n}`,
      extends: ['admin'],
      assignable_by_tenants: true,
      extendable: true,
    })
    return { undo: ['DELETE', `$S/roles/role-${n}`] }
  },
  'parents of a role': async (write, n) => {
    const requestable = { by: 'everybody', approvers: ['admin'], max_duration: 60 }
    await write('POST', '$S/roles', { key: `above-${n}`, requestable })
    await write('PUT', `$S/roles/admin/parents/above-${n}`)
    return { undo: ['DELETE', `$S/roles/above-${n}`] }
  },
  'roles of a tenant': async (write, n) => {
    if (n > 240) return {} // a tenant has fifty at most
    await write('POST', `${T}/roles`, { key: `own-${n}` })
    return { undo: ['DELETE', `${T}/roles/own-${n}`] }
  },
  'resource types': async (write, n) => {
    await write('POST', '$S/resources', { key: `type-${n}`, name: 'Type', actions: { a: {}, b: { grantable: true } } })
    return { undo: ['DELETE', `$S/resources/type-${n}`] }
  },
  actions: async (write, n) => {
    await write('POST', '$S/resources/hello/actions', { key: `action-${n}`, grantable: true })
    return { undo: ['DELETE', `$S/resources/hello/actions/action-${n}`] }
  },
  attributes: async (write, n) => {
    await write('POST', '$S/resources/hello/attributes', { key: `attribute_${n}`, type: 'string' })
    return { undo: ['DELETE', `$S/resources/hello/attributes/attribute_${n}`] }
  },
  'attributes of users': async (write, n) => {
    await write('POST', '$S/users/attributes', { key: `attribute_${n}`, type: 'string' })
    return { undo: ['DELETE', `$S/users/attributes/attribute_${n}`] }
  },
  relations: async (write, n) => {
    await write('POST', '$S/resources/hello/relations', { key: `relation-${n}`, subject_resource: 'hello' })
    return { undo: ['DELETE', `$S/resources/hello/relations/relation-${n}`] }
  },
  'action groups': async (write, n) => {
    await write('POST', '$S/resources/hello/action_groups', { key: `actions-${n}`, actions: ['say'] })
    return { undo: ['DELETE', `$S/resources/hello/action_groups/actions-${n}`] }
  },
  'roles of a type': async (write, n) => {
    await write('POST', '$S/resources/hello/roles', { key: `on-${n}`, extends: ['admin'], assignable_by_tenants: true })
    return { undo: ['DELETE', `$S/resources/hello/roles/on-${n}`] }
  },
  'parents of a role of a type': async (write, n) => {
    await write('POST', '$S/resources/hello/roles', { key: `over-${n}` })
    await write('PUT', `$S/resources/hello/roles/admin/parents/over-${n}`)
    return { undo: ['DELETE', `$S/resources/hello/roles/over-${n}`] }
  },
  'condition sets': async (write, n) => {
    const sent = { key: `set-${n}`, parent_id: 'grown', conditions: { 'user.size': { 'greater-than': n } } }
    await write('POST', '$S/condition_sets', sent)
    return { undo: ['DELETE', `$S/condition_sets/set-${n}`] }
  },
  'sets without a parent': async (write, n) => {
    await write('POST', '$S/condition_sets', { key: `alone-${n}`, conditions: { 'user.size': { 'less-than': n } } })
    return { undo: ['DELETE', `$S/condition_sets/alone-${n}`] }
  },
  'set rules': async (write, n) => {
    await write('POST', '$S/resources/hello/actions', { key: `ruled-${n}` })
    const sent = { user_set: 'grown', permission: `hello:ruled-${n}`, resource_set: 'hello' }
    await write('POST', '$F/set_rules', sent)
    return { undo: ['DELETE', '$F/set_rules', sent] }
  },
  instances: async (write, n) => {
    await write('POST', '$F/resource_instances', { key: `walked-${n}`, resource: 'hello', tenant: 'default' })
    return { undo: ['DELETE', `$F/resource_instances/hello:walked-${n}`] }
  },
  tuples: async (write, n) => {
    await write('POST', '$F/resource_instances', { key: `subject-${n}`, resource: 'hello', tenant: 'default' })
    const sent = { subject: `hello:subject-${n}`, relation: 'within', object: 'hello:one' }
    await write('POST', '$F/relationship_tuples', { ...sent, tenant: 'default' })
    return { undo: ['DELETE', '$F/relationship_tuples', sent] }
  },
  groups: async (write, n) => {
    await write('POST', '$S/groups', { group_instance_key: `group-${n}`, group_tenant: 'default' })
    return { undo: ['DELETE', `$S/groups/group-${n}`] }
  },
  'users of a group': async (write, n) => {
    await write('POST', '$F/users', { key: `grouped-${n}` })
    await write('PUT', `$S/groups/team/users/grouped-${n}`, { tenant: 'default' })
    return { undo: ['DELETE', `$F/users/grouped-${n}`] }
  },
  'roles of a group': async (write, n) => {
    await write('POST', '$F/resource_instances', { key: `given-${n}`, resource: 'hello', tenant: 'default' })
    const sent = { role: 'viewer', resource: 'hello', resource_instance: `given-${n}`, tenant: 'default' }
    await write('POST', '$S/groups/team/roles', sent)
    return { undo: ['DELETE', '$S/groups/team/roles', sent] }
  },
  'groups in a group': async (write, n) => {
    await write('POST', '$S/groups', { group_instance_key: `inner-${n}`, group_tenant: 'default' })
    await write('PUT', `$S/groups/inner-${n}/assign_group`, { group_instance_key: 'team' })
    return { undo: ['DELETE', `$S/groups/inner-${n}`] }
  },
  'groups around a group': async (write, n) => {
    await write('POST', '$S/groups', { group_instance_key: `outer-${n}`, group_tenant: 'default' })
    await write('PUT', '$S/groups/team/assign_group', { group_instance_key: `outer-${n}` })
    return { undo: ['DELETE', `$S/groups/outer-${n}`] }
  },
  invites: async (write, n) => {
    const sent = { key: `invited-${n}`, status: 'pending', email: `invited-${n}@example.com` }
    const { id } = await write('POST', '$F/user_invites', {
      ...{ ...sent, first_name: 'In', last_name: 'Vited', role_id: 'viewer', tenant_id: 'default' },
    })
    return { undo: ['DELETE', `$F/user_invites/${id}`] }
  },
  'access requests': async (write, n) => {
    await write('POST', '$F/users', { key: `asking-${n}` })
    await write('POST', '$F/access_requests', { as: `asking-${n}`, role: 'asked', duration: 60, tenant: 'default' })
    return {}
  },
  'proxy configs': async (write, n) => {
    await write('POST', '$F/proxy_configs', { key: `proxy-${n}`, secret: 'token' })
    return { undo: ['DELETE', `$F/proxy_configs/proxy-${n}`] }
  },
  'API keys': async (write, n) => {
    const { organization_id } = (await write('GET', '/v2/api-key/scope')) as unknown as { organization_id: string }
    const { id } = await write('POST', '/v2/api-key', { organization_id, object_type: 'org', name: `key ${n}` })
    return { undo: ['DELETE', `/v2/api-key/${id}`] }
  },
  projects: async (write, n) => {
    await write('POST', '/v2/projects', { key: `project-${n}`, name: 'Project' })
    return { undo: ['DELETE', `/v2/projects/project-${n}`] }
  },
  environments: async (write, n) => {
    await write('POST', '/v2/projects/default/envs', { key: `env-${n}`, name: 'Environment' })
    return { undo: ['DELETE', `/v2/projects/default/envs/env-${n}`] }
  },
  syncs: async (write, n) => {
    const run = n.toString(16).padStart(32, '0')
    const path = `/v2/facts/default/development/syncs/walk-${n}`
    await write('POST', `${path}/lease`, { source: run, run })
    await write('POST', `${path}/release`, { run })
    return { undo: ['DELETE', path] }
  },
  'rules for groups': async (write, n) => {
    const group = { by: 'display_name', value: `walked-${n}` }
    const { id } = await write('POST', '$F/group_rules', { group, role: 'viewer', tenant: 'default' })
    return { undo: ['DELETE', `$F/group_rules/${id}`] }
  },
  'groups of a directory': async (write, n) => {
    const { id: environment_id, ...of } = await write('GET', '/v2/projects/default/envs/development')
    const { organization_id } = of as unknown as { organization_id: string }
    const body = { organization_id, environment_id, object_type: 'directory', access_level: 'write' }
    const { secret } = (await write('POST', '/v2/api-key', body)) as unknown as { secret: string }
    const { id } = await write('POST', '/scim/v2/Groups', { displayName: `walked ${n}` }, secret)
    return { undo: ['DELETE', `/scim/v2/Groups/${id}`, undefined, secret] }
  },
  proposals: async (write, n) => {
    const changes = [{ op: 'create', kind: 'role', key: `proposed-${n}`, value: {} }]
    const { id } = await write('POST', '/v2/projects/default/envs/development/proposals', { changes })
    return { undo: ['POST', `/v2/projects/default/envs/development/proposals/${id}/withdraw`] }
  },
}

/** Lists that never have a second page here, and why. */
const SHORT: Readonly<Record<string, string>> = {
  'GET /v2/orgs': 'a key has one organization',
  'GET /v2/pdps/:p/:e': 'no PDP follows here',
  'GET /v2/pdps/:p/:e/configs': 'an environment has one',
  'GET /v2/schema/:p/:e/condition_sets/:ref/ancestors': 'a set has one parent: the test makes a chain of them',
}

/** What answers with rows and is not a list of them, and why. */
export const NOT_WALKED: Readonly<Record<string, string>> = {
  '/v2/facts/:p/:e/users/:ref': 'one user, with its roles',
  '/v2/projects/:p/envs/:e/export': 'a file of one revision',
  '/v2/facts/:p/:e/stream': 'lines of one revision, whole; `after` names a fact, behind which a cut answer goes on',
  '/v2/activity/types': 'the same in every environment',
  '/v2/pdps/:p/:e/audit_logs/counts': 'counts over time',
}

/** Further questions to lists: other orders, and filters that other code answers. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  'GET /v2/facts/:p/:e/users': ['search=walked', 'role=admin'],
  'GET /v2/facts/:p/:e/tenants/:ref/users': ['search=e', 'role=admin', 'state=scheduled&state=in_force&state=ended'],
  'GET /v2/facts/:p/:e/role_assignments': [
    'ending_before=2100-01-01T00:00:00Z',
    'role=admin&include_total_count=true',
    'tenant=default&role=admin&role=viewer',
  ],
  'GET /v2/facts/:p/:e/resource_instances': ['search=walked&include_total_count=true', 'tenant=default&search=w'],
  'GET /v2/facts/:p/:e/relationship_tuples': ['object_type=hello', 'object=hello:one&include_total_count=true'],
  'GET /v2/facts/:p/:e/access_requests': ['state=pending'],
  'GET /v2/facts/:p/:e/tenants/:ref/roles': ['offered=extendable'],
  'GET /v2/schema/:p/:e/resources': ['include_built_in=true&include_total_count=true', 'search=ty*'],
  'GET /v2/schema/:p/:e/roles': ['search=role&include_total_count=true'],
  'GET /v2/facts/:p/:e/tenants': ['search=tenant'],
  'GET /v2/facts/:p/:e/directory_groups': ['search=walked'],
  'GET /v2/history': ['method=POST', 'timestamp_from=1'],
  'GET /v2/activity': ['actor_type=api_key'],
  'GET /v2/pdps/:p/:e/audit_logs': ['users=ana', 'decision=true', 'timestamp_from=1'],
}

/** What a row is, whatever else of it changes. */
function nameOfRow(row: Readonly<Record<string, unknown>>): string {
  const { id, last_used, unused, unknown, ...rest } = row
  // a role of a group is there on each instance
  return typeof id === 'string' ? `${id} ${JSON.stringify(row.resource_instance)}` : JSON.stringify(rest)
}

/** A list, and how it is asked. */
export interface WalkedList {
  readonly title: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** the parameter for the size of a page */
  readonly size: 'per_page' | 'limit'
  readonly isShort: boolean
}

/** Every list of the API with a cursor, with the questions that are asked of it. */
export function walkedLists({ routes }: Pick<Harness, 'routes'>, known: KnownObjects): readonly WalkedList[] {
  return routes
    .filter(
      ({ method, url, query }) =>
        method === 'GET' && query.includes('after') && !url.startsWith('/v2/feed/') && !(url in NOT_WALKED),
    )
    .flatMap(({ method, url, query: names, operation }) => {
      const title = `${method} ${url}`
      const size = names.includes('per_page') ? 'per_page' : 'limit'
      const isShort = title in SHORT
      const asked = ['', ...(QUESTIONS[title] ?? [])]
      const callers = operation?.startsWith('members.') ? [{}, { 'x-as-tenant': 'default' }] : [{}]
      return callers.flatMap((headers) =>
        asked.map((question) => ({
          ...{
            title: `${title}?${question}${'x-as-tenant' in headers ? ' as its tenant' : ''}`,
            headers,
            size,
            isShort,
          },
          path: `${known.path(url)}?${question}` as string,
        })),
      )
    }) as readonly WalkedList[]
}

/** How a walk goes to its next page; `byNumber` is the fault that the walker must find. */
export type Going = 'byCursor' | 'byNumber'

interface Walk {
  readonly list: WalkedList
  readonly rows: number
  readonly before: ReadonlySet<string>
  readonly seen: Set<string>
  next: string | undefined
  pages: number
}

export class Walker {
  readonly #api: Pick<Harness, 'ask' | 'environment'>
  readonly #random: () => number
  readonly #going: Going
  readonly #key: { readonly id: string; readonly secret: string }
  #made = 0
  #decisions = 0
  readonly #undo: Undo[] = []
  readonly #walks = new Map<WalkedList, Walk>()
  /** lists whose walk had a second page */
  readonly walkedOn = new Set<string>()
  readonly faults: string[] = []
  finished = 0

  constructor(
    api: Pick<Harness, 'ask' | 'environment'>,
    key: { readonly id: string; readonly secret: string },
    random: () => number,
    going: Going = 'byCursor',
  ) {
    this.#api = api
    this.#key = key
    this.#random = random
    this.#going = going
  }

  /** Lets every writer write so often. */
  async fill(times: number): Promise<void> {
    for (let turn = 0; turn < times; turn++) for (const name of Object.keys(WRITERS)) await this.#make(name)
    await this.decide(4)
  }

  /** One write of any kind. */
  async write(): Promise<void> {
    const chance = this.#random()
    const undo = chance < 0.45 ? this.#undo.splice(Math.floor(this.#random() * this.#undo.length), 1)[0] : undefined
    if (undo !== undefined) {
      await this.#write(...undo)
      return
    }
    if (chance > 0.95) return this.decide(2)
    const names = Object.keys(WRITERS)
    await this.#make(names[Math.floor(this.#random() * names.length)]!)
  }

  /** The next page of a list; begins a walk, and ends it. */
  async step(list: WalkedList): Promise<void> {
    const walk = this.#walks.get(list) ?? (await this.#begin(list))
    const size = `${list.size}=${walk.rows}`
    const at = walk.next === undefined ? '' : `&${this.#going === 'byCursor' ? 'after' : 'page'}=${walk.next}`
    const { rows, next } = await this.#read(list, `${size}${at}`)
    for (const row of rows) {
      if (walk.seen.has(row)) this.faults.push(`${list.title} shows twice: ${row}`)
      walk.seen.add(row)
    }
    walk.pages++
    walk.next = this.#going === 'byCursor' ? next : rows.length < walk.rows ? undefined : String(walk.pages + 1)
    if (walk.pages === 2) this.walkedOn.add(list.title)
    if (walk.next === undefined) await this.#end(walk)
  }

  isWalking(list: WalkedList): boolean {
    return this.#walks.has(list)
  }

  async #begin(list: WalkedList): Promise<Walk> {
    const before = await this.#all(list)
    const rows = Math.max(1, Math.min(100, Math.ceil(before.size / (2 + Math.floor(this.#random() * 4)))))
    const walk = { list, rows, before, seen: new Set<string>(), next: undefined, pages: 0 }
    this.#walks.set(list, walk)
    return walk
  }

  async #end({ list, before, seen }: Walk): Promise<void> {
    this.#walks.delete(list)
    this.finished++
    const after = await this.#all(list)
    for (const row of before) if (after.has(row) && !seen.has(row)) this.faults.push(`${list.title} leaves out: ${row}`)
  }

  /** All rows, at one moment. */
  async #all(list: WalkedList): Promise<Set<string>> {
    const all = new Set<string>()
    for (let at = '', isLast = false; !isLast; ) {
      const { rows, next } = await this.#read(list, `${list.size}=100${at}`)
      for (const row of rows) all.add(row)
      isLast = next === undefined
      at = `&after=${next}`
    }
    return all
  }

  async #read(
    { path, title, headers }: WalkedList,
    query: string,
  ): Promise<{ rows: string[]; next: string | undefined }> {
    const answer = await this.#api.ask('GET', `${path}&${query}`, undefined, { headers })
    if (answer.status !== 200) throw new Error(`${title} ${query}: ${answer.status} ${JSON.stringify(answer.body)}`)
    const { body } = answer
    const rows = (Array.isArray(body) ? body : (body.data ?? body.roles ?? body.lines)) as Record<string, unknown>[]
    const link = /^<\?(.*)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1]
    const linked = link === undefined ? undefined : (new URLSearchParams(link).get('after') ?? undefined)
    const next = Array.isArray(body) || body.roles ? linked : (body.next ?? undefined)
    if (next !== undefined && body.lines === undefined && next !== linked) this.faults.push(`${title}: link ${link}`)
    return { rows: rows.map(nameOfRow), next }
  }

  async #make(name: string): Promise<void> {
    const { undo } = await WRITERS[name]!((...args) => this.#write(...args), this.#made++)
    if (undo !== undefined) this.#undo.push(undo)
  }

  #write: Write = async (method, path, body, key) => {
    const answer = await this.#api.ask(method, path, body, key === undefined ? {} : { key })
    // what a write took along is gone already, and limits are limits
    if (answer.status > 299 && !(method === 'DELETE' && answer.status === 404))
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body ?? {}
  }

  /** Records decisions, some of them later than they were made. */
  async decide(count: number): Promise<void> {
    const lines = Array.from({ length: count }, () => {
      const seq = ++this.#decisions
      const at = Date.now() - Math.floor(this.#random() * 5_000)
      return auditLine({ seq, at, environment: this.#api.environment, apiKey: this.#key.id, key: `item-${seq}` })
    })
    const sent = { key: this.#key.secret, headers: { 'content-type': 'application/x-ndjson' } }
    const path = '/v2/pdps/default/development/audit_logs'
    const { status } = await this.#api.ask('POST', path, Buffer.from(lines.join('')), sent)
    if (status !== 200) throw new Error(`decisions were not stored: ${status}`)
  }
}
