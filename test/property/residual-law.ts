// What the normal form of a set rule means for one question, by the values that the definition reads, and rules with
// questions about them: for the law that it is what the definition of the rule says.

import { compare } from '../../src/filters/meaning/operators.ts'
import type { Open, Residual } from '../../src/image/access-diff/open-conditions.ts'
import type { AttributePath } from '../../src/model/condition.ts'
import type { FilterNode, Leaf, Term } from '../../src/model/filter.ts'
import type { Json } from '../../src/model/objects.ts'
import { isObject, member, type Operand, operandAt, readOperand } from '../reference/attributes.ts'
import type { Policy } from '../reference/policy.ts'
import type { Request } from '../reference/request.ts'
import { hasUser } from '../reference/sets.ts'

type Node = FilterNode<Open>

/** What a match looks at: an item of a value, or a stored instance of a type. */
type Inside = { readonly item: Json } | { readonly type: string; readonly key: string } | undefined

/** Whether the residual is true of the question. */
export function isResidualTrue(residual: Residual, policy: Policy, request: Request): boolean {
  return typeof residual === 'boolean' ? residual : new Meaning(policy, request).holds(residual, undefined)
}

class Meaning {
  readonly #policy: Policy
  readonly #request: Request

  constructor(policy: Policy, request: Request) {
    this.#policy = policy
    this.#request = request
  }

  holds(node: Node, inside: Inside): boolean {
    if ('and' in node) return node.and.every((each) => this.holds(each, inside))
    if ('or' in node) return node.or.some((each) => this.holds(each, inside))
    return 'not' in node ? !this.#leaf(node.not, inside) : this.#leaf(node, inside)
  }

  #leaf(leaf: Leaf<Open>, inside: Inside): boolean {
    if ('op' in leaf && 'held' in leaf.right)
      return hasUser(this.#policy, this.#request, `__autogen_${leaf.right.held}`) // D17
    if ('op' in leaf) return compare(leaf.op, this.#operand(leaf.left, inside), this.#operand(leaf.right, inside))
    if (!('match' in leaf)) throw new Error('rules name no keys and no relations')
    const { value } = this.#operand(leaf.left, inside)
    const passes = (item: Json) => isObject(item) && this.holds(leaf.where, { item })
    if (leaf.match === 'object') return value !== undefined && passes(value)
    if (!Array.isArray(value)) return false
    return leaf.match === 'any' ? value.some(passes) : value.every(passes)
  }

  #operand(term: Term<Open>, inside: Inside): Operand {
    const at = (root: AttributePath['root'], names: readonly string[]) =>
      operandAt(this.#policy, this.#request, { root, names })
    if ('value' in term) return { value: term.value, time: term.time === true }
    if ('key' in term) return at('resource', ['key'])
    if ('item' in term) return member((inside as { item: Json }).item, term.item)
    if ('keysOf' in term) return { value: this.#keysOf(term.keysOf, term.where), time: false }
    if (!('path' in term)) throw new Error('rules name nothing that the user holds')
    if (!('of' in term)) return at('resource', term.path)
    if (term.of === 'relation') throw new Error('rules name no relations')
    if (term.of !== 'item') return at(term.of, term.path)
    const { type, key } = inside as { type: string; key: string }
    return readOperand(this.#policy, type, this.#policy.resource_instance.get(`${type}:${key}`)!, term.path)
  }

  #keysOf(type: string, where: Node): string[] {
    return [...this.#policy.resource_instance.keys()]
      .filter((name) => name.startsWith(`${type}:`))
      .map((name) => name.slice(type.length + 1))
      .filter((key) => this.holds(where, { type, key }))
  }
}
