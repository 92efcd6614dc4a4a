// Users. Email, names and attributes may be read by conditions. PUT creates a missing user (sync).

import { HAND } from '../../kinds/claims.ts'
import type { SentSuspension } from '../../kinds/fields.ts'
import { type User, userFields } from '../../kinds/user.ts'
import { plural } from '../../model/counted.ts'
import { USERS_MAX } from '../../model/limits.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { afterUser } from '../rules/cascade.ts'
import { isClaimedBy } from '../rules/claims.ts'
import {
  type Collection,
  create,
  makeWrites,
  patch,
  replace,
  requireSameKey,
  type Written,
} from '../rules/collection.ts'
import { BODY, settleEmail } from '../rules/fields.ts'
import { fieldRules } from '../rules/settle-fields.ts'
import type { UserCreate, UserReplace, UserUpdate } from '../schemas/users.ts'
import { giveRoles } from './role-assignments.ts'

interface SuspendedUser {
  readonly ref: string
  readonly suspension: SentSuspension
}

interface UserReplacement {
  readonly ref: string
  readonly fields: UserReplace
}

export const users: Collection<'user', UserUpdate> = {
  kind: 'user',
  limit: USERS_MAX,
  ...fieldRules(userFields, { email: { unsent: null, settle: ({ email }, current) => settleEmail(email, current) } }),
  removed: (view, { key }) => afterUser(view, key),
}

/** Creates a user with the roles of `role_assignments`. */
export function createUser(view: View, { role_assignments, ...input }: UserCreate, mint: Mint): Decided<User> {
  const made = create(users, view, input, mint)
  return { ...made, changes: [...made.changes, ...giveRoles(view, made.result.key, role_assignments ?? [], mint)] }
}

/**
 * Creates or replaces the user that `ref` names (sync). Roles are kept unless `role_assignments` is sent; then they are
 * replaced by those.
 */
export function replaceUser(view: View, { ref, fields }: UserReplacement, mint: Mint): Decided<Written<User>> {
  const { role_assignments, ...sent } = fields
  const stored = view.find('user', ref)
  if (stored === undefined) {
    requireSameKey(sent.key, ref)
    const made = createUser(view, { ...fields, key: ref }, mint)
    return { changes: made.changes, status: 201, result: { object: made.result, created: true } }
  }
  const { changes, warnings, result } = replace(users, view, { ref, fields: sent }, mint)
  const given = role_assignments ? giveRoles(view, stored.key, role_assignments, mint, { only: true }) : []
  const created = !isClaimedBy(stored, HAND)
  return {
    changes: [...changes, ...given],
    ...(created && { status: 201 }),
    ...(warnings && { warnings }),
    result: { object: result, created },
  }
}

/**
 * Creates the user, or changes what is sent: attributes that are not sent stay, and roles are only added. For callers
 * who make sure that a user is there, and know only a part of it: what they do not know is null, but a suspension, which
 * null ends.
 */
export function syncUser(view: View, { role_assignments, ...sent }: UserCreate, mint: Mint): Decided<User> {
  const stored = view.get('user', sent.key)
  if (stored === undefined) return createUser(view, { ...sent, role_assignments }, mint)
  const { key, attributes, ...others } = sent
  const named = Object.entries(others).filter(([name, value]) => value !== null || name === 'suspension')
  const fields = {
    ...Object.fromEntries(named),
    ...(attributes ? { attributes: { ...stored.attributes, ...attributes } } : {}),
  }
  const draft = new Draft(view)
  const user = draft.take(patch(users, draft, { ref: stored.id, fields }, mint))
  draft.stage(giveRoles(draft, key, role_assignments ?? [], mint))
  return { changes: draft.changes(), result: user }
}

/** Suspends the user (D16), or changes what is sent of the suspension. @throws OBJECT_NOT_FOUND, INPUT_INVALID */
export const suspendUser = (view: View, { ref, suspension }: SuspendedUser, mint: Mint): Decided<User> =>
  patch(users, view, { ref, fields: { suspension } }, mint, { fieldPaths: { suspension: BODY } })

/** Ends the suspension of the user, who need not have one. @throws OBJECT_NOT_FOUND */
export function resumeUser(view: View, { ref }: { readonly ref: string }, mint: Mint): Decided<User> {
  const decided = patch(users, view, { ref, fields: { suspension: null } }, mint)
  if (decided.result.suspension === undefined) return decided
  return {
    ...decided,
    warnings: [`user \`${decided.result.key}\` stays suspended until the directory says that it is active`],
  }
}

/** The warning that fields of a request about a user who is there are ignored. */
export const userStays = (key: string, ignored: readonly string[]): string =>
  `user \`${key}\` already exists and is not changed: ${ignored.map((field) => `\`${field}\``).join(', ')} of the request ${plural(ignored.length, 'is', 'are')} ignored`

export const { update: updateUser, remove: deleteUser } = makeWrites(users)
