// Authentication: from the bearer key of a request to the PDP that answers it. A missing key is 401, an unknown one
// 403, a revoked one 401. Keys are found by hash and compared in constant time; only the header of the last request is
// kept in plain text, in memory.
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ApiKey } from '../../kinds/api-key.ts'
import type { LogId } from '../../log/change.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { OnEvent } from '../../model/events.ts'
import { DAY_MS, requireNotEnded, startOfDay } from '../../model/key-end.ts'
import { AT_LEAST_DEFAULT_MS, AUTH_CACHE_MAX, FIRST_IMAGE_WAIT_MS } from '../../model/limits.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type { Store, StoreEvent } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import { KeyChanges } from '../key-changes.ts'
import { SecretText } from '../secret-text.ts'
import { findVouched } from './vouched.ts'

/** Finds the PDP of a request by its Authorization header. */
export interface PdpDirectory {
  /**
   * The PDP when it is ready; undefined when `find` must wait for its image.
   * @throws KEY_MISSING, KEY_UNKNOWN, KEY_EXPIRED, KEY_REVOKED, KEY_TOO_NARROW, ENVIRONMENT_DELETED
   */
  findNow(authorization: string | undefined): Pdp | undefined
  /**
   * The PDP, after waiting for its image: AT_LEAST_DEFAULT_MS, of `serve`, which opens an image with its first question,
   * FIRST_IMAGE_WAIT_MS. @throws as `findNow`; NOT_READY
   */
  find(authorization: string | undefined): Promise<Pdp>
  /** The id of the API key in a header that `find` accepted, for the decision log. */
  readKeyId(authorization: string | undefined): string
  /** The project and environment of that key, when they are known here. */
  scopeOf?(authorization: string | undefined): Scope
  /** The PDP of an environment for a request that another server of this process has authenticated. */
  vouched?(environment: LogId, organization: LogId): Pdp
}

/** Who answers one request, by its key or by what another server of this process said for it. */
export function findDirectory(directory: PdpDirectory, request: IncomingMessage): PdpDirectory {
  const asked = findVouched(request)
  const pdp = asked && directory.vouched?.(asked.environment, asked.organization)
  if (asked === undefined || pdp === undefined) return directory
  return {
    findNow: () => (pdp.imageRevision === undefined ? undefined : pdp),
    find: () => waitUntilReady(pdp, AT_LEAST_DEFAULT_MS),
    readKeyId: () => asked.keyId,
  }
}

/** The project and environment in the path of a management call. */
export interface Scope {
  readonly project: string
  readonly environment: string
}

/** One PDP behind one key: `zerohop pdp`. The id of the key comes from the creator, or is empty. */
export function singlePdp(pdp: Pdp, apiKey: string, keyId: () => string = () => ''): PdpDirectory {
  const wanted = new SecretText(apiKey)
  const usual = new SecretText(`Bearer ${apiKey}`)
  const findNow = (authorization: string | undefined): Pdp => {
    const isUsual = authorization !== undefined && usual.is(authorization)
    if (!isUsual && !wanted.is(requireBearer(authorization))) throw new ZerohopError('KEY_UNKNOWN')
    // The key is the right one, but the management side has revoked it.
    if (isZerohopError(pdp.ended, 'KEY_EXPIRED')) throw new ZerohopError('KEY_EXPIRED')
    if (isZerohopError(pdp.ended, 'KEY_UNKNOWN', 'KEY_TOO_NARROW')) throw new ZerohopError('KEY_REVOKED')
    return pdp
  }
  return { readKeyId: keyId, findNow, find: async (authorization) => findNow(authorization) }
}

export interface KeyStore extends Pick<Store<UseCases>, 'head' | 'entries'> {
  findApiKey(hash: string): { key: ApiKey; organization: LogId } | undefined
  diedWithEnvironment(hash: string): boolean
  listen(listener: OnEvent<StoreEvent>): () => void
}

interface Known {
  readonly id: string
  readonly project: string
  readonly environment: LogId
  readonly organization: LogId
  /** until when it need not be looked up again: its end, or that of the day, on which its use is noted */
  readonly until: number
}

/** What `zerohop serve` does with the keys of its PDPs. */
export interface PooledKeys {
  /** @throws when a key may not follow its environment */
  admit(key: ApiKey): void
  /** the PDP of an environment */
  open(environment: LogId, organization: LogId): Pdp
  /** called when a key is used */
  used?(organization: LogId, key: ApiKey): void
}

/**
 * Many PDPs, each behind the keys of its environment: `zerohop serve`.
 */
