// Which types of an AuthZEN subject are users, and which one stands for no one. A subject of another type is unknown, even if a
// user has its id: a service `ana` must not get the permissions of the user `ana`.
import type { AuthzenSettings } from './deps.ts'

/** `identity` is the type in the API gateway profile. */
const SUBJECT_TYPES: readonly string[] = ['user', 'identity']

/** The type of a subject where no one is signed in, unless it is configured as one of users. */
const ANONYMOUS = 'anonymous'

/** The reason for denying a subject whose type does not mean a user. */
export const UNKNOWN_SUBJECT_TYPE = 'unknown_subject_type'

export function isUserType({ subjectTypes = SUBJECT_TYPES }: AuthzenSettings, type: string): boolean {
  return subjectTypes.includes(type)
}

/** Whether a subject of this type stands for no one, whatever its id: what everybody has is all that counts (D16). */
export function isNoOne(settings: AuthzenSettings, type: string): boolean {
  return type === ANONYMOUS && !isUserType(settings, type)
}
