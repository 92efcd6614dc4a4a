// Faults of the host about times: that it takes what is stored for what is in force, or answers at no instant or at an
// earlier one.
import type { Canary } from '../support/canary.ts'
import { importWith } from '../support/canary-module.ts'
import type { MODULES } from './live-ids-law.ts'

/** Each reader of grants and tuples gives what is stored. */
export const OF_READERS = {
  'found-grants': 'kernel.calls.grantOfStored(user, scope)',
  'numbers-of-roles': 'eachTimedRoleStored(kernel, set)',
  'listed-roles': 'eachTimedRoleStored(kernel, set)',
  'grants-of-users': 'eachGrantOfUserStored(kernel, user)',
  'found-tuples': 'true',
  'tuples-to-objects': 'eachTupleToObjectStored(kernel, instance)',
  'followed-tuples': 'false',
  'end-of-times-in-the-host': 'now <= until',
}

/**
 * The same of those that only find what is asked about then, each at the instant: with more of it there is more work, and
 * the answers are the same.
 */
export const OF_CANDIDATES = {
  'grants-in-scopes': 'kernel.chain(kernel.word(scope + Principal.Grants), Grant.NextOfScope)',
  'visited-grants': 'true',
  'permissions-of-grants': 'false', // the kernel lists what roles in force have
  'tuples-from-subjects': 'eachTupleFromSubjectStored(kernel, instance)',
  'instances-of-the-suspended': 'false',
  'actions-of-the-suspended': 'false',
  'tenants-of-the-suspended': 'false',
  'permissions-of-the-suspended': 'false',
  'ends-of-the-suspended': 'false',
}

/** A door, or the accessor of grants, forgets in one place that a user is suspended (D16), or until when. */
export const OF_SUSPENSIONS_IN_THE_HOST = {
  'end-of-suspensions-in-the-host': 'times',
  'filters-of-the-suspended': 'false',
  'grants-of-the-suspended': 'false',
  'anybody-who-is-suspended': 'true',
  'counts-of-the-suspended': 'this.#add(next.value)',
  'lines-of-the-suspended': 'side.of(id)',
  'twins-of-the-suspended': 'true',
  'grants-of-who-is-suspended': 'true',
  'reasons-of-the-suspended': 'undefined',
}

/** What is kept of an image is used at an instant at which it is another. */
export const OF_KEPT = {
  'roles-held-over-an-end': 'this.#held?.user !== user',
  'rows-counted-over-an-end': 'true',
}

/** A question that met times is answered without an instant, or the instant is left to the next one. */
export const OF_INSTANTS = {
  'roles-without-an-instant': 'false',
  'users-without-an-instant': 'asked',
  'sets-without-an-instant': 'ASK_TIME',
  'instances-without-an-instant': 'false',
  'instant-left-by-checks': 'void 0',
  'instant-left-by-listings': 'void 0',
}

/**
 * The clock is looked at twice in one request. Each of the two is kept: the clock of the machine, and the instant, which is
 * the same until another clock is ahead of it.
 */
export const OF_REQUESTS = { 'one-instant': 'true', 'one-look': 'true' }

/** What was given until an end is used at it. */
export const OF_FILTERS = { 'end-of-a-filter': '(now ?? Date.now()) > validUntil' }
/** A page goes on with what ends before it loads again, or an answer that ends at another instant has the same tag. */
export const OF_PAGES = { 'end-of-what-is-unchanged': 'asked + lifetimeMs' }
export const OF_TAGS = { 'end-in-a-tag': 'JSON.stringify({ ...content, validUntil: undefined })' }

/** What has ended is in the way of a POST. */
export const OF_WRITES = { 'made-over-what-has-ended': 'false' }

const ENTRIES = [
  'src/image/image.ts',
  'src/image/access-diff/access-diff.ts',
  'src/image/access-review/counts.ts',
  'src/image/access-review/review.ts',
]

export const modulesWith = (canary: Canary, folder: string): Promise<typeof MODULES> =>
  importWith(canary, ENTRIES, folder)
