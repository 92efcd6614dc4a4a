// The form of API keys, and what of them is stored.
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hashSecret, looksMinted, mintSecret, newApiKey, sameHash } from '../../src/management/objects/api-key.ts'
import type { Mint } from '../../src/store/view.ts'

const mint: Mint = {
  id: () => randomBytes(16).toString('hex'),
  now: 1_700_000_000_000,
  secret: (bytes) =>
    BigInt(`0x${randomBytes(bytes).toString('hex')}`)
      .toString(36)
      .padStart(31, '0'),
}

describe('an API key', () => {
  it('names its level and ends in a checksum that can be tested offline', () => {
    expect(mintSecret('org', mint)).toMatch(/^zh_org_[0-9A-Za-z]{26,}_[0-9A-Za-z]{6}$/)
    expect(mintSecret('project', mint)).toMatch(/^zh_proj_/)
    expect(mintSecret('env', mint)).toMatch(/^zh_env_/)
    for (let round = 0; round < 100; round++) expect(looksMinted(mintSecret('env', mint))).toBe(true)
  })

  it('is distinguished from a mistyped one', () => {
    const secret = mintSecret('env', mint)
    for (let at = 7; at < secret.length; at++) {
      const other = secret[at] === 'a' ? 'b' : 'a'
      if (secret[at] === '_') continue
      expect(looksMinted(secret.slice(0, at) + other + secret.slice(at + 1)), secret).toBe(false)
    }
    expect(looksMinted(secret.replace('zh_env', 'zh_org'))).toBe(false)
    expect(looksMinted('')).toBe(false)
    expect(looksMinted('permit_key_abc')).toBe(false)
  })

  it('is stored as the SHA-256 of the secret, never as the secret', () => {
    const secret = mintSecret('env', mint)
    const scope = { level: 'env', organization_id: 'o', project_id: 'p', environment_id: 'e' } as const
    const key = newApiKey(scope, secret, { owner: 'member', name: null }, mint)
    expect(key.key).toBe(createHash('sha256').update(secret).digest('hex'))
    expect(JSON.stringify(key)).not.toContain(secret)
    expect(key.access).toBe('admin')
  })

  it('is equal only to the very same hash', () => {
    const hash = hashSecret('a secret')
    expect(sameHash(hash, hashSecret('a secret'))).toBe(true)
    expect(sameHash(hash, hashSecret('a Secret'))).toBe(false)
    expect(sameHash(hash, hash.slice(1))).toBe(false)
  })
})
