// Creating, rotating and revoking API keys, in the control log of an organization. A rotated or revoked key is refused
// from the next request on, and its feeds end with the commit. Secrets are returned in results and sealed; changes
// never contain one.

import type { AccessLevel, ApiKey, DirectoryUserKey, KeyForm, KeyLevel } from '../../kinds/api-key.ts'
import type { Environment } from '../../kinds/environment.ts'
import type { PdpConfig } from '../../kinds/pdp-config.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { type ErrorDetails, ZerohopError } from '../../model/errors.ts'
import { isEnded } from '../../model/key-end.ts'
import { API_KEYS_MAX, FIXED_KEY_LENGTH_MIN, OLD_SECRET_SECONDS_MAX } from '../../model/limits.ts'
import { environmentKey } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { BODY, type Sent, settleName } from '../rules/fields.ts'
import { hashSecret, type KeyScope, mintSecret, newApiKey } from './api-key.ts'
import { endOfText } from './key-end-text.ts'

export interface NewApiKey {
  readonly level: KeyLevel
  readonly access: AccessLevel
  /** id or key; needed below the organization, unless the environment is named by its id */
  readonly project?: Sent<string>
  /** id or key; needed for an environment and for a tenant of it */
  readonly environment?: Sent<string>
  /** id or key; needed for a tenant */
  readonly tenant?: Sent<string>
  readonly name?: Sent<string>
  readonly owner?: ApiKey['owner']
  /** a text of at least 16 characters to be the key, instead of a minted one */
  readonly secret?: string
  /** when it ends: a text as `endOfText` reads it; without one it has no end */
  readonly expires_at?: Sent<string>
  readonly form?: Sent<KeyForm>
  /** of level `directory`: what becomes the key of a new user; default its `userName` */
  readonly userKey?: Sent<DirectoryUserKey>
  /** ids of who makes it, as `made_by` of the key has them */
  readonly made_by?: readonly string[]
}

/** A key with its secret: returned when it is created or rotated. */
export interface KeyWithSecret {
  readonly key: ApiKey
  readonly secret: string
}

/** Creates a key. The secret is returned here, and can be read back as the contract says. */
export function createApiKey(view: View, input: NewApiKey, mint: Mint): Decided<KeyWithSecret> {
  if (view.count('api_key') >= API_KEYS_MAX) {
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the API keys', limit: API_KEYS_MAX }, { path: BODY })
  }
  const form = input.form ?? undefined
  const expires_at = input.expires_at == null ? null : endOfText(input.expires_at, mint.now)
  const secret =
    input.secret === undefined ? mintSecret(input.level, mint, form) : requireFixedKey(input.secret, 'secret')
  const name = typeof input.name === 'string' ? settleName(input.name, '', '') : null
  const about = {
    owner: input.owner ?? 'member',
    name,
    access: input.access,
    expires_at,
    form,
    made_by: input.made_by,
    ...settleUserKey(input),
  }
  const key = newApiKey(resolveScope(view, input), secret, about, mint)
  view.refuse('api_key', key.key)
  return { changes: [put('api_key', key)], secrets: [{ id: key.id, secret }], result: { key, secret } }
}

export interface Rotation {
  /** id of the key */
  readonly ref: string
  /** seconds for which the current secret stays valid; 0, and the default, is not at all */
  readonly keepOldSeconds?: Sent<number>
}

/**
 * Gives the key another secret, with the same id, level and access. The old secret is refused from then on, or after
 * some time. A key has two valid secrets at most; without keeping the old one, all others are refused at once.
 * @throws KEY_ENDED, KEY_ROTATING, LIMIT_EXCEEDED
 */
