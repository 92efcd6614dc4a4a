// Who wrote an entry of the log, in the words of the API: an API key, a user of the console, or the system, which is
// the command line and the process itself.
import { createHash } from 'node:crypto'
import type { ApiKey } from '../../kinds/api-key.ts'
import type { Actor, UserActor } from '../../log/change.ts'
import type { View } from '../../store/view.ts'

type Who = Pick<Actor, 'api_key_id' | 'user' | 'operation'>

export function actorType({ api_key_id, user }: Who): 'api_key' | 'user' | 'system' {
  if (api_key_id !== null) return 'api_key'
  return user === undefined ? 'system' : 'user'
}

/** The id of an API key, or that of a user; null for the system. */
export function actorId({ api_key_id, user }: Who): string | null {
  return api_key_id ?? (user === undefined ? null : userId(user))
}

/**
 * Who caused an entry: an API key by its name, a user by theirs, else the operation of the command line or of the
 * process.
 * @param control the log of the organization
 */
export function actorName(control: View, by: Who): string {
  const { api_key_id: id } = by
  if (id === null) return nameWithoutKey(by)
  const key = control.find('api_key', id)
  return key === undefined ? `deleted key ${id}` : keyName(key, control)
}

/** The same of an entry that no API key caused. */
export const nameWithoutKey = ({ user, operation }: Who): string =>
  user === undefined ? operation : (user.name ?? user.subject)

/** 32 hex digits that stand for a user: the same as long as the provider gives the same subject. */
export function userId({ issuer, subject }: Pick<UserActor, 'issuer' | 'subject'>): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 32)
}

/** A key that was made without a name is called by its scope: `key of development`. */
function keyName({ name, level, project_id, environment_id }: ApiKey, control: View): string {
  if (name !== null && name !== '') return name
  if (level === 'org') return 'key of the organization'
  const environment = environment_id === null ? undefined : control.find('environment', environment_id)
  const project = project_id === null ? undefined : control.find('project', project_id)
  return `key of ${environment === undefined ? `project ${project?.key ?? project_id}` : environment.key}`
}
