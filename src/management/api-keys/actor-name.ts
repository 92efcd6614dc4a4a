// What people are told of who did something: the name of an API key, else what it is a key of.
import type { Actor } from '../../log/change.ts'
import type { ApiKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'

/** A key that was made without a name is called by its scope: `key of default/development`. */
function keyName({ name, level, project_id, environment_id }: ApiKey, control: View): string {
  if (name !== null && name !== '') return name
  if (level === 'org') return 'key of the organization'
  const environment = environment_id === null ? undefined : control.find('environment', environment_id)
  const project = project_id === null ? undefined : control.find('project', project_id)
  return `key of ${environment === undefined ? `project ${project?.key ?? project_id}` : environment.key}`
}

/**
 * Who caused an entry: an API key by its name, else the operation of the command line or of the process.
 * @param control the log of the organization
 */
export function actorName(control: View, { api_key_id: id, operation }: Pick<Actor, 'api_key_id' | 'operation'>) {
  if (id === null) return operation
  const key = control.find('api_key', id)
  return key === undefined ? `deleted key ${id}` : keyName(key, control)
}