export function rotateApiKey(view: View, { ref, keepOldSeconds }: Rotation, mint: Mint): Decided<KeyWithSecret> {
  const old = requireKey(view, ref)
  const kept = requireSeconds(keepOldSeconds ?? 0)
  if (isEnded(old, mint.now)) throw new ZerohopError('KEY_ENDED', { key: old.id })
  const { old_secret: before, ...rest } = old
  if (kept > 0 && before !== undefined && !isEnded(before, mint.now))
    throw new ZerohopError('KEY_ROTATING', { key: old.id, until: new Date(before.expires_at).toISOString() })
  const secret = mintSecret(old.level, mint, old.form)
  const until = Math.min(mint.now + kept * 1000, old.expires_at ?? Number.POSITIVE_INFINITY)
  const old_secret = kept === 0 ? {} : { old_secret: { hash: old.key, expires_at: until } }
  const key: ApiKey = { ...rest, ...old_secret, key: hashSecret(secret), updated_at: mint.now }
  const forOld: ApiKey = { ...rest, id: mint.id(), secret_of: old.id, expires_at: until, updated_at: mint.now }
  return {
    changes: [
      ...withoutOldSecret(view, old),
      remove('api_key', old.key),
      ...(kept === 0 ? [] : [put('api_key', forOld)]),
      put('api_key', key),
    ],
    secrets: [{ id: key.id, secret }],
    result: { key, secret },
  }
}

/** Ends the old secret of a rotated key before its time. @throws OBJECT_NOT_FOUND without a valid one */
export function endOldSecret(view: View, { ref }: { readonly ref: string }, mint: Mint): Decided<null> {
  const { old_secret, ...key } = requireKey(view, ref)
  if (old_secret === undefined || isEnded(old_secret, mint.now))
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'old secret of API key', ref })
  const rest = put('api_key', { ...key, updated_at: mint.now })
  return { changes: [...withoutOldSecret(view, { old_secret }), rest], status: 204, result: null }
}

/** Revokes a key and deletes its secret; an old one that is still valid is refused too. */
export function deleteApiKey(view: View, { ref }: { readonly ref: string }, _mint: Mint): Decided<null> {
  const key = requireKey(view, ref)
  const changes = [...withoutOldSecret(view, key), remove('api_key', key.key)]
  return { changes, secrets: [{ id: key.id, secret: null }], status: 204, result: null }
}

/** Whether the tenant of a key of level `tenant` was deleted. Ids of tenants come once, so it does not come back. */
function isDead(view: View, { environment_id, tenant_id }: ApiKey): boolean {
  if (tenant_id === undefined || environment_id === null || view.find('environment', environment_id) === undefined)
    return false
  return view.other(environment_id).find('tenant', tenant_id) === undefined
}

/**
 * Deletes those of the keys, named by their ids, whose tenant was deleted: they open nothing any more. One that was made
 * after `before` stays, because its tenant may be too new to be seen here. Returns how many.
 */
export function deleteDeadKeys(
  view: View,
  { ids, before }: { readonly ids: readonly string[]; readonly before: number },
  mint: Mint,
): Decided<number> {
  const dead = ids
    .flatMap((id) => view.find('api_key', id) ?? [])
    .filter((key) => key.secret_of === undefined && key.created_at < before && isDead(view, key))
  const deleted = dead.map(({ id }) => deleteApiKey(view, { ref: id }, mint))
  return {
    changes: deleted.flatMap(({ changes }) => changes),
    secrets: deleted.flatMap(({ secrets = [] }) => secrets),
    summary: `delete keys of deleted tenants: ${dead.length} deleted`,
    result: dead.length,
  }
}

/** The key of an id; never the object of an old secret. @throws OBJECT_NOT_FOUND */
function requireKey(view: View, ref: string): ApiKey {
  const key = view.require('api_key', ref)
  if (key.secret_of !== undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'API key', ref })
  return key
}

/** What removes the old secret of a key, if it has one. */
function withoutOldSecret(view: View, { old_secret }: Pick<ApiKey, 'old_secret'>): Change[] {
  const stored = old_secret && view.get('api_key', old_secret.hash)
  return stored === undefined ? [] : [remove('api_key', stored.key)]
}

function requireSeconds(seconds: number): number {
  const path = [...BODY, 'keep_old_seconds']
  if (!Number.isInteger(seconds) || seconds < 0)
    throw new ZerohopError('INPUT_INVALID', { reason: 'a whole number of seconds is needed' }, { path })
  if (seconds > OLD_SECRET_SECONDS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'keep_old_seconds', limit: OLD_SECRET_SECONDS_MAX }, { path })
  return seconds
}

