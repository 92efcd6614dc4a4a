// Compares request attributes with their declared types. An attribute of another type counts as missing in every
// condition (D7: missing and ill-typed values); explanations name it, and strict PDPs refuse it. The cached types are
// derived from the image alone and dropped when a delta changes types.
import type { Kernel } from '../../kernel/kernel.ts'
import { isOfType } from '../../model/attribute-types.ts'
import { RESOURCE_IDENTITY, USER_TYPE } from '../../model/condition-reads.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { EXPLAIN_ITEMS_MAX, NEEDS_MAX } from '../../model/limits.ts'
import type { AttributeType, Json } from '../../model/objects.ts'
import { shorten } from '../../model/shorten.ts'
import { declaredOn } from '../explain/explain-conditions.ts'
import type { IllTyped } from '../explain/explanation.ts'
import { findSymbol } from '../look-up.ts'
import type { Sent } from './required-attributes.ts'

type Types = readonly (readonly [name: string, type: AttributeType])[]

/** Names under which request attributes are never read (D8: precedence of attributes). */
const IDENTITY = { user: ['key', 'roles', 'tenants'], resource: RESOURCE_IDENTITY } as const

/** The time of the question is an instant, although no one declares it. */
const OF_CONTEXT: Types = [['now', 'time']]

export class AttributeTypes {
  readonly #kernel: Kernel
  readonly #known = new Map<string, Types>()

  constructor(kernel: Kernel) {
    this.#kernel = kernel
  }

  forget(): void {
    this.#known.clear()
  }

  /**
   * The request attributes of the user and of a resource of `type` that are not of their declared type, and a
   * `context.now` that is not an instant; `null` counts as absent.
   */
  illTyped(type: string, sent: Sent | undefined): IllTyped[] {
    if (sent === undefined) return []
    try {
      const odd = [
        ...this.#odd('user', this.#readTypes('user', USER_TYPE), sent.user),
        ...this.#odd('resource', this.#readTypes('resource', type), sent.resource),
        ...this.#odd('context', OF_CONTEXT, sent.context),
      ]
      return odd.slice(0, EXPLAIN_ITEMS_MAX)
    } catch (cause) {
      if (isZerohopError(cause)) throw cause
      throw new ZerohopError('INPUT_INVALID', { reason: 'the attributes cannot be read' }, { cause })
    }
  }

  /** @throws ATTRIBUTE_ILL_TYPED with the first attribute that is not of its declared type */
  require(type: string, sent: Sent | undefined): void {
    const [first] = this.illTyped(type, sent)
    if (first === undefined) return
    const { attribute, declared } = first
    const dot = attribute.indexOf('.')
    const [root, name] = [attribute.slice(0, dot), attribute.slice(dot + 1)]
    const path = root === 'context' ? [root, name] : [root, 'attributes', name]
    throw new ZerohopError('ATTRIBUTE_ILL_TYPED', { attribute, type: declared }, { path })
  }

  *#odd(root: keyof Sent, types: Types, attributes: object | null | undefined): Iterable<IllTyped> {
    if (attributes === null || attributes === undefined) return
    for (const [name, declared] of types) {
      if (!Object.hasOwn(attributes, name)) continue
      const value = (attributes as Record<string, Json | undefined>)[name]
      if (value === undefined || value === null || isOfType(value, declared)) continue
      yield { attribute: `${root}.${name}`, declared, value: shorten(value) }
    }
  }

  #readTypes(root: 'user' | 'resource', type: string): Types {
    const known = this.#known.get(type)
    if (known !== undefined) return known
    const record = findSymbol(this.#kernel, 'resource', type)
    const identity: readonly string[] = IDENTITY[root]
    const types = Object.entries(declaredOn(this.#kernel, record)).filter(
      ([name, declared]) => declared !== 'json' && !identity.includes(name),
    )
    if (record === 0) return types // an unknown type is not cached
    if (this.#known.size >= NEEDS_MAX) this.#known.clear()
    this.#known.set(type, types)
    return types
  }
}
