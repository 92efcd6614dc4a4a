// The package entry `zerohop/embedded`: store, management and decision point in your own process, without HTTP. When a
// write resolves it is on disk, and the PDP of its environment already decides by it. Loads lmdb; nothing here listens.
import { randomBytes } from 'node:crypto'
import type { KindName, Objects } from './kinds/index.ts'
import type { RelationshipTuple } from './kinds/relationship-tuple.ts'
import type { Resource } from './kinds/resource.ts'
import type { Role } from './kinds/role.ts'
import type { RoleAssignment } from './kinds/role-assignment.ts'
import type { SetRule } from './kinds/set-rule.ts'
import { type StoredTimes, stateAt, type TimeState } from './kinds/times.ts'
import type { User } from './kinds/user.ts'
import { type LogId, withoutRequest } from './log/change.ts'
import { localFeed } from './management/feed/local-feed.ts'
import { type ManagementData, openManagementData } from './management/host/open.ts'
import type { ManagementUseCases } from './management/host/registry.ts'
import { BODY } from './management/rules/fields.ts'
import { requireShape } from './management/rules/shape.ts'
import { shownWarnings } from './management/rules/shown-warnings.ts'
import { RoleAssignmentCreate } from './management/schemas/role-assignments.ts'
import { SuspensionSent } from './management/schemas/schema-parts.ts'
import { TupleCreate } from './management/schemas/tuples.ts'
import { UserCreate, UserReplace, UserUpdate } from './management/schemas/users.ts'
import { ZerohopError } from './model/errors.ts'
import { type OnEvent, tell } from './model/events.ts'
import type { TSchema } from './model/json-schema.ts'
import { EMBEDDED_WAIT_MS } from './model/limits.ts'
import { Follower } from './pdp/follower.ts'
import { Pdp, type PdpOptions } from './pdp/pdp.ts'
import type { InputOf, ResultOf, View } from './store/view.ts'

export type { Explanation } from './image/image.ts'
export type { ConditionSet } from './kinds/condition-set.ts'
export type { RelationshipTuple } from './kinds/relationship-tuple.ts'
export type { Resource } from './kinds/resource.ts'
export type { ResourceInstance } from './kinds/resource-instance.ts'
export type { Role } from './kinds/role.ts'
export type { RoleAssignment } from './kinds/role-assignment.ts'
export type { SetRule } from './kinds/set-rule.ts'
export type { Tenant } from './kinds/tenant.ts'
export type { TimeState } from './kinds/times.ts'
export type { User } from './kinds/user.ts'
export { type ErrorCode, isZerohopError, ZerohopError } from './model/errors.ts'
export type { Decision, Pdp, PdpOptions } from './pdp/pdp.ts'
export type { PermissionFilter, TenantPermissions, UserPermissions } from './pdp/pdp-listings.ts'
export type { Permission, PermissionScope } from './pdp/permission.ts'
export type { Subject } from './pdp/subject.ts'
export type { Zerohop }

export interface OpenOptions extends PdpOptions {
  /** the data folder; a new one gets a project `default` with the environments `development` and `production` */
  readonly data: string
  /** the environment that this handle works on: a key or an id; default `development` */
  readonly environment?: string
  /** loads the example policy into `development` of a new folder; default false */
  readonly example?: boolean
  /** default `<data>/secrets.key` */
  readonly secretsKeyFile?: string
  /** called with what a write warns of, before it resolves */
  readonly onEvent?: OnEvent<WriteWarnings>
}

/** What the caller should know of a write that was carried out: what it takes away on which a condition counts (D11). */
export interface WriteWarnings {
  readonly event: 'warnings'
  /** `replaceUser`, … */
  readonly operation: string
  readonly warnings: readonly string[]
}

/**
 * Opens a data folder in this process.
 * @throws CONFIG_INVALID without a folder, DATA_IN_USE, DATA_READ_ONLY, DATA_DAMAGED, DATA_FOREIGN, OBJECT_NOT_FOUND when
 *   the environment does not exist
 */
export function open(options: OpenOptions): Promise<Zerohop> {
  return Zerohop.open(options)
}

/** The operations on a collection of objects. `ref` is a key or an id. */
interface Reads<T> {
  /** undefined when the object does not exist */
  get(ref: string): T | undefined
  /** in creation order, as of the call */
  list(): T[]
}

/** What use cases call the objects of a collection: `createRole`, `updateRole`, `deleteRole`. */
interface Nouns {
  resource: 'Resource'
  role: 'Role'
  tenant: 'Tenant'
  user: 'User'
  resource_instance: 'Instance'
  condition_set: 'ConditionSet'
}
type Input<N extends keyof ManagementUseCases> = InputOf<ManagementUseCases[N]>

interface Writes<N extends Nouns[keyof Nouns], T> {
  create(object: Input<`create${N}`>): Promise<T>
  /** changes the fields that are sent */
  update(ref: string, fields: Input<`update${N}`>['fields']): Promise<T>
  /** What cannot be without it is deleted too. */
  delete(ref: string): Promise<null>
}

