// What a filter reads besides the row: attributes of the user, the tenant, the context and the action, and those of
// stored instances that a condition names by key. All of it is known when the filter is made.
import { findMember, type Operand, plain } from '../../filters/meaning/operators.ts'
import { objectAt, valueAt } from '../../kernel/decode.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isOfType } from '../../model/attribute-types.ts'
import type { AttributePath } from '../../model/condition.ts'
import type { AttributeType, Json, JsonObject } from '../../model/objects.ts'
import { toPathRef } from '../build/condition-program.ts'
import type { RequiredAttributes, Sent } from '../decide/required-attributes.ts'
import { declaredOn, inStableOrder } from '../explain/explain-conditions.ts'
import { findInstance, findPath, findSymbol } from '../look-up.ts'
import { instancesOfType, keyOfInstance } from '../records/instance.ts'
import { principalAttributes } from '../records/principal.ts'
import { atInstant } from '../records/times.ts'

/** The question of a filter, in ids that are all known. */
export interface AskedFilter {
  readonly user: number
  readonly tenant: number
  readonly permission: number
  readonly sent: Sent | undefined
}

/** A stored instance that a condition may name. */
export interface Named {
  readonly key: string
  readonly attributes: JsonObject
}

export class Constants {
  readonly #kernel: Kernel
  readonly #required: RequiredAttributes
  readonly #asked: AskedFilter
  readonly #operands = new Map<string, Operand>()
  readonly #types = new Map<string, Readonly<Record<string, AttributeType>>>()

  constructor(kernel: Kernel, required: RequiredAttributes, asked: AskedFilter) {
    this.#kernel = kernel
    this.#required = required
    this.#asked = asked
  }

  /** The value of a path that does not lead into the row, as a check reads it (D6, D8). */
  operand(path: AttributePath): Operand {
    const { key } = toPathRef(path)
    let operand = this.#operands.get(key)
    if (operand === undefined) {
      operand = this.#read(key)
      this.#operands.set(key, operand)
    }
    return operand
  }

  /** Whether the question has this part of the context. */
  isSent(name: string): boolean {
    return Object.hasOwn(this.#asked.sent?.context ?? {}, name)
  }

  #read(key: string): Operand {
    const kernel = this.#kernel
    const { user, tenant, permission, sent } = this.#asked
    const end = this.#required.encode(permission, undefined, sent)
    const path = findPath(kernel, key)
    const cell = atInstant(kernel.calls.operandCell(user, tenant, permission, 0, end, path))
    if (cell === 0) return plain(undefined)
    return { time: kernel.calls.operandIsTime() === 1, value: inStableOrder(key, valueAt(kernel, cell)) }
  }

  /** The declared attribute types of a resource type. */
  declared(type: string): Readonly<Record<string, AttributeType>> {
    let types = this.#types.get(type)
    if (types === undefined) {
      types = declaredOn(this.#kernel, findSymbol(this.#kernel, 'resource', type))
      this.#types.set(type, types)
    }
    return types
  }

  /** A stored instance, whatever its tenant; undefined when it does not exist. */
  instance(type: string, key: string): Named | undefined {
    const record = findInstance(this.#kernel, type, key)
    return record === 0 ? undefined : { key, attributes: this.#attributes(record) }
  }

  /** The stored instances of a type, in key order. */
  *instances(type: string): Iterable<Named> {
    const kernel = this.#kernel
    const record = findSymbol(kernel, 'resource', type)
    if (record === 0) return
    for (const instance of instancesOfType(kernel, record))
      yield { key: keyOfInstance(kernel, instance), attributes: this.#attributes(instance) }
  }

  /** What a path inside a stored instance of a type leads to. */
  findOperand(type: string, { attributes }: Named, names: readonly string[]): Operand {
    const [name = ''] = names
    const types = this.declared(type)
    const declared = Object.hasOwn(types, name) ? types[name]! : 'json'
    const value: Json | undefined = findMember(attributes, [name])
    if (!isOfType(value, declared)) return plain(undefined)
    return { value: findMember(attributes, names), time: names.length === 1 && declared === 'time' }
  }

  #attributes(instance: number): JsonObject {
    return objectAt(this.#kernel, principalAttributes(this.#kernel, instance)) ?? {}
  }
}
