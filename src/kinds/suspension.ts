// The suspension of a user (D16): while it is in force, nothing is allowed to the user, whatever the user was granted.
import { isTimed, projectTimes, readTimes, type StoredTimes, type TimesPolicy, writeTimes } from './times.ts'

/** What decisions read of it: its times alone. */
export const projectSuspension = (suspension: StoredTimes | null | undefined): { readonly suspension?: TimesPolicy } =>
  suspension === undefined || suspension === null ? {} : { suspension: projectTimes(suspension) }

/** The times of a suspension as a put has them. */
export const writeSuspension = (times: TimesPolicy): (number | null)[] => (isTimed(times) ? writeTimes(times) : [])

/** @throws FRAME_INVALID unless they are as `writeSuspension` gives them */
export const readSuspension = (from: unknown, until: unknown): TimesPolicy =>
  from === undefined && until === undefined ? {} : readTimes(from, until)
