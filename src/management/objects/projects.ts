// Organizations, projects and environments: creating, changing and deleting them, in the control log of the
// organization. A delete lists here every change that it makes; the state of a deleted environment is cleared later
// (src/store/trim.ts).

import type { DeletedEnvironment } from '../../kinds/deleted-environment.ts'
import type { Environment } from '../../kinds/environment.ts'
import type { Organization } from '../../kinds/organization.ts'
import type { Project } from '../../kinds/project.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { parseId, requireKey } from '../../model/keys.ts'
import { ENVIRONMENTS_MAX, PROJECTS_MAX } from '../../model/limits.ts'
import { environmentKey } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import {
  type Collection,
  create,
  makeWrites,
  patch,
  replace,
  requireSameKey,
  type SameKey,
} from '../rules/collection.ts'
import {
  BODY,
  type Path,
  requireOrganizationName,
  type Sent,
  settle,
  settleAttributes,
  settleFlag,
  settleName,
  settleText,
} from '../rules/fields.ts'
import type { EnvironmentCreate, EnvironmentUpdate } from '../schemas/environments.ts'
import type { OrganizationReplace, OrganizationUpdate } from '../schemas/organizations.ts'
import type { ProjectCreate } from '../schemas/projects.ts'
import { makeEnvironment } from './new-environment.ts'

type ProjectFields = Omit<ProjectCreate, 'key' | 'initial_environments'>

const URN_NAMESPACE = /^[a-z0-9-]{2,}$/
/** The default settings of a project. */
const INITIAL_ENVIRONMENTS: readonly EnvironmentCreate[] = [
  { key: 'dev', name: 'Development' },
  { key: 'production', name: 'Production' },
]

const projects: Collection<'project', ProjectFields> = {
  kind: 'project',
  limit: PROJECTS_MAX,
  defaults: (key) => ({ name: key, description: null, urn_namespace: null, settings: null }),
  merge: (base, sent, { key }) => ({
    name: settleName(sent.name, base.name, key),
    description: settleText(sent.description, base.description, 'description'),
    urn_namespace: settleNamespace(sent.urn_namespace, base.urn_namespace),
    settings: settleAttributes(sent.settings, base.settings, null, [...BODY, 'settings']),
  }),
  removed: () => [],
}

const environments: Collection<'environment', EnvironmentUpdate> = {
  kind: 'environment',
  limit: ENVIRONMENTS_MAX,
  defaults: (key) => {
    const [project = '', environment = ''] = key.split('/')
    return { project, environment, name: environment, ...BLANK }
  },
  merge: ({ project, environment, ...base }, sent) => ({
    project,
    environment,
    ...settleEnvironment(environment, base, sent),
  }),
  removed: () => [],
}

const BLANK = { description: null, custom_branch_name: null, jwks: null, settings: null }
type EnvironmentRest = Pick<
  Environment,
  'name' | 'description' | 'custom_branch_name' | 'jwks' | 'settings' | keyof Requirements
>

/** The fields of an environment after a write. */
function settleEnvironment(
  key: string,
  base: EnvironmentRest,
  sent: EnvironmentUpdate,
  path: Path = BODY,
): EnvironmentRest {
  return {
    name: settleName(sent.name, base.name, key, path),
    description: settleText(sent.description, base.description, 'description', path),
    custom_branch_name: settleText(sent.custom_branch_name, base.custom_branch_name, 'custom_branch_name', path),
    jwks: settleAttributes(sent.jwks, base.jwks, null, [...path, 'jwks']),
    settings: settleAttributes(sent.settings, base.settings, null, [...path, 'settings']),
    ...settleRequired(base, sent),
  }
}

type Requirements = Pick<Environment, 'require_reason' | 'require_approval'>

/** What an environment requires of writes after one: what is not required is left out. */
function settleRequired(base: Requirements, sent: EnvironmentUpdate): Requirements {
  const require_reason = settleFlag(sent.require_reason, base.require_reason ?? null)
  const require_approval = settleFlag(sent.require_approval, base.require_approval ?? null)
  return {
    ...(require_reason === null ? {} : { require_reason }),
    ...(require_approval === null ? {} : { require_approval }),
  }
}