/** What writes that give or take access are sent, and under which name where that is not the whole. */
const SENT: { readonly [N in keyof ManagementUseCases]?: readonly [schema: TSchema, member?: string] } = {
  assign: [RoleAssignmentCreate],
  putAssignment: [RoleAssignmentCreate],
  createTuple: [TupleCreate],
  putTuple: [TupleCreate],
  createUser: [UserCreate],
  syncUser: [UserCreate],
  updateUser: [UserUpdate, 'fields'],
  replaceUser: [UserReplace, 'fields'],
  suspendUser: [SuspensionSent, 'suspension'],
}

/**
 * Of what gives or takes access nothing is ignored, as over HTTP: a misspelt end would give it for good.
 * @throws INPUT_INVALID for a member that is not known or not of its type
 */
function requireSent(name: keyof ManagementUseCases, input: unknown): void {
  const [schema, member] = SENT[name] ?? []
  if (schema === undefined) return
  requireShape(schema, member === undefined ? input : (input as Readonly<Record<string, unknown>>)[member], BODY)
}

const NOT_ENDED: readonly TimeState[] = ['scheduled', 'in_force']

/** Those of the objects that are in one of the states now. */
function inStates<T extends StoredTimes>(objects: Iterable<T>, states = NOT_ENDED): T[] {
  const now = Date.now()
  return Array.from(objects).filter((object) => states.includes(stateAt(object, now)))
}

/**
 * One environment of an open data folder. Reading is synchronous; a write resolves when it is on disk and the PDP
 * decides by it.
 */
class Zerohop {
  readonly #management: ManagementData
  readonly #options: OpenOptions
  readonly #opened: Map<LogId, Zerohop>
  #environment: LogId = ''
  #pdp: Pdp | undefined

  // Private, so that the declarations of this entry name neither the store nor lmdb.
  private constructor(management: ManagementData, options: OpenOptions, opened: Map<LogId, Zerohop> = new Map()) {
    this.#management = management
    this.#options = options
    this.#opened = opened
  }

  /** Implements the function `open` of this entry. */
  static async open(options: OpenOptions): Promise<Zerohop> {
    if (typeof options?.data !== 'string')
      throw new ZerohopError('CONFIG_INVALID', { reason: 'open needs a data folder, as in open({ data: "./data" })' })
    const { data, secretsKeyFile, environment = 'development', example = false } = options
    const management = await openManagementData({
      data,
      noExample: !example,
      newId: () => randomBytes(16).toString('hex'),
      ...(secretsKeyFile === undefined ? {} : { secretsKeyFile }),
    })
    try {
      return await new Zerohop(management, options).environment(environment)
    } catch (error) {
      await management.store.close()
      throw error
    }
  }

