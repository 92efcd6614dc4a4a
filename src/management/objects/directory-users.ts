// Users of a directory (docs/scim.md): what it gives is kept as it was sent, and the parts that Zerohop has a field for
// or an attribute for are written to the user. Nothing else of the user is touched: other attributes, roles and a
// suspension by hand are others'.
import { isDeepStrictEqual } from 'node:util'
import type { DirectoryUserKey } from '../../kinds/api-key.ts'
import { DIRECTORY, findClaim } from '../../kinds/claims.ts'
import type { DirectoryUser } from '../../kinds/directory-user.ts'
import type { User } from '../../kinds/user.ts'
import { put, remove } from '../../log/change.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { foldCase } from '../../model/fold-case.ts'
import { parseId } from '../../model/keys.ts'
import { SCIM_USER_BYTES_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { patchResource } from '../directory/patch.ts'
import { readResource } from '../directory/read-resource.ts'
import { USERS } from '../directory/schemas.ts'
import { quote, refusal } from '../directory/scim-error.ts'
import { ownedFields, shareAttributes } from '../directory/user-attributes.ts'
import { removals } from '../rules/cascade.ts'
import { withClaimOn } from '../rules/claims.ts'
import { settleAttributes } from '../rules/fields.ts'
import { withDirectoryState } from '../rules/suspension.ts'
import { writeClaims } from './claims.ts'
import { withGroupRules } from './group-rules.ts'

/** What of a body or a stored user is not among the attributes. */
interface Content {
  readonly user_name: string
  readonly external_id: string | undefined
  readonly active: boolean | undefined
  readonly attributes: JsonObject
}

/** @throws OBJECT_NOT_FOUND: a directory knows users by their ids alone */
export function requireDirectoryUser(view: View, ref: string): DirectoryUser {
  const found = parseId(ref) === undefined ? undefined : view.find('directory_user', ref)
  if (found !== undefined && found.id === parseId(ref)) return found
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'directory_user', ref })
}

/** The attributes of a user of a directory as a resource has them, but what only the server says. */
export const toUserResource = ({ user_name, external_id, active, attributes }: DirectoryUser): JsonObject => ({
  userName: user_name,
  ...(external_id === null ? {} : { externalId: external_id }),
  ...attributes,
  ...(active === null ? {} : { active }),
})

/**
 * Makes a user, or takes over one that is there and that no directory gave. @throws SCIM_INVALID, OBJECT_EXISTS,
 * KEY_INVALID, EMAIL_INVALID, LIMIT_EXCEEDED
 */
export function createDirectoryUser(
  view: View,
  { body, userKey }: { readonly body: unknown; readonly userKey: DirectoryUserKey },
  mint: Mint,
): Decided<DirectoryUser> {
  const sent = split(readResource(USERS, body))
  requireFreeName(view, sent.user_name, undefined)
  const key = userKey === 'user_name' ? sent.user_name : sent.external_id
  if (key === undefined) throw refusal('invalidValue', '`externalId` is required: it becomes the key of the user')
  if (view.get('directory_user', key) !== undefined)
    throw new ZerohopError('OBJECT_EXISTS', { kind: 'directory_user', key })
  const draft = new Draft(view)
  const user = putFields(draft, key, {}, mint)
  const made: DirectoryUser = {
    id: user.id,
    key: user.key,
    created_at: mint.now,
    updated_at: mint.now,
    user_name: sent.user_name,
    external_id: sent.external_id ?? null,
    active: sent.active ?? true,
    attributes: sent.attributes,
  }
  return { ...written(draft, made, undefined, mint), status: 201 }
}

/** Replaces what the directory gave; what it does not say of `active` and `externalId` stays. @throws as create */
export function replaceDirectoryUser(
  view: View,
  { ref, body }: { readonly ref: string; readonly body: unknown },
  mint: Mint,
): Decided<DirectoryUser> {
  const stored = requireDirectoryUser(view, ref)
  const { externalId, active } = toUserResource(stored)
  const kept = { ...(externalId === undefined ? {} : { externalId }), ...(active === undefined ? {} : { active }) }
  return rewritten(view, stored, { ...kept, ...readResource(USERS, body) }, mint)
}

/** Carries out the operations of a PATCH. @throws as create */
export function updateDirectoryUser(
  view: View,
  { ref, body }: { readonly ref: string; readonly body: unknown },
  mint: Mint,
): Decided<DirectoryUser> {
  const stored = requireDirectoryUser(view, ref)
  return rewritten(view, stored, patchResource(USERS, toUserResource(stored), body), mint)
}

/**
 * Removes what the directory gave. The user goes too where nobody else gave it anything; else it stays, and stays
 * suspended, until the directory gives it again or a person resumes it.
 */
export function deleteDirectoryUser(view: View, { ref }: { readonly ref: string }, mint: Mint): Decided<null> {
  const { key } = requireDirectoryUser(view, ref)
  const draft = new Draft(view).stage([
    ...removals('directory_member', view.by('directory_groups_of_user', key)),
    remove('directory_user', key),
  ])
  draft.stage(withGroupRules(draft, [], [key], mint).changes)
  const user = draft.require('user', key)
  const attributes = withoutAttributes(user, listOwned(user))
  const drop = { op: 'drop', kind: 'user', key, keep: isOthers(draft, { ...user, attributes }) } as const
  draft.take(writeClaims(draft, { claim: DIRECTORY, items: [drop] }, mint))
  const left = draft.get('user', key)
  if (left !== undefined) draft.stage([put('user', withDirectoryState({ ...left, attributes }, 'deleted', mint.now))])
  return { changes: draft.changes(), status: 204, result: null }
}