/** Whether a write with these fields changes what the environment requires. @param isReplaced resets what is not sent */
export function changesRequired(stored: Environment, sent: EnvironmentUpdate, isReplaced: boolean): boolean {
  const { require_reason, require_approval } = settleRequired(isReplaced ? {} : stored, sent)
  return require_reason !== stored.require_reason || require_approval !== stored.require_approval
}

export function updateOrganization(
  view: View,
  { key, name, settings }: OrganizationUpdate,
  mint: Mint,
): Decided<Organization> {
  const stored = view.require('organization', view.log)
  requireSameKey(key, stored.key)
  const changed: Organization = {
    ...stored,
    name: settle(typeof name === 'string' ? requireOrganizationName(name) : name, stored.name, stored.key),
    settings: settleAttributes(settings, stored.settings, null, [...BODY, 'settings']),
    updated_at: mint.now,
  }
  return { changes: [put('organization', changed)], result: changed }
}

/** Replaces the organization: what was not sent is reset. */
export const replaceOrganization = (view: View, input: OrganizationReplace, mint: Mint) =>
  updateOrganization(view, { name: null, settings: null, ...input }, mint)

/** A project with its first environments, each with a key, a PDP config and the tenant `default`. */
export function createProject(view: View, input: ProjectCreate, mint: Mint): Decided<Project> {
  const { initial_environments, ...fields } = input
  const { result: project } = create(projects, view, fields, mint)
  const first = initial_environments ?? INITIAL_ENVIRONMENTS
  requireRoom(view, first.length)
  const keys = new Set<string>()
  const made = first.map((one, at) => {
    const path = [...BODY, 'initial_environments', at]
    if (keys.has(one.key)) throw new ZerohopError('OBJECT_EXISTS', { kind: 'environment', key: one.key }, { path })
    keys.add(one.key)
    return makeEnvironment(newEnvironment(view, project, one, path), mint)
  })
  return {
    changes: [put('project', project), ...made.flatMap(({ changes }) => changes)],
    also: made.flatMap(({ also }) => also),
    secrets: made.flatMap(({ secrets }) => secrets),
    result: project,
  }
}

type ById<F> = { readonly ref: string; readonly fields: F & SameKey }

export const { update: updateProject, replace: replaceProject } = makeWrites(projects)

/** Deletes a project with its environments and keys. */
export function deleteProject(view: View, { ref }: { readonly ref: string }, mint: Mint): Decided<null> {
  const project = view.require('project', ref)
  const gone = [...view.by('environments_of_project', project.key)].map((one) => withoutEnvironment(view, one, mint))
  const keys = [...view.by('keys_of_project', project.id)].filter(({ level }) => level === 'project')
  return {
    changes: [
      ...gone.flatMap(({ changes }) => changes),
      ...keys.map(({ key }) => remove('api_key', key)),
      remove('project', project.key),
    ],
    secrets: [...gone.flatMap(({ secrets }) => secrets), ...keys.map(({ id }) => ({ id, secret: null }))],
    status: 204,
    result: null,
  }
}

/** `project` is an id or a key. */
export function createEnvironment(
  view: View,
  { project: ref, environment: input }: { readonly project: string; readonly environment: EnvironmentCreate },
  mint: Mint,
): Decided<Environment> {
  const project = view.require('project', ref)
  requireRoom(view, 1)
  const { result, ...made } = makeEnvironment(newEnvironment(view, project, input, BODY), mint)
  return { ...made, result: result.environment }
}

