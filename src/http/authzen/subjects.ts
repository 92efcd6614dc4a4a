// Which types of an AuthZEN subject are users. A subject of another type is unknown, even if a user has its id: a
// service `ana` must not get the permissions of the user `ana`.
import type { AuthzenSettings } from './deps.ts'

/** `identity` is the type in the API gateway profile. */
const SUBJECT_TYPES: readonly string[] = ['user', 'identity']

/** The reason for denying a subject whose type does not mean a user. */
export const UNKNOWN_SUBJECT_TYPE = 'unknown_subject_type'

export function isSubjectType({ subjectTypes = SUBJECT_TYPES }: AuthzenSettings, type: string): boolean {
  return subjectTypes.includes(type)
}