/** Rotates the key of a PDP config; one whose key was deleted gets a new one. `ref` is the id of the config. */
export function rotatePdpKey(
  view: View,
  { ref, keepOldSeconds }: Rotation,
  mint: Mint,
): Decided<KeyWithSecret & { readonly config: PdpConfig }> {
  const config = view.require('pdp_config', ref)
  const old = view.find('api_key', config.api_key_id)
  if (old !== undefined) {
    const rotated = rotateApiKey(view, { ref: old.id, keepOldSeconds }, mint)
    return { ...rotated, result: { ...rotated.result, config } }
  }
  const environment = view.require('environment', config.environment_id)
  const secret = mintSecret('env', mint)
  const key = newApiKey(scopeIn(view, environment), secret, { owner: 'pdp_config', name: null }, mint)
  const changed: PdpConfig = { ...config, api_key_id: key.id, updated_at: mint.now }
  return {
    changes: [put('api_key', key), put('pdp_config', changed)],
    secrets: [{ id: key.id, secret }],
    result: { key, secret, config: changed },
  }
}

/** Changes nothing, but leaves a log entry: reading a secret must be visible in the history. */
export function noteRead(_view: View, _input: null, _mint: Mint): Decided<null> {
  return { changes: [], logged: true, result: null }
}

/** Refuses what names no object: a request that comes again has its answer on record, and does not get here. */
export function refuseMissing(_view: View, details: ErrorDetails, _mint: Mint): Decided<never> {
  throw new ZerohopError('OBJECT_NOT_FOUND', details)
}

/**
 * Validates a key chosen by a person. @throws INPUT_INVALID on one that could be guessed, or that a header cannot
 * contain
 */
export function requireFixedKey(text: string, field: string): string {
  if (text.length >= FIXED_KEY_LENGTH_MIN && /^[\x21-\x7e]+$/.test(text)) return text
  const reason = `a key needs at least ${FIXED_KEY_LENGTH_MIN} printable characters without blanks`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, field] })
}

/** @throws INPUT_INVALID */
function settleUserKey({ level, userKey }: NewApiKey): Pick<ApiKey, 'user_key'> {
  if (userKey == null) return {}
  if (level !== 'directory') throw unfit('user_key', `a key of level ${level} has none`)
  return userKey === 'external_id' ? { user_key: userKey } : {}
}

/** @throws INPUT_INVALID when a level is given more, or less, than it needs; OBJECT_NOT_FOUND */
function resolveScope(view: View, { level, ...refs }: NewApiKey): KeyScope {
  const { project: projectRef, environment: environmentRef, tenant: tenantRef } = refs
  const organization_id = view.log
  const isWide = level === 'org' || level === 'project'
  if (isWide && environmentRef != null) throw unfit('environment_id', `a key of level ${level} has none`)
  if (level !== 'tenant' && tenantRef != null) throw unfit('tenant_id', `a key of level ${level} has none`)
  if (level === 'org') {
    if (projectRef != null) throw unfit('project_id', 'a key of level org has none')
    return { level, organization_id, project_id: null, environment_id: null }
  }
  if (!isWide) {
    const environment = requireEnvironment(view, level, environmentRef, projectRef)
    const scope = { ...scopeIn(view, environment), level }
    if (level !== 'tenant') return scope
    if (tenantRef == null) throw unfit('tenant_id', 'a key of level tenant needs it')
    return { ...scope, tenant_id: view.other(environment.id).require('tenant', tenantRef, [...BODY, 'tenant_id']).id }
  }
  if (projectRef == null) throw unfit('project_id', 'a key of level project needs it')
  const project = view.require('project', projectRef, [...BODY, 'project_id'])
  return { level, organization_id, project_id: project.id, environment_id: null }
}

function requireEnvironment(view: View, level: KeyLevel, ref: Sent<string>, projectRef: Sent<string>): Environment {
  if (ref == null) throw unfit('environment_id', `a key of level ${level} needs it`)
  const project = projectRef == null ? undefined : view.require('project', projectRef, [...BODY, 'project_id'])
  const named = project && view.get('environment', environmentKey(project.key, ref))
  const environment = named ?? view.find('environment', ref)
  if (environment !== undefined && (project === undefined || environment.project === project.key)) return environment
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref }, { path: [...BODY, 'environment_id'] })
}

function scopeIn(view: View, environment: Environment): KeyScope {
  const project = view.require('project', environment.project)
  return { level: 'env', organization_id: view.log, project_id: project.id, environment_id: environment.id }
}

function unfit(field: string, reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, field] })
}
