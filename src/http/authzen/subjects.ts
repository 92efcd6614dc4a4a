// Which types of an AuthZEN subject are users. A subject of another type is unknown, even if a user has its id: a
// service `ana` must not get the permissions of the user `ana`.
import type { AuthzenDeps } from './deps.ts'

/** `identity` is the type in the API gateway profile. */
const SUBJECT_TYPES: readonly string[] = ['user', 'identity']

export function isSubjectType({ subjectTypes = SUBJECT_TYPES }: AuthzenDeps, type: string): boolean {
  return subjectTypes.includes(type)
}