  /** The decision point of this environment. */
  get pdp(): Pdp {
    if (this.#pdp === undefined) throw new ZerohopError('NOT_READY')
    return this.#pdp
  }

  /** The same folder, seen from another environment: a key of project `default`, `project/environment`, or an id. */
  async environment(ref: string): Promise<Zerohop> {
    const { store, organization } = this.#management
    const name = ref.includes('/') ? ref : `default/${ref}`
    const view = store.view(organization)
    const { id } = view.find('environment', ref) ?? view.require('environment', name)
    const opened = this.#opened.get(id) ?? new Zerohop(this.#management, this.#options, this.#opened)
    this.#opened.set(id, opened)
    await opened.#follow(id)
    return opened
  }

  /** Deleting a resource removes its permissions from every role. */
  readonly resources = {
    ...this.#collection('resource', 'Resource'),
    /** Fields that are not sent are reset. */
    replace: (ref: string, fields: Input<'replaceResource'>['fields']): Promise<Resource> =>
      this.#write('replaceResource', { ref, fields }),
  }

  /** Deleting a role deletes its assignments. */
  readonly roles = {
    ...this.#collection('role', 'Role'),
    /** Fields that are not sent are reset. */
    replace: (ref: string, fields: Input<'replaceRole'>['fields']): Promise<Role> =>
      this.#write('replaceRole', { ref, fields }),
    addPermissions: (ref: string, permissions: readonly string[]): Promise<Role> =>
      this.#write('addPermissions', { ref, permissions }),
    removePermissions: (ref: string, permissions: readonly string[]): Promise<Role> =>
      this.#write('removePermissions', { ref, permissions }),
  }

  /** Deleting a tenant deletes everything in it. */
  readonly tenants = this.#collection('tenant', 'Tenant')

  /** Deleting a user deletes its assignments. */
  readonly users = {
    ...this.#collection('user', 'User'),
    /** Creates the user if it is missing; else changes only what is sent: attributes and roles are added. */
    sync: (user: Input<'syncUser'>): Promise<User> => this.#write('syncUser', user),
    /** Denies the user everything, also for a time; what was granted stays. Changes what is sent of a suspension. */
    suspend: (ref: string, suspension: Input<'suspendUser'>['suspension']): Promise<User> =>
      this.#write('suspendUser', { ref, suspension }),
    /** Ends the suspension, if there is one. */
    resume: (ref: string): Promise<User> => this.#write('resumeUser', { ref }),
    /** Creates or replaces the user: fields that are not sent are reset, roles are kept. */
    replace: async (ref: string, fields: Input<'replaceUser'>['fields']): Promise<User> =>
      (await this.#write('replaceUser', { ref, fields })).object,
  }

  /**
   * Roles of users in tenants, without a tenant in `default`; with `resource_instance` roles on one instance. Lists have
   * what has not ended, unless `state` says otherwise.
   */
  readonly assignments = {
    list: ({
      user,
      state,
    }: {
      readonly user?: string
      readonly state?: readonly TimeState[]
    } = {}): RoleAssignment[] => {
      const view = this.#view()
      return inStates(user === undefined ? view.list('role_assignment') : view.by('assignments_of_user', user), state)
    },
    /** Assigns the role, or changes the times that are sent of the assignment that is there. */
    put: async (assignment: Input<'putAssignment'>): Promise<RoleAssignment> =>
      (await this.#write('putAssignment', assignment)).object.assignment,
    assign: async (assignment: Input<'assign'>): Promise<RoleAssignment> =>
      (await this.#write('assign', assignment)).assignment,
    unassign: async (assignment: Input<'unassign'>): Promise<void> => void (await this.#write('unassign', assignment)),
  }

  /**
   * Resource instances: objects with roles on them, relations and stored attributes. `ref` is an id or `type:key`.
   * Deleting one deletes the roles on it and its relationship tuples.
   */
  readonly instances = this.#collection('resource_instance', 'Instance')

  /**
   * Relationship tuples between instances. Relations, and the roles derived over them, are defined in `resources`. Lists
   * have what has not ended, unless `state` says otherwise.
   */
  readonly tuples = {
    list: ({ state }: { readonly state?: readonly TimeState[] } = {}): RelationshipTuple[] =>
      inStates(this.#view().list('relationship_tuple'), state),
    /** Creates the tuple, or changes the times that are sent of the one that is there. */
    put: async (tuple: Input<'putTuple'>): Promise<RelationshipTuple> =>
      (await this.#write('putTuple', tuple)).object.tuple,
    create: async (tuple: Input<'createTuple'>): Promise<RelationshipTuple> =>
      (await this.#write('createTuple', tuple)).tuple,
    delete: (tuple: Input<'deleteTuple'>): Promise<null> => this.#write('deleteTuple', tuple),
  }

  /**
   * Users, or instances of one resource type, for which conditions hold (docs/conditions.md). Deleting one deletes the
   * set rules with it.
   */
  readonly conditionSets = this.#collection('condition_set', 'ConditionSet')

  /**
   * Set rules: the users of a user set (or with a role) may do an action on the resources of a resource set (or of a
   * type).
   */
  readonly setRules = {
    list: (): SetRule[] => [...this.#view().list('set_rule')],
    create: (rule: Input<'createSetRule'>): Promise<SetRule> => this.#write('createSetRule', rule),
    delete: (rule: Input<'deleteSetRule'>): Promise<null> => this.#write('deleteSetRule', rule),
  }

  /** Closes the PDPs of all environments of the folder, waits for accepted writes, and releases the folder. */
  async close(): Promise<void> {
    for (const { pdp } of this.#opened.values()) await pdp.close()
    this.#opened.clear()
    await this.#management.store.close()
  }

  async #follow(environment: LogId): Promise<void> {
    if (this.#pdp !== undefined) return this.#pdp.ready()
    this.#environment = environment
    const { organization } = this.#management
    this.#pdp = new Pdp(
      new Follower({ feed: localFeed(this.#management, { environment, organization }), isOwnFeed: true }),
      this.#options,
    )
    await this.#pdp.ready()
  }

  #view(): View {
    return this.#management.store.view(this.#environment)
  }

  #reads<K extends KindName>(kind: K): Reads<Objects[K]> {
    return {
      get: (ref) => this.#view().find(kind, ref),
      list: () => [...this.#view().list(kind)],
    }
  }

  #collection<K extends keyof Nouns>(kind: K, noun: Nouns[K]): Reads<Objects[K]> & Writes<Nouns[K], Objects[K]> {
    // the types of `Writes` are those of these use cases
    const write = <T>(name: keyof ManagementUseCases, input: unknown) => this.#write(name, input as never) as Promise<T>
    return {
      ...this.#reads(kind),
      create: (object) => write(`create${noun}`, object),
      update: (ref, fields) => write(`update${noun}`, { ref, fields }),
      delete: (ref) => write(`delete${noun}`, { ref }),
    }
  }

  async #write<N extends keyof ManagementUseCases & string>(
    name: N,
    input: InputOf<ManagementUseCases[N]>,
  ): Promise<ResultOf<ManagementUseCases[N]>> {
    requireSent(name, input)
    const { result, revision, warnings } = await this.#management.store.commit(
      this.#environment,
      name,
      input,
      withoutRequest(name),
    )
    const shown = shownWarnings(warnings)
    if (shown.length > 0) tell(this.#options.onEvent, { event: 'warnings', operation: name, warnings: shown })
    await this.pdp.atLeast(revision, { timeoutMs: EMBEDDED_WAIT_MS })
    return result
  }
}
