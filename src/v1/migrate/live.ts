// The current objects of an environment during an undo, read on demand; objects that the undo removed or would remove
// are left out.
import type { Answer, Api } from './api-client.ts'
import type { CallKind } from './plan.ts'
import { type Environment, factsOf, schemaOf } from './world.ts'

/** An object as the API prints it. */
export type Row = Answer['body']

export type ListName = 'users' | 'tenants' | 'role_assignments' | 'set_rules' | 'roles' | 'resources'

/** Names of the objects that an undo removed or restored, or would in a dry run. */
export interface Taken {
  readonly gone: Set<string>
  readonly restored: Map<string, Row>
}

/**
 * Names an object among all of its environment. An assignment is named by its three keys, an action with its resource.
 */
export const nameOf = (kind: CallKind, body: Row, of?: string): string =>
  kind === 'assignment'
    ? `assignment ${body.user}/${body.role}/${body.tenant}`
    : `${kind} ${of === undefined ? '' : `${of}:`}${body.key}`

export class Live {
  readonly #api: Api
  readonly #environment: Environment
  readonly #taken: Taken
  readonly #lists = new Map<ListName, Promise<readonly Row[]>>()
  readonly #indexes = new Map<string, Promise<Map<string, Row[]>>>()

  constructor(api: Api, environment: Environment, taken: Taken) {
    this.#api = api
    this.#environment = environment
    this.#taken = taken
  }

  /** All rows of a list except removed ones. The list is read once. */
  async list(name: ListName): Promise<readonly Row[]> {
    return this.#left(name, await this.#read(name))
  }

  /** The rows whose field has the value. */
  async where(name: ListName, field: string, value: string): Promise<readonly Row[]> {
    const id = `${name} ${field}`
    const index = this.#indexes.get(id) ?? this.#read(name).then((rows) => grouped(rows, field))
    this.#indexes.set(id, index)
    return this.#left(name, (await index).get(value) ?? [])
  }

  /** The first resource instance that the query finds. */
  async firstInstance(query: string): Promise<Row | undefined> {
    const path = `${factsOf(this.#environment)}/resource_instances?${query}&page=1&per_page=1`
    const body = await this.#api.ask('GET', path)
    return (Array.isArray(body) ? body : (body?.data ?? []))[0]
  }

  async #read(name: ListName): Promise<readonly Row[]> {
    const base = name === 'roles' || name === 'resources' ? schemaOf(this.#environment) : factsOf(this.#environment)
    const rows = this.#lists.get(name) ?? this.#api.list(`${base}/${name}`)
    this.#lists.set(name, rows)
    return rows
  }

  #left(name: ListName, rows: readonly Row[]): readonly Row[] {
    const { gone, restored } = this.#taken
    return rows.filter((row) => !gone.has(nameIn(name, row))).map((row) => restored.get(nameIn(name, row)) ?? row)
  }
}

function nameIn(name: ListName, row: Row): string {
  if (name === 'role_assignments') return row.resource_instance ? '' : nameOf('assignment', row)
  return `${name.slice(0, -1)} ${row.key}`
}

function grouped(rows: readonly Row[], field: string): Map<string, Row[]> {
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const group = found.get(row[field])
    if (group === undefined) found.set(row[field], [row])
    else group.push(row)
  }
  return found
}