/** Whether somebody gave the user what has no claim: attributes, a suspension, or a request. */
function isOthers(view: View, { key, attributes, suspension }: User): boolean {
  if (Object.keys(attributes).length > 0) return true
  if (suspension !== undefined && (suspension.directory === undefined || suspension.by_hand !== undefined)) return true
  return view.countBy('requests_of_user', key) > 0
}

/** The fields of a user that a directory set. */
const listOwned = (user: User | undefined): readonly string[] =>
  (user === undefined ? undefined : findClaim(user, DIRECTORY)?.fields) ?? []

const PREFIX = 'attributes.'

/** The attributes of a user without those among the fields. */
const withoutAttributes = ({ attributes }: User, fields: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => !fields.includes(`${PREFIX}${name}`)))

/** Writes fields of a user as the directory's, and makes the user where it is missing. @throws SCIM_INVALID */
function putFields(draft: Draft, key: string, fields: object, mint: Mint): User {
  const item = { op: 'put', kind: 'user', item: { key, ...fields } } as const
  const [report] = draft.take(writeClaims(draft, { claim: DIRECTORY, items: [item] }, mint)).items
  if (report?.outcome === 'blocked') throw refusal('invalidValue', report.reason ?? 'it is refused')
  return draft.require('user', key)
}

/**
 * Writes what of a user is the directory's: what it gave before and no longer gives is empty, what it never gave is not
 * its own. Attributes that cannot be stored hold up nothing else, such as that the user is not active any more: they are
 * left out, and returned as warnings. @throws SCIM_INVALID
 */
function putOwned(draft: Draft, { key, attributes: given }: DirectoryUser, mint: Mint): readonly string[] {
  const before = draft.require('user', key)
  const owned = listOwned(before)
  const fields = ownedFields(given)
  const gone = owned.filter((name) => !name.startsWith(PREFIX) && !Object.hasOwn(fields, name))
  const cleared = Object.fromEntries(gone.map((name) => [name, null]))
  const user = putFields(new Draft(draft), key, { ...cleared, ...fields }, mint)
  const { values, unfit } = shareAttributes(draft, given)
  const warnings = unfit.map((name) => `attribute ${quote(name)} of users is declared as no text: it is not set`)
  const others = withoutAttributes(user, /* canary: keeps-what-is-no-longer-given */ owned)
  const set = fitsBeside(others, values) ? values : {}
  if (set !== values)
    warnings.push(`the attributes of user ${quote(key)} are too large: those of the directory are not set`)
  const names = [...Object.keys(fields), ...Object.keys(set).map((name) => `${PREFIX}${name}`)].sort()
  const next = withClaimOn({ ...user, attributes: { ...others, ...set } }, DIRECTORY, names)
  const { updated_at } = before
  if (!isDeepStrictEqual({ ...next, updated_at }, { ...before }))
    draft.stage([put('user', { ...next, updated_at: mint.now })])
  return warnings
}

function fitsBeside(others: JsonObject, values: JsonObject): boolean {
  try {
    settleAttributes({ ...others, ...values }, null, null)
    return true
  } catch (error) {
    if (isZerohopError(error)) return false
    throw error
  }
}

function rewritten(view: View, stored: DirectoryUser, resource: JsonObject, mint: Mint): Decided<DirectoryUser> {
  const sent = split(resource)
  requireFreeName(view, sent.user_name, stored.key)
  const next: DirectoryUser = {
    ...stored,
    user_name: sent.user_name,
    external_id: sent.external_id ?? null,
    active: sent.active ?? null,
    attributes: sent.attributes,
  }
  return written(new Draft(view), next, stored, mint)
}

/** Writes what a directory gave, and to the user what is the directory's there. */
function written(
  draft: Draft,
  next: DirectoryUser,
  before: DirectoryUser | undefined,
  mint: Mint,
): Decided<DirectoryUser> {
  const warnings = putOwned(draft, next, mint)
  const user = draft.require('user', next.key)
  const { active } = next
  const inState = active === null ? user : withDirectoryState(user, active ? 'active' : 'inactive', mint.now)
  if (inState !== user) draft.stage([put('user', { ...inState, updated_at: mint.now })])
  const isSame = before !== undefined && JSON.stringify({ ...next }) === JSON.stringify({ ...before })
  const result = isSame ? before : { ...next, updated_at: mint.now }
  if (!isSame) draft.stage([put('directory_user', result)])
  return { changes: draft.changes(), ...(warnings.length === 0 ? {} : { warnings }), result }
}

function split({ userName, externalId, active, ...attributes }: JsonObject): Content {
  const bytes = Buffer.byteLength(JSON.stringify(attributes))
  if (bytes > SCIM_USER_BYTES_MAX)
    throw refusal('invalidValue', `the attributes have more than ${SCIM_USER_BYTES_MAX} bytes`)
  return {
    user_name: userName as string,
    external_id: externalId as string | undefined,
    active: active as boolean | undefined,
    attributes,
  }
}

/** @throws OBJECT_EXISTS: letter case does not count */
function requireFreeName(view: View, name: string, of: string | undefined): void {
  for (const { key } of view.by('directory_users_named', foldCase(name)))
    if (key !== of) throw new ZerohopError('OBJECT_EXISTS', { kind: 'directory_user', key: name })
}