export class PooledPdps implements PdpDirectory {
  readonly #keys: KeyStore
  readonly #of: PooledKeys
  /** by hash, valid until something of keys is written to the organization's control log */
  readonly #known = new Map<string, Known>()
  readonly #changes: KeyChanges
  /** by organization, up to which revision what is known is right */
  readonly #since = new Map<LogId, number>()
  /** the header of the last request with its key, because most requests of a service have the same */
  #last: { readonly header: SecretText; readonly known: Known } | undefined
  /** hashes of keys that were valid once: they are answered as revoked, not as unknown */
  readonly #once = new Set<string>()

  constructor(keys: KeyStore, of: PooledKeys) {
    this.#keys = keys
    this.#of = of
    this.#changes = new KeyChanges(keys, (digest) => this.#known.has(digest))
    keys.listen((event) => {
      if (event.event === 'committed') this.#hear(event.log)
    })
  }

  findNow(authorization: string | undefined): Pdp | undefined {
    const pdp = this.#openPdp(authorization)
    return pdp.imageRevision === undefined ? undefined : pdp
  }

  async find(authorization: string | undefined): Promise<Pdp> {
    return waitUntilReady(this.#openPdp(authorization), FIRST_IMAGE_WAIT_MS)
  }

  readKeyId(authorization: string | undefined): string {
    return this.#knownBy(authorization).id
  }

  scopeOf(authorization: string | undefined): Scope {
    return this.#knownBy(authorization)
  }

  vouched(environment: LogId, organization: LogId): Pdp {
    return this.#of.open(environment, organization)
  }

  #openPdp(authorization: string | undefined): Pdp {
    const { environment, organization } = this.#knownBy(authorization)
    return this.#of.open(environment, organization)
  }

  #knownBy(authorization: string | undefined): Known {
    const last = this.#last
    const isLast = last !== undefined && authorization !== undefined && last.header.is(authorization)
    if (isLast && Date.now() < last.known.until) return last.known
    const known = this.#lookUp(hash('sha256', requireBearer(authorization)))
    this.#last = { header: new SecretText(authorization!), known }
    return known
  }

  #lookUp(digest: string): Known {
    const known = this.#known.get(digest)
    const now = Date.now()
    if (known !== undefined && now < known.until) return known
    const found = this.#keys.findApiKey(digest)
    if (found === undefined) {
      if (this.#keys.diedWithEnvironment(digest)) throw new ZerohopError('ENVIRONMENT_DELETED')
      throw new ZerohopError(this.#once.has(digest) ? 'KEY_REVOKED' : 'KEY_UNKNOWN')
    }
    requireNotEnded(found.key, now)
    this.#of.admit(found.key)
    const { id, secret_of = id, project_id: project, environment_id: environment, expires_at } = found.key
    if (project === null || environment === null)
      throw new ZerohopError('KEY_TOO_NARROW', { what: 'ask a PDP: use the key of an environment' })
    if (this.#known.size >= AUTH_CACHE_MAX) {
      this.#known.clear()
      this.#since.clear()
    }
    const { organization } = found
    if (!this.#since.has(organization)) this.#since.set(organization, this.#changes.last(organization))
    this.#of.used?.(organization, found.key)
    const until = Math.min(startOfDay(now) + DAY_MS, expires_at ?? Number.POSITIVE_INFINITY)
    const entry = { id: secret_of, project, environment, organization, until }
    this.#known.set(digest, entry)
    return entry
  }

  /** Forgets what a write to a control log changed of keys; of other logs nothing is known. */
  #hear(log: LogId): void {
    const since = this.#since.get(log)
    if (since === undefined) return
    const changed = this.#changes.last(log)
    if (changed <= since) return
    this.#since.set(log, changed)
    this.#forget(log)
  }

  #forget(organization: LogId): void {
    this.#last = undefined
    for (const [digest, known] of this.#known) {
      if (known.organization !== organization) continue
      this.#known.delete(digest)
      if (this.#once.size < AUTH_CACHE_MAX) this.#once.add(digest)
    }
  }
}

/** @throws KEY_MISSING without a header, KEY_UNKNOWN when it is not a bearer key */
function requireBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') throw new ZerohopError('KEY_MISSING')
  if (authorization.length < 8 || authorization[6] !== ' ' || authorization.slice(0, 6).toLowerCase() !== 'bearer') {
    throw new ZerohopError('KEY_UNKNOWN')
  }
  return authorization.slice(7).trim()
}

/**
 * The first image of an environment takes milliseconds, or seconds when it is large. While it is known that it cannot
 * be built, requests do not wait: the follower retries by itself.
 */
async function waitUntilReady(pdp: Pdp, waitMs: number): Promise<Pdp> {
  const { refusal } = pdp
  if (refusal?.cause !== undefined) throw refusal
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(pdp.refusal ?? new ZerohopError('NOT_READY')), waitMs)
  })
  try {
    await Promise.race([pdp.ready(), late])
    return pdp
  } finally {
    clearTimeout(timer)
  }
}
