// Slows down whoever guesses API keys: after WRONG_KEYS_FREE wrong ones an address has to wait before its next wrong one
// counts, and each further one doubles the wait. Keys are long and random, so this keeps the noise down rather than the
// secret; right keys are neither counted nor held up, since a whole office may share one address.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import {
  WRONG_KEY_ADDRESSES_MAX,
  WRONG_KEY_WAIT_MAX_MS,
  WRONG_KEY_WAIT_MS,
  WRONG_KEYS_FORGOTTEN_MS,
  WRONG_KEYS_FREE,
} from '../../model/limits.ts'

interface Failures {
  readonly count: number
  /** of the last one, ms since 1970 */
  readonly at: number
}

export class WrongKeys {
  readonly #addresses = new Map<string, Failures>()

  /** For a wrong key alone. @throws SIGN_IN_LIMITED, with `retry-after`, while the address of the request has to wait */
  requireTurn(request: FastifyRequest, reply: FastifyReply): void {
    const failures = this.#addresses.get(toNetwork(request.ip))
    if (failures === undefined) return
    const wait = waitAfter(failures.count)
    const ms = Math.min(wait, failures.at + wait - Date.now()) // the clock may have been set back
    if (ms <= 0) return
    const seconds = Math.ceil(ms / 1000)
    reply.header('retry-after', String(seconds))
    throw new ZerohopError('SIGN_IN_LIMITED', { seconds })
  }

  /** A wrong key came. */
  count(request: FastifyRequest): void {
    const address = toNetwork(request.ip)
    const at = Date.now()
    const before = this.#addresses.get(address)
    const isRecent = before !== undefined && at - before.at < WRONG_KEYS_FORGOTTEN_MS
    this.#addresses.delete(address) // the order of the map is that of the last failure
    const [oldest] = this.#addresses.keys()
    if (this.#addresses.size >= WRONG_KEY_ADDRESSES_MAX && oldest !== undefined) this.#addresses.delete(oldest)
    this.#addresses.set(address, { count: isRecent ? before.count + 1 : 1, at })
  }
}

function waitAfter(count: number): number {
  return count < WRONG_KEYS_FREE
    ? 0
    : Math.min(WRONG_KEY_WAIT_MS * 2 ** (count - WRONG_KEYS_FREE), WRONG_KEY_WAIT_MAX_MS)
}

/** What begins an address of IPv4 where the server listens on IPv6. */
const MAPPED = /^::ffff:(?=\d+\.)/i

/** An address of IPv4, or the network of one of IPv6: a single host has 2^64 addresses there. */
function toNetwork(sent: string): string {
  const address = sent.replace(MAPPED, '')
  if (!address.includes(':')) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const [before, after] = [head, tail].map((part) => (part === '' ? [] : part.split(':'))) as [string[], string[]]
  const zeros = address.includes('::') ? Array.from({ length: 8 - before.length - after.length }, () => '0') : []
  const groups = [...before, ...zeros, ...after]
  return groups.length === 8 ? groups.slice(0, 4).join(':') : address
}