/** Validates the input of makeEnvironment. @throws KEY_INVALID, OBJECT_EXISTS, KEY_IS_ID */
export function newEnvironment(view: View, project: Project, input: EnvironmentCreate, path: Path) {
  const { key, ...fields } = input
  requireKey('environment', key, [...path, 'key'])
  if (view.get('environment', environmentKey(project.key, key)) !== undefined)
    throw new ZerohopError('OBJECT_EXISTS', { kind: 'environment', key })
  if (parseId(key) !== undefined && view.find('environment', key) !== undefined)
    throw new ZerohopError('KEY_IS_ID', { kind: 'environment', key })
  const rest = settleEnvironment(key, { name: key, ...BLANK }, fields, path)
  return { organization: view.log, project, key, ...rest }
}

/** Changes the fields that were sent. @throws KEY_MISMATCH */
export function updateEnvironment(view: View, { ref, fields }: ById<EnvironmentUpdate>, mint: Mint) {
  const { key, ...rest } = fields
  requireSameKey(key, view.require('environment', ref).environment)
  return patch(environments, view, { ref, fields: rest }, mint)
}

export function replaceEnvironment(view: View, { ref, fields }: ById<EnvironmentUpdate>, mint: Mint) {
  const { key, ...rest } = fields
  requireSameKey(key, view.require('environment', ref).environment)
  return replace(environments, view, { ref, fields: rest }, mint)
}

/** Deletes an environment with everything in it. Its log is kept for the retention of history. */
/**
 * @param expected deletes only at this revision; undefined: at any
 * @throws ENVIRONMENT_CHANGED
 */
export function deleteEnvironment(
  view: View,
  { ref, expected }: { readonly ref: string; readonly expected?: number | undefined },
  mint: Mint,
): Decided<null> {
  const environment = view.require('environment', ref)
  if (expected !== undefined) {
    const { revision } = view.other(environment.id).position
    if (revision !== expected)
      throw new ZerohopError('ENVIRONMENT_CHANGED', { key: environment.environment, revision, expected })
  }
  const { changes, secrets } = withoutEnvironment(view, environment, mint)
  return { changes, secrets, status: 204, result: null }
}

/** Removes the last record of a deleted environment, when the retention of its history has ended. */
export function forgetEnvironment(view: View, { ref }: { readonly ref: string }, _mint: Mint): Decided<null> {
  return { changes: [remove('deleted_environment', view.require('deleted_environment', ref).key)], result: null }
}

function withoutEnvironment(
  view: View,
  environment: Environment,
  mint: Mint,
): Required<Pick<Decided<null>, 'changes' | 'secrets'>> {
  const { id, key, project, environment: name, created_at } = environment
  const keys = [...view.by('keys_of_environment', id)]
  const configs = [...view.by('pdp_configs_of_environment', id)]
  const left: DeletedEnvironment = {
    id,
    key: id,
    created_at,
    updated_at: mint.now,
    project_id: view.require('project', project).id,
    project,
    environment: name,
    key_hashes: keys.map((one) => one.key),
  }
  const changes: Change[] = [
    ...configs.map((config) => remove('pdp_config', config.key)),
    ...keys.map((one) => remove('api_key', one.key)),
    remove('environment', key),
    put('deleted_environment', left),
  ]
  return {
    changes,
    secrets: [...keys.map((one) => one.id), ...sealedIn(view.other(id))].map((of) => ({ id: of, secret: null })),
  }
}

/**
 * Ids of the objects in an environment with sealed secrets. Unreadable objects are skipped, because a damaged
 * environment must be deletable too.
 */
function sealedIn(environment: View): readonly string[] {
  const ids: string[] = []
  try {
    for (const { id } of environment.list('proxy_config')) ids.push(id)
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
  }
  return ids
}

function settleNamespace(sent: Sent<string>, current: string | null): string | null {
  const path = [...BODY, 'urn_namespace']
  if (typeof sent === 'string' && !URN_NAMESPACE.test(sent)) {
    const reason = 'a namespace has at least two characters of a-z, 0-9 and -'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path })
  }
  return settleText(sent, current, 'urn_namespace')
}

function requireRoom(view: View, more: number): void {
  if (view.count('environment') + more <= ENVIRONMENTS_MAX) return
  throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the environments', limit: ENVIRONMENTS_MAX }, { path: BODY })
}
