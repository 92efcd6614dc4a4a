// Making and taking back API keys, in the control log of an organization. A key that is taken back is dead with the next request.
import { put, remove } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { FIXED_KEY_LENGTH_MIN } from '../model/limits.ts'
import { type AccessLevel, type ApiKey, environmentKey, type KeyLevel } from '../model/objects.ts'
import type { Decided, Mint, View } from '../store/view.ts'
import { type KeyScope, mintSecret, newApiKey } from './api-keys.ts'
import { BODY } from './fields.ts'

export interface NewApiKey {
  readonly level: KeyLevel
  readonly access: AccessLevel
  /** id or key; needed below the organization */
  readonly project?: string | null
  /** id or key; needed for an environment */
  readonly environment?: string | null
  readonly name?: string | null
  /** a text of at least 16 characters to be the key, instead of a minted one */
  readonly secret?: string
}

/** Makes a key. The secret is told here, and read back as the contract says. */
export function createApiKey(view: View, input: NewApiKey, mint: Mint): Decided<{ key: ApiKey; secret: string }> {
  const secret = input.secret === undefined ? mintSecret(input.level, mint) : requireFixedKey(input.secret, 'secret')
  const about = { owner: 'member', name: input.name ?? null, access: input.access } as const
  const key = newApiKey(scopeOf(view, input), secret, about, mint)
  view.refuse('api_key', key.key)
  return { changes: [put('api_key', key)], secrets: [{ id: key.id, secret }], result: { key, secret } }
}

/** Takes a key back, and erases its secret. */
export function deleteApiKey(view: View, { ref }: { readonly ref: string }, _mint: Mint): Decided<null> {
  const key = view.require('api_key', ref)
  return { changes: [remove('api_key', key.key)], secrets: [{ id: key.id, secret: null }], status: 204, result: null }
}

/** A key that a person chose. @throws INPUT_INVALID on one that could be guessed, or that no header can carry */
export function requireFixedKey(text: string, field: string): string {
  if (text.length >= FIXED_KEY_LENGTH_MIN && /^[\x21-\x7e]+$/.test(text)) return text
  const reason = `a key needs at least ${FIXED_KEY_LENGTH_MIN} printable characters without blanks`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...BODY, field] })
}

function scopeOf(view: View, { level, project: projectRef, environment: environmentRef }: NewApiKey): KeyScope {
  const organization_id = view.log
  if (level === 'org') return { level, organization_id, project_id: null, environment_id: null }
  const project = view.require('project', projectRef ?? '', [...BODY, 'project'])
  if (level === 'project') return { level, organization_id, project_id: project.id, environment_id: null }
  const ref = environmentRef ?? ''
  const environment = view.get('environment', environmentKey(project.key, ref)) ?? view.find('environment', ref)
  if (environment?.project !== project.key) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref })
  return { level, organization_id, project_id: project.id, environment_id: environment.id }
}
